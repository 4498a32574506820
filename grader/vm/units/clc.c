// SPDX-License-Identifier: Apache-2.0
// Cluster Launch Control: the lifetime of a request (PTX ISA,
// clusterlaunchcontrol.try_cancel and .query_cancel).
//
//   try_cancel --delay--> decide: grant or refuse --delay--> answer: 16 bytes
//   to each receiver's slot, complete-tx of 16 on its mbarrier
// The arbiter is in arbiter.c, decoding (query_cancel) in clc_query.c.
#include "vm/units/clc.h"

#include "vm/decode/condition.h"
#include "vm/decode/origin.h"
#include "vm/decode/unset.h"
#include "vm/decode/way.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/heard.h"
#include "vm/order/race.h"
#include "vm/order/stale.h"
#include "vm/trace/trace.h"

// ---- requests ------------------------------------------------------------

typedef struct Target { // the checked operands of a request
    uint32_t slot, mbarrier;
} Target;

static VmNext bad_address(VmWarp *w, const VmInstr *in, uint32_t lane,
                          FindingCase which, DevicePart cure) {
    VmNext next = vm_faulted(w, in, which, FACTS(FACT_LANE(w, lane)));
    vm_fault_cure(w->vm, cure, 0);
    return next;
}

// A request that names no state space takes generic addresses (PTX ISA,
// try_cancel). In hand-written PTX, the missing space rather than the slot may
// be the mistake.
static FindingCase bad_slot(const VmInstr *in) {
    return in->space == PTX_SPACE_GENERIC ? CASE_CLC005_SLOT_GENERIC
                                          : CASE_CLC005_SLOT_OUTSIDE;
}

// The place to fix a wrong slot: its declaration, or the request if the slot is
// in another CTA or the request names the wrong space.
static DevicePart slot_cure(const VmWarp *w, const VmInstr *in,
                            const VmCta *owner) {
    bool is_neighbour = owner && owner != w->cta;
    return is_neighbour || in->space == PTX_SPACE_GENERIC ? PART_HERE
                                                          : PART_DECLARE;
}

// True if the operands are swapped: the slot operand names an mbarrier, and the
// mbarrier operand does not. (A slot that overlaps the mbarrier after it is a
// different mistake.)
static bool are_swapped(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint32_t slot) {
    VmCta *owner;
    uint32_t mbarrier;
    return vm_mbarrier_find(w->cta, slot) &&
           !(vm_shared_operand(w, in, lane, 1, in->request.mbarrier_offset,
                               &owner, &mbarrier) &&
             owner == w->cta && vm_mbarrier_find(owner, mbarrier));
}

static bool is_init(const PtxInstr *in) {
    return in->op == PTX_OP_MBARRIER_INIT;
}

// Nobody of the block can still come to an init: what decides that.
static void explain_never_made(Vm *vm, const VmWarp *w, const VmCta *cta) {
    const PtxFunc *ptx = w->frag->frame->func->ptx;
    if (!vm->findings.fault || vm_way_is_open(cta, is_init))
        return;
    for (size_t i = 0; i < ptx->instr_count; i++) {
        const PtxInstr *in = &ptx->instrs[i];
        if (!is_init(in))
            continue;
        uint32_t loc = vm_condition_loc(w->frag->frame->func, in);
        vm_fault_reason(vm, REASON_NEVER_MADE);
        vm_fault_cure(vm, PART_INIT, 0);
        vm_fault_at(vm, PLACE_INIT_DECIDED, vm_learner_loc(vm, NULL, loc));
        return;
    }
}

static bool has_mbarrier(const VmCta *cta) {
    bool has_one = false;
    for (uint32_t i = 0; i < cta->typed.mbarrier_count; i++)
        has_one |= cta->objects.mbarriers[i].live;
    return has_one;
}

