// expect: 1 builds
// says: absolute file names are not allowed.
__device__ int x;#include "@SECRET@"
