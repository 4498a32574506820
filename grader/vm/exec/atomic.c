// SPDX-License-Identifier: Apache-2.0
// Atomics: atom and red (PTX ISA, 9.7.13), on scalars, pairs, vectors and 128
// bits. values/atomic.c computes the operations. Order and scope make no
// difference here, because every access is performed immediately.
#include "vm/values/atomic.h"
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/order/order.h"

// Additions of f32 flush subnormals in global memory but not in shared memory
// (PTX ISA, "atom").
static bool flushes(const VmInstr *in, uint64_t address) {
    return in->space == PTX_SPACE_GLOBAL ||
           (in->space == PTX_SPACE_GENERIC &&
            vm_space_at(PTX_SPACE_GENERIC, address) != PTX_SPACE_SHARED);
}

// An atomic that leaves a value as it was changes nothing that others can see:
// a thread that polls by atomics makes no progress.
static void write_back(Vm *vm, uint8_t *at, const void *now, uint32_t bytes) {
    vm->turns.progress += memcmp(at, now, bytes) != 0;
    memcpy(at, now, bytes);
}

// Lanes whose operation has left the value at one address as it was: many that
// poll a word, or want one lock, do so together.
typedef struct Alike {
    uint64_t address;
    uint32_t lanes;
} Alike;

static void note_alike(VmWarp *w, const VmInstr *in, Alike *alike) {
    if (alike->lanes)
        vm_memory_unmodified(w, in, alike->lanes, alike->address);
    alike->lanes = 0;
}

static void note_failed(VmWarp *w, const VmInstr *in, Alike *failed) {
    if (failed->lanes)
        vm_memory_swapped(w, in, failed->lanes, failed->address, in->width);
    failed->lanes = 0;
}

// flags: the operation. src[0]: the address, src[1]: b.
static VmNext op_atom(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmAtomicOp op = (VmAtomicOp)in->atomic.operation;
    Alike alike = {0};
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint64_t address = vm_lane_address(w, in, l), old = 0;
        uint8_t *at = vm_memory_compare(w, in, l, address, in->width);
        if (!at)
            return VM_STOP;
        memcpy(&old, at, in->width);
        uint64_t now =
            vm_atomic_value(op, (PtxType)in->type, flushes(in, address), old,
                            vm_lane_u64(w, in->src[1], l), 0);
        bool stays = memcmp(at, &now, in->width) == 0;
        if (!stays || alike.address != address)
            note_alike(w, in, &alike);
        if (stays) {
            alike = (Alike){address, alike.lanes | 1u << l};
        } else {
            vm_memory_modified(w, in, l, address, at);
            write_back(w->vm, at, &now, in->width);
        }
        if (in->dst_count)
            vm_set_lane_u64(w, in->dst[0], l, old);
    }
    note_alike(w, in, &alike);
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// src[0]: the address, src[1]: what is expected, src[2]: what is stored.
static VmNext op_cas(VmWarp *w, const VmInstr *in, uint32_t mask) {
    Alike failed = {0};
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint64_t address = vm_lane_address(w, in, l), old = 0;
        uint8_t *at = vm_memory_compare(w, in, l, address, in->width);
        if (!at)
            return VM_STOP;
        memcpy(&old, at, in->width);
        uint64_t now = vm_lane_u64(w, in->src[2], l);
        bool stores = old == vm_lane_u64(w, in->src[1], l);
        if (stores || failed.address != address)
            note_failed(w, in, &failed);
        if (stores) {
            vm_memory_swapped(w, in, 1u << l, address, in->width);
            write_back(w->vm, at, &now, in->width);
        } else {
            failed = (Alike){address, failed.lanes | 1u << l};
        }
        if (in->dst_count)
            vm_set_lane_u64(w, in->dst[0], l, old);
    }
    note_failed(w, in, &failed);
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// cas and exch of 128 bits.
static VmNext op_atom_wide(VmWarp *w, const VmInstr *in, uint32_t mask) {
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint8_t *at = vm_memory(w, in, l, vm_lane_address(w, in, l), in->width,
                                ACCESS_ATOMIC);
        if (!at)
            return VM_STOP;
        const uint8_t *b = vm_at(w, in->src[1]) + (size_t)l * in->width;
        uint8_t old[16], now[16];
        memcpy(old, at, sizeof old);
        memcpy(now, b, sizeof now);
        if (in->atomic.operation == ATOMIC_CAS) {
            const uint8_t *c = vm_at(w, in->src[2]) + (size_t)l * in->width;
            memcpy(now, memcmp(old, b, sizeof old) ? old : c, sizeof now);
        }
        write_back(w->vm, at, now, sizeof now);
        if (in->dst_count)
            memcpy(vm_at(w, in->dst[0]) + (size_t)l * in->width, old,
                   sizeof old);
    }
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// Consecutive elements, each atomic on its own: src[1 + e], dst[e].
static VmNext op_atom_vector(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->elements;
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint64_t address = vm_lane_address(w, in, l);
        uint8_t *at = vm_memory(w, in, l, address, bytes, ACCESS_ATOMIC);
        if (!at)
            return VM_STOP;
        uint64_t values[8];
        for (uint32_t e = 0; e < in->elements; e++)
            values[e] = vm_lane_u64(w, vm_srcs(in)[1 + e], l);
        for (uint32_t e = 0; e < in->elements; e++, at += in->width) {
            uint64_t old = 0;
            memcpy(&old, at, in->width);
            uint64_t now = vm_atomic_value(
                (VmAtomicOp)in->atomic.operation, (PtxType)in->type,
                flushes(in, address), old, values[e], 0);
            write_back(w->vm, at, &now, in->width);
            if (in->dst_count)
                vm_set_lane_u64(w, vm_dsts(in)[e], l, old);
        }
    }
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// ---- decoding ------------------------------------------------------------

