// SPDX-License-Identifier: Apache-2.0
// Requests after a refusal: to a block, a refusal is the last word.
#include "short.h"

// A refusal taken for "busy, try again": three attempts before giving up.
// expect: CLC001
// run: --kernel insists --grid 20 --block 32 --arg buf:80
extern "C" __global__ void insists(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    for (int refusals = 0; refusals < 3;) {
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
        }
        if (refusals == 0 && threadIdx.x == 0)
            out[block] += 1;
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (granted(copy))
            block = first_x(copy);
        else
            refusals++;
        __syncthreads();
    }
}

// One thread a block; the number of rounds is computed from the grid, and
// refusals are skipped over.
// expect: CLC001
// run: --kernel fixed_rounds --grid 12 --block 1 --arg buf:48
extern "C" __global__ void fixed_rounds(unsigned *out) {
    __shared__ alignas(16) unsigned char slot[16];
    __shared__ uint64_t bar;
    uint32_t slot_at = shared_address(slot), bar_at = shared_address(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at)
                 : "memory");
    out[blockIdx.x] += 1;
    for (unsigned round = 0; round < gridDim.x; round++) {
        // here:
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;\n\t"
            "clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(slot_at),
            "r"(bar_at)
            : "memory");
        unsigned ok, next;
        asm volatile(
            "{ .reg .pred p; .reg .b128 q;\n\t"
            "w: mbarrier.try_wait.parity.shared::cta.b64 p, [%3], %4;\n\t"
            "@!p bra w;\n\t"
            "ld.shared.b128 q, [%2];\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
            "selp.b32 %0, 1, 0, p; mov.b32 %1, 0;\n\t"
            "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 "
            "%1, q; }"
            : "=r"(ok), "=r"(next)
            : "r"(slot_at), "r"(bar_at), "r"(round & 1)
            : "memory");
        if (ok)
            out[next] += 1;
    }
}

// The scheduling warp keeps two requests under way and never looks at the
// answers; the worker sees the refusal and passes over it.
// expect: CLC001
// run: --kernel scheduler_is_blind --grid 16 --block 64 --arg buf:64
extern "C" __global__ void scheduler_is_blind(unsigned *out) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t full[2], empty[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            init(&full[s]);
            init(&empty[s]);
        }
    __syncthreads();
    if (threadIdx.x == 32) {
        for (unsigned i = 0; i < gridDim.x; i++) {
            int s = i % 2;
            if (i >= 2)
                wait_for(&empty[s], (i / 2 & 1) ^ 1);
            announce(&full[s]);
            ask(&slot[s], &full[s]); // <- here
        }
    } else if (threadIdx.x == 0) {
        out[blockIdx.x] += 1;
        for (unsigned i = 0; i < gridDim.x; i++) {
            int s = i % 2;
            wait_for(&full[s], i / 2 & 1);
            uint4 copy = slot[s];
            if (granted(copy))
                out[first_x(copy)] += 1;
            fence_async();
            arrive(&empty[s]);
        }
    }
}

// Both blocks saw the refusal; rank 0 asks once more "for the rest".
// expect: CLC001
// run: --kernel once_more --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1) once_more(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    for (int refusals = 0; refusals < 2;) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            if (refusals == 0)
                out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (granted(copy))
            block = first_x(copy) + cluster.block_rank();
        else
            refusals++;
        release_reads();
    }
}
