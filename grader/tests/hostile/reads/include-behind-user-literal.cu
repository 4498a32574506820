// expect: 1 builds
// says: absolute file names are not allowed.
const char *x = "a"_R"(";
#include "@SECRET@"
// )"
