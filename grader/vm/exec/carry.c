// SPDX-License-Identifier: Apache-2.0
// Arithmetic with the carry flag CC.CF (PTX ISA, 9.7.2): add.cc, addc, sub.cc,
// subc, mad.cc, madc. A thread's flag is a bit of a predicate, which the frame
// has if its function uses the flag.
//
// Each instruction is the sum x + y + carry. A difference is a + ~b + carry, as
// ptxas compiles it: sub.cc and subc set the flag to 1 if there was no borrow.
// Within a chain of subtractions this is equivalent to the ISA's borrow; where
// a program mixes sums and differences, it is what the hardware does.
#include "vm/decode/rows.h"
#include "vm/exec/families.h"

// dst: the result and the flag; the last source: the incoming flag.
#define CARRY(name, T, sources, first, second)                              \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {       \
        T *d = DST(T, 0);                                                   \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                             \
        const T *c = SRC(T, (sources) > 2 ? 2 : 1);                         \
        const uint32_t carry = vm_pred(w, in->src[sources]);                \
        uint32_t out = 0;                                                   \
        (void)c;                                                            \
        LANES(const T x = (T)(first); const T sum = (T)(x + (second));      \
              const T all = (T)(sum + (carry >> l & 1));                    \
              out |= (uint32_t)((sum < x) | (all < sum)) << l; d[l] = all); \
        vm_set_pred(w, in->dst[1], mask, out);                              \
        VM_NEXT;                                                            \
    }

__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 S128;

#define PRODUCT(T, W, a, b) ((W)(T)(a) * (W)(T)(b))
#define SUMS_OF(t, T)                \
    CARRY(add_##t, T, 2, a[l], b[l]) \
    CARRY(sub_##t, T, 2, a[l], (T)~b[l])
SUMS_OF(16, uint16_t)
SUMS_OF(32, uint32_t)
SUMS_OF(64, uint64_t)
#define PRODUCTS_OF(t, T, S, W, WS, bits)                               \
    CARRY(mad_lo_##t, T, 3, PRODUCT(T, W, a[l], b[l]), c[l])            \
    CARRY(mad_hi_u##t, T, 3, PRODUCT(T, W, a[l], b[l]) >> (bits), c[l]) \
    CARRY(mad_hi_s##t, T, 3, (W)PRODUCT(S, WS, a[l], b[l]) >> (bits), c[l])
PRODUCTS_OF(32, uint32_t, int32_t, uint64_t, int64_t, 32)
PRODUCTS_OF(64, uint64_t, int64_t, U128, S128, 64)

#define SUMS(op, stem)                                                        \
    VM_ROW(op, U16, "222", stem##_16), VM_ROW(op, S16, "222", stem##_16),     \
        VM_ROW(op, U32, "444", stem##_32), VM_ROW(op, S32, "444", stem##_32), \
        VM_ROW(op, U64, "888", stem##_64), VM_ROW(op, S64, "888", stem##_64)
#define MADS(op, mod, u, s)                      \
    VM_ROW_MOD(op, mod, U32, "4444", u##32),     \
        VM_ROW_MOD(op, mod, S32, "4444", s##32), \
        VM_ROW_MOD(op, mod, U64, "8888", u##64), \
        VM_ROW_MOD(op, mod, S64, "8888", s##64)

static const VmRow rows[] = {
    SUMS(ADD, add),
    SUMS(ADDC, add),
    SUMS(SUB, sub),
    SUMS(SUBC, sub),
    MADS(MAD, LO, mad_lo_, mad_lo_),
    MADS(MADC, LO, mad_lo_, mad_lo_),
    MADS(MAD, HI, mad_hi_u, mad_hi_s),
    MADS(MADC, HI, mad_hi_u, mad_hi_s),
};

static VmRef carry_flag(VmDecoder *d) {
    if (!d->has_carry)
        d->carry = vm_temp(d, 0);
    d->has_carry = true;
    return d->carry;
}

void vm_decode_carry(VmDecoder *d) {
    static const PtxOperand nowhere = {.kind = PTX_OPND_SINK};
    PtxOp op = d->in->op;
    bool reads = op == PTX_OP_ADDC || op == PTX_OP_SUBC || op == PTX_OP_MADC;
    VmRef from = reads ? carry_flag(d)
                       : vm_const(d, 0, op == PTX_OP_SUB ? VM_FULL : 0, 0);
    VmRef to = vm_take(d, PTX_MOD_CC) ? carry_flag(d)
                                      : vm_operand_dst(d, &nowhere, 0, false);
    VmInstr *in = vm_decode_rows(d, rows, COUNT_OF(rows));
    if (!in)
        return;
    vm_emit_dst(d, in, to);
    vm_emit_src(d, in, from);
}
