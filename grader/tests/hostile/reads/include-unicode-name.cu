// expect: 1 builds
// says: etc/passwd
#include "\u002fetc/passwd"
