// SPDX-License-Identifier: Apache-2.0
// Decompresses an entry of a fat binary: fatbin_unpack, at the end.
#include "fatbin/internal.h"

#include <dlfcn.h>
#include <string.h>

// ---- LZ4 -----------------------------------------------------------------

enum { LZ4_MOST = 255 }; // bytes that a byte can stand for

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
        size_t distance = (size_t)fatbin_number(packed, 0, 2);
        packed = str_slice(packed, 2, packed.len);
        if (!more_length(&packed, &match) || distance == 0 || distance > at ||
            match + 4 > size - at)
            return false;
        for (match += 4; match > 0; match--, at++)
            out[at] = out[at - distance];
    }
    return at == size;
}

static FatbinEnd unpack_lz4(Str packed, char *out, size_t size) {
    return fatbin_lz4(packed, out, size) ? FATBIN_FOUND : FATBIN_DAMAGED;
}

// ---- zstd ----------------------------------------------------------------

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

// ---- an entry ------------------------------------------------------------

// Whether so many bytes can come out of the code: those that LZ4 cannot make
// are not even made room for.
static FatbinEnd check_size(const FatbinEntry *entry, uint64_t room) {
    if (entry->size > room)
        return FATBIN_TOO_LARGE;
    bool is_zstd = entry->flags & FATBIN_ZSTD;
    return is_zstd || entry->size / LZ4_MOST <= entry->code.len
               ? FATBIN_FOUND
               : FATBIN_DAMAGED;
}

FatbinEnd fatbin_unpack(Arena *arena, const FatbinEntry *entry, uint64_t *room,
                        Str *ptx) {
    *ptx = entry->code;
    if (entry->flags & (FATBIN_LZ4 | FATBIN_ZSTD)) {
        FatbinEnd end = check_size(entry, *room);
        if (end != FATBIN_FOUND)
            return end;
        size_t size = (size_t)entry->size;
        char *out = arena_new(arena, char, size + 1);
        *room -= size;
        *ptx = (Str){out, size};
        end = entry->flags & FATBIN_ZSTD ? unpack_zstd(entry->code, out, size)
                                         : unpack_lz4(entry->code, out, size);
        if (end != FATBIN_FOUND)
            return end;
    }
    ptx->len = str_find(*ptx, '\0'); // zeros fill it up
    return FATBIN_FOUND;
}
