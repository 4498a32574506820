// expect: 1 builds
// says: The function system is called but not defined.
extern "C" __device__ int system(const char *);
__device__ int x() { return system("touch /tmp/hostile"); }
#define compute_scalar() (compute_scalar() + x())
