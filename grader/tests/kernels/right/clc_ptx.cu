// SPDX-License-Identifier: Apache-2.0
// The loop in inline PTX: predicates instead of branches, tokens, elect.sync,
// named barriers, waits and loads in all their forms.
#include "right.h"

// Everything but the work in four asm statements; the request is predicated,
// and expect_tx stands with it.
// run: --kernel predicated --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void predicated(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    uint32_t s = shared_address(&slot), b = shared_address(&bar);
    asm volatile("{\n\t.reg .pred first;\n\t"
                 "setp.eq.u32 first, %1, 0;\n\t"
                 "@first mbarrier.init.shared.b64 [%0], 1;\n\t"
                 "barrier.sync 0;\n\t}" ::"r"(b),
                 "r"(threadIdx.x)
                 : "memory");
    unsigned mine = blockIdx.x, parity = 0, yes;
    do {
        asm volatile(
            "{\n\t.reg .pred first;\n\t"
            "setp.eq.u32 first, %2, 0;\n\t"
            "@first fence.proxy.async.shared::cta;\n\t"
            "@first mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, "
            "[%1], 16;\n\t"
            "@first clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t}" ::"r"(s),
            "r"(b), "r"(threadIdx.x)
            : "memory");
        work_on_block(data, mine);
        asm volatile("{\n\t.reg .pred done;\n"
                     "again:\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
                     "\n\t@done bra over;\n\t"
                     "bra again;\n"
                     "over:\n\t}" ::"r"(b),
                     "r"(parity)
                     : "memory");
        asm volatile(
            "{\n\t.reg .pred yes;\n\t.reg .b128 answer;\n\t"
            "ld.shared.b128 answer, [%2];\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 yes, "
            "answer;\n\t"
            "selp.u32 %0, 1, 0, yes;\n\t"
            "@yes clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32"
            ".b128 %1, answer;\n\t"
            "barrier.sync 0;\n\t}"
            : "=r"(yes), "+r"(mine)
            : "r"(s)
            : "memory");
        parity ^= 1;
    } while (yes);
}

// One thread a block that keeps its arrival's token and waits for it.
// run: --kernel token_of_one_thread --grid 64 --block 1 --arg buf:256:iota32
// gives: 0 2*i+1
extern "C" __global__ void token_of_one_thread(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    uint32_t s = shared_address(&slot), b = shared_address(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    unsigned mine = blockIdx.x, yes;
    do {
        uint64_t token;
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                     ".mbarrier::complete_tx::bytes.b128 [%1], [%2];\n\t"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%2], 16;"
                     : "=l"(token)
                     : "r"(s), "r"(b)
                     : "memory");
        work(data, mine);
        asm volatile(
            "{\n\t.reg .pred done, yes;\n\t.reg .b128 answer;\n"
            "again:\n\t"
            "mbarrier.try_wait.acquire.cta.shared::cta.b64 done, [%3], %4;\n\t"
            "@!done bra again;\n\t"
            "ld.shared.b128 answer, [%2];\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 yes, "
            "answer;\n\t"
            "selp.u32 %0, 1, 0, yes;\n\t"
            "@yes clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32"
            ".b128 {%1, _, _, _}, answer;\n\t"
            "fence.proxy.async.shared::cta;\n\t}"
            : "=r"(yes), "+r"(mine)
            : "r"(s), "r"(b), "l"(token)
            : "memory");
    } while (yes);
}

// elect.sync chooses in warp 0; a named barrier of all warps by number and
// count; the pair of fences as instructions.
// run: --kernel named_barrier --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void named_barrier(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    uint32_t s = shared_address(&slot), b = shared_address(&bar);
    if (threadIdx.x == 33)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b)
                     : "memory");
    unsigned mine = blockIdx.x, parity = 0;
    for (;;) {
        asm volatile("bar.sync 7, 64;" ::: "memory");
        if (threadIdx.x < 32)
            asm volatile(
                "{\n\t.reg .pred chosen;\n\t"
                "elect.sync _|chosen, 0xffffffff;\n\t"
                "@chosen fence.proxy.async::generic.acquire.sync_restrict"
                "::shared::cluster.cluster;\n\t"
                "@chosen clusterlaunchcontrol.try_cancel.async.shared::cta"
                ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
                "@chosen mbarrier.arrive.expect_tx.relaxed.cta.shared::cta"
                ".b64 _, [%1], 16;\n\t}" ::"r"(s),
                "r"(b)
                : "memory");
        work_on_block(data, mine);
        unsigned done = 0, yes;
        while (!done)
            asm volatile("{\n\t.reg .pred done;\n\t"
                         "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
                         "done, [%1], %2, 1000;\n\t"
                         "selp.u32 %0, 1, 0, done;\n\t}"
                         : "=r"(done)
                         : "r"(b), "r"(parity)
                         : "memory");
        parity ^= 1;
        uint64_t low, high;
        asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];"
                     : "=l"(low), "=l"(high)
                     : "r"(s)
                     : "memory");
        asm("{\n\t.reg .pred yes;\n\t.reg .b128 answer;\n\t"
            "mov.b128 answer, {%2, %3};\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 yes, "
            "answer;\n\t"
            "selp.u32 %0, 1, 0, yes;\n\t"
            "@yes clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32"
            ".b128 %1, answer;\n\t}"
            : "=r"(yes), "+r"(mine)
            : "l"(low), "l"(high));
        asm volatile("fence.proxy.async::generic.release.sync_restrict"
                     "::shared::cta.cluster;" ::
                         : "memory");
        if (!yes)
            return;
    }
}

