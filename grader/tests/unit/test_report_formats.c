// SPDX-License-Identifier: Apache-2.0
// report/: the formats that other programs read, from results made by hand:
// counts, levels, bytes that a student chose, results without a score.
#include "report/internal.h"
#include "tests/unit/test.h"

typedef struct Sample {
    Cause causes[13];
    CheckResult checks[4];
    Cause advisory;
    Diag warning;
    Result result;
} Sample;

#define SOURCE "first\n  second = 1;\n"

static void make_sample(Sample *s) {
    *s = (Sample){0};
    for (size_t i = 0; i < COUNT_OF(s->causes); i++)
        s->causes[i] = (Cause){.code = STR("CLC004"),
                               .what = STR("It \"exits\" <& \x1b[2J\xff]]>"),
                               .help = STR("Wait: first, then\nexit 100%."),
                               .at = {STR("a b/k,1.cu"), 2, 3},
                               .related = {{.at = {STR("a b/k,1.cu"), 1, 1},
                                            .what = STR("It began here.")}},
                               .related_count = 1,
                               .replay = STR("clclab grade 4")};
    s->checks[0] = (CheckResult){.id = STR("builds"),
                                 .title = STR("It compiles."),
                                 .points = 2.5,
                                 .max_points = 2.5};
    s->checks[1] = (CheckResult){.id = STR("rules"),
                                 .title = STR("No rule is broken."),
                                 .max_points = 10,
                                 .status = CHECK_FAIL,
                                 .causes = s->causes,
                                 .cause_count = 1};
    s->checks[2] = (CheckResult){.id = STR("schedules"),
                                 .title = STR("The same."),
                                 .max_points = 10,
                                 .status = CHECK_SKIP};
    s->advisory = (Cause){.code = STR("CLC002"), .what = STR("Doubtful.")};
    s->warning = (Diag){.level = DIAG_WARNING,
                        .at = {STR("a b/k,1.cu"), 1, 0},
                        .what = STR("Unused.")};
    s->result = (Result){.lab = 4,
                         .title = STR("Clusters & more"),
                         .file = STR("a b/k,1.cu"),
                         .seed = 9,
                         .score = 2.5,
                         .max_score = 22.5,
                         .verdict = VERDICT_FAIL,
                         .elapsed_ms = 1234,
                         .checks = s->checks,
                         .check_count = 3,
                         .advisories = &s->advisory,
                         .advisory_count = 1,
                         .messages = &s->warning,
                         .message_count = 1,
                         .output = STR("printed \x01<\n")};
}

// The grader's own fault: a fourth check, and no score that counts.
static void make_ours(Sample *s) {
    make_sample(s);
    s->causes[1].code = STR("DEVICE");
    s->causes[1].what = STR("The machine failed.");
    s->checks[3] = (CheckResult){.id = STR("device"),
                                 .title = STR("On a card."),
                                 .status = CHECK_ERROR,
                                 .causes = &s->causes[1],
                                 .cause_count = 1};
    s->result.check_count = 4;
    s->result.verdict = VERDICT_ERROR;
}

