// expect: 1 rules
// says: Thread 32 of block 0 reads 4 bytes at address 0x0, which is no memory of this kernel.
// Constant memory from its first byte on.
__device__ float mine() {
    float x;
    asm volatile("ld.const.f32 %0, [%1];" : "=f"(x) : "l"(0ULL));
    return x;
}
#define compute_scalar() (compute_scalar() + 0.0f * mine())
