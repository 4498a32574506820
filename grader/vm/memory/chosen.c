// SPDX-License-Identifier: Apache-2.0
// Loads whose value a select takes or drops: `if (full) v = item;` becomes a
// load of item in any case, and a select. A lane that drops the value has not
// read item: others may write it meanwhile. So where nothing but a select uses
// the loaded value, in the same straight line of code, the load is no access in
// the order of accesses (order/); the select is one for the lanes that take the
// value. Its handler finds the address as the load did. (Loads from a fixed
// address are followed further: decode/fate.h.)
#include "vm/decode/doubt.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"

enum { FAR = 64 }; // instructions between a load and its select

// ---- which loads ---------------------------------------------------------

static uint32_t end_of(VmRef ref) {
    return ref.off + (ref.size ? ref.size * (uint32_t)VM_LANES : 4);
}

static bool overlap(VmRef a, VmRef b) {
    return a.sel == b.sel && a.off < end_of(b) && b.off < end_of(a);
}

// Registers may share a place in the frame.
static bool writes_over(const VmInstr *in, VmRef ref) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (overlap(vm_dsts(in)[i], ref))
            return true;
    return false;
}

static bool is_ordinary_load(const VmInstr *in, VmRef value) {
    return ptx_is_load(in->op) && in->sem == SEM_WEAK && in->elements == 1 &&
           in->guard == VM_NONE && !in->is_constant && !in->is_frame &&
           in->dst[0].reg == value.reg && in->src[0].sel == 0 &&
           in->src[0].size &&
           (in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_GLOBAL ||
            in->space == PTX_SPACE_GENERIC);
}

// The load that the select, which is the last instruction so far, has this
// value from. NULL: there is none, or it is used elsewhere too.
static VmInstr *load_of(const VmDecoder *d, const VmInstr *select,
                        VmRef value) {
    if (value.sel || value.reg >= d->ptx->reg_count ||
        d->fold.reads[value.reg] != 1)
        return NULL;
    VmInstr *in = d->func->code + (select - d->func->code);
    const VmInstr *last = in > d->func->code + FAR ? in - FAR : d->func->code;
    while (in > last && !d->labelled[in->ptx - d->ptx->instrs]) {
        in--;
        if (writes_over(in, value))
            return is_ordinary_load(in, value) ? in : NULL;
        if (!in->plain)
            return NULL;
    }
    return NULL;
}

static bool keeps_its_address(const VmInstr *load, const VmInstr *select) {
    for (const VmInstr *in = load; in < select; in++)
        if (writes_over(in, load->src[0]))
            return false;
    return true;
}

static uint32_t mark(const VmDecoder *d, const VmInstr *select, VmRef value) {
    VmInstr *load = load_of(d, select, value);
    if (!load || !keeps_its_address(load, select))
        return 0;
    load->is_chosen = true;
    return (uint32_t)(load - d->func->code) + 1;
}

// ---- the select ----------------------------------------------------------

static void access(VmWarp *w, uint32_t place, uint32_t lanes) {
    if (place == 0)
        return;
    const VmInstr *load = &w->frag->frame->func->code[place - 1];
    EACH_LANE(l, lanes) {
        vm_memory_chosen(w, load, l);
    }
}

static VmNext op_choose(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t p = vm_pred(w, in->src[2]), size = in->dst[0].size;
    access(w, in->choice.first, mask & p);
    access(w, in->choice.second, mask & ~p);
    uint8_t *to = vm_at(w, in->dst[0]);
    const uint8_t *from[2] = {vm_at(w, in->src[1]), vm_at(w, in->src[0])};
    EACH_LANE(l, mask) {
        memmove(to + (size_t)l * size, from[p >> l & 1] + (size_t)l * size,
                size);
    }
    if (!w->frag->frame->doubts)
        VM_NEXT;
    vm_doubt_step(w, in, mask, mask);
    return in->next == vm_op_run_ends ? VM_GO
                                      : vm_op_doubtful_rest(w, in + 1, mask);
}

void vm_decode_choice(const VmDecoder *d, VmInstr *select) {
    if (d->vm->launch->unchecked == UINT64_MAX || select->guard != VM_NONE)
        return;
    uint32_t first = mark(d, select, select->src[0]);
    uint32_t second = mark(d, select, select->src[1]);
    if (!first && !second)
        return;
    select->choice.first = first;
    select->choice.second = second;
    select->handler = op_choose;
}
