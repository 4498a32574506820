// SPDX-License-Identifier: Apache-2.0
// The judges of correct and exactly_once, on runs that are made by hand: how
// often each element and block was processed, what wrong elements have in
// common, and which blocks are listed.
#include "tests/unit/check_hand.h"

// ---- tally.c -------------------------------------------------------------

TEST(blocks_are_counted_by_what_their_elements_hold) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    static const uint32_t times[BLOCKS] = {1, 0, 2, 3, 12, 1, 1, 5};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        process(&h, b, times[b]);
        h.pieces[b].stores = times[b];
    }
    for (uint32_t b = 0; b < BLOCKS; b++)
        check_tally(&h, b, times[b], false);
    CHECK_INT(h.run.elements[0], 1);
    CHECK_INT(h.run.elements[THREADS], 0);
    CHECK_INT(h.run.elements[4 * THREADS], 12);
}

TEST(a_value_is_right_within_a_hundred_thousandth) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    h.after[0] = (float)(h.run.expected[0] * (1 + 0.9e-5));
    h.after[THREADS] = (float)(h.run.expected[THREADS] * (1 - 0.9e-5));
    h.after[2 * THREADS] = (float)(h.run.expected[2 * THREADS] * (1 + 1.2e-5));
    h.after[3 * THREADS] = NAN;
    check_tally(&h, 0, 1, false);
    check_tally(&h, 1, 1, false);
    check_tally(&h, 2, ELEMENT_WRONG, true);
    check_tally(&h, 3, ELEMENT_WRONG, true);
    CHECK_INT(h.run.elements[2 * THREADS], ELEMENT_WRONG);
    CHECK_INT(h.run.elements[2 * THREADS + 1], 1);
}

TEST(blocks_whose_elements_disagree_are_mixed) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    process(&h, 1, 2);
    h.after[THREADS] = h.run.before[THREADS] * 1.5f;
    process(&h, 2, 0);
    h.after[3 * THREADS - 1] = h.run.before[3 * THREADS - 1] * 1.5f;
    process(&h, 3, 0); // was stored to, in vain
    process(&h, 4, 0);
    h.pieces[4].stores = 0;
    check_tally(&h, 1, 2, true);
    check_tally(&h, 2, 1, true);
    check_tally(&h, 3, 0, true);
    check_tally(&h, 4, 0, false);
}

TEST(two_writers_that_ran_at_once_processed_a_block_twice) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    process(&h, 1, 2);
    h.after[THREADS] = h.run.before[THREADS] * 1.5f;
    h.pieces[1].writer_count = 2;
    h.pieces[1].writers[1] = 0; // of the same cluster
    check_tally(&h, 1, 2, false);
    h.after[THREADS] = h.run.before[THREADS]; // not at all
    check_tally(&h, 1, 2, true);
    h.after[THREADS] = 99;
    check_tally(&h, 1, ELEMENT_WRONG, true);
    // Of two clusters: twice, whatever the elements say of it.
    store_too(&h, 4, 2 * THREADS, 3 * THREADS);
    check_tally(&h, 2, 2, false);
    store_too(&h, 5, 2 * THREADS, 3 * THREADS);
    check_tally(&h, 2, 2, false);
    h.pieces[2].writers[2] = 7;
    check_tally(&h, 2, 3, false);
    process(&h, 2, 5);
    check_tally(&h, 2, 5, false);
    process(&h, 2, 0); // in vain
    check_tally(&h, 2, 0, true);
    process(&h, 2, 1);
    h.pieces[2].writer_count = WATCH_WRITERS + 9; // more than are known
    h.pieces[2].writers[3] = 0;
    check_tally(&h, 2, 4, false);
}

