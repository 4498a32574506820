// SPDX-License-Identifier: Apache-2.0
// One thread asks, waits, and decodes with the instruction that gives four
// words; the block reads the three indices from shared memory. Weights by nine
// threads, in two dimensions of shared memory.
#include "lab.h"

namespace ptx = cuda::ptx;

struct State {
    float tile[10][18];
    float weight[3][3];
    alignas(16) uint4 answer;
    uint64_t bar;
    int4 next; // w: is there one?
};

__device__ static int4 decode(const uint4 *answer) {
    int4 r;
    asm volatile("{\n\t.reg .b128 a;\n\t.reg .pred g;\n\t"
                 "ld.shared.b128 a, [%4];\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 g, "
                 "a;\n\t"
                 "mov.b32 %0, 0;\n\tmov.b32 %1, 0;\n\tmov.b32 %2, 0;\n\t"
                 "selp.b32 %3, 1, 0, g;\n\t"
                 ".reg .b32 w;\n\t"
                 "@g clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32"
                 ".b128 {%0, %1, %2, w}, a;\n\t}"
                 : "=&r"(r.x), "=&r"(r.y), "=&r"(r.z), "=&r"(r.w)
                 : "r"((unsigned)__cvta_generic_to_shared(answer))
                 : "memory");
    return r;
}

__device__ static float sample(const float *layer, int x, int y, int width,
                               int height) {
    x = max(0, min(x, width - 1));
    y = max(0, min(y, height - 1));
    return __ldg(layer + y * width + x);
}

__device__ static void tile_of(State &s, float *out, const float *in,
                               dim3 block, int width, int height) {
    const int x = block.x * 16 + threadIdx.x, y = block.y * 8 + threadIdx.y;
    const float *layer = in + (size_t)block.z * width * height;
    for (int row = threadIdx.y; row < 10; row += 8)
        for (int col = threadIdx.x; col < 18; col += 16)
            s.tile[row][col] = sample(layer, block.x * 16 + col - 1,
                                      block.y * 8 + row - 1, width, height);
    __syncthreads();
    if (x < width && y < height) {
        float sum = 0;
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                sum += s.weight[dy][dx] *
                       s.tile[threadIdx.y + dy][threadIdx.x + dx];
        out[((size_t)block.z * height + y) * width + x] += sum;
    }
}

extern "C" __global__ void tile_clc(float *out, const float *in, int width,
                                    int height, int depth) {
    __shared__ State s;
    const bool leader = threadIdx.x == 5 && threadIdx.y == 3;
    if (leader)
        ptx::mbarrier_init(&s.bar, 1);
    if (threadIdx.x < 3 && threadIdx.y < 3)
        s.weight[threadIdx.y][threadIdx.x] = compute_scalar() *
                                             (threadIdx.x == 1 ? 2 : 1) *
                                             (threadIdx.y == 1 ? 2 : 1) / 16;
    dim3 block = blockIdx;
    uint32_t parity = 0;
    bool more = true;
    do {
        if (leader) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &s.bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&s.answer, &s.bar);
        }
        tile_of(s, out, in, block, width, height);
        if (leader) {
            while (!ptx::mbarrier_test_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &s.bar, parity))
                __nanosleep(20);
            s.next = decode(&s.answer);
            ptx::fence_proxy_async(ptx::space_shared);
        }
        parity ^= 1;
        __syncthreads();
        const int4 next = s.next;
        block = dim3(next.x, next.y, next.z);
        more = next.w;
        __syncthreads();
    } while (more);
}
