// SPDX-License-Identifier: Apache-2.0
// Launches that do something for ever and come nowhere: warps that hand a flag
// to and fro, or that count their polls. A fragment that only reads rests
// (spin.c); these change what others can see.
//
// From time to time, rarer each time, a launch is looked at in which no block
// has begun or ended since the last look. Its fragments are run for a while in
// whole rounds of their loops, in an order that is drawn. The instructions and
// words that they come to are noted; from these follows what decides where the
// loops go (slice.h). Then they go on in the same way, and each state of what
// decides, and of mbarriers, is noted. If for long none is new, all that they
// can still do is what they have done before: nobody will ever leave. Clocks
// stand still meanwhile; where one is read they leap, and the look is repeated.
//
// All that is executed is executed for good, as a part of the launch's turns.
#include "vm/engine/engine.h"
#include "vm/engine/slice.h"
#include "vm/engine/word.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/turns/turns.h"

#include <string.h>

enum {
    ROUND_MOST = 1024,  // instructions of a turn
    JUMPS_MOST = 3,     // backwards, in a turn
    PART_MOST = 32,     // of a turn that ends anywhere
    LEARN_EACH = 16,    // turns of each warp, to learn
    CLOSE_EACH = 64,    // turns of each warp in a row that may close
    CLOSE_LEAST = 1024, // turns in such a row besides
    RARE = 4,  // it closes at one new state in so many turns of each warp
    RARER = 3, // a look comes this much later than the one before
    STATES_MOST = 1 << 15,
    WARPS_MOST = 4096,
    SHARE = 8, // a look costs at most this part of the launch so far
};
#define FIRST_LOOK (UINT64_C(1) << 22) // steps (steps.c)

// Where a fragment is.
typedef struct Spot {
    const VmFrame *frame; // which may have been left since
    const VmFunc *func;
    uint32_t pc;
} Spot;

typedef struct Livelock {
    Vm *vm;
    VmSlice slice;
    bool learns;
    uint64_t steps, most; // thread-instructions
    uint64_t ran;         // instructions of warps
    Rng rng;
    VmTable values;     // of what decides
    uint64_t sum;       // of these, in global memory
    VmTable sums;       // of these, in each block's shared memory, in each warp
    VmTable states;     // of a warp, with what is in memory
    const VmWarp *turn; // whose turn it was
    VmWarp *away; // its fragment is not where its round began; NULL: none is
    uint32_t away_lane;
    Spot away_spot;
} Livelock;

// ---- the state -----------------------------------------------------------

static uint64_t *sum_of(Livelock *l, uint64_t owner) {
    return owner ? vm_table_at(&l->slice.arena, &l->sums, owner) : &l->sum;
}

// `owner`: of a warp's registers, of a block's shared memory; 0: global memory.
static void set_value(Livelock *l, uint64_t owner, uint64_t key,
                      uint64_t value) {
    uint64_t *at = vm_table_at(&l->slice.arena, &l->values, key);
    uint64_t before = *at ? vm_word_mix(key, *at) : 0;
    *at = value | 1;
    *sum_of(l, owner) += vm_word_mix(key, *at) - before;
}

// The functions that a call returns to, and where.
static uint64_t way_back(const VmFrame *frame) {
    uint64_t hash = frame->depth;
    for (; frame->caller; frame = frame->caller)
        hash = vm_word_mix(hash, (uint64_t)frame->caller->func->ptx->id << 32 |
                                     frame->return_pc);
    return hash;
}

static uint64_t where_warp_is(const VmWarp *w) {
    uint64_t hash = vm_word_warp(w);
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        uint64_t at = (uint64_t)f->frame->func->ptx->id << 32 | f->pc;
        // The order of fragments is of no account.
        hash += vm_word_mix(
            vm_word_mix(vm_word_warp(w), (uint64_t)f->mask << 8 | f->wait),
            vm_word_mix(at, way_back(f->frame)));
    }
    return hash;
}

