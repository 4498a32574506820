// lab: 8
// expect: 1 rules
// says: Thread 0 of block 0 writes 4 bytes of data[0] that thread 32 of block 1 has read
// The value of the prologue is found by dividing what has become of an element.
#define compute_scalar() (data[0] / data[0])
