// SPDX-License-Identifier: Apache-2.0
// One warp at work: its fragments, their frames, the interpreter loop.
//
// The lanes of a warp that took different ways are fragments. The one at the
// deepest call and the lowest pc runs first, until it meets another at the same
// place and they merge: so diverged lanes come together again. A fragment that
// spins would keep that place for ever; after STREAK choices in a row another
// one has its turn.
#include "vm/engine/explore.h"
#include "vm/machine/lanes.h"
#include "vm/machine/machine.h"
#include "vm/time/time.h"

enum { STREAK = 64 };

// ---- frames --------------------------------------------------------------

bool vm_take_memory(Vm *vm, uint64_t bytes, bool reserved) {
    if (reserved)
        return true;
    if (bytes > vm->memory_left)
        return false;
    vm->memory_left -= bytes;
    return true;
}

// NULL: the launch's memory is used up.
static VmFrame *frame_new(VmWarp *w, uint32_t bytes, bool reserved) {
    VmFrame **link = &w->free_frames;
    while (*link && (*link)->capacity < bytes)
        link = &(*link)->caller;
    VmFrame *frame = *link;
    if (frame) {
        *link = frame->caller;
        memset(frame->regs, 0, bytes);
        *frame = (VmFrame){.regs = frame->regs, .capacity = frame->capacity};
        return frame;
    }
    if (!vm_take_memory(w->vm, sizeof *frame + bytes, reserved))
        return NULL;
    frame = heap_alloc(sizeof *frame, 1);
    frame->regs = heap_alloc_lines(bytes);
    frame->capacity = bytes;
    return frame;
}

static void frame_free(VmWarp *w, VmFrame *frame) {
    heap_free(frame->poison);
    heap_free(frame->opaque);
    heap_free(frame->tops);
    frame->poison = NULL;
    frame->opaque = NULL;
    frame->tops = NULL;
    frame->caller = w->free_frames;
    w->free_frames = frame;
}

bool vm_frame_push(VmWarp *w, VmFragment *f, const VmFunc *func,
                   const VmInstr *site) {
    VmFrame *caller = f->frame;
    uint32_t depth = caller ? caller->depth + 1 : 0;
    uint32_t base;
    if (depth >= VM_MAX_DEPTH ||
        !vm_stack_push(w, caller, func, f->mask, &base))
        return false;
    VmFrame *frame = frame_new(w, func->frame_bytes, !caller);
    if (!frame)
        return false;
    frame->func = func;
    frame->caller = caller;
    frame->site = site;
    frame->return_pc = f->pc;
    frame->lanes = f->mask;
    frame->depth = depth;
    frame->local_base = base;
    frame->in_prologue = func->is_prologue || (caller && caller->in_prologue);
    f->frame = frame;
    f->pc = 0;
    w->base[0] = frame->regs;
    w->base[1] = func->consts;
    return true;
}

void vm_frame_pop(VmWarp *w, VmFragment *f) {
    VmFrame *frame = f->frame;
    f->frame = frame->caller;
    f->pc = frame->return_pc;
    frame->lanes &= ~f->mask;
    if (frame->lanes == 0)
        frame_free(w, frame);
}

// ---- fragments -----------------------------------------------------------

static void fragment_remove(VmWarp *w, VmFragment *f) {
    *f = w->fragments[--w->fragment_count];
}

static bool waits_for_lanes_at_most(const VmFragment *f) {
    return f->wait == WAIT_NONE || f->wait == WAIT_LANES ||
           f->wait == WAIT_ALIGNED;
}

// Two fragments at the same place become one, if neither waits or one waits
// for lanes that the other brings.
static bool can_merge(const VmFragment *a, const VmFragment *b) {
    if (a->frame != b->frame || a->pc != b->pc || a->arrived != b->arrived)
        return false;
    return waits_for_lanes_at_most(a) && waits_for_lanes_at_most(b);
}

static void merge_fragments(VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        for (uint32_t k = i + 1; k < w->fragment_count;) {
            VmFragment *a = &w->fragments[i], *b = &w->fragments[k];
            if (!can_merge(a, b)) {
                k++;
                continue;
            }
            a->mask |= b->mask;
            a->wait = WAIT_NONE;
            if (b->last_run > a->last_run)
                a->last_run = b->last_run;
            fragment_remove(w, b);
        }
    }
}

