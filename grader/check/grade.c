// SPDX-License-Identifier: Apache-2.0
// check_grade: the order of the checks, and what each of them needs.
//
//   builds -> signature -> launch_plan -> the plain runs, one per size:
//     an error among their findings: rules fails, the rest is skipped;
//     else correct, exactly_once, technique, prologue are judged on each, and
//     of the sizes that fail the one that tells most is shown;
//   the bars of technique in modelled time, on a device of their own;
//   if all of these but the bars passed: the probes (probe.c), until one fails,
//     which fails the check that it does not pass;
//   if these passed too: the seeded schedules, until one fails;
//   then the far probes (far.c): what schedules find too they show at a size
//   that can be looked at.
// With a crew, probes and schedules are run ahead (ahead.c), before the probes
// are judged; the result is the same.
//
// A limit of the grader (an unknown instruction, a device that refuses) makes
// the check that met it an error, never a fail.
#include "check/judge.h"
#include "check/trace.h"

#include <string.h>

// ---- what a run shows ----------------------------------------------------

// What makes it that run, without what it gave.
static Run recipe_of(const Run *run) {
    return (Run){.size = run->size,
                 .grid = run->grid,
                 .plain = run->plain,
                 .is_relaunch = run->is_relaunch,
                 .has_other_grid = run->has_other_grid,
                 .is_unchecked = run->is_unchecked,
                 .number = run->number,
                 .schedule = run->schedule};
}

static void show_ledger(Grade *grade, const Run *run) {
    grade->shown_run = recipe_of(run);
    grade->result->has_ledger = run->grid > 0;
    grade->result->ledger = ledger_summary(grade, run);
}

// The output of the plain run of the smallest size that printed anything.
static Str first_output(const Grade *grade) {
    for (size_t i = 0; i < grade->run_count; i++)
        if (grade->runs[i].device.output.len)
            return grade->runs[i].device.output;
    return (Str){0};
}

// Shows the ledger and the output of a run that failed.
static void show_run(Grade *grade, const Run *run) {
    Str output = run->device.output;
    grade->shown = true;
    show_ledger(grade, run);
    grade->result->output =
        str_copy(grade->arena, output.len ? output : first_output(grade));
}

// Shows the ledger of the last plain run, unless show_run replaces it later.
static void show_plain_runs(Grade *grade) {
    grade->result->output = first_output(grade);
    if (grade->run_count > 0)
        show_ledger(grade, &grade->runs[grade->run_count - 1]);
}

// ---- the plain runs ------------------------------------------------------

// On a card each launch takes a process of its own, and the virtual machine has
// judged all sizes. So at most three are run: the lab's smallest that is not
// empty, its largest, and one with BLOCKS_A_PLACE blocks for each that fits.
static size_t choose_card_sizes(const Grade *grade, LabSize *sizes) {
    enum { BLOCKS_A_PLACE = 8 };
    const Lab *lab = grade->lab;
    uint64_t fit = (uint64_t)grade->info.sm_count * grade->blocks_per_sm;
    LabSize full = shape_filling(lab, (uint32_t)(BLOCKS_A_PLACE * fit));
    size_t count = 0;
    for (size_t i = 0; i < lab->size_count && count == 0; i++)
        if (shape_volume(lab->sizes[i]) > 0)
            sizes[count++] = lab->sizes[i];
    sizes[count++] = lab->sizes[lab->size_count - 1];
    if (shape_volume(full) <= shape_most_elements(grade))
        sizes[count++] = full;
    return count;
}

