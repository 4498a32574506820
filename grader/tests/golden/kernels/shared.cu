// SPDX-License-Identifier: Apache-2.0
// Shared memory, static and dynamic: tiles, transposes, stencils, reductions,
// scans, sorting, histograms.
#include "golden.cuh"

// golden shm_reverse words=2
GOLDEN(shm_reverse) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    tile[threadIdx.x] = io.word(0);
    __syncthreads();
    io.put(tile[127 - threadIdx.x]);
    __syncthreads();
    tile[(threadIdx.x * 37) & 127] = io.word(1);
    __syncthreads();
    io.put(tile[threadIdx.x]);
}

// golden shm_transpose words=8
GOLDEN(shm_transpose) {
    Io io(in, out, n);
    __shared__ u32 tile[32][33];
    u32 x = threadIdx.x & 31, y = threadIdx.x >> 5;
    for (u32 k = 0; k < 8; k++)
        tile[y + 4 * k][x] = io.word(k);
    __syncthreads();
    for (u32 k = 0; k < 8; k++)
        io.put(tile[x][y + 4 * k]);
}

// golden shm_matmul words=2
GOLDEN(shm_matmul) {
    Io io(in, out, n);
    __shared__ float a[16][16], b[16][16];
    for (u32 k = threadIdx.x; k < 256; k += 128) {
        a[k / 16][k % 16] = io.moderate(k / 128);
        b[k / 16][k % 16] = io.moderate(k / 128 + 2);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < 256; k += 128) {
        float sum = 0;
        for (u32 j = 0; j < 16; j++)
            sum = fmaf(a[k / 16][j], b[j][k % 16], sum);
        io.putf(sum);
    }
}

// golden shm_reduce words=3
GOLDEN(shm_reduce) {
    Io io(in, out, n);
    __shared__ u32 sums[128];
    __shared__ float most[128];
    sums[threadIdx.x] = io.word(0);
    most[threadIdx.x] = io.moderate(1);
    for (u32 s = 64; s; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) {
            sums[threadIdx.x] += sums[threadIdx.x + s];
            most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + s]);
        }
    }
    __syncthreads();
    io.put(sums[0]);
    io.putf(most[0]);
    io.put(sums[threadIdx.x]);
}

