// SPDX-License-Identifier: Apache-2.0
// Threads that spin on atomics: locks of each kind, taken by all threads of a
// block at once, and words that are polled by operations which change nothing.
// What polls is to cost little, and nobody who has taken a lock is to be
// taken for one who waits for it.
#include "right.h"
#include <cuda/atomic>
#include <cuda/semaphore>

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

// run: --kernel compares_and_swaps --grid 2 --block 64 --arg buf:8
// gives: 0 64
extern "C" __global__ void compares_and_swaps(unsigned *sum) {
    __shared__ unsigned lock, count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0u, 1u) != 0) {
    }
    __threadfence_block();
    count++;
    __threadfence_block();
    atomicExch(&lock, 0u);
    __syncthreads();
    if (threadIdx.x == 0)
        sum[blockIdx.x] = count;
}

// run: --kernel exchanges --grid 2 --block 128 --arg buf:8
// gives: 0 128
extern "C" __global__ void exchanges(unsigned *sum) {
    __shared__ unsigned lock, count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    while (atomicExch(&lock, 1u) != 0)
        __nanosleep(20);
    __threadfence_block();
    count++;
    __threadfence_block();
    atomicExch(&lock, 0u);
    __syncthreads();
    if (threadIdx.x == 0)
        sum[blockIdx.x] = count;
}

// The ticket that is served is read by an addition of nothing.
// run: --kernel draws_tickets --grid 2 --block 128 --arg buf:8
// gives: 0 128
extern "C" __global__ void draws_tickets(unsigned *sum) {
    __shared__ unsigned next, served, count;
    if (threadIdx.x == 0)
        next = served = count = 0;
    __syncthreads();
    unsigned mine = atomicAdd(&next, 1u);
    while (atomicAdd(&served, 0u) != mine) {
    }
    __threadfence_block();
    count++;
    __threadfence_block();
    atomicAdd(&served, 1u);
    __syncthreads();
    if (threadIdx.x == 0)
        sum[blockIdx.x] = count;
}

// run: --kernel waits_for_a_bit --grid 4 --block 128 --arg buf:16
// gives: 0 128
extern "C" __global__ void waits_for_a_bit(unsigned *sum) {
    __shared__ unsigned word, value;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    if (threadIdx.x == 37) {
        value = 1;
        __threadfence_block();
        atomicOr(&word, 4u);
    }
    while ((atomicOr(&word, 0u) & 4u) == 0) {
    }
    __threadfence_block();
    atomicAdd(&sum[blockIdx.x], value);
}

// run: --kernel waits_and_notifies --grid 4 --block 128 --arg buf:16
// gives: 0 128
extern "C" __global__ void waits_and_notifies(unsigned *sum) {
    __shared__ unsigned word, value;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 1;
        Word(word).store(1, cuda::memory_order_release);
        Word(word).notify_all();
    }
    Word(word).wait(0, cuda::memory_order_acquire);
    atomicAdd(&sum[blockIdx.x], value);
}

// run: --kernel acquires_one_of_two --grid 2 --block 64 --arg buf:8
// gives: 0 64
extern "C" __global__ void acquires_one_of_two(unsigned *sum) {
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
    __shared__ alignas(Semaphore) unsigned char place[sizeof(Semaphore)];
    Semaphore *places = reinterpret_cast<Semaphore *>(place);
    if (threadIdx.x == 0)
        new (places) Semaphore(2);
    __syncthreads();
    places->acquire();
    atomicAdd(&sum[blockIdx.x], 1u);
    places->release();
}
