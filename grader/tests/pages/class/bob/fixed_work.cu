// SPDX-License-Identifier: Apache-2.0
// Lab 1: multiply each element of data by alpha, one element per thread.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

// How many blocks the grid shall have. q.n is the number of elements.
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan;
    // BEGIN TODO(1): choose so many blocks that each element has a thread.
    // Rounded up: the elements behind the last full block need a block too.
    // For n = 0 this gives 0 blocks, and then there is no launch at all.
    plan.blocks = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    // END TODO(1)
    return plan;
}

extern "C" __global__ void fixed_work(float *data, int n) {
    // The prologue: the same for all threads, and costly.
    float alpha = compute_scalar();

    // BEGIN TODO(2): multiply the element that this thread owns, if any.
    // Blocks are numbered through: blockIdx.x of them, with blockDim.x threads
    // each, come before this one.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The grid has whole blocks, n need not be a multiple: in the last block
    // there may be threads without an element.
    if (i < n)
        data[i] *= alpha;
    // END TODO(2)
}