// The lab's sizes. If even the largest has hardly more blocks than fit on the
// device at once, a larger size is added: on a large model there would
// otherwise be nothing to steal.
static size_t choose_sizes(const Grade *grade, LabSize *sizes) {
    const Lab *lab = grade->lab;
    if (grade->info.is_card)
        return choose_card_sizes(grade, sizes);
    uint64_t fit = (uint64_t)grade->info.sm_count * grade->blocks_per_sm;
    uint32_t filling = (uint32_t)(fit + fit / 4 + lab->cluster), most = 0;
    LabSize full = shape_filling(lab, filling);
    size_t count = 0;
    for (size_t i = 0; i < lab->size_count; i++)
        if (shape_volume(lab->sizes[i]) <= shape_most_elements(grade)) {
            uint32_t blocks = shape_blocks(lab, lab->sizes[i]);
            most = most < blocks ? blocks : most;
            sizes[count++] = lab->sizes[i];
        }
    if (most <= filling && shape_volume(full) <= shape_most_elements(grade))
        sizes[count++] = full;
    return count;
}

typedef bool Judge(const Grade *grade, const Run *run, Cause *cause);

// How much a failed run tells: most where some elements are right, against
// which the others can be seen, and least where there is one element or none.
static int telling(const Run *run) {
    for (int32_t i = 0; i < run->n; i++)
        if (run->elements[i] == 1)
            return 2;
    return run->n > 1;
}

// Judges the plain runs in turn and sets the check. Of those that fail, the one
// that tells most has its cause: of several the smallest.
static bool judge_all(Grade *grade, Str id, Judge *judge) {
    Cause cause = {0}, other;
    const Run *shown = NULL;
    for (size_t i = 0; i < grade->run_count; i++) {
        const Run *run = &grade->runs[i];
        if ((shown && telling(run) <= telling(shown)) ||
            judge(grade, run, &other))
            continue;
        cause = other;
        shown = run;
    }
    if (shown && !grade->shown)
        show_run(grade, shown);
    grade_set(grade, id, shown ? CHECK_FAIL : CHECK_PASS, &cause);
    return !shown;
}

static void skip_data(Grade *grade, Str id, FindingCase why) {
    Cause cause = cause_of_case(grade, NULL, (SrcLoc){0}, why, NO_FACTS);
    grade_set(grade, id, CHECK_SKIP, &cause);
}

// Whether any plain run changed the data.
static bool is_touched(const Grade *grade) {
    Cause unused;
    for (size_t i = 0; i < grade->run_count; i++)
        if (grade->runs[i].n > 0 &&
            judge_touched(grade, &grade->runs[i], &unused))
            return true;
    return false;
}

static bool has_evidence(const Grade *grade) {
    for (size_t i = 0; i < grade->run_count; i++)
        if (judge_has_evidence(&grade->runs[i]))
            return true;
    return false;
}

static bool are_all_compared(const Grade *grade) {
    for (size_t i = 0; i < grade->run_count; i++)
        if (!judge_has_all(&grade->runs[i]))
            return false;
    return true;
}

// Judges correct and exactly_once, so that one mistake fails only one of them.
static void judge_data(Grade *grade) {
    if (!is_touched(grade)) {
        judge_all(grade, STR("correct"), judge_touched);
        skip_data(grade, STR("exactly_once"), CASE_EXACTLY_ONCE_NOTHING_DONE);
        grade->once_failed = true;
        return;
    }
    if (has_evidence(grade))
        grade->correct_failed =
            !judge_all(grade, STR("correct"), judge_correct);
    else
        skip_data(grade, STR("correct"), CASE_CORRECT_NOTHING_TO_COMPARE);
    grade->once_failed =
        !judge_all(grade, STR("exactly_once"), judge_exactly_once);
    if (grade->once_failed && !are_all_compared(grade))
        grade_narrow(grade, STR("correct"));
}

static void judge_ledgers(Grade *grade) {
    Cause cause = {0};
    if (!judge_form(grade, &cause)) {
        grade_set(grade, STR("technique"), CHECK_FAIL, &cause);
        return;
    }
    if (!judge_all(grade, STR("technique"), judge_technique))
        return;
    grade->bar_missed = !grade->once_failed && !judge_model(grade);
    if (judge_secret(grade, &cause))
        judge_all(grade, STR("prologue"), judge_prologue);
    else
        grade_set(grade, STR("prologue"), CHECK_FAIL, &cause);
}

