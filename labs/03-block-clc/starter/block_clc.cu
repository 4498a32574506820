// SPDX-License-Identifier: Apache-2.0
// Lab 3: the same product; a block that has finished steals the work of a
// block that has not started yet, by Cluster Launch Control.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    // BEGIN TODO(1): declare the answer's slot, its mbarrier and the phase.
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask for a pending block, in one thread.
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer.
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else go on with the new block.
        break;
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        // END TODO(6)
    }
}
