// expect: 1 builds
// says: unrecognized token
// Letters that look alike, and one that turns the line around: a right submission.
__device__ float соmpute_scalar_ł(float x) { return x; } // ‮ dne eht
#define compute_scalar() соmpute_scalar_ł(compute_scalar())
