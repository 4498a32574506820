// SPDX-License-Identifier: Apache-2.0
// Comparison and selection (PTX ISA, 9.7.6): setp, set, selp, slct.
// A comparison gives a mask of lanes; setp keeps it as a predicate, set makes
// numbers of it.
#include "vm/decode.h"
#include "vm/exec.h"

typedef enum Combine {
    COMBINE_NONE,
    COMBINE_AND,
    COMBINE_OR,
    COMBINE_XOR
} Combine;

// flags: bits 0-1 a Combine; then: writes a second predicate; .ftz
enum { SECOND_RESULT = 4, FLUSHES = 8 };

static uint32_t combine(uint32_t r, uint32_t c, uint32_t how) {
    switch ((Combine)(how & 3)) {
    case COMBINE_NONE:
        return r;
    case COMBINE_AND:
        return r & c;
    case COMBINE_OR:
        return r | c;
    case COMBINE_XOR:
        return r ^ c;
    }
    return r;
}

static VmNext finish(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t r) {
    if (in->op == PTX_OP_SETP) {
        uint32_t c = in->flags & 3 ? vm_pred(w, in->src[2]) : 0;
        vm_set_pred(w, in->dst[0], mask, combine(r, c, in->flags));
        if (in->flags & SECOND_RESULT)
            vm_set_pred(w, in->dst[1], mask, combine(~r, c, in->flags));
        VM_NEXT;
    }
    uint32_t *d = DST(uint32_t, 0); // set: all ones, or 0
    LANES(d[l] = 0u - ((r >> l) & 1));
    VM_NEXT;
}

#define COMPARE(name, T, expr)                                        \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        uint32_t r = 0;                                               \
        for (uint32_t l = 0; l < VM_LANES; l++)                       \
            r |= (uint32_t)(expr) << l;                               \
        return finish(w, in, mask, r);                                \
    }
