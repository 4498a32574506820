// expect: 1 rules
// says: Thread 32 of block 0 uses barrier 1 for 33 threads.
__device__ __noinline__ void extra() {
    asm volatile("bar.sync 1, 33;");
}
#define compute_scalar() (extra(), compute_scalar())
