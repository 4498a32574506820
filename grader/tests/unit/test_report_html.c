// SPDX-License-Identifier: Apache-2.0
// A report as a page of HTML: what is in it, that a student's text stays text,
// that it is there whatever happened, and that it does not grow with the file.
#include "report/internal.h"
#include "report/page.h"
#include "tests/unit/test.h"

#define HOSTILE                                                     \
    "</script><script>alert(1)</script><img src=x onerror='y'>\xff" \
    "\"&\x1b[31m\xe2\x80\xae"

typedef struct Sample {
    Arena arena;
    RunTrace trace;
    TraceStay stays[1];
    TraceEvent steps[2];
    TraceSm sms[1];
    TraceBin bins[2];
    Cause cause;
    CheckResult checks[2];
    Result result;
    LaunchFinding finding;
    LaunchResult run;
    Report report;
} Sample;

static void make_trace(Sample *s) {
    s->stays[0] = (TraceStay){0, 10, 0, 3, 3, 0, 0, false};
    s->bins[0] = (TraceBin){.started = 2, .never = 1, .once = 1};
    s->bins[1] = (TraceBin){.stolen = 2, .more = 2};
    s->steps[0] = (TraceEvent){
        .kind = DEVICE_EVENT_READ, .line = 2, .shared = 16, .times = 1};
    s->steps[1] = (TraceEvent){.kind = TRACE_FOUND,
                               .line = 3,
                               .warp = DEVICE_EVENT_NONE,
                               .shared = DEVICE_EVENT_NONE,
                               .times = 1};
    s->trace = (RunTrace){.run = STR(HOSTILE),
                          .end = 10,
                          .every = 1,
                          .place_count = 1,
                          .stays = s->stays,
                          .stay_count = 1,
                          .sms = s->sms,
                          .sm_count = 1};
    s->trace.map = (TraceMap){.blocks = 4,
                              .each = 2,
                              .knows_times = true,
                              .bins = s->bins,
                              .bin_count = 2};
    s->trace.moment = (TraceMoment){.is_there = true,
                                    .steps = s->steps,
                                    .step_count = 2,
                                    .found = 1,
                                    .code = STR("CLC006"),
                                    .at = {.line = 3},
                                    .related = {{.line = 2}},
                                    .related_count = 1,
                                    .knows_other = true,
                                    .other_cta = 3,
                                    .other_warp = 1};
}

static void make(Sample *s) {
    *s = (Sample){0};
    make_trace(s);
    s->cause = (Cause){.code = STR("CLC006"),
                       .what = STR("It is " HOSTILE),
                       .missing = STR("a fence"),
                       .help = STR("Put one."),
                       .replay = STR("clclab grade 4 '" HOSTILE "'"),
                       .at = {STR("k.cu"), 3, 1},
                       .related = {{.at = {STR("k.cu"), 2, 1},
                                    .what = STR("It was read here.")}},
                       .related_count = 1};
    s->checks[0] = (CheckResult){.id = STR("builds"),
                                 .title = STR("It compiles."),
                                 .points = 2,
                                 .max_points = 2};
    s->checks[1] = (CheckResult){.id = STR("rules"),
                                 .title = STR("No rule is broken."),
                                 .max_points = 3,
                                 .status = CHECK_FAIL,
                                 .causes = &s->cause,
                                 .cause_count = 1};
    s->result = (Result){.lab = 4,
                         .title = STR("Stealing"),
                         .file = STR("k.cu"),
                         .device = STR("vm"),
                         .score = 2,
                         .max_score = 5,
                         .verdict = VERDICT_FAIL,
                         .checks = s->checks,
                         .check_count = 2,
                         .trace = &s->trace,
                         .output = STR("printed\n" HOSTILE)};
    s->report = (Report){.kind = REPORT_GRADE,
                         .grade = &s->result,
                         .source = STR("one\n\ttwo " HOSTILE "\nthree\n")};
}

static Str page_of(Sample *s) {
    Buf out = {0};
    report_format(s->report.kind, "html")->write(&s->report, &out);
    Str page = str_copy(&s->arena, buf_view(&out));
    buf_free(&out);
    return page;
}

static size_t count_of(Str text, const char *part) {
    Str wanted = str_from(part);
    size_t count = 0;
    for (size_t i = 0; i + wanted.len <= text.len; i++)
        count += str_equal(str_slice(text, i, i + wanted.len), wanted);
    return count;
}

// The data of the script, which must be JSON.
static Str data_of(Str page) {
    static const char open[] = "<script type=\"application/json\" id=\"data\">";
    size_t from = 0, to, at;
    const char *error = "";
    while (from < page.len &&
           !str_starts(str_slice(page, from, page.len), str_from(open)))
        from++;
    from += sizeof open - 1;
    for (to = from; to < page.len && page.ptr[to] != '<';)
        to++;
    Str value = {0}, data = str_slice(page, from, to);
    if (!CHECK(json_check(data, &value, &at, &error)))
        printf("# byte %zu: %s\n", at, error);
    return value;
}

