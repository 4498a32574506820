// SPDX-License-Identifier: Apache-2.0
// The handlers for one level of the CPU's instruction set. The same sources,
// exec/*.c, can be compiled for each level; the best level that the CPU has is
// used. The levels of x86-64 are those of its psABI: v2 (SSE4.2), v3 (AVX2,
// FMA), v4 (AVX-512). Other CPUs, and builds with sanitizers, have one level,
// "base". All levels give the same bits. `make` compiles the best level of the
// CPU that it runs on, `make ISAS=all` all levels of x86-64.
#ifndef CLCLAB_VM_DECODE_ISA_H
#define CLCLAB_VM_DECODE_ISA_H

#include "vm/decode/decode.h"

typedef void (*VmDecodeFamily)(VmDecoder *d);

struct VmIsa {
    const char *name;
    VmDecodeFamily families[PTX_OP_COUNT]; // NULL: not supported
    VmRef (*decode_sreg)(VmDecoder *d, PtxSreg sreg, uint32_t size);
    VmHandler unsupported, local_address;
};

// Level `index` of those that were compiled and that this CPU has, the best one
// first. NULL: there are no more.
const VmIsa *vm_isa(size_t index);

#endif
