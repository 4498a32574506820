// SPDX-License-Identifier: Apache-2.0
// report/: a grade as text for a person: its head, the checks, folded if one
// failed, each cause with its parts in their order, and what is cut.
#include "tests/unit/report_page.h"

// ---- text ----------------------------------------------------------------

TEST(text_has_head_table_cause_and_score) {
    Sample s;
    make_sample(&s);
    Buf out = text_of(&s, PLAIN);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "Lab 4: Clusters\n"
                      "a/k.cu on vm:mini, seed 9, 16 schedules\n");
    CHECK_HOLDS(text, "  FAIL     0/12.50 rules       No rule is broken.\n"
                      "  PASS     5/5   builds\n"
                      "  SKIP     0/82.50 schedules\n\n");
    CHECK_HOLDS(text, "a/k.cu:2:12: error: block 3 exits with its request in "
                      "flight [CLC004]\n");
    CHECK_HOLDS(text, "  help      Wait for the barrier before the kernel "
                      "returns, in every path that\n"
                      "            leads out of the loop over block indices.\n"
                      "  expected  the answer awaited\n"
                      "  actual    it exits at line 2\n"
                      "  see       a/k.cu:1: it was issued here\n"
                      "     1 | line one\n"
                      "       |      ^\n");
    CHECK_HOLDS(text, "  replay    clclab grade 4 a/k.cu --seed 9");
    CHECK_HOLDS(text, "a/k.cu:1:1: advisory: a fence is doubtful [CLC006]");
    CHECK_HOLDS(text, "  | hello\n  | world\n");
    CHECK_HOLDS(text, "10 blocks, 8 started, 2 stolen; 8 requests refused, 1");
    CHECK_HOLDS(text, "  block 0: 0 -> 8\n");
    CHECK_HOLDS(text, "\nScore: 5/100\n");
    buf_free(&out);
}

TEST(regions_without_code_are_named_in_front_of_the_score) {
    Sample s;
    make_sample(&s);
    Buf out = text_of(&s, PLAIN);
    CHECK_LACKS(buf_view(&out), "No code yet");
    buf_free(&out);
    s.result.empty_regions = STR("part 4, part 6");
    out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out),
                "\n\nNo code yet in part 4, part 6. The regions belong "
                "together: ");
    CHECK_HOLDS(buf_view(&out), "at the start.\n\nScore: 5/100\n");
    buf_free(&out);
}

TEST(cause_says_who_what_was_before_and_what_is_missing) {
    Sample s;
    make_sample(&s);
    s.cause.who = STR("block 3, warp 1, lane 5");
    s.cause.missing = STR("A wait between the two.");
    s.cause.region = STR("the third");
    s.cause.explain = STR("clclab explain CLC004");
    s.cause.in_order = true;
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "  region    the third\n"
                                "  expected  the answer awaited\n"
                                "  actual    it exits at line 2\n"
                                "  missing   A wait between the two.\n"
                                "  before    a/k.cu:1: it was issued here\n"
                                "     1 | line one\n"
                                "       |      ^\n"
                                "  who       block 3, warp 1, lane 5\n"
                                "  run       n = 1000\n"
                                "  more      clclab explain CLC004\n"
                                "  replay    clclab");
    buf_free(&out);
    out = json_of(&s);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"who\": \"block 3, warp 1, lane 5\"");
    CHECK_HOLDS(buf_view(&out), "\"missing\": \"A wait between the two.\"");
    CHECK_HOLDS(buf_view(&out), "\"explain\": \"clclab explain CLC004\"");
    buf_free(&out);
}

