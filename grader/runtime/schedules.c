// SPDX-License-Identifier: Apache-2.0
// A launch under other schedules than the plain one: all start from the same
// memory, and what each leaves is compared with what the plain one left. Read
// schedules_run.
#include "runtime/internal.h"

#include <string.h>

enum { WORD = 4 }; // bytes

// The bytes of all memory that a kernel can change.
struct Snapshot {
    size_t count;
    struct {
        uint8_t *bytes; // a copy; NULL: there was nothing
        uint64_t size;
    } slots[];
};

// ---- memory --------------------------------------------------------------

Snapshot *schedules_keep(Runtime *r) {
    Snapshot *kept =
        heap_alloc(1, sizeof *kept + r->slot_count * sizeof kept->slots[0]);
    kept->count = r->slot_count;
    for (size_t i = 0; i < kept->count; i++) {
        const Slot *slot = &r->slots[i];
        if (!memory_is_there(slot))
            continue;
        kept->slots[i].size = slot->size;
        kept->slots[i].bytes = heap_alloc(1, (size_t)slot->size + 1);
        memcpy(kept->slots[i].bytes, slot->bytes, (size_t)slot->size);
    }
    return kept;
}

static void restore(const Runtime *r, const Snapshot *kept) {
    for (size_t i = 0; i < kept->count; i++)
        if (kept->slots[i].bytes)
            memcpy(r->slots[i].bytes, kept->slots[i].bytes,
                   (size_t)kept->slots[i].size);
}

static void drop(Snapshot *kept) {
    for (size_t i = 0; i < kept->count; i++)
        heap_free(kept->slots[i].bytes);
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

typedef struct Alternative {
    CudaKernel *kernel;
    const LaunchShape *shape;
    const char *name; // "schedule 3"
} Alternative;

static void tell_difference(Runtime *r, const Alternative *other,
                            const uint8_t *plain, const uint8_t *now,
                            uint64_t size) {
    uint64_t count = 0, first = 0;
    for (uint64_t at = size; at > 0;) {
        at = (at - 1) / WORD * WORD;
        if (differs_at(plain, now, size, at)) {
            count++;
            first = at;
        }
    }
    Arena arena = {0};
    const PtxFunc *func = other->kernel->func;
    Finding finding = {
        .which = CASE_LAUNCH_MEMORY,
        .level = FINDING_ADVISORY,
        .at = ptx_src(other->kernel->module->ptx, func->loc),
        .facts =
            FACTS(FACT_STR(SCHEDULE, str_from(other->name)), FACT(SIZE, size),
                  FACT(OFFSET, first),
                  FACT_STR(WAS, word_at(&arena, plain, size, first)),
                  FACT_STR(NOW, word_at(&arena, now, size, first)),
                  FACT(COUNT, count), FACT(WORDS, (size + WORD - 1) / WORD)),
    };
    finding_tell_one(r, other->kernel, other->shape, &finding, NULL);
    arena_free(&arena);
}

// Tells of the first allocation that differs.
static void compare(Runtime *r, const Alternative *other,
                    const Snapshot *plain) {
    for (size_t i = 0; i < plain->count; i++) {
        const uint8_t *was = plain->slots[i].bytes;
        uint64_t size = plain->slots[i].size;
        if (!was || memcmp(was, r->slots[i].bytes, (size_t)size) == 0)
            continue;
        tell_difference(r, other, was, r->slots[i].bytes, size);
        return;
    }
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
    };
}

static void run_one(Runtime *r, const Alternative *other, DeviceLaunch *launch,
                    const Snapshot *plain) {
    Arena arena = {0};
    DeviceRun run = {0};
    Device *device = other->kernel->module->device;
    device->ops->launch(device, &arena, launch, &run);
    finding_tell(r, other->kernel, other->shape, &run, other->name);
    if (run.status == RUN_DONE)
        compare(r, other, plain);
    arena_free(&arena);
}

void schedules_run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                   DeviceLaunch *launch, Snapshot *before, uint64_t steps) {
    Snapshot *plain = schedules_keep(r);
    for (uint64_t i = 1; i < r->options.schedules; i++) {
        char name[32];
        Arena arena = {0};
        str_fill(name, sizeof name,
                 str_format(&arena, "schedule %llu", (unsigned long long)i));
        arena_free(&arena);
        launch->schedule = schedule_of(r, i, steps);
        restore(r, before);
        run_one(r, &(Alternative){kernel, shape, name}, launch, plain);
    }
    restore(r, plain);
    drop(plain);
    drop(before);
}
