// SPDX-License-Identifier: Apache-2.0
// Kernels of ordinary programs, whose threads meet at barriers of the whole
// block from branches that they take apart, and that are compiled for a
// debugger.
#include "right.h"

// nvcc's sync() of a block is barrier.sync, which is not aligned: the lanes of
// a warp come to it one after the other, and still are one block behind it.
template <typename Sync>
__device__ static inline void sorts(unsigned *keys, Sync sync) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x;
    s[t] = keys[t];
    for (unsigned size = 2; size <= blockDim.x; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            sync();
            unsigned other = t ^ stride;
            if (other > t) {
                bool up = (t & size) == 0;
                if (up ? s[t] > s[other] : s[t] < s[other]) {
                    unsigned swap = s[t];
                    s[t] = s[other];
                    s[other] = swap;
                }
            }
        }
    sync();
    keys[t] = s[t];
}

// run: --kernel sorts_in_a_group --grid 1 --block 256 --arg buf:1024:iota32
// gives: 0 i
extern "C" __global__ void sorts_in_a_group(unsigned *keys) {
    cg::thread_block block = cg::this_thread_block();
    sorts(keys, [&] { block.sync(); });
}

// run: --kernel sorts_with_barriers --grid 1 --block 256 --arg buf:1024:iota32
// gives: 0 i
extern "C" __global__ void sorts_with_barriers(unsigned *keys) {
    sorts(keys, [] { asm volatile("barrier.sync 0;" ::: "memory"); });
}

// run: --kernel sorts_with_syncthreads --grid 1 --block 256
//      --arg buf:1024:iota32
// gives: 0 i
extern "C" __global__ void sorts_with_syncthreads(unsigned *keys) {
    sorts(keys, [] { __syncthreads(); });
}

static __device__ void first_thread_writes(cg::thread_block block,
                                           unsigned *out) {
    if (block.thread_rank() == 0)
        *out = 2 * block.group_index().x;
    block.sync();
}

// A group is a structure with bit-fields, and is copied with the bits that
// nobody has set.
// run: --kernel group_by_value --grid 16 --block 64 --arg buf:64
//      --compile-flag -G
// gives: 0 2*i
extern "C" __global__ void group_by_value(unsigned *out) {
    first_thread_writes(cg::this_thread_block(), out + blockIdx.x);
}
