// SPDX-License-Identifier: Apache-2.0
// Four lanes of a tile of four ask, one after the other, and arrive when all
// have asked; each slot has an mbarrier of its own.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

struct Request {
    uint4 answer;
    uint64_t bar;
};

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ Request request[4];
    const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    const bool asks = tile.meta_group_rank() == 0;
    const unsigned me = tile.thread_rank();
    if (asks)
        ptx::mbarrier_init(&request[me].bar, 1);
    const float alpha = compute_scalar();
    int own[4] = {(int)blockIdx.x, -1, -1, -1};
    for (uint32_t round = 0;; round++) {
        __syncthreads();
        if (asks) {
            ptx::fence_proxy_async(ptx::space_shared);
            for (unsigned turn = 0; turn < 4; turn++)
                if (turn == me)
                    ptx::clusterlaunchcontrol_try_cancel(&request[me].answer,
                                                         &request[me].bar);
            tile.sync(); // all four are asked for before anybody can look
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &request[me].bar,
                                           16);
        }
#pragma unroll
        for (int s = 0; s < 4; s++)
            if (int i = own[s] * 128 + threadIdx.x; own[s] >= 0 && i < n)
                data[i] *= alpha;
        bool all = true;
#pragma unroll
        for (int s = 0; s < 4; s++) {
            Request &r = request[s];
            while (!ptx::mbarrier_try_wait_parity(&r.bar, round & 1)) {
            }
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(r.answer)) {
                own[s] =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(r.answer);
            } else {
                own[s] = -1;
                all = false;
            }
        }
        if (!all)
            break;
    }
    for (int s = 0; s < 4; s++)
        if (int i = own[s] * 128 + threadIdx.x; own[s] >= 0 && i < n)
            data[i] *= alpha;
}
