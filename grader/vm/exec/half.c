// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16, bf16 and pairs of them (PTX ISA, 9.7.4), and of f32 with
// one operand of these types (9.7.5). Comparisons are in half_compare.c. A
// register of 32 pairs is 64 consecutive halves, so one loop serves both
// widths. A handler without flags is for the forms that are frequent in loops;
// the one next to it, ending in x, honours flags.
#include "vm/values/half.h"
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/values/numbers.h"

enum HalfFlag { // in addition to VM_FTZ, VM_SAT, VM_RELU
    HALF_NAN = 1 << 20,
    HALF_XORSIGN = 1 << 21,
};

enum { ONE_f16 = 0x3C00, INF_f16 = 0x7C00, INF_bf16 = 0x7F80 };

// ---- operands and results ------------------------------------------------

// The effect of a flag is computed for every half, and selected by a mask made
// from the flag: so the loops have no branches.
static inline uint16_t kept(uint16_t h, uint32_t changed, uint32_t flags,
                            uint32_t flag) {
    uint32_t mask = flags & flag ? 0xFFFFu : 0;
    return (uint16_t)(h ^ ((h ^ changed) & mask));
}

static inline uint16_t flush_f16(uint16_t h, uint32_t flags) {
    return kept(h, h & INF_f16 ? h : h & 0x8000u, flags, VM_FTZ);
}

static inline uint16_t flush_bf16(uint16_t h, uint32_t flags) {
    return kept(h, h & INF_bf16 ? h : h & 0x8000u, flags, VM_FTZ);
}

static inline float read_f16(uint16_t h, uint32_t flags) {
    return vm_widen_f16(flush_f16(h, flags));
}

static inline float read_bf16(uint16_t h, uint32_t flags) {
    return vm_widen_bf16(flush_bf16(h, flags));
}

static inline uint16_t relu(uint16_t h, uint32_t flags) {
    return kept(h, h & 0x8000u ? 0 : h, flags, VM_RELU);
}

static inline uint16_t write_f16(float x, uint32_t flags) {
    uint16_t h = flush_f16(vm_narrow_f16(x), flags);
    uint16_t most = h < ONE_f16 ? h : ONE_f16;     // at most 1
    bool zero = (h & 0x8000u) || h == VM_HALF_NAN; // negative, or NaN
    return relu(kept(h, zero ? 0 : most, flags, VM_SAT), flags);
}

static inline uint16_t write_bf16(float x, uint32_t flags) {
    return relu(flush_bf16(vm_narrow_bf16(x), flags), flags);
}

// ---- arithmetic ----------------------------------------------------------

#define ARITHMETIC(name, t, n, per, with, expr)                                \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {          \
        const uint32_t flags = with;                                           \
        uint16_t *d = DST(uint16_t, 0);                                        \
        const uint16_t *pa = SRC(uint16_t, 0), *pb = SRC(uint16_t, (n) > 1),   \
                       *pc = SRC(uint16_t, (n) > 2 ? 2 : 0);                   \
        EACH_HALF(per, float a = read_##t(pa[l], flags);                       \
                  float b = read_##t(pb[l], flags);                            \
                  float c = read_##t(pc[l], flags); (void)a, (void)b, (void)c; \
                  d[l] = write_##t(expr, flags));                              \
        VM_NEXT;                                                               \
    }
