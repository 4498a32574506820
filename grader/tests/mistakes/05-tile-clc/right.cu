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
    __shared__ alignas(16) uint4 slot;
    __shared__ uint64_t bar;
    uint32_t phase = 0;
    cg::thread_block block = cg::this_thread_block();
    if (thread == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    // END TODO(1)

    // The prologue: nine weights, once a block. (1 2 1, 2 4 2, 1 2 1) / 16.
    if (thread < 9)
        weights[thread] =
            compute_scalar() * (1 + thread % 3 % 2) * (1 + thread / 3 % 2) / 16;

    int bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
    while (true) {
        // BEGIN TODO(2): when slot and tile may be written again, ask.
        block.sync();
        if (thread == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(slot));
        }
        // END TODO(2)

        // The work of block (bx, by, bz), while the request is on its way.
        const float *layer = in + bz * width * height;
        load_tile(tile, layer, bx * TILE_X, by * TILE_Y, width, height);
        __syncthreads(); // the tile is complete (first time: the weights too)
        int x = bx * TILE_X + threadIdx.x, y = by * TILE_Y + threadIdx.y;
        if (x < width && y < height)
            out[(bz * height + y) * width + x] += smooth(tile, weights);

        // BEGIN TODO(3): wait for the answer.
        bool arrived;
        do {
            arrived = ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &bar, phase);
        } while (!arrived);
        phase = !phase;
        // END TODO(3)

        // BEGIN TODO(4): leave on a refusal; else find all three indices.
        dim3 stolen;
        const uint4 answer = slot;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
            stolen.x =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answer);
            stolen.y =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(
                    answer);
            stolen.z =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<int>(
                    answer);
        } else {
            break;
        }
        bx = stolen.x;
        by = stolen.y;
        bz = stolen.z;
        // END TODO(4)

        // BEGIN TODO(5): give the slot back, so that it can be written again.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(5)
    }
}
