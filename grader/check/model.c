// SPDX-License-Identifier: Apache-2.0
// What some labs require in addition to pass technique. It is judged on further
// runs of the largest size, in modelled time (docs/time-model.md). Both figures
// are ratios of modelled cycles, so that they depend little on the model and
// mostly on which block does which work when:
//
//   balance   when the last place for a block ends, divided by the mean end of
//             all places: 100% if all of them end together
//   yield     when a kernel of higher priority arrives half-way: how long it
//             waits for the whole device, divided by the mean time that a
//             place takes for one block index
#include "check/internal.h"

static uint64_t percent(uint64_t part, uint64_t whole) {
    return whole ? (part * 100 + whole / 2) / whole : 100;
}

// Repeats the plain run of the largest size in modelled time. Returns false if
// there is nothing to launch, the run does not end or the device does not model
// time.
static bool run_timed(Grade *grade, uint64_t arrival, Run *run) {
    const Run *plain = &grade->runs[grade->run_count - 1];
    Cause unused = {0};
    *run = (Run){.plain = true, .is_timed = true, .arrival = arrival};
    return plain->grid > 0 &&
           run_kernel(grade, grade->arena, plain->size, plain->grid, run,
                      &unused) == OUTCOME_RAN &&
           run->device.status == RUN_DONE && run->device.is_timed;
}

// Adds to the check's figure a ratio that is within its limit.
static void note_figure(Grade *grade, const char *name, uint64_t ratio,
                        uint32_t most) {
    CheckResult *check = grade_check(grade, STR("technique"));
    if (check)
        check->figure =
            str_format(grade->arena, "%.*s%s%s %llu%% (at most %u%%)",
                       STR_ARG(check->figure), check->figure.len ? ", " : "",
                       name, (unsigned long long)ratio, most);
}

static bool judge_balance(Grade *grade, const Run *run, Cause *cause) {
    const DeviceTimeline *line = &run->device.timeline;
    uint64_t ratio = percent(line->cycles * line->places, line->ends);
    if (grade->lab->balance == 0)
        return true;
    if (ratio <= grade->lab->balance) {
        note_figure(grade, "balance", ratio, grade->lab->balance);
        return true;
    }
    *cause = cause_of_case(
        grade, run, grade->kernel_at, CASE_TECHNIQUE_NOT_BALANCED,
        FACTS(FACT(RATIO, ratio), FACT(LIMIT, grade->lab->balance)));
    cause_in_run(grade, run, cause);
    return false;
}

// The mean time that a place takes for one block index, in cycles.
static uint64_t block_time(const Run *run) {
    const DeviceTimeline *line = &run->device.timeline;
    return run->blocks ? line->ends / run->blocks : 0;
}

static bool judge_yield(Grade *grade, const Run *alone, const Run *run,
                        Cause *cause) {
    const DeviceTimeline *line = &run->device.timeline;
    uint64_t ratio = percent(line->all_free, block_time(alone));
    if (ratio <= grade->lab->yield) {
        note_figure(grade, "yield", ratio, grade->lab->yield);
        return true;
    }
    *cause = cause_of_case(
        grade, run, grade->kernel_at, CASE_TECHNIQUE_DOES_NOT_YIELD,
        FACTS(FACT(RATIO, ratio), FACT(LIMIT, grade->lab->yield),
              FACT(CYCLE, line->arrival), FACT(CYCLES, line->all_free)));
    cause_in_run(grade, run, cause);
    return false;
}

bool judge_model(Grade *grade, Cause *cause) {
    const Lab *lab = grade->lab;
    Run alone, run;
    if ((lab->balance == 0 && lab->yield == 0) || grade->run_count == 0 ||
        !run_timed(grade, 0, &alone))
        return true;
    if (!judge_balance(grade, &alone, cause))
        return false;
    return lab->yield == 0 ||
           !run_timed(grade, alone.device.timeline.cycles / 2, &run) ||
           judge_yield(grade, &alone, &run, cause);
}
