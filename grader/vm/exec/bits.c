// SPDX-License-Identifier: Apache-2.0
// Bits: counts, fields, masks, byte permutation, logic of three inputs, and
// dot products of bytes (PTX ISA, 9.7.1 and 9.7.8). The table is at the end.
#include "vm/decode/rows.h"
#include "vm/exec/families.h"

// ---- counts and positions ------------------------------------------------

VM_UNARY(popc_b32, uint32_t, uint32_t, __builtin_popcount(a[l]))
VM_UNARY(popc_b64, uint32_t, uint64_t, __builtin_popcountll(a[l]))
VM_UNARY(clz_b32, uint32_t, uint32_t, a[l] ? __builtin_clz(a[l]) : 32)
VM_UNARY(clz_b64, uint32_t, uint64_t, a[l] ? __builtin_clzll(a[l]) : 64)

// Reverses the order of the bytes, then the bits in each byte: halves, pairs,
// single bits.
static uint64_t reverse_bits(uint64_t x) {
    x = __builtin_bswap64(x);
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (x & 0x0F0F0F0F0F0F0F0Fu) << 4;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    return (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
}
VM_UNARY(brev_b32, uint32_t, uint32_t, reverse_bits(a[l]) >> 32)
VM_UNARY(brev_b64, uint64_t, uint64_t, reverse_bits(a[l]))

// The highest bit that differs from the sign; all ones if there is none.
static uint32_t find_bit(uint64_t value) {
    return value ? 63 - (uint32_t)__builtin_clzll(value) : UINT32_MAX;
}

// .shiftamt: the distance of that bit from the top.
static uint32_t find_shift(uint64_t value, uint32_t bits) {
    return value ? (uint32_t)__builtin_clzll(value) - (64 - bits) : UINT32_MAX;
}
#define FOLD(U, x) ((U)((x) < 0 ? ~(x) : (x)))
VM_UNARY(bfind_u32, uint32_t, uint32_t, find_bit(a[l]))
VM_UNARY(bfind_u64, uint32_t, uint64_t, find_bit(a[l]))
VM_UNARY(bfind_s32, uint32_t, int32_t, find_bit(FOLD(uint32_t, a[l])))
VM_UNARY(bfind_s64, uint32_t, int64_t, find_bit(FOLD(uint64_t, a[l])))
VM_UNARY(bfind_shift_u32, uint32_t, uint32_t, find_shift(a[l], 32))
VM_UNARY(bfind_shift_u64, uint32_t, uint64_t, find_shift(a[l], 64))
VM_UNARY(bfind_shift_s32, uint32_t, int32_t,
         find_shift(FOLD(uint32_t, a[l]), 32))
VM_UNARY(bfind_shift_s64, uint32_t, int64_t,
         find_shift(FOLD(uint64_t, a[l]), 64))

// ---- fields --------------------------------------------------------------

// PTX ISA, "bfe": position and length are the low 8 bits of b and c.
static uint64_t extract_field(uint64_t a, uint32_t pos, uint32_t len,
                              uint32_t bits, bool is_signed) {
    pos &= 0xFF;
    len &= 0xFF;
    if (len == 0)
        return 0;
    uint32_t sign_at = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    bool sign = is_signed && ((a >> sign_at) & 1);
    uint64_t field = pos < bits ? a >> pos : 0;
    uint32_t kept = pos < bits ? (len < bits - pos ? len : bits - pos) : 0;
    uint64_t low = kept >= 64 ? UINT64_MAX : (UINT64_C(1) << kept) - 1;
    return sign ? field | ~low : field & low;
}

static uint64_t insert_field(uint64_t a, uint64_t b, uint32_t pos, uint32_t len,
                             uint32_t bits) {
    pos &= 0xFF;
    len &= 0xFF;
    if (pos >= bits || len == 0)
        return b;
    uint32_t kept = len < bits - pos ? len : bits - pos;
    uint64_t low = kept >= 64 ? UINT64_MAX : (UINT64_C(1) << kept) - 1;
    return (b & ~(low << pos)) | ((a & low) << pos);
}

VM_TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t,
           extract_field(a[l], b[l], c[l], 32, false))
VM_TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t,
           extract_field(a[l], b[l], c[l], 32, true))
