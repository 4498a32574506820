// SPDX-License-Identifier: Apache-2.0
// A kernel that belongs to no lab: one launch, under one schedule or more.
// Start with check_launch, at the end. Each schedule starts from a freshly
// loaded module and the same buffers. Its findings are added to those of the
// schedules before it, and its buffers are compared with those of the first
// schedule. launch_task.c runs one of them; trials/ explores them, by several
// workers where there are some (launch_trial.c), and they are judged here, in
// their order.
#include "check/launch.h"
#include "check/judge.h"
#include "result/wish.h"

#include <string.h>

enum {
    MOST_FINDINGS = 64,
    MORE_TRACED = 4096, // steps of a trace, after those of the run it is of
};

// ---- findings ------------------------------------------------------------

static bool is_same(const Cause *a, const Cause *b) {
    return str_equal(a->code, b->code) && str_equal(a->at.file, b->at.file) &&
           a->at.line == b->at.line && a->at.col == b->at.col;
}

static LaunchFinding *find_same(LaunchResult *result, const Cause *cause,
                                bool advisory) {
    for (size_t i = 0; i < result->finding_count; i++) {
        LaunchFinding *known = &result->findings[i];
        if (known->advisory == advisory && is_same(&known->cause, cause))
            return known;
    }
    return NULL;
}

static void count_finding(LaunchResult *result, bool advisory) {
    if (advisory)
        result->advisories++;
    else
        result->errors++;
}

static LaunchFinding *new_finding(Launching *l, const Run *run,
                                  const Cause *cause, bool advisory) {
    LaunchResult *result = l->result;
    if (!result->findings)
        result->findings =
            arena_new(l->grade.arena, LaunchFinding, MOST_FINDINGS);
    count_finding(result, advisory);
    if (result->finding_count == MOST_FINDINGS)
        return NULL;
    LaunchFinding *finding = &result->findings[result->finding_count++];
    *finding =
        (LaunchFinding){.cause = *cause,
                        .advisory = advisory,
                        .schedule = run->number,
                        .last = run->number,
                        .schedules = 1,
                        .is_limited = run->schedule.is_limited,
                        .limit = run->schedule.switches,
                        .out_of_order = run->device.out_of_order,
                        .steps = run->device.counters.thread_instructions};
    cause_keep(l->grade.arena, &finding->cause);
    return finding;
}

static LaunchFinding *add_finding(Launching *l, const Run *run, Cause *cause,
                                  bool advisory) {
    LaunchFinding *same = find_same(l->result, cause, advisory);
    if (!same) {
        same = new_finding(l, run, cause, advisory);
        if (same)
            same->switches = run->device.switches;
        return same;
    }
    same->schedules += same->last != run->number;
    same->last = run->number;
    return same;
}

// What the request asks of a schedule.
static Trial trial_of(const LaunchRequest *request, uint64_t number) {
    return (Trial){.seed = request->seed,
                   .number = number,
                   .is_limited = request->is_limited,
                   .switches = request->switches,
                   .in_order = request->in_order};
}

static Str replay_of(const Launching *l, const Run *run) {
    const LaunchRequest *request = l->request;
    Trial trial = trial_of(request, run->number);
    if (request->is_exhaustive)
        return str_format(l->grade.arena, "%.*s --exhaustive --max-runs %llu",
                          STR_ARG(request->replay),
                          (unsigned long long)(l->result->schedule_count +
                                               l->result->search_redundant));
    if (run->number == 0)
        return request->replay;
    trial.is_limited = run->schedule.is_limited;
    trial.switches = run->schedule.switches;
    return replay_trial(l->grade.arena, request->replay, &trial, STR(""));
}

// Whether to report a finding. The one that ended the run, which is the last,
// is reported even if its rule is not to be checked.
static bool is_wanted(const Launching *l, const DeviceRun *run, size_t index) {
    if (run->status != RUN_DONE && index + 1 == run->finding_count)
        return true;
    return !(l->request->unchecked >> run->findings[index].rule & 1);
}

