// SPDX-License-Identifier: Apache-2.0
// report/: text with its excerpts and carets, JSON against a small parser of
// its own, and what both do with bytes that a student chose.
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

#include <locale.h>

static const ReportStyle PLAIN = {.width = 80};

static const char SOURCE[] = "line one\n"
                             "    if (x)\treturn;\n"
                             "\t\tdata[i] *= alpha;\r\n"
                             "\n"
                             "bad \x1b[2J \xff caf\xc3\xa9 here\n";

// ---- a result to print ---------------------------------------------------

typedef struct Sample {
    Cause cause;
    Cause advisory;
    CheckResult checks[3];
    Str chains[3];
    size_t links[3];
    Diag messages[5];
    Result result;
} Sample;

static void make_sample(Sample *s) {
    *s = (Sample){0};
    s->cause = (Cause){
        .code = STR("CLC004"),
        .what = STR("block 3 exits with its request in flight"),
        .expected = STR("the answer awaited"),
        .actual = STR("it exits at line 2"),
        .help = STR("Wait for the barrier before the kernel returns, in every "
                    "path that leads out of the loop over block indices."),
        .at = {STR("a/k.cu"), 2, 12},
        .via = {STR("/lib/b.h"), 77, 1},
        .related = {{.at = {STR("a/k.cu"), 1, 6},
                     .what = STR("it was issued here")}},
        .related_count = 1,
        .context = STR("n = 1000"),
        .replay = STR("clclab grade 4 a/k.cu --seed 9 --schedules 16"),
    };
    s->advisory = (Cause){.code = STR("CLC006"),
                          .what = STR("a fence is doubtful"),
                          .help = STR("use the pair"),
                          .at = {STR("a/k.cu"), 1, 1}};
    s->checks[0] = (CheckResult){STR("builds"),
                                 STR("It compiles."),
                                 5,
                                 5,
                                 CHECK_PASS,
                                 NULL,
                                 0,
                                 STR("balance 104% (at most 110%)")};
    s->checks[1] = (CheckResult){STR("rules"),
                                 STR("No rule is broken."),
                                 0,
                                 12.5,
                                 CHECK_FAIL,
                                 &s->cause,
                                 1,
                                 STR("never shown")};
    s->checks[2] = (CheckResult){
        STR("schedules"), STR("The same."), 0, 82.5, CHECK_SKIP, NULL, 0,
        (Str){0}};
    s->chains[0] = STR("block 0: 0 -> 8");
    s->chains[1] = STR("block 1: 1 -> 9");
    s->chains[2] = STR("block 2: 2");
    s->result = (Result){
        .lab = 4,
        .title = STR("Clusters"),
        .file = STR("a/k.cu"),
        .device = STR("vm"),
        .gpu_model = STR("mini"),
        .seed = 9,
        .schedules = 16,
        .score = 5,
        .max_score = 100,
        .verdict = VERDICT_FAIL,
        .elapsed_ms = 12.25,
        .checks = s->checks,
        .check_count = 3,
        .has_ledger = true,
        .ledger = {.totals = {.grid = 10,
                              .started = 8,
                              .granted = 2,
                              .refused = 8,
                              .lost = 1},
                   .n = 1000,
                   .schedule = STR("plain schedule"),
                   .chains = s->chains,
                   .links = s->links,
                   .chain_count = 3},
        .compiler = STR("NVRTC 13.0"),
        .version = STR("0.1"),
        .output = STR("hello\nworld\n"),
        .advisories = &s->advisory,
        .advisory_count = 1,
        .messages = s->messages,
    };
}

static Buf text_of(const Sample *s, ReportStyle style) {
    Buf out = {0};
    report_text(&s->result, STR(SOURCE), style, &out);
    return out;
}

static Buf json_of(const Sample *s) {
    Buf out = {0};
    report_json(&s->result, &out);
    return out;
}

// ---- the JSON parser of tests/unit/json_scan.h ---------------------------

