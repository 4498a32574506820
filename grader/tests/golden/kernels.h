// SPDX-License-Identifier: Apache-2.0
// What the recording on a GPU and the test in the virtual machine must agree on
// about kernels/*.cu: how a kernel is launched, its inputs, how its output is
// summed up. C11 and C++. A kernel is announced by one line of its source:
//
//   // golden NAME [words=W] [grid=G] [block=B] [cluster=C] [smem=BYTES]
//   //        [approx=f32:ULPS[:ABSOLUTE]] or f64         (all in one line)
//   //        [loose=WORD:ULPS]           the bound of one word that is wider
//
// and is called as NAME(const unsigned *in, unsigned *out, int n): n threads in
// all, KERNEL_INPUTS words in, W * n words out: word k of thread i is
// out[k * n + i]. An f64 (approx=f64) is the words 2k (low) and 2k + 1.
#ifndef CLCLAB_GOLDEN_KERNELS_H
#define CLCLAB_GOLDEN_KERNELS_H

#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KERNEL_INPUTS = 4096, // words
    KERNEL_SHOWN = 192,   // words of an exact output that are kept as words
};

typedef struct KernelSpec {
    char name[64];
    uint32_t words, grid, block, cluster, smem;
    uint32_t approx; // 0: bit-equal; 32, 64: floats within the next two
    double ulps, absolute;
    uint32_t loose; // word whose bound is loose_ulps; UINT32_MAX: none
    double loose_ulps;
} KernelSpec;

// Word i of the inputs: any bits, special words, floats of moderate size,
// small integers of either sign.
static inline uint32_t kernel_input(uint32_t i) {
    static const uint32_t special[] = {
        0,          1,          2,          3,          31,         32,
        0x7F,       0x80,       0xFF,       0x7FFF,     0x8000,     0xFFFF,
        0x10000,    0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x3F800000,
        0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x807FFFFF,
        0x00800000, 0x7F7FFFFF, 0x4B000001, 0x3F000000, 0x4F000000, 0xCF000000,
        0x3FC00000, 0x40490FDB, 0x3F7FFFFF, 0x33800000, 0x7BFF7C00, 0x3C003C01,
    };
    uint64_t h = golden_mix(i + 0x51D00000u), pick = golden_mix(h);
    switch (i % 4) {
    case 0:
        return (uint32_t)h;
    case 1:
        return special[pick % (sizeof special / sizeof special[0])];
    case 2:
        return ((uint32_t)h & 0x807FFFFFu) | (uint32_t)(pick % 40 + 108) << 23;
    default:
        return (uint32_t)(pick % 2001) - 1000u;
    }
}

// FNV-1a, 64 bits, over the words' bytes, low byte first.
static inline uint64_t kernel_hash(const uint32_t *words, size_t count) {
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < 4 * count; i++)
        h = (h ^ ((words[i / 4] >> (8 * (i % 4))) & 0xFF)) * 0x100000001B3u;
    return h;
}

static inline void kernel_option(KernelSpec *spec, const char *key,
                                 const char *value) {
    uint32_t number = (uint32_t)strtoul(value, NULL, 10);
    if (!strcmp(key, "words"))
        spec->words = number;
    else if (!strcmp(key, "grid"))
        spec->grid = number;
    else if (!strcmp(key, "block"))
        spec->block = number;
    else if (!strcmp(key, "cluster"))
        spec->cluster = number;
    else if (!strcmp(key, "smem"))
        spec->smem = number;
    else if (!strcmp(key, "approx") && strlen(value) > 4) {
        char *end;
        spec->approx = value[1] == '6' ? 64 : 32;
        spec->ulps = strtod(value + 4, &end);
        spec->absolute = *end == ':' ? strtod(end + 1, NULL) : 0;
    } else if (!strcmp(key, "loose") && strchr(value, ':')) {
        spec->loose = number;
        spec->loose_ulps = strtod(strchr(value, ':') + 1, NULL);
    } else
        spec->words = 0; // a misspelt line: no kernel has no output
}

// The next kernel that `text` announces; returns what is behind its line, or
// NULL where there is none.
static inline const char *kernel_next(const char *text, KernelSpec *spec) {
    const char *at = strstr(text, "\n// golden ");
    if (!at)
        return NULL;
    at += strlen("\n// golden ");
    size_t length = strcspn(at, "\n");
    char line[512] = "", *save = NULL;
    memcpy(line, at, length < sizeof line - 1 ? length : sizeof line - 1);
    memset(spec, 0, sizeof *spec);
    spec->words = spec->grid = spec->block = 4;
    spec->block = 128;
    spec->cluster = 1;
    spec->loose = UINT32_MAX;
    char *word = strtok_r(line, " ", &save);
    snprintf(spec->name, sizeof spec->name, "%s", word ? word : "?");
    while ((word = strtok_r(NULL, " ", &save))) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        kernel_option(spec, word, value ? value : "");
    }
    return at + length;
}

static inline uint32_t kernel_threads(const KernelSpec *spec) {
    return spec->grid * spec->block;
}

// Words of the output of which the words themselves are recorded.
static inline size_t kernel_shown(const KernelSpec *spec) {
    size_t all = (size_t)spec->words * kernel_threads(spec);
    return spec->approx || all < KERNEL_SHOWN ? all : KERNEL_SHOWN;
}

#endif
