// SPDX-License-Identifier: Apache-2.0
// Shuffles, votes, matches, reductions and scans of a warp, also by some of its
// lanes only.
#include "golden.cuh"

static const unsigned ALL = 0xFFFFFFFFu;

// golden wrp_shuffle words=16
GOLDEN(wrp_shuffle) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(3);
    for (int width = 32; width >= 4; width /= 2) {
        io.put(__shfl_sync(ALL, a, (int)b, width));
        io.put(__shfl_up_sync(ALL, a, (io.i / 32) % 9, width));
        io.put(__shfl_down_sync(ALL, a, 5 + blockIdx.x, width));
        io.put(__shfl_xor_sync(ALL, a, (int)(blockIdx.x * 3 + 1), width));
    }
}

// golden wrp_shuffle_types words=12
GOLDEN(wrp_shuffle_types) {
    Io io(in, out, n);
    io.put64(__shfl_sync(ALL, (unsigned long long)io.word64(0), 7));
    io.putd(__shfl_xor_sync(ALL, io.moderate64(1), 9));
    io.putf(__shfl_down_sync(ALL, io.moderate(2), 3));
    io.put((u32)__shfl_up_sync(ALL, (int)io.word(3), 1));
    io.put64((u64)__shfl_xor_sync(ALL, (long long)io.word64(4), 31));
    io.putf(__shfl_sync(ALL, io.moderate(5), (int)threadIdx.x * 5));
    // The predicate: whether the source lane was in range.
    u32 r, p;
    asm volatile("{.reg .pred q; shfl.sync.down.b32 %0|q, %2, 7, 0x1017, -1;"
        "selp.u32 %1, 1, 0, q;}" : "=r"(r), "=r"(p) : "r"(io.word(6)));
    io.put(r);
    io.put(p);
    asm volatile("{.reg .pred q; shfl.sync.idx.b32 %0|q, %2, %3, 0x0c0f, -1;"
        "selp.u32 %1, 1, 0, q;}"
        : "=r"(r), "=r"(p) : "r"(io.word(7)), "r"(threadIdx.x * 3 & 31));
    io.put(r + p);
}

// golden wrp_vote words=6
GOLDEN(wrp_vote) {
    Io io(in, out, n);
    u32 a = io.word(0);
    io.put(__ballot_sync(ALL, a & 4));
    io.put((u32)__any_sync(ALL, a == 31) + 2 * (u32)__all_sync(ALL, a != 31));
    u32 r;
    asm volatile("{.reg .pred p, q; setp.lt.u32 p, %1, 100000;"
        "vote.sync.uni.pred q, p, -1; selp.u32 %0, 1, 0, q;}"
        : "=r"(r) : "r"(io.word(3)));
    io.put(r);
    io.put(__activemask() >> (threadIdx.x & 31) & 1);
    u32 some = __ballot_sync(ALL, a & 1);
    u32 v = 0;
    if (a & 1)
        v = __ballot_sync(some, a & 2) + 1;
    else
        v = __ballot_sync(~some, a & 8) + 2;
    io.put(v);
    io.put(__ballot_sync(ALL, v & 1));
}

// golden wrp_match words=6
GOLDEN(wrp_match) {
    Io io(in, out, n);
    u32 a = io.word(0);
    int same;
    io.put(__match_any_sync(ALL, a & 7));
    io.put(__match_any_sync(ALL, (unsigned long long)(io.word64(1) & 3) << 33));
    io.put(__match_all_sync(ALL, blockIdx.x * 4 + threadIdx.x / 32, &same));
    io.put((u32)same);
    io.put(__match_all_sync(ALL, (unsigned long long)io.word64(2), &same));
    io.put((u32)same);
}

// golden wrp_redux words=10
GOLDEN(wrp_redux) {
    Io io(in, out, n);
    u32 a = io.word(0);
    io.put(__reduce_add_sync(ALL, a));
    io.put((u32)__reduce_add_sync(ALL, (int)a));
    io.put(__reduce_min_sync(ALL, a));
    io.put(__reduce_max_sync(ALL, a));
    io.put((u32)__reduce_min_sync(ALL, (int)a));
    io.put((u32)__reduce_max_sync(ALL, (int)a));
    io.put(__reduce_and_sync(ALL, a | 0xFF));
    io.put(__reduce_or_sync(ALL, a & 0xF0F0));
    io.put(__reduce_xor_sync(ALL, a));
    u32 odd = __ballot_sync(ALL, a & 1);
    io.put(a & 1 ? __reduce_add_sync(odd, a) : __reduce_max_sync(~odd, a));
}

