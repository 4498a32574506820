// SPDX-License-Identifier: Apache-2.0
// Runs one warp: its fragments, their frames, and the interpreter loop.
//
// Diverged lanes of a warp are in different fragments. The fragment in the
// deepest call, and there the one at the lowest pc, runs first until it reaches
// another at the same place and they merge: so diverged lanes reconverge. A
// spinning fragment would be chosen for ever; after STREAK choices in a row
// another one has its turn. In modelled time a warp is charged for what it
// spins, so SPUN choices are enough where its loop only waits: lanes that wait
// may not slow down the one that they wait for.
#include "vm/decode/decode.h"
#include "vm/decode/doubt.h"
#include "vm/decode/fate.h"
#include "vm/decode/follow.h"
#include "vm/decode/spin.h"
#include "vm/engine/engine.h"
#include "vm/engine/explore.h"
#include "vm/machine/lanes.h"
#include "vm/trace/trace.h"
#include "vm/turns/hold.h"
#include "vm/turns/stall.h"
#include "vm/turns/turns.h"

enum { STREAK = 64, SPUN = 4 };

// ---- fragments -----------------------------------------------------------

static bool can_run(const VmWarp *w, const VmFragment *f) {
    return f->wait == WAIT_NONE && !vm_rests(w->vm, f);
}

VmFragment *vm_warp_lowest(VmWarp *w) {
    VmFragment *best = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (can_run(w, f) && (!best || vm_runs_before(f, best)))
            best = f;
    }
    return best;
}

bool vm_warp_has_resting(const VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (w->fragments[i].wait == WAIT_NONE)
            return true;
    return false;
}

static VmFragment *longest_idle(VmWarp *w) {
    VmFragment *best = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (can_run(w, f) && (!best || f->last_run < best->last_run))
            best = f;
    }
    return best;
}

static void find_join(VmWarp *w, const VmFragment *f) {
    w->join_pc = VM_NONE;
    for (uint32_t i = 0; f && i < w->fragment_count; i++) {
        const VmFragment *other = &w->fragments[i];
        if (other != f && other->frame == f->frame && other->pc > f->pc &&
            other->pc < w->join_pc)
            w->join_pc = other->pc;
    }
}

// Whether it is in a loop that only waits for a word of memory.
static bool waits_for_word(Vm *vm, const VmFragment *f) {
    const VmFunc *func = f->frame->func;
    bool ***loops = &vm->engine.spin_loops;
    if (!*loops)
        *loops = arena_new(&vm->run_arena, bool *, vm->module->func_count + 1);
    bool **known = &(*loops)[func->ptx->id];
    if (!*known)
        *known = vm_spin_loops(&vm->run_arena, func);
    return (*known)[f->pc];
}

static __attribute__((noinline)) VmFragment *choose_among(VmWarp *w) {
    Vm *vm = w->vm;
    vm_fragments_merge(w);
    VmFragment *lowest = vm_warp_lowest(w);
    bool waits = vm->tuning.by_time && lowest && waits_for_word(vm, lowest);
    bool fair = ++w->turns.streak > (waits ? SPUN : STREAK);
    if (vm->tuning.random_order && rng_below(&vm->turns.rng, 64) == 0)
        fair = true;
    VmFragment *f = fair ? longest_idle(w) : lowest;
    if (vm->turns.hold.warp == w) {
        f = vm_held(&vm->turns.hold);
        if (f && f->wait != WAIT_NONE) // the hold is over
            f = NULL;
    }
    if (fair)
        w->turns.streak = 0;
    find_join(w, f);
    return f;
}

// The fragment to run next. NULL: none can run.
static VmFragment *choose(VmWarp *w) {
    if (w->fragment_count > 1)
        return choose_among(w);
    VmFragment *f = w->fragments;
    return w->fragment_count && f->wait == WAIT_NONE ? f : NULL;
}

// Splits off lanes of the running fragment whose guard is false; they continue
// separately.
static void split_off(VmWarp *w, VmFragment *f, uint32_t rest) {
    VmFragment *other = &w->fragments[w->fragment_count++];
    *other = *f;
    other->mask = rest;
    vm_fragment_rouse(other);
    other->pc = f->pc + 1;
    other->arrived = false;
    f->mask &= ~rest;
    w->join_pc = VM_NONE;
}

