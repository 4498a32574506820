// SPDX-License-Identifier: Apache-2.0
// The PTX in a fat binary, which is what nvcc puts into a program for its
// kernels. The input may be untrusted: nothing outside of it is read.
//
//   0         16                     a header: magic, version, its own size,
//   and
//   +---------+---------+-------+    the size of what follows it
//   | header  | entry   | entry | ...
//   +---------+---------+-------+    an entry: a header of its own, which says
//                                    what kind of code for which architecture,
//                                    and the code, which may be compressed
#ifndef CLCLAB_RUNTIME_FATBIN_H
#define CLCLAB_RUNTIME_FATBIN_H

#include "base/base.h"

typedef enum FatbinEnd {
    FATBIN_FOUND,
    FATBIN_NO_PTX,  // it has code for other architectures, or machine code only
    FATBIN_DAMAGED, // it is no fat binary, or not whole
    FATBIN_NO_ZSTD, // it is compressed with zstd, and the library is not there
} FatbinEnd;

// How many bytes the fat binary has that begins there, as its header says; 0:
// there is none. At least 16 bytes can be read.
size_t fatbin_size(const void *start);
// The PTX for the newest architecture that is not newer than `most` (100:
// sm_100). That of sm_100a is for sm_100 alone and the best there. *ptx lies in
// the arena or in `image`.
FatbinEnd fatbin_find_ptx(Arena *arena, Str image, uint32_t most, Str *ptx);

// Decodes one block of LZ4 into exactly `size` bytes.
bool fatbin_lz4(Str packed, char *out, size_t size);

#endif
