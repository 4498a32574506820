// SPDX-License-Identifier: Apache-2.0
// Hashes and the seeded generator, both built on splitmix64 (Steele, Lea and
// Flood, OOPSLA 2014). `random:SEED` promises splitmix64's output, so the
// algorithm must not change.
#include "base/base.h"

#include <string.h>

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t hash_u64(uint64_t value) {
    return mix(value + GOLDEN);
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len) {
    const unsigned char *p = bytes;
    uint64_t h = hash_u64(seed ^ len);
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = hash_u64(h ^ word);
    }
    uint64_t tail = 0;
    if (len)
        memcpy(&tail, p, len);
    return hash_u64(h ^ tail);
}

uint64_t rng_next(Rng *rng) {
    rng->state += GOLDEN;
    return mix(rng->state);
}

uint64_t rng_below(Rng *rng, uint64_t bound) {
    __extension__ typedef unsigned __int128 U128;
    return (uint64_t)(((U128)rng_next(rng) * bound) >> 64);
}

Rng rng_stream(uint64_t seed, uint64_t stream) {
    return (Rng){hash_u64(hash_u64(seed) ^ stream)};
}
