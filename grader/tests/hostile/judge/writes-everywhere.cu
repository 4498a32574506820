// expect: 1 rules
// says: Thread 32 of block 0 writes 1 bytes at address 0x0, which is no memory of this kernel.
__device__ __noinline__ void extra() {
    for (unsigned long at = clock64() | 1;; at = at * 6364136223846793005 + 1442695040888963407)
        asm volatile("st.u8 [%0], 1;" ::"l"(at >> 16) : "memory");
}
#define compute_scalar() (extra(), compute_scalar())
