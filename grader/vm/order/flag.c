// SPDX-License-Identifier: Apache-2.0
// Messages by relaxed accesses (volatile ones are relaxed): a thread writes its
// data, then a flag; another one waits for the flag, and reads the data. If no
// fence, release or acquire orders the two writes or the two reads, the reader
// may find the data as it was before. Where the data is plain this is a race;
// where it is relaxed as well it is none, and still not what was meant.
//
// The looks of waiting loops (decode/spin.h) are noted by lane. That the flag
// was set behind the data is told by the time: each strong store of a program
// that may wait so has a time of its own (vm_order_store).
#include "vm/order/flag.h"

#include "vm/decode/flow.h"
#include "vm/decode/spin.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

enum { FLAGS_MOST = 4 }; // that are remembered of a lane: the last

struct VmSeenFlags {
    VmSeenFlag of[VM_LANES][FLAGS_MOST];
    uint32_t count[VM_LANES]; // how many were noted; an entry is that modulo
                              // FLAGS_MOST
    VmSeenFlag last;          // what was noted last, and of which lanes
    uint32_t last_lanes;
};

void vm_flags_end(VmWarp *w) {
    heap_free(w->order.flags);
    w->order.flags = NULL;
}

// ---- what the code says --------------------------------------------------

// What is read off the code is kept, since a thread may look very often.
static VmKnownLook *known_look(VmOrder *o, const VmInstr *look,
                               const VmInstr *behind, uint32_t loc,
                               bool *is_new) {
    uint64_t key =
        hash_u64((uintptr_t)look ^ hash_u64((uintptr_t)behind) ^ loc);
    VmKnownLook *known = &o->looks[key % COUNT_OF(o->looks)];
    *is_new =
        known->look != look || known->behind != behind || known->loc != loc;
    if (*is_new)
        *known = (VmKnownLook){.look = look, .behind = behind, .loc = loc};
    return known;
}

static bool waits(const VmWarp *w, const VmInstr *look) {
    bool is_new;
    VmKnownLook *known = known_look(w->vm->order, look, NULL, 0, &is_new);
    if (is_new)
        known->answer = vm_spin_waits(w->frag->frame->func, look);
    return known->answer;
}

// Whether stores (and exchanges) alone write at the location. (What atomics
// count may be read at any time.)
static bool is_stored(const VmFunc *func, uint32_t loc) {
    bool stores = false, updates = false;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        bool exchanges =
            ptx_is_atomic(in->op) && ptx_has(in->ptx, PTX_MOD_EXCH);
        stores |= in->loc == loc && (ptx_is_store(in->op) || exchanges);
        updates |= in->loc == loc && ptx_is_atomic(in->op) && !exchanges;
    }
    return stores && !updates;
}

// A read that comes again by itself finds the data sooner or later: it counts
// on nothing.
static bool counts(const VmWarp *w, const VmInstr *load, const VmSeenFlag *flag,
                   uint32_t loc) {
    const VmFunc *func = w->frag->frame->func;
    return is_stored(func, loc) && !vm_spin_waits(func, load) &&
           !vm_spin_returns(func, load, flag->look);
}

static const VmInstr *itself(const VmWarp *w, const VmInstr *in) {
    return vm_instr_itself(w->frag->frame->func, w->frag, in);
}

bool vm_flag_counts(const VmWarp *w, const VmInstr *in, const VmSeenFlag *flag,
                    uint32_t site) {
    const VmInstr *load = itself(w, in);
    bool is_new;
    VmKnownLook *known =
        known_look(w->vm->order, load, flag->look, site & SITE_LOC, &is_new);
    if (is_new)
        known->answer = counts(w, load, flag, site & SITE_LOC);
    return known->answer;
}

// ---- flags ---------------------------------------------------------------

static VmSeenFlag *entry_for(struct VmSeenFlags *flags, uint32_t lane,
                             uint64_t place) {
    for (uint32_t i = 0; i < FLAGS_MOST; i++)
        if (flags->of[lane][i].look && flags->of[lane][i].place == place)
            return &flags->of[lane][i];
    return &flags->of[lane][flags->count[lane]++ % FLAGS_MOST];
}

// Who polls sees the same again and again. Returns the lanes of which it was
// not noted just before.
static uint32_t note_last(struct VmSeenFlags *flags, const VmSeenFlag *write,
                          uint32_t lanes) {
    VmSeenFlag *last = &flags->last;
    bool same = last->look == write->look && last->place == write->place &&
                last->who == write->who && last->time == write->time &&
                last->site == write->site;
    uint32_t fresh = same ? lanes & ~flags->last_lanes : lanes;
    *last = *write;
    flags->last_lanes = same ? flags->last_lanes | lanes : lanes;
    return fresh;
}

void vm_flag_note(VmWarp *w, const VmInstr *in, uint32_t lanes, uint64_t place,
                  VmSeenFlag write) {
    write.look = itself(w, in);
    if (!lanes || !waits(w, write.look))
        return;
    if (!w->order.flags)
        w->order.flags = heap_alloc(sizeof *w->order.flags, 1);
    write.place = place;
    write.seen = w->vm->order->time;
    lanes = note_last(w->order.flags, &write, lanes);
    EACH_LANE(lane, lanes) {
        *entry_for(w->order.flags, lane, place) = write;
    }
}

const VmSeenFlag *vm_flag_behind(const VmWarp *w, uint32_t lane, uint32_t who,
                                 uint32_t time) {
    for (uint32_t i = 0; w->order.flags && i < FLAGS_MOST; i++) {
        const VmSeenFlag *flag = &w->order.flags->of[lane][i];
        if (flag->look && flag->who == who && flag->time > time)
            return flag;
    }
    return NULL;
}

// ---- explaining ----------------------------------------------------------

void vm_flag_explain(const VmRace *r, const VmSeenFlag *flag, uint64_t other,
                     Finding *finding) {
    Vm *vm = r->w->vm;
    uint32_t set = vm_learner_loc(vm, NULL, flag->site & SITE_LOC),
             seen = vm_learner_loc(vm, NULL, flag->look->loc);
    bool is_released = vm_order_is_pending(r->w, r->lane, r->who, r->time),
         has_acquired = vm_order_has_acquired(r->w, r->lane, r->who, flag->look,
                                              flag->seen);
    finding->reason = is_released    ? REASON_FLAG_NOT_ACQUIRED
                      : has_acquired ? REASON_FLAG_NOT_RELEASED
                                     : REASON_FLAG_RELAXED;
    vm_relate(vm, finding, PLACE_FLAG_SET, set, FACTS(FACT(OTHER, other)));
    vm_relate(vm, finding, PLACE_FLAG_SEEN, seen, NO_FACTS);
    if (is_released)
        vm_cure(vm, finding, PART_WAIT, seen);
    else
        vm_cure(vm, finding, PART_RELEASE, set);
}
