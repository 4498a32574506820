// SPDX-License-Identifier: Apache-2.0
// Case 14: The courier was quicker
//
// "We compute a tile in shared memory and let the copy engine carry it out, in
// one piece, while the block goes on. There is a __syncthreads() before the copy
// starts, so all of the tile is there. On the new cards some outputs are those of
// the tile before. With printf in it, they are right."
//
// clclab run: --grid 16 --block 64 --arg buf:4096:iota32 --arg buf:4096
// output: ef75a9591bc1937b
// DIAGNOSIS: ?
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void write_back(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i] * in[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + blockIdx.x * 64, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