static Cause make_cause(Launching *l, const Run *run, const Finding *finding) {
    Cause cause = cause_from_finding(&l->grade, finding);
    cause.context = cause_run_name(l->grade.arena, run);
    cause.replay = replay_of(l, run);
    return cause;
}

static void judge_findings(Launching *l, const Run *run,
                           LaunchSchedule *schedule) {
    const DeviceRun *device = &run->device;
    Cause cause;
    for (size_t i = 0; i < device->finding_count; i++) {
        if (!is_wanted(l, device, i))
            continue;
        bool advisory = device->findings[i].level == FINDING_ADVISORY;
        cause = make_cause(l, run, &device->findings[i]);
        add_finding(l, run, &cause, advisory);
        schedule->errors += !advisory;
        schedule->advisories += advisory;
    }
    if (schedule->errors > 0 ||
        !cause_of_stop(&l->grade, device->status, &cause))
        return;
    cause.context = cause_run_name(l->grade.arena, run);
    cause.replay = replay_of(l, run);
    add_finding(l, run, &cause, false);
    schedule->errors++;
}

// ---- outputs -------------------------------------------------------------

static Cause difference_cause(Launching *l, const Run *run, size_t index,
                              const MemoryDifference *difference) {
    Arena *arena = l->grade.arena;
    Str name = cause_run_name(arena, run);
    const LaunchArgument *argument = &l->request->arguments[index];
    bool typed = argument->element != ELEMENT_WORD;
    uint32_t size = element_size(argument->element);
    Str first = memory_element(arena, argument->element, difference->was);
    Str now = memory_element(arena, argument->element, difference->now);
    Cause cause = cause_of_case(
        &l->grade, NULL, l->grade.kernel_at, CASE_LAUNCH_OUTPUT,
        FACTS(FACT_STR(NAME, argument->name), FACT_STR(SCHEDULE, name),
              FACT(OFFSET, difference->at), FACT_STR(WAS, first),
              FACT_STR(NOW, now), FACT(COUNT, difference->words),
              FACT(WORDS, (l->first[index].len + size - 1) / size),
              FACT_STR(TEXT, typed ? STR("elements") : STR("words"))));
    cause.code = STR("OUTPUT");
    cause.explain = STR("clclab explain OUTPUT");
    cause.context = name;
    cause.replay = run->explored
                       ? replay_of(l, run)
                       : replay_trials(arena, l->request->replay,
                                       l->request->seed, run->number + 1);
    return cause;
}

// Whether it is a mistake that the buffer depends on the schedule.
static bool demands_same(const LaunchRequest *request, size_t index) {
    return request->arguments[index].output != OUTPUT_TOLD ||
           request->compare == COMPARE_DEMAND;
}

// differences: as launch_differences gives them.
static void judge_outputs(Launching *l, const Run *run,
                          const MemoryDifference *differences,
                          LaunchSchedule *schedule) {
    if (!differences)
        return;
    schedule->outputs = OUTPUTS_SAME;
    for (size_t i = 0; i < l->request->argument_count; i++) {
        const MemoryDifference *difference = &differences[i];
        bool advisory = !demands_same(l->request, i);
        if (difference->words == 0)
            continue;
        schedule->outputs = OUTPUTS_DIFFER;
        schedule->errors += !advisory;
        schedule->advisories += advisory;
        LaunchFinding *known = l->differs[i];
        if (known) {
            known->schedules++;
            known->last = run->number;
            continue;
        }
        Cause cause = difference_cause(l, run, i, difference);
        l->differs[i] = new_finding(l, run, &cause, advisory);
    }
}

static void show_first(Launching *l, const Run *run) {
    launch_show(l, run);
    l->result->output = str_copy(l->grade.arena, run->device.output);
    l->result->output_lost = run->device.output_lost;
    l->comparable = l->request->compare != COMPARE_NONE && l->first &&
                    run->device.status == RUN_DONE;
    launch_keep_outputs(l);
}

// ---- one schedule --------------------------------------------------------

