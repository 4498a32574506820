// SPDX-License-Identifier: Apache-2.0
// On runs that are made by hand: why a block was not processed once, which
// races are no finding of their own, who has to call the prologue, and how
// chains are shown.
#include "tests/unit/check_hand.h"

// ---- why.c ---------------------------------------------------------------

// The place that is blamed for block `block`, which is never processed.
static RelatedPlace why_missing(Hand *h, uint32_t block) {
    leave_out(h, block);
    tally(h, 0);
    return why_none(&h->grade, &h->run, block).place;
}

static uint64_t fact_of(RelatedPlace place, FactKey key) {
    const Fact *fact = fact_find(place.facts, key);
    CHECK(fact != NULL);
    return fact ? fact->number : UINT64_MAX;
}

TEST(a_missing_block_was_not_started_or_did_something_else) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    RelatedPlace place = why_missing(&h, 3);
    CHECK_INT(place.place, PLACE_NOT_STORED);
    CHECK_INT(fact_of(place, FACT_INSTEAD), WORD_INSTEAD_NOTHING);
    CHECK_INT(fact_of(place, FACT_RANK), 1);
    // The CTA of block 3 stored to that of its neighbour, and so on.
    static const struct {
        uint32_t stored;
        FactWord word;
    } cases[] = {{2, WORD_INSTEAD_PLACE_LEFT_OUT},
                 {4, WORD_INSTEAD_PLACE_TWICE},
                 {6, WORD_INSTEAD_NOT_OWNED}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        h.pieces[cases[i].stored].writers[0] = 3;
        place = why_missing(&h, 3);
        CHECK_INT(fact_of(place, FACT_INSTEAD), cases[i].word);
        CHECK_INT(fact_of(place, FACT_STORED), cases[i].stored);
        h.pieces[cases[i].stored].writers[0] = cases[i].stored;
    }
    h.blocks[3][1] = 7;
    h.chains[3].count = 2;
    h.pieces[7].writers[0] = 3;
    place = why_missing(&h, 3);
    CHECK_INT(fact_of(place, FACT_INSTEAD), WORD_INSTEAD_TAKEN_NEXT);
    CHECK_INT(fact_of(place, FACT_STORED), 7);
    h.entries[1].state = LEDGER_PENDING;
    CHECK_INT(why_missing(&h, 3).place, PLACE_NOT_STARTED);
    h.run.device.ledger.entry_count = 1;
    place = why_missing(&h, 3);
    CHECK_INT(place.place, PLACE_BEYOND_GRID);
    CHECK_INT(fact_of(place, FACT_BLOCKS), BLOCKS);
    CHECK_INT(why_missing(&h, 1).place, PLACE_NOT_STORED);
}

TEST(a_missing_block_was_granted_and_not_decoded_or_lost) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    h.run.device.ledger.chain_count = 4; // 4 ... 7 are granted
    h.entries[5] = (LedgerEntry){
        .state = LEDGER_GRANTED, .by_cta = 2, .at = {STR("x/kernel.cu"), 6, 1}};
    RelatedPlace place = why_missing(&h, 5);
    CHECK_INT(place.place, PLACE_NOT_DECODED);
    CHECK_INT(fact_of(place, FACT_ASKER), 2);
    CHECK_INT(place.at.line, 6);
    CHECK_STR(place.at.file, "my/kernel.cu");
    h.entries[5].asked = true;
    CHECK_INT(why_missing(&h, 5).place, PLACE_ONLY_ASKED);
    h.entries[5].overwritten = true;
    CHECK_INT(why_missing(&h, 5).place, PLACE_OVERWRITTEN);
    h.entries[5].taken = true;
    h.entries[5].decoded_at = (SrcLoc){STR("x/kernel.cu"), 7, 1};
    place = why_missing(&h, 5);
    CHECK_INT(place.place, PLACE_NOT_TAKEN_AT_PLACE);
    CHECK_INT(place.at.line, 7);
    CHECK_INT(why_none(&h.grade, &h.run, 5).cure, PART_HERE);
    h.blocks[2][1] = 5;
    h.chains[2].count = 2;
    place = why_missing(&h, 5);
    CHECK_INT(place.place, PLACE_TAKEN);
    CHECK_INT(fact_of(place, FACT_OWNER), 2);
    CHECK_INT(why_none(&h.grade, &h.run, 5).cure, PART_INDEX);
    h.entries[5].again = true;
    CHECK_INT(why_missing(&h, 5).place, PLACE_TAKEN_AND_LOST);
}

