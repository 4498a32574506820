// expect: 0
__device__ int a;__device__ int b;
#define X \
 1
