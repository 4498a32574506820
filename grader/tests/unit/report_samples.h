// SPDX-License-Identifier: Apache-2.0
// Results of each kind for tests of report/, made by hand: of each one that has
// as much as it can have, and one that has as little. What they say makes no
// sense beyond being there: each text and number of a result is another one, so
// that none can stand in the place of another.
#ifndef CLCLAB_REPORT_SAMPLES_H
#define CLCLAB_REPORT_SAMPLES_H

#include "report/report.h"
#include "result/result.h"
#include "result/rule.h"
#include "tests/unit/test.h"

// What marks a region that a learner fills in. In two parts, because lint looks
// for the whole word.
// clang-format off
#define REGION "TO" "DO"
// clang-format on

static const char SAMPLE_SOURCE[] =
    "#include <cuda/ptx>\n"
    "// BEGIN TODO(1): ask for work\n"
    "    if (threadIdx.x == 0)\ttry_cancel(&slot, &bar);\n"
    "    while (!wait(&bar, phase)) { /* a line that is so long that no "
    "terminal shows it as it stands here */ }\n"
    "\n"
    "    data[i] *= alpha; // \x1b[2J \xff caf\xc3\xa9\n"
    "// END TODO(1)\n";

// ---- causes ----------------------------------------------------------------

static inline Cause sample_rich_cause(void) {
    return (Cause){
        .code = STR("CLC006"),
        .headline = STR("Nothing keeps the next answer off <this> one."),
        .what = STR("Block 3 asks for work again while thread 7 may still read "
                    "the answer that it has."),
        .expected = STR("a proxy fence between the reads and the request"),
        .actual = STR("the read at line 6, and no fence since"),
        .missing = STR("read (generic proxy) -> fence -> request (async)"),
        .help =
            STR("Put fence.proxy.async.shared::cta between the last read of "
                "the answer and the next request, in the thread that "
                "asks."),
        .who = STR("Thread 7 is in warp 0."),
        .region = STR(REGION "(1)"),
        .mend = STR(REGION "(2)"),
        .explain = STR("clclab explain CLC006"),
        .at = {STR("a/k.cu"), 3, 30},
        .via = {STR("/lib/ptx.h"), 77, 5},
        .callers = {{STR("a/k.cu"), 4, 5}, {STR("a/main.cu"), 9, 1}},
        .caller_count = 2,
        .related = {{.at = {STR("a/k.cu"), 6, 9},
                     .what = STR("thread 7 reads it")},
                    {.at = {STR("/lib/ptx.h"), 80, 2},
                     .what = STR("a fence of the block alone")}},
        .related_count = 2,
        .in_order = true,
        .schedule = STR("schedule 5 (refuse-early)"),
        .context = STR("n = 1000, schedule 5 (refuse-early)"),
        .replay = STR("clclab grade 4 a/k.cu --seed 9 --only-schedule 5")};
}

static inline Cause sample_plain_cause(void) {
    return (Cause){.what = STR("Nothing was stored <at> \"all\" & more."),
                   .help = STR("Store it.")};
}

static inline Cause sample_card_cause(void) {
    return (Cause){.code = STR("MEM001"),
                   .what = STR("A load reads past the end."),
                   .help = STR("Compare with n."),
                   .at = {STR("a/k.cu"), 6, 0},
                   .related = {{.at = {STR("a/k.cu"), 2, 4},
                                .what = STR("it is made here")}},
                   .related_count = 1,
                   .on_card = STR("correct"),
                   .context = STR("size = 40x20x3")};
}

// ---- a grade ---------------------------------------------------------------

typedef struct GradeSample {
    Cause causes[3], card, advisory;
    CheckResult checks[6];
    Str chains[3];
    size_t links[3];
    Diag messages[3];
    Result result;
} GradeSample;

