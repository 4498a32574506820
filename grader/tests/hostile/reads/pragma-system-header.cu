// expect: 1 builds
// says: absolute file names are not allowed.
#pragma GCC system_header
#include "@SECRET@"
