// SPDX-License-Identifier: Apache-2.0
// What a report shows to whom (report/feedback.c): a result with a path, the
// seed and data in each of its texts, at each level, in both formats; and why
// checks were skipped.
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

typedef struct Sample {
    Cause wrong, broken, ours;
    CheckResult checks[4];
    Str chains[1];
    size_t links[1];
    Diag message;
    Result result;
} Sample;

static void make_sample(Sample *s) {
    *s = (Sample){0};
    s->wrong = (Cause){.what = STR("one element is wrong"),
                       .expected = STR("data[1] = 4.5"),
                       .actual = STR("data[1] = 3.5"),
                       .at = {STR("a/k.cu"), 1, 1}};
    s->broken = (Cause){.code = STR("CLC004"),
                        .what = STR("as a/k.cu and /srv/course/x say"),
                        .expected = STR("the answer awaited"),
                        .at = {STR("a/k.cu"), 2, 1},
                        .via = {STR("/srv/course/labs/common/lab.h"), 7, 1},
                        .replay = STR("clclab grade 4 a/k.cu --seed 987654")};
    s->ours = (Cause){.what = STR("the device is silent"),
                      .expected = STR("data[2] = 4.5")};
    s->checks[0] = (CheckResult){STR("correct"),
                                 STR("All is right."),
                                 0,
                                 50,
                                 CHECK_FAIL,
                                 &s->wrong,
                                 1,
                                 {0}};
    s->checks[1] = (CheckResult){STR("rules"),
                                 STR("No rule is broken."),
                                 0,
                                 25,
                                 CHECK_FAIL,
                                 &s->broken,
                                 1,
                                 {0}};
    s->checks[2] = (CheckResult){
        STR("technique"),   STR("It steals."), 5, 5, CHECK_PASS, NULL, 0,
        STR("balance 104%")};
    s->checks[3] = (CheckResult){STR("schedules"), STR("Again."), 0, 20,
                                 CHECK_ERROR,      &s->ours,      1, {0}};
    s->chains[0] = STR("block 0: 0 -> 8");
    s->message =
        (Diag){.what = STR("unused variable"), .at = {STR("a/k.cu"), 1, 1}};
    s->result = (Result){
        .lab = 4,
        .title = STR("Clusters"),
        .file = STR("a/k.cu"),
        .device = STR("vm"),
        .gpu_model = STR("mini"),
        .seed = 987654,
        .schedules = 16,
        .verdict = VERDICT_ERROR,
        .checks = s->checks,
        .check_count = COUNT_OF(s->checks),
        .has_ledger = true,
        .ledger = {.chains = s->chains, .links = s->links, .chain_count = 1},
        .output = STR("world\n"),
        .messages = &s->message,
        .message_count = 1,
        .provenance = {.course = STR("/srv/course"),
                       .sandbox.compiler = {.has_run = true, .seccomp = true}}};
}

// The sample in both formats, one behind the other.
static Str limited(Arena *arena, ReportFeedback feedback) {
    Sample s;
    make_sample(&s);
    report_limit(arena, feedback, STR("/srv/course/"), &s.result);
    Buf out = {0};
    report_json(&s.result, &out);
    CHECK(is_json(buf_view(&out)));
    report_text(&s.result, STR("one\ntwo\n"),
                (ReportStyle){.width = 80, .frames = true}, &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

static void lacks(Str text, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!CHECK(!memmem(text.ptr, text.len, parts[i], strlen(parts[i]))))
            printf("# %s\n", parts[i]);
}

TEST(a_student_sees_her_mistake_and_no_secret) {
    Arena arena = {0};
    Str text = limited(&arena, FEEDBACK_STUDENT);
    CHECK_HOLDS(text, "as k.cu and x say");
    CHECK_HOLDS(text, "clclab grade 4 k.cu");
    CHECK_HOLDS(text, "the answer awaited"); // of another check than correct
    CHECK_HOLDS(text, "labs/common/lab.h");
    CHECK_HOLDS(text, "\"seed\": null");
    CHECK_HOLDS(text, "k.cu on vm:mini, 16 schedules");
    CHECK_HOLDS(text, "0 -> 8");
    CHECK_HOLDS(text, "unused variable");
    CHECK_HOLDS(text, "\"compiler\": [\n        \"seccomp\"");
    static const char *const secrets[] = {
        "987654", "a/k.cu", "/srv", "4.5", "3.5", "world", "--seed", "without"};
    lacks(text, secrets, COUNT_OF(secrets));
    arena_free(&arena);
}

TEST(points_alone_say_nothing_of_the_cause_but_of_our_own_faults) {
    Arena arena = {0};
    Str text = limited(&arena, FEEDBACK_POINTS);
    CHECK_HOLDS(text, "No rule is broken.");
    CHECK_HOLDS(text, "\"status\": \"fail\"");
    CHECK_HOLDS(text, "\"ledger\": null");
    CHECK_HOLDS(text, "\"messages\": []");
    CHECK_HOLDS(text, "the device is silent");
    static const char *const others[] = {"987654",  "a/k.cu", "/srv",   "say",
                                         "awaited", "world",  "0 -> 8", "104%"};
    lacks(text, others, COUNT_OF(others));
    arena_free(&arena);
}

TEST(full_feedback_changes_nothing) {
    Arena arena = {0};
    Str text = limited(&arena, FEEDBACK_FULL);
    CHECK_HOLDS(text, "seed 987654");
    CHECK_HOLDS(text, "as a/k.cu and /srv/course/x say");
    CHECK_HOLDS(text, "data[1] = 4.5");
    CHECK_HOLDS(text, "world");
    CHECK_HOLDS(text, "graded without Landlock");
    arena_free(&arena);
}

TEST(why_checks_were_skipped_is_said_once) {
    Sample s;
    make_sample(&s);
    Cause why = {.what = STR("Not judged, because rules did not pass.")};
    s.checks[3] = s.checks[2] = (CheckResult){
        STR("prologue"), STR("Once."), 0, 5, CHECK_SKIP, &why, 1, {0}};
    Buf out = {0};
    report_text(&s.result, STR("one\ntwo\n"),
                (ReportStyle){.width = 80, .frames = true}, &out);
    CHECK_HOLDS(buf_view(&out),
                "  SKIP     0/10  Not judged, because rules did "
                "not pass: prologue, prologue\n\n");
    out.len = 0;
    s.checks[2].cause_count = s.checks[3].cause_count = 0;
    report_text(&s.result, STR("one\ntwo\n"),
                (ReportStyle){.width = 80, .frames = true}, &out);
    CHECK_HOLDS(buf_view(&out), "  SKIP     0/10  prologue, prologue\n\n");
    buf_free(&out);
}

TEST_MAIN(TESTCASE(why_checks_were_skipped_is_said_once),
          TESTCASE(a_student_sees_her_mistake_and_no_secret),
          TESTCASE(points_alone_say_nothing_of_the_cause_but_of_our_own_faults),
          TESTCASE(full_feedback_changes_nothing))
