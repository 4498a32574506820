// SPDX-License-Identifier: Apache-2.0
// The probes of a grading (check/probe.c), on the fake Device: which sizes,
// grids and launches there are, and what is said where one of them fails.
#include "tests/unit/check_fake.h"

enum { LISTED = 5 }; // launches of the lab's sizes: for n = 0 there is none

static void open_spoilt(Bench *bench, LabTechnique technique, Spoil spoil) {
    bench_open(bench, technique);
    bench->fake.spoil = spoil;
    bench->options.schedules = 1;
}

// ---- which there are -----------------------------------------------------

TEST(nothing_is_launched_for_no_elements) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench_grade(&bench);
    for (int i = 0; i < bench.fake.launches; i++)
        CHECK(bench.fake.sizes[i] > 0);
    bench_close(&bench);
}

TEST(a_multiple_of_everything_and_its_neighbours) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench_grade(&bench);
    const int32_t *sizes = bench.fake.sizes + LISTED;
    CHECK_INT(sizes[1] % (128 * 2 * FAKE_RESIDENT), 0);
    CHECK_INT(sizes[0], sizes[1] - 1);
    CHECK_INT(sizes[2], sizes[1] + 1);
    bench_close(&bench);
}

TEST(a_size_is_longer_than_8_and_16_bits) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        Bench bench;
        open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
        bench.options.seed = seed;
        bench_grade(&bench);
        const int32_t *sizes = bench.fake.sizes + LISTED;
        CHECK(sizes[3] > 65536);
        CHECK(sizes[3] % 128 != 0);
        // Last but for the far run, with the blocks of one SM.
        int last = bench.fake.launches - 2;
        CHECK_INT(bench.fake.strategies[last], STRATEGY_ONE_SM);
        CHECK(bench.fake.sizes[last] > 256 * FAKE_PER_SM * 128);
        bench_close(&bench);
    }
}

// A counter of rounds wraps later where a round takes two blocks.
TEST(a_round_of_two_requests_comes_more_than_256_times) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench.lab.in_flight = 2;
    bench_grade(&bench);
    int last = bench.fake.launches - 2; // but for the far run
    CHECK_INT(bench.fake.strategies[last], STRATEGY_ONE_SM);
    CHECK(bench.fake.sizes[last] > 2 * 256 * FAKE_PER_SM * 128);
    CHECK_INT(bench.fake.strategies[last - 1], STRATEGY_ONE_SM);
    CHECK(bench.fake.sizes[last - 1] < 2 * 256 * FAKE_PER_SM * 128);
    bench_close(&bench);
}

TEST(the_seed_draws_the_sizes) {
    Bench a, b, c;
    open_spoilt(&a, TECHNIQUE_CLC, fake_spoil_nothing());
    open_spoilt(&b, TECHNIQUE_CLC, fake_spoil_nothing());
    open_spoilt(&c, TECHNIQUE_CLC, fake_spoil_nothing());
    c.options.seed = 8;
    bench_grade(&a);
    bench_grade(&b);
    bench_grade(&c);
    CHECK(memcmp(a.fake.sizes, b.fake.sizes, sizeof a.fake.sizes) == 0);
    CHECK(a.fake.sizes[LISTED + 3] != c.fake.sizes[LISTED + 3]);
    bench_close(&a);
    bench_close(&b);
    bench_close(&c);
}

TEST(many_schedules_bring_a_size_of_more_than_65536_blocks) {
    for (int more = 0; more < 2; more++) {
        Bench bench;
        open_spoilt(&bench, TECHNIQUE_FIXED, fake_spoil_nothing());
        bench.options.schedules = 255 + (uint64_t)more;
        bench_grade(&bench);
        uint32_t most = 0;
        for (int i = 0; i < LISTED + 8; i++)
            if (bench.fake.grids[i] > most && !bench.fake.some[i])
                most = bench.fake.grids[i];
        CHECK_INT(most > 65536, more);
        bench_close(&bench);
    }
}

TEST(some_blocks_of_a_million_are_run) {
    static const LabTechnique techniques[] = {TECHNIQUE_CLC, TECHNIQUE_FIXED,
                                              TECHNIQUE_PERSISTENT};
    for (size_t t = 0; t < COUNT_OF(techniques); t++) {
        Bench bench;
        open_spoilt(&bench, techniques[t], fake_spoil_nothing());
        bench_grade(&bench);
        int count = 0;
        for (int i = 0; i < bench.fake.launches; i++) {
            if (!bench.fake.some[i])
                continue;
            bool persistent = techniques[t] == TECHNIQUE_PERSISTENT;
            CHECK(bench.fake.grids[i] > (persistent ? 1 << 17 : 1 << 20));
            CHECK(bench.fake.sizes[i] > 1 << 26);
            count++;
        }
        CHECK_INT(count, 1);
        bench_close(&bench);
    }
}

