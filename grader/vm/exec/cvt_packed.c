// SPDX-License-Identifier: Apache-2.0
// cvt of several values at once, and cvt.pack (PTX ISA, 9.7.9): to and from
// f16x2 and bf16x2, the 8-bit, 6-bit and 4-bit formats in twos and fours, and
// powers of 2 (ue8m0x2). The operands are a register for each value (f32: the
// first one is the uppermost), or one register with all values. .rs: for f16x2
// and bf16x2 each value has its own random bits, 13 or 16 in each half of the
// last operand; in fours the two upper values share the upper 16 bits, the two
// lower values the lower ones; in e2m1x4 each value has 8 bits, the upper two
// from the upper byte of each half. (The ISA's text permits this reading, but
// is not explicit.)
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/values/half.h"
#include "vm/values/numbers.h"

typedef struct Packing {
    uint16_t mod;
    uint8_t format, count;
    uint8_t stride; // bits from each value to the next
} Packing;

static const Packing packings[] = {
    {PTX_MOD_F32, VM_F32, 1, 32},      {PTX_MOD_F16X2, VM_F16, 2, 16},
    {PTX_MOD_BF16X2, VM_BF16, 2, 16},  {PTX_MOD_E4M3X2, VM_E4M3, 2, 8},
    {PTX_MOD_E5M2X2, VM_E5M2, 2, 8},   {PTX_MOD_E2M3X2, VM_E2M3, 2, 8},
    {PTX_MOD_E3M2X2, VM_E3M2, 2, 8},   {PTX_MOD_E2M1X2, VM_E2M1, 2, 4},
    {PTX_MOD_UE8M0X2, VM_UE8M0, 2, 8}, {PTX_MOD_E4M3X4, VM_E4M3, 4, 8},
    {PTX_MOD_E5M2X4, VM_E5M2, 4, 8},   {PTX_MOD_E2M3X4, VM_E2M3, 4, 8},
    {PTX_MOD_E3M2X4, VM_E3M2, 4, 8},   {PTX_MOD_E2M1X4, VM_E2M1, 4, 4},
};

// Value i of the operands, counted from the lowest.
static double value_of(const VmWarp *w, const VmInstr *in, uint32_t l,
                       uint32_t i) {
    uint32_t stride = in->packed.from_bits;
    uint64_t bits =
        stride ? vm_lane_u64(w, in->src[0], l) >> (i * stride)
               : vm_lane_u64(w, vm_srcs(in)[in->packed.count - 1 - i], l);
    if (in->packed.from == VM_BF16 || in->packed.from == VM_F16)
        bits &= 0xFFFFu;
    return vm_unpack_number((VmFormat)in->packed.from, bits);
}

static uint32_t random_of(const VmInstr *in, uint32_t random, uint32_t i) {
    uint32_t count = in->packed.random, shift;
    if (in->packed.count == 2)
        shift = 16 * i;
    else if (count == 8)
        shift = 16 * (i & 1) + 8 * (i >> 1);
    else
        shift = 16 * (i >> 1);
    return (random >> shift) & ((1u << count) - 1);
}

static VmNext cvt_packed(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFormat to = (VmFormat)in->packed.to;
    uint32_t count = in->packed.random;
    EACH_LANE(l, mask) {
        uint32_t random =
            count ? (uint32_t)vm_lane_u64(w, vm_srcs(in)[in->src_count - 1], l)
                  : 0;
        uint64_t out = 0;
        for (uint32_t i = 0; i < in->packed.count; i++) {
            double x = value_of(w, in, l, i);
            uint64_t bits =
                count ? vm_pack_random(to, x, in->packed.flags,
                                       random_of(in, random, i), count)
                      : vm_pack_number(to, x, in->packed.flags);
            out |= bits << (i * in->packed.to_bits);
        }
        vm_set_lane_u64(w, in->dst[0], l, out);
    }
    VM_NEXT;
}

// The conversions that are frequent in loops.
#define PAIR(name, TD, shift, narrow)                                 \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const float *a = SRC(float, 0), *b = SRC(float, 1);           \
        LANES(d[l] = (TD)((uint32_t)narrow(a[l]) << (shift) |         \
                          (uint32_t)narrow(b[l])));                   \
        VM_NEXT;                                                      \
    }
PAIR(f16x2_f32, uint32_t, 16, vm_narrow_f16)
PAIR(bf16x2_f32, uint32_t, 16, vm_narrow_bf16)
PAIR(e4m3x2_f32, uint16_t, 8, vm_narrow_e4m3)
PAIR(e5m2x2_f32, uint16_t, 8, vm_narrow_e5m2)

