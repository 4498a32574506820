// expect: 1 builds
// says: absolute file names are not allowed.
const char *x = R"12345678901234567( )12345678901234567";
#include "@SECRET@"
