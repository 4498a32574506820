// SPDX-License-Identifier: Apache-2.0
// The indices of refused answers are poison until they are discarded (CLC002):
// this file tracks which registers hold one, and checks what is done with it.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/units/clc.h"

static uint32_t *poison_table(VmFrame *frame) {
    if (!frame->poison)
        frame->poison =
            heap_alloc(sizeof *frame->poison, frame->func->reg_count + 1u);
    return frame->poison;
}

static uint32_t poison_of(const VmFrame *frame, VmRef ref) {
    return ref.reg == VM_NO_REG ? 0 : frame->poison[ref.reg];
}

static void poison_set(VmFrame *frame, VmRef ref, uint32_t mask,
                       uint32_t lanes) {
    if (ref.reg == VM_NO_REG)
        return;
    uint32_t *at = &frame->poison[ref.reg];
    *at = (*at & ~mask) | (lanes & mask);
}

// True for a memory access or an indexed branch: the effect of a wrong value is
// visible. (An index that only takes part in a computation is not used yet.)
static bool uses_values(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return traits->access != PTX_ACCESS_NONE || traits->next == PTX_NEXT_TABLE;
}

static void report_use(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       FactWord use) {
    vm_faulted(w, in, CASE_CLC002_USED,
               FACTS(FACT_LANE(w, vm_first(lanes)), FACT(USE, use)));
    Vm *vm = w->vm;
    vm_fault_at(vm, PLACE_REFUSAL_DECODED, w->cta->clc.refusal_loc);
    vm_fault_cure(vm, PART_DECODE, w->cta->clc.refusal_loc);
}

// A select discards the poison in the operand that it does not choose.
static uint32_t selected(const VmWarp *w, const VmFrame *frame,
                         const VmInstr *in) {
    uint32_t p = vm_pred(w, in->src[2]);
    return (p & poison_of(frame, in->src[0])) |
           (~p & poison_of(frame, in->src[1])) | poison_of(frame, in->src[2]);
}

// So does an `and` with an operand known to be false, and an `or` with one
// known to be true: that is how `granted && index < n` is compiled without a
// branch. Returns the lanes that keep the poison.
static uint32_t undecided(const VmWarp *w, const VmFrame *frame,
                          const VmInstr *in) {
    uint32_t poisoned[2], decides[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = vm_pred(w, in->src[i]);
        poisoned[i] = poison_of(frame, in->src[i]);
        decides[i] =
            (PTX_TRAITS[in->op].data == PTX_DATA_ANDED ? ~p : p) & ~poisoned[i];
    }
    return (poisoned[0] & ~decides[1]) | (poisoned[1] & ~decides[0]);
}

static uint32_t passed_on(const VmWarp *w, const VmFrame *frame,
                          const VmInstr *in, uint32_t from) {
    PtxData data = (PtxData)PTX_TRAITS[in->op].data;
    if (data == PTX_DATA_SELECTED)
        return selected(w, frame, in);
    if ((data == PTX_DATA_ANDED || data == PTX_DATA_ORED) &&
        in->dst[0].size == 0)
        return undecided(w, frame, in);
    return from;
}

void vm_poison_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active) {
    VmFrame *frame = w->frag->frame;
    uint32_t guard =
        in->guard == VM_NONE ? 0 : frame->poison[in->guard_reg] & active;
    uint32_t from = 0;
    for (uint32_t i = 0; i < in->src_count; i++)
        from |= poison_of(frame, vm_srcs(in)[i]);
    from &= mask;
    if (guard && (in->splits || uses_values(in))) {
        report_use(w, in, guard, WORD_USE_IN_A_CONDITION);
        return;
    }
    if (from && uses_values(in)) {
        report_use(w, in, from,
                   poison_of(frame, in->src[0]) & mask ? WORD_USE_IN_AN_ADDRESS
                                                       : WORD_USE_AS_A_VALUE);
        return;
    }
    from = passed_on(w, frame, in, from);
    for (uint32_t i = 0; i < in->dst_count; i++) {
        poison_set(frame, vm_dsts(in)[i], mask, from);
        poison_set(frame, vm_dsts(in)[i], guard, guard);
    }
}

void vm_poison_results(VmWarp *w, const VmInstr *in, uint32_t mask,
                       uint32_t refused) {
    VmFrame *frame = w->frag->frame;
    poison_table(frame);
    for (uint32_t i = 0; i < in->dst_count; i++)
        poison_set(frame, vm_dsts(in)[i], mask, refused);
}
