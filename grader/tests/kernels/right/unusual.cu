// SPDX-License-Identifier: Apache-2.0
// Ordinary CUDA that a checker easily takes for wrong: values that are meant
// to be read while others write them, in strong accesses; narrow scopes;
// barriers in memory; objects that one thread makes for the others.
#include "right.h"
#include <cuda/atomic>

template <typename T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

// Who finds it says so; the others look now and then, and may stop early.
// run: --kernel stops_early --grid 4 --block 64 --arg buf:4096:iota32
//      --arg buf:4 --arg u32:700
// gives: 1 1
extern "C" __global__ void
stops_early(const unsigned *in, volatile unsigned *found, unsigned wanted) {
    for (unsigned k = 0; k < 4 && !*found; k++)
        if (in[(k * 4 + blockIdx.x) * 64 + threadIdx.x] == wanted)
            *found = 1;
}

// The best value so far is read to save work, and lowered by an atomic.
// run: --kernel lowers_a_bound --grid 4 --block 64 --arg buf:4
// gives: 0 4294967040
extern "C" __global__ void lowers_a_bound(unsigned *bound) {
    unsigned mine = (blockIdx.x * 64 + threadIdx.x) * 97 % 256;
    volatile unsigned *seen = bound;
    if (mine + 1 > *seen)
        atomicMax(bound, mine + 1);
    if (~0u - 255 > *seen && mine == 255)
        atomicMax(bound, ~0u - 255);
}

// Who waits for a flag may look at words that the same thread wrote before, as
// long as it waits for each of them, in whatever order they come.
// run: --kernel waits_for_each --grid 2 --block 32 --arg buf:16
// gives: 0 i<3?i+1:6
extern "C" __global__ void waits_for_each(volatile unsigned *words) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 3; k++)
            words[k] = k + 1;
        return;
    }
    unsigned sum = 0, one;
    for (int k = 2; k >= 0; k--) {
        while ((one = words[k]) == 0)
            __nanosleep(20);
        sum += one;
    }
    words[3] = sum;
}

// A stack of links: each thread pushes one, and walks over those below it. No
// loop waits for a word.
// run: --kernel pushes_and_walks --grid 4 --block 32 --arg buf:4:any
//      --arg buf:516:any --arg buf:4
// gives: 2 128
extern "C" __global__ void pushes_and_walks(volatile unsigned *head,
                                            volatile unsigned *next,
                                            unsigned *count) {
    unsigned own = blockIdx.x * 32 + threadIdx.x + 1, below, found = 0;
    do {
        below = *head;
        next[own] = below;
        __threadfence();
    } while (atomicCAS((unsigned *)head, below, own) != below);
    __threadfence();
    for (unsigned at = own; at != below; at = next[at])
        found++;
    atomicAdd(count, found == 1);
}

// A gate is opened; behind it a thread looks at a word again and again, while
// it works, until that says that all is done.
// run: --kernel works_until_told --grid 2 --block 32 --arg buf:12
//      --arg buf:4:any
// gives: 0 i<2?1:9
extern "C" __global__ void works_until_told(volatile unsigned *words,
                                            unsigned *work) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        words[1] = 1;
        words[0] = 1;
        words[2] = 9;
        return;
    }
    while (words[0] == 0) {
    }
    do
        *work += 1;
    while (words[1] == 0);
}

// Atomics of the block's scope, on words that other blocks never touch.
// run: --kernel scope_of_the_block --grid 4 --block 64 --arg buf:16
//      --arg buf:1024
// gives: 0 64
// gives: 1 64
extern "C" __global__ void scope_of_the_block(unsigned *count, unsigned *out) {
    atomicAdd_block(&count[blockIdx.x], 1);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = count[blockIdx.x];
}

