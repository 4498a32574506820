// SPDX-License-Identifier: Apache-2.0
// Reads a fat binary: its entries, and which of them is the best.
#include "fatbin/internal.h"

#include <string.h>

enum {
    MAGIC = 0x50, // bytes: 50 ed 55 ba
    HEADER = 16,  // bytes
    ENTRY = 64,   // bytes of an entry's header that are used here
    KIND_PTX = 1,
};

static const uint64_t FLAG_ALONE = 0x100000, FLAG_FAMILY = 0x200000;

static bool has_header(Str image) {
    static const uint8_t magic[] = {MAGIC, 0xed, 0x55, 0xba};
    return image.len >= HEADER && memcmp(image.ptr, magic, sizeof magic) == 0;
}

size_t fatbin_size(const void *start) {
    Str head = {start, HEADER};
    if (!has_header(head))
        return 0;
    uint64_t rest = fatbin_number(head, 8, 8);
    return rest < SIZE_MAX / 2 ? (size_t)(fatbin_number(head, 6, 2) + rest) : 0;
}

// Cuts the first entry off. False: it is not whole.
static bool next_entry(Str *rest, FatbinEntry *entry) {
    if (rest->len < ENTRY)
        return false;
    uint64_t header = fatbin_number(*rest, 4, 4);
    uint64_t padded = fatbin_number(*rest, 8, 8);
    uint64_t packed = fatbin_number(*rest, 16, 4);
    if (header < ENTRY || header > rest->len || padded > rest->len - header)
        return false;
    uint64_t flags = fatbin_number(*rest, 40, 8);
    *entry = (FatbinEntry){.is_ptx = fatbin_number(*rest, 0, 2) == KIND_PTX,
                           .arch = (uint32_t)fatbin_number(*rest, 28, 4),
                           .only = flags & FLAG_ALONE    ? 'a'
                                   : flags & FLAG_FAMILY ? 'f'
                                                         : '\0',
                           .flags = flags,
                           .size = fatbin_number(*rest, 56, 8)};
    size_t end = (size_t)(header + padded);
    entry->code = str_slice(*rest, (size_t)header, end);
    if (flags & (FATBIN_LZ4 | FATBIN_ZSTD)) {
        if (packed > padded)
            return false;
        entry->code.len = (size_t)packed;
    }
    *rest = str_slice(*rest, end, rest->len);
    return true;
}

FatbinEnd fatbin_read(Arena *arena, Str bytes, FatbinImage *image) {
    *image = (FatbinImage){0};
    if (!has_header(bytes))
        return FATBIN_DAMAGED;
    uint64_t header = fatbin_number(bytes, 6, 2);
    uint64_t size = fatbin_number(bytes, 8, 8);
    if (header < HEADER || header > bytes.len || size > bytes.len - header)
        return FATBIN_DAMAGED;
    Str rest = str_slice(bytes, (size_t)header, (size_t)(header + size));
    while (rest.len > 0) {
        FatbinEntry entry;
        if (!next_entry(&rest, &entry))
            return FATBIN_DAMAGED;
        arena_grow(arena, image->entries, image->count, image->capacity);
        image->entries[image->count++] = entry;
    }
    return FATBIN_FOUND;
}

// ---- the best ------------------------------------------------------------

static bool fits(const FatbinEntry *entry, uint32_t most) {
    if (entry->arch > most || entry->arch == 0)
        return false;
    if (entry->only == 'a')
        return entry->arch == most;
    return entry->only != 'f' || entry->arch / 10 == most / 10;
}

static bool is_better(const FatbinEntry *entry, const FatbinEntry *best) {
    static const char rank[] = "fa"; // one for a single target knows the most
    if (!best || entry->arch != best->arch)
        return !best || entry->arch > best->arch;
    const char *mine = entry->only ? strchr(rank, entry->only) : NULL;
    const char *its = best->only ? strchr(rank, best->only) : NULL;
    return mine && (!its || mine > its);
}

const FatbinEntry *fatbin_best(const FatbinImage *image, uint32_t most) {
    const FatbinEntry *best = NULL;
    for (size_t i = 0; i < image->count; i++) {
        const FatbinEntry *entry = &image->entries[i];
        if (entry->is_ptx && fits(entry, most) && is_better(entry, best))
            best = entry;
    }
    return best;
}

FatbinEnd fatbin_find_ptx(Arena *arena, Str bytes, uint32_t most, Str *ptx) {
    FatbinImage image;
    uint64_t room = FATBIN_MOST_PTX;
    *ptx = (Str){0};
    FatbinEnd end = fatbin_read(arena, bytes, &image);
    if (end != FATBIN_FOUND)
        return end;
    const FatbinEntry *best = fatbin_best(&image, most);
    return best ? fatbin_unpack(arena, best, &room, ptx) : FATBIN_NO_PTX;
}