static Str member(Sample *s, Str json, const char *path) {
    Str value = {0};
    json_find(&s->arena, json, path, &value);
    return value;
}

TEST(a_page_has_score_checks_findings_and_source) {
    static Sample s;
    make(&s);
    Str page = page_of(&s);
    CHECK(str_starts(page, STR("<!DOCTYPE html>\n<html lang=\"en\">")));
    CHECK(str_ends(page, STR("</body>\n</html>\n")));
    CHECK_HOLDS(page, "<h1>Lab 4: Stealing</h1>");
    CHECK_HOLDS(page, "2 of 5 points");
    CHECK_HOLDS(page, "<td class=\"status\">fail</td><td>0/3</td>");
    CHECK_HOLDS(page, "<a href=\"#L3\">k.cu:3</a>");
    CHECK_HOLDS(page, "<dt>missing</dt><dd>a fence</dd>");
    CHECK_HOLDS(page, "<a href=\"#L2\">k.cu:2</a>: It was read here.");
    CHECK_HOLDS(page, "<li id=\"L3\" value=\"3\" class=\"wrong\">");
    CHECK_HOLDS(page, "<li id=\"L2\" value=\"2\" class=\"near\"><code>    two");
    CHECK_HOLDS(page, "<span class=\"mark wrong\">CLC006: It is ");
    CHECK_HOLDS(page, "CLC006 was found at line 3. These are the 2 steps");
    CHECK_HOLDS(page, "Never processed: 1 block indices; more than once: 2.");
    CHECK_HOLDS(page, "A square stands for 2 block indices");
    CHECK_LACKS(page, "was recorded, and not of");
    s.bins[1].stolen = 0;
    CHECK_HOLDS(page_of(&s), "What became of the first 2 was recorded");
    arena_free(&s.arena);
}

// Our own script and its data are the only elements of that name, and no text
// of the student has a mark in it.
TEST(hostile_text_stays_text) {
    static Sample s;
    make(&s);
    Str page = page_of(&s);
    CHECK_U64(count_of(page, "<script"), 2);
    CHECK_U64(count_of(page, "</script"), 2);
    CHECK_U64(count_of(page, "<img"), 0);
    CHECK_HOLDS(page, "&lt;/script&gt;&lt;script&gt;alert(1)");
    CHECK_HOLDS(page, "\\xff&quot;&amp;\\x1b[31m\\u{202e}");
    CHECK_LACKS(page, "\x1b");
    CHECK_LACKS(page, "\xff");
    CHECK_LACKS(page, "\xe2\x80\xae");
    Str data = data_of(page);
    CHECK_HOLDS(member(&s, data, "run"), "\\u003c/script>\\u003cscript>");
    arena_free(&s.arena);
}

TEST(a_nul_in_the_source_is_shown) {
    static Sample s;
    make(&s);
    s.report.source = STR("a\0b\nc\r\n");
    Str page = page_of(&s);
    CHECK_HOLDS(page, "<code>a\\x00b</code>");
    CHECK_HOLDS(page, "<code>c</code>");
    CHECK_U64(count_of(page, "<li id=\"L"), 2);
    arena_free(&s.arena);
}

TEST(the_data_has_what_the_script_draws) {
    static Sample s;
    make(&s);
    Str data = data_of(page_of(&s));
    CHECK_STR(member(&s, data, "end"), "10");
    CHECK_STR(member(&s, data, "stays.0"), "[0,10,3,3,0,0,0]");
    CHECK_STR(member(&s, data, "map.bins.1"), "[0,0,2,0,0,0,2]");
    CHECK_STR(member(&s, data, "moment.found"), "1");
    CHECK_STR(member(&s, data, "moment.missing"), "\"a fence\"");
    CHECK_STR(member(&s, data, "moment.origin"), "0");
    CHECK_STR(member(&s, data, "moment.steps.0"),
              "[0,8,0,0,2,16,0,0,0,0,\"reads the answer in 16\",\"16\"]");
    CHECK_STR(member(&s, data, "moment.steps.1.3"), "null");
    CHECK_STR(member(&s, data, "kinds.8"), "\"read\"");
    CHECK_STR(member(&s, data, "kinds.15"), "\"found\"");
    CHECK_STR(member(&s, data, "plain"), ""); // it is that one
    RunTrace other = s.trace;
    other.run = STR("the plain one");
    other.end = 8;
    s.trace.plain = &other;
    data = data_of(page_of(&s));
    CHECK_STR(member(&s, data, "end"), "10");
    CHECK_STR(member(&s, data, "plain.end"), "8");
    CHECK_STR(member(&s, data, "plain.stays.0"), "[0,10,3,3,0,0,0]");
    CHECK_HOLDS(page_of(&s), "the plain one: ");
    CHECK_LACKS(page_of(&s), "Three ways");
    s.result.ways[0] = (TraceWay){STR("first " HOSTILE), &other};
    s.result.ways[1] = (TraceWay){STR("second"), &s.trace};
    s.result.way_count = 2;
    data = data_of(page_of(&s));
    CHECK_STR(member(&s, data, "ways.0.end"), "8");
    CHECK_STR(member(&s, data, "ways.1.stays.0"), "[0,10,3,3,0,0,0]");
    CHECK_HOLDS(page_of(&s), "<h3>second</h3>");
    CHECK_HOLDS(page_of(&s), "<div id=\"way1\">");
    arena_free(&s.arena);
}

