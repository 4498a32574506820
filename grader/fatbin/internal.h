// SPDX-License-Identifier: Apache-2.0
// What the files of fatbin/ share.
#ifndef CLCLAB_FATBIN_INTERNAL_H
#define CLCLAB_FATBIN_INTERNAL_H

#include "fatbin/fatbin.h"

// An unsigned number, little-endian, of `width` bytes, which are there.
static inline uint64_t fatbin_number(Str bytes, size_t at, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)(uint8_t)bytes.ptr[at + i] << 8 * i;
    return value;
}

// Whether `size` bytes are there from `at` on.
static inline bool fatbin_holds(Str bytes, uint64_t at, uint64_t size) {
    return at <= bytes.len && size <= bytes.len - at;
}

static const uint64_t FATBIN_LZ4 = 0x2000, FATBIN_ZSTD = 0x8000;

// elf.c: the sections of a 64-bit little-endian ELF file.
typedef struct Elf {
    Str bytes;
    uint64_t table; // where the sections' headers begin
    uint64_t count; // of sections
    Str names;
    uint32_t machine, flags, abi;
} Elf;
bool elf_open(Str bytes, Elf *elf);
// Section `index`. False: it is not within the file.
bool elf_section(const Elf *elf, uint64_t index, Str *name, Str *content);

#endif
