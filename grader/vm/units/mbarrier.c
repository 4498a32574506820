// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (PTX ISA, 9.7.13.15): init sets pending = expected = count;
// an arrival decrements pending; expect_tx increases tx and complete_tx
// decreases it. When both are 0 the phase completes: pending = expected, and
// the parity flips.
//
// A wait for an incomplete phase parks its fragment until the phase completes.
// It may also time out and return false, either when nothing else can run or by
// the schedule's choice. Copies that complete on an mbarrier call in from
// async.c.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/handover.h"
#include "vm/order/heard.h"
#include "vm/order/order.h"
#include "vm/order/stale.h"
#include "vm/trace/trace.h"
#include "vm/turns/hold.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/families.h"
#include "vm/units/units.h"

enum { COUNT_MAX = (1 << 20) - 1, POLLS_BEFORE_PARKING = 16 };

// VmInstr.mbarrier.flags
enum {
    BAR_EXPECT = 1,
    BAR_PARITY = 2,
    BAR_TRY = 4,
    BAR_DROP = 8,
    BAR_NO_COMPLETE = 16
};

// A state token: the phase (low half) and the arrivals still pending.
static uint64_t token_of(const VmMbarrier *bar) {
    return (uint32_t)bar->state.phase | (uint64_t)(uint32_t)bar->state.pending
                                            << 32;
}

static void report_early_phase(Vm *vm, const VmCta *cta, VmMbarrier *bar) {
    for (uint32_t i = 0; i < cta->typed.slot_count; i++) {
        const VmSlot *slot = &cta->objects.slots[i];
        if (slot->state != SLOT_IN_FLIGHT || slot->mbarrier != bar->offset)
            continue;
        const VmRequest *request = &vm->clc.requests[slot->request];
        Finding *finding =
            vm_found(vm, NULL, request->loc, CASE_CLC010_EARLY_PHASE,
                     FINDING_ERROR, FACTS(FACT(BLOCK, cta->linear)));
        vm_relate(vm, finding, PLACE_MBARRIER_MADE, bar->report.init_loc,
                  NO_FACTS);
        vm_cure(vm, finding, PART_ANNOUNCE, 0);
    }
    bar->report.early = bar->state.phase + 1;
}

// The bytes are announced by the thread whose arrival has just completed the
// phase without them.
static void explain_early_phase(const VmWarp *w, const VmInstr *in,
                                uint32_t lane, const VmCta *cta,
                                const VmMbarrier *bar) {
    Vm *vm = w->vm;
    if (bar->report.early != bar->state.phase ||
        bar->state.pending != bar->state.expected ||
        bar->report.arrive_who != vm_thread(w, lane))
        return;
    for (size_t i = 0; i < vm->run->finding_count; i++) {
        Finding *f = &vm->run->findings[i];
        if (f->which != CASE_CLC010_EARLY_PHASE || f->reason ||
            fact_find(f->facts, FACT_BLOCK)->number != cta->linear)
            continue;
        uint32_t loc = vm_learner_loc(vm, w, in->loc);
        f->reason = REASON_ANNOUNCED_LATE;
        vm_relate(vm, f, PLACE_ARRIVED,
                  vm_learner_loc(vm, NULL, bar->report.arrive_loc),
                  FACTS(FACT(OTHER, bar->report.arrive_who)));
        vm_relate(vm, f, PLACE_ANNOUNCED, loc, NO_FACTS);
        vm_cure(vm, f, PART_ANNOUNCE, loc);
    }
}

// For a thread that is lapped: where it was when two phases were over.
static VmWhereabouts whereabouts(const VmWarp *w) {
    const VmFragment *last = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (!last || w->fragments[i].last_run > last->last_run)
            last = &w->fragments[i];
    if (!last)
        return (VmWhereabouts){0};
    return (VmWhereabouts){last->mask, last->frame->func->code[last->pc].loc};
}

