// SPDX-License-Identifier: Apache-2.0
// Follows loaded values until they are used or dropped: see fate.h.
//
// Of each load a warp remembers, by lane, when it was executed last, and
// whether the value has been used since; of the registers of a frame, which
// hold such a value (marks.h). A value is used where it is an address, where it
// is stored, where it decides a branch or whether something is accessed, and
// where it goes to another function or lane. As long as it is in a register, a
// finding about the load is kept back.
#include "vm/decode/fate.h"

#include "vm/decode/decode.h"
#include "vm/decode/marks.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

enum { ENDED_MOST = 4096 };

// A finding that is made when one of the lanes uses what it has loaded.
typedef struct Waiting Waiting;
struct Waiting {
    Waiting *next;
    uint32_t lanes;
    VmKept *kept;
};

typedef struct Loaded {
    uint64_t from; // the element's offset in its memory, if that is fixed
    uint32_t at[VM_LANES];      // logical time of the last load; 0: never
    uint32_t used_at[VM_LANES]; // the same of the last one that was used
    Waiting *waiting;
} Loaded;

struct VmFateLoads { // of a warp
    uint32_t count;  // values of the program
    Loaded *of[];    // by the number of the value; NULL: not loaded yet
};

struct VmFateMarks { // of a frame
    uint32_t held;   // registers of all values
    VmMarks of[];    // by the index of the value; .lanes NULL: no marks yet
};

bool vm_fate_uses(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return traits->access != PTX_ACCESS_NONE ||
           traits->object != PTX_OBJECT_NONE ||
           traits->next == PTX_NEXT_TABLE || traits->next == PTX_NEXT_CALL ||
           traits->data == PTX_DATA_PASSED || in->dst_count == 0;
}

// ---- what a warp has loaded ----------------------------------------------

static void drop_waiting(Loaded *loaded, uint32_t lanes) {
    for (Waiting **link = &loaded->waiting; *link;) {
        Waiting *waiting = *link;
        waiting->lanes &= ~lanes;
        if (waiting->lanes) {
            link = &waiting->next;
            continue;
        }
        *link = waiting->next;
        heap_free(waiting->kept);
        heap_free(waiting);
    }
}

static void tell_waiting(Vm *vm, Loaded *loaded, uint32_t lanes) {
    for (Waiting *waiting = loaded->waiting; waiting; waiting = waiting->next) {
        if (!(waiting->lanes & lanes))
            continue;
        if (!vm->turns.stopped)
            vm_found_kept(vm, waiting->kept);
        waiting->lanes = 0;
    }
    drop_waiting(loaded, 0);
}

// Of global variables, what a block has loaded is known after its end.
typedef struct Ended {
    uint32_t serial, number; // of the warp, and of the value
    Loaded *loaded;
} Ended;

struct VmFatesEnded {
    Ended of[ENDED_MOST]; // the last ones
    uint32_t count;
};

static void keep_ended(Vm *vm, Ended ended) {
    if (!vm->fates_ended)
        vm->fates_ended = heap_alloc(sizeof *vm->fates_ended, 1);
    Ended *place = &vm->fates_ended->of[vm->fates_ended->count++ % ENDED_MOST];
    heap_free(place->loaded);
    *place = ended;
}

void vm_fates_forget(Vm *vm) {
    for (uint32_t i = 0; vm->fates_ended && i < ENDED_MOST; i++)
        heap_free(vm->fates_ended->of[i].loaded);
    heap_free(vm->fates_ended);
    vm->fates_ended = NULL;
}

static bool is_global(const Vm *vm, uint32_t number) {
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const VmFunc *func = vm->program->funcs[i];
        for (uint32_t k = 0; func && func->fates && k < func->fates->count; k++)
            if (func->fates->values[k].number == number)
                return func->fates->values[k].is_global;
    }
    return false;
}

void vm_fates_end(VmWarp *w) {
    struct VmFateLoads *loads = w->order.loads;
    for (uint32_t i = 0; loads && i < loads->count; i++) {
        if (!loads->of[i])
            continue;
        drop_waiting(loads->of[i], VM_FULL);
        if (is_global(w->vm, i))
            keep_ended(w->vm, (Ended){w->serial, i, loads->of[i]});
        else
            heap_free(loads->of[i]);
    }
    heap_free(loads);
    w->order.loads = NULL;
}

static Loaded *loaded_of(VmWarp *w, const VmFateValue *value) {
    Loaded **loaded = NULL;
    if (!w->order.loads) {
        uint32_t count = w->vm->program->fate_count;
        w->order.loads =
            heap_alloc(1, sizeof(struct VmFateLoads) + count * sizeof loaded);
        w->order.loads->count = count;
    }
    loaded = &w->order.loads->of[value->number];
    if (!*loaded)
        *loaded = heap_alloc(sizeof **loaded, 1);
    return *loaded;
}

// ---- what is in registers ------------------------------------------------

