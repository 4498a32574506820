// SPDX-License-Identifier: Apache-2.0
// set and setp that compare f16, bf16 or pairs of them (PTX ISA, 9.7.7). For a
// pair, setp's p is the comparison of the low halves and q that of the high
// halves; for one half, q is the opposite of p. compare.c has the other types,
// those whose result is a half, too.
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/values/half.h"

// VmInstr.half.flags: bits 0-3: the outcomes for which the comparison is true;
// then:
enum HalfCompareFlag {
    WHEN_LESS = 1,
    WHEN_EQUAL = 2,
    WHEN_GREATER = 4,
    WHEN_UNORDERED = 8,
    COMBINE_AND = 16,
    COMBINE_OR = 32,
    COMBINE_XOR = 64,
    COMBINES = COMBINE_AND | COMBINE_OR | COMBINE_XOR,
    FLUSHES = 128,
};

static inline uint32_t outcome_f32(float a, float b) {
    uint32_t is =
        (uint32_t)(a < b) | (uint32_t)(a == b) << 1 | (uint32_t)(a > b) << 2;
    return is | (uint32_t)(is == 0) << 3;
}

static inline float in_f16(uint16_t h, uint32_t flags) {
    uint32_t flushed = h & 0x7C00u ? h : 0;
    return vm_widen_f16((uint16_t)(flags & FLUSHES ? flushed : h));
}

static inline float in_bf16(uint16_t h, uint32_t flags) {
    (void)flags;
    return vm_widen_bf16(h);
}

static uint32_t combine(uint32_t r, uint32_t c, uint32_t flags) {
    if (flags & COMBINE_AND)
        return r & c;
    if (flags & COMBINE_OR)
        return r | c;
    return flags & COMBINE_XOR ? r ^ c : r;
}

static VmNext store(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t low,
                    uint32_t high) {
    const uint32_t yes = in->half.yes;
    if (in->dst[0].size == 2) {
        uint16_t *d = DST(uint16_t, 0);
        LANES(d[l] = (uint16_t)((low >> l) & 1 ? yes : 0));
        VM_NEXT;
    }
    const uint32_t upper = in->half.per == 2 ? yes << 16 : 0;
    uint32_t *d = DST(uint32_t, 0);
    LANES(d[l] = ((low >> l) & 1 ? yes : 0) | ((high >> l) & 1 ? upper : 0));
    VM_NEXT;
}

static VmNext finish(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t low,
                     uint32_t high) {
    uint32_t c = in->half.flags & COMBINES ? vm_pred(w, in->src[2]) : 0;
    uint32_t p = combine(low, c, in->half.flags);
    uint32_t q = combine(in->half.per == 2 ? high : ~low, c, in->half.flags);
    if (in->op == PTX_OP_SET)
        return store(w, in, mask, p, q);
    vm_set_pred(w, in->dst[0], mask, p);
    if (in->dst_count > 1)
        vm_set_pred(w, in->dst[1], mask, q);
    VM_NEXT;
}

#define OUTCOME(t, i) outcome_f32(in_##t(a[i], flags), in_##t(b[i], flags))
// set whose result has a half for each compared half, and no predicate.
#define HALVES(t, per)                                                      \
    static VmNext halves_##t##_##per(VmWarp *w, const VmInstr *in,          \
                                     uint32_t mask) {                       \
        const uint16_t *a = SRC(uint16_t, 0), *b = SRC(uint16_t, 1);        \
        const uint32_t flags = in->half.flags, yes = in->half.yes;          \
        uint16_t *d = DST(uint16_t, 0);                                     \
        EACH_HALF(per, d[l] = (uint16_t)(OUTCOME(t, l) & flags ? yes : 0)); \
        VM_NEXT;                                                            \
    }
HALVES(f16, 1)
HALVES(f16, 2)
HALVES(bf16, 1)
HALVES(bf16, 2)

#define COMPARE(t)                                                           \
    static VmNext compare_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        const uint16_t *a = SRC(uint16_t, 0), *b = SRC(uint16_t, 1);         \
        const uint32_t flags = in->half.flags, per = in->half.per;           \
        uint32_t yes[2 * VM_LANES], r[2] = {0, 0};                           \
        for (uint32_t i = 0; i < VM_LANES * per; i++)                        \
            yes[i] = (OUTCOME(t, i) & flags) != 0;                           \
        for (uint32_t l = 0; l < VM_LANES; l++) {                            \
            r[0] |= yes[l * per] << l;                                       \
            r[1] |= yes[l * per + per - 1] << l;                             \
        }                                                                    \
        return finish(w, in, mask, r[0], r[1]);                              \
    }
COMPARE(f16)
COMPARE(bf16)

// ---- decoding ------------------------------------------------------------