#define ORDERED(t, T)                \
    COMPARE(eq_##t, T, a[l] == b[l]) \
    COMPARE(ne_##t, T, a[l] != b[l]) \
    COMPARE(lt_##t, T, a[l] < b[l])  \
    COMPARE(le_##t, T, a[l] <= b[l]) \
    COMPARE(gt_##t, T, a[l] > b[l])  \
    COMPARE(ge_##t, T, a[l] >= b[l])
ORDERED(u16, uint16_t)
ORDERED(s16, int16_t)
ORDERED(u32, uint32_t)
ORDERED(s32, int32_t)
ORDERED(u64, uint64_t)
ORDERED(s64, int64_t)

// The plain comparisons of floats are false for NaN (so "ne" is not C's);
// those ending in u are true for it.
static float in_f32(float x, uint32_t flags) {
    return flags & FLUSHES ? vm_flush(x) : x;
}

static double in_f64(double x, uint32_t flags) {
    (void)flags;
    return x;
}

#define FLOAT(name, t, T, expr)                                             \
    static VmNext name##_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                             \
        uint32_t r = 0;                                                     \
        for (uint32_t l = 0; l < VM_LANES; l++) {                           \
            T x = in_##t(a[l], in->flags), y = in_##t(b[l], in->flags);     \
            r |= (uint32_t)(expr) << l;                                     \
        }                                                                   \
        return finish(w, in, mask, r);                                      \
    }
#define FLOATS(t, T)                        \
    FLOAT(eq, t, T, x == y)                 \
    FLOAT(ne, t, T, islessgreater(x, y))    \
    FLOAT(lt, t, T, isless(x, y))           \
    FLOAT(le, t, T, islessequal(x, y))      \
    FLOAT(gt, t, T, isgreater(x, y))        \
    FLOAT(ge, t, T, isgreaterequal(x, y))   \
    FLOAT(equ, t, T, !islessgreater(x, y))  \
    FLOAT(neu, t, T, x != y)                \
    FLOAT(ltu, t, T, !isgreaterequal(x, y)) \
    FLOAT(leu, t, T, !isgreater(x, y))      \
    FLOAT(gtu, t, T, !islessequal(x, y))    \
    FLOAT(geu, t, T, !isless(x, y))         \
    FLOAT(num, t, T, !isunordered(x, y))    \
    FLOAT(nan, t, T, isunordered(x, y) != 0)
FLOATS(f32, float)
FLOATS(f64, double)

#define SELECT(name, T)                                               \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        const uint32_t p = vm_pred(w, in->src[2]);                    \
        LANES(d[l] = (p >> l) & 1 ? a[l] : b[l]);                     \
        VM_NEXT;                                                      \
    }
SELECT(selp_16, uint16_t)
SELECT(selp_32, uint32_t)
SELECT(selp_64, uint64_t)

#define SLCT(name, T, TC)                                             \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        const TC *c = SRC(TC, 2);                                     \
        LANES(d[l] = c[l] >= 0 ? a[l] : b[l]);                        \
        VM_NEXT;                                                      \
    }
SLCT(slct_32_s32, uint32_t, int32_t)
SLCT(slct_64_s32, uint64_t, int32_t)
SLCT(slct_32_f32, uint32_t, float)
SLCT(slct_64_f32, uint64_t, float)

// ---- decoding ------------------------------------------------------------

typedef struct CompareRow {
    uint16_t mod;
    VmHandler u16, s16, u32, s32, u64, s64, f32, f64;
} CompareRow;

#define INTS(c) c##_u16, c##_s16, c##_u32, c##_s32, c##_u64, c##_s64
#define ANY(m, c) \
    { PTX_MOD_##m, INTS(c), c##_f32, c##_f64 }
// lo, ls, hi, hs: for unsigned integers (and bits).
#define UNSIGNED(m, c) \
    { PTX_MOD_##m, c##_u16, NULL, c##_u32, NULL, c##_u64, NULL, NULL, NULL }
#define UNORDERED(m, c) \
    { PTX_MOD_##m, NULL, NULL, NULL, NULL, NULL, NULL, c##_f32, c##_f64 }

static const CompareRow compare_rows[] = {
    ANY(EQ, eq),         ANY(NE, ne),         ANY(LT, lt),
    ANY(LE, le),         ANY(GT, gt),         ANY(GE, ge),
    UNSIGNED(LO, lt),    UNSIGNED(LS, le),    UNSIGNED(HI, gt),
    UNSIGNED(HS, ge),    UNORDERED(EQU, equ), UNORDERED(NEU, neu),
    UNORDERED(LTU, ltu), UNORDERED(LEU, leu), UNORDERED(GTU, gtu),
    UNORDERED(GEU, geu), UNORDERED(NUM, num), UNORDERED(NAN, nan),
};

static VmHandler compare_handler(const CompareRow *row, PtxType type) {
    switch ((int)type) {
    case PTX_B16:
    case PTX_U16:
        return row->u16;
    case PTX_S16:
        return row->s16;
    case PTX_B32:
    case PTX_U32:
        return row->u32;
    case PTX_S32:
        return row->s32;
    case PTX_B64:
    case PTX_U64:
        return row->u64;
    case PTX_S64:
        return row->s64;
    case PTX_F32:
        return row->f32;
    case PTX_F64:
        return row->f64;
    default:
        return NULL;
    }
}

static uint32_t take_combine(VmDecoder *d) {
    if (vm_take(d, PTX_MOD_AND))
        return COMBINE_AND;
    if (vm_take(d, PTX_MOD_OR))
        return COMBINE_OR;
    return vm_take(d, PTX_MOD_XOR) ? COMBINE_XOR : COMBINE_NONE;
}

static void decode_comparison(VmDecoder *d) {
    if (vm_is_half(d)) {
        vm_decode_half(d);
        return;
    }
    vm_take_types(d);
    bool is_set = d->in->op == PTX_OP_SET;
    PtxType type = d->in->types[is_set ? 1 : 0];
    VmHandler handler = NULL;
    for (size_t i = 0; i < COUNT_OF(compare_rows); i++)
        if (vm_take(d, (PtxMod)compare_rows[i].mod))
            handler = compare_handler(&compare_rows[i], type);
    if (!handler) {
        vm_unsupported(d, "this comparison for this type");
        return;
    }
    uint32_t size = ptx_type_size(type);
    uint32_t flags = take_combine(d);
    if (type == PTX_F32 && vm_take(d, PTX_MOD_FTZ))
        flags |= FLUSHES;
    if (is_set && ((flags & 3) || ptx_type_size(d->in->types[0]) != 4 ||
                   ptx_type_is_float(d->in->types[0])))
        vm_unsupported(d, "this form of set");
    VmRef a = vm_src(d, 1, size), b = vm_src(d, 2, size), c = {0};
    if (flags & 3)
        c = vm_src(d, 3, 0);
    const PtxOperand *result = &d->in->operands[0];
    VmRef p, q = {0};
    if (result->kind == PTX_OPND_PAIR) {
        p = vm_operand_dst(d, &result->elems[0], 0, false);
        q = vm_operand_dst(d, &result->elems[1], 0, false);
        flags |= SECOND_RESULT;
    } else {
        p = vm_dst(d, 0, is_set ? 4 : 0);
    }
    VmInstr *in = vm_emit_plain(d, handler);
    in->flags = flags;
    vm_emit_dst(in, p);
    if (flags & SECOND_RESULT)
        vm_emit_dst(in, q);
    vm_emit_src(in, a);
    vm_emit_src(in, b);
    if (flags & 3)
        vm_emit_src(in, c);
}

static void decode_selp(VmDecoder *d, uint32_t size) {
    VmRef a = vm_src(d, 1, size), b = vm_src(d, 2, size), p = vm_src(d, 3, 0);
    VmRef dst = vm_dst(d, 0, size);
    VmInstr *in = vm_emit_plain(d, size == 2   ? selp_16
                                   : size == 4 ? selp_32
                                               : selp_64);
    vm_emit_dst(in, dst);
    vm_emit_src(in, a);
    vm_emit_src(in, b);
    vm_emit_src(in, p);
}

static void decode_slct(VmDecoder *d, uint32_t size) {
    bool by_float = d->in->types[1] == PTX_F32;
    if (size == 2 || (!by_float && d->in->types[1] != PTX_S32))
        vm_unsupported(d, "slct of these types");
    VmRef a = vm_src(d, 1, size), b = vm_src(d, 2, size), c = vm_src(d, 3, 4);
    VmRef dst = vm_dst(d, 0, size);
    VmInstr *in =
        vm_emit_plain(d, by_float ? (size == 8 ? slct_64_f32 : slct_32_f32)
                                  : (size == 8 ? slct_64_s32 : slct_32_s32));
    vm_emit_dst(in, dst);
    vm_emit_src(in, a);
    vm_emit_src(in, b);
    vm_emit_src(in, c);
}

void vm_decode_compare(VmDecoder *d) {
    if (d->in->op == PTX_OP_SETP || d->in->op == PTX_OP_SET) {
        decode_comparison(d);
        return;
    }
    vm_take_types(d);
    uint32_t size = ptx_type_size(d->in->types[0]);
    if (size != 2 && size != 4 && size != 8)
        vm_unsupported(d, "a selection of this type");
    else if (d->in->op == PTX_OP_SELP)
        decode_selp(d, size);
    else
        decode_slct(d, size);
}
