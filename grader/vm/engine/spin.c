// SPDX-License-Identifier: Apache-2.0
// Fragments that spin on memory, until another thread changes it.
//
// A warp that has run for a while without changing anything is looked at
// (loop.c). If its loop repeats itself, it rests: its turns are skipped as long
// as nobody has made any progress, and for a while longer if it has often
// looked in vain. What it executes when it looks does not count for the step
// limit: only what others do makes it look. Who looks at a clock, or counts,
// looks again after a time, which doubles. When all that can run rest and no
// event is due, nobody will ever go on.
#include "vm/engine/engine.h"
#include "vm/order/order.h"
#include "vm/turns/stall.h"
#include "vm/turns/turns.h"

enum {
    LOOK_LONG = 512,        // from here on, a look may be longer than a turn
    LOOK_APART = 64 * 1024, // ticks between two looks at most
    RARER = 3,              // a look comes this much later than the one before
    LOOK_ROOM = 32,         // instructions: a shorter turn has no room for one
    LOOK_MOST = 1024,       // instructions
    FIRST_NAP = 64,         // ticks
    LONGEST_NAP = 4096,
    FIRST_CLOCK = 4096,
};
#define LAST_CLOCK (UINT64_C(1) << 40) // ticks: who waits longer waits for ever

// `waited`: all the time that it was to rest has passed, so it may rest for
// longer. Not so if progress of others has woken it before: that happens often,
// and by doubling it would soon be a time that never ends.
static void rest(Vm *vm, VmFragment *f, VmLoop loop, bool waited) {
    const VmTurns *turns = &vm->turns;
    uint64_t clock = waited ? 2 * f->clock : f->clock;
    if (clock == 0)
        clock = FIRST_CLOCK;
    f->nap = f->nap ? 2 * f->nap : FIRST_NAP;
    if (f->nap > LONGEST_NAP)
        f->nap = LONGEST_NAP;
    f->rest = REST_UNTIL_PROGRESS;
    f->progress = turns->progress;
    f->rest_until = turns->tick + f->nap;
    f->clock = clock;
    f->wake_at = loop == LOOP_REPEATS || clock > LAST_CLOCK
                     ? UINT64_MAX
                     : turns->tick + clock;
}

// A look was in vain. If the warp made progress in it, or had rested, it no
// longer does what it did; else the next look is put off.
static void looked_in_vain(VmWarp *w, bool rested, uint64_t progress) {
    uint64_t quiet = w->turns.quiet;
    if (rested || w->vm->turns.progress != progress)
        w->turns.quiet = w->turns.look_after = 0;
    else
        w->turns.look_after =
            quiet + (quiet < LOOK_APART / RARER ? RARER * quiet : LOOK_APART);
}

// A loop that counts has rested for so long that it is to be looked at again.
// In that time it would have counted on. If that brings it to a bound, what it
// does from there on is new.
static void count_on(VmWarp *w, VmFragment *f, uint64_t ticks) {
    const VmCounted *counted = w->vm->engine.counted;
    uint64_t rounds = ticks / counted->length;
    if (rounds >= counted->rounds) {
        rounds = counted->rounds;
        vm_fragment_rouse(f);
    }
    vm_count_leap(w, f, rounds);
}

// False: it does not rest, and may have changed the fragments of its warp.
static bool falls_asleep(VmWarp *w, VmFragment *f, uint64_t most) {
    uint32_t index = (uint32_t)(f - w->fragments);
    uint64_t before = vm_steps(w->vm), progress = w->vm->turns.progress;
    bool rested = f->rest != REST_NOT;
    uint64_t over = rested && w->vm->turns.tick >= f->wake_at ? f->clock : 0;
    VmLoop loop = vm_loop_look(w, f, most);
    if (loop == LOOP_GOES_ON) {
        if (index < w->fragment_count)
            vm_fragment_rouse(&w->fragments[index]);
        looked_in_vain(w, rested, progress);
        return false;
    }
    if (loop == LOOP_COUNTS)
        count_on(w, f, over);
    vm_steps_excuse(w->vm, before);
    w->turns.slept = true;
    rest(w->vm, f, loop, over != 0);
    return true;
}

static bool is_to_be_looked_at(const VmWarp *w, const VmFragment *f,
                               uint64_t most) {
    uint64_t after = w->turns.look_after;
    return most >= LOOK_ROOM &&
           ((f->rest && !f->deferred) ||
            w->turns.quiet >= (after ? after : VM_LOOK_LEAST));
}

static bool has_slept(const VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (w->fragments[i].rest)
            return true;
    return false;
}

// ---- stalls (turns/stall.h) ----------------------------------------------

