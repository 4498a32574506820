// expect: 0
__device__ __noinline__ void extra() {
    unsigned x;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %0, %%nsmid; mov.u32 %0, %%warpid; mov.u32 %0, %%gridid;" : "=r"(x));
}
#define compute_scalar() (extra(), compute_scalar())