// Readers take what they read again when the writer's number has changed: all
// accesses to the data are relaxed atomics.
// run: --kernel reads_again --grid 4 --block 32 --arg buf:16 --arg buf:4
//      --arg buf:512
// gives: 2 1
extern "C" __global__ void reads_again(unsigned *shared, unsigned *counter,
                                       unsigned *out) {
    Ref<unsigned> number(shared[0]), a(shared[1]), b(shared[2]);
    __shared__ unsigned role;
    if (threadIdx.x == 0)
        role = atomicAdd(counter, 1);
    __syncthreads();
    if (role == 0 && threadIdx.x == 0)
        for (unsigned k = 1; k <= 6; k++) {
            number.store(2 * k - 1, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_release,
                                      cuda::thread_scope_device);
            a.store(k, cuda::memory_order_relaxed);
            b.store(3 * k, cuda::memory_order_relaxed);
            number.store(2 * k, cuda::memory_order_release);
        }
    unsigned before, after, x, y;
    do {
        before = number.load(cuda::memory_order_acquire);
        x = a.load(cuda::memory_order_relaxed);
        y = b.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire,
                                  cuda::thread_scope_device);
        after = number.load(cuda::memory_order_relaxed);
    } while (before != after || before % 2 == 1);
    out[blockIdx.x * 32 + threadIdx.x] = y == 3 * x;
}

// A queue of one producer and one consumer: head and tail are atomics, the
// items are plain.
// run: --kernel queue_of_two_warps --grid 2 --block 64 --arg buf:128
// gives: 0 i%16*5
extern "C" __global__ void queue_of_two_warps(unsigned *out) {
    using Index = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
    __shared__ unsigned item[4], head_word, tail_word;
    Index head(head_word), tail(tail_word);
    if (threadIdx.x == 0) {
        head.store(0, cuda::memory_order_relaxed);
        tail.store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        if (threadIdx.x == 0) {
            while (k - head.load(cuda::memory_order_acquire) == 4) {
            }
            item[k % 4] = 5 * k;
            tail.store(k + 1, cuda::memory_order_release);
        } else if (threadIdx.x == 32) {
            while (tail.load(cuda::memory_order_acquire) == k) {
            }
            out[blockIdx.x * 16 + k] = item[k % 4];
            head.store(k + 1, cuda::memory_order_release);
        }
    }
}

// A whole region is set to zero by one instruction, then counted in.
// run: --kernel zeroed_in_bulk --grid 2 --block 64 --arg buf:256
// gives: 0 2
extern "C" __global__ void zeroed_in_bulk(unsigned *out) {
    __shared__ alignas(16) unsigned bin[32];
    if (threadIdx.x == 17)
        asm volatile(
            "st.bulk.weak.shared::cta [%0], 128, 0;" ::"r"(shared_address(bin))
            : "memory");
    __syncthreads();
    atomicAdd(&bin[threadIdx.x * 7 % 32], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = bin[threadIdx.x];
}

// An mbarrier as a barrier of threads: each arrives twice, and the first time
// can never be the last arrival of a phase.
// run: --kernel arrives_twice --grid 2 --block 64 --arg buf:512
// gives: 0 3*(63-i%64)+3
extern "C" __global__ void arrives_twice(unsigned *out) {
    __shared__ unsigned word[2][64];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x, sum = 0;
    if (t == 0)
        ptx::mbarrier_init(&bar, 192);
    __syncthreads();
    for (unsigned turn = 0; turn < 3; turn++) {
        (void)ptx::mbarrier_arrive_no_complete(&bar, 1);
        word[turn % 2][t] = t + turn;
        (void)ptx::mbarrier_arrive(&bar, 2);
        wait_for(&bar, turn & 1);
        sum += word[turn % 2][63 - t];
    }
    out[blockIdx.x * 64 + t] = sum;
}

// A lock in rank 0's shared memory guards a word in rank 1's.
// run: --kernel lock_of_the_cluster --grid 8 --block 32 --cluster 4
//      --arg buf:8
// gives: 0 12
extern "C" __global__ void lock_of_the_cluster(unsigned *out) {
    __shared__ unsigned word, guarded;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        word = guarded = 0;
    cluster.sync();
    if (threadIdx.x % 16 == 3 || threadIdx.x == 31) {
        unsigned *lock = cluster.map_shared_rank(&word, 0);
        unsigned *data = cluster.map_shared_rank(&guarded, 1);
        bool done = false;
        while (!done)
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *data += 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
    }
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[blockIdx.x / 4] = *cluster.map_shared_rank(&guarded, 1);
    cluster.sync();
}

// red.async adds to a neighbour's words; the mbarrier there counts the bytes.
// run: --kernel adds_to_a_neighbour --grid 4 --block 32 --cluster 2
//      --arg buf:512
// gives: 0 7+i%32
extern "C" __global__ void adds_to_a_neighbour(unsigned *out) {
    __shared__ unsigned sums[32];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1, t = threadIdx.x;
    sums[t] = 7;
    ptx::fence_proxy_async(ptx::space_shared);
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        announce(&bar, sizeof sums);
    }
    cluster.sync();
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sums[t], other), t,
                   cluster.map_shared_rank(&bar, other));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &bar, 0)) {
    }
    out[blockIdx.x * 32 + t] = sums[t];
}

