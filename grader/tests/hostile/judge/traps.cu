// expect: 1 rules
// says: Thread 32 of block 0 executes a trap.
__device__ __noinline__ void extra() {
    __trap();
}
#define compute_scalar() (extra(), compute_scalar())
