// SPDX-License-Identifier: Apache-2.0
// Whether a fragment is in a loop that repeats itself. It goes round the loop
// until it is back where it was. If its registers are then what they were the
// round before, and it has changed nothing else, it will do the same for ever,
// until somebody else changes something, and need not be run.
//
// Clocks stand still, so that a loop that reads one is told apart from a loop
// that counts. All that is executed in a look is executed for good: a look is a
// part of the fragment's turn.
#include "vm/engine/engine.h"
#include "vm/engine/word.h"
#include "vm/turns/hold.h"

#include <string.h>

enum { ROUNDS = 3 }; // until registers are what they were the round before

typedef struct Look {
    VmWarp *w;
    VmFragment *f;
    uint64_t ran, most; // instructions
} Look;

// What the fragment itself knows: the registers of all its calls. They have
// kilobytes, and looks are frequent: where a loop counts, a comparison soon
// finds a difference.
static void keep_registers(const Look *look) {
    VmSeen *seen = &look->w->vm->engine.seen;
    size_t bytes = 0;
    for (const VmFrame *f = look->f->frame; f; f = f->caller)
        bytes += f->func->frame_bytes;
    if (bytes > seen->capacity) {
        heap_free(seen->registers);
        *seen = (VmSeen){heap_alloc(bytes, 1), bytes};
    }
    uint8_t *to = seen->registers;
    for (const VmFrame *f = look->f->frame; f; f = f->caller) {
        memcpy(to, f->regs, f->func->frame_bytes);
        to += f->func->frame_bytes;
    }
}

// A round ends in the frame in which it began.
static bool are_kept(const Look *look) {
    const uint8_t *seen = look->w->vm->engine.seen.registers;
    for (const VmFrame *f = look->f->frame; f; f = f->caller) {
        if (memcmp(seen, f->regs, f->func->frame_bytes) != 0)
            return false;
        seen += f->func->frame_bytes;
    }
    return true;
}

// One round. False: it is no loop, or it has changed something.
static bool goes_round(Look *look) {
    return vm_warp_round(look->w, look->f, look->most, &look->ran, NULL);
}

// Another one, of which is known what it reads.
static bool watch_round(Look *look) {
    return vm_watch_round(look->w, look->f, look->most, &look->ran);
}

typedef enum Registers {
    NO_LOOP,
    THEY_CHANGE, // in each round
    THEY_STAY,
} Registers;

// All rounds but the first are watched, which is rarely the last.
static Registers go_round(Look *look) {
    for (int i = 0; i < ROUNDS; i++) {
        keep_registers(look);
        if (!(i ? watch_round(look) : goes_round(look)))
            return NO_LOOP;
        if (are_kept(look))
            return i || watch_round(look) ? THEY_STAY : NO_LOOP;
    }
    return THEY_CHANGE;
}

static void time_passes(Look *look) {
    look->w->vm->turns.tick += look->ran;
    look->most -= look->ran < look->most ? look->ran : look->most;
    look->ran = 0;
}

VmLoop vm_loop_look(VmWarp *w, VmFragment *f, uint64_t most) {
    VmTurns *turns = &w->vm->turns;
    Look look = {.w = w, .f = f, .most = most};
    f->watch.count = 0;
    turns->hold.stands = true;
    turns->looked_at_clock = false;
    Registers registers = go_round(&look);
    turns->hold.stands = false;
    time_passes(&look);
    if (registers == THEY_CHANGE && vm_count_look(w, f, look.most, 0))
        return w->vm->engine.counted->rounds == UINT64_MAX ? LOOP_REPEATS
                                                           : LOOP_COUNTS;
    if (registers != THEY_STAY)
        return LOOP_GOES_ON;
    return turns->looked_at_clock ? LOOP_BY_CLOCK : LOOP_REPEATS;
}