TEST(figure_of_a_check_stands_below_it_where_it_passed) {
    Sample s;
    make_sample(&s);
    Buf out = text_of(&s, PLAIN);
    CHECK_LACKS(buf_view(&out), "balance 104%"); // another check failed
    CHECK_LACKS(buf_view(&out), "never shown");
    buf_free(&out);
    s.checks[1].status = CHECK_SKIP;
    out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "It compiles.\n                               "
                                "balance 104% (at most 110%)\n");
    CHECK(memmem(out.ptr, out.len, "never shown", 11) == NULL);
    buf_free(&out);
    out = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "\"figure\": \"balance 104% (at most 110%)\"");
    CHECK_HOLDS(buf_view(&out), "\"figure\": null");
    buf_free(&out);
}

// A reader looks for the cause: what passed, and what was not judged, is told
// in a line for each reason.
TEST(checks_that_did_not_fail_are_folded_if_one_did) {
    Sample s;
    make_sample(&s);
    Cause rules = {.what = STR("Not judged, because rules did not pass.")};
    Cause other = {.what = STR("No block processed anything.")};
    CheckResult checks[6] = {s.checks[0], s.checks[1]};
    Str ids[] = {STR("correct"), STR("once"), STR("technique"), STR("yield")};
    for (size_t i = 0; i < 4; i++)
        checks[i + 2] = (CheckResult){.id = ids[i],
                                      .title = STR("As asked."),
                                      .max_points = 10,
                                      .status = CHECK_SKIP,
                                      .causes = i == 1 ? &other : &rules,
                                      .cause_count = 1};
    checks[5].status = CHECK_PASS;
    checks[5].points = 2.5;
    s.result.checks = checks;
    s.result.check_count = 6;
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out),
                "  FAIL     0/12.50 rules       No rule is broken.\n"
                "  PASS  7.50/15  builds, yield\n"
                "  SKIP     0/20  Not judged, because rules did not pass: "
                "correct, technique\n"
                "  SKIP     0/10  No block processed anything: once\n\n");
    buf_free(&out);
}

TEST(what_is_wrong_comes_before_what_happened) {
    Sample s;
    make_sample(&s);
    s.cause.headline = STR("Nobody waits for the answer.");
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out),
                ": error: Nobody waits for the answer. [CLC004]\n");
    CHECK_HOLDS(buf_view(&out),
                "loop over block indices.\n"
                "  found     block 3 exits with its request in flight\n"
                "  expected ");
    buf_free(&out);
    out = json_of(&s);
    CHECK_HOLDS(buf_view(&out),
                "\"headline\": \"Nobody waits for the answer.\"");
    CHECK_HOLDS(buf_view(&out),
                "\"what\": \"block 3 exits with its request in flight\"");
    CHECK_HOLDS(buf_view(&out), "\"headline\": \"a fence is doubtful\"");
    buf_free(&out);
    // The schedule alone is no news: the line of the run has it.
    s.cause.what = STR("In schedule 5: Nobody waits for the answer.");
    out = text_of(&s, PLAIN);
    CHECK_LACKS(buf_view(&out), "  found ");
    buf_free(&out);
}

TEST(what_was_tried_has_that_label) {
    Sample s;
    make_sample(&s);
    s.cause.help = s.cause.advice.what =
        STR("Tried: with a fence there, all 64 schedules pass.");
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out),
                "  tried     with a fence there, all 64 schedules pass.\n");
    buf_free(&out);
}

TEST(cause_names_the_region_to_mend_and_the_calls) {
    Sample s;
    make_sample(&s);
    s.cause.region = STR("the third");
    s.cause.mend = STR("the sixth");
    s.cause.callers[0] = (SrcLoc){STR("a/k.cu"), 1, 2};
    s.cause.callers[1] = (SrcLoc){STR("b/other.cu"), 9, 2};
    s.cause.caller_count = 2;
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "  called    a/k.cu:1\n"
                                "     1 | line one\n"
                                "       |  ^\n"
                                "  and that  b/other.cu:9\n"
                                "  run ");
    CHECK_HOLDS(buf_view(&out), "  mend in   the sixth\n");
    CHECK(memmem(buf_view(&out).ptr, out.len, "the third", 9) == NULL);
    buf_free(&out);
    out = json_of(&s);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"region\": \"the third\"");
    CHECK_HOLDS(buf_view(&out), "\"mend\": \"the sixth\"");
    buf_free(&out);
}

