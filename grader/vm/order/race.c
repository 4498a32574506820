// SPDX-License-Identifier: Apache-2.0
// Findings about the order of accesses: see race.h. A race does not end the
// run, so that later ones are shown as well, each rule once per line.
#include "vm/order/race.h"

#include "vm/decode/address.h"
#include "vm/decode/condition.h"
#include "vm/decode/doubt.h"
#include "vm/decode/fate.h"
#include "vm/decode/flow.h"
#include "vm/decode/guess.h"
#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/elsewhere.h"
#include "vm/order/flag.h"
#include "vm/order/handover.h"
#include "vm/order/stale.h"

// ---- facts ---------------------------------------------------------------

uint64_t vm_race_thread(const Vm *vm, uint32_t who) {
    uint32_t warps = vm->order->clocks.warps_per_cta, warp = who >> 5;
    return fact_thread(vm->order->linear[warp / warps],
                       warp % warps * VM_LANES + (who & 31));
}

static bool is_agent(const VmRace *r) {
    return r->who & VM_AGENT;
}

static FactWord earlier_who(const VmRace *r) {
    if (r->by_others)
        return WORD_EARLIER_OTHERS;
    if (!is_agent(r))
        return WORD_EARLIER_THREAD;
    return r->site & SITE_ANSWER ? WORD_EARLIER_ANSWER : WORD_EARLIER_ASYNC;
}

static uint32_t earlier_cta(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (is_agent(r) || (r->by_others && (r->site & SITE_FAR)))
        return VM_NONE;
    return vm->order->linear[(r->who >> 5) / vm->order->clocks.warps_per_cta];
}

// ---- values --------------------------------------------------------------

static const uint8_t *memory_of(const VmRace *r) {
    return r->cta ? r->cta->smem : r->w->vm->memory.buffers[r->buffer].bytes;
}

// True if the other lane writes to the same place by this very instruction: its
// value is not in memory yet. In an earlier round of a loop it may have been
// here, too, and have another value in its register now.
static bool is_beside(const VmRace *r) {
    const VmInstr *in = r->in;
    uint32_t other = r->who & 31;
    return r->who >> 5 == r->w->serial &&
           (r->site & SITE_LOC) == (in->loc & SITE_LOC) &&
           vm_guarded(r->w, in, r->w->frag->mask) >> other & 1 &&
           vm_lane_address(r->w, in, other) ==
               vm_lane_address(r->w, in, r->lane);
}

// True if a plain store writes the value that is already there: that of the
// earlier write, or that of the other lane of the same instruction.
static bool same_value(const VmRace *r) {
    const VmInstr *in = r->in;
    bool same_instr = is_beside(r);
    if (!ptx_is_store(in->op))
        return false;
    for (uint32_t e = 0; e < in->elements; e++) {
        VmRef src = vm_srcs(in)[1 + e];
        if (!src.size)
            continue;
        const uint8_t *values = vm_at(r->w, src);
        const uint8_t *own = values + (size_t)r->lane * src.size;
        const uint8_t *other =
            same_instr ? values + (size_t)(r->who & 31) * src.size
                       : memory_of(r) + r->offset + (size_t)e * in->width;
        if (memcmp(own, other, in->width) != 0)
            return false;
    }
    return true;
}

// ---- which case -----------------------------------------------------------

typedef struct Verdict {
    FindingCase which;
    FindingLevel level;
    FactWord order; // for ORDER
    DevicePart cure;
} Verdict;

static Verdict verdict_new(FindingCase which, DevicePart cure) {
    return (Verdict){which, FINDING_ERROR, WORD_ORDER_NOTHING, cure};
}

// Which full fence outside the reader's CTA is on the way from the read to the
// request: the one that covers most. VIEW_GENERIC: there is none.
static VmView full_fence_of(const VmRace *r) {
    const VmClocks *clocks = &r->w->vm->order->clocks;
    const VmClock *known = vm_known(r->w, r->lane);
    for (VmView v = VIEW_FENCE_ALL; v >= VIEW_FENCE_CTA; v--)
        if (vm_clock_knows(clocks, known, v, r->who, r->time))
            return v;
    return VIEW_GENERIC;
}

