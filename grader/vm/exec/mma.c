// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma: D = A B + C, by a whole warp (PTX ISA, 9.7.14).
//
// The PTX ISA leaves the order of additions and their rounding open, but for
// f64. Here products are exact, their sum with C is formed in double precision
// in the order of k, and rounded once; a card's last bits may be others.
// Integers are exact, whatever the order.
#include "vm/exec/families.h"
#include "vm/exec/gather.h"
#include "vm/exec/matrix.h"
#include "vm/values/numbers.h"

typedef struct Mma {
    Fragment a, b, c, d;
    uint32_t k;
    bool saturates;
} Mma;

// ---- executing -----------------------------------------------------------

static void unpack(const VmWarp *w, const Fragment *f, const VmRef *refs,
                   double *out) {
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        for (uint32_t i = 0; i < (uint32_t)f->regs * f->packed; i++) {
            uint32_t row, column;
            matrix_place(f, lane, i, &row, &column);
            out[row * f->columns + column] =
                matrix_value(f->type, matrix_bits(w, f, refs, lane, i));
        }
}

static void multiply(const Mma *m, const double *a, const double *b,
                     double *sum) {
    uint32_t columns = m->c.columns;
    bool is_double = m->a.type == MATRIX_F64;
    for (uint32_t row = 0; row < m->c.rows; row++)
        for (uint32_t k = 0; k < m->k; k++) {
            double x = a[row * m->k + k], *to = sum + row * columns;
            const double *y = b + k * columns;
            if (is_double)
                for (uint32_t c = 0; c < columns; c++)
                    to[c] = fma(x, y[c], to[c]);
            else
                for (uint32_t c = 0; c < columns; c++)
                    to[c] += x * y[c];
        }
}

static uint64_t integer_bits(const Mma *m, double x) {
    if (m->saturates)
        x = x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
    return (uint32_t)(int64_t)x;
}

static uint64_t result_bits(const Mma *m, double x) {
    switch (m->d.type) {
    case MATRIX_F64:
        return vm_f64_bits(x);
    case MATRIX_F16:
        return vm_pack_number(VM_F16, x, 0);
    case MATRIX_S32:
        return integer_bits(m, x);
    default:
        return vm_pack_number(VM_F32, x, 0);
    }
}

// src: the mask of all lanes, then A, B, C.
static VmNext op_mma(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const Mma *m = in->mma.what;
    const VmRef *srcs = vm_srcs(in) + 1;
    double a[MATRIX_MOST], b[MATRIX_MOST], sum[MATRIX_MOST];
    VmNext next;
    if (!gathered_all(w, in, &mask, 0, &next))
        return next;
    unpack(w, &m->a, srcs, a);
    unpack(w, &m->b, srcs + m->a.regs, b);
    unpack(w, &m->c, srcs + m->a.regs + m->b.regs, sum);
    multiply(m, a, b, sum);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        for (uint32_t i = 0; i < (uint32_t)m->d.regs * m->d.packed; i++) {
            uint32_t row, column;
            matrix_place(&m->d, lane, i, &row, &column);
            matrix_set_bits(w, &m->d, vm_dsts(in), lane, i,
                            result_bits(m, sum[row * m->d.columns + column]));
        }
    return VM_GO;
}

// ---- decoding ------------------------------------------------------------

// The types of D, A, B, C. wmma names D and C alone for A and B of f16.
static bool take_types(VmDecoder *d, MatrixType types[4]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->in->mod_count; i++) {
        MatrixType type = matrix_type(d->in->mods[i]);
        if (type == MATRIX_NONE)
            continue;
        vm_take(d, d->in->mods[i]);
        if (count == 4)
            return false;
        types[count++] = type;
    }
    if (count == 2 && d->in->op == PTX_OP_WMMA_MMA) {
        types[3] = types[1];
        types[1] = types[2] = MATRIX_F16;
        count = 4;
    }
    return count == 4;
}