TEST(what_all_missing_blocks_have_in_common_is_the_reason) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    h.run.device.ledger.chain_count = 4;
    for (uint32_t b = 4; b < BLOCKS; b++) {
        h.blocks[b - 4][1] = b;
        h.chains[b - 4].count = 2;
        h.entries[b] = (LedgerEntry){
            .state = LEDGER_GRANTED, .taken = true, .by_cta = b - 4};
    }
    tally(&h, 0);
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_NONE);
    for (uint32_t b = 0; b < 4; b++) {
        CHECK_INT(why_reason(&h.grade, &h.run), REASON_NONE);
        leave_out(&h, b);
        tally(&h, 0);
    }
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_OWN_INDEX_LEFT_OUT);
    for (uint32_t b = 0; b < 4; b++)
        process(&h, b, 1);
    leave_out(&h, 5);
    tally(&h, 0);
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_LAST_INDEX_LEFT_OUT);
    h.chains[1].most_in_flight = 1;
    h.chains[1].requests = 1; // granted 5, and it left
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_LAST_INDEX_LEFT_OUT);
    h.chains[1].requests = 2; // it asked again, with 5 in hand
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_LAST_INDEX_LEFT_OUT);
    h.chains[2].most_in_flight = 1; // as block 2 did, which processed its last
    h.chains[2].requests = 2;
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_INDEX_LED_ELSEWHERE);
    h.chains[1].most_in_flight = 2; // the second may have been made before
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_LAST_INDEX_LEFT_OUT);
    h.blocks[1][2] = 6;
    h.chains[1].count = 3; // not its last
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_LEFT_WITH_INDICES);
    h.pieces[6].writers[0] = 2;
    h.pieces[7].writers[0] = 1; // where 5 has led it
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_NONE);
    h.bench.lab.technique = TECHNIQUE_PERSISTENT;
    h.chains[1].count = 2;
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_NONE);
}

TEST(an_index_is_processed_at_two_places) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    tally(&h, 0);
    CHECK(!why_is_at_two_places(&h.run)); // nothing is repeated
    process(&h, 3, 2);
    h.pieces[3].called = h.pieces[3].first_called = (SrcLoc){STR("k.cu"), 7, 1};
    tally(&h, 0);
    CHECK(!why_is_at_two_places(&h.run)); // at one place
    h.pieces[3].first_called.line = 5;
    CHECK(why_is_at_two_places(&h.run));
    h.pieces[3].writer_count = 2; // one of them by another block
    CHECK(!why_is_at_two_places(&h.run));
}

TEST(an_index_of_clusters_leads_to_the_block_of_twice_its_number) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    h.run.device.ledger.chain_count = 2; // 0 and 1; 2 ... 7 are granted
    for (uint32_t b = 2; b < 4; b++) {
        h.blocks[b - 2][1] = b;
        h.chains[b - 2].count = 2;
        h.pieces[b + 2].writers[0] = b - 2; // (2, 3) -> (4, 5)
        leave_out(&h, b);
    }
    h.entries[1] = (LedgerEntry){.state = LEDGER_GRANTED, .taken = true};
    tally(&h, 0);
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_INDEX_MULTIPLIED);
    h.pieces[5].writers[0] = 5; // block 3 went elsewhere
    CHECK(why_reason(&h.grade, &h.run) != REASON_INDEX_MULTIPLIED);
}

TEST(blocks_that_never_go_on_process_their_own_again) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    h.run.device.ledger.chain_count = 4; // 4 ... 7 are beyond the grid
    for (uint32_t b = 4; b < BLOCKS; b++)
        leave_out(&h, b);
    tally(&h, 0);
    CHECK(!why_is_own_again(&h.grade, &h.run)); // nothing is repeated
    process(&h, 1, 2);
    tally(&h, 0);
    CHECK(why_is_own_again(&h.grade, &h.run));
    h.pieces[1].writers[0] = 0; // by another block
    CHECK(!why_is_own_again(&h.grade, &h.run));
    h.pieces[1].writers[0] = 1;
    h.bench.lab.technique = TECHNIQUE_FIXED; // nobody should go on
    CHECK(!why_is_own_again(&h.grade, &h.run));
}

