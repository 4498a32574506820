// expect: 0
@TIMES 400@ __device__ __noinline__ int f#(int x) { return x * # + 1; }
__device__ int (*const table[])(int) = {
@TIMES 400@ f#,
};
__device__ __noinline__ void extra() { if (table[blockIdx.x % 400](1) == -77) __trap(); }
#define compute_scalar() (extra(), compute_scalar())
