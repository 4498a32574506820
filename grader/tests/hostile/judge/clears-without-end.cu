// expect: 1 rules
// says: The kernel did not end within 162064000 thread-instructions; thread 64 of block 0 was still running here.
__device__ char big[1 << 26];
__device__ __noinline__ void extra() {
    for (;;) {
        memset(big, 1, sizeof big);
        asm volatile("" ::: "memory");
    }
}
#define compute_scalar() (extra(), compute_scalar())