VM_TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t,
           extract_field(a[l], b[l], c[l], 64, false))
VM_TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t,
           extract_field(a[l], b[l], c[l], 64, true))

#define BFI(t, T, bits)                                                  \
    static VmNext bfi_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                                \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                          \
        const uint32_t *c = SRC(uint32_t, 2), *n = SRC(uint32_t, 3);     \
        LANES(d[l] = (T)insert_field(a[l], b[l], c[l], n[l], bits));     \
        VM_NEXT;                                                         \
    }
BFI(b32, uint32_t, 32)
BFI(b64, uint64_t, 64)

// ---- masks and extension -------------------------------------------------

// PTX ISA, "bmsk": `width` ones starting at bit `pos`. The wrapping form takes
// both modulo 32; the clamping form drops what is beyond bit 31.
static uint32_t bit_mask(uint32_t pos, uint32_t width, bool clamps) {
    if (clamps && pos >= 32)
        return 0;
    uint32_t from = UINT32_MAX << (pos & 31), end = (pos & 31) + (width & 31);
    if (end >= 32 || (clamps && width >= 32))
        return from;
    return from & ~(UINT32_MAX << end);
}
VM_BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, bit_mask(a[l], b[l], true))
VM_BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, bit_mask(a[l], b[l], false))

// PTX ISA, "szext": extends a value of n bits. If n is greater than 31, the
// wrapping form takes it modulo 32, and the clamping form keeps all bits.
static uint32_t extend(uint32_t a, uint32_t n, bool clamps, bool is_signed) {
    if (clamps && n >= 32)
        return a;
    n &= 31;
    if (n == 0)
        return 0;
    uint32_t high = UINT32_MAX << n;
    return is_signed && (a >> (n - 1) & 1) ? a | high : a & ~high;
}
#define SZEXT(name, clamps, is_signed)            \
    VM_BINARY(name, uint32_t, uint32_t, uint32_t, \
              extend(a[l], b[l], clamps, is_signed))
SZEXT(szext_clamp_u32, true, false)
SZEXT(szext_clamp_s32, true, true)
SZEXT(szext_wrap_u32, false, false)
SZEXT(szext_wrap_s32, false, true)

// PTX ISA, "fns": the n-th set bit at or above `base` (n > 0), or at or below
// it (n < 0); with n = 0, `base` itself if its bit is set.
static uint32_t nth_set_bit(uint32_t bits, uint32_t base, int32_t n) {
    int64_t step = n < 0 ? -1 : 1, left = n < 0 ? -(int64_t)n : n;
    if (n == 0)
        return base < 32 && (bits >> base & 1) ? base : UINT32_MAX;
    for (int64_t at = base; at >= 0 && at < 32; at += step)
        if ((bits >> at & 1) && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
VM_TERNARY(fns_b32, uint32_t, uint32_t, uint32_t, int32_t,
           nth_set_bit(a[l], b[l], c[l]))

// ---- bytes ---------------------------------------------------------------

// PTX ISA, "prmt": a nibble of the control selects a byte of {b, a}; its top
// bit replicates the byte's sign.
static uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t control) {
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nibble = (control >> (4 * i)) & 15;
        uint32_t byte = (uint32_t)(both >> (8 * (nibble & 7))) & 0xFF;
        if (nibble & 8)
            byte = byte & 0x80 ? 0xFF : 0;
        out |= byte << (8 * i);
    }
    return out;
}
VM_TERNARY(prmt_b32, uint32_t, uint32_t, uint32_t, uint32_t,
           permute_bytes(a[l], b[l], c[l]))

// Each mode stands for four controls; the low bits of c select one.
#define PRMT(mode, c0, c1, c2, c3)                                           \
    static VmNext prmt_##mode(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        static const uint16_t control[4] = {c0, c1, c2, c3};                 \
        uint32_t *d = DST(uint32_t, 0);                                      \
        const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);         \
        const uint32_t *c = SRC(uint32_t, 2);                                \
        LANES(d[l] = permute_bytes(a[l], b[l], control[c[l] & 3]));          \
        VM_NEXT;                                                             \
    }
