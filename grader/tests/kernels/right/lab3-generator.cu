// SPDX-License-Identifier: Apache-2.0
// A range of block indices for a range-based for loop: its iterator asks when
// it is read and waits when it is advanced. Waits by the state of the asking
// thread.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

class Blocks {
  public:
    struct Shared {
        uint4 answer;
        uint64_t bar;
        int next;
    };
    struct End {};
    class Iterator {
      public:
        __device__ explicit Iterator(Shared &s) : s_(s) {
        }
        __device__ int operator*() {
            if (cg::this_thread_block().thread_rank() == 0) {
                ptx::clusterlaunchcontrol_try_cancel(&s_.answer, &s_.bar);
                state_ = ptx::mbarrier_arrive_expect_tx(
                    ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                    &s_.bar, sizeof s_.answer);
            }
            return now_;
        }
        __device__ Iterator &operator++() {
            if (cg::this_thread_block().thread_rank() == 0) {
                while (!ptx::mbarrier_try_wait(&s_.bar, state_))
                    ;
                s_.next = decode();
                ptx::fence_proxy_async(ptx::space_shared);
            }
            cg::this_thread_block().sync();
            now_ = s_.next;
            cg::this_thread_block().sync();
            return *this;
        }
        __device__ bool operator!=(End) const {
            return now_ >= 0;
        }

      private:
        __device__ int decode() const {
            if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(s_.answer))
                return -1;
            return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                int>(s_.answer);
        }
        Shared &s_;
        uint64_t state_ = 0;
        int now_ = blockIdx.x;
    };
    __device__ explicit Blocks(Shared &s) : s_(s) {
        if (cg::this_thread_block().thread_rank() == 0)
            ptx::mbarrier_init(&s.bar, 1);
    }
    __device__ Iterator begin() const {
        return Iterator(s_);
    }
    __device__ End end() const {
        return {};
    }

  private:
    Shared &s_;
};

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Blocks::Shared shared;
    const float alpha = compute_scalar();
    for (int bx : Blocks(shared))
        if (int i = bx * blockDim.x + threadIdx.x; i < n)
            data[i] *= alpha;
}
