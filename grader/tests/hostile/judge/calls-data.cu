// expect: 1 rules
// says: Thread 32 of block 0 calls the function at address 0x600000000, where there is none.
__device__ unsigned long data_as_code[4] = {1, 2, 3, 4};
__device__ __noinline__ void extra() {
    ((void (*)(void))data_as_code)();
}
#define compute_scalar() (extra(), compute_scalar())
