// SPDX-License-Identifier: Apache-2.0
// Distributed shared memory: blocks of a cluster read, write and add to each
// other's memory, with the cluster's barrier and with mbarriers from afar.
#include "right.h"

// A histogram whose bins are spread over the cluster.
// run: --kernel spread_histogram --grid 8 --block 64 --cluster 4
//      --arg buf:4096:iota32 --arg buf:256
// gives: 1 16
extern "C" __global__ void spread_histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[16];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * 128 + t; i < blockIdx.x * 128 + 128;
         i += 64) {
        unsigned key = in[i] % 64;
        atomicAdd(cluster.map_shared_rank(&bins[key % 16], key / 16), 1);
    }
    cluster.sync();
    if (t < 16)
        atomicAdd(&out[rank * 16 + t], bins[t]);
}

// Each block leaves its sum with rank 0.
// run: --kernel sums_to_rank_0 --grid 8 --block 32 --cluster 4 --arg buf:8
// gives: 0 1984+1280*i
extern "C" __global__ void sums_to_rank_0(unsigned *out) {
    __shared__ unsigned sums[4];
    auto cluster = cg::this_cluster();
    unsigned sum = threadIdx.x + blockIdx.x / 4 * 10;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&sums[cluster.block_rank()], 0) = sum;
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[blockIdx.x / 4] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Halos are read from the neighbours; the second barrier keeps memory alive.
// run: --kernel halos --grid 8 --block 64 --cluster 8 --arg buf:2048:iota32
//      --arg buf:2048
// gives: 1 i==0?1:i==511?1021:3*i
extern "C" __global__ void halos(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    unsigned i = blockIdx.x * 64 + t;
    tile[t] = in[i];
    cluster.sync();
    unsigned sum = tile[t];
    if (t > 0)
        sum += tile[t - 1];
    else if (rank > 0)
        sum += cluster.map_shared_rank(tile, rank - 1)[63];
    if (t < 63)
        sum += tile[t + 1];
    else if (rank + 1 < cluster.num_blocks())
        sum += cluster.map_shared_rank(tile, rank + 1)[0];
    out[i] = sum;
    cluster.sync();
}

// Relaxed arrivals: the fences round the barrier make the order.
// run: --kernel fences_round_it --grid 8 --block 64 --cluster 2
//      --arg buf:2048
// gives: 0 63-i%64+100*(1-int(i/64)%2)
extern "C" __global__ void fences_round_it(unsigned *out) {
    __shared__ unsigned tile[64];
    auto cluster = cg::this_cluster();
    unsigned other = 1 - cluster.block_rank(), t = threadIdx.x;
    tile[t] = t + 100 * (1 - other);
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
    out[blockIdx.x * 64 + t] = cluster.map_shared_rank(tile, other)[63 - t];
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
}

// Data are stored to the neighbour, and an arrival from afar says so.
// run: --kernel arrives_from_afar --grid 6 --block 32 --cluster 2
//      --arg buf:768
// gives: 0 31-i%32+100*(1-int(i/32)%2)
extern "C" __global__ void arrives_from_afar(unsigned *out) {
    __shared__ unsigned theirs[32];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned other = 1 - cluster.block_rank(), t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    cluster.map_shared_rank(theirs, other)[31 - t] = t + 100 * (1 - other);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                         ptx::space_cluster,
                         cluster.map_shared_rank(&bar, other));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &bar, 0)) {
    }
    out[blockIdx.x * 32 + t] = theirs[t];
}

// All gather all: a word goes round the cluster, the barrier in two halves.
// run: --kernel round_the_cluster --grid 8 --block 32 --cluster 4
//      --arg buf:1024
// gives: 0 6+4*(i%32)
extern "C" __global__ void round_the_cluster(unsigned *out) {
    __shared__ unsigned box[2][32];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    unsigned word = rank + t, sum = word;
    cluster.sync();
    for (unsigned turn = 0; turn < 3; turn++) {
        cluster.map_shared_rank(box[turn % 2], (rank + 1) % 4)[t] = word;
        auto token = cluster.barrier_arrive();
        cluster.barrier_wait(std::move(token));
        word = box[turn % 2][t];
        sum += word;
    }
    out[blockIdx.x * 32 + t] = sum;
}

