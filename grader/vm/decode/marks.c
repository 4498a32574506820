// SPDX-License-Identifier: Apache-2.0
// How a select, an `and` and an `or` discard marks: see marks.h.
#include "vm/decode/marks.h"

#include "vm/machine/lanes.h"

uint32_t vm_marks_selected(const VmWarp *w, const VmMarks *m,
                           const VmInstr *in) {
    uint32_t p = vm_pred(w, in->src[2]);
    return (p & vm_marks_of(m, in->src[0])) |
           (~p & vm_marks_of(m, in->src[1])) | vm_marks_of(m, in->src[2]);
}

// The lanes in which all bits of the operand are 0 (is_and) or 1.
static uint32_t all_alike(const VmWarp *w, VmRef ref, bool is_and) {
    uint32_t lanes = 0, shift = 64 - 8u * ref.size;
    if (ref.size == 0)
        return is_and ? ~vm_pred(w, ref) : vm_pred(w, ref);
    for (uint32_t l = 0; l < VM_LANES; l++) {
        uint64_t value = vm_lane_u64(w, ref, l);
        lanes |= (uint32_t)((is_and ? value : ~value << shift) == 0) << l;
    }
    return lanes;
}

uint32_t vm_marks_undecided(const VmWarp *w, const VmMarks *m,
                            const VmInstr *in) {
    bool is_and = PTX_TRAITS[in->op].data == PTX_DATA_ANDED;
    uint32_t marked[2], decides[2];
    for (uint32_t i = 0; i < 2; i++) {
        marked[i] = vm_marks_of(m, in->src[i]);
        decides[i] = all_alike(w, in->src[i], is_and) & ~marked[i];
    }
    return (marked[0] & ~decides[1]) | (marked[1] & ~decides[0]);
}
