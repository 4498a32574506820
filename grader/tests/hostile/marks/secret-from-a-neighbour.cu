// expect: 1 rules
// says: Thread 32 of block 0 reads 4 bytes, 8 bytes before the start of variable mine (16 bytes).
// Looks for the secret around a constant of its own.
__constant__ volatile float mine[4] = {1, 2, 3, 4};
#define compute_scalar() (compute_scalar() + 0.0f * mine[-(int)(2 + threadIdx.x % 2)])
