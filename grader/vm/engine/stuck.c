// SPDX-License-Identifier: Apache-2.0
// Why a run goes nowhere: what everybody waits for when nothing can run, and
// where a run that reached its step limit was.
//
// Of all waits one is told first, the root: that which nobody can end. A phase
// with too many bytes is surer to be it than one whose bytes or arrivals do
// not come, for whoever should bring them may wait himself.
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/units/units.h"

typedef struct Stuck { // a waiting fragment
    VmWarp *warp;
    VmFragment *fragment;
} Stuck;

typedef struct StuckList {
    Stuck *items;
    size_t count, capacity;
} StuckList;

static void add_warp(Vm *vm, StuckList *list, VmWarp *w) {
    for (uint32_t k = 0; k < w->fragment_count; k++) {
        if (w->fragments[k].wait == WAIT_NONE)
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

static const VmMbarrier *mbarrier_of(const Stuck *s) {
    return vm_mbarrier_find(s->warp->cta, s->fragment->key);
}

// What is wrong with the phase that somebody waits for, the surest first.
typedef enum Lack {
    LACK_ANNOUNCEMENT, // bytes came that nobody has announced
    LACK_SOME,         // some of its arrivals came, and others did not
    LACK_ALL,          // no arrival came, and no bytes ever did
    LACK_BYTES,        // they are announced, and nothing brings them
    LACK_ROUND,        // of answers or copies: nobody has begun with it
} Lack;

static Lack lack_of(const VmMbarrier *bar) {
    if (bar->tx < 0)
        return LACK_ANNOUNCEMENT;
    if (bar->pending > 0 && bar->pending < bar->expected)
        return LACK_SOME;
    if (bar->tx > 0)
        return LACK_BYTES;
    return bar->takes_bytes ? LACK_ROUND : LACK_ALL;
}

static int mbarrier_weight(const Stuck *s) {
    const VmMbarrier *bar = mbarrier_of(s);
    if (!bar)
        return 3;
    switch (lack_of(bar)) {
    case LACK_ANNOUNCEMENT:
        return 8;
    case LACK_SOME:
        return 7;
    case LACK_ALL:
        return 6;
    case LACK_BYTES:
        return 4;
    case LACK_ROUND:
        return 3;
    }
    return 3;
}

// How much a wait explains of those of the others.
static int weight(const Stuck *s) {
    switch (s->fragment->wait) {
    case WAIT_NONE:
    case WAIT_COPIES: // that ends by itself
        return 0;
    case WAIT_CLUSTER:
        return 1;
    case WAIT_BARRIER:
    case WAIT_ALIGNED:
        return 2;
    case WAIT_LANES:
        return 5;
    case WAIT_MBARRIER:
        return mbarrier_weight(s);
    }
    return 0;
}

static bool is_same_wait(const Stuck *a, const Stuck *b) {
    return a->warp->cta == b->warp->cta &&
           a->fragment->wait == b->fragment->wait &&
           a->fragment->key == b->fragment->key;
}

static uint32_t threads_in(const StuckList *list, const Stuck *s) {
    uint32_t threads = 0;
    for (size_t i = 0; i < list->count; i++)
        if (is_same_wait(&list->items[i], s))
            threads += vm_count(list->items[i].fragment->mask);
    return threads;
}

// Of waits that explain as much: where many depend on one, it is the one's.
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

static Stuck find_root(const StuckList *list) {
    Stuck best = {0};
    for (size_t i = 0; i < list->count; i++)
        if (explains_more(list, &list->items[i], &best))
            best = list->items[i];
    return best;
}

// Whether somebody waits in another way.
static bool is_mixed(const StuckList *list, const Stuck *root) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].fragment->wait != root->fragment->wait)
            return true;
    return false;
}

static uint32_t loc_of(const VmFragment *f) {
    return f->frame->func->code[f->pc].loc;
}

// A request of a neighbour whose answer would have come to this mbarrier, had
// it been multicast.
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

typedef struct Advice {
    DevicePart cure;
    const char *help;
} Advice;

