// expect: technique
// The clusters take their indices from a counter in global memory, not from the
// hardware.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;

__device__ unsigned int next_cluster;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ unsigned int mine;
    float alpha = compute_scalar();
    cg::cluster_group::sync(); // both blocks are running
    while (true) {
        if (cg::cluster_group::thread_rank() == 0) {
            unsigned int first = 2 * atomicAdd(&next_cluster, 1);
            mine = first;
            *cg::this_cluster().map_shared_rank(&mine, 1) = first + 1;
        }
        cg::cluster_group::sync();
        unsigned int bx = mine;
        cg::cluster_group::sync();
        if (bx >= gridDim.x)
            break;
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}
