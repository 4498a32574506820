// SPDX-License-Identifier: Apache-2.0
// Case 24: The relay
//
// "The copy engine brings each piece into one of two buffers and carries it on
// from there; nobody computes anything. With two buffers, one copy out may be
// under way, so we wait until no more than one is. That is what the group count
// is for. It has been right for a year, and somebody who read the code says
// that it cannot be."
//
// clclab run: --grid 4 --block 32 --arg buf:8192:iota32 --arg buf:8192
// output: 4d8d2d38c37946c1
// DIAGNOSIS: RACE002
// Line 28. With two buffers the copy that is to be over is the last one: it
// reads the buffer that the next piece goes into. wait_group_read 1 lets it
// run. (From the field: docs/bugs-of-the-field.md.)
#include "lab.h"

namespace ptx = cuda::ptx;

constexpr int PIECE = 64, PIECES = 8, BUFFERS = 2;

extern "C" __global__ void relay(const unsigned *from, unsigned *to) {
    __shared__ alignas(16) unsigned buffer[BUFFERS][PIECE];
    __shared__ uint64_t full[BUFFERS];
    if (threadIdx.x != 0)
        return;
    from += blockIdx.x * PIECE * PIECES;
    to += blockIdx.x * PIECE * PIECES;
    auto bring = [&](int piece) {
        int at = piece % BUFFERS;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer[at],
                           from + piece * PIECE, PIECE * 4, &full[at]);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &full[at], PIECE * 4);
    };
    for (int at = 0; at < BUFFERS; at++)
        ptx::mbarrier_init(&full[at], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
    for (int at = 0; at < BUFFERS; at++)
        bring(at);
    for (int piece = 0; piece < PIECES; piece++) {
        int at = piece % BUFFERS;
        while (!ptx::mbarrier_try_wait_parity(&full[at], piece / BUFFERS & 1)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           to + piece * PIECE, buffer[at], PIECE * 4);
        ptx::cp_async_bulk_commit_group();
        if (piece + BUFFERS < PIECES) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            bring(piece + BUFFERS);
        }
    }
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