// Runs one size under the plain schedule and judges rules. Returns false, with
// the check set, if the kernel could not be run or broke a rule.
static bool run_plain(Grade *grade, LabSize size) {
    Run *run = &grade->runs[grade->run_count];
    *run = (Run){.plain = true};
    uint32_t grid;
    Cause cause = {0};
    RunOutcome outcome = plan_grid(grade, size, &grid, &cause);
    if (outcome == OUTCOME_RAN)
        outcome = run_kernel(grade, grade->arena, size, grid, run, &cause);
    if (outcome != OUTCOME_RAN) {
        grade_set(grade, STR("rules"),
                  outcome == OUTCOME_OURS ? CHECK_ERROR : CHECK_FAIL, &cause);
        return false;
    }
    grade->run_count++;
    Cause *causes = arena_new(grade->arena, Cause, MAX_RULE_CAUSES);
    size_t count = judge_rules(grade, run, causes);
    if (count == 0)
        return true;
    show_run(grade, run);
    grade_set_causes(grade, STR("rules"), CHECK_FAIL, causes, count);
    return false;
}

static bool run_plains(Grade *grade) {
    LabSize sizes[LAB_MAX_SIZES + 1];
    size_t count = choose_sizes(grade, sizes);
    grade->runs = arena_new(grade->arena, Run, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!run_plain(grade, sizes[i]))
            return false;
    grade_set(grade, STR("rules"), CHECK_PASS, NULL);
    show_plain_runs(grade);
    return true;
}

// ---- probes --------------------------------------------------------------

// A bar in modelled time says nothing about the schedules.
static bool all_before_schedules_passed(Grade *grade) {
    static const char *const needed[] = {"correct", "exactly_once", "prologue",
                                         "rules"};
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (!grade_has_passed(grade, str_from(needed[i])))
            return false;
    return grade->bar_missed || grade_has_passed(grade, STR("technique"));
}

static bool judge_probe(Grade *grade, const Probe *probe) {
    Arena arena = {0};
    Run run;
    Cause cause = {0};
    size_t known = grade->result->advisory_count;
    RunOutcome outcome = probe_run(grade, &arena, probe, &run, &cause);
    const char *failed =
        outcome == OUTCOME_RAN ? probe_failure(grade, &run, &cause) : "rules";
    for (size_t i = known; i < grade->result->advisory_count; i++)
        cause_keep(grade->arena, &grade->result->advisories[i]);
    if (failed) {
        cause_keep(grade->arena, &cause);
        if (outcome == OUTCOME_RAN && !run.far)
            show_run(grade, &run);
        grade->bar_missed = false; // there is worse: no schedules
        grade_set(grade, str_from(failed),
                  outcome == OUTCOME_OURS ? CHECK_ERROR : CHECK_FAIL, &cause);
    }
    arena_free(&arena);
    return !failed;
}

static void judge_probes(Grade *grade, bool far) {
    Probe probes[MAX_PROBES];
    if (!all_before_schedules_passed(grade))
        return;
    size_t count = probe_choose(grade, probes);
    for (size_t i = 0; i < count; i++)
        if (probes[i].is_far == far && !ahead_probe_passed(grade->ahead, i) &&
            !judge_probe(grade, &probes[i]))
            return;
}

// ---- schedules -----------------------------------------------------------

// Several times as many as any solution's, in thread-instructions.
static const uint64_t MANY_STEPS = 3 * 1000 * 1000;

