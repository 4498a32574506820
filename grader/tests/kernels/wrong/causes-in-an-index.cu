// SPDX-License-Identifier: Apache-2.0
// An index that is wrong: the line where it is made is what has to be mended,
// and a barrier between two accesses that should not meet is no cure.
#include "short.h"

// Threads that are neighbours store two elements each, one apart.
// expect: RACE001
// says: check the index and its stride
// run: --kernel steps_too_short --grid 1 --block 32 --arg buf:256
extern "C" __global__ void steps_too_short(unsigned *out) {
    int i = threadIdx.x;
    out[i] = 1;
    out[i + 1] = 2; // <- here
}

// The row is taken for the layer.
// expect: MEM001
// says: The address is computed from what is set here. (line 29)
// run: --kernel row_for_layer --grid 1,20 --block 1 --arg buf:80
extern "C" __global__ void row_for_layer(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    init(&bar);
    announce(&bar);
    ask(&slot, &bar);
    out[blockIdx.y] = 1;
    wait_for(&bar, 0);
    int layer = granted(slot) ? first_y(slot) : 0;
    int at = layer * 1000;
    if (layer > 0)
        out[at] = 1; // <- here
}

// Processes the index of a refusal, where is_canceled said so.
// expect: CLC002
// says: Is the condition inverted
// run: --kernel inverted --grid 1 --block 1 --arg buf:80
extern "C" __global__ void inverted(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    init(&bar);
    announce(&bar);
    ask(&slot, &bar);
    out[blockIdx.x] = 1;
    wait_for(&bar, 0);
    if (!granted(slot))
        out[first_x(slot)] = 1; // <- here
}
