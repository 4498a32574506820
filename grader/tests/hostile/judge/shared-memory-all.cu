// expect: 0
// As much as a block may have: right, and slow.
__device__ __noinline__ void extra() {
    __shared__ volatile char big[48 * 1024];
    for (unsigned i = 0; i < 100; i++) big[threadIdx.x * 300 + i] = i;
}
#define compute_scalar() (extra(), compute_scalar())
