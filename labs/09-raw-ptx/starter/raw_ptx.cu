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
    // END TODO(1)
}

// One thread asks, when all threads have released the slot.
__device__ static void request(uint32_t slot, uint32_t bar) {
    // BEGIN TODO(2): acquire the slot, ask, and announce 16 bytes.
    // END TODO(2)
}

// All threads wait until the phase of this parity is complete.
__device__ static void wait(uint32_t bar, uint32_t parity) {
    // BEGIN TODO(3): wait, however often try_wait gives up.
    // END TODO(3)
}

// All threads decode. Gives the block index that was granted, or -1.
__device__ static int decode(uint32_t slot) {
    int index = -1;
    // BEGIN TODO(4): load the answer, and decode it if it is a grant.
    // END TODO(4)
    return index;
}

// All threads give the slot back.
__device__ static void release() {
    // BEGIN TODO(5): release the slot to the async proxy.
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
