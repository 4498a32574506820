// SPDX-License-Identifier: Apache-2.0
// The loop of lab 4 with two slots in turn: the fifth warp asks, four do the
// rows, by vectors where a row is aligned. Barriers of the cluster in PTX, not
// aligned.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

struct Shared {
    uint4 answer[2];
    uint64_t full[2];
};

__device__ static void scale(float *data, int from, int to, int thread,
                             float alpha) {
    int head = min(to, (from + 3) & ~3), tail = max(head, to & ~3);
    for (int i = from + thread; i < head; i += 128)
        data[i] *= alpha;
    for (int i = head + 4 * thread; i < tail; i += 512) {
        float4 v = *reinterpret_cast<float4 *>(&data[i]);
        v = make_float4(v.x * alpha, v.y * alpha, v.z * alpha, v.w * alpha);
        *reinterpret_cast<float4 *>(&data[i]) = v;
    }
    for (int i = tail + thread; i < to; i += 128)
        data[i] *= alpha;
}

// All threads of both blocks: the answer of this turn, as the next row or -1.
__device__ static int answer(Shared &s, unsigned turn) {
    const unsigned k = turn & 1;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &s.full[k], turn >> 1 & 1))
        ;
    const uint4 a = s.answer[k];
    int row = -1;
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(a))
        row = cg::this_cluster().block_rank() +
              ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(a);
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    return row;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ Shared s;
    const auto cluster = cg::this_cluster();
    if (threadIdx.x < 2)
        ptx::mbarrier_init(&s.full[threadIdx.x], 1);
    const float alpha = threadIdx.x < 128 ? compute_scalar() : 0;
    int row = blockIdx.x;
    for (unsigned turn = 0; row >= 0; turn++) {
        asm volatile("barrier.cluster.arrive.release;\n\t"
                     "barrier.cluster.wait.acquire;" ::
                         : "memory");
        if (threadIdx.x == 128) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &s.full[turn & 1],
                                           16);
            if (cluster.block_rank() == 0) {
                ptx::fence_proxy_async_generic_sync_restrict(
                    ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(
                    &s.answer[turn & 1], &s.full[turn & 1]);
            }
        }
        __syncwarp();
        if (row < rows && threadIdx.x < 128)
            scale(data, __ldg(starts + row), __ldg(starts + row + 1),
                  threadIdx.x, alpha);
        row = answer(s, turn);
    }
}
