// SPDX-License-Identifier: Apache-2.0
// Instructions that change no value in a machine without caches: prefetches,
// cache policies and priorities, and grid dependencies. Every form is decoded;
// discard and applypriority, which name memory that must exist, check that it
// does.
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/units/families.h"

enum { LINE = 128 }; // bytes that discard and applypriority cover

static VmNext op_nothing(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)w, (void)in, (void)mask;
    VM_NEXT;
}

static void take_all(VmDecoder *d, const PtxMod *mods, size_t count) {
    for (size_t i = 0; i < count; i++)
        vm_take(d, mods[i]);
}

// ---- grids ----------------------------------------------------------------

static void decode_grids(VmDecoder *d) {
    vm_take(d, PTX_MOD_LAUNCH_DEPENDENTS);
    vm_take(d, PTX_MOD_WAIT);
    vm_emit_plain(d, op_nothing);
}

// ---- caches --------------------------------------------------------------

static const PtxMod PRIORITIES[] = {
    PTX_MOD_L1,
    PTX_MOD_L2,
    PTX_MOD_L2_EVICT_LAST,
    PTX_MOD_L2_EVICT_NORMAL,
    PTX_MOD_L2_EVICT_FIRST,
    PTX_MOD_L2_EVICT_UNCHANGED,
};

// A prefetch from an invalid address does nothing on a GPU either.
static void decode_prefetch(VmDecoder *d) {
    VmRef base;
    uint64_t imm;
    vm_take(d, PTX_MOD_TENSORMAP);
    take_all(d, PRIORITIES, COUNT_OF(PRIORITIES));
    vm_take_space(d);
    vm_address(d, 0, &base, &imm);
    vm_emit_plain(d, op_nothing);
}

static void decode_tensor_prefetch(VmDecoder *d) {
    take_all(d, d->in->mods, d->in->mod_count);
    vm_emit_plain(d, op_nothing);
}

static VmNext op_line(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmExtent line = {LINE, LINE};
    EACH_LANE(l, mask) {
        VmWhere place;
        uint64_t address = vm_lane_address(w, in, l);
        if (in->cache_line.access == ACCESS_READ &&
            vm_memory_ends_in(w->vm, address, line))
            continue;
        if (!vm_memory_place(w, in, l, (PtxSpace)in->space, address, line,
                             (VmAccess)in->cache_line.access, &place))
            return VM_STOP;
    }
    VM_NEXT;
}

// discard leaves the line undefined, so it may as well keep its old bytes.
static void decode_line(VmDecoder *d) {
    VmRef base;
    uint64_t imm;
    take_all(d, PRIORITIES, COUNT_OF(PRIORITIES));
    PtxSpace space = vm_take_space(d);
    vm_address(d, 0, &base, &imm);
    const PtxOperand *size = &d->in->operands[1];
    if (size->kind != PTX_OPND_INT || size->imm != LINE)
        vm_unsupported(d, "a size other than 128");
    VmInstr *in = vm_emit_plain(d, op_line);
    in->cache_line.access =
        d->in->op == PTX_OP_DISCARD ? ACCESS_WRITE : ACCESS_READ;
    in->space = (uint8_t)space;
    in->offset = imm;
    vm_emit_src(d, in, base);
}

// ---- policies ------------------------------------------------------------

// src[0] is the value.
static VmNext op_policy(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t *d = DST(uint64_t, 0);
    const uint64_t *a = SRC(uint64_t, 0);
    LANES(d[l] = a[l]);
    VM_NEXT;
}

// A policy is an opaque number that nothing here reads; .cvt keeps the given
// property.
static void decode_policy(VmDecoder *d) {
    enum { POLICY = 0x10F00000 }; // upper half of every policy
    VmRef value, base;
    uint64_t imm;
    uint32_t count = d->in->operand_count;
    vm_take_types(d);
    vm_take_space(d);
    take_all(d, PRIORITIES, COUNT_OF(PRIORITIES));
    value = vm_const(d, 8, (uint64_t)POLICY << 32, 0);
    if (vm_take(d, PTX_MOD_CVT)) {
        value = vm_src(d, 1, 8);
    } else if (vm_take(d, PTX_MOD_RANGE)) {
        vm_address(d, 1, &base, &imm);
        vm_src(d, 2, 4);
        vm_src(d, 3, 4);
    } else if (vm_take(d, PTX_MOD_FRACTIONAL) && count > 1) {
        vm_src(d, 1, 4);
    }
    VmRef dst = vm_dst(d, 0, 8);
    VmInstr *in = vm_emit_plain(d, op_policy);
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, value);
}

void vm_decode_hint(VmDecoder *d) {
    switch ((int)d->in->op) {
    case PTX_OP_CREATEPOLICY:
        decode_policy(d);
        break;
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD:
        decode_line(d);
        break;
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
        decode_prefetch(d);
        break;
    case PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
        decode_tensor_prefetch(d);
        break;
    case PTX_OP_GRIDDEPCONTROL:
        decode_grids(d);
        break;
    default:
        break;
    }
}
