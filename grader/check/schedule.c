// SPDX-License-Identifier: Apache-2.0
// The schedules that a seed stands for: number 0, 1, ... go through the
// strategies in turn, then all are random. The same seed and number give the
// same schedule to a lab's kernel and to one of somebody's own.
#include "check/internal.h"

DeviceSchedule schedule_make(uint64_t seed, uint64_t number) {
    Rng rng = rng_stream(hash_u64(seed), number);
    return (DeviceSchedule){
        .seed = rng_next(&rng),
        .strategy =
            number < STRATEGY_COUNT ? (DeviceStrategy)number : STRATEGY_RANDOM,
    };
}

Str schedule_strategy_name(DeviceStrategy strategy) {
    static const char *const names[STRATEGY_COUNT] = {
        [STRATEGY_ROUND_ROBIN] = "round-robin",
        [STRATEGY_RANDOM] = "random",
        [STRATEGY_ALL_STEAL] = "all-steal",
        [STRATEGY_NO_STEAL] = "no-steal",
        [STRATEGY_REFUSE_EARLY] = "refuse-early",
        [STRATEGY_ONE_SM] = "one-SM",
        [STRATEGY_LATE_CTA] = "late-CTA",
        [STRATEGY_SLOW_ANSWER] = "slow-answer",
    };
    return str_from(names[strategy]);
}
