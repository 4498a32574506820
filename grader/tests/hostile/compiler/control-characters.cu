// expect: 0
__device__ const char x[] = "[2J"; // ]0;x