static VmNext no_mbarrier(VmWarp *w, const VmInstr *in, uint32_t lane,
                          uint32_t offset) {
    uint32_t ended = vm_mbarrier_ended(w->cta, offset);
    if (!ended) {
        VmNext next =
            vm_faulted(w, in, CASE_CLC005_MBARRIER_NOT_MADE,
                       FACTS(FACT_LANE(w, lane), FACT(BLOCK, w->cta->linear)));
        vm_fault_cure(w->vm, PART_INIT, 0);
        if (!has_mbarrier(w->cta)) // else that of this one was forgotten
            explain_never_made(w->vm, w, w->cta);
        return next;
    }
    VmNext next =
        bad_address(w, in, lane, CASE_CLC005_MBARRIER_ENDED, PART_LEAVE);
    vm_fault_at(w->vm, PLACE_MBARRIER_ENDED, ended);
    vm_fault_cure(w->vm, PART_LEAVE, ended);
    return next;
}

// The mbarrier is there all the same, and the request can go on: libraries are
// met that leave the fence of a relaxed cluster barrier out.
static void check_ordered(VmWarp *w, const VmInstr *in, uint32_t lane,
                          VmMbarrier *bar) {
    if (!w->vm->order || vm_order_initialised(w, lane, bar))
        return;
    bar->report.is_told = true;
    Finding *finding =
        vm_found(w->vm, w, in->loc, CASE_CLC005_MBARRIER_UNORDERED,
                 FINDING_ERROR, FACTS(FACT_LANE(w, lane)));
    vm_relate(w->vm, finding, PLACE_MBARRIER_MADE, bar->report.init_loc,
              NO_FACTS);
    vm_cure(w->vm, finding, PART_INIT, bar->report.init_loc);
}

// The slot is in no shared memory of the block, or where no variable is. An
// index that leads out of an array of slots is another mistake than a slot that
// is declared elsewhere.
static VmNext outside(VmWarp *w, const VmInstr *in, uint32_t lane,
                      const VmCta *owner, uint32_t slot) {
    const PtxVar *var = owner == w->cta ? vm_shared_overrun(w, in, slot) : NULL;
    if (!var)
        return bad_address(w, in, lane, bad_slot(in), slot_cure(w, in, owner));
    VmNext next = vm_faulted(w, in, CASE_CLC005_SLOT_OVERRUN,
                             FACTS(FACT_LANE(w, lane),
                                   FACT_STR(NAME, ptx_plain_name(var->name)),
                                   FACT(SIZE, var->size)));
    vm_fault_cure(w->vm, PART_HERE, 0);
    return next;
}

static VmNext find_target(VmWarp *w, const VmInstr *in, uint32_t lane,
                          Target *out) {
    VmCta *slot_owner = NULL, *bar_owner;
    if (vm_unset_operand(w, in, lane, 0) ||
        !vm_shared_operand(w, in, lane, 0, in->offset, &slot_owner,
                           &out->slot) ||
        slot_owner != w->cta || out->slot + 16 > w->cta->smem_bytes)
        return outside(w, in, lane, slot_owner, out->slot);
    if (are_swapped(w, in, lane, out->slot))
        return bad_address(w, in, lane, CASE_CLC005_SWAPPED, PART_HERE);
    if (out->slot % 16)
        return bad_address(w, in, lane, CASE_CLC005_SLOT_UNALIGNED,
                           PART_DECLARE);
    if (vm_shared_is_gap(w->cta, out->slot, 16))
        return outside(w, in, lane, slot_owner, out->slot);
    if (vm_unset_operand(w, in, lane, 1) ||
        !vm_shared_operand(w, in, lane, 1, in->request.mbarrier_offset,
                           &bar_owner, &out->mbarrier) ||
        bar_owner != w->cta)
        return bad_address(w, in, lane, CASE_CLC005_MBARRIER_OUTSIDE,
                           PART_DECLARE);
    if (out->mbarrier % 8)
        return bad_address(w, in, lane, CASE_CLC005_MBARRIER_UNALIGNED,
                           PART_DECLARE);
    VmMbarrier *bar = vm_mbarrier_find(w->cta, out->mbarrier);
    if (!bar)
        return no_mbarrier(w, in, lane, out->mbarrier);
    check_ordered(w, in, lane, bar);
    return VM_GO;
}

