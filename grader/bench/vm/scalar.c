// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.cu in plain C: what a thread does, for each in turn.
// Compiled with gcc -O3 and no vectorisation: the scale that the interpreter's
// speed is given on. Where a barrier cuts a kernel, so is the loop cut here.
#include "bench/vm/scalar.h"

#include <math.h>
#include <string.h>

void scalar_alu(uint32_t *data, uint32_t threads, int rounds) {
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t x = data[i], y = i;
        float f = 1.0f, g = 0.5f;
        for (int r = 0; r < rounds; r++) {
            x = x * 1664525u + 1013904223u;
            y ^= x >> 13;
            y += (y << 5) + (uint32_t)r;
            f = fmaf(f, 0.75f, g);
            g = fmaf(f, 0.125f, g);
            x += y & 255u;
            g = g > 4.0f ? g - 4.0f : g;
        }
        float sum = f + g;
        uint32_t bits;
        memcpy(&bits, &sum, sizeof bits);
        data[i] = x ^ y ^ bits;
    }
}

static void tile_round(uint32_t *x, uint32_t *cells, int r) {
    for (uint32_t t = 0; t < SCALAR_TILE; t++)
        cells[t] = x[t];
    for (uint32_t t = 0; t < SCALAR_TILE; t++)
        x[t] = x[t] * 3u + cells[(t + 1) % SCALAR_TILE] +
               cells[(t * 5 + (uint32_t)r) % SCALAR_TILE];
}

void scalar_tile(uint32_t *data, uint32_t threads, int rounds) {
    uint32_t cells[SCALAR_TILE];
    for (uint32_t first = 0; first < threads; first += SCALAR_TILE)
        for (int r = 0; r < rounds; r++)
            tile_round(data + first, cells, r);
}

void scalar_stream(uint32_t *data, uint32_t threads, int rounds) {
    volatile uint32_t *cells = data;
    for (uint32_t i = 0; i < threads; i++)
        for (int r = 0; r < rounds; r++)
            cells[i] = cells[i] * 3u + threads;
}

void scalar_escape(uint32_t *data, uint32_t threads, int rounds) {
    for (uint32_t i = 0; i < threads; i++) {
        float cx = fmaf((float)(i % 1024), 3.0f / 1024, -2.0f);
        float cy = fmaf((float)(i / 1024 % 1024), 2.0f / 1024, -1.0f);
        float x = 0, y = 0;
        int r = 0;
        for (; r < rounds && x * x + y * y < 4.0f; r++) {
            float next = x * x - y * y + cx;
            y = fmaf(x + x, y, cy);
            x = next;
        }
        data[i] += (uint32_t)r;
    }
}
