// expect: 1 rules
// says: The kernel did not end within 162064000 thread-instructions; thread 64 of block 0 was still running here.
// Each thread goes its own way.
__device__ volatile unsigned hits;
__device__ __noinline__ void extra() {
    for (unsigned i = 0; i < 1u << 20; i++)
        if (i * 2654435761u >> 27 == threadIdx.x % 32) hits++;
}
#define compute_scalar() (extra(), compute_scalar())