TEST(the_tests_own_json_parser_refuses) {
    CHECK(is_json(STR("{\"a\": [1, 2.5, null, \"x\\u0000\"]}")));
    CHECK(!is_json(STR("{\"a\": }")));
    CHECK(!is_json(STR("[1,]")));
    CHECK(!is_json(STR("\"\x01\"")));
    CHECK(!is_json(STR("\"\xff\"")));
    CHECK(!is_json(STR("{} x")));
}

// ---- JSON ----------------------------------------------------------------

TEST(json_is_valid_and_complete) {
    Sample s;
    make_sample(&s);
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    CHECK_HOLDS(json, "\"schema\": \"clclab/result/v1\"");
    CHECK_HOLDS(json, "\"score\": 5,");
    CHECK_HOLDS(json, "\"max_points\": 12.500,");
    CHECK_HOLDS(json, "\"elapsed_ms\": 12.250,");
    CHECK_HOLDS(json, "\"verdict\": \"fail\"");
    CHECK_HOLDS(json, "\"status\": \"skip\"");
    CHECK_HOLDS(json, "\"code\": \"CLC004\"");
    CHECK_HOLDS(json, "\"column\": 12");
    CHECK_HOLDS(json, "\"canceled\": 2");
    CHECK_HOLDS(json, "\"output\": \"hello\\nworld\\n\"");
    buf_free(&out);
}

// Behind a helper function every wait is at the same line but for its callers.
TEST(json_has_the_calls_that_led_to_a_line) {
    Sample s;
    make_sample(&s);
    s.cause.callers[0] = (SrcLoc){STR("a/k.cu"), 31, 4};
    s.cause.callers[1] = (SrcLoc){STR("a/k.cu"), 57, 2};
    s.cause.caller_count = 2;
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    CHECK_HOLDS(json, "\"called\": [");
    CHECK_HOLDS(json, "\"line\": 31");
    CHECK_HOLDS(json, "\"line\": 57");
    buf_free(&out);
}

TEST(json_says_what_a_grade_was_made_of) {
    Sample s;
    make_sample(&s);
    static const Str flags[] = {{"-DX=\"1\"", 7}};
    s.result.provenance = (Provenance){.submission = STR("aa"),
                                       .lab = STR("bb"),
                                       .header = STR("cc"),
                                       .reference = STR("dd"),
                                       .grader = STR("ee"),
                                       .is_seed_given = true,
                                       .is_whole = true,
                                       .flags = flags,
                                       .flag_count = 1};
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    CHECK_HOLDS(json, "\"submission_sha256\": \"aa\"");
    CHECK_HOLDS(json, "\"lab_conf_sha256\": \"bb\"");
    CHECK_HOLDS(json, "\"lab_h_sha256\": \"cc\"");
    CHECK_HOLDS(json, "\"reference_sha256\": \"dd\"");
    CHECK_HOLDS(json, "\"grader_sha256\": \"ee\"");
    CHECK_HOLDS(json, "\"course\": null");
    CHECK_HOLDS(json, "\"seed_is\": \"given\"");
    CHECK_HOLDS(json, "\"whole\": true");
    CHECK_HOLDS(json, "-DX=\\\"1\\\"");
    buf_free(&out);
    s.result.provenance.is_seed_given = false;
    s.result.provenance.course = STR("other/labs");
    out = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "\"seed_is\": \"default\"");
    CHECK_HOLDS(buf_view(&out), "\"course\": \"other/labs\"");
    buf_free(&out);
}