static VmMarks *marks_of(VmFrame *frame, uint32_t index) {
    uint32_t count = frame->func->fates->count;
    if (!frame->fates)
        frame->fates = heap_alloc(1, sizeof *frame->fates +
                                         count * sizeof *frame->fates->of);
    VmMarks *marks = &frame->fates->of[index];
    if (!marks->lanes)
        marks->lanes =
            heap_alloc(sizeof *marks->lanes, frame->func->reg_count + 1u);
    return marks;
}

void vm_fates_leave(VmFrame *frame) {
    for (uint32_t i = 0; i < frame->func->fates->count; i++)
        heap_free(frame->fates->of[i].lanes);
    heap_free(frame->fates);
    frame->fates = NULL;
}

static void set(VmFrame *frame, VmMarks *marks, uint32_t reg, uint32_t mask,
                uint32_t lanes) {
    uint32_t before = marks->held;
    vm_marks_set_reg(marks, reg, mask, lanes);
    frame->fates->held += marks->held - before;
}

static void set_results(VmFrame *frame, VmMarks *marks, const VmInstr *in,
                        uint32_t mask, uint32_t lanes) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (vm_dsts(in)[i].reg != VM_NO_REG)
            set(frame, marks, vm_dsts(in)[i].reg, mask, lanes);
}

static void clear(VmFrame *frame, VmMarks *marks, uint32_t lanes) {
    for (uint32_t reg = 0; marks->held && reg < frame->func->reg_count; reg++)
        if (marks->lanes[reg] & lanes)
            set(frame, marks, reg, lanes, 0);
}

static void use(VmWarp *w, VmFrame *frame, uint32_t index, uint32_t lanes) {
    Loaded *loaded = loaded_of(w, &frame->func->fates->values[index]);
    EACH_LANE(l, lanes) {
        loaded->used_at[l] = loaded->at[l];
    }
    tell_waiting(w->vm, loaded, lanes);
    clear(frame, &frame->fates->of[index], lanes);
}

// ---- instructions --------------------------------------------------------

static uint64_t offset_of(const VmWarp *w, const VmInstr *in,
                          const VmFateValue *value, uint32_t lane) {
    uint64_t address = vm_lane_address(w, in, lane);
    bool is_shared =
        vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_SHARED;
    uint64_t mask = is_shared ? (1u << VM_RANK_SHIFT) - 1 : VM_OFFSET_MASK;
    return (address & mask) - (is_shared ? VM_SHARED_BASE : 0) +
           (uint64_t)value->element * value->width;
}

// What lanes have in registers from before is not told apart from the new value
// any more, and counts as dropped.
static void load(VmWarp *w, const VmInstr *in, uint32_t index, uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    const VmFateValue *value = &frame->func->fates->values[index];
    VmMarks *marks = marks_of(frame, index);
    Loaded *loaded = loaded_of(w, value);
    uint32_t now = *w->vm->now;
    drop_waiting(loaded, mask);
    clear(frame, marks, mask);
    if (value->is_fixed)
        loaded->from = offset_of(w, in, value, vm_first(mask));
    EACH_LANE(l, mask) {
        loaded->at[l] = now;
    }
    set(frame, marks, vm_dsts(in)[value->element].reg, mask, mask);
}

static uint32_t passed_on(const VmWarp *w, const VmMarks *marks,
                          const VmInstr *in) {
    PtxData data = (PtxData)PTX_TRAITS[in->op].data;
    uint32_t from = 0;
    for (uint32_t i = 0; i < in->src_count; i++)
        from |= vm_marks_of(marks, vm_srcs(in)[i]);
    if (!from || vm_fate_uses(in))
        return from;
    if (data == PTX_DATA_SELECTED)
        return vm_marks_selected(w, marks, in);
    return data == PTX_DATA_ANDED || data == PTX_DATA_ORED
               ? vm_marks_undecided(w, marks, in)
               : from;
}

static void follow(VmWarp *w, const VmInstr *in, uint32_t index,
                   uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    VmMarks *marks = &frame->fates->of[index];
    if (!marks->held)
        return;
    uint32_t from = passed_on(w, marks, in);
    if (in->guard != VM_NONE)
        from |= marks->lanes[in->guard_reg];
    from &= mask;
    if (vm_fate_uses(in) && from) {
        use(w, frame, index, from);
        from = 0;
    }
    set_results(frame, marks, in, mask, from);
}

void vm_fate_guard(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active) {
    VmFrame *frame = w->frag->frame;
    bool any = frame->fates->held && in->guard_reg < frame->func->reg_count;
    for (uint32_t i = 0; any && i < frame->func->fates->count; i++) {
        VmMarks *marks = &frame->fates->of[i];
        uint32_t lanes = marks->held ? marks->lanes[in->guard_reg] & active : 0;
        if (lanes && (in->splits || vm_fate_uses(in)))
            use(w, frame, i, lanes);
        else if (lanes & ~mask)
            set_results(frame, marks, in, lanes & ~mask, VM_FULL);
    }
}

