// expect: 1 rules
// says: Thread 0 of block 0 makes an mbarrier for 4294967295 arrivals.
__device__ __noinline__ void extra() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&bar, 0xffffffff);
    __syncthreads();
}
#define compute_scalar() (extra(), compute_scalar())
