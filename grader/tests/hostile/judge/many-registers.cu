// expect: 0
// One function with a hundred thousand registers.
__device__ __noinline__ void extra() {
    asm volatile("{ .reg .b32 r<100000>; mov.b32 r99999, 1; }");
}
#define compute_scalar() (extra(), compute_scalar())
