// expect: 1 builds
// says: expression must have a constant value
__device__ constexpr int f(int x) { while (true) x++; return x; }
__device__ int x[f(1)];