// bar.red tells all warps whether lane 0 of warp 1 was refused.
// run: --kernel reducing_barrier --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void reducing_barrier(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 32)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        unsigned refused = 0;
        if (threadIdx.x == 32) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 32) {
            wait_for(&bar, parity);
            uint4 answer = slot;
            refused = !granted(answer);
            next = refused ? 0 : first_x(answer);
            ptx::fence_proxy_async(ptx::space_shared);
        }
        asm volatile("{\n\t.reg .pred in, out;\n\t"
                     "setp.ne.u32 in, %0, 0;\n\t"
                     "barrier.cta.red.or.pred out, 3, in;\n\t"
                     "selp.u32 %0, 1, 0, out;\n\t}"
                     : "+r"(refused)
                     :
                     : "memory");
        if (refused)
            return;
        mine = next;
        asm volatile("barrier.cta.sync 4;" ::: "memory");
    }
}

// Each lane looks and a vote of the warp must be unanimous.
// run: --kernel voted --grid 40 --block 32 --arg buf:5120:iota32
// gives: 0 2*i+1
extern "C" __global__ void voted(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 31)
        ptx::mbarrier_init(&bar, 1);
    __syncwarp();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 31) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        unsigned ballot = __ballot_sync(0xffffffff, granted(answer));
        assert(ballot == 0 || ballot == 0xffffffff);
        if (ballot == 0)
            return;
        mine = first_x(answer);
        assert(__all_sync(0xffffffff, mine < (int)gridDim.x));
        release_slot();
        __syncthreads();
    }
}

// The mbarrier is made invalid at the end, and its bytes serve as a counter.
// run: --kernel invalidates --grid 24 --block 64 --arg buf:6144:iota32
//      --arg buf:4
// gives: 0 2*i+1
// gives: 1 24
extern "C" __global__ void invalidates(unsigned *data, unsigned *total) {
    __shared__ uint4 slot;
    __shared__ union {
        uint64_t bar;
        unsigned count;
    } bytes;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bytes.bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    unsigned blocks = 0;
    for (unsigned parity = 0; mine >= 0; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bytes.bar);
            announce(&bytes.bar, 16);
        }
        work_on_block(data, mine);
        blocks++;
        wait_for(&bytes.bar, parity);
        uint4 answer = slot;
        mine = granted(answer) ? first_x(answer) : -1;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(
                         shared_address(&bytes.bar))
                     : "memory");
        bytes.count = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        atomicAdd(&bytes.count, blocks);
    __syncthreads();
    if (threadIdx.x == 1)
        atomicAdd(total, bytes.count / 2);
}

// It starts when the grid before it is done, and lets the next one start when
// it asks no more.
// run: --kernel dependent_grid --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void dependent_grid(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        if (!granted(slot)) {
            asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
            return;
        }
        mine = first_x(slot);
        __syncthreads();
    }
}

// One thread polls with relaxed test_wait, then a fence of its own makes the
// answer its to read; a barrier hands the number on.
// run: --kernel relaxed_test_then_fence --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void relaxed_test_then_fence(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0; mine >= 0; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 0) {
            unsigned done = 0;
            while (!done)
                asm volatile(
                    "{\n\t.reg .pred done;\n\t"
                    "mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 "
                    "done, [%1], %2;\n\t"
                    "selp.u32 %0, 1, 0, done;\n\t}"
                    : "=r"(done)
                    : "r"(shared_address(&bar)), "r"(parity)
                    : "memory");
            ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
            next = granted(slot) ? first_x(slot) : -1;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        __syncthreads();
        mine = next;
        __syncthreads();
    }
}
