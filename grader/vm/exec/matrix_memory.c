// SPDX-License-Identifier: Apache-2.0
// wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix: matrices between memory
// and the registers of a whole warp (PTX ISA, 9.7.14).
//
// wmma: each lane accesses its own elements. ldmatrix: each row of 16 bytes is
// read by the lane that gives its address, and its elements go to four lanes.
#include "vm/exec/families.h"
#include "vm/exec/gather.h"
#include "vm/exec/matrix.h"
#include "vm/memory/memory.h"

enum { ROW = 16, ROWS = 8 }; // bytes of a row of an 8x8 matrix; its rows

// ---- wmma ----------------------------------------------------------------

typedef struct Stored {
    Fragment fragment;
    bool by_columns; // in memory
    bool has_stride; // in src[2], in elements
} Stored;

// What a lane says of the matrix, before any result is written.
typedef struct Lane {
    uint32_t number;
    uint64_t base, stride; // its address; elements from a row to the next
} Lane;

static Lane lane_of(const VmWarp *w, const VmInstr *in, const Stored *s,
                    uint32_t lane) {
    const Fragment *f = &s->fragment;
    uint64_t stride = s->by_columns ? f->rows : f->columns;
    if (s->has_stride)
        stride = vm_lane_u64(w, in->src[2], lane);
    return (Lane){lane, vm_lane_address(w, in, lane), stride};
}

static uint64_t address_of(const Stored *s, const Lane *lane, uint32_t i) {
    uint32_t row, column;
    matrix_place(&s->fragment, lane->number, i, &row, &column);
    uint64_t at = s->by_columns ? column * lane->stride + row
                                : row * lane->stride + column;
    return lane->base + at * matrix_bytes[s->fragment.type];
}

// How many elements from the i-th on lie one behind the other, aligned: they
// are one access.
static uint32_t run_of(const Stored *s, const Lane *lane, uint32_t i) {
    const Fragment *f = &s->fragment;
    uint32_t bytes = matrix_bytes[f->type], count = f->regs * f->packed;
    uint64_t at = address_of(s, lane, i);
    uint32_t run = ROW / bytes;
    for (; run > 1; run /= 2) {
        uint32_t k = 1;
        while (k < run && i + run <= count &&
               address_of(s, lane, i + k) == at + (uint64_t)k * bytes)
            k++;
        if (k == run && at % ((uint64_t)run * bytes) == 0)
            break;
    }
    return run;
}

static bool move_run(VmWarp *w, const VmInstr *in, const Stored *s,
                     const Lane *lane, uint32_t i, uint32_t run) {
    const Fragment *f = &s->fragment;
    bool loads = in->op == PTX_OP_WMMA_LOAD;
    uint32_t bytes = matrix_bytes[f->type];
    uint8_t *at = vm_memory(w, in, lane->number, address_of(s, lane, i),
                            run * bytes, loads ? ACCESS_READ : ACCESS_WRITE);
    for (uint32_t k = 0; at && k < run; k++, at += bytes) {
        uint64_t value = 0;
        if (loads) {
            memcpy(&value, at, bytes);
            matrix_set_bits(w, f, vm_dsts(in), lane->number, i + k, value);
        } else {
            value = matrix_bits(w, f, vm_srcs(in) + 3, lane->number, i + k);
            memcpy(at, &value, bytes);
        }
    }
    return at != NULL;
}

// src: the address, the mask of all lanes, the stride; then
// what is stored.
static VmNext op_wmma(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const Stored *s = in->wmma.what;
    uint32_t count = s->fragment.regs * s->fragment.packed;
    VmNext next;
    if (!gathered_all(w, in, &mask, 1, &next))
        return next;
    for (uint32_t l = 0; l < VM_LANES; l++) {
        Lane lane = lane_of(w, in, s, l);
        for (uint32_t i = 0, run; i < count; i += run) {
            run = run_of(s, &lane, i);
            if (!move_run(w, in, s, &lane, i, run))
                return VM_STOP;
        }
    }
    return VM_GO;
}

