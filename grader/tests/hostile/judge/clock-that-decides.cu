// expect: 1 rules
// says: Thread 32 of block 0 executes a trap.
// What it does depends on the time.
__device__ __noinline__ void extra() {
    if (clock64() % 7 == 3) __trap();
}
#define compute_scalar() (extra(), compute_scalar())
