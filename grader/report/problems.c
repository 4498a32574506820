// SPDX-License-Identifier: Apache-2.0
// What the formats for other programs list: every problem of a grade or a run,
// one after the other, the worst kind first. And the text of a problem, as in a
// terminal without colours, which those formats carry as a whole.
#include "report/internal.h"

#include <string.h>

bool report_is_unjudged(const Result *result) {
    return result->verdict == VERDICT_ERROR && result->max_score == 0;
}

typedef struct Walk {
    ProblemTake *take;
    void *context;
    ProblemLevel level; // of the problems that are passed on now
} Walk;

static void pass(const Walk *walk, ProblemLevel level, Str check, Str rule,
                 const Cause *cause) {
    Problem problem = {level, rule.len ? rule : check, check, cause};
    if (level == walk->level)
        walk->take(walk->context, &problem);
}

static void pass_message(const Walk *walk, const Diag *message) {
    Cause cause = {
        .at = message->at, .what = message->what, .help = message->help};
    if (message->level == DIAG_WARNING)
        pass(walk, PROBLEM_WARNING, STR("compiler"), message->code, &cause);
}

static void walk_messages(const Walk *walk, const Diag *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        pass_message(walk, &items[i]);
}

static void walk_check(const Walk *walk, const CheckResult *check) {
    ProblemLevel level =
        check->status == CHECK_ERROR ? PROBLEM_OURS : PROBLEM_ERROR;
    if (check->status != CHECK_ERROR && check->status != CHECK_FAIL)
        return;
    for (size_t i = 0; i < check->cause_count; i++)
        pass(walk, level, check->id, check->causes[i].code, &check->causes[i]);
}

static void walk_grade(const Walk *walk, const Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        walk_check(walk, &result->checks[i]);
    for (size_t i = 0; i < result->advisory_count; i++)
        pass(walk, PROBLEM_ADVISORY, STR("advisory"),
             result->advisories[i].code, &result->advisories[i]);
    walk_messages(walk, result->messages, result->message_count);
}

// A run that could not be judged has findings that are the machine's.
static void walk_run(const Walk *walk, const LaunchResult *result) {
    ProblemLevel error =
        result->verdict == VERDICT_ERROR ? PROBLEM_OURS : PROBLEM_ERROR;
    for (size_t i = 0; i < result->finding_count; i++) {
        const LaunchFinding *finding = &result->findings[i];
        pass(walk, finding->advisory ? PROBLEM_ADVISORY : error, STR("run"),
             finding->cause.code, &finding->cause);
    }
    walk_messages(walk, result->messages, result->message_count);
}

void problems_each(const Report *report, ProblemTake *take, void *context) {
    Walk walk = {take, context, PROBLEM_OURS};
    for (; walk.level < PROBLEM_LEVELS; walk.level++)
        if (report->kind == REPORT_GRADE)
            walk_grade(&walk, report->grade);
        else
            walk_run(&walk, report->run);
}

// ---- as text -------------------------------------------------------------

static Page open_page(const Report *report, Buf *out) {
    Str file =
        report->kind == REPORT_GRADE ? report->grade->file : report->run->file;
    return page_open(file, report->source, (ReportStyle){.width = 80}, out);
}

static void add_cause(Page *page, const char *kind, const Cause *cause) {
    size_t start = page->out->len;
    page_flush_replay(page, cause->replay);
    page_cause(page, kind, TONE_PLAIN, cause, cause->code);
    if (start == 0) // without the blank line that divides it from what is above
        memmove(page->out->ptr, page->out->ptr + 1, --page->out->len);
}

void problem_text(const Report *report, const Problem *problem, Buf *out) {
    static const char *const kinds[] = {
        [PROBLEM_OURS] = "grader error",
        [PROBLEM_ERROR] = "error",
        [PROBLEM_WARNING] = "warning",
        [PROBLEM_ADVISORY] = "advisory",
    };
    Page page = open_page(report, out);
    add_cause(&page, kinds[problem->level], problem->cause);
    page_flush_replay(&page, (Str){0});
}

void check_text(const Report *report, const CheckResult *check, Buf *out) {
    const char *const kinds[] = {
        [CHECK_PASS] = "note",
        [CHECK_FAIL] = "error",
        [CHECK_SKIP] = "skipped",
        [CHECK_ERROR] =
            report_is_unjudged(report->grade) ? "not judged" : "grader error",
    };
    Page page = open_page(report, out);
    for (size_t i = 0; i < check->cause_count; i++)
        add_cause(&page, kinds[check->status], &check->causes[i]);
    page_flush_replay(&page, (Str){0});
}