static bool take_role(VmDecoder *d, MatrixRole *role) {
    static const PtxMod mods[] = {PTX_MOD_A, PTX_MOD_B, PTX_MOD_C, PTX_MOD_D};
    for (uint32_t i = 0; i < COUNT_OF(mods); i++)
        if (vm_take(d, mods[i])) {
            *role = (MatrixRole)i;
            return true;
        }
    return false;
}

static void emit_refs(VmDecoder *d, VmInstr *in, const PtxOperand *op,
                      uint32_t count, uint32_t size, bool results) {
    for (uint32_t i = 0; i < count; i++) {
        const PtxOperand *reg =
            op->kind == PTX_OPND_VECTOR ? &op->elems[i] : op;
        if (results)
            vm_emit_dst(d, in, vm_operand_dst(d, reg, size, false));
        else
            vm_emit_src(d, in, vm_operand_src(d, reg, size, false));
    }
}

static uint32_t elements_of(const PtxOperand *op) {
    return op->kind == PTX_OPND_VECTOR ? op->elem_count : 1;
}

// The address, and the mask of all lanes. NULL: it is not supported.
static VmInstr *emit_access(VmDecoder *d, uint32_t index, VmHandler handler) {
    VmRef base, all = vm_const(d, 4, VM_FULL, 0);
    uint64_t imm;
    vm_address(d, index, &base, &imm);
    if (base.size == 0)
        base = vm_const(d, 8, 0, 0);
    VmInstr *in = vm_emit(d, handler);
    in->offset = imm;
    in->space = (uint8_t)ptx_space(d->in);
    vm_emit_src(d, in, base);
    vm_emit_src(d, in, all);
    return in;
}

static void decode_wmma(VmDecoder *d) {
    const MatrixShape *shape = matrix_shape(d->in);
    bool loads = d->in->op == PTX_OP_WMMA_LOAD;
    const PtxOperand *values = &d->in->operands[loads ? 0 : 1];
    uint32_t count = elements_of(values);
    MatrixType type = matrix_type((PtxMod)d->in->types[0]);
    MatrixRole role;
    vm_take_types(d);
    bool rows = vm_take(d, PTX_MOD_ROW), columns = vm_take(d, PTX_MOD_COL);
    if (!shape || !vm_take(d, shape->mod) || type == MATRIX_NONE ||
        !take_role(d, &role) || rows == columns || count > MATRIX_MOST_REGS) {
        vm_unsupported(d, "this shape or this type");
        return;
    }
    Stored *s = arena_new(&d->vm->run_arena, Stored, 1);
    s->fragment = matrix_fragment(shape, type, role, count);
    s->fragment.is_wmma = true;
    s->by_columns = columns;
    s->fragment.by_columns = columns && !matrix_is_accumulator(&s->fragment);
    s->has_stride = d->in->operand_count == 3;
    uint32_t all = (uint32_t)s->fragment.rows * s->fragment.columns;
    if (count * s->fragment.packed * VM_LANES % all) {
        vm_unsupported(d, "a fragment of this form");
        return;
    }
    VmRef stride = s->has_stride ? vm_src(d, 2, 4) : vm_const(d, 4, 0, 0);
    uint32_t size = matrix_bytes[type] == 8 ? 8 : 4;
    VmInstr *in = emit_access(d, loads ? 1 : 0, op_wmma);
    in->wmma.what = s;
    in->width = matrix_bytes[type];
    in->elements = 1;
    vm_emit_src(d, in, stride);
    emit_refs(d, in, values, count, size, loads);
}

// ---- ldmatrix, stmatrix --------------------------------------------------

// Element e (0 or 1) of lane's register of an 8x8 matrix: which row it is in,
// and which of its elements it is.
static void element_of(const VmInstr *in, uint32_t lane, uint32_t e,
                       uint32_t *row, uint32_t *at) {
    uint32_t group = lane / 4, pair = lane % 4 * 2 + e;
    *row = in->matrix.is_transposed ? pair : group;
    *at = in->matrix.is_transposed ? group : pair;
}

