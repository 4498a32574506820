// SPDX-License-Identifier: Apache-2.0
// The reports of clclab run: text and JSON of a LaunchResult, complete and
// empty, and with bytes in it that somebody chose.
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

static const char SOURCE[] = "line one\n"
                             "    data[i] *= alpha;\n";

typedef struct Sample {
    LaunchFinding findings[20];
    LaunchSchedule schedules[40];
    Str chains[2];
    size_t links[2];
    LaunchResult result;
} Sample;

static void make_schedules(Sample *s) {
    for (size_t i = 0; i < COUNT_OF(s->schedules); i++)
        s->schedules[i] = (LaunchSchedule){.number = i,
                                           .strategy = STR("random"),
                                           .status = RUN_DONE,
                                           .started = 8,
                                           .canceled = 2,
                                           .outputs = OUTPUTS_SAME};
    s->schedules[0].strategy = STR("plain");
    s->schedules[0].outputs = OUTPUTS_NOT_COMPARED;
    s->schedules[1].errors = 1;
    s->schedules[1].status = RUN_FAULT;
    s->schedules[1].outputs = OUTPUTS_NOT_COMPARED;
    s->schedules[2].errors = 2;
    s->schedules[2].advisories = 1;
    s->schedules[2].outputs = OUTPUTS_DIFFER;
}

static void make_sample(Sample *s) {
    *s = (Sample){0};
    s->findings[0] = (LaunchFinding){
        .cause = {.code = STR("CLC004"),
                  .what = STR("Block 3 exits with its request in flight."),
                  .help = STR("Wait for the barrier."),
                  .at = {STR("a/k.cu"), 2, 5},
                  .context = STR("schedule 1 (random)"),
                  .replay = STR("clclab run a/k.cu --seed 9 --only-schedule "
                                "1")},
        .schedule = 1,
        .last = 2,
        .schedules = 2};
    s->findings[1] = (LaunchFinding){.cause = {.code = STR("CLC002"),
                                               .what = STR("It is doubtful."),
                                               .at = {STR("a/k.cu"), 1, 1}},
                                     .advisory = true,
                                     .schedule = 2,
                                     .last = 2,
                                     .schedules = 1};
    make_schedules(s);
    s->chains[0] = STR("block 0: 0 -> 8");
    s->chains[1] = STR("block 1: 1");
    s->result = (LaunchResult){
        .file = STR("a/k.cu"),
        .kernel = STR("_Z1kPf"),
        .device = STR("vm"),
        .gpu_model = STR("mini"),
        .grid = {10, 2, 1},
        .block = {32, 4, 2},
        .cluster = {2, 1, 1},
        .dynamic_smem = 1024,
        .seed = 9,
        .schedules = s->schedules,
        .schedule_count = 3,
        .schedules_asked = 5,
        .verdict = VERDICT_FAIL,
        .elapsed_ms = 12.25,
        .findings = s->findings,
        .finding_count = 2,
        .errors = 1,
        .advisories = 1,
        .has_ledger = true,
        .ledger = {.totals = {.grid = 20,
                              .started = 8,
                              .granted = 10,
                              .requests = 18,
                              .refused = 8,
                              .refused_pending = 3,
                              .lost = 1,
                              .shortest = 1,
                              .longest = 4},
                   .schedule = STR("plain schedule"),
                   .chains = s->chains,
                   .links = s->links,
                   .chain_count = 2},
        .counters =
            {.thread_instructions = 1000,
             .warp_instructions = 40,
             .by_kind = {[DEVICE_KIND_INTEGER] = 120, [DEVICE_KIND_LOAD] = 7},
             .loaded = {[DEVICE_SPACE_GLOBAL] = 4096},
             .stored = {[DEVICE_SPACE_SHARED] = 16},
             .copied_from = {[DEVICE_SPACE_GLOBAL] = 64},
             .copied_to =
                 {[DEVICE_SPACE_GLOBAL] = 64, [DEVICE_SPACE_SHARED] = 80},
             .cta_barriers = 5,
             .mbarrier_phases = 6},
        .compiler = STR("NVRTC 13.0"),
        .version = STR("0.1"),
        .output = STR("hello\nworld\n"),
    };
}

static Buf text_of(const Sample *s) {
    Buf out = {0};
    report_run_text(&s->result, STR(SOURCE), (ReportStyle){.width = 80}, &out);
    return out;
}

static Buf json_of(const Sample *s) {
    Buf out = {0};
    report_run_json(&s->result, &out);
    return out;
}

