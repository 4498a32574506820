// SPDX-License-Identifier: Apache-2.0
// Why a run makes no progress: what each thread waits for when nothing can run,
// and where a run was that reached its step limit.
//
// One of the waits is reported first, the root: the one that nobody can end. A
// phase with too many bytes is a more certain root than one whose bytes or
// arrivals are missing, because whoever should bring them may be waiting, too.
#include "vm/engine/stuck.h"
#include "vm/decode/condition.h"
#include "vm/engine/engine.h"
#include "vm/engine/missed.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/stale.h"
#include "vm/units/units.h"

enum { MOST_BARRIERS = 8 }; // that are looked at for the root

static void add_warp(Vm *vm, StuckList *list, VmWarp *w) {
    for (uint32_t k = 0; k < w->fragment_count; k++) {
        const VmFragment *f = &w->fragments[k];
        if (f->wait == WAIT_NONE && !f->rest)
            continue;
        arena_grow(&vm->run_arena, list->items, list->count, list->capacity);
        list->items[list->count++] = (Stuck){w, &w->fragments[k]};
    }
}

static StuckList list_stuck(Vm *vm) {
    StuckList list = {0};
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t r = 0; r < cluster->cta_count; r++)
            for (uint32_t k = 0; k < cluster->ctas[r]->warp_count; k++)
                add_warp(vm, &list, &cluster->ctas[r]->warps[k]);
    }
    return list;
}

// ---- which wait is the root ----------------------------------------------

// What is wrong with the phase that a fragment waits for, the most certain
// first.
typedef enum Lack {
    LACK_ANNOUNCEMENT, // bytes arrived that were never announced
    LACK_SOME,         // some of its arrivals came, others did not
    LACK_ALL,          // no arrivals and no bytes ever came
    LACK_BYTES,        // bytes were announced, and nothing brings them
    LACK_ROUND,        // nobody has begun this round of answers or copies
} Lack;

static Lack lack_of(const VmMbarrier *bar) {
    if (bar->state.tx < 0)
        return LACK_ANNOUNCEMENT;
    if (bar->state.pending > 0 && bar->state.pending < bar->state.expected)
        return LACK_SOME;
    if (bar->state.tx > 0)
        return LACK_BYTES;
    return bar->async.takes_bytes ? LACK_ROUND : LACK_ALL;
}

// What the thread has seen of the phases of the mbarrier that it waits at.
typedef enum Seen {
    SEEN_UNKNOWN,
    SEEN_ALL,         // all that are complete
    SEEN_NONE,        // one is complete, and its parity is one phase ahead
    SEEN_SAME_PARITY, // one less, or three: its last wait had the same parity
    SEEN_LAPPED,      // two less, which have the same parity
} Seen;

static Seen seen_of(const Stuck *s, const VmMbarrier *bar) {
    uint64_t phases;
    if (!vm_stale_seen(s->warp, vm_first(s->fragment->mask), bar->offset,
                       &phases))
        return SEEN_UNKNOWN;
    if (phases == bar->state.phase)
        return SEEN_ALL;
    if ((bar->state.phase - phases) % 2 == 0)
        return SEEN_LAPPED;
    return phases ? SEEN_SAME_PARITY : SEEN_NONE;
}

static int mbarrier_weight(const Stuck *s) {
    const VmMbarrier *bar = vm_stuck_mbarrier(s);
    if (!bar)
        return 4;
    if (seen_of(s, bar) == SEEN_LAPPED)
        return 10;
    switch (lack_of(bar)) {
    case LACK_ANNOUNCEMENT:
        return 9;
    case LACK_SOME:
        return 8;
    case LACK_ALL:
        return 7;
    case LACK_BYTES:
        return 5;
    case LACK_ROUND:
        return 4;
    }
    return 4;
}

