// SPDX-License-Identifier: Apache-2.0
// Whether a fragment is in a loop that repeats itself. It goes round the loop
// until it is back where it was. If its registers are then what they were the
// round before, and it has changed nothing else, it will do the same for ever,
// until somebody else changes something, and need not be run.
//
// Clocks stand still at first, so that a loop that reads one is told apart from
// a loop that counts. All that is executed in a look is executed for good: a
// look is a part of the fragment's turn.
#include "vm/engine/engine.h"
#include "vm/turns/hold.h"

#include <string.h>

enum { ROUNDS = 3 }; // until registers are what they were the round before

typedef struct Look {
    VmWarp *w;
    VmFragment *f;
    uint64_t registers; // a hash of them
    uint64_t ran, most; // instructions
} Look;

// Looks are frequent, and frames have kilobytes. So this hash has four sums,
// whose multiplications overlap. Each step keeps apart what differs in one
// word.
static uint64_t hash_frame(uint64_t hash, const void *bytes, size_t count) {
    enum { SUMS = 4, STEP = SUMS * sizeof(uint64_t) };
    static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15); // odd
    const uint8_t *at = bytes;
    uint64_t sums[SUMS] = {hash, 1, 2, 3}, words[SUMS];
    for (; count >= STEP; count -= STEP, at += STEP) {
        memcpy(words, at, STEP);
        for (int i = 0; i < SUMS; i++) {
            sums[i] = (sums[i] ^ words[i]) * factor;
            sums[i] ^= sums[i] >> 32;
        }
    }
    return hash_bytes(hash_bytes(hash, sums, sizeof sums), at, count);
}

// What the fragment itself knows: the registers of all its calls.
static uint64_t registers_of(const VmFragment *f) {
    uint64_t hash = f->mask;
    for (const VmFrame *frame = f->frame; frame; frame = frame->caller)
        hash = hash_frame(hash, frame->regs, frame->func->frame_bytes);
    return hash;
}

// What it may have changed: memory, barriers, output.
static uint64_t changes_of(const Vm *vm) {
    return vm->turns.progress + vm->output.len;
}

// One round. False: it is no loop, or it has changed something.
static bool goes_round(Look *look) {
    uint64_t before = changes_of(look->w->vm);
    if (!vm_warp_round(look->w, look->f, look->most, &look->ran) ||
        changes_of(look->w->vm) != before)
        return false;
    look->registers = registers_of(look->f);
    return true;
}

static bool comes_to_rest(Look *look) {
    look->registers = registers_of(look->f);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = look->registers;
        if (!goes_round(look))
            return false;
        if (look->registers == before)
            return true;
    }
    return false;
}

static void time_passes(Look *look) {
    look->w->vm->turns.tick += look->ran;
    look->most -= look->ran < look->most ? look->ran : look->most;
    look->ran = 0;
}

VmLoop vm_loop_look(VmWarp *w, VmFragment *f, uint64_t most) {
    VmTurns *turns = &w->vm->turns;
    Look look = {.w = w, .f = f, .most = most};
    turns->hold.stands = true;
    bool rests = comes_to_rest(&look);
    turns->hold.stands = false;
    time_passes(&look);
    uint64_t still = look.registers;
    bool loops = rests && goes_round(&look);
    time_passes(&look);
    if (!loops)
        return LOOP_GOES_ON;
    return look.registers == still ? LOOP_REPEATS : LOOP_BY_CLOCK;
}
