// expect: 1 signature
// says: There is no kernel named fixed_work.
// alone
template <int N>
__global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
