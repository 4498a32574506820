// SPDX-License-Identifier: Apache-2.0
// C with macros and labels. The index is decoded before the test, and a select
// keeps it or the old one; the last thread asks.
#include "lab.h"

#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define ASK(slot, bar)                                                         \
    asm volatile("fence.proxy.async.shared::cta;\n\t"                          \
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;\n\t"  \
                 "clusterlaunchcontrol.try_cancel.async.shared::cta"           \
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(slot), \
                 "r"(bar)                                                      \
                 : "memory")
#define COMPLETE(yes, bar, parity)                                          \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64" \
                 " p, [%1], %2, 1000; selp.u32 %0, 1, 0, p; }"              \
                 : "=r"(yes)                                                \
                 : "r"(bar), "r"(parity)                                    \
                 : "memory")

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ __align__(16) unsigned char slot[16];
    __shared__ __align__(8) unsigned char bar[8];
    unsigned turn = 0, yes, granted, next, bx = blockIdx.x;
    float alpha;
    if (threadIdx.x == blockDim.x - 1)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(bar))
                     : "memory");
    alpha = compute_scalar();
again:
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1)
        ASK(SHARED(slot), SHARED(bar));
    if (bx * blockDim.x + threadIdx.x < (unsigned)n)
        data[bx * blockDim.x + threadIdx.x] *= alpha;
wait:
    COMPLETE(yes, SHARED(bar), turn & 1);
    if (!yes)
        goto wait;
    turn++;
    asm volatile(
        "{ .reg .b128 a; .reg .pred g; .reg .b32 x; ld.shared.b128 a, [%2];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 g, a;\n\t"
        "@g clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 x, "
        "a;\n\t"
        "selp.b32 %0, 1, 0, g; selp.b32 %1, x, %3, g; }"
        : "=r"(granted), "=r"(next)
        : "r"(SHARED(slot)), "r"(bx)
        : "memory");
    bx = next;
    if (granted)
        goto again;
}