static void judge_ours(Launching *l, const Run *run) {
    const DeviceRun *device = &run->device;
    Cause cause = {0};
    for (size_t i = 0; i < device->finding_count; i++)
        if (device->findings[i].rule == RULE_UNSUPPORTED)
            cause = cause_from_finding(&l->grade, &device->findings[i]);
    if (!cause.finding)
        cause = cause_from_diag(&l->grade, &device->error);
    cause.code = STR("UNSUPPORTED");
    cause_set_reason(&l->grade, REASON_MACHINE_LIMIT, &cause);
    cause.context = cause_run_name(l->grade.arena, run);
    cause.replay = replay_of(l, run);
    new_finding(l, run, &cause, false);
    l->result->verdict = VERDICT_ERROR;
}

static void judge_schedule(Launching *l, const Run *run,
                           const MemoryDifference *differences, bool first) {
    LaunchSchedule *schedule = launch_show_schedule(l, run);
    if (first)
        show_first(l, run);
    if (run->device.status == RUN_UNSUPPORTED) {
        schedule->errors++;
        judge_ours(l, run);
        return;
    }
    judge_findings(l, run, schedule);
    judge_outputs(l, run, differences, schedule);
}

// ---- fewer context switches ----------------------------------------------

enum { MOST_MINIMISED = 12 };

// Which of the run's findings it is; their number: none.
static size_t find_again(Launching *l, const Run *run,
                         const LaunchFinding *finding) {
    const DeviceRun *device = &run->device;
    size_t i = 0;
    for (; i < device->finding_count; i++) {
        Cause cause = make_cause(l, run, &device->findings[i]);
        bool advisory = device->findings[i].level == FINDING_ADVISORY;
        if (advisory == finding->advisory && is_same(&cause, &finding->cause))
            break;
    }
    return i;
}

static bool differs_again(const Launching *l, const LaunchFinding *finding,
                          const MemoryDifference *differences) {
    for (size_t i = 0; differences && i < l->request->argument_count; i++)
        if (l->differs[i] == finding && differences[i].words > 0)
            return true;
    return false;
}

static bool is_alike(void *context, const void *finding,
                     const TrialSeen *seen) {
    Launching *l = context;
    const LaunchShown *shown = seen->shown;
    return find_again(l, &shown->run, finding) <
               shown->run.device.finding_count ||
           differs_again(l, finding, shown->differences);
}

static TrialClient client_of(Launching *l) {
    return (TrialClient){
        .context = l, .run = launch_trial_run, .is_alike = is_alike};
}

// For one finding, the schedules that are run again have so many steps in all.
static uint64_t steps_for_one(const Launching *l) {
    uint64_t limit = l->request->step_limit, most = TRIAL_BUDGET.steps;
    return limit < most ? limit : most;
}

// The finding's cause is taken from the smaller trial.
static void take_smaller(Launching *l, LaunchFinding *finding,
                         const TrialSmall *small) {
    const LaunchShown *shown = small->seen.shown;
    const Run *run = &shown->run;
    size_t index = find_again(l, run, finding);
    finding->cause = make_cause(l, run, &run->device.findings[index]);
    cause_keep(l->grade.arena, &finding->cause);
    finding->out_of_order = run->device.out_of_order;
    finding->is_limited = true;
    finding->limit = small->trial.switches;
}

// Whether to minimise a finding: a schedule other than the plain one must have
// found it, and a run of that schedule alone must be able to find it again.
static bool is_minimised(const Launching *l, const LaunchFinding *finding) {
    return !l->request->is_limited && finding->schedule > 0 &&
           finding->switches > 0 && cause_is_retried(&finding->cause);
}

static void minimise(Launching *l) {
    LaunchResult *result = l->result;
    TrialClient client = client_of(l);
    for (size_t i = 0; i < result->finding_count && i < MOST_MINIMISED; i++) {
        LaunchFinding *finding = &result->findings[i];
        TrialBudget budget = TRIAL_BUDGET;
        TrialSmall small;
        Trial trial = trial_of(l->request, finding->schedule);
        budget.steps = steps_for_one(l);
        if (is_minimised(l, finding) &&
            trial_make_small(&client, finding, &trial, finding->switches,
                             &budget, &small)) {
            take_smaller(l, finding, &small);
            arena_free(&small.arena);
        }
    }
}