// src: the address, the mask of all lanes; then what is stored. The rows of
// matrix m are at the addresses of lanes 8 m to 8 m + 7.
static VmNext op_matrix(VmWarp *w, const VmInstr *in, uint32_t mask) {
    bool loads = in->op == PTX_OP_LDMATRIX;
    const VmRef *regs = loads ? vm_dsts(in) : vm_srcs(in) + 2;
    uint32_t count = loads ? in->dst_count : in->src_count - 2u;
    uint8_t *rows[VM_LANES];
    VmNext next;
    if (!gathered_all(w, in, &mask, 1, &next))
        return next;
    for (uint32_t l = 0; l < count * ROWS; l++) {
        rows[l] = vm_memory(w, in, l, vm_lane_address(w, in, l), ROW,
                            loads ? ACCESS_READ : ACCESS_WRITE);
        if (!rows[l])
            return VM_STOP;
    }
    for (uint32_t m = 0; m < count; m++)
        for (uint32_t l = 0; l < VM_LANES; l++) {
            uint16_t value[2];
            uint32_t bits = (uint32_t)vm_lane_u64(w, regs[m], l), row, at;
            memcpy(value, &bits, sizeof bits);
            for (uint32_t e = 0; e < 2; e++) {
                element_of(in, l, e, &row, &at);
                uint8_t *place = rows[m * ROWS + row] + (size_t)at * 2;
                if (loads)
                    memcpy(&value[e], place, 2);
                else
                    memcpy(place, &value[e], 2);
            }
            memcpy(&bits, value, sizeof bits);
            if (loads)
                vm_set_lane_u64(w, regs[m], l, bits);
        }
    return VM_GO;
}

static void decode_matrix(VmDecoder *d) {
    bool loads = d->in->op == PTX_OP_LDMATRIX;
    const PtxOperand *values = &d->in->operands[loads ? 0 : 1];
    uint32_t count = elements_of(values);
    vm_take_types(d);
    uint32_t said = vm_take(d, PTX_MOD_X4)   ? 4
                    : vm_take(d, PTX_MOD_X2) ? 2
                    : vm_take(d, PTX_MOD_X1) ? 1
                                             : 0;
    bool transposed = vm_take(d, PTX_MOD_TRANS);
    if (!vm_take(d, PTX_MOD_M8N8) || d->in->types[0] != PTX_B16 ||
        said != count) {
        vm_unsupported(d, "matrices of this form");
        return;
    }
    VmInstr *in = emit_access(d, loads ? 1 : 0, op_matrix);
    in->width = 2;
    in->elements = ROW / 2;
    in->matrix.is_transposed = transposed;
    emit_refs(d, in, values, count, 4, loads);
}

// ---- movmatrix -----------------------------------------------------------

// src: the mask of all lanes, the register.
static VmNext op_movmatrix(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint16_t matrix[ROWS][ROWS];
    VmNext next;
    if (!gathered_all(w, in, &mask, 0, &next))
        return next;
    memcpy(matrix, vm_at(w, in->src[1]), sizeof matrix);
    for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t row = l / 4, column = l % 4 * 2;
        vm_set_lane_u64(w, in->dst[0], l,
                        matrix[column][row] | (uint32_t)matrix[column + 1][row]
                                                  << 16);
    }
    return VM_GO;
}

static void decode_movmatrix(VmDecoder *d) {
    vm_take_types(d);
    if (!vm_take(d, PTX_MOD_M8N8) || !vm_take(d, PTX_MOD_TRANS))
        vm_unsupported(d, "a matrix of this form");
    VmRef all = vm_const(d, 4, VM_FULL, 0), from = vm_src(d, 1, 4),
          to = vm_dst(d, 0, 4);
    VmInstr *in = vm_emit(d, op_movmatrix);
    vm_emit_src(d, in, all);
    vm_emit_src(d, in, from);
    vm_emit_dst(d, in, to);
}

void vm_decode_matrix_memory(VmDecoder *d) {
    vm_take(d, PTX_MOD_SYNC);
    vm_take(d, PTX_MOD_ALIGNED);
    vm_take_space(d);
    if (d->in->op == PTX_OP_MOVMATRIX)
        decode_movmatrix(d);
    else if (d->in->op == PTX_OP_LDMATRIX || d->in->op == PTX_OP_STMATRIX)
        decode_matrix(d);
    else
        decode_wmma(d);
}
