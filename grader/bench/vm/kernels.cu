// SPDX-License-Identifier: Apache-2.0
// What bench-vm times. Each kernel has its like in scalar.c, thread by thread;
// change both or neither. `data` has one word a thread of the grid.

enum { TILE = 256 };

// Registers alone: integer and float, a loop that nothing can shorten.
extern "C" __global__ void alu(unsigned *data, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = data[i], y = i;
    float f = 1.0f, g = 0.5f;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        x = x * 1664525u + 1013904223u;
        y ^= x >> 13;
        y += (y << 5) + r;
        f = f * 0.75f + g;
        g = g + f * 0.125f;
        x += y & 255u;
        g = g > 4.0f ? g - 4.0f : g;
    }
    data[i] = x ^ y ^ __float_as_uint(f + g);
}

// A tile in shared memory, two barriers a round.
extern "C" __global__ void __launch_bounds__(TILE)
tile(unsigned *data, int rounds) {
    __shared__ unsigned cells[TILE];
    unsigned t = threadIdx.x, i = blockIdx.x * TILE + t;
    unsigned x = data[i];
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        cells[t] = x;
        __syncthreads();
        x = x * 3u + cells[(t + 1) % TILE] + cells[(t * 5 + r) % TILE];
        __syncthreads();
    }
    data[i] = x;
}

// One load, one store, little else.
extern "C" __global__ void stream(volatile unsigned *data, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
        data[i] = data[i] * 3u + n;
}

// Lanes that leave their loop at different times.
extern "C" __global__ void escape(unsigned *data, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float cx = (i % 1024) * (3.0f / 1024) - 2.0f;
    float cy = (i / 1024) % 1024 * (2.0f / 1024) - 1.0f;
    float x = 0, y = 0;
    int r = 0;
    for (; r < rounds && x * x + y * y < 4.0f; r++) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
    }
    data[i] += r;
}

// For the grid of a million blocks: little work in each.
extern "C" __global__ void million(unsigned *data, int) {
    if (threadIdx.x == 0)
        data[blockIdx.x] += blockIdx.x;
}