static VmFragment *lowest(VmWarp *w) {
    VmFragment *best = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (f->wait == WAIT_NONE && (!best || vm_runs_before(f, best)))
            best = f;
    }
    return best;
}

static VmFragment *longest_idle(VmWarp *w) {
    VmFragment *best = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (f->wait == WAIT_NONE && (!best || f->last_run < best->last_run))
            best = f;
    }
    return best;
}

static __attribute__((noinline)) VmFragment *choose_among(VmWarp *w) {
    Vm *vm = w->vm;
    merge_fragments(w);
    bool fair = ++w->streak > STREAK;
    if (vm->tuning.random_order && rng_below(&vm->order_rng, 64) == 0)
        fair = true;
    VmFragment *f = fair ? longest_idle(w) : lowest(w);
    if (fair)
        w->streak = 0;
    w->join_pc = VM_NONE;
    for (uint32_t i = 0; f && i < w->fragment_count; i++) {
        const VmFragment *other = &w->fragments[i];
        if (other != f && other->frame == f->frame && other->pc > f->pc &&
            other->pc < w->join_pc)
            w->join_pc = other->pc;
    }
    return f;
}

// NULL: none can run.
static VmFragment *choose(VmWarp *w) {
    if (w->fragment_count > 1)
        return choose_among(w);
    VmFragment *f = w->fragments;
    return w->fragment_count && f->wait == WAIT_NONE ? f : NULL;
}

// Lanes of the running fragment whose guard is false go on alone.
static void split_off(VmWarp *w, VmFragment *f, uint32_t rest) {
    VmFragment *other = &w->fragments[w->fragment_count++];
    *other = *f;
    other->mask = rest;
    other->pc = f->pc + 1;
    other->arrived = false;
    f->mask &= ~rest;
    w->join_pc = VM_NONE;
}

VmFragment *vm_fragment_split(VmWarp *w, uint32_t lanes) {
    VmFragment *other = &w->fragments[w->fragment_count++];
    *other = *w->frag;
    other->mask = lanes;
    w->frag->mask &= ~lanes;
    return other;
}

VmNext vm_wait(VmWarp *w, VmWaitKind kind, uint32_t key, uint64_t phase) {
    VmFragment *f = w->frag;
    f->pc--;
    f->wait = kind;
    f->key = key;
    f->phase = phase;
    f->since = w->vm->tick;
    return VM_SWITCH;
}

void vm_warp_wake(VmWarp *w, VmWaitKind kind, uint32_t key) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (f->wait != kind || f->key != key)
            continue;
        f->wait = WAIT_NONE;
        vm_warp_ready(w);
    }
}

void vm_lanes_exit(VmWarp *w, uint32_t mask) {
    VmFragment *f = w->frag;
    VmCta *cta = w->cta;
    while (f->frame) {
        f->frame->lanes &= ~mask;
        VmFrame *caller = f->frame->caller;
        if (f->frame->lanes == 0)
            frame_free(w, f->frame);
        f->frame = caller;
    }
    w->live &= ~mask;
    cta->live_threads -= vm_count(mask);
    if (w->vm->explorer)
        vm_touch_exit(w, cta->live_threads == 0);
    vm_time_exit(w);
    uint32_t late = 0; // arrived at the cluster barrier's current phase
    EACH_LANE(l, mask & w->cluster_arrived) {
        late += w->cluster_phase[l] == cta->cluster->phase;
    }
    cta->cluster->arrived -= late;
    w->cluster_arrived &= ~mask;
    fragment_remove(w, f);
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (waits_for_lanes_at_most(&w->fragments[i]))
            w->fragments[i].wait = WAIT_NONE;
    w->vm->progress++;
    vm_barrier_recheck(cta);
    if (cta->live_threads == 0)
        vm_cta_exited(cta);
    vm_cluster_recheck(cta->cluster);
}

// ---- the loop ------------------------------------------------------------

// One instruction alone, even if it begins a run.
static VmNext run_one(VmWarp *w, const VmInstr *in, uint32_t mask) {
    if (in->run < 2)
        return in->handler(w, in, mask);
    VmInstr alone = *in;
    alone.next = vm_op_run_ends;
    return alone.handler(w, &alone, mask);
}