TEST(more_is_said_once_of_causes_in_a_row) {
    Sample s;
    make_sample(&s);
    s.cause.explain = STR("clclab explain CLC004");
    s.advisory.explain = STR("clclab explain CLC004");
    Buf out = text_of(&s, PLAIN);
    Str text = buf_view(&out);
    int count = 0;
    while (text.len > 0)
        count += str_starts(str_cut(&text, '\n'), STR("  more "));
    CHECK_INT(count, 1);
    buf_free(&out);
}

TEST(line_of_a_related_place_is_shown_once) {
    Sample s;
    make_sample(&s);
    s.cause.related[1] = s.cause.related[0];
    s.cause.related[2] =
        (CausePlace){.at = s.cause.at, .what = STR("here again")};
    s.cause.related_count = 3;
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "  see       a/k.cu:1: it was issued here\n"
                                "     1 | line one\n"
                                "       |      ^\n"
                                "  see       a/k.cu:1: it was issued here\n"
                                "  see       a/k.cu:2: here again\n"
                                "  run ");
    buf_free(&out);
}

TEST(headers_of_the_toolkit_are_named_as_they_are_included) {
    static const char *const shown[][2] = {
        {"/opt/cuda/include/cccl/cuda/x.h", "through   <cuda/x.h>:77\n"},
        {"/opt/cuda/include/mma.h", "through   <mma.h>:77\n"},
        {"mine/include/y.h", "through   mine/include/y.h:77\n"},
    };
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        Sample s;
        make_sample(&s);
        s.cause.via.file = str_from(shown[i][0]);
        Buf out = text_of(&s, (ReportStyle){.width = 80, .frames = true});
        CHECK_HOLDS(buf_view(&out), shown[i][1]);
        buf_free(&out);
        out = text_of(&s, PLAIN); // nobody has asked for it
        CHECK_LACKS(buf_view(&out), "through ");
        buf_free(&out);
    }
}

TEST(check_without_code_is_named_by_its_id) {
    Sample s;
    make_sample(&s);
    s.cause.code = (Str){0};
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "in flight [rules]");
    buf_free(&out);
}

TEST(one_run_has_its_replay_printed_once) {
    Sample s;
    make_sample(&s);
    Cause both[2] = {s.cause, s.cause};
    s.checks[1].causes = both;
    s.checks[1].cause_count = 2;
    Buf out = text_of(&s, PLAIN);
    buf_byte(&out, '\0');
    const char *first = strstr(out.ptr, "replay");
    CHECK(first && !strstr(first + 1, "replay"));
    buf_free(&out);
}

TEST(many_causes_are_counted) {
    Sample s;
    make_sample(&s);
    Cause many[8];
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = s.cause;
    s.checks[1].causes = many;
    s.checks[1].cause_count = COUNT_OF(many);
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "and 3 more of rules");
    buf_free(&out);
}

TEST(warnings_are_shown_few) {
    Sample s;
    make_sample(&s);
    for (size_t i = 0; i < COUNT_OF(s.messages); i++)
        s.messages[i] = (Diag){.level = DIAG_WARNING,
                               .at = {STR("a/k.cu"), 1, 6},
                               .what = STR("never used")};
    s.result.message_count = COUNT_OF(s.messages);
    Buf out = text_of(&s, PLAIN), json = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "a/k.cu:1:6: warning: never used\n");
    CHECK_HOLDS(buf_view(&out), "and 2 more warnings");
    CHECK_HOLDS(buf_view(&json), "\"level\": \"warning\"");
    buf_free(&out);
    buf_free(&json);
}

