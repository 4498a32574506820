// expect: 0
// A right kernel: a call through a pointer is a call.
__device__ float (*volatile through)(void) = compute_scalar;
#define compute_scalar() through()