// A counter in rank 0 gives numbers to all threads of the cluster.
// run: --kernel numbers_from_rank_0 --grid 4 --block 64 --cluster 2
//      --arg buf:1024
// gives: 0 1
extern "C" __global__ void numbers_from_rank_0(unsigned *out) {
    __shared__ unsigned counter;
    auto cluster = cg::this_cluster();
    if (cluster.thread_rank() == 0)
        counter = 0;
    cluster.sync();
    unsigned mine = atomicAdd(cluster.map_shared_rank(&counter, 0), 1);
    atomicAdd(&out[blockIdx.x / 2 * 128 + mine], 1);
    cluster.sync();
}

// A flag in the neighbour's memory, with release and acquire for the cluster.
// run: --kernel flag_of_a_neighbour --grid 6 --block 32 --cluster 2
//      --arg buf:384
// gives: 0 31-i%32
extern "C" __global__ void flag_of_a_neighbour(unsigned *out) {
    __shared__ unsigned box[32], flag;
    auto cluster = cg::this_cluster();
    unsigned t = threadIdx.x;
    if (t == 0)
        flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 0) {
        cluster.map_shared_rank(box, 1)[t] = t;
        __syncwarp();
        if (t == 0)
            asm volatile("st.release.cluster.u32 [%0], 1;" ::"l"(
                             cluster.map_shared_rank(&flag, 1))
                         : "memory");
    } else {
        unsigned seen = 0;
        while (seen == 0)
            asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];"
                         : "=r"(seen)
                         : "r"(shared_address(&flag))
                         : "memory");
        out[blockIdx.x / 2 * 32 + t] = box[31 - t];
    }
}

// Blocks of a cluster talk through global memory: the cluster's scope is wide
// enough for its fences and atomics.
// run: --kernel scope_of_the_cluster --grid 8 --block 32 --cluster 2
//      --arg buf:512 --arg buf:16
// gives: 0 i%32*2+1
extern "C" __global__ void scope_of_the_cluster(unsigned *data,
                                                unsigned *flags) {
    unsigned t = threadIdx.x;
    unsigned *mine = data + blockIdx.x / 2 * 32, *flag = &flags[blockIdx.x / 2];
    if (cg::cluster_group::block_rank() == 1) {
        mine[t] = 2 * t;
        __syncwarp();
        if (t == 0)
            asm volatile("fence.acq_rel.cluster;\n\t"
                         "st.relaxed.cluster.global.u32 [%0], 1;" ::"l"(
                             __cvta_generic_to_global(flag))
                         : "memory");
    } else {
        unsigned seen = 0;
        while (seen == 0)
            asm volatile("ld.relaxed.cluster.global.u32 %0, [%1];\n\t"
                         "fence.acq_rel.cluster;"
                         : "=r"(seen)
                         : "l"(__cvta_generic_to_global(flag))
                         : "memory");
        mine[t]++;
    }
}

// No barrier of the cluster before the write: rank 1 says in global memory that
// it runs, and rank 0 acquires that.
// run: --kernel starts_by_a_flag --grid 8 --block 32 --cluster 2
//      --arg buf:16 --arg buf:16
// gives: 0 i+5
extern "C" __global__ void starts_by_a_flag(unsigned *out, unsigned *flags) {
    __shared__ unsigned box;
    auto cluster = cg::this_cluster();
    unsigned pair = blockIdx.x / 2, seen = 0;
    unsigned long long flag = __cvta_generic_to_global(&flags[pair]);
    if (cluster.thread_rank() == 32)
        asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(flag)
                     : "memory");
    if (cluster.thread_rank() == 0) {
        while (seen == 0)
            asm volatile("ld.acquire.cluster.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(flag)
                         : "memory");
        *cluster.map_shared_rank(&box, 1) = pair + 5;
    }
    cluster.sync();
    if (cluster.thread_rank() == 32)
        out[pair] = box;
}