// Two places of 1000 cycles on one SM of two schedulers: 69 columns.
static void make_timed(Sample *s) {
    static DeviceSmTime sms[2] = {{500, 1000, 2}, {0, 0, 0}};
    static DeviceSpan spans[] = {
        {0, 250, DEVICE_SPAN_LAUNCH, 0, 0, 0, 0},
        {250, 500, DEVICE_SPAN_PROLOGUE, 0, 0, 0, 0},
        {500, 750, DEVICE_SPAN_WORK, 0, 0, 0, 8},
        {750, 1000, DEVICE_SPAN_WAIT, 0, 0, 0, 8},
        {0, 250, DEVICE_SPAN_LAUNCH, 0, 1, 1, 1},
        {250, 500, DEVICE_SPAN_WORK, 0, 1, 1, 1},
    };
    static DeviceEvent events[] = {
        {.cycle = 480,
         .kind = DEVICE_EVENT_ARRIVE,
         .warp = 1,
         .at = 16,
         .value = 1,
         .block = DEVICE_EVENT_NONE,
         .tx = 16},
        {.cycle = 740,
         .kind = DEVICE_EVENT_ANSWER,
         .warp = DEVICE_EVENT_NONE,
         .value = 3,
         .block = 8},
    };
    make_sample(s);
    s->result.is_timed = true;
    s->result.time = (DeviceTimeline){.cycles = 1000,
                                      .clock_mhz = 1500,
                                      .schedulers = 2,
                                      .places = 2,
                                      .ends = 1500,
                                      .arrival = 600,
                                      .first_free = 0,
                                      .all_free = 400,
                                      .sms = sms,
                                      .sm_count = 2,
                                      .spans = spans,
                                      .span_count = COUNT_OF(spans),
                                      .events = events,
                                      .event_count = COUNT_OF(events)};
    s->schedules[0].cycles = 1000;
    s->schedules[2].cycles = 900;
}

// ---- text ----------------------------------------------------------------

