// SPDX-License-Identifier: Apache-2.0
// What `make hw-report` asks a GPU: four small kernels, each of which writes
// down something that the PTX ISA leaves open, or that a time has to be
// measured for. grader/tools/hw-report launches them, blocks of one thread, and
// reads what they left.
//
//   probe_order    which block indices start, and which are granted, in order
//   probe_refusal  how much of the grid was given away at each refusal
//   probe_answer   the 16 bytes of answers that grant, and of those that refuse
//   probe_request  cycles from a request to its answer
//
// Lists have room for each block of the grid, or for twice as many where that
// is said; what a GPU that breaks the rules would add is counted, not stored.
#include "lab.h"

namespace ptx = cuda::ptx;

__device__ static unsigned blocks_of_grid() {
    return gridDim.x * gridDim.y * gridDim.z;
}

// Appends to a list of `room` values, and gives its place.
template <typename Value>
__device__ static unsigned note(Value *list, unsigned *count, unsigned room,
                                Value value) {
    unsigned place = atomicAdd(count, 1u);
    if (place < room)
        list[place] = value;
    return place;
}

// The index that an answer grants.
__device__ static uint3 granted_by(uint4 answer) {
    return {ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(
                answer),
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<unsigned>(
                answer),
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<unsigned>(
                answer)};
}

// A block's slot and mbarrier.
struct Asker {
    uint4 slot;
    uint64_t bar;
};

// Asks and waits; gives the answer, and leaves the slot to be used again.
__device__ static uint4 ask(Asker *asker, int *phase) {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
    ptx::clusterlaunchcontrol_try_cancel(&asker->slot, &asker->bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &asker->bar,
                                   sizeof(uint4));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                          &asker->bar, *phase)) {
    }
    *phase ^= 1;
    uint4 answer = asker->slot;
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    return answer;
}

// counts[0]: starts; counts[1]: grants. started, granted: linear indices.
extern "C" __global__ void probe_order(unsigned *counts, unsigned *started,
                                       unsigned *granted) {
    __shared__ Asker asker;
    int phase = 0;
    note(started, &counts[0], blocks_of_grid(), blockIdx.x);
    ptx::mbarrier_init(&asker.bar, 1);
    while (true) {
        uint4 answer = ask(&asker, &phase);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        note(granted, &counts[1], blocks_of_grid(), granted_by(answer).x);
    }
}

// counts[0]: blocks that have started or were granted; counts[1]: refusals.
// given[i]: counts[0] when the i-th refusal was seen. owners[b]: how often b
// started or was granted.
extern "C" __global__ void probe_refusal(unsigned *counts, unsigned *given,
                                         unsigned *owners) {
    __shared__ Asker asker;
    int phase = 0;
    unsigned block = blockIdx.x;
    ptx::mbarrier_init(&asker.bar, 1);
    while (true) {
        atomicAdd(&owners[block], 1u);
        atomicAdd(&counts[0], 1u);
        uint4 answer = ask(&asker, &phase);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        block = granted_by(answer).x;
    }
    note(given, &counts[1], blocks_of_grid(), atomicAdd(&counts[0], 0u));
}

// counts[0]: grants; counts[1]: refusals. granted, refused: their 16 bytes;
// index: x, y and z that the grant decodes to, and 0.
extern "C" __global__ void probe_answer(unsigned *counts, uint4 *granted,
                                        uint4 *index, uint4 *refused) {
    __shared__ Asker asker;
    int phase = 0;
    ptx::mbarrier_init(&asker.bar, 1);
    while (true) {
        uint4 answer = ask(&asker, &phase);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
            note(refused, &counts[1], blocks_of_grid(), answer);
            break;
        }
        uint3 at = granted_by(answer);
        unsigned place = note(granted, &counts[0], blocks_of_grid(), answer);
        if (place < blocks_of_grid())
            index[place] = {at.x, at.y, at.z, 0};
    }
}

// A request that was made.
struct Timed {
    unsigned cycles;
    unsigned sm;
    unsigned is_grant; // 0: it was refused
    unsigned block;    // what was granted
};

// Only the first `askers` blocks that start ask; the others keep their places
// until one of these was refused. counts[0]: requests; [1]: starts; [2]: is not
// 0 once one was refused. requests: room for twice the blocks.
extern "C" __global__ void probe_request(unsigned *counts, Timed *requests,
                                         unsigned askers) {
    __shared__ Asker asker;
    int phase = 0;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (atomicAdd(&counts[1], 1u) >= askers) {
        while (atomicAdd(&counts[2], 0u) == 0)
            __nanosleep(1000);
        return;
    }
    ptx::mbarrier_init(&asker.bar, 1);
    bool is_grant = true;
    while (is_grant) {
        long long from = clock64();
        uint4 answer = ask(&asker, &phase);
        unsigned cycles = (unsigned)(clock64() - from);
        is_grant = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        unsigned block = is_grant ? granted_by(answer).x : 0;
        note(requests, &counts[0], 2 * blocks_of_grid(),
             Timed{cycles, sm, is_grant, block});
    }
    atomicExch(&counts[2], 1u);
}