// True if barriers and the like order the accesses, ignoring proxies.
static bool is_ordered(const VmRace *r) {
    const Vm *vm = r->w->vm;
    return r->who == vm_who(r->w, r->lane) ||
           vm_clock_knows(&vm->order->clocks, vm_known(r->w, r->lane),
                          VIEW_GENERIC, r->who, r->time);
}

// True if the reader's earlier accesses were released to the async proxy, and
// the requesting thread knows it.
static bool is_released(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (r->who == vm_who(r->w, r->lane))
        return vm_order_carried(r->w, VIEW_HALF, r->lane) > r->time;
    return vm_clock_knows(&vm->order->clocks, vm_known(r->w, r->lane),
                          VIEW_HALF, r->who, r->time);
}

// True if the requesting thread is ordered after some threads of the reader's
// block but not after the reader: other threads synchronised on its behalf
// without having synchronised with it first.
static bool is_past_others(const VmRace *r) {
    const VmClocks *clocks = &r->w->vm->order->clocks;
    uint32_t warps = clocks->warps_per_cta;
    uint32_t first = (r->who >> 5) / warps * warps;
    for (uint32_t serial = first; serial < first + warps; serial++)
        if (serial != r->w->serial &&
            vm_clock_known_lanes(clocks, vm_known(r->w, r->lane), VIEW_GENERIC,
                                 serial << 5, VM_FULL, r->time))
            return true;
    return false;
}

// A fence of shared::cta covers the memory of the CTA that runs it, in which
// the slot of a neighbour is not.
static Verdict verdict_of_full_fence(const VmRace *r, VmView fence) {
    Verdict v = {CASE_CLC006_FULL_FENCE, FINDING_ADVISORY, WORD_ORDER_FENCE_ALL,
                 PART_RELEASE};
    if (fence == VIEW_FENCE_CLUSTER)
        v.order = WORD_ORDER_FENCE_CLUSTER;
    if (fence == VIEW_FENCE_CTA)
        v.order = WORD_ORDER_FENCE_CTA;
    if (fence == VIEW_FENCE_CTA && r->cta != r->w->cta) {
        v.which = CASE_CLC006_FENCE_OF_CTA;
        v.level = FINDING_ERROR;
    }
    return v;
}

static Verdict verdict_of_request(const VmRace *r) {
    if (r->is_ordered)
        return (Verdict){CASE_CLC006_RELAXED, FINDING_ADVISORY,
                         WORD_ORDER_NOTHING, PART_RELEASE};
    if (r->wrote)
        return verdict_new(CASE_RACE002_ANSWER, PART_HERE);
    if (!is_ordered(r))
        return is_past_others(r)
                   ? verdict_new(CASE_CLC006_PAST_OTHERS, PART_RELEASE)
                   : verdict_new(CASE_CLC006_UNORDERED, PART_ASK);
    VmView fence = full_fence_of(r);
    if (fence != VIEW_GENERIC)
        return verdict_of_full_fence(r, fence);
    return is_released(r) ? verdict_new(CASE_CLC006_NOT_ACQUIRED, PART_ASK)
                          : verdict_new(CASE_CLC006_NO_FENCE, PART_RELEASE);
}

// The earlier access is visible to the async proxy: what is missing is that it
// was released.
static bool is_carried(const VmRace *r) {
    return vm_clock_knows(&r->w->vm->order->clocks, vm_known(r->w, r->lane),
                          r->cta ? VIEW_SHARED : VIEW_GLOBAL, r->who, r->time);
}

static Verdict verdict_of_async(const VmRace *r) {
    if (r->is_ordered)
        return (Verdict){CASE_RACE002_READ_NO_FENCE, FINDING_ADVISORY,
                         WORD_ORDER_NOTHING, PART_HERE};
    bool is_fenced = !r->async->is_proxy || is_agent(r) || is_carried(r);
    return verdict_new(
        is_fenced ? CASE_RACE002_UNORDERED : CASE_RACE002_NO_FENCE, PART_HERE);
}

static Verdict verdict_of_agent(const VmRace *r) {
    if ((r->site & SITE_ANSWER) && !r->write)
        return verdict_new(CASE_CLC007_NOT_SEEN, PART_WAIT);
    return verdict_new(CASE_RACE002_NOT_SEEN, PART_HERE);
}

