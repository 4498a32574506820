// SPDX-License-Identifier: Apache-2.0
// fatbin: the device code in what nvcc makes, and the PTX of it. The input may
// be untrusted: nothing outside of it is read, and what it claims about sizes
// is believed only within limits.
//
// A fat binary is what a compilation leaves for a device:
//
//   0         16                     a header: magic, version, its own size,
//   +---------+---------+-------+    and the size of what follows it
//   | header  | entry   | entry | ...
//   +---------+---------+-------+    an entry: a header of its own, which says
//                                    what kind of code for which architecture,
//                                    and the code, which may be compressed
//
// A program has one for each of its sources, in a section of its file.
#ifndef CLCLAB_FATBIN_H
#define CLCLAB_FATBIN_H

#include "base/base.h"

typedef enum FatbinEnd {
    FATBIN_FOUND,
    FATBIN_NO_PTX,    // it has code for other architectures, or no PTX at all
    FATBIN_DAMAGED,   // it is nothing of this kind, or not whole
    FATBIN_NO_ZSTD,   // it is compressed, and libzstd.so.1 is not there
    FATBIN_TOO_LARGE, // decompressed it would be: see FATBIN_MOST_PTX
} FatbinEnd;

enum { FATBIN_MOST_PTX = 1 << 28 }; // bytes, decompressed

typedef struct FatbinEntry {
    uint32_t arch; // 100; 0: unknown
    char only;     // 'a': for that one alone (sm_100a), 'f': for its family
    bool is_ptx;   // else it is machine code, or a linker's
    uint64_t flags;
    Str code;      // as it is stored
    uint64_t size; // bytes, when it is decompressed
} FatbinEntry;

// ---- a fat binary --------------------------------------------------------

typedef struct FatbinImage {
    FatbinEntry *entries;
    size_t count, capacity;
    // It is a part of what the device's linker makes (nvcc -rdc=true).
    bool is_part;
} FatbinImage;

// How many bytes the fat binary has that begins there, as its header says; 0:
// there is none. At least 16 bytes can be read.
size_t fatbin_size(const void *start);
// FATBIN_FOUND, though it may have no entries, or FATBIN_DAMAGED.
FatbinEnd fatbin_read(Arena *arena, Str bytes, FatbinImage *image);
// The entry with PTX for the newest architecture that is not newer than `most`
// (100: sm_100). That of sm_100a is the best on sm_100, and good for nothing
// else. NULL: there is none.
const FatbinEntry *fatbin_best(const FatbinImage *image, uint32_t most);
// The PTX of an entry: a text without a zero byte, in the arena or where the
// entry is. What it takes is taken off *room, in bytes.
FatbinEnd fatbin_unpack(Arena *arena, const FatbinEntry *entry, uint64_t *room,
                        Str *ptx);
// The best PTX of the fat binary.
FatbinEnd fatbin_find_ptx(Arena *arena, Str bytes, uint32_t most, Str *ptx);

// Decodes one block of LZ4 into exactly `size` bytes.
bool fatbin_lz4(Str packed, char *out, size_t size);

// ---- a file --------------------------------------------------------------

typedef struct FatbinFile {
    FatbinImage *images;
    size_t count, capacity;
} FatbinFile;

// Whether the bytes begin as a file does that may hold device code.
bool fatbin_is_file(Str bytes);
// All fat binaries of a file: a fat binary itself, a program, a shared library,
// an object file, a static library; or machine code for a device (.cubin),
// which holds PTX where it was compiled for a debugger. FATBIN_FOUND, though
// there may be none, or FATBIN_DAMAGED.
FatbinEnd fatbin_read_file(Arena *arena, Str bytes, FatbinFile *file);
// What a 64-bit ELF file has in its section of that name. False: it has none.
bool fatbin_find_section(Str bytes, Str name, Str *content);

#endif