static bool comes_further(const VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        if (f->wait == WAIT_NONE && !vm_is_stalled(f) &&
            !(f->rest && vm_is_undisturbed(w->vm, f)))
            return true;
    }
    return false;
}

static bool cluster_comes_further(const VmCluster *cluster) {
    if (cluster->in_flight && !cluster->vm->turns.stall.before_answers)
        return true;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        const VmCta *cta = cluster->ctas[i];
        for (uint32_t n = 0; n < cta->warp_count; n++)
            if (comes_further(&cta->warps[n]))
                return true;
    }
    return false;
}

static void end_stall(const VmWarp *w) {
    bool any = false;
    for (uint32_t i = 0; i < w->fragment_count; i++)
        any |= vm_is_stalled(&w->fragments[i]);
    if (any &&
        (!w->vm->tuning.stalls || !cluster_comes_further(w->cta->cluster)))
        vm_stall_let_go(w->cta->cluster);
}

bool vm_spin_end_stalls(Vm *vm, bool any) {
    bool ended = false;
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        if (any || !cluster_comes_further(cluster))
            ended |= vm_stall_let_go(cluster);
    }
    return ended;
}

bool vm_spin_look(VmWarp *w, uint32_t *quantum) {
    Vm *vm = w->vm;
    VmFragment *f;
    if (vm->engine.explorer || vm->tuning.by_time)
        return false;
    if (vm->turns.stall.sites)
        end_stall(w);
    w->turns.slept = has_slept(w);
    bool parted = false;
    while ((f = vm_warp_lowest(w)) != NULL) {
        uint64_t most = w->turns.quiet < LOOK_LONG ? *quantum : LOOK_MOST;
        uint64_t tick = vm->turns.tick;
        uint32_t count = w->fragment_count;
        bool rested = f->rest != REST_NOT;
        if (!(parted && most >= LOOK_ROOM) && !is_to_be_looked_at(w, f, most))
            return false;
        parted = false;
        if (falls_asleep(w, f, most))
            continue;
        uint64_t took = vm->turns.tick - tick;
        *quantum = took < *quantum ? *quantum - (uint32_t)took : 0;
        // Some lanes have left the loop; the others may stay for long.
        parted = rested && w->fragment_count > count;
        if (!parted)
            return false;
    }
    return vm_warp_has_resting(w);
}

// ---- when all rest -------------------------------------------------------

typedef struct Resting { // of all fragments that can run
    bool all;            // they all rest
    uint64_t next;       // least wake_at
} Resting;

static void add_resting(const VmWarp *w, Resting *sum) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        if (f->wait != WAIT_NONE)
            continue;
        sum->all &= vm_rests(w->vm, f);
        if (f->rest && f->wake_at < sum->next)
            sum->next = f->wake_at;
    }
}

static Resting resting(const Vm *vm) {
    Resting sum = {.all = true, .next = UINT64_MAX};
    for (size_t i = 0; i < vm->turns.ready_count; i++)
        add_resting(vm->turns.ready[i], &sum);
    return sum;
}

bool vm_spin_all_rest(const Vm *vm) {
    return resting(vm).all;
}

uint64_t vm_spin_next(const Vm *vm) {
    return resting(vm).next;
}

bool vm_spin_wake(Vm *vm) {
    bool any = false;
    for (size_t i = 0; i < vm->turns.ready_count; i++) {
        VmWarp *w = vm->turns.ready[i];
        for (uint32_t k = 0; k < w->fragment_count; k++) {
            VmFragment *f = &w->fragments[k];
            if (!f->deferred)
                f->rest_until = 0;
            any |= f->wait == WAIT_NONE && !vm_rests(vm, f);
        }
    }
    return any;
}

bool vm_spin_let_arrive(Vm *vm, VmDeferral which) {
    for (size_t i = 0; i < vm->turns.ready_count; i++) {
        VmWarp *w = vm->turns.ready[i];
        for (uint32_t k = 0; k < w->fragment_count; k++) {
            VmFragment *f = &w->fragments[k];
            if (f->wait != WAIT_NONE || f->deferred != which)
                continue;
            f->rest = REST_NOT;
            return true;
        }
    }
    return false;
}

bool vm_spin_time_out(Vm *vm) {
    bool any = false;
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++) {
            VmCta *cta = cluster->ctas[k];
            for (uint32_t n = 0; n < cta->warp_count; n++) {
                VmWarp *w = &cta->warps[n];
                for (uint32_t f = 0; f < w->fragment_count; f++) {
                    if (w->fragments[f].wait != WAIT_MBARRIER)
                        continue;
                    w->fragments[f].wait = WAIT_NONE;
                    w->fragments[f].timed_out = any = true;
                    vm_warp_ready(w);
                }
            }
        }
    }
    return any;
}