static void try_complete(Vm *vm, VmCta *cta, VmMbarrier *bar) {
    if (bar->state.pending != 0 || bar->state.tx != 0)
        return;
    if (bar->async.requests)
        report_early_phase(vm, cta, bar);
    if (vm->order) {
        vm_order_mbarrier_phase(vm, bar);
        vm_heard_phase(bar);
    }
    bar->async.has_come = false;
    vm_trace_note_bar(NULL, cta, bar, DEVICE_EVENT_PHASE, bar->state.phase & 1);
    vm_time_mbarrier_phase(bar);
    bar->state.phase++;
    bar->state.pending = bar->state.expected;
    vm->turns.progress++;
    vm->run->counters.mbarrier_phases++;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        bar->report.were[i] = whereabouts(&cta->warps[i]);
        vm_warp_wake(&cta->warps[i], WAIT_MBARRIER, bar->offset);
    }
}

bool vm_mbarrier_complete_tx(Vm *vm, VmCta *cta, VmMbarrier *bar,
                             uint32_t bytes) {
    bar->state.tx -= bytes;
    bar->async.takes_bytes = true;
    bar->async.brought = bar->state.phase + 1;
    vm_heard_completed(bar);
    vm_trace_note_bar(NULL, cta, bar, DEVICE_EVENT_BYTES, bytes);
    vm->turns.progress++;
    try_complete(vm, cta, bar);
    return bar->state.tx >= -COUNT_MAX;
}

bool vm_mbarrier_expect_arrival(VmMbarrier *bar) {
    return ++bar->state.pending <= COUNT_MAX;
}

bool vm_mbarrier_arrive(Vm *vm, VmCta *cta, VmMbarrier *bar) {
    if (bar->state.pending == 0)
        return false;
    bar->state.pending--;
    bar->report.arrive_loc = 0; // no thread made it
    vm_mbarrier_note_arrival(bar, VM_NONE);
    vm_heard_completed(bar);
    vm_trace_note_bar(NULL, cta, bar, DEVICE_EVENT_ARRIVE, 1);
    vm->turns.progress++;
    try_complete(vm, cta, bar);
    return true;
}

// ---- operands ------------------------------------------------------------

// No mbarrier of the block lies there. An operand in front of all shared memory
// is no address at all, and an index may lead out of an array of mbarriers.
static void outside(VmWarp *w, const VmInstr *in, uint32_t lane, uint64_t given,
                    const VmCta *owner, uint32_t offset) {
    bool is_own = owner == w->cta && in->space != PTX_SPACE_GENERIC;
    const PtxVar *var = is_own ? vm_shared_overrun(w, in, offset) : NULL;
    if (var)
        vm_faulted(w, in, CASE_MEM001_MBARRIER_OVERRUN,
                   FACTS(FACT_LANE(w, lane),
                         FACT_STR(NAME, ptx_plain_name(var->name)),
                         FACT(SIZE, var->size)));
    else if (is_own && given < VM_SHARED_BASE)
        vm_faulted(w, in, CASE_MEM001_MBARRIER_NUMBER,
                   FACTS(FACT_LANE(w, lane), FACT(NUMBER, given)));
    else
        vm_faulted(w, in,
                   in->space == PTX_SPACE_GENERIC ? CASE_MEM001_MBARRIER_GENERIC
                                                  : CASE_MEM001_MBARRIER,
                   FACTS(FACT_LANE(w, lane)));
}

// The place that operand `src` names. A NULL owner: a fault was reported.
static VmCta *locate(VmWarp *w, const VmInstr *in, uint32_t lane, uint32_t src,
                     uint64_t imm, uint32_t *offset) {
    VmCta *owner = NULL;
    if (!vm_shared_operand(w, in, lane, src, imm, &owner, offset) ||
        (owner != w->cta && !in->scope_cluster) ||
        *offset + 8 > owner->smem_bytes ||
        (*offset % 8 == 0 && vm_shared_is_gap(owner, *offset, 8))) {
        VmRef base = vm_srcs(in)[src];
        uint64_t given = imm + (base.size ? vm_lane_u64(w, base, lane) : 0);
        outside(w, in, lane, given, owner, *offset);
        return NULL;
    }
    if (*offset % 8) {
        vm_faulted(w, in, CASE_MEM002_MBARRIER, FACTS(FACT_LANE(w, lane)));
        return NULL;
    }
    if (owner->exited) {
        vm_faulted(w, in, CASE_MEM004_MBARRIER,
                   FACTS(FACT_LANE(w, lane), FACT(BLOCK, owner->linear)));
        return NULL;
    }
    return owner;
}

