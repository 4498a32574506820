// SPDX-License-Identifier: Apache-2.0
// A launch under other schedules than the plain one: all start from the same
// memory, and what each leaves is compared with what the plain one left. What a
// schedule finds that launches or grants blocks out of order is tried again in
// order. Read schedules_run.
//
// Copies of the process share the schedules out (share.c), if that is worth it;
// what they found is told here, in the order of the schedules, and so is the
// same as if there were none.
#include "runtime/core/internal.h"
#include "runtime/core/share.h"

#include <string.h>
#include <time.h>

enum {
    WORD = 4,         // bytes
    ORDER_TRIES = 32, // schedules, in which a finding is tried in order
    MOST_KEYS = 256,  // of findings, by which a copy knows them again
};

// The schedules of a launch together must take so long that copies are worth
// it: two of a small program cost 2 ms; and for each copy, and each MiB that
// the program has had, 40 us more. In nanoseconds:
static const uint64_t LONG_ENOUGH = 10 * 1000 * 1000, EACH_MIB = 40 * 1000;
// Each copy changes all memory of the device.
static const uint64_t MOST_COPIED = UINT64_C(2) << 30; // bytes

// All memory that a kernel of the device can change.
struct Snapshot {
    Device *device;
    VmHeapCopy *heap; // of malloc
    size_t count;
    struct {
        uint8_t *bytes; // a copy; NULL: there was nothing
        ByteSet *written;
        uint64_t size;
    } slots[];
};

// ---- memory --------------------------------------------------------------

Snapshot *schedules_keep(Runtime *r, Device *device) {
    Snapshot *kept =
        heap_alloc(1, sizeof *kept + r->slot_count * sizeof kept->slots[0]);
    kept->device = device;
    kept->heap = vm_save_heap(device);
    kept->count = r->slot_count;
    for (size_t i = 0; i < kept->count; i++) {
        const Slot *slot = &r->slots[i];
        if (!memory_is_there(slot))
            continue;
        kept->slots[i].size = slot->size;
        kept->slots[i].bytes = heap_alloc(1, (size_t)slot->size + 1);
        memcpy(kept->slots[i].bytes, slot->bytes, (size_t)slot->size);
        if (slot->written)
            kept->slots[i].written = byteset_clone(slot->written);
    }
    return kept;
}

static void restore(const Runtime *r, const Snapshot *kept) {
    vm_restore_heap(kept->device, kept->heap);
    for (size_t i = 0; i < kept->count; i++) {
        if (kept->slots[i].bytes)
            memcpy(r->slots[i].bytes, kept->slots[i].bytes,
                   (size_t)kept->slots[i].size);
        if (kept->slots[i].written)
            byteset_assign(r->slots[i].written, kept->slots[i].written);
    }
}

static void drop(Snapshot *kept) {
    for (size_t i = 0; i < kept->count; i++) {
        heap_free(kept->slots[i].bytes);
        byteset_free(kept->slots[i].written);
    }
    vm_drop_heap(kept->heap);
    heap_free(kept);
}

// ---- differences ---------------------------------------------------------

static Str word_at(Arena *arena, const uint8_t *bytes, uint64_t size,
                   uint64_t at) {
    uint32_t word = 0;
    for (uint64_t i = 0; i < WORD && at + i < size; i++)
        word |= (uint32_t)bytes[at + i] << 8 * i;
    float value;
    memcpy(&value, &word, sizeof value);
    return str_format(arena, "0x%08x (u32 %u, f32 %.9g)", word, word,
                      (double)value);
}

static bool differs_at(const uint8_t *a, const uint8_t *b, uint64_t size,
                       uint64_t at) {
    size_t rest = (size_t)(size - at < WORD ? size - at : WORD);
    return memcmp(a + at, b + at, rest) != 0;
}

// What the launch is run with.
typedef struct Trying {
    CudaKernel *kernel;
    const LaunchShape *shape;
    DeviceLaunch *launch;
    const Snapshot *before, *plain; // memory: in front of it, behind the plain
    PlainCost cost;                 // of the plain schedule
} Trying;

// The first allocation that differs from what the plain schedule left; else
// their number.
static size_t first_difference(const Runtime *r, const Snapshot *plain) {
    size_t i = 0;
    while (i < plain->count && (!plain->slots[i].bytes ||
                                memcmp(plain->slots[i].bytes, r->slots[i].bytes,
                                       (size_t)plain->slots[i].size) == 0))
        i++;
    return i;
}

