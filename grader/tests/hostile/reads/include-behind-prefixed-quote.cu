// expect: 1 builds
// says: absolute file names are not allowed
const wchar_t q = L'"';
#include "@SECRET@"
// '"