TEST(both_formats_say_what_the_sandbox_lacked) {
    Sample s;
    make_sample(&s);
    Buf out = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "\"compiler\": null,\n      \"judge\": null");
    out.len = 0;
    SandboxNote *sandbox = &s.result.provenance.sandbox;
    *sandbox = (SandboxNote){.compiler = {true, true, 7, {0}},
                             .judge = {true, true, 0, {0}}};
    report_json(&s.result, &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out),
                "\"compiler\": [\n        \"landlock 7\",\n"
                "        \"seccomp\"\n      ],\n"
                "      \"judge\": [\n        \"seccomp\"\n      ],\n"
                "      \"untrusted\": false,\n"
                "      \"weak_allowed\": false");
    sandbox->untrusted = sandbox->allow_weak = true;
    out.len = 0;
    report_json(&s.result, &out);
    CHECK_HOLDS(buf_view(&out), "\"untrusted\": true");
    CHECK_HOLDS(buf_view(&out), "\"weak_allowed\": true");
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_LACKS(buf_view(&out), "without");
    sandbox->compiler.landlock = 0;
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_HOLDS(buf_view(&out), "graded without Landlock, which");
    sandbox->compiler.bubblewrap = STR("0.8.0"); // holds alone
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_LACKS(buf_view(&out), "without");
    report_json(&s.result, &out);
    CHECK_HOLDS(buf_view(&out), "\"seccomp\",\n        \"bubblewrap 0.8.0\"");
    sandbox->compiler.bubblewrap = STR("");
    sandbox->judge.seccomp = false;
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_HOLDS(buf_view(&out), "graded without Landlock and seccomp, which");
    *sandbox = (SandboxNote){.compiler = {true, false, 7, {0}},
                             .judge = {true, true, 0, {0}}};
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_HOLDS(buf_view(&out), "graded without seccomp, which");
    s.result.is_seed_hidden = true; // whoever reads it did not grade it
    out.len = 0;
    report_text(&s.result, STR(""), (ReportStyle){.width = 200}, &out);
    CHECK_LACKS(buf_view(&out), "seccomp");
    buf_free(&out);
}

// ---- JSON: keys ----------------------------------------------------------

TEST(json_keys_have_a_fixed_order) {
    static const char *const keys[] = {
        "schema",     "lab",        "title",     "file",    "device",
        "gpu_model",  "seed",       "schedules", "score",   "max_score",
        "verdict",    "elapsed_ms", "checks",    "ledger",  "environment",
        "provenance", "advisories", "output",    "messages"};
    Sample s;
    make_sample(&s);
    Buf out = json_of(&s);
    buf_byte(&out, '\0');
    const char *at = out.ptr;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        char key[64];
        snprintf(key, sizeof key, "\n  \"%s\":", keys[i]);
        const char *next = strstr(at, key);
        if (!CHECK(next != NULL))
            break;
        at = next;
    }
    buf_free(&out);
}

TEST(json_of_nothing_is_valid) {
    Result result = {0};
    Buf out = {0};
    report_json(&result, &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"ledger\": null");
    CHECK_HOLDS(buf_view(&out), "\"checks\": []");
    buf_free(&out);
}

TEST(json_survives_hostile_bytes) {
    static const char hostile[] = "q\" b\\ n\n t\t e\x1b z\0 f\xff o\xc0\xaf "
                                  "s\xed\xa0\x80 c\xc3\xa9 l\xe2\x80\xa8 "
                                  "d\xe2\x80\xae \xf0\x9f\x98\x80 \xf0\x9f";
    Sample s;
    make_sample(&s);
    s.result.title = s.cause.what = s.result.output =
        (Str){hostile, sizeof hostile - 1};
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    CHECK_HOLDS(json, "q\\\" b\\\\ n\\n t\\t e\\u001b z\\u0000");
    CHECK_HOLDS(json, "c\xc3\xa9 l\\u2028 d\\u202e \xf0\x9f\x98\x80");
    CHECK_HOLDS(json, "f\xef\xbf\xbd");
    buf_free(&out);
}

TEST(json_does_not_depend_on_the_locale) {
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < COUNT_OF(locales); i++)
        setlocale(LC_ALL, locales[i]); // where there is none, nothing changes
    Sample s;
    make_sample(&s);
    Buf out = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "12.500");
    buf_free(&out);
}

TEST(same_result_same_bytes) {
    Sample s;
    make_sample(&s);
    Buf a = json_of(&s), b = json_of(&s), c = text_of(&s, PLAIN),
        d = text_of(&s, PLAIN);
    CHECK(str_equal(buf_view(&a), buf_view(&b)));
    CHECK(str_equal(buf_view(&c), buf_view(&d)));
    buf_free(&a);
    buf_free(&b);
    buf_free(&c);
    buf_free(&d);
}

