// SPDX-License-Identifier: Apache-2.0
// cvt of one value: integers, f16, bf16, f32, f64 and tf32, from each to each
// (PTX ISA, 9.7.9, "cvt"). cvt_packed.c has cvt of several values at once. A
// float is converted through a double, which represents it exactly; an integer
// through 64 bits and a sign. Registers may be wider than the types: the low
// bits of a source are used, and a result is extended by the sign of its type.
// Conversions that are frequent in loops have handlers of their own; the others
// share four slow ones.
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/values/half.h"
#include "vm/values/numbers.h"

enum CvtFlag {       // in addition to those of arithmetic and of numbers.h
    CVT_RN_INT = 64, // .rni and the like: rounds to an integral value
    CVT_RZ_INT = 128,
    CVT_RM_INT = 256,
    CVT_RP_INT = 512,
};

// ---- integers ------------------------------------------------------------

static int64_t read_int(uint64_t bits, PtxType type) {
    uint32_t shift = 64 - 8 * ptx_type_size(type);
    bits <<= shift;
    return ptx_type_is_signed(type) ? (int64_t)bits >> shift
                                    : (int64_t)(bits >> shift);
}

// The smallest and the largest value of an integer type, signed or unsigned.
static int64_t type_min(PtxType type) {
    uint32_t bits = 8 * ptx_type_size(type);
    return ptx_type_is_signed(type) ? -(INT64_C(1) << (bits - 2)) * 2 : 0;
}

static uint64_t type_max(PtxType type) {
    uint32_t bits = 8 * ptx_type_size(type);
    return UINT64_MAX >> (64 - bits + (ptx_type_is_signed(type) ? 1 : 0));
}

static uint64_t int_to_int(uint64_t bits, PtxType from, PtxType to,
                           uint32_t flags) {
    int64_t value = read_int(bits, from);
    if (!(flags & VM_SAT))
        return (uint64_t)read_int((uint64_t)value, to);
    bool negative = ptx_type_is_signed(from) && value < 0;
    if (negative)
        return value < type_min(to) ? (uint64_t)type_min(to) : (uint64_t)value;
    return (uint64_t)value > type_max(to) ? type_max(to) : (uint64_t)value;
}

// ---- floats --------------------------------------------------------------

static VmFormat format_of(PtxType type) {
    switch ((int)type) {
    case PTX_F16:
        return VM_F16;
    case PTX_BF16:
        return VM_BF16;
    case PTX_F32:
        return VM_F32;
    case PTX_TF32:
        return VM_TF32;
    default:
        return VM_F64;
    }
}

static double round_integral(double x, uint32_t flags) {
    if (flags & CVT_RZ_INT)
        return trunc(x);
    if (flags & CVT_RM_INT)
        return floor(x);
    if (flags & CVT_RP_INT)
        return ceil(x);
    return flags & CVT_RN_INT ? nearbyint(x) : x;
}

static double read_float(uint64_t bits, PtxType type, uint32_t flags) {
    if (type == PTX_F32 && (flags & VM_FTZ) && !(bits & 0x7F800000u))
        bits &= 0x80000000u;
    return vm_unpack_number(format_of(type), bits);
}

static uint64_t flush_result(uint64_t bits, PtxType type, uint32_t flags) {
    return type == PTX_F32 && (flags & VM_FTZ) && !(bits & 0x7F800000u)
               ? bits & 0x80000000u
               : bits;
}

// Values out of range are clamped. A NaN gives 0 if the source is not f64 and
// the result does not have 64 bits; otherwise only the highest bit is set (PTX
// ISA, "cvt").
static uint64_t float_to_int(double x, PtxType from, PtxType to,
                             uint32_t flags) {
    if (isnan(x)) {
        uint32_t bytes = ptx_type_size(to);
        uint64_t high = UINT64_C(1) << (8 * bytes - 1);
        return from == PTX_F64 || bytes == 8 ? (uint64_t)read_int(high, to) : 0;
    }
    x = round_integral(x, flags);
    double low = (double)type_min(to), high = (double)type_max(to);
    if (x <= low)
        return (uint64_t)type_min(to);
    if (x >= high)
        return type_max(to);
    return ptx_type_is_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x;
}