typedef struct AtomOperands {
    uint32_t vector, width; // number of elements; bytes of one
    VmRef base, values[8], other;
    VmRef results[8];
    uint32_t result_count;
    uint64_t imm;
} AtomOperands;

// The `want` elements of a vector operand, or the operand itself if it is a
// single value. NULL: unsupported.
static const PtxOperand *elements(VmDecoder *d, uint32_t index, uint32_t want) {
    if (index >= d->in->operand_count) {
        vm_unsupported(d, "this number of operands");
        return NULL;
    }
    const PtxOperand *op = &d->in->operands[index];
    uint32_t count = op->kind == PTX_OPND_VECTOR ? op->elem_count : 1;
    if (count == want)
        return op->kind == PTX_OPND_VECTOR ? op->elems : op;
    vm_unsupported(d, "a vector of this length");
    return NULL;
}

static void fetch_operands(VmDecoder *d, VmAtomicOp op, AtomOperands *out) {
    bool has_result = d->in->op == PTX_OP_ATOM;
    uint32_t place = has_result ? 1 : 0, next = place + 2;
    vm_address(d, place, &out->base, &out->imm);
    const PtxOperand *values = elements(d, place + 1, out->vector);
    for (uint32_t e = 0; values && e < out->vector; e++)
        out->values[e] = vm_operand_src(d, &values[e], out->width, false);
    if (op == ATOMIC_CAS)
        out->other = vm_src(d, next++, out->width);
    if (vm_take(d, PTX_MOD_L2_CACHE_HINT))
        vm_src(d, next++, 8);
    if (next != d->in->operand_count)
        vm_unsupported(d, "this number of operands");
    if (!has_result || d->in->operands[0].kind == PTX_OPND_SINK)
        return;
    const PtxOperand *results = elements(d, 0, out->vector);
    for (uint32_t e = 0; results && e < out->vector; e++)
        out->results[e] = vm_operand_dst(d, &results[e], out->width, false);
    out->result_count = out->vector;
}

static bool good_vector(const AtomOperands *o, VmAtomicOp op, PtxType type,
                        PtxSpace space) {
    if (o->vector == 1)
        return true;
    bool floats = type == PTX_F32 ? op == ATOMIC_ADD
                                  : ptx_type_is_float(type) && o->width < 8;
    return floats && op >= ATOMIC_ADD && o->vector * o->width <= 16 &&
           (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC);
}

void vm_decode_atomic(VmDecoder *d) {
    vm_take_types(d);
    vm_take_order(d, SEM_RELAXED, SCOPE_GPU);
    vm_take(d, PTX_MOD_NOFTZ);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    vm_take(d, PTX_MOD_V8);
    PtxSpace space = vm_take_space(d);
    PtxType type = d->in->types[0];
    VmAtomicOp op = ATOMIC_ADD;
    AtomOperands o = {.vector = ptx_vector(d->in),
                      .width = ptx_type_size(type)};
    if (!vm_take_atomic(d, &op) || !vm_atomic_exists(op, type) ||
        !good_vector(&o, op, type, space)) {
        vm_unsupported(d, "this atomic operation for this type");
        return;
    }
    fetch_operands(d, op, &o);
    VmInstr *in = vm_emit_plain(d, o.vector > 1       ? op_atom_vector
                                   : o.width == 16    ? op_atom_wide
                                   : op == ATOMIC_CAS ? op_cas
                                                      : op_atom);
    in->atomic.operation = (uint8_t)op;
    in->width = (uint8_t)o.width;
    in->elements = (uint8_t)o.vector;
    in->space = (uint8_t)space;
    in->offset = o.imm;
    vm_emit_src(d, in, o.base);
    for (uint32_t e = 0; e < o.vector; e++)
        vm_emit_src(d, in, o.values[e]);
    if (op == ATOMIC_CAS)
        vm_emit_src(d, in, o.other);
    for (uint32_t e = 0; e < o.result_count; e++)
        vm_emit_dst(d, in, o.results[e]);
}