VmNext vm_op_fated(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    const VmFates *fates = frame->func->fates;
    uint32_t pc = vm_fate_pc(frame->func, in);
    uint64_t touched = fates->touched[pc], loads = 0;
    if (!w->vm->now)
        return fates->handlers[pc](w, in, mask);
    for (uint64_t rest = touched; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (fates->values[i].pc == pc)
            loads |= UINT64_C(1) << i;
        else if (frame->fates && frame->fates->held)
            follow(w, in, i, mask);
    }
    if (!loads)
        return fates->handlers[pc](w, in, mask);
    VmInstr alone = *in;
    alone.next = vm_op_run_ends;
    VmNext next = fates->handlers[pc](w, &alone, mask);
    for (; next == VM_GO && loads; loads &= loads - 1)
        load(w, in, (uint32_t)__builtin_ctzll(loads), mask);
    return next == VM_GO ? in->next(w, in + 1, mask) : next;
}

bool vm_fate_follows(const VmFunc *func, const VmInstr *load) {
    const VmFates *fates = func->fates;
    uint32_t pc = fates && load->ptx ? vm_fate_pc(func, load) : 0;
    for (uint32_t i = 0; fates && i < fates->count; i++)
        if (fates->values[i].pc == pc)
            return true;
    return false;
}

// ---- questions -----------------------------------------------------------

// The bytes may be the value's: of a vector at any address, its place in the
// vector tells.
static bool has_element(const VmFateValue *value, const VmFateRead *read,
                        const Loaded *loaded) {
    if (value->is_fixed)
        return !loaded || (loaded->from < read->at + read->bytes &&
                           loaded->from + value->width > read->at);
    uint64_t first = read->at / value->width % value->elements,
             count =
                 read->bytes > value->width ? read->bytes / value->width : 1;
    return value->element >= first && value->element < first + count;
}

// The lanes that have the value in a register.
static uint32_t held_by(const VmWarp *w, const VmFunc *func, uint32_t index) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; w && i < w->fragment_count; i++)
        for (const VmFrame *f = w->fragments[i].frame; f; f = f->caller) {
            const VmMarks *marks =
                f->func == func && f->fates ? &f->fates->of[index] : NULL;
            for (uint32_t r = 0; marks && marks->held && r < func->reg_count;
                 r++)
                lanes |= marks->lanes[r];
        }
    return lanes;
}

static Loaded *loaded_by(const Vm *vm, const VmFateRead *read,
                         uint32_t number) {
    const struct VmFatesEnded *ended = vm->fates_ended;
    if (read->w)
        return read->w->order.loads ? read->w->order.loads->of[number] : NULL;
    for (uint32_t i = 0; ended && i < ENDED_MOST; i++)
        if (ended->of[i].loaded && ended->of[i].serial == read->serial &&
            ended->of[i].number == number)
            return ended->of[i].loaded;
    return NULL;
}

// What is known of one value; of a load that is not the last, only that it was
// used.
static VmFate fate_of(const Vm *vm, const VmFunc *func, uint32_t index,
                      const VmFateRead *read) {
    const VmFateValue *value = &func->fates->values[index];
    const Loaded *loaded = loaded_by(vm, read, value->number);
    uint32_t last = 0, used = 0;
    EACH_LANE(l, loaded ? read->lanes : 0) {
        last |= (uint32_t)(loaded->at[l] == read->time) << l;
        used |= (uint32_t)(loaded->used_at[l] == read->time) << l;
    }
    if (!value->is_alone)
        used |= read->lanes & ~last;
    return (VmFate){used, last & ~used & held_by(read->w, func, index)};
}

static bool may_be_read(const Vm *vm, const VmFateValue *value,
                        const VmFateRead *read) {
    return value->loc == read->loc &&
           has_element(value, read, loaded_by(vm, read, value->number));
}

// The values that the bytes may be, of all functions; *index begins at 0.
static const VmFunc *next_value(const Vm *vm, const VmFateRead *read,
                                size_t *func, uint32_t *index) {
    for (; *func < vm->module->func_count; ++*func, *index = 0) {
        const VmFunc *f = vm->program->funcs[*func];
        for (; f && f->fates && *index < f->fates->count; ++*index)
            if (may_be_read(vm, &f->fates->values[*index], read))
                return f;
    }
    return NULL;
}

bool vm_fate_of(const Vm *vm, const VmFateRead *read, VmFate *fate) {
    bool is_followed = false;
    size_t func = 0;
    uint32_t index = 0;
    const VmFunc *f;
    *fate = (VmFate){0};
    for (; (f = next_value(vm, read, &func, &index)); index++) {
        VmFate one = fate_of(vm, f, index, read);
        fate->used |= one.used;
        fate->held |= one.held;
        is_followed = true;
    }
    fate->held &= ~fate->used;
    return is_followed;
}

void vm_fate_keep(const Vm *vm, const VmFateRead *read, VmKept *kept) {
    size_t func = 0;
    uint32_t index = 0;
    const VmFunc *f;
    for (; (f = next_value(vm, read, &func, &index)); index++) {
        uint32_t held = fate_of(vm, f, index, read).held;
        if (!held)
            continue;
        Loaded *loaded = loaded_of(read->w, &f->fates->values[index]);
        Waiting *waiting = heap_alloc(sizeof *waiting, 1);
        *waiting = (Waiting){loaded->waiting, held, kept};
        loaded->waiting = waiting;
        return;
    }
    heap_free(kept);
}