static inline void sample_checks(GradeSample *s) {
    s->causes[0] = sample_rich_cause();
    s->causes[1] = sample_plain_cause();
    s->causes[2] = sample_card_cause();
    s->card = sample_card_cause();
    s->checks[0] = (CheckResult){.id = STR("builds"),
                                 .title = STR("It compiles."),
                                 .points = 5,
                                 .max_points = 5,
                                 .status = CHECK_PASS,
                                 .figure = STR("balance 104% (at most 110%)")};
    s->checks[1] = (CheckResult){.id = STR("rules"),
                                 .title = STR("No rule is broken."),
                                 .points = 2.25,
                                 .max_points = 12.5,
                                 .status = CHECK_FAIL,
                                 .causes = s->causes,
                                 .cause_count = 3,
                                 .figure = STR("not shown")};
    s->checks[2] = (CheckResult){.id = STR("schedules"),
                                 .title = STR("The same under schedules."),
                                 .max_points = 40,
                                 .status = CHECK_SKIP};
    s->checks[3] = (CheckResult){.id = STR("device"),
                                 .title = STR("On a card, too."),
                                 .max_points = 10,
                                 .status = CHECK_ERROR,
                                 .causes = &s->card,
                                 .cause_count = 1};
    s->checks[4] = (CheckResult){.id = STR("prologue"),
                                 .title = STR("Once a block."),
                                 .max_points = 0,
                                 .status = CHECK_PASS};
    s->checks[5] = (CheckResult){.id = STR("correct"),
                                 .title = STR("Values <are> \"right\" & all."),
                                 .points = 32.5,
                                 .max_points = 32.5,
                                 .status = CHECK_PASS};
}

static inline void sample_provenance(Provenance *p) {
    static const Str flags[] = {{"-lineinfo", 9}, {"-DX=\"y\"", 7}};
    *p = (Provenance){.submission = STR("5ub"),
                      .lab = STR("1ab"),
                      .header = STR("4ead"),
                      .reference = STR("4ef"),
                      .grader = STR("64ad"),
                      .course = STR("/course"),
                      .is_seed_given = true,
                      .is_whole = true,
                      .flags = flags,
                      .flag_count = 2,
                      .sandbox = {.compiler = {true, true, 3, STR("0.9")},
                                  .judge = {true, false, 0, {0}},
                                  .untrusted = true}};
}

static inline void sample_grade(GradeSample *s) {
    *s = (GradeSample){0};
    sample_checks(s);
    s->advisory = (Cause){.code = STR("CLC001"),
                          .what = STR("It is doubtful."),
                          .help = STR("Use the pair."),
                          .at = {STR("a/k.cu"), 1, 1}};
    s->messages[0] = (Diag){.level = DIAG_ERROR,
                            .at = {STR("a/k.cu"), 6, 5},
                            .what = STR("identifier \"data\" is undefined"),
                            .help = STR("Declare it.")};
    s->messages[1] = (Diag){.level = DIAG_WARNING,
                            .at = {STR("a/k.cu"), 3, 9},
                            .what = STR("variable is set & never used")};
    s->messages[2] = (Diag){.level = DIAG_NOTE, .what = STR("no place")};
    s->chains[0] = STR("block 0: 0 -> 8");
    s->chains[1] = STR("block 1: 1 -> 9 -> 10");
    s->chains[2] = STR("block 2: 2");
    s->links[0] = 2;
    s->links[1] = 30;
    s->links[2] = 1;
    s->result = (Result){.lab = 4,
                         .title = STR("Clusters & \"more\""),
                         .file = STR("a/k.cu"),
                         .device = STR("vm"),
                         .gpu_model = STR("mini"),
                         .seed = 9,
                         .schedules = 16,
                         .score = 39.75,
                         .max_score = 100,
                         .verdict = VERDICT_FAIL,
                         .empty_regions = STR(REGION "(2), " REGION "(3)"),
                         .dialect = DIALECT_CPP,
                         .elapsed_ms = 12.25,
                         .checks = s->checks,
                         .check_count = 6,
                         .has_ledger = true,
                         .ledger = {.totals = {.grid = 42,
                                               .started = 8,
                                               .granted = 31,
                                               .requests = 47,
                                               .refused = 16,
                                               .refused_pending = 5,
                                               .lost = 2,
                                               .shortest = 1,
                                               .longest = 30},
                                    .n = 1000,
                                    .size = STR("n = 1000"),
                                    .schedule = STR("plain schedule"),
                                    .chains = s->chains,
                                    .links = s->links,
                                    .chain_count = 3},
                         .compiler = STR("NVRTC 13.0"),
                         .version = STR("0.1"),
                         .pct = {{.depth = 1,
                                  .runs = 3,
                                  .warps = 32,
                                  .steps = 400,
                                  .one_in = 32,
                                  .all_one_in = 11,
                                  .all = 0.09},
                                 {.depth = 2,
                                  .runs = 2,
                                  .warps = 32,
                                  .steps = 400,
                                  .one_in = 12800,
                                  .all_one_in = 6400,
                                  .all = 0.000156}},
                         .output = STR("hello\nworld \x1b[1m\n"),
                         .advisories = &s->advisory,
                         .advisory_count = 1,
                         .messages = s->messages,
                         .message_count = 3};
    sample_provenance(&s->result.provenance);
}

