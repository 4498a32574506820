// expect: 1 builds
// says: absolute file names are not allowed.
const char *x = "no end
#include "@SECRET@"