// One thread makes objects with virtual functions; all call them.
struct Shape {
    __device__ virtual unsigned area() const = 0;
};

struct Square : Shape {
    unsigned side;
    __device__ explicit Square(unsigned side) : side(side) {
    }
    __device__ unsigned area() const override {
        return side * side;
    }
};

struct Strip : Shape {
    char width;
    unsigned length;
    __device__ Strip(char width, unsigned length)
        : width(width), length(length) {
    }
    __device__ unsigned area() const override {
        return width * length;
    }
};

// run: --kernel virtual_functions --grid 2 --block 32 --arg buf:256
// gives: 0 i%2?3*(i%32):(i%32)*(i%32)
extern "C" __global__ void virtual_functions(unsigned *out) {
    __shared__ Shape *shape[32];
    __shared__ alignas(16) char memory[32][sizeof(Strip)];
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < 32; k++)
            if (k % 2)
                shape[k] = new (memory[k]) Strip(3, k);
            else
                shape[k] = new (memory[k]) Square(k);
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = shape[threadIdx.x]->area();
}

// The block's size is not a multiple of the warp's; the last warp is short.
// run: --kernel short_warp --grid 3 --block 50 --arg buf:600
// gives: 0 1225-i%50
extern "C" __global__ void short_warp(unsigned *out) {
    __shared__ unsigned partial[2];
    unsigned t = threadIdx.x, lane = t % 32;
    unsigned lanes = __ballot_sync(t < 32 ? 0xffffffff : 0x3ffff, true);
    unsigned sum = t;
    for (unsigned step = 16; step > 0; step /= 2) {
        unsigned other = __shfl_down_sync(lanes, sum, step);
        if (lane + step < __popc(lanes))
            sum += other;
    }
    if (lane == 0)
        partial[t / 32] = sum;
    __syncthreads();
    out[blockIdx.x * 50 + t] = partial[0] + partial[1] - t;
}

// Words that threads exchange through global memory, a barrier between; the
// order is the block's, and no other block looks.
// run: --kernel scratch_in_global --grid 4 --block 64 --arg buf:1024
//      --arg buf:1024
// gives: 1 int(i/64)*64+(i+5)%64+1
extern "C" __global__ void scratch_in_global(unsigned *scratch, unsigned *out) {
    unsigned *mine = scratch + blockIdx.x * 64, t = threadIdx.x;
    for (unsigned turn = 0; turn < 2; turn++) {
        mine[(t + turn) % 64] = blockIdx.x * 64 + (t + turn) % 64 + turn;
        __syncthreads();
        out[blockIdx.x * 64 + t] = mine[(t + 5) % 64];
        __syncthreads();
    }
}
