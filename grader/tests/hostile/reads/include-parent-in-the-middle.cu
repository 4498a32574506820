// expect: 1 builds
// says: file names with ".." are not allowed.
#include <cuda/std/../../../../../../../../../etc/passwd>