#define FROM_F16(name, narrow)                                               \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {        \
        uint16_t *d = DST(uint16_t, 0);                                      \
        const uint32_t *a = SRC(uint32_t, 0);                                \
        LANES(d[l] = (uint16_t)(narrow(vm_widen_f16((uint16_t)(a[l] >> 16))) \
                                    << 8 |                                   \
                                narrow(vm_widen_f16((uint16_t)a[l]))));      \
        VM_NEXT;                                                             \
    }
FROM_F16(e4m3x2_f16x2, vm_narrow_e4m3)
FROM_F16(e5m2x2_f16x2, vm_narrow_e5m2)

#define TO_F16(name, widen)                                              \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {    \
        uint32_t *d = DST(uint32_t, 0);                                  \
        const uint16_t *a = SRC(uint16_t, 0);                            \
        LANES(d[l] = (uint32_t)vm_narrow_f16(widen((uint32_t)a[l] >> 8)) \
                         << 16 |                                         \
                     (uint32_t)vm_narrow_f16(widen((uint32_t)a[l])));    \
        VM_NEXT;                                                         \
    }
TO_F16(f16x2_e4m3x2, vm_widen_e4m3)
TO_F16(f16x2_e5m2x2, vm_widen_e5m2)

// ---- cvt.pack ------------------------------------------------------------

static VmNext cvt_pack(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bits = in->pack.bits, sign = in->pack.is_signed;
    int64_t most = (INT64_C(1) << (bits - sign)) - 1;
    int64_t least = sign ? -most - 1 : 0;
    uint32_t *d = DST(uint32_t, 0);
    const uint32_t *c = SRC(uint32_t, in->pack.has_c ? 2 : 0);
    EACH_LANE(l, mask) {
        uint64_t out = in->pack.has_c ? (uint64_t)c[l] << (2 * bits) : 0;
        for (uint32_t i = 0; i < 2; i++) {
            int64_t x = SRC(int32_t, 1 - i)[l];
            x = x < least ? least : x > most ? most : x;
            out |= ((uint64_t)x & ((UINT64_C(1) << bits) - 1)) << (i * bits);
        }
        d[l] = (uint32_t)out;
    }
    VM_NEXT;
}

static const struct {
    uint16_t mod;
    uint8_t bits, sign;
} pack_types[] = {
    {PTX_MOD_U2, 2, 0},   {PTX_MOD_S2, 2, 1},   {PTX_MOD_U4, 4, 0},
    {PTX_MOD_S4, 4, 1},   {PTX_MOD_U8, 8, 0},   {PTX_MOD_S8, 8, 1},
    {PTX_MOD_U16, 16, 0}, {PTX_MOD_S16, 16, 1},
};

void vm_decode_cvt_pack(VmDecoder *d) {
    uint32_t bits = 0, sign = 0;
    for (size_t i = 0; i < COUNT_OF(pack_types); i++) {
        if (vm_take(d, (PtxMod)pack_types[i].mod)) {
            bits = pack_types[i].bits;
            sign = pack_types[i].sign;
        }
    }
    vm_take(d, PTX_MOD_S32);
    vm_take(d, PTX_MOD_SAT);
    bool has_c = vm_take(d, PTX_MOD_B32);
    if (bits == 0 || has_c != (bits < 16) ||
        d->in->operand_count != (has_c ? 4 : 3)) {
        vm_unsupported(d, "this form of cvt.pack");
        return;
    }
    VmRef refs[3] = {{0}};
    for (uint32_t i = 0; i < (has_c ? 3u : 2u); i++)
        refs[i] = vm_src(d, i + 1, 4);
    VmRef dst = vm_dst(d, 0, 4);
    VmInstr *in = vm_emit_plain(d, cvt_pack);
    in->pack.bits = (uint8_t)bits;
    in->pack.is_signed = sign;
    in->pack.has_c = has_c;
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < (has_c ? 3u : 2u); i++)
        vm_emit_src(d, in, refs[i]);
}

// ---- decoding ------------------------------------------------------------

// The formats of the result and the operand, from the suffixes that name them.
static bool find_packings(VmDecoder *d, const Packing **to,
                          const Packing **from) {
    *to = *from = NULL;
    for (uint32_t i = 0; i < d->in->mod_count; i++) {
        for (size_t k = 0; k < COUNT_OF(packings); k++) {
            if (packings[k].mod != d->in->mods[i])
                continue;
            vm_take(d, d->in->mods[i]);
            if (*from)
                return false;
            *(*to ? from : to) = &packings[k];
        }
    }
    return *from != NULL;
}

static bool is_16_bit(const Packing *p) {
    return p->format == VM_F16 || p->format == VM_BF16;
}

