// expect: 0
__device__ __noinline__ void extra() {
    asm volatile("pmevent 3;");
}
#define compute_scalar() (extra(), compute_scalar())
