// SPDX-License-Identifier: Apache-2.0
// Who stalls, and who goes on: see stall.h. engine/spin.c asks whether a
// cluster comes any further.
#include "vm/turns/stall.h"

#include "vm/turns/turns.h"

enum {
    SITES_MOST = 64,
    LONGEST = 100 * 1000, // ticks, if the cluster always comes further
    AT_ONCE = 4           // in one of so many schedules, answers are not
                          // waited for
};

// When the first release is executed.
static void find_sites(Vm *vm) {
    VmStall *stall = &vm->turns.stall;
    stall->sites = arena_new(&vm->run_arena, const VmInstr *, SITES_MOST);
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const VmFunc *func = vm->program->funcs[i];
        for (uint32_t pc = 0; func && pc < func->code_count; pc++)
            if (func->code[pc].releases && stall->count < SITES_MOST)
                stall->sites[stall->count++] = &func->code[pc];
    }
}

void vm_stall_begin(Vm *vm, const DeviceSchedule *schedule) {
    VmStall *stall = &vm->turns.stall;
    *stall = (VmStall){.first = schedule->site,
                       .rng = rng_stream(schedule->seed, 12)};
    stall->latest_first = rng_below(&stall->rng, 2);
    stall->before_answers = rng_below(&stall->rng, AT_ONCE) == 0;
}

// Whether clusters with this index stall behind it.
static bool is_site(const VmStall *stall, uint32_t index, const VmInstr *in) {
    uint32_t site = (stall->first + index) % (stall->count + 1);
    return site == 0 || stall->sites[site - 1] == in;
}

bool vm_stall_behind(VmWarp *w, VmFragment *f, const VmInstr *in) {
    VmTurns *turns = &w->vm->turns;
    if (!turns->stall.sites)
        find_sites(w->vm);
    if (f->wait != WAIT_NONE ||
        !is_site(&turns->stall, w->cta->cluster->index, in))
        return false;
    f->deferred = DEFERRED_STALLED;
    f->rest = REST_UNTIL_TICK;
    f->rest_until = turns->tick + LONGEST;
    f->wake_at = UINT64_MAX;
    f->stalled_at = turns->tick;
    w->turns.slept = true;
    w->yields = true;
    return true;
}

// ---- going on ------------------------------------------------------------

typedef struct Choice {
    VmStall *stall;
    VmFragment *chosen;
    uint32_t seen;
} Choice;

static void look_at(Choice *choice, VmFragment *f) {
    VmStall *stall = choice->stall;
    choice->seen++;
    if (!choice->chosen ||
        (stall->latest_first ? f->stalled_at > choice->chosen->stalled_at
                             : rng_below(&stall->rng, choice->seen) == 0))
        choice->chosen = f;
}

bool vm_stall_let_go(VmCluster *cluster) {
    Choice choice = {.stall = &cluster->vm->turns.stall};
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        for (uint32_t n = 0; n < cta->warp_count; n++) {
            VmWarp *w = &cta->warps[n];
            for (uint32_t k = 0; k < w->fragment_count; k++)
                if (vm_is_stalled(&w->fragments[k]))
                    look_at(&choice, &w->fragments[k]);
        }
    }
    if (choice.chosen)
        vm_fragment_rouse(choice.chosen);
    return choice.chosen != NULL;
}
