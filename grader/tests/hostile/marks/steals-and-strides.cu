// lab: 3
// expect: 1 technique
// says: No block index was stolen, though blocks were pending.
// alone
// Requests that are made for show, by a kernel that shares the work out by itself.
extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint64_t bar;
    __shared__ uint4 answer;
    float alpha = compute_scalar();
    if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] *= alpha;
}