// Checks that the init is ordered before a use by another thread. Where a
// request has been told so, the other uses are of the same mistake.
static void check_init(VmWarp *w, const VmInstr *in, uint32_t lane,
                       const VmCta *owner, const VmMbarrier *bar) {
    if (bar->report.is_told || vm_order_initialised(w, lane, bar))
        return;
    FindingCase which =
        owner == w->cta ? CASE_BAR002_UNORDERED : CASE_BAR004_UNORDERED;
    Finding *finding =
        vm_found(w->vm, w, in->loc, which, FINDING_ERROR,
                 FACTS(FACT_LANE(w, lane), FACT(BLOCK, owner->linear)));
    vm_relate(w->vm, finding, PLACE_MBARRIER_MADE, bar->report.init_loc,
              NO_FACTS);
    vm_cure(w->vm, finding, PART_INIT, bar->report.init_loc);
    if (finding && which == CASE_BAR004_UNORDERED &&
        vm_mbarrier_met_relaxed(owner, bar))
        finding->reason = REASON_CLUSTER_BARRIER_RELAXED;
}

#define NAME_FACTS(n)                                   \
    FACT(MBARRIER, (n).word), FACT_STR(NAME, (n).name), \
        FACT(OFFSET, (n).offset), FACT(NUMBER, (n).element)

// The mbarrier in front of it may be made, of the same variable: a loop of
// inits ends too early.
static void not_made(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmCta *owner, uint32_t offset) {
    VmMbarrierName name = vm_mbarrier_name(w->vm, offset), other = {0};
    const VmMbarrier *beside =
        offset < 8 ? NULL : vm_mbarrier_find(owner, offset - 8);
    vm_faulted(w, in, CASE_BAR002_NOT_MADE,
               FACTS(FACT_LANE(w, lane), NAME_FACTS(name)));
    if (beside)
        other = vm_mbarrier_name(w->vm, beside->offset);
    if (!beside || !name.name.len || !str_equal(name.name, other.name))
        return;
    vm_fault_reason(w->vm, REASON_OTHERS_ARE_MADE);
    vm_relate(w->vm, w->vm->findings.fault, PLACE_MADE_BESIDE,
              beside->report.init_loc, FACTS(NAME_FACTS(other)));
}

static void not_live(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmCta *owner, uint32_t offset) {
    uint32_t ended = vm_mbarrier_ended(owner, offset);
    if (!ended) {
        not_made(w, in, lane, owner, offset);
        return;
    }
    vm_faulted(w, in, CASE_BAR002_ENDED, FACTS(FACT_LANE(w, lane)));
    vm_fault_at(w->vm, PLACE_MBARRIER_ENDED, ended);
    vm_fault_cure(w->vm, PART_LEAVE, ended);
}

VmMbarrier *vm_mbarrier_operand(VmWarp *w, const VmInstr *in, uint32_t lane,
                                uint32_t src, uint64_t imm, VmCta **owner) {
    uint32_t offset;
    *owner = locate(w, in, lane, src, imm, &offset);
    if (!*owner)
        return NULL;
    VmMbarrier *bar = vm_mbarrier_find(*owner, offset);
    if (!bar)
        not_live(w, in, lane, *owner, offset);
    else if (w->vm->order)
        check_init(w, in, lane, *owner, bar);
    return bar;
}

static VmMbarrier *live_barrier(VmWarp *w, const VmInstr *in, uint32_t lane,
                                VmCta **owner) {
    return vm_mbarrier_operand(w, in, lane, 0, in->offset, owner);
}

// ---- init, inval, transactions, arrivals ---------------------------------

static VmNext init_again(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmMbarrier *bar) {
    VmNext next =
        vm_faulted(w, in, CASE_BAR003_INIT_AGAIN, FACTS(FACT_LANE(w, lane)));
    vm_fault_at(w->vm, PLACE_INITIALISED, bar->report.init_loc);
    return next;
}

