// SPDX-License-Identifier: Apache-2.0
// A launch under other schedules than the plain one, as a client of trials/:
// all start from the same memory, and what each leaves is compared with what
// the plain one left. What a schedule finds that launches or grants blocks out
// of order is tried again in order. Read schedules_run.
//
// Copies of the process share the schedules out, if that is worth it; what they
// found is told here, in the order of the schedules, and so is the same as if
// there were none.
#include "runtime/core/schedules.h"
#include "result/finding.h"
#include "runtime/core/finding.h"
#include "runtime/core/launch.h"
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"
#include "trials/trials.h"

#include <string.h>
#include <time.h>

enum { MOST_KEYS = 256 }; // of findings, by which a copy knows them again

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

// What the launch is run with, and by whom.
typedef struct Trying {
    Runtime *r;
    CudaKernel *kernel;
    const LaunchShape *shape;
    DeviceLaunch *launch;
    const Snapshot *before, *plain; // memory: in front of it, behind the plain
    PlainCost cost;                 // of the plain schedule
    bool is_copy; // of the process; then, the keys of what it has found:
    uint64_t keys[MOST_KEYS];
    size_t key_count;
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

static Str bytes_of(const uint8_t *bytes, uint64_t size) {
    return (Str){(const char *)bytes, (size_t)size};
}

// Of the allocation. The facts are in the arena.
static Finding difference_of(Arena *arena, const Trying *t, size_t slot,
                             Str name) {
    static const MemoryForm words = {.element = ELEMENT_WORD};
    uint64_t size = t->plain->slots[slot].size;
    uint32_t word = element_size(words.element);
    MemoryDifference d = {0};
    memory_compare(arena, &words, bytes_of(t->plain->slots[slot].bytes, size),
                   bytes_of(t->r->slots[slot].bytes, size), 0, &d);
    return (Finding){
        .which = CASE_LAUNCH_MEMORY,
        .level = FINDING_ADVISORY,
        .at = ptx_src(t->kernel->module->ptx, t->kernel->func->loc),
        .facts = facts_copy(
            arena,
            FACTS(FACT_STR(SCHEDULE, name), FACT(SIZE, size),
                  FACT(OFFSET, d.at),
                  FACT_STR(WAS, memory_element(arena, words.element, d.was)),
                  FACT_STR(NOW, memory_element(arena, words.element, d.now)),
                  FACT(COUNT, d.words), FACT(WORDS, (size + word - 1) / word))),
    };
}

// ---- one schedule --------------------------------------------------------

// What a trial shows, before it is known whether that has been told.
typedef struct Shown {
    Finding *items;
    size_t count;
    bool out_of_order;
} Shown;

// A launch tells each finding once: the schedules of one copy come in
// ascending order, so that what it finds again need not be sent.
static bool is_sent(Trying *t, const Finding *finding) {
    uint64_t key = finding_key(t->kernel, finding);
    for (size_t i = 0; i < t->key_count; i++)
        if (t->keys[i] == key)
            return true;
    if (t->key_count < MOST_KEYS)
        t->keys[t->key_count++] = key;
    return false;
}

// Keeps in the copy's arena what it has not sent before: the run's own findings
// are in scratch memory.
static void send(Trying *t, Arena *arena, const Shown *found, Shown *sent) {
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++)
        if (!is_sent(t, &found->items[i]))
            found->items[count++] = found->items[i];
    *sent = *found;
    sent->count = count;
    sent->items = arena_new(arena, Finding, count + 1);
    for (size_t i = 0; i < count; i++)
        sent->items[i] = *finding_copy(arena, &found->items[i]);
}

static void run_once(const Trying *t, Arena *arena, const Trial *trial,
                     DeviceRun *run) {
    Device *device = t->kernel->module->device;
    t->launch->schedule = trial_schedule(trial, t->cost.steps);
    restore(t->r, t->before);
    device->ops->launch(device, arena, t->launch, run);
}

static void show(const Trying *t, Arena *arena, const Trial *trial,
                 Shown *shown, TrialSeen *seen) {
    DeviceRun run = {0};
    run_once(t, arena, trial, &run);
    size_t slot = run.status == RUN_DONE ? first_difference(t->r, t->plain)
                                         : t->plain->count;
    *shown = (Shown){.items = arena_new(arena, Finding, run.finding_count + 1),
                     .out_of_order = run.out_of_order};
    for (size_t i = 0; i < run.finding_count; i++)
        shown->items[shown->count++] = run.findings[i];
    if (slot < t->plain->count)
        shown->items[shown->count++] = difference_of(
            arena, t, slot,
            trial_name(arena, trial->number, &t->launch->schedule));
    seen->has_ended = run.status == RUN_DONE;
    seen->steps = run.counters.thread_instructions;
}

