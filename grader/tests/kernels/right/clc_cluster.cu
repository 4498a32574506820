// SPDX-License-Identifier: Apache-2.0
// Clusters of 1 to 8 blocks: multicast answers, and other ways of telling the
// whole cluster what was granted.
#include "right.h"

__device__ static inline void announce_in_cluster(uint64_t *bar) {
    (void)ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                         ptx::space_shared, bar, 16);
}

__device__ static inline void wait_in_cluster(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          bar, parity)) {
    }
}

// Four blocks; the last rank's last thread asks for all.
// run: --kernel last_rank_asks --grid 32 --block 64 --arg buf:8192:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    last_rank_asks(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    unsigned last = cluster.num_threads() - 1;
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        cluster.sync();
        if (threadIdx.x == 0)
            announce_in_cluster(&bar);
        if (cluster.thread_rank() == last) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
        }
        work_on_block(data, mine);
        wait_in_cluster(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer) + cluster.block_rank();
        release_slot();
    }
}

// Eight blocks; one elected lane of rank 0; each block announces before its
// barrier of the cluster.
// run: --kernel eight_blocks --grid 64 --block 32 --arg buf:8192:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(8, 1, 1)
    eight_blocks(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0)
            announce_in_cluster(&bar);
        cluster.sync();
        if (cluster.block_rank() == 0)
            cg::invoke_one(
                cg::tiled_partition<32>(cg::this_thread_block()), [&] {
                    acquire_slot();
                    ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
                });
        work_on_block(data, mine);
        wait_in_cluster(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            break;
        mine = first_x(answer) + cluster.block_rank();
        release_slot();
    }
}

// A multicast in a cluster of one.
// run: --kernel alone --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(1, 1, 1) alone(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
        __syncthreads();
    }
}

// The size of the cluster comes with the launch; so does its shape.
// run: --kernel any_shape --grid 6,8 --block 32 --cluster 2,2
//      --arg buf:6144:iota32
// gives: 0 2*i+1
// run: --kernel any_shape --grid 3,8,4 --block 32 --cluster 1,2,4
//      --arg buf:12288:iota32
// gives: 0 2*i+1
extern "C" __global__ void any_shape(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    uint3 mine = blockIdx;
    dim3 offset = cluster.block_index();
    for (unsigned parity = 0;; parity ^= 1) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
        }
        if (threadIdx.x == 0)
            announce_in_cluster(&bar);
        unsigned linear = (mine.z * gridDim.y + mine.y) * gridDim.x + mine.x;
        work_on_block(data, linear);
        wait_in_cluster(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine =
            make_uint3(first_x(answer) + offset.x, first_y(answer) + offset.y,
                       first_z(answer) + offset.z);
        release_slot();
    }
}

// The barrier of the cluster in two halves, with a load between them.
// run: --kernel split_barrier --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    split_barrier(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned rank = cg::cluster_group::block_rank();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    ptx::barrier_cluster_arrive();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        unsigned i = mine * blockDim.x + threadIdx.x;
        unsigned value = data[i];
        ptx::barrier_cluster_wait();
        if (threadIdx.x == 0) {
            if (rank == 0) {
                acquire_slot();
                ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
            }
            announce_in_cluster(&bar);
        }
        data[i] = 2 * value + 1;
        wait_in_cluster(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer) + rank;
        release_slot();
        ptx::barrier_cluster_arrive();
    }
}

// The PTX manual's way: one thread a block, relaxed arrivals at the cluster's
// barrier, the order made by the proxy fences round it.
// run: --kernel relaxed_arrivals --grid 48 --block 1 --arg buf:192:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    relaxed_arrivals(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned rank = cg::cluster_group::block_rank();
    ptx::mbarrier_init(&bar, 1);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    int mine = blockIdx.x;
    for (;;) {
        uint64_t token = ptx::mbarrier_arrive_expect_tx(
            ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, 16);
        if (rank == 0)
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
        work(data, mine);
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster,
                                       &bar, token)) {
        }
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer) + rank;
        release_slot();
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        acquire_slot();
    }
}

// mbarriers made known by fence.mbarrier_init and a relaxed arrival; the
// ranks take turns at asking.
// run: --kernel ranks_take_turns --grid 32 --block 64 --arg buf:8192:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    ranks_take_turns(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned rank = cg::cluster_group::block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    int mine = blockIdx.x;
    for (unsigned turn = 0;; turn++) {
        if (threadIdx.x == 0) {
            announce_in_cluster(&bar);
            if (rank == turn % 4) {
                acquire_slot();
                ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
            }
        }
        work_on_block(data, mine);
        wait_in_cluster(&bar, turn & 1);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer) + rank;
        release_slot();
        cg::cluster_group::sync();
    }
}

