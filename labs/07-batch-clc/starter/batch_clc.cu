// SPDX-License-Identifier: Apache-2.0
// Lab 7: stealing by the batch. Four threads ask for a block each, in slots of
// their own, and one mbarrier counts the four answers.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BATCH = 4 }; // requests a round, by the first thread of each warp

// The work of up to BATCH block indices, by all threads; -1 means none.
__device__ static void scale(float *data, int n, float alpha,
                             const int (&bx)[BATCH]) {
    for (int s = 0; s < BATCH; s++) {
        int i = bx[s] * blockDim.x + threadIdx.x;
        if (bx[s] >= 0 && i < n)
            data[i] *= alpha;
    }
}

extern "C" __global__ void batch_clc(float *data, int n) {
    // BEGIN TODO(1): declare a slot for each request, one mbarrier, the phase.
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx[BATCH] = {(int)blockIdx.x, -1, -1, -1}; // what is being processed
    while (true) {
        // BEGIN TODO(3): ask for a block, in the first thread of each warp.
        // END TODO(3)

        // The work of the last batch, while the requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for all the answers.
        // END TODO(4)

        // BEGIN TODO(5): decode them all; leave if any of them is a refusal.
        break;
        // END TODO(5)

        // BEGIN TODO(6): give the slots back, so that they can be written.
        // END TODO(6)
    }
}
