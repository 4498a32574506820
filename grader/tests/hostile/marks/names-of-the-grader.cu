// expect: 0
// Kernels that are called like the grader's own; a right submission all the same.
extern "C" __global__ void clclab_ledger(int *x) { *x = 1; }
extern "C" __device__ int clclab_score = 100;
