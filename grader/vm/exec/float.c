// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f32, f32x2 and f64 that IEEE 754 defines, minimum and maximum,
// signs (PTX ISA, 9.7.3). Most operations have two or three handlers: to
// nearest, vectorised; the same with .ftz; and a slower one for every other
// combination of suffixes. Approximations are decoded by vm_decode_approx;
// 16-bit types are in half.c.
#include "vm/decode/rows.h"
#include "vm/exec/families.h"

// Suffixes as flags; the lower bits are VmFlag.
enum {
    EXACT = 32, // .rn is the default, so that no flag is set
    BEATS = 64, // .NaN: the result is NaN if an operand is
    ABS = 128,
    XORSIGN = 256,
    ROUNDS = EXACT | VM_ROUNDING,
};

static inline uint32_t bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float from_bits_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- NaN and subnormal numbers -------------------------------------------

#define QUIET_F64 (UINT64_C(1) << 51)
#define SIGN_F64 (UINT64_C(1) << 63)

// f32 arithmetic gives a single NaN. f64 arithmetic does what an H200 did: it
// gives the operand that is a NaN, made quiet, with b before c before a; if
// none is, the NaN of sqrt(-1).
static inline float nan3_f32(float r, float a, float b, float c) {
    (void)a, (void)b, (void)c;
    return r == r ? r : from_bits_f32(0x7FFFFFFFu);
}

static inline double nan3_f64(double r, double a, double b, double c) {
    uint64_t nan = UINT64_C(0xFFF8000000000000);
    nan = a == a ? nan : bits_f64(a) | QUIET_F64;
    nan = c == c ? nan : bits_f64(c) | QUIET_F64;
    nan = b == b ? nan : bits_f64(b) | QUIET_F64;
    return r == r ? r : from_bits_f64(nan);
}

// .ftz
static inline float flush_f32(float x) {
    uint32_t bits = bits_f32(x);
    return bits & 0x7F800000u ? x : from_bits_f32(bits & 0x80000000u);
}

static inline float saturate_f32(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; // a NaN gives 0
}

static inline float read_f32(float x, uint32_t flags) {
    return flags & VM_FTZ ? flush_f32(x) : x;
}

static inline float write_f32(float x, uint32_t flags) {
    if (flags & VM_FTZ)
        x = flush_f32(x);
    return flags & VM_SAT ? saturate_f32(x) : x;
}

static inline double read_f64(double x, uint32_t flags) {
    (void)flags;
    return x;
}

static inline double write_f64(double x, uint32_t flags) {
    (void)flags;
    return x;
}

// ---- arithmetic ----------------------------------------------------------

// What a lane computes: `expr` is over a, b, c. Below it are the handlers that
// apply it to one number per lane, or (f32x2) to two.
#define LANE(name, T, t, expr)                   \
    static inline T name##_lane(T a, T b, T c) { \
        (void)b, (void)c;                        \
        return nan3_##t(expr, a, b, c);          \
    }
#define SOURCES(T, sources)                             \
    T *d = DST(T, 0);                                   \
    const T *a = SRC(T, 0), *b = SRC(T, (sources) > 1); \
    const T *c = SRC(T, (sources) > 2 ? 2 : 0);

#define PLAIN(name, T, t, sources, expr)                              \
    LANE(name, T, t, expr)                                            \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        SOURCES(T, sources)                                           \
        LANES(d[l] = name##_lane(a[l], b[l], c[l]));                  \
        VM_NEXT;                                                      \
    }

#define PLAIN_X2(name, sources, expr)                                 \
    LANE(name, float, f32, expr)                                      \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        SOURCES(float, sources)                                       \
        LANES(int k = 2 * l + 1;                                      \
              d[k - 1] = name##_lane(a[k - 1], b[k - 1], c[k - 1]);   \
              d[k] = name##_lane(a[k], b[k], c[k]));                  \
        VM_NEXT;                                                      \
    }

