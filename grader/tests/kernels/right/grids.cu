// SPDX-License-Identifier: Apache-2.0
// Blocks of a grid that work together through global memory: locks, flags,
// counters, queues. Blocks start in any order, and not all at once: who waits
// for another block waits for one that took a number before it.
#include "right.h"
#include <cuda/atomic>

template <typename T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

__device__ static inline unsigned sum_of_warp(unsigned value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    return value;
}

// The number of this block in the order in which blocks take numbers.
__device__ static inline unsigned take_number(unsigned *counter) {
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(counter, 1);
    __syncthreads();
    return number;
}

// The block that is done last adds up what all have left: fences on both sides
// of the counter.
// run: --kernel last_block_adds --grid 16 --block 32 --arg buf:2048:iota32
//      --arg buf:64 --arg buf:8
// gives: 2 i?16:130816
extern "C" __global__ void last_block_adds(const unsigned *in,
                                           unsigned *partial, unsigned *out) {
    __shared__ bool last;
    unsigned sum = sum_of_warp(in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&out[1], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        sum = sum_of_warp(sum);
        if (threadIdx.x == 0)
            out[0] = sum;
    }
}

// The same with one acquiring and releasing increment; every thread leaves
// something, and the barrier before it gathers them.
// run: --kernel last_block_of_atomics --grid 8 --block 64
//      --arg buf:2048:iota32 --arg buf:2048 --arg buf:4 --arg buf:256
// gives: 3 8*i+1792
extern "C" __global__ void last_block_of_atomics(const unsigned *in,
                                                 unsigned *partial,
                                                 unsigned *done,
                                                 unsigned *out) {
    __shared__ bool last;
    unsigned t = threadIdx.x;
    partial[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t == 0)
        last = Ref<unsigned>(*done).fetch_add(1, cuda::memory_order_acq_rel) ==
               gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    unsigned sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        sum += partial[b * 64 + t];
    out[t] = sum;
}

// A scan over the grid with look-back; state and value share 64 bits, so that
// relaxed accesses suffice.
// run: --kernel looks_back --grid 24 --block 32 --arg buf:3072 --arg buf:192
//      --arg buf:4
// gives: 0 i+1
extern "C" __global__ void looks_back(unsigned *out, unsigned long long *state,
                                      unsigned *counter) {
    enum { SUM = 1, PREFIX = 2 };
    unsigned tile = take_number(counter), lane = threadIdx.x, before = 0;
    if (lane == 0) {
        using State = Ref<unsigned long long>;
        auto put = [&](unsigned kind, unsigned value) {
            State(state[tile])
                .store((unsigned long long)kind << 32 | value,
                       cuda::memory_order_relaxed);
        };
        put(tile == 0 ? PREFIX : SUM, 32);
        for (int k = (int)tile - 1; k >= 0;) {
            unsigned long long seen =
                State(state[k]).load(cuda::memory_order_relaxed);
            if (seen == 0)
                continue;
            before += (unsigned)seen;
            if (seen >> 32 == PREFIX)
                break;
            k--;
        }
        put(PREFIX, before + 32);
    }
    before = __shfl_sync(0xffffffff, before, 0);
    out[tile * 32 + lane] = before + lane + 1;
}

// The same with flags and values apart: volatile flags between fences.
// run: --kernel looks_back_with_fences --grid 24 --block 32 --arg buf:3072
//      --arg buf:96 --arg buf:96 --arg buf:96 --arg buf:4
// gives: 0 i+1
extern "C" __global__ void
looks_back_with_fences(unsigned *out, volatile unsigned *flag, unsigned *sum,
                       unsigned *prefix, unsigned *counter) {
    unsigned tile = take_number(counter), lane = threadIdx.x, before = 0;
    if (lane == 0) {
        sum[tile] = 32;
        __threadfence();
        flag[tile] = 1;
        for (int k = (int)tile - 1; k >= 0; k--) {
            unsigned seen;
            do
                seen = flag[k];
            while (seen == 0);
            __threadfence();
            if (seen == 2) {
                before += prefix[k];
                break;
            }
            before += sum[k];
        }
        prefix[tile] = before + 32;
        __threadfence();
        flag[tile] = 2;
    }
    before = __shfl_sync(0xffffffff, before, 0);
    out[tile * 32 + lane] = before + lane + 1;
}

