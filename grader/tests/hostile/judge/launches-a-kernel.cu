// expect: 1 builds
// says: device-side kernel launch could not be processed as the required runtime APIs are not declared
// A kernel that starts kernels.
__global__ void child() {}
__device__ void extra() { child<<<1, 1>>>(); }
#define compute_scalar() (extra(), compute_scalar())