static VmNext op_init(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint32_t offset;
        VmCta *cta = locate(w, in, l, 0, in->offset, &offset);
        if (!cta)
            return VM_STOP;
        uint64_t count = vm_lane_u64(w, in->src[1], l);
        if (count == 0 || count > COUNT_MAX)
            return vm_faulted(w, in, CASE_BAR001_INIT_COUNT,
                              FACTS(FACT_LANE(w, l), FACT(COUNT, count)));
        const VmMbarrier *old = vm_mbarrier_find(cta, offset);
        if (old)
            return init_again(w, in, l, old);
        VmMbarrier *bar = vm_mbarrier_place(cta, offset);
        *bar =
            (VmMbarrier){.offset = offset,
                         .live = true,
                         .state.pending = (int32_t)count,
                         .state.expected = (int32_t)count,
                         .report.init_loc = vm_learner_loc(w->vm, w, in->loc),
                         .report.init_met = cta->cluster->barrier.phase};
        if (w->vm->order)
            vm_order_mbarrier_init(w, l, bar);
        vm_typed_extend(cta, offset, 8);
        vm_trace_note_bar(w, cta, bar, DEVICE_EVENT_INIT, (uint32_t)count);
        w->vm->turns.progress++;
    }
    return VM_GO;
}

static VmNext op_inval(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        VmCta *cta;
        VmMbarrier *bar = live_barrier(w, in, l, &cta);
        if (!bar)
            return VM_STOP;
        bar->live = false;
        bar->report.inval_loc = vm_learner_loc(w->vm, w, in->loc);
        if (w->vm->order)
            vm_order_mbarrier_end(w->vm, bar);
    }
    return VM_GO;
}

static bool add_tx(VmWarp *w, const VmInstr *in, uint32_t lane, VmMbarrier *bar,
                   int64_t bytes) {
    bar->state.tx += bytes;
    bar->async.takes_bytes = true;
    if (bar->state.tx <= COUNT_MAX && bar->state.tx >= -COUNT_MAX)
        return true;
    vm_faulted(w, in, CASE_BAR001_TX_RANGE,
               FACTS(FACT_LANE(w, lane), FACT(TX, bar->state.tx)));
    vm_fault_at(w->vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    return false;
}

// Nothing orders what a lane does to the current phase behind the end of the
// phase before: in another schedule, it does it to that phase. If its warp did
// not arrive in that one, the count of arrivals may be the mistake, and other
// rules tell of it.
static void check_phase(VmWarp *w, const VmInstr *in, uint32_t lane,
                        const VmCta *owner, const VmMbarrier *bar) {
    if (vm_heard_over(w, owner, bar) || !vm_mbarrier_has_come(bar, w->serial) ||
        vm_found_again(w->vm, w, in->loc, RULE_BAR001, FINDING_ERROR))
        return;
    Finding *finding =
        vm_found(w->vm, w, in->loc, CASE_BAR001_PHASE_NOT_OVER, FINDING_ERROR,
                 FACTS(FACT_LANE(w, lane), FACT(BLOCK, owner->linear)));
    vm_relate(w->vm, finding, PLACE_MBARRIER_MADE, bar->report.init_loc,
              NO_FACTS);
    vm_cure(w->vm, finding, PART_HERE, 0);
}

static VmNext op_tx(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        VmCta *cta;
        VmMbarrier *bar = live_barrier(w, in, l, &cta);
        if (!bar)
            return VM_STOP;
        int64_t bytes = (uint32_t)vm_lane_u64(w, in->src[1], l);
        if (!add_tx(w, in, l, bar,
                    in->mbarrier.flags & BAR_EXPECT ? bytes : -bytes))
            return VM_STOP;
        w->vm->turns.progress++;
        vm_trace_note_bar(w, cta, bar,
                          in->mbarrier.flags & BAR_EXPECT ? DEVICE_EVENT_EXPECT
                                                          : DEVICE_EVENT_BYTES,
                          (uint32_t)bytes);
        if (w->vm->order)
            check_phase(w, in, l, cta, bar);
        if (in->mbarrier.flags & BAR_EXPECT) {
            explain_early_phase(w, in, l, cta, bar);
            continue;
        }
        vm_heard_arrive(w, bar);
        vm_time_mbarrier_arrive(w, cta, bar);
        try_complete(w->vm, cta, bar);
    }
    return VM_GO;
}