// The case by the smallest group (warp, block, ...) that contains both threads.
static FindingCase case_of_weak(const VmRace *r) {
    uint32_t warps = r->w->vm->order->clocks.warps_per_cta;
    bool is_far = r->by_others && (r->site & SITE_FAR);
    if (r->who >> 5 == r->w->serial && !r->by_others)
        return CASE_RACE001_IN_WARP;
    if ((r->who >> 5) / warps == r->w->cta->order.serial && !is_far)
        return CASE_RACE001_IN_BLOCK;
    return r->cta ? CASE_RACE001_IN_CLUSTER : CASE_RACE001_IN_GRID;
}

// Compilers move loads of shared variables out of conditions, for they know
// that these are there: threads read that do not in the source. True if the
// earlier access is the load of this function at its place, and there are ways
// on which nothing depends on what it has read.
static bool loads_may_be_idle(Vm *vm, const VmFunc *func, uint32_t loc) {
    bool is_idle = false;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        if (in->loc != loc || !ptx_is_load(in->op))
            continue;
        if (!vm_flow_may_be_idle(vm, func, in))
            return false;
        is_idle = true;
    }
    return is_idle;
}

// Answers are kept, for a race may come a million times.
static bool may_be_idle(const VmRace *r) {
    Vm *vm = r->w->vm;
    const VmFunc *func = r->w->frag->frame->func;
    uint32_t loc = r->site & SITE_LOC;
    if (r->wrote || !r->cta || !loc)
        return false;
    VmIdleLoads *kept = &vm->order->idle[loc % COUNT_OF(vm->order->idle)];
    if (kept->func != func || kept->loc != loc)
        *kept = (VmIdleLoads){func, loc, loads_may_be_idle(vm, func, loc)};
    return kept->is_idle;
}

// One is an ordinary load, the other a compare-and-swap that expects what such
// loads have read. Answers are kept, for such races come often.
static bool is_checked_guess(const VmRace *r) {
    VmGuess *last = &r->w->vm->order->guess;
    const VmFunc *func = r->w->frag->frame->func;
    uint32_t own = r->in->loc, other = r->site & SITE_LOC;
    uint32_t load = r->write ? other : own, swap = r->write ? own : other;
    bool may_be = r->write ? r->in->op == PTX_OP_ATOM
                           : r->in->op == PTX_OP_LD && (r->site & SITE_STRONG);
    if (r->write == r->wrote || !may_be)
        return false;
    if (last->func != func || last->load != load || last->swap != swap)
        *last =
            (VmGuess){func, load, swap, vm_guess_is_checked(func, load, swap)};
    return last->is_checked;
}

static bool is_told_stale(const VmRace *r) {
    return r->is_stale && r->w->vm->launch->stale_is_error;
}

static Verdict verdict_of_threads(const VmRace *r) {
    if (r->flag)
        return (Verdict){is_told_stale(r) ? CASE_RACE001_STALE
                                          : CASE_RACE001_BEHIND_A_FLAG,
                         is_told_stale(r) ? FINDING_ERROR : FINDING_ADVISORY,
                         WORD_ORDER_NOTHING, PART_RELEASE};
    bool both_strong = (r->site & SITE_STRONG) && r->in->sem != SEM_WEAK;
    bool sizes =
        both_strong && !vm_site_fits(r->site, vm_site_size(r->in, r->bytes));
    Verdict v = verdict_new(sizes         ? CASE_RACE001_SIZES
                            : both_strong ? CASE_RACE001_SCOPES
                                          : case_of_weak(r),
                            PART_HERE);
    if (r->wrote && r->write && same_value(r)) {
        v.level = FINDING_ADVISORY;
        v.order = WORD_ORDER_SAME_VALUE;
    }
    if (!r->is_judged && may_be_idle(r)) {
        v.level = FINDING_ADVISORY;
        v.order = WORD_ORDER_IDLE;
    }
    if (!both_strong && is_checked_guess(r)) {
        v.level = FINDING_ADVISORY;
        v.order = WORD_ORDER_GUESS;
    }
    if (both_strong)
        v.order = sizes ? WORD_ORDER_SIZES : WORD_ORDER_SCOPES;
    return v;
}