// As a loop over vectors does: the writers of a block are several, those of an
// element are not.
TEST(a_block_is_divided_if_each_element_was_stored_by_one_of_several) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    CHECK(!tally(&h, 2).divided);
    store_instead(&h, 4, 2 * THREADS + 20, 3 * THREADS);
    CHECK(tally(&h, 2).divided);
    check_tally(&h, 2, 1, false);
    CHECK_INT(h.run.tally[2].again, 0);
    h.after[2 * THREADS] *= 1.5f; // twice, by one
    CHECK(!tally(&h, 2).divided);
    check_tally(&h, 2, 2, true);
    h.after[2 * THREADS] = h.run.before[2 * THREADS]; // left out
    CHECK(!tally(&h, 2).divided);
    check_tally(&h, 2, 1, true);
}

TEST(elements_that_two_clusters_stored_to_are_counted) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    store_too(&h, 4, 2 * THREADS + 20, 2 * THREADS + 30);
    check_tally(&h, 2, 2, false); // though the values are right
    CHECK(!h.run.tally[2].divided);
    CHECK_INT(h.run.tally[2].again, 10);
    CHECK_INT(tally_times(&h.run, 2 * THREADS + 19), 1);
    CHECK_INT(tally_times(&h.run, 2 * THREADS + 20), 2);
    h.after[2 * THREADS + 25] *= 1.5f * 1.5f;
    check_tally(&h, 2, 3, false);
    CHECK_INT(tally_times(&h.run, 2 * THREADS + 25), 3);
    h.after[2 * THREADS] = h.run.before[2 * THREADS]; // and one is left out
    check_tally(&h, 2, 3, true);
}

// ---- pattern.c -----------------------------------------------------------

static FindingCase pattern(Hand *h, int32_t wrong, int32_t first, Fact *fact) {
    tally(h, 0);
    return pattern_of_threads(&h->grade, &h->run, wrong, first, fact);
}

TEST(wrong_elements_of_one_thread_are_told) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Fact fact;
    h.after[2 * THREADS + 5] = 0;
    h.after[4 * THREADS + 5] = 0;
    CHECK_INT(pattern(&h, 2, 2 * THREADS + 5, &fact), CASE_CORRECT_ONE_THREAD);
    CHECK_INT(fact.key, FACT_NUMBER);
    CHECK_INT(fact.number, 5);
    h.after[4 * THREADS + 6] = 0;
    CHECK_INT(pattern(&h, 3, 2 * THREADS + 5, &fact), CASE_NONE);
    h.after[2 * THREADS + 5] = h.run.before[2 * THREADS + 5] * 1.5f;
    h.after[4 * THREADS + 6] = h.run.before[4 * THREADS + 6] * 1.5f;
    h.after[2 * THREADS] = 0; // thread 0 is one, too
    CHECK_INT(pattern(&h, 2, 2 * THREADS, &fact), CASE_NONE);
    h.after[4 * THREADS + 5] = h.run.before[4 * THREADS + 5] * 1.5f;
    CHECK_INT(pattern(&h, 1, 2 * THREADS, &fact), CASE_CORRECT_ONE_THREAD);
    CHECK_INT(fact.number, 0);
    h.after[2 * THREADS] = h.run.before[2 * THREADS] * 1.5f;
    h.after[2 * THREADS + 5] = h.after[4 * THREADS + 5] = 0;
    h.after[4 * THREADS + 6] = h.run.before[4 * THREADS + 6] * 1.5f;
    h.bench.lab.params[0] = LAB_PARAM_ROWS;
    CHECK_INT(pattern(&h, 2, 2 * THREADS + 5, &fact), CASE_NONE);
}

TEST(right_elements_of_one_thread_are_told) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Fact fact;
    for (uint32_t i = 0; i < 3 * THREADS; i++)
        if (i % THREADS != 0)
            h.after[i] = 0;
    CHECK_INT(pattern(&h, 3 * 127, 1, &fact), CASE_CORRECT_OTHER_THREADS);
    CHECK_INT(fact.number, 0);
    h.after[1] = h.run.before[1] * 1.5f;
    CHECK_INT(pattern(&h, 3 * 127 - 1, 2, &fact), CASE_NONE);
}

