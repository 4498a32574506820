// expect: 1 rules
// says: Thread 32 of block 0 frees address 0x7fff12345678, which malloc did not give.
__device__ __noinline__ void extra() {
    free((void *)0x7fff12345678);
}
#define compute_scalar() (extra(), compute_scalar())