// True if threadIdx.x is 0: in a block of several rows, each row has such a
// thread.
static bool begins_a_row(const VmWarp *w, uint32_t lane) {
    uint32_t thread = w->index * VM_LANES + lane;
    return thread > 0 && w->vm->shape.block[0] < w->cta->threads &&
           thread % w->vm->shape.block[0] == 0;
}

static VmNext too_many_arrivals(VmWarp *w, const VmInstr *in, uint32_t lane,
                                const VmMbarrier *bar) {
    VmNext next = vm_faulted(
        w, in, CASE_BAR001_TOO_MANY_ARRIVALS,
        FACTS(FACT_LANE(w, lane), FACT(EXPECTED, bar->state.expected)));
    Vm *vm = w->vm;
    bool is_same = (in->mbarrier.flags & BAR_EXPECT) &&
                   bar->report.arrive_loc == in->loc &&
                   bar->report.arrive_who != vm_thread(w, lane);
    if (begins_a_row(w, lane))
        vm_fault_reason(vm, REASON_EACH_ROW_ARRIVES);
    else if (is_same)
        vm_fault_reason(vm, REASON_SEVERAL_ARRIVE);
    vm_fault_at(vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    if (is_same)
        vm_fault_cure(vm, PART_ANNOUNCE, vm_learner_loc(vm, w, in->loc));
    else
        vm_fault_cure(vm, PART_INIT, bar->report.init_loc);
    if (bar->report.arrive_loc)
        vm_relate(vm, vm->findings.fault, PLACE_ARRIVED,
                  vm_learner_loc(vm, NULL, bar->report.arrive_loc),
                  FACTS(FACT(OTHER, bar->report.arrive_who)));
    vm_stale_explain_repeated(vm, w, lane);
    return next;
}

static VmNext bad_count(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint32_t count) {
    return vm_faulted(w, in, CASE_BAR001_ARRIVE_COUNT,
                      FACTS(FACT_LANE(w, lane), FACT(COUNT, count)));
}

// With .noComplete the arrival must not complete the phase (PTX ISA,
// "mbarrier.arrive").
static VmNext completes(VmWarp *w, const VmInstr *in, uint32_t lane,
                        const VmMbarrier *bar) {
    VmNext next =
        vm_faulted(w, in, CASE_BAR001_COMPLETES, FACTS(FACT_LANE(w, lane)));
    vm_fault_at(w->vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    return next;
}

// Lanes that do the same to one mbarrier. For the order of accesses they do it
// at the same time, so that the clock gets one entry instead of 32.
typedef struct Party {
    VmMbarrier *bar;
    const VmCta *owner;
    uint32_t lanes;
} Party;

static bool party_differs(const Party *party, const VmMbarrier *bar) {
    return party->lanes && party->bar != bar;
}

static void arrive_together(VmWarp *w, const VmInstr *in, Party *party) {
    if (party->lanes && w->vm->order) {
        check_phase(w, in, vm_first(party->lanes), party->owner, party->bar);
        vm_heard_arrive(w, party->bar);
        vm_order_mbarrier_arrive(w, in, party->lanes, party->owner, party->bar);
        if (!party->bar->async.takes_bytes)
            vm_handover_note(w, in, party->lanes, party->owner, party->bar);
    }
    party->lanes = 0;
}

static void wait_together(VmWarp *w, const VmInstr *in, Party *party) {
    if (party->lanes)
        vm_stale_note(w, in, party->lanes, party->bar);
    if (party->lanes && w->vm->order)
        vm_order_mbarrier_wait(w, in, party->lanes, party->bar);
    if (party->lanes)
        vm_heard_wait(w, party->bar);
    party->lanes = 0;
}

// Splits off these lanes, which arrive later: other threads may act in between.
static VmNext part(VmWarp *w, uint32_t rest, uint64_t delay) {
    if (!rest)
        return VM_GO;
    VmFragment *other = vm_fragment_split(w, rest);
    other->pc--;
    if (delay) {
        other->rest = REST_UNTIL_TICK;
        other->rest_until = w->vm->turns.tick + delay;
        other->wake_at = UINT64_MAX;
        w->turns.slept = true;
    }
    w->join_pc = w->frag->pc;
    w->yields = true;
    return VM_SWITCH;
}

// The lanes of one instruction do not come to the mbarriers of several CTAs at
// one instant: those that come later, by the schedule, and by how many ticks.
static uint32_t lanes_later(const VmWarp *w, const VmInstr *in, uint32_t mask,
                            uint64_t *delay) {
    const Vm *vm = w->vm;
    const VmTuning *t = &vm->tuning;
    if (!in->scope_cluster || vm->shape.cluster_size == 1 ||
        (mask & (mask - 1)) == 0 || !(t->random_order || t->priorities))
        return 0;
    uint64_t draw = hash_u64(vm->turns.elect_seed ^ vm->turns.tick << 20 ^
                             (uint64_t)w->serial);
    uint32_t later = mask & (uint32_t)draw;
    *delay = 1 + (draw >> 32) % t->answer_spread;
    return later == mask ? later & (later - 1) : later;
}

// A phase is complete with a lane's arrival. One of the `others` of the
// instruction that arrives at it, too, is one too many: lanes of a warp arrive
// at once, in no order that a kernel could count on. VM_NONE: there is none.
static uint32_t surplus_lane(VmWarp *w, const VmInstr *in, uint32_t others,
                             const VmMbarrier *bar) {
    EACH_LANE(l, others) {
        VmCta *cta;
        if (live_barrier(w, in, l, &cta) == bar)
            return l;
    }
    return VM_NONE;
}

// src[1]: the count of arrivals, or of bytes with .expect_tx.
static VmNext op_arrive(VmWarp *w, const VmInstr *in, uint32_t mask) {
    Party party = {0};
    uint64_t delay = 0;
    uint32_t later = lanes_later(w, in, mask, &delay);
    if (w->vm->tuning.patience && !(in->mbarrier.flags & BAR_EXPECT) &&
        vm_hold_defer(w))
        return VM_SWITCH;
    EACH_LANE(l, mask & ~later) {
        VmCta *cta;
        VmMbarrier *bar = live_barrier(w, in, l, &cta);
        if (!bar)
            return VM_STOP;
        uint32_t operand = (uint32_t)vm_lane_u64(w, in->src[1], l);
        uint32_t count = in->mbarrier.flags & BAR_EXPECT ? 1 : operand;
        if ((in->mbarrier.flags & BAR_EXPECT) &&
            !add_tx(w, in, l, bar, operand))
            return VM_STOP;
        if (count == 0 || count > COUNT_MAX)
            return bad_count(w, in, l, count);
        if (count > (uint32_t)bar->state.pending)
            return too_many_arrivals(w, in, l, bar);
        if ((in->mbarrier.flags & BAR_NO_COMPLETE) &&
            count == (uint32_t)bar->state.pending && bar->state.tx == 0)
            return completes(w, in, l, bar);
        if (in->dst_count)
            vm_set_lane_u64(w, in->dst[0], l, token_of(bar));
        if (party_differs(&party, bar))
            arrive_together(w, in, &party);
        party = (Party){bar, cta, party.lanes | 1u << l};
        if (count == (uint32_t)bar->state.pending)
            arrive_together(w, in, &party);
        if (in->mbarrier.flags & BAR_EXPECT)
            vm_trace_note_bar(w, cta, bar, DEVICE_EVENT_EXPECT, operand);
        bar->state.pending -= (int32_t)count;
        bar->report.arrive_loc = in->loc;
        bar->report.arrive_who = vm_thread(w, l);
        vm_mbarrier_note_arrival(bar, w->serial);
        vm_trace_note_bar(w, cta, bar, DEVICE_EVENT_ARRIVE, count);
        vm_time_mbarrier_arrive(w, cta, bar);
        if (in->mbarrier.flags & BAR_DROP)
            bar->state.expected -= (int32_t)count;
        w->vm->turns.progress++;
        uint64_t phase = bar->state.phase;
        try_complete(w->vm, cta, bar);
        if (bar->state.phase != phase) {
            uint32_t behind = mask & ~later & ~((UINT32_C(2) << l) - 1);
            arrive_together(w, in, &party);
            uint32_t surplus = surplus_lane(w, in, behind | later, bar);
            return surplus == VM_NONE ? part(w, behind | later, 0)
                                      : too_many_arrivals(w, in, surplus, bar);
        }
    }
    arrive_together(w, in, &party);
    return part(w, later, delay);
}

static VmNext op_pending(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, vm_lane_u64(w, in->src[0], l) >> 32);
    }
    return VM_GO;
}

