// SPDX-License-Identifier: Apache-2.0
// Warp instructions, barriers with reductions, divergence, calls, local and
// shared memory, atomics with order-free results, in CUDA C++. Each `put`
// stores one 64-bit word a thread. Source of warp.ptx (README.md here).
#include <cstdint>

struct Out {
    uint64_t *at;
    __device__ void put(uint64_t value) {
        *at = value;
        at += blockDim.x;
    }
};

__device__ __noinline__ uint32_t collatz(uint32_t n) {
    return n <= 1 ? 0 : 1 + collatz(n & 1 ? 3 * n + 1 : n / 2);
}

__device__ __noinline__ double mean(const float *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum / n;
}

__device__ void shuffles(Out &o, uint32_t a) {
    const uint32_t all = 0xFFFFFFFFu;
    for (int width = 32; width >= 4; width /= 2) {
        o.put(__shfl_sync(all, a, threadIdx.x * 7 + 3, width));
        o.put(__shfl_up_sync(all, a, 3, width));
        o.put(__shfl_down_sync(all, a, 5, width));
        o.put(__shfl_xor_sync(all, a, 3, width));
    }
    uint32_t odd = __ballot_sync(all, threadIdx.x & 1);
    if (threadIdx.x & 1)
        a = __shfl_sync(odd, a, 1) + __popc(odd);
    o.put(a);
}

__device__ void votes(Out &o, uint32_t a) {
    const uint32_t all = 0xFFFFFFFFu;
    o.put(__ballot_sync(all, a & 4));
    o.put(__any_sync(all, a == 77) | __all_sync(all, a != 77) << 1);
    o.put(__match_any_sync(all, a & 3));
    int agree;
    o.put(__match_all_sync(all, threadIdx.x / 32, &agree));
    o.put(agree);
    o.put(__match_any_sync(all, (uint64_t)(a & 1) << 40));
    o.put(__reduce_add_sync(all, a));
    o.put(__reduce_min_sync(all, (int)a));
    o.put(__reduce_max_sync(all, a));
    o.put(__reduce_and_sync(all, a) ^ __reduce_or_sync(all, a));
    o.put(__reduce_xor_sync(all, a));
}

__device__ void barriers(Out &o, uint32_t a) {
    __shared__ uint32_t tile[64];
    tile[threadIdx.x] = a;
    o.put(__syncthreads_count(a & 1));
    o.put(__syncthreads_and(a != 5) | __syncthreads_or(a == 5) << 1);
    o.put(tile[63 - threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] ^= 1;
        __syncwarp();
        o.put(tile[threadIdx.x ^ 5]);
    } else {
        o.put(0);
    }
}

__device__ void divergence(Out &o, uint32_t a) {
    uint32_t steps = 0;
    for (uint32_t n = a % 97 + 1; n != 1; n = n & 1 ? 3 * n + 1 : n / 2)
        steps++;
    o.put(steps);
    o.put(collatz(a % 60 + 1));
    uint32_t v = a;
    switch (a % 7) {
    case 0: v += 11; break;
    case 1: v *= 3; // falls through
    case 2: v ^= 0x55; break;
    case 3: v = v / 3; break;
    case 4: v = ~v; break;
    case 5: v = __brev(v); break;
    default: v = 0;
    }
    o.put(v);
}

__device__ void memory(Out &o, uint32_t a, uint64_t b) {
    float local[12];
    for (int i = 0; i < 12; i++)
        local[i] = (float)((a >> i) & 15);
    o.put(__double_as_longlong(mean(local + a % 4, 8)));
    uint8_t bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(b >> (i * 4));
    int16_t half = (int16_t)(bytes[a % 16] * 300);
    o.put((uint64_t)(int64_t)half);
    __shared__ unsigned long long wide;
    __shared__ uint32_t words[8];
    if (threadIdx.x < 8)
        words[threadIdx.x] = threadIdx.x == 3 ? 0xFFFFFFFF : 0;
    if (threadIdx.x == 0)
        wide = 0;
    __syncthreads();
    atomicAdd(&wide, (unsigned long long)b);
    atomicAdd(&words[0], a);
    atomicMax((int *)&words[1], (int)a);
    atomicMin(&words[3], a);
    atomicOr(&words[4], 1u << (a & 31));
    atomicXor(&words[5], a);
    atomicInc(&words[6], 6);
    atomicCAS(&words[7], 0, 9);
    __syncthreads();
    for (int i = 0; i < 8; i++)
        o.put(words[i]);
    o.put(wide);
}

extern "C" __global__ void warp(const uint64_t *in, uint64_t *out) {
    Out o = {out + threadIdx.x};
    uint64_t b = in[threadIdx.x];
    uint32_t a = (uint32_t)b;
    shuffles(o, a);
    votes(o, a);
    barriers(o, a);
    divergence(o, a);
    memory(o, a, b);
}
