// expect: 1 rules
// says: Thread 0 of block 0 reads variable flag (offset 0) again and again, and nobody who could still run changes it.
// A flag that nobody sets.
__device__ int flag;
__device__ __noinline__ void extra() {
    while (atomicAdd(&flag, 0) == 0) {}
}
#define compute_scalar() (extra(), compute_scalar())
