// expect: 1 rules
// says: Thread 0 of block 0 is in a loop that never ends: nothing but its counters changes from one round of it to the next.
__device__ __noinline__ void extra() {
    asm volatile("{ again: bra again; }");
}
#define compute_scalar() (extra(), compute_scalar())