// How much of the other waits this wait explains.
static int weight(const Stuck *s) {
    switch (s->fragment->wait) {
    case WAIT_COPIES: // it ends by itself
        return 0;
    case WAIT_NONE:
        return 3;
    case WAIT_CLUSTER:
        return 1;
    case WAIT_BARRIER:
    case WAIT_ALIGNED:
        return 2;
    case WAIT_LANES:
        return 6;
    case WAIT_REGISTERS:
        return 8;
    case WAIT_MBARRIER:
        return mbarrier_weight(s);
    }
    return 0;
}

static uint32_t threads_in(const StuckList *list, const Stuck *s) {
    uint32_t threads = 0;
    for (size_t i = 0; i < list->count; i++)
        if (vm_stuck_alike(&list->items[i], s))
            threads += vm_count(list->items[i].fragment->mask);
    return threads;
}

// Compares waits that explain equally much: if many depend on one, that one is
// the root.
static bool explains_more(const StuckList *list, const Stuck *a,
                          const Stuck *b) {
    if (!b->fragment)
        return true;
    int wa = weight(a), wb = weight(b);
    if (wa != wb)
        return wa > wb;
    uint32_t ta = threads_in(list, a), tb = threads_in(list, b);
    if (a->fragment->wait == WAIT_MBARRIER && ta != tb)
        return ta < tb;
    return a->fragment->since < b->fragment->since;
}

// Lanes that are waited for may wait themselves, at an mbarrier: then that is
// the root.
static Stuck lanes_root(const StuckList *list, Stuck lanes) {
    for (size_t i = 0; i < list->count; i++) {
        const Stuck *other = &list->items[i];
        if (other->warp == lanes.warp &&
            other->fragment->wait == WAIT_MBARRIER &&
            (other->fragment->mask & lanes.fragment->key))
            return *other;
    }
    return lanes;
}

static bool is_at_barrier(const Stuck *s) {
    return s->fragment->wait == WAIT_CLUSTER ||
           s->fragment->wait == WAIT_BARRIER;
}

// The first barrier that somebody never comes to. Of each block one warp at
// each kind of barrier is looked at, and of a large grid some blocks: the
// others there are in the same case.
static Stuck find_missed(const StuckList *list) {
    uint32_t looks = 0;
    for (size_t i = 0; i < list->count && looks < MOST_BARRIERS; i++) {
        const Stuck *s = &list->items[i];
        bool is_known = !is_at_barrier(s);
        for (size_t k = i;
             k-- > 0 && !is_known && list->items[k].warp->cta == s->warp->cta;)
            is_known = list->items[k].fragment->wait == s->fragment->wait;
        looks += !is_known;
        VmFragment *f = is_known ? NULL : vm_missed_at(s->warp);
        if (f)
            return (Stuck){s->warp, f};
    }
    return (Stuck){0};
}

static Stuck find_root(const StuckList *list) {
    Stuck best = {0};
    for (size_t i = 0; i < list->count; i++)
        if (explains_more(list, &list->items[i], &best))
            best = list->items[i];
    bool is_lanes = best.fragment && best.fragment->wait == WAIT_LANES;
    return is_lanes ? lanes_root(list, best) : best;
}

// Whether some fragment waits in another way than the root.
static bool is_mixed(const StuckList *list, const Stuck *root) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].fragment->wait != root->fragment->wait)
            return true;
    return false;
}

