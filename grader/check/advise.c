// SPDX-License-Identifier: Apache-2.0
// Advice that has been tried: read upwards from advise_grade. The kernel is
// edited in ways that may mend the first failure (remedies/), and each edited
// kernel is run: first as the run that the result shows, by all workers at the
// same time; of those that get past the failure there, the likeliest are graded
// as the submission was. What is told was seen to heal or to help.
//
// What is tried is bounded by counts, never by time, so the advice depends only
// on the arguments of check_grade. An edited kernel is launched as any other:
// it cannot see that it is tried.
#include "check/internal.h"
#include "remedies/remedies.h"
#include "result/finding.h"

#include <string.h>

enum {
    MOST_TRIED = 96, // edits that are run once
    MOST_GRADED = 5, // of these, graded
};

static const uint64_t SPARE_STEPS = 2 * 1000 * 1000; // of one run
enum { TIMES_EXPECTED = 8 };

// Whole grades of kernels that take longer than this are not repeated.
static const uint64_t MOST_STEPS = 1000 * 1000 * 1000;

// How far a run came, or a grade: a failure at a later check is further on.
typedef struct Reached {
    bool passed;
    uint32_t check;  // in the order in which they are judged
    Str id;          // of that check
    const Cause *at; // the first failure
} Reached;

typedef struct Advising {
    Grade *grade;
    GradeWhole *whole;
    const CheckResult *failed;
    Cause *cause; // the first of `failed`
    RemedySite site;
    Remedy list[MOST_TRIED + 1];
    size_t count;
    struct AdviseWorker *workers;
} Advising;

typedef struct AdviseWorker {
    Grade grade;
    GradeOptions options;
    Result result;
} AdviseWorker;

// ---- what came of it -----------------------------------------------------

// Some checks are judged on each run, in this order; `schedules` last.
static uint32_t order_of(Str check) {
    static const char *const order[] = {
        "builds",       "signature", "launch_plan", "rules",    "correct",
        "exactly_once", "technique", "prologue",    "schedules"};
    for (uint32_t i = 0; i < COUNT_OF(order); i++)
        if (str_equal(check, str_from(order[i])))
            return i;
    return COUNT_OF(order);
}

static Reached reached_of(const Result *result) {
    Reached reached = {.passed = true, .check = UINT32_MAX};
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        bool failed =
            check->status == CHECK_FAIL || check->status == CHECK_ERROR;
        uint32_t order = order_of(check->id);
        if (failed && check->cause_count && order < reached.check)
            reached = (Reached){
                .check = order, .id = check->id, .at = &check->causes[0]};
        reached.passed &= check->status == CHECK_PASS;
    }
    return reached;
}

static bool is_same(const Cause *a, const Cause *b) {
    return str_equal(a->code, b->code) && a->at.line == b->at.line;
}

// Whether the failure was among those of the submission. Those without a code
// are told apart by their check, too.
static bool was_known(const Advising *advising, const Reached *reached) {
    const Result *result = advising->grade->result;
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++)
            if (is_same(&check->causes[k], reached->at) &&
                (reached->at->code.len ||
                 order_of(check->id) == reached->check))
                return true;
    }
    return false;
}

// Whether the first failure is gone, and what comes now was there before, as
// another mistake: what was not may come of the edit.
static bool is_further(const Advising *advising, const Reached *reached) {
    if (reached->passed)
        return true;
    return reached->at && !is_same(reached->at, advising->cause) &&
           reached->check >= order_of(advising->failed->id) &&
           was_known(advising, reached);
}

// ---- one run -------------------------------------------------------------

// Of the plain run that took the most. The run that is shown may have stopped
// long before its end.
static uint64_t most_steps(const Grade *grade) {
    uint64_t most = 0;
    for (size_t i = 0; i < grade->run_count; i++) {
        uint64_t steps = grade->runs[i].device.counters.thread_instructions;
        most = steps > most ? steps : most;
    }
    return most;
}

static void *be_worker(void *context, size_t number) {
    Advising *advising = context;
    const Grade *grade = advising->grade;
    AdviseWorker *worker = &advising->workers[number];
    worker->options = *grade->options;
    worker->options.crew = NULL;
    worker->options.step_limit =
        SPARE_STEPS + TIMES_EXPECTED * most_steps(grade);
    worker->grade = *grade;
    worker->grade.options = &worker->options;
    worker->grade.result = &worker->result;
    worker->grade.ahead = NULL;
    if (number)
        worker->grade.device = grade->options->helpers[number - 1];
    return worker;
}

