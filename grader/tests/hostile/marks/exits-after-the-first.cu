// lab: 2
// expect: 1 technique
// says: Block index 1 was processed by block 0, and not by the lab's technique.
// alone
// One block does everything; the others leave.
extern "C" __global__ void grid_stride(float *data, int n) {
    if (blockIdx.x) return;
    float alpha = compute_scalar();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {min(q.sm_count * q.blocks_per_sm, (q.n + q.threads_per_block - 1) / q.threads_per_block)};
}