static bool run_trial(void *context, Arena *arena, const Trial *trial,
                      TrialSeen *seen) {
    Trying *t = context;
    Arena scratch = {0};
    Shown *shown = arena_new(arena, Shown, 1), found;
    seen->shown = shown;
    if (t->is_copy) {
        show(t, &scratch, trial, &found, seen);
        send(t, arena, &found, shown);
    } else {
        show(t, arena, trial, shown, seen);
    }
    arena_free(&scratch);
    return true;
}

// In a copy of the process, which has all of this for itself.
static void *be_copy(void *context, size_t number) {
    (void)number;
    Trying *t = context;
    t->is_copy = true;
    return t;
}

static bool is_same(const Finding *a, const Finding *b) {
    return a->rule == b->rule && a->which == b->which &&
           a->at.line == b->at.line && str_equal(a->at.file, b->at.file);
}

static bool is_alike(void *context, const void *finding,
                     const TrialSeen *seen) {
    (void)context;
    const Shown *shown = seen->shown;
    for (size_t i = 0; i < shown->count; i++)
        if (is_same(finding, &shown->items[i]))
            return true;
    return false;
}

// ---- telling -------------------------------------------------------------

static TrialClient client_of(Trying *t) {
    return (TrialClient){.context = t, .run = run_trial, .is_alike = is_alike};
}

// Says of the findings of a schedule that left the order which of them need
// that.
static void try_in_order(Trying *t, Arena *arena, const Trial *trial,
                         const Shown *shown, Finding *items) {
    TrialClient client = client_of(t);
    TrialSuspect *suspects = arena_new(arena, TrialSuspect, shown->count + 1);
    for (size_t i = 0; i < shown->count; i++)
        suspects[i] = (TrialSuspect){
            .finding = &shown->items[i],
            .trial = *trial,
            .steps = UINT64_MAX,
            .is_clear = !shown->out_of_order ||
                        !rule_is_retried(items[i].rule) ||
                        finding_is_told(t->r, t->kernel, &items[i])};
    trial_try_in_order(&client, suspects, shown->count);
    for (size_t i = 0; i < shown->count; i++)
        if (!suspects[i].is_clear &&
            items[i].related_count < COUNT_OF(items[i].related))
            items[i].related[items[i].related_count++] =
                (RelatedPlace){.place = PLACE_NOT_IN_ORDER};
}

static bool tell(void *context, const Trial *trial, TrialSeen *seen) {
    Trying *t = context;
    const Shown *shown = seen->shown;
    Arena arena = {0};
    Finding *items = arena_new(&arena, Finding, shown->count + 1);
    for (size_t i = 0; i < shown->count; i++)
        items[i] = shown->items[i];
    try_in_order(t, &arena, trial, shown, items);
    for (size_t i = 0; i < shown->count; i++)
        finding_tell_one(t->r, t->kernel, t->shape, &items[i], trial->number);
    arena_free(&arena);
    return true;
}

// ---- in copies of the process --------------------------------------------

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

static TrialPlan plan_of(const Runtime *r, const Trying *t) {
    const RuntimeOptions *options = &r->options;
    TrialPlan plan = {
        .like = {.seed = options->seed, .in_order = options->in_order != 0},
        .first = 1,
        .end = options->schedules};
    if (options->only) {
        plan.first = options->only;
        plan.end = options->only + 1;
    } else if (plan.end > plan.first) {
        plan.copies = copies_for(r, t);
    }
    return plan;
}

void schedules_run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                   DeviceLaunch *launch, Snapshot *before, PlainCost cost) {
    Snapshot *plain = schedules_keep(r, kernel->module->device);
    Trying t = {.r = r,
                .kernel = kernel,
                .shape = shape,
                .launch = launch,
                .before = before,
                .plain = plain,
                .cost = cost};
    TrialPlan plan = plan_of(r, &t);
    TrialClient client = client_of(&t);
    client.worker = be_copy;
    client.take = tell;
    trial_explore(&client, &plan);
    restore(r, plain);
    drop(plain);
    drop(before);
}
