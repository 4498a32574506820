// SPDX-License-Identifier: Apache-2.0
// Edits that are tried for the first error of a launch: read upwards from
// launch_advise. An edited kernel gets past the error if the schedule that
// showed it does, with no comparison but of the plain one; it heals if there is
// no error under all schedules that were asked for; it helps if this error is
// gone, and one more edit heals what follows.
//
// Nobody has said what the kernel is to compute. So an edit that may change
// that is told only if the plain schedule leaves the same in the buffers with
// it and without it. What only orders things may change them: that is what
// order is for. Where accesses race, what the plain schedule leaves is chance
// and nothing to compare with; and where two threads store to one element, it
// may be the index that is wrong, and no order is told.
#include "check/advise.h"
#include "check/launch.h"

static const uint64_t SPARE_STEPS = 4 * 1000 * 1000; // of one run
enum { TIMES_EXPECTED = 8, LEAST_TRIED = 8 };

// Of all first runs of edits, and of all schedules of one.
static const uint64_t MOST_STEPS = 200 * 1000 * 1000;

// Buffers of which two copies are made, to be compared.
static const uint64_t MOST_BYTES = 64 * 1024 * 1024;

// Edits of these kinds let threads, blocks and copies wait, or observe each
// other, and change nothing of what each of them does.
static const bool only_orders[REMEDY_COUNT] = {
    [REMEDY_BARRIER_WARP] = true,
    [REMEDY_BARRIER_BLOCK] = true,
    [REMEDY_BARRIER_CLUSTER] = true,
    [REMEDY_FENCE_CTA] = true,
    [REMEDY_FENCE_SLOTS] = true,
    [REMEDY_FENCE_PROXY] = true,
    [REMEDY_FENCE_RELEASING] = true,
    [REMEDY_FENCE_ACQUIRING] = true,
    [REMEDY_FENCE_INIT] = true,
    [REMEDY_FENCE_BLOCK] = true,
    [REMEDY_FENCE_CLUSTER] = true,
    [REMEDY_FENCE_GRID] = true,
    [REMEDY_BARRIER_BEFORE] = true,
    [REMEDY_BARRIER_BEHIND] = true,
    [REMEDY_BARRIER_THREADS] = true,
    [REMEDY_BARRIER_ALL] = true,
    [REMEDY_BARRIER_LESS] = true,
    [REMEDY_INIT_COUNT] = true,
    [REMEDY_BYTES] = true,
    [REMEDY_ANNOUNCE] = true,
    [REMEDY_ANNOUNCE_REQUEST] = true,
    [REMEDY_ANNOUNCE_IN_EACH] = true,
    [REMEDY_ARRIVAL_LESS] = true,
    [REMEDY_INIT_LESS] = true,
    [REMEDY_OTHER_MBARRIER] = true,
    [REMEDY_OTHER_ARRAY] = true,
    [REMEDY_OF_RANK_0] = true,
    [REMEDY_WAIT_LOOP] = true,
    [REMEDY_WAIT_LIKE] = true,
    [REMEDY_OTHER_PARITY] = true,
    [REMEDY_OWN_PARITY] = true,
    [REMEDY_FLIP_LESS] = true,
    [REMEDY_OWN_PARITIES] = true,
    [REMEDY_WAIT_FOR_ANSWER] = true,
    [REMEDY_ORDERED] = true,
    [REMEDY_ORDERED_ALL] = true,
    [REMEDY_SCOPE_OF_CLUSTER] = true,
    [REMEDY_SCOPE_OF_GRID] = true,
    [REMEDY_MULTICAST] = true,
    [REMEDY_UNICAST] = true,
    [REMEDY_LATER] = true,
    [REMEDY_EARLIER] = true,
    [REMEDY_REQUEST_MOVED] = true,
    [REMEDY_INIT_NEIGHBOUR] = true,
};

typedef struct Advising {
    Launching *launching;
    LaunchWhole *whole;
    const LaunchFinding *failed;
    uint64_t steps; // of the schedule that took the most
} Advising;

// ---- a launch of the edited kernel ---------------------------------------

typedef struct Edited {
    Submission submission;
    LaunchRequest request;
    LaunchResult result;
    Diag error;
} Edited;

// remedy: NULL: the kernel as it is. False: the edit cannot be made.
static bool make_edited(const Advise *asked, Arena *arena, const Remedy *remedy,
                        Edited *edited) {
    const Advising *advising = asked->context;
    const LaunchRequest *request = advising->launching->request;
    uint64_t most = SPARE_STEPS + TIMES_EXPECTED * advising->steps;
    *edited = (Edited){.submission = *request->submission, .request = *request};
    if (remedy)
        edited->submission.module = remedy_apply(arena, &asked->site, remedy);
    if (!edited->submission.module)
        return false;
    LaunchRequest *own = &edited->request;
    own->submission = &edited->submission;
    own->kernel = edited->submission.module->funcs[asked->site.entry->id];
    own->step_limit = most < request->step_limit ? most : request->step_limit;
    own->advice = own->is_traced = false;
    own->obey = 0;
    own->is_tried = true;
    own->tell = NULL;
    return true;
}