// True if another CTA of the cluster made a request whose answer would have
// come to this mbarrier if it had been multicast.
static bool is_left_out(const Vm *vm, const VmCta *cta, uint32_t mbarrier) {
    const VmCluster *cluster = cta->cluster;
    for (size_t i = 0; i < vm->clc.request_count; i++) {
        const VmRequest *r = &vm->clc.requests[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            if (!r->multicast && r->mbarrier == mbarrier &&
                r->cta == cluster->ctas[k]->linear && r->cta != cta->linear)
                return true;
    }
    return false;
}

static bool is_for_answers(const VmCta *cta, uint32_t mbarrier) {
    for (uint32_t i = 0; i < cta->typed.slot_count; i++)
        if (cta->objects.slots[i].mbarrier == mbarrier)
            return true;
    return false;
}

// The reason, and the place to fix it that goes with it.
typedef struct Advice {
    FindingReason reason;
    DevicePart cure;
} Advice;

static bool has_asked(const Vm *vm, const VmCluster *cluster) {
    for (size_t i = 0; i < vm->clc.request_count; i++)
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            if (vm->clc.requests[i].cta == cluster->ctas[k]->linear)
                return true;
    return false;
}

// The mbarrier at the same place in another block of the cluster, to which a
// thread of that block has arrived, and where nobody waits, if none of that
// block has arrived here; NULL: there is none.
static const VmMbarrier *arrived_apart(const StuckList *list, const Stuck *s,
                                       const VmMbarrier *bar) {
    const VmCluster *cluster = s->warp->cta->cluster;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        const VmCta *cta = cluster->ctas[i];
        const VmMbarrier *other = vm_mbarrier_find(cta, bar->offset);
        if (cta == s->warp->cta || !other || !other->report.arrive_loc ||
            fact_thread_block(other->report.arrive_who) != cta->linear)
            continue;
        bool is_used = false;
        for (uint32_t k = 0; k < cta->warp_count; k++)
            is_used |= vm_mbarrier_has_arrived(bar, cta->warps[k].serial);
        for (size_t k = 0; k < list->count; k++)
            is_used |= list->items[k].warp->cta == cta &&
                       list->items[k].fragment->wait == WAIT_MBARRIER &&
                       list->items[k].fragment->key == bar->offset;
        if (!is_used)
            return other;
    }
    return NULL;
}

static Advice advice_on_bytes(const Vm *vm, const VmCta *cta,
                              const VmMbarrier *bar) {
    if (vm_brought_elsewhere(cta, bar))
        return (Advice){REASON_BROUGHT_APART, PART_ASK};
    if (is_left_out(vm, cta, bar->offset))
        return (Advice){REASON_NOT_MULTICAST, PART_ASK};
    if (bar->async.brought > bar->state.phase &&
        !is_for_answers(cta, bar->offset))
        return (Advice){REASON_MORE_ANNOUNCED, PART_ANNOUNCE};
    if (!has_asked(vm, cta->cluster))
        return (Advice){REASON_NEVER_ASKED, PART_ASK};
    return (Advice){is_for_answers(cta, bar->offset)
                        ? REASON_NO_ANSWER_BRINGS_BYTES
                        : REASON_NOTHING_BRINGS_BYTES,
                    PART_ANNOUNCE};
}

// Whether all threads of the cluster that have not exited wait at this
// mbarrier, each at that of its own CTA.
static bool all_wait_here(const StuckList *list, const Stuck *s) {
    const VmCluster *cluster = s->warp->cta->cluster;
    uint32_t live = 0, waiting = 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        live += cluster->ctas[i]->live_threads;
    for (size_t i = 0; i < list->count; i++) {
        const Stuck *other = &list->items[i];
        if (other->warp->cta->cluster == cluster &&
            other->fragment->wait == WAIT_MBARRIER &&
            other->fragment->key == s->fragment->key)
            waiting += vm_count(other->fragment->mask);
    }
    return waiting == live;
}

// Nobody has arrived in the phase that is waited for.
static Advice advice_on_round(const Vm *vm, const StuckList *list,
                              const Stuck *s, const VmMbarrier *bar) {
    bool answers = is_for_answers(s->warp->cta, bar->offset);
    switch (seen_of(s, bar)) {
    case SEEN_NONE:
        return (Advice){REASON_PARITY_AHEAD, PART_WAIT};
    case SEEN_SAME_PARITY:
        return (Advice){REASON_PARITY_KEPT, PART_WAIT};
    case SEEN_LAPPED:
        if (vm_mbarrier_taking_turns(bar))
            return (Advice){REASON_COUNT_TOO_SMALL, PART_INIT};
        return (Advice){REASON_LAPPED, PART_WAIT};
    case SEEN_ALL:
    case SEEN_UNKNOWN:
        break;
    }
    if (vm_answered_elsewhere(vm, s->warp->cta, bar))
        return (Advice){REASON_OTHER_MBARRIER, PART_WAIT};
    if (all_wait_here(list, s))
        return answers && s->warp->cta->clc.observed_refusal
                   ? (Advice){REASON_REFUSED, PART_DECODE}
                   : (Advice){REASON_ASK_FIRST, PART_ASK};
    if (!answers && !bar->async.takes_bytes && bar->state.phase == 0)
        return (Advice){REASON_NOBODY_HAS_ARRIVED, PART_HERE};
    return (Advice){seen_of(s, bar) == SEEN_ALL ? REASON_NOT_BEGUN
                                                : REASON_WRONG_PARITY,
                    PART_HERE};
}

