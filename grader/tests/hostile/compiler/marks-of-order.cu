// expect: 1 builds
// says: unrecognized token
// says nvcc: no storage class or type specifier
__device__ int y; ﻿__device__ int x;