TEST(the_last_element_alone_is_left_out) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Fact fact;
    h.after[N - 1] = h.run.before[N - 1];
    CHECK_INT(pattern(&h, 1, N - 1, &fact), CASE_CORRECT_LAST_LEFT_OUT);
    CHECK_INT(pattern(&h, 2, N - 1, &fact), CASE_CORRECT_ONE_THREAD);
    CHECK_INT(pattern(&h, 1, N - 2, &fact), CASE_CORRECT_ONE_THREAD);
    h.run.n = 1;
    CHECK_INT(pattern(&h, 1, 0, &fact), CASE_NONE);
}

TEST(all_elements_from_one_on_are_left_out) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Fact fact;
    int32_t from = 3 * THREADS + 5;
    for (int32_t i = from; i < N; i++)
        h.after[i] = h.run.before[i];
    CHECK_INT(pattern(&h, THREADS - 5, from, &fact),
              CASE_CORRECT_TAIL_LEFT_OUT);
    h.after[N - 1] = h.run.before[N - 1] * 1.5f;
    CHECK_INT(pattern(&h, THREADS - 5, from, &fact), CASE_NONE);
    h.after[N - 1] = h.run.before[N - 1];
    h.after[from - 2] = h.run.before[from - 2];
    CHECK_INT(pattern(&h, THREADS - 4, from - 2, &fact), CASE_NONE);
}

TEST(a_factor_is_common_to_two_wrong_elements_or_more) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Fact fact;
    h.after[3] = h.run.before[3] * 7;
    tally(&h, 0);
    CHECK_INT(pattern_of_factor(&h.run, &fact), CASE_NONE);
    h.after[300] = h.run.before[300] * 7;
    tally(&h, 0);
    CHECK_INT(pattern_of_factor(&h.run, &fact), CASE_CORRECT_OTHER_FACTOR);
    CHECK_INT(fact.key, FACT_FACTOR);
    CHECK(fabs(fact_real_value(fact.number) - 7) < 1e-4);
    h.after[301] = h.run.before[301] * 7.001f;
    tally(&h, 0);
    CHECK_INT(pattern_of_factor(&h.run, &fact), CASE_NONE);
    h.after[301] = INFINITY;
    h.after[300] = h.after[3] = INFINITY;
    tally(&h, 0);
    CHECK_INT(pattern_of_factor(&h.run, &fact), CASE_NONE);
}

// ---- data.c: correct -----------------------------------------------------

static Cause fails_correct(Hand *h, FindingCase which, int32_t wrong,
                           int32_t first) {
    Cause cause = {0};
    tally(h, 0);
    CHECK(!judge_correct(&h->grade, &h->run, &cause));
    CHECK_INT(cause.finding->which, which);
    CHECK_INT(number_of(&cause, FACT_COUNT), wrong);
    CHECK_INT(number_of(&cause, FACT_INDEX), first);
    CHECK_INT(number_of(&cause, FACT_BLOCK), first / THREADS);
    CHECK_INT(number_of(&cause, FACT_ELEMENTS), N);
    CHECK_DOUBLE(real_of(&cause, FACT_WANTED), h->run.expected[first]);
    CHECK_DOUBLE(real_of(&cause, FACT_HELD), h->run.before[first]);
    CHECK_DOUBLE(real_of(&cause, FACT_SCALAR), 1.5);
    CHECK_STR(cause.at.file, "my/kernel.cu");
    CHECK_INT(cause.at.line, 9);
    return cause;
}

TEST(correct_counts_wrong_elements_and_shows_the_first) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause;
    tally(&h, 0);
    CHECK(judge_correct(&h.grade, &h.run, &cause));
    h.after[200] = 99;
    h.after[400] = 98;
    cause = fails_correct(&h, CASE_CORRECT_OTHER_VALUE, 2, 200);
    CHECK_DOUBLE(real_of(&cause, FACT_FOUND), 99);
    h.after[130] = NAN;
    fails_correct(&h, CASE_CORRECT_NOT_A_NUMBER, 3, 130);
    h.after[129] = h.run.before[129] * 2.25f;
    cause = fails_correct(&h, CASE_CORRECT_REPEATED, 4, 129);
    CHECK_INT(number_of(&cause, FACT_TIMES), 2);
    h.after[128] = h.run.before[128];
    fails_correct(&h, CASE_CORRECT_LEFT_OUT, 5, 128);
    // A block that was left out, or processed twice, as a whole.
    process(&h, 0, 0);
    h.pieces[0].stores = 0;
    process(&h, 5, 2);
    fails_correct(&h, CASE_CORRECT_LEFT_OUT, 5, 128);
}

