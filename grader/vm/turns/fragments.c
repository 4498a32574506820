// SPDX-License-Identifier: Apache-2.0
// Fragments, the groups of diverged lanes of a warp: how they split, wait, are
// woken and merge.
#include "vm/machine/lanes.h"
#include "vm/turns/stall.h"
#include "vm/turns/turns.h"

void vm_fragment_rouse(VmFragment *f) {
    f->rest = REST_NOT;
    if (f->deferred == DEFERRED_STALLED)
        f->deferred = DEFERRED_NOT;
    f->watch.count = 0;
    f->rest_until = f->wake_at = f->nap = f->clock = 0;
}

VmFragment *vm_fragment_split(VmWarp *w, uint32_t lanes) {
    VmFragment *other = &w->fragments[w->fragment_count++];
    *other = *w->frag;
    other->mask = lanes;
    vm_fragment_rouse(other);
    w->frag->mask &= ~lanes;
    return other;
}

VmNext vm_wait(VmWarp *w, VmWaitKind kind, uint32_t key, uint64_t phase) {
    VmFragment *f = w->frag;
    f->pc--;
    f->wait = kind;
    f->key = key;
    f->phase = phase;
    f->since = w->vm->turns.tick;
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

bool vm_runs_before(const VmFragment *a, const VmFragment *b) {
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

static void fragment_remove(VmWarp *w, VmFragment *f) {
    *f = w->fragments[--w->fragment_count];
}

static bool waits_for_lanes_at_most(const VmFragment *f) {
    return f->wait == WAIT_NONE || f->wait == WAIT_LANES ||
           f->wait == WAIT_ALIGNED;
}

// Two fragments at the same place merge if neither waits, or if one waits for
// lanes that the other brings.
static bool can_merge(const VmFragment *a, const VmFragment *b) {
    if (a->frame != b->frame || a->pc != b->pc || a->arrived != b->arrived ||
        vm_is_stalled(a) != vm_is_stalled(b))
        return false;
    return waits_for_lanes_at_most(a) && waits_for_lanes_at_most(b);
}

void vm_fragments_merge(VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        for (uint32_t k = i + 1; k < w->fragment_count;) {
            VmFragment *a = &w->fragments[i], *b = &w->fragments[k];
            if (!can_merge(a, b)) {
                k++;
                continue;
            }
            a->mask |= b->mask;
            a->wait = WAIT_NONE;
            a->held |= b->held;
            if (!vm_is_stalled(a))
                vm_fragment_rouse(a);
            if (b->last_run > a->last_run)
                a->last_run = b->last_run;
            fragment_remove(w, b);
        }
    }
}

void vm_fragment_exit(VmWarp *w, VmFragment *f) {
    fragment_remove(w, f);
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (waits_for_lanes_at_most(&w->fragments[i]))
            w->fragments[i].wait = WAIT_NONE;
}
