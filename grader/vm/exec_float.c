// SPDX-License-Identifier: Apache-2.0
// Floating point arithmetic of f32 and f64 (PTX ISA, 9.7.3).
// Round to nearest without suffixes is the plain, vectorised handler; .ftz,
// .sat and the directed roundings go through one slower handler an operation.
// Approximations are the correctly rounded value: inside every bound that the
// ISA allows. Left out: f16, bf16 and their pairs, tf32, f32x2.
#include "vm/decode.h"
#include "vm/exec.h"

// NVIDIA's f32 arithmetic gives one NaN (PTX ISA, 9.7.3).
static inline float canon_f32(float x) {
    const union {
        uint32_t bits;
        float value;
    } nan = {0x7FFFFFFFu};
    return x == x ? x : nan.value;
}

static inline double canon_f64(double x) {
    return x;
}

static float read_f32(float x, uint32_t flags) {
    return flags & VM_FTZ ? vm_flush(x) : x;
}

static float write_f32(float x, uint32_t flags) {
    if (flags & VM_FTZ)
        x = vm_flush(x);
    if (flags & VM_SAT)
        x = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; // NaN gives 0
    return canon_f32(x);
}

static double read_f64(double x, uint32_t flags) {
    (void)flags;
    return x;
}

static double write_f64(double x, uint32_t flags) {
    (void)flags;
    return canon_f64(x);
}

// The volatile operands keep the operation between the two fesetround calls.
#define PLAIN2(name, T, t, expr)                                            \
    static VmNext name##_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                                   \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                             \
        LANES(d[l] = canon_##t(expr));                                      \
        VM_NEXT;                                                            \
    }
#define FLAGGED(name, T, t, sources, expr)                     \
    static VmNext name##_##t##_x(VmWarp *w, const VmInstr *in, \
                                 uint32_t mask) {              \
        T *d = DST(T, 0);                                      \
        const T *p[3] = {SRC(T, 0), SRC(T, (sources) > 1),     \
                         SRC(T, (sources) > 2 ? 2 : 0)};       \
        fesetround(vm_rounding(in->flags));                    \
        EACH_LANE(l, mask) {                                   \
            volatile T a = read_##t(p[0][l], in->flags);       \
            volatile T b = read_##t(p[1][l], in->flags);       \
            volatile T c = read_##t(p[2][l], in->flags);       \
            volatile T r = (expr);                             \
            (void)b, (void)c;                                  \
            d[l] = write_##t(r, in->flags);                    \
        }                                                      \
        fesetround(FE_TONEAREST);                              \
        VM_NEXT;                                               \
    }

static float min_f32(float a, float b) {
    if (a == b)
        return signbit(a) ? a : b;
    return a < b || b != b ? a : b;
}
static float max_f32(float a, float b) {
    if (a == b)
        return signbit(a) ? b : a;
    return a > b || b != b ? a : b;
}
static double min_f64(double a, double b) {
    if (a == b)
        return signbit(a) ? a : b;
    return a < b || b != b ? a : b;
}
static double max_f64(double a, double b) {
    if (a == b)
        return signbit(a) ? b : a;
    return a > b || b != b ? a : b;
}

