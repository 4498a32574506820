// SPDX-License-Identifier: Apache-2.0
// Traces as Chrome's JSON and as text, of a trace that is made by hand: two SMs
// of one place; block 0 is started on SM 0 and steals block 2, block 1 is
// started on SM 1, and a finding is made at line 12.
#include "report/internal.h"
#include "tests/unit/test.h"

typedef struct Sample {
    RunTrace trace;
    TraceStay stays[3];
    TraceEvent events[3];
    TraceEvent steps[3];
    TraceSm sms[2];
    Result result;
    Report report;
} Sample;

static void make(Sample *s) {
    *s = (Sample){.stays = {{0, 40, 0, 0, 0, 0, 0, false},
                            {5, 100, 1, 1, 1, 1, 0, false},
                            {40, 90, 2, 0, 2, 0, 0, true}},
                  .events = {{.at = 10,
                              .kind = DEVICE_EVENT_REQUEST,
                              .line = 12,
                              .value = 7,
                              .block = DEVICE_EVENT_NONE,
                              .times = 1},
                             {.at = 30,
                              .kind = DEVICE_EVENT_ANSWER,
                              .warp = DEVICE_EVENT_NONE,
                              .value = 7,
                              .block = 2,
                              .times = 1},
                             {.at = 31,
                              .kind = DEVICE_EVENT_WAIT,
                              .line = 13,
                              .shared = 16,
                              .stay = 9, // which is not listed
                              .times = 1}},
                  .steps = {{.kind = TRACE_STEP,
                             .line = 11,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 3,
                             .op = STR("mbarrier.try_wait")},
                            {.kind = DEVICE_EVENT_ANSWER,
                             .warp = DEVICE_EVENT_NONE,
                             .shared = 32,
                             .block = DEVICE_EVENT_NONE,
                             .times = 1},
                            {.kind = TRACE_FOUND,
                             .line = 12,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 1}}};
    s->trace = (RunTrace){.run = STR("n = 9, \"plain\""),
                          .end = 100,
                          .totals = {.grid = 3, .started = 2, .granted = 1},
                          .place_count = 1,
                          .every = 1,
                          .stay_total = 3,
                          .event_total = 3,
                          .stays = s->stays,
                          .stay_count = 3,
                          .events = s->events,
                          .event_count = 3,
                          .sms = s->sms,
                          .sm_count = 2};
    s->trace.moment = (TraceMoment){.is_there = true,
                                    .steps = s->steps,
                                    .step_count = 3,
                                    .found = 2,
                                    .code = STR("CLC006"),
                                    .at = {.line = 12}};
    s->result = (Result){.trace = &s->trace};
    s->report = (Report){
        .kind = REPORT_GRADE, .grade = &s->result, .style = {.width = 40}};
}

static Str member(Arena *arena, Str json, const char *path) {
    Str value = {0};
    if (!json_find(arena, json, path, &value))
        printf("# there is no %s\n", path);
    return value;
}

static Str json_of(Arena *arena, const RunTrace *trace) {
    Buf out = {0};
    report_trace_json(trace, STR("vm:\"mini\""), &out);
    Str text = str_copy(arena, buf_view(&out)), whole = text;
    size_t at;
    const char *error = "";
    if (!CHECK(json_check(text, &whole, &at, &error)))
        printf("# byte %zu: %s\n", at, error);
    buf_free(&out);
    return text;
}