// Chooses the sizes that the schedules take in turn: the first with four times
// as many blocks as fit on the device, and the one after it, unless the kernel
// takes very many steps for that: threads that wait for locks do. If only the
// last size can be such a one, it is taken twice.
static void choose_schedule_runs(const Grade *grade, const Run *chosen[2]) {
    const Run *largest = &grade->runs[grade->run_count - 1];
    chosen[0] = chosen[1] = largest;
    for (size_t i = 0; i + 1 < grade->run_count; i++)
        if (grade->runs[i].grid > 0 &&
            grade->runs[i].blocks >= 4 * grade->runs[i].device.resident) {
            chosen[0] = &grade->runs[i];
            chosen[1] = &grade->runs[i + 1];
            if (chosen[1]->device.counters.thread_instructions > MANY_STEPS)
                chosen[1] = chosen[0];
            return;
        }
}

static void fail_schedule(Grade *grade, LabTrial *trial) {
    Cause *cause = &trial->cause;
    cause->schedule = cause_run_name(grade->arena, &trial->run);
    cause_keep(grade->arena, cause);
    show_run(grade, &trial->run);
    grade_set(grade, STR("schedules"),
              trial->outcome == OUTCOME_OURS ? CHECK_ERROR : CHECK_FAIL, cause);
}

static bool run_schedule(Grade *grade, uint64_t number, const Run *plain) {
    Result *result = grade->result;
    const GradeOptions *options = grade->options;
    Arena arena = {0};
    LabTrial trial = {.grade = grade,
                      .plain = plain,
                      .asked = {.seed = options->seed,
                                .number = number,
                                .is_limited = options->is_limited,
                                .switches = options->switches},
                      .arena = &arena};
    const PctBound *passed_with =
        ahead_schedule_passed(grade->ahead, number, plain);
    if (passed_with) {
        trial_add_bound(result->pct, passed_with);
        return true;
    }
    size_t known = result->advisory_count;
    trial_run(&trial);
    PctBound bound = trial_bound(&trial.run.schedule, &trial.run.device);
    trial_add_bound(result->pct, &bound);
    for (size_t i = known; i < result->advisory_count; i++)
        cause_keep(grade->arena, &result->advisories[i]);
    bool is_vms = trial.outcome == OUTCOME_THEIRS && !grade->info.is_card;
    if (is_vms && !options->is_limited)
        trial_minimise(&trial);
    if (is_vms)
        trial_keep_order(&trial);
    bool passed = trial.outcome == OUTCOME_RAN;
    if (!passed)
        fail_schedule(grade, &trial);
    arena_free(&arena);
    return passed;
}

// The plain run that gives a single schedule its size and grid: the one of
// options->size, which may still have to be run, or else `usual`. Returns NULL,
// with the check set, if it cannot be run.
static const Run *single_plain(Grade *grade, const Run *usual) {
    LabSize size = grade->options->size;
    if (!grade->options->has_size)
        return usual;
    for (size_t i = 0; i < grade->run_count; i++)
        if (memcmp(&grade->runs[i].size, &size, sizeof size) == 0)
            return &grade->runs[i];
    Run *run = arena_new(grade->arena, Run, 1);
    Cause cause = {0};
    uint32_t grid;
    *run = (Run){.plain = true};
    RunOutcome outcome = plan_grid(grade, size, &grid, &cause);
    if (outcome == OUTCOME_RAN)
        outcome = run_kernel(grade, grade->arena, size, grid, run, &cause);
    if (outcome == OUTCOME_RAN)
        return run;
    grade_set(grade, STR("schedules"),
              outcome == OUTCOME_OURS ? CHECK_ERROR : CHECK_FAIL, &cause);
    return NULL;
}

// Whether the schedule can differ from the plain one. On a card it decides at
// most which requests are refused, and only these strategies refuse any.
static bool makes_a_difference(const Grade *grade, uint64_t number) {
    DeviceStrategy strategy =
        trial_schedule_of(grade->options->seed, number).strategy;
    return !grade->info.is_card || strategy == STRATEGY_RANDOM ||
           strategy == STRATEGY_NO_STEAL || strategy == STRATEGY_REFUSE_EARLY;
}

enum { LONG_SCHEDULES = 3 };
typedef struct LongSchedule {
    DeviceStrategy strategy; // and the schedule's number
    Run plain;
} LongSchedule;