TEST(nothing_is_fetched) {
    static Sample s;
    make(&s);
    Str page = page_of(&s);
    CHECK_LACKS(page, " src=\"");
    CHECK_LACKS(page, "<link");
    CHECK_LACKS(page, "@import");
    CHECK_LACKS(page, "url(");
    CHECK_HOLDS(page, "default-src 'none'; style-src 'sha256-");
    CHECK_HOLDS(page, "'; script-src 'sha256-");
    CHECK_LACKS(page, "unsafe");
    CHECK_LACKS(str_from(page_js), "innerHTML");
    CHECK_LACKS(str_from(page_js), "eval(");
    arena_free(&s.arena);
}

// As cli/unfinished.c makes it, and of a file that does not build.
TEST(a_page_is_there_if_nothing_ran) {
    static Sample s;
    make(&s);
    s.result.trace = NULL;
    s.result.verdict = VERDICT_ERROR;
    s.checks[1].status = CHECK_ERROR;
    s.report.source = STR("");
    Str page = page_of(&s);
    CHECK(str_ends(page, STR("</body>\n</html>\n")));
    CHECK_HOLDS(page, "Not final: the grader itself failed");
    CHECK_HOLDS(page, "no run was recorded");
    CHECK_U64(count_of(page, "<script"), 0);
    CHECK_LACKS(page, "<ol");
    CHECK_LACKS(page, "<a href"); // no line is shown
    arena_free(&s.arena);
}

TEST(a_run_has_a_page) {
    static Sample s;
    make(&s);
    s.finding = (LaunchFinding){.cause = s.cause};
    s.run = (LaunchResult){.file = STR("k.cu"),
                           .kernel = STR("scale<&"),
                           .grid = {4, 1, 1},
                           .block = {32, 1, 1},
                           .verdict = VERDICT_FAIL,
                           .findings = &s.finding,
                           .finding_count = 1,
                           .errors = 1,
                           .trace = &s.trace};
    s.report.kind = REPORT_RUN;
    s.report.run = &s.run;
    Str page = page_of(&s);
    CHECK_HOLDS(page, "<h1>scale&lt;&amp; of k.cu</h1>");
    CHECK_HOLDS(page, "Mistakes: 1, advice: 0");
    CHECK_HOLDS(page, "4 x 1 x 1 blocks of 32 x 1 x 1 threads");
    CHECK_HOLDS(page, "<a href=\"#L3\">k.cu:3</a>");
    CHECK_STR(member(&s, data_of(page), "moment.missing"), "\"a fence\"");
    arena_free(&s.arena);
}

// A megabyte of source, or of one line, makes a page of less than two.
TEST(a_large_file_makes_no_large_page) {
    static Sample s;
    static char lines[1 << 20], line[1 << 20];
    make(&s);
    for (size_t i = 0; i < sizeof lines; i++)
        lines[i] = i % 2 ? '\n' : '&';
    memset(line, '"', sizeof line);
    s.cause.at.line = 400000;
    s.report.source = (Str){lines, sizeof lines};
    Str page = page_of(&s);
    CHECK(page.len < 2000000);
    CHECK_HOLDS(page, "<li id=\"L400000\" value=\"400000\" class=\"wrong\">");
    CHECK_HOLDS(page, " of 524288.</p>");
    CHECK_LACKS(page, "<a href=\"#L2\">"); // it is not shown
    s.report.source = (Str){line, sizeof line};
    page = page_of(&s);
    CHECK(page.len < 100000);
    CHECK_HOLDS(page, "&quot; ...</code>");
    arena_free(&s.arena);
}

TEST_MAIN(TESTCASE(a_page_has_score_checks_findings_and_source),
          TESTCASE(hostile_text_stays_text),
          TESTCASE(a_nul_in_the_source_is_shown),
          TESTCASE(the_data_has_what_the_script_draws),
          TESTCASE(nothing_is_fetched),
          TESTCASE(a_page_is_there_if_nothing_ran), TESTCASE(a_run_has_a_page),
          TESTCASE(a_large_file_makes_no_large_page))
