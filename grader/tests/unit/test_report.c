// SPDX-License-Identifier: Apache-2.0
// report/: JSON against a small parser of its own, excerpts and carets, and
// what both do with bytes that a student chose. test_report_text.c has the
// text.
#include "tests/unit/report_page.h"

#include <locale.h>

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
          TESTCASE(caret_stands_under_its_column), TESTCASE(tabs_are_expanded),
          TESTCASE(escaped_bytes_shift_the_caret),
          TESTCASE(no_excerpt_without_a_line),
          TESTCASE(long_lines_are_windowed), TESTCASE(huge_lines_do_not_matter),
          TESTCASE(diag_has_level_code_and_help),
          TESTCASE(each_kind_has_text_and_json),
          TESTCASE(a_format_writes_what_its_function_does))
