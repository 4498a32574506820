// SPDX-License-Identifier: Apache-2.0
// A block exits while an answer is on its way into its shared memory.
#include "short.h"

// One more request is sent ahead, and the loop leaves by its counter.
// expect: CLC004
// run: --kernel sent_ahead --grid 40 --block 32 --arg buf:160
extern "C" __global__ void sent_ahead(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
        if (round == 1)
            break;
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

// Two slots: when the first answer is a refusal, the second is still out.
// expect: CLC004
// run: --kernel second_is_out --grid 16 --block 1 --arg buf:64
extern "C" __global__ void second_is_out(unsigned *out) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar[2];
    init(&bar[0]);
    init(&bar[1]);
    out[blockIdx.x] += 1;
    for (int s = 0; s < 2; s++) {
        announce(&bar[s]);
        ask(&slot[s], &bar[s]); // <- here
    }
    for (unsigned i = 0;; i++) {
        int s = i % 2;
        wait_for(&bar[s], i / 2 & 1);
        uint4 copy = slot[s];
        if (!granted(copy))
            return;
        out[first_x(copy)] += 1;
        fence_async();
        announce(&bar[s]);
        ask(&slot[s], &bar[s]); // <- here
    }
}

// The scheduling warp asks for what comes next and ends; the workers take
// what is there and end too.
// expect: CLC004
// run: --kernel nobody_waits --grid 20 --block 96 --arg buf:80
extern "C" __global__ void nobody_waits(unsigned *out) {
    __shared__ alignas(16) char slot[16];
    __shared__ uint64_t bar;
    if (threadIdx.x == 64) {
        init(&bar);
        announce(&bar);
        // here:
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                     ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                         shared_address(slot)),
                     "r"(shared_address(&bar))
                     : "memory");
    } else if (threadIdx.x == 0) {
        out[blockIdx.x] += 1;
    }
}

// Rank 0 waits for its copy of the multicast answer; rank 1, with no use for

// it, does not.
// expect: CLC004
// run: --kernel one_copy_unwanted --grid 4 --block 32 --arg buf:16
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    one_copy_unwanted(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    cluster.sync();
    if (threadIdx.x == 0) {
        announce(&bar);
        out[blockIdx.x] += 1;
    }
    if (cluster.block_rank() == 0) {
        if (threadIdx.x == 0)
            ask_for_all(&answer, &bar); // <- here
        wait_in_cluster(&bar, 0);
        if (granted(answer))
            out[first_x(answer)] += 1;
    }
    cluster.sync();
}
