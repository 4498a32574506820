// SPDX-License-Identifier: Apache-2.0
// Why a run goes nowhere: what everybody waits for when nothing can run, and
// where a run that reached its step limit was.
#include "vm/exec.h"
#include "vm/machine.h"

// What a fragment waits for, in order of how much it explains.
static int weight(VmWaitKind kind) {
    switch (kind) {
    case WAIT_NONE:
    case WAIT_COPIES: // that ends by itself
        return 0;
    case WAIT_CLUSTER:
        return 1;
    case WAIT_ALIGNED:
    case WAIT_BARRIER:
        return 2;
    case WAIT_LANES:
        return 3;
    case WAIT_MBARRIER:
        return 4;
    }
    return 0;
}

typedef struct Stuck { // a waiting fragment
    VmWarp *warp;
    VmFragment *fragment;
} Stuck;

static bool explains_more(const Stuck *a, const Stuck *b) {
    if (!b->fragment)
        return true;
    int wa = weight(a->fragment->wait), wb = weight(b->fragment->wait);
    return wa != wb ? wa > wb : a->fragment->since < b->fragment->since;
}

// The fragment that explains most, of those waiting in another way than
// `other` (NULL: any).
static Stuck find_stuck(Vm *vm, const VmFragment *other) {
    Stuck best = {0};
    for (size_t i = 0; i < vm->resident_count; i++) {
        VmCluster *cluster = vm->residents[i];
        for (uint32_t r = 0; r < cluster->cta_count; r++) {
            VmCta *cta = cluster->ctas[r];
            for (uint32_t k = 0; k < cta->warp_count * VM_LANES; k++) {
                VmWarp *w = &cta->warps[k / VM_LANES];
                if (k % VM_LANES >= w->fragment_count)
                    continue;
                Stuck s = {w, &w->fragments[k % VM_LANES]};
                if (s.fragment->wait == WAIT_NONE ||
                    (other && s.fragment->wait == other->wait))
                    continue;
                if (explains_more(&s, &best))
                    best = s;
            }
        }
    }
    return best;
}

static uint32_t loc_of(const VmFragment *f) {
    return f->frame->func->code[f->pc].loc;
}

static const char *mbarrier_help(const VmMbarrier *bar) {
    if (bar->tx > 0 && bar->in_flight == 0)
        return "more bytes are announced (expect_tx) than any copy or request "
               "will deliver: a copy's size, or 16 for each request, in each "
               "block that receives them";
    if (bar->tx < 0)
        return "a copy or an answer delivered bytes that this phase does not "
               "announce: use mbarrier.arrive.expect_tx with a copy's size, or "
               "16 bytes for a request";
    if (bar->pending > 0 && bar->pending < bar->expected)
        return "make the count of mbarrier.init the number of arrivals of a "
               "phase";
    if (bar->pending > 0)
        return "somebody has to arrive (mbarrier.arrive.expect_tx) in each "
               "phase that is waited for; check the parity too: it flips "
               "(phase ^= 1) after each completed wait";
    return "check the parity that the wait asks for";
}

// Of a phase that is not complete.
static Str what_is_missing(Vm *vm, const VmMbarrier *bar) {
    unsigned long long phase = bar->phase;
    long long bytes = bar->tx < 0 ? -bar->tx : bar->tx;
    Str lacks = bar->expected == 1
                    ? STR("its arrival")
                    : str_format(vm->out, "%d of its %d arrivals", bar->pending,
                                 bar->expected);
    if (bar->tx < 0)
        return str_format(vm->out,
                          "phase %llu lacks %.*s, and %lld bytes came that it "
                          "has not announced",
                          phase, STR_ARG(lacks), bytes);
    if (bar->tx == 0)
        return str_format(vm->out, "phase %llu lacks %.*s", phase,
                          STR_ARG(lacks));
    if (bar->pending == 0)
        return str_format(vm->out,
                          "phase %llu has its arrivals, and lacks %lld bytes",
                          phase, bytes);
    return str_format(vm->out, "phase %llu lacks %.*s, and %lld bytes", phase,
                      STR_ARG(lacks), bytes);
}

static Finding *describe_mbarrier(Vm *vm, Stuck s, Str who) {
    bool fresh;
    VmCta *cta = s.warp->cta;
    const VmMbarrier *bar = vm_mbarrier_find(cta, s.fragment->key);
    uint32_t offset = s.fragment->key;
    Str name = vm_shared_name(vm, &offset);
    Finding *f = vm_finding(
        vm, s.warp, loc_of(s.fragment), RULE_DEADLOCK, FINDING_ERROR, &fresh,
        "%.*s waits for ever for phase %llu (parity %llu) of mbarrier %.*s",
        STR_ARG(who), (unsigned long long)s.fragment->phase,
        (unsigned long long)s.fragment->phase & 1,
        STR_ARG(name.len ? name : STR("of its block")));
    if (!bar || !fresh)
        return f;
    f->expected =
        str_format(vm->out, "%d arrival%s a phase, and all announced bytes",
                   bar->expected, bar->expected == 1 ? "" : "s");
    f->actual = what_is_missing(vm, bar);
    f->help = str_from(mbarrier_help(bar));
    vm_related(vm, f, bar->init_loc, "the mbarrier is made here");
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
    f->actual = str_format(vm->out, "%u arrived", cluster->arrived);
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
        return "waits at a barrier of its block here";
    case WAIT_CLUSTER:
        return "waits at the cluster barrier here";
    case WAIT_MBARRIER:
        return "waits at an mbarrier here";
    case WAIT_LANES:
        return "waits for lanes of its warp here";
    case WAIT_ALIGNED:
        return "waits at a barrier for the rest of its warp here";
    case WAIT_COPIES:
        return "waits for its copies here";
    }
    return "is here";
}

static Str who_waits(Stuck s) {
    return vm_who_lane(s.warp, vm_first(s.fragment->mask));
}

void vm_report_deadlock(Vm *vm) {
    if (vm_report_parted_warp(vm))
        return;
    Stuck first = find_stuck(vm, NULL);
    if (!first.fragment)
        return;
    Stuck other = find_stuck(vm, first.fragment);
    DeviceRule rule = other.fragment ? RULE_DEADLOCK : RULE_SYNC001;
    Str who = who_waits(first);
    Finding *finding = NULL;
    first.warp->frag = first.fragment;
    switch (first.fragment->wait) {
    case WAIT_NONE:
    case WAIT_ALIGNED:
    case WAIT_COPIES:
        return;
    case WAIT_BARRIER:
        finding = describe_barrier(vm, first, who, rule);
        break;
    case WAIT_CLUSTER:
        finding = describe_cluster(vm, first, who, rule);
        break;
    case WAIT_MBARRIER:
        finding = describe_mbarrier(vm, first, who);
        break;
    case WAIT_LANES:
        finding = describe_lanes(vm, first, who);
        break;
    }
    if (!other.fragment)
        return;
    other.warp->frag = other.fragment;
    Str whom = who_waits(other);
    vm_related(vm, finding,
               vm_learner_loc(vm, other.warp, loc_of(other.fragment)),
               "%.*s %s", STR_ARG(whom), other_wait(other.fragment->wait));
}

void vm_report_limit(Vm *vm) {
    Stuck busiest = {0};
    for (size_t i = 0; i < vm->ready_count; i++) {
        VmWarp *w = vm->ready[i];
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
        (unsigned long long)vm->step_limit, STR_ARG(who));
    if (fresh)
        finding->help = STR("look for a loop whose condition never becomes "
                            "false, or that waits for something that another "
                            "thread never does");
}
