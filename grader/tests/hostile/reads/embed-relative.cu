// expect: 1 builds
// says: preprocessing directive
__device__ const char x[] = {
#embed "secret.h"
};