static Verdict verdict_of(const VmRace *r) {
    if (r->async && r->async->is_answer && !is_agent(r))
        return verdict_of_request(r);
    if (r->async)
        return verdict_of_async(r);
    return is_agent(r) ? verdict_of_agent(r) : verdict_of_threads(r);
}

// ---- reports -------------------------------------------------------------

static FactWord later_access(const VmRace *r) {
    if (r->async && r->async->is_answer)
        return WORD_LATER_REQUESTS;
    if (r->async)
        return r->write ? WORD_LATER_ISSUES_WRITE : WORD_LATER_ISSUES_READ;
    return r->write ? WORD_LATER_WRITES : WORD_LATER_READS;
}

static FactWord earlier_access(const VmRace *r) {
    if (is_agent(r))
        return r->wrote ? WORD_BEFORE_WRITES : WORD_BEFORE_READS;
    return r->wrote ? WORD_BEFORE_HAS_WRITTEN : WORD_BEFORE_HAS_READ;
}

static FindingPlace earlier_place(const VmRace *r) {
    if (is_agent(r))
        return PLACE_EARLIER_ISSUED;
    return r->wrote ? PLACE_EARLIER_WRITE : PLACE_EARLIER_READ;
}

// A thread that read an answer too early may have waited for the wrong phase.
static void explain_wait(const VmRace *r, Finding *finding) {
    const VmSlot *slot =
        r->cta ? vm_clc_slot_at(r->cta, (uint32_t)r->offset & ~15u) : NULL;
    if (slot && finding->rule == RULE_CLC007)
        vm_stale_explain(r->w->vm, finding, vm_who(r->w, r->lane),
                         slot->mbarrier);
    if (slot && finding->rule == RULE_CLC006 && !is_ordered(r))
        vm_stale_explain(r->w->vm, finding, r->who, slot->mbarrier);
}

static bool has_lane(const VmHalf *half, uint32_t lane) {
    return half->lanes >> lane & 1;
}

static void relate_half(Vm *vm, Finding *finding, FindingPlace place,
                        const VmHalf *half) {
    vm_relate(vm, finding, place, vm_learner_loc(vm, NULL, half->loc),
              NO_FACTS);
}

// The two halves of a proxy fence may be there, but not where they are needed.
static void explain_halves(const VmRace *r, Finding *finding) {
    Vm *vm = r->w->vm;
    const VmWarp *reader = is_agent(r) ? NULL : vm_warp_of(vm, r->who >> 5);
    if (!reader)
        return;
    bool is_same = r->who == vm_who(r->w, r->lane);
    const VmHalf *released = &reader->order.released,
                 *acquired = &r->w->order.acquired;
    bool has_released = has_lane(released, r->who & 31),
         has_acquired = has_lane(acquired, r->lane),
         lacks_release = finding->which == CASE_CLC006_NO_FENCE;
    if (!is_same && has_lane(&reader->order.acquired, r->who & 31) &&
        has_lane(&r->w->order.released, r->lane)) {
        finding->reason = REASON_HALVES_SWAPPED;
        relate_half(vm, finding, PLACE_ACQUIRED_HERE, &reader->order.acquired);
        relate_half(vm, finding, PLACE_RELEASED_HERE, &r->w->order.released);
    } else if (lacks_release && has_released) {
        finding->reason = REASON_RELEASED_ELSEWHERE;
        relate_half(vm, finding, PLACE_RELEASED_HERE, released);
    } else if (lacks_release && has_acquired && !released->loc) {
        finding->reason = REASON_ONLY_ACQUIRED;
        relate_half(vm, finding, PLACE_ACQUIRED_HERE, acquired);
    } else if (finding->which == CASE_CLC006_NOT_ACQUIRED && has_acquired) {
        finding->reason = REASON_ACQUIRED_ELSEWHERE;
        relate_half(vm, finding, PLACE_ACQUIRED_HERE, acquired);
    }
}

// The full fence that is not enough, if the warp that asks has run it.
static void relate_full_fence(const VmRace *r, Finding *finding) {
    const VmWarp *w = r->w;
    if (w->order.full.lanes && w->order.full_view == full_fence_of(r))
        relate_half(w->vm, finding, PLACE_FULL_FENCE, &w->order.full);
}

