// expect: 1 correct prologue
// says: 127 of 127 elements are wrong; the first is data[0], of block 0.
// A prologue of the file's own, which costs nothing.
__device__ float cheap() { return 1.5f; }
#define compute_scalar cheap
