// expect: 1 builds
// says: A function without execution space annotations
__device__ constexpr int f(int x) { return f(x + 1) + 1; }
__device__ int x[f(1)];
