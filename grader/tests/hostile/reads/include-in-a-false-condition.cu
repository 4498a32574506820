// expect: 1 builds
// says: absolute file names are not allowed.
#if 0
#include "@SECRET@"
#endif