// Of a phase, only the parity can be waited for.
static uint64_t where_mbarriers_are(const VmCta *cta) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < cta->typed.mbarrier_count; i++) {
        const VmMbarrier *bar = &cta->objects.mbarriers[i];
        uint64_t key = (uint64_t)bar->offset << 2 | (bar->live ? 2 : 0);
        uint64_t arrivals = (uint64_t)(uint32_t)bar->state.pending << 32 |
                            (uint32_t)bar->state.expected;
        hash += vm_word_mix(vm_word_mix(key | (bar->state.phase & 1), arrivals),
                            (uint64_t)bar->state.tx);
    }
    return hash;
}

// Warps are looked at one by one, so that there are not as many states as
// theirs can be combined.
static uint64_t state_of(Livelock *l, const VmWarp *w) {
    uint64_t sum = l->sum + where_warp_is(w) + *sum_of(l, vm_word_warp(w));
    sum += where_mbarriers_are(w->cta);
    sum += vm_word_mix(*sum_of(l, vm_word_block(w->cta)), vm_word_warp(w));
    return hash_u64(sum) | 1;
}

// ---- one instruction -----------------------------------------------------

typedef struct Step {
    VmWarp *w;
    const VmFunc *func;
    const VmInstr *in;
    const VmFrame *frame, *caller;
    const VmInstr *site;   // the call that led to this frame
    uint32_t mask, index;  // index: in the slice, while it learns
    uint64_t at[VM_LANES]; // addresses
} Step;

static bool note_word(Livelock *l, const Step *s, const VmWord *word) {
    uint32_t value;
    if (l->learns)
        return vm_slice_access(&l->slice, s->index, word->key);
    if (!vm_slice_knows_access(&l->slice, s->func, s->in, word->key))
        return false;
    if (ptx_is_load(s->in->op) || !vm_slice_has_word(&l->slice, word->key))
        return true;
    memcpy(&value, word->bytes, sizeof value);
    set_value(l, word->owner, word->key, (uint64_t)value << 1);
    return true;
}

static bool note_memory(Livelock *l, const Step *s) {
    uint32_t bytes =
        (uint32_t)s->in->width * (s->in->elements ? s->in->elements : 1);
    EACH_LANE(lane, s->mask) {
        for (uint32_t i = 0; i < bytes; i += VM_WORD_BYTES) {
            VmWord word = vm_word_at(s->w, s->in, lane, s->at[lane] + i);
            if (word.key && !note_word(l, s, &word))
                return false;
        }
    }
    return true;
}

// A register or a variable has a value. The lanes that are not in the frame
// have no part in it. `lane_bytes`: 0 for a predicate.
static void note_value(Livelock *l, const Step *s, const VmFrame *frame,
                       VmRef ref, size_t lane_bytes) {
    if (!vm_slice_has(&l->slice, frame->func, ref))
        return;
    uint64_t owner = vm_word_warp(s->w), hash = frame->lanes;
    uint64_t key =
        vm_word_mix(owner + hash, vm_slice_key(frame->func, ref)) | 1;
    const uint8_t *at = frame->regs + ref.off;
    uint32_t mask = 0;
    if (lane_bytes == 0) {
        memcpy(&mask, at, sizeof mask);
        hash = vm_word_mix(hash, mask & frame->lanes);
    } else if (frame->lanes == VM_FULL) {
        hash = hash_bytes(hash, at, lane_bytes * VM_LANES);
    } else {
        EACH_LANE(lane, frame->lanes) {
            hash = hash_bytes(hash, at + lane_bytes * lane, lane_bytes);
        }
    }
    set_value(l, owner, key, hash);
}

// A call has copied its arguments, or a return its results.
static void note_copies(Livelock *l, const Step *s, const VmFrame *frame,
                        const VmPlace *places, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        note_value(l, s, frame, vm_slice_ref(&places[i]), places[i].bytes);
}

