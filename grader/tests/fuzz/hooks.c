// SPDX-License-Identifier: Apache-2.0
// Gives libFuzzer the mutations of mutate.h, in addition to its own of bytes.
#include "tests/fuzz/mutate.h"

// These names are libFuzzer's.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed) {
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, max);
    return fuzz_mutate(data, size, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max, unsigned seed) {
    return fuzz_cross((Str){(const char *)a, a_size},
                      (Str){(const char *)b, b_size}, out, max, seed);
}
