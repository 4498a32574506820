// SPDX-License-Identifier: Apache-2.0
// Comparison and selection (PTX ISA, 9.7.6): setp, set, selp, slct; testp. A
// comparison gives a mask of lanes; setp stores it as a predicate, set converts
// it to numbers. half_compare.c has those of 16-bit floats.
#include "vm/decode/rows.h"
#include "vm/exec/families.h"
#include "vm/memory/memory.h"

typedef enum Combine {
    COMBINE_NONE,
    COMBINE_AND,
    COMBINE_OR,
    COMBINE_XOR
} Combine;

// VmInstr.compare.flags: bits 0-1: a Combine; then: writes a second predicate;
// .ftz
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
    uint32_t c = in->compare.flags & 3 ? vm_pred(w, in->src[2]) : 0;
    uint32_t result = combine(r, c, in->compare.flags);
    if (in->op == PTX_OP_SETP) {
        vm_set_pred(w, in->dst[0], mask, result);
        if (in->compare.flags & SECOND_RESULT)
            vm_set_pred(w, in->dst[1], mask, combine(~r, c, in->compare.flags));
    } else if (in->dst[0].size == 2) {
        uint16_t *d = DST(uint16_t, 0);
        const uint16_t yes = (uint16_t)in->compare.yes;
        LANES(d[l] = (result >> l) & 1 ? yes : 0);
    } else {
        uint32_t *d = DST(uint32_t, 0);
        const uint32_t yes = in->compare.yes;
        LANES(d[l] = (result >> l) & 1 ? yes : 0);
    }
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

// The ordinary comparisons of floats are false for NaN (so "ne" differs from
// C's); those ending in u are true for it.
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
            T x = in_##t(a[l], in->compare.flags),                          \
              y = in_##t(b[l], in->compare.flags);                          \
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

#define SLCT(name, T, TC, value)                                      \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        const TC *c = SRC(TC, 2);                                     \
        LANES(d[l] = (value) >= 0 ? a[l] : b[l]);                     \
        VM_NEXT;                                                      \
    }
