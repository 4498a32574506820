// SPDX-License-Identifier: Apache-2.0
// Watched buffers (device.h, Watch): which CTAs store to each of their pieces
// and elements, where, and what the address and the value come from. Stores and
// atomics come through vm_watch_store, lane by lane; copies (units/async.c)
// through vm_watch_note.
#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/time/time.h"

#include <string.h>

static const VmStoreOrigin *origin_of(const VmWarp *w, const VmInstr *in,
                                      SrcLoc own, VmBuffer *buffer) {
    for (uint32_t i = 0; i < VM_STORES_KNOWN; i++)
        if (buffer->origins[i].store == in->ptx)
            return &buffer->origins[i];
    const VmFunc *func = w->frag->frame->func;
    VmOrigin address = vm_origin_of_address(w->vm, func, in->ptx, own),
             value = vm_origin_of_value(w->vm, func, in->ptx, own);
    VmStoreOrigin *origin =
        &buffer->origins[buffer->next_origin++ % VM_STORES_KNOWN];
    origin->store = in->ptx;
    memcpy(origin->address, address.at, sizeof origin->address);
    memcpy(origin->read, address.read, sizeof origin->read);
    memcpy(origin->value, value.at, sizeof origin->value);
    origin->staged[0] = value.stored_at;
    origin->staged[1] = value.stored_from;
    origin->cut = address.cut;
    origin->cut_bits = address.cut_bits;
    origin->unset = address.unset;
    return origin;
}

static void note_first_store(const VmWarp *w, const VmInstr *in,
                             VmBuffer *buffer, WatchPiece *piece) {
    const VmStoreOrigin *origin = origin_of(w, in, piece->at, buffer);
    piece->first_at = piece->at;
    piece->first_called = piece->called;
    memcpy(piece->index_from, origin->address, sizeof piece->index_from);
    memcpy(piece->index_read, origin->read, sizeof piece->index_read);
    memcpy(piece->value_from, origin->value, sizeof piece->value_from);
    memcpy(piece->staged_at, origin->staged, sizeof piece->staged_at);
    piece->index_cut = origin->cut;
    piece->index_bits = origin->cut_bits;
}

// By a thread that has read a refusal.
static void note_refused_store(const VmWarp *w, const VmInstr *in,
                               VmBuffer *buffer, WatchPiece *piece) {
    piece->is_refused = true;
    piece->index_unset = origin_of(w, in, piece->at, buffer)->unset;
}

// A warp stores lane by lane, and a loop at one line: places are looked up when
// another instruction stores, or where they depend on who has called.
static void find_store(const VmWarp *w, const VmInstr *in, VmBuffer *buffer) {
    if (buffer->stored_by == in->ptx)
        return;
    buffer->stored_by = w->frag->frame->site ? NULL : in->ptx;
    buffer->stored_at = vm_src_of(w->vm, vm_learner_loc(w->vm, w, in->loc));
    buffer->stored_called = vm_src_of(w->vm, vm_outer_loc(w->vm, w, in->loc));
}

// The cluster of the CTA with that linear block index.
static uint32_t cluster_of(const Vm *vm, uint32_t linear) {
    uint32_t id[3];
    vm_unlinear(linear, vm->shape.grid, id);
    for (int axis = 0; axis < 3; axis++)
        id[axis] /= vm->shape.cluster_dim[axis];
    return vm_linear(id, vm->shape.cluster_grid);
}

static void note_element(WatchElement *element, const VmCta *cta) {
    uint32_t self = cta->linear + 1;
    if (!element->first)
        element->first = self;
    else if (element->first != self && !element->other &&
             cluster_of(cta->cluster->vm, element->first - 1) !=
                 cta->cluster->index)
        element->other = self;
}

void vm_watch_note(Watch *watch, WatchPiece *piece, uint64_t element,
                   const VmCta *cta) {
    if (watch->elements)
        note_element(&watch->elements[element], cta);
    else if (watch->touch_count < watch->touch_most)
        watch->touches[watch->touch_count++] =
            (WatchTouch){(uint32_t)element, cta->linear + 1};
    uint32_t kept = piece->writer_count < WATCH_WRITERS ? piece->writer_count
                                                        : WATCH_WRITERS;
    for (uint32_t i = 0; i < kept; i++)
        if (piece->writers[i] == cta->linear)
            return;
    if (kept < WATCH_WRITERS)
        piece->writers[kept] = cta->linear;
    piece->writer_count++;
}

static void watch_element(const VmWarp *w, const VmInstr *in, uint32_t lane,
                          VmBuffer *buffer, uint64_t i) {
    Watch *watch = buffer->watch;
    WatchPiece *piece = vm_watch_piece(watch, i);
    piece->at = buffer->stored_at;
    piece->called = buffer->stored_called;
    if (vm_timing(w->vm))
        piece->cycle = vm_time_now(w);
    if (piece->stores++ == 0)
        note_first_store(w, in, buffer, piece);
    if (!piece->is_refused && (w->clc.saw_refusal >> lane & 1))
        note_refused_store(w, in, buffer, piece);
    vm_watch_note(watch, piece, i, w->cta);
}

void vm_watch_store(VmWarp *w, const VmInstr *in, uint32_t lane,
                    VmBuffer *buffer, VmSpan at) {
    find_store(w, in, buffer);
    w->clc.worked |= 1u << lane;
    for (uint64_t i = at.from / 4; i <= (at.from + at.bytes - 1) / 4; i++)
        watch_element(w, in, lane, buffer, i);
}