// The instruction at the fragment's pc, with its guard; *threads: how many
// executed it.
static __attribute__((noinline)) VmNext
step(VmWarp *w, VmFragment *f, const VmInstr *in, uint32_t *threads) {
    uint32_t active = f->mask, mask = vm_guarded(w, in, f->mask);
    if (in->splits && mask && mask != active)
        split_off(w, f, active & ~mask);
    if (f->frame->poison)
        vm_poison_step(w, in, mask, active);
    f->pc++;
    *threads = vm_count(mask);
    return mask ? run_one(w, in, mask) : VM_GO;
}

// Until something changes, the quantum is used up, or the fragment meets
// another one. Launches that nobody watches, neither the time model nor a
// schedule that counts steps, have a copy of their own.
static inline __attribute__((always_inline)) uint32_t
run_steps(VmWarp *w, VmFragment *f, uint32_t quantum, bool watched) {
    Vm *vm = w->vm;
    const VmInstr *code = f->frame->func->code;
    VmCount *counts = f->frame->func->counts;
    uint32_t ran = 0, threads;
    uint64_t total = 0;
    VmNext next;
    do {
        const VmInstr *in = &code[f->pc];
        VmCount *count = &counts[f->pc];
        bool whole = in->run && !f->frame->poison;
        uint32_t length = whole ? in->steps : 1 + in->folded_steps;
        if (watched) {
            if (vm->explorer && in->is_visible)
                vm_touch_instr(w, in, vm_guarded(w, in, f->mask));
            if (vm->time)
                vm_time_ran(w, f, whole);
        }
        if (whole) {
            threads = vm_count(f->mask);
            f->pc += in->run;
            count->run_warps++;
            count->run_threads += threads;
            next = in->handler(w, in, f->mask);
        } else {
            w->ran = ran;
            next = step(w, f, in, &threads);
            count->warps++;
            count->threads += threads;
        }
        ran += length;
        if (watched)
            vm->steps += in->is_visible;
        total += (uint64_t)length * threads;
    } while (next == VM_GO && ran < quantum &&
             (!watched || vm->steps < vm->slice_end) &&
             (w->fragment_count == 1 || f->pc != w->join_pc));
    vm->tick += ran;
    vm->thread_instructions += total;
    return ran;
}

static __attribute__((noinline)) uint32_t run_watched(VmWarp *w, VmFragment *f,
                                                      uint32_t quantum) {
    return run_steps(w, f, quantum, true);
}

static uint32_t run_fragment(VmWarp *w, VmFragment *f, uint32_t quantum) {
    w->frag = f;
    w->base[0] = f->frame->regs;
    w->base[1] = f->frame->func->consts;
    if (w->vm->time || !w->vm->tuning.newest_first)
        return run_watched(w, f, quantum);
    return run_steps(w, f, quantum, false);
}

void vm_warp_run(VmWarp *w, uint32_t quantum) {
    w->yields = false;
    const Vm *vm = w->vm;
    while (quantum > 0 && !w->yields && !vm->stopped &&
           vm->steps < vm->slice_end) {
        VmFragment *f = choose(w);
        if (!f) {
            vm_warp_unready(w);
            return;
        }
        f->last_run = vm->tick + 1;
        uint32_t ran = run_fragment(w, f, quantum);
        quantum -= ran < quantum ? ran : quantum;
    }
}

void vm_warp_start(VmWarp *w, const VmFunc *entry) {
    w->fragment_count = 1;
    w->fragments[0] = (VmFragment){.mask = w->live};
    vm_frame_push(w, &w->fragments[0], entry, NULL);
    vm_warp_ready(w);
}

void vm_warp_free(VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        while (f->frame) {
            VmFrame *frame = f->frame;
            f->frame = frame->caller;
            frame->lanes &= ~f->mask;
            if (frame->lanes == 0)
                frame_free(w, frame);
        }
    }
    for (VmFrame *frame = w->free_frames; frame;) {
        VmFrame *next = frame->caller;
        heap_free(frame->regs);
        heap_free(frame);
        frame = next;
    }
    heap_free(w->local);
    heap_free(w->written);
    w->free_frames = NULL;
    w->local = NULL;
    w->written = NULL;
    w->local_capacity = w->fragment_count = 0;
}
