// SPDX-License-Identifier: Apache-2.0
// A queue of two grants in a ring, first in, first out; the template's argument
// is its depth. The request is made after each grant, as long as there is room.
#include "lab.h"

namespace ptx = cuda::ptx;

template <int DEPTH> class Grants {
    int index_[DEPTH];
    unsigned in_ = 0, out_ = 0;

  public:
    __device__ bool empty() const {
        return in_ == out_;
    }
    __device__ bool full() const {
        return in_ - out_ == DEPTH;
    }
    __device__ void push(int bx) {
        index_[in_++ % DEPTH] = bx;
    }
    __device__ int pop() {
        return index_[out_++ % DEPTH];
    }
};

struct Mailbox {
    uint4 letter;
    uint64_t bell;
};

__device__ static void ask(Mailbox *box) {
    __syncthreads();
    if (threadIdx.x == 64) {
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::clusterlaunchcontrol_try_cancel(&box->letter, &box->bell);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                       ptx::space_shared, &box->bell,
                                       sizeof box->letter);
    }
}

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ Mailbox box;
    Grants<2> grants;
    uint32_t phase = 0;
    if (threadIdx.x == 64)
        ptx::mbarrier_init(&box.bell, 1);
    float alpha = compute_scalar();
    enum { IDLE, ASKED, REFUSED } state = IDLE;
    grants.push(blockIdx.x);
    while (!grants.empty() || state == ASKED) {
        switch (state) {
        case IDLE:
            if (!grants.full()) {
                ask(&box);
                state = ASKED;
            }
            break;
        case ASKED:
            while (!ptx::mbarrier_try_wait_parity(&box.bell, phase))
                ;
            phase ^= 1;
            state = REFUSED;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                    box.letter)) {
                grants.push(
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(box.letter));
                state = IDLE;
            }
            break;
        case REFUSED:
            break;
        }
        if (grants.full() || state == REFUSED) {
            if (grants.empty())
                break;
            int i = grants.pop() * blockDim.x + threadIdx.x;
            if (i < n)
                data[i] *= alpha;
        }
    }
}