TEST(one_request_for_each_place_of_a_cluster_is_a_reason) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    h.run.device.ledger.chain_count = 4;
    for (uint32_t c = 2; c < 4; c++)
        h.entries[c] =
            (LedgerEntry){.state = LEDGER_GRANTED, .taken = true, .by_cta = 0};
    leave_out(&h, 5);
    leave_out(&h, 7);
    tally(&h, 0);
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_ONE_REQUEST_A_PLACE);
    h.entries[3].taken = false;
    CHECK_INT(why_reason(&h.grade, &h.run), REASON_NONE);
}

static Why why_twice(Hand *h, uint32_t block) {
    process(h, block, 2);
    tally(h, 0);
    return why_many(&h->grade, &h->run, block);
}

TEST(a_block_was_processed_twice_by_one_or_by_several) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    RelatedPlace place = why_twice(&h, 3).place;
    CHECK_INT(place.place, PLACE_BY_ONE);
    CHECK_INT(fact_of(place, FACT_TIMES), 2);
    CHECK_INT(fact_of(place, FACT_OWNER), 3);
    CHECK_INT(fact_of(place, FACT_STANDING), WORD_STANDING_OWN);
    h.entries[1].again = true;
    h.entries[1].again_at.line = 17;
    place = why_twice(&h, 3).place;
    CHECK_INT(place.place, PLACE_BY_ONE_LATE);
    CHECK_INT(fact_of(place, FACT_LINE), 17);
    h.pieces[3].writer_count = 9;
    h.pieces[3].writers[1] = 5;
    place = why_twice(&h, 3).place;
    CHECK_INT(place.place, PLACE_BY_SEVERAL);
    const Fact *writers = fact_find(place.facts, FACT_WRITERS);
    if (!CHECK_INT(writers->number, 5))
        return;
    CHECK_INT(writers->list[0].word, WORD_WRITERS_FIRST);
    CHECK_INT(writers->list[1].word, WORD_WRITERS_NEXT);
    CHECK_INT(writers->list[1].facts.items[0].number, 5);
    CHECK_INT(writers->list[4].word, WORD_WRITERS_MORE);
    CHECK_INT(writers->list[4].facts.items[0].number, 5);
    h.pieces[3].writer_count = WATCH_WRITERS + 2; // they are counted no more
    place = why_twice(&h, 3).place;
    writers = fact_find(place.facts, FACT_WRITERS);
    CHECK_INT(writers->list[4].word, WORD_WRITERS_OTHERS);
    CHECK_INT(writers->list[4].facts.items[0].number, WATCH_WRITERS - 4);
    h.pieces[3].writer_count = 2;
    place = why_twice(&h, 3).place;
    writers = fact_find(place.facts, FACT_WRITERS);
    CHECK_INT(writers->number, 2);
    CHECK_INT(writers->list[1].word, WORD_WRITERS_LAST);
    h.run.watch.count = 3;
    CHECK_INT(why_twice(&h, 3).place.place, PLACE_SEVERAL_TIMES);
}

TEST(who_stored_to_a_block_had_a_standing) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    static const struct {
        uint32_t cta, owned, block;
        FactWord word;
        uint32_t took;
        DevicePart cure;
    } cases[] = {
        {2, 6, 6, WORD_STANDING_FROM_ANSWER, 6, PART_HERE},
        {3, 7, 6, WORD_STANDING_PLACE_LEFT_OUT, 7, PART_INDEX},
        {2, 7, 6, WORD_STANDING_OTHER_PLACE, 7, PART_INDEX},
        {3, 5, 6, WORD_STANDING_PLACE_TWICE, 5, PART_HERE},
        {1, 1, 6, WORD_STANDING_NO_ANSWER, 6, PART_HERE},
        {6, 6, 7, WORD_STANDING_OTHER_PLACE, 6, PART_HERE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t cta = cases[i].cta, block = cases[i].block;
        h.blocks[cta][1] = cases[i].owned;
        h.chains[cta].count = 2;
        h.pieces[block].writers[0] = cta;
        Why why = why_twice(&h, block);
        CHECK_INT(fact_of(why.place, FACT_STANDING), cases[i].word);
        CHECK_INT(fact_of(why.place, FACT_STORED), cases[i].took);
        CHECK_INT(why.cure, cases[i].cure);
        h.chains[cta].count = 1;
        h.pieces[block].writers[0] = block;
        process(&h, block, 1);
    }
    h.bench.lab.technique = TECHNIQUE_FIXED;
    h.pieces[6].writers[0] = 1;
    Why why = why_twice(&h, 6);
    CHECK_INT(fact_of(why.place, FACT_STANDING), WORD_STANDING_NOT_SAID);
}