// ---- waits ---------------------------------------------------------------

// The phase that a lane waits for, counted from 0. It is complete when the
// object's phase is greater.
static uint64_t phase_wanted(const VmWarp *w, const VmInstr *in, uint32_t lane,
                             const VmMbarrier *bar) {
    uint64_t operand = vm_lane_u64(w, in->src[1], lane);
    if (!(in->mbarrier.flags & BAR_PARITY))
        return (bar->state.phase & ~(uint64_t)UINT32_MAX) | (uint32_t)operand;
    bool over = (bar->state.phase & 1) != (operand & 1);
    return over && bar->state.phase ? bar->state.phase - 1 : bar->state.phase;
}

static bool phase_over(const VmWarp *w, const VmInstr *in, uint32_t lane,
                       const VmMbarrier *bar) {
    uint64_t operand = vm_lane_u64(w, in->src[1], lane);
    if (in->mbarrier.flags & BAR_PARITY)
        return (bar->state.phase & 1) != (operand & 1);
    return (uint32_t)bar->state.phase != (uint32_t)operand;
}

// For a wait that is not over: true if it returns false instead of parking.
static bool gives_up(VmWarp *w, const VmInstr *in, uint32_t key,
                     uint64_t phase) {
    VmFragment *f = w->frag;
    if (f->timed_out)
        return true;
    if (w->vm->tuning.patience)
        return vm_hold_poll(w, key, phase);
    if (in->mbarrier.flags & BAR_TRY)
        return rng_below(&w->vm->turns.rng, 256) <
               w->vm->tuning.spurious_per_256;
    return f->polls++ < POLLS_BEFORE_PARKING;
}

