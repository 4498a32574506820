// SPDX-License-Identifier: Apache-2.0
// Reads fat binaries; read fatbin_find_ptx, at the end.
#include "runtime/fatbin.h"

#include <dlfcn.h>
#include <string.h>

enum {
    MAGIC = 0x50, // bytes: 50 ed 55 ba
    HEADER = 16,  // bytes
    ENTRY = 64,   // bytes of an entry's header that are used here
    KIND_PTX = 1,
    MOST_PTX = 1 << 28, // bytes
};

static const uint64_t FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000,
                      FLAG_SPECIFIC = 0x100000; // sm_100a

typedef struct Entry {
    uint32_t arch; // 100
    uint64_t flags;
    Str code;      // as it is stored
    uint64_t size; // bytes, when it is decompressed
} Entry;

static uint64_t number_at(Str bytes, size_t at, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)(uint8_t)bytes.ptr[at + i] << 8 * i;
    return value;
}

static bool has_header(Str image) {
    static const uint8_t magic[] = {MAGIC, 0xed, 0x55, 0xba};
    return image.len >= HEADER && memcmp(image.ptr, magic, sizeof magic) == 0;
}

size_t fatbin_size(const void *start) {
    Str head = {start, HEADER};
    if (!has_header(head))
        return 0;
    uint64_t rest = number_at(head, 8, 8);
    return rest < SIZE_MAX / 2 ? (size_t)(number_at(head, 6, 2) + rest) : 0;
}

// ---- decompression -------------------------------------------------------

// A length of which the token has 15: more bytes follow while they are 255.
static bool more_length(Str *packed, size_t *length) {
    uint8_t byte = 255;
    for (bool more = *length == 15; more; more = byte == 255) {
        if (packed->len == 0)
            return false;
        byte = (uint8_t)packed->ptr[0];
        *packed = str_slice(*packed, 1, packed->len);
        *length += byte;
    }
    return true;
}

// LZ4's block format: a token (lengths of the literals and of the match), the
// literals, two bytes of distance.
bool fatbin_lz4(Str packed, char *out, size_t size) {
    size_t at = 0;
    while (packed.len > 0) {
        uint8_t token = (uint8_t)packed.ptr[0];
        size_t literals = token >> 4, match = token & 15;
        packed = str_slice(packed, 1, packed.len);
        if (!more_length(&packed, &literals) || literals > packed.len ||
            literals > size - at)
            return false;
        memcpy(out + at, packed.ptr, literals);
        at += literals;
        packed = str_slice(packed, literals, packed.len);
        if (packed.len == 0)
            return at == size;
        if (packed.len < 2)
            return false;
        size_t distance = (size_t)number_at(packed, 0, 2);
        packed = str_slice(packed, 2, packed.len);
        if (!more_length(&packed, &match) || distance == 0 || distance > at ||
            match + 4 > size - at)
            return false;
        for (match += 4; match > 0; match--, at++)
            out[at] = out[at - distance];
    }
    return at == size;
}

typedef size_t ZstdDecompress(void *to, size_t room, const void *from,
                              size_t size);

// The library is only loaded when it is needed, so that nothing else needs it.
static FatbinEnd unpack_zstd(Str packed, char *out, size_t size) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return FATBIN_NO_ZSTD;
    ZstdDecompress *decompress;
    *(void **)&decompress = dlsym(library, "ZSTD_decompress");
    FatbinEnd end = FATBIN_NO_ZSTD;
    if (decompress)
        end = decompress(out, size, packed.ptr, packed.len) == size
                  ? FATBIN_FOUND
                  : FATBIN_DAMAGED;
    dlclose(library);
    return end;
}

static FatbinEnd unpack(Arena *arena, const Entry *entry, Str *ptx) {
    *ptx = entry->code;
    if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        if (entry->size > MOST_PTX)
            return FATBIN_DAMAGED;
        size_t size = (size_t)entry->size;
        char *out = arena_new(arena, char, size + 1);
        *ptx = (Str){out, size};
        FatbinEnd end = FATBIN_FOUND;
        if (entry->flags & FLAG_ZSTD)
            end = unpack_zstd(entry->code, out, size);
        else if (!fatbin_lz4(entry->code, out, size))
            end = FATBIN_DAMAGED;
        if (end != FATBIN_FOUND)
            return end;
    }
    ptx->len = str_find(*ptx, '\0'); // zeros fill it up
    return FATBIN_FOUND;
}

// ---- entries -------------------------------------------------------------

// Cuts the first entry off. False: it is not whole.
static bool next_entry(Str *rest, uint64_t *kind, Entry *entry) {
    if (rest->len < ENTRY)
        return false;
    uint64_t header = number_at(*rest, 4, 4), padded = number_at(*rest, 8, 8);
    uint64_t packed = number_at(*rest, 16, 4);
    if (header < ENTRY || header > rest->len || padded > rest->len - header)
        return false;
    *kind = number_at(*rest, 0, 2);
    *entry = (Entry){.arch = (uint32_t)number_at(*rest, 28, 4),
                     .flags = number_at(*rest, 40, 8),
                     .size = number_at(*rest, 56, 8)};
    size_t end = (size_t)(header + padded);
    entry->code = str_slice(*rest, (size_t)header, end);
    if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        if (packed > padded)
            return false;
        entry->code.len = (size_t)packed;
    }
    *rest = str_slice(*rest, end, rest->len);
    return true;
}

static bool is_better(const Entry *entry, const Entry *best, uint32_t most) {
    bool specific = entry->flags & FLAG_SPECIFIC;
    if (entry->arch > most || (specific && entry->arch != most))
        return false;
    return entry->arch > best->arch || (entry->arch == best->arch && specific);
}

FatbinEnd fatbin_find_ptx(Arena *arena, Str image, uint32_t most, Str *ptx) {
    *ptx = (Str){0};
    if (!has_header(image))
        return FATBIN_DAMAGED;
    uint64_t header = number_at(image, 6, 2), size = number_at(image, 8, 8);
    if (header < HEADER || header > image.len || size > image.len - header)
        return FATBIN_DAMAGED;
    Str rest = str_slice(image, (size_t)header, (size_t)(header + size));
    Entry best = {0};
    while (rest.len > 0) {
        Entry entry;
        uint64_t kind;
        if (!next_entry(&rest, &kind, &entry))
            return FATBIN_DAMAGED;
        if (kind == KIND_PTX && is_better(&entry, &best, most))
            best = entry;
    }
    return best.arch ? unpack(arena, &best, ptx) : FATBIN_NO_PTX;
}
