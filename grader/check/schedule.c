// SPDX-License-Identifier: Apache-2.0
// The schedules that a seed stands for: number 0 ... 7 go through the
// strategies in turn, then every second one is PCT, of depth 1, 2, 3 in turn,
// and the others are random. The same seed and number give the same schedule to
// a lab's kernel and to one of somebody's own.
#include "check/internal.h"

enum { NAMED = STRATEGY_PCT, DEPTHS = 3 };

DeviceSchedule schedule_make(uint64_t seed, uint64_t number) {
    Rng rng = rng_stream(hash_u64(seed), number);
    DeviceSchedule schedule = {.seed = rng_next(&rng),
                               .strategy = STRATEGY_RANDOM};
    if (number < NAMED) {
        schedule.strategy = (DeviceStrategy)number;
    } else if (number % 2 == 0) {
        schedule.strategy = STRATEGY_PCT;
        schedule.depth = 1 + (uint32_t)((number - NAMED) / 2 % DEPTHS);
    }
    return schedule;
}

Str schedule_name(Arena *arena, const DeviceSchedule *schedule) {
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
    };
    Str name = str_from(names[schedule->strategy]);
    if (schedule->strategy == STRATEGY_PCT)
        name = str_format(arena, "PCT-%u", schedule->depth);
    return name;
}
