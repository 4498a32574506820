// SPDX-License-Identifier: Apache-2.0
// Blocks that take others' work by Cluster Launch Control. 20 blocks are fewer
// than a large device holds, and more than the model mini does.
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void twice(float *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    bool granted = true;
    int block = blockIdx.x;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int phase = 0; granted; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof answer);
        }
        data[block * blockDim.x + threadIdx.x] *= 2;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase))
            ;
        granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (granted)
            block =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answer);
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

int main() {
    const int blocks = 20, threads = 1024;
    float *data;
    int wrong = 0;
    cudaMallocManaged(&data, blocks * threads * sizeof *data);
    for (int i = 0; i < blocks * threads; i++)
        data[i] = float(i);
    twice<<<blocks, threads>>>(data);
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * threads; i++)
        wrong += data[i] != 2.0f * i;
    printf("%d wrong\n", wrong);
    return 0;
}
