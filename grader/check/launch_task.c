// SPDX-License-Identifier: Apache-2.0
// One schedule of a launch, as the device is asked to run it.
#include "check/launch.h"

#include <string.h>

enum {
    LISTED = 64,      // most clusters and chains that a ledger lists
    TRACED = 1 << 20, // likewise, for a trace: its map shows so many
};

static DeviceLaunch device_launch(const Launching *l, const Run *run,
                                  const uint8_t *block) {
    const LaunchRequest *request = l->request;
    DeviceLaunch launch = {
        .kernel = request->kernel->name,
        .dynamic_smem = request->dynamic_smem,
        .args = block,
        .arg_bytes = (size_t)l->arg_bytes,
        .schedule = run->schedule,
        .exploration = l->exploration,
        .step_limit = l->step_limit,
        .unchecked = request->unchecked,
        .ledger_most = run->wish ? TRACED : LISTED,
        .prologue = request->prologue,
        .trace = run->wish,
        .is_untimed = run->is_untimed,
        .grid_workspace = l->workspace,
    };
    memcpy(launch.grid, request->grid, sizeof launch.grid);
    memcpy(launch.block, request->block, sizeof launch.block);
    memcpy(launch.cluster, request->cluster, sizeof launch.cluster);
    return launch;
}

static bool was_refused(Launching *l, const DeviceRun *run) {
    *l->error = run->error;
    if (l->error->what.len == 0)
        l->error->what = STR("the device refused without a reason");
    l->error->what = str_copy(l->grade.arena, l->error->what);
    l->error->help = str_copy(l->grade.arena, l->error->help);
    return false;
}

static bool run_once(Launching *l, Arena *scratch, Run *run) {
    Device *device = l->grade.device;
    uint8_t *block = arena_new(scratch, uint8_t, (size_t)l->arg_bytes + 1);
    if (!launch_load(l, block))
        return false;
    DeviceLaunch launch = device_launch(l, run, block);
    bool ran = device->ops->launch(device, scratch, &launch, &run->device);
    if (!ran || run->device.status == RUN_REFUSED)
        return was_refused(l, &run->device);
    run->grid = (uint32_t)run->device.ledger.totals.grid;
    if (run->plain) {
        l->knows_steps = true;
        l->steps = run->device.steps;
    }
    return true;
}

// In modelled time waiting takes time, so that nobody rests and no wait is seen
// to be endless. So the launch is run without time first; if it does not come
// to an end, that is the run.
bool launch_run(Launching *l, Arena *scratch, Run *run) {
    if (run->plain && l->request->is_timed) {
        Run first = *run;
        first.is_untimed = true;
        if (!run_once(l, scratch, &first))
            return false;
        if (first.device.status == RUN_DEADLOCK ||
            first.device.status == RUN_LIMIT) {
            *run = first;
            return true;
        }
    }
    return run_once(l, scratch, run);
}

// Runs the plain schedule only to count its steps, which PCT needs.
static bool learn_steps(Launching *l) {
    Run plain = {.plain = true};
    Arena scratch = {0};
    bool ran = launch_run(l, &scratch, &plain);
    arena_free(&scratch);
    return ran;
}

bool launch_make_run(Launching *l, const Trial *trial, Run *run) {
    *run = (Run){.plain = trial->number == 0, .number = trial->number};
    if (run->plain)
        return true;
    run->schedule = trial_schedule(trial, l->steps);
    if (run->schedule.strategy == STRATEGY_PCT && !l->knows_steps &&
        !learn_steps(l))
        return false;
    run->schedule.steps = l->steps;
    return true;
}
