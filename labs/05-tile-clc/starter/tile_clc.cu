// SPDX-License-Identifier: Apache-2.0
// Lab 5: tiles of a picture with several layers, stolen by three indices. A
// block of 16 x 8 threads smooths a tile of 16 x 8 elements.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int TILE_X = 16, TILE_Y = 8; // blockDim.x, blockDim.y
constexpr int ROW = TILE_X + 2;        // with the halo: one more on each side

// Ready: loads the tile whose first element is (x0, y0), and its halo, from a
// layer of the picture. Beyond the border it takes the nearest element.
__device__ static void load_tile(float *tile, const float *layer, int x0,
                                 int y0, int width, int height) {
    int thread = cg::thread_block::thread_rank();
    for (int i = thread; i < ROW * (TILE_Y + 2); i += TILE_X * TILE_Y) {
        int x = min(max(x0 + i % ROW - 1, 0), width - 1);
        int y = min(max(y0 + i / ROW - 1, 0), height - 1);
        tile[i] = layer[y * width + x];
    }
}

// Ready: the weighted sum of this thread's element and the eight around it.
__device__ static float smooth(const float *tile, const float *weights) {
    float sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += weights[3 * dy + dx] *
                   tile[(threadIdx.y + dy) * ROW + threadIdx.x + dx];
    return sum;
}

extern "C" __global__ void tile_clc(float *out, const float *in, int width,
                                    int height, int depth) {
    __shared__ float tile[ROW * (TILE_Y + 2)]; // [TILE_Y + 2][ROW]
    __shared__ float weights[9];               // [3][3]
    int thread = cg::thread_block::thread_rank();

    // BEGIN TODO(1): set up the slot, the mbarrier and the phase.
    // END TODO(1)

    // The prologue: nine weights, once a block. (1 2 1, 2 4 2, 1 2 1) / 16.
    if (thread < 9)
        weights[thread] =
            compute_scalar() * (1 + thread % 3 % 2) * (1 + thread / 3 % 2) / 16;

    int bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
    while (true) {
        // BEGIN TODO(2): when slot and tile may be written again, ask.
        // END TODO(2)

        // The work of block (bx, by, bz), while the request is on its way.
        const float *layer = in + bz * width * height;
        load_tile(tile, layer, bx * TILE_X, by * TILE_Y, width, height);
        __syncthreads(); // the tile is complete (first time: the weights too)
        int x = bx * TILE_X + threadIdx.x, y = by * TILE_Y + threadIdx.y;
        if (x < width && y < height)
            out[(bz * height + y) * width + x] += smooth(tile, weights);

        // BEGIN TODO(3): wait for the answer.
        // END TODO(3)

        // BEGIN TODO(4): leave on a refusal; else find all three indices.
        break;
        // END TODO(4)

        // BEGIN TODO(5): give the slot back, so that it can be written again.
        // END TODO(5)
    }
}
