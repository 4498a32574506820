// expect: 1 launch_plan
// says: Thread 0 of block 0 executes a trap.
// alone
extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= alpha;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(__trap(), 1)};
}