static Advice advice_on(const Vm *vm, const StuckList *list, const Stuck *s,
                        const VmMbarrier *bar) {
    const VmCta *cta = s->warp->cta;
    bool answers = is_for_answers(cta, bar->offset);
    switch (lack_of(bar)) {
    case LACK_ANNOUNCEMENT:
        return (Advice){answers ? REASON_ANSWER_NOT_ANNOUNCED
                                : REASON_COPY_NOT_ANNOUNCED,
                        PART_ANNOUNCE};
    case LACK_BYTES:
        return advice_on_bytes(vm, cta, bar);
    case LACK_SOME:
        if (arrived_apart(list, s, bar))
            return (Advice){REASON_ARRIVED_APART, PART_HERE};
        if (vm_absent_arrival(s->fragment->frame->func, cta->cluster, bar).loc)
            return (Advice){REASON_GONE_PAST_ARRIVAL, PART_HERE};
        return (Advice){REASON_SOME_DO_NOT_ARRIVE, PART_INIT};
    case LACK_ROUND:
        if (bar->async.has_come)
            return (Advice){REASON_EXPECTS_WITHOUT_ARRIVAL, PART_ANNOUNCE};
        break;
    case LACK_ALL:
        break;
    }
    return advice_on_round(vm, list, s, bar);
}

static FactWord arrivals_of(const VmMbarrier *bar) {
    if (bar->state.pending == 0)
        return WORD_ARRIVALS_ALL;
    return bar->state.expected == 1 ? WORD_ARRIVALS_LACKS_THE_ONE
                                    : WORD_ARRIVALS_LACKS_SOME;
}

static FactWord balance_of(const VmMbarrier *bar) {
    if (bar->state.tx == 0)
        return WORD_BALANCE_EVEN;
    if (bar->state.tx < 0)
        return WORD_BALANCE_UNANNOUNCED;
    return bar->state.pending == 0 ? WORD_BALANCE_LACKS
                                   : WORD_BALANCE_LACKS_TOO;
}

#define WAIT_FACTS(s)                                \
    FACT_FIRST(s), FACT(PHASE, (s).fragment->phase), \
        FACT(PARITY, (s).fragment->phase & 1)

static Finding *find_mbarrier(Vm *vm, Stuck s, const VmMbarrier *bar) {
    uint32_t loc = vm_stuck_loc(s.fragment);
    VmMbarrierName name = vm_mbarrier_name(vm, s.fragment->key);
    if (!bar)
        return vm_found(vm, s.warp, loc, CASE_DEADLOCK_NO_MBARRIER,
                        FINDING_ERROR, FACTS(WAIT_FACTS(s), NAME_FACTS(name)));
    return vm_found(
        vm, s.warp, loc, CASE_DEADLOCK_MBARRIER, FINDING_ERROR,
        FACTS(WAIT_FACTS(s), NAME_FACTS(name), FACT(COUNT, bar->state.phase),
              FACT(EXPECTED, bar->state.expected),
              FACT(ARRIVALS, arrivals_of(bar)),
              FACT(PENDING, bar->state.pending), FACT(BALANCE, balance_of(bar)),
              FACT(BYTES, bar->state.tx < 0 ? -bar->state.tx : bar->state.tx)));
}

