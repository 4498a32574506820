// expect: 1 rules
// says: of variable kept (offset 0)
// alone
// What a launch has left is there for the next one, so that it need not call the prologue.
__device__ float kept;
extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = kept;
    if (alpha == 0.0f) alpha = kept = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
