// SPDX-License-Identifier: Apache-2.0
// The schedules of a launch as trials (trials/): one of them, run before
// anybody judges it, by check_launch itself or by a worker, which has a device,
// and buffers on it.
//
// A worker leaves to check_launch what does not come to its end, is refused, or
// takes far more steps than the first schedule. So the report does not depend
// on the number of workers.
#include "check/launch.h"
#include "result/finding.h"

enum { EACH = 8, TIMES_EXPECTED = 8 }; // schedules of a round for each worker

static const uint64_t SPARE_STEPS = 1000 * 1000;

typedef struct LaunchHelper {
    Launching launching; // a copy with a device of its own
    Arena arena;         // of its results
    Diag error;
} LaunchHelper;

// ---- one schedule --------------------------------------------------------

// The next run on that device may free what a finding names.
static void keep_findings(Arena *arena, DeviceRun *device) {
    Finding *kept = arena_new(arena, Finding, device->finding_count + 1);
    for (size_t i = 0; i < device->finding_count; i++)
        kept[i] = *finding_copy(arena, &device->findings[i]);
    device->findings = kept;
}

static bool comes_to_its_end(const DeviceRun *run) {
    switch (run->status) {
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

// With no more steps than the trial may take.
static bool run_within(Launching *l, Arena *arena, const Trial *trial,
                       Run *run) {
    uint64_t limit = l->step_limit;
    if (!launch_make_run(l, trial, run))
        return false;
    if (trial->most_steps && trial->most_steps < limit)
        l->step_limit = trial->most_steps;
    bool ran = launch_run(l, arena, run);
    l->step_limit = limit;
    return ran;
}

bool launch_trial_run(void *context, Arena *arena, const Trial *trial,
                      TrialSeen *seen) {
    Launching *l = context;
    LaunchShown *shown = arena_new(arena, LaunchShown, 1);
    DeviceRun *device = &shown->run.device;
    if (!run_within(l, arena, trial, &shown->run) ||
        (l->is_helper && !comes_to_its_end(device)))
        return false;
    shown->differences = launch_differences(l, arena, &shown->run);
    if (l->is_helper)
        keep_findings(arena, device);
    *seen = (TrialSeen){.has_ended = device->status == RUN_DONE,
                        .steps = device->counters.thread_instructions,
                        .shown = shown};
    return true;
}

// ---- workers -------------------------------------------------------------

// A kernel that loops for ever under one schedule must not take all workers.
static uint64_t steps_allowed(const Launching *l) {
    uint64_t limit = l->request->step_limit;
    uint64_t first = l->result->schedules[0].thread_instructions;
    if (first > (UINT64_MAX - SPARE_STEPS) / TIMES_EXPECTED)
        return limit;
    uint64_t expected = SPARE_STEPS + TIMES_EXPECTED * first;
    return expected < limit ? expected : limit;
}

// Takes over what is known since the first schedule has been run; its buffers
// are its own.
void *launch_trial_worker(void *context, size_t number) {
    Launching *l = context;
    LaunchHelper *helper = &l->helpers[number];
    Launching before = helper->launching;
    size_t count = l->request->argument_count;
    helper->launching = *l;
    Launching *own = &helper->launching;
    own->is_helper = true;
    own->grade.arena = &helper->arena;
    if (number)
        own->grade.device = l->request->helpers[number - 1];
    own->buffers = before.buffers;
    own->addresses = before.addresses;
    if (!own->buffers) {
        own->buffers = arena_new(&helper->arena, uint32_t, count + 1);
        own->addresses = arena_new(&helper->arena, uint64_t, count + 1);
    }
    own->error = &helper->error;
    own->step_limit = steps_allowed(l);
    return own;
}

ShareThreads launch_trial_threads(Launching *l) {
    const LaunchRequest *request = l->request;
    size_t workers = crew_workers(request->crew);
    if (request->first != 0)
        return (ShareThreads){0};
    l->helpers = arena_new(l->grade.arena, LaunchHelper, workers);
    return (ShareThreads){
        .crew = request->crew, .each = EACH, .memory = request->memory};
}

void launch_trial_end(Launching *l) {
    for (size_t i = 0; l->helpers && i < crew_workers(l->request->crew); i++)
        arena_free(&l->helpers[i].arena);
}
