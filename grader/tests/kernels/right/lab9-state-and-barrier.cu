// SPDX-License-Identifier: Apache-2.0
// The thread that arrives keeps the state, waits for it relaxed, and a barrier
// with an id and a count hands on; elect.sync chooses who asks; the answer is
// loaded as two words of 64 bits.
#include "lab.h"

#define PTX(...) asm volatile(__VA_ARGS__)

__device__ static bool elected() {
    unsigned yes;
    PTX("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
        : "=r"(yes));
    return yes;
}

__device__ static uint64_t ask(unsigned slot, unsigned bar) {
    uint64_t state;
    PTX("fence.proxy.async.shared::cta;\n\t"
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%2], 16;"
        "\n\tclusterlaunchcontrol.try_cancel.async.shared::cta"
        ".mbarrier::complete_tx::bytes.b128 [%1], [%2];"
        : "=l"(state)
        : "r"(slot), "r"(bar)
        : "memory");
    return state;
}

__device__ static void wait(unsigned bar, uint64_t state) {
    PTX("{\n\t.reg .pred p;\n"
        "retry:\n\t"
        "mbarrier.try_wait.relaxed.cta.shared::cta.b64 p, [%0], %1, 2000;\n\t"
        "@p bra.uni done;\n\t"
        "bra.uni retry;\n"
        "done:\n\t}" ::"r"(bar),
        "l"(state)
        : "memory");
}

__device__ static int decode(unsigned slot) {
    int index;
    PTX("{\n\t.reg .b64 lo, hi;\n\t.reg .b128 a;\n\t.reg .pred g;\n\t"
        "ld.shared::cta.v2.b64 {lo, hi}, [%1];\n\t"
        "mov.b128 a, {lo, hi};\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 g, a;\n\t"
        "mov.b32 %0, -1;\n\t"
        "@!g bra out;\n\t"
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, a;"
        "\n"
        "out:\n\t}"
        : "=&r"(index)
        : "r"(slot)
        : "memory");
    return index;
}

extern "C" __global__ void raw_ptx(float *data, int n) {
    __shared__ alignas(16) char answer[16];
    __shared__ alignas(8) char mbarrier[8];
    const unsigned slot = __cvta_generic_to_shared(answer);
    const unsigned bar = __cvta_generic_to_shared(mbarrier);
    if (threadIdx.x == 0)
        PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "n"(1)
            : "memory");
    __syncthreads();
    const float alpha = compute_scalar();
    const bool first_warp = threadIdx.x / 32 == 0;
    for (int bx = blockIdx.x; bx != -1;) {
        bool asker = first_warp && elected();
        uint64_t state = 0;
        if (asker)
            state = ask(slot, bar);
        const unsigned i = bx * blockDim.x + threadIdx.x;
        if (i < (unsigned)n)
            data[i] *= alpha;
        if (asker)
            wait(bar, state);
        PTX("barrier.cta.sync 3, %0;" ::"r"(blockDim.x) : "memory");
        bx = decode(slot);
        PTX("barrier.cta.sync 4, 128;" ::: "memory");
    }
}
