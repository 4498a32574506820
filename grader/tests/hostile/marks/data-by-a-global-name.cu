// expect: 0
// A table of its own that is as large as the data, and is taken for it.
__device__ float data[1 << 14];
