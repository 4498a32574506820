// SPDX-License-Identifier: Apache-2.0
// What `clclab compare` runs: the same work done by four techniques. Read
// process() first: it is what a block index costs, literally the same in all
// four kernels. They differ in who gives a block its next index:
//
//   compare_fixed    nobody: a block has its own index and no other
//   compare_stride   arithmetic: every gridDim.x-th index, as many blocks as fit
//   compare_clc      Cluster Launch Control, block by block (lab 3)
//   compare_cluster  the same for a cluster of two blocks (lab 4)
//
// Each block calls compute_scalar() once, before its first index: the prologue.
// check/compare.c launches them, and knows what they have to compute.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

struct CompareWork {
    int n;      // elements of data
    int rounds; // of a unit of work
    int uneven; // 0: each block index costs 3 units; else 1 to 16, 3 in the mean
};

// ---- the work ------------------------------------------------------------

// 1 for every other block index, 2 for a quarter of them, and so on; 16 for the
// last sixteenth. Which ones: a hash says, so that no technique can be lucky by
// its order.
__device__ static int units_of(unsigned block, int uneven) {
    unsigned hash = block * 0x9e3779b9u;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    hash ^= hash >> 13;
    return uneven ? 1 << (__ffs(hash | 16) - 1) : 3;
}

// Adds to each element that the block index owns; so an index that is processed
// twice, or not at all, is seen in the data.
__device__ static void process(float *data, CompareWork work, int block,
                               float alpha) {
    int i = block * (int)blockDim.x + (int)threadIdx.x;
    if (i >= work.n)
        return;
    int rounds = units_of(block, work.uneven) * work.rounds;
    float y = 0.0f;
    for (int round = 0; round < rounds; round++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(y)
                     : "f"(-0.96f), "f"(2.9498f));
    data[i] = __fmaf_rn(alpha, y, data[i]);
}

// ---- without stealing ----------------------------------------------------

extern "C" __global__ void compare_fixed(float *data, CompareWork work) {
    float alpha = compute_scalar();
    process(data, work, blockIdx.x, alpha);
}

extern "C" __global__ void compare_stride(float *data, CompareWork work) {
    float alpha = compute_scalar();
    int blocks = (work.n - 1) / (int)blockDim.x + 1;
    for (int block = blockIdx.x; block < blocks; block += gridDim.x)
        process(data, work, block, alpha);
}

// ---- with stealing -------------------------------------------------------

// The reads of the last answer, ordered before the next one is written.
__device__ static void acquire_slot() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

__device__ static void release_slot() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
}

extern "C" __global__ void compare_clc(float *data, CompareWork work) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int block = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            acquire_slot();
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }
        process(data, work, block, alpha);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        release_slot();
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    compare_cluster(float *data, CompareWork work) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    float alpha = compute_scalar();

    int block = blockIdx.x;
    while (true) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            acquire_slot();
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        }
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        process(data, work, block, alpha);
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        block += cg::cluster_group::block_index().x;
        release_slot();
    }
}
