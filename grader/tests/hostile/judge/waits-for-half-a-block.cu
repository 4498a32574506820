// expect: 1 rules
// says: Thread 32 of block 0 waits for ever at a barrier of its block.
// A barrier that half of the threads never reach.
__device__ __noinline__ void extra() {
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 128;");
}
#define compute_scalar() (extra(), compute_scalar())