TEST(correct_names_the_call_and_what_a_value_is_made_of) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    h.after[200] = 99;
    h.after[201] = 98;
    h.pieces[1].called = (SrcLoc){STR("x/kernel.cu"), 7, 1};
    h.pieces[1].value_from[0] = (SrcLoc){STR("x/kernel.cu"), 5, 1};
    h.pieces[1].value_from[1] = (SrcLoc){STR("x/kernel.cu"), 6, 1};
    h.pieces[1].index_from[0] = (SrcLoc){STR("x/kernel.cu"), 8, 1};
    Cause cause = fails_correct(&h, CASE_CORRECT_OTHER_VALUE, 2, 200);
    CHECK_INT(cause.caller_count, 1);
    CHECK_INT(cause.callers[0].line, 7);
    if (CHECK_INT(cause.related_count, 2)) {
        CHECK_INT(cause.related[0].at.line, 5);
        CHECK_INT(cause.related[1].at.line, 6);
        CHECK_INT(cause.finding->related[1].place, PLACE_VALUE_FROM);
    }
    h.after[200] = h.run.before[200];
    h.after[201] = h.run.before[201];
    h.pieces[1].called.line = 9; // no call but the store itself
    cause = fails_correct(&h, CASE_CORRECT_LEFT_OUT, 2, 200);
    CHECK_INT(cause.caller_count, 0);
    if (CHECK_INT(cause.related_count, 1)) {
        CHECK_INT(cause.related[0].at.line, 8);
        CHECK_INT(cause.finding->related[0].place, PLACE_ADDRESS_FROM);
    }
    h.pieces[1].at.line = 0;
    tally(&h, 0);
    CHECK(!judge_correct(&h.grade, &h.run, &cause));
    CHECK_INT(cause.at.line, 4); // the kernel
}

TEST(another_factor_names_the_prologue) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    for (uint32_t i = 0; i < N; i++)
        h.after[i] = h.run.before[i] * 1.25f;
    Cause cause = fails_correct(&h, CASE_CORRECT_OTHER_FACTOR, N, 0);
    CHECK(fabs(real_of(&cause, FACT_FACTOR) - 1.25) < 1e-6);
    if (CHECK_INT(cause.related_count, 1)) {
        CHECK_INT(cause.related[0].at.line, 5); // compute_scalar
        CHECK_INT(cause.finding->related[0].place, PLACE_PROLOGUE);
    }
}

TEST(inputs_that_the_kernel_changed_are_not_correct) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    tally(&h, 0);
    h.run.changed = STR("starts");
    CHECK(!judge_correct(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->which, CASE_CORRECT_INPUT_CHANGED);
    CHECK_STR(fact_find(cause.finding->facts, FACT_NAME)->text, "starts");
    CHECK_HOLDS(cause.context, "n = 996, 8 blocks of 128 threads, plain");
}

TEST(evidence_is_a_block_that_was_processed_once_or_is_mixed) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        process(&h, b, 2);
        h.pieces[b].stores = 0;
    }
    tally(&h, 0);
    CHECK(!judge_has_evidence(&h.run));
    CHECK(judge_touched(&h.grade, &h.run, &cause));
    process(&h, 7, 1);
    tally(&h, 0);
    CHECK(judge_has_evidence(&h.run));
    process(&h, 7, 2);
    h.after[N - 1] = 5;
    tally(&h, 0);
    CHECK(judge_has_evidence(&h.run));
    for (uint32_t b = 0; b < BLOCKS; b++)
        process(&h, b, 0);
    tally(&h, 0);
    CHECK(!judge_has_evidence(&h.run));
    CHECK(!judge_touched(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->which, CASE_CORRECT_NO_CHANGE);
    CHECK_INT(cause.at.line, 4);
    process(&h, 7, 2);
    tally(&h, 0);
    CHECK(judge_touched(&h.grade, &h.run, &cause));
    h.run.n = 0;
    h.run.blocks = 0;
    CHECK(judge_touched(&h.grade, &h.run, &cause));
}

