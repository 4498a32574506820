// SPDX-License-Identifier: Apache-2.0
// The ledger: what happened to each cluster, and which blocks each CTA came to
// own. Granted work that nobody took is lost (CLC009); if its index was decoded
// and nobody used it, that is an advisory: it may have been dropped on purpose.
#include "vm/decode/follow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/units/clc.h"

void vm_ledger_end_chain(const VmCta *cta) {
    const Vm *vm = cta->cluster->vm;
    Ledger *ledger = &vm->run->ledger;
    if (ledger->totals.shortest == 0 ||
        cta->clc.owned < ledger->totals.shortest)
        ledger->totals.shortest = cta->clc.owned;
    if (cta->clc.owned > ledger->totals.longest)
        ledger->totals.longest = cta->clc.owned;
    if (cta->clc.chain == VM_NONE)
        return;
    LedgerChain *chain = &ledger->chains[cta->clc.chain];
    chain->left_at = vm_src_of(vm, cta->exit_loc);
    chain->refused = cta->clc.observed_refusal;
}

static bool is_listed(const Vm *vm, size_t count) {
    return vm->launch->ledger_most == 0 || count < vm->launch->ledger_most;
}

void vm_clc_cta_started(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    Ledger *ledger = &vm->run->ledger;
    ledger->totals.started++;
    cta->clc.owned = 1;
    cta->clc.chain = VM_NONE;
    if (!is_listed(vm, ledger->chain_count))
        return;
    arena_grow(vm->out, ledger->chains, ledger->chain_count,
               ledger->chain_capacity);
    cta->clc.chain = (uint32_t)ledger->chain_count++;
    LedgerChain *chain = &ledger->chains[cta->clc.chain];
    *chain = (LedgerChain){.cta = cta->linear, .sm = cta->sm};
    chain->blocks = arena_new(vm->out, uint32_t, 1);
    chain->blocks[0] = cta->linear;
    chain->count = chain->capacity = 1;
}

void vm_ledger_take(const VmWarp *w, uint32_t block) {
    Vm *vm = w->vm;
    VmCtaClc *clc = &w->cta->clc;
    clc->owned++;
    if (clc->chain == VM_NONE)
        return;
    LedgerChain *chain = &vm->run->ledger.chains[clc->chain];
    const VmCta *cta = w->cta;
    if (!chain->thinned && cta->live_threads < cta->threads) {
        chain->thinned = (uint32_t)chain->count;
        chain->gone = cta->threads - cta->live_threads;
        chain->thinned_at = vm_src_of(vm, cta->exit_loc);
    }
    arena_grow(vm->out, chain->blocks, chain->count, chain->capacity);
    chain->blocks[chain->count++] = block;
}

void vm_ledger_asked(const VmCta *cta) {
    if (cta->clc.chain != VM_NONE)
        cta->cluster->vm->run->ledger.chains[cta->clc.chain].requests++;
}

// ---- the watched function ------------------------------------------------

void vm_ledger_go_on(VmWarp *w, uint32_t lane) {
    VmClusterClc *clc = &w->cta->cluster->clc;
    if (w->vm->order && !clc->went_on.is_known &&
        vm_order_follows(w, lane, clc->called))
        clc->went_on = vm_order_now(w, lane);
}

static void note_late(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    LedgerChain *chain = &vm->run->ledger.chains[w->cta->clc.chain];
    if (chain->late++ == 0)
        chain->late_at = vm_src_of(vm, vm_learner_loc(vm, w, in->loc));
    chain->late_worked += w->clc.worked >> lane & 1;
}

// Without clocks nothing is late: which of two threads came first is then only
// what this schedule happened to do.
void vm_ledger_call(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmClusterClc *clc = &w->cta->cluster->clc;
    if (!w->vm->order)
        return;
    if (!clc->called.is_known)
        clc->called = vm_order_now(w, vm_first(mask));
    if (!clc->went_on.is_known || w->cta->clc.chain == VM_NONE)
        return;
    EACH_LANE(l, mask) {
        if (vm_order_follows(w, l, clc->went_on))
            note_late(w, in, l);
    }
}

// ---- lost work -----------------------------------------------------------

// The next request of the same CTA for the same slot. NULL: there is none.
static const VmRequest *next_in_slot(const Vm *vm, const VmRequest *request) {
    for (const VmRequest *next = request + 1;
         next < vm->clc.requests + vm->clc.request_count; next++)
        if (next->cta == request->cta && next->slot == request->slot)
            return next;
    return NULL;
}

static SrcLoc left_at(const Vm *vm, uint32_t cta) {
    const Ledger *ledger = &vm->run->ledger;
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (ledger->chains[i].cta == cta)
            return ledger->chains[i].left_at;
    return (SrcLoc){0};
}

// Adds to the finding how far the answer for a lost block got.
static void relate_lost(Vm *vm, const VmRequest *request, uint32_t decoded,
                        Finding *finding) {
    if (decoded) {
        vm_relate(vm, finding, PLACE_INDEX_DECODED, decoded, NO_FACTS);
        return;
    }
    if (request->seen_loc) {
        vm_relate(vm, finding, PLACE_GRANT_SEEN, request->seen_loc, NO_FACTS);
        return;
    }
    const VmRequest *next = next_in_slot(vm, request);
    if (next)
        vm_relate(vm, finding, PLACE_NEXT_REQUEST, next->loc, NO_FACTS);
    else
        vm_relate_line(vm, finding, PLACE_BLOCK_LEFT, left_at(vm, request->cta),
                       NO_FACTS);
}