TEST(a_persistent_kernel_meets_other_grids) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_PERSISTENT, fake_spoil_nothing());
    bench_grade(&bench);
    const uint32_t *grids = bench.fake.grids + LISTED + 6;
    const int32_t *sizes = bench.fake.sizes + LISTED + 6;
    CHECK_INT(grids[0], 2);
    CHECK_INT(grids[1], 3);
    CHECK(grids[2] % 2 && grids[2] % 3 && grids[2] > 3);
    CHECK((int32_t)grids[3] > (sizes[3] + 127) / 128); // more than work
    CHECK_INT(grids[4], 1);
    CHECK(sizes[4] > 256 * 128); // rounds of its block
    bench_close(&bench);
}

// What the launch before leaves in variables is of another secret, and of other
// data.
TEST(the_second_launch_has_another_secret_and_other_data) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench_grade(&bench);
    const Fake *fake = &bench.fake;
    int second = 0;
    while (second < fake->launches && !fake->kept[second])
        second++;
    CHECK(second > 1 && second < fake->launches);
    CHECK(fake->alphas[second - 1] != fake->alphas[second]);
    CHECK(fake->firsts[second - 1] != fake->firsts[second]);
    CHECK_INT(fake->sizes[second - 1], fake->sizes[second]);
    CHECK_DOUBLE(fake->alphas[0], fake->alphas[second]);
    bench_close(&bench);
}

// Again: the first size of four times as many blocks as fit, with the variables
// kept.
TEST(the_second_launch_is_of_a_size_with_much_to_steal) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench.lab.sizes[0] = (LabSize){{128, 1, 1}};
    bench.lab.sizes[1] = (LabSize){{(4 * FAKE_RESIDENT - 1) * 128, 1, 1}};
    bench.lab.sizes[2] = (LabSize){{4 * FAKE_RESIDENT * 128, 1, 1}};
    bench.lab.sizes[3] = (LabSize){{9 * FAKE_RESIDENT * 128, 1, 1}};
    bench.lab.size_count = 4;
    bench_grade(&bench);
    int again = 0;
    for (int i = 0; i < bench.fake.launches; i++) {
        if (!bench.fake.kept[i])
            continue;
        CHECK_INT(bench.fake.sizes[i], 4 * FAKE_RESIDENT * 128);
        again++;
    }
    CHECK_INT(again, 1);
    bench_close(&bench);
}

TEST(larger_probes_than_the_limit_are_left_out) {
    Bench bench;
    open_spoilt(&bench, TECHNIQUE_CLC, fake_spoil_nothing());
    bench.options.max_size = 20000;
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_PASS);
    for (int i = 0; i < bench.fake.launches; i++)
        CHECK(bench.fake.sizes[i] <= 20000);
    bench_close(&bench);
}

TEST(there_is_no_probe_where_a_listed_size_fails) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.wrong_element = 5;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    fails_alone(&bench, "correct");
    CHECK_INT(bench.fake.launches, LISTED);
    bench_close(&bench);
}

// ---- what is said --------------------------------------------------------

TEST(each_check_fails_at_a_size_that_is_not_listed) {
    Spoil spoils[5];
    static const char *const ids[] = {"rules", "correct", "exactly_once",
                                      "technique", "prologue"};
    for (size_t i = 0; i < COUNT_OF(spoils); i++) {
        spoils[i] = fake_spoil_nothing();
        spoils[i].only_above = 30000;
    }
    spoils[0].rule = RULE_CLC004;
    spoils[1].wrong_element = 5;
    spoils[2].missed = 300;
    spoils[3].wrong_writer = 300;
    spoils[4].prologues = 1;
    for (size_t i = 0; i < COUNT_OF(spoils); i++) {
        Bench bench;
        open_spoilt(&bench, TECHNIQUE_CLC, spoils[i]);
        Cause cause = fails_alone(&bench, ids[i]);
        CHECK(bench.result.ledger.n > 65536);
        CHECK_HOLDS(cause.context, "plain schedule");
        CHECK_STR(cause.replay, "clclab grade 4 my/kernel.cu --seed 7 "
                                "--schedules 1");
        CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
        bench_close(&bench);
    }
}

TEST(an_index_of_few_bits_fails_in_a_large_grid) {
    for (uint32_t bits = 10; bits <= 20; bits += 2) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.index_bits = bits;
        open_spoilt(&bench, TECHNIQUE_CLC, spoil);
        Cause cause = fails_alone(&bench, "exactly_once");
        CHECK_HOLDS(cause.what, "blocks that were looked at in a grid of 104");
        CHECK_HOLDS(cause.what, "not processed");
        CHECK_HOLDS(cause.actual, "never: ");
        CHECK_HOLDS(cause.context, "of which ");
        CHECK_HOLDS(cause.help, bits < 16 ? "keep all of its bits" : "an int");
        CHECK_INT(cause.at.line, 9);
        CHECK_STR(bench_list(&bench, CHECK_SKIP), ""); // schedules passed
        CHECK(bench.result.ledger.n < 1 << 20); // a run of all its blocks
        bench_close(&bench);
    }
}

