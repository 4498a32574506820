// SPDX-License-Identifier: Apache-2.0
// An answer is read before its phase of the mbarrier is seen complete.
#include "short.h"
#include <cuda/barrier>

// The work is long enough, one thinks.
// expect: CLC007
// run: --kernel work_as_delay --grid 20 --block 64 --arg buf:80
extern "C" __global__ void work_as_delay(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
        }
        for (int i = 0; i < 100; i++)
            __nanosleep(10);
        if (threadIdx.x == 0)
            out[block] += 1;
        uint4 copy = answer; // <- here
        if (!granted(copy))  // <- here
            break;
        block = first_x(copy);
    }
}

// The parity starts at 1: that phase counts as complete from the start.
// expect: CLC007
// run: --kernel starts_at_one --grid 20 --block 1 --arg buf:80
extern "C" __global__ void starts_at_one(unsigned *out) {
    __shared__ alignas(16) char slot[16];
    __shared__ uint64_t bar;
    uint32_t slot_at = shared_address(slot), bar_at = shared_address(&bar);
    unsigned block = blockIdx.x, parity = 1, ok;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at)
                 : "memory");
    do {
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;" ::"r"(
                slot_at),
            "r"(bar_at)
            : "memory");
        out[block] += 1;
        // here:
        asm volatile(
            "{ .reg .pred p; .reg .b128 q;\n\t"
            "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%3], %4;\n\t"
            "@!p bra again;\n\t"
            "ld.shared.b128 q, [%2];\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
            "selp.b32 %0, 1, 0, p;\n\t"
            "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 "
            "%1, q; }"
            : "=r"(ok), "+r"(block)
            : "r"(slot_at), "r"(bar_at), "r"(parity)
            : "memory");
        parity ^= 1;
    } while (ok);
}

// A single try_wait: it may time out, and then nothing has been waited for.
// expect: CLC007
// run: --kernel tries_once --grid 20 --block 32 --arg buf:80
extern "C" __global__ void tries_once(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
        }
        ptx::mbarrier_try_wait_parity(&bar, parity); // <- here
        parity ^= 1;
        uint4 copy = answer; // <- here
        if (!granted(copy))  // <- here
            break;
        block = first_x(copy);
    }
}

// Two slots, two mbarriers: the wait is for the other one.
// expect: CLC007
// run: --kernel other_barrier --grid 20 --block 64 --arg buf:80
extern "C" __global__ void other_barrier(unsigned *out) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        init(&full[0]);
        init(&full[1]);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        announce(&full[0]);
        ask(&slot[0], &full[0]);
        wait_for(&full[0], 0);
        announce(&full[1]);
        ask(&slot[1], &full[1]);
    }
    out[blockIdx.x] = 1;
    wait_for(&full[0], 0);
    if (granted(slot[1])) // <- here
        out[first_x(slot[1])] = 1;
    wait_for(&full[1], 0);
}

// Thread 0 waits, and the other threads read with nothing between.
// expect: CLC007
// run: --kernel one_waits_all_read --grid 20 --block 64 --arg buf:80
extern "C" __global__ void one_waits_all_read(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
            wait_for(&bar, parity);
        }
        parity ^= 1;
        uint4 copy = answer; // <- here
        if (!granted(copy))  // <- here
            break;
        block = first_x(copy);
    }
}

// cuda::barrier: arrives for the answer, and forgets the token.
// expect: CLC007
// run: --kernel token_forgotten --grid 20 --block 32 --arg buf:80
extern "C" __global__ void token_forgotten(unsigned *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ uint4 answer;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier bar;
    if (threadIdx.x == 0) {
        cuda::std::size_t one = 1;
        init(&bar, one);
        ask(&answer, cuda::device::barrier_native_handle(bar));
        auto token = cuda::device::barrier_arrive_tx(bar, 1, 16);
        (void)token;
    }
    __syncthreads();     // <- here
    if (granted(answer)) // <- here
        out[first_x(answer)] = 1;
}

// In a cluster, rank 1 waits with the parity of a round before.
// expect: CLC007
// run: --kernel old_parity --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1) old_parity(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar);
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, cluster.block_rank() ? parity ^ 1 : parity);
        parity ^= 1;
        uint4 copy = answer; // <- here
        if (!granted(copy))  // <- here
            break;
        block = first_x(copy) + cluster.block_rank();
        release_reads();
    }
}
