// SPDX-License-Identifier: Apache-2.0
// Marks on registers: by register, which lanes hold a value that is followed
// (doubt.h, fate.h), and how instructions pass such marks on.
#ifndef CLCLAB_VM_DECODE_MARKS_H
#define CLCLAB_VM_DECODE_MARKS_H

#include "vm/machine/machine.h"

typedef struct VmMarks {
    uint32_t *lanes; // by register
    uint32_t held;   // registers with such lanes
} VmMarks;

static inline uint32_t vm_marks_of(const VmMarks *m, VmRef ref) {
    return ref.reg == VM_NO_REG ? 0 : m->lanes[ref.reg];
}

static inline void vm_marks_set_reg(VmMarks *m, uint32_t reg, uint32_t mask,
                                    uint32_t lanes) {
    uint32_t *at = &m->lanes[reg], old = *at;
    *at = (old & ~mask) | (lanes & mask);
    m->held += (uint32_t)(*at != 0) - (uint32_t)(old != 0);
}

static inline void vm_marks_set(VmMarks *m, VmRef ref, uint32_t mask,
                                uint32_t lanes) {
    if (ref.reg != VM_NO_REG)
        vm_marks_set_reg(m, ref.reg, mask, lanes);
}

// The lanes of the result of a select, which discards the mark of the operand
// that it does not choose.
uint32_t vm_marks_selected(const VmWarp *w, const VmMarks *m,
                           const VmInstr *in);
// So does an `and` with an operand known to be false, or 0, and an `or` with
// one known to be true: that is how `granted && index < n` and `flag ? value :
// 0` are compiled without a branch.
uint32_t vm_marks_undecided(const VmWarp *w, const VmMarks *m,
                            const VmInstr *in);

#endif
