// SPDX-License-Identifier: Apache-2.0
// Short asm statements, one for each step, with C++ around them.
#include "lab.h"

// The functions get addresses of the .shared::cta space, in 32 bits.

// One thread makes the mbarrier.
__device__ static void make_mbarrier(uint32_t bar) {
    // BEGIN TODO(1): initialise the mbarrier for one arrival a phase.
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(1)
                 : "memory");
    // END TODO(1)
}

// One thread asks, when all threads have released the slot.
__device__ static void request(uint32_t slot, uint32_t bar) {
    // BEGIN TODO(2): acquire the slot, ask, and announce 16 bytes.
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict"
                 "::shared::cluster.cluster;" ::
                     : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(bar)
                 : "memory");
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(slot),
                 "r"(bar)
                 : "memory");
    // END TODO(2)
}

// All threads wait until the phase of this parity is complete.
__device__ static void wait(uint32_t bar, uint32_t parity) {
    // BEGIN TODO(3): wait, however often try_wait gives up.
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar), "r"(parity)
                     : "memory");
    // END TODO(3)
}

// All threads decode. Gives the block index that was granted, or -1.
__device__ static int decode(uint32_t slot) {
    int index = -1;
    // BEGIN TODO(4): load the answer, and decode it if it is a grant.
    uint64_t low, high;
    asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];"
                 : "=l"(low), "=l"(high)
                 : "r"(slot)
                 : "memory");
    uint32_t granted;
    asm volatile("{ .reg .pred p;\n\t"
                 ".reg .b128 a;\n\t"
                 "mov.b128 a, {%1, %2};\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128"
                 " p, a;\n\t"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(granted)
                 : "l"(low), "l"(high));
    if (granted)
        asm volatile("{ .reg .b128 a;\n\t"
                     "mov.b128 a, {%1, %2};\n\t"
                     "clusterlaunchcontrol.query_cancel"
                     ".get_first_ctaid::x.b32.b128 %0, a; }"
                     : "=r"(index)
                     : "l"(low), "l"(high));
    // END TODO(4)
    return index;
}

// All threads give the slot back.
__device__ static void release() {
    // BEGIN TODO(5): release the slot to the async proxy.
    asm volatile("fence.proxy.async::generic.release.sync_restrict"
                 "::shared::cta.cluster;" ::
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