TEST(text_has_all_parts) {
    static Sample s;
    make_sample(&s);
    Buf out = text_of(&s);
    Str text = buf_view(&out);
    static const char *const parts[] = {
        "Kernel _Z1kPf\n"
        "a/k.cu on vm:mini, grid 10 x 2, block 32 x 4 x 2, cluster 2, 1024 "
        "bytes of\ndynamic shared memory\n",
        "a/k.cu:2:5: error: Block 3 exits with its request in flight. "
        "[CLC004]\n",
        "     2 |     data[i] *= alpha;\n       |     ^\n",
        "  run       schedule 1 (random)\n",
        "  replay    clclab run a/k.cu --seed 9 --only-schedule 1\n",
        "a/k.cu:1:1: advisory: It is doubtful. [CLC002]\n",
        "The kernel printed:\n  | hello\n  | world\n",
        "Blocks, plain schedule:\n"
        "  20 in the grid: 8 started, 10 stolen, 2 pending at the end; 1 "
        "lost\n"
        "  18 requests: 8 refused, 3 of them while blocks were pending\n"
        "  a started block came to own 1 to 4 blocks\n"
        "  block 0: 0 -> 8\n",
        "Counted, plain schedule:\n"
        "  executed  1000 instructions of threads, 40 of warps\n"
        "  by kind   integer 120, load 7\n"
        "  loaded    global 4096 (bytes)\n"
        "  stored    shared 16 (bytes)\n"
        "  copied    from global 64; to global 64, shared 80 (bytes)\n"
        "  barriers  5 of CTAs, 6 phases of mbarriers\n"
        "  steals    10 blocks\n",
        "Schedules of seed 9:\n",
        "       0  plain         done     8 blocks started, 2 stolen\n",
        "       1  random        fault    8 blocks started, 2 stolen; 1 "
        "error\n",
        "       2  random        done     8 blocks started, 2 stolen; 2 "
        "errors; 1 advisory; other output\n",
        "  the other 2 were not tried\n",
        "\nFound: 1 error and 1 advisory in 3 schedules\n",
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        CHECK_HOLDS(text, parts[i]);
    buf_free(&out);
}

TEST(text_draws_modelled_time) {
    static Sample s;
    make_timed(&s);
    Buf out = text_of(&s);
    static const char *const parts[] = {
        "\nTime (a model), plain schedule:\n"
        "  cycles    1000, or 0.67 us at 1500 MHz\n"
        "  issued    12.5% of the issue slots of 2 SMs of 2 schedulers\n"
        "  places    launch 25.0%, prologue 12.5%, work 25.0%, wait 12.5%, "
        "nothing 25.0%\n"
        "  balance   the last place ends at 133.3% of the places' mean\n"
        "  arrival   of another kernel at cycle 600: it waited 0 cycles for a "
        "place, and\n            400 for all 2\n"
        "\n   SM slot\n"
        "    0    0 lllllllllllllllllPPPPPPPPPPPPPPPPPPwwwwwwwwwwwwwwwww"
        ".................\n"
        "    0    1 lllllllllllllllllwwwwwwwwwwwwwwwwww\n"
        "           |0               |246             |492             |739\n",
        "  l launch, P prologue, w work, . wait, by cycle; a column is 14 ",
        "no card takes",
        "       0  plain         done           1000 cycles  8 blocks "
        "started, "
        "2 stolen\n",
        "       2  random        done            900 cycles  8 blocks ",
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        CHECK_HOLDS(buf_view(&out), parts[i]);
    CHECK_LACKS(buf_view(&out), "too many to keep");
    buf_free(&out);
    s.result.time.spans_left_out = 3;
    out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "3 spans of time were too many to keep");
    buf_free(&out);
}

TEST(time_is_drawn_at_any_width_and_length) {
    static Sample s;
    for (uint64_t cycles = 0; cycles < 300; cycles++) {
        make_timed(&s);
        DeviceSpan span = {0, cycles, DEVICE_SPAN_WORK, 0, 0, 0, 0};
        s.result.time.cycles = cycles;
        s.result.time.spans = &span;
        s.result.time.span_count = cycles > 0;
        Buf out = {0};
        ReportStyle style = {.width = (uint32_t)cycles * 2};
        report_run_text(&s.result, STR(SOURCE), style, &out);
        CHECK(test_holds(buf_view(&out), STR("    0    0 w")) == (cycles > 0));
        CHECK(test_holds(buf_view(&out), STR("|0")) == (cycles >= 12));
        buf_free(&out);
    }
}

TEST(sixteen_places_are_drawn) {
    static Sample s;
    static DeviceSpan spans[20];
    make_timed(&s);
    for (uint32_t i = 0; i < COUNT_OF(spans); i++)
        spans[i] = (DeviceSpan){
            .to = 1000, .kind = DEVICE_SPAN_WORK, .sm = i / 4, .slot = i % 4};
    s.result.time.spans = spans;
    s.result.time.span_count = COUNT_OF(spans);
    Buf out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "\n    3    3 www");
    CHECK_LACKS(buf_view(&out), "\n    4    0 www");
    CHECK_HOLDS(buf_view(&out), "\n   and 4 more\n");
    buf_free(&out);
}

// A line has 80 columns at most; the number of those left out is counted from
// what is shown, though the text itself leaves some out too.
TEST(long_chain_is_cut_and_says_how_many_more) {
    static Sample s;
    make_sample(&s);
    s.chains[0] = STR("block 1000: 1000 -> 1001 -> 1002 -> 1003 -> 1004 -> "
                      "1005 -> 1006 -> 1007 -> 1008 and 11 more");
    s.links[0] = 20;
    s.chains[1] = STR("block 1: 1 -> 2 -> 3 and 4 more");
    s.links[1] = 7;
    Buf out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "  block 1000: 1000 -> 1001 -> 1002 -> 1003 -> "
                                "1004 -> 1005 and 14 more\n"
                                "  block 1: 1 -> 2 -> 3 and 4 more\n");
    buf_free(&out);
}

TEST(text_of_a_clean_run_is_short) {
    static Sample s;
    make_sample(&s);
    s.result.verdict = VERDICT_PASS;
    s.result.finding_count = s.result.errors = s.result.advisories = 0;
    s.result.has_ledger = false;
    s.result.schedule_count = s.result.schedules_asked = 1;
    s.result.output = (Str){0};
    s.result.counters = (DeviceCounters){.thread_instructions = 3};
    Buf out = text_of(&s);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "\nClean: nothing found in 1 schedule\n");
    static const char *const absent[] = {
        "Blocks", "Schedules", "by kind", "loaded", "barriers",
        "steals", "error",     "printed", "cycles", "model"};
    for (size_t i = 0; i < COUNT_OF(absent); i++)
        if (!CHECK_LACKS(text, absent[i]))
            printf("# holds: %s\n", absent[i]);
    buf_free(&out);
    s.result.advisories = 2;
    out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "\nClean: 2 advisories in 1 schedule\n");
    buf_free(&out);
}

