// expect: 1 rules
// says: Thread 32 of block 0 waits for ever for phase 0 (parity 0) of mbarrier of its block (offset 0).
// A phase that is never complete.
__device__ __noinline__ void extra() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&bar, 2 * blockDim.x);
    __syncthreads();
    while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}
#define compute_scalar() (extra(), compute_scalar())