// The object of the lane before, which is that of the next lane as a rule.
typedef struct Waited {
    uint64_t address;
    VmCta *cta;
    VmMbarrier *bar; // NULL: none yet
} Waited;

static bool find_waited(VmWarp *w, const VmInstr *in, uint32_t lane,
                        Waited *waited) {
    uint64_t address = vm_lane_address(w, in, lane);
    if (!waited->bar || waited->address != address) {
        waited->address = address;
        waited->bar = live_barrier(w, in, lane, &waited->cta);
    } else if (w->vm->order) {
        check_init(w, in, lane, waited->cta, waited->bar);
    }
    return waited->bar != NULL;
}

static VmNext op_wait(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t over = 0, pending_offset = VM_NONE;
    uint64_t pending_phase = 0;
    Party party = {0};
    Waited waited = {.bar = NULL};
    EACH_LANE(l, mask) {
        if (!find_waited(w, in, l, &waited))
            return VM_STOP;
        VmCta *cta = waited.cta;
        VmMbarrier *bar = waited.bar;
        if (phase_over(w, in, l, bar)) {
            over |= 1u << l;
            vm_time_mbarrier_wait(w, bar);
            vm_trace_note(w,
                          (DeviceEvent){.kind = DEVICE_EVENT_WAIT,
                                        .at = bar->offset,
                                        .value = (bar->state.phase & 1) ^ 1});
            vm_clc_observe(cta, bar);
            vm_poll_ended(w, bar->offset);
            if (party_differs(&party, bar))
                wait_together(w, in, &party);
            party = (Party){bar, cta, party.lanes | 1u << l};
        } else if (pending_offset == VM_NONE) {
            pending_offset = bar->offset;
            pending_phase = phase_wanted(w, in, l, bar);
        }
    }
    wait_together(w, in, &party);
    if (over != mask && !gives_up(w, in, pending_offset, pending_phase))
        return vm_wait(w, WAIT_MBARRIER, pending_offset, pending_phase);
    vm_set_pred(w, in->dst[0], mask, over);
    w->frag->timed_out = false;
    if (over == mask) {
        w->frag->polls = 0;
        return VM_GO;
    }
    vm_poll_failed(w, pending_offset, in->loc);
    w->yields = true;
    return VM_SWITCH;
}

