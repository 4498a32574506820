// expect: 0
// So many objects in shared memory: slow, and no mistake.
__device__ __noinline__ void extra() {
    __shared__ uint64_t bars[800];
    for (unsigned i = threadIdx.x; i < 800; i += blockDim.x) cuda::ptx::mbarrier_init(&bars[i], 1);
}
#define compute_scalar() (extra(), compute_scalar())
