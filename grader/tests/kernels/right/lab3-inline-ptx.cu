// SPDX-License-Identifier: Apache-2.0
// Inline PTX alone: generic addresses, elect.sync in the last warp, test_wait.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ alignas(16) unsigned char slot[16];
    __shared__ alignas(8) unsigned long long bar;
    uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar),
             sl = (uint32_t)__cvta_generic_to_shared(slot);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b)
                     : "memory");
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    int ph = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x / 32 == blockDim.x / 32 - 1) {
            asm volatile(
                "{ .reg .pred p; .reg .b64 st; .reg .b32 l; "
                "fence.proxy.async.shared::cta; elect.sync l|p, 0xffffffff; @p "
                "mbarrier.arrive.expect_tx.shared::cta.b64 st, [%1], 16;\n @p "
                "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::"
                "bytes.b128 [%2], [%3]; }" ::"r"(sl),
                "r"(b), "l"(slot), "l"(&bar)
                : "memory");
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        int done = 0;
        while (!done)
            asm volatile(
                "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, "
                "[%1], %2; selp.b32 %0,1,0,p; }"
                : "=r"(done)
                : "r"(b), "r"(ph)
                : "memory");
        ph ^= 1;
        unsigned ok, x, y, z;
        asm volatile(
            "{ .reg .b128 q; .reg .pred p; ld.shared.b128 q, [%4]; "
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q; "
            "selp.b32 %0,1,0,p; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0; "
            "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
            "{%1,%2,%3,_}, q; }"
            : "=r"(ok), "=r"(x), "=r"(y), "=r"(z)
            : "r"(sl)
            : "memory");
        if (!ok)
            break;
        bx = x;
    }
}