static void only_schedule(LaunchRequest *request, uint64_t number) {
    request->first = number;
    request->schedules = 1;
    request->crew = NULL;
}

static bool launch(const Advise *asked, Arena *arena, Device *device,
                   Edited *edited, Str *outputs) {
    const Advising *advising = asked->context;
    return advising->whole(arena, &edited->request, device, &edited->result,
                           outputs, &edited->error);
}

static const LaunchFinding *first_error(const LaunchResult *result) {
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->findings[i].advisory)
            return &result->findings[i];
    return NULL;
}

static bool is_clean(const LaunchResult *result) {
    return result->verdict == VERDICT_PASS;
}

// ---- what came of it -----------------------------------------------------

// Whether another error is the first now, of the same schedule or a later one.
static bool is_another(const Advising *advising, const LaunchFinding *now) {
    return now && !advise_is_same(&now->cause, &advising->failed->cause) &&
           now->schedule >= advising->failed->schedule;
}

static bool was_known(const Advising *advising, const LaunchFinding *now) {
    const LaunchResult *result = advising->launching->result;
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->findings[i].advisory &&
            advise_is_same(&result->findings[i].cause, &now->cause))
            return true;
    return false;
}

static bool is_further(const Advising *advising, const LaunchResult *result) {
    const LaunchFinding *now = first_error(result);
    return is_clean(result) ||
           (result->verdict == VERDICT_FAIL && is_another(advising, now) &&
            was_known(advising, now));
}

// ---- buffers -------------------------------------------------------------

static bool is_small(const LaunchRequest *request) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < request->argument_count; i++) {
        const LaunchArgument *argument = &request->arguments[i];
        if (argument->is_buffer && argument->size > MOST_BYTES - bytes)
            return false;
        bytes += argument->is_buffer ? argument->size : 0;
    }
    return true;
}

static Str *new_outputs(Arena *arena, const LaunchRequest *request) {
    return arena_new(arena, Str, request->argument_count + 1);
}

static bool are_alike(Arena *arena, const LaunchRequest *request,
                      const Str *were, const Str *are) {
    for (size_t i = 0; i < request->argument_count; i++) {
        const LaunchArgument *argument = &request->arguments[i];
        const MemoryForm form = {.element = argument->element,
                                 .is_close = argument->output == OUTPUT_CLOSE,
                                 .tolerance = argument->tolerance};
        MemoryDifference difference = {0};
        if (!argument->is_buffer || argument->output == OUTPUT_ANY)
            continue;
        memory_compare(arena, &form, were[i], are[i], 0, &difference);
        if (difference.words)
            return false;
    }
    return true;
}

// One schedule to its end; what it leaves is in outputs.
static bool leaves(const Advise *asked, Arena *arena, Device *device,
                   const Remedy *remedy, uint64_t number, Str *outputs) {
    Edited edited;
    if (!make_edited(asked, arena, remedy, &edited))
        return false;
    only_schedule(&edited.request, number);
    return launch(asked, arena, device, &edited, outputs) &&
           edited.result.schedules[0].status == RUN_DONE;
}

// With the edit and without it.
static bool leaves_same(const Advise *asked, Arena *arena,
                        const Remedy *remedy) {
    const Advising *advising = asked->context;
    const Launching *l = advising->launching;
    Str *were = new_outputs(arena, l->request),
        *are = new_outputs(arena, l->request);
    return is_small(l->request) &&
           leaves(asked, arena, l->grade.device, NULL, 0, were) &&
           leaves(asked, arena, l->grade.device, remedy, 0, are) &&
           are_alike(arena, l->request, were, are);
}

// What nobody has written, too, is whatever it happens to be. And what a
// kernel asserts of itself an edit may only go round.
static bool is_chance(const Finding *finding) {
    return finding->rule == RULE_TRAP || finding->rule == RULE_ASSERT ||
           finding->rule == RULE_RACE001 || finding->rule == RULE_RACE002 ||
           finding->rule == RULE_MEM003 || finding->which == CASE_LAUNCH_OUTPUT;
}

// Whether what the edit leaves can be trusted.
static bool is_trusted(const Advise *asked, Arena *scratch,
                       const Remedy *remedy) {
    if (remedy->told.kind == REMEDY_ATOMIC)
        return true; // it does what was meant, and loses nothing of it
    if (only_orders[remedy->told.kind])
        return asked->site.finding->reason != REASON_SAME_ELEMENT;
    return !is_chance(asked->site.finding) &&
           leaves_same(asked, scratch, remedy);
}

// ---- one run -------------------------------------------------------------

static Device *device_of(const Launching *l, size_t worker) {
    return worker ? l->request->helpers[worker - 1] : l->grade.device;
}

static void *be_worker(void *context, size_t number) {
    const Advising *advising = context;
    return device_of(advising->launching, number);
}