#define WIDTHS(name, t, n, expr)                                     \
    ARITHMETIC(name##_##t##_1, t, n, 1, 0, expr)                     \
    ARITHMETIC(name##_##t##_2, t, n, 2, 0, expr)                     \
    ARITHMETIC(name##_##t##_1x, t, n, 1, in->arithmetic.flags, expr) \
    ARITHMETIC(name##_##t##_2x, t, n, 2, in->arithmetic.flags, expr)
#define TYPE(t)                         \
    WIDTHS(add, t, 2, a + b)            \
    WIDTHS(sub, t, 2, a - b)            \
    WIDTHS(mul, t, 2, vm_mul_##t(a, b)) \
    WIDTHS(fma, t, 3, vm_fma_##t(a, b, c))
TYPE(f16)
TYPE(bf16)

// The correctly rounded value, which is within the ISA's bound.
#define APPROXIMATION(name, t, expr)                                 \
    ARITHMETIC(name##_##t##_1x, t, 1, 1, in->arithmetic.flags, expr) \
    ARITHMETIC(name##_##t##_2x, t, 1, 2, in->arithmetic.flags, expr)
APPROXIMATION(ex2, f16, vm_odd_f32(exp2((double)a)))
APPROXIMATION(ex2, bf16, vm_odd_f32(exp2((double)a)))
APPROXIMATION(tanh, f16, vm_odd_f32(tanh((double)a)))
APPROXIMATION(tanh, bf16, vm_odd_f32(tanh((double)a)))

// ---- on the bits ---------------------------------------------------------

// Halves taken as integers, with the magnitude of negative values inverted, are
// in the order of their values, -0 before +0.
static inline int16_t order(uint16_t h) {
    return (int16_t)(h ^ (h & 0x8000u ? 0x7FFFu : 0));
}

static inline uint16_t pick(uint16_t a, uint16_t b, bool first, uint32_t inf,
                            uint32_t flags) {
    bool a_nan = (a & 0x7FFFu) > inf, b_nan = (b & 0x7FFFu) > inf;
    uint16_t h = b_nan || (first && !a_nan) ? a : b;
    h = a_nan && b_nan ? VM_HALF_NAN : h;
    return kept(h, a_nan || b_nan ? VM_HALF_NAN : h, flags, HALF_NAN);
}

// .xorsign.abs: chooses between the magnitudes, and takes the product's sign.
static inline uint16_t choose(uint16_t a, uint16_t b, bool is_min, uint32_t inf,
                              uint32_t flags) {
    uint16_t sign = (uint16_t)((a ^ b) & 0x8000u);
    a = kept(a, a & 0x7FFFu, flags, HALF_XORSIGN);
    b = kept(b, b & 0x7FFFu, flags, HALF_XORSIGN);
    bool first = is_min ? order(a) < order(b) : order(a) > order(b);
    uint16_t h = pick(a, b, first, inf, flags);
    return kept(h, h == VM_HALF_NAN ? h : h | sign, flags, HALF_XORSIGN);
}

static inline uint16_t canon(uint16_t h, uint32_t inf) {
    return (h & 0x7FFFu) > inf ? VM_HALF_NAN : h;
}

#define BITWISE(name, t, per, with, expr)                             \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        const uint32_t flags = with;                                  \
        uint16_t *d = DST(uint16_t, 0);                               \
        const uint16_t *pa = SRC(uint16_t, 0),                        \
                       *pb = SRC(uint16_t, in->src_count > 1);        \
        EACH_HALF(per, uint16_t a = flush_##t(pa[l], flags);          \
                  uint16_t b = flush_##t(pb[l], flags); (void)b;      \
                  d[l] = (uint16_t)(expr));                           \
        VM_NEXT;                                                      \
    }
#define BIT_WIDTHS(name, t, expr)                              \
    BITWISE(name##_##t##_1, t, 1, 0, expr)                     \
    BITWISE(name##_##t##_2, t, 2, 0, expr)                     \
    BITWISE(name##_##t##_1x, t, 1, in->arithmetic.flags, expr) \
    BITWISE(name##_##t##_2x, t, 2, in->arithmetic.flags, expr)
#define BIT_TYPE(t)                                         \
    BIT_WIDTHS(min, t, choose(a, b, true, INF_##t, flags))  \
    BIT_WIDTHS(max, t, choose(a, b, false, INF_##t, flags)) \
    BIT_WIDTHS(neg, t, canon(a ^ 0x8000u, INF_##t))         \
    BIT_WIDTHS(abs, t, canon(a & 0x7FFFu, INF_##t))
BIT_TYPE(f16)
BIT_TYPE(bf16)

// ---- f32 with operands of 16 bits ----------------------------------------

static inline uint32_t write_f32(double x, uint32_t flags) {
    return (uint32_t)vm_pack_number(VM_F32, x, flags);
}

#define MIXED(name, t, addend, expr)                                        \
    static VmNext name##_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        uint32_t *d = DST(uint32_t, 0);                                     \
        const uint16_t *pa = SRC(uint16_t, 0),                              \
                       *pb = SRC(uint16_t, (addend)-1);                     \
        const float *pc = SRC(float, addend);                               \
        EACH_LANE(l, mask) {                                                \
            double a = (double)vm_widen_##t(pa[l]);                         \
            double b = (double)vm_widen_##t(pb[l]);                         \
            double c = (double)pc[l];                                       \
            (void)b;                                                        \
            d[l] = write_f32(expr, in->arithmetic.flags);                   \
        }                                                                   \
        VM_NEXT;                                                            \
    }
#define MIXED_TYPE(t)                         \
    MIXED(mixed_add, t, 1, vm_sum_odd(a, c))  \
    MIXED(mixed_sub, t, 1, vm_sum_odd(a, -c)) \
    MIXED(mixed_fma, t, 2, vm_sum_odd(a *b, c))
MIXED_TYPE(f16)
MIXED_TYPE(bf16)

// ---- fma.oob -------------------------------------------------------------

// .oob: a NaN of this bit pattern, with either sign, in f16 and in bf16, marks
// a value that was read out of bounds (the H200's half-oob.out: no other NaN
// does). If a factor is such a NaN, the result is +0; the addend may be any NaN
// (ops-oob.out).
static inline uint16_t kept_unless(uint16_t a, uint16_t b) {
    const uint32_t sign = 0x8000, outside = 0xFFF7;
    return (a | sign) == outside || (b | sign) == outside ? 0 : 0xFFFF;
}

// d: the mask of bits that the product and sum keep.
#define INSIDE(name, per)                                             \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        uint16_t *d = DST(uint16_t, 0);                               \
        const uint16_t *a = SRC(uint16_t, 0), *b = SRC(uint16_t, 1);  \
        EACH_HALF(per, d[l] = kept_unless(a[l], b[l]));               \
        VM_NEXT;                                                      \
    }
#define KEEP(name, per)                                               \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        uint16_t *d = DST(uint16_t, 0);                               \
        const uint16_t *a = SRC(uint16_t, 0), *b = SRC(uint16_t, 1);  \
        EACH_HALF(per, d[l] = a[l] & b[l]);                           \
        VM_NEXT;                                                      \
    }
INSIDE(inside_1, 1)
INSIDE(inside_2, 2)
KEEP(keep_1, 1)
KEEP(keep_2, 2)

// ---- decoding ------------------------------------------------------------

typedef struct HalfRow {
    uint16_t op;
    uint8_t type, sources;
    uint32_t flags;           // flags that are allowed
    VmHandler plain, flagged; // plain NULL: `flagged` is used without flags as
                              // well
} HalfRow;

#define ROW2(op, name, n, t, T, flags)                                      \
    {PTX_OP_##op, PTX_##T, n, flags, name##_##t##_1, name##_##t##_1x}, {    \
        PTX_OP_##op, PTX_##T##X2, n, flags, name##_##t##_2, name##_##t##_2x \
    }
#define ROW4(op, name, n, f16_flags, bf16_flags) \
    ROW2(op, name, n, f16, F16, f16_flags),      \
        ROW2(op, name, n, bf16, BF16, bf16_flags)
#define APPROX2(op, name, t, T, flags)                            \
    {PTX_OP_##op, PTX_##T, 1, flags, NULL, name##_##t##_1x}, {    \
        PTX_OP_##op, PTX_##T##X2, 1, flags, NULL, name##_##t##_2x \
    }

static const HalfRow rows[] = {
    ROW4(ADD, add, 2, VM_FTZ | VM_SAT, 0),
    ROW4(SUB, sub, 2, VM_FTZ | VM_SAT, 0),
    ROW4(MUL, mul, 2, VM_FTZ | VM_SAT, 0),
    ROW4(FMA, fma, 3, VM_FTZ | VM_SAT | VM_RELU, VM_RELU),
    ROW4(MIN, min, 2, VM_FTZ | HALF_NAN | HALF_XORSIGN,
         HALF_NAN | HALF_XORSIGN),
    ROW4(MAX, max, 2, VM_FTZ | HALF_NAN | HALF_XORSIGN,
         HALF_NAN | HALF_XORSIGN),
    ROW4(NEG, neg, 1, VM_FTZ, 0),
    ROW4(ABS, abs, 1, VM_FTZ, 0),
    APPROX2(EX2, ex2, f16, F16, 0),
    APPROX2(EX2, ex2, bf16, BF16, VM_FTZ),
    APPROX2(TANH, tanh, f16, F16, 0),
    APPROX2(TANH, tanh, bf16, BF16, 0),
};

// Honours the suffixes that stand for flags in `allowed`, and returns these
// flags.
static uint32_t take_flags(VmDecoder *d, uint32_t allowed) {
    static const struct {
        uint16_t mod;
        uint32_t flag;
    } suffixes[] = {
        {PTX_MOD_FTZ, VM_FTZ},
        {PTX_MOD_SAT, VM_SAT},
        {PTX_MOD_RELU, VM_RELU},
        {PTX_MOD_RZ, VM_RZ},
        {PTX_MOD_RM, VM_RM},
        {PTX_MOD_RP, VM_RP},
        {PTX_MOD_CANONICAL_NAN, HALF_NAN},
        {PTX_MOD_XORSIGN, HALF_XORSIGN},
    };
    uint32_t flags = 0;
    vm_take(d, PTX_MOD_RN);
    vm_take(d, PTX_MOD_APPROX);
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if ((suffixes[i].flag & allowed) && vm_take(d, (PtxMod)suffixes[i].mod))
            flags |= suffixes[i].flag;
    if (flags & HALF_XORSIGN)
        vm_take(d, PTX_MOD_ABS);
    return flags;
}

static void emit(VmDecoder *d, VmHandler handler, uint32_t flags, VmRef dst,
                 const VmRef *refs, uint32_t sources) {
    if (d->in->operand_count != sources + 1)
        vm_unsupported(d, "this number of operands");
    VmInstr *in = vm_emit_plain(d, handler);
    in->arithmetic.flags = flags;
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < sources; i++)
        vm_emit_src(d, in, refs[i]);
}

static void emit_keep(VmDecoder *d, VmRef dst, VmRef value, VmRef bits) {
    VmInstr *in = vm_emit_plain(d, dst.size == 2 ? keep_1 : keep_2);
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, value);
    vm_emit_src(d, in, bits);
}

static void decode_row(VmDecoder *d, const HalfRow *row) {
    uint32_t size = ptx_type_size((PtxType)row->type);
    uint32_t flags = take_flags(d, row->flags);
    VmRef refs[3] = {0};
    for (uint32_t i = 0; i < row->sources; i++)
        refs[i] = vm_src(d, i + 1, size);
    VmRef dst = vm_dst(d, 0, size), inside = {0}, value = dst;
    bool oob = row->op == PTX_OP_FMA && vm_take(d, PTX_MOD_OOB);
    if (oob) {
        inside = vm_temp(d, size);
        value = vm_temp(d, size);
        emit(d, size == 2 ? inside_1 : inside_2, 0, inside, refs, 3);
    }
    emit(d, flags || !row->plain ? row->flagged : row->plain, flags, value,
         refs, row->sources);
    if (oob)
        emit_keep(d, dst, value, inside);
}

static void decode_mixed(VmDecoder *d) {
    bool is_bf16 = d->in->types[1] == PTX_BF16;
    VmHandler handler = NULL;
    if (d->in->op == PTX_OP_ADD)
        handler = is_bf16 ? mixed_add_bf16 : mixed_add_f16;
    else if (d->in->op == PTX_OP_SUB)
        handler = is_bf16 ? mixed_sub_bf16 : mixed_sub_f16;
    else if (d->in->op == PTX_OP_FMA)
        handler = is_bf16 ? mixed_fma_bf16 : mixed_fma_f16;
    uint32_t sources = d->in->op == PTX_OP_FMA ? 3 : 2;
    if (!handler) {
        vm_unsupported(d, "this instruction for these types");
        return;
    }
    uint32_t flags = take_flags(d, VM_SAT | VM_RZ | VM_RM | VM_RP);
    VmRef refs[3];
    for (uint32_t i = 0; i < sources; i++)
        refs[i] = vm_src(d, i + 1, i + 1 == sources ? 4 : 2);
    emit(d, handler, flags, vm_dst(d, 0, 4), refs, sources);
}

void vm_decode_half(VmDecoder *d) {
    if (d->in->op == PTX_OP_SET || d->in->op == PTX_OP_SETP) {
        vm_decode_half_compare(d);
        return;
    }
    vm_take_types(d);
    PtxType type = d->in->types[0], second = d->in->types[1];
    if (type == PTX_F32 && (second == PTX_F16 || second == PTX_BF16)) {
        decode_mixed(d);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].op == d->in->op && rows[i].type == type) {
            decode_row(d, &rows[i]);
            return;
        }
    }
    vm_unsupported(d, "this instruction for this type");
}