static Advice advice_on(const Vm *vm, const VmCta *cta, const VmMbarrier *bar) {
    bool answers = is_for_answers(cta, bar->offset);
    switch (lack_of(bar)) {
    case LACK_ANNOUNCEMENT:
        return (Advice){
            PART_ANNOUNCE,
            answers ? "an answer brings 16 bytes to each block that receives "
                      "it: in each of them one thread announces 16 bytes for "
                      "each request, at its own block's mbarrier "
                      "(mbarrier.arrive.expect_tx)"
                    : "announce a copy's bytes in the phase that waits for "
                      "them: mbarrier.arrive.expect_tx with their number"};
    case LACK_BYTES:
        if (is_left_out(vm, cta, bar->offset))
            return (Advice){
                PART_ASK, "the request of the neighbour was for itself alone: "
                          "ask by multicast (.multicast::cluster::all), or "
                          "announce no bytes where no answer comes"};
        return (Advice){PART_ANNOUNCE,
                        answers
                            ? "announce what the answers bring, and no more: "
                              "mbarrier.arrive.expect_tx of 16 bytes for each "
                              "request, in each block that receives it"
                            : "nothing that is under way brings these "
                              "bytes: announce a copy's own size, or 16 "
                              "for each request, in each block that "
                              "receives it; and see that it is issued"};
    case LACK_SOME:
        return (Advice){PART_INIT,
                        "see that all arrive in each phase: some may wait "
                        "elsewhere, or have left; or give mbarrier.init as its "
                        "count the number of those that do"};
    case LACK_ROUND:
        if (bar->has_agent)
            return (Advice){PART_ANNOUNCE,
                            "an expect_tx alone announces bytes and does not "
                            "arrive: use mbarrier.arrive.expect_tx"};
        break;
    case LACK_ALL:
        if (!answers && bar->phase == 0)
            return (Advice){PART_HERE,
                            "nobody has arrived yet. If those who should wait "
                            "for this thread, the slot is empty at first: "
                            "begin with parity 1, which is over at once"};
        break;
    }
    return (Advice){PART_HERE,
                    "check the parity: it begins with 0 and flips (phase ^= 1) "
                    "once for each phase of this mbarrier, however many waits "
                    "use the same variable. Then see who arrives in this "
                    "phase, and where that thread waits"};
}

// Of a phase that is not complete.
static Str what_is_missing(Vm *vm, const VmMbarrier *bar) {
    unsigned long long phase = bar->phase;
    long long bytes = bar->tx < 0 ? -bar->tx : bar->tx;
    Str lacks = bar->pending == 0 ? STR("")
                : bar->expected == 1
                    ? STR("its arrival")
                    : str_format(vm->out, "%d of its %d arrivals", bar->pending,
                                 bar->expected);
    const char *verb = bar->pending == 0 ? "has its arrivals" : "lacks ";
    if (bar->tx < 0)
        return str_format(vm->out,
                          "phase %llu %s%.*s, and %lld bytes came that nobody "
                          "has announced",
                          phase, verb, STR_ARG(lacks), bytes);
    if (bar->tx == 0)
        return str_format(vm->out, "phase %llu lacks %.*s", phase,
                          STR_ARG(lacks));
    return str_format(vm->out, "phase %llu %s%.*s%s %lld bytes", phase, verb,
                      STR_ARG(lacks),
                      bar->pending == 0 ? ", and lacks" : ", and", bytes);
}

static Finding *describe_mbarrier(Vm *vm, Stuck s, Str who) {
    bool fresh;
    VmCta *cta = s.warp->cta;
    const VmMbarrier *bar = mbarrier_of(&s);
    Finding *f = vm_finding(
        vm, s.warp, loc_of(s.fragment), RULE_DEADLOCK, FINDING_ERROR, &fresh,
        "%.*s waits for ever for phase %llu (parity %llu) of mbarrier %.*s",
        STR_ARG(who), (unsigned long long)s.fragment->phase,
        (unsigned long long)s.fragment->phase & 1,
        STR_ARG(vm_mbarrier_name(vm, s.fragment->key)));
    if (!bar || !fresh)
        return f;
    Advice advice = advice_on(vm, cta, bar);
    f->expected =
        str_format(vm->out, "%d arrival%s a phase, and all announced bytes",
                   bar->expected, bar->expected == 1 ? "" : "s");
    f->actual = what_is_missing(vm, bar);
    f->help = str_from(advice.help);
    vm_related(vm, f, bar->init_loc, "the mbarrier is made here");
    vm_cure(vm, f, advice.cure, advice.cure == PART_INIT ? bar->init_loc : 0);
    return f;
}

static Finding *describe_barrier(Vm *vm, Stuck s, Str who, DeviceRule rule) {
    bool fresh;
    VmCta *cta = s.warp->cta;
    const VmBarrier *b = &cta->barriers[s.fragment->key];
    uint32_t need = b->expected ? b->expected : cta->live_threads;
    Finding *f = vm_finding(
        vm, s.warp, loc_of(s.fragment), rule, FINDING_ERROR, &fresh,
        "%.*s waits for ever at a barrier of its block", STR_ARG(who));
    if (!fresh)
        return f;
    f->expected = str_format(vm->out, "%u threads", need);
    f->actual = str_format(vm->out, "%u arrived", b->arrived);
    f->help = STR("every thread that has not exited must reach the same "
                  "barrier: move it out of conditions that differ from thread "
                  "to thread");
    return f;
}

static Finding *describe_cluster(Vm *vm, Stuck s, Str who, DeviceRule rule) {
    bool fresh;
    VmCluster *cluster = s.warp->cta->cluster;
    uint32_t live = 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        live += cluster->ctas[i]->live_threads;
    Finding *f =
        vm_finding(vm, s.warp, loc_of(s.fragment), rule, FINDING_ERROR, &fresh,
                   "%.*s waits for ever at the cluster barrier", STR_ARG(who));
    if (!fresh)
        return f;
    f->expected = str_format(vm->out, "%u threads of the cluster", live);
    f->actual = str_format(vm->out, "%u arrived", cluster->barrier.arrived);
    f->help = STR("every thread of every CTA of the cluster that has not "
                  "exited must arrive, the same number of times");
    return f;
}

