// SPDX-License-Identifier: Apache-2.0
// The schedules that a seed gives. Numbers 0 ... 7 go through the strategies in
// turn; after them every second one is PCT, with depth 1, 2, 3 in turn. Of the
// others, in eights, two pairs of numbers are stalls, one number is patience
// and the rest are random. The same seed and number give the same schedule for
// a lab's kernel, for a kernel of no lab and for a launch of a program.
#include "trials/trials.h"

enum {
    NAMED = STRATEGY_PCT, // schedules that have a strategy each
    FIRST_PATIENCE = 9,
    PATIENCE_EACH = 16,
    FIRST_STALL = 11, // and the odd number behind it
    STALLS_EACH = 8,
};

static bool is_stall(uint64_t number) {
    uint64_t place = number % STALLS_EACH;
    return number >= FIRST_STALL && (place == FIRST_STALL % STALLS_EACH ||
                                     place == FIRST_STALL % STALLS_EACH + 2);
}

// The how-manieth it is.
static uint32_t stall_site(uint64_t number) {
    uint64_t from = number - FIRST_STALL;
    return (uint32_t)(from / STALLS_EACH * 2 + (from % STALLS_EACH != 0));
}

DeviceSchedule trial_schedule_of(uint64_t seed, uint64_t number) {
    Rng rng = rng_stream(hash_u64(seed), number);
    DeviceSchedule schedule = {.seed = rng_next(&rng),
                               .strategy = STRATEGY_RANDOM};
    if (number < NAMED) {
        schedule.strategy = (DeviceStrategy)number;
    } else if (number % 2 == 0) {
        schedule.strategy = STRATEGY_PCT;
        schedule.depth = 1 + (uint32_t)((number - NAMED) / 2 % PCT_DEPTHS);
    } else if (number % PATIENCE_EACH == FIRST_PATIENCE) {
        schedule.strategy = STRATEGY_PATIENCE;
    } else if (is_stall(number)) {
        schedule.strategy = STRATEGY_STALL;
        schedule.site = stall_site(number);
    }
    return schedule;
}

DeviceSchedule trial_schedule(const Trial *trial, uint64_t steps) {
    DeviceSchedule schedule = trial_schedule_of(trial->seed, trial->number);
    schedule.steps = steps;
    schedule.is_limited = trial->is_limited;
    schedule.switches = trial->switches;
    schedule.in_order = trial->in_order;
    return schedule;
}

// ---- names ---------------------------------------------------------------

Str trial_strategy_name(Arena *arena, const DeviceSchedule *schedule) {
    static const char *const names[STRATEGY_COUNT] = {
        [STRATEGY_ROUND_ROBIN] = "round-robin",
        [STRATEGY_RANDOM] = "random",
        [STRATEGY_ALL_STEAL] = "all-steal",
        [STRATEGY_NO_STEAL] = "no-steal",
        [STRATEGY_REFUSE_EARLY] = "refuse-early",
        [STRATEGY_ONE_SM] = "one-SM",
        [STRATEGY_LATE_CTA] = "late-CTA",
        [STRATEGY_SLOW_ANSWER] = "slow-answer",
        [STRATEGY_PCT] = "PCT",
        [STRATEGY_PATIENCE] = "patience",
        [STRATEGY_STALL] = "stall",
    };
    Str name = str_from(names[schedule->strategy]);
    if (schedule->strategy == STRATEGY_PCT)
        name = str_format(arena, "PCT-%u", schedule->depth);
    return name;
}

Str trial_name(Arena *arena, uint64_t number, const DeviceSchedule *schedule) {
    Str name = trial_strategy_name(arena, schedule);
    if (schedule->is_limited)
        name = str_format(arena, "%.*s, %llu switch%s", STR_ARG(name),
                          (unsigned long long)schedule->switches,
                          schedule->switches == 1 ? "" : "es");
    return str_format(arena, "schedule %llu (%.*s)", (unsigned long long)number,
                      STR_ARG(name));
}

// ---- bounds --------------------------------------------------------------

// 1 / probability, rounded up, but at most 2^53: that is more runs than anybody
// makes, and the largest whole number that every reader of JSON keeps exactly.
static uint64_t one_in(double probability) {
    static const double most = 9007199254740992.0;
    double value = probability > 1 / most ? 1 / probability : most;
    uint64_t whole = (uint64_t)value;
    return whole + ((double)whole < value);
}

static double probability_of(const PctBound *bound) {
    double product = (double)bound->warps;
    for (uint32_t i = 1; i < bound->depth; i++)
        product *= (double)bound->steps;
    return 1 / product;
}

PctBound trial_bound(const DeviceSchedule *schedule, const DeviceRun *run) {
    if (schedule->strategy != STRATEGY_PCT)
        return (PctBound){0};
    PctBound bound = {.depth = schedule->depth,
                      .runs = 1,
                      .warps = run->warps ? run->warps : 1,
                      .steps = schedule->steps ? schedule->steps : 1};
    bound.all = probability_of(&bound);
    bound.one_in = bound.all_one_in = one_in(bound.all);
    return bound;
}

void trial_add_bound(PctBound *sums, const PctBound *bound) {
    if (bound->depth == 0)
        return;
    PctBound *sum = &sums[bound->depth - 1];
    sum->depth = bound->depth;
    sum->runs += bound->runs;
    if (bound->warps > sum->warps)
        sum->warps = bound->warps;
    if (bound->steps > sum->steps)
        sum->steps = bound->steps;
    sum->all += bound->all * (1 - sum->all);
    sum->one_in = one_in(probability_of(sum));
    sum->all_one_in = one_in(sum->all);
}
