// SPDX-License-Identifier: Apache-2.0
// Lab 4: stealing by whole clusters. Two blocks share one request, and both
// receive the answer. "Block" means one of the two, "cluster" the pair.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    // BEGIN TODO(1): set up a slot and an mbarrier in each block.
    // END TODO(1)

    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(2): when all of the cluster is ready, let one thread ask.
        // END TODO(2)

        // BEGIN TODO(3): announce the bytes that this block will receive.
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer, each block at its own mbarrier.
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else find this block's new index.
        break;
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        // END TODO(6)
    }
}
