// SPDX-License-Identifier: Apache-2.0
// The names of a LaunchResult's counters, and of the ways in which a schedule
// can end.
#include "report/internal.h"

#define NAME(id, name) name,
static const char *const KIND_NAMES[] = {DEVICE_KINDS(NAME)};
static const char *const SPACE_NAMES[] = {DEVICE_SPACES(NAME)};
#undef NAME

Counts counts_by_kind(const uint64_t values[DEVICE_KIND_COUNT]) {
    return (Counts){KIND_NAMES, values, DEVICE_KIND_COUNT};
}

Counts counts_by_space(const uint64_t values[DEVICE_SPACE_COUNT]) {
    return (Counts){SPACE_NAMES, values, DEVICE_SPACE_COUNT};
}

const char *run_status_name(RunStatus status) {
    switch (status) {
    case RUN_DONE:
        return "done";
    case RUN_FAULT:
        return "fault";
    case RUN_DEADLOCK:
        return "deadlock";
    case RUN_LIMIT:
        return "limit";
    case RUN_UNSUPPORTED:
    case RUN_REFUSED:
        break;
    }
    return "unsupported";
}