#define SLCTS(bits, T)                        \
    SLCT(slct_##bits##_s32, T, int32_t, c[l]) \
    SLCT(slct_##bits##_f32, T, float, c[l])   \
    SLCT(slct_##bits##_f32_ftz, T, float, vm_flush(c[l]))
SLCTS(16, uint16_t)
SLCTS(32, uint32_t)
SLCTS(64, uint64_t)

// ---- classes of numbers --------------------------------------------------

// `expr` is over the magnitude m, and those of infinity and of the smallest
// normal number. (PTX ISA, "testp": zeros are normal.)
#define TESTP(name, t, T, infinity, least, expr)                   \
    static VmNext testp_##name##_##t(VmWarp *w, const VmInstr *in, \
                                     uint32_t mask) {              \
        const T *a = SRC(T, 0), inf = (infinity), min = (least);   \
        uint32_t r = 0;                                            \
        (void)inf, (void)min;                                      \
        for (uint32_t l = 0; l < VM_LANES; l++) {                  \
            const T m = a[l] & ((T)-1 >> 1);                       \
            r |= (uint32_t)(expr) << l;                            \
        }                                                          \
        vm_set_pred(w, in->dst[0], mask, r);                       \
        VM_NEXT;                                                   \
    }
#define TESTPS(name, expr)                                     \
    TESTP(name, f32, uint32_t, 0x7F800000u, 0x00800000u, expr) \
    TESTP(name, f64, uint64_t, UINT64_C(0x7FF) << 52, UINT64_C(1) << 52, expr)
TESTPS(finite, m < inf)
TESTPS(infinite, m == inf)
TESTPS(number, m <= inf)
TESTPS(notanumber, m > inf)
TESTPS(normal, m == 0 || (m >= min && m < inf))
TESTPS(subnormal, m != 0 && m < min)

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

// The value that set writes for true, by the type of its result.
static bool true_value(PtxType type, uint32_t *bits) {
    switch ((int)type) {
    case PTX_U32:
    case PTX_S32:
        *bits = UINT32_MAX;
        return true;
    case PTX_F32:
        *bits = 0x3F800000;
        return true;
    case PTX_F16:
        *bits = 0x3C00;
        return true;
    case PTX_BF16:
        *bits = 0x3F80;
        return true;
    default:
        return false;
    }
}

static VmHandler take_comparison(VmDecoder *d, PtxType type) {
    VmHandler handler = NULL;
    for (size_t i = 0; i < COUNT_OF(compare_rows); i++)
        if (vm_take(d, (PtxMod)compare_rows[i].mod))
            handler = compare_handler(&compare_rows[i], type);
    if (!handler)
        vm_unsupported(d, "this comparison for this type");
    return handler;
}

static void decode_comparison(VmDecoder *d) {
    bool is_set = d->in->op == PTX_OP_SET;
    PtxType type = d->in->types[is_set ? 1 : 0];
    VmHandler handler = take_comparison(d, type);
    uint32_t size = ptx_type_size(type), flags = take_combine(d);
    uint32_t yes = 0;
    vm_take_types(d);
    if (type == PTX_F32 && vm_take(d, PTX_MOD_FTZ))
        flags |= FLUSHES;
    if (is_set && !true_value(d->in->types[0], &yes))
        vm_unsupported(d, "set with a result of this type");
    VmRef a = vm_src(d, 1, size), b = vm_src(d, 2, size), c = {0}, to[2];
    if (flags & 3)
        c = vm_src(d, 3, 0);
    else if (d->in->operand_count != 3)
        vm_unsupported(d, "this number of operands");
    uint32_t count = 1;
    if (is_set)
        to[0] = vm_dst(d, 0, ptx_type_size(d->in->types[0]));
    else
        count = vm_results(d, 0, to);
    if (count == 2)
        flags |= SECOND_RESULT;
    VmInstr *in = vm_emit_plain(d, handler);
    in->compare.flags = flags;
    in->compare.yes = yes;
    vm_emit_results(d, in, to, count);
    vm_emit_src(d, in, a);
    vm_emit_src(d, in, b);
    if (flags & 3)
        vm_emit_src(d, in, c);
}

#define SELP(n, bits, type) VM_ROW(SELP, type, n n n "p", selp_##bits)
#define SLCT_ROW(n, mod, type, by, handler) \
    { PTX_OP_SLCT, PTX_##type, PTX_##by, {mod, 0}, n n n "4", handler }
#define SELECTIONS(n, bits, type)                                   \
    SELP(n, bits, type),                                            \
        SLCT_ROW(n, PTX_MOD_NONE, type, S32, slct_##bits##_s32),    \
        SLCT_ROW(n, PTX_MOD_FTZ, type, F32, slct_##bits##_f32_ftz), \
        SLCT_ROW(n, PTX_MOD_NONE, type, F32, slct_##bits##_f32)
#define CLASS(mod, name)                                   \
    VM_ROW_MOD(TESTP, mod, F32, "p4", testp_##name##_f32), \
        VM_ROW_MOD(TESTP, mod, F64, "p8", testp_##name##_f64)

static const VmRow rows[] = {
    SELECTIONS("2", 16, B16),      SELECTIONS("2", 16, U16),
    SELECTIONS("2", 16, S16),      SELECTIONS("4", 32, B32),
    SELECTIONS("4", 32, U32),      SELECTIONS("4", 32, S32),
    SELECTIONS("4", 32, F32),      SELECTIONS("8", 64, B64),
    SELECTIONS("8", 64, U64),      SELECTIONS("8", 64, S64),
    SELECTIONS("8", 64, F64),      CLASS(FINITE, finite),
    CLASS(INFINITE, infinite),     CLASS(NUMBER, number),
    CLASS(NORMAL, normal),         CLASS(SUBNORMAL, subnormal),
    CLASS(NOTANUMBER, notanumber),
};

static bool compares_half(const PtxInstr *in) {
    PtxType type = in->types[in->op == PTX_OP_SET ? 1 : 0];
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 ||
           type == PTX_BF16X2;
}

void vm_decode_compare(VmDecoder *d) {
    VmInstr *in = NULL;
    if (d->in->op != PTX_OP_SETP && d->in->op != PTX_OP_SET)
        in = vm_decode_rows(d, rows, COUNT_OF(rows));
    else if (compares_half(d->in))
        vm_decode_half(d);
    else
        decode_comparison(d);
    if (in && d->in->op == PTX_OP_SELP)
        vm_decode_choice(d, in);
}
