// expect: 1 launch_plan
// says: launch_plan chose 2147483647 blocks for n = 1, threads_per_block = 128, sm_count = 4, blocks_per_sm = 2.
// alone
// More blocks than any grid has.
extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {0x7fffffff};
}
