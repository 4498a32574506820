// expect: 1 builds
// says: absolute file names are not allowed.
#include "@SOLUTION@"