// ---- data.c: exactly once ------------------------------------------------

static bool once(Hand *h, Cause *cause) {
    tally(h, 0);
    return judge_exactly_once(&h->grade, &h->run, cause);
}

TEST(exactly_once_lists_five_of_each_kind) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    CHECK(once(&h, &cause));
    for (uint32_t b = 1; b < 7; b++)
        leave_out(&h, b);
    process(&h, 7, 3);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_BOTH);
    CHECK_INT(number_of(&cause, FACT_NEVER), 6);
    CHECK_INT(number_of(&cause, FACT_OFTEN), 1);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 1);
    CHECK_INT(number_of(&cause, FACT_AGAIN), 7);
    CHECK_INT(number_of(&cause, FACT_BLOCKS), 8);
    CHECK_INT(number_of(&cause, FACT_LAST), 7);
    const Fact *missed = fact_find(cause.finding->facts, FACT_MISSED);
    const Fact *repeated = fact_find(cause.finding->facts, FACT_REPEATED);
    if (!CHECK_INT(missed->number, 6) || !CHECK_INT(repeated->number, 1))
        return;
    CHECK_INT(missed->list[0].word, WORD_MISSED_FIRST);
    CHECK_INT(missed->list[4].word, WORD_MISSED_NEXT);
    CHECK_INT(missed->list[4].facts.items[0].number, 5);
    CHECK_INT(missed->list[5].word, WORD_MISSED_MORE);
    CHECK_INT(missed->list[5].facts.items[0].number, 1);
    CHECK_INT(repeated->list[0].word, WORD_REPEATED_FIRST);
    CHECK_INT(repeated->list[0].facts.items[1].number, 3);
    process(&h, 6, 1);
    process(&h, 7, 1);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_NEVER);
    CHECK_INT(fact_find(cause.finding->facts, FACT_MISSED)->number, 5);
    for (uint32_t b = 0; b < 7; b++)
        process(&h, b, 1 + b % 2);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_REPEATED);
    CHECK_INT(number_of(&cause, FACT_AGAIN), 1);
}

// The second half of each block is its neighbour's.
static void shift_halves(Hand *h) {
    for (uint32_t b = 1; b < 7; b++)
        store_instead(h, b - 1, b * THREADS + THREADS / 2, (b + 1) * THREADS);
}

TEST(elements_that_blocks_share_are_not_called_repeated) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    shift_halves(&h);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_DIVIDED);
    CHECK_INT(cause.finding->reason, REASON_NONE);
    CHECK_INT(number_of(&cause, FACT_OFTEN), 6);
    CHECK_INT(number_of(&cause, FACT_AGAIN), 1);
    const Fact *divided = fact_find(cause.finding->facts, FACT_DIVIDED);
    if (!CHECK_INT(divided->number, 6))
        return;
    CHECK_INT(divided->list[5].word, WORD_DIVIDED_MORE);
    process(&h, 3, 2); // one is repeated: of the others nothing is said
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_REPEATED);
    CHECK_INT(number_of(&cause, FACT_OFTEN), 1);
    CHECK_INT(number_of(&cause, FACT_AGAIN), 3);
    process(&h, 3, 1);
    leave_out(&h, 3);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_NEVER);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 3);
}

