// expect: 1 builds
// says: A function without execution space annotations
__device__ constexpr int f(int x) { while (true) x++; return x; }
__device__ int x[f(1)];
