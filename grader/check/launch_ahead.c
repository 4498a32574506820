// SPDX-License-Identifier: Apache-2.0
// Schedules of clclab run by several workers at the same time: read upwards
// from launch_done_ahead. Each worker has a device, and buffers on it.
// Schedules are run in rounds of a few; launch.c takes what they gave in their
// order, and judges it as if it had run them itself.
//
// A schedule that does not come to its end, is refused, or takes far more steps
// than the first one, is left to launch.c, and none behind it is begun before
// that has been done. So the report does not depend on the number of workers.
#include "check/launch.h"

#include <stdatomic.h>

enum { EACH = 8, TIMES_EXPECTED = 8 }; // schedules of a round for each worker

static const uint64_t SPARE_STEPS = 1000 * 1000;

typedef struct Helper {
    Launching launching; // a copy with a device of its own
    Arena arena;         // of its results
    Diag error;
} Helper;

struct LaunchAhead {
    Launching *l;
    Helper *helpers; // [worker_count]: 0 has the device of *l
    size_t worker_count;
    bool is_counted; // worker_count has been cut to what memory there is
    uint64_t end;    // the number behind the last schedule
    LaunchTask *tasks;
    size_t count;       // of this round
    atomic_size_t next; // task
};

// ---- one schedule --------------------------------------------------------

// A kernel that loops for ever under one schedule must not take all workers.
static uint64_t steps_allowed(const Launching *l) {
    uint64_t limit = l->request->step_limit;
    uint64_t first = l->result->schedules[0].thread_instructions;
    if (first > (UINT64_MAX - SPARE_STEPS) / TIMES_EXPECTED)
        return limit;
    uint64_t expected = SPARE_STEPS + TIMES_EXPECTED * first;
    return expected < limit ? expected : limit;
}

// The next run on that device may free what a finding names.
static void keep_findings(LaunchTask *task) {
    DeviceRun *device = &task->run.device;
    Finding *kept = arena_new(&task->arena, Finding, device->finding_count + 1);
    for (size_t i = 0; i < device->finding_count; i++)
        kept[i] = *finding_copy(&task->arena, &device->findings[i]);
    device->findings = kept;
}

static bool comes_to_its_end(const LaunchTask *task) {
    switch (task->run.device.status) {
    case RUN_DONE:
    case RUN_FAULT:
    case RUN_DEADLOCK:
        return true;
    case RUN_LIMIT:
    case RUN_UNSUPPORTED:
    case RUN_REFUSED:
        break;
    }
    return false;
}

static void work(void *context, size_t number) {
    LaunchAhead *ahead = context;
    size_t at;
    if (number >= ahead->worker_count)
        return;
    Launching *l = &ahead->helpers[number].launching;
    while ((at = atomic_fetch_add(&ahead->next, 1)) < ahead->count) {
        LaunchTask *task = &ahead->tasks[at];
        task->has_begun = true;
        task->is_done = launch_do(l, task) && comes_to_its_end(task);
        if (task->is_done)
            keep_findings(task);
        else
            atomic_store(&ahead->next, ahead->count);
    }
}

// ---- a round -------------------------------------------------------------

// The buffers are each worker's own, so that all are too much for some machine
// on which one has room.
static void cut_to_memory(LaunchAhead *ahead) {
    uint64_t each = heap_peak(), most = ahead->l->request->memory;
    if (!ahead->is_counted && each > 0 && most / each < ahead->worker_count)
        ahead->worker_count = most / each ? (size_t)(most / each) : 1;
    ahead->is_counted = true;
}

// Takes over what is known since the first schedule has been run.
static void brief_helper(LaunchAhead *ahead, size_t number) {
    Launching *l = ahead->l;
    Helper *helper = &ahead->helpers[number];
    size_t count = l->request->argument_count;
    bool is_new = !helper->launching.buffers;
    uint32_t *buffers = is_new ? arena_new(&helper->arena, uint32_t, count + 1)
                               : helper->launching.buffers;
    uint64_t *addresses = is_new
                              ? arena_new(&helper->arena, uint64_t, count + 1)
                              : helper->launching.addresses;
    helper->launching = *l;
    helper->launching.grade.arena = &helper->arena;
    if (number)
        helper->launching.grade.device = l->request->helpers[number - 1];
    helper->launching.buffers = buffers;
    helper->launching.addresses = addresses;
    helper->launching.error = &helper->error;
    helper->launching.step_limit = steps_allowed(l);
}

static void free_tasks(LaunchAhead *ahead) {
    for (size_t i = 0; i < ahead->count; i++)
        arena_free(&ahead->tasks[i].arena);
    ahead->count = 0;
}

static void run_round(LaunchAhead *ahead, uint64_t first) {
    free_tasks(ahead);
    cut_to_memory(ahead);
    while (ahead->count < EACH * ahead->worker_count &&
           first + ahead->count < ahead->end) {
        ahead->tasks[ahead->count] =
            (LaunchTask){.number = first + ahead->count};
        ahead->count++;
    }
    if (ahead->worker_count < 2 || ahead->count < 2)
        return;
    for (size_t i = 0; i < ahead->worker_count; i++)
        brief_helper(ahead, i);
    atomic_store(&ahead->next, 0);
    crew_run(ahead->l->request->crew, work, ahead);
}

// ---- the whole -----------------------------------------------------------

LaunchAhead *launch_ahead_new(Launching *l) {
    const LaunchRequest *request = l->request;
    size_t workers = crew_workers(request->crew);
    if (workers < 2 || request->schedules < 3 || request->first != 0)
        return NULL;
    Arena *arena = l->grade.arena;
    LaunchAhead *ahead = arena_new(arena, LaunchAhead, 1);
    ahead->l = l;
    ahead->worker_count = workers;
    ahead->helpers = arena_new(arena, Helper, workers);
    ahead->tasks = arena_new(arena, LaunchTask, EACH * workers);
    ahead->end = request->first + request->schedules;
    return ahead;
}

LaunchTask *launch_done_ahead(LaunchAhead *ahead, uint64_t number) {
    if (!ahead)
        return NULL;
    size_t at = 0;
    while (at < ahead->count && ahead->tasks[at].number != number)
        at++;
    if (at == ahead->count || !ahead->tasks[at].has_begun) {
        run_round(ahead, number);
        at = 0;
    }
    return ahead->tasks[at].is_done ? &ahead->tasks[at] : NULL;
}

void launch_ahead_end(LaunchAhead *ahead) {
    if (!ahead)
        return;
    free_tasks(ahead);
    for (size_t i = 0; i < crew_workers(ahead->l->request->crew); i++)
        arena_free(&ahead->helpers[i].arena);
}
