// SPDX-License-Identifier: Apache-2.0
// What every handler needs: operands as arrays of 32 lanes, and loops over the
// active lanes. A handler executes one instruction for the lanes of `mask`.
#ifndef CLCLAB_VM_MACHINE_LANES_H
#define CLCLAB_VM_MACHINE_LANES_H

#include "vm/machine/machine.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#define VM_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#define VM_UNROLL _Pragma("clang loop unroll_count(8)")
#else
#define VM_NO_ALIAS _Pragma("GCC ivdep")
#define VM_UNROLL _Pragma("GCC unroll 8")
#endif

// Runs `body` for each active lane l. For the full warp this is a counted loop,
// which the compiler vectorises: an operand is either the same register as the
// result or does not overlap it at all.
#define LANES(body)                                                  \
    do {                                                             \
        if (mask == VM_FULL) {                                       \
            VM_NO_ALIAS for (int l = 0; l < VM_LANES; l++) {         \
                body;                                                \
            }                                                        \
        } else {                                                     \
            for (uint32_t left_ = mask; left_; left_ &= left_ - 1) { \
                int l = __builtin_ctz(left_);                        \
                body;                                                \
            }                                                        \
        }                                                            \
    } while (0)

// For bodies that leave the loop or call a function: always lane by lane.
#define EACH_LANE(l, lanes)                                   \
    for (uint32_t left_ = (lanes), l = 0;                     \
         left_ && (l = (uint32_t)__builtin_ctz(left_), true); \
         left_ &= left_ - 1)

// The last statement of a plain handler, which neither waits nor branches nor
// changes the fragments of its warp. (It may fault, and then returns VM_STOP.)
// Such a handler is emitted by vm_emit_plain.
#define VM_NEXT return in->next(w, in + 1, mask)

static inline uint8_t *vm_at(const VmWarp *w, VmRef ref) {
    return w->base[ref.sel] + ref.off;
}

#define SRC(T, i) ((const T *)(const void *)vm_at(w, in->src[i]))
#define DST(T, i) ((T *)(void *)vm_at(w, in->dst[i]))

static inline uint32_t vm_pred(const VmWarp *w, VmRef ref) {
    uint32_t value;
    memcpy(&value, vm_at(w, ref), sizeof value);
    return ref.negated ? ~value : value;
}

static inline void vm_set_pred(VmWarp *w, VmRef ref, uint32_t mask,
                               uint32_t value) {
    uint32_t old;
    uint8_t *at = vm_at(w, ref);
    memcpy(&old, at, sizeof old);
    old = (old & ~mask) | (value & mask);
    memcpy(at, &old, sizeof old);
}

// Lane l of an integer operand of 2, 4 or 8 bytes, zero-extended.
static inline uint64_t vm_lane_u64(const VmWarp *w, VmRef ref, uint32_t l) {
    const void *at = vm_at(w, ref);
    if (ref.size == 4)
        return ((const uint32_t *)at)[l];
    return ref.size == 8 ? ((const uint64_t *)at)[l]
                         : ((const uint16_t *)at)[l];
}

static inline void vm_set_lane_u64(VmWarp *w, VmRef ref, uint32_t l,
                                   uint64_t value) {
    void *at = vm_at(w, ref);
    if (ref.size == 4)
        ((uint32_t *)at)[l] = (uint32_t)value;
    else if (ref.size == 8)
        ((uint64_t *)at)[l] = value;
    else
        ((uint16_t *)at)[l] = (uint16_t)value;
}

// The address of a memory instruction: src[0], if it is a register, plus imm.
static inline uint64_t vm_lane_address(const VmWarp *w, const VmInstr *in,
                                       uint32_t l) {
    const VmRef *base = &in->src[0];
    return in->offset + (base->size ? vm_lane_u64(w, *base, l) : 0);
}

// .ftz: a subnormal input or result becomes a zero of the same sign.
static inline float vm_flush(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

// The argument of fesetround for VM_RZ, VM_RM, VM_RP or none of these.
static inline int vm_rounding(uint32_t flags) {
    if (flags & VM_RZ)
        return FE_TOWARDZERO;
    if (flags & VM_RM)
        return FE_DOWNWARD;
    return flags & VM_RP ? FE_UPWARD : FE_TONEAREST;
}

// The lanes of `mask` whose guard allows them to execute `in`.
static inline uint32_t vm_guarded(const VmWarp *w, const VmInstr *in,
                                  uint32_t mask) {
    uint32_t guard;
    if (in->guard == VM_NONE)
        return mask;
    memcpy(&guard, w->base[0] + in->guard, sizeof guard);
    return mask & (in->guard_negated ? ~guard : guard);
}

static inline uint32_t vm_first(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t vm_count(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

#endif
