// expect: 1 signature
// says: fixed_work declares a cluster of 4 x 1 x 1 blocks.
// alone
extern "C" __global__ void __cluster_dims__(4) fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
