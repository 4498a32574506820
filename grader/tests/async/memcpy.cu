// SPDX-License-Identifier: Apache-2.0
// cooperative_groups::memcpy_async, cuda::memcpy_async, cuda::pipeline and
// cuda::barrier with copies. Each word of `out` must become 1 (README.md).
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
constexpr int N = 128;
extern "C" __global__ void cg_memcpy(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[2][N];
    auto block = cg::this_thread_block();
    unsigned ok = 1;
    cg::memcpy_async(block, tile[0], in + blockIdx.x * N, sizeof(unsigned) * N);
    cg::memcpy_async(block, tile[1], in + blockIdx.x * N + 1,
                     sizeof(unsigned) * N); // 4-byte aligned
    cg::wait_prior<1>(block);
    ok &= tile[0][N - 1 - threadIdx.x] ==
          in[blockIdx.x * N + N - 1 - threadIdx.x];
    cg::wait(block);
    ok &= tile[1][N - 1 - threadIdx.x] == in[blockIdx.x * N + N - threadIdx.x];
    out[blockIdx.x * N + threadIdx.x] = ok;
}
extern "C" __global__ void pipe_thread(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[4][N];
    auto pipe = cuda::make_pipeline();
    unsigned sum = 0, want = 0;
    int t = threadIdx.x;
    for (int fetch = 0, use = 0; use < 16; use++) {
        for (; fetch < 16 && fetch < use + 4; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[fetch % 4][t], &in[(fetch * 37 + t) % N],
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<3>(pipe);
        if (use >= 13)
            pipe.consumer_wait();
        if (use < 13) {
            sum += tile[use % 4][t] * (use + 1);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
            sum += tile[use % 4][t] * (use + 1);
        }
        want += in[(use * 37 + t) % N] * (use + 1);
        pipe.consumer_release();
    }
    out[blockIdx.x * N + t] = sum == want;
}
extern "C" __global__ void pipe_block(unsigned *out, const unsigned *in) {
    constexpr int STAGES = 3;
    __shared__ unsigned tile[STAGES][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
        state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned sum = 0, want = 0;
    int t = threadIdx.x;
    for (int fetch = 0, use = 0; use < 12; use++) {
        for (; fetch < 12 && fetch < use + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % STAGES], in + fetch * 4,
                               sizeof(unsigned) * N, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[use % STAGES][(t + use) % N] * (use + 3);
        want += in[use * 4 + (t + use) % N] * (use + 3);
        pipe.consumer_release();
    }
    out[blockIdx.x * N + t] = sum == want;
}
extern "C" __global__ void
pipe_special(unsigned *out, const unsigned *in) { // warp-specialised
    constexpr int STAGES = 2;
    __shared__ unsigned tile[STAGES][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
        state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer
                                 : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    unsigned ok = 1;
    int t = threadIdx.x;
    auto warp = cg::tiled_partition<32>(block);
    for (int i = 0; i < 10; i++) {
        if (t < 32) {
            pipe.producer_acquire();
            cuda::memcpy_async(warp, tile[i % STAGES], in + i * 8,
                               sizeof(unsigned) * N, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            ok &= tile[i % STAGES][t] == in[i * 8 + t];
            pipe.consumer_release();
        }
    }
    out[blockIdx.x * N + t] = ok;
}
extern "C" __global__ void barrier_memcpy(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[N];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    unsigned ok = 1;
    int t = threadIdx.x;
    for (int i = 0; i < 6; i++) {
        cuda::memcpy_async(block, tile, in + i * 4,
                           cuda::aligned_size_t<16>(sizeof(unsigned) * N), bar);
        bar.arrive_and_wait();
        ok &= tile[t ^ 1] == in[i * 4 + (t ^ 1)];
        bar.arrive_and_wait();
    }
    for (int i = 0; i < 3; i++) { // one thread, its own copy
        cuda::memcpy_async(&tile[t], &in[i + t], sizeof(unsigned), bar);
        auto token = bar.arrive();
        bar.wait(std::move(token));
        ok &= tile[(t + 5) % N] == in[i + (t + 5) % N];
        bar.arrive_and_wait();
    }
    out[blockIdx.x * N + t] = ok;
}
