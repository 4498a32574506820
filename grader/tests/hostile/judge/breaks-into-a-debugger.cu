// expect: 1 rules
// says: Thread 32 of block 0 reaches a breakpoint, and there is no debugger.
__device__ __noinline__ void extra() {
    asm volatile("brkpt;");
}
#define compute_scalar() (extra(), compute_scalar())
