// expect: 1 builds
// says: The variable big is too large.
__device__ __noinline__ void extra() {
    __shared__ volatile char big[400 * 1024];
    big[threadIdx.x * 1000] = 1;
}
#define compute_scalar() (extra(), compute_scalar())
