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
    uint64_t steps;          // of the plain schedule, if knows_steps
    uint64_t step_limit;     // thread-instructions of the next run
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
typedef struct LaunchDifference {
    uint64_t words; // that differ, or elements
    uint64_t at;    // byte where the first of them starts
    Str first, now; // its bytes: after the first schedule, and after this one
} LaunchDifference;
// What it keeps of this schedule is in `arena`.
LaunchDifference launch_compare(Launching *l, Arena *arena, size_t index);
// Of each argument, after a run; NULL: there is nothing to compare with.
LaunchDifference *launch_differences(Launching *l, Arena *arena,
                                     const Run *run);
// "0x3f800000 (u32 1065353216, f32 1)"; fewer bytes than an element are shown
// in hex only.
Str launch_element(Arena *arena, ElementType type, Str bytes);

// launch_task.c
// What schedule `number` is. False: as launch_run, which it may need.
bool launch_make_run(Launching *l, uint64_t number, Run *run);
// Launches the schedule that *run names. False: it was refused, and *l->error
// says why.
bool launch_run(Launching *l, Arena *scratch, Run *run);
// A schedule that is run, and its buffers compared, before it is judged.
typedef struct LaunchTask {
    uint64_t number;
    Arena arena; // holds what the others point to
    Run run;
    LaunchDifference *differences; // as launch_differences gives them
    bool has_begun, is_done;       // ahead
} LaunchTask;
// Runs task->number. False: it was refused, and *l->error says why.
bool launch_do(Launching *l, LaunchTask *task);

// launch_ahead.c
typedef struct LaunchAhead LaunchAhead;
// NULL, which the others take: there are no workers.
LaunchAhead *launch_ahead_new(Launching *l);
// Schedules are asked for one after another, after the first, which the caller
// has run. NULL: this one is left to the caller.
LaunchTask *launch_done_ahead(LaunchAhead *ahead, uint64_t number);
void launch_ahead_end(LaunchAhead *ahead);

// launch_show.c
// What a run leaves in the result: its line; and, of the first schedule, the
// fate of the blocks, the counters and the modelled time.
LaunchSchedule *launch_show_schedule(Launching *l, const Run *run);
void launch_show(Launching *l, const Run *run);
// The trace of a run that was recorded because of the cause; NULL: because of
// none.
const RunTrace *launch_trace(Launching *l, const Cause *cause, const Run *run);

#endif
