// expect: 0
// A name that would break a line of the report, and of PTX.
__device__ int odd asm("a\nScore: 100/100");
#define compute_scalar() (compute_scalar() + odd)
