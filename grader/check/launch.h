// SPDX-License-Identifier: Apache-2.0
// The state of one call of check_launch, shared by launch.c and launch_*.c.
#ifndef CLCLAB_CHECK_LAUNCH_H
#define CLCLAB_CHECK_LAUNCH_H

#include "check/trace.h"

enum {                 // bytes
    CHUNK = 64 * 1024, // of a buffer that are held at a time
    WORD = 4,
};

typedef struct Launching {
    Grade grade; // what causes are made from: no lab, no result
    const LaunchRequest *request;
    LaunchResult *result;
    uint64_t *offsets; // [argument_count]: bytes, in the parameter block
    uint64_t arg_bytes;
    uint32_t *buffers;   // [argument_count]: as numbered by the device
    uint64_t *addresses; // [argument_count]: of buffers
    uint64_t workspace;  // as in DeviceLaunch
    Str *first;          // [argument_count]: buffers after the first schedule;
                         // NULL: not needed
    bool comparable;     // buffers are compared, and the first schedule ended
    bool knows_steps;
    uint64_t steps;               // of the plain schedule, if knows_steps
    uint64_t step_limit;          // thread-instructions of a run
    bool is_helper;               // the caller takes what it gives
    struct LaunchHelper *helpers; // [workers of the crew]; NULL: not needed yet
    LaunchFinding **differs; // [argument_count]: this buffer differs; NULL: not
                             // seen so far
    DeviceExploration *exploration; // NULL: no exhaustive search
    Diag *error;                    // why the device refused
} Launching;

// launch_memory.c
void launch_place_params(Launching *l); // where the parameters are
// Loads the module and makes the buffers; fills in the parameter block. False,
// with *l->error.
bool launch_load(Launching *l, uint8_t *block);

// launch_output.c
// Reads [at, at + count) of the buffer of argument `index`.
bool launch_read(Launching *l, size_t index, uint64_t at, void *out,
                 uint64_t count);
void launch_keep_outputs(Launching *l); // for the comparisons to come
// Of each argument, after a run; NULL: there is nothing to compare with. What
// it keeps of this schedule is in `arena`.
MemoryDifference *launch_differences(Launching *l, Arena *arena,
                                     const Run *run);

// launch_task.c
// What the trial runs. False: as launch_run, which it may need.
bool launch_make_run(Launching *l, const Trial *trial, Run *run);
// Launches the schedule that *run names. False: it was refused, and *l->error
// says why.
bool launch_run(Launching *l, Arena *scratch, Run *run);

// launch_trial.c: for TrialClient, with Launchings as contexts.
// What a trial has shown.
typedef struct LaunchShown {
    Run run;
    MemoryDifference *differences; // as launch_differences gives them
} LaunchShown;
bool launch_trial_run(void *context, Arena *arena, const Trial *trial,
                      TrialSeen *seen);
void *launch_trial_worker(void *context, size_t number);
// How schedules are shared out. _end frees what that has taken.
ShareThreads launch_trial_threads(Launching *l);
void launch_trial_end(Launching *l);

// launch_show.c
// What a run leaves in the result: its line; and, of the first schedule, the
// fate of the blocks, the counters and the modelled time.
LaunchSchedule *launch_show_schedule(Launching *l, const Run *run);
void launch_show(Launching *l, const Run *run);
// The trace of a run that was recorded because of the cause; NULL: because of
// none.
const RunTrace *launch_trace(Launching *l, const Cause *cause, const Run *run);

// launch_advise.c: tries edits for the first error, and sets its cause's
// advice. `whole` is check_launch, which calls this.
typedef bool LaunchWhole(Arena *arena, const LaunchRequest *request,
                         Device *device, LaunchResult *result, Str *outputs,
                         Diag *error);
void launch_advise(Launching *l, LaunchWhole *whole);

#endif