// So many blocks that on one SM a place gets more than 256 of them; the same
// number where no block is stolen, so that all are started; and where a round
// takes several blocks, so many that a place has more than 256 rounds. What
// breaks a rule was seen before that.
// A size that is too large for the grading is left out.
static size_t list_long_schedules(Grade *grade, LongSchedule *list) {
    const LongSchedule all[] = {
        {STRATEGY_NO_STEAL, {.size = probe_long(grade)}},
        {STRATEGY_ONE_SM, {.size = probe_long(grade)}},
        {STRATEGY_ONE_SM, {.size = probe_rounds(grade), .is_unchecked = true}}};
    size_t wanted = grade->lab->in_flight < 2 ? 2 : 3, count = 0;
    Cause unused = {0};
    if (grade->lab->technique != TECHNIQUE_CLC || grade->info.is_card)
        return 0;
    for (size_t i = 0; i < wanted; i++) {
        LongSchedule *next = &list[count];
        *next = all[i];
        if (shape_volume(next->plain.size) <= shape_most_elements(grade) &&
            plan_grid(grade, next->plain.size, &next->plain.grid, &unused) ==
                OUTCOME_RAN)
            count++;
    }
    return count;
}

static bool run_long_schedules(Grade *grade) {
    LongSchedule list[LONG_SCHEDULES];
    size_t count = list_long_schedules(grade, list);
    for (size_t i = 0; i < count; i++)
        if (!run_schedule(grade, list[i].strategy, &list[i].plain))
            return false;
    return true;
}

// Whether there is nothing against the kernel so far.
static bool judge_schedules(Grade *grade) {
    const GradeOptions *options = grade->options;
    if (!all_before_schedules_passed(grade))
        return false;
    if (grade->run_count == 0 || options->schedules == 0)
        return true;
    const Run *chosen[2], *plain;
    choose_schedule_runs(grade, chosen);
    if (options->is_single) {
        plain = single_plain(grade, chosen[options->single % 2]);
        if (!plain || !run_schedule(grade, options->single, plain))
            return false;
    }
    for (uint64_t i = 0; !options->is_single && i < options->schedules; i++) {
        if (makes_a_difference(grade, i) &&
            !run_schedule(grade, i, chosen[i % 2]))
            return false;
        if (options->tell && !grade->ahead)
            options->tell(options->tell_context, i + 1, options->schedules);
    }
    if (!options->is_single && !run_long_schedules(grade))
        return false;
    grade_set(grade, STR("schedules"), CHECK_PASS, NULL);
    return true;
}

// ---- ahead ---------------------------------------------------------------

static void list_ahead(Grade *grade, Ahead *ahead, LongSchedule *longs) {
    uint64_t schedules = grade->options->schedules;
    const Run *chosen[2];
    Probe probes[MAX_PROBES];
    size_t probe_count = probe_choose(grade, probes);
    size_t long_count = list_long_schedules(grade, longs);
    ahead->tasks = arena_new(grade->arena, AheadTask,
                             MAX_PROBES + LONG_SCHEDULES + (size_t)schedules);
    choose_schedule_runs(grade, chosen);
    for (size_t i = 0; i < probe_count; i++)
        ahead_add_probe(ahead, &probes[i]);
    for (size_t i = 0; i < long_count; i++) // first, as they take long
        ahead_add_schedule(ahead, longs[i].strategy, &longs[i].plain);
    for (uint64_t i = 0; i < schedules; i++)
        ahead_add_schedule(ahead, i, chosen[i % 2]);
}

// Runs the probes and the schedules that are going to be judged.
static void look_ahead(Grade *grade, Ahead *ahead) {
    const GradeOptions *options = grade->options;
    if (!options->crew || grade->info.is_card || grade->run_count == 0 ||
        options->is_single || options->schedules == 0 ||
        options->schedules > AHEAD_MOST || !all_before_schedules_passed(grade))
        return;
    LongSchedule *longs = arena_new(grade->arena, LongSchedule, LONG_SCHEDULES);
    list_ahead(grade, ahead, longs);
    if (ahead_begin(ahead, grade))
        grade->ahead = ahead;
}

