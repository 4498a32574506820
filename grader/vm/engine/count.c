// SPDX-License-Identifier: Apache-2.0
// Loops that count. A loop that polls and counts its polls does not repeat
// itself, yet nothing new happens in it until its count reaches a bound that
// may be millions of rounds away. Such a loop is told by two facts.
//   - In three rounds on the same path, one of them after clocks have moved on,
//     what each instruction leaves in a register is either the same, or has the
//     same number added to it each time: it is a counter. Nothing else changes,
//     in memory least of all.
//   - Counters are only added to, multiplied by what stays, copied, and
//   compared
//     with what stays. So the rounds to come are the same, until a comparison
//     has another outcome.
// How far away that is follows from the comparisons. A leap over so many rounds
// adds to the counters what these would have added.
//
// If clocks move on by as much before each round, a clock is a counter as well,
// and so is what has passed since a time that was kept. The leap is then one in
// time, too.
//
// A place in the frame may serve several registers (code/registers.c), so
// values are told apart by the instruction that wrote them.
#include "vm/engine/engine.h"
#include "vm/machine/lanes.h"

enum { ROUNDS = 3 }; // after the first one

typedef struct Counting {
    VmWarp *w;
    VmFragment *f;
    VmCounted *seen;
    uint32_t round, step; // counter: the next one of the round
    uint32_t counter;
} Counting;

// ---- what an instruction leaves in its registers -------------------------

static uint64_t value_mask(const VmRef *ref) {
    return UINT64_MAX >> (64 - 8 * ref->size);
}

// Predicates and 16 bytes a lane are no numbers: they have to stay.
static bool note_other(const Counting *c, VmCounter *counter) {
    uint32_t size = counter->ref.size;
    uint64_t hash = hash_bytes(0, vm_at(c->w, counter->ref),
                               size ? (size_t)size * VM_LANES : 4);
    bool same = c->round == 0 || hash == counter->hash;
    counter->hash = hash;
    return same;
}

static bool note_number(const Counting *c, VmCounter *counter) {
    uint64_t mask = value_mask(&counter->ref);
    bool same = true;
    EACH_LANE(l, c->f->mask) {
        uint64_t now = vm_lane_u64(c->w, counter->ref, l);
        uint64_t added = (now - counter->last[l]) & mask;
        same &= c->round < 2 || added == counter->added[l];
        counter->last[l] = now;
        counter->added[l] = added;
        counter->counts |= c->round > 0 && added != 0;
    }
    return same;
}

// False: something else has been added than in the round before.
static bool note_result(Counting *c, const VmRef *ref) {
    VmCounted *seen = c->seen;
    if (c->counter == COUNT_OF(seen->counters))
        return false;
    VmCounter *counter = &seen->counters[c->counter++];
    if (c->round == 0) {
        *counter = (VmCounter){.ref = *ref, .step = c->step};
        seen->count = c->counter;
    }
    return ref->size && ref->size <= sizeof(uint64_t) ? note_number(c, counter)
                                                      : note_other(c, counter);
}

// A VmVisit. False: it is another path than before, or the loop does not count.
static bool note_step(void *context, const VmInstr *in) {
    Counting *c = context;
    VmCounted *seen = c->seen;
    if (c->step == COUNT_OF(seen->steps))
        return false;
    if (c->round == 0)
        seen->steps[seen->step_count++] = in;
    else if (c->step >= seen->step_count || seen->steps[c->step] != in)
        return false;
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (!note_result(c, &vm_dsts(in)[i]))
            return false;
    c->step++;
    return true;
}

// ---- what is done with counters ------------------------------------------

// The value that step `step` finds in a register: the one that was written last
// before it, in this round or in the round before. NULL: none writes it.
static const VmCounter *value_read(const Counting *c, uint32_t step,
                                   const VmRef *ref) {
    const VmCounter *before = NULL, *last = NULL;
    for (uint32_t i = 0; i < c->seen->count && ref->sel == 0; i++) {
        const VmCounter *counter = &c->seen->counters[i];
        if (counter->ref.off != ref->off)
            continue;
        last = counter;
        if (counter->step < step)
            before = counter;
    }
    return before ? before : last;
}

static bool reads_counter(const Counting *c, uint32_t step) {
    const VmInstr *in = c->seen->steps[step];
    for (uint32_t i = 0; i < in->src_count; i++) {
        const VmCounter *counter = value_read(c, step, &vm_srcs(in)[i]);
        if (counter && counter->counts)
            return true;
    }
    return false;
}

static bool is_whole_number(PtxType type) {
    return (type >= PTX_B16 && type <= PTX_B64) ||
           (type >= PTX_U16 && type <= PTX_U64) ||
           (type >= PTX_S16 && type <= PTX_S64);
}

// What is linear modulo the size of its result, without any suffix but the
// types and .lo; comparisons. That what is multiplied is no counter on both
// sides, the rounds have shown.
static bool keeps_count(const VmInstr *in) {
    const PtxInstr *ptx = in->ptx;
    if (!ptx || !is_whole_number(ptx->types[0]))
        return false;
    switch ((int)in->op) {
    case PTX_OP_SETP:
        return true;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MOV:
    case PTX_OP_NEG:
    case PTX_OP_NOT:
    case PTX_OP_SHL:
        return ptx->mod_count == 1;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        return ptx->mod_count == 2 && ptx_has(ptx, PTX_MOD_LO);
    case PTX_OP_CVT: // to fewer bits, or to as many
        return ptx->mod_count == 2 && is_whole_number(ptx->types[1]) &&
               ptx_type_size(ptx->types[0]) <= ptx_type_size(ptx->types[1]);
    default:
        return false;
    }
}

// ---- how far away another outcome is -------------------------------------