// Threads that have exited arrive no more.
static void relate_exited(Vm *vm, const VmCluster *cluster, Finding *f) {
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        const VmCta *cta = cluster->ctas[i];
        if (cta->live_threads < cta->threads)
            vm_relate(vm, f, PLACE_THREADS_LEFT, cta->exit_loc,
                      FACTS(FACT(THREADS, cta->threads - cta->live_threads),
                            FACT(BLOCK, cta->linear)));
    }
}

static bool is_about_parity(FindingReason reason) {
    return reason == REASON_PARITY_AHEAD || reason == REASON_PARITY_KEPT ||
           reason == REASON_WRONG_PARITY;
}

// Who completed the last phase that the thread has missed, and where the thread
// was then.
static void relate_lap(Vm *vm, const Stuck *s, const VmMbarrier *bar,
                       Finding *f) {
    uint32_t lane = vm_first(s->fragment->mask);
    const VmWhereabouts *then = &bar->report.were[s->warp->index];
    uint64_t seen = 0;
    vm_stale_seen(s->warp, lane, bar->offset, &seen);
    vm_relate(vm, f, PLACE_LAPPED_BY,
              vm_learner_loc(vm, NULL, bar->report.arrive_loc),
              FACTS(FACT(OTHER, bar->report.arrive_who),
                    FACT(PHASE, bar->state.phase - 1),
                    FACT(COUNT, bar->state.phase - seen)));
    if (then->lanes >> lane & 1)
        vm_relate(vm, f, PLACE_LAPPED_AT, vm_learner_loc(vm, NULL, then->loc),
                  NO_FACTS);
}

// What tells of the reason, before what every wait is told with.
static void relate_reason(Vm *vm, const StuckList *list, const Stuck *s,
                          const VmMbarrier *bar, Finding *f) {
    const VmFunc *func = s->fragment->frame->func;
    const PtxInstr *wait = func->code[s->fragment->pc].ptx;
    if (f->reason == REASON_BROUGHT_APART)
        vm_relate_brought(vm, s->warp->cta, bar, f);
    if (f->reason == REASON_OTHER_MBARRIER)
        vm_relate_answered(vm, s->warp->cta, bar, f);
    if (f->reason == REASON_ARRIVED_APART) {
        const VmMbarrier *other = arrived_apart(list, s, bar);
        uint32_t loc = vm_learner_loc(vm, NULL, other->report.arrive_loc);
        vm_relate(vm, f, PLACE_ARRIVED_APART, loc,
                  FACTS(FACT(OTHER, other->report.arrive_who)));
        vm_cure(vm, f, PART_HERE, loc);
    }
    if (f->reason == REASON_GONE_PAST_ARRIVAL) {
        VmAbsence absence = vm_absent_arrival(func, s->warp->cta->cluster, bar);
        uint32_t loc = vm_learner_loc(vm, NULL, absence.loc);
        vm_relate(vm, f, PLACE_GONE_PAST, loc,
                  FACTS(FACT(THREAD, absence.thread)));
        vm_cure(vm, f, PART_HERE, loc);
    }
    if (f->reason == REASON_REFUSED) {
        vm_relate(vm, f, PLACE_REFUSAL_SEEN, s->warp->cta->clc.refusal_loc,
                  NO_FACTS);
        vm_relate(vm, f, PLACE_WAIT_DECIDED,
                  vm_learner_loc(vm, NULL, vm_condition_loc(func, wait)),
                  NO_FACTS);
    }
}