// ---- the whole -----------------------------------------------------------

static void describe(Grade *grade) {
    Result *result = grade->result;
    const Submission *submission = grade->submission;
    grade->device->ops->info(grade->device, &grade->info);
    Str model = grade->info.name;
    *result = (Result){
        .lab = grade->lab->number,
        .title = grade->lab->title,
        .file = submission->file,
        .device = str_cut(&model, ':'),
        .gpu_model = model,
        .seed = grade->options->seed,
        .schedules = grade->options->schedules,
        .compiler = submission->compiler,
        .messages = submission->messages,
        .message_count = submission->message_count,
    };
    grade_make_checks(grade);
}

// Returns false, with the check set, if nothing can be launched: no block fits
// on an SM, or it is not known how many do.
static bool judge_fits(Grade *grade) {
    if (grade->blocks_per_sm == DEVICE_FIT_UNKNOWN) {
        Cause silent = cause_of_case(grade, NULL, (SrcLoc){0},
                                     CASE_RULES_ROOM_NOT_KNOWN, NO_FACTS);
        silent.code = STR("BUSY");
        grade_set(grade, STR("rules"), CHECK_ERROR, &silent);
        return false;
    }
    if (grade->blocks_per_sm > 0)
        return true;
    Cause cause =
        cause_of_case(grade, NULL, grade->kernel_at, CASE_RULES_NO_ROOM,
                      FACTS(FACT_STR(NAME, grade->entry->name),
                            FACT_STR(TEXT, grade->info.name)));
    grade_set(grade, STR("rules"), CHECK_FAIL, &cause);
    return false;
}

static void judge(Grade *grade) {
    Cause cause = {0};
    if (!signature_judge_builds(grade) || !signature_judge(grade))
        return;
    form_advise(grade);
    grade_enter(grade, GRADE_RUNS);
    RunOutcome prepared = run_prepare(grade, &cause);
    if (prepared != OUTCOME_RAN) {
        grade_set(grade, STR("rules"),
                  prepared == OUTCOME_OURS ? CHECK_ERROR : CHECK_FAIL, &cause);
        return;
    }
    if (!judge_fits(grade) || (grade->lab->plan && !plan_judge(grade)) ||
        !run_plains(grade))
        return;
    judge_data(grade);
    grade_enter(grade, GRADE_TIMED);
    judge_ledgers(grade);
    grade_enter(grade, GRADE_PROBES);
    Ahead ahead = {0};
    look_ahead(grade, &ahead);
    judge_probes(grade, false);
    grade_enter(grade, GRADE_SCHEDULES);
    if (judge_schedules(grade))
        judge_probes(grade, true);
    ahead_end(&ahead);
    grade->ahead = NULL;
}

static void sum_up(Result *result) {
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        result->score += check->points;
        result->max_score += check->max_points;
        if (check->status == CHECK_ERROR)
            result->verdict = VERDICT_ERROR;
        else if (check->status != CHECK_PASS && result->verdict == VERDICT_PASS)
            result->verdict = VERDICT_FAIL;
    }
}

static bool is_repeated(const Result *result, const Cause *advisory) {
    for (size_t i = 0; i < result->check_count; i++)
        for (size_t k = 0; k < result->checks[i].cause_count; k++)
            if (cause_repeats(advisory, &result->checks[i].causes[k]))
                return true;
    return false;
}

static void drop_repeated(Result *result) {
    size_t kept = 0;
    for (size_t i = 0; i < result->advisory_count; i++)
        if (!is_repeated(result, &result->advisories[i]))
            result->advisories[kept++] = result->advisories[i];
    result->advisory_count = kept;
}