// golden wrp_reduce_scan words=4
GOLDEN(wrp_reduce_scan) {
    Io io(in, out, n);
    u32 a = io.word(0), lane = threadIdx.x & 31, sum = a, scan = a;
    float f = io.moderate(1);
    for (int s = 16; s; s /= 2) {
        sum += __shfl_xor_sync(ALL, sum, s);
        f += __shfl_down_sync(ALL, f, (unsigned)s);
    }
    for (u32 s = 1; s < 32; s *= 2) {
        u32 t = __shfl_up_sync(ALL, scan, s);
        if (lane >= s)
            scan += t;
    }
    io.put(sum);
    io.put(scan);
    io.putf(__shfl_sync(ALL, f, 0));
    io.putf(f);
}

// A sort of the warp's lanes.
// golden wrp_sort words=1
GOLDEN(wrp_sort) {
    Io io(in, out, n);
    u32 a = io.word(0), lane = threadIdx.x & 31;
    for (u32 size = 2; size <= 32; size *= 2)
        for (u32 s = size / 2; s; s /= 2) {
            u32 b = __shfl_xor_sync(ALL, a, (int)s);
            bool up = ((lane & size) == 0) == ((lane & s) == 0);
            a = up ? min(a, b) : max(a, b);
        }
    io.put(a);
}

// Lanes that part and meet again at __syncwarp, through shared memory.
// golden wrp_syncwarp words=3
GOLDEN(wrp_syncwarp) {
    Io io(in, out, n);
    __shared__ u32 slots[128];
    u32 lane = threadIdx.x & 31, a = io.word(0);
    u32 *mine = slots + (threadIdx.x & ~31u);
    if (a & 1)
        mine[lane] = a * 3;
    else
        mine[lane] = a + 7;
    __syncwarp();
    u32 b = mine[31 - lane];
    __syncwarp();
    if (lane < 16) {
        mine[lane] = b ^ a;
        __syncwarp(0x0000FFFF);
        b += mine[15 - lane];
    } else {
        mine[lane] = b + a;
        __syncwarp(0xFFFF0000);
        b -= mine[47 - lane];
    }
    __syncwarp();
    io.put(b);
    io.put(mine[(lane * 11) & 31]);
    io.put(__shfl_xor_sync(ALL, b, 1));
}

// One lane of each group of equal keys adds for all of them.
__device__ u32 group_sums[4][16];
// golden wrp_aggregate words=2
GOLDEN(wrp_aggregate) {
    Io io(in, out, n);
    u32 key = io.word(0) & 15, lane = threadIdx.x & 31;
    u32 peers = __match_any_sync(ALL, key);
    u32 rank = (u32)__popc(peers & ((1u << lane) - 1));
    if (rank == 0)
        atomicAdd(&group_sums[blockIdx.x][key], (u32)__popc(peers));
    __syncthreads();
    io.put(rank);
    io.put(group_sums[blockIdx.x][threadIdx.x & 15]);
}

// golden wrp_special_registers words=13 block=96
GOLDEN(wrp_special_registers) {
    Io io(in, out, n);
    u32 r;
#define SREG(name)                              \
    asm("mov.u32 %0, %" name ";" : "=r"(r));    \
    io.put(r)
    SREG("%laneid");
    SREG("%lanemask_eq");
    SREG("%lanemask_lt");
    SREG("%lanemask_le");
    SREG("%lanemask_gt");
    SREG("%lanemask_ge");
    SREG("%ntid.x");
    SREG("%nctaid.x");
    SREG("%ctaid.x");
    SREG("%tid.y");
    SREG("%ntid.z");
    SREG("%cluster_nctaid.x");
    SREG("%cluster_ctarank");
}

// Half of the warp in a loop, the other half elsewhere, both with shuffles.
// golden wrp_split_work words=2
GOLDEN(wrp_split_work) {
    Io io(in, out, n);
    u32 lane = threadIdx.x & 31, a = io.word(0), low = 0x0000FFFF;
    if (lane < 16) {
        for (u32 k = 0; k < (blockIdx.x + 2); k++)
            a = __shfl_sync(low, a, (int)(lane + 1) & 15) * 3 + k;
    } else {
        u32 sum = a;
        for (int s = 8; s; s /= 2)
            sum += __shfl_xor_sync(~low, sum, s);
        a = sum ^ __ballot_sync(~low, a & 1);
    }
    io.put(a);
    io.put(__shfl_sync(ALL, a, 31 - (int)lane));
}

// golden wrp_elect words=2
GOLDEN(wrp_elect) {
    Io io(in, out, n);
    u32 p, leader;
    asm volatile("{.reg .pred q; elect.sync %0|q, -1; selp.u32 %1, 1, 0, q;}"
        : "=r"(leader), "=r"(p));
    io.put((u32)__popc(__ballot_sync(ALL, p)));
    io.put(__shfl_sync(ALL, p, (int)leader));
}
