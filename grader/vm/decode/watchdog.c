// SPDX-License-Identifier: Apache-2.0
// Watchdogs: loops that wait for long, and then trap. Three sets of places in a
// function tell: those to which `pc` leads, those that lead back to it (both:
// its loop), and those from which every way ends in a trap. A call of a
// function that always traps is one as well. What is called in another way is
// not looked at.
#include "vm/decode/spin.h"

enum { DEEPEST = 4 }; // calls that are looked into

typedef struct Watchdog {
    const VmFunc *func;
    uint32_t depth;             // calls that led to it
    bool *ahead, *back, *traps; // by pc
    bool any, all;              // of the places next to one
} Watchdog;

static bool always_traps(const VmFunc *func, uint32_t depth);

// Once it is executed, nothing comes behind it.
static bool is_abort(const Watchdog *dog, const VmInstr *in) {
    if (!in->has_call)
        return PTX_TRAITS[in->op].next == PTX_NEXT_ABORT;
    const VmCall *call = in->call;
    return (call->target &&
            str_equal(call->target->name, STR("__assertfail"))) ||
           (call->callee && dog->depth < DEEPEST &&
            always_traps(call->callee, dog->depth + 1));
}

static bool is_in(const Watchdog *dog, uint32_t pc) {
    return pc < dog->func->code_count && dog->ahead[pc] && dog->back[pc];
}

// ---- visits --------------------------------------------------------------

static void go_ahead(void *context, uint32_t pc, uint32_t next) {
    Watchdog *dog = context;
    (void)pc;
    if (next < dog->func->code_count && !dog->ahead[next])
        dog->any = dog->ahead[next] = true;
}

static void come_back(void *context, uint32_t pc, uint32_t next) {
    Watchdog *dog = context;
    (void)pc;
    dog->any |= next < dog->func->code_count && dog->back[next];
}

static void end_in_trap(void *context, uint32_t pc, uint32_t next) {
    Watchdog *dog = context;
    (void)pc;
    dog->any = true;
    dog->all &= next < dog->func->code_count && dog->traps[next];
}

static void leave_for_trap(void *context, uint32_t pc, uint32_t next) {
    Watchdog *dog = context;
    (void)pc;
    dog->any |=
        next < dog->func->code_count && !is_in(dog, next) && dog->traps[next];
}

// ---- the sets ------------------------------------------------------------

static Watchdog watchdog_new(const VmFunc *func, uint32_t depth) {
    size_t count = func->code_count;
    return (Watchdog){.func = func,
                      .depth = depth,
                      .ahead = heap_alloc(count, sizeof(bool)),
                      .back = heap_alloc(count, sizeof(bool)),
                      .traps = heap_alloc(count, sizeof(bool))};
}

static void watchdog_free(Watchdog *dog) {
    heap_free(dog->ahead);
    heap_free(dog->back);
    heap_free(dog->traps);
}

static void find_ahead(Watchdog *dog, uint32_t pc) {
    dog->ahead[pc] = true;
    do {
        dog->any = false;
        for (pc = 0; pc < dog->func->code_count; pc++)
            if (dog->ahead[pc])
                vm_code_next(dog->func, pc, go_ahead, dog);
    } while (dog->any);
}

// Adds to one of the other sets what `visit` says of the places next to one,
// until there is nothing to add.
static void find(Watchdog *dog, bool *set, VmNextVisit *visit) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = dog->func->code_count; pc-- > 0;) {
            if (set[pc])
                continue;
            dog->any = false;
            dog->all = true;
            vm_code_next(dog->func, pc, visit, dog);
            set[pc] = dog->any && dog->all;
            more |= set[pc];
        }
    }
}

static void find_traps(Watchdog *dog) {
    for (uint32_t pc = 0; pc < dog->func->code_count; pc++) {
        const VmInstr *in = &dog->func->code[pc];
        dog->traps[pc] = in->guard == VM_NONE && is_abort(dog, in);
    }
    find(dog, dog->traps, end_in_trap);
}

static bool always_traps(const VmFunc *func, uint32_t depth) {
    Watchdog dog = watchdog_new(func, depth);
    find_traps(&dog);
    bool always = func->code_count > 0 && dog.traps[0];
    watchdog_free(&dog);
    return always;
}

static bool leaves_for_trap(Watchdog *dog) {
    dog->any = false;
    for (uint32_t pc = 0; pc < dog->func->code_count; pc++) {
        if (!is_in(dog, pc))
            continue;
        dog->any |= is_abort(dog, &dog->func->code[pc]);
        vm_code_next(dog->func, pc, leave_for_trap, dog);
    }
    return dog->any;
}

bool vm_spin_may_trap(const VmFunc *func, uint32_t pc) {
    Watchdog dog = watchdog_new(func, 0);
    find_ahead(&dog, pc);
    dog.back[pc] = true;
    find(&dog, dog.back, come_back);
    find_traps(&dog);
    bool traps = leaves_for_trap(&dog);
    watchdog_free(&dog);
    return traps;
}
