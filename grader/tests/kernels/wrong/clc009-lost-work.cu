// SPDX-License-Identifier: Apache-2.0
// A block is granted, so it will never be launched, and nobody processes it.
#include "short.h"

// Enough is enough after three blocks, even if the last answer was a grant.
// expect: CLC009
// run: --kernel at_most_three --grid 40 --block 32 --arg buf:160
extern "C" __global__ void at_most_three(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    for (int served = 0;; served++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        if (served == 2)
            break;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

// One thread a block asks whether there was a grant, and takes its own index
// plus the grid's size for the block that it was given.
// expect: CLC009
// run: --kernel computes_the_index --grid 12 --block 1 --arg buf:480
extern "C" __global__ void computes_the_index(unsigned *out) {
    __shared__ alignas(16) char slot[16];
    __shared__ uint64_t bar;
    uint32_t slot_at = shared_address(slot), bar_at = shared_address(&bar);
    unsigned block = blockIdx.x, ok = 1;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at)
                 : "memory");
    for (unsigned parity = 0; ok; parity ^= 1) {
        // here:
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;" ::"r"(
                slot_at),
            "r"(bar_at)
            : "memory");
        out[block % 120] = 1;
        asm volatile(
            "{ .reg .pred p; .reg .b128 q;\n\t"
            "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%2], %3;\n\t"
            "@!p bra again;\n\t"
            "ld.shared.b128 q, [%1];\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
            "selp.b32 %0, 1, 0, p; }"
            : "=r"(ok)
            : "r"(slot_at), "r"(bar_at), "r"(parity)
            : "memory");
        block += gridDim.x;
    }
}

// Workers take the slots in turn, and leave when their own last one is used
// up; what the scheduling warp has got beyond it is nobody's.
// expect: CLC009
// run: --kernel third_slot_unread --grid 30 --block 64 --arg buf:120
extern "C" __global__ void third_slot_unread(unsigned *out) {
    __shared__ uint4 slot[3];
    __shared__ uint64_t full[3];
    if (threadIdx.x == 0)
        for (int s = 0; s < 3; s++)
            init(&full[s]);
    __syncthreads();
    if (threadIdx.x == 32) {
        for (int s = 0; s < 3; s++) {
            announce(&full[s]);
            ask(&slot[s], &full[s]); // <- here
        }
        for (int s = 0; s < 3; s++)
            wait_for(&full[s], 0);
    } else if (threadIdx.x == 0) {
        out[blockIdx.x] += 1;
        for (int s = 0; s < 2; s++) {
            wait_for(&full[s], 0);
            if (granted(slot[s]))
                out[first_x(slot[s])] += 1;
        }
    }
}

// The whole cluster is canceled, and only when there is work for both blocks
// is the index looked at.
// expect: CLC009
// run: --kernel too_small_to_bother --grid 40 --block 32
// run: --arg buf:160 --arg i32:0
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    too_small_to_bother(unsigned *out, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    cluster.sync();
    if (cluster.thread_rank() == 0)
        ask_for_all(&answer, &bar); // <- here
    if (threadIdx.x == 0) {
        announce(&bar);
        out[blockIdx.x] += 1;
    }
    wait_in_cluster(&bar, 0);
    if (granted(answer) && n > 1)
        out[first_x(answer) + cluster.block_rank()] += 1;
}

// It reads which block it was granted, and only then that it has had enough.
// expect: CLC009 advisory
// says: its index was decoded, and nobody used it
// run: --kernel enough_after_all --grid 24 --block 32 --arg buf:96:any
extern "C" __global__ void enough_after_all(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    for (int served = 1;; served++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
        __syncthreads();
        if (served == 3)
            break;
    }
}

// The same, with a limit that the compiler does not know: the query stays.
// expect: CLC009 advisory
// says: its index was decoded, and nobody used it
// run: --kernel enough_by_policy --grid 24 --block 32
// run: --arg buf:96:any --arg i32:2
extern "C" __global__ void enough_by_policy(unsigned *out, int most) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    for (int served = 1;; served++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
        if (served >= most)
            break;
    }
}