// Each element is processed once, which is what counts there; that shares are
// cut elsewhere than at blocks, and contiguous, is a matter of the technique.
TEST(elements_that_blocks_share_cost_a_lab_of_strides_its_technique) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    Cause cause = {0};
    shift_halves(&h);
    CHECK(once(&h, &cause));
    CHECK(!judge_technique(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->which, CASE_TECHNIQUE_DIVIDED);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 1);
    CHECK_INT(number_of(&cause, FACT_OWNER), 0);
    process(&h, 3, 2); // one is repeated
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_REPEATED);
}

TEST(of_a_block_done_twice_in_part_the_elements_are_told) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    Cause cause = {0};
    store_too(&h, 4, 2 * THREADS + 20, 2 * THREADS + 30);
    store_too(&h, 5, 3 * THREADS, 3 * THREADS + 1);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_ELEMENTS);
    CHECK_INT(number_of(&cause, FACT_COUNT), 11);
    CHECK_INT(number_of(&cause, FACT_ELEMENTS), N);
    CHECK_INT(number_of(&cause, FACT_INDEX), 2 * THREADS + 20);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 2);
    const Fact *ranges = fact_find(cause.finding->facts, FACT_RANGES);
    if (!CHECK_INT(ranges->number, 2))
        return;
    CHECK_INT(ranges->list[0].word, WORD_RANGES_FIRST);
    CHECK_INT(ranges->list[0].facts.items[1].number, 2 * THREADS + 29);
    CHECK_INT(ranges->list[0].facts.items[2].number, 2);
    CHECK_INT(ranges->list[1].word, WORD_RANGES_NEXT_ALONE);
    for (uint32_t i = 0; i < 6; i++)
        store_too(&h, 5, 4 * THREADS + 2 * i, 4 * THREADS + 2 * i + 1);
    CHECK(!once(&h, &cause));
    ranges = fact_find(cause.finding->facts, FACT_RANGES);
    if (!CHECK_INT(ranges->number, 6))
        return;
    CHECK_INT(ranges->list[5].word, WORD_RANGES_MORE);
    CHECK_INT(ranges->list[5].facts.items[0].number, 3);
    leave_out(&h, 7); // then whole blocks are told
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_BOTH);
    const Fact *repeated = fact_find(cause.finding->facts, FACT_REPEATED);
    CHECK_INT(repeated->list[0].word, WORD_REPEATED_FIRST_IN_PART);
    CHECK_INT(repeated->list[0].facts.items[2].number, 10);
    CHECK_INT(repeated->list[1].word, WORD_REPEATED_NEXT_IN_PART);
}

// A sleep of the file itself, in a lab that is about leaving soon.
TEST(a_sleep_after_a_refusal_is_told) {
    for (int k = 0; k < 4; k++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 1);
        Cause causes[MAX_RULE_CAUSES];
        tally(&h, 0);
        h.bench.lab.yield = k != 1 ? 470 : 0;
        h.run.device.slept = (SrcLoc){k == 2 ? STR("/usr/include/barrier.h")
                                             : h.bench.submission.file,
                                      k == 3 ? 0 : 6, 1};
        CHECK_INT(judge_rules(&h.grade, &h.run, causes), 0);
        if (CHECK_INT(h.bench.result.advisory_count, k == 0) && k == 0)
            CHECK_INT(h.bench.result.advisories[0].finding->which,
                      CASE_TECHNIQUE_SLEEPS);
    }
}