static Finding *describe_mbarrier(Vm *vm, const StuckList *list, Stuck s) {
    const VmMbarrier *bar = vm_stuck_mbarrier(&s);
    Finding *f = find_mbarrier(vm, s, bar);
    if (!bar || !f)
        return f;
    Advice advice = advice_on(vm, list, &s, bar);
    f->reason = advice.reason;
    vm_cure(vm, f, advice.cure,
            advice.cure == PART_INIT ? bar->report.init_loc : 0);
    relate_reason(vm, list, &s, bar, f);
    if (advice.reason == REASON_COUNT_TOO_SMALL)
        vm_relate(vm, f, PLACE_MADE_FOR_FEWER, bar->report.init_loc,
                  FACTS(FACT(EXPECTED, bar->state.expected),
                        FACT(COUNT, vm_mbarrier_taking_turns(bar))));
    else
        vm_relate(vm, f, PLACE_MBARRIER_MADE, bar->report.init_loc, NO_FACTS);
    const VmFunc *func = s.fragment->frame->func;
    if (is_about_parity(advice.reason))
        vm_stale_relate_parity(vm, f, func, func->code[s.fragment->pc].ptx);
    if (advice.reason == REASON_LAPPED)
        relate_lap(vm, &s, bar, f);
    else if (bar->report.arrive_loc)
        vm_relate(vm, f, PLACE_ARRIVED,
                  vm_learner_loc(vm, NULL, bar->report.arrive_loc),
                  FACTS(FACT(OTHER, bar->report.arrive_who)));
    if (bar->state.pending > 0)
        relate_exited(vm, s.warp->cta->cluster, f);
    return f;
}

// All others wait likewise, or have left: so they have passed the place where
// it is decided who comes to this barrier.
static void relate_condition(Vm *vm, const Stuck *s, Finding *f) {
    const VmFunc *func = s->fragment->frame->func;
    uint32_t loc = vm_condition_loc(func, func->code[s->fragment->pc].ptx);
    vm_relate(vm, f, PLACE_DECIDED, vm_learner_loc(vm, s->warp, loc), NO_FACTS);
}

static Finding *describe_barrier(Vm *vm, Stuck s, bool mixed) {
    const VmCta *cta = s.warp->cta;
    const VmBarrier *b = &cta->barriers[s.fragment->key];
    uint32_t need = b->expected ? b->expected : cta->live_threads;
    Finding *f = vm_found(
        vm, s.warp, vm_stuck_loc(s.fragment),
        mixed ? CASE_DEADLOCK_BARRIER : CASE_SYNC001_BARRIER, FINDING_ERROR,
        FACTS(FACT_FIRST(s), FACT(EXPECTED, need), FACT(ARRIVED, b->arrived)));
    vm_relate_rounds(vm, b, s.fragment->key, f);
    if (f && f->reason == REASON_BARRIER_AGAIN)
        relate_exited(vm, cta->cluster, f);
    if (!mixed)
        relate_condition(vm, &s, f);
    return f;
}

static Finding *describe_cluster(Vm *vm, Stuck s, bool mixed) {
    VmCluster *cluster = s.warp->cta->cluster;
    uint32_t live = 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        live += cluster->ctas[i]->live_threads;
    return vm_found(vm, s.warp, vm_stuck_loc(s.fragment),
                    mixed ? CASE_DEADLOCK_CLUSTER : CASE_SYNC001_CLUSTER,
                    FINDING_ERROR,
                    FACTS(FACT_FIRST(s), FACT(EXPECTED, live),
                          FACT(ARRIVED, cluster->barrier.arrived)));
}

static Finding *describe_lanes(Vm *vm, Stuck s) {
    uint32_t lanes = s.fragment->key & s.warp->live & ~s.fragment->mask;
    return vm_found(vm, s.warp, vm_stuck_loc(s.fragment),
                    CASE_SYNC004_NEVER_COME, FINDING_ERROR,
                    FACTS(FACT_FIRST(s), FACT(LANES, lanes)));
}

// ---- what is reported ----------------------------------------------------

static Finding *describe(Vm *vm, const StuckList *list, Stuck root,
                         bool mixed) {
    switch (root.fragment->wait) {
    case WAIT_COPIES:
    case WAIT_ALIGNED: // reported by aligned.c
        break;
    case WAIT_NONE:
        return vm_report_spin(vm, root.warp, root.fragment, false);
    case WAIT_BARRIER:
        return describe_barrier(vm, root, mixed);
    case WAIT_CLUSTER:
        return describe_cluster(vm, root, mixed);
    case WAIT_MBARRIER:
        return describe_mbarrier(vm, list, root);
    case WAIT_LANES:
        return describe_lanes(vm, root);
    case WAIT_REGISTERS:
        return vm_report_registers(vm, root.warp, root.fragment);
    }
    return NULL;
}