// ---- the slow handlers ---------------------------------------------------

#define CONVERT(name, expr)                                                 \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {       \
        const PtxType to = (PtxType)in->type, from = (PtxType)in->cvt.from; \
        const uint32_t flags = in->cvt.flags;                               \
        EACH_LANE(l, mask) {                                                \
            uint64_t bits = vm_lane_u64(w, in->src[0], l);                  \
            vm_set_lane_u64(w, in->dst[0], l, expr);                        \
        }                                                                   \
        VM_NEXT;                                                            \
    }

static uint64_t int_to_float(uint64_t bits, PtxType from, PtxType to,
                             uint32_t flags) {
    int64_t value = read_int(bits, from);
    bool negative = ptx_type_is_signed(from) && value < 0;
    return vm_pack_int(format_of(to), negative,
                       negative ? 0 - (uint64_t)value : (uint64_t)value, flags);
}

// The result for a NaN that keeps its payload. (The ISA does not specify this;
// it is what a GPU of compute capability 9.0 gave.)
static bool nan_kept(uint64_t bits, PtxType from, PtxType to, uint32_t flags,
                     uint64_t *out) {
    const bool plain = !(flags & (VM_FTZ | VM_SAT));
    if (from == PTX_BF16 && to == PTX_F32 && plain)
        *out = bits << 16; // the bits move up, unchanged
    else if (from == PTX_F32 && to == PTX_F32 && flags == 0)
        *out = bits; // a move
    else if (from == PTX_F16 && to == PTX_F64 && plain)
        *out = (bits & 0x8000u) << 48 | UINT64_C(0x7FF8) << 48 |
               (bits & 0x03FFu) << 42;
    else if (to == PTX_TF32 && (flags & VM_RNA)) // infinite: one place less
        *out = (bits & ~UINT64_C(0x1FFF)) - (flags & VM_SATFINITE ? 0x2000 : 0);
    else
        return false;
    return true;
}

static uint64_t float_to_float(uint64_t bits, PtxType from, PtxType to,
                               uint32_t flags) {
    // A value converted to f16 is not flushed first: rounded up, it is not
    // zero.
    uint32_t reading = to == PTX_F16 ? flags & ~(uint32_t)VM_FTZ : flags;
    double x = round_integral(read_float(bits, from, reading), flags);
    uint64_t kept;
    if (isnan(x) && nan_kept(bits, from, to, flags, &kept))
        return kept;
    return flush_result(vm_pack_number(format_of(to), x, flags), to, flags);
}

CONVERT(cvt_int_int, int_to_int(bits, from, to, flags))
CONVERT(cvt_int_float, int_to_float(bits, from, to, flags))
CONVERT(cvt_float_int,
        float_to_int(read_float(bits, from, flags), from, to, flags))
CONVERT(cvt_float_float, float_to_float(bits, from, to, flags))

static VmHandler slow_handler(PtxType to, PtxType from) {
    bool from_float = ptx_type_is_float(from);
    if (ptx_type_is_float(to))
        return from_float ? cvt_float_float : cvt_int_float;
    return from_float ? cvt_float_int : cvt_int_int;
}

// ---- integers without .sat: the narrower type, extended ------------------

