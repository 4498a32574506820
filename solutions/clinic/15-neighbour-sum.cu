// SPDX-License-Identifier: Apache-2.0
// Case 15: Nobody answers next door
//
// "Each block of a pair adds the neighbour's edge to its own. We read it straight
// from the neighbour's shared memory, which is what clusters are for; there is a
// cluster barrier first, so that the edge is there. Fine on all our sizes. With
// other work on the card, now and then a launch ends with an illegal address."
//
// clclab run: --grid 16 --block 32 --arg buf:2048:iota32 --arg buf:2048
// output: 0676d47fbf2eb240
// DIAGNOSIS: MEM004
// Line 25. The block may have exited when its neighbour reads its shared
// memory. Both have to stay until both have read.
#include "lab.h"

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    neighbour_sum(const unsigned *in, unsigned *out) {
    __shared__ unsigned edge[32];
    auto cluster = cg::this_cluster();
    int i = blockIdx.x * 32 + threadIdx.x;
    edge[threadIdx.x] = in[i];
    cluster.sync();
    const unsigned *theirs =
        cluster.map_shared_rank(edge, cluster.block_rank() ^ 1);
    out[i] = in[i] + theirs[31 - threadIdx.x];
    cluster.sync();
}