// Where buffers depended on the schedule.
static bool leave_same(const Advise *asked, Arena *arena, Device *device,
                       const Remedy *remedy) {
    const Advising *advising = asked->context;
    const LaunchRequest *request = advising->launching->request;
    Str *first = new_outputs(arena, request),
        *now = new_outputs(arena, request);
    return is_small(request) &&
           leaves(asked, arena, device, remedy, request->first, first) &&
           leaves(asked, arena, device, remedy, advising->failed->schedule,
                  now) &&
           are_alike(arena, request, first, now);
}

static bool gets_past(const Advise *asked, Arena *arena, Device *device,
                      const Remedy *remedy) {
    const Advising *advising = asked->context;
    const LaunchFinding *failed = advising->failed;
    Edited edited;
    if (str_equal(failed->cause.code, STR("OUTPUT")))
        return leave_same(asked, arena, device, remedy);
    if (!make_edited(asked, arena, remedy, &edited))
        return false;
    only_schedule(&edited.request, failed->schedule);
    edited.request.is_limited |= failed->is_limited;
    if (failed->is_limited)
        edited.request.switches = failed->limit;
    if (!launch(asked, arena, device, &edited, NULL))
        return false;
    return remedy ? is_further(advising, &edited.result)
                  : is_clean(&edited.result);
}

static bool is_past(const Advise *asked, void *worker, Arena *scratch,
                    const Remedy *remedy) {
    bool past = gets_past(asked, scratch, worker, remedy);
    advise_unload(asked, worker);
    return past;
}

// ---- all schedules -------------------------------------------------------

static void unload_all(const Advise *asked) {
    const Advising *advising = asked->context;
    const Launching *l = advising->launching;
    size_t workers = l->request->crew ? crew_workers(l->request->crew) : 1;
    for (size_t i = 0; i < workers; i++)
        advise_unload(asked, device_of(l, i));
}

static AdviseSeen judge(const Advise *asked, Arena *scratch,
                        const Remedy *remedy, bool is_deeper) {
    const Advising *advising = asked->context;
    const Launching *l = advising->launching;
    AdviseSeen seen = {0};
    Edited edited;
    if ((is_deeper && l->request->is_tried) ||
        !make_edited(asked, scratch, remedy, &edited))
        return seen;
    edited.request.advice = is_deeper;
    if (launch(asked, scratch, l->grade.device, &edited, NULL) &&
        is_trusted(asked, scratch, remedy)) {
        const LaunchFinding *now = first_error(&edited.result);
        seen.heals = is_clean(&edited.result);
        if (is_another(advising, now)) {
            seen.helps = now->cause.advice.status == ADVICE_HEALS;
            seen.follows = now->cause.code;
            seen.behind = &now->cause;
        }
    }
    unload_all(asked);
    return seen;
}

// ---- the advice ----------------------------------------------------------

static uint64_t most_steps(const LaunchResult *result) {
    uint64_t most = 0;
    for (size_t i = 0; i < result->schedule_count; i++)
        if (result->schedules[i].thread_instructions > most)
            most = result->schedules[i].thread_instructions;
    return most;
}

// The first error, if it is one of a run.
static LaunchFinding *find_failure(const Launching *l) {
    LaunchResult *result = l->result;
    if (result->verdict != VERDICT_FAIL)
        return NULL;
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->findings[i].advisory)
            return result->findings[i].cause.finding ? &result->findings[i]
                                                     : NULL;
    return NULL;
}

// With an edit that heals there is no error left: no other help is needed.
static void note_mended(LaunchResult *result, const LaunchFinding *failed) {
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->findings[i].advisory && &result->findings[i] != failed)
            result->findings[i].cause.is_mended_too = true;
}

static void begin(void *context) {
    (void)context; // nobody is told
}

static uint32_t threads_of(const uint32_t size[3]) {
    return size[0] * size[1] * size[2];
}

void launch_advise(Launching *l, LaunchWhole *whole) {
    const LaunchRequest *request = l->request;
    LaunchFinding *failed = find_failure(l);
    DeviceInfo info;
    l->grade.device->ops->info(l->grade.device, &info);
    Advising advising = {l, whole, failed, most_steps(l->result)};
    uint64_t each = advising.steps ? advising.steps : 1,
             most = MOST_STEPS / each;
    if (!failed || request->is_exhaustive || info.is_card ||
        advising.steps > MOST_STEPS / request->schedules)
        return;
    Advise asked = {.arena = l->grade.arena,
                    .cause = &failed->cause,
                    .site = {.module = request->submission->module,
                             .entry = request->kernel,
                             .file = str_base_name(request->submission->file),
                             .finding = failed->cause.finding,
                             .threads = threads_of(request->block),
                             .cluster = threads_of(l->result->cluster)},
                    .submission = request->submission,
                    .advised = l->grade.advised,
                    .most = most > LEAST_TRIED ? (size_t)most : LEAST_TRIED,
                    .is_one_enough = request->is_tried,
                    .schedules = request->schedules,
                    .crew = request->crew,
                    .memory = request->memory,
                    .context = &advising,
                    .begin = begin,
                    .worker = be_worker,
                    .is_past = is_past,
                    .judge = judge};
    advise(&asked);
    if (failed->cause.advice.status == ADVICE_HEALS)
        note_mended(l->result, failed);
}