#define FAST(name, TD, TS, expr)                                      \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const TS *a = SRC(TS, 0);                                     \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }
#define EXTEND(t, T, td, ts) \
    FAST(extend_##t##_##td##_##ts, uint##td##_t, uint##ts##_t, (T)a[l])
#define EXTEND3(t, T, td) \
    EXTEND(t, T, td, 16) EXTEND(t, T, td, 32) EXTEND(t, T, td, 64)
#define EXTEND9(t, T) EXTEND3(t, T, 16) EXTEND3(t, T, 32) EXTEND3(t, T, 64)
#define EXTEND4(t, T)    \
    EXTEND(t, T, 32, 32) \
    EXTEND(t, T, 32, 64) EXTEND(t, T, 64, 32) EXTEND(t, T, 64, 64)
EXTEND9(u8, uint8_t)
EXTEND9(s8, int8_t)
EXTEND9(u16, uint16_t)
EXTEND9(s16, int16_t)
EXTEND4(u32, uint32_t)
EXTEND4(s32, int32_t)
EXTEND(u64, uint64_t, 64, 64)

#define NAMES3(t, td) \
    { extend_##t##_##td##_16, extend_##t##_##td##_32, extend_##t##_##td##_64 }
#define NAMES9(t) \
    { NAMES3(t, 16), NAMES3(t, 32), NAMES3(t, 64) }
#define NAMES4(t)                                                 \
    {                                                             \
        {NULL}, {NULL, extend_##t##_32_32, extend_##t##_32_64}, { \
            NULL, extend_##t##_64_32, extend_##t##_64_64          \
        }                                                         \
    }

// By the bytes of the narrower type (1, 2, 4, 8: 0 to 3), whether it is signed,
// and the bytes of the registers (2, 4, 8: 0 to 2), the result's first.
static const VmHandler extensions[4][2][3][3] = {
    {NAMES9(u8), NAMES9(s8)},
    {NAMES9(u16), NAMES9(s16)},
    {NAMES4(u32), NAMES4(s32)},
    {{{NULL}, {NULL}, {NULL, NULL, extend_u64_64_64}},
     {{NULL}, {NULL}, {NULL, NULL, extend_u64_64_64}}},
};

static uint32_t log2_of(uint32_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

static VmHandler extension(PtxType to, PtxType from, VmRef dst, VmRef src) {
    uint32_t to_size = ptx_type_size(to), from_size = ptx_type_size(from);
    if (to_size > from_size && dst.size > to_size)
        return NULL; // it is extended twice, perhaps with different signs
    if (src.size < 2)
        return NULL; // a special register of one byte
    PtxType narrow = to_size <= from_size ? to : from;
    return extensions[log2_of(ptx_type_size(narrow))][ptx_type_is_signed(
        narrow)][log2_of(dst.size) - 1][log2_of(src.size) - 1];
}

// ---- floats, to nearest or to integers -----------------------------------

static inline uint32_t canon(float x) {
    return x == x ? vm_f32_bits(x) : 0x7FFFFFFFu;
}

// x is integral or is to be truncated; a NaN gives 0.
static inline int32_t to_s32(float x) {
    int32_t inside = (int32_t)(fabsf(x) < 0x1p31f ? x : 0.0f);
    return x >= 0x1p31f ? INT32_MAX : x <= -0x1p31f ? INT32_MIN : inside;
}

static inline uint32_t to_u32(float x) {
    uint32_t inside = (uint32_t)(x > 0.0f && x < 0x1p32f ? x : 0.0f);
    return x >= 0x1p32f ? UINT32_MAX : inside;
}

// From f64, or to 64 bits: a NaN gives the highest bit alone.
static inline int32_t f64_to_s32(double x) {
    int32_t inside = (int32_t)(fabs(x) < 0x1p31 ? x : -0x1p31);
    return x >= 0x1p31 ? INT32_MAX : inside;
}

static inline uint32_t f64_to_u32(double x) {
    uint32_t inside = (uint32_t)(x > 0.0 && x < 0x1p32 ? x : 0.0);
    return x >= 0x1p32 ? UINT32_MAX : x == x ? inside : 0x80000000u;
}

static inline int64_t to_s64(double x) {
    int64_t inside = (int64_t)(fabs(x) < 0x1p63 ? x : -0x1p63);
    return x >= 0x1p63 ? INT64_MAX : inside;
}

static inline uint64_t to_u64(double x) {
    uint64_t inside = (uint64_t)(x > 0.0 && x < 0x1p64 ? x : 0.0);
    return x >= 0x1p64 ? UINT64_MAX : x == x ? inside : UINT64_C(1) << 63;
}

// Rounds to nearest before a conversion to an integer: the sign of a zero is
// lost.
static inline float nearest(float x) {
    float large = copysignf(0x1p23f, x);
    return fabsf(x) < 0x1p23f ? (x + large) - large : x;
}

FAST(f32_s32, float, int32_t, a[l])
FAST(f32_u32, float, uint32_t, a[l])
FAST(f32_f64, uint32_t, double, canon((float)a[l]))
FAST(f32_f16, uint32_t, uint16_t, canon(vm_widen_f16(a[l])))
FAST(f32_bf16, uint32_t, uint16_t, (uint32_t)a[l] << 16)
FAST(f64_s32, double, int32_t, a[l])
FAST(f64_u32, double, uint32_t, a[l])
FAST(f64_f32, double, float, a[l])
FAST(f16_f32, uint16_t, float, vm_narrow_f16(a[l]))
FAST(bf16_f32, uint16_t, float, vm_narrow_bf16(a[l]))
FAST(f32_s64, float, int64_t, a[l])
FAST(f32_u64, float, uint64_t, a[l])
FAST(f64_s64, double, int64_t, a[l])
FAST(f64_u64, double, uint64_t, a[l])
FAST(s32_f32, int32_t, float, to_s32(a[l]))
FAST(u32_f32, uint32_t, float, to_u32(a[l]))
FAST(s32_rni_f32, int32_t, float, to_s32(nearest(a[l])))
FAST(u32_rni_f32, uint32_t, float, to_u32(nearest(a[l])))
FAST(s32_rmi_f32, int32_t, float, to_s32(floorf(a[l])))
FAST(s32_rpi_f32, int32_t, float, to_s32(ceilf(a[l])))
FAST(s32_f64, int32_t, double, f64_to_s32(a[l]))
FAST(u32_f64, uint32_t, double, f64_to_u32(a[l]))
FAST(s64_f32, int64_t, float, to_s64((double)a[l]))
FAST(u64_f32, uint64_t, float, to_u64((double)a[l]))
FAST(s64_f64, int64_t, double, to_s64(a[l]))
FAST(u64_f64, uint64_t, double, to_u64(a[l]))
FAST(rzi_f32, uint32_t, float, canon(truncf(a[l])))
FAST(rmi_f32, uint32_t, float, canon(floorf(a[l])))
FAST(rpi_f32, uint32_t, float, canon(ceilf(a[l])))
FAST(rni_f32, uint32_t, float, canon(rintf(a[l])))

static const struct {
    uint8_t to, from;
    uint32_t flags;
    VmHandler handler;
} fast[] = {
    {PTX_F32, PTX_S32, 0, f32_s32},
    {PTX_F32, PTX_U32, 0, f32_u32},
    {PTX_F32, PTX_F64, 0, f32_f64},
    {PTX_F32, PTX_F16, 0, f32_f16},
    {PTX_F32, PTX_BF16, 0, f32_bf16},
    {PTX_F64, PTX_S32, 0, f64_s32},
    {PTX_F64, PTX_U32, 0, f64_u32},
    {PTX_F64, PTX_F32, 0, f64_f32},
    {PTX_F16, PTX_F32, 0, f16_f32},
    {PTX_BF16, PTX_F32, 0, bf16_f32},
    {PTX_F32, PTX_S64, 0, f32_s64},
    {PTX_F32, PTX_U64, 0, f32_u64},
    {PTX_F64, PTX_S64, 0, f64_s64},
    {PTX_F64, PTX_U64, 0, f64_u64},
    {PTX_S32, PTX_F32, CVT_RZ_INT, s32_f32},
    {PTX_U32, PTX_F32, CVT_RZ_INT, u32_f32},
    {PTX_S32, PTX_F32, CVT_RN_INT, s32_rni_f32},
    {PTX_U32, PTX_F32, CVT_RN_INT, u32_rni_f32},
    {PTX_S32, PTX_F32, CVT_RM_INT, s32_rmi_f32},
    {PTX_S32, PTX_F32, CVT_RP_INT, s32_rpi_f32},
    {PTX_S32, PTX_F64, CVT_RZ_INT, s32_f64},
    {PTX_U32, PTX_F64, CVT_RZ_INT, u32_f64},
    {PTX_S64, PTX_F32, CVT_RZ_INT, s64_f32},
    {PTX_U64, PTX_F32, CVT_RZ_INT, u64_f32},
    {PTX_S64, PTX_F64, CVT_RZ_INT, s64_f64},
    {PTX_U64, PTX_F64, CVT_RZ_INT, u64_f64},
    {PTX_F32, PTX_F32, CVT_RZ_INT, rzi_f32},
    {PTX_F32, PTX_F32, CVT_RM_INT, rmi_f32},
    {PTX_F32, PTX_F32, CVT_RP_INT, rpi_f32},
    {PTX_F32, PTX_F32, CVT_RN_INT, rni_f32},
};

static VmHandler handler_for(PtxType to, PtxType from, uint32_t flags,
                             VmRef dst, VmRef src) {
    VmHandler handler = NULL;
    if (flags == 0 && !ptx_type_is_float(to) && !ptx_type_is_float(from))
        handler = extension(to, from, dst, src);
    bool exact =
        dst.size == ptx_type_size(to) && src.size == ptx_type_size(from);
    for (size_t i = 0; i < COUNT_OF(fast) && exact && !handler; i++)
        if (fast[i].to == to && fast[i].from == from && fast[i].flags == flags)
            handler = fast[i].handler;
    return handler ? handler : slow_handler(to, from);
}

// ---- decoding ------------------------------------------------------------

static bool convertible(PtxType type) {
    switch ((int)type) {
    case PTX_U8:
    case PTX_S8:
    case PTX_U16:
    case PTX_S16:
    case PTX_U32:
    case PTX_S32:
    case PTX_U64:
    case PTX_S64:
    case PTX_F16:
    case PTX_BF16:
    case PTX_F32:
    case PTX_F64:
        return true;
    default:
        return false;
    }
}

static uint32_t take_flags(VmDecoder *d) {
    static const struct {
        uint16_t mod;
        uint32_t flag;
    } suffixes[] = {
        {PTX_MOD_RN, 0},           {PTX_MOD_RZ, VM_RZ},
        {PTX_MOD_RM, VM_RM},       {PTX_MOD_RP, VM_RP},
        {PTX_MOD_RNA, VM_RNA},     {PTX_MOD_SATFINITE, VM_SATFINITE},
        {PTX_MOD_RNI, CVT_RN_INT}, {PTX_MOD_RZI, CVT_RZ_INT},
        {PTX_MOD_RMI, CVT_RM_INT}, {PTX_MOD_RPI, CVT_RP_INT},
        {PTX_MOD_FTZ, VM_FTZ},     {PTX_MOD_SAT, VM_SAT},
        {PTX_MOD_RELU, VM_RELU},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        flags |= vm_take(d, (PtxMod)suffixes[i].mod) ? suffixes[i].flag : 0;
    return flags;
}

void vm_decode_cvt(VmDecoder *d) {
    PtxType to = d->in->types[0], from = d->in->types[1];
    bool scalar = d->in->type_count == 2 && convertible(from) &&
                  (convertible(to) || to == PTX_TF32);
    if (!scalar) {
        vm_decode_cvt_packed(d);
        return;
    }
    vm_take_types(d);
    if (d->in->operand_count != 2)
        vm_unsupported(d, "this number of operands");
    uint32_t flags = take_flags(d);
    VmRef src = vm_src_any(d, 1, ptx_type_size(from));
    VmRef dst = vm_operand_dst(d, &d->in->operands[0], ptx_type_size(to), true);
    if (d->problem.len)
        return;
    VmInstr *in = vm_emit_plain(d, handler_for(to, from, flags, dst, src));
    in->cvt.flags = flags;
    in->cvt.from = (uint8_t)from;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, src);
}