TEST(text_of_what_the_machine_lacks) {
    static Sample s;
    make_sample(&s);
    s.result.verdict = VERDICT_ERROR;
    s.findings[0].cause.code = STR("UNSUPPORTED");
    Buf out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "a/k.cu:2:5: not supported: Block 3");
    CHECK_HOLDS(buf_view(&out), "\nNot judged to the end: ");
    buf_free(&out);
}

TEST(many_schedules_show_what_is_not_clean) {
    static Sample s;
    make_sample(&s);
    s.result.schedule_count = s.result.schedules_asked = 40;
    s.schedules[35].errors = 1;
    Buf out = text_of(&s);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "\n       0  plain");
    CHECK_HOLDS(text, "\n      35  random");
    CHECK_LACKS(text, "\n       3  random");
    CHECK_HOLDS(text, "\n  and 36 more, all clean\n");
    buf_free(&out);
}

TEST(many_findings_are_counted) {
    static Sample s;
    make_sample(&s);
    for (size_t i = 0; i < COUNT_OF(s.findings); i++)
        s.findings[i] = s.findings[0];
    s.result.finding_count = COUNT_OF(s.findings);
    s.result.errors = 70; // more than were kept
    s.result.advisories = 0;
    Buf out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "\nand 58 more\n");
    buf_free(&out);
}

TEST(a_long_replay_is_joined_as_a_shell_does) {
    static Sample s;
    make_sample(&s);
    s.findings[0].cause.replay =
        STR("clclab run a/k.cu --kernel a_long_name --grid 100 --block 128 "
            "--arg buf:4000 --seed 9 --only-schedule 1");
    Buf out = text_of(&s);
    CHECK_HOLDS(buf_view(&out),
                "  replay    clclab run a/k.cu --kernel a_long_name --grid 100 "
                "--block 128 \\\n            --arg buf:4000 --seed 9 "
                "--only-schedule 1\n");
    buf_free(&out);
    s.findings[0].cause.replay =
        STR("clclab run 'a  b/k.cu' --kernel a_long_name --grid 100 --block "
            "128 --arg buf:4000 --seed 9");
    out = text_of(&s);
    CHECK_HOLDS(buf_view(&out), "  replay    clclab run 'a  b/k.cu' --kernel "
                                "a_long_name --grid 100 --block "
                                "128 --arg buf:4000 --seed 9\n");
    buf_free(&out);
}

TEST(control_bytes_do_not_reach_the_terminal) {
    static Sample s;
    make_sample(&s);
    Str evil = STR("\x1b[2J\x07");
    s.result.kernel = s.result.output = evil;
    s.result.file = s.findings[0].cause.what = evil;
    s.findings[0].cause.replay = evil;
    Buf out = text_of(&s);
    CHECK(memchr(out.ptr, '\x1b', out.len) == NULL);
    CHECK(memchr(out.ptr, '\x07', out.len) == NULL);
    buf_free(&out);
    out = json_of(&s);
    CHECK(is_json(buf_view(&out)));
    CHECK(memchr(out.ptr, '\x1b', out.len) == NULL);
    buf_free(&out);
}

// ---- JSON ----------------------------------------------------------------

TEST(json_has_all_members) {
    static Sample s;
    make_sample(&s);
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    static const char *const parts[] = {
        "\"schema\": \"clclab/run/v1\"",
        "\"kernel\": \"_Z1kPf\"",
        "\"grid\": [10, 2, 1]",
        "\"block\": [32, 4, 2]",
        "\"cluster\": [2, 1, 1]",
        "\"dynamic_smem\": 1024",
        "\"seed\": 9,",
        "\"verdict\": \"findings\"",
        "\"errors\": 1,",
        "\"elapsed_ms\": 12.250",
        "\"level\": \"error\"",
        "\"level\": \"advisory\"",
        "\"schedule\": 1,",
        "\"schedules\": 2,",
        "\"schedules_asked\": 5,",
        "\"status\": \"fault\"",
        "\"outputs\": \"differ\"",
        "\"outputs\": null",
        "\"outputs\": \"same\"",
        "\"refused_pending\": 3",
        "\"pending\": 2",
        "\"least_blocks\": 1",
        "\"most_blocks\": 4",
        "\"canceled\": 10",
        "\"integer\": 120",
        "\"global\": 4096",
        "\"bytes_copied_from\": {\n      \"global\": 64\n    }",
        "\"bytes_copied_to\": {\n      \"global\": 64,\n      \"shared\": 80",
        "\"steals\": 10",
        "\"time_model\": null",
        "\"cycles\": null",
        "\"compiler\": \"NVRTC 13.0\"",
        "\"output\": \"hello\\nworld\\n\"",
    };
    s.schedules[1].outputs = OUTPUTS_SAME;
    buf_free(&out);
    out = json_of(&s);
    json = buf_view(&out);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        CHECK_HOLDS(json, parts[i]);
    buf_free(&out);
}