// A lock of one word: compare-and-swap, fences, exchange.
// run: --kernel locks_with_fences --grid 16 --block 32 --arg buf:4
//      --arg buf:8
// gives: 1 i?48:16
extern "C" __global__ void locks_with_fences(unsigned *word, unsigned *data) {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(word, 0, 1) != 0)
        __nanosleep(50);
    __threadfence();
    data[0]++;
    data[1] += 3;
    __threadfence();
    atomicExch(word, 0);
}

// All threads of a warp want the lock: who has it leaves the loop for good.
// run: --kernel lanes_take_locks --grid 4 --block 64 --arg buf:16
//      --arg buf:16
// gives: 1 64
extern "C" __global__ void lanes_take_locks(int *words, unsigned *data) {
    unsigned k = threadIdx.x % 4;
    Ref<int> word(words[k]);
    for (bool done = false; !done;) {
        if (word.exchange(1, cuda::memory_order_acquire) == 0) {
            data[k]++;
            done = true;
            word.store(0, cuda::memory_order_release);
        }
    }
}

// A lock that serves in the order of tickets, in inline PTX.
// run: --kernel ticket_lock --grid 16 --block 64 --arg buf:8 --arg buf:8
// gives: 1 i?136:16
extern "C" __global__ void ticket_lock(unsigned *lock, unsigned *data) {
    if (threadIdx.x == 0) {
        unsigned ticket = atomicAdd(&lock[0], 1), serving;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(serving)
                         : "l"(__cvta_generic_to_global(&lock[1]))
                         : "memory");
        while (serving != ticket);
        data[0]++;
        data[1] += ticket + 1;
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(
                         __cvta_generic_to_global(&lock[1])),
                     "r"(ticket + 1)
                     : "memory");
    }
}

// Two warps and Peterson's lock, with an exchange for whose turn it is.
// run: --kernel petersons_lock --grid 4 --block 64 --arg buf:16
// gives: 0 16
extern "C" __global__ void petersons_lock(unsigned *data) {
    using Shared = cuda::atomic<unsigned, cuda::thread_scope_block>;
    __shared__ alignas(4) char memory[3 * sizeof(Shared)];
    Shared *wants = reinterpret_cast<Shared *>(memory), &turn = wants[2];
    if (threadIdx.x < 3)
        new (&wants[threadIdx.x]) Shared(0);
    __syncthreads();
    if (threadIdx.x % 32 != 0)
        return;
    unsigned me = threadIdx.x / 32, other = 1 - me;
    for (int k = 0; k < 8; k++) {
        wants[me].store(1, cuda::memory_order_relaxed);
        turn.exchange(other, cuda::memory_order_acq_rel);
        while (wants[other].load(cuda::memory_order_acquire) == 1 &&
               turn.load(cuda::memory_order_acquire) == other) {
        }
        data[blockIdx.x]++;
        wants[me].store(0, cuda::memory_order_release);
    }
}

// Of two warps at most one comes in: each raises its hand, and looks at the
// other's behind a sequentially consistent fence.
// run: --kernel at_most_one --grid 8 --block 64 --arg buf:32
// gives: 0 1
extern "C" __global__ void at_most_one(unsigned *data) {
    __shared__ volatile unsigned hand[2];
    __shared__ unsigned inside;
    unsigned me = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        hand[me] = 0;
    if (threadIdx.x == 5)
        inside = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        hand[me] = 1;
        asm volatile("fence.sc.cta;" ::: "memory");
        if (hand[1 - me] == 0)
            inside++;
    }
    __syncthreads();
    assert(inside <= 1);
    if (threadIdx.x == 63)
        data[blockIdx.x] = 1;
}

// A chain of blocks: each waits for the one before it, adds to a plain word,
// and lets the next one go.
// run: --kernel chain --grid 12 --block 32 --arg buf:4 --arg buf:128
//      --arg buf:4
// gives: 1 12+66*i
extern "C" __global__ void chain(unsigned *flag, unsigned *data,
                                 unsigned *counter) {
    unsigned number = take_number(counter), t = threadIdx.x;
    if (t == 0)
        while (Ref<unsigned>(*flag).load(cuda::memory_order_acquire) != number)
            __nanosleep(100);
    __syncthreads();
    data[t] += 1 + number * t;
    __syncthreads();
    if (t == 0)
        Ref<unsigned>(*flag).store(number + 1, cuda::memory_order_release);
}