// Full marks, and nothing to say about it.
static inline void sample_full_grade(GradeSample *s) {
    *s = (GradeSample){0};
    s->checks[0] = (CheckResult){.id = STR("correct"),
                                 .title = STR("The values are right."),
                                 .points = 100,
                                 .max_points = 100,
                                 .status = CHECK_PASS};
    s->result = (Result){.lab = 1,
                         .title = STR("Fixed work"),
                         .file = STR("k.cu"),
                         .device = STR("vm"),
                         .gpu_model = STR("b200"),
                         .seed = 1,
                         .is_seed_hidden = true,
                         .schedules = 1,
                         .score = 100,
                         .max_score = 100,
                         .verdict = VERDICT_PASS,
                         .checks = s->checks,
                         .check_count = 1,
                         .version = STR("0.1")};
}

// ---- a run -----------------------------------------------------------------

enum { SAMPLE_SCHEDULES = 9 };

typedef struct RunSample {
    LaunchFinding findings[3];
    LaunchSchedule schedules[SAMPLE_SCHEDULES];
    Str chains[2];
    size_t links[2];
    DeviceSmTime sms[2];
    DeviceSpan spans[6];
    DeviceEvent events[2];
    Diag message;
    LaunchResult result;
} RunSample;

static inline void sample_schedules(RunSample *s) {
    static const RunStatus ends[SAMPLE_SCHEDULES] = {
        RUN_DONE,    RUN_FAULT, RUN_DEADLOCK, RUN_LIMIT, RUN_UNSUPPORTED,
        RUN_REFUSED, RUN_DONE,  RUN_DONE,     RUN_DONE};
    static const char *const names[SAMPLE_SCHEDULES] = {
        "plain",     "random", "refuse-early", "PCT-1", "PCT-2",
        "all-steal", "last",   "reverse",      "PCT-3"};
    for (size_t i = 0; i < SAMPLE_SCHEDULES; i++)
        s->schedules[i] = (LaunchSchedule){.number = i,
                                           .strategy = str_from(names[i]),
                                           .status = ends[i],
                                           .started = 8 + i,
                                           .canceled = 20 - i,
                                           .refused = 3 * i,
                                           .thread_instructions = 1000 + i,
                                           .cycles = 2000 + i,
                                           .outputs = OUTPUTS_SAME};
    s->schedules[0].outputs = OUTPUTS_NOT_COMPARED;
    s->schedules[1].errors = 1;
    s->schedules[1].outputs = OUTPUTS_NOT_COMPARED;
    s->schedules[6].outputs = OUTPUTS_DIFFER;
    s->schedules[6].errors = 1;
    s->schedules[7].advisories = 2;
    s->schedules[8].pct = (PctBound){.depth = 3,
                                     .runs = 1,
                                     .warps = 4,
                                     .steps = 50,
                                     .one_in = 10000,
                                     .all_one_in = 10000,
                                     .all = 0.0001};
}