void vm_report_deadlock(Vm *vm) {
    if (vm_report_diverged_warp(vm))
        return;
    StuckList list = list_stuck(vm);
    Stuck missed = find_missed(&list);
    Stuck root = missed.fragment ? missed : find_root(&list);
    if (!root.fragment)
        return;
    bool mixed = is_mixed(&list, &root);
    root.warp->frag = root.fragment;
    Finding *finding = describe(vm, &list, root, mixed);
    if (finding && missed.fragment) {
        finding->reason = REASON_PASSED_BY;
        relate_condition(vm, &root, finding);
    }
    if (finding)
        vm_relate_others(vm, &list, &root, finding);
}

// The first of those that go round, by block and warp.
void vm_report_livelock(Vm *vm) {
    Stuck first = {0};
    for (size_t i = 0; i < vm->turns.ready_count; i++) {
        VmWarp *w = vm->turns.ready[i];
        for (uint32_t k = 0; k < w->fragment_count; k++)
            if (w->fragments[k].wait == WAIT_NONE &&
                (!first.fragment || w->cta->linear < first.warp->cta->linear ||
                 (w->cta == first.warp->cta && w->index < first.warp->index)))
                first = (Stuck){w, &w->fragments[k]};
    }
    if (!first.fragment)
        return;
    StuckList list = list_stuck(vm);
    Finding *finding = vm_report_spin(vm, first.warp, first.fragment, true);
    if (finding)
        vm_relate_others(vm, &list, &first, finding);
}

static Stuck find_busiest(const Vm *vm) {
    Stuck busiest = {0};
    for (size_t i = 0; i < vm->turns.ready_count; i++) {
        VmWarp *w = vm->turns.ready[i];
        for (uint32_t k = 0; k < w->fragment_count; k++) {
            VmFragment *f = &w->fragments[k];
            if (f->wait == WAIT_NONE &&
                (!busiest.fragment || f->last_run > busiest.fragment->last_run))
                busiest = (Stuck){w, f};
        }
    }
    return busiest;
}

// A thread that counts its polls, or computes between them, is not seen to
// spin.
static void report_endless(Vm *vm, Stuck s) {
    Finding *f = vm_found(
        vm, s.warp, vm_stuck_loc(s.fragment), CASE_LIMIT_STEPS, FINDING_ERROR,
        FACTS(FACT_FIRST(s), FACT(LIMIT, vm->turns.step_limit)));
    if (!f || vm->engine.explorer ||
        !vm_relate_polled(vm, s.warp, s.fragment, f))
        return;
    f->reason = REASON_POLLS;
    StuckList list = list_stuck(vm);
    vm_relate_others(vm, &list, &s, f);
}

void vm_report_limit(Vm *vm, FactWord work, uint64_t percent) {
    Stuck busiest = find_busiest(vm);
    vm_stop(vm, RUN_LIMIT);
    if (!busiest.fragment) {
        vm_found(vm, NULL, vm->program->entry->code[0].loc, CASE_LIMIT_WORK,
                 FINDING_ERROR,
                 FACTS(FACT(LIMIT, vm->turns.step_limit), FACT(WORK, work),
                       FACT(RATIO, percent)));
        return;
    }
    busiest.warp->frag = busiest.fragment;
    if (work == WORD_WORK_INSTRUCTIONS)
        report_endless(vm, busiest);
    else
        vm_found(vm, busiest.warp, vm_stuck_loc(busiest.fragment),
                 CASE_LIMIT_WORK, FINDING_ERROR,
                 FACTS(FACT(LIMIT, vm->turns.step_limit), FACT(WORK, work),
                       FACT(RATIO, percent)));
}