static void check_after_refusal(VmWarp *w, const VmInstr *in, uint32_t lane) {
    if (!w->cta->clc.observed_refusal)
        return;
    bool has_looked = w->clc.saw_refusal >> lane & 1;
    bool could_know = has_looked || !w->vm->order ||
                      vm_order_follows(w, lane, w->cta->clc.refusal);
    Finding *finding =
        vm_found(w->vm, w, in->loc,
                 could_know ? CASE_CLC001_AFTER_REFUSAL : CASE_CLC001_NOT_TOLD,
                 FINDING_ERROR, FACTS(FACT_LANE(w, lane)));
    vm_relate(w->vm, finding, PLACE_REFUSAL_SEEN, w->cta->clc.refusal_loc,
              NO_FACTS);
    vm_goes_on_explain(w, in, lane, finding);
    uint32_t look = has_looked ? w->clc.last_look : w->cta->clc.refusal_loc;
    vm_cure(w->vm, finding, could_know ? PART_DECODE : PART_HERE,
            could_know ? look : 0);
}

// Often several threads have executed the same line.
static void explain_earlier(const VmWarp *w, uint32_t lane,
                            const VmRequest *earlier) {
    Vm *vm = w->vm;
    vm_relate(vm, vm->findings.fault, PLACE_EARLIER_REQUEST, earlier->loc,
              FACTS(FACT(INDEX, earlier->thread), FACT(OWNER, earlier->cta)));
    if (earlier->cta != w->cta->linear)
        vm_fault_reason(vm, REASON_ANOTHER_BLOCK_ASKED);
    else if (earlier->thread != w->index * VM_LANES + lane)
        vm_fault_reason(vm, REASON_ANOTHER_THREAD_ASKED);
}

static VmNext check_slot(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmCta *cta, const VmSlot *slot) {
    bool own = cta == w->cta;
    if (slot->state == SLOT_OBSERVED || (slot->state == SLOT_ANSWERED && !own))
        return VM_GO;
    VmNext next =
        vm_faulted(w, in,
                   slot->state == SLOT_IN_FLIGHT ? CASE_CLC010_SLOT_IN_FLIGHT
                                                 : CASE_CLC010_SLOT_NOT_AWAITED,
                   FACTS(FACT_LANE(w, lane), FACT(BLOCK, cta->linear)));
    explain_earlier(w, lane, &w->vm->clc.requests[slot->request]);
    return next;
}

static VmNext after_exit(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmCta *cta) {
    VmNext next =
        vm_faulted(w, in, CASE_CLC003_NEIGHBOUR_EXITED,
                   FACTS(FACT_LANE(w, lane), FACT(BLOCK, cta->linear)));
    vm_fault_at(w->vm, PLACE_NEIGHBOUR_LEFT, cta->exit_loc);
    vm_fault_cure(w->vm, PART_DECODE, cta->exit_loc);
    return next;
}

// Checks the rules of a multicast request for one CTA that receives the answer.
static VmNext check_neighbour(VmWarp *w, const VmInstr *in, uint32_t lane,
                              VmCta *cta, const Target *target) {
    if (cta->exited)
        return after_exit(w, in, lane, cta);
    const VmMbarrier *bar = vm_mbarrier_find(cta, target->mbarrier);
    if (bar && (!w->vm->order || vm_order_initialised(w, lane, bar)))
        return VM_GO;
    VmNext next =
        vm_faulted(w, in, bar ? CASE_CLC011_UNORDERED : CASE_CLC011_NOT_MADE,
                   FACTS(FACT_LANE(w, lane), FACT(BLOCK, cta->linear)));
    if (bar && vm_mbarrier_met_relaxed(cta, bar))
        vm_fault_reason(w->vm, REASON_CLUSTER_BARRIER_RELAXED);
    if (!bar)
        explain_never_made(w->vm, w, cta);
    return next;
}