static inline void sample_findings(RunSample *s) {
    s->findings[0] = (LaunchFinding){.cause = sample_rich_cause(),
                                     .schedule = 5,
                                     .last = 7,
                                     .schedules = 2,
                                     .switches = 3,
                                     .out_of_order = true,
                                     .is_limited = true,
                                     .limit = 2,
                                     .steps = 345};
    s->findings[1] = (LaunchFinding){.cause = sample_card_cause(),
                                     .advisory = true,
                                     .schedule = 1,
                                     .last = 1,
                                     .schedules = 1};
    s->findings[2] = (LaunchFinding){.cause = sample_plain_cause(),
                                     .schedule = 0,
                                     .last = 8,
                                     .schedules = 9};
}

static inline void sample_time(RunSample *s) {
    s->sms[0] = (DeviceSmTime){500, 1000, 2};
    s->spans[0] = (DeviceSpan){0, 250, DEVICE_SPAN_LAUNCH, 0, 0, 0, 0};
    s->spans[1] = (DeviceSpan){250, 500, DEVICE_SPAN_PROLOGUE, 0, 0, 0, 0};
    s->spans[2] = (DeviceSpan){500, 750, DEVICE_SPAN_WORK, 0, 0, 0, 8};
    s->spans[3] = (DeviceSpan){750, 1000, DEVICE_SPAN_WAIT, 0, 0, 0, 8};
    s->spans[4] = (DeviceSpan){0, 250, DEVICE_SPAN_LAUNCH, 0, 1, 1, 1};
    s->spans[5] = (DeviceSpan){250, 500, DEVICE_SPAN_WORK, 0, 1, 1, 1};
    s->events[0] = (DeviceEvent){.cycle = 480,
                                 .kind = DEVICE_EVENT_ARRIVE,
                                 .warp = 1,
                                 .at = 16,
                                 .value = 1,
                                 .block = DEVICE_EVENT_NONE,
                                 .pending = 2,
                                 .tx = 16};
    s->events[1] = (DeviceEvent){.cycle = 740,
                                 .kind = DEVICE_EVENT_ANSWER,
                                 .warp = DEVICE_EVENT_NONE,
                                 .value = 3,
                                 .block = 8};
    s->result.is_timed = true;
    s->result.time = (DeviceTimeline){.cycles = 1000,
                                      .clock_mhz = 1500,
                                      .schedulers = 2,
                                      .places = 2,
                                      .ends = 1500,
                                      .arrival = 600,
                                      .first_free = 17,
                                      .all_free = 400,
                                      .sms = s->sms,
                                      .sm_count = 2,
                                      .spans = s->spans,
                                      .span_count = 6,
                                      .spans_left_out = 4,
                                      .events = s->events,
                                      .event_count = 2,
                                      .events_left_out = 5};
}

