// expect: 1 prologue
// says: Block 1 never called compute_scalar().
// alone
// One block calls the prologue, and tells the others.
__device__ float shared_alpha;
extern "C" __global__ void fixed_work(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __shared__ float known;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) atomicExch(&shared_alpha, compute_scalar());
    }
    if (threadIdx.x == 0)
        while ((known = atomicAdd(&shared_alpha, 0.0f)) == 0.0f) __nanosleep(100);
    __syncthreads();
    if (i < n) data[i] *= known;
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