TEST(json_of_modelled_time) {
    static Sample s;
    make_timed(&s);
    Buf out = json_of(&s);
    CHECK(is_json(buf_view(&out)));
    static const char *const parts[] = {
        "\"cycles\": 900,",
        "\"time_model\": {\n    \"cycles\": 1000,\n    \"clock_mhz\": 1500,\n"
        "    \"schedulers\": 2,\n    \"places\": 2,\n    \"ends\": 1500,\n"
        "    \"arrival\": {\n      \"cycle\": 600,\n      \"first_free\": 0,\n"
        "      \"all_free\": 400\n    },\n    \"sms\": [\n"
        "      {\"issued\": 500, \"end\": 1000, \"ctas\": 2},\n",
        "{\"kind\": \"prologue\", \"sm\": 0, \"slot\": 0, \"from\": 250, "
        "\"to\": 500, \"cta\": 0, \"block\": 0},\n",
        "{\"kind\": \"wait\", \"sm\": 0, \"slot\": 0, \"from\": 750, "
        "\"to\": 1000, \"cta\": 0, \"block\": 8},\n",
        "\"spans_left_out\": 0",
        "{\"at\": 480, \"kind\": \"arrive\", \"cta\": 0, \"warp\": 1, "
        "\"shared\": 16, \"block\": null, \"value\": 1, \"pending\": 0, "
        "\"tx\": 16},\n",
        "{\"at\": 740, \"kind\": \"answer\", \"cta\": 0, \"warp\": null, "
        "\"shared\": 0, \"block\": 8, \"value\": 3, \"pending\": 0, "
        "\"tx\": 0}\n",
        "\"events_left_out\": 0",
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        CHECK_HOLDS(buf_view(&out), parts[i]);
    buf_free(&out);
}

TEST(json_of_a_file_that_does_not_build) {
    static Sample s;
    make_sample(&s);
    s.result.schedule_count = 0;
    s.result.has_ledger = false;
    s.findings[0].schedules = 0;
    s.result.kernel = (Str){0};
    Buf out = json_of(&s);
    Str json = buf_view(&out);
    CHECK(is_json(json));
    CHECK_HOLDS(json, "\"kernel\": null");
    CHECK_HOLDS(json, "\"schedule\": null,\n      \"schedules\": 0,");
    CHECK_HOLDS(json, "\"ledger\": null");
    CHECK_HOLDS(json, "\"counters\": null");
    CHECK_HOLDS(json, "\"schedules\": [],");
    buf_free(&out);
}

TEST(json_of_nothing_is_json) {
    static Sample s;
    Buf out = json_of(&s);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"verdict\": \"clean\"");
    s.result.verdict = VERDICT_ERROR;
    buf_free(&out);
    out = json_of(&s);
    CHECK_HOLDS(buf_view(&out), "\"verdict\": \"error\"");
    buf_free(&out);
}

TEST_MAIN(TESTCASE(text_has_all_parts), TESTCASE(text_of_a_clean_run_is_short),
          TESTCASE(long_chain_is_cut_and_says_how_many_more),
          TESTCASE(text_of_what_the_machine_lacks),
          TESTCASE(text_draws_modelled_time),
          TESTCASE(time_is_drawn_at_any_width_and_length),
          TESTCASE(sixteen_places_are_drawn), TESTCASE(json_of_modelled_time),
          TESTCASE(many_schedules_show_what_is_not_clean),
          TESTCASE(many_findings_are_counted),
          TESTCASE(a_long_replay_is_joined_as_a_shell_does),
          TESTCASE(control_bytes_do_not_reach_the_terminal),
          TESTCASE(json_has_all_members),
          TESTCASE(json_of_a_file_that_does_not_build),
          TESTCASE(json_of_nothing_is_json))
