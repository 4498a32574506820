// expect: 1 builds
// says: fixed_work.cu
#include "fixed_work.cu"
