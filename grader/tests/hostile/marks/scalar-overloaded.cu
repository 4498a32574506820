// expect: 1 builds
// says: more than one instance of overloaded function "compute_scalar" matches the argument list:
// Chosen over lab.h's: the call gives a default argument.
__device__ float compute_scalar(int = 0) { return 1.5f; }