static Str written(Arena *arena, const char *format, const Report *report) {
    Buf out = {0};
    report_format(report->kind, format)->write(report, &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

static Str grade_as(Arena *arena, const char *format, const Sample *s) {
    Report report = {
        .kind = REPORT_GRADE, .grade = &s->result, .source = STR(SOURCE)};
    return written(arena, format, &report);
}

static Str value_at(Arena *arena, Str json, const char *path) {
    Str value = {0};
    size_t at;
    const char *error;
    if (CHECK(json_check(json, &value, &at, &error)) &&
        CHECK(json_find(arena, value, path, &value)))
        return value;
    return STR("nothing");
}

static bool has(Arena *arena, Str json, const char *path) {
    Str value, found;
    size_t at;
    const char *error;
    return json_check(json, &value, &at, &error) &&
           json_find(arena, value, path, &found);
}

#define ROOM(name) __attribute__((cleanup(arena_free))) Arena name = {0}

// ---- texts ---------------------------------------------------------------

TEST(base64_is_as_in_rfc_4648) {
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"},
                                             {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        Buf out = {0};
        encode_base64(str_from(vectors[i][0]), &out);
        CHECK_STR(buf_view(&out), vectors[i][1]);
        buf_free(&out);
    }
}

TEST(xml_holds_only_what_xml_may_hold) {
    Buf out = {0};
    encode_xml(STR("a<b>&\"c\xff\x01\x7f\xef\xbf\xbf\n\xc3\xa9"), &out);
    CHECK_STR(buf_view(&out), "a&lt;b&gt;&amp;&quot;c\xef\xbf\xbd\n\xc3\xa9");
    out.len = 0;
    encode_xml_attribute("name", STR("one\ntwo\n"), &out);
    CHECK_STR(buf_view(&out), " name=\"one&#10;two&#10;\"");
    buf_free(&out);
}

TEST(a_path_becomes_a_uri) {
    static const char *const paths[][2] = {{"a/b-1.cu", "a/b-1.cu"},
                                           {"/t/a b.cu", "file:///t/a%20b.cu"},
                                           {"c:d%\xc3\xa9", "c%3Ad%25%C3%A9"}};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        Buf out = {0};
        encode_uri(str_from(paths[i][0]), &out);
        CHECK_STR(buf_view(&out), paths[i][1]);
        buf_free(&out);
    }
}

// ---- the list of problems ------------------------------------------------

static void note_problem(void *context, const Problem *problem) {
    buf_printf(context, "%d %.*s %.*s\n", problem->level,
               STR_ARG(problem->check), STR_ARG(problem->rule));
}

TEST(problems_come_by_level) {
    Sample s;
    Buf out = {0};
    make_ours(&s);
    Report report = {.kind = REPORT_GRADE, .grade = &s.result};
    problems_each(&report, note_problem, &out);
    CHECK_STR(buf_view(&out), "0 device DEVICE\n1 rules CLC004\n"
                              "2 compiler compiler\n3 advisory CLC002\n");
    buf_free(&out);
}

// ---- JUnit ---------------------------------------------------------------

TEST(junit_counts_and_tells_faults_apart) {
    ROOM(arena);
    Sample s;
    make_ours(&s);
    Str xml = grade_as(&arena, "junit", &s);
    CHECK_HOLDS(xml, "<testsuite name=\"Lab 4: Clusters &amp; more\" "
                     "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" "
                     "time=\"1.234\">");
    CHECK_HOLDS(xml, "<testcase classname=\"lab04\" name=\"builds: It "
                     "compiles.\" time=\"0\"/>");
    CHECK_HOLDS(xml, "<failure message=\"It &quot;exits&quot; &lt;&amp; "
                     "[2J\xef\xbf\xbd]]&gt;\" type=\"CLC004\">");
    CHECK_HOLDS(xml, "<error message=\"The machine failed.\" type=\"DEVICE\">");
    CHECK_HOLDS(xml, "<skipped message=\"The same.\" type=\"schedules\">");
    CHECK_HOLDS(xml, "<system-out>printed &lt;\n</system-out>");
    CHECK_LACKS(xml, "name=\"score\"");
    CHECK_LACKS(xml, "points.builds");
    make_sample(&s);
    xml = grade_as(&arena, "junit", &s);
    CHECK_HOLDS(xml, "<property name=\"score\" value=\"2.500\"/>");
    CHECK_HOLDS(xml, "<property name=\"points.builds\" value=\"2.500\"/>");
    CHECK_HOLDS(xml, "<property name=\"seed\" value=\"9\"/>");
    s.result.is_seed_hidden = true;
    CHECK_LACKS(grade_as(&arena, "junit", &s), "\"seed\"");
}

static Str run_as(Arena *arena, const char *format, LaunchFinding *findings,
                  size_t count, Verdict verdict) {
    LaunchResult result = {.file = STR("k.cu"),
                           .kernel = STR("k"),
                           .findings = findings,
                           .finding_count = count,
                           .errors = count,
                           .verdict = verdict};
    Report report = {.kind = REPORT_RUN, .run = &result};
    return written(arena, format, &report);
}

TEST(a_run_without_errors_is_one_case_that_passes) {
    ROOM(arena);
    LaunchFinding findings[2] = {
        {.cause = {.code = STR("RACE001"), .what = STR("A race.")}},
        {.cause = {.code = STR("CLC002"), .what = STR("Odd.")},
         .advisory = true}};
    Str xml = run_as(&arena, "junit", findings + 1, 1, VERDICT_PASS);
    CHECK_HOLDS(xml, "tests=\"1\" failures=\"0\" errors=\"0\"");
    CHECK_HOLDS(xml, "name=\"no findings\"");
    xml = run_as(&arena, "junit", findings, 2, VERDICT_FAIL);
    CHECK_HOLDS(xml, "tests=\"1\" failures=\"1\" errors=\"0\"");
    CHECK_LACKS(xml, "no findings");
    xml = run_as(&arena, "junit", findings, 1, VERDICT_ERROR);
    CHECK_HOLDS(xml, "tests=\"1\" failures=\"0\" errors=\"1\"");
}

// ---- SARIF ---------------------------------------------------------------

TEST(sarif_has_each_rule_once_and_ours_as_a_notification) {
    ROOM(arena);
    Sample s;
    make_ours(&s);
    s.checks[1].cause_count = 3;
    s.causes[1].code = s.causes[2].code;
    s.causes[1].what = STR("Another.");
    Str log = grade_as(&arena, "sarif", &s);
    CHECK_STR(value_at(&arena, log, "runs.0.results.#"), "5");
    // CLC004, compiler and CLC002.
    CHECK_STR(value_at(&arena, log, "runs.0.tool.driver.rules.#"), "3");
    CHECK_STR(value_at(&arena, log,
                       "runs.0.invocations.0.toolExecutionNotifications.#"),
              "1");
    CHECK_STR(value_at(&arena, log, "runs.0.invocations.0.executionSuccessful"),
              "false");
    CHECK(!has(&arena, log, "runs.0.properties.score"));
    const char *uri = "runs.0.results.0.locations.0.physicalLocation."
                      "artifactLocation.uri";
    CHECK_STR(value_at(&arena, log, uri), "\"a%20b/k%2C1.cu\"");
    CHECK_STR(value_at(&arena, log, "runs.0.results.3.level"), "\"warning\"");
    CHECK_STR(value_at(&arena, log, "runs.0.results.4.level"), "\"note\"");
    CHECK_STR(value_at(&arena, log, "runs.0.results.4.locations.#"), "0");
}

TEST(a_fingerprint_is_of_the_line_and_not_of_its_number) {
    ROOM(arena);
    const char *path = "runs.0.results.0.partialFingerprints";
    static const char *const sources[] = {"x\ny\n\tsecond = 1;  \n",
                                          "x\ny\nsecond = 2;\n"};
    Sample s;
    make_sample(&s);
    Str first = value_at(&arena, grade_as(&arena, "sarif", &s), path);
    s.causes[0].at.line = 3;
    for (int i = 0; i < 2; i++) {
        Report report = {.kind = REPORT_GRADE,
                         .grade = &s.result,
                         .source = str_from(sources[i])};
        Str log = written(&arena, "sarif", &report);
        CHECK_INT(str_equal(value_at(&arena, log, path), first), i == 0);
    }
}

// ---- GitHub --------------------------------------------------------------

TEST(annotations_are_escaped_and_no_more_than_ten) {
    ROOM(arena);
    Sample s;
    make_sample(&s);
    s.checks[1].cause_count = COUNT_OF(s.causes);
    Str text = grade_as(&arena, "github", &s);
    CHECK(str_starts(
        text, STR("::error file=a b/k%2C1.cu,line=2,col=3,title=CLC004::It "
                  "\"exits\" <& \\x1b[2J\\xff]]>%0Ahelp: Wait: first, "
                  "then\\nexit 100%25.%0Areplay: clclab grade 4\n")));
    size_t count = 0;
    for (Str rest = text; rest.len;)
        count += str_starts(str_cut(&rest, '\n'), STR("::error "));
    CHECK_INT(count, 10);
    CHECK_HOLDS(text, "\nand 3 more of kind error\n");
    CHECK_HOLDS(text, "\n::warning file=a b/k%2C1.cu,line=1,title=compiler::");
    CHECK_HOLDS(text, "\n::notice title=CLC002::Doubtful.\n");
    CHECK_HOLDS(text, "\nLab 4: score 2.500/22.500\n");
    make_ours(&s);
    text = grade_as(&arena, "github", &s);
    CHECK(str_starts(text, STR("::error file=a b/k%2C1.cu,line=2,col=3,title="
                               "DEVICE (the grader's own fault)::")));
    CHECK_HOLDS(text, "score none/22.500: the grader itself failed");
}

static Str decoded(Arena *arena, Str text) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Buf out = {0};
    uint32_t bits = 0, count = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text.ptr[i]) - digits);
        if ((count += 6) >= 8)
            buf_byte(&out, (char)(bits >> (count -= 8)));
    }
    Str copy = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return copy;
}

