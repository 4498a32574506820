// expect: 1 rules
// says: Thread 0 of block 0 writes 1048576 bytes at offset 0 of the block's shared memory (144 bytes).
__device__ __noinline__ void extra() {
    __shared__ __align__(128) char to[128];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&bar, 1);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, (void *)64, 1 << 20, &bar);
    }
}
#define compute_scalar() (extra(), compute_scalar())
