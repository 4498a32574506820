// expect: 1 rules
// says: Thread 32 of block 0 writes 4 bytes at address 0xfffffe0600000040, which is no memory of this kernel.
__device__ __noinline__ void extra() {
    *(volatile int *)(void *)&extra = 0;
}
#define compute_scalar() (extra(), compute_scalar())