// Runs the edited kernel, or without a remedy that of the submission, as the
// run that the result shows.
static Reached run_once(const Advising *advising, Grade *grade,
                        const Remedy *remedy) {
    static const char *const checks[] = {
        [TRIAL_RULES] = "rules",       [TRIAL_CORRECT] = "correct",
        [TRIAL_ONCE] = "exactly_once", [TRIAL_TECHNIQUE] = "technique",
        [TRIAL_PROLOGUE] = "prologue",
    };
    Submission edited = *grade->submission;
    if (remedy)
        edited.module = remedy_apply(grade->arena, &advising->site, remedy);
    if (!edited.module)
        return (Reached){0};
    grade->submission = &edited;
    grade->entry = edited.module->funcs[advising->site.entry->id];
    Run run = grade->shown_run;
    Cause *cause = arena_new(grade->arena, Cause, 1);
    TrialCheck failed = TRIAL_RULES;
    if (run_kernel(grade, grade->arena, run.size, run.grid, &run, cause) ==
        OUTCOME_RAN)
        failed = trial_judge(grade, &run, cause);
    if (failed == TRIAL_PASSED)
        return (Reached){.passed = true};
    Str id = str_from(checks[failed]);
    return (Reached){.check = order_of(id), .id = id, .at = cause};
}

// A device keeps its module until the next one: the edited one is to go.
static void unload(Device *device, const Grade *grade) {
    Diags unused = diags_new(grade->arena);
    device->ops->load(device, grade->submission->module, &unused);
}

static void *run_task(void *context, void *by, Arena *arena, size_t index) {
    const Advising *advising = context;
    AdviseWorker *worker = by;
    Arena scratch = {0};
    Grade grade = worker->grade;
    bool *is_past = arena_new(arena, bool, 1);
    worker->result = *advising->grade->result;
    worker->result.advisory_count = 0;
    worker->result.advisories = NULL;
    grade.arena = &scratch;
    Reached reached = run_once(advising, &grade, &advising->list[index]);
    *is_past = is_further(advising, &reached);
    unload(worker->grade.device, &worker->grade);
    arena_free(&scratch);
    return is_past;
}

// Whether the run shows the failure by itself. What is judged of several runs
// together would be past it in one, whatever the edit.
static bool shows_failure(Advising *advising) {
    Arena scratch = {0};
    Result result = *advising->grade->result;
    Grade grade = *advising->grade;
    grade.arena = &scratch;
    grade.ahead = NULL;
    grade.result = &result;
    bool passed = run_once(advising, &grade, NULL).passed;
    arena_free(&scratch);
    return !passed;
}

// Keeps the edits with which the run gets past the failure.
static void keep_passing(Advising *advising) {
    const GradeOptions *options = advising->grade->options;
    size_t workers = options->crew ? crew_workers(options->crew) : 1, kept = 0;
    Arena arena = {0};
    ShareWork work = {advising, be_worker, run_task};
    advising->workers = arena_new(&arena, AdviseWorker, workers);
    Share *share = share_in_threads(&(ShareThreads){.crew = options->crew},
                                    &work, advising->count);
    void *alone = share ? NULL : be_worker(advising, 0);
    for (size_t i = 0; i < advising->count; i++) {
        const bool *is_past = share ? share_found(share, i)
                                    : run_task(advising, alone, &arena, i);
        if (is_past && *is_past)
            advising->list[kept++] = advising->list[i];
    }
    if (share)
        share_end(share);
    advising->count = kept;
    arena_free(&arena);
}

// ---- one grade -----------------------------------------------------------

// A crew's schedules run on devices of their own.
static void unload_all(const Grade *grade) {
    const GradeOptions *options = grade->options;
    size_t workers = options->crew ? crew_workers(options->crew) : 1;
    unload(grade->device, grade);
    for (size_t i = 1; i < workers; i++)
        unload(options->helpers[i - 1], grade);
}

// The result is in the arena.
static Reached grade_edited(const Advising *advising, Arena *arena,
                            const Remedy *remedy) {
    const Grade *grade = advising->grade;
    GradeOptions options = *grade->options;
    Submission edited = *grade->submission;
    Result *result = arena_new(arena, Result, 1);
    edited.module = remedy_apply(arena, &advising->site, remedy);
    options.advice = options.is_traced = options.has_pictures = false;
    options.obey = 0; // it is a grade of the edit, which has none of its own
    // A replay of one schedule tells what is known of all.
    options.is_single = options.has_size = options.is_limited = false;
    options.enter = NULL;
    options.tell = NULL;
    options.is_tried = true;
    advising->whole(arena, grade->lab, &edited, grade->device, &options,
                    result);
    unload_all(grade);
    return reached_of(result);
}