// golden shm_scan words=2
GOLDEN(shm_scan) {
    Io io(in, out, n);
    __shared__ u32 a[2][128];
    u32 from = 0;
    a[0][threadIdx.x] = io.word(0);
    __syncthreads();
    for (u32 s = 1; s < 128; s *= 2, from ^= 1) {
        u32 v = a[from][threadIdx.x];
        if (threadIdx.x >= s)
            v += a[from][threadIdx.x - s];
        a[from ^ 1][threadIdx.x] = v;
        __syncthreads();
    }
    io.put(a[from][threadIdx.x]);
    // Blelloch's, in place, exclusive.
    a[0][threadIdx.x] = io.word(1) & 0xFFFF;
    for (u32 s = 1; s < 128; s *= 2) {
        __syncthreads();
        u32 k = (threadIdx.x + 1) * 2 * s - 1;
        if (k < 128)
            a[0][k] += a[0][k - s];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        a[0][127] = 0;
    for (u32 s = 64; s; s /= 2) {
        __syncthreads();
        u32 k = (threadIdx.x + 1) * 2 * s - 1;
        if (k < 128) {
            u32 t = a[0][k - s];
            a[0][k - s] = a[0][k];
            a[0][k] += t;
        }
    }
    __syncthreads();
    io.put(a[0][threadIdx.x]);
}

// golden shm_bitonic words=2
GOLDEN(shm_bitonic) {
    Io io(in, out, n);
    __shared__ u32 keys[256];
    keys[threadIdx.x] = io.word(0);
    keys[threadIdx.x + 128] = io.word(1);
    for (u32 size = 2; size <= 256; size *= 2)
        for (u32 s = size / 2; s; s /= 2) {
            __syncthreads();
            u32 low = 2 * threadIdx.x - (threadIdx.x & (s - 1));
            bool up = !(low & size);
            u32 a = keys[low], b = keys[low + s];
            if ((a > b) == up) {
                keys[low] = b;
                keys[low + s] = a;
            }
        }
    __syncthreads();
    io.put(keys[threadIdx.x]);
    io.put(keys[threadIdx.x + 128]);
}

// golden shm_radix_sort words=1
GOLDEN(shm_radix_sort) {
    Io io(in, out, n);
    __shared__ u32 keys[128], ones[128];
    keys[threadIdx.x] = io.word(0) & 0xFFFF;
    for (u32 bit = 0; bit < 16; bit++) {
        __syncthreads();
        u32 key = keys[threadIdx.x], one = (key >> bit) & 1;
        ones[threadIdx.x] = one;
        __syncthreads();
        for (u32 s = 1; s < 128; s *= 2) {
            u32 t = threadIdx.x >= s ? ones[threadIdx.x - s] : 0;
            __syncthreads();
            ones[threadIdx.x] += t;
            __syncthreads();
        }
        u32 before = ones[threadIdx.x] - one, zeros = 128 - ones[127];
        u32 to = one ? zeros + before : threadIdx.x - before;
        keys[to] = key;
    }
    __syncthreads();
    io.put(keys[threadIdx.x]);
}

// golden shm_histogram words=2
GOLDEN(shm_histogram) {
    Io io(in, out, n);
    __shared__ u32 bins[128];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (u32 k = 0; k < 16; k++)
        atomicAdd(&bins[io.word(k) & 127], 1);
    __syncthreads();
    io.put(bins[threadIdx.x]);
    io.put(bins[io.word(3) & 127]);
}

// golden shm_dynamic words=3 smem=6144
GOLDEN(shm_dynamic) {
    Io io(in, out, n);
    extern __shared__ u64 dynamic[];
    __shared__ u32 fixed[128];
    u64 *wide = dynamic;                     // 128
    u32 *words = (u32 *)(dynamic + 128);     // 1024
    u16 *shorts = (u16 *)(words + 1024);     // 256
    fixed[threadIdx.x] = io.word(0);
    wide[threadIdx.x] = io.word64(1);
    for (u32 k = 0; k < 8; k++)
        words[threadIdx.x + 128 * k] = io.word(k + 3);
    shorts[threadIdx.x] = (u16)io.word(12);
    shorts[threadIdx.x + 128] = (u16)io.word(13);
    __syncthreads();
    u32 other = (threadIdx.x * 53 + 7) & 127;
    io.put64(wide[other] + fixed[other ^ 5]);
    io.put(words[(io.word(2) >> 3) & 1023] + shorts[other * 2]);
}

// More than the 48 KiB that need no asking.
// golden shm_large words=2 grid=2 smem=102400
GOLDEN(shm_large) {
    Io io(in, out, n);
    extern __shared__ u64 dynamic[];
    u32 *words = (u32 *)dynamic;
    for (u32 k = threadIdx.x; k < 25600; k += 128)
        words[k] = k * 2654435761u ^ in[k & 4095];
    __syncthreads();
    u32 sum = 0;
    for (u32 k = 0; k < 50; k++)
        sum += words[(io.word(k) >> 2) % 25600];
    io.put(sum);
    io.put(words[25599 - threadIdx.x]);
}

// golden shm_stencil words=2
GOLDEN(shm_stencil) {
    Io io(in, out, n);
    __shared__ float line[130];
    line[threadIdx.x + 1] = io.moderate(0);
    if (threadIdx.x == 0)
        line[0] = line[129] = 0;
    for (u32 k = 0; k < 10; k++) {
        __syncthreads();
        float v = 0.25f * line[threadIdx.x] + 0.5f * line[threadIdx.x + 1] +
                  0.25f * line[threadIdx.x + 2];
        __syncthreads();
        line[threadIdx.x + 1] = v;
    }
    io.putf(line[threadIdx.x + 1]);
    __syncthreads();
    io.putf(line[(threadIdx.x ^ 3) + 1]);
}

// golden shm_compact words=2
GOLDEN(shm_compact) {
    Io io(in, out, n);
    __shared__ u32 kept[128], starts[4];
    u32 a = io.word(0), warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    bool keep = (a ^ a >> 7) & 1;
    u32 votes = __ballot_sync(~0u, keep);
    if (lane == 0)
        starts[warp] = (u32)__popc(votes);
    kept[threadIdx.x] = 0;
    __syncthreads();
    u32 at = (u32)__popc(votes & ((1u << lane) - 1)), all = 0;
    for (u32 k = 0; k < 4; k++) {
        at += k < warp ? starts[k] : 0;
        all += starts[k];
    }
    if (keep)
        kept[at] = a;
    __syncthreads();
    io.put(kept[threadIdx.x]);
    io.put(all);
}

// Conway's game of life, on a torus of 32 x 32 cells.
// golden shm_life words=8
GOLDEN(shm_life) {
    Io io(in, out, n);
    __shared__ u8 cells[2][32][32];
    u32 x = threadIdx.x & 31, y = threadIdx.x >> 5, from = 0;
    for (u32 k = 0; k < 8; k++)
        cells[0][y + 4 * k][x] = (u8)(io.word(k) >> 3 & 1);
    for (u32 step = 0; step < 6; step++, from ^= 1) {
        __syncthreads();
        for (u32 k = 0; k < 8; k++) {
            u32 row = y + 4 * k, near = 0;
            for (u32 d = 0; d < 9; d++)
                near += cells[from][(row + d / 3 + 31) & 31][(x + d % 3 + 31) & 31];
            bool alive = cells[from][row][x];
            cells[from ^ 1][row][x] = near == 3 || (near == 4 && alive);
        }
    }
    __syncthreads();
    for (u32 k = 0; k < 8; k++)
        io.put(cells[from][y + 4 * k][x]);
}
