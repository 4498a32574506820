// SPDX-License-Identifier: Apache-2.0
// Registers that nobody has set: see unset.h. Compilers read such registers
// where it does not matter: the value comes from a path on which the variable
// was not set and is used on none, it is copied with the struct that it is a
// part of, or a select drops it. So a value is judged by its use, as those of
// loads are (doubt.h):
//
//   a branch, an address, a wait, a barrier   an error
//   stored, after something was computed      an advisory
//   of it
//   stored as it is, passed to a function     nothing: it is perhaps padding
//
// VmFunc.unset names the registers that can be read before they are set; few
// functions have any. For these, a frame says by register which lanes hold a
// value that depends on one. Instructions that no such value can reach
// (VmInstr.unset is 0) run as ever.
#include "vm/decode/unset.h"

#include "vm/decode/flow.h"
#include "vm/decode/marks.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

typedef struct VmUnset {
    VmMarks marks;    // what depends on a register that nobody has set
    VmMarks computed; // of these: more than a copy of what nobody set
} VmUnset;

// ---- which registers hold it ---------------------------------------------

static void set(VmUnset *u, VmRef ref, uint32_t mask, uint32_t lanes,
                uint32_t computed) {
    vm_marks_set(&u->marks, ref, mask, lanes);
    vm_marks_set(&u->computed, ref, mask, lanes & computed);
}

static uint32_t of_sources(const VmMarks *m, const VmInstr *in, uint32_t from) {
    uint32_t all = 0;
    for (uint32_t i = from; i < in->src_count; i++)
        all |= vm_marks_of(m, vm_srcs(in)[i]);
    return all;
}

// ---- frames --------------------------------------------------------------

void vm_unset_begin(const VmWarp *w, VmFrame *frame) {
    const VmFunc *func = frame->func;
    if (func->reg_count >= VM_NO_REG || !vm_wants(w->vm, RULE_MEM003))
        return;
    VmUnset *u = frame->unset = heap_alloc(sizeof *u, 1);
    uint32_t *lanes = heap_alloc(sizeof *lanes, 2 * (func->reg_count + 1u));
    u->marks.lanes = lanes;
    u->computed.lanes = lanes + func->reg_count + 1u;
    for (uint32_t i = 0; i < func->unset_count; i++)
        vm_marks_set_reg(&u->marks, func->unset[i], frame->lanes, VM_FULL);
}

void vm_unset_free(VmFrame *frame) {
    if (frame->unset)
        heap_free(frame->unset->marks.lanes);
    heap_free(frame->unset);
    frame->unset = NULL;
}

// ---- uses ----------------------------------------------------------------

static void forget(VmUnset *u, const VmFunc *func, uint32_t lanes) {
    for (uint32_t reg = 0; u->marks.held && reg < func->reg_count; reg++) {
        vm_marks_set_reg(&u->marks, reg, lanes, 0);
        vm_marks_set_reg(&u->computed, reg, lanes, 0);
    }
}

static void report(VmWarp *w, const VmInstr *in, VmUnset *u, uint32_t lanes,
                   FactWord use) {
    const VmFunc *func = w->frag->frame->func;
    Facts facts = FACTS(FACT_LANE(w, vm_first(lanes)), FACT(USE, use));
    if (use == WORD_USE_AS_A_VALUE)
        vm_found(w->vm, w, in->loc, CASE_MEM003_REGISTER, FINDING_ADVISORY,
                 facts);
    else
        vm_faulted(w, in, CASE_MEM003_REGISTER, facts);
    forget(u, func, lanes);
}

static bool is_memory(const VmInstr *in) {
    return PTX_TRAITS[in->op].object == PTX_OBJECT_MEMORY;
}

// It acts on something that others see, so each of its operands decides what
// happens: an mbarrier, a barrier, a request, a copy.
static bool acts(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return !is_memory(in) && (traits->access != PTX_ACCESS_NONE ||
                              traits->object == PTX_OBJECT_CTA ||
                              traits->object == PTX_OBJECT_CLUSTER ||
                              traits->object == PTX_OBJECT_STACK);
}

