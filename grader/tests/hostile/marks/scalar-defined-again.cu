// expect: 1 builds
// says: function "compute_scalar" has already been defined
extern "C" __device__ float compute_scalar(void) { return 1.5f; }