static VmNext check_receiver(VmWarp *w, const VmInstr *in, uint32_t lane,
                             VmCta *cta, const Target *target) {
    VmNext next =
        cta == w->cta ? VM_GO : check_neighbour(w, in, lane, cta, target);
    if (next != VM_GO)
        return next;
    const VmSlot *slot = vm_clc_slot_at(cta, target->slot);
    return slot ? check_slot(w, in, lane, cta, slot) : VM_GO;
}

// True if there are more requests than any kernel needs: eight in flight in
// each block of the grid, and some more.
static bool too_many(const Vm *vm) {
    return vm->clc.request_count >=
           ((size_t)1 << 20) + 8 * vm->shape.cluster_count;
}

static uint32_t request_new(VmWarp *w, const VmInstr *in, uint32_t lane,
                            const Target *target) {
    Vm *vm = w->vm;
    arena_grow(&vm->run_arena, vm->clc.requests, vm->clc.request_count,
               vm->clc.request_capacity);
    uint32_t number = (uint32_t)vm->clc.request_count++;
    vm->clc.requests[number] = (VmRequest){
        .cluster = w->cta->cluster,
        .cta = w->cta->linear,
        .thread = w->index * VM_LANES + lane,
        .rank = w->cta->rank,
        .slot = target->slot,
        .mbarrier = target->mbarrier,
        .called_loc = w->frag->frame->site ? vm_outer_loc(vm, w, in->loc) : 0,
        .loc = vm_learner_loc(vm, w, in->loc),
        .multicast = in->request.is_multicast,
        .forced_refusal = w->cta->clc.observed_refusal || vm_time_is_wanted(w),
        .granted = VM_NONE};
    w->cta->cluster->in_flight++;
    vm_ledger_asked(w->cta);
    return number;
}

// Orders the answer after the earlier accesses to the slot.
static void order_answer(VmWarp *w, const VmInstr *in, uint32_t lane,
                         VmCta *cta, const Target *target,
                         const VmMbarrier *bar) {
    VmAsync answer = {.agent = bar->clocks.agent,
                      .time = VM_AGENT_LATER,
                      .is_proxy = true,
                      .is_answer = true};
    vm_shadow_issue(w, in, lane, &(VmWhere){cta, target->slot}, 16, true,
                    &answer);
    vm_race_slot(w->vm, target->slot);
}

// Notes that this request overwrites an answer which nobody in the CTA has
// decoded, and which is therefore lost.
static void note_overwritten(Vm *vm, const VmCta *cta, const VmSlot *slot,
                             uint32_t number) {
    if (!slot->answer)
        return;
    VmRequest *before = &vm->clc.requests[slot->request];
    if (before->slot == slot->offset && before->granted != VM_NONE &&
        !(before->taken >> cta->rank & 1) && !before->overwritten_loc)
        before->overwritten_loc = vm->clc.requests[number].loc;
}

// A request counts until a thread has waited for its answer, not until the
// answer has arrived: so a kernel has the same count however fast the answers
// are.
static void note_in_flight(Vm *vm, const VmCta *cta) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++)
        count += cta->objects.slots[i].state != SLOT_OBSERVED;
    if (cta->clc.chain == VM_NONE)
        return;
    LedgerChain *chain = &vm->run->ledger.chains[cta->clc.chain];
    if (chain->most_in_flight < count)
        chain->most_in_flight = count;
}

