// SPDX-License-Identifier: Apache-2.0
// Lab 6: stealing with two requests in flight. A round of the loop asks twice,
// works on up to two blocks, and needs one barrier of the block.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// The work of one block index, by all threads of the block that runs.
__device__ static void scale(float *data, int n, float alpha, int bx) {
    int i = bx * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    // BEGIN TODO(1): declare two slots, an mbarrier for each, and the phase.
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarriers, in one thread.
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask twice, in one thread, before anybody looks.
        // END TODO(3)

        // The work of block bx, while both requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for the first answer, and work on its block.
        // END TODO(4)

        // BEGIN TODO(5): wait for the second answer; leave if one is refused.
        break;
        // END TODO(5)

        // BEGIN TODO(6): give both slots back, so that they can be written.
        // END TODO(6)
    }
}