TEST(a_start_of_few_bits_fails_in_a_large_grid) {
    for (uint32_t bits = 10; bits <= 16; bits += 2) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.index_bits = bits;
        open_spoilt(&bench, TECHNIQUE_PERSISTENT, spoil);
        Cause cause = fails_alone(&bench, "exactly_once");
        CHECK_HOLDS(cause.what, "did not process each of their elements");
        CHECK_HOLDS(cause.actual, "not so: ");
        bench_close(&bench);
    }
}

TEST(a_mistake_in_the_rounds_of_one_sm_fails_schedules) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.only_above = 30000;
    spoil.only_schedule = STRATEGY_ONE_SM;
    spoil.missed = 400;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    Cause cause = fails_alone(&bench, "schedules");
    CHECK_HOLDS(cause.what, "In schedule 5 (one-SM, 0 switches): ");
    CHECK_HOLDS(cause.replay, "--only-schedule 5 --size 7");
    bench_close(&bench);
}

TEST(a_mistake_in_blocks_that_are_started_late_fails_schedules) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.only_above = 30000;
    spoil.only_schedule = STRATEGY_NO_STEAL;
    spoil.missed = 400;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    CHECK_HOLDS(fails_alone(&bench, "schedules").what,
                "In schedule 3 (no-steal");
    bench_close(&bench);
}

TEST(a_second_launch_that_fails_names_the_variable) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.only_second = true;
    spoil.missed = 11;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.what, "In a second launch of the same kernel: 1 of ");
    CHECK_HOLDS(cause.context, "in a second launch of the same kernel");
    CHECK_HOLDS(cause.help, "keep their values from one launch to the next");
    CausePlace last = cause.related[cause.related_count - 1];
    CHECK_HOLDS(last.what, "variable i still holds what the first launch left");
    CHECK_INT(last.at.line, 8); // FAKE_SOURCE: int i
    CHECK(bench.fake.kept[bench.fake.launches - 1]);
    CHECK(!bench.fake.kept[bench.fake.launches - 2]);
    CHECK_INT(bench.fake.sizes[bench.fake.launches - 1],
              bench.fake.sizes[bench.fake.launches - 2]);
    bench_close(&bench);
}

TEST(another_grid_is_told_from_that_of_launch_plan) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.only_grid = 3;
    spoil.missed = 4;
    open_spoilt(&bench, TECHNIQUE_PERSISTENT, spoil);
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.context, "3 blocks of 128 threads, plain schedule, in "
                               "another grid than launch_plan's");
    bench_close(&bench);
}

TEST(a_probe_that_cannot_be_run_is_an_error_of_ours) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.only_second = true;
    spoil.status = RUN_UNSUPPORTED;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_ERROR);
    CHECK_LIST(&bench, CHECK_ERROR, "rules");
    bench_close(&bench);
}

TEST_MAIN(TESTCASE(nothing_is_launched_for_no_elements),
          TESTCASE(a_multiple_of_everything_and_its_neighbours),
          TESTCASE(a_size_is_longer_than_8_and_16_bits),
          TESTCASE(a_round_of_two_requests_comes_more_than_256_times),
          TESTCASE(the_seed_draws_the_sizes),
          TESTCASE(many_schedules_bring_a_size_of_more_than_65536_blocks),
          TESTCASE(some_blocks_of_a_million_are_run),
          TESTCASE(an_index_of_few_bits_fails_in_a_large_grid),
          TESTCASE(a_start_of_few_bits_fails_in_a_large_grid),
          TESTCASE(a_persistent_kernel_meets_other_grids),
          TESTCASE(the_second_launch_is_of_a_size_with_much_to_steal),
          TESTCASE(the_second_launch_has_another_secret_and_other_data),
          TESTCASE(larger_probes_than_the_limit_are_left_out),
          TESTCASE(there_is_no_probe_where_a_listed_size_fails),
          TESTCASE(each_check_fails_at_a_size_that_is_not_listed),
          TESTCASE(a_mistake_in_the_rounds_of_one_sm_fails_schedules),
          TESTCASE(a_mistake_in_blocks_that_are_started_late_fails_schedules),
          TESTCASE(a_second_launch_that_fails_names_the_variable),
          TESTCASE(another_grid_is_told_from_that_of_launch_plan),
          TESTCASE(a_probe_that_cannot_be_run_is_an_error_of_ours), )
