// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, logic and bit handling (PTX ISA, 9.7.1 and 9.7.8).
// The tables at the end say which handler does which opcode and type; add, mul
// and others of a float type go on to vm_decode_float. Left out: carries
// (add.cc ...), dot products, 128-bit types.
#include "vm/decode.h"
#include "vm/exec.h"

// Wraparound is spelled out: everything is computed unsigned, as wide as
// needed, and cut to the type.

#define UNARY(name, T, expr)                                          \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0);                                       \
        LANES(d[l] = (T)(expr));                                      \
        VM_NEXT;                                                      \
    }
#define BINARY(name, TD, T, expr)                                     \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }
#define TERNARY(name, TD, T, TC, expr)                                \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                       \
        const TC *c = SRC(TC, 2);                                     \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }

__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 S128;

#define HIGH_U64(a, b) (uint64_t)(((U128)(a) * (U128)(b)) >> 64)
#define HIGH_S64(a, b) (uint64_t)((U128)((S128)(a) * (S128)(b)) >> 64)

// Division by 0 is unspecified; this is what an H200 gave: all ones.
#define DIV_U(a, b, ones) ((b) ? (a) / (b) : (ones))
#define REM_U(a, b, ones) ((b) ? (a) % (b) : (ones))

static int64_t div_signed(int64_t a, int64_t b) {
    if (b == 0)
        return -1;
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t rem_signed(int64_t a, int64_t b) {
    if (b == 0)
        return -1;
    return b == -1 ? 0 : a % b;
}

// Rows for one type: its lower-case name, its C type, and the unsigned type
// that is wide enough to compute in.
#define COMMON(t, T, W)                                       \
    BINARY(add_##t, T, T, (W)a[l] + (W)b[l])                  \
    BINARY(sub_##t, T, T, (W)a[l] - (W)b[l])                  \
    BINARY(mul_lo_##t, T, T, (W)a[l] * (W)b[l])               \
    TERNARY(mad_lo_##t, T, T, T, (W)a[l] * (W)b[l] + (W)c[l]) \
    BINARY(min_##t, T, T, a[l] < b[l] ? a[l] : b[l])          \
    BINARY(max_##t, T, T, a[l] > b[l] ? a[l] : b[l])          \
    TERNARY(sad_##t, T, T, T,                                 \
            (W)c[l] + (a[l] < b[l] ? (W)b[l] - (W)a[l] : (W)a[l] - (W)b[l]))
COMMON(u16, uint16_t, uint32_t)
COMMON(s16, int16_t, uint32_t)
COMMON(u32, uint32_t, uint32_t)
COMMON(s32, int32_t, uint32_t)
COMMON(u64, uint64_t, uint64_t)
COMMON(s64, int64_t, uint64_t)

BINARY(div_u16, uint16_t, uint16_t, DIV_U(a[l], b[l], 0xFFFFu))
BINARY(div_u32, uint32_t, uint32_t, DIV_U(a[l], b[l], UINT32_MAX))
BINARY(div_u64, uint64_t, uint64_t, DIV_U(a[l], b[l], UINT64_MAX))
BINARY(rem_u16, uint16_t, uint16_t, REM_U(a[l], b[l], 0xFFFFu))
BINARY(rem_u32, uint32_t, uint32_t, REM_U(a[l], b[l], UINT32_MAX))
BINARY(rem_u64, uint64_t, uint64_t, REM_U(a[l], b[l], UINT64_MAX))
BINARY(div_s16, int16_t, int16_t, div_signed(a[l], b[l]))
BINARY(div_s32, int32_t, int32_t, div_signed(a[l], b[l]))
BINARY(div_s64, int64_t, int64_t, div_signed(a[l], b[l]))
BINARY(rem_s16, int16_t, int16_t, rem_signed(a[l], b[l]))
BINARY(rem_s32, int32_t, int32_t, rem_signed(a[l], b[l]))
BINARY(rem_s64, int64_t, int64_t, rem_signed(a[l], b[l]))

#define HIGH(t, T, W, shift)                                 \
    BINARY(mul_hi_##t, T, T, ((W)a[l] * (W)b[l]) >> (shift)) \
    TERNARY(mad_hi_##t, T, T, T,                             \
            (uint64_t)(((W)a[l] * (W)b[l]) >> (shift)) + (uint64_t)c[l])
HIGH(u16, uint16_t, uint64_t, 16)
HIGH(s16, int16_t, int64_t, 16)
HIGH(u32, uint32_t, uint64_t, 32)
HIGH(s32, int32_t, int64_t, 32)
BINARY(mul_hi_u64, uint64_t, uint64_t, HIGH_U64(a[l], b[l]))
BINARY(mul_hi_s64, int64_t, int64_t, HIGH_S64(a[l], b[l]))
TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, HIGH_U64(a[l], b[l]) + c[l])
TERNARY(mad_hi_s64, int64_t, int64_t, int64_t,
        HIGH_S64(a[l], b[l]) + (uint64_t)c[l])

#define WIDE(t, T, TD, W)                          \
    BINARY(mul_wide_##t, TD, T, (W)a[l] * (W)b[l]) \
    TERNARY(mad_wide_##t, TD, T, TD,               \
            (uint64_t)((W)a[l] * (W)b[l]) + (uint64_t)c[l])
WIDE(u16, uint16_t, uint32_t, uint64_t)
WIDE(s16, int16_t, int32_t, int64_t)
WIDE(u32, uint32_t, uint64_t, uint64_t)
WIDE(s32, int32_t, int64_t, int64_t)

#define LOW24_U(x) ((uint64_t)(x)&0xFFFFFFu)
#define LOW24_S(x) ((int64_t)((uint64_t)(uint32_t)(x) << 40) >> 40)
BINARY(mul24_lo_u32, uint32_t, uint32_t, LOW24_U(a[l]) * LOW24_U(b[l]))
BINARY(mul24_lo_s32, int32_t, int32_t, LOW24_S(a[l]) * LOW24_S(b[l]))
BINARY(mul24_hi_u32, uint32_t, uint32_t, (LOW24_U(a[l]) * LOW24_U(b[l])) >> 16)
BINARY(mul24_hi_s32, int32_t, int32_t, (LOW24_S(a[l]) * LOW24_S(b[l])) >> 16)
TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t,
        LOW24_U(a[l]) * LOW24_U(b[l]) + c[l])
TERNARY(mad24_lo_s32, int32_t, int32_t, int32_t,
        (uint64_t)(LOW24_S(a[l]) * LOW24_S(b[l])) + (uint64_t)c[l])

UNARY(abs_s16, int16_t, a[l] < 0 ? 0u - (uint32_t)a[l] : (uint32_t)a[l])
UNARY(abs_s32, int32_t, a[l] < 0 ? 0u - (uint32_t)a[l] : (uint32_t)a[l])
UNARY(abs_s64, int64_t, a[l] < 0 ? 0u - (uint64_t)a[l] : (uint64_t)a[l])
UNARY(neg_s16, int16_t, 0u - (uint32_t)a[l])
UNARY(neg_s32, int32_t, 0u - (uint32_t)a[l])
UNARY(neg_s64, int64_t, 0u - (uint64_t)a[l])

static int32_t saturate_s32(int64_t value) {
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
BINARY(add_sat_s32, int32_t, int32_t, saturate_s32((int64_t)a[l] + b[l]))
BINARY(sub_sat_s32, int32_t, int32_t, saturate_s32((int64_t)a[l] - b[l]))

// ---- logic and shifts ----------------------------------------------------

#define LOGIC(t, T)                    \
    BINARY(and_##t, T, T, a[l] & b[l]) \
    BINARY(or_##t, T, T, a[l] | b[l])  \
    BINARY(xor_##t, T, T, a[l] ^ b[l]) \
    UNARY(not_##t, T, ~a[l])           \
    UNARY(cnot_##t, T, a[l] == 0)
LOGIC(b16, uint16_t)
LOGIC(b32, uint32_t)
LOGIC(b64, uint64_t)

// The amount is always 32 bits wide; amounts beyond the width count as it.
#define SHIFT(name, T, expr)                                          \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0);                                       \
        const uint32_t *b = SRC(uint32_t, 1);                         \
        LANES(d[l] = (T)(expr));                                      \
        VM_NEXT;                                                      \
    }
SHIFT(shl_b16, uint16_t, b[l] < 16 ? (uint32_t)a[l] << b[l] : 0)
SHIFT(shl_b32, uint32_t, b[l] < 32 ? a[l] << b[l] : 0)
SHIFT(shl_b64, uint64_t, b[l] < 64 ? a[l] << b[l] : 0)
SHIFT(shr_u16, uint16_t, b[l] < 16 ? a[l] >> b[l] : 0)
SHIFT(shr_u32, uint32_t, b[l] < 32 ? a[l] >> b[l] : 0)
SHIFT(shr_u64, uint64_t, b[l] < 64 ? a[l] >> b[l] : 0)
SHIFT(shr_s16, int16_t, a[l] >> (b[l] < 15 ? b[l] : 15))
SHIFT(shr_s32, int32_t, a[l] >> (b[l] < 31 ? b[l] : 31))
SHIFT(shr_s64, int64_t, a[l] >> (b[l] < 63 ? b[l] : 63))

#define PAIR(hi, lo) (((uint64_t)(hi) << 32) | (lo))
#define CLAMP32(n) ((n) < 32 ? (n) : 32u)
TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t,
        PAIR(b[l], a[l]) << (c[l] & 31) >> 32)
TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t,
        PAIR(b[l], a[l]) >> (c[l] & 31))
TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t,
        PAIR(b[l], a[l]) << CLAMP32(c[l]) >> 32)
TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t,
        PAIR(b[l], a[l]) >> CLAMP32(c[l]))

// ---- bits ----------------------------------------------------------------

#define COUNTING(name, T, expr)                                       \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        uint32_t *d = DST(uint32_t, 0);                               \
        const T *a = SRC(T, 0);                                       \
        LANES(d[l] = (uint32_t)(expr));                               \
        VM_NEXT;                                                      \
    }
COUNTING(popc_b32, uint32_t, __builtin_popcount(a[l]))
COUNTING(popc_b64, uint64_t, __builtin_popcountll(a[l]))
COUNTING(clz_b32, uint32_t, a[l] ? __builtin_clz(a[l]) : 32)
COUNTING(clz_b64, uint64_t, a[l] ? __builtin_clzll(a[l]) : 64)

static uint64_t reverse_bits(uint64_t value, uint32_t bits) {
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; i++)
        out |= ((value >> i) & 1) << (bits - 1 - i);
    return out;
}
UNARY(brev_b32, uint32_t, reverse_bits(a[l], 32))
UNARY(brev_b64, uint64_t, reverse_bits(a[l], 64))

// Highest bit that differs from the sign; all ones where there is none.
static uint32_t find_bit(uint64_t value, uint32_t bits, bool shift_amount) {
    if (value == 0)
        return UINT32_MAX;
    uint32_t at = 63 - (uint32_t)__builtin_clzll(value);
    return shift_amount ? bits - 1 - at : at;
}
#define AMOUNT ((in->flags & 1) != 0)
COUNTING(bfind_u32, uint32_t, find_bit(a[l], 32, AMOUNT))
COUNTING(bfind_u64, uint64_t, find_bit(a[l], 64, AMOUNT))
COUNTING(bfind_s32, int32_t,
         find_bit((uint32_t)(a[l] < 0 ? ~a[l] : a[l]), 32, AMOUNT))
COUNTING(bfind_s64, int64_t,
         find_bit((uint64_t)(a[l] < 0 ? ~a[l] : a[l]), 64, AMOUNT))

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

#define BFE(t, T, bits, is_signed)                                       \
    static VmNext bfe_##t(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                                \
        const T *a = SRC(T, 0);                                          \
        const uint32_t *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);     \
        LANES(d[l] = (T)extract_field((uint64_t)a[l], b[l], c[l], bits,  \
                                      is_signed));                       \
        VM_NEXT;                                                         \
    }
BFE(u32, uint32_t, 32, false)
BFE(s32, int32_t, 32, true)
BFE(u64, uint64_t, 64, false)
BFE(s64, int64_t, 64, true)

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

// PTX ISA, "prmt": a nibble chooses a byte of {b, a}; its top bit replicates
// the byte's sign.
static uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = PAIR(b, a);
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nibble = (c >> (4 * i)) & 15;
        uint32_t byte = (uint32_t)(both >> (8 * (nibble & 7))) & 0xFF;
        if (nibble & 8)
            byte = byte & 0x80 ? 0xFF : 0;
        out |= byte << (8 * i);
    }
    return out;
}
TERNARY(prmt_b32, uint32_t, uint32_t, uint32_t, permute_bytes(a[l], b[l], c[l]))

static uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (table & (1u << i))
            out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}
TERNARY(lop3_b32, uint32_t, uint32_t, uint32_t,
        logic3(a[l], b[l], c[l], (uint32_t)in->imm))

// ---- predicates ----------------------------------------------------------

#define PRED_BINARY(name, expr)                                          \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {    \
        uint32_t a = vm_pred(w, in->src[0]), b = vm_pred(w, in->src[1]); \
        vm_set_pred(w, in->dst[0], mask, expr);                          \
        VM_NEXT;                                                         \
    }