// ---- the order of blocks -------------------------------------------------

static void blame_order(Launching *l) {
    LaunchResult *result = l->result;
    TrialClient client = client_of(l);
    TrialSuspect suspects[MOST_MINIMISED];
    size_t count = result->finding_count < MOST_MINIMISED
                       ? result->finding_count
                       : MOST_MINIMISED;
    for (size_t i = 0; i < count; i++) {
        const LaunchFinding *finding = &result->findings[i];
        suspects[i] = (TrialSuspect){
            .finding = finding,
            .trial = {.seed = l->request->seed, .number = finding->schedule},
            .steps = steps_for_one(l),
            .is_clear =
                !finding->out_of_order || !cause_is_retried(&finding->cause)};
    }
    trial_try_in_order(&client, suspects, count);
    for (size_t i = 0; i < count; i++)
        if (!suspects[i].is_clear)
            cause_relate(&l->grade, &result->findings[i].cause,
                         PLACE_NOT_IN_ORDER);
}

// ---- the whole -----------------------------------------------------------

static SrcLoc kernel_place(const LaunchRequest *request) {
    const Submission *submission = request->submission;
    const PtxFunc *kernel = request->kernel;
    if (kernel->loc)
        return place_as_given(submission,
                              ptx_src(submission->module, kernel->loc));
    return place_find_name(submission, kernel->name);
}

static void describe(Launching *l) {
    const LaunchRequest *request = l->request;
    const PtxDim3 *own = &request->kernel->req_cluster;
    const uint32_t declared[3] = {own->x, own->y, own->z};
    LaunchResult *result = l->result;
    *result = (LaunchResult){
        .file = request->submission->file,
        .kernel = request->kernel->name,
        .dynamic_smem = request->dynamic_smem,
        .seed = request->seed,
        .schedules_asked = request->schedules,
        .compiler = request->submission->compiler,
        .messages = request->submission->messages,
        .message_count = request->submission->message_count,
    };
    for (size_t i = 0; i < 3; i++) {
        result->grid[i] = request->grid[i];
        result->block[i] = request->block[i];
        result->cluster[i] = request->cluster[i];
        if (own->x)
            result->cluster[i] = declared[i] ? declared[i] : 1;
    }
    result->schedules =
        arena_new(l->grade.arena, LaunchSchedule, (size_t)request->schedules);
}

static const RunTrace *record_plain(Launching *l) {
    TraceWish none = {0};
    Run run = {.plain = true, .wish = &none};
    return launch_run(l, l->grade.arena, &run) ? launch_trace(l, NULL, &run)
                                               : NULL;
}

// Runs the first finding's schedule once more, or else the first one; and the
// plain one, which is shown beside it.
static void record(Launching *l) {
    const LaunchResult *result = l->result;
    const LaunchFinding *finding =
        result->finding_count ? &result->findings[0] : NULL;
    TraceWish wish = trace_wish(finding ? &finding->cause : NULL);
    Trial trial =
        trial_of(l->request, finding ? finding->schedule : l->request->first);
    Run run;
    if (!l->request->is_traced || l->request->is_exhaustive ||
        !launch_make_run(l, &trial, &run))
        return;
    run.wish = &wish;
    run.schedule.is_limited |= finding && finding->is_limited;
    run.schedule.switches = finding ? finding->limit : run.schedule.switches;
    l->step_limit = run_traced_steps(l->request->step_limit);
    const RunTrace *plain = run.plain ? NULL : record_plain(l);
    if (finding && finding->steps + MORE_TRACED < l->step_limit)
        l->step_limit = finding->steps + MORE_TRACED;
    if (!launch_run(l, l->grade.arena, &run))
        return;
    l->result->trace = launch_trace(l, finding ? &finding->cause : NULL, &run);
    if (run.device.trace)
        run.device.trace->plain = plain;
}