static void report_lost(Vm *vm, const VmRequest *request, VmDropped *dropped) {
    uint32_t decoded = request->taken ? request->decoded_loc
                                      : vm_dropped_decode(vm, request, dropped);
    FindingCase which = decoded         ? CASE_CLC009_NOT_USED
                        : request->seen ? CASE_CLC009_NOT_TAKEN
                                        : CASE_CLC009_NOT_ASKED;
    uint32_t id[3], shown[3];
    vm_unlinear(request->granted, vm->shape.cluster_grid, id);
    for (int axis = 0; axis < 3; axis++)
        shown[axis] = id[axis] * vm->shape.cluster_dim[axis];
    Finding *finding = vm_found(
        vm, NULL, request->loc, which,
        decoded ? FINDING_ADVISORY : FINDING_ERROR,
        FACTS(FACT(BLOCK, vm_linear(shown, vm->shape.grid)),
              FACT(INDEX, request->thread), FACT(OWNER, request->cta)));
    vm_note_call(vm, finding, request->called_loc);
    relate_lost(vm, request, decoded, finding);
}

static void finish_granted(Vm *vm, uint32_t cluster, LedgerEntry *entry,
                           VmDropped *dropped) {
    const VmRequest *request =
        &vm->clc.requests[vm->clc.cluster_requests[cluster]];
    if (entry) {
        entry->taken = request->taken != 0;
        entry->by_cta = request->cta;
        entry->at = vm_src_of(vm, request->loc);
        entry->called_at = vm_src_of(
            vm, request->called_loc ? request->called_loc
                                    : vm_outer_loc(vm, NULL, request->loc));
        entry->asked = request->asked;
        entry->overwritten = request->overwritten_loc != 0;
        entry->again = request->again_loc != 0;
        entry->decoded_at = vm_src_of(vm, request->decoded_loc);
        entry->again_at = vm_src_of(vm, request->again_loc);
    }
    if (!request->taken)
        vm->run->ledger.totals.lost += vm->shape.cluster_size;
    if (vm->run->status == RUN_DONE && !(request->taken && request->used))
        report_lost(vm, request, dropped);
}

static void finish_cluster(Vm *vm, uint32_t i, VmDropped *dropped) {
    Ledger *ledger = &vm->run->ledger;
    LedgerState state = (LedgerState)vm->clc.cluster_states[i];
    LedgerEntry *entry = i < ledger->entry_count ? &ledger->entries[i] : NULL;
    if (entry)
        entry->state = state;
    if (state == LEDGER_GRANTED)
        finish_granted(vm, i, entry, dropped);
}

// ---- blocks that were done in part ----------------------------------------

static void report_part(Vm *vm, const VmPart *part) {
    const VmRequest *request = &vm->clc.requests[part->request];
    static const char *const AXES[] = {"x", "y", "z"};
    Facts facts = FACTS(FACT(BLOCK, part->block), FACT(OWNER, part->cta),
                        FACT(COUNT, part->missing), FACT(THREADS, part->of));
    Finding *finding;
    if (part->axis != VM_NONE)
        finding =
            vm_found(vm, NULL, request->decoded_loc, CASE_CLC009_IN_PART_AXIS,
                     FINDING_ERROR,
                     FACTS(FACT(BLOCK, part->block), FACT(OWNER, part->cta),
                           FACT(COUNT, part->missing), FACT(THREADS, part->of),
                           FACT_STR(TEXT, str_from(AXES[part->axis]))));
    else
        finding = vm_found(vm, NULL, request->decoded_loc,
                           part->have_left ? CASE_CLC009_IN_PART_LEFT
                                           : CASE_CLC009_IN_PART_KEPT,
                           FINDING_ERROR, facts);
    vm_note_call(vm, finding, request->called_loc);
    vm_relate(vm, finding, PLACE_PART_DONE,
              vm_learner_loc(vm, NULL, part->work_loc), NO_FACTS);
    if (part->have_left && part->left_loc)
        vm_relate(vm, finding, PLACE_PART_LEFT, part->left_loc, NO_FACTS);
    vm_cure(vm, finding, PART_HERE, 0);
}

static void report_parts(Vm *vm) {
    for (size_t i = 0; vm->follow && i < vm->follow->part_count; i++)
        report_part(vm, &vm->follow->parts[i]);
}

void vm_clc_finish(Vm *vm) {
    Ledger *ledger = &vm->run->ledger;
    const DeviceLaunch *launch = vm->launch;
    size_t listed = launch->ledger_most, count = vm->shape.cluster_count;
    if (listed == 0 || listed > count)
        listed = count;
    VmDropped dropped = {0};
    ledger->entry_count = listed;
    ledger->entries = arena_new(vm->out, LedgerEntry, listed);
    if (launch->only)
        count = launch->only_count;
    for (size_t i = 0; i < count; i++)
        finish_cluster(vm, launch->only ? launch->only[i] : (uint32_t)i,
                       &dropped);
    if (vm->run->status == RUN_DONE)
        report_parts(vm);
}
