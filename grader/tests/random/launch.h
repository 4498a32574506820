// SPDX-License-Identifier: Apache-2.0
// What the recording on a GPU and the test in the virtual machine must agree on
// about random programs: kernel rSEED(in, out, scratch) of 64-bit pointers, its
// launch, its inputs, the hash of its output. C11 and C++.
//   in       RANDOM_INPUTS words of 64 bits: word k of thread t at [k * 128 +
//   t] out      one 64-bit hash a thread; behind them, traces scratch
//   RANDOM_SCRATCH_WORDS words that atomics change
// The hash is over the threads' hashes and the scratch words.
#ifndef CLCLAB_RANDOM_LAUNCH_H
#define CLCLAB_RANDOM_LAUNCH_H

#include "../golden/golden.h"

#include <stddef.h>

enum {
    RANDOM_GRID = 2,
    RANDOM_BLOCK = 64,
    RANDOM_THREADS = RANDOM_GRID * RANDOM_BLOCK,
    RANDOM_WORDS = 12, // 64-bit inputs of a thread
    RANDOM_INPUTS = RANDOM_WORDS * RANDOM_THREADS,
    RANDOM_SCRATCH_WORDS = 64,      // 64 bits each
    RANDOM_TRACE_BYTES = 16 * 4096, // of a thread, where asked for
};

static inline uint64_t random_input(uint32_t i) {
    uint64_t low = golden_input(2 * i + 1000);
    // Every fourth word twice 32 bits, so that its upper half is no zero.
    return i % 4 == 3 ? low ^ golden_input(i + 77777) << 32 : low;
}

static inline uint64_t random_scratch(uint32_t i) {
    return golden_mix(i + 900000);
}

// FNV-1a over 64-bit words.
static inline uint64_t random_hash(const uint64_t *words, size_t count) {
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ words[i]) * 0x100000001B3u;
        h ^= h >> 29;
    }
    return h;
}

#endif