// Called last: loading a kernel can change the name of the device.
static void name_device(Launching *l) {
    DeviceInfo info;
    l->grade.device->ops->info(l->grade.device, &info);
    l->result->gpu_model = info.name;
    l->result->device = str_cut(&l->result->gpu_model, ':');
}

// If several schedules showed a finding, it says how many. Sets the verdict.
static void sum_up(Launching *l) {
    LaunchResult *result = l->result;
    for (size_t i = 0; i < result->finding_count; i++) {
        LaunchFinding *finding = &result->findings[i];
        if (finding->schedules > 1)
            finding->cause.context = str_format(
                l->grade.arena, "%.*s, and %llu more of the %zu schedules",
                STR_ARG(finding->cause.context),
                (unsigned long long)finding->schedules - 1,
                result->schedule_count);
    }
    if (result->errors > 0 && result->verdict == VERDICT_PASS)
        result->verdict = VERDICT_FAIL;
}

static void tell(const LaunchRequest *request, uint64_t done) {
    if (request->tell)
        request->tell(request->tell_context, done, request->schedules);
}

// A schedule that does not come to its end, or cannot be run, is the last.
static bool take(void *context, const Trial *trial, TrialSeen *seen) {
    Launching *l = context;
    const LaunchShown *shown = seen->shown;
    RunStatus status = shown->run.device.status;
    judge_schedule(l, &shown->run, shown->differences,
                   trial->number == l->request->first);
    tell(l->request, trial->number - l->request->first + 1);
    return status != RUN_LIMIT && status != RUN_UNSUPPORTED;
}

// What the first schedule has shown, all workers know.
static bool run_all(Launching *l) {
    const LaunchRequest *request = l->request;
    TrialClient client = client_of(l);
    client.worker = launch_trial_worker;
    client.take = take;
    TrialPlan plan = {.like = trial_of(request, 0),
                      .first = request->first,
                      .end = request->first + request->schedules,
                      .alone = 1,
                      .threads = launch_trial_threads(l)};
    bool ran = trial_explore(&client, &plan);
    launch_trial_end(l);
    return ran;
}

// Runs one schedule of the search. Sets *end if the search ends with it.
static bool search_once(Launching *l, uint64_t number, SearchEnd *end) {
    DeviceExploration *about = l->exploration;
    Arena scratch = {0};
    Run run = {.explored = true, .number = number};
    bool ran = launch_run(l, &scratch, &run);
    if (ran && about->is_redundant)
        l->result->search_redundant++;
    else if (ran && !about->is_too_large)
        judge_schedule(l, &run, launch_differences(l, &scratch, &run),
                       l->result->schedule_count == 0);
    if (about->is_too_large)
        *end = SEARCH_TOO_LARGE;
    else if (run.device.status != RUN_DONE)
        *end = SEARCH_STOPPED;
    else if (about->is_complete)
        *end = SEARCH_COMPLETE;
    arena_free(&scratch);
    return ran;
}

static bool search(Launching *l) {
    LaunchResult *result = l->result;
    DeviceExploration about = {0};
    uint64_t most = l->request->schedules, runs = 0;
    bool ran = true;
    l->exploration = &about;
    while (ran && result->search == SEARCH_NONE && runs < most) {
        ran = search_once(l, result->schedule_count, &result->search);
        runs = result->schedule_count + result->search_redundant;
        tell(l->request, runs);
    }
    if (result->search == SEARCH_NONE)
        result->search = SEARCH_CUT;
    l->exploration = NULL;
    arena_free(&about.arena);
    if (ran && result->schedule_count == 0) {
        *l->error = (Diag){.what = STR("it is too large to be searched"),
                           .help = STR("take fewer blocks and threads, and "
                                       "less for each to do")};
        return false;
    }
    return ran;
}

