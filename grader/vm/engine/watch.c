// SPDX-License-Identifier: Apache-2.0
// What a loop reads that repeats itself. Its fragment rests until one of these
// words has another value, whatever others do elsewhere: with that, it would go
// the same round again. Loads and atomics are watched; a loop that looks at
// anything else that others can change (an mbarrier, a barrier, an answer), or
// at too many words, is looked at again after each change of anything.
#include "vm/engine/engine.h"
#include "vm/engine/word.h"
#include "vm/machine/lanes.h"

#include <string.h>

typedef struct Watching {
    VmWarp *w;
    VmFragment *f;
    VmWatch watch;
    bool unknown; // something cannot be watched
} Watching;

static void add_word(Watching *watching, const uint8_t *bytes) {
    VmWatch *watch = &watching->watch;
    for (uint32_t i = 0; i < watch->count; i++)
        if (watch->at[i] == bytes)
            return;
    if (watch->count == VM_WATCH_WORDS) {
        watching->unknown = true;
        return;
    }
    memcpy(&watch->was[watch->count], bytes, VM_WORD_BYTES);
    watch->at[watch->count++] = bytes;
}

static void add_access(Watching *watching, const VmInstr *in, uint32_t lane) {
    VmWarp *w = watching->w;
    uint64_t address = vm_lane_address(w, in, lane);
    PtxSpace space = vm_space_at((PtxSpace)in->space, address);
    uint32_t bytes = (uint32_t)in->width * (in->elements ? in->elements : 1);
    if (space == PTX_SPACE_LOCAL) // its own
        return;
    // What malloc has given, others may free.
    if (space == PTX_SPACE_GLOBAL &&
        address >> VM_BUFFER_SHIFT >= VM_HEAP_NUMBER) {
        watching->unknown = true;
        return;
    }
    for (uint32_t i = 0; i < bytes; i += VM_WORD_BYTES) {
        VmWord word = vm_word_at(w, in, lane, address + i);
        if (word.key)
            add_word(watching, word.bytes);
    }
}

// The address is looked at when the access is over: is it still there?
static bool keeps_address(const VmInstr *in) {
    VmRef base = in->src[0];
    for (uint32_t i = 0; i < in->dst_count && base.sel == 0; i++) {
        const VmRef *dst = &vm_dsts(in)[i];
        if (dst->off < base.off + base.size * VM_LANES &&
            base.off < dst->off + dst->size * VM_LANES)
            return false;
    }
    return true;
}

// Whether others can change what it gives, but for memory.
static bool looks_elsewhere(const VmInstr *in) {
    switch ((PtxObject)PTX_TRAITS[in->op].object) {
    case PTX_OBJECT_NONE:
    case PTX_OBJECT_LANES:
        return false;
    case PTX_OBJECT_MEMORY:
        return !ptx_is_load(in->op) && !ptx_is_atomic(in->op);
    case PTX_OBJECT_BYTES:
    case PTX_OBJECT_GROUPS:
    case PTX_OBJECT_MBARRIER:
    case PTX_OBJECT_CTA:
    case PTX_OBJECT_CLUSTER:
    case PTX_OBJECT_REQUEST:
    case PTX_OBJECT_ANSWER:
    case PTX_OBJECT_STACK:
    case PTX_OBJECT_TENSOR:
    case PTX_OBJECT_TEXTURE:
        return true;
    }
    return true;
}

// A VmVisit.
static bool note(void *context, const VmInstr *in) {
    Watching *watching = context;
    if (in->has_call || in->is_frame ||
        PTX_TRAITS[in->op].object == PTX_OBJECT_NONE)
        return true;
    if (looks_elsewhere(in) || !keeps_address(in)) {
        watching->unknown = true;
        return true;
    }
    if (PTX_TRAITS[in->op].object == PTX_OBJECT_MEMORY) {
        uint32_t mask = vm_guarded(watching->w, in, watching->f->mask);
        EACH_LANE(lane, mask) {
            add_access(watching, in, lane);
        }
    }
    return true;
}

bool vm_watch_round(VmWarp *w, VmFragment *f, uint64_t most, uint64_t *ran) {
    Watching watching = {.w = w, .f = f};
    VmVisit visit = {note, &watching, true};
    bool repeats = vm_warp_round(w, f, most, ran, &visit);
    if (!repeats)
        return false;
    f->watch = watching.watch;
    if (watching.unknown)
        f->watch.count = 0;
    return true;
}
