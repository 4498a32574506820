// SPDX-License-Identifier: Apache-2.0
// cvt between integers, f32 and f64 (PTX ISA, 9.7.9, "cvt").
// A value goes through one of three carriers: a 64-bit integer, a float or a
// double. Registers may be wider than the types: a source's low bits count, a
// result is extended by the sign of its type. Left out: f16, bf16, fp8, ...
#include "vm/decode.h"
#include "vm/exec.h"

enum CvtFlag {       // beside those of arithmetic
    CVT_RN_INT = 64, // .rni and the like: round to an integral value
    CVT_RZ_INT = 128,
    CVT_RM_INT = 256,
    CVT_RP_INT = 512,
    CVT_INTEGRAL = CVT_RN_INT | CVT_RZ_INT | CVT_RM_INT | CVT_RP_INT,
};

static bool is_float_type(uint32_t type) {
    return type == PTX_F32 || type == PTX_F64;
}

static int64_t read_int(uint64_t bits, PtxType type) {
    uint32_t shift = 64 - 8 * ptx_type_size(type);
    bits <<= shift;
    return ptx_type_is_signed(type) ? (int64_t)bits >> shift
                                    : (int64_t)(bits >> shift);
}

// Smallest and largest value of an integer type, as signed or unsigned.
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

static double round_integral(double x, uint32_t flags) {
    if (flags & CVT_RZ_INT)
        return trunc(x);
    if (flags & CVT_RM_INT)
        return floor(x);
    if (flags & CVT_RP_INT)
        return ceil(x);
    return flags & CVT_RN_INT ? nearbyint(x) : x;
}

// Out of range values are clamped; NaN gives 0, or the lowest 64-bit pattern.
static uint64_t float_to_int(double x, PtxType to, uint32_t flags) {
    if (isnan(x))
        return ptx_type_size(to) == 8 ? UINT64_C(1) << 63 : 0;
    x = round_integral(x, flags);
    double low = (double)type_min(to), high = (double)type_max(to);
    if (x <= low)
        return (uint64_t)type_min(to);
    if (x >= high)
        return type_max(to);
    return ptx_type_is_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static double read_float(uint64_t bits, PtxType type, uint32_t flags) {
    if (type == PTX_F64) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    uint32_t low = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    if (flags & VM_FTZ)
        narrow = vm_flush(narrow);
    return (double)narrow;
}

static uint64_t f32_bits(float x, uint32_t flags) {
    if (flags & VM_FTZ)
        x = vm_flush(x);
    if (flags & VM_SAT)
        x = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
    if (isnan(x))
        return 0x7FFFFFFFu;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t f64_bits(double x, uint32_t flags) {
    if (flags & VM_SAT)
        x = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t to_float(uint64_t bits, PtxType from, PtxType to,
                         uint32_t flags) {
    if (is_float_type(from)) {
        double x = round_integral(read_float(bits, from, flags), flags);
        volatile double wide = x;
        volatile float narrow = (float)wide;
        return to == PTX_F64 ? f64_bits(x, flags) : f32_bits(narrow, flags);
    }
    volatile int64_t value = read_int(bits, from);
    bool is_unsigned = !ptx_type_is_signed(from);
    if (to == PTX_F64) {
        volatile double x =
            is_unsigned ? (double)(uint64_t)value : (double)value;
        return f64_bits(x, flags);
    }
    volatile float x = is_unsigned ? (float)(uint64_t)value : (float)value;
    return f32_bits(x, flags);
}

static VmNext op_cvt(VmWarp *w, const VmInstr *in, uint32_t mask) {
    PtxType to = (PtxType)in->type, from = (PtxType)in->type2;
    fesetround(vm_rounding(in->flags));
    EACH_LANE(l, mask) {
        uint64_t bits = vm_lane_u64(w, in->src[0], l), out;
        if (is_float_type(to))
            out = to_float(bits, from, to, in->flags);
        else if (is_float_type(from))
            out =
                float_to_int(read_float(bits, from, in->flags), to, in->flags);
        else
            out = int_to_int(bits, from, to, in->flags);
        vm_set_lane_u64(w, in->dst[0], l, out);
    }
    fesetround(FE_TONEAREST);
    VM_NEXT;
}

// The conversions that loops are full of.
#define FAST(name, TD, TS)                                            \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const TS *a = SRC(TS, 0);                                     \
        LANES(d[l] = (TD)a[l]);                                       \
        VM_NEXT;                                                      \
    }
FAST(cvt_64_s32, int64_t, int32_t)
FAST(cvt_64_u32, uint64_t, uint32_t)
FAST(cvt_32_64, uint32_t, uint64_t)
FAST(cvt_f32_s32, float, int32_t)

static VmHandler fast_handler(PtxType to, PtxType from, uint32_t flags,
                              VmRef dst, VmRef src) {
    if (flags || dst.size != ptx_type_size(to) ||
        src.size != ptx_type_size(from))
        return op_cvt;
    bool to64 = to == PTX_S64 || to == PTX_U64;
    if (to64 && from == PTX_S32)
        return cvt_64_s32;
    if (to64 && from == PTX_U32)
        return cvt_64_u32;
    if ((to == PTX_U32 || to == PTX_S32) &&
        (from == PTX_U64 || from == PTX_S64))
        return cvt_32_64;
    return to == PTX_F32 && from == PTX_S32 ? cvt_f32_s32 : op_cvt;
}

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
    case PTX_F32:
    case PTX_F64:
        return true;
    default:
        return false;
    }
}

void vm_decode_cvt(VmDecoder *d) {
    static const struct {
        uint16_t mod;
        uint32_t flag;
    } suffixes[] = {
        {PTX_MOD_RN, 0},           {PTX_MOD_RZ, VM_RZ},
        {PTX_MOD_RM, VM_RM},       {PTX_MOD_RP, VM_RP},
        {PTX_MOD_RNI, CVT_RN_INT}, {PTX_MOD_RZI, CVT_RZ_INT},
        {PTX_MOD_RMI, CVT_RM_INT}, {PTX_MOD_RPI, CVT_RP_INT},
        {PTX_MOD_FTZ, VM_FTZ},     {PTX_MOD_SAT, VM_SAT},
    };
    vm_take_types(d);
    PtxType to = d->in->types[0], from = d->in->types[1];
    if (d->in->type_count != 2 || !convertible(to) || !convertible(from)) {
        vm_unsupported(d, "a conversion of these types");
        return;
    }
    uint32_t flags = 0;
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        flags |= vm_take(d, (PtxMod)suffixes[i].mod) ? suffixes[i].flag : 0;
    VmRef src = vm_src_any(d, 1, ptx_type_size(from));
    VmRef dst = vm_operand_dst(d, &d->in->operands[0], ptx_type_size(to), true);
    VmInstr *in = vm_emit_plain(d, fast_handler(to, from, flags, dst, src));
    in->flags = flags;
    in->type = (uint8_t)to;
    in->type2 = (uint8_t)from;
    vm_emit_dst(in, dst);
    vm_emit_src(in, src);
}