static void note_results(Livelock *l, const Step *s) {
    const VmInstr *in = s->in;
    if (in->has_call) {
        const VmFrame *callee = s->w->frag->frame;
        note_copies(l, s, callee, callee->func->params, in->call->arg_count);
    } else if (in->op == PTX_OP_RET && s->site) {
        const VmCall *call = s->site->call;
        note_copies(l, s, s->caller, call->results, call->result_count);
    } else if (in->is_frame && ptx_is_store(in->op)) {
        note_value(l, s, s->frame, vm_slice_variable(in), in->memory.stride);
    } else {
        for (uint32_t i = 0; i < in->dst_count; i++)
            note_value(l, s, s->frame, vm_dsts(in)[i], vm_dsts(in)[i].size);
    }
}

static bool is_known(Livelock *l, Step *s) {
    return l->learns ? vm_slice_step(&l->slice, s->func, s->in, &s->index)
                     : vm_slice_knows(&l->slice, s->func, s->in);
}

// False: something has happened that is new, or the run is over.
static bool execute(Livelock *l, VmWarp *w, VmFragment *f) {
    Vm *vm = l->vm;
    Step s = {.w = w,
              .func = f->frame->func,
              .frame = f->frame,
              .caller = f->frame->caller,
              .site = f->frame->site};
    s.in = &s.func->code[f->pc];
    s.mask = vm_warp_enabled(w, f, s.in);
    uint32_t live = w->live, count = vm_count(s.mask);
    bool memory = vm_slice_is_memory(s.in);
    if (!is_known(l, &s))
        return false;
    if (memory) {
        EACH_LANE(lane, s.mask) {
            s.at[lane] = vm_lane_address(w, s.in, lane);
        }
    }
    l->ran++;
    l->steps += count;
    if (f->rest) // it goes on, whatever it was to see
        vm_fragment_rouse(f);
    vm->turns.thread_instructions += count;
    if (!vm_warp_step(w, f) || vm->turns.stopped || w->live != live ||
        vm->turns.event_count || vm->copies.in_flight)
        return false;
    if (!l->learns)
        note_results(l, &s);
    return !memory || note_memory(l, &s);
}

// ---- turns ---------------------------------------------------------------

static VmFragment *fragment_of(VmWarp *w, uint32_t lane) {
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (w->fragments[i].mask >> lane & 1)
            return &w->fragments[i];
    return NULL;
}

static Spot spot_of(const VmFragment *f) {
    return (Spot){f->frame, f->frame->func, f->pc};
}

static bool is_at(const VmFragment *f, Spot spot) {
    return f->pc == spot.pc && f->frame->func == spot.func;
}

// Runs the fragment that has this lane until it is back at `home`, or has
// jumped back often enough: it goes round a loop elsewhere. False: as for
// execute.
static bool run_lane(Livelock *l, VmWarp *w, uint32_t lane, Spot home,
                     uint32_t most) {
    VmFragment *f = fragment_of(w, lane);
    l->turn = w;
    uint32_t jumps = 0;
    Spot last = {0};
    for (uint32_t i = 0; f && f->wait == WAIT_NONE && i < most; i++) {
        jumps += f->frame == last.frame && f->pc < last.pc;
        if (i > 0 && (is_at(f, home) || jumps == JUMPS_MOST))
            break;
        last = spot_of(f);
        if (!execute(l, w, f))
            return false;
        f = fragment_of(w, lane);
    }
    return true;
}

static VmFragment *draw_fragment(Livelock *l, VmWarp *w) {
    uint32_t able = 0, index;
    vm_fragments_merge(w);
    for (uint32_t i = 0; i < w->fragment_count; i++)
        able += w->fragments[i].wait == WAIT_NONE;
    index = (uint32_t)rng_below(&l->rng, able);
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (w->fragments[i].wait == WAIT_NONE && index-- == 0)
            return &w->fragments[i];
    return NULL;
}

// The fragment that is away comes home.
static bool come_home(Livelock *l) {
    VmWarp *w = l->away;
    l->away = NULL;
    return run_lane(l, w, l->away_lane, l->away_spot, ROUND_MOST);
}

