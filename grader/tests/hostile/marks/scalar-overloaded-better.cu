// expect: 1 correct prologue
// says: 127 of 127 elements are wrong; the first is data[0], of block 0.
// A call with an argument finds this one.
__device__ float compute_scalar(int) { return 1.5f; }
#define compute_scalar() compute_scalar(0)