static bool goes_where_it_says(const VmInstr *in) {
    PtxNext next = (PtxNext)PTX_TRAITS[in->op].next;
    return next == PTX_NEXT_TABLE || next == PTX_NEXT_CALL;
}

// The lanes in which such a value decides where the thread goes, what it
// accesses or waits for.
static uint32_t deciding(const VmUnset *u, const VmInstr *in) {
    if (in->op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL)
        return 0; // judges its operands itself: vm_unset_operand
    if (acts(in))
        return of_sources(&u->marks, in, 0);
    bool has_address = is_memory(in) && !in->is_frame && in->src_count;
    if (has_address || (goes_where_it_says(in) && in->src_count))
        return vm_marks_of(&u->marks, in->src[0]);
    return 0;
}

static FactWord use_of(const VmInstr *in) {
    if (is_memory(in))
        return WORD_USE_IN_AN_ADDRESS;
    return acts(in) ? WORD_USE_IN_AN_OPERAND : WORD_USE_IN_A_CONDITION;
}

// ---- where values go -----------------------------------------------------

static uint32_t passed(const VmWarp *w, const VmInstr *in, const VmUnset *u,
                       uint32_t mask, uint32_t from) {
    PtxData data = (PtxData)PTX_TRAITS[in->op].data;
    if (data == PTX_DATA_SELECTED)
        return vm_marks_selected(w, &u->marks, in);
    if (data == PTX_DATA_ANDED || data == PTX_DATA_ORED)
        return vm_marks_undecided(w, &u->marks, in);
    // A vote, for one: all lanes get a result that depends on each of them.
    return PTX_TRAITS[in->op].object == PTX_OBJECT_LANES ? mask : from;
}

static void pass_on(VmWarp *w, const VmInstr *in, VmUnset *u, uint32_t mask,
                    uint32_t guard) {
    bool shuffles = PTX_TRAITS[in->op].data == PTX_DATA_SHUFFLED;
    bool ends =
        is_memory(in) || acts(in) || PTX_TRAITS[in->op].next == PTX_NEXT_CALL;
    uint32_t from = ends ? 0 : of_sources(&u->marks, in, shuffles) & mask;
    if (from)
        from = passed(w, in, u, mask, from);
    bool is_new = vm_effect(in) == EFFECT_USE || vm_effect(in) == EFFECT_JOIN;
    uint32_t computed = is_new ? from : of_sources(&u->computed, in, shuffles);
    for (uint32_t i = shuffles; i < in->dst_count; i++) {
        set(u, vm_dsts(in)[i], mask, from, computed);
        set(u, vm_dsts(in)[i], guard, guard, 0);
    }
}

bool vm_unset_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active) {
    VmFrame *frame = w->frag->frame;
    VmUnset *u = frame->unset;
    uint32_t guard =
        in->guard == VM_NONE ? 0 : u->marks.lanes[in->guard_reg] & active;
    if (guard && (in->splits || acts(in) || is_memory(in))) {
        report(w, in, u, guard, WORD_USE_IN_A_CONDITION);
        guard = 0;
    }
    uint32_t decides = deciding(u, in) & mask;
    if (decides)
        report(w, in, u, decides, use_of(in));
    uint32_t stored = is_memory(in) && !in->is_frame
                          ? of_sources(&u->computed, in, 1) & mask
                          : 0;
    if (stored)
        report(w, in, u, stored, WORD_USE_AS_A_VALUE);
    pass_on(w, in, u, mask, guard);
    if (!u->marks.held)
        vm_unset_free(frame);
    return !w->vm->turns.stopped;
}

void vm_unset_shuffled(const VmWarp *w, const VmInstr *in,
                       const uint8_t *sources, uint32_t mask) {
    VmUnset *u = w->frag->frame->unset;
    uint32_t from = u ? vm_marks_of(&u->marks, in->src[0]) : 0, lanes = 0;
    EACH_LANE(l, mask) {
        lanes |= (from >> sources[l] & 1) << l;
    }
    if (u)
        set(u, in->dst[0], mask, lanes, lanes);
}

bool vm_unset_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                      uint32_t src) {
    const VmUnset *u = w->frag->frame->unset;
    return u && in->unset &&
           vm_marks_of(&u->marks, vm_srcs(in)[src]) >> lane & 1;
}