TEST(an_index_that_was_read_loosely_is_the_reason) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    h.run.device.loose[0] =
        (LooseRead){{STR("x/kernel.cu"), 21, 1}, {STR("x/kernel.cu"), 17, 1}};
    h.run.device.loose_count = 1;
    process(&h, 3, 2);
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE);
    h.pieces[3].index_read[1] = (SrcLoc){STR("x/kernel.cu"), 21, 5};
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->reason, REASON_HANDED_OVER_LOOSELY);
    CHECK_INT(cause.finding->related[1].place, PLACE_READ_LOOSELY);
    CHECK_INT(cause.finding->related[1].at.line, 21);
    CHECK_STR(cause.finding->related[1].at.file, "my/kernel.cu");
    CHECK_INT(cause.finding->related[2].place, PLACE_WRITTEN_LOOSELY);
    CHECK_INT(cause.finding->related[2].at.line, 17);
    h.run.device.loose_count = 0;
    CHECK(!once(&h, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE);
    // A block of which a part was left out.
    h.run.device.loose_count = 1;
    process(&h, 3, 1);
    h.after[3 * THREADS] = h.run.before[3 * THREADS];
    tally(&h, 0);
    CHECK(!judge_correct(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_HANDED_OVER_LOOSELY);
    h.after[3 * THREADS] = 99; // a wrong value: the index is right
    tally(&h, 0);
    CHECK(!judge_correct(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE);
}

TEST(a_short_block_is_no_evidence_once_correct_has_failed) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    leave_out(&h, 7);
    CHECK(!once(&h, &cause));
    h.grade.correct_failed = true;
    CHECK(once(&h, &cause));
    leave_out(&h, 6);
    CHECK(!once(&h, &cause));
    CHECK_INT(number_of(&cause, FACT_NEVER), 1);
    h.after[6 * THREADS] = 3; // a wrong value: correct judges the block
    CHECK(once(&h, &cause));
}

TEST(reasons_follow_from_the_technique) {
    Cause cause = {0};
    static const struct {
        LabTechnique technique;
        uint32_t cluster, times;
        FindingReason reason;
    } cases[] = {
        {TECHNIQUE_FIXED, 1, 0, REASON_FIXED_INDEX},
        {TECHNIQUE_FIXED, 1, 2, REASON_FIXED_INDEX},
        {TECHNIQUE_PERSISTENT, 1, 0, REASON_LOOP_TOO_SHORT},
        {TECHNIQUE_PERSISTENT, 1, 2, REASON_STRIDE_TOO_SHORT},
        {TECHNIQUE_CLC, 1, 2, REASON_NONE},
        {TECHNIQUE_CLC, 2, 2, REASON_PLACE_IN_CLUSTER},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_HAND(h, cases[i].technique, cases[i].cluster);
        if (cases[i].times)
            process(&h, 2, 2);
        else
            leave_out(&h, 2);
        CHECK(!once(&h, &cause));
        CHECK_INT(cause.finding->reason, cases[i].reason);
    }
}

TEST_MAIN(
    TESTCASE(blocks_are_counted_by_what_their_elements_hold),
    TESTCASE(a_value_is_right_within_a_hundred_thousandth),
    TESTCASE(blocks_whose_elements_disagree_are_mixed),
    TESTCASE(two_writers_that_ran_at_once_processed_a_block_twice),
    TESTCASE(a_block_is_divided_if_each_element_was_stored_by_one_of_several),
    TESTCASE(elements_that_two_clusters_stored_to_are_counted),
    TESTCASE(elements_that_blocks_share_are_not_called_repeated),
    TESTCASE(a_sleep_after_a_refusal_is_told),
    TESTCASE(of_a_block_done_twice_in_part_the_elements_are_told),
    TESTCASE(elements_that_blocks_share_cost_a_lab_of_strides_its_technique),
    TESTCASE(an_index_that_was_read_loosely_is_the_reason),
    TESTCASE(wrong_elements_of_one_thread_are_told),
    TESTCASE(right_elements_of_one_thread_are_told),
    TESTCASE(the_last_element_alone_is_left_out),
    TESTCASE(all_elements_from_one_on_are_left_out),
    TESTCASE(a_factor_is_common_to_two_wrong_elements_or_more),
    TESTCASE(correct_counts_wrong_elements_and_shows_the_first),
    TESTCASE(correct_names_the_call_and_what_a_value_is_made_of),
    TESTCASE(another_factor_names_the_prologue),
    TESTCASE(inputs_that_the_kernel_changed_are_not_correct),
    TESTCASE(evidence_is_a_block_that_was_processed_once_or_is_mixed),
    TESTCASE(exactly_once_lists_five_of_each_kind),
    TESTCASE(a_short_block_is_no_evidence_once_correct_has_failed),
    TESTCASE(reasons_follow_from_the_technique))
