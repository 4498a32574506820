// SPDX-License-Identifier: Apache-2.0
// Which sizes the schedules of a grading take in turn: the first with four
// times as many blocks as fit (32 on the fake Device), and the one after it.
#include "tests/unit/check_fake.h"
#include "trials/trials.h"

enum { SEED = 7, SCHEDULES = 12, MOST = 4 };

// The size that a schedule of a grading ran at; 0: it did not run.
static int32_t size_of(const Fake *fake, uint64_t number) {
    uint64_t seed = trial_schedule_of(SEED, number).seed;
    for (int i = 0; i < fake->launches; i++)
        if (fake->seeds[i] == seed)
            return fake->sizes[i];
    return 0;
}

static void open_with(Bench *bench, LabTechnique technique,
                      const int32_t *sizes) {
    bench_open(bench, technique);
    bench->options.seed = SEED;
    bench->options.schedules = SCHEDULES;
    bench->lab.size_count = 0;
    for (int i = 0; i < MOST && sizes[i]; i++)
        bench->lab.sizes[bench->lab.size_count++] = (LabSize){{sizes[i], 1, 1}};
}

static const struct {
    int32_t sizes[MOST];
    int32_t even, odd; // of the schedules of such numbers
} CASES[] = {
    {{3968, 4096, 5000, 6000}, 4096, 5000}, // 31, 32, 40 and 47 blocks
    {{3969, 4096, 5000, 6000}, 3969, 4096}, // 32, 32, ...
    {{4096, 5000, 6000}, 4096, 5000},
    {{1000, 20000, 30000}, 20000, 30000},
    {{1000, 3968, 20000}, 20000, 20000}, // the last is taken twice
    {{20000}, 20000, 20000},
    {{20000, 6000}, 20000, 6000},
};

TEST(schedules_take_two_sizes_in_turn) {
    for (size_t c = 0; c < COUNT_OF(CASES); c++) {
        Bench bench;
        open_with(&bench, TECHNIQUE_CLC, CASES[c].sizes);
        CHECK_DOUBLE(bench_grade(&bench)->score, 100);
        for (uint64_t i = 1; i < SCHEDULES; i++)
            if (!CHECK_INT(size_of(&bench.fake, i),
                           i % 2 ? CASES[c].odd : CASES[c].even))
                printf("# case %zu, schedule %u\n", c, (unsigned)i);
        bench_close(&bench);
    }
}

TEST(a_single_schedule_takes_the_size_that_it_has_among_others) {
    for (size_t c = 0; c < COUNT_OF(CASES); c++)
        for (uint64_t i = 1; i < 4; i++) {
            Bench bench;
            open_with(&bench, TECHNIQUE_CLC, CASES[c].sizes);
            bench.options.is_single = true;
            bench.options.single = i;
            CHECK_DOUBLE(bench_grade(&bench)->score, 100);
            CHECK_INT(size_of(&bench.fake, i),
                      i % 2 ? CASES[c].odd : CASES[c].even);
            bench_close(&bench);
        }
}

TEST(a_single_schedule_takes_the_size_that_it_is_given) {
    static const int32_t given[] = {5000, 777}; // of the lab's, and not
    for (size_t g = 0; g < COUNT_OF(given); g++)
        for (uint64_t i = 1; i < 4; i++) {
            Bench bench;
            open_with(&bench, TECHNIQUE_CLC, CASES[0].sizes);
            bench.options.is_single = bench.options.has_size = true;
            bench.options.single = i;
            bench.options.size = (LabSize){{given[g], 1, 1}};
            bench_grade(&bench);
            CHECK_INT(size_of(&bench.fake, i), given[g]);
            bench_close(&bench);
        }
}

// What goes wrong above so many elements fails the schedules of the size that
// has them, and the first of these is shown.
TEST(what_fails_in_the_second_size_alone_is_found_there) {
    for (int32_t above = 3968; above <= 4999; above += 1031) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.missed = 10;
        spoil.only_above = above;           // 4096 has them, or 5000 alone
        spoil.only_schedule = STRATEGY_PCT; // 8, 10: even numbers
        open_with(&bench, TECHNIQUE_CLC, CASES[0].sizes);
        bench.fake.spoil = spoil;
        bench_grade(&bench);
        CHECK_LIST(&bench, CHECK_FAIL, above < 4096 ? "schedules" : "");
        bench_close(&bench);
        spoil.only_schedule = STRATEGY_RANDOM; // 1, 11: odd ones
        open_with(&bench, TECHNIQUE_CLC, CASES[0].sizes);
        bench.fake.spoil = spoil;
        bench_grade(&bench);
        CHECK_LIST(&bench, CHECK_FAIL, "schedules");
        bench_close(&bench);
    }
}

TEST_MAIN(TESTCASE(schedules_take_two_sizes_in_turn),
          TESTCASE(a_single_schedule_takes_the_size_that_it_has_among_others),
          TESTCASE(a_single_schedule_takes_the_size_that_it_is_given),
          TESTCASE(what_fails_in_the_second_size_alone_is_found_there))
