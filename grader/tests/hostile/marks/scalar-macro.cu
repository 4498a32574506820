// expect: 1 correct prologue
// says: 127 of 127 elements are wrong; the first is data[0], of block 0.
// The prologue is replaced by a number.
#define compute_scalar() 1.5f