// The last barrier of the cluster, which was completed after the earlier
// access, was relaxed.
static void explain_barrier(const VmRace *r, Finding *finding) {
    const VmCluster *cluster = r->w->cta->cluster;
    const VmWarp *other =
        is_agent(r) ? NULL : vm_warp_of(r->w->vm, r->who >> 5);
    if (other && other->cta->cluster == cluster && !is_ordered(r) &&
        cluster->barrier.was_relaxed && cluster->barrier.over_at > r->time)
        finding->reason = REASON_BARRIER_RELAXED;
}

// Threads with tasks of their own, in loops of their own, meet at no barrier of
// the block.
static void explain_apart(const VmRace *r, Finding *finding) {
    if (is_agent(r))
        return;
    if (vm_condition_apart(r->w->frag->frame->func, r->site & SITE_LOC,
                           r->in->ptx) ||
        vm_handover_apart(r))
        finding->reason =
            finding->rule == RULE_CLC006 ? REASON_READER_APART : REASON_APART;
}

// The thread has waited for the mbarrier of the copy, whose phase was complete
// too early: more bytes are on their way, or have come, than are announced.
static void explain_bytes(const VmRace *r, Finding *finding) {
    const VmPassed *passed = vm_stale_last(r->w, r->lane);
    const VmMbarrier *bar =
        passed ? vm_mbarrier_find(r->w->cta, passed->offset) : NULL;
    if (!bar || bar->state.phase != passed->phase || r->cta != r->w->cta ||
        bar->async.coming <= bar->state.tx)
        return;
    finding->reason = REASON_FEWER_ANNOUNCED;
    vm_relate(r->w->vm, finding, PLACE_COMPLETE_EARLY,
              vm_learner_loc(r->w->vm, NULL, passed->loc),
              FACTS(FACT(TX, bar->async.coming - bar->state.tx)));
    vm_cure(r->w->vm, finding, PART_ANNOUNCE, 0);
}

static bool is_of_threads(const Finding *finding) {
    return finding->rule == RULE_CLC006 ||
           finding->which == CASE_RACE001_IN_WARP ||
           finding->which == CASE_RACE001_IN_BLOCK ||
           finding->which == CASE_RACE001_IN_CLUSTER;
}

static bool is_unordered(const Finding *finding) {
    return finding->which == CASE_CLC006_UNORDERED ||
           finding->which == CASE_CLC006_PAST_OTHERS;
}

static Finding *find(const VmRace *r, const Verdict *v) {
    VmMemoryName memory = vm_memory_called(r->w, r->cta, r->buffer, r->offset);
    return vm_found(
        r->w->vm, r->w, r->in->loc, v->which, v->level,
        FACTS(FACT(THREAD, vm_thread(r->w, r->lane)),
              FACT(LATER, later_access(r)), FACT(BYTES, r->bytes),
              MEMORY_FACTS(memory), FACT(EARLIER, earlier_who(r)),
              FACT(OTHER, is_agent(r) ? 0 : vm_race_thread(r->w->vm, r->who)),
              FACT(BEFORE, earlier_access(r)), FACT(ORDER, v->order)));
}

// Two threads have come to one element: the index is wrong more often than a
// barrier is missing.
static void blame_index(const VmRace *r, Finding *finding) {
    Vm *vm = r->w->vm;
    VmOrigin origin = vm_origin_of_address(vm, r->w->frag->frame->func,
                                           r->in->ptx, finding->at);
    if (finding->which == CASE_RACE001_IN_GRID)
        vm_cure(vm, finding, PART_INDEX, 0);
    vm_origin_blame_unset(r->w, r->lane, &origin, finding);
    if (!finding->reason && (finding->which == CASE_RACE001_IN_BLOCK ||
                             finding->which == CASE_RACE001_IN_WARP))
        finding->reason =
            origin.varies ? REASON_SAME_ELEMENT : REASON_SAME_ADDRESS;
    for (uint32_t i = 0; i < VM_ORIGINS; i++)
        vm_relate_line(vm, finding, PLACE_ADDRESS_FROM, origin.at[i], NO_FACTS);
}

// The reason is another one than a wrong index.
static bool is_flag_or_guess(const Finding *finding) {
    return finding->reason == REASON_GUESS ||
           finding->reason == REASON_FLAG_RELAXED ||
           finding->reason == REASON_FLAG_NOT_RELEASED ||
           finding->reason == REASON_FLAG_NOT_ACQUIRED;
}

