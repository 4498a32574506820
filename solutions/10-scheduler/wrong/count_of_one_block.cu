// expect: rules CLC006
// says: They came from other warps than that of thread
// The count of one block's warps is given to a class that counts those of both.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

template <unsigned N> struct PipelineState {
    unsigned index = 0, phase;
    __device__ explicit PipelineState(unsigned start) : phase(start) {
    }
    __device__ void operator++() {
        if (++index == N) {
            index = 0;
            phase ^= 1;
        }
    }
};

template <unsigned N> class ClcPipeline {
  public:
    struct Storage {
        alignas(16) uint4 response[N];
        uint64_t full[N], empty[N];
    };
    __device__ ClcPipeline(Storage &s, cg::thread_block_tile<32> warp)
        : s_(s), warp_(warp), rank_(cg::this_cluster().block_rank()) {
    }
    __device__ void init(unsigned consumers) {
        for (unsigned i = 0; i < N; i++) {
            ptx::mbarrier_init(&s_.full[i], 1);
            ptx::mbarrier_init(&s_.empty[i], consumers);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __device__ void acquire_and_query(const PipelineState<N> &at) {
        if (warp_.thread_rank() != 0)
            return;
        if (rank_ == 0) {
            wait(&s_.empty[at.index], at.phase);
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
        }
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                       ptx::space_shared, &s_.full[at.index],
                                       sizeof(uint4));
        if (rank_ == 0)
            ptx::clusterlaunchcontrol_try_cancel_multicast(
                &s_.response[at.index], &s_.full[at.index]);
    }
    __device__ bool get(const PipelineState<N> &at, int &row) {
        wait(&s_.full[at.index], at.phase);
        const uint4 r = s_.response[at.index];
        const bool valid =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(r);
        if (valid)
            row = rank_ +
                  ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      r);
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        warp_.sync();
        if (warp_.thread_rank() == 0)
            ptx::mbarrier_arrive(
                ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                cg::this_cluster().map_shared_rank(&s_.empty[at.index], 0));
        return valid;
    }

  private:
    __device__ static void wait(uint64_t *bar, unsigned phase) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,
                                              ptx::scope_cluster, bar, phase)) {
        }
    }
    Storage &s_;
    cg::thread_block_tile<32> warp_;
    unsigned rank_;
};

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160)
    scheduler(float *__restrict__ data, const int *__restrict__ starts,
              int rows) {
    using Pipeline = ClcPipeline<2>;
    __shared__ Pipeline::Storage storage;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    Pipeline pipeline(storage, warp);
    if (threadIdx.x == 0)
        pipeline.init(5);
    cg::this_cluster().sync();
    PipelineState<2> consume(0), produce(1);
    int row = blockIdx.x;
    bool valid = true;
    if (warp.meta_group_rank() == 4) {
        for (; valid; ++consume, ++produce) {
            pipeline.acquire_and_query(produce);
            valid = pipeline.get(consume, row);
        }
    } else {
        const float alpha = compute_scalar();
        for (; valid; ++consume) {
            const int end = row < rows ? __ldg(&starts[row + 1]) : 0;
            for (int i = (row < rows ? __ldg(&starts[row]) : 0) + threadIdx.x;
                 i < end; i += 128)
                data[i] *= alpha;
            valid = pipeline.get(consume, row);
        }
    }
    cg::this_cluster().sync();
}
