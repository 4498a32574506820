// expect: 1 builds
// says: The PTX of this line is malformed: 'fixed_work_param_0' is not declared here.
// A parameter of the kernel, read in another function.
__device__ __noinline__ void extra() {
    asm volatile("{.reg .u64 a; .reg .u32 x; ld.param.u64 a, [fixed_work_param_0]; ld.global.u32 x, [a+-4096];}");
}
#define compute_scalar() (extra(), compute_scalar())
