// expect: 0
__device__ __noinline__ void extra() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}
#define compute_scalar() (extra(), compute_scalar())
