// SPDX-License-Identifier: Apache-2.0
// The bounds that technique and prologue are judged by: one fewer, as many, one
// more; in labs of each technique, in the plain schedule and in others, on a
// card and not, with refusals that came early and without. The runs are made by
// hand (check_hand.h): eight blocks, of which four fit.
#include "tests/unit/check_hand.h"

enum { FIT = 4 };

static const LabTechnique TECHNIQUES[] = {TECHNIQUE_FIXED, TECHNIQUE_PERSISTENT,
                                          TECHNIQUE_CLC};

// What a judge hangs on, besides the numbers.
typedef struct Setting {
    LabTechnique technique;
    bool plain, is_card;
    bool early; // a request was refused while blocks were pending; on a card,
                // it may have been
} Setting;

static bool next_setting(Setting *s, uint32_t *number) {
    if (*number == 8 * COUNT_OF(TECHNIQUES))
        return false;
    uint32_t bits = *number % 8;
    *s = (Setting){.technique = TECHNIQUES[*number / 8],
                   .plain = bits & 1,
                   .is_card = bits & 2,
                   .early = bits & 4};
    ++*number;
    return true;
}

static void set(Hand *h, const Setting *s) {
    h->run.plain = s->plain;
    h->grade.info.is_card = s->is_card;
    h->run.device.resident = FIT;
    h->run.device.allow_refusals = s->early && s->is_card;
    h->run.device.ledger.totals.refused_pending = s->early && !s->is_card;
    tally_run(&h->grade, &h->bench.arena, &h->run);
}

static bool expect(bool passes, bool expected, const Setting *s,
                   uint32_t number) {
    bool ok = CHECK(passes == expected);
    if (!ok)
        printf("# technique %d, plain %d, card %d, early %d: %u\n",
               (int)s->technique, s->plain, s->is_card, s->early, number);
    return ok;
}

// ---- prologue ------------------------------------------------------------

// A kernel that steals starts no more blocks than fit, unless refusals made
// blocks leave early; a persistent one does not in the plain schedule.
TEST(no_more_blocks_are_started_than_fit) {
    Setting s;
    for (uint32_t n = 0; next_setting(&s, &n);)
        for (uint32_t started = FIT - 1; started <= FIT + 1; started++) {
            SCOPED_HAND(h, s.technique, 1);
            Cause cause = {0};
            set(&h, &s);
            h.run.device.ledger.totals.started = started;
            bool bounded = s.technique == TECHNIQUE_CLC ||
                           (s.technique == TECHNIQUE_PERSISTENT && s.plain);
            bool may = !bounded || s.early || started <= FIT;
            expect(judge_prologue(&h.grade, &h.run, &cause), may, &s, started);
            if (!may)
                CHECK_INT(number_of(&cause, FACT_STARTED), started);
        }
}

// On a card, places of threads that left are given to other blocks: more start
// than fit with all of their threads, and none need be stolen in so small a
// grid.
TEST(more_blocks_may_start_than_fit_with_all_threads) {
    for (uint64_t later = 0; later <= FIT + 1; later++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 1);
        Cause cause = {0};
        bool is_more = later > FIT;
        set(&h, &(Setting){.technique = TECHNIQUE_CLC, .is_card = true});
        h.run.device.resident_later = later;
        h.run.device.ledger.totals.started = FIT + 1;
        CHECK_INT(judge_prologue(&h.grade, &h.run, &cause), is_more);
        CHECK(is_more || number_of(&cause, FACT_FIT) == FIT);
        h.run.device.ledger.totals.granted = 0;
        h.run.grid = FIT + 1;
        CHECK_INT(judge_technique(&h.grade, &h.run, &cause), is_more);
    }
}

// The grid of a probe is not the one that launch_plan's check has bounded.
TEST(a_persistent_probe_may_start_more) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    Cause cause = {0};
    Setting s = {.technique = TECHNIQUE_PERSISTENT, .plain = true};
    set(&h, &s);
    h.run.device.ledger.totals.started = FIT + 1;
    CHECK(!judge_prologue(&h.grade, &h.run, &cause));
    h.run.has_other_grid = true;
    CHECK(judge_prologue(&h.grade, &h.run, &cause));
}