// Messages between pairs of blocks with cuda::std::atomic (system scope): the
// second of a pair waits for the first.
// run: --kernel messages --grid 8 --block 32 --arg buf:512 --arg buf:64
//      --arg buf:4
// gives: 0 i%32*2+1
extern "C" __global__ void messages(unsigned *data, unsigned *memory,
                                    unsigned *counter) {
    auto *flags = reinterpret_cast<cuda::std::atomic<unsigned> *>(memory);
    unsigned number = take_number(counter), t = threadIdx.x;
    unsigned *mine = data + number / 2 * 32;
    auto &flag = flags[number / 2];
    if (number % 2 == 0) {
        mine[t] = 2 * t;
        __syncthreads();
        if (t == 0) {
            flag.store(1, cuda::std::memory_order_release);
            flag.notify_all();
        }
    } else {
        if (t == 0)
            flag.wait(0, cuda::std::memory_order_acquire);
        __syncthreads();
        mine[t]++;
    }
}

// One atomic a group of active threads, whatever the group is.
// run: --kernel aggregates --grid 4 --block 64 --arg buf:1024:iota32
//      --arg buf:4
// gives: 1 86
extern "C" __global__ void aggregates(const unsigned *in, unsigned *count) {
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(count, active.num_threads());
    }
}

// Lanes with the same key send one atomic for all of them.
// run: --kernel matches --grid 4 --block 64 --arg buf:1024:iota32
//      --arg buf:28
// gives: 1 i<4?37:36
extern "C" __global__ void matches(const unsigned *in, unsigned *bins) {
    unsigned key = in[blockIdx.x * 64 + threadIdx.x] % 7;
    unsigned peers = __match_any_sync(0xffffffff, key);
    if ((int)(threadIdx.x % 32) == __ffs(peers) - 1)
        atomicAdd(&bins[key], __popc(peers));
}

// The older way to steal work: a counter in global memory, a grid that fits.
// run: --kernel dynamic_tiles --grid 6 --block 64 --arg buf:5120:iota32
//      --arg buf:4
// gives: 0 2*i+1
extern "C" __global__ void dynamic_tiles(unsigned *data, unsigned *counter) {
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicInc(counter, 0xffffffff);
        __syncthreads();
        unsigned mine = tile;
        __syncthreads();
        if (mine >= 20)
            return;
        work_on_block(data, mine);
    }
}

// A stride of the grid over data that is only read, through __ldg.
// run: --kernel grid_stride --grid 3 --block 64 --arg buf:4000:iota32
//      --arg buf:4000 --arg i32:1000
// gives: 1 i*3+(i+1)%1000
extern "C" __global__ void grid_stride(const unsigned *__restrict__ in,
                                       unsigned *__restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        out[i] = __ldg(&in[i]) * 3 + __ldg(&in[(i + 1) % n]);
}

// The largest of many floats, with a loop of compare-and-swap.
// run: --kernel largest_float --grid 4 --block 64 --arg buf:4
// gives: 0 1132462080
extern "C" __global__ void largest_float(float *most) {
    float mine = (blockIdx.x * 64 + threadIdx.x * 7 % 64) + 1;
    int *bits = reinterpret_cast<int *>(most);
    int seen = atomicAdd(bits, 0);
    while (__int_as_float(seen) < mine) {
        int assumed = seen;
        seen = atomicCAS(bits, assumed, __float_as_int(mine));
        if (seen == assumed)
            break;
    }
}

// Up a binary tree: of two children the first to come leaves, the second goes
// on with both results.
// run: --kernel climbs_a_tree --grid 4 --block 64 --arg buf:2048 --arg buf:1024
//      --arg buf:4
// gives: 2 32896
extern "C" __global__ void climbs_a_tree(unsigned *value, unsigned *arrived,
                                         unsigned *out) {
    unsigned node = 256 + blockIdx.x * 64 + threadIdx.x;
    value[node] = node - 255;
    while (node > 1) {
        node /= 2;
        __threadfence();
        if (atomicAdd(&arrived[node], 1) == 0)
            return;
        __threadfence();
        value[node] = value[2 * node] + value[2 * node + 1];
    }
    *out = value[1];
}