TEST(every_verdict_and_status_has_a_name) {
    Sample s;
    make_sample(&s);
    s.checks[1].status = CHECK_ERROR;
    s.result.verdict = VERDICT_ERROR;
    Buf json = json_of(&s), text = text_of(&s, PLAIN);
    CHECK_HOLDS(buf_view(&json), "\"status\": \"error\"");
    CHECK_HOLDS(buf_view(&json), "\"verdict\": \"error\"");
    CHECK_HOLDS(buf_view(&text), "ERROR");
    CHECK_HOLDS(buf_view(&text), "grader error: block 3");
    CHECK_HOLDS(buf_view(&text), "not your fault");
    buf_free(&json);
    s.result.verdict = VERDICT_PASS;
    json = json_of(&s);
    CHECK_HOLDS(buf_view(&json), "\"verdict\": \"pass\"");
    buf_free(&json);
    buf_free(&text);
}

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

// ---- excerpts ------------------------------------------------------------

static void excerpt_is(Str source, uint32_t line, uint32_t col, uint32_t width,
                       const char *expected) {
    Diag diag = {
        .level = DIAG_ERROR, .at = {STR("k.cu"), line, col}, .what = STR("x")};
    Buf out = {0};
    report_diag(&diag, source, (ReportStyle){.width = width}, &out);
    Str text = buf_view(&out), head = str_cut(&text, '\n');
    CHECK_HOLDS(head, "error: x");
    CHECK_STR(text, expected);
    buf_free(&out);
}

TEST(caret_stands_under_its_column) {
    excerpt_is(STR(SOURCE), 1, 6, 80, "     1 | line one\n       |      ^\n");
    excerpt_is(STR(SOURCE), 1, 1, 80, "     1 | line one\n       | ^\n");
    excerpt_is(STR(SOURCE), 1, 99, 80,
               "     1 | line one\n       |         ^\n");
}

TEST(tabs_are_expanded) {
    excerpt_is(STR(SOURCE), 2, 12, 80,
               "     2 |     if (x)  return;\n"
               "       |             ^\n");
    excerpt_is(STR(SOURCE), 3, 3, 80,
               "     3 |         data[i] *= alpha;\n"
               "       |         ^\n");
}

TEST(escaped_bytes_shift_the_caret) {
    excerpt_is(STR(SOURCE), 5, 10, 80,
               "     5 | bad \\x1b[2J \\xff caf\xc3\xa9 here\n"
               "       |             ^\n");
    excerpt_is(STR(SOURCE), 5, 18, 80,
               "     5 | bad \\x1b[2J \\xff caf\xc3\xa9 here\n"
               "       |                       ^\n");
}

TEST(no_excerpt_without_a_line) {
    excerpt_is(STR(SOURCE), 0, 0, 80, "");
    excerpt_is(STR(SOURCE), 4, 1, 80, "");
    excerpt_is(STR(SOURCE), 400, 1, 80, "");
    excerpt_is((Str){0}, 1, 1, 80, "");
    excerpt_is(STR(SOURCE), 1, 0, 80, "     1 | line one\n");
}

TEST(long_lines_are_windowed) {
    char line[301];
    memset(line, 'a', 300);
    line[300] = '\0';
    line[200] = 'X';
    Buf out = {0};
    Diag diag = {.at = {STR("k"), 1, 201}, .what = STR("x")};
    report_diag(&diag, str_from(line), (ReportStyle){.width = 60}, &out);
    buf_byte(&out, '\0');
    const char *x = strchr(out.ptr, 'X'), *caret = strchr(out.ptr, '^');
    if (CHECK(x && caret)) {
        const char *first = strchr(out.ptr, '\n') + 1;
        const char *second = strchr(first, '\n') + 1;
        CHECK_INT(x - first, caret - second);
        CHECK(second - first <= 61);
        CHECK(strstr(first, "...a") && strstr(first, "a...\n"));
    }
    buf_free(&out);
}