PRMT(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

#define S8(x, i) (int32_t)(int8_t)(uint8_t)((x) >> (8 * (i)))
#define U8(x, i) (int32_t)((x) >> (8 * (i)) & 0xFF)
#define S16(x, i) (int32_t)(int16_t)(uint16_t)((x) >> (16 * (i)))
#define U16(x, i) (int32_t)((x) >> (16 * (i)) & 0xFFFF)

// A product, and a sum of four, fit in 32 bits; only the addition of c can
// wrap.
#define DP4A(name, A, B)                                                      \
    VM_TERNARY(                                                               \
        dp4a_##name, uint32_t, uint32_t, uint32_t, uint32_t,                  \
        c[l] + (uint32_t)(A(a[l], 0) * B(b[l], 0) + A(a[l], 1) * B(b[l], 1) + \
                          A(a[l], 2) * B(b[l], 2) + A(a[l], 3) * B(b[l], 3)))
DP4A(u32_u32, U8, U8)
DP4A(u32_s32, U8, S8)
DP4A(s32_u32, S8, U8)
DP4A(s32_s32, S8, S8)

// lo and hi: which two bytes of b.
#define DP2A_HALF(name, A, B, first)                                \
    VM_TERNARY(dp2a_##name, uint32_t, uint32_t, uint32_t, uint32_t, \
               c[l] + (uint32_t)(A(a[l], 0) * B(b[l], first) +      \
                                 A(a[l], 1) * B(b[l], first + 1)))
#define DP2A(name, A, B)          \
    DP2A_HALF(lo_##name, A, B, 0) \
    DP2A_HALF(hi_##name, A, B, 2)
DP2A(u32_u32, U16, U8)
DP2A(u32_s32, U16, S8)
DP2A(s32_u32, S16, U8)
DP2A(s32_s32, S16, S8)

// ---- lop3 ----------------------------------------------------------------

// All ones where bit i of the table is set.
static uint32_t table_bit(uint32_t table, uint32_t i) {
    return 0u - (uint32_t)(table >> i & 1);
}

// `no` where the bit of `which` is 0, `yes` where it is 1.
#define CHOOSE(which, no, yes) (((no) ^ (yes)) & (which)) ^ (no)

// Bit 4a + 2b + c of the table is the result for bits a, b, c of the inputs.
static inline void logic3(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t *d = DST(uint32_t, 0), t[8];
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t *c = SRC(uint32_t, 2);
    for (uint32_t i = 0; i < 8; i++)
        t[i] = table_bit(in->lop3.table, i);
    const uint32_t t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3], t4 = t[4],
                   t5 = t[5], t6 = t[6], t7 = t[7];
    LANES(uint32_t low0 = CHOOSE(c[l], t0, t1);
          uint32_t low1 = CHOOSE(c[l], t2, t3);
          uint32_t high0 = CHOOSE(c[l], t4, t5);
          uint32_t high1 = CHOOSE(c[l], t6, t7);
          uint32_t low = CHOOSE(b[l], low0, low1);
          uint32_t high = CHOOSE(b[l], high0, high1);
          d[l] = CHOOSE(a[l], low, high));
}

static VmNext lop3_b32(VmWarp *w, const VmInstr *in, uint32_t mask) {
    logic3(w, in, mask);
    VM_NEXT;
}

// The same with a predicate result: (d != 0), and / or the one in src[3].
static VmNext lop3_pred(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t q = vm_pred(w, in->src[3]), set = 0;
    logic3(w, in, mask);
    const uint32_t *d = DST(uint32_t, 0);
    for (uint32_t l = 0; l < VM_LANES; l++)
        set |= (uint32_t)(d[l] != 0) << l;
    vm_set_pred(w, in->dst[1], mask,
                in->lop3.combine == PTX_MOD_AND ? set & q : set | q);
    VM_NEXT;
}

static void decode_lop3(VmDecoder *d) {
    const PtxOperand *ops = d->in->operands;
    PtxMod combine = vm_take(d, PTX_MOD_AND)  ? PTX_MOD_AND
                     : vm_take(d, PTX_MOD_OR) ? PTX_MOD_OR
                                              : PTX_MOD_NONE;
    bool pair = combine != PTX_MOD_NONE;
    vm_take_types(d);
    VmRef refs[3], to[2], q = {0};
    for (uint32_t i = 0; i < COUNT_OF(refs); i++)
        refs[i] = vm_src(d, i + 1, 4);
    if (d->in->operand_count != (pair ? 6 : 5) || ops[4].kind != PTX_OPND_INT ||
        (ops[0].kind == PTX_OPND_PAIR) != pair) {
        vm_unsupported(d, "operands of this form");
        return;
    }
    uint32_t count = vm_results(d, 4, to);
    if (pair)
        q = vm_src(d, 5, 0);
    VmInstr *in = vm_emit_plain(d, pair ? lop3_pred : lop3_b32);
    in->lop3.table = (uint8_t)ops[4].imm;
    in->lop3.combine = (uint16_t)combine;
    vm_emit_results(d, in, to, count);
    for (uint32_t i = 0; i < COUNT_OF(refs); i++)
        vm_emit_src(d, in, refs[i]);
    if (pair)
        vm_emit_src(d, in, q);
}

// ---- the table -----------------------------------------------------------

#define BFIND(type, shape, name)                                  \
    VM_ROW_MOD(BFIND, SHIFTAMT, type, shape, bfind_shift_##name), \
        VM_ROW(BFIND, type, shape, bfind_##name)
#define PRMT_MODE(mod, name) VM_ROW_MOD(PRMT, mod, B32, "4444", prmt_##name)
#define DOT(op, mod, A, B, handler) \
    { PTX_OP_##op, PTX_##A, PTX_##B, {mod, 0}, "4444", handler }
#define DOTS(op, mod, stem)                     \
    DOT(op, mod, U32, U32, stem##_u32_u32),     \
        DOT(op, mod, U32, S32, stem##_u32_s32), \
        DOT(op, mod, S32, U32, stem##_s32_u32), \
        DOT(op, mod, S32, S32, stem##_s32_s32)

// The first matching row is used, so rows with more suffixes come first.
static const VmRow rows[] = {
    VM_ROW(POPC, B32, "44", popc_b32),
    VM_ROW(POPC, B64, "48", popc_b64),
    VM_ROW(CLZ, B32, "44", clz_b32),
    VM_ROW(CLZ, B64, "48", clz_b64),
    VM_ROW(BREV, B32, "44", brev_b32),
    VM_ROW(BREV, B64, "88", brev_b64),
    BFIND(U32, "44", u32),
    BFIND(S32, "44", s32),
    BFIND(U64, "48", u64),
    BFIND(S64, "48", s64),
    VM_ROW(BFE, U32, "4444", bfe_u32),
    VM_ROW(BFE, S32, "4444", bfe_s32),
    VM_ROW(BFE, U64, "8844", bfe_u64),
    VM_ROW(BFE, S64, "8844", bfe_s64),
    VM_ROW(BFI, B32, "44444", bfi_b32),
    VM_ROW(BFI, B64, "88844", bfi_b64),
    VM_ROW_MOD(BMSK, CLAMP, B32, "444", bmsk_clamp),
    VM_ROW_MOD(BMSK, WRAP, B32, "444", bmsk_wrap),
    VM_ROW_MOD(SZEXT, CLAMP, U32, "444", szext_clamp_u32),
    VM_ROW_MOD(SZEXT, CLAMP, S32, "444", szext_clamp_s32),
    VM_ROW_MOD(SZEXT, WRAP, U32, "444", szext_wrap_u32),
    VM_ROW_MOD(SZEXT, WRAP, S32, "444", szext_wrap_s32),
    VM_ROW(FNS, B32, "4444", fns_b32),
    PRMT_MODE(F4E, f4e),
    PRMT_MODE(B4E, b4e),
    PRMT_MODE(RC8, rc8),
    PRMT_MODE(ECL, ecl),
    PRMT_MODE(ECR, ecr),
    PRMT_MODE(RC16, rc16),
    VM_ROW(PRMT, B32, "4444", prmt_b32),
    DOTS(DP4A, PTX_MOD_NONE, dp4a),
    DOTS(DP2A, PTX_MOD_LO, dp2a_lo),
    DOTS(DP2A, PTX_MOD_HI, dp2a_hi),
};

void vm_decode_bits(VmDecoder *d) {
    if (d->in->op == PTX_OP_LOP3)
        decode_lop3(d);
    else
        vm_decode_rows(d, rows, COUNT_OF(rows));
}
