// SPDX-License-Identifier: Apache-2.0
// A slot is used again, and the earlier reads of it are not ordered before the
// asynchronous proxy writes to it: specialised warps with an "empty" mbarrier,
// and clusters.
#include "short.h"

// The consumers arrive on "empty" without a proxy fence.
// expect: CLC006
// run: --kernel empty_without_fence --grid 20 --block 96 --arg buf:80
extern "C" __global__ void empty_without_fence(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 64);
    }
    __syncthreads();
    if (threadIdx.x == 64) {
        schedule(&slot, &full, &empty); // <- here
    } else if (threadIdx.x < 64) {
        unsigned block = blockIdx.x;
        for (unsigned i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1);
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            arrive(&empty);
        }
    }
}

// The proxy fence comes after the arrival: the slot is given back already.
// expect: CLC006
// run: --kernel fence_too_late --grid 20 --block 96 --arg buf:80
extern "C" __global__ void fence_too_late(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 64);
    }
    __syncthreads();
    if (threadIdx.x == 64) {
        schedule(&slot, &full, &empty); // <- here
    } else if (threadIdx.x < 64) {
        unsigned block = blockIdx.x;
        for (unsigned i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1);
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            arrive(&empty);
            fence_async();
        }
    }
}

// Warp 0 fences; warp 1, written by somebody else, does not.
// expect: CLC006
// run: --kernel some_fence --grid 20 --block 96 --arg buf:80
extern "C" __global__ void some_fence(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 2);
    }
    __syncthreads();
    if (threadIdx.x == 64) {
        schedule(&slot, &full, &empty); // <- here
    } else if (threadIdx.x < 64) {
        unsigned block = blockIdx.x;
        for (unsigned i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1);
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            if (threadIdx.x < 32)
                fence_async();
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                arrive(&empty);
        }
    }
}

// The lane that arrives has fenced, and does not wait for the other lanes.
// expect: CLC006
// run: --kernel lanes_not_gathered --grid 20 --block 64 --arg buf:80
extern "C" __global__ void lanes_not_gathered(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 1);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        schedule(&slot, &full, &empty); // <- here
    } else if (threadIdx.x < 32) {
        unsigned block = blockIdx.x;
        for (unsigned i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1);
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            fence_async();
            if (threadIdx.x == 0)
                arrive(&empty);
        }
    }
}

// Inline PTX: the consumer arrives relaxed, and fences only the memory model.
// expect: CLC006
// run: --kernel membar_for_proxy --grid 20 --block 64 --arg buf:80
extern "C" __global__ void membar_for_proxy(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 32);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        schedule(&slot, &full, &empty); // <- here
    } else if (threadIdx.x < 32) {
        unsigned block = blockIdx.x;
        for (unsigned i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1);
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            asm volatile(
                "membar.cta;\n\t"
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(
                    shared_address(&empty))
                : "memory");
        }
    }
}

// In a cluster, only the readers of rank 0, whose thread asks, release.
// expect: CLC006
// run: --kernel rank_zero_releases --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    rank_zero_releases(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + cluster.block_rank();
        if (cluster.block_rank() == 0)
            release_reads();
    }
}

// Nobody fences; the cluster barrier has release and acquire, after all.
// expect: CLC006
// run: --kernel cluster_barrier_only --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_barrier_only(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0)
            ask_for_all(&answer, &bar); // <- here
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + cluster.block_rank();
    }
}

// A block barrier between: rank 1's readers are not ordered before the request.
// expect: CLC006|CLC007|RACE002
// run: --kernel block_barrier_between --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    block_barrier_between(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    cluster.sync();
    while (true) {
        __syncthreads();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;         // <- here
        uint4 copy = answer; // <- here
        if (!granted(copy))  // <- here
            break;
        block = first_x(copy) + cluster.block_rank();
        release_reads();
    }
    cluster.sync();
}

// A full fence in the thread that asks, for readers in both blocks: whether it
// reaches the other block's reads, NVIDIA's text leaves open.
// expect: CLC006 advisory
// run: --kernel fence_for_the_neighbour --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    fence_for_the_neighbour(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + cluster.block_rank();
    }
}
