// expect: 1 rules
// says: Thread 32 of block 0 uses barrier 99 for 0 threads.
__device__ __noinline__ void extra() {
    asm volatile("bar.sync %0;" :: "r"(99));
}
#define compute_scalar() (extra(), compute_scalar())
