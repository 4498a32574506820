// SPDX-License-Identifier: Apache-2.0
// Straight-line PTX: predicates in place of branches for one thread, and a
// select between the granted index and -1. The wait names a time limit.
#include "lab.h"

namespace asm_ {

__device__ __forceinline__ void init_if(bool yes, uint32_t bar) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0;\n\t"
                 "@p mbarrier.init.shared.b64 [%1], 1; }" ::"r"((int)yes),
                 "r"(bar)
                 : "memory");
}

__device__ __forceinline__ void ask_if(bool yes, uint32_t slot, uint32_t bar) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "setp.ne.u32 p, %0, 0;\n\t"
        "@p fence.proxy.async.shared::cta;\n\t"
        "@p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%2], 16;\n\t"
        "@p mbarrier.arrive.release.cta.shared::cta.b64 _, [%2];\n\t"
        "@p clusterlaunchcontrol.try_cancel.async.shared::cta"
        ".mbarrier::complete_tx::bytes.b128 [%1], [%2]; }" ::"r"((int)yes),
        "r"(slot), "r"(bar)
        : "memory");
}

__device__ __forceinline__ void wait(uint32_t bar, uint32_t parity) {
    asm volatile(
        "{\n\t.reg .pred p;\n"
        "L:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n\t"
        "@!p bra L;\n\t}" ::"r"(bar),
        "r"(parity)
        : "memory");
}

__device__ __forceinline__ int decode(uint32_t slot) {
    int r;
    asm volatile(
        "{ .reg .b128 a; .reg .pred g; .reg .b32 x;\n\t"
        "ld.shared.b128 a, [%1];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 g, a;\n\t"
        "@g clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 x, "
        "a;\n\t"
        "selp.s32 %0, x, -1, g; }"
        : "=r"(r)
        : "r"(slot)
        : "memory");
    return r;
}

} // namespace asm_

extern "C" __global__ void raw_ptx(float *data, int n) {
    __shared__ struct {
        ulonglong2 slot;
        unsigned long long bar;
    } s;
    const uint32_t slot = __cvta_generic_to_shared(&s.slot);
    const uint32_t bar = __cvta_generic_to_shared(&s.bar);
    const bool one = threadIdx.x == 33;
    asm_::init_if(one, bar);
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    uint32_t round = 0;
    do {
        __syncthreads();
        asm_::ask_if(one, slot, bar);
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        asm_::wait(bar, round++ % 2);
        bx = asm_::decode(slot);
    } while (bx >= 0);
}
