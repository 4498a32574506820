// expect: exactly_once
// says: not processed
// x and y share a word, 16 bits each. Along y no grid needs more; along x it
// may. SPDX-License-Identifier: Apache-2.0
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

extern "C" __global__ void tile_clc(float *out, const float *in, int width,
                                    int height, int depth) {
    __shared__ float tile[ROW * (TILE_Y + 2)];
    __shared__ float weights[9];
    int thread = cg::thread_block::thread_rank();

    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (thread == 0)
        ptx::mbarrier_init(&bar, 1);

    if (thread < 9)
        weights[thread] =
            compute_scalar() * (1 + thread % 3 % 2) * (1 + thread / 3 % 2) / 16;

    int bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
    while (true) {
        __syncthreads();
        if (thread == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        const float *layer = in + bz * width * height;
        load_tile(tile, layer, bx * TILE_X, by * TILE_Y, width, height);
        __syncthreads();
        int x = bx * TILE_X + threadIdx.x, y = by * TILE_Y + threadIdx.y;
        if (x < width && y < height)
            out[(bz * height + y) * width + x] += smooth(tile, weights);

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        by = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(
            result);
        bz = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<int>(
            result);
        unsigned word = bx | by << 16;
        bx = word & 0xffff, by = word >> 16;

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