static inline void sample_run(RunSample *s) {
    *s = (RunSample){0};
    sample_schedules(s);
    sample_findings(s);
    s->chains[0] = STR("block 0: 0 -> 8");
    s->chains[1] = STR("block 1: 1");
    s->links[0] = 2;
    s->links[1] = 1;
    s->message = (Diag){.level = DIAG_WARNING,
                        .at = {STR("a/k.cu"), 3, 9},
                        .what = STR("variable is never used")};
    s->result = (LaunchResult){
        .file = STR("a/k.cu"),
        .kernel = STR("_Z1kPf"),
        .device = STR("vm"),
        .gpu_model = STR("mini"),
        .grid = {10, 2, 1},
        .block = {32, 4, 2},
        .cluster = {2, 1, 1},
        .dynamic_smem = 1024,
        .dialect = DIALECT_CPP,
        .seed = 9,
        .schedules = s->schedules,
        .schedule_count = SAMPLE_SCHEDULES,
        .schedules_asked = 16,
        .pct = {{.depth = 1,
                 .runs = 3,
                 .warps = 32,
                 .steps = 400,
                 .one_in = 32,
                 .all_one_in = 11,
                 .all = 0.09}},
        .search = SEARCH_CUT,
        .search_redundant = 6,
        .verdict = VERDICT_FAIL,
        .elapsed_ms = 12.25,
        .findings = s->findings,
        .finding_count = 3,
        .errors = 5,
        .advisories = 4,
        .has_ledger = true,
        .ledger = {.totals = {.grid = 20,
                              .started = 8,
                              .granted = 10,
                              .requests = 18,
                              .refused = 7,
                              .refused_pending = 3,
                              .lost = 1,
                              .shortest = 1,
                              .longest = 4},
                   .schedule = STR("plain schedule"),
                   .chains = s->chains,
                   .links = s->links,
                   .chain_count = 2},
        .counters =
            {.thread_instructions = 1234567,
             .warp_instructions = 40,
             .by_kind = {[DEVICE_KIND_INTEGER] = 120,
                         [DEVICE_KIND_LOAD] = 7,
                         [DEVICE_KIND_OTHER] = 3},
             .loaded =
                 {[DEVICE_SPACE_GLOBAL] = 4096, [DEVICE_SPACE_CONSTANT] = 24},
             .stored = {[DEVICE_SPACE_SHARED] = 16},
             .copied_from = {[DEVICE_SPACE_GLOBAL] = 64},
             .copied_to =
                 {[DEVICE_SPACE_GLOBAL] = 65, [DEVICE_SPACE_SHARED] = 80},
             .cta_barriers = 5,
             .cluster_barriers = 9,
             .mbarrier_phases = 6},
        .compiler = STR("NVRTC 13.0"),
        .version = STR("0.1"),
        .output = STR("hello\nworld\n"),
        .output_lost = 77,
        .messages = &s->message,
        .message_count = 1};
    sample_time(s);
}

static inline void sample_clean_run(RunSample *s) {
    *s = (RunSample){0};
    s->schedules[0] = (LaunchSchedule){
        .strategy = STR("plain"), .started = 1, .thread_instructions = 5};
    s->result = (LaunchResult){.file = STR("k.ptx"),
                               .kernel = STR("k"),
                               .device = STR("gpu"),
                               .gpu_model = STR("sm_90"),
                               .grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .cluster = {1, 1, 1},
                               .seed = 1,
                               .schedules = s->schedules,
                               .schedule_count = 1,
                               .schedules_asked = 1,
                               .search = SEARCH_COMPLETE,
                               .verdict = VERDICT_PASS,
                               .gpu_us = 12.5,
                               .version = STR("0.1")};
}

// ---- a program -------------------------------------------------------------

typedef struct ExecSample {
    ExecFinding findings[3];
    ExecCall calls[3];
    Diag messages[2];
    ExecResult result;
} ExecSample;

