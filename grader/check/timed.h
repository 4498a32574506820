// SPDX-License-Identifier: Apache-2.0
// Runs in modelled time, for model.c: timed.c has one of them, and says of one
// that missed a bar who was the last on the device, and with what.
#ifndef CLCLAB_CHECK_TIMED_H
#define CLCLAB_CHECK_TIMED_H

#include "check/judge.h"

// One run, by what it depends on.
typedef struct Timed {
    uint32_t problem; // its number, from 1
    LabSize size;
    uint64_t arrival; // as in DeviceLaunch
    bool stays;       // for good: the run is cut short, as in DeviceLaunch
} Timed;

// False: the run went wrong, and the check that a plain run like this would
// fail has failed.
bool timed_run(Grade *grade, Arena *arena, const Timed *what, Run *run);
// The check for a run that was not possible fails. Always false.
bool timed_fail_outcome(Grade *grade, RunOutcome outcome, Cause *cause);
// The cycle at which the first place had come to its end.
uint64_t timed_first_end(const DeviceTimeline *line);
// Adds to the finding who left the device at cycle `end`, and what it did after
// `since`; returns how many block indices it finished.
uint32_t timed_add_last(const Grade *grade, const Run *run, FindingPlace place,
                        uint64_t since, uint64_t end, Finding *finding);

#endif
