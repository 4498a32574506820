// expect: technique
// Takes tiles from an atomic counter, not from the hardware.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int TILE_X = 16, TILE_Y = 8;
constexpr int ROW = TILE_X + 2;

__device__ static void load_tile(float *tile, const float *layer, int x0,
                                 int y0, int width, int height) {
    int thread = cg::thread_block::thread_rank();
    for (int i = thread; i < ROW * (TILE_Y + 2); i += TILE_X * TILE_Y) {
        int x = min(max(x0 + i % ROW - 1, 0), width - 1);
        int y = min(max(y0 + i / ROW - 1, 0), height - 1);
        tile[i] = layer[y * width + x];
    }
}

__device__ static float smooth(const float *tile, const float *weights) {
    float sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += weights[3 * dy + dx] *
                   tile[(threadIdx.y + dy) * ROW + threadIdx.x + dx];
    return sum;
}

__device__ int next_tile;

extern "C" __global__ void tile_clc(float *out, const float *in, int width,
                                    int height, int depth) {
    __shared__ float weights[9];
    __shared__ float tile[ROW * (TILE_Y + 2)];
    int thread = cg::thread_block::thread_rank();

    __shared__ int tile_index;

    if (thread < 9)
        weights[thread] =
            compute_scalar() * (1 + thread % 3 % 2) * (1 + thread / 3 % 2) / 16;

    while (true) {
        __syncthreads();
        if (thread == 0)
            tile_index = atomicAdd(&next_tile, 1);
        __syncthreads();
        int bx = tile_index % gridDim.x;
        int by = tile_index / gridDim.x % gridDim.y;
        int bz = tile_index / gridDim.x / gridDim.y;
        if (bz >= gridDim.z)
            break;
        __syncthreads();

        const float *layer = in + bz * width * height;
        load_tile(tile, layer, bx * TILE_X, by * TILE_Y, width, height);
        __syncthreads();
        int x = bx * TILE_X + threadIdx.x, y = by * TILE_Y + threadIdx.y;
        if (x < width && y < height)
            out[(bz * height + y) * width + x] += smooth(tile, weights);
    }
}
