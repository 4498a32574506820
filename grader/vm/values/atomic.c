// SPDX-License-Identifier: Apache-2.0
// What atomic operations compute (PTX ISA, "atom"): read vm_atomic_value.
#include "vm/values/atomic.h"

#include "vm/machine/lanes.h"

static const uint16_t OPERATIONS[] = {
    [ATOMIC_AND] = PTX_MOD_AND,   [ATOMIC_OR] = PTX_MOD_OR,
    [ATOMIC_XOR] = PTX_MOD_XOR,   [ATOMIC_CAS] = PTX_MOD_CAS,
    [ATOMIC_EXCH] = PTX_MOD_EXCH, [ATOMIC_ADD] = PTX_MOD_ADD,
    [ATOMIC_INC] = PTX_MOD_INC,   [ATOMIC_DEC] = PTX_MOD_DEC,
    [ATOMIC_MIN] = PTX_MOD_MIN,   [ATOMIC_MAX] = PTX_MOD_MAX,
};

bool vm_take_atomic(VmDecoder *d, VmAtomicOp *op) {
    for (size_t i = 0; i < COUNT_OF(OPERATIONS); i++)
        if (vm_take(d, (PtxMod)OPERATIONS[i])) {
            *op = (VmAtomicOp)i;
            return true;
        }
    return false;
}

static bool is_half(PtxType type) {
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 ||
           type == PTX_BF16X2;
}

bool vm_atomic_exists(VmAtomicOp op, PtxType type) {
    uint32_t width = ptx_type_size(type);
    switch (op) {
    case ATOMIC_CAS:
        return width >= 2 && !ptx_type_is_float(type);
    case ATOMIC_EXCH:
        return width >= 4;
    case ATOMIC_ADD:
        if (is_half(type))
            return true;
        break;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
        if (is_half(type))
            return true;
        return (width == 4 || width == 8) && !ptx_type_is_float(type);
    case ATOMIC_INC:
    case ATOMIC_DEC:
        return type == PTX_U32;
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
        return (width == 4 || width == 8) && !ptx_type_is_float(type);
    }
    return (width == 4 || width == 8) && type != PTX_F32X2 && type != PTX_TF32;
}

static uint32_t add_f32(uint32_t a, uint32_t b, bool flush) {
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = flush ? vm_flush(vm_flush(x) + vm_flush(y)) : x + y;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7FFFFFFF; // the only NaN of f32 arithmetic
}

static uint64_t add_f64(uint64_t a, uint64_t b) {
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

static uint64_t add(PtxType type, bool flush, uint64_t a, uint64_t b) {
    if (type == PTX_F64)
        return add_f64(a, b);
    return type == PTX_F32 ? add_f32((uint32_t)a, (uint32_t)b, flush) : a + b;
}

static bool is_less(uint64_t a, uint64_t b, PtxType type) {
    switch ((int)type) {
    case PTX_S32:
        return (int32_t)a < (int32_t)b;
    case PTX_S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

static uint64_t half_value(VmAtomicOp op, PtxType type, uint64_t old,
                           uint64_t b) {
    bool is_bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    uint64_t low = vm_atomic_half(op, is_bf16, (uint16_t)old, (uint16_t)b);
    if (type == PTX_F16 || type == PTX_BF16)
        return low;
    return low | (uint64_t)vm_atomic_half(op, is_bf16, (uint16_t)(old >> 16),
                                          (uint16_t)(b >> 16))
                     << 16;
}

uint64_t vm_atomic_value(VmAtomicOp op, PtxType type, bool flush, uint64_t old,
                         uint64_t b, uint64_t c) {
    if (is_half(type) && op != ATOMIC_CAS && op != ATOMIC_EXCH)
        return half_value(op, type, old, b);
    switch (op) {
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_CAS:
        return old == b ? c : old;
    case ATOMIC_EXCH:
        return b;
    case ATOMIC_ADD:
        return add(type, flush, old, b);
    case ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOMIC_MIN:
        return is_less(b, old, type) ? b : old;
    case ATOMIC_MAX:
        return is_less(old, b, type) ? b : old;
    }
    return old;
}

void vm_atomic_range(VmAtomicOp op, PtxType type, bool flush, uint8_t *to,
                     const uint8_t *from, size_t bytes) {
    size_t width = ptx_type_size(type);
    for (size_t i = 0; i + width <= bytes; i += width) {
        uint64_t old = 0, b = 0;
        memcpy(&old, to + i, width);
        memcpy(&b, from + i, width);
        old = vm_atomic_value(op, type, flush, old, b, 0);
        memcpy(to + i, &old, width);
    }
}
