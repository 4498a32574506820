// SPDX-License-Identifier: Apache-2.0
// What a launch's findings become in the journal. Each is told in full once; if
// another launch shows it, only that it does.
#include "runtime/core/finding.h"
#include "runtime/core/journal.h"
#include "runtime/core/launch.h"
#include "runtime/core/runtime.h"
#include "trials/trials.h"
#include "words/words.h"

#include <sys/mman.h>
#include <unistd.h>

static void add_size(Buf *out, const char *name, CudaDim3 size) {
    buf_printf(out, ", %s %u", name, size.x);
    if (size.y > 1 || size.z > 1)
        buf_printf(out, " x %u", size.y);
    if (size.z > 1)
        buf_printf(out, " x %u", size.z);
}

// "launch 3, grid 16 x 16, block 256"
static Str context_of(Arena *arena, uint64_t launch, const LaunchShape *shape) {
    Buf out = {0};
    buf_printf(&out, "launch %llu", (unsigned long long)launch);
    add_size(&out, "grid", shape->grid);
    add_size(&out, "block", shape->block);
    if (shape->cluster.x > 1 || shape->cluster.y > 1 || shape->cluster.z > 1)
        add_size(&out, "cluster", shape->cluster);
    Str context = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return context;
}

bool finding_is_error(const Finding *finding) {
    return finding->level == FINDING_ERROR;
}

// The virtual machine could not run the kernel, or not to its end.
static bool is_ours(const Finding *finding) {
    return finding->rule == RULE_UNSUPPORTED ||
           finding->which == CASE_LIMIT_STEPS ||
           finding->which == CASE_LIMIT_WORK;
}

// A difference in memory names the schedule itself.
static Str name_of(const Runtime *r, Arena *arena, const Finding *finding,
                   uint64_t number) {
    if (number == 0 || !finding->rule)
        return (Str){0};
    DeviceSchedule schedule = trial_schedule_of(r->options.seed, number);
    return trial_name(arena, number, &schedule);
}

static Cause cause_of(const Runtime *r, Arena *arena, const Finding *finding,
                      uint64_t schedule) {
    Words words = {&words_english, DIALECT_CPP};
    Cause cause = cause_of_finding(arena, finding);
    cause.schedule = name_of(r, arena, finding, schedule);
    if (!finding->rule)
        cause_set_code(arena, &cause, STR("OUTPUT"));
    words_tell(&words, arena, &cause);
    return cause;
}

// Whether the program has memory at this address.
static bool is_of_host(uint64_t address) {
    unsigned char there;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return mincore((void *)(uintptr_t)(address & ~(page - 1)), 1, &there) == 0;
}

// What a pointer that is none of the device is, the virtual machine cannot
// know. Here it runs within the program.
static const Finding *with_reason(Arena *arena, const Finding *finding) {
    const Fact *address = fact_find(finding->facts, FACT_ADDRESS);
    if (finding->which != CASE_MEM001_NO_MEMORY || finding->reason ||
        !address || !is_of_host(address->number))
        return finding;
    Finding *copy = arena_new(arena, Finding, 1);
    *copy = *finding;
    copy->reason = REASON_HOST_POINTER;
    return copy;
}

uint64_t finding_key(const CudaKernel *kernel, const Finding *finding) {
    uint64_t key =
        hash_bytes(finding->rule, kernel->name.ptr, kernel->name.len);
    key = hash_bytes(key, finding->at.file.ptr, finding->at.file.len);
    uint64_t rest[] = {key, finding->at.line, finding->at.col, finding->level};
    return hash_bytes(0, rest, sizeof rest);
}

bool finding_is_told(const Runtime *r, const CudaKernel *kernel,
                     const Finding *finding) {
    uint64_t key = finding_key(kernel, finding);
    const Seen *seen = r->seen;
    while (seen && seen->key != key)
        seen = seen->next;
    return seen != NULL;
}

// *is_new: it has not been seen before.
static Seen *find_seen(Runtime *r, uint64_t key, bool *is_new) {
    for (Seen *seen = r->seen; seen; seen = seen->next)
        if (seen->key == key) {
            *is_new = false;
            return seen;
        }
    Seen *seen = arena_new(&r->arena, Seen, 1);
    *seen = (Seen){r->seen, key, r->seen_count++, r->totals.launches};
    r->seen = seen;
    *is_new = true;
    return seen;
}

void finding_tell_one(Runtime *r, const CudaKernel *kernel,
                      const LaunchShape *shape, const Finding *finding,
                      uint64_t schedule) {
    bool is_new;
    Arena arena = {0};
    Buf record = {0};
    Seen *seen = find_seen(r, finding_key(kernel, finding), &is_new);
    if (is_new) {
        ExecFinding told = {
            .cause =
                cause_of(r, &arena, with_reason(&arena, finding), schedule),
            .advisory = !finding_is_error(finding),
            .is_ours = is_ours(finding),
            .kernel = kernel->name,
            .launch = r->totals.launches,
            .schedule = schedule};
        told.cause.context = context_of(&arena, told.launch, shape);
        journal_finding(&record, r->process, seen->number, &told);
    } else if (seen->launch != r->totals.launches) {
        journal_again(&record, r->process, seen->number);
    }
    seen->launch = r->totals.launches;
    runtime_tell(r, &record);
    arena_free(&arena);
}

void finding_tell(Runtime *r, const CudaKernel *kernel,
                  const LaunchShape *shape, const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        finding_tell_one(r, kernel, shape, &run->findings[i], 0);
}
