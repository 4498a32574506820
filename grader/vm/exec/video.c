// SPDX-License-Identifier: Apache-2.0
// SIMD video instructions (PTX ISA, 9.7.18), on two halves or four bytes at
// once. Operands are widened first; the result is clamped if requested, then
// added to or merged into a third operand. nvcc emits vabsdiff2 and vabsdiff4
// on unsigned numbers, with and without .add; those on four bytes have handlers
// of their own. Scalar video instructions are not supported: no compiler emits
// them, and a GPU's saturation differs from what the ISA's text suggests.
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"

__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 S128;

enum VideoFlag { // in addition to VM_SAT
    D_SIGNED = 1 << 8,
    A_SIGNED = 1 << 9,
    B_SIGNED = 1 << 10,
    OP2_ADD = 1 << 11,
};

static int64_t extract(uint32_t word, uint32_t part, bool is_signed) {
    uint32_t bits = part & 0xFF, shift = part >> 8;
    uint32_t top = word << (32 - shift - bits);
    return is_signed ? (int64_t)((int32_t)top >> (32 - bits))
                     : (int64_t)(top >> (32 - bits));
}

// ---- operations ----------------------------------------------------------

static bool holds(PtxMod comparison, int64_t a, int64_t b) {
    switch ((int)comparison) {
    case PTX_MOD_EQ:
        return a == b;
    case PTX_MOD_NE:
        return a != b;
    case PTX_MOD_LT:
        return a < b;
    case PTX_MOD_LE:
        return a <= b;
    case PTX_MOD_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t operate(const VmInstr *in, int64_t a, int64_t b) {
    switch ((int)in->op) {
    case PTX_OP_VADD2:
    case PTX_OP_VADD4:
        return a + b;
    case PTX_OP_VSUB2:
    case PTX_OP_VSUB4:
        return a - b;
    case PTX_OP_VAVRG2:
    case PTX_OP_VAVRG4:
        return (a + b + (a + b >= 0)) >> 1;
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VABSDIFF4:
        return a > b ? a - b : b - a;
    case PTX_OP_VMIN2:
    case PTX_OP_VMIN4:
        return a < b ? a : b;
    case PTX_OP_VMAX2:
    case PTX_OP_VMAX4:
        return a > b ? a : b;
    default:
        return holds((PtxMod)in->video.comparison, a, b);
    }
}

static S128 clamp(S128 x, bool is_signed, uint32_t bits) {
    S128 most = ((S128)1 << (bits - is_signed)) - 1;
    S128 least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

// ---- handlers ------------------------------------------------------------

static uint32_t elements(const VmInstr *in, uint32_t a, uint32_t b,
                         uint32_t c) {
    const uint32_t flags = in->video.flags, count = in->video.count,
                   bits = 32 / count;
    const uint32_t words[2] = {a, b};
    uint32_t out = c;
    for (uint32_t i = 0; i < count; i++) {
        if (!(in->video.written >> i & 1))
            continue;
        uint32_t m = (uint32_t)in->video.a >> (4 * i) & 15;
        uint32_t n = (uint32_t)in->video.b >> (4 * i) & 15;
        int64_t x = extract(words[m / count], bits | m % count * bits << 8,
                            flags & A_SIGNED);
        int64_t y = extract(words[n / count], bits | n % count * bits << 8,
                            flags & B_SIGNED);
        S128 value = operate(in, x, y);
        if (flags & VM_SAT)
            value = clamp(value, flags & D_SIGNED, bits);
        uint32_t low = (uint32_t)(U128)value, at = i * bits;
        uint32_t changed = (UINT32_MAX >> (32 - bits)) << at;
        out = flags & OP2_ADD ? out + low
                              : (out & ~changed) | (low << at & changed);
    }
    return out;
}

static inline uint32_t byte_apart(uint32_t a, uint32_t b, int at) {
    int32_t apart = (int32_t)(a >> at & 0xFF) - (int32_t)(b >> at & 0xFF);
    return (uint32_t)(apart < 0 ? -apart : apart);
}

#define HANDLER(name, expr)                                           \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        uint32_t *d = DST(uint32_t, 0);                               \
        const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);  \
        const uint32_t *c = SRC(uint32_t, 2);                         \
        (void)c;                                                      \
        LANES(d[l] = (expr));                                         \
        VM_NEXT;                                                      \
    }
HANDLER(video_elements, elements(in, a[l], b[l], c[l]))
HANDLER(bytes_apart,
        byte_apart(a[l], b[l], 0) | byte_apart(a[l], b[l], 8) << 8 |
            byte_apart(a[l], b[l], 16) << 16 | byte_apart(a[l], b[l], 24) << 24)
HANDLER(sum_of_bytes_apart,
        c[l] + byte_apart(a[l], b[l], 0) + byte_apart(a[l], b[l], 8) +
            byte_apart(a[l], b[l], 16) + byte_apart(a[l], b[l], 24))

// ---- decoding: selectors -------------------------------------------------

// The number of elements of a SIMD instruction; 0: it is scalar.
static uint32_t element_count(PtxOp op) {
    switch ((int)op) {
    case PTX_OP_VADD2:
    case PTX_OP_VSUB2:
    case PTX_OP_VAVRG2:
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VMIN2:
    case PTX_OP_VMAX2:
    case PTX_OP_VSET2:
        return 2;
    default:
        return 4;
    }
}

// (One below is the component of a vector register: a register of its own.)
static bool has_selector(const PtxOperand *op) {
    return op->select >= PTX_MOD_B0;
}

static void bad_selector(VmDecoder *d) {
    vm_unsupported(d, "a selector of this form");
}

// The digits of .b7654 or .h10; `whole` if there are none.
static uint32_t digits(VmDecoder *d, const PtxOperand *op, uint32_t count,
                       uint32_t whole) {
    PtxMod letter = count == 4 ? PTX_MOD_B0 : PTX_MOD_H0;
    if (!has_selector(op))
        return whole;
    if (op->select != letter || op->parts >> (4 * count) != 1)
        bad_selector(d);
    return op->parts & 0xFFFF & (count == 4 ? 0xFFFF : 0xFF);
}

// The mask of a result: one element, or several from the highest downwards.
static uint32_t element_mask(VmDecoder *d, const PtxOperand *op,
                             uint32_t count) {
    PtxMod letter = count == 4 ? PTX_MOD_B0 : PTX_MOD_H0;
    uint32_t single = (uint32_t)op->select - letter, last = 0;
    uint32_t mask = 0;
    if (!has_selector(op))
        return (1u << count) - 1;
    if (op->select < letter || single >= count)
        bad_selector(d);
    else if (!op->parts)
        return 1u << single;
    for (uint32_t left = op->parts; left > 1; left >>= 4) {
        uint32_t digit = left & 15;
        if (digit >= count || (mask && digit <= last))
            bad_selector(d);
        mask |= UINT32_C(1) << digit;
        last = digit;
    }
    return mask;
}

// ---- decoding ------------------------------------------------------------

static uint32_t take_flags(VmDecoder *d, bool compares) {
    uint32_t flags = vm_take(d, PTX_MOD_ADD) ? OP2_ADD : 0;
    if (!compares && vm_take(d, PTX_MOD_SAT))
        flags |= VM_SAT;
    return flags;
}

// vset names types only for its operands: its result is unsigned.
static uint32_t take_types(VmDecoder *d, bool compares) {
    const PtxType *types = d->in->types;
    uint32_t first = compares ? 0 : 1, flags = 0;
    vm_take_types(d);
    for (uint32_t i = 0; i < d->in->type_count; i++)
        if (types[i] != PTX_U32 && types[i] != PTX_S32)
            vm_unsupported(d, "this type");
    if (d->in->type_count != first + 2) {
        vm_unsupported(d, "this number of types");
        return 0;
    }
    flags |= !compares && types[0] == PTX_S32 ? D_SIGNED : 0;
    flags |= types[first] == PTX_S32 ? A_SIGNED : 0;
    flags |= types[first + 1] == PTX_S32 ? B_SIGNED : 0;
    return flags;
}

static PtxMod take_comparison(VmDecoder *d) {
    static const PtxMod all[] = {PTX_MOD_EQ, PTX_MOD_NE, PTX_MOD_LT,
                                 PTX_MOD_LE, PTX_MOD_GT, PTX_MOD_GE};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (vm_take(d, all[i]))
            return all[i];
    vm_unsupported(d, "no comparison");
    return PTX_MOD_NONE;
}

// An operand without its selector and its sign, which the handlers process.
static VmRef whole_src(VmDecoder *d, uint32_t index) {
    PtxOperand op = d->in->operands[index];
    if (has_selector(&op))
        op.select = PTX_MOD_NONE;
    return vm_operand_src(d, &op, 4, false);
}

static VmRef whole_dst(VmDecoder *d) {
    PtxOperand op = d->in->operands[0];
    if (has_selector(&op))
        op.select = PTX_MOD_NONE;
    return vm_operand_dst(d, &op, 4, false);
}

// Emits the instruction with its three operands.
static VmInstr *emit(VmDecoder *d, VmHandler handler) {
    VmRef refs[3];
    for (uint32_t i = 0; i < 3; i++)
        refs[i] = whole_src(d, i + 1);
    VmRef dst = whole_dst(d);
    VmInstr *in = vm_emit_plain(d, handler);
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < 3; i++)
        vm_emit_src(d, in, refs[i]);
    return in;
}

