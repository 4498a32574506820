// SPDX-License-Identifier: Apache-2.0
// result/: the rules by their codes, what becomes of a finding when it is made
// a cause, and what of a cause outlives the run that it is of.
#include "result/cause.h"
#include "result/finding.h"
#include "tests/unit/test.h"

static SrcLoc at(uint32_t line) {
    return (SrcLoc){STR("k.cu"), line, 1};
}

static Finding finding_of(FindingCase which) {
    return (Finding){.rule = finding_rule(which),
                     .which = which,
                     .at = at(7),
                     .via = at(8),
                     .callers = {at(9), at(10)},
                     .caller_count = 2,
                     .related = {{.at = at(3), .caller = at(4)}, {.at = at(5)}},
                     .related_count = 2};
}

// ---- rules ---------------------------------------------------------------

TEST(rules_are_known_by_their_codes) {
    for (DeviceRule rule = DEVICE_RULE_NONE; rule < DEVICE_RULE_COUNT; rule++)
        CHECK_INT(rule_find(rule_code(rule)), rule);
    CHECK_STR(rule_code(RULE_CLC006), "CLC006");
    CHECK_HOLDS(rule_line(RULE_CLC006).asks, "slot reuse");
    CHECK_STR(rule_line(DEVICE_RULE_NONE).code, "");
    CHECK_STR(rule_line(DEVICE_RULE_NONE).asks, "");
    CHECK_INT(rule_find(STR("CLC999")), DEVICE_RULE_NONE);
    CHECK_INT(rule_find(STR("CLC00")), DEVICE_RULE_NONE);
}

// Each row's columns are its own: of the rules that are alike but for one
// column, this names one of each kind.
TEST(what_a_rule_says_of_order_is_in_its_row) {
    CHECK(rule_tells_order(RULE_CLC006) && rule_is_retried(RULE_CLC006));
    CHECK(!rule_tells_order(RULE_DEADLOCK) && rule_is_retried(RULE_DEADLOCK));
    CHECK(!rule_tells_order(RULE_LIMIT) && !rule_is_retried(RULE_LIMIT));
    CHECK(!rule_tells_order(RULE_UNSUPPORTED));
    CHECK(!rule_is_retried(RULE_UNSUPPORTED));
}

TEST(a_cause_is_retried_as_its_code_says) {
    Cause limit = {.code = STR("LIMIT")}, output = {.code = STR("OUTPUT")};
    Cause judged = {0}, race = {.code = STR("RACE001")};
    CHECK(!cause_is_retried(&limit));
    CHECK(cause_is_retried(&output));
    CHECK(cause_is_retried(&judged));
    CHECK(cause_is_retried(&race));
}

// ---- a finding becomes a cause -------------------------------------------

TEST(a_cause_has_the_places_of_its_finding) {
    Arena arena = {0};
    Finding finding = finding_of(CASE_CLC006_NO_FENCE);
    Cause cause = cause_of_finding(&arena, &finding);
    CHECK_STR(cause.code, "CLC006");
    CHECK_STR(cause.explain, "clclab explain CLC006");
    CHECK_INT(cause.at.line, 7);
    CHECK_INT(cause.via.line, 8);
    CHECK_INT(cause.caller_count, 2);
    CHECK_INT(cause.callers[0].line, 9);
    CHECK_INT(cause.callers[1].line, 10);
    CHECK_INT(cause.related_count, 2);
    CHECK_INT(cause.related[0].at.line, 3);
    CHECK_INT(cause.related[0].caller.line, 4);
    CHECK_INT(cause.related[1].at.line, 5);
    CHECK_INT(cause.related[1].caller.line, 0);
    CHECK(cause.in_order);
    arena_free(&arena);
}

TEST(a_cause_keeps_the_finding_when_its_run_has_gone) {
    Arena arena = {0};
    Finding finding = finding_of(CASE_CLC006_NO_FENCE);
    Cause cause = cause_of_finding(&arena, &finding);
    finding.which = CASE_NONE;
    CHECK(cause.finding != &finding);
    CHECK_INT(cause.finding->which, CASE_CLC006_NO_FENCE);
    arena_free(&arena);
}

TEST(what_only_belongs_to_a_finding_did_not_happen_before_it) {
    Arena arena = {0};
    Finding finding = finding_of(CASE_CLC009_NOT_TAKEN);
    CHECK(!cause_of_finding(&arena, &finding).in_order);
    arena_free(&arena);
}

