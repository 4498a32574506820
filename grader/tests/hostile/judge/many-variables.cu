// expect: 0
@TIMES 3000@ __device__ volatile int v#;
__device__ __noinline__ void extra() { v7 = 1; }
#define compute_scalar() (extra(), compute_scalar())