static VmInstr *decode_elements(VmDecoder *d, uint32_t flags, uint32_t count) {
    const PtxOperand *op = d->in->operands;
    bool is_4 = count == 4;
    uint32_t written = element_mask(d, &op[0], count);
    uint32_t b = digits(d, &op[2], count, is_4 ? 0x7654 : 0x32);
    uint32_t a = digits(d, &op[1], count, is_4 ? 0x3210 : 0x10);
    if ((flags & VM_SAT) && (flags & OP2_ADD))
        vm_unsupported(d, ".sat with .add");
    VmHandler handler = video_elements;
    bool is_usual = d->in->op == PTX_OP_VABSDIFF4 &&
                    !(flags & ~(uint32_t)OP2_ADD) && written == 0xF &&
                    b == 0x7654 && a == 0x3210;
    if (is_usual)
        handler = flags ? sum_of_bytes_apart : bytes_apart;
    VmInstr *in = emit(d, handler);
    in->video.a = (uint16_t)a;
    in->video.b = (uint16_t)b;
    in->video.written = (uint8_t)written;
    in->video.count = (uint8_t)count;
    return in;
}

void vm_decode_video(VmDecoder *d) {
    PtxOp op = d->in->op;
    bool compares = op == PTX_OP_VSET2 || op == PTX_OP_VSET4;
    if (d->in->operand_count != 4) {
        vm_unsupported(d, "this number of operands");
        return;
    }
    uint32_t flags = take_flags(d, compares) | take_types(d, compares);
    PtxMod comparison = compares ? take_comparison(d) : PTX_MOD_NONE;
    VmInstr *in = decode_elements(d, flags, element_count(op));
    in->video.flags = flags;
    in->video.comparison = (uint16_t)comparison;
}