// Of the allocation. The facts are in the arena.
static Finding difference_of(const Runtime *r, Arena *arena, const Trying *t,
                             size_t slot, const char *name) {
    const uint8_t *was = t->plain->slots[slot].bytes,
                  *now = r->slots[slot].bytes;
    uint64_t size = t->plain->slots[slot].size, count = 0, first = 0;
    for (uint64_t at = size; at > 0;) {
        at = (at - 1) / WORD * WORD;
        if (differs_at(was, now, size, at)) {
            count++;
            first = at;
        }
    }
    return (Finding){
        .which = CASE_LAUNCH_MEMORY,
        .level = FINDING_ADVISORY,
        .at = ptx_src(t->kernel->module->ptx, t->kernel->func->loc),
        .facts = facts_copy(
            arena,
            FACTS(FACT_STR(SCHEDULE, str_from(name)), FACT(SIZE, size),
                  FACT(OFFSET, first),
                  FACT_STR(WAS, word_at(arena, was, size, first)),
                  FACT_STR(NOW, word_at(arena, now, size, first)),
                  FACT(COUNT, count), FACT(WORDS, (size + WORD - 1) / WORD))),
    };
}

// ---- the schedules -------------------------------------------------------

// The number goes through the strategies in turn.
static DeviceSchedule schedule_of(const Runtime *r, uint64_t number,
                                  uint64_t steps) {
    Rng rng = rng_stream(hash_u64(r->options.seed), number);
    return (DeviceSchedule){
        .seed = rng_next(&rng),
        .strategy = (DeviceStrategy)(number % STRATEGY_COUNT),
        .depth = 1 + (uint32_t)(number / STRATEGY_COUNT % 3),
        .steps = steps,
        .in_order = r->options.in_order != 0,
    };
}

static void run_schedule(Runtime *r, const Trying *t, Arena *arena,
                         DeviceSchedule schedule, DeviceRun *run) {
    Device *device = t->kernel->module->device;
    t->launch->schedule = schedule;
    restore(r, t->before);
    device->ops->launch(device, arena, t->launch, run);
}

// ---- the order of blocks -------------------------------------------------

// What a schedule that left the order has found, each perhaps because of that.
typedef struct Suspects {
    Finding *items;
    bool
        *is_clear; // by item: the order is not the cause, or it was told before
    size_t count;
} Suspects;

static bool is_same(const Finding *a, const Finding *b) {
    return a->rule == b->rule && a->which == b->which &&
           a->at.line == b->at.line && str_equal(a->at.file, b->at.file);
}

static bool is_any_left(const Suspects *s) {
    for (size_t i = 0; i < s->count; i++)
        if (!s->is_clear[i])
            return true;
    return false;
}

// Runs a schedule in order. What it shows has another cause; so has all, if it
// does not run to its end.
static void try_in_order(Runtime *r, const Trying *t, uint64_t number,
                         Suspects *s) {
    Arena arena = {0};
    DeviceRun run = {0};
    DeviceSchedule schedule = schedule_of(r, number, t->cost.steps);
    schedule.in_order = true;
    run_schedule(r, t, &arena, schedule, &run);
    bool differs = first_difference(r, t->plain) < t->plain->count;
    for (size_t i = 0; i < s->count; i++) {
        s->is_clear[i] |= run.status != RUN_DONE;
        s->is_clear[i] |= s->items[i].which == CASE_LAUNCH_MEMORY && differs;
        for (size_t k = 0; k < run.finding_count; k++)
            s->is_clear[i] |= is_same(&s->items[i], &run.findings[k]);
    }
    arena_free(&arena);
}

// Tries what was found by schedule `number` again in order: in that schedule,
// and in the first of those that were asked for.
static void try_suspects(Runtime *r, const Trying *t, uint64_t number,
                         Suspects *s) {
    uint64_t most =
        r->options.schedules < ORDER_TRIES ? r->options.schedules : ORDER_TRIES;
    if (is_any_left(s))
        try_in_order(r, t, number, s);
    for (uint64_t i = 1; i < most && is_any_left(s); i++)
        try_in_order(r, t, i, s);
    for (size_t i = 0; i < s->count; i++) {
        Finding *f = &s->items[i];
        if (!s->is_clear[i] && f->related_count < COUNT_OF(f->related))
            f->related[f->related_count++] =
                (RelatedPlace){.place = PLACE_NOT_IN_ORDER};
    }
}

// ---- one schedule --------------------------------------------------------

// What a schedule shows, before it is known whether that has been told.
typedef struct Shown {
    Finding *items;
    size_t count;
    bool out_of_order;
} Shown;

static const char *name_of(Arena *arena, uint64_t number) {
    return str_cstring(
        arena, str_format(arena, "schedule %llu", (unsigned long long)number));
}

static Shown show(Runtime *r, const Trying *t, Arena *arena, uint64_t number) {
    DeviceRun run = {0};
    run_schedule(r, t, arena, schedule_of(r, number, t->cost.steps), &run);
    size_t slot = run.status == RUN_DONE ? first_difference(r, t->plain)
                                         : t->plain->count;
    Shown shown = {.items = arena_new(arena, Finding, run.finding_count + 1),
                   .out_of_order = run.out_of_order};
    for (size_t i = 0; i < run.finding_count; i++)
        shown.items[shown.count++] = run.findings[i];
    if (slot < t->plain->count)
        shown.items[shown.count++] =
            difference_of(r, arena, t, slot, name_of(arena, number));
    return shown;
}