// `follows`: what failed instead; empty: nothing, it heals.
static void tell(Advising *advising, const Remedy *remedy, Str follows) {
    Grade *grade = advising->grade;
    CauseAdvice *advice = &advising->cause->advice;
    grade->advised[advice->edit_count] =
        remedy_apply(grade->arena, &advising->site, remedy);
    AdviceEdit *edit = &advice->edits[advice->edit_count++];
    advice->status = follows.len ? ADVICE_HELPS : ADVICE_HEALS;
    advice->follows = follows;
    *edit = remedy->told;
    edit->number = advice->edit_count;
    edit->at = place_as_given(grade->submission, edit->at);
}

// Whether it heals, or else helps.
typedef struct Graded {
    bool heals, helps;
    Str follows; // what failed: a code or, where it has none, its check
} Graded;

static Graded grade_candidate(const Advising *advising, const Remedy *remedy) {
    Arena scratch = {0};
    Reached reached = grade_edited(advising, &scratch, remedy);
    Graded graded = {.heals = reached.passed,
                     .helps =
                         !reached.passed && is_further(advising, &reached)};
    if (graded.helps)
        graded.follows =
            str_copy(advising->grade->arena,
                     reached.at->code.len ? reached.at->code : reached.id);
    arena_free(&scratch);
    return graded;
}

// Grades the likeliest. Two that heal are told; of those that only help, the
// first, if none heals.
static void grade_likeliest(Advising *advising) {
    CauseAdvice *advice = &advising->cause->advice;
    const Remedy *helps = NULL;
    Str follows = {0};
    size_t count = 0;
    for (size_t i = 0; i < advising->count && count < MOST_GRADED; i++) {
        const Remedy *remedy = &advising->list[i];
        if (advice->edit_count && advice->edits[0].kind == remedy->told.kind)
            continue;
        Graded graded = grade_candidate(advising, remedy);
        count++;
        if (graded.heals)
            tell(advising, remedy, (Str){0});
        if (advice->edit_count == ADVICE_MOST_EDITS)
            return;
        if (advice->edit_count && count < MOST_GRADED - 1)
            count = MOST_GRADED - 1; // one more may heal as well
        if (!helps && graded.helps) {
            helps = remedy;
            follows = graded.follows;
        }
    }
    if (helps && advice->edit_count == 0)
        tell(advising, helps, follows);
}

// With an edit that heals, all that failed passes: no other help is needed.
static void note_mended(const Advising *advising) {
    const Result *result = advising->grade->result;
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++) {
            Cause *cause = &check->causes[k];
            if (check->status != CHECK_FAIL || cause == advising->cause)
                continue;
            cause->is_mended_too = true;
            cause->mend = (Str){0};
        }
    }
}

// ---- the advice ----------------------------------------------------------

static bool costs_little(const Grade *grade) {
    uint64_t steps = 0;
    for (size_t i = 0; i < grade->run_count; i++)
        steps += grade->runs[i].device.counters.thread_instructions;
    return steps <= MOST_STEPS / (grade->options->schedules + 1);
}

// The first failure, if it is one of a run of the learner's kernel.
static CheckResult *find_failure(Grade *grade) {
    CheckResult *first = NULL;
    for (size_t i = 0; i < grade->result->check_count; i++) {
        CheckResult *check = &grade->result->checks[i];
        if (check->status == CHECK_FAIL &&
            order_of(check->id) >= order_of(STR("rules")) &&
            (!first || order_of(check->id) < order_of(first->id)))
            first = check;
        if (check->status == CHECK_ERROR)
            return NULL;
    }
    return first;
}

void advise_grade(Grade *grade, GradeWhole *whole) {
    CheckResult *failed = find_failure(grade);
    if (grade->result->empty_regions.len || !failed || !failed->cause_count ||
        !failed->causes[0].finding || !grade->entry || grade->info.is_card ||
        grade->shown_run.grid == 0 || !costs_little(grade))
        return;
    Advising *advising = arena_new(grade->arena, Advising, 1);
    *advising =
        (Advising){.grade = grade,
                   .whole = whole,
                   .failed = failed,
                   .cause = &failed->causes[0],
                   .site = {.module = grade->submission->module,
                            .entry = grade->entry,
                            .file = str_base_name(grade->submission->file),
                            .finding = failed->causes[0].finding,
                            .threads = grade->lab->threads,
                            .cluster = grade->lab->cluster}};
    CauseAdvice *advice = &advising->cause->advice;
    advising->count = remedies_choose(grade->arena, &advising->site,
                                      advising->list, MOST_TRIED);
    if (advising->count == 0)
        return;
    advice->status = ADVICE_TRYING;
    advice->tried = (uint32_t)advising->count;
    advice->schedules = grade->options->schedules;
    grade_enter(grade, GRADE_ADVICE);
    advice->status = ADVICE_NONE;
    if (!shows_failure(advising)) {
        advice->tried = 0;
        return;
    }
    keep_passing(advising);
    grade_likeliest(advising);
    if (advice->status == ADVICE_HEALS)
        note_mended(advising);
}