#define TYPE(T, t, f)                                                    \
    PLAIN2(add, T, t, a[l] + b[l])                                       \
    PLAIN2(sub, T, t, a[l] - b[l])                                       \
    PLAIN2(mul, T, t, a[l] * b[l])                                       \
    PLAIN2(div, T, t, a[l] / b[l])                                       \
    static VmNext fma_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                                \
        const T *a = SRC(T, 0), *b = SRC(T, 1), *c = SRC(T, 2);          \
        LANES(d[l] = canon_##t(fma##f(a[l], b[l], c[l])));               \
        VM_NEXT;                                                         \
    }                                                                    \
    FLAGGED(add, T, t, 2, a + b)                                         \
    FLAGGED(sub, T, t, 2, a - b)                                         \
    FLAGGED(mul, T, t, 2, a *b)                                          \
    FLAGGED(div, T, t, 2, a / b)                                         \
    FLAGGED(fma, T, t, 3, fma##f(a, b, c))                               \
    FLAGGED(min, T, t, 2, min_##t(a, b))                                 \
    FLAGGED(max, T, t, 2, max_##t(a, b))                                 \
    FLAGGED(sqrt, T, t, 1, sqrt##f(a))                                   \
    FLAGGED(rcp, T, t, 1, (T)1 / a)                                      \
    FLAGGED(rsqrt, T, t, 1, (T)(1 / sqrt((double)a)))
TYPE(float, f32, f)
TYPE(double, f64, )

FLAGGED(ex2, float, f32, 1, (float)exp2((double)a))
FLAGGED(lg2, float, f32, 1, (float)log2((double)a))
FLAGGED(sin, float, f32, 1, (float)sin((double)a))
FLAGGED(cos, float, f32, 1, (float)cos((double)a))
FLAGGED(tanh, float, f32, 1, (float)tanh((double)a))

// Sign handling works on the bits. Of a NaN the ISA leaves the result open; an
// H200 gave the one NaN of f32 arithmetic for neg.
static uint32_t canon_bits(uint32_t bits) {
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : bits;
}
#define SIGN(name, T, expr)                                           \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0);                                       \
        LANES(d[l] = expr);                                           \
        VM_NEXT;                                                      \
    }
SIGN(neg_f32, uint32_t, canon_bits(a[l] ^ 0x80000000u))
SIGN(neg_f64, uint64_t, a[l] ^ (UINT64_C(1) << 63))
SIGN(abs_f32, uint32_t, canon_bits(a[l] & 0x7FFFFFFFu))
SIGN(abs_f64, uint64_t, a[l] & (UINT64_MAX >> 1))

static VmNext copysign_f32(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t *d = DST(uint32_t, 0);
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    LANES(d[l] = (a[l] & 0x80000000u) | (b[l] & 0x7FFFFFFFu));
    VM_NEXT;
}

static VmNext copysign_f64(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t *d = DST(uint64_t, 0);
    const uint64_t *a = SRC(uint64_t, 0), *b = SRC(uint64_t, 1);
    const uint64_t sign = UINT64_C(1) << 63;
    LANES(d[l] = (a[l] & sign) | (b[l] & ~sign));
    VM_NEXT;
}

// ---- the table -----------------------------------------------------------

typedef struct FloatRow {
    uint16_t op;
    uint8_t type, sources;
    bool approximates; // has .approx or .full forms
    VmHandler plain;   // no flags; NULL: `flagged` serves for it too
    VmHandler flagged; // NULL: has no flags
} FloatRow;

#define BOTH(op, name, n, approx)                                  \
    {PTX_OP_##op, PTX_F32, n, approx, name##_f32, name##_f32_x}, { \
        PTX_OP_##op, PTX_F64, n, false, name##_f64, name##_f64_x   \
    }
#define SLOW(op, name, n, approx)                            \
    {PTX_OP_##op, PTX_F32, n, approx, NULL, name##_f32_x}, { \
        PTX_OP_##op, PTX_F64, n, approx, NULL, name##_f64_x  \
    }
#define ONLY32(op, name) \
    { PTX_OP_##op, PTX_F32, 1, true, NULL, name##_f32_x }

static const FloatRow rows[] = {
    BOTH(ADD, add, 2, false),
    BOTH(SUB, sub, 2, false),
    BOTH(MUL, mul, 2, false),
    BOTH(DIV, div, 2, true),
    BOTH(FMA, fma, 3, false),
    BOTH(MAD, fma, 3, false),
    SLOW(MIN, min, 2, false),
    SLOW(MAX, max, 2, false),
    SLOW(SQRT, sqrt, 1, true),
    SLOW(RCP, rcp, 1, true),
    SLOW(RSQRT, rsqrt, 1, true),
    ONLY32(EX2, ex2),
    ONLY32(LG2, lg2),
    ONLY32(SIN, sin),
    ONLY32(COS, cos),
    ONLY32(TANH, tanh),
    {PTX_OP_NEG, PTX_F32, 1, false, neg_f32, NULL},
    {PTX_OP_NEG, PTX_F64, 1, false, neg_f64, NULL},
    {PTX_OP_ABS, PTX_F32, 1, false, abs_f32, NULL},
    {PTX_OP_ABS, PTX_F64, 1, false, abs_f64, NULL},
    {PTX_OP_COPYSIGN, PTX_F32, 2, false, copysign_f32, NULL},
    {PTX_OP_COPYSIGN, PTX_F64, 2, false, copysign_f64, NULL},
};

static uint32_t take_flags(VmDecoder *d, const FloatRow *row) {
    uint32_t flags = 0;
    vm_take(d, PTX_MOD_RN);
    if (row->approximates) {
        vm_take(d, PTX_MOD_APPROX);
        vm_take(d, PTX_MOD_FULL);
    }
    if (!row->flagged)
        return 0;
    flags |= vm_take(d, PTX_MOD_RZ) ? VM_RZ : 0;
    flags |= vm_take(d, PTX_MOD_RM) ? VM_RM : 0;
    flags |= vm_take(d, PTX_MOD_RP) ? VM_RP : 0;
    flags |= vm_take(d, PTX_MOD_FTZ) ? VM_FTZ : 0;
    flags |= vm_take(d, PTX_MOD_SAT) ? VM_SAT : 0;
    return flags;
}

void vm_decode_float(VmDecoder *d) {
    if (vm_is_half(d)) {
        vm_decode_half(d);
        return;
    }
    vm_take_types(d);
    PtxType type = d->in->types[0];
    const FloatRow *row = NULL;
    for (size_t i = 0; i < COUNT_OF(rows) && !row; i++)
        if (rows[i].op == d->in->op && rows[i].type == type)
            row = &rows[i];
    if (!row) {
        vm_unsupported(d, "this instruction for this type");
        return;
    }
    uint32_t flags = take_flags(d, row);
    uint32_t size = ptx_type_size(type);
    VmRef refs[3] = {0};
    for (uint32_t i = 0; i < row->sources; i++)
        refs[i] = vm_src(d, i + 1, size);
    if (d->in->operand_count != row->sources + 1u)
        vm_unsupported(d, "this number of operands");
    VmRef dst = vm_dst(d, 0, size);
    VmInstr *in =
        vm_emit_plain(d, flags || !row->plain ? row->flagged : row->plain);
    in->flags = flags;
    vm_emit_dst(in, dst);
    for (uint32_t i = 0; i < row->sources; i++)
        vm_emit_src(in, refs[i]);
}