static inline void sample_exec(ExecSample *s) {
    *s = (ExecSample){0};
    s->findings[0] = (ExecFinding){.cause = sample_rich_cause(),
                                   .kernel = STR("add<float>"),
                                   .source = str_from(SAMPLE_SOURCE),
                                   .launch = 3,
                                   .launches = 2,
                                   .schedule = 5};
    s->findings[1] = (ExecFinding){.cause = sample_card_cause(),
                                   .advisory = true,
                                   .kernel = STR("sub"),
                                   .launch = 7,
                                   .launches = 1};
    s->findings[2] = (ExecFinding){.cause = sample_plain_cause(),
                                   .is_ours = true,
                                   .kernel = STR("mul"),
                                   .launch = 8,
                                   .launches = 12};
    s->calls[0] = (ExecCall){STR("cudaMalloc"),
                             STR("cudaErrorMemoryAllocation"), 1, false};
    s->calls[1] =
        (ExecCall){STR("cudaMemcpy"), STR("cudaErrorInvalidValue"), 6, false};
    s->calls[2] = (ExecCall){STR("cudaGraphicsMapResources"),
                             STR("cudaErrorNotSupported"), 2, true};
    s->messages[0] = (Diag){.level = DIAG_WARNING,
                            .what = STR("The program uses libcublas.so."),
                            .help = STR("Look at what calls return.")};
    s->messages[1] = (Diag){.level = DIAG_NOTE, .what = STR("No more of it.")};
    s->result = (ExecResult){.program = STR("./a.out"),
                             .device = STR("vm"),
                             .gpu_model = STR("b200"),
                             .seed = 9,
                             .schedules = 16,
                             .exit_code = 139,
                             .signal = 11,
                             .processes = 2,
                             .launches = 21,
                             .unchecked = 4,
                             .instructions = 123456789,
                             .findings = s->findings,
                             .finding_count = 3,
                             .errors = 2,
                             .advisories = 1,
                             .calls = s->calls,
                             .call_count = 3,
                             .messages = s->messages,
                             .message_count = 2,
                             .is_incomplete = true,
                             .verdict = VERDICT_ERROR,
                             .elapsed_ms = 12.25,
                             .version = STR("0.1")};
}

static inline void sample_clean_exec(ExecSample *s) {
    *s = (ExecSample){.result = {.program = STR("./b.out"),
                                 .device = STR("vm"),
                                 .gpu_model = STR("mini"),
                                 .seed = 1,
                                 .schedules = 1,
                                 .processes = 1,
                                 .launches = 1,
                                 .instructions = 5,
                                 .verdict = VERDICT_PASS,
                                 .version = STR("0.1")}};
}

// ---- a trace ---------------------------------------------------------------

typedef struct TraceSample {
    RunTrace trace, plain;
    TraceStay stays[5], plain_stays[1];
    TraceEvent events[5], steps[6], before[1];
    TraceValue values[2];
    TraceSm sms[2];
    TraceBin bins[4];
} TraceSample;

