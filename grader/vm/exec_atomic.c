// SPDX-License-Identifier: Apache-2.0
// Atomics: atom and red (PTX ISA, 9.7.13). Left out: vectors, 16-bit floats,
// b128.
#include "vm/decode.h"
#include "vm/exec.h"
#include "vm/machine.h"

typedef enum AtomicOp {
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
} AtomicOp;

static uint64_t add_floats(uint64_t a, uint64_t b, PtxType type) {
    uint64_t out = 0;
    if (type == PTX_F64) {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&out, &x, 8);
    } else {
        float x, y;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x += y;
        memcpy(&out, &x, 4);
    }
    return out;
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

static uint64_t combine(AtomicOp op, PtxType type, uint64_t old, uint64_t b,
                        uint64_t c) {
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
        return ptx_type_is_float(type) ? add_floats(old, b, type) : old + b;
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

static VmNext op_atom(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint8_t *at = vm_memory(w, in, l, vm_lane_address(w, in, l), in->width,
                                ACCESS_ATOMIC);
        if (!at)
            return VM_STOP;
        uint64_t old = 0, b = vm_lane_u64(w, in->src[1], l), c = 0;
        if (in->src_count > 2)
            c = vm_lane_u64(w, in->src[2], l);
        memcpy(&old, at, in->width);
        uint64_t now =
            combine((AtomicOp)in->flags, (PtxType)in->type, old, b, c);
        memcpy(at, &now, in->width);
        if (in->dst_count)
            vm_set_lane_u64(w, in->dst[0], l, old);
    }
    VM_NEXT;
}

static bool take_operation(VmDecoder *d, AtomicOp *op) {
    static const uint16_t mods[] = {
        [ATOMIC_AND] = PTX_MOD_AND,   [ATOMIC_OR] = PTX_MOD_OR,
        [ATOMIC_XOR] = PTX_MOD_XOR,   [ATOMIC_CAS] = PTX_MOD_CAS,
        [ATOMIC_EXCH] = PTX_MOD_EXCH, [ATOMIC_ADD] = PTX_MOD_ADD,
        [ATOMIC_INC] = PTX_MOD_INC,   [ATOMIC_DEC] = PTX_MOD_DEC,
        [ATOMIC_MIN] = PTX_MOD_MIN,   [ATOMIC_MAX] = PTX_MOD_MAX,
    };
    for (size_t i = 0; i < COUNT_OF(mods); i++)
        if (vm_take(d, (PtxMod)mods[i])) {
            *op = (AtomicOp)i;
            return true;
        }
    return false;
}

void vm_decode_atomic(VmDecoder *d) {
    vm_take_types(d);
    vm_take_space(d);
    vm_take_order(d);
    AtomicOp op = ATOMIC_ADD;
    PtxType type = d->in->types[0];
    uint32_t width = ptx_type_size(type);
    bool has_result = d->in->op == PTX_OP_ATOM;
    uint32_t place = has_result ? 1 : 0;
    bool floats = ptx_type_is_float(type);
    if (!take_operation(d, &op) || (width != 4 && width != 8) ||
        type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_F32X2 ||
        (floats && op != ATOMIC_ADD && op != ATOMIC_EXCH) ||
        d->in->operand_count != place + (op == ATOMIC_CAS ? 3u : 2u)) {
        vm_unsupported(d, "this atomic operation for this type");
        return;
    }
    VmRef base, b, c = {0}, dst = {0};
    uint64_t imm;
    vm_address(d, place, &base, &imm);
    b = vm_src(d, place + 1, width);
    if (op == ATOMIC_CAS)
        c = vm_src(d, place + 2, width);
    if (has_result)
        dst = vm_dst(d, 0, width);
    VmInstr *in = vm_emit_plain(d, op_atom);
    in->flags = op;
    in->width = (uint8_t)width;
    in->space = (uint8_t)ptx_space(d->in);
    in->imm = imm;
    vm_emit_src(in, base);
    vm_emit_src(in, b);
    if (op == ATOMIC_CAS)
        vm_emit_src(in, c);
    if (has_result)
        vm_emit_dst(in, dst);
}