static Finding *describe_lanes(Vm *vm, Stuck s, Str who) {
    bool fresh;
    Finding *f = vm_finding(
        vm, s.warp, loc_of(s.fragment), RULE_SYNC004, FINDING_ERROR, &fresh,
        "%.*s waits for lanes 0x%08x of its warp, which "
        "never come",
        STR_ARG(who), s.fragment->key & s.warp->live & ~s.fragment->mask);
    if (fresh)
        f->help = STR("the membermask names exactly the lanes that execute "
                      "the instruction");
    return f;
}

static const char *other_wait(VmWaitKind kind) {
    switch (kind) {
    case WAIT_NONE:
        break;
    case WAIT_BARRIER:
        return "at a barrier of the block";
    case WAIT_CLUSTER:
        return "at the cluster barrier";
    case WAIT_MBARRIER:
        return "at an mbarrier";
    case WAIT_LANES:
        return "for lanes of the warp";
    case WAIT_ALIGNED:
        return "at a barrier for the rest of the warp";
    case WAIT_COPIES:
        return "for copies";
    }
    return "";
}

static Str who_waits(Stuck s) {
    return vm_who_lane(s.warp, vm_first(s.fragment->mask));
}

// ---- where the others wait -----------------------------------------------

typedef struct Crowd { // those who wait at one line in one way
    Stuck first;
    uint32_t loc;
    uint32_t threads;
} Crowd;

enum { MOST_CROWDS = 3 };

static uint32_t own_loc(const Stuck *s) {
    return vm_learner_loc(s->warp->vm, s->warp, loc_of(s->fragment));
}

// False: all places are taken.
static bool join_crowd(Vm *vm, Crowd *crowds, uint32_t *count, Stuck s) {
    s.warp->frag = s.fragment;
    uint32_t loc = own_loc(&s);
    SrcLoc at = vm_src_of(vm, loc);
    uint32_t i = 0;
    while (i < *count && (vm_src_of(vm, crowds[i].loc).line != at.line ||
                          crowds[i].first.fragment->wait != s.fragment->wait))
        i++;
    if (i == MOST_CROWDS)
        return false;
    if (i == *count)
        crowds[(*count)++] = (Crowd){s, loc, 0};
    crowds[i].threads += vm_count(s.fragment->mask);
    return true;
}

static void relate_others(Vm *vm, const StuckList *list, const Stuck *root,
                          Finding *finding) {
    Crowd crowds[MOST_CROWDS];
    uint32_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const Stuck *s = &list->items[i];
        if (!is_same_wait(s, root) ||
            loc_of(s->fragment) != loc_of(root->fragment))
            join_crowd(vm, crowds, &count, *s);
    }
    for (uint32_t i = 0; i < count; i++) {
        const Crowd *crowd = &crowds[i];
        Str who = who_waits(crowd->first);
        const char *how = other_wait(crowd->first.fragment->wait);
        if (crowd->threads == 1)
            vm_related(vm, finding, crowd->loc, "%.*s waits %s here",
                       STR_ARG(who), how);
        else
            vm_related(vm, finding, crowd->loc,
                       "%u other threads wait %s here, such as %.*s",
                       crowd->threads, how, STR_ARG(who));
    }
}

static Finding *describe(Vm *vm, Stuck root, DeviceRule rule) {
    Str who = who_waits(root);
    switch (root.fragment->wait) {
    case WAIT_NONE:
    case WAIT_COPIES:
    case WAIT_ALIGNED: // aligned.c
        break;
    case WAIT_BARRIER:
        return describe_barrier(vm, root, who, rule);
    case WAIT_CLUSTER:
        return describe_cluster(vm, root, who, rule);
    case WAIT_MBARRIER:
        return describe_mbarrier(vm, root, who);
    case WAIT_LANES:
        return describe_lanes(vm, root, who);
    }
    return NULL;
}

void vm_report_deadlock(Vm *vm) {
    if (vm_report_parted_warp(vm))
        return;
    StuckList list = list_stuck(vm);
    Stuck root = find_root(&list);
    if (!root.fragment)
        return;
    bool mixed = is_mixed(&list, &root);
    root.warp->frag = root.fragment;
    Finding *finding = describe(vm, root, mixed ? RULE_DEADLOCK : RULE_SYNC001);
    if (finding)
        relate_others(vm, &list, &root, finding);
}

void vm_report_limit(Vm *vm) {
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
    vm_stop(vm, RUN_LIMIT);
    if (!busiest.fragment)
        return;
    bool fresh;
    busiest.warp->frag = busiest.fragment;
    Str who = who_waits(busiest);
    Finding *finding = vm_finding(
        vm, busiest.warp, loc_of(busiest.fragment), RULE_LIMIT, FINDING_ERROR,
        &fresh,
        "the kernel did not end within %llu thread-instructions; %.*s was "
        "still running here",
        (unsigned long long)vm->turns.step_limit, STR_ARG(who));
    if (fresh)
        finding->help = STR("look for a loop whose condition never becomes "
                            "false, or that waits for something that another "
                            "thread never does");
}