TEST(a_block_may_be_processed_again_by_an_index_that_a_refusal_left) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    bool is_told = false;
    h.pieces[2].index_unset = (SrcLoc){STR("x/kernel.cu"), 7, 1};
    process(&h, 3, 2);
    tally(&h, 0);
    CHECK(!judge_exactly_once(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE); // it was another block
    process(&h, 2, 2);
    tally(&h, 0);
    CHECK(!judge_exactly_once(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_LEFT_UNSET);
    for (uint32_t i = 0; i < cause.finding->related_count; i++)
        is_told |= cause.finding->related[i].place == PLACE_LEFT_UNSET &&
                   cause.finding->related[i].at.line == 7;
    CHECK(is_told);
}

TEST(block_0_may_be_taken_where_no_answer_gave_it) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    process(&h, 0, 3);
    h.pieces[0].writer_count = 3;
    h.pieces[0].writers[1] = 5;
    h.pieces[0].writers[2] = 6;
    tally(&h, 0);
    CHECK(why_no_answer_gave(&h.grade, &h.run, 0));
    CHECK(!judge_exactly_once(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_ZERO_IS_AN_INDEX);
    h.blocks[5][1] = 0; // block 5 had it from an answer
    h.chains[5].count = 2;
    CHECK(!why_no_answer_gave(&h.grade, &h.run, 0));
    CHECK(!judge_exactly_once(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE);
    h.chains[5].count = 1;
    process(&h, 3, 2); // another one as well
    tally(&h, 0);
    CHECK(!judge_exactly_once(&h.grade, &h.run, &cause));
    CHECK_INT(cause.finding->reason, REASON_NONE);
    h.pieces[0].writer_count = 1; // block 0 alone
    CHECK(!why_no_answer_gave(&h.grade, &h.run, 0));
}

TEST(a_contrast_is_where_the_owner_left_and_others_stored) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Finding finding = {0};
    leave_out(&h, 2);
    h.chains[2].left_at = (SrcLoc){STR("x/kernel.cu"), 12, 1};
    h.pieces[4].called = (SrcLoc){STR("x/kernel.cu"), 8, 1};
    h.pieces[3].called = (SrcLoc){STR("x/kernel.cu"), 7, 1};
    process(&h, 3, 2);
    tally(&h, 0);
    CHECK_INT(why_other_stored(&h.run), 4); // 3 was processed twice
    why_add_contrast(&h.grade, &h.run, 2, &finding);
    if (!CHECK_INT(finding.related_count, 2))
        return;
    CHECK_INT(finding.related[0].place, PLACE_OWNER_LEFT);
    CHECK_INT(finding.related[0].at.line, 12);
    CHECK_INT(finding.related[1].place, PLACE_OTHER_STORED);
    CHECK_INT(finding.related[1].at.line, 8);
    h.pieces[4].called.line = 0;
    CHECK_INT(why_other_stored(&h.run), BLOCKS);
    h.pieces[2].called = (SrcLoc){STR("x/kernel.cu"), 8, 1};
    h.pieces[2].first_called = (SrcLoc){STR("x/kernel.cu"), 6, 1};
    finding = (Finding){0};
    why_add_stored_before(&h.grade, &h.run, 2, &finding);
    CHECK_INT(finding.related_count, 1);
    CHECK_INT(finding.related[0].at.line, 6);
    h.pieces[2].first_called.line = 8;
    why_add_stored_before(&h.grade, &h.run, 2, &finding);
    why_add_stored_before(&h.grade, &h.run, BLOCKS, &finding);
    CHECK_INT(finding.related_count, 1);
}

// ---- rules.c -------------------------------------------------------------

// How many causes a race for an element of block 2 is, between these CTAs.
static size_t race(Hand *h, uint32_t one, uint32_t other) {
    static const DeviceRule rule = RULE_RACE001;
    Finding *finding = arena_new(&h->bench.arena, Finding, 1);
    Cause causes[MAX_RULE_CAUSES];
    FindingCase which = sample_case(rule);
    *finding = (Finding){
        .rule = rule,
        .which = which,
        .facts = sample_facts(&h->bench.arena, finding_case_carries(which), 0),
        .at = {STR("x/kernel.cu"), 9, 5},
        .in_buffer = true,
        .cta = one,
        .other_cta = other,
        .offset = 2 * THREADS * 4 + 8};
    h->run.device.findings = finding;
    h->run.device.finding_count = 1;
    tally(h, 0);
    return judge_rules(&h->grade, &h->run, causes);
}

TEST(a_race_of_two_that_both_did_a_block_is_judged_elsewhere) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    CHECK_INT(race(&h, 2, 3), 1); // it was processed once
    process(&h, 2, 2);
    CHECK_INT(race(&h, 2, 3), 1); // 3 did not store to it
    h.pieces[2].writer_count = 2;
    h.pieces[2].writers[1] = 3;
    CHECK_INT(race(&h, 2, 3), 0);
    CHECK_INT(race(&h, 3, 2), 0);
    float right = h.after[2 * THREADS];
    h.after[2 * THREADS] = 99; // its elements disagree: it was not done twice
    CHECK_INT(race(&h, 2, 3), 1);
    h.after[2 * THREADS] = right;
    CHECK_INT(race(&h, 3, 3), 1);
    CHECK_INT(race(&h, 3, 4), 1);
    CHECK_INT(race(&h, 4, 3), 1);
    h.pieces[2].writer_count = WATCH_WRITERS;
    h.pieces[2].writers[3] = 5;
    CHECK_INT(race(&h, 2, 5), 0);
    CHECK_INT(race(&h, 2, 4), 1);
    h.pieces[2].writer_count = WATCH_WRITERS + 1;
    CHECK_INT(race(&h, 2, 4), 0); // perhaps one that was not kept
    h.run.device.status = RUN_FAULT;
    CHECK_INT(race(&h, 2, 4), 1);
    h.run.device.status = RUN_DONE;
    h.run.watch.buffer = 1;
    CHECK_INT(race(&h, 2, 4), 1);
}

