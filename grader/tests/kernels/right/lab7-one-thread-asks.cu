// SPDX-License-Identifier: Apache-2.0
// One thread sends all four requests and announces 64 bytes in one arrival;
// lane s of each warp decodes answer s, and the warp votes and shuffles.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void batch_clc(float *data, int n) {
    constexpr int batch = 4;
    __shared__ uint4 answers[batch];
    __shared__ uint64_t bar;
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int lane = warp.thread_rank();
    if (block.thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    auto scale = [&](int bx) {
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    };
    int mine = lane == 0 ? (int)blockIdx.x : -1;
    unsigned has = 1;
    for (uint32_t phase = 0;; phase ^= 1) {
        block.sync();
        if (block.thread_rank() == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            for (int s = 0; s < batch; s++)
                ptx::clusterlaunchcontrol_try_cancel(&answers[s], &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof answers);
        }
        for (unsigned rest = has; rest; rest &= rest - 1)
            scale(warp.shfl(mine, __ffs(rest) - 1));
        while (!ptx::mbarrier_try_wait_parity(&bar, phase))
            ;
        bool granted = false;
        if (lane < batch) {
            granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                answers[lane]);
            if (granted)
                mine = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                    int>(answers[lane]);
        }
        has = warp.ballot(granted);
        if (has != (1u << batch) - 1)
            break;
    }
    for (; has; has &= has - 1)
        scale(warp.shfl(mine, __ffs(has) - 1));
}
