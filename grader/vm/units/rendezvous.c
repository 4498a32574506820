// SPDX-License-Identifier: Apache-2.0
// Lanes of a membermask that meet at the same instruction in different calls.
//
// Lanes that called a function from different places have separate frames, so
// their fragments do not merge. A shuffle in that function still involves all
// of them (PTX ISA, "shfl.sync": the threads of the membermask execute the same
// instruction). They execute it together in a temporary frame: the operands of
// each lane are copied in, and the results are copied back to the lane's own
// frame.
#include "vm/machine/lanes.h"
#include "vm/units/units.h"

typedef struct Party {
    VmWarp *w;
    const VmInstr *in;
    uint32_t pc;      // of the instruction
    uint32_t index;   // index of the membermask in in->src
    uint32_t members; // value of the membermask
} Party;

// The lanes of a fragment that wait at the instruction with this membermask.
static uint32_t present(const Party *party, const VmFragment *f, uint32_t pc) {
    VmRef ref = vm_srcs(party->in)[party->index];
    const VmFunc *func = party->w->frag->frame->func;
    uint32_t same = 0;
    if (pc != party->pc || f->frame->func != func)
        return 0;
    const uint8_t *base = ref.sel ? func->consts : f->frame->regs;
    EACH_LANE(l, f->mask & party->members) {
        uint32_t members;
        memcpy(&members, base + ref.off + (size_t)l * 4, 4);
        same |= (uint32_t)(members == party->members) << l;
    }
    return same;
}

static uint32_t waiting(const Party *party, const VmFragment *f) {
    return f->wait == WAIT_LANES ? present(party, f, f->pc) : 0;
}

// Copies the lanes of one operand from one frame to another. A predicate is one
// mask.
static void copy_operand(uint8_t *to, const uint8_t *from, VmRef ref,
                         uint32_t lanes) {
    if (ref.sel)
        return; // a constant
    if (ref.size == 0) {
        uint32_t a, b;
        memcpy(&a, to + ref.off, sizeof a);
        memcpy(&b, from + ref.off, sizeof b);
        a = (a & ~lanes) | (b & lanes);
        memcpy(to + ref.off, &a, sizeof a);
        return;
    }
    EACH_LANE(l, lanes) {
        size_t at = ref.off + (size_t)l * ref.size;
        memcpy(to + at, from + at, ref.size);
    }
}

static void copy_in(const Party *party, uint8_t *to, const VmFragment *f,
                    uint32_t lanes) {
    const VmInstr *in = party->in;
    for (uint32_t i = 0; i < in->src_count; i++)
        copy_operand(to, f->frame->regs, vm_srcs(in)[i], lanes);
    for (uint32_t i = 0; i < in->dst_count; i++)
        copy_operand(to, f->frame->regs, vm_dsts(in)[i], lanes);
}

// Copies the results of the lanes of `f` that have executed the instruction;
// lanes with another membermask stay at it.
static void copy_out(const Party *party, const uint8_t *from, VmFragment *f,
                     uint32_t lanes) {
    VmWarp *w = party->w;
    for (uint32_t i = 0; i < party->in->dst_count; i++)
        copy_operand(f->frame->regs, from, vm_dsts(party->in)[i], lanes);
    if (lanes != f->mask) {
        VmFragment *rest = &w->fragments[w->fragment_count++];
        *rest = *f;
        rest->mask &= ~lanes;
        rest->pc = party->pc;
        rest->wait = WAIT_NONE;
        f->mask = lanes;
    }
    f->pc = party->pc + 1;
    f->wait = WAIT_NONE;
}

// Executes the instruction for `all`, whose operands are in `regs`.
static VmNext execute(const Party *party, uint8_t *regs, uint32_t all) {
    VmWarp *w = party->w;
    VmFragment *self = w->frag;
    uint32_t own = self->mask;
    w->base[0] = regs;
    self->mask = all;
    VmNext next = party->in->handler(w, party->in, all);
    self->mask = own;
    w->base[0] = self->frame->regs;
    return next;
}

bool vm_rendezvous(VmWarp *w, const VmInstr *in, uint32_t index,
                   uint32_t members, VmNext *next) {
    Party party = {w, in, w->frag->pc - 1, index, members};
    uint32_t count = w->fragment_count, lanes[VM_LANES];
    uint32_t all = present(&party, w->frag, party.pc);
    for (uint32_t i = 0; i < count; i++) {
        VmFragment *f = &w->fragments[i];
        lanes[i] = f == w->frag ? all : waiting(&party, f);
    }
    for (uint32_t i = 0; i < count; i++)
        all |= lanes[i];
    if (members & w->live & ~all)
        return false;
    uint32_t bytes = w->frag->frame->func->frame_bytes;
    uint8_t *regs = heap_alloc(1, bytes);
    vm_work_bytes(w->vm, WORK_CLEAR, bytes);
    for (uint32_t i = 0; i < count; i++)
        copy_in(&party, regs, &w->fragments[i], lanes[i]);
    *next = execute(&party, regs, all);
    for (uint32_t i = 0; i < count && *next != VM_STOP; i++)
        if (lanes[i])
            copy_out(&party, regs, &w->fragments[i], lanes[i]);
    heap_free(regs);
    if (*next == VM_GO)
        *next = VM_SWITCH;
    return true;
}