PRED_BINARY(and_pred, a &b)
PRED_BINARY(or_pred, a | b)
PRED_BINARY(xor_pred, a ^ b)

static VmNext not_pred(VmWarp *w, const VmInstr *in, uint32_t mask) {
    vm_set_pred(w, in->dst[0], mask, ~vm_pred(w, in->src[0]));
    VM_NEXT;
}

// ---- the table -----------------------------------------------------------

typedef struct IntRow {
    uint16_t op;
    uint8_t type;
    uint16_t mod;   // a suffix that it must have, or PTX_MOD_NONE
    uint16_t mod2;  // another one
    uint8_t dst;    // bytes of the result; 0: as the type
    uint8_t narrow; // bit i: operand i is 32 bits wide whatever the type
    VmHandler handler;
} IntRow;

#define R(op, type, handler) \
    { PTX_OP_##op, PTX_##type, PTX_MOD_NONE, PTX_MOD_NONE, 0, 0, handler }
#define RM(op, mod, type, handler) \
    { PTX_OP_##op, PTX_##type, PTX_MOD_##mod, PTX_MOD_NONE, 0, 0, handler }
#define RW(op, type, bytes, handler) \
    { PTX_OP_##op, PTX_##type, PTX_MOD_WIDE, PTX_MOD_NONE, bytes, 0, handler }
#define RN(op, type, bytes, bits, handler)                                \
    {                                                                     \
        PTX_OP_##op, PTX_##type, PTX_MOD_NONE, PTX_MOD_NONE, bytes, bits, \
            handler                                                       \
    }
#define ALL6(op, stem)                                                      \
    R(op, U16, stem##_u16), R(op, S16, stem##_s16), R(op, U32, stem##_u32), \
        R(op, S32, stem##_s32), R(op, U64, stem##_u64), R(op, S64, stem##_s64)
#define ALL6M(op, mod, stem)                                        \
    RM(op, mod, U16, stem##_u16), RM(op, mod, S16, stem##_s16),     \
        RM(op, mod, U32, stem##_u32), RM(op, mod, S32, stem##_s32), \
        RM(op, mod, U64, stem##_u64), RM(op, mod, S64, stem##_s64)
#define BITS(op, stem) \
    R(op, B16, stem##_b16), R(op, B32, stem##_b32), R(op, B64, stem##_b64)
#define SHIFTS(type, handler) RN(SHR, type, 0, 2, handler)

static const IntRow rows[] = {
    RM(ADD, SAT, S32, add_sat_s32),
    RM(SUB, SAT, S32, sub_sat_s32),
    ALL6(ADD, add),
    ALL6(SUB, sub),
    ALL6M(MUL, LO, mul_lo),
    ALL6M(MUL, HI, mul_hi),
    ALL6M(MAD, LO, mad_lo),
    ALL6M(MAD, HI, mad_hi),
    RW(MUL, U16, 4, mul_wide_u16),
    RW(MUL, S16, 4, mul_wide_s16),
    RW(MUL, U32, 8, mul_wide_u32),
    RW(MUL, S32, 8, mul_wide_s32),
    RW(MAD, U16, 4, mad_wide_u16),
    RW(MAD, S16, 4, mad_wide_s16),
    RW(MAD, U32, 8, mad_wide_u32),
    RW(MAD, S32, 8, mad_wide_s32),
    RM(MUL24, LO, U32, mul24_lo_u32),
    RM(MUL24, LO, S32, mul24_lo_s32),
    RM(MUL24, HI, U32, mul24_hi_u32),
    RM(MUL24, HI, S32, mul24_hi_s32),
    RM(MAD24, LO, U32, mad24_lo_u32),
    RM(MAD24, LO, S32, mad24_lo_s32),
    ALL6(DIV, div),
    ALL6(REM, rem),
    ALL6(MIN, min),
    ALL6(MAX, max),
    ALL6(SAD, sad),
    R(ABS, S16, abs_s16),
    R(ABS, S32, abs_s32),
    R(ABS, S64, abs_s64),
    R(NEG, S16, neg_s16),
    R(NEG, S32, neg_s32),
    R(NEG, S64, neg_s64),
    BITS(AND, and),
    BITS(OR, or),
    BITS(XOR, xor),
    BITS(NOT, not ),
    BITS(CNOT, cnot),
    R(AND, PRED, and_pred),
    R(OR, PRED, or_pred),
    R(XOR, PRED, xor_pred),
    R(NOT, PRED, not_pred),
    RN(SHL, B16, 0, 2, shl_b16),
    RN(SHL, B32, 0, 2, shl_b32),
    RN(SHL, B64, 0, 2, shl_b64),
    SHIFTS(B16, shr_u16),
    SHIFTS(B32, shr_u32),
    SHIFTS(B64, shr_u64),
    SHIFTS(U16, shr_u16),
    SHIFTS(U32, shr_u32),
    SHIFTS(U64, shr_u64),
    SHIFTS(S16, shr_s16),
    SHIFTS(S32, shr_s32),
    SHIFTS(S64, shr_s64),
    {PTX_OP_SHF, PTX_B32, PTX_MOD_L, PTX_MOD_WRAP, 0, 0, shf_l_wrap},
    {PTX_OP_SHF, PTX_B32, PTX_MOD_R, PTX_MOD_WRAP, 0, 0, shf_r_wrap},
    {PTX_OP_SHF, PTX_B32, PTX_MOD_L, PTX_MOD_CLAMP, 0, 0, shf_l_clamp},
    {PTX_OP_SHF, PTX_B32, PTX_MOD_R, PTX_MOD_CLAMP, 0, 0, shf_r_clamp},
    R(POPC, B32, popc_b32),
    RN(POPC, B64, 4, 0, popc_b64),
    R(CLZ, B32, clz_b32),
    RN(CLZ, B64, 4, 0, clz_b64),
    R(BREV, B32, brev_b32),
    R(BREV, B64, brev_b64),
    R(BFIND, U32, bfind_u32),
    R(BFIND, S32, bfind_s32),
    RN(BFIND, U64, 4, 0, bfind_u64),
    RN(BFIND, S64, 4, 0, bfind_s64),
    RN(BFE, U32, 0, 6, bfe_u32),
    RN(BFE, S32, 0, 6, bfe_s32),
    RN(BFE, U64, 0, 6, bfe_u64),
    RN(BFE, S64, 0, 6, bfe_s64),
    RN(BFI, B32, 0, 12, bfi_b32),
    RN(BFI, B64, 0, 12, bfi_b64),
    R(PRMT, B32, prmt_b32),
    R(LOP3, B32, lop3_b32),
};

static const IntRow *find_row(const VmDecoder *d, PtxType type) {
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const IntRow *row = &rows[i];
        if (row->op == d->in->op && row->type == type &&
            (!row->mod || ptx_has(d->in, (PtxMod)row->mod)) &&
            (!row->mod2 || ptx_has(d->in, (PtxMod)row->mod2)))
            return row;
    }
    return NULL;
}

void vm_decode_int(VmDecoder *d) {
    PtxType type = d->in->types[0];
    if (ptx_type_is_float(type)) {
        vm_decode_float(d);
        return;
    }
    vm_take_types(d);
    const IntRow *row = find_row(d, type);
    if (!row) {
        vm_unsupported(d, "this instruction for this type");
        return;
    }
    vm_take(d, (PtxMod)row->mod);
    vm_take(d, (PtxMod)row->mod2);
    uint32_t size = type == PTX_PRED ? 0 : ptx_type_size(type);
    uint32_t flags = vm_take(d, PTX_MOD_SHIFTAMT) ? 1 : 0;
    uint32_t sources = d->in->operand_count - 1u;
    uint64_t imm = 0;
    if (d->in->op == PTX_OP_LOP3) {
        imm = d->in->operands[4].imm;
        if (d->in->operand_count != 5 ||
            d->in->operands[4].kind != PTX_OPND_INT)
            vm_unsupported(d, "lop3 with a predicate");
        sources = 3;
    }
    VmRef refs[4] = {0};
    for (uint32_t i = 0; i < sources && i < COUNT_OF(refs); i++) {
        bool wide_addend = row->mod == PTX_MOD_WIDE && i == 2;
        uint32_t bytes = row->narrow & (1u << i) ? 4
                         : wide_addend           ? row->dst
                                                 : size;
        refs[i] = vm_src(d, i + 1, bytes);
    }
    VmRef dst = vm_dst(d, 0, row->dst ? row->dst : size);
    VmInstr *in = vm_emit_plain(d, row->handler);
    in->flags = flags;
    in->imm = imm;
    vm_emit_dst(in, dst);
    for (uint32_t i = 0; i < sources && i < COUNT_OF(refs); i++)
        vm_emit_src(in, refs[i]);
}