static void tell(Runtime *r, const Trying *t, uint64_t number,
                 const Shown *shown) {
    Arena arena = {0};
    Suspects s = {.items = arena_new(&arena, Finding, shown->count + 1),
                  .is_clear = arena_new(&arena, bool, shown->count + 1),
                  .count = shown->count};
    for (size_t i = 0; i < s.count; i++) {
        s.items[i] = shown->items[i];
        s.is_clear[i] = !shown->out_of_order || s.items[i].rule == RULE_LIMIT ||
                        s.items[i].rule == RULE_UNSUPPORTED ||
                        finding_is_told(r, t->kernel, &s.items[i]);
    }
    try_suspects(r, t, number, &s);
    for (size_t i = 0; i < s.count; i++)
        finding_tell_one(r, t->kernel, t->shape, &s.items[i], number);
    arena_free(&arena);
}

// ---- in copies of the process --------------------------------------------

// What a task is done with. The keys are of what this copy has found.
typedef struct Sharing {
    Runtime *r;
    const Trying *t;
    uint64_t keys[MOST_KEYS];
    size_t key_count;
} Sharing;

// A launch tells each finding once: the schedules of one copy come in
// ascending order, so that what it finds again need not be sent.
static bool is_sent(Sharing *s, const Finding *finding) {
    uint64_t key = finding_key(s->t->kernel, finding);
    for (size_t i = 0; i < s->key_count; i++)
        if (s->keys[i] == key)
            return true;
    if (s->key_count < MOST_KEYS)
        s->keys[s->key_count++] = key;
    return false;
}

// A ShareWork.
static void *show_in_copy(void *context, Arena *arena, size_t task) {
    Sharing *s = context;
    Arena scratch = {0};
    Shown shown = show(s->r, s->t, &scratch, task + 1);
    size_t count = 0;
    for (size_t i = 0; i < shown.count; i++)
        if (!is_sent(s, &shown.items[i]))
            shown.items[count++] = shown.items[i];
    Shown *sent = arena_new(arena, Shown, 1);
    *sent = shown;
    sent->count = count;
    sent->items = count ? arena_new(arena, Finding, count) : NULL;
    for (size_t i = 0; i < count; i++)
        sent->items[i] = *finding_copy(arena, &shown.items[i]);
    arena_free(&scratch);
    return sent;
}

static bool is_worth_it(const Runtime *r, const Trying *t, uint64_t copies) {
    uint64_t others = r->options.schedules - 1;
    uint64_t each = t->cost.nanoseconds;
    return each >= LONG_ENOUGH / others &&
           each >=
               (LONG_ENOUGH + copies * (heap_peak() >> 20) * EACH_MIB) / others;
}

// Whether a copy would change the same bytes: the program may share with others
// what it has registered, and what is mapped at reserved addresses is a file.
static bool is_shared(const Slot *slot) {
    return slot->kind == SLOT_MAPPED || slot->kind == SLOT_RESERVED;
}

// How many copies there may be; less than 2: it is not worth it, or not safe.
static size_t copies_for(const Runtime *r, const Trying *t) {
    uint64_t bytes = 1;
    for (size_t i = 0; i < r->slot_count; i++) {
        if (is_shared(&r->slots[i]))
            return 0;
        bytes += memory_is_there(&r->slots[i]) ? r->slots[i].size : 0;
    }
    uint64_t most = MOST_COPIED / bytes;
    uint64_t copies = r->options.jobs < most ? r->options.jobs : most;
    return is_worth_it(r, t, copies) ? (size_t)copies : 0;
}

// ---- the whole -----------------------------------------------------------

uint64_t schedules_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void run_one(Runtime *r, const Trying *t, uint64_t number) {
    Arena arena = {0};
    Shown shown = show(r, t, &arena, number);
    tell(r, t, number, &shown);
    arena_free(&arena);
}

static void run_all(Runtime *r, const Trying *t) {
    Sharing sharing = {.r = r, .t = t};
    Share *share = share_begin(r->options.schedules - 1, copies_for(r, t),
                               show_in_copy, &sharing);
    for (uint64_t i = 1; i < r->options.schedules; i++) {
        const Shown *shown = share_found(share, i - 1);
        if (shown)
            tell(r, t, i, shown);
        else
            run_one(r, t, i);
    }
    share_end(share);
}

void schedules_run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                   DeviceLaunch *launch, Snapshot *before, PlainCost cost) {
    Snapshot *plain = schedules_keep(r, kernel->module->device);
    Trying t = {kernel, shape, launch, before, plain, cost};
    if (r->options.only)
        run_one(r, &t, r->options.only);
    else
        run_all(r, &t);
    restore(r, plain);
    drop(plain);
    drop(before);
}