TEST(classroom_has_one_line_of_base64) {
    ROOM(arena);
    Sample s;
    make_ours(&s);
    Str text = grade_as(&arena, "classroom", &s);
    CHECK(str_starts(text, STR("result=")));
    CHECK_INT(str_find(text, '\n'), text.len - 1);
    Str json = decoded(&arena, str_slice(text, 7, text.len - 1));
    CHECK_STR(value_at(&arena, json, "status"), "\"error\"");
    CHECK_STR(value_at(&arena, json, "tests.0.score"), "2.500");
    CHECK_STR(value_at(&arena, json, "tests.1.status"), "\"fail\"");
    CHECK_STR(value_at(&arena, json, "tests.1.line_no"), "2");
    CHECK_STR(value_at(&arena, json, "tests.2.status"), "\"fail\"");
    CHECK_STR(value_at(&arena, json, "tests.3.status"), "\"error\"");
}

// ---- platforms -----------------------------------------------------------

// Whoever adds up the scores must not find a zero that nobody earned.
TEST(json_has_no_score_where_the_grader_failed) {
    ROOM(arena);
    Sample s;
    make_sample(&s);
    Str json = grade_as(&arena, "json", &s);
    CHECK_STR(value_at(&arena, json, "score"), "2.500");
    CHECK_STR(value_at(&arena, json, "max_score"), "22.500");
    make_ours(&s); // a check of no points, such as that of a GPU
    json = grade_as(&arena, "json", &s);
    CHECK_STR(value_at(&arena, json, "score"), "2.500");
    s.checks[3].max_points = 10;
    json = grade_as(&arena, "json", &s);
    CHECK_STR(value_at(&arena, json, "score"), "null");
    CHECK_STR(value_at(&arena, json, "max_score"), "null");
    s.result.check_count = 0;
    s.result.max_score = 0;
    json = grade_as(&arena, "json", &s);
    CHECK_STR(value_at(&arena, json, "score"), "null");
}

