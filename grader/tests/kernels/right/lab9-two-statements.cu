// SPDX-License-Identifier: Apache-2.0
// Two asm statements are the turn, round the work: in the first thread 127 asks
// behind a branch, in the second all wait, decode and meet. Names are made
// unique by %=.
#include "lab.h"

#define RELEASE "fence.proxy.async.shared::cta;\n\t"

__device__ static uint32_t address(const void *p) {
    uint32_t a;
    asm("{ .reg .b64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
        : "=r"(a)
        : "l"(p));
    return a;
}

// First half of a turn.
__device__ static void open_turn(uint32_t slot, uint32_t bar) {
    asm volatile("{\n\t"
                 ".reg .b32 t; .reg .pred mine;\n\t"
                 "mov.u32 t, %%tid.x;\n\t"
                 "setp.eq.u32 mine, t, 127;\n\t"
                 "@!mine bra skip_%=;\n\t" RELEASE
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;\n\t"
                 "clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n"
                 "skip_%=:\n\t}" ::"r"(slot),
                 "r"(bar)
                 : "memory");
}

// Second half; gives the index, or -1.
__device__ static int close_turn(uint32_t slot, uint32_t bar, uint32_t turn) {
    int bx;
    asm volatile("{\n\t"
                 ".reg .pred done, granted; .reg .b32 parity; .reg .b128 a;\n\t"
                 "and.b32 parity, %3, 1;\n"
                 "spin_%=:\n\t"
                 "mbarrier.test_wait.parity.shared::cta.b64 done, [%2], "
                 "parity;\n\t"
                 "@done bra ready_%=;\n\t"
                 "nanosleep.u32 40;\n\t"
                 "bra spin_%=;\n"
                 "ready_%=:\n\t"
                 "ld.shared.b128 a, [%1];\n\t"
                 "mov.s32 %0, -1;\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                 "granted, a;\n\t"
                 "@granted clusterlaunchcontrol.query_cancel"
                 ".get_first_ctaid::x.b32.b128 %0, a;\n\t"
                 "barrier.cta.sync.aligned 0;\n\t}"
                 : "=&r"(bx)
                 : "r"(slot), "r"(bar), "r"(turn)
                 : "memory");
    return bx;
}

extern "C" __global__ void raw_ptx(float *data, int n) {
    __shared__ ulonglong2 answer;
    __shared__ unsigned long long mbarrier;
    const uint32_t slot = address(&answer), bar = address(&mbarrier);
    if (threadIdx.x == 127)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar)
                     : "memory");
    __syncthreads();
    float alpha;
    bool known = false;
    int bx = blockIdx.x;
    for (uint32_t turn = 0; bx >= 0; turn++) {
        open_turn(slot, bar);
        if (!known)
            alpha = compute_scalar();
        known = true;
        if (bx * 128 + (int)threadIdx.x < n)
            data[bx * 128 + threadIdx.x] *= alpha;
        bx = close_turn(slot, bar, turn);
    }
}
