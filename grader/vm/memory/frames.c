// SPDX-License-Identifier: Apache-2.0
// Frames: the registers of a call, for all lanes of a warp that take part in
// it. A frame goes to the warp's free list when it is left, for the next call.
#include "vm/decode/doubt.h"
#include "vm/decode/fate.h"
#include "vm/decode/follow.h"
#include "vm/decode/unset.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"

// NULL: the launch has no memory left.
static VmFrame *frame_new(VmWarp *w, uint32_t bytes, bool reserved) {
    VmFrame **link = &w->memory.free_frames;
    vm_work_bytes(w->vm, WORK_CLEAR, bytes);
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

void vm_frame_free(VmWarp *w, VmFrame *frame) {
    if (frame->doubts)
        vm_doubts_free(frame);
    if (frame->fates)
        vm_fates_leave(frame);
    heap_free(frame->marks);
    frame->marks = NULL;
    if (frame->unset)
        vm_unset_free(frame);
    heap_free(frame->opaque);
    heap_free(frame->tops);
    frame->opaque = NULL;
    frame->tops = NULL;
    frame->caller = w->memory.free_frames;
    w->memory.free_frames = frame;
}

static uint64_t most_frames(const VmWarp *w) {
    uint64_t frames = w->vm->launch->stack_bytes / VM_LEAST_FRAME;
    return frames > VM_MAX_DEPTH ? frames : VM_MAX_DEPTH;
}

bool vm_frame_push(VmWarp *w, VmFragment *f, const VmFunc *func,
                   const VmInstr *site) {
    VmFrame *caller = f->frame;
    uint32_t depth = caller ? caller->depth + 1 : 0;
    uint32_t base;
    if (depth >= most_frames(w) ||
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
    if (w->vm->follow)
        vm_follow_frame(w, frame);
    if (func->unset_count)
        vm_unset_begin(w, frame);
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
        vm_frame_free(w, frame);
}

void vm_frames_end(VmWarp *w) {
    for (uint32_t i = 0; i < w->fragment_count; i++)
        while (w->fragments[i].frame)
            vm_frame_pop(w, &w->fragments[i]);
    for (VmFrame *frame = w->memory.free_frames; frame;) {
        VmFrame *next = frame->caller;
        heap_free(frame->regs);
        heap_free(frame);
        frame = next;
    }
    heap_free(w->memory.local);
    heap_free(w->memory.written);
    w->memory = (VmWarpMemory){0};
    w->fragment_count = 0;
}
