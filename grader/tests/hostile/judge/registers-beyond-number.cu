// expect: 1 builds
// says: The PTX of this line is malformed: The size of a register range is an integer from 0 to 1000000.
__device__ __noinline__ void extra() {
    asm volatile("{ .reg .b32 r<4000000000>; mov.b32 r3999999999, 1; }");
}
#define compute_scalar() (extra(), compute_scalar())
