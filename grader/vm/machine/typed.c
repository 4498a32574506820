// SPDX-License-Identifier: Apache-2.0
// Typed objects in shared memory: live mbarriers and the slots of answers,
// found by their offset. This file only finds them; units/ defines what may be
// done with them.
#include "vm/machine/shared.h"

#include <string.h>

// A kernel may have tens of thousands: mbarrier_at finds one in constant time.
// Its entry for an offset is valid only if the mbarrier that it names has that
// offset, so the table needs no clearing.
static VmMbarrier *dead_or_live(const VmCta *cta, uint32_t offset) {
    if (!cta->objects.mbarrier_at || offset % 8 || offset >= cta->smem_bytes)
        return NULL;
    uint32_t place = cta->objects.mbarrier_at[offset / 8];
    return place < cta->typed.mbarrier_count &&
                   cta->objects.mbarriers[place].offset == offset
               ? &cta->objects.mbarriers[place]
               : NULL;
}

VmMbarrier *vm_mbarrier_find(const VmCta *cta, uint32_t offset) {
    VmMbarrier *bar = dead_or_live(cta, offset);
    return bar && bar->live ? bar : NULL;
}

uint32_t vm_mbarrier_ended(const VmCta *cta, uint32_t offset) {
    const VmMbarrier *bar = dead_or_live(cta, offset);
    return bar && !bar->live ? bar->report.inval_loc : 0;
}

bool vm_mbarrier_met_relaxed(const VmCta *cta, const VmMbarrier *bar) {
    const VmClusterBarrier *barrier = &cta->cluster->barrier;
    return barrier->phase > bar->report.init_met && barrier->was_relaxed;
}

// ---- who arrives ---------------------------------------------------------

static bool came_has(const VmCame *came, uint32_t warp) {
    for (uint32_t i = 0; i < came->count; i++)
        if (came->warps[i] == warp)
            return true;
    return false;
}

void vm_mbarrier_note_arrival(VmMbarrier *bar, uint32_t warp) {
    VmCame *came = &bar->report.came[bar->state.phase & 1];
    if (came->phase != bar->state.phase)
        *came = (VmCame){.phase = bar->state.phase};
    if (came->count == VM_NONE || came_has(came, warp))
        return;
    if (warp == VM_NONE || came->count == VM_CAME_MOST)
        came->count = VM_NONE;
    else
        came->warps[came->count++] = warp;
}

bool vm_mbarrier_has_come(const VmMbarrier *bar, uint32_t warp) {
    const VmCame *before = &bar->report.came[(bar->state.phase & 1) ^ 1];
    return before->phase + 1 != bar->state.phase || before->count == VM_NONE ||
           came_has(before, warp);
}

bool vm_mbarrier_has_arrived(const VmMbarrier *bar, uint32_t warp) {
    const VmCame *now = &bar->report.came[bar->state.phase & 1];
    return bar->state.pending < bar->state.expected &&
           (now->phase != bar->state.phase || now->count == VM_NONE ||
            came_has(now, warp));
}

uint32_t vm_mbarrier_taking_turns(const VmMbarrier *bar) {
    const VmCame *a = &bar->report.came[0], *b = &bar->report.came[1];
    if (!a->count || !b->count || a->count == VM_NONE || b->count == VM_NONE)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (came_has(b, a->warps[i]))
            return 0;
    return a->count + b->count;
}

VmMbarrier *vm_mbarrier_place(VmCta *cta, uint32_t offset) {
    VmMbarrier *old = dead_or_live(cta, offset);
    if (old)
        return old;
    if (!cta->objects.mbarrier_at)
        cta->objects.mbarrier_at = heap_alloc(sizeof *cta->objects.mbarrier_at,
                                              cta->smem_bytes / 8 + 1);
    if (cta->typed.mbarrier_count == cta->objects.mbarrier_capacity) {
        uint32_t capacity = cta->objects.mbarrier_capacity * 2 + 4;
        VmMbarrier *larger = heap_alloc(sizeof *larger, capacity);
        if (cta->typed.mbarrier_count)
            memcpy(larger, cta->objects.mbarriers,
                   cta->typed.mbarrier_count * sizeof *larger);
        heap_free(cta->objects.mbarriers);
        cta->objects.mbarriers = larger;
        cta->objects.mbarrier_capacity = capacity;
    }
    cta->objects.mbarrier_at[offset / 8] = (uint16_t)cta->typed.mbarrier_count;
    return &cta->objects.mbarriers[cta->typed.mbarrier_count++];
}

void vm_typed_extend(VmCta *cta, uint32_t offset, uint32_t bytes) {
    if (cta->typed.to == 0 || offset < cta->typed.from)
        cta->typed.from = offset;
    if (offset + bytes > cta->typed.to)
        cta->typed.to = offset + bytes;
}

VmSlot *vm_clc_slot_at(const VmCta *cta, uint32_t offset) {
    if (!cta->objects.slot_at || offset >= cta->smem_bytes)
        return NULL;
    uint32_t place = cta->objects.slot_at[offset / 16];
    return place < cta->typed.slot_count &&
                   cta->objects.slots[place].offset == offset
               ? &cta->objects.slots[place]
               : NULL;
}

VmSlot *vm_clc_slot(VmCta *cta, uint32_t offset) {
    VmSlot *slot = vm_clc_slot_at(cta, offset);
    if (slot)
        return slot;
    if (!cta->objects.slot_at)
        cta->objects.slot_at =
            heap_alloc(sizeof *cta->objects.slot_at, cta->smem_bytes / 16 + 1);
    if (cta->typed.slot_count == cta->objects.slot_capacity) {
        uint32_t capacity = cta->objects.slot_capacity * 2 + 4;
        VmSlot *larger = heap_alloc(sizeof *larger, capacity);
        if (cta->typed.slot_count)
            memcpy(larger, cta->objects.slots,
                   cta->typed.slot_count * sizeof *larger);
        heap_free(cta->objects.slots);
        cta->objects.slots = larger;
        cta->objects.slot_capacity = capacity;
    }
    cta->objects.slot_at[offset / 16] = (uint16_t)cta->typed.slot_count;
    slot = &cta->objects.slots[cta->typed.slot_count++];
    *slot = (VmSlot){.offset = offset, .state = SLOT_OBSERVED};
    vm_typed_extend(cta, offset, 16);
    return slot;
}

void vm_clc_observe(VmCta *cta, VmMbarrier *bar) {
    if (bar->async.unseen == 0 || bar->async.unseen > bar->state.phase)
        return;
    bar->async.unseen = 0;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++) {
        VmSlot *slot = &cta->objects.slots[i];
        if (slot->state != SLOT_ANSWERED || slot->mbarrier != bar->offset)
            continue;
        if (slot->phase < bar->state.phase)
            slot->state = SLOT_OBSERVED;
        else
            bar->async.unseen = bar->state.phase + 1;
    }
}