void check_launch_build(Arena *arena, const Submission *submission,
                        LaunchResult *result) {
    enum { MOST_CAUSES = 8 };
    LaunchResult made = {.file = submission->file,
                         .compiler = submission->compiler,
                         .messages = submission->messages,
                         .message_count = submission->message_count};
    Launching l = {.grade = {.arena = arena, .submission = submission},
                   .result = &made};
    Run none = {.plain = true};
    Cause cause;
    if (submission->reject.what.len > 0) {
        cause = cause_from_diag(&l.grade, &submission->reject);
        new_finding(&l, &none, &cause, false);
    }
    for (size_t i = 0; i < submission->message_count; i++) {
        const Diag *message = &submission->messages[i];
        if (message->level != DIAG_ERROR)
            continue;
        cause = cause_from_message(&l.grade, message);
        if (made.finding_count < MOST_CAUSES)
            new_finding(&l, &none, &cause, false);
        else
            count_finding(&made, false);
    }
    if (made.errors)
        cause_set_first(&made.findings[0].cause, made.finding_count);
    if (made.errors == 0) {
        cause = cause_of_case(&l.grade, NULL, (SrcLoc){submission->file, 0, 0},
                              CASE_BUILDS_SILENT, NO_FACTS);
        new_finding(&l, &none, &cause, false);
    }
    for (size_t i = 0; i < made.finding_count; i++)
        made.findings[i].schedules = 0;
    made.verdict = VERDICT_FAIL;
    *result = made;
}

static bool is_repeated(const LaunchResult *result, const Cause *advisory) {
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->findings[i].advisory &&
            cause_repeats(advisory, &result->findings[i].cause))
            return true;
    return false;
}

static void drop_repeated(LaunchResult *result) {
    size_t kept = 0;
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].advisory &&
            is_repeated(result, &result->findings[i].cause))
            result->advisories--;
        else
            result->findings[kept++] = result->findings[i];
    result->finding_count = kept;
}

// Judges the launch with the edit that was told under the number asked for.
static bool obey(const Launching *l, Str *outputs, Diag *error) {
    const LaunchRequest *request = l->request;
    LaunchResult *result = l->result;
    AdviceEdit edit = {0};
    for (size_t i = 0; i < result->finding_count && !edit.number; i++) {
        const CauseAdvice *advice = &result->findings[i].cause.advice;
        if (request->obey <= advice->edit_count)
            edit = advice->edits[request->obey - 1];
    }
    if (!edit.number)
        return true;
    Submission edited = *request->submission;
    LaunchRequest next = *request;
    edited.module = l->grade.advised[request->obey - 1];
    next.submission = &edited;
    next.kernel = edited.module->funcs[request->kernel->id];
    next.obey = 0;
    bool ran = check_launch(l->grade.arena, &next, l->grade.device, result,
                            outputs, error);
    result->obeyed = edit;
    return ran;
}

static bool judge_launch(Launching *l) {
    launch_place_params(l);
    describe(l);
    l->result->dialect = dialect_of(l->request->submission);
    if (l->request->is_exhaustive ? !search(l) : !run_all(l))
        return false;
    if (!l->request->is_exhaustive && !l->request->is_tried) {
        minimise(l);
        blame_order(l);
    }
    record(l);
    name_device(l);
    drop_repeated(l->result);
    sum_up(l);
    return true;
}

bool check_launch(Arena *arena, const LaunchRequest *request, Device *device,
                  LaunchResult *result, Str *outputs, Diag *error) {
    size_t count = request->argument_count;
    Launching l = {.grade = {.arena = arena,
                             .submission = request->submission,
                             .entry = request->kernel,
                             .device = device},
                   .request = request,
                   .result = result,
                   .step_limit = request->step_limit,
                   .error = error};
    l.grade.kernel_at = kernel_place(request);
    l.offsets = arena_new(arena, uint64_t, count + 1);
    l.buffers = arena_new(arena, uint32_t, count + 1);
    l.addresses = arena_new(arena, uint64_t, count + 1);
    l.differs = arena_new(arena, LaunchFinding *, count + 1);
    l.first = outputs;
    if (!outputs && request->compare && request->schedules > 1)
        l.first = arena_new(arena, Str, count + 1);
    if (!judge_launch(&l))
        return false;
    if (request->advice || request->obey)
        launch_advise(&l, check_launch);
    bool ran = request->obey ? obey(&l, outputs, error) : true;
    result->obey = request->obey;
    return ran;
}