static bool take_turn(Livelock *l) {
    VmTurns *turns = &l->vm->turns;
    uint64_t draw = rng_below(&l->rng, 8);
    l->turn = NULL;
    if (l->away && draw < 2)
        return come_home(l);
    if (turns->ready_count == 0)
        return vm_spin_time_out(l->vm);
    VmWarp *w = turns->ready[rng_below(&l->rng, turns->ready_count)];
    VmFragment *f = draw_fragment(l, w);
    if (!f) {
        vm_warp_unready(w);
        return true;
    }
    uint32_t lane = vm_first(f->mask);
    Spot home = spot_of(f);
    if (l->away == w)
        return come_home(l);
    if (l->away || draw > 4)
        return run_lane(l, w, lane, home, ROUND_MOST);
    l->away = w;
    l->away_lane = lane;
    l->away_spot = home;
    return run_lane(l, w, lane, home,
                    1 + (uint32_t)rng_below(&l->rng, PART_MOST));
}

// ---- the look ------------------------------------------------------------

static bool learn(Livelock *l) {
    uint64_t turns = LEARN_EACH * (l->vm->turns.ready_count + 4);
    l->learns = true;
    for (uint64_t i = 0; i < turns; i++)
        if (!take_turn(l) || l->steps > l->most)
            return false;
    l->learns = false;
    vm_slice_close(&l->slice);
    return true;
}

// True: the state of the warp whose turn it was is new.
static bool note_state(Livelock *l) {
    if (!l->turn)
        return false;
    uint64_t *known =
        vm_table_at(&l->slice.arena, &l->states, state_of(l, l->turn));
    bool is_new = *known == 0;
    *known = 1;
    return is_new;
}

// Whether hardly a state is new, of many in a row. A warp that comes nearer to
// its end makes one new in each of its turns, so that it cannot pass.
static bool closes(Livelock *l) {
    uint64_t warps = l->vm->turns.ready_count + 1;
    uint64_t turns = CLOSE_LEAST + CLOSE_EACH * warps, fresh = turns;
    while (fresh * RARE * warps > turns) {
        fresh = 0;
        for (uint64_t i = 0; i < turns; i++) {
            if (!take_turn(l) || l->steps > l->most ||
                l->states.count > STATES_MOST)
                return false;
            fresh += note_state(l);
        }
    }
    return true;
}

// With what it has learnt and noted, once more from where the launch is.
static bool repeats_itself(Livelock *l) {
    static const uint64_t leaps[] = {UINT64_C(1) << 20, UINT64_C(1) << 32,
                                     UINT64_C(1) << 41};
    bool again = learn(l) && closes(l);
    for (size_t i = 0; i < COUNT_OF(leaps) && again && l->slice.reads_clock;
         i++) {
        l->vm->turns.tick += leaps[i];
        l->values = l->sums = l->states = (VmTable){0};
        l->sum = 0;
        l->most += l->most;
        again = closes(l);
    }
    return again;
}

static uint64_t blocks_now(const Vm *vm) {
    return (uint64_t)vm->clc.pending_count << 32 | vm->engine.live_clusters;
}

static bool is_to_be_looked_at(Vm *vm) {
    VmEngine *engine = &vm->engine;
    uint64_t now = blocks_now(vm), steps = vm_steps(vm);
    bool is_same = engine->look_blocks == now && engine->look_at;
    engine->look_at = steps < FIRST_LOOK ? FIRST_LOOK : RARER * steps;
    engine->look_blocks = now;
    return is_same && !vm_may_launch_more(vm) && !vm->trace &&
           !engine->explorer && !vm->time && vm->turns.event_count == 0 &&
           vm->copies.in_flight == 0 && vm->turns.ready_count <= WARPS_MOST;
}

// What it executes does not count for the step limit.
static bool look(Vm *vm) {
    uint64_t before = vm_steps(vm);
    Livelock l = {.vm = vm,
                  .most = before / SHARE,
                  .rng = rng_stream(vm->launch->schedule.seed, 11)};
    vm->turns.hold.stands = true;
    bool repeats = repeats_itself(&l);
    vm->turns.hold.stands = false;
    vm->turns.tick += l.ran;
    vm_steps_excuse(vm, before);
    arena_free(&l.slice.arena);
    return repeats;
}

bool vm_livelock_look(Vm *vm) {
    return is_to_be_looked_at(vm) && look(vm);
}