static void use_frame(VmWarp *w, VmFragment *f) {
    w->frag = f;
    w->base[0] = f->frame->regs;
    w->base[1] = f->frame->func->consts;
}

// ---- the loop ------------------------------------------------------------

// Executes one instruction alone, even if it begins a run.
static VmNext run_one(VmWarp *w, const VmInstr *in, uint32_t mask) {
    if (in->run < 2)
        return in->handler(w, in, mask);
    VmInstr alone = *in;
    alone.next = vm_op_run_ends;
    return alone.handler(w, &alone, mask);
}

// Executes the instruction at the fragment's pc with its guard; *threads
// becomes the number of threads that executed it.
static __attribute__((noinline)) VmNext
step(VmWarp *w, VmFragment *f, const VmInstr *in, uint32_t *threads) {
    uint32_t active = f->mask, mask = vm_guarded(w, in, f->mask);
    if (in->splits && mask && mask != active)
        split_off(w, f, active & ~mask);
    f->pc++;
    *threads = vm_count(mask);
    if (f->frame->fates && in->guard != VM_NONE)
        vm_fate_guard(w, in, mask, active);
    if (vm_follows(f->frame))
        vm_follow_step(w, in, mask, active);
    if ((f->frame->doubts || f->frame->unset) &&
        !vm_doubt_step(w, in, mask, active)) {
        *threads = 0;
        return VM_STOP;
    }
    return mask ? run_one(w, in, mask) : VM_GO;
}

// What one dispatch executed: an instruction, or a whole run of them.
typedef struct Dispatch {
    VmNext next;
    uint32_t length, threads;
} Dispatch;

// Executes what begins at f->pc, with `runs` a whole run of instructions; `ran`
// is how much of the slice was before it.
static inline __attribute__((always_inline)) Dispatch
dispatch(VmWarp *w, VmFragment *f, const VmInstr *code, VmCount *counts,
         uint32_t ran, bool watched, bool runs) {
    Vm *vm = w->vm;
    const VmInstr *in = &code[f->pc];
    VmCount *count = &counts[f->pc];
    bool whole =
        runs && in->run && !f->frame->doubts && !(in->unset && f->frame->unset);
    Dispatch d = {.length = whole ? in->steps : 1 + in->folded_steps};
    uint64_t progress = vm->turns.progress;
    const VmInstr *last = whole ? &in[in->run - 1] : in;
    if (watched) {
        if (vm->engine.explorer && in->is_visible)
            vm_touch_instr(w, in, vm_guarded(w, in, f->mask));
        if (vm->time)
            vm_time_ran(w, f, whole);
        if (vm->trace)
            vm_trace_begins(w, whole ? &in[in->run - 1] : in, ran);
    }
    if (whole) {
        d.threads = vm_count(f->mask);
        f->pc += in->run;
        count->run_warps++;
        count->run_threads += d.threads;
        d.next = watched && vm_follows(f->frame) ? vm_follow_run(w, in, f->mask)
                                                 : in->handler(w, in, f->mask);
    } else {
        w->ran = ran;
        d.next = step(w, f, in, &d.threads);
        count->warps++;
        count->threads += d.threads;
    }
    if (watched) {
        vm->turns.steps += in->is_visible;
        if (vm->trace)
            vm_trace_ended(w, d.next, in->is_visible);
        if (vm->tuning.stalls && last->releases && d.threads &&
            d.next != VM_STOP && &code[f->pc] == last + 1 &&
            (!ptx_is_atomic(last->op) || vm->turns.progress != progress) &&
            vm_stall_behind(w, f, last))
            d.next = VM_SWITCH;
    }
    return d;
}

