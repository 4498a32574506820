// SPDX-License-Identifier: Apache-2.0
// Case 16: The last row is shorter
//
// "A block smooths its tile, and the last tile is not full, so the threads behind
// the end do nothing. Why should they wait at a barrier for data that they do not
// have? It has always worked, since the hardware counts warps there, people say.
// A static checker marks the line."
//
// clclab run: --grid 8 --block 64 --arg buf:2048:iota32 --arg buf:2048
// clclab run: --arg i32:472
// output: 51afd0525ff24086
// DIAGNOSIS: SYNC002
// Line 23. In the last tile, a part of a warp is at this barrier, and the rest is
// at the one below. All threads of the block come to the barrier; those without an
// element just bring nothing.
#include "lab.h"

extern "C" __global__ void smooth(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned tile[64], total;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int last = min(63, n - 1 - (int)blockIdx.x * 64);
    if (t == 0)
        total = 0;
    if (i < n)
        tile[t] = in[i];
    __syncthreads();
    if (i < n) {
        unsigned value =
            tile[max(t - 1, 0)] + 2 * tile[t] + tile[min(t + 1, last)];
        out[i] = value;
        atomicAdd(&total, value);
    }
    __syncthreads();
    if (t == 0)
        out[n + blockIdx.x] = total;
}