TEST(huge_lines_do_not_matter) {
    size_t len = 1 << 20;
    char *line = heap_alloc(1, len);
    memset(line, '\t', len);
    uint32_t columns[] = {1, 3000, 1 << 19, 1 << 20, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        line[(columns[i] - 1) % len] = 'X';
        Buf out = {0};
        Diag diag = {.at = {STR("k"), 1, columns[i]}, .what = STR("x")};
        report_diag(&diag, (Str){line, len}, PLAIN, &out);
        CHECK(out.len < 400);
        buf_free(&out);
    }
    heap_free(line);
}

TEST(diag_has_level_code_and_help) {
    Diag diag = {.level = DIAG_WARNING,
                 .code = STR("CONF"),
                 .what = STR("odd"),
                 .help = STR("mend it")};
    Buf out = {0};
    report_diag(&diag, (Str){0}, PLAIN, &out);
    CHECK_STR(buf_view(&out), "warning: odd [CONF]\n  help      mend it\n");
    buf_free(&out);
}

// ---- the table of formats ------------------------------------------------

// Each kind of result goes to a person unless it is asked for otherwise, and
// programs get JSON of it.
TEST(each_kind_has_text_and_json) {
    Arena arena = {0};
    for (int kind = 0; kind < REPORT_KIND_COUNT; kind++) {
        const ReportFormat *usual = report_format((ReportKind)kind, NULL);
        const ReportFormat *json = report_format((ReportKind)kind, "json");
        Str names = report_format_names(&arena, (ReportKind)kind, "|");
        CHECK(usual && strcmp(usual->name, "text") == 0);
        CHECK(usual && usual->reader == READER_PERSON);
        CHECK(json && json->reader == READER_PROGRAM);
        CHECK(report_format((ReportKind)kind, "docx") == NULL);
        CHECK(str_starts(names, STR("text|")));
    }
    CHECK_STR(report_format_names(&arena, REPORT_COMPARE, "|"),
              "text|csv|svg|json");
    CHECK_STR(report_format_names(&arena, REPORT_RUN, "|"),
              "text|json|junit|sarif|github|html|trace|svg");
    CHECK(report_format(REPORT_QUIZ, "svg") == NULL);
    CHECK_INT(report_format(REPORT_GRADE, "gradescope")->reader,
              READER_PLATFORM);
    arena_free(&arena);
}

TEST(a_format_writes_what_its_function_does) {
    static Sample s;
    make_sample(&s);
    Report report = {.kind = REPORT_GRADE, .grade = &s.result};
    Buf by_table = {0}, alone = {0};
    report_format(REPORT_GRADE, "json")->write(&report, &by_table);
    report_json(&s.result, &alone);
    CHECK(alone.len > 0);
    CHECK(str_equal(buf_view(&by_table), buf_view(&alone)));
    buf_free(&by_table);
    buf_free(&alone);
}

TEST_MAIN(TESTCASE(the_tests_own_json_parser_refuses),
          TESTCASE(json_is_valid_and_complete),
          TESTCASE(json_has_the_calls_that_led_to_a_line),
          TESTCASE(json_says_what_a_grade_was_made_of),
          TESTCASE(both_formats_say_what_the_sandbox_lacked),
          TESTCASE(json_keys_have_a_fixed_order),
          TESTCASE(json_of_nothing_is_valid),
          TESTCASE(json_survives_hostile_bytes),
          TESTCASE(json_does_not_depend_on_the_locale),
          TESTCASE(same_result_same_bytes),
          TESTCASE(every_verdict_and_status_has_a_name),
          TESTCASE(text_has_head_table_cause_and_score),
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
          TESTCASE(control_bytes_never_reach_the_terminal),
          TESTCASE(caret_stands_under_its_column), TESTCASE(tabs_are_expanded),
          TESTCASE(escaped_bytes_shift_the_caret),
          TESTCASE(no_excerpt_without_a_line),
          TESTCASE(long_lines_are_windowed), TESTCASE(huge_lines_do_not_matter),
          TESTCASE(diag_has_level_code_and_help),
          TESTCASE(each_kind_has_text_and_json),
          TESTCASE(a_format_writes_what_its_function_does))