TEST(what_a_check_judged_has_no_code) {
    Arena arena = {0};
    Finding finding = finding_of(CASE_LAUNCH_MEMORY);
    Cause cause = cause_of_finding(&arena, &finding);
    CHECK_INT(cause.code.len, 0);
    CHECK_INT(cause.explain.len, 0);
    CHECK(!cause.in_order);
    CHECK_INT(cause.at.line, 7);
    arena_free(&arena);
}

TEST(related_places_end_with_their_room) {
    Cause cause = {0};
    for (uint32_t i = 0; i < 2 * COUNT_OF(cause.related); i++)
        cause_add_related(&cause, at(i + 1), STR("here"));
    CHECK_INT(cause.related_count, COUNT_OF(cause.related));
    CHECK_INT(cause.related[0].at.line, 1);
    CHECK_INT(cause.related[COUNT_OF(cause.related) - 1].at.line,
              COUNT_OF(cause.related));
}

// ---- a cause outlives its run --------------------------------------------

TEST(no_text_of_a_kept_cause_is_where_it_was) {
    Arena arena = {0};
    char text[] = "text";
    Str t = str_from(text);
    SrcLoc place = {t, 1, 1};
    Cause cause = {
        .what = t,
        .expected = t,
        .actual = t,
        .missing = t,
        .help = t,
        .who = t,
        .region = t,
        .mend = t,
        .explain = t,
        .at = place,
        .via = place,
        .schedule = t,
        .on_card = t,
        .context = t,
        .replay = t,
        .callers = {place, place},
        .caller_count = 2,
        .related_count = 1,
        .related = {{.at = place, .caller = place, .what = t}},
    };
    cause_keep(&arena, &cause);
    memset(text, '?', sizeof text - 1);
    const Str kept[] = {cause.what,
                        cause.expected,
                        cause.actual,
                        cause.missing,
                        cause.help,
                        cause.who,
                        cause.region,
                        cause.mend,
                        cause.explain,
                        cause.at.file,
                        cause.via.file,
                        cause.schedule,
                        cause.on_card,
                        cause.context,
                        cause.replay,
                        cause.callers[0].file,
                        cause.callers[1].file,
                        cause.related[0].at.file,
                        cause.related[0].caller.file,
                        cause.related[0].what};
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        CHECK_STR(kept[i], "text");
    arena_free(&arena);
}

static Cause race_at(Finding *finding, Fact *facts, const char *name,
                     uint32_t line) {
    facts[0] = FACT_SAYS(MEMORY, OWN_VARIABLE);
    facts[1] = FACT_STR(NAME, str_from(name));
    *finding = (Finding){.facts = {facts, 2}};
    return (Cause){.code = STR("RACE001"),
                   .at = {STR("k.cu"), line, 1},
                   .finding = finding};
}

// An advisory is dropped beside an error of the same rule that is about the
// same line, or about the same variable: nothing else makes them the same.
TEST(an_advisory_repeats_an_error_of_its_line_or_variable) {
    Finding findings[2];
    Fact facts[2][2];
    Cause error = race_at(&findings[0], facts[0], "phase", 52);
    Cause advisory = race_at(&findings[1], facts[1], "phase", 15);
    CHECK(cause_repeats(&advisory, &error));
    advisory = race_at(&findings[1], facts[1], "count", 15);
    CHECK(!cause_repeats(&advisory, &error));
    advisory = race_at(&findings[1], facts[1], "count", 52);
    CHECK(cause_repeats(&advisory, &error));
    advisory.code = STR("RACE002");
    CHECK(!cause_repeats(&advisory, &error));
    advisory = race_at(&findings[1], facts[1], "", 15);
    facts[0][1].text = (Str){0}; // memory without a name is not one variable
    CHECK(!cause_repeats(&advisory, &error));
}

TEST_MAIN(TESTCASE(an_advisory_repeats_an_error_of_its_line_or_variable),
          TESTCASE(rules_are_known_by_their_codes),
          TESTCASE(what_a_rule_says_of_order_is_in_its_row),
          TESTCASE(a_cause_is_retried_as_its_code_says),
          TESTCASE(a_cause_has_the_places_of_its_finding),
          TESTCASE(a_cause_keeps_the_finding_when_its_run_has_gone),
          TESTCASE(what_only_belongs_to_a_finding_did_not_happen_before_it),
          TESTCASE(what_a_check_judged_has_no_code),
          TESTCASE(related_places_end_with_their_room),
          TESTCASE(no_text_of_a_kept_cause_is_where_it_was))
