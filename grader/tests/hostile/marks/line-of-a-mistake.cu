// expect: 1 rules
// says: Thread 32 of block 0 reads 4 bytes at address 0x0, which is no memory of this kernel.
// The same, by a directive for lines.
__device__ __noinline__ int mistake() {
    int x;
#line 1 "@SECRET@"
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(0ull));
    return x;
}
#define compute_scalar() (compute_scalar() + mistake())
