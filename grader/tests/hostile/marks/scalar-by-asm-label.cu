// expect: 1 correct prologue
// says: 127 of 127 elements are wrong; the first is data[0], of block 0.
// Two functions of one name in PTX.
__device__ __noinline__ float mine() asm("compute_scalar");
__device__ __noinline__ float mine() { return 1.5f; }
#define compute_scalar() mine()
