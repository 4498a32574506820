// expect: 1 builds
// says: etc/passwd
#include "etc/passwd"
