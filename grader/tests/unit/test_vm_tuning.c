// SPDX-License-Identifier: Apache-2.0
// What a strategy and a seed determine of a run (vm/engine/tuning.c): over many
// seeds, each number takes all of the values that it may have, and no other.
#include "tests/unit/test.h"
#include "vm/engine/engine.h"
#include "vm/vm.h"

enum { SEEDS = 3000, MOST = 64 };

typedef struct Drawn {
    uint32_t values[MOST];
    size_t count;
} Drawn;

static void note(Drawn *drawn, uint32_t value) {
    for (size_t i = 0; i < drawn->count; i++)
        if (drawn->values[i] == value)
            return;
    if (CHECK(drawn->count < MOST))
        drawn->values[drawn->count++] = value;
}

static VmTuning tuned(DeviceStrategy strategy, uint64_t seed, bool in_order) {
    const DeviceLaunch launch = {0};
    Vm *vm = heap_alloc(sizeof *vm, 1);
    vm->model = vm_model_find(STR("mini"));
    vm->launch = &launch;
    const DeviceSchedule schedule = {.strategy = strategy,
                                     .seed = seed,
                                     .in_order = in_order,
                                     .depth = 3,
                                     .steps = 1000};
    vm_tuning_choose(vm, &schedule);
    VmTuning tuning = vm->tuning;
    heap_free(vm);
    return tuning;
}

// The values of one field over many seeds.
static Drawn drawn_by(DeviceStrategy strategy, size_t field) {
    Drawn drawn = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        VmTuning t = tuned(strategy, seed, false);
        uint32_t value;
        memcpy(&value, (const char *)&t + field, sizeof value);
        note(&drawn, value);
    }
    return drawn;
}

static bool has(const Drawn *drawn, uint32_t value) {
    for (size_t i = 0; i < drawn->count; i++)
        if (drawn->values[i] == value)
            return true;
    return false;
}

// A field takes `count` values from `first` on, each by `step` more than the
// last; with doubles, each is twice the last.
typedef struct Range {
    DeviceStrategy strategy;
    size_t field;
    uint32_t first, count, step;
    bool doubles;
} Range;

static void check_range(const Range *range) {
    Drawn drawn = drawn_by(range->strategy, range->field);
    uint32_t value = range->first;
    CHECK_INT(drawn.count, range->count);
    for (uint32_t i = 0; i < range->count; i++) {
        if (!CHECK(has(&drawn, value)))
            printf("# strategy %d, field %zu: never %u\n", (int)range->strategy,
                   range->field, value);
        value = range->doubles ? 2 * value : value + range->step;
    }
}

#define FIELD(name) offsetof(VmTuning, name)

TEST(what_is_drawn_takes_each_value_and_no_other) {
    static const Range ranges[] = {
        {STRATEGY_RANDOM, FIELD(refuse_per_256), 0, 3, 24, false},
        {STRATEGY_RANDOM, FIELD(quantum_spread), 2, 8, 0, true},
        {STRATEGY_RANDOM, FIELD(quantum_min), 1, 1, 0, false},
        {STRATEGY_RANDOM, FIELD(answer_min), 0, 64, 1, false},
        {STRATEGY_RANDOM, FIELD(answer_spread), 16, 9, 0, true},
        {STRATEGY_RANDOM, FIELD(launch_spread), 1, 11, 0, true},
        {STRATEGY_RANDOM, FIELD(spurious_per_256), 0, 32, 1, false},
        {STRATEGY_RANDOM, FIELD(late_ticks), 0, 2, 4000, false},
        {STRATEGY_RANDOM, FIELD(grants), QUEUE_IN_ORDER, QUEUE_SHUFFLED + 1, 1,
         false},
        {STRATEGY_RANDOM, FIELD(launches), QUEUE_IN_ORDER, QUEUE_SHUFFLED + 1,
         1, false},
        {STRATEGY_PCT, FIELD(refuse_per_256), 0, 3, 24, false},
        {STRATEGY_PCT, FIELD(late_ticks), 0, 1, 0, false},
        {STRATEGY_REFUSE_EARLY, FIELD(refuse_first), 1, 8, 1, false},
        {STRATEGY_REFUSE_EARLY, FIELD(refuse_per_256), 0, 1, 0, false},
        {STRATEGY_NO_STEAL, FIELD(refuse_per_256), 256, 1, 0, false},
        {STRATEGY_ALL_STEAL, FIELD(refuse_per_256), 0, 1, 0, false},
        {STRATEGY_ALL_STEAL, FIELD(launches), QUEUE_REVERSED, 1, 0, false},
        {STRATEGY_ALL_STEAL, FIELD(grants), QUEUE_IN_ORDER, 1, 0, false},
        {STRATEGY_ONE_SM, FIELD(sm_count), 1, 1, 0, false},
        {STRATEGY_RANDOM, FIELD(sm_count), 4, 1, 0, false},
        {STRATEGY_LATE_CTA, FIELD(late_ticks), 20000, 1, 0, false},
        {STRATEGY_SLOW_ANSWER, FIELD(answer_min), 20000, 1, 0, false},
        {STRATEGY_PATIENCE, FIELD(answer_min), 20000, 1, 0, false},
        {STRATEGY_PATIENCE, FIELD(spurious_per_256), 0, 1, 0, false},
        {STRATEGY_PATIENCE, FIELD(late_ticks), 0, 1, 0, false},
        {STRATEGY_STALL, FIELD(refuse_per_256), 0, 3, 24, false},
        {STRATEGY_STALL, FIELD(late_ticks), 0, 1, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        check_range(&ranges[i]);
}

TEST(the_plain_schedule_draws_nothing) {
    VmTuning first = tuned(STRATEGY_ROUND_ROBIN, 0, false);
    for (uint64_t seed = 1; seed < 50; seed++) {
        VmTuning t = tuned(STRATEGY_ROUND_ROBIN, seed, false);
        CHECK(memcmp(&t, &first, sizeof t) == 0);
    }
    CHECK(!first.random_order && !first.random_elect && !first.may_refuse);
    CHECK_INT(first.launches, QUEUE_IN_ORDER);
    CHECK_INT(first.grants, QUEUE_IN_ORDER);
}

TEST(in_order_means_launches_and_grants) {
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            VmTuning t = tuned((DeviceStrategy)strategy, seed, true);
            CHECK_INT(t.launches, QUEUE_IN_ORDER);
            CHECK_INT(t.grants, QUEUE_IN_ORDER);
        }
}

TEST(priorities_and_patience_are_of_their_strategies) {
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        VmTuning t = tuned((DeviceStrategy)strategy, 5, false);
        bool has_priorities =
            strategy == STRATEGY_PCT || strategy == STRATEGY_PATIENCE;
        CHECK_INT(t.priorities, has_priorities);
        CHECK_INT(t.patience, strategy == STRATEGY_PATIENCE);
        CHECK_INT(t.stalls, strategy == STRATEGY_STALL);
        CHECK_INT(t.random_order, strategy != STRATEGY_ROUND_ROBIN);
        CHECK_INT(t.may_refuse, t.refuse_per_256 || t.refuse_first);
    }
}

TEST_MAIN(TESTCASE(what_is_drawn_takes_each_value_and_no_other),
          TESTCASE(the_plain_schedule_draws_nothing),
          TESTCASE(in_order_means_launches_and_grants),
          TESTCASE(priorities_and_patience_are_of_their_strategies))
