// SPDX-License-Identifier: Apache-2.0
// The operations of atomics, for atom and red, for red.async, and for the
// reductions of bulk copies. atomic.c; those on 16-bit floats are in
// atomic_half.c.
#ifndef CLCLAB_VM_VALUES_ATOMIC_H
#define CLCLAB_VM_VALUES_ATOMIC_H

#include "vm/decode/decode.h"

typedef enum VmAtomicOp {
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_CAS,
    ATOMIC_EXCH,
    ATOMIC_ADD,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MIN,
    ATOMIC_MAX,
} VmAtomicOp;

// Takes the suffix that names the operation. False: there is none.
bool vm_take_atomic(VmDecoder *d, VmAtomicOp *op);
// Whether there is such an operation on values of this type.
bool vm_atomic_exists(VmAtomicOp op, PtxType type);
// The value in memory after the operation on `old` with `b` (and `c`, for cas).
// Values are of `type`, at most 8 bytes, in the low bits. `flush`: additions of
// f32 treat subnormals as zeros, as they do in global memory.
uint64_t vm_atomic_value(VmAtomicOp op, PtxType type, bool flush, uint64_t old,
                         uint64_t b, uint64_t c);
// Combines `count` values at `to` with those at `from`; the results are stored
// at `to`.
void vm_atomic_range(VmAtomicOp op, PtxType type, bool flush, uint8_t *to,
                     const uint8_t *from, size_t bytes);

// One f16 or bf16 value: add, min, max.
uint16_t vm_atomic_half(VmAtomicOp op, bool is_bf16, uint16_t old, uint16_t b);

#endif