TEST(each_block_calls_the_prologue_once) {
    for (uint32_t block = 0; block < BLOCKS; block++)
        for (uint32_t calls = 0; calls < 4; calls++) {
            SCOPED_HAND(h, TECHNIQUE_CLC, 1);
            Cause cause = {0};
            tally_run(&h.grade, &h.bench.arena, &h.run);
            h.chains[block].prologues = calls;
            bool passes = judge_prologue(&h.grade, &h.run, &cause);
            CHECK_INT(passes, calls == 1);
            if (passes)
                continue;
            CHECK_U64(number_of(&cause, FACT_BLOCK), block);
            CHECK_U64(number_of(&cause, FACT_TIMES), calls);
        }
}

TEST(a_cluster_of_two_needs_one_call_in_either_block) {
    for (uint32_t calls = 0; calls < 4; calls++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 2);
        Cause cause = {0};
        tally_run(&h.grade, &h.bench.arena, &h.run);
        h.chains[4].prologues = calls & 1;
        h.chains[5].prologues = calls >> 1;
        CHECK_INT(judge_prologue(&h.grade, &h.run, &cause), calls > 0);
    }
}

// ---- technique -----------------------------------------------------------

static void ask_all(Hand *h) {
    for (uint32_t b = 0; b < BLOCKS; b++) {
        h->chains[b].requests = 1;
        h->chains[b].most_in_flight = 1;
    }
}

// In a grid that is larger than what fits, something is stolen, unless in
// another schedule than the plain one refusals came early.
TEST(a_grid_that_does_not_fit_is_stolen_from) {
    Setting s;
    for (uint32_t n = 0; next_setting(&s, &n);)
        for (uint32_t grid = FIT - 1; grid <= FIT + 1; grid++)
            for (uint32_t granted = 0; granted < 2; granted++) {
                if (s.technique != TECHNIQUE_CLC)
                    continue;
                SCOPED_HAND(h, s.technique, 1);
                Cause cause = {0};
                set(&h, &s);
                ask_all(&h);
                h.run.grid = grid;
                h.run.device.ledger.totals.granted = granted;
                bool may = grid <= FIT || granted || (!s.plain && s.early);
                expect(judge_technique(&h.grade, &h.run, &cause), may, &s,
                       grid * 10 + granted);
            }
}

TEST(other_techniques_ask_for_nothing) {
    Setting s;
    for (uint32_t n = 0; next_setting(&s, &n);)
        for (uint32_t requests = 0; requests < 3; requests++) {
            if (s.technique == TECHNIQUE_CLC)
                continue;
            SCOPED_HAND(h, s.technique, 1);
            Cause cause = {0};
            set(&h, &s);
            h.run.device.ledger.totals.requests = requests;
            expect(judge_technique(&h.grade, &h.run, &cause), requests == 0, &s,
                   requests);
        }
}

// Of the blocks that fit, each asks: in the plain schedule, in a grid of at
// least twice as many.
TEST(each_of_the_first_blocks_asks_in_a_grid_of_twice_as_many) {
    Setting s;
    for (uint32_t n = 0; next_setting(&s, &n);)
        for (uint32_t grid = 2 * FIT - 1; grid <= 2 * FIT + 1; grid++)
            for (uint32_t silent = 0; silent < BLOCKS; silent++) {
                if (s.technique != TECHNIQUE_CLC)
                    continue;
                SCOPED_HAND(h, s.technique, 1);
                Cause cause = {0};
                set(&h, &s);
                ask_all(&h);
                h.run.grid = grid;
                h.run.device.ledger.totals.granted = 1;
                h.chains[silent].requests = 0;
                bool must = s.plain && !s.is_card && grid >= 2 * FIT;
                bool may = !must || silent >= FIT;
                expect(judge_technique(&h.grade, &h.run, &cause), may, &s,
                       grid * 10 + silent);
            }
}

// Of five that fit, two clusters of two are started first, and one block of the
// third.
TEST(a_cluster_that_fits_in_part_need_not_ask) {
    for (uint32_t silent = 0; silent < BLOCKS / 2; silent++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 2);
        Cause cause = {0};
        ask_all(&h);
        h.run.device.resident = 5;
        h.run.grid = 10;
        h.run.device.ledger.totals.granted = 1;
        h.chains[2 * silent].requests = h.chains[2 * silent + 1].requests = 0;
        CHECK_INT(judge_technique(&h.grade, &h.run, &cause), silent >= 2);
    }
}

