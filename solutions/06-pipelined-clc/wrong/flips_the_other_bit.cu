// expect: rules DEADLOCK
// says: The last wait of this thread here was for the same parity.
// Flips bit 0 of the phases, or none, in place of the channel's own bit.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

struct Channel {
    uint4 answer;
    uint64_t full;

    __device__ void send() {
        ptx::clusterlaunchcontrol_try_cancel(&answer, &full);
    }
    __device__ void announce() {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &full, sizeof answer);
    }
    // Gives the index or -1; flips bit of phases.
    __device__ int receive(unsigned &phases, unsigned bit) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &full, phases >> bit & 1u)) {
        }
        phases ^= bit;
        const bool yes =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        const int x =
            yes ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      answer)
                : -1;
        ptx::fence_proxy_async(ptx::space_shared);
        return x;
    }
};

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ Channel even, odd;
    const auto block = cg::this_thread_block();
    unsigned phases = 0;
    cg::invoke_one(block, [&] {
        ptx::mbarrier_init(&even.full, 1);
        ptx::mbarrier_init(&odd.full, 1);
    });
    const float alpha = compute_scalar();
    const auto work = [=](int bx) {
        for (int i = bx * 128 + threadIdx.x; bx >= 0 && i < n; i = n)
            data[i] *= alpha;
    };
    int a = blockIdx.x, b = -1;
    for (;;) {
        block.sync();
        if (block.thread_rank() == 0) {
            even.send(), odd.send();
            even.announce(), odd.announce();
        }
        work(a);
        work(b);
        a = even.receive(phases, 0);
        b = odd.receive(phases, 1);
        if (a >= 0 && b >= 0)
            continue;
        work(a);
        work(b);
        return;
    }
}