Grade grade_new(Arena *arena, const Lab *lab, const Submission *submission,
                Device *device, const GradeOptions *options, Result *result) {
    return (Grade){.arena = arena,
                   .lab = lab,
                   .submission = submission,
                   .device = device,
                   .options = options,
                   .result = result};
}

// Grades the submission with the edit that it was advised to make.
static void obey(const Grade *grade) {
    const GradeOptions *options = grade->options;
    Result *result = grade->result;
    AdviceEdit edit = {0};
    for (size_t i = 0; i < result->check_count && !edit.number; i++) {
        const CheckResult *check = &result->checks[i];
        if (check->cause_count &&
            options->obey <= check->causes[0].advice.edit_count)
            edit = check->causes[0].advice.edits[options->obey - 1];
    }
    if (!edit.number)
        return;
    Submission edited = *grade->submission;
    GradeOptions next = *options;
    edited.module = grade->advised[options->obey - 1];
    next.obey = 0;
    check_grade(grade->arena, grade->lab, &edited, grade->device, &next,
                result);
    result->obeyed = edit;
}

// The region of an edit that was tried goes before one that is usual.
static void name_advised(const Grade *grade) {
    Result *result = grade->result;
    for (size_t i = 0; i < result->check_count; i++)
        for (size_t k = 0; k < result->checks[i].cause_count; k++)
            region_of_advice(grade, &result->checks[i].causes[k]);
}

void check_grade(Arena *arena, const Lab *lab, const Submission *submission,
                 Device *device, const GradeOptions *options, Result *result) {
    Grade grade = grade_new(arena, lab, submission, device, options, result);
    describe(&grade);
    result->dialect = dialect_of(submission);
    judge(&grade);
    trace_grade(&grade);
    grade_explain_skips(&grade);
    sum_up(result);
    drop_repeated(result);
    if (result->verdict == VERDICT_FAIL)
        result->empty_regions = region_list_empty(&grade);
    if ((options->advice || options->obey) && !lab->no_advice) {
        advise_grade(&grade, check_grade);
        name_advised(&grade);
    }
    if (!options->is_tried)
        said_first(&grade);
    if (options->obey)
        obey(&grade);
    result->obey = options->obey;
}

static Str exceeded_check(GradeStage stage) {
    switch (stage) {
    case GRADE_READING:
        return STR("builds");
    case GRADE_SCHEDULES:
        return STR("schedules");
    case GRADE_RUNS:
    case GRADE_TIMED:
    case GRADE_PROBES:
    case GRADE_STAGE_COUNT:
        return STR("rules");
    case GRADE_ADVICE:
        break; // what was judged stands
    case GRADE_CARD:
        break; // a check that is not there yet
    }
    return STR("");
}

// Memory is the same everywhere. Time is the machine's, and how the grader uses
// it its own: a kernel that takes too much of it may be right.
CheckStatus exceeded_status(const GradeExceeded *exceeded) {
    return exceeded->is_memory ? CHECK_FAIL : CHECK_ERROR;
}

void check_exceeded(Arena *arena, const Lab *lab, const Submission *submission,
                    Device *device, const GradeOptions *options,
                    const GradeExceeded *exceeded, Result *result) {
    Grade grade = grade_new(arena, lab, submission, device, options, result);
    describe(&grade);
    result->dialect = dialect_of(submission);
    grade.kernel_at = place_find_name(submission, lab->kernel);
    for (size_t i = 0; i < result->check_count; i++)
        if (i < COUNT_OF(exceeded->passed) && exceeded->passed[i])
            grade_set(&grade, result->checks[i].id, CHECK_PASS, NULL);
    Cause cause = cause_of_excess(&grade, exceeded);
    Str failed = exceeded_check(exceeded->stage);
    if (failed.len)
        grade_set(&grade, failed, exceeded_status(exceeded), &cause);
    grade_explain_skips(&grade);
    sum_up(result);
}
