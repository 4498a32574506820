// expect: 0
__device__ char big[1ull << 62];
