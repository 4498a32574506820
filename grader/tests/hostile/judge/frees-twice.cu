// expect: 1 rules
// says: Thread 32 of block 0 frees memory that is free already (16 bytes).
__device__ __noinline__ void extra() {
    void *p = malloc(16);
    free(p);
    free(p);
}
#define compute_scalar() (extra(), compute_scalar())