// Every narrow format is converted to or from f32 or a 16-bit format.
static bool possible(const Packing *to, const Packing *from) {
    if (from->format == VM_F32)
        return to->count > 1;
    return to->count == from->count && is_16_bit(to) != is_16_bit(from);
}

static uint32_t take_flags(VmDecoder *d) {
    uint32_t flags = 0;
    vm_take(d, PTX_MOD_RN);
    flags |= vm_take(d, PTX_MOD_RZ) ? VM_RZ : 0;
    flags |= vm_take(d, PTX_MOD_RP) ? VM_RP : 0;
    flags |= vm_take(d, PTX_MOD_SATFINITE) ? VM_SATFINITE : 0;
    flags |= vm_take(d, PTX_MOD_RELU) ? VM_RELU : 0;
    return flags;
}

// The number of random bits per value; 0: no stochastic rounding.
static uint32_t take_random(VmDecoder *d, const Packing *to) {
    if (!vm_take(d, PTX_MOD_RS))
        return 0;
    return to->format == VM_F16 ? 13 : to->format == VM_E2M1 ? 8 : 16;
}

// The operands, in the order in which they are written. Returns how many.
static uint32_t operands(VmDecoder *d, const Packing *to, const Packing *from,
                         bool random, VmRef *refs) {
    uint32_t count = 0, at = 1;
    const PtxOperand *vector = &d->in->operands[1];
    if (from->format != VM_F32) {
        refs[count++] = vm_src_any(d, at++, from->stride * from->count / 8u);
    } else if (to->count == 2) {
        refs[count++] = vm_src(d, at++, 4);
        refs[count++] = vm_src(d, at++, 4);
    } else if (vector->kind == PTX_OPND_VECTOR && vector->elem_count == 4) {
        for (; count < 4; count++)
            refs[count] = vm_operand_src(d, &vector->elems[count], 4, false);
        at++;
    } else {
        vm_unsupported(d, "operands of this form");
    }
    if (random)
        refs[count++] = vm_src(d, at++, 4);
    if (at != d->in->operand_count)
        vm_unsupported(d, "this number of operands");
    return count;
}

static const struct {
    uint16_t to, from; // suffixes
    uint32_t flags;
    VmHandler handler;
} fast[] = {
    {PTX_MOD_F16X2, PTX_MOD_F32, 0, f16x2_f32},
    {PTX_MOD_BF16X2, PTX_MOD_F32, 0, bf16x2_f32},
    {PTX_MOD_E4M3X2, PTX_MOD_F32, VM_SATFINITE, e4m3x2_f32},
    {PTX_MOD_E5M2X2, PTX_MOD_F32, VM_SATFINITE, e5m2x2_f32},
    {PTX_MOD_E4M3X2, PTX_MOD_F16X2, VM_SATFINITE, e4m3x2_f16x2},
    {PTX_MOD_E5M2X2, PTX_MOD_F16X2, VM_SATFINITE, e5m2x2_f16x2},
    {PTX_MOD_F16X2, PTX_MOD_E4M3X2, 0, f16x2_e4m3x2},
    {PTX_MOD_F16X2, PTX_MOD_E5M2X2, 0, f16x2_e5m2x2},
};

static VmHandler packed_handler(const Packing *to, const Packing *from,
                                uint32_t flags, VmRef dst, VmRef src) {
    bool exact = dst.size == to->stride * to->count / 8u &&
                 src.size == from->stride * from->count / 8u;
    for (size_t i = 0; i < COUNT_OF(fast) && exact; i++)
        if (fast[i].to == to->mod && fast[i].from == from->mod &&
            fast[i].flags == flags)
            return fast[i].handler;
    return cvt_packed;
}

void vm_decode_cvt_packed(VmDecoder *d) {
    const Packing *to, *from;
    if (!find_packings(d, &to, &from) || !possible(to, from)) {
        vm_unsupported(d, "a conversion of these types");
        return;
    }
    uint32_t flags = take_flags(d), random = take_random(d, to);
    VmRef refs[5];
    uint32_t count = operands(d, to, from, random != 0, refs);
    VmRef dst = vm_operand_dst(d, &d->in->operands[0],
                               to->stride * to->count / 8u, true);
    if (d->problem.len)
        return;
    VmInstr *in = vm_emit_plain(
        d, random ? cvt_packed : packed_handler(to, from, flags, dst, refs[0]));
    in->type = PTX_B32; // none of the PTX is that of the result's bits
    in->packed.flags = flags;
    in->packed.random = (uint8_t)random;
    in->packed.to = to->format;
    in->packed.from = from->format;
    in->packed.count = to->count;
    in->packed.to_bits = to->stride;
    in->packed.from_bits = from->format == VM_F32 ? 0 : from->stride;
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < count; i++)
        vm_emit_src(d, in, refs[i]);
}
