// expect: 1 rules
// says: Thread 32 of block 0 calls the function at address 0x0, where there is none.
__device__ void *volatile nowhere;
__device__ __noinline__ void extra() {
    ((void (*volatile)(void))nowhere)();
}
#define compute_scalar() (extra(), compute_scalar())