TEST(long_output_is_cut) {
    Sample s;
    make_sample(&s);
    s.result.output = STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    Buf out = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&out), "  | 8\n  | ... 2 more lines\n");
    buf_free(&out);
}

TEST(color_only_where_asked_for) {
    Sample s;
    make_sample(&s);
    Buf plain = text_of(&s, PLAIN);
    Buf color = text_of(&s, (ReportStyle){.color = true, .width = 80});
    CHECK(!memchr(plain.ptr, '\x1b', plain.len));
    CHECK_HOLDS(buf_view(&color), "\x1b[1;31mFAIL \x1b[0m");
    CHECK_HOLDS(buf_view(&color), "\x1b[32m^\x1b[0m");
    buf_free(&plain);
    buf_free(&color);
}

TEST(lines_keep_to_the_width) {
    Sample s;
    make_sample(&s);
    s.cause.what =
        STR("many words that go on and on so that the line has to be "
            "broken somewhere between two of them, more than once");
    s.checks[0].id = STR("builds");
    s.checks[2].id = STR("a, check, with, a, very, long, name, indeed, that");
    Buf out = text_of(&s, (ReportStyle){.width = 50});
    CHECK_HOLDS(buf_view(&out), " rules\n          "); // the sentence below
    Str rest = buf_view(&out);
    while (rest.len > 0) {
        Str line = str_cut(&rest, '\n');
        if (!CHECK(line.len <= 50))
            test_print_str("line", line);
    }
    buf_free(&out);
}

TEST(control_bytes_never_reach_the_terminal) {
    Sample s;
    make_sample(&s);
    Str hostile = STR("a\x1b[31m\r\b\a\x7f\xc2\x9b\xe2\x80\xae\xff\n");
    s.result.title = s.result.file = s.result.output = hostile;
    s.cause.what = s.cause.help = s.cause.replay = s.cause.expected = hostile;
    s.cause.at.file = s.cause.via.file = s.cause.related[0].what = hostile;
    s.checks[0].id = s.checks[0].title = s.chains[0] = hostile;
    s.cause.at.line = 5;
    Buf out = text_of(&s, PLAIN);
    for (size_t i = 0; i < out.len; i++) {
        unsigned char byte = (unsigned char)out.ptr[i];
        if (!CHECK(byte == '\n' || (byte >= 0x20 && byte != 0x7f)))
            break;
    }
    CHECK_HOLDS(buf_view(&out), "a\\x1b[31m\\x0d\\x08\\x07\\x7f\\x9b\\u{202e}"
                                "\\xff\\n");
    CHECK_HOLDS(buf_view(&out), "bad \\x1b[2J \\xff caf\xc3\xa9 here");
    buf_free(&out);
}

TEST_MAIN(TESTCASE(text_has_head_table_cause_and_score),
          TESTCASE(regions_without_code_are_named_in_front_of_the_score),
          TESTCASE(cause_says_who_what_was_before_and_what_is_missing),
          TESTCASE(figure_of_a_check_stands_below_it_where_it_passed),
          TESTCASE(checks_that_did_not_fail_are_folded_if_one_did),
          TESTCASE(what_is_wrong_comes_before_what_happened),
          TESTCASE(what_was_tried_has_that_label),
          TESTCASE(cause_names_the_region_to_mend_and_the_calls),
          TESTCASE(more_is_said_once_of_causes_in_a_row),
          TESTCASE(line_of_a_related_place_is_shown_once),
          TESTCASE(headers_of_the_toolkit_are_named_as_they_are_included),
          TESTCASE(check_without_code_is_named_by_its_id),
          TESTCASE(one_run_has_its_replay_printed_once),
          TESTCASE(many_causes_are_counted), TESTCASE(warnings_are_shown_few),
          TESTCASE(long_output_is_cut), TESTCASE(color_only_where_asked_for),
          TESTCASE(lines_keep_to_the_width),
          TESTCASE(control_bytes_never_reach_the_terminal))