// The reader has waited for a flag that was set behind the earlier write, and
// that orders nothing.
static void explain_flag(const VmRace *r, Finding *finding) {
    const VmSeenFlag *flag = r->flag;
    if (!flag && r->wrote && !r->async && !is_agent(r) && !r->by_others)
        flag = vm_flag_behind(r->w, r->lane, r->who, r->time);
    if (flag)
        vm_flag_explain(r, flag, vm_race_thread(r->w->vm, r->who), finding);
}

// A proxy fence was taken for a release.
static void explain_carried(const VmRace *r, Finding *finding) {
    vm_handover_explain(r, finding);
    finding->reason = REASON_PROXY_FENCE_ALONE;
}

static void make(const VmRace *r, const Verdict *v) {
    Vm *vm = r->w->vm;
    Finding *finding = find(r, v);
    if (!finding) // to keep it back, another one at this line was made
        return;
    vm_cure(vm, finding, v->cure, 0);
    vm_relate(vm, finding, earlier_place(r),
              vm_learner_loc(vm, NULL, r->site & SITE_LOC), NO_FACTS);
    explain_wait(r, finding);
    if (v->order == WORD_ORDER_GUESS)
        finding->reason = REASON_GUESS;
    if (is_of_threads(finding) && !finding->reason && !is_ordered(r))
        vm_handover_explain(r, finding);
    if (r->async && r->wrote && !is_agent(r) && is_carried(r))
        explain_carried(r, finding);
    if (finding->rule == RULE_RACE001 && !finding->reason)
        explain_flag(r, finding);
    if (is_of_threads(finding) && !finding->reason)
        explain_barrier(r, finding);
    if (is_unordered(finding) && !finding->reason)
        vm_elsewhere_explain(r, finding);
    if (finding->which == CASE_RACE002_NOT_SEEN && is_agent(r))
        explain_bytes(r, finding);
    if (finding->which == CASE_RACE002_UNORDERED && r->async->is_answer)
        vm_elsewhere_neighbour(r, finding);
    if (is_of_threads(finding) && finding->which != CASE_CLC006_PAST_OTHERS &&
        !finding->reason && !is_ordered(r))
        explain_apart(r, finding);
    if (finding->rule == RULE_CLC006 && !finding->reason &&
        !vm_handover_left(r, finding))
        explain_halves(r, finding);
    if (finding->rule == RULE_CLC006 && full_fence_of(r) != VIEW_GENERIC)
        relate_full_fence(r, finding);
    finding->in_buffer = !r->cta && !is_agent(r) &&
                         (r->buffer >= vm->memory.first_user_buffer ||
                          vm->memory.buffers[r->buffer].is_lent);
    if (finding->in_buffer && finding->rule == RULE_RACE001 &&
        !is_flag_or_guess(finding))
        blame_index(r, finding);
    finding->buffer = r->buffer - vm->memory.first_user_buffer;
    finding->offset = r->offset;
    finding->bytes = r->bytes;
    finding->other_cta = earlier_cta(r);
}

// Of such loads those alone are counted whose value is used.
static bool may_be_in_vain(const VmWarp *w, const VmInstr *in) {
    return ptx_is_load(in->op) && vm_fate_follows(w->frag->frame->func, in);
}

void vm_race_report(const VmRace *r) {
    Vm *vm = r->w->vm;
    Verdict v = verdict_of(r);
    DeviceRule rule = finding_rule(v.which);
    if (!vm_wants(vm, rule) || vm->order->is_lost)
        return;
    Finding *known = !r->async && !r->write && may_be_in_vain(r->w, r->in)
                         ? NULL
                         : vm_found_again(vm, r->w, r->in->loc, rule, v.level);
    if (known) {
        vm_found_wider(known, v.which);
        return;
    }
    bool is_kept = !r->async && !r->write && vm_doubt_begin(r->w, r->in);
    make(r, &v);
    if (is_kept && v.which == CASE_RACE001_STALE)
        vm_doubt_is_mild(r->w);
    if (is_kept)
        vm_doubt_end(r->w, r->in, r->lane, r->elements);
}