static VmNext issue(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    VmCluster *cluster = w->cta->cluster;
    Target target;
    VmNext next = find_target(w, in, lane, &target);
    if (next != VM_GO)
        return next;
    check_after_refusal(w, in, lane);
    bool multicast = in->request.is_multicast;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        if (!multicast && cluster->ctas[i] != w->cta)
            continue;
        next = check_receiver(w, in, lane, cluster->ctas[i], &target);
        if (next != VM_GO)
            return next;
    }
    if (too_many(vm))
        return vm_faulted(w, in, CASE_LIMIT_REQUESTS,
                          FACTS(FACT_LANE(w, lane),
                                FACT(COUNT, vm->clc.request_count),
                                FACT(CLUSTERS, vm->shape.cluster_count)));
    uint32_t number = request_new(w, in, lane, &target);
    vm->clc.requests[number].time = vm_time_done_at(w, TIMING_REQUEST);
    vm_trace_note(w, (DeviceEvent){.kind = DEVICE_EVENT_REQUEST,
                                   .at = target.slot,
                                   .value = number});
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        if (!vm_clc_receives(&vm->clc.requests[number], i))
            continue;
        VmSlot *slot = vm_clc_slot(cta, target.slot);
        note_overwritten(vm, cta, slot, number);
        slot->request = number;
        slot->mbarrier = target.mbarrier;
        slot->state = SLOT_IN_FLIGHT;
        VmMbarrier *bar = vm_mbarrier_find(cta, target.mbarrier);
        bar->async.requests++;
        if (vm->order)
            order_answer(w, in, lane, cta, &target, bar);
        vm_heard_issue(w, bar);
    }
    note_in_flight(vm, w->cta);
    vm->turns.progress++;
    vm_clc_decide_later(vm, number);
    return VM_GO;
}

static VmNext op_try_cancel(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        VmNext next = issue(w, in, l);
        if (next != VM_GO)
            return next;
    }
    return VM_GO;
}

void vm_decode_try_cancel(VmDecoder *d) {
    vm_take(d, PTX_MOD_ASYNC);
    vm_take(d, PTX_MOD_SHARED_CTA);
    vm_take(d, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES);
    bool multicast = vm_take(d, PTX_MOD_MULTICAST_CLUSTER_ALL);
    VmRef slot, bar;
    uint64_t slot_imm, bar_imm;
    vm_address(d, 0, &slot, &slot_imm);
    vm_address(d, 1, &bar, &bar_imm);
    VmInstr *in = vm_emit(d, op_try_cancel);
    in->request.is_multicast = multicast;
    in->space = (uint8_t)ptx_space(d->in);
    in->offset = slot_imm;
    in->request.mbarrier_offset = bar_imm;
    vm_emit_src(d, in, slot);
    vm_emit_src(d, in, bar);
}

// ---- exits ---------------------------------------------------------------

// Adds where threads of the CTA waited for earlier answers at this mbarrier,
// and what decides whether they come there again.
static void relate_earlier_wait(Vm *vm, const VmCta *cta, uint32_t mbarrier,
                                Finding *finding) {
    const VmPassed *passed = vm_stale_passed(cta, mbarrier);
    if (!passed)
        return;
    vm_relate(vm, finding, PLACE_WAITED_BEFORE, passed->loc, NO_FACTS);
    uint32_t condition = vm_condition_loc(passed->func, passed->wait);
    vm_relate(vm, finding, PLACE_WAIT_DECIDED,
              vm_learner_loc(vm, NULL, condition), NO_FACTS);
}

static void report_unwaited(Vm *vm, const VmCta *cta, const VmSlot *slot) {
    const VmRequest *request = &vm->clc.requests[slot->request];
    bool own = request->cta == cta->linear;
    FindingCase which = slot->state == SLOT_IN_FLIGHT ? CASE_CLC004_IN_FLIGHT
                                                      : CASE_CLC004_NOT_AWAITED;
    Finding *finding = vm_found(
        vm, NULL, request->loc, which, FINDING_ERROR,
        FACTS(FACT(BLOCK, cta->linear),
              FACT(REQUEST, own ? WORD_REQUEST_OWN : WORD_REQUEST_MULTICAST)));
    vm_note_call(vm, finding, request->called_loc);
    vm_relate(vm, finding, PLACE_BLOCK_LEFT, cta->exit_loc, NO_FACTS);
    relate_earlier_wait(vm, cta, slot->mbarrier, finding);
}

void vm_clc_cta_exited(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++)
        if (cta->objects.slots[i].state != SLOT_OBSERVED)
            report_unwaited(vm, cta, &cta->objects.slots[i]);
}