static inline void sample_moment(TraceSample *s) {
    s->values[0] = (TraceValue){.name = STR("%r1"),
                                .kind = TRACE_VALUE_SIGNED,
                                .bytes = 4,
                                .line = 3,
                                .lanes = 0x80000003,
                                .at = {7, UINT32_MAX}};
    s->values[1] = (TraceValue){.name = STR("%p2"),
                                .kind = TRACE_VALUE_PRED,
                                .line = 4,
                                .lanes = 0xffffffff,
                                .at = {1}};
    s->before[0] = (TraceEvent){.kind = DEVICE_EVENT_EXPECT,
                                .shared = 16,
                                .name = STR("bars"),
                                .inside = 8,
                                .pending = 1,
                                .tx = 16};
    s->steps[0] = (TraceEvent){.at = 29,
                               .kind = TRACE_STEP,
                               .line = 4,
                               .shared = DEVICE_EVENT_NONE,
                               .times = 3,
                               .op = STR("mbarrier.try_wait")};
    s->steps[1] = (TraceEvent){.at = 30,
                               .kind = DEVICE_EVENT_ANSWER,
                               .warp = DEVICE_EVENT_NONE,
                               .shared = 32,
                               .value = 7,
                               .block = 2,
                               .times = 1};
    s->steps[2] = (TraceEvent){.at = 31,
                               .kind = DEVICE_EVENT_PHASE,
                               .warp = DEVICE_EVENT_NONE,
                               .shared = 16,
                               .name = STR("bars"),
                               .inside = 8,
                               .value = 1,
                               .times = 1};
    s->steps[3] = (TraceEvent){.at = 32,
                               .kind = DEVICE_EVENT_READ,
                               .warp = 2,
                               .line = 6,
                               .shared = 32,
                               .value = 7,
                               .times = 1,
                               .values = s->values,
                               .value_count = 2};
    s->steps[4] = (TraceEvent){.at = 33,
                               .kind = TRACE_FOUND,
                               .line = 3,
                               .shared = DEVICE_EVENT_NONE,
                               .times = 1};
    s->steps[5] = (TraceEvent){.at = 34,
                               .kind = DEVICE_EVENT_ARRIVE,
                               .cta = 1,
                               .warp = 1,
                               .line = 6,
                               .shared = 16,
                               .value = 1,
                               .pending = 2,
                               .times = 1,
                               .op = STR("mbarrier.arrive")};
    s->trace.moment = (TraceMoment){.is_there = true,
                                    .steps = s->steps,
                                    .step_count = 6,
                                    .found = 4,
                                    .left_out = 3,
                                    .before = s->before,
                                    .before_count = 1,
                                    .ctas = {0, 1},
                                    .cta_count = 2,
                                    .code = STR("CLC006"),
                                    .at = {STR("a/k.cu"), 3, 30},
                                    .related = {{STR("a/k.cu"), 6, 9}},
                                    .related_count = 1,
                                    .knows_other = true,
                                    .other_warp = 2,
                                    .kernel = STR("k"),
                                    .all_params = 3,
                                    .params = {{.name = STR("k_param_0"),
                                                .kind = TRACE_VALUE_UNSIGNED,
                                                .bytes = 8,
                                                .value = 0x440000000010},
                                               {.name = STR("k_param_1"),
                                                .kind = TRACE_VALUE_SIGNED,
                                                .bytes = 4,
                                                .index = 1,
                                                .value = 1000}},
                                    .param_count = 2};
}

static inline void sample_trace(TraceSample *s) {
    *s = (TraceSample){.stays = {{0, 40, 0, 0, 0, 0, 0, false},
                                 {5, 100, 1, 1, 1, 1, 0, false},
                                 {12, 30, 2, 2, 2, 0, 1, false},
                                 {40, 90, 3, 0, 3, 0, 0, true},
                                 {90, 100, 4, 0, 4, 0, 0, true}},
                       .plain_stays = {{0, 50, 0, 0, 0, 0, 0, false}},
                       .events = {{.at = 10,
                                   .kind = DEVICE_EVENT_REQUEST,
                                   .line = 3,
                                   .shared = 32,
                                   .value = 7,
                                   .block = DEVICE_EVENT_NONE,
                                   .times = 1},
                                  {.at = 30,
                                   .kind = DEVICE_EVENT_ANSWER,
                                   .warp = DEVICE_EVENT_NONE,
                                   .shared = 32,
                                   .value = 7,
                                   .block = 3,
                                   .times = 1},
                                  {.at = 31,
                                   .kind = DEVICE_EVENT_WAIT,
                                   .line = 4,
                                   .shared = 16,
                                   .value = 1,
                                   .times = 2},
                                  {.at = 55,
                                   .kind = DEVICE_EVENT_REQUEST,
                                   .line = 3,
                                   .shared = 32,
                                   .value = 8,
                                   .block = DEVICE_EVENT_NONE,
                                   .stay = 3,
                                   .times = 1},
                                  {.at = 60,
                                   .kind = DEVICE_EVENT_ANSWER,
                                   .warp = DEVICE_EVENT_NONE,
                                   .shared = 32,
                                   .value = 8,
                                   .block = DEVICE_EVENT_NONE,
                                   .stay = 3,
                                   .times = 1}},
                       .sms = {{2, 2, 58, 60}, {1, 0, 95, 0}},
                       .bins = {{0, 2, 0, 0, 0, 2, 0},
                                {0, 1, 1, 0, 1, 1, 0},
                                {1, 0, 0, 1, 1, 0, 1},
                                {0, 0, 1, 0, 0, 0, 1}}};
    s->trace = (RunTrace){.run = STR("n = 9, \"plain\" & more"),
                          .end = 100,
                          .totals = {.grid = 8,
                                     .started = 3,
                                     .granted = 2,
                                     .requests = 3,
                                     .refused = 1,
                                     .lost = 1},
                          .warps = 3,
                          .ctas = 1,
                          .place_count = 2,
                          .every = 2,
                          .stay_total = 9,
                          .event_total = 11,
                          .stays = s->stays,
                          .stay_count = 5,
                          .events = s->events,
                          .event_count = 5,
                          .sms = s->sms,
                          .sm_count = 2,
                          .map = {8, 2, true, s->bins, 4},
                          .plain = &s->plain};
    s->plain = (RunTrace){.run = STR("plain schedule"),
                          .end = 50,
                          .place_count = 2,
                          .every = 1,
                          .stay_total = 1,
                          .stays = s->plain_stays,
                          .stay_count = 1,
                          .sms = s->sms,
                          .sm_count = 2};
    sample_moment(s);
}