// Which types go together: those of A decide.
static bool types_fit(const MatrixType types[4]) {
    MatrixType d = types[0], a = types[1], b = types[2], c = types[3];
    bool is_float = d == MATRIX_F32 || d == MATRIX_F16;
    switch (a) {
    case MATRIX_F16:
        return b == a && is_float && (c == MATRIX_F32 || c == MATRIX_F16);
    case MATRIX_BF16:
    case MATRIX_TF32:
        return b == a && d == MATRIX_F32 && c == d;
    case MATRIX_E4M3:
    case MATRIX_E5M2:
        return (b == MATRIX_E4M3 || b == MATRIX_E5M2) && is_float && c == d;
    case MATRIX_F64:
        return b == a && d == a && c == a;
    case MATRIX_S8:
    case MATRIX_U8:
        return (b == MATRIX_S8 || b == MATRIX_U8) && d == MATRIX_S32 && c == d;
    default:
        return false;
    }
}

static uint32_t elements_of(const PtxOperand *op) {
    return op->kind == PTX_OPND_VECTOR ? op->elem_count : 1;
}

// The registers of a fragment must hold its elements, once or, for wmma, any
// number of times.
static bool fits(const Fragment *f, bool is_wmma) {
    uint32_t held = (uint32_t)f->regs * f->packed * VM_LANES;
    uint32_t all = (uint32_t)f->rows * f->columns;
    return f->regs > 0 && f->regs <= MATRIX_MOST_REGS && all <= MATRIX_MOST &&
           (is_wmma ? held % all == 0 : held == all);
}

static void emit_fragment(VmDecoder *d, VmInstr *in, uint32_t index,
                          const Fragment *f) {
    const PtxOperand *op = &d->in->operands[index];
    uint32_t size = matrix_bytes[f->type] == 8 ? 8 : 4;
    for (uint32_t i = 0; i < f->regs; i++) {
        const PtxOperand *reg =
            op->kind == PTX_OPND_VECTOR ? &op->elems[i] : op;
        if (index == 0)
            vm_emit_dst(d, in, vm_operand_dst(d, reg, size, false));
        else
            vm_emit_src(d, in, vm_operand_src(d, reg, size, false));
    }
}

// A of wmma may be by columns, and B by rows; mma has one form. False: it is
// not supported.
static bool take_layouts(VmDecoder *d, Mma *m, bool is_wmma) {
    PtxMod order[2] = {PTX_MOD_NONE, PTX_MOD_NONE};
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->in->mod_count; i++) {
        PtxMod mod = d->in->mods[i];
        if ((mod == PTX_MOD_ROW || mod == PTX_MOD_COL) && count < 2)
            order[count++] = mod;
    }
    vm_take(d, PTX_MOD_ROW);
    vm_take(d, PTX_MOD_COL);
    m->a.is_wmma = m->b.is_wmma = m->c.is_wmma = m->d.is_wmma = is_wmma;
    m->a.by_columns = order[0] == PTX_MOD_COL;
    m->b.by_columns = order[1] == PTX_MOD_COL;
    return count == 2 && (is_wmma || (!m->a.by_columns && m->b.by_columns));
}

void vm_decode_mma(VmDecoder *d) {
    static const MatrixRole roles[] = {MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C};
    const MatrixShape *shape = matrix_shape(d->in);
    MatrixType types[4];
    bool is_wmma = d->in->op == PTX_OP_WMMA_MMA;
    vm_take(d, PTX_MOD_SYNC);
    vm_take(d, PTX_MOD_ALIGNED);
    vm_take(d, PTX_MOD_RN);
    if (!shape || !vm_take(d, shape->mod) || !take_types(d, types) ||
        !types_fit(types) || d->in->operand_count != 4) {
        vm_unsupported(d, "this shape or these types");
        return;
    }
    Mma *m = arena_new(&d->vm->run_arena, Mma, 1);
    Fragment *fragments[] = {&m->d, &m->a, &m->b, &m->c};
    bool fit = true;
    for (uint32_t i = 0; i < 4; i++) {
        *fragments[i] = matrix_fragment(shape, types[i], roles[i],
                                        elements_of(&d->in->operands[i]));
        fit &= fits(fragments[i], is_wmma);
    }
    m->k = shape->k;
    m->saturates = types[0] == MATRIX_S32 && vm_take(d, PTX_MOD_SATFINITE);
    if (!take_layouts(d, m, is_wmma) || !fit) {
        vm_unsupported(d, "fragments of this form");
        return;
    }
    VmRef all = vm_const(d, 4, VM_FULL, 0);
    VmInstr *in = vm_emit(d, op_mma);
    in->mma.what = m;
    vm_emit_src(d, in, all);
    for (uint32_t i = 0; i < 4; i++)
        emit_fragment(d, in, i, fragments[i]);
}
