// expect: 1 builds
// says: absolute file names are not allowed
const int q = 1e+5'0 + '"';
#include "@SECRET@"
// '"