VmKept *vm_race_keep(const VmRace *r) {
    Vm *vm = r->w->vm;
    Verdict v = verdict_of(r);
    if (!vm_wants(vm, finding_rule(v.which)) || vm->order->is_lost)
        return NULL;
    VmKept *kept = vm->findings.kept = heap_alloc(sizeof *kept, 1);
    make(r, &v);
    vm->findings.kept = NULL;
    if (kept->finding.rule != DEVICE_RULE_NONE)
        return kept;
    heap_free(kept);
    return NULL;
}

// ---- uninitialised memory ------------------------------------------------

static bool overlaps_slot(const Finding *f, uint32_t slot) {
    return f->offset < slot + 16u && f->offset + f->bytes > slot;
}

static bool is_slot(const VmOrder *o, const Finding *f) {
    for (uint32_t i = 0; i < o->slot_count; i++)
        if (overlaps_slot(f, o->slots[i]))
            return true;
    return false;
}

static bool is_bitwise(PtxData data) {
    return data == PTX_DATA_ANDED || data == PTX_DATA_ORED ||
           data == PTX_DATA_MERGED;
}

static bool reads_any(const VmInstr *in, const uint32_t *regs, uint32_t count) {
    for (uint32_t k = 0; k < in->src_count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (vm_srcs(in)[k].reg == regs[i])
                return true;
    return false;
}

// Recognises how compilers write a bit-field: they load the word, keep the bits
// outside the field, and store the word to the same place. Writing the first
// field of a word therefore reads uninitialised memory, which is not a mistake.
static bool writes_bits(const VmInstr *load) {
    enum { MOST = 8 };
    uint32_t regs[MOST] = {load->dst[0].reg}, count = 1;
    bool keeps_some = false;
    if (!ptx_is_load(load->op) || load->dst_count != 1)
        return false;
    for (const VmInstr *in = load + 1; in->plain && count < MOST; in++) {
        if (!reads_any(in, regs, count))
            continue;
        if (ptx_is_store(in->op))
            return keeps_some && in->offset == load->offset &&
                   in->src[0].reg == load->src[0].reg;
        PtxData data = (PtxData)PTX_TRAITS[in->op].data;
        if (!is_bitwise(data))
            return false;
        keeps_some |= data != PTX_DATA_ORED;
        regs[count++] = in->dst[0].reg;
    }
    return false;
}

static bool goes_to_global(const VmInstr *load, uint32_t element) {
    const VmInstr *in = load + 1;
    uint32_t reg = vm_dsts(load)[element].reg;
    while (in->plain && !reads_any(in, &reg, 1))
        in++;
    return in->plain && ptx_is_store(in->op) && in->space == PTX_SPACE_GLOBAL;
}

// Recognises padding that is copied, with the data beside it, to another
// structure in shared or local memory, and vectors of which only some elements
// are needed: the program only copies the elements that have uninitialised
// bytes.
static bool is_padding(const VmWarp *w, const VmInstr *load, uint32_t part) {
    const VmFunc *func = w->frag->frame->func;
    EACH_LANE(e, part) {
        if (e >= load->dst_count || goes_to_global(load, e) ||
            vm_flow_is_used(w->vm, func, load, e))
            return false;
    }
    return part != 0;
}

static void blame_unset(const VmWarp *w, const VmInstr *in, uint32_t lane,
                        Finding *finding) {
    VmOrigin origin =
        vm_origin_of_address(w->vm, w->frag->frame->func, in->ptx, (SrcLoc){0});
    vm_origin_blame_unset(w, lane, &origin, finding);
}

void vm_race_uninitialised(VmWarp *w, const VmInstr *in, uint32_t lane,
                           const VmCta *owner, uint32_t offset, uint32_t bytes,
                           uint32_t part) {
    Vm *vm = w->vm;
    Finding place = {.offset = offset, .bytes = bytes};
    DeviceRule rule = is_slot(vm->order, &place) ? RULE_CLC007 : RULE_MEM003;
    bool is_wanted = vm_wants(vm, rule) || vm_wants(vm, RULE_CLC007);
    if (!is_wanted || vm->order->is_lost ||
        (!may_be_in_vain(w, in) &&
         vm_found_again(vm, w, in->loc, rule, FINDING_ERROR)))
        return;
    const VmInstr *load = vm_instr_itself(w->frag->frame->func, w->frag, in);
    // Libraries read ahead of what they use: the merges in CUB load a key
    // behind the last one, and discard it. Nobody does so by an atomic.
    if (rule == RULE_MEM003 &&
        (writes_bits(load) || is_padding(w, load, part) ||
         (in->sem == SEM_WEAK && vm_is_of_header(vm, in->loc))))
        return;
    VmMemoryName memory = vm_memory_name(w, owner, 0, offset);
    bool is_kept = vm_doubt_begin(w, in);
    FindingCase which = rule == RULE_CLC007 ? CASE_CLC007_NOBODY_WROTE
                        : part              ? CASE_MEM003_SHARED_PART
                                            : CASE_MEM003_SHARED;
    Finding *finding =
        vm_found(vm, w, in->loc, which, FINDING_ERROR,
                 FACTS(FACT(THREAD, vm_thread(w, lane)), FACT(BYTES, bytes),
                       MEMORY_FACTS(memory)));
    vm_stale_explain(vm, finding, vm_who(w, lane), VM_NONE);
    blame_unset(w, in, lane, finding);
    if (owner->live_threads < owner->threads)
        vm_relate(vm, finding, PLACE_THREADS_LEFT, owner->exit_loc,
                  FACTS(FACT(THREADS, owner->threads - owner->live_threads),
                        FACT(BLOCK, owner->linear)));
    if (finding) {
        finding->offset = offset;
        finding->bytes = bytes;
    }
    if (is_kept)
        vm_doubt_end(w, in, lane, part ? part : VM_FULL);
}

// Where the answer of a request was written later, an uninitialised read was
// one of an answer that had not come.
static void name_early_reads(Vm *vm) {
    for (size_t i = 0; i < vm->run->finding_count; i++) {
        Finding *f = &vm->run->findings[i];
        if (f->rule != RULE_MEM003 || !f->bytes || !is_slot(vm->order, f))
            continue;
        f->rule = RULE_CLC007;
        f->which = CASE_CLC007_NOBODY_WROTE;
        f->cure = PART_WAIT;
    }
}

void vm_race_slot(Vm *vm, uint32_t offset) {
    VmOrder *o = vm->order;
    for (uint32_t i = 0; i < o->slot_count; i++)
        if (o->slots[i] == offset)
            return;
    if (o->slot_count < COUNT_OF(o->slots))
        o->slots[o->slot_count++] = offset;
    name_early_reads(vm);
}

static bool is_same_line(SrcLoc a, SrcLoc b) {
    return a.line == b.line && str_equal(a.file, b.file);
}

// Where phases are counted wrongly, an arrival behind that may belong to any:
// the other mistake is told alone.
static bool is_of_another(const DeviceRun *run, const Finding *f) {
    for (size_t i = 0;
         f->which == CASE_BAR001_PHASE_NOT_OVER && i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR &&
            run->findings[i].which != f->which)
            return true;
    return false;
}

// An answer that was read too early had not been written yet, so the read is
// also one of uninitialised memory: that finding is dropped.
static bool is_told(const DeviceRun *run, const Finding *f) {
    if (is_of_another(run, f))
        return true;
    for (size_t i = 0; f->rule == RULE_MEM003 && i < run->finding_count; i++)
        if (run->findings[i].rule == RULE_CLC007 &&
            is_same_line(run->findings[i].at, f->at))
            return true;
    return false;
}

static void drop_told(Vm *vm) {
    DeviceRun *run = vm->run;
    size_t kept = 0;
    for (size_t i = 0; i < run->finding_count; i++)
        if (!is_told(run, &run->findings[i])) {
            Finding f = run->findings[i];
            run->findings[kept++] = f;
        }
    run->finding_count = kept;
}

// Some were found in case that they turn out to be about an answer.
static void drop_unwanted(Vm *vm) {
    DeviceRun *run = vm->run;
    size_t kept = 0;
    for (size_t i = 0; i < run->finding_count; i++) {
        Finding f = run->findings[i];
        if (f.rule != RULE_MEM003 || vm_wants(vm, f.rule))
            run->findings[kept++] = f;
    }
    run->finding_count = kept;
}

void vm_race_finish(Vm *vm) {
    drop_told(vm);
    name_early_reads(vm);
    drop_unwanted(vm);
}
