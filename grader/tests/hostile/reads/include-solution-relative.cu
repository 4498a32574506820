// expect: 1 builds
// says: file names with ".." are not allowed.
#include "../../solutions/01-fixed-work/fixed_work.cu"