// Runs until something changes, the quantum is used up, or the fragment meets
// another one. Launches without the time model, without a trace and without
// schedules that count steps have a specialised copy of this loop.
static inline __attribute__((always_inline)) uint32_t
run_steps(VmWarp *w, VmFragment *f, uint32_t quantum, bool watched) {
    Vm *vm = w->vm;
    const VmInstr *code = f->frame->func->code;
    VmCount *counts = f->frame->func->counts;
    uint32_t ran = 0;
    uint64_t total = 0;
    Dispatch d;
    do {
        d = dispatch(w, f, code, counts, ran, watched, true);
        ran += d.length;
        total += (uint64_t)d.length * d.threads;
    } while (d.next == VM_GO && ran < quantum &&
             (!watched || vm->turns.steps < vm->turns.slice_end) &&
             (w->fragment_count == 1 || f->pc != w->join_pc));
    vm->turns.tick += ran;
    vm->turns.thread_instructions += total;
    return ran;
}

static __attribute__((noinline)) uint32_t run_watched(VmWarp *w, VmFragment *f,
                                                      uint32_t quantum) {
    return run_steps(w, f, quantum, true);
}

static uint32_t run_fragment(VmWarp *w, VmFragment *f, uint32_t quantum) {
    use_frame(w, f);
    const Vm *vm = w->vm;
    if (vm->time || vm->trace || !vm->tuning.newest_first)
        return run_watched(w, f, quantum);
    return run_steps(w, f, quantum, false);
}

bool vm_warp_step(VmWarp *w, VmFragment *f) {
    VmCount *count = &f->frame->func->counts[f->pc];
    uint32_t threads;
    use_frame(w, f);
    w->ran = 0;
    VmNext next = step(w, f, &f->frame->func->code[f->pc], &threads);
    count->warps++;
    count->threads += threads;
    return next != VM_STOP;
}

uint32_t vm_warp_enabled(VmWarp *w, VmFragment *f, const VmInstr *in) {
    use_frame(w, f);
    return vm_guarded(w, in, f->mask);
}

// Dispatches once. The clock stands still: the slice is as if nothing had run.
static Dispatch dispatch_still(VmWarp *w, VmFragment *f, bool runs) {
    const VmFunc *func = f->frame->func;
    use_frame(w, f);
    Dispatch d = dispatch(w, f, func->code, func->counts, 0, true, runs);
    w->vm->turns.thread_instructions += (uint64_t)d.length * d.threads;
    return d;
}

// What a fragment may have changed: memory, barriers, output.
static uint64_t changes(const Vm *vm) {
    return vm->turns.progress + vm->output.len;
}

bool vm_warp_round(VmWarp *w, VmFragment *f, uint64_t most, uint64_t *ran,
                   const VmVisit *visit) {
    const VmTurns *turns = &w->vm->turns;
    const VmFrame *frame = f->frame;
    uint64_t before = changes(w->vm);
    uint32_t pc = f->pc, mask = f->mask, count = w->fragment_count;
    bool same = true, back = false;
    find_join(w, f);
    while (same && !back && *ran < most && turns->steps < turns->slice_end) {
        const VmInstr *in = &f->frame->func->code[f->pc];
        Dispatch d = dispatch_still(w, f, !visit);
        *ran += d.length;
        same = d.next != VM_STOP && w->fragment_count == count &&
               f->mask == mask && f->wait == WAIT_NONE &&
               (count == 1 || f->pc != w->join_pc);
        if (same && visit)
            same = (visit->in_calls || f->frame == frame) &&
                   visit->executed(visit->context, in);
        back = same && f->pc == pc && f->frame == frame;
    }
    return back && changes(w->vm) == before;
}

void vm_warp_run(VmWarp *w, uint32_t quantum) {
    w->yields = false;
    const Vm *vm = w->vm;
    while (quantum > 0 && !w->yields && !vm->turns.stopped &&
           vm->turns.steps < vm->turns.slice_end) {
        VmFragment *f = choose(w);
        if (!f) {
            if (!vm_warp_has_resting(w))
                vm_warp_unready(w);
            return;
        }
        f->last_run = vm->turns.tick + 1;
        f->watch.count = 0; // what it does from here on is not known
        if (f->deferred == DEFERRED_STALLED) // for as long as any stall may be
            vm_fragment_rouse(f);
        uint32_t ran = run_fragment(w, f, quantum);
        quantum -= ran < quantum ? ran : quantum;
    }
}