// ---- ledger.c ------------------------------------------------------------

static FindingCase prologue(Hand *h, Cause *cause) {
    tally(h, 0);
    return judge_prologue(&h->grade, &h->run, cause) ? CASE_NONE
                                                     : cause->finding->which;
}

TEST(each_block_with_work_calls_the_prologue_once) {
    SCOPED_HAND(h, TECHNIQUE_FIXED, 1);
    Cause cause = {0};
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.chains[5].prologues = 0;
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_NEVER);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 5);
    h.chains[5].prologues = 2;
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_REPEATED);
    CHECK_INT(number_of(&cause, FACT_TIMES), 2);
    CHECK_INT(cause.at.line, 5); // compute_scalar
    h.chains[5].prologue_at = (SrcLoc){STR("x/kernel.cu"), 8, 1};
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_REPEATED);
    CHECK_INT(cause.at.line, 8);
    h.chains[5].prologues = 1;
    h.chains[7].cta = 9; // beyond the blocks that own elements
    h.chains[7].prologues = 0;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.chains[7].count = 2;
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_NEVER);
}

TEST(one_of_a_cluster_calls_the_prologue_for_all) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    Cause cause = {0};
    h.run.device.resident = BLOCKS;
    for (uint32_t b = 0; b < BLOCKS; b++)
        h.chains[b].prologues = b % 4 == 1 || b % 4 == 2;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.chains[5].prologues = 0;
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_NEVER_IN_CLUSTER);
    CHECK_INT(number_of(&cause, FACT_BLOCK), 4);
    CHECK_INT(number_of(&cause, FACT_CTAS), 2);
}

TEST(a_call_is_late_when_the_thread_had_an_element_certainly) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    h.run.device.resident = BLOCKS;
    LedgerChain *chain = &h.chains[7]; // its own block has 100 elements
    chain->late = 3;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    chain->blocks[1] = 0; // which has elements for all, and may not be done
    chain->count = 2;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    chain->late_worked = 1;
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_LATE);
    CHECK_INT(number_of(&cause, FACT_TIMES), 3);
    CHECK_INT(cause.at.line, 5);
    chain->late_at = (SrcLoc){STR("x/kernel.cu"), 9, 1};
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_LATE);
    CHECK_INT(cause.at.line, 9);
    chain->late = 0;
    h.chains[2].late = 1; // its own block has elements for all
    CHECK_INT(prologue(&h, &cause), CASE_PROLOGUE_LATE);
}