// A lab that wants two requests in flight: some block has had so many, and each
// that stole two blocks. In the plain schedule, in a grid that does not fit.
TEST(as_many_requests_are_in_flight_as_the_lab_says) {
    Setting s;
    for (uint32_t n = 0; next_setting(&s, &n);)
        for (uint32_t most = 1; most <= 3; most++)
            for (uint32_t grid = FIT; grid <= FIT + 1; grid++) {
                if (s.technique != TECHNIQUE_CLC)
                    continue;
                SCOPED_HAND(h, s.technique, 1);
                Cause cause = {0};
                set(&h, &s);
                ask_all(&h);
                h.bench.lab.in_flight = 2;
                h.run.grid = grid;
                h.run.device.ledger.totals.granted = 1;
                h.chains[1].most_in_flight = most;
                bool must = s.plain && !s.is_card && grid > FIT;
                expect(judge_technique(&h.grade, &h.run, &cause),
                       !must || most >= 2, &s, grid * 10 + most);
            }
}

TEST(who_stole_as_many_has_had_as_many_in_flight) {
    for (uint32_t stolen = 1; stolen <= 3; stolen++)
        for (uint32_t most = 1; most <= 3; most++) {
            SCOPED_HAND(h, TECHNIQUE_CLC, 1);
            Cause cause = {0};
            Setting s = {.technique = TECHNIQUE_CLC, .plain = true};
            set(&h, &s);
            ask_all(&h);
            h.bench.lab.in_flight = 2;
            h.run.device.ledger.totals.granted = 1;
            h.chains[0].most_in_flight = 2; // somebody has
            h.chains[2].most_in_flight = most;
            h.chains[2].count = 1 + stolen;
            bool may = stolen < 2 || most >= 2;
            expect(judge_technique(&h.grade, &h.run, &cause), may, &s,
                   stolen * 10 + most);
            if (!may)
                CHECK_INT(cause.finding->which, CASE_TECHNIQUE_FEWER_IN_FLIGHT);
        }
}

// Nobody owns what was never started nor granted.
TEST(a_pending_block_is_nobodys) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    ask_all(&h);
    h.run.grid = FIT;
    CHECK(judge_technique(&h.grade, &h.run, &cause));
    h.entries[6].state = LEDGER_PENDING;
    CHECK(!judge_technique(&h.grade, &h.run, &cause));
    CHECK_U64(number_of(&cause, FACT_BLOCK), 6);
}

// The writer of a block's elements: in a cluster, either block of the one that
// was started as it, or that asked for it.
TEST(a_block_is_written_by_the_cluster_that_owns_it) {
    for (uint32_t by = 0; by < 3; by++) // who asked; 0: it was started
        for (uint32_t writer = 0; writer < BLOCKS; writer++) {
            SCOPED_HAND(h, TECHNIQUE_CLC, 2);
            Cause cause = {0};
            ask_all(&h);
            h.run.grid = FIT; // nothing must be stolen
            h.pieces[6].writers[0] = writer;
            if (by) {
                h.entries[3].state = LEDGER_GRANTED;
                h.entries[3].by_cta = 2 * by;
            }
            uint32_t owner = by ? by : 3;
            h.pieces[7].writers[0] = 2 * owner;
            CHECK_INT(judge_technique(&h.grade, &h.run, &cause),
                      writer / 2 == owner);
        }
}

TEST_MAIN(TESTCASE(no_more_blocks_are_started_than_fit),
          TESTCASE(more_blocks_may_start_than_fit_with_all_threads),
          TESTCASE(a_persistent_probe_may_start_more),
          TESTCASE(each_block_calls_the_prologue_once),
          TESTCASE(a_cluster_of_two_needs_one_call_in_either_block),
          TESTCASE(a_grid_that_does_not_fit_is_stolen_from),
          TESTCASE(other_techniques_ask_for_nothing),
          TESTCASE(each_of_the_first_blocks_asks_in_a_grid_of_twice_as_many),
          TESTCASE(a_cluster_that_fits_in_part_need_not_ask),
          TESTCASE(a_pending_block_is_nobodys),
          TESTCASE(as_many_requests_are_in_flight_as_the_lab_says),
          TESTCASE(who_stole_as_many_has_had_as_many_in_flight),
          TESTCASE(a_block_is_written_by_the_cluster_that_owns_it))
