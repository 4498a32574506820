// expect: 1 signature
// says: fixed_work cannot be launched with 128 threads a block.
// alone
extern "C" __global__ void __launch_bounds__(1) fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