static const struct {
    uint16_t mod;
    uint8_t when;
} comparisons[] = {
    {PTX_MOD_EQ, WHEN_EQUAL},
    {PTX_MOD_NE, WHEN_LESS | WHEN_GREATER},
    {PTX_MOD_LT, WHEN_LESS},
    {PTX_MOD_LE, WHEN_LESS | WHEN_EQUAL},
    {PTX_MOD_GT, WHEN_GREATER},
    {PTX_MOD_GE, WHEN_GREATER | WHEN_EQUAL},
    {PTX_MOD_EQU, WHEN_EQUAL | WHEN_UNORDERED},
    {PTX_MOD_NEU, WHEN_LESS | WHEN_GREATER | WHEN_UNORDERED},
    {PTX_MOD_LTU, WHEN_LESS | WHEN_UNORDERED},
    {PTX_MOD_LEU, WHEN_LESS | WHEN_EQUAL | WHEN_UNORDERED},
    {PTX_MOD_GTU, WHEN_GREATER | WHEN_UNORDERED},
    {PTX_MOD_GEU, WHEN_GREATER | WHEN_EQUAL | WHEN_UNORDERED},
    {PTX_MOD_NUM, WHEN_LESS | WHEN_EQUAL | WHEN_GREATER},
    {PTX_MOD_NAN, WHEN_UNORDERED},
};

static uint32_t take_comparison(VmDecoder *d) {
    for (size_t i = 0; i < COUNT_OF(comparisons); i++)
        if (vm_take(d, (PtxMod)comparisons[i].mod))
            return comparisons[i].when;
    vm_unsupported(d, "this comparison for this type");
    return 0;
}

static uint32_t take_combine(VmDecoder *d) {
    if (vm_take(d, PTX_MOD_AND))
        return COMBINE_AND;
    if (vm_take(d, PTX_MOD_OR))
        return COMBINE_OR;
    return vm_take(d, PTX_MOD_XOR) ? COMBINE_XOR : 0;
}

static bool is_pair(PtxType type) {
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

static VmHandler compare_handler(const VmDecoder *d, PtxType type,
                                 uint32_t flags) {
    bool halves = d->in->op == PTX_OP_SET && !(flags & COMBINES) &&
                  ptx_type_size(d->in->types[0]) == ptx_type_size(type);
    switch ((int)type) {
    case PTX_F16:
        return halves ? halves_f16_1 : compare_f16;
    case PTX_F16X2:
        return halves ? halves_f16_2 : compare_f16;
    case PTX_BF16:
        return halves ? halves_bf16_1 : compare_bf16;
    default: // PTX_BF16X2
        return halves ? halves_bf16_2 : compare_bf16;
    }
}

// set: the bits of "true" in one half of a pair, or in the whole of d.
static uint32_t true_bits(PtxType type, bool pairs) {
    switch ((int)type) {
    case PTX_F16:
    case PTX_F16X2:
        return 0x3C00;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3F80;
    case PTX_U16:
    case PTX_S16:
        return 0xFFFF;
    case PTX_U32:
    case PTX_S32:
        return pairs ? 0xFFFF : 0xFFFFFFFF;
    default:
        return 0;
    }
}

// Results: one register for set; p or p|q for setp. Returns how many.
static uint32_t results(VmDecoder *d, PtxType type, VmRef *refs) {
    if (d->in->op != PTX_OP_SET)
        return vm_results(d, 0, refs);
    PtxType to = d->in->types[0];
    if (!true_bits(to, false) || is_pair(to) > is_pair(type) ||
        (is_pair(type) && ptx_type_size(to) != 4))
        vm_unsupported(d, "this form of set");
    refs[0] = vm_dst(d, 0, ptx_type_size(to));
    return 1;
}

void vm_decode_half_compare(VmDecoder *d) {
    vm_take_types(d);
    bool is_set = d->in->op == PTX_OP_SET;
    PtxType type = d->in->types[is_set ? 1 : 0];
    uint32_t flags = take_comparison(d) | take_combine(d);
    if ((type == PTX_F16 || type == PTX_F16X2) && vm_take(d, PTX_MOD_FTZ))
        flags |= FLUSHES;
    VmRef a = vm_src(d, 1, ptx_type_size(type));
    VmRef b = vm_src(d, 2, ptx_type_size(type)), c = {0}, to[2];
    if (flags & COMBINES)
        c = vm_src(d, 3, 0);
    uint32_t count = results(d, type, to);
    VmInstr *in = vm_emit_plain(d, compare_handler(d, type, flags));
    in->half.flags = flags;
    in->type = (uint8_t)type;
    in->half.per = is_pair(type) ? 2 : 1;
    in->half.yes = is_set ? true_bits(d->in->types[0], is_pair(type)) : 0;
    vm_emit_results(d, in, to, count);
    vm_emit_src(d, in, a);
    vm_emit_src(d, in, b);
    if (flags & COMBINES)
        vm_emit_src(d, in, c);
}
