// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, logic and shifts (PTX ISA, 9.7.1 and 9.7.8). The table at
// the end maps each form to its handler. add, mul and others with a float type
// are passed to vm_decode_float, those with .cc to vm_decode_carry; bit fields,
// counts and dot products are in bits.c.
#include "vm/decode/rows.h"
#include "vm/exec/families.h"

__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 S128;

#define HIGH_U64(a, b) (uint64_t)(((U128)(a) * (U128)(b)) >> 64)
#define HIGH_S64(a, b) (uint64_t)((U128)((S128)(a) * (S128)(b)) >> 64)

// Division by 0 is unspecified; an H200 gave all ones, as this does.
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

// Operations for one type: its lower-case name, its C type, and an unsigned
// type wide enough to compute in.
#define COMMON(t, T, W)                                             \
    VM_BINARY(add_##t, T, T, T, (W)a[l] + (W)b[l])                  \
    VM_BINARY(sub_##t, T, T, T, (W)a[l] - (W)b[l])                  \
    VM_BINARY(mul_lo_##t, T, T, T, (W)a[l] * (W)b[l])               \
    VM_TERNARY(mad_lo_##t, T, T, T, T, (W)a[l] * (W)b[l] + (W)c[l]) \
    VM_BINARY(min_##t, T, T, T, a[l] < b[l] ? a[l] : b[l])          \
    VM_BINARY(max_##t, T, T, T, a[l] > b[l] ? a[l] : b[l])          \
    VM_TERNARY(sad_##t, T, T, T, T,                                 \
               (W)c[l] +                                            \
                   (a[l] < b[l] ? (W)b[l] - (W)a[l] : (W)a[l] - (W)b[l]))
COMMON(u16, uint16_t, uint32_t)
COMMON(s16, int16_t, uint32_t)
COMMON(u32, uint32_t, uint32_t)
COMMON(s32, int32_t, uint32_t)
COMMON(u64, uint64_t, uint64_t)
COMMON(s64, int64_t, uint64_t)

VM_BINARY(div_u16, uint16_t, uint16_t, uint16_t, DIV_U(a[l], b[l], 0xFFFFu))
VM_BINARY(div_u32, uint32_t, uint32_t, uint32_t, DIV_U(a[l], b[l], UINT32_MAX))
VM_BINARY(div_u64, uint64_t, uint64_t, uint64_t, DIV_U(a[l], b[l], UINT64_MAX))
VM_BINARY(rem_u16, uint16_t, uint16_t, uint16_t, REM_U(a[l], b[l], 0xFFFFu))
VM_BINARY(rem_u32, uint32_t, uint32_t, uint32_t, REM_U(a[l], b[l], UINT32_MAX))
VM_BINARY(rem_u64, uint64_t, uint64_t, uint64_t, REM_U(a[l], b[l], UINT64_MAX))
VM_BINARY(div_s16, int16_t, int16_t, int16_t, div_signed(a[l], b[l]))
VM_BINARY(div_s32, int32_t, int32_t, int32_t, div_signed(a[l], b[l]))
VM_BINARY(div_s64, int64_t, int64_t, int64_t, div_signed(a[l], b[l]))
VM_BINARY(rem_s16, int16_t, int16_t, int16_t, rem_signed(a[l], b[l]))
VM_BINARY(rem_s32, int32_t, int32_t, int32_t, rem_signed(a[l], b[l]))
VM_BINARY(rem_s64, int64_t, int64_t, int64_t, rem_signed(a[l], b[l]))

#define HIGH(t, T, W, shift)                                       \
    VM_BINARY(mul_hi_##t, T, T, T, ((W)a[l] * (W)b[l]) >> (shift)) \
    VM_TERNARY(mad_hi_##t, T, T, T, T,                             \
               (uint64_t)(((W)a[l] * (W)b[l]) >> (shift)) + (uint64_t)c[l])
HIGH(u16, uint16_t, uint64_t, 16)
HIGH(s16, int16_t, int64_t, 16)
HIGH(u32, uint32_t, uint64_t, 32)
HIGH(s32, int32_t, int64_t, 32)
VM_BINARY(mul_hi_u64, uint64_t, uint64_t, uint64_t, HIGH_U64(a[l], b[l]))
VM_BINARY(mul_hi_s64, int64_t, int64_t, int64_t, HIGH_S64(a[l], b[l]))
VM_TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t,
           HIGH_U64(a[l], b[l]) + c[l])
VM_TERNARY(mad_hi_s64, int64_t, int64_t, int64_t, int64_t,
           HIGH_S64(a[l], b[l]) + (uint64_t)c[l])

#define WIDE(t, T, TD, W)                                \
    VM_BINARY(mul_wide_##t, TD, T, T, (W)a[l] * (W)b[l]) \
    VM_TERNARY(mad_wide_##t, TD, T, T, TD,               \
               (uint64_t)((W)a[l] * (W)b[l]) + (uint64_t)c[l])
WIDE(u16, uint16_t, uint32_t, uint64_t)
WIDE(s16, int16_t, int32_t, int64_t)
WIDE(u32, uint32_t, uint64_t, uint64_t)
WIDE(s32, int32_t, int64_t, int64_t)

#define LOW24_U(x) ((uint64_t)(x)&0xFFFFFFu)
#define LOW24_S(x) ((int64_t)((uint64_t)(uint32_t)(x) << 40) >> 40)
VM_BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t,
          LOW24_U(a[l]) * LOW24_U(b[l]))
VM_BINARY(mul24_lo_s32, int32_t, int32_t, int32_t,
          LOW24_S(a[l]) * LOW24_S(b[l]))
VM_BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t,
          (LOW24_U(a[l]) * LOW24_U(b[l])) >> 16)
VM_BINARY(mul24_hi_s32, int32_t, int32_t, int32_t,
          (LOW24_S(a[l]) * LOW24_S(b[l])) >> 16)
VM_TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t,
           LOW24_U(a[l]) * LOW24_U(b[l]) + c[l])
VM_TERNARY(mad24_lo_s32, int32_t, int32_t, int32_t, int32_t,
           (uint64_t)(LOW24_S(a[l]) * LOW24_S(b[l])) + (uint64_t)c[l])

VM_TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t,
           ((LOW24_U(a[l]) * LOW24_U(b[l])) >> 16) + c[l])
VM_TERNARY(mad24_hi_s32, int32_t, int32_t, int32_t, int32_t,
           (uint64_t)((LOW24_S(a[l]) * LOW24_S(b[l])) >> 16) + (uint64_t)c[l])

VM_UNARY(abs_s16, int16_t, int16_t,
         a[l] < 0 ? 0u - (uint32_t)a[l] : (uint32_t)a[l])
VM_UNARY(abs_s32, int32_t, int32_t,
         a[l] < 0 ? 0u - (uint32_t)a[l] : (uint32_t)a[l])
VM_UNARY(abs_s64, int64_t, int64_t,
         a[l] < 0 ? 0u - (uint64_t)a[l] : (uint64_t)a[l])
VM_UNARY(neg_s16, int16_t, int16_t, 0u - (uint32_t)a[l])
VM_UNARY(neg_s32, int32_t, int32_t, 0u - (uint32_t)a[l])
VM_UNARY(neg_s64, int64_t, int64_t, 0u - (uint64_t)a[l])

static int32_t saturate_s32(int64_t value) {
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
VM_BINARY(add_sat_s32, int32_t, int32_t, int32_t,
          saturate_s32((int64_t)a[l] + b[l]))
VM_BINARY(sub_sat_s32, int32_t, int32_t, int32_t,
          saturate_s32((int64_t)a[l] - b[l]))
VM_TERNARY(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
           saturate_s32((((int64_t)a[l] * b[l]) >> 32) + c[l]))
VM_TERNARY(mad24_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
           saturate_s32(((LOW24_S(a[l]) * LOW24_S(b[l])) >> 16) + c[l]))

// ---- pairs of 16 bits, and .relu -----------------------------------------

// .relu: a negative result becomes 0.
#define RELU(x) ((x) > 0 ? (x) : 0)
VM_BINARY(min_relu_s32, int32_t, int32_t, int32_t,
          RELU(a[l] < b[l] ? a[l] : b[l]))
VM_BINARY(max_relu_s32, int32_t, int32_t, int32_t,
          RELU(a[l] > b[l] ? a[l] : b[l]))

static int32_t half_s16(uint32_t pair, uint32_t index) {
    return (int16_t)(uint16_t)(pair >> (16 * index));
}

static uint32_t half_u16(uint32_t pair, uint32_t index) {
    return (pair >> (16 * index)) & 0xFFFF;
}

static uint32_t pack_u16(uint32_t low, uint32_t high) {
    return (low & 0xFFFF) | high << 16;
}

#define MIN_S(a, b, i) \
    (half_s16(a, i) < half_s16(b, i) ? half_s16(a, i) : half_s16(b, i))
#define MAX_S(a, b, i) \
    (half_s16(a, i) > half_s16(b, i) ? half_s16(a, i) : half_s16(b, i))
#define MIN_U(a, b, i) \
    (half_u16(a, i) < half_u16(b, i) ? half_u16(a, i) : half_u16(b, i))
#define MAX_U(a, b, i) \
    (half_u16(a, i) > half_u16(b, i) ? half_u16(a, i) : half_u16(b, i))
#define MIN_RELU(a, b, i) RELU(MIN_S(a, b, i))
#define MAX_RELU(a, b, i) RELU(MAX_S(a, b, i))
#define SUM(a, b, i) (half_u16(a, i) + half_u16(b, i))
#define PAIR_OF(name, each)                           \
    VM_BINARY(name, uint32_t, uint32_t, uint32_t,     \
              pack_u16((uint32_t)each(a[l], b[l], 0), \
                       (uint32_t)each(a[l], b[l], 1)))
PAIR_OF(add_x2, SUM)
PAIR_OF(min_u16x2, MIN_U)
PAIR_OF(max_u16x2, MAX_U)
PAIR_OF(min_s16x2, MIN_S)
PAIR_OF(max_s16x2, MAX_S)
PAIR_OF(min_relu_s16x2, MIN_RELU)
PAIR_OF(max_relu_s16x2, MAX_RELU)

// ---- logic and shifts ----------------------------------------------------

#define LOGIC(t, T)                          \
    VM_BINARY(and_##t, T, T, T, a[l] & b[l]) \
    VM_BINARY(or_##t, T, T, T, a[l] | b[l])  \
    VM_BINARY(xor_##t, T, T, T, a[l] ^ b[l]) \
    VM_UNARY(not_##t, T, T, ~a[l])           \
    VM_UNARY(cnot_##t, T, T, a[l] == 0)
LOGIC(b16, uint16_t)
LOGIC(b32, uint32_t)
LOGIC(b64, uint64_t)

// The shift amount always has 32 bits; amounts beyond the width count as the
// width.
VM_BINARY(shl_b16, uint16_t, uint16_t, uint32_t,
          b[l] < 16 ? (uint32_t)a[l] << b[l] : 0)
VM_BINARY(shl_b32, uint32_t, uint32_t, uint32_t, b[l] < 32 ? a[l] << b[l] : 0)
VM_BINARY(shl_b64, uint64_t, uint64_t, uint32_t, b[l] < 64 ? a[l] << b[l] : 0)
VM_BINARY(shr_u16, uint16_t, uint16_t, uint32_t, b[l] < 16 ? a[l] >> b[l] : 0)
VM_BINARY(shr_u32, uint32_t, uint32_t, uint32_t, b[l] < 32 ? a[l] >> b[l] : 0)
VM_BINARY(shr_u64, uint64_t, uint64_t, uint32_t, b[l] < 64 ? a[l] >> b[l] : 0)
VM_BINARY(shr_s16, int16_t, int16_t, uint32_t, a[l] >> (b[l] < 15 ? b[l] : 15))
VM_BINARY(shr_s32, int32_t, int32_t, uint32_t, a[l] >> (b[l] < 31 ? b[l] : 31))
VM_BINARY(shr_s64, int64_t, int64_t, uint32_t, a[l] >> (b[l] < 63 ? b[l] : 63))

#define PAIR(hi, lo) (((uint64_t)(hi) << 32) | (lo))
#define CLAMP32(n) ((n) < 32 ? (n) : 32u)
VM_TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t,
           PAIR(b[l], a[l]) << (c[l] & 31) >> 32)
VM_TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t,
           PAIR(b[l], a[l]) >> (c[l] & 31))
VM_TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
           PAIR(b[l], a[l]) << CLAMP32(c[l]) >> 32)
VM_TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
           PAIR(b[l], a[l]) >> CLAMP32(c[l]))

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

// Rows with their shapes for 16, 32 and 64 bits.
#define ALL(op, stem, of16, of32, of64)                                       \
    VM_ROW(op, U16, of16, stem##_u16), VM_ROW(op, S16, of16, stem##_s16),     \
        VM_ROW(op, U32, of32, stem##_u32), VM_ROW(op, S32, of32, stem##_s32), \
        VM_ROW(op, U64, of64, stem##_u64), VM_ROW(op, S64, of64, stem##_s64)
#define ALL_MOD(op, mod, stem, of16, of32, of64)    \
    VM_ROW_MOD(op, mod, U16, of16, stem##_u16),     \
        VM_ROW_MOD(op, mod, S16, of16, stem##_s16), \
        VM_ROW_MOD(op, mod, U32, of32, stem##_u32), \
        VM_ROW_MOD(op, mod, S32, of32, stem##_s32), \
        VM_ROW_MOD(op, mod, U64, of64, stem##_u64), \
        VM_ROW_MOD(op, mod, S64, of64, stem##_s64)
#define BITS(op, stem, of16, of32, of64)                                  \
    VM_ROW(op, B16, of16, stem##_b16), VM_ROW(op, B32, of32, stem##_b32), \
        VM_ROW(op, B64, of64, stem##_b64)
#define SIGNED(op, stem)                                                  \
    VM_ROW(op, S16, "22", stem##_s16), VM_ROW(op, S32, "44", stem##_s32), \
        VM_ROW(op, S64, "88", stem##_s64)

// The first matching row is used, so rows with more suffixes come first.
static const VmRow rows[] = {
    VM_ROW_MOD(ADD, SAT, S32, "444", add_sat_s32),
    VM_ROW_MOD(SUB, SAT, S32, "444", sub_sat_s32),
    VM_ROW(ADD, U16X2, "444", add_x2),
    VM_ROW(ADD, S16X2, "444", add_x2),
    ALL(ADD, add, "222", "444", "888"),
    ALL(SUB, sub, "222", "444", "888"),
    ALL_MOD(MUL, LO, mul_lo, "222", "444", "888"),
    ALL_MOD(MUL, HI, mul_hi, "222", "444", "888"),
    VM_ROW_MOD(MUL, WIDE, U16, "422", mul_wide_u16),
    VM_ROW_MOD(MUL, WIDE, S16, "422", mul_wide_s16),
    VM_ROW_MOD(MUL, WIDE, U32, "844", mul_wide_u32),
    VM_ROW_MOD(MUL, WIDE, S32, "844", mul_wide_s32),
    VM_ROW_MODS(MAD, HI, SAT, S32, "4444", mad_hi_sat_s32),
    ALL_MOD(MAD, LO, mad_lo, "2222", "4444", "8888"),
    ALL_MOD(MAD, HI, mad_hi, "2222", "4444", "8888"),
    VM_ROW_MOD(MAD, WIDE, U16, "4224", mad_wide_u16),
    VM_ROW_MOD(MAD, WIDE, S16, "4224", mad_wide_s16),
    VM_ROW_MOD(MAD, WIDE, U32, "8448", mad_wide_u32),
    VM_ROW_MOD(MAD, WIDE, S32, "8448", mad_wide_s32),
    VM_ROW_MOD(MUL24, LO, U32, "444", mul24_lo_u32),
    VM_ROW_MOD(MUL24, LO, S32, "444", mul24_lo_s32),
    VM_ROW_MOD(MUL24, HI, U32, "444", mul24_hi_u32),
    VM_ROW_MOD(MUL24, HI, S32, "444", mul24_hi_s32),
    VM_ROW_MODS(MAD24, HI, SAT, S32, "4444", mad24_hi_sat_s32),
    VM_ROW_MOD(MAD24, LO, U32, "4444", mad24_lo_u32),
    VM_ROW_MOD(MAD24, LO, S32, "4444", mad24_lo_s32),
    VM_ROW_MOD(MAD24, HI, U32, "4444", mad24_hi_u32),
    VM_ROW_MOD(MAD24, HI, S32, "4444", mad24_hi_s32),
    ALL(DIV, div, "222", "444", "888"),
    ALL(REM, rem, "222", "444", "888"),
    VM_ROW_MOD(MIN, RELU, S32, "444", min_relu_s32),
    VM_ROW_MOD(MAX, RELU, S32, "444", max_relu_s32),
    VM_ROW_MOD(MIN, RELU, S16X2, "444", min_relu_s16x2),
    VM_ROW_MOD(MAX, RELU, S16X2, "444", max_relu_s16x2),
    VM_ROW(MIN, S16X2, "444", min_s16x2),
    VM_ROW(MAX, S16X2, "444", max_s16x2),
    VM_ROW(MIN, U16X2, "444", min_u16x2),
    VM_ROW(MAX, U16X2, "444", max_u16x2),
    ALL(MIN, min, "222", "444", "888"),
    ALL(MAX, max, "222", "444", "888"),
    ALL(SAD, sad, "2222", "4444", "8888"),
    SIGNED(ABS, abs),
    SIGNED(NEG, neg),
    BITS(AND, and, "222", "444", "888"),
    BITS(OR, or, "222", "444", "888"),
    BITS(XOR, xor, "222", "444", "888"),
    BITS(NOT, not, "22", "44", "88"),
    BITS(CNOT, cnot, "22", "44", "88"),
    VM_ROW(AND, PRED, "ppp", and_pred),
    VM_ROW(OR, PRED, "ppp", or_pred),
    VM_ROW(XOR, PRED, "ppp", xor_pred),
    VM_ROW(NOT, PRED, "pp", not_pred),
    BITS(SHL, shl, "224", "444", "884"),
    VM_ROW(SHR, B16, "224", shr_u16),
    VM_ROW(SHR, B32, "444", shr_u32),
    VM_ROW(SHR, B64, "884", shr_u64),
    ALL(SHR, shr, "224", "444", "884"),
    VM_ROW_MODS(SHF, L, WRAP, B32, "4444", shf_l_wrap),
    VM_ROW_MODS(SHF, R, WRAP, B32, "4444", shf_r_wrap),
    VM_ROW_MODS(SHF, L, CLAMP, B32, "4444", shf_l_clamp),
    VM_ROW_MODS(SHF, R, CLAMP, B32, "4444", shf_r_clamp),
};

void vm_decode_int(VmDecoder *d) {
    if (ptx_type_is_float(d->in->types[0]))
        vm_decode_float(d);
    else if (ptx_has(d->in, PTX_MOD_CC))
        vm_decode_carry(d);
    else
        vm_decode_rows(d, rows, COUNT_OF(rows));
}
