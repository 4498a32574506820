// SPDX-License-Identifier: Apache-2.0
// Lab 9: lab 3's loop without libcu++. Each step is a function of one asm
// statement, for you to write; the kernel that calls them is complete. Below
// it stands the same in one call of libcu++, to compare with.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

// The functions get addresses of the .shared::cta space, in 32 bits.

// One thread makes the mbarrier.
__device__ static void make_mbarrier(uint32_t bar) {
    // BEGIN TODO(1): initialise the mbarrier for one arrival a phase.
    // volatile: it has an effect beside its outputs. "memory": the compiler
    // must not move other accesses to memory across it.
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                 :
                 : "r"(bar)
                 : "memory");
    // END TODO(1)
}

// One thread asks, when all threads have released the slot.
__device__ static void request(uint32_t slot, uint32_t bar) {
    // BEGIN TODO(2): acquire the slot, ask, and announce 16 bytes.
    // .shared::cta in the request: without it both operands are taken for
    // generic addresses, 64 bits wide. The order of the last two is free. The
    // arrival's result, a state, is not needed: we wait by parity.
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict"
                 "::shared::cluster.cluster;\n\t"
                 "clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
                 "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64"
                 " _, [%1], 16;"
                 :
                 : "r"(slot), "r"(bar)
                 : "memory");
    // END TODO(2)
}

// All threads wait until the phase of this parity is complete.
__device__ static void wait(uint32_t bar, uint32_t parity) {
    // BEGIN TODO(3): wait, however often try_wait gives up.
    // By parity: a state is known only to the thread that arrived. The braces
    // are a scope: so the predicate and the label may have the same names
    // wherever the compiler puts a copy of this.
    asm volatile("{\n\t"
                 ".reg .pred complete;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64"
                 " complete, [%0], %1;\n\t"
                 "@!complete bra again;\n\t"
                 "}"
                 :
                 : "r"(bar), "r"(parity)
                 : "memory");
    // END TODO(3)
}

// All threads decode. Gives the block index that was granted, or -1.
__device__ static int decode(uint32_t slot) {
    int index = -1;
    // BEGIN TODO(4): load the answer, and decode it if it is a grant.
    // "+r": the asm statement leaves the -1 where the answer is a refusal,
    // whose index must not be asked for.
    asm volatile("{\n\t"
                 ".reg .b128 answer;\n\t"
                 ".reg .pred granted;\n\t"
                 "ld.shared.b128 answer, [%1];\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128"
                 " granted, answer;\n\t"
                 "@granted clusterlaunchcontrol.query_cancel"
                 ".get_first_ctaid::x.b32.b128 %0, answer;\n\t"
                 "}"
                 : "+r"(index)
                 : "r"(slot)
                 : "memory");
    // END TODO(4)
    return index;
}

// All threads give the slot back.
__device__ static void release() {
    // BEGIN TODO(5): release the slot to the async proxy.
    asm volatile("fence.proxy.async::generic.release.sync_restrict"
                 "::shared::cta.cluster;"
                 :
                 :
                 : "memory");
    // END TODO(5)
}

extern "C" __global__ void raw_ptx(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t mbarrier;
    uint32_t slot = (uint32_t)__cvta_generic_to_shared(&answer);
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(&mbarrier);
    uint32_t parity = 0;
    if (threadIdx.x == 0)
        make_mbarrier(bar);

    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (bx >= 0) {
        __syncthreads();
        if (threadIdx.x == 0)
            request(slot, bar);

        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        wait(bar, parity);
        parity ^= 1;
        bx = decode(slot);
        release();
    }
}

// ---- the same in one call: not graded ------------------------------------

#if __has_include(<cuda/work_stealing>) // CUDA 13.0 and newer
#include <cuda/work_stealing>

extern "C" __global__ void one_call(float *data, int n) {
    float alpha = compute_scalar();
    cuda::for_each_canceled_block<1>([=](dim3 block) {
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    });
}
#endif
