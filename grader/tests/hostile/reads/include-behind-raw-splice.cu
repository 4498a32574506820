// expect: 1 builds
// says: absolute file names are not allowed
const char *x = R"x( )\
x" /* )x" ;
#include "@SECRET@"
// */