typedef struct Side { // of a comparison
    uint64_t value;   // in the latest round
    uint64_t added;   // from each round to the next
} Side;

static Side side_of(const Counting *c, uint32_t step, uint32_t src,
                    uint32_t lane) {
    const VmRef *ref = &vm_srcs(c->seen->steps[step])[src];
    const VmCounter *counter = value_read(c, step, ref);
    if (!counter)
        return (Side){vm_lane_u64(c->w, *ref, lane), 0};
    uint64_t added = counter->added[lane], value = counter->last[lane];
    return (Side){counter->step < step
                      ? value
                      : (value - added) & value_mask(&counter->ref),
                  added};
}

// Rounds for which `x` stays on the side of `bound` on which it is, and within
// its type.
static uint64_t rounds_to(Side x, uint64_t bound, uint64_t mask,
                          bool is_signed) {
    uint64_t top = mask ^ (mask >> 1), flip = is_signed ? top : 0, way;
    // With the highest bit flipped, signed numbers are ordered as unsigned ones
    // are.
    uint64_t at = x.value ^ flip, to = bound ^ flip, step = x.added;
    if (at == to)
        return 0;
    if (step & top) { // it goes down
        step = (0 - step) & mask;
        way = at > to ? at - to - 1 : at;
    } else {
        way = at < to ? to - at - 1 : mask - at;
    }
    return way / step;
}

static uint64_t rounds_in_lane(const Counting *c, uint32_t step,
                               uint32_t lane) {
    const VmInstr *in = c->seen->steps[step];
    Side a = side_of(c, step, 0, lane), b = side_of(c, step, 1, lane);
    PtxType type = in->ptx->types[0];
    uint64_t mask = value_mask(&vm_srcs(in)[0]);
    bool is_signed = type >= PTX_S16 && type <= PTX_S64;
    if (a.added && b.added)
        return 0;
    if (a.added)
        return rounds_to(a, b.value, mask, is_signed);
    return b.added ? rounds_to(b, a.value, mask, is_signed) : UINT64_MAX;
}

// False: the rounds to come are not known.
static bool look_ahead(const Counting *c, uint32_t step) {
    VmCounted *seen = c->seen;
    const VmInstr *in = seen->steps[step];
    if (!reads_counter(c, step))
        return true;
    if (!keeps_count(in))
        return false;
    if (in->op != PTX_OP_SETP)
        return true;
    EACH_LANE(l, c->f->mask) {
        uint64_t rounds = rounds_in_lane(c, step, l);
        if (rounds < seen->rounds)
            seen->rounds = rounds;
    }
    return seen->rounds > 0;
}

// ---- the look ------------------------------------------------------------

// Clocks stand still, but for the one time before the last round.
static bool goes_on_alike(Counting *c, uint64_t most) {
    VmTurns *turns = &c->w->vm->turns;
    VmVisit visit = {note_step, c, false};
    bool alike = true;
    uint64_t stood = 0; // ticks
    for (c->round = 0; c->round <= ROUNDS && alike; c->round++) {
        uint64_t ran = 0;
        if (c->round == ROUNDS) {
            turns->tick += stood;
            stood = 0;
        }
        c->step = c->counter = 0;
        turns->hold.stands = c->round != ROUNDS;
        alike = vm_warp_round(c->w, c->f, most, &ran, &visit);
        stood += ran;
        c->seen->length = ran;
    }
    turns->hold.stands = false;
    turns->tick += stood;
    return alike;
}

// They stand still in a round, and move on by `apart` before each; before the
// first they may have moved on by less.
static bool goes_on_by_the_clock(Counting *c, uint64_t most, uint64_t apart) {
    VmTurns *turns = &c->w->vm->turns;
    VmVisit visit = {note_step, c, false};
    uint64_t first = 0;
    turns->hold.stands = true;
    turns->tick += apart;
    bool alike = vm_warp_round(c->w, c->f, most, &first, NULL);
    for (c->round = 0; c->round <= ROUNDS && alike; c->round++) {
        uint64_t ran = 0;
        turns->tick += apart;
        c->step = c->counter = 0;
        alike = vm_warp_round(c->w, c->f, most, &ran, &visit);
    }
    turns->hold.stands = false;
    c->seen->length = apart;
    return alike;
}

bool vm_count_look(VmWarp *w, VmFragment *f, uint64_t most, uint64_t apart) {
    VmEngine *engine = &w->vm->engine;
    if (!engine->counted)
        engine->counted = heap_alloc(1, sizeof *engine->counted);
    Counting c = {.w = w, .f = f, .seen = engine->counted};
    c.seen->count = c.seen->step_count = 0;
    c.seen->rounds = UINT64_MAX;
    bool counts =
        apart ? goes_on_by_the_clock(&c, most, apart) : goes_on_alike(&c, most);
    for (uint32_t i = 0; i < c.seen->step_count && counts; i++)
        counts = look_ahead(&c, i);
    return counts;
}

// Whether the value is in its place when the round is over.
static bool is_left(const VmCounted *counted, uint32_t counter) {
    for (uint32_t i = counter + 1; i < counted->count; i++)
        if (counted->counters[i].ref.off == counted->counters[counter].ref.off)
            return false;
    return true;
}

void vm_count_leap(VmWarp *w, const VmFragment *f, uint64_t rounds) {
    const VmCounted *counted = w->vm->engine.counted;
    for (uint32_t i = 0; i < counted->count; i++) {
        const VmCounter *counter = &counted->counters[i];
        if (!counter->counts || !is_left(counted, i))
            continue;
        EACH_LANE(l, f->mask) {
            uint64_t now = counter->last[l] + rounds * counter->added[l];
            vm_set_lane_u64(w, counter->ref, l, now);
        }
    }
}