// Any rounding, .ftz and .sat, for `parts` numbers per lane. The volatile
// operands keep the operation between the two calls of fesetround.
#define FLAGGED(name, T, t, parts, sources, expr)                             \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {         \
        T *d = DST(T, 0);                                                     \
        const T *pa = SRC(T, 0), *pb = SRC(T, (sources) > 1);                 \
        const T *pc = SRC(T, (sources) > 2 ? 2 : 0);                          \
        fesetround(vm_rounding(in->arithmetic.flags));                        \
        EACH_LANE(l, mask) {                                                  \
            for (uint32_t i = l * (parts); i < (l + 1) * (parts); i++) {      \
                volatile T a = read_##t(pa[i], in->arithmetic.flags);         \
                volatile T b = read_##t(pb[i], in->arithmetic.flags);         \
                volatile T c = read_##t(pc[i], in->arithmetic.flags);         \
                volatile T r = (expr);                                        \
                d[i] = nan3_##t(write_##t(r, in->arithmetic.flags), a, b, c); \
            }                                                                 \
        }                                                                     \
        fesetround(FE_TONEAREST);                                             \
        VM_NEXT;                                                              \
    }

#define OF_F64(name, sources, expr)               \
    PLAIN(name##_f64, double, f64, sources, expr) \
    FLAGGED(name##_f64_x, double, f64, 1, sources, expr)
#define OF_F32(name, sources, expr, flushed)            \
    PLAIN(name##_f32, float, f32, sources, expr)        \
    PLAIN(name##_f32_ftz, float, f32, sources, flushed) \
    FLAGGED(name##_f32_x, float, f32, 1, sources, expr)
#define OF_PAIRS(name, sources, expr, flushed) \
    PLAIN_X2(name##_x2, sources, expr)         \
    PLAIN_X2(name##_x2_ftz, sources, flushed)  \
    FLAGGED(name##_x2_x, float, f32, 2, sources, expr)

#define Z(x) flush_f32(x)
OF_F32(add, 2, a + b, Z(Z(a) + Z(b)))
OF_F32(sub, 2, a - b, Z(Z(a) - Z(b)))
OF_F32(mul, 2, a *b, Z(Z(a) * Z(b)))
OF_F32(div, 2, a / b, Z(Z(a) / Z(b)))
OF_F32(fma, 3, fmaf(a, b, c), Z(fmaf(Z(a), Z(b), Z(c))))
OF_F32(sqrt, 1, sqrtf(a), sqrtf(Z(a)))
OF_F32(rcp, 1, 1.0f / a, Z(1.0f / Z(a)))
OF_PAIRS(add, 2, a + b, Z(Z(a) + Z(b)))
OF_PAIRS(sub, 2, a - b, Z(Z(a) - Z(b)))
OF_PAIRS(mul, 2, a *b, Z(Z(a) * Z(b)))
OF_PAIRS(fma, 3, fmaf(a, b, c), Z(fmaf(Z(a), Z(b), Z(c))))
OF_F64(add, 2, a + b)
OF_F64(sub, 2, a - b)
OF_F64(mul, 2, a *b)
OF_F64(div, 2, a / b)
OF_F64(fma, 3, fma(a, b, c))
OF_F64(sqrt, 1, sqrt(a))
OF_F64(rcp, 1, 1.0 / a)

// ---- minimum and maximum -------------------------------------------------

// A number is preferred to a NaN, and -0 is less than +0: equal operands differ
// at most in the sign.
static inline float min_f32(float a, float b) {
    float r = a < b || b != b ? a : b;
    return a == b ? from_bits_f32(bits_f32(a) | bits_f32(b)) : r;
}

static inline float max_f32(float a, float b) {
    float r = a > b || b != b ? a : b;
    return a == b ? from_bits_f32(bits_f32(a) & bits_f32(b)) : r;
}

static inline double min_f64(double a, double b) {
    double r = a < b || b != b ? a : b;
    return a == b ? from_bits_f64(bits_f64(a) | bits_f64(b)) : r;
}

static inline double max_f64(double a, double b) {
    double r = a > b || b != b ? a : b;
    return a == b ? from_bits_f64(bits_f64(a) & bits_f64(b)) : r;
}

PLAIN(min_f32_plain, float, f32, 2, min_f32(a, b))
PLAIN(max_f32_plain, float, f32, 2, max_f32(a, b))
PLAIN(min_f32_ftz, float, f32, 2, min_f32(Z(a), Z(b)))
PLAIN(max_f32_ftz, float, f32, 2, max_f32(Z(a), Z(b)))
// If both are NaN, code for sm_90 gives the second.
VM_BINARY(min_f64_plain, double, double, double,
          nan3_f64(min_f64(a[l], b[l]), a[l], b[l], 0.0))
VM_BINARY(max_f64_plain, double, double, double,
          nan3_f64(max_f64(a[l], b[l]), a[l], b[l], 0.0))

static float extreme_f32(const VmInstr *in, float a, float b) {
    if ((in->arithmetic.flags & BEATS) && (a != a || b != b))
        return from_bits_f32(0x7FFFFFFFu);
    return in->op == PTX_OP_MIN ? min_f32(a, b) : max_f32(a, b);
}

// Two or three operands, .ftz, .NaN, .abs, .xorsign (PTX ISA, "min").
static VmNext extreme_f32_x(VmWarp *w, const VmInstr *in, uint32_t mask) {
    float *d = DST(float, 0);
    EACH_LANE(l, mask) {
        float result = 0.0f;
        uint32_t signs = 0;
        for (uint32_t i = 0; i < in->src_count; i++) {
            float x = read_f32(SRC(float, i)[l], in->arithmetic.flags);
            signs ^= bits_f32(x) & 0x80000000u;
            x = in->arithmetic.flags & ABS ? fabsf(x) : x;
            result = i ? extreme_f32(in, result, x) : x;
        }
        result = nan3_f32(result, 0, 0, 0);
        if ((in->arithmetic.flags & XORSIGN) && result == result)
            result = from_bits_f32(bits_f32(result) | signs);
        d[l] = result;
    }
    VM_NEXT;
}

// ---- signs ---------------------------------------------------------------

// neg and abs are additions of -0: a NaN becomes canonical or quiet.
static inline uint32_t sum_f32(uint32_t bits) {
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : bits;
}

static inline uint32_t sum_ftz_f32(uint32_t bits) {
    return bits & 0x7F800000u ? sum_f32(bits) : bits & 0x80000000u;
}

// A NaN also keeps its sign.
static inline uint64_t sum_f64(uint64_t a, uint64_t result) {
    return (a & ~SIGN_F64) > UINT64_C(0x7FF) << 52 ? a | QUIET_F64 : result;
}

VM_UNARY(neg_f32, uint32_t, uint32_t, sum_f32(a[l] ^ 0x80000000u))
VM_UNARY(abs_f32, uint32_t, uint32_t, sum_f32(a[l] & 0x7FFFFFFFu))
VM_UNARY(neg_f32_ftz, uint32_t, uint32_t, sum_ftz_f32(a[l] ^ 0x80000000u))
VM_UNARY(abs_f32_ftz, uint32_t, uint32_t, sum_ftz_f32(a[l] & 0x7FFFFFFFu))
VM_UNARY(neg_f64, uint64_t, uint64_t, sum_f64(a[l], a[l] ^ SIGN_F64))
VM_UNARY(abs_f64, uint64_t, uint64_t, sum_f64(a[l], a[l] & ~SIGN_F64))
VM_BINARY(copysign_f32, uint32_t, uint32_t, uint32_t,
          (a[l] & 0x80000000u) | (b[l] & 0x7FFFFFFFu))
VM_BINARY(copysign_f64, uint64_t, uint64_t, uint64_t,
          (a[l] & SIGN_F64) | (b[l] & ~SIGN_F64))

// ---- the table -----------------------------------------------------------

typedef struct FloatRow {
    uint16_t op;
    uint8_t type;
    const char *shape;
    uint32_t allowed;  // flags of the suffixes that are allowed
    VmHandler plain;   // without flags
    VmHandler flushes; // with .ftz alone; NULL: `flagged` is used
    VmHandler flagged; // with any flags; NULL: no flags are allowed
} FloatRow;

#define F32(op, name, shape, flags)                                \
    {                                                              \
        PTX_OP_##op, PTX_F32, shape, VM_FTZ | (flags), name##_f32, \
            name##_f32_ftz, name##_f32_x                           \
    }
#define F64(op, name, shape, flags) \
    { PTX_OP_##op, PTX_F64, shape, flags, name##_f64, NULL, name##_f64_x }
#define PAIRS(op, name, shape)                                     \
    {                                                              \
        PTX_OP_##op, PTX_F32X2, shape, VM_FTZ | ROUNDS, name##_x2, \
            name##_x2_ftz, name##_x2_x                             \
    }
#define EXTREME(op, name, shape)                                     \
    {                                                                \
        PTX_OP_##op, PTX_F32, shape, VM_FTZ | BEATS | ABS | XORSIGN, \
            name##_f32_plain, name##_f32_ftz, extreme_f32_x          \
    }

static const FloatRow rows[] = {
    F32(ADD, add, "444", ROUNDS | VM_SAT),
    F32(SUB, sub, "444", ROUNDS | VM_SAT),
    F32(MUL, mul, "444", ROUNDS | VM_SAT),
    F32(FMA, fma, "4444", ROUNDS | VM_SAT),
    F32(MAD, fma, "4444", ROUNDS | VM_SAT),
    F32(DIV, div, "444", ROUNDS),
    F32(SQRT, sqrt, "44", ROUNDS),
    F32(RCP, rcp, "44", ROUNDS),
    PAIRS(ADD, add, "888"),
    PAIRS(SUB, sub, "888"),
    PAIRS(MUL, mul, "888"),
    PAIRS(FMA, fma, "8888"),
    F64(ADD, add, "888", ROUNDS),
    F64(SUB, sub, "888", ROUNDS),
    F64(MUL, mul, "888", ROUNDS),
    F64(FMA, fma, "8888", ROUNDS),
    F64(MAD, fma, "8888", ROUNDS),
    F64(DIV, div, "888", ROUNDS),
    F64(SQRT, sqrt, "88", ROUNDS),
    F64(RCP, rcp, "88", ROUNDS | VM_FTZ), // ptxas accepts .ftz, and ignores it
    EXTREME(MIN, min, "444"),
    EXTREME(MAX, max, "444"),
    {PTX_OP_MIN, PTX_F64, "888", 0, min_f64_plain, NULL, NULL},
    {PTX_OP_MAX, PTX_F64, "888", 0, max_f64_plain, NULL, NULL},
    {PTX_OP_NEG, PTX_F32, "44", VM_FTZ, neg_f32, neg_f32_ftz, NULL},
    {PTX_OP_ABS, PTX_F32, "44", VM_FTZ, abs_f32, abs_f32_ftz, NULL},
    {PTX_OP_NEG, PTX_F64, "88", 0, neg_f64, NULL, NULL},
    {PTX_OP_ABS, PTX_F64, "88", 0, abs_f64, NULL, NULL},
    {PTX_OP_COPYSIGN, PTX_F32, "444", 0, copysign_f32, NULL, NULL},
    {PTX_OP_COPYSIGN, PTX_F64, "888", 0, copysign_f64, NULL, NULL},
};

static uint32_t take_flags(VmDecoder *d, uint32_t allowed) {
    static const struct {
        PtxMod mod;
        uint32_t flag;
    } suffixes[] = {
        {PTX_MOD_RN, EXACT},        {PTX_MOD_RZ, VM_RZ},
        {PTX_MOD_RM, VM_RM},        {PTX_MOD_RP, VM_RP},
        {PTX_MOD_FTZ, VM_FTZ},      {PTX_MOD_SAT, VM_SAT},
        {PTX_MOD_ABS, ABS},         {PTX_MOD_CANONICAL_NAN, BEATS},
        {PTX_MOD_XORSIGN, XORSIGN},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if ((allowed & suffixes[i].flag) && vm_take(d, suffixes[i].mod))
            flags |= suffixes[i].flag;
    return flags & ~(uint32_t)EXACT;
}

static void decode_exact(VmDecoder *d) {
    const FloatRow *row = NULL;
    for (size_t i = 0; i < COUNT_OF(rows) && !row; i++)
        if (rows[i].op == d->in->op && rows[i].type == (uint8_t)d->in->types[0])
            row = &rows[i];
    if (!row) {
        vm_unsupported(d, "this instruction for this type");
        return;
    }
    uint32_t flags = take_flags(d, row->allowed);
    VmRow chosen = {.op = row->op, .type = row->type, .shape = row->shape};
    bool three = row->flagged == extreme_f32_x && d->in->operand_count == 4;
    if (three)
        chosen.shape = "4444";
    if (three && (flags & XORSIGN))
        vm_unsupported(d, ".xorsign with three operands");
    chosen.handler = !flags && !three                            ? row->plain
                     : flags == VM_FTZ && row->flushes && !three ? row->flushes
                                                                 : row->flagged;
    VmInstr *in = vm_decode_rows(d, &chosen, 1);
    if (in)
        in->arithmetic.flags = flags;
}

void vm_decode_float(VmDecoder *d) {
    if (vm_is_half(d))
        vm_decode_half(d);
    else if (ptx_has(d->in, PTX_MOD_APPROX) || ptx_has(d->in, PTX_MOD_FULL))
        vm_decode_approx(d);
    else
        decode_exact(d);
}
