// SPDX-License-Identifier: Apache-2.0
// Edits that are tried for the first failure of a grade: read upwards from
// advise_grade. An edited kernel gets past the failure if the run that the
// result shows does; it heals if the whole grade passes; it helps if this
// failure is gone, and one more edit heals what follows.
#include "check/advise.h"
#include "result/finding.h"

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

// Whether the failure was among those of the submission. Those without a code
// are told apart by their check, too.
static bool was_known(const Advising *advising, const Reached *reached) {
    const Result *result = advising->grade->result;
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++)
            if (advise_is_same(&check->causes[k], reached->at) &&
                (reached->at->code.len ||
                 order_of(check->id) == reached->check))
                return true;
    }
    return false;
}

// Whether another failure is the first now, of this check or a later one.
static bool is_another(const Advising *advising, const Reached *reached) {
    return reached->at &&
           !advise_is_same(reached->at, &advising->failed->causes[0]) &&
           reached->check >= order_of(advising->failed->id);
}

// Whether the first failure is gone, and what comes now was there before, as
// another mistake: what was not may come of the edit.
static bool is_further(const Advising *advising, const Reached *reached) {
    return reached->passed ||
           (is_another(advising, reached) && was_known(advising, reached));
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

// Runs the edited kernel as the run that the result shows.
static Reached run_once(const Advise *asked, Grade *grade,
                        const Remedy *remedy) {
    static const char *const checks[] = {
        [TRIAL_RULES] = "rules",       [TRIAL_CORRECT] = "correct",
        [TRIAL_ONCE] = "exactly_once", [TRIAL_TECHNIQUE] = "technique",
        [TRIAL_PROLOGUE] = "prologue",
    };
    Submission edited = *grade->submission;
    if (remedy)
        edited.module = remedy_apply(grade->arena, &asked->site, remedy);
    if (!edited.module)
        return (Reached){0};
    grade->submission = &edited;
    grade->entry = edited.module->funcs[asked->site.entry->id];
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

static bool is_past(const Advise *asked, void *by, Arena *scratch,
                    const Remedy *remedy) {
    const Advising *advising = asked->context;
    AdviseWorker *worker = by;
    Grade grade = worker->grade;
    worker->result = *advising->grade->result;
    worker->result.advisory_count = 0;
    worker->result.advisories = NULL;
    grade.arena = scratch;
    Reached reached = run_once(asked, &grade, remedy);
    advise_unload(asked, worker->grade.device);
    return remedy ? is_further(advising, &reached) : reached.passed;
}

// ---- one grade -----------------------------------------------------------

// A crew's schedules run on devices of their own, and so do timed runs.
static void unload_all(const Advise *asked) {
    const Advising *advising = asked->context;
    const Grade *grade = advising->grade;
    const GradeOptions *options = grade->options;
    size_t workers = options->crew ? crew_workers(options->crew) : 1;
    advise_unload(asked, grade->device);
    if (options->timed)
        advise_unload(asked, options->timed);
    for (size_t i = 1; i < workers; i++)
        advise_unload(asked, options->helpers[i - 1]);
}

// The result is in the arena.
static Reached grade_edited(const Advise *asked, Arena *arena,
                            const Remedy *remedy, bool is_deeper) {
    const Advising *advising = asked->context;
    const Grade *grade = advising->grade;
    GradeOptions options = *grade->options;
    Submission edited = *grade->submission;
    Result *result = arena_new(arena, Result, 1);
    edited.module = remedy_apply(arena, &asked->site, remedy);
    options.is_traced = options.has_pictures = false;
    options.advice = is_deeper;
    options.obey = 0; // it is a grade of the edit, which has none of its own
    // A replay of one schedule tells what is known of all.
    options.is_single = options.has_size = options.is_limited = false;
    options.enter = NULL;
    options.tell = NULL;
    options.is_tried = true;
    advising->whole(arena, grade->lab, &edited, grade->device, &options,
                    result);
    unload_all(asked);
    return reached_of(result);
}

static AdviseSeen judge(const Advise *asked, Arena *scratch,
                        const Remedy *remedy, bool is_deeper) {
    const Advising *advising = asked->context;
    AdviseSeen seen = {0};
    if (is_deeper && advising->grade->options->is_tried)
        return seen;
    Reached reached = grade_edited(asked, scratch, remedy, is_deeper);
    seen.heals = reached.passed;
    if (reached.passed || !is_another(advising, &reached))
        return seen;
    seen.helps = reached.at->advice.status == ADVICE_HEALS;
    seen.follows = reached.at->code.len ? reached.at->code : reached.id;
    seen.behind = reached.at;
    return seen;
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

// With an edit that heals, all that failed passes: no other help is needed.
static void note_mended(const Advising *advising) {
    const Result *result = advising->grade->result;
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++) {
            Cause *cause = &check->causes[k];
            if (check->status != CHECK_FAIL ||
                cause == &advising->failed->causes[0])
                continue;
            cause->is_mended_too = true;
            cause->mend = (Str){0};
        }
    }
}

static void begin(void *context) {
    const Advising *advising = context;
    grade_enter(advising->grade, GRADE_ADVICE);
}

void advise_grade(Grade *grade, GradeWhole *whole) {
    const GradeOptions *options = grade->options;
    CheckResult *failed = find_failure(grade);
    if (grade->result->empty_regions.len || !failed || !failed->cause_count ||
        !failed->causes[0].finding || !grade->entry || grade->info.is_card ||
        grade->shown_run.grid == 0 || !costs_little(grade))
        return;
    Advising advising = {.grade = grade, .whole = whole, .failed = failed};
    advising.workers =
        arena_new(grade->arena, AdviseWorker,
                  options->crew ? crew_workers(options->crew) : 1);
    Advise asked = {.arena = grade->arena,
                    .cause = &failed->causes[0],
                    .site = {.module = grade->submission->module,
                             .entry = grade->entry,
                             .file = str_base_name(grade->submission->file),
                             .finding = failed->causes[0].finding,
                             .threads = grade->lab->threads,
                             .cluster = grade->lab->cluster},
                    .submission = grade->submission,
                    .advised = grade->advised,
                    .most = SIZE_MAX,
                    // Modelled time makes a whole grade several times as long.
                    .is_one_enough = options->is_tried || grade->lab->balance ||
                                     grade->lab->yield,
                    .schedules = options->schedules,
                    .crew = options->crew,
                    .context = &advising,
                    .begin = begin,
                    .worker = be_worker,
                    .is_past = is_past,
                    .judge = judge};
    advise(&asked);
    if (asked.cause->advice.status == ADVICE_HEALS)
        note_mended(&advising);
}