TEST(gradescope_has_scores_only_if_they_are_final) {
    ROOM(arena);
    Sample s;
    make_sample(&s);
    Str json = grade_as(&arena, "gradescope", &s);
    CHECK_STR(value_at(&arena, json, "score"), "2.500");
    CHECK_STR(value_at(&arena, json, "execution_time"), "1.234");
    CHECK_STR(value_at(&arena, json, "tests.#"), "3");
    CHECK_STR(value_at(&arena, json, "tests.1.number"), "\"2\"");
    CHECK_STR(value_at(&arena, json, "tests.0.status"), "\"passed\"");
    CHECK_STR(value_at(&arena, json, "tests.2.status"), "\"failed\"");
    CHECK_HOLDS(value_at(&arena, json, "tests.1.output"), "[CLC004]");
    CHECK_HOLDS(value_at(&arena, json, "output"), "Score: 2.50/22.50");
    make_ours(&s);
    json = grade_as(&arena, "gradescope", &s);
    CHECK(!has(&arena, json, "score"));
    CHECK(!has(&arena, json, "tests.0.score"));
    CHECK_HOLDS(value_at(&arena, json, "output"), "not your fault");
}

TEST(autolab_reads_the_last_two_lines) {
    ROOM(arena);
    Sample s;
    make_sample(&s);
    Str text = str_trim(grade_as(&arena, "autolab", &s)), line = {0};
    Str before = {0};
    for (Str rest = text; rest.len;) {
        before = line;
        line = str_cut(&rest, '\n');
    }
    CHECK_STR(value_at(&arena, line, "scores.builds"), "2.500");
    CHECK_STR(value_at(&arena, line, "scoreboard.0"), "2.500");
    CHECK_STR(value_at(&arena, before, "Build.builds.passed"), "true");
    CHECK_STR(value_at(&arena, before, "Test.rules.passed"), "false");
    CHECK(has(&arena, before, "Test.rules.hint"));
    make_ours(&s);
    text = str_trim(grade_as(&arena, "autolab", &s));
    CHECK(str_ends(text, STR("\n{\"scores\": {}}")));
}

TEST_MAIN(TESTCASE(base64_is_as_in_rfc_4648),
          TESTCASE(xml_holds_only_what_xml_may_hold),
          TESTCASE(a_path_becomes_a_uri), TESTCASE(problems_come_by_level),
          TESTCASE(junit_counts_and_tells_faults_apart),
          TESTCASE(a_run_without_errors_is_one_case_that_passes),
          TESTCASE(sarif_has_each_rule_once_and_ours_as_a_notification),
          TESTCASE(a_fingerprint_is_of_the_line_and_not_of_its_number),
          TESTCASE(annotations_are_escaped_and_no_more_than_ten),
          TESTCASE(classroom_has_one_line_of_base64),
          TESTCASE(json_has_no_score_where_the_grader_failed),
          TESTCASE(gradescope_has_scores_only_if_they_are_final),
          TESTCASE(autolab_reads_the_last_two_lines))
