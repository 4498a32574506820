// SPDX-License-Identifier: Apache-2.0
// libcu++'s loop in three dimensions, over a tile that is filled by
// memcpy_async of cooperative groups where a row lies inside the picture.
#include "lab.h"
#include <cooperative_groups/memcpy_async.h>
#include <cuda/work_stealing>

namespace cg = cooperative_groups;

struct View {
    const float *layer;
    int width, height;
    __device__ float at(int x, int y) const {
        return layer[max(0, min(y, height - 1)) * width +
                     max(0, min(x, width - 1))];
    }
};

// A row of 18 elements: a copy of the tile's threads, or one by one at the
// border.
__device__ static void load_row(cg::thread_block_tile<16> team, float *row,
                                const View &view, int x0, int y) {
    if (x0 >= 0 && x0 + 18 <= view.width && y >= 0 && y < view.height)
        cg::memcpy_async(team, row, view.layer + y * view.width + x0,
                         18 * sizeof(float));
    else
        for (int i = team.thread_rank(); i < 18; i += team.size())
            row[i] = view.at(x0 + i, y);
    cg::wait(team);
}

extern "C" __global__ void tile_clc(float *out, const float *in, int width,
                                    int height, int depth) {
    __shared__ float rows[10][18];
    __shared__ float weights[9];
    const auto block = cg::this_thread_block();
    const auto team = cg::tiled_partition<16>(block);
    if (block.thread_rank() < 9) {
        const int k = block.thread_rank();
        weights[k] =
            compute_scalar() * (k % 3 == 1 ? 2 : 1) * (k / 3 == 1 ? 2 : 1) / 16;
    }
    cuda::for_each_canceled_block<3>([&](dim3 at) {
        const View view = {in + (size_t)at.z * width * height, width, height};
        for (int r = team.meta_group_rank(); r < 10; r += 8)
            load_row(team, rows[r], view, (int)at.x * 16 - 1,
                     (int)at.y * 8 + r - 1);
        block.sync();
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += weights[k] * rows[threadIdx.y + k / 3][threadIdx.x + k % 3];
        const int x = at.x * 16 + threadIdx.x, y = at.y * 8 + threadIdx.y;
        if (x < width && y < height)
            out[((size_t)at.z * height + y) * width + x] += sum;
        block.sync();
    });
}