// ---- decoding ------------------------------------------------------------

static VmHandler handler_of(PtxOp op) {
    switch ((int)op) {
    case PTX_OP_MBARRIER_INIT:
        return op_init;
    case PTX_OP_MBARRIER_INVAL:
        return op_inval;
    case PTX_OP_MBARRIER_EXPECT_TX:
    case PTX_OP_MBARRIER_COMPLETE_TX:
        return op_tx;
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT:
        return op_wait;
    default:
        return op_arrive;
    }
}

static uint32_t flags_of(VmDecoder *d, VmHandler handler) {
    PtxOp op = d->in->op;
    uint32_t flags = 0;
    if (handler == op_wait && vm_take(d, PTX_MOD_PARITY))
        flags |= BAR_PARITY;
    if (op == PTX_OP_MBARRIER_TRY_WAIT)
        flags |= BAR_TRY;
    if (op == PTX_OP_MBARRIER_ARRIVE_DROP)
        flags |= BAR_DROP;
    if (op == PTX_OP_MBARRIER_EXPECT_TX ||
        (handler == op_arrive && vm_take(d, PTX_MOD_EXPECT_TX)))
        flags |= BAR_EXPECT;
    if (handler == op_arrive && vm_take(d, PTX_MOD_NOCOMPLETE))
        flags |= BAR_NO_COMPLETE;
    return flags;
}

// Whether the mbarrier may belong to another CTA: not if the instruction
// returns a token.
static bool takes_neighbours(const VmDecoder *d, VmHandler handler, bool sink) {
    bool generic = ptx_space(d->in) == PTX_SPACE_GENERIC;
    return ptx_has(d->in, PTX_MOD_SHARED_CLUSTER) ||
           (generic && (sink || handler == op_tx));
}

static void decode_pending_count(VmDecoder *d) {
    VmRef token = vm_src(d, 1, 8), count = vm_dst(d, 0, 4);
    VmInstr *in = vm_emit(d, op_pending);
    vm_emit_dst(d, in, count);
    vm_emit_src(d, in, token);
}

void vm_decode_mbarrier(VmDecoder *d) {
    vm_take_types(d);
    if (d->in->op == PTX_OP_MBARRIER_PENDING_COUNT) {
        decode_pending_count(d);
        return;
    }
    vm_take_space(d);
    VmHandler handler = handler_of(d->in->op);
    vm_take_order(d, handler == op_wait ? SEM_ACQUIRE : SEM_RELEASE, SCOPE_CTA);
    uint32_t flags = flags_of(d, handler);
    bool has_result = handler == op_arrive || handler == op_wait;
    uint32_t place = has_result ? 1 : 0;
    VmRef base, operand = {0}, dst = {0};
    uint64_t imm;
    vm_address(d, place, &base, &imm);
    if (handler == op_wait)
        operand = vm_src(d, 2, flags & BAR_PARITY ? 4 : 8);
    else if (place + 1 < d->in->operand_count)
        operand = vm_src(d, place + 1, 4);
    else
        operand = vm_const(d, 4, 1, 0);
    if (d->in->op == PTX_OP_MBARRIER_TRY_WAIT && d->in->operand_count == 4)
        vm_src(d, 3, 4); // the time limit: a hint
    bool sink =
        handler == op_arrive && d->in->operands[0].kind == PTX_OPND_SINK;
    if (has_result && !sink)
        dst = vm_dst(d, 0, handler == op_wait ? 0 : 8);
    VmInstr *in = vm_emit(d, handler);
    in->mbarrier.flags = flags;
    in->space = (uint8_t)ptx_space(d->in);
    in->scope_cluster = takes_neighbours(d, handler, sink);
    in->offset = imm;
    vm_emit_src(d, in, base);
    vm_emit_src(d, in, operand);
    if (has_result && !sink)
        vm_emit_dst(d, in, dst);
}
