// expect: 1 rules
// says: The call stack of block 0 is full (256 calls deep).
__device__ __noinline__ int deeper(int x) {
    volatile int kept[64];
    kept[x % 64] = x;
    return deeper(x + 1) + kept[x % 64];
}
__device__ __noinline__ void extra() {
    if (deeper(blockDim.x)) __trap();
}
#define compute_scalar() (extra(), compute_scalar())
