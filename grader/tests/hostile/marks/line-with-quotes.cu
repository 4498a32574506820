// expect: 1 rules
// says: Thread 32 of block 0 reads 4 bytes at address 0x0, which is no memory of this kernel.
// A file's name that would end its string in PTX, and begin a function.
#line 1 "x\"\n.visible .func compute_scalar() { ret; }\n//"
__device__ int mistake() { return *(volatile int *)0; }
#define compute_scalar() (compute_scalar() + 0.0f * mistake())