// Two slots, two multicast requests in flight. The second barrier keeps a
// block from seeing a refusal before rank 0 has asked.
// run: --kernel two_multicasts --grid 48 --block 32 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    two_multicasts(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar[2];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&bar[s], 1);
            announce_in_cluster(&bar[s]);
        }
    cluster.sync();
    if (cluster.thread_rank() == 0)
        for (int s = 0; s < 2; s++)
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot[s], &bar[s]);
    work_on_block(data, blockIdx.x);
    bool asking = true;
    int in_flight = 2;
    for (unsigned turn = 0; in_flight > 0; turn++) {
        unsigned s = turn % 2;
        wait_in_cluster(&bar[s], turn / 2 % 2);
        uint4 answer = slot[s];
        bool yes = granted(answer);
        int mine = yes ? first_x(answer) + rank : 0;
        asking = asking && yes;
        in_flight += asking ? 0 : -1;
        release_slot();
        if (asking && threadIdx.x == 0)
            announce_in_cluster(&bar[s]);
        cluster.sync();
        if (asking && cluster.thread_rank() == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot[s], &bar[s]);
        }
        if (yes)
            work_on_block(data, mine);
        cluster.sync();
    }
}

// No multicast: rank 0 asks, and sends the number with st.async to each block,
// where an mbarrier counts its four bytes.
// run: --kernel sends_numbers --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    sends_numbers(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar, letter;
    __shared__ int number;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&letter, 1);
    }
    cluster.sync();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0)
            (void)ptx::mbarrier_arrive_expect_tx(
                ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                &letter, sizeof number);
        if (cluster.thread_rank() == 0) {
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            wait_for(&bar, parity);
            uint4 answer = slot;
            int value = granted(answer) ? first_x(answer) : -1;
            ptx::fence_proxy_async();
            for (unsigned r = 0; r < cluster.num_blocks(); r++)
                ptx::st_async(cluster.map_shared_rank(&number, r), value,
                              cluster.map_shared_rank(&letter, r));
        }
        work_on_block(data, mine);
        wait_in_cluster(&letter, parity);
        mine = number + rank;
        bool more = number >= 0;
        ptx::fence_proxy_async();
        cluster.sync();
        if (!more)
            return;
    }
}

// No multicast: the answer's 16 bytes are stored into each block's memory,
// and everybody decodes a copy.
// run: --kernel sends_answers --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    sends_answers(unsigned *data) {
    __shared__ uint4 slot, copy;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    cluster.sync();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (cluster.thread_rank() == 0) {
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
        work_on_block(data, mine);
        if (cluster.thread_rank() == 0) {
            wait_for(&bar, parity);
            uint4 answer = slot;
            ptx::fence_proxy_async(ptx::space_shared);
            for (unsigned r = 0; r < cluster.num_blocks(); r++)
                *cluster.map_shared_rank(&copy, r) = answer;
        }
        cluster.sync();
        uint4 answer = copy;
        cluster.sync();
        if (!granted(answer))
            return;
        mine = first_x(answer) + cluster.block_rank();
    }
}

// Each block of a cluster asks for itself, and works on a whole cluster.
// run: --kernel each_for_itself --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    each_for_itself(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x, count = 1;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
        for (int k = 0; k < count; k++)
            work_on_block(data, mine + k);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        count = 2;
        __syncthreads();
    }
}

// A scheduler in rank 0 feeds rings in all blocks: it arms each block's "full"
// barrier from afar, and all workers of all blocks arrive at its "empty" ones.
// run: --kernel rings_of_a_cluster --grid 24 --block 64 --cluster 2
//      --arg buf:3072:iota32
// gives: 0 2*i+1
// run: --kernel rings_of_a_cluster --grid 32 --block 64 --cluster 4
//      --arg buf:4096:iota32
// gives: 0 2*i+1
extern "C" __global__ void rings_of_a_cluster(unsigned *data) {
    constexpr unsigned STAGES = 3;
    __shared__ uint4 slot[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    auto cluster = cg::this_cluster();
    unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
    if (threadIdx.x == 0)
        for (unsigned s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], blocks);
        }
    cluster.sync();
    if (threadIdx.x < 32) { // the workers
        int mine = blockIdx.x;
        for (unsigned turn = 0; mine >= 0; turn++) {
            unsigned s = turn % STAGES;
            work(data, mine * 32 + threadIdx.x);
            wait_in_cluster(&full[s], turn / STAGES & 1);
            uint4 answer = slot[s];
            mine = granted(answer) ? (int)(first_x(answer) + rank) : -1;
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x == 0)
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                                     ptx::space_cluster,
                                     cluster.map_shared_rank(&empty[s], 0));
        }
    } else if (threadIdx.x == 32 && rank == 0) { // the scheduler
        bool more = true;
        for (unsigned turn = 0; more; turn++) {
            unsigned s = turn % STAGES, parity = turn / STAGES & 1;
            wait_in_cluster(&empty[s], parity ^ 1);
            for (unsigned r = 0; r < blocks; r++)
                ptx::mbarrier_arrive_expect_tx(
                    ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                    cluster.map_shared_rank(&full[s], r), 16);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&slot[s], &full[s]);
            wait_in_cluster(&full[s], parity);
            more = granted(slot[s]);
            ptx::fence_proxy_async(ptx::space_shared);
        }
    }
    __syncwarp();
    cluster.sync(); // rank 0's barriers are there until all have arrived
}