static Str text_of(Arena *arena, const Report *report) {
    Buf out = {0};
    report_format(report->kind, "trace")->write(report, &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// Behind the name of the process and two lines for each place: the stays, then
// the two events whose stay is listed.
TEST(json_has_stays_and_events) {
    Arena arena = {0};
    Sample s;
    make(&s);
    Str json = json_of(&arena, &s.trace);
    CHECK_STR(member(&arena, json, "traceEvents.#"), "10");
    CHECK_STR(member(&arena, json, "traceEvents.0.args.name"),
              "\"vm:\\\"mini\\\"\"");
    CHECK_STR(member(&arena, json, "traceEvents.3.args.name"),
              "\"SM 1, place 0\"");
    CHECK_STR(member(&arena, json, "traceEvents.7.name"), "\"block 2\"");
    CHECK_STR(member(&arena, json, "traceEvents.7.cat"), "\"stolen\"");
    CHECK_STR(member(&arena, json, "traceEvents.7.ts"), "40");
    CHECK_STR(member(&arena, json, "traceEvents.7.dur"), "50");
    CHECK_STR(member(&arena, json, "traceEvents.6.tid"), "1");
    CHECK_STR(member(&arena, json, "traceEvents.8.ph"), "\"b\"");
    CHECK_STR(member(&arena, json, "traceEvents.8.args.line"), "12");
    CHECK_STR(member(&arena, json, "traceEvents.9.ph"), "\"e\"");
    CHECK_STR(member(&arena, json, "traceEvents.9.id"), "7");
    CHECK_STR(member(&arena, json, "traceEvents.9.args.block"), "2");
    CHECK_STR(member(&arena, json, "otherData.run"),
              "\"n = 9, \\\"plain\\\"\"");
    CHECK_STR(member(&arena, json, "otherData.clock"), "\"steps\"");
    CHECK_STR(member(&arena, json, "otherData.stolen"), "1");
    arena_free(&arena);
}

TEST(modelled_cycles_are_microseconds) {
    Arena arena = {0};
    Sample s;
    make(&s);
    s.trace.is_timed = true;
    s.trace.clock_mhz = 16;
    Str json = json_of(&arena, &s.trace);
    CHECK_STR(member(&arena, json, "traceEvents.7.ts"), "2.500");
    CHECK_STR(member(&arena, json, "traceEvents.7.dur"), "3.125");
    CHECK_STR(member(&arena, json, "otherData.clock"), "\"modelled\"");
    arena_free(&arena);
}

TEST(no_trace_is_a_file_without_events) {
    Arena arena = {0};
    Str json = json_of(&arena, NULL);
    CHECK_STR(member(&arena, json, "traceEvents.#"), "0");
    CHECK_STR(member(&arena, json, "otherData.schema"), "\"clclab/trace/v1\"");
    arena_free(&arena);
}

TEST(text_draws_places_and_the_moment) {
    Arena arena = {0};
    Sample s;
    make(&s);
    Str text = text_of(&arena, &s.report);
    CHECK_HOLDS(text, "2 started, 1\n  stolen, 0 lost; 100 steps");
    //                 28 columns for 100 steps
    CHECK_HOLDS(text, "\n   0     0  [0--------->2-------------\n");
    CHECK_HOLDS(text, "\n   1     0   [1-------------------------\n");
    CHECK_HOLDS(text, "Before CLC006 was found at line 12:\n");
    CHECK_HOLDS(text, "      0     0    11  waits at an\n"
                      "                         mbarrier\n");
    CHECK_HOLDS(text, "      0 async     -  the answer is\n"
                      "                         written to 32:\n");
    CHECK_HOLDS(text, "      0     0    12  found\n");
    CHECK_LACKS(text, "\x1b");
    CHECK_LACKS(text, "one of");
    arena_free(&arena);
}

// What the steps show of an mbarrier and a slot: the first step at the mbarrier
// is before the moment, so how many arrivals its next phase has is not known.
TEST(a_book_has_the_state_after_each_step) {
    Arena arena = {0};
    Sample s;
    Buf out = {0};
    make(&s);
    TraceEvent steps[] = {
        {.kind = DEVICE_EVENT_BYTES,
         .warp = DEVICE_EVENT_NONE,
         .shared = 16,
         .name = STR("bars"),
         .inside = 8},
        {.kind = DEVICE_EVENT_PHASE,
         .warp = DEVICE_EVENT_NONE,
         .shared = 16,
         .name = STR("bars"),
         .inside = 8,
         .value = 1},
        {.kind = DEVICE_EVENT_READ, .warp = 2, .line = 2, .shared = 32},
        {.kind = DEVICE_EVENT_INIT, .shared = 8, .value = 2, .pending = 2},
        {.kind = TRACE_FOUND, .line = 1, .shared = DEVICE_EVENT_NONE},
        {.kind = DEVICE_EVENT_PHASE, .shared = 8}};
    TraceEvent before[] = {{.kind = DEVICE_EVENT_EXPECT,
                            .shared = 16,
                            .name = STR("bars"),
                            .inside = 8,
                            .pending = 1,
                            .tx = 16}};
    TraceMoment *m = &s.trace.moment;
    *m = (TraceMoment){.is_there = true,
                       .steps = steps,
                       .step_count = 6,
                       .before = before,
                       .before_count = 1,
                       .found = 4,
                       .left_out = 3,
                       .code = STR("CLC006"),
                       .related = {{.line = 2}},
                       .related_count = 1};
    s.report.source = STR("int x;\n\tx = 1;\x1b[\r\n");
    CHECK(report_book(&s.report, &out));
    Str book = buf_view(&out);
    CHECK(str_starts(book, STR("book n = 9, \"plain\"\ncode CLC006\n")));
    CHECK_HOLDS(book, "\nbefore 3\nfound 4\norigin 2\n");
    CHECK_HOLDS(book, "\nsource int x;\nsource     x = 1;\\x1b[\n");
    CHECK_HOLDS(book, "step 0 - 0 bytes arrive at bars+8: 0\nbar *block 0, "
                      "bars+8: a phase of unknown parity "
                      "lacks 0 arrivals and 0 bytes\n");
    CHECK_HOLDS(book, "bar *block 0, bars+8: the phase of parity 0 is under "
                      "way\n");
    CHECK_HOLDS(book, "slot *block 0, 32: warp 2 has read it, by the generic "
                      "proxy\n");
    CHECK_HOLDS(book, "bar *block 0, 8: the phase of parity 0 lacks 2 arrivals "
                      "and 0 bytes\n");
    CHECK_HOLDS(book, "step 0 0 1 CLC006 is found\nbar block 0, bars+8");
    CHECK_HOLDS(book, "bar *block 0, 8: the phase of parity 1 lacks 2 arrivals "
                      "and 0 bytes\n");
    m->knows_other = true; // no step is that warp's: any other one will do
    m->other_warp = 9;
    out.len = 0;
    CHECK(report_book(&s.report, &out));
    CHECK_HOLDS(buf_view(&out), "\norigin 2\n");
    m->is_there = false;
    CHECK(!report_book(&s.report, &out));
    s.result.trace = NULL;
    CHECK(!report_book(&s.report, &out));
    buf_free(&out);
    arena_free(&arena);
}

TEST(a_book_has_values) {
    static const struct {
        TraceValueKind kind;
        uint32_t bytes;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {TRACE_VALUE_PRED, 0, 1, "true"},
        {TRACE_VALUE_PRED, 0, 0, "false"},
        {TRACE_VALUE_UNSIGNED, 4, 7, "7"},
        {TRACE_VALUE_UNSIGNED, 4, 0xffffffff, "0xffffffff"},
        {TRACE_VALUE_UNSIGNED, 2, 0xffff, "0xffff"},
        {TRACE_VALUE_UNSIGNED, 8, 0x440000000010, "0x440000000010"},
        {TRACE_VALUE_SIGNED, 4, 0xffffffff, "-1"},
        {TRACE_VALUE_SIGNED, 2, 0xfffe, "-2"},
        {TRACE_VALUE_SIGNED, 8, UINT64_MAX - 4, "-5"},
        {TRACE_VALUE_SIGNED, 8, 0x440000000010, "0x440000000010"},
        {TRACE_VALUE_FLOAT, 4, 0x3f800000, "1"},
        {TRACE_VALUE_FLOAT, 4, 0x3dcccccd, "0.1"},
        {TRACE_VALUE_FLOAT, 4, 0x4b7fffff, "16777215"},
        {TRACE_VALUE_FLOAT, 4, 0x7fc00000, "nan"},
        {TRACE_VALUE_FLOAT, 8, UINT64_C(0xbff8000000000000), "-1.5"},
        {TRACE_VALUE_BITS, 2, 0x3c00, "0x3c00"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = {0};
        Sample s;
        Buf out = {0};
        TraceValue value = {.name = STR("%r1"),
                            .kind = cases[i].kind,
                            .bytes = cases[i].bytes,
                            .line = 2,
                            .lanes = 0x3,
                            .at = {cases[i].bits, cases[i].bits, 0}};
        TraceEvent step = {
            .kind = TRACE_FOUND, .values = &value, .value_count = 1};
        make(&s);
        s.trace.moment = (TraceMoment){.is_there = true,
                                       .steps = &step,
                                       .step_count = 1,
                                       .param_count = 1,
                                       .params = {{.name = STR("n\x1b"),
                                                   .kind = cases[i].kind,
                                                   .bytes = cases[i].bytes,
                                                   .value = cases[i].bits}}};
        CHECK(report_book(&s.report, &out));
        CHECK_HOLDS(
            buf_view(&out),
            str_cstring(&arena, str_format(&arena, "\nparam n\\x1b %s\n",
                                           cases[i].text)));
        CHECK_HOLDS(
            buf_view(&out),
            str_cstring(&arena, str_format(&arena, "\nreg 2 %%r1 2 %s 30 -\n",
                                           cases[i].text)));
        buf_free(&out);
        arena_free(&arena);
    }
}

TEST(the_origin_is_what_the_other_thread_did_if_that_is_known) {
    TraceEvent steps[] = {{.kind = TRACE_STEP, .line = 5, .warp = 1},
                          {.kind = DEVICE_EVENT_READ, .line = 5, .warp = 0},
                          {.kind = TRACE_STEP, .line = 5, .warp = 0},
                          {.kind = TRACE_STEP, .line = 6, .warp = 1},
                          {.kind = TRACE_FOUND, .line = 6},
                          {.kind = DEVICE_EVENT_READ, .line = 5, .warp = 0}};
    TraceMoment m = {.steps = steps, .step_count = 6, .found = 4};
    size_t at;
    CHECK(!trace_origin(&m, &at));
    m.related[m.related_count++] = (SrcLoc){.line = 5};
    CHECK(trace_origin(&m, &at) && at == 1);
    m.knows_other = true;
    m.other_warp = 1;
    CHECK(trace_origin(&m, &at) && at == 0);
    m.other_warp = 2; // none is that warp's
    CHECK(trace_origin(&m, &at) && at == 1);
    m.related[0].line = 9;
    CHECK(!trace_origin(&m, &at));
}

// A step is told with its line, as far as that fits; what the same warp does at
// the same line goes on below.
TEST(text_has_the_lines_of_the_source) {
    Arena arena = {0};
    Sample s;
    make(&s);
    TraceEvent steps[] = {
        {.kind = TRACE_STEP, .line = 2, .times = 2},
        {.kind = DEVICE_EVENT_EXPECT,
         .line = 2,
         .name = STR("bar"),
         .value = 8,
         .pending = 1,
         .tx = 9,
         .times = 1},
        {.kind = TRACE_FOUND, .line = 2, .times = 1},
        {.kind = TRACE_STEP, .line = 3, .op = STR("tcgen05.x"), .times = 1}};
    s.trace.moment.steps = steps;
    s.trace.moment.step_count = 4;
    s.report.style.width = 80;
    s.report.source = STR("a\n  \tarrive(\"\xc3\xa4\x1b\", bar, "
                          "01234567890123456789012345678901234567890123);\n");
    Str text = text_of(&arena, &s.report);
    CHECK_HOLDS(text,
                "      0     0     2  arrive(\"\xc3\xa4\\x1b\", bar, "
                "01234567890123456789012345678901234567\n"
                "                       computes, 2 times\n"
                "                       announces bytes at bar: 8; its phase "
                "lacks 1 arrival and\n"
                "                         9 bytes\n"
                "                       found\n"
                "      0     0     3  tcgen05.x\n");
    arena_free(&arena);
}

static Str svg_of(Arena *arena, const Report *report) {
    Buf out = {0};
    report_format(report->kind, "svg")->write(report, &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// 876 of 960 units are 100 steps.
TEST(a_drawing_has_boxes_and_the_finding) {
    Arena arena = {0};
    Sample s;
    make(&s);
    s.steps[2].at = 50;
    s.trace.run = STR("a < \x1b b");
    Str text = svg_of(&arena, &s.report);
    CHECK(str_starts(text, STR("<svg xmlns=")) &&
          str_ends(text, STR("</svg>\n")));
    CHECK_HOLDS(text, "<title>a &lt; ");
    CHECK_LACKS(text, "\x1b");
    CHECK_HOLDS(text, "<rect x=\"76\" y=\"64\" width=\"350\" height=\"22\" "
                      "rx=\"0\"");
    CHECK_HOLDS(text, "<rect x=\"426\" y=\"64\" width=\"438\" height=\"22\" "
                      "rx=\"7\"");
    CHECK_HOLDS(text, ">SM 1.0</text>");
    CHECK_HOLDS(text, "text-anchor=\"end\">100 steps</text>");
    CHECK_HOLDS(text, "<line x1=\"514\"");
    CHECK_HOLDS(text, ">CLC006</text>");
    Str wrong = report_colour("wrong"), stolen = report_colour("stolen-fill");
    CHECK_STR(wrong, "#b02a2a");
    CHECK_STR(stolen, "#dcedc8");
    CHECK_STR(report_colour("card"), "#f4f6f7");
    CHECK_STR(report_colour("no-such"), "#1a1a1a");
    CHECK_HOLDS(text, "fill=\"#b02a2a\" text-anchor=\"end\">CLC006");
    CHECK_HOLDS(text, "rx=\"7\" fill=\"#dcedc8\" stroke=\"#3d7300\"");
    CHECK_LACKS(text, "drawn");
    s.trace.is_timed = true;
    s.trace.every = 4;
    text = svg_of(&arena, &s.report);
    CHECK_HOLDS(text, ">100 cycles</text>");
    CHECK_HOLDS(text, ">One of 4 blocks is drawn. </text>");
    CHECK_LACKS(text, "<line");
    arena_free(&arena);
}

TEST(a_drawing_of_many_places_and_of_none) {
    Arena arena = {0};
    Sample s;
    make(&s);
    TraceSm sms[40] = {0};
    s.trace.sms = sms;
    s.trace.sm_count = 40;
    s.trace.place_count = 2;
    s.stays[1].sm = 39;
    s.trace.end = 0; // all at the right edge
    Str text = svg_of(&arena, &s.report);
    CHECK_HOLDS(text, "16 places more are not drawn.");
    CHECK_HOLDS(text, ">SM 31.1</text>");
    CHECK_LACKS(text, ">SM 32.0</text>");
    s.result.trace = NULL;
    CHECK_HOLDS(svg_of(&arena, &s.report), "There is no trace");
    arena_free(&arena);
}

// At most eight lines of a report: the last events, the last instruction of the
// warp concerned, where it began, the finding.
TEST(a_moment_in_brief) {
    Arena arena = {0};
    Sample s;
    Buf out = {0};
    TraceEvent steps[16];
    make(&s);
    for (uint32_t i = 0; i < 16; i++)
        steps[i] = (TraceEvent){.kind = DEVICE_EVENT_ARRIVE,
                                .line = i + 1,
                                .warp = 1,
                                .name = STR("bar"),
                                .times = 1};
    steps[1].line = 5;
    steps[10] = (TraceEvent){.kind = TRACE_STEP,
                             .op = STR("ld"),
                             .line = 40,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 1};
    steps[11] = (TraceEvent){.kind = TRACE_STEP,
                             .line = 41,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 1};
    steps[12] = (TraceEvent){.kind = DEVICE_EVENT_SYNC,
                             .line = 42,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 1};
    steps[13] = (TraceEvent){.kind = TRACE_FOUND,
                             .line = 43,
                             .shared = DEVICE_EVENT_NONE,
                             .times = 1};
    s.trace.moment = (TraceMoment){.is_there = true,
                                   .is_of_time = true,
                                   .steps = steps,
                                   .step_count = 16,
                                   .found = 13,
                                   .code = STR("CLC004"),
                                   .related = {{.line = 5}},
                                   .related_count = 1};
    Page page = page_open((Str){0}, (Str){0}, (ReportStyle){.width = 80}, &out);
    trace_write_moment(&page, &s.trace.moment);
    CHECK_STR(buf_view(&out), "\nIn time (clclab debug goes through it):\n"
                              "  block 0, warp 1, line 5: arrives at bar\n"
                              "  block 0, warp 1, line 7: arrives at bar\n"
                              "  block 0, warp 1, line 8: arrives at bar\n"
                              "  block 0, warp 1, line 9: arrives at bar\n"
                              "  block 0, warp 1, line 10: arrives at bar\n"
                              "  block 0, warp 0, line 40: reads memory (ld)\n"
                              "  block 0, warp 0, line 43: CLC004 is found\n");
    out.len = 0;
    page.style.width = 40;
    trace_write_moment(&page, &s.trace.moment);
    CHECK_HOLDS(buf_view(&out), "line 40: reads memory\n");
    out.len = 0;
    s.trace.moment.is_of_time = false;
    trace_write_moment(&page, &s.trace.moment);
    CHECK_U64(out.len, 0);
    s.trace.moment.is_of_time = true;
    report_text(&s.result, (Str){0}, (ReportStyle){.width = 80}, &out);
    CHECK_LACKS(buf_view(&out), "In time");
    report_text(&s.result, (Str){0},
                (ReportStyle){.width = 80, .pictures = true}, &out);
    CHECK_HOLDS(buf_view(&out), "In time");
    buf_free(&out);
    arena_free(&arena);
}

TEST(text_says_what_is_left_out) {
    Arena arena = {0};
    Sample s;
    make(&s);
    s.trace.every = 4;
    s.trace.stay_total = 12;
    s.trace.is_cut = s.trace.is_timed = true;
    s.trace.moment.is_there = false;
    Str text = text_of(&arena, &s.report);
    CHECK_HOLDS(text, "one of 4 stays is shown, of 12");
    CHECK_HOLDS(text, "where it was cut");
    CHECK_HOLDS(text, "modelled cycles");
    CHECK_LACKS(text, "Before");
    arena_free(&arena);
}

TEST(stolen_blocks_have_a_colour) {
    Arena arena = {0};
    Sample s;
    make(&s);
    s.report.style.color = true;
    Str text = text_of(&arena, &s.report);
    CHECK_HOLDS(text, "m>2---");
    CHECK_LACKS(text, "m[0---");
    arena_free(&arena);
}

TEST(text_of_a_launch_without_time_or_trace) {
    Arena arena = {0};
    Sample s;
    make(&s);
    s.trace.end = 0;
    CHECK_HOLDS(text_of(&arena, &s.report), "0 steps of the machine");
    s.result.trace = NULL;
    CHECK_HOLDS(text_of(&arena, &s.report), "There is no trace");
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(json_has_stays_and_events),
          TESTCASE(modelled_cycles_are_microseconds),
          TESTCASE(no_trace_is_a_file_without_events),
          TESTCASE(text_draws_places_and_the_moment),
          TESTCASE(a_book_has_the_state_after_each_step),
          TESTCASE(a_book_has_values),
          TESTCASE(the_origin_is_what_the_other_thread_did_if_that_is_known),
          TESTCASE(text_has_the_lines_of_the_source),
          TESTCASE(a_drawing_has_boxes_and_the_finding),
          TESTCASE(a_drawing_of_many_places_and_of_none),
          TESTCASE(a_moment_in_brief), TESTCASE(text_says_what_is_left_out),
          TESTCASE(stolen_blocks_have_a_colour),
          TESTCASE(text_of_a_launch_without_time_or_trace))