TEST(no_more_blocks_are_started_than_fit) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Cause cause = {0};
    h.run.device.ledger.totals.started = 4;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.run.device.ledger.totals.started = 5;
    CHECK(prologue(&h, &cause) != CASE_NONE);
    CHECK_INT(number_of(&cause, FACT_STARTED), 5);
    h.run.device.ledger.totals.refused_pending = 1;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.run.device.ledger.totals.refused_pending = 0;
    h.bench.lab.technique = TECHNIQUE_FIXED;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.bench.lab.technique = TECHNIQUE_PERSISTENT;
    CHECK(prologue(&h, &cause) != CASE_NONE);
    h.run.has_other_grid = true;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
    h.run.has_other_grid = false;
    h.run.plain = false;
    CHECK_INT(prologue(&h, &cause), CASE_NONE);
}

TEST(a_summary_shows_16_chains_of_12_links) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Run *run = &h.run;
    h.pieces[1].writers[0] = 0;
    h.blocks[0][1] = 1;
    h.blocks[0][2] = 9;
    h.chains[0].count = 3;
    h.pieces[2].writer_count = 0;
    h.pieces[4].writers[0] = 3;
    h.pieces[3].writers[0] = 6;
    for (uint32_t i = 1; i < 13; i++)
        h.blocks[5][i] = 8;
    h.chains[5].count = 12;
    h.chains[6].blocks = h.chains[5].blocks;
    h.chains[6].count = 13;
    tally(&h, 0);
    LedgerSummary s = ledger_summary(&h.grade, run);
    CHECK_INT(s.n, N);
    CHECK_STR(s.size, "n = 996");
    CHECK_STR(s.schedule, "plain schedule");
    if (!CHECK_INT(s.chain_count, 8))
        return;
    CHECK_STR(s.chains[0], "block 0: 0 -> 1 -> 9");
    CHECK_STR(s.chains[2], "block 2: 2 (nothing stored)");
    CHECK_STR(s.chains[3], "block 3: 3 (stored to 4)");
    CHECK(str_ends(s.chains[5], STR(" -> 8 -> 8")));
    CHECK(str_ends(s.chains[6], STR(" -> 8 and 1 more")));
    CHECK_INT(s.links[6], 13);
    LedgerChain *many = arena_new(&h.bench.arena, LedgerChain, 17);
    for (size_t i = 0; i < 17; i++)
        many[i] = h.chains[7];
    run->device.ledger.chains = many;
    run->device.ledger.chain_count = 17;
    CHECK_INT(ledger_summary(&h.grade, run).chain_count, 16);
    run->device.ledger.chain_count = 15;
    CHECK_INT(ledger_summary(&h.grade, run).chain_count, 15);
}

TEST_MAIN(
    TESTCASE(a_missing_block_was_not_started_or_did_something_else),
    TESTCASE(a_missing_block_was_granted_and_not_decoded_or_lost),
    TESTCASE(what_all_missing_blocks_have_in_common_is_the_reason),
    TESTCASE(an_index_is_processed_at_two_places),
    TESTCASE(an_index_of_clusters_leads_to_the_block_of_twice_its_number),
    TESTCASE(blocks_that_never_go_on_process_their_own_again),
    TESTCASE(one_request_for_each_place_of_a_cluster_is_a_reason),
    TESTCASE(a_block_was_processed_twice_by_one_or_by_several),
    TESTCASE(who_stored_to_a_block_had_a_standing),
    TESTCASE(a_block_may_be_processed_again_by_an_index_that_a_refusal_left),
    TESTCASE(block_0_may_be_taken_where_no_answer_gave_it),
    TESTCASE(a_contrast_is_where_the_owner_left_and_others_stored),
    TESTCASE(a_race_of_two_that_both_did_a_block_is_judged_elsewhere),
    TESTCASE(each_block_with_work_calls_the_prologue_once),
    TESTCASE(one_of_a_cluster_calls_the_prologue_for_all),
    TESTCASE(a_call_is_late_when_the_thread_had_an_element_certainly),
    TESTCASE(no_more_blocks_are_started_than_fit),
    TESTCASE(a_summary_shows_16_chains_of_12_links))
