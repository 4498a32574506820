// expect: 1 builds
// says: expression must have a constant value
__device__ constexpr int f(int x) { return f(x + 1) + 1; }
__device__ int x[f(1)];