// A stack of nodes from malloc: pushed by all, taken down by one block when
// all are done.
struct Node {
    Node *next;
    unsigned value;
};

__device__ Node *top;
__device__ unsigned pushed;

// run: --kernel stack_of_nodes --grid 4 --block 32 --arg buf:4
// gives: 0 8128
extern "C" __global__ void stack_of_nodes(unsigned *out) {
    Node *node = static_cast<Node *>(malloc(sizeof(Node)));
    node->value = blockIdx.x * 32 + threadIdx.x;
    Ref<Node *> head(top);
    Node *seen = head.load(cuda::memory_order_relaxed);
    do
        node->next = seen;
    while (!head.compare_exchange_weak(seen, node, cuda::memory_order_release,
                                       cuda::memory_order_relaxed));
    if (Ref<unsigned>(pushed).fetch_add(1, cuda::memory_order_acq_rel) !=
        gridDim.x * blockDim.x - 1)
        return;
    unsigned sum = 0;
    for (node = head.load(cuda::memory_order_acquire); node != nullptr;) {
        Node *next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    *out = sum;
}

// Memory from malloc goes from thread to thread through shared memory.
// run: --kernel handed_on --grid 3 --block 64 --arg buf:768
// gives: 0 63-i%64
extern "C" __global__ void handed_on(unsigned *out) {
    __shared__ unsigned *block[64];
    unsigned t = threadIdx.x;
    unsigned *mine = new unsigned[2]{t, t + 1};
    block[t] = mine;
    __syncthreads();
    unsigned *other = block[63 - t];
    out[blockIdx.x * 64 + t] = other[1] - 1;
    __syncthreads();
    if (t % 2 == 0) {
        delete[] block[t];
        delete[] block[t + 1];
    }
}

// A reduction without result and a fence make the release; a load and a fence
// make the acquire: the patterns of the memory model, spelt out.
// run: --kernel patterns --grid 6 --block 64 --arg buf:1536 --arg buf:24
//      --arg buf:4
// gives: 0 64+i%64
extern "C" __global__ void patterns(unsigned *data, unsigned *count,
                                    unsigned *counter) {
    unsigned number = take_number(counter), t = threadIdx.x;
    unsigned *mine = data + number * 64;
    mine[t] = 63 - t;
    asm volatile("fence.acq_rel.gpu;\n\t"
                 "red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(
                     __cvta_generic_to_global(&count[number]))
                 : "memory");
    unsigned seen;
    do
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(__cvta_generic_to_global(&count[number]))
                     : "memory");
    while (seen < 64);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    unsigned value = mine[63 - t];
    __syncthreads();
    mine[t] = 64 + value;
}

// Constants, __device__ variables with initial values, read by all.
__constant__ unsigned table[4] = {1, 10, 100, 1000};
__device__ unsigned weights[2] = {2, 3};
__device__ const unsigned offset = 7;

// run: --kernel named_data --grid 2 --block 32 --arg buf:256
// gives: 0 (10^(i%4))*(2+i%2)+7
extern "C" __global__ void named_data(unsigned *out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = table[i % 4] * weights[i % 2] + offset;
}

// A volatile store (relaxed, system scope) behind a release fence of the GPU's
// scope, an acquiring load of that scope: different strengths that fit.
// run: --kernel mixed_strengths --grid 8 --block 32 --arg buf:512
//      --arg buf:16 --arg buf:4
// gives: 0 i%32*2+1
extern "C" __global__ void mixed_strengths(unsigned *data, unsigned *flags,
                                           unsigned *counter) {
    unsigned number = take_number(counter), t = threadIdx.x;
    unsigned *mine = data + number / 2 * 32;
    unsigned *flag = &flags[number / 2];
    if (number % 2 == 0) {
        mine[t] = 2 * t;
        __syncwarp();
        if (t == 7) {
            cuda::atomic_thread_fence(cuda::memory_order_release,
                                      cuda::thread_scope_device);
            *(volatile unsigned *)flag = 1;
        }
    } else {
        while (Ref<unsigned>(*flag).load(cuda::memory_order_acquire) == 0) {
        }
        mine[t]++;
    }
}
