// expect: rules MEM002
// The mbarrier lies in an array of words. It is aligned to eight bytes by luck:
// the array promises four.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ static void make_mbarrier(uint32_t bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                 :
                 : "r"(bar)
                 : "memory");
}

__device__ static void request(uint32_t slot, uint32_t bar) {
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict"
                 "::shared::cluster.cluster;\n\t"
                 "clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
                 "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64"
                 " _, [%1], 16;"
                 :
                 : "r"(slot), "r"(bar)
                 : "memory");
}

__device__ static void wait(uint32_t bar, uint32_t parity) {
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
}

__device__ static int decode(uint32_t slot) {
    int index = -1;
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
    return index;
}

__device__ static void release() {
    asm volatile("fence.proxy.async::generic.release.sync_restrict"
                 "::shared::cta.cluster;"
                 :
                 :
                 : "memory");
}

extern "C" __global__ void raw_ptx(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint32_t mbarrier[2];
    uint32_t slot = (uint32_t)__cvta_generic_to_shared(&answer);
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(mbarrier);
    uint32_t parity = 0;
    if (threadIdx.x == 0)
        make_mbarrier(bar);

    float alpha = compute_scalar();

    int bx = blockIdx.x;
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
