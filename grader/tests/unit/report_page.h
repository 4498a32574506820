// SPDX-License-Identifier: Apache-2.0
// A result of a grade that failed, for the tests of what reports say of it, and
// the two reports. (report_samples.h has richer ones, for whole golden files.)
#ifndef CLCLAB_TESTS_REPORT_PAGE_H
#define CLCLAB_TESTS_REPORT_PAGE_H

#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

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

static inline void make_sample(Sample *s) {
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

static inline Buf text_of(const Sample *s, ReportStyle style) {
    Buf out = {0};
    report_text(&s->result, STR(SOURCE), style, &out);
    return out;
}

static inline Buf json_of(const Sample *s) {
    Buf out = {0};
    report_json(&s->result, &out);
    return out;
}

#endif