// ---- others ----------------------------------------------------------------

static inline DoctorReport sample_doctor(void) {
    return (DoctorReport){
        .count = 4,
        .vm_ready = true,
        .lines = {{DOCTOR_VM, DOCTOR_FINE, STR("compiler"), STR("NVRTC 13.0"),
                   STR("every lab"), STR("")},
                  {DOCTOR_VM, DOCTOR_ODD, STR("cache"), STR("/a \"b\""),
                   STR("speed"), STR("Set XDG_CACHE_HOME.")},
                  {DOCTOR_GPU, DOCTOR_ABSENT, STR("gpu"), STR("None."),
                   STR("running them"), STR("Do without.")},
                  {DOCTOR_TOOLS, DOCTOR_NEEDED, STR("make"),
                   STR("It is missing, and this is long enough to be wrapped "
                       "in a report of this width."),
                   STR("all"), STR("Install it.")}}};
}

static inline CompareFigure sample_figure(bool known, double value) {
    return (CompareFigure){known, value};
}

// Figures that differ in each place; with gaps, every fifth is not known.
static inline Comparison sample_comparison(CompareKind kind, bool has_gaps) {
    Comparison c = {.info = {.kind = kind,
                             .device = STR("vm:\"mini\""),
                             .how = STR("by the model, \"median\" of 3"),
                             .sms = 4,
                             .copy = {!has_gaps, 812.5}},
                    .sizes = {100000, 128, 40, 10, 9000},
                    .blocks = 782};
    double next = 1;
    unsigned count = 0;
    for (size_t t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
        c.places[t] = 32 + (uint32_t)t;
    for (size_t g = 0; g < COMPARE_GROUPS; g++) {
        c.groups[g].uneven = g / 2;
        c.groups[g].heavy = g % 2;
        for (size_t t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
            CompareSample *s = &c.groups[g].samples[t];
            CompareFigure *figures[] = {
                &s->started,   &s->prologues,  &s->time,     &s->q1,     &s->q3,
                &s->imbalance, &s->first_free, &s->all_free, &s->of_copy};
            for (size_t i = 0; i < COUNT_OF(figures); i++, next *= 1.11)
                *figures[i] =
                    sample_figure(!has_gaps || ++count % 5 != 0, next);
        }
    }
    for (size_t k = 0; k < CLAIM_COUNT; k++) {
        c.claims[k].most = 0.5 + (double)k;
        for (size_t t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
            c.claims[k].figures[t] =
                sample_figure(!has_gaps || t != k, 0.25 + 0.5 * (double)t);
    }
    return c;
}

#endif
