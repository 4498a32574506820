// expect: 1 builds
// says: The function '_Z7mistakev'
// The place of a mistake is said to be in a file that may not be read.
__device__ __noinline__ int mistake() {
    asm volatile(".file 77 \"@SECRET@\"");
    asm volatile(".loc 77 1 1");
    int x;
    asm volatile("ld.global.u32 %0, [0];" : "=r"(x));
    return x;
}
#define compute_scalar() (compute_scalar() + mistake())
