// SPDX-License-Identifier: Apache-2.0
// Runs probes and schedules ahead, several at a time: read upwards from
// ahead_begin. Each worker has a device and a copy of the grade, and says of a
// run only whether it passed and told nothing new. Then grade.c leaves that run
// out; every other run it does itself, in its own order, so that the result
// does not depend on the number of workers.
//
// That must not cost much where runs fail. A run is given up if it takes far
// more steps than the plain runs let expect, and behind a run that does not
// pass none is begun. A grade that would be long in any case is not run ahead:
// what its time goes into is told.
#include "check/internal.h"

#include <string.h>

static const uint64_t MOST_STEPS = 1000 * 1000 * 1000; // of all runs together
static const uint64_t SPARE_STEPS = 1000 * 1000;       // of one
enum { TIMES_EXPECTED = 8 };

// ---- the list ------------------------------------------------------------

void ahead_add_probe(Ahead *ahead, const Probe *probe) {
    ahead->tasks[ahead->count++] =
        (AheadTask){.is_probe = true, .probe = *probe};
}

void ahead_add_schedule(Ahead *ahead, uint64_t number, const Run *plain) {
    ahead->tasks[ahead->count++] =
        (AheadTask){.number = number, .plain = plain};
}

static bool is_same_run(const Run *a, const Run *b) {
    return memcmp(&a->size, &b->size, sizeof a->size) == 0 &&
           a->grid == b->grid && a->is_unchecked == b->is_unchecked &&
           a->device.steps == b->device.steps;
}

bool ahead_probe_passed(const Ahead *ahead, size_t index) {
    return ahead && index < ahead->count && ahead->tasks[index].is_probe &&
           share_found(ahead->share, index);
}

const PctBound *ahead_schedule_passed(const Ahead *ahead, uint64_t number,
                                      const Run *plain) {
    for (size_t i = 0; ahead && i < ahead->count; i++) {
        const AheadTask *task = &ahead->tasks[i];
        if (!task->is_probe && task->number == number &&
            is_same_run(task->plain, plain))
            return share_found(ahead->share, i);
    }
    return NULL;
}

// ---- what a run may cost -------------------------------------------------

static uint64_t work_of(const Grade *grade, LabSize size) {
    return shape_volume(size) +
           (uint64_t)shape_blocks(grade->lab, size) * grade->lab->threads;
}

static uint64_t task_work(const Grade *grade, const AheadTask *task) {
    if (task->is_probe && task->probe.is_far)
        return far_work(grade);
    return work_of(grade,
                   task->is_probe ? task->probe.size : task->plain->size);
}

// The steps that the plain runs took for each unit of work, at most.
static uint64_t steps_each(const Grade *grade) {
    uint64_t most = 1;
    for (size_t i = 0; i < grade->run_count; i++) {
        const Run *run = &grade->runs[i];
        uint64_t work = work_of(grade, run->size);
        uint64_t each =
            work ? run->device.counters.thread_instructions / work + 1 : 0;
        most = most < each ? each : most;
    }
    return most;
}

static bool is_worth_it(const Ahead *ahead) {
    uint64_t steps = 0;
    for (size_t i = 0; i < ahead->count; i++) {
        uint64_t work = task_work(ahead->grade, &ahead->tasks[i]);
        if (work > MOST_STEPS / ahead->steps_each)
            return false;
        steps += work * ahead->steps_each;
    }
    return ahead->count > 1 && steps <= MOST_STEPS;
}

// ---- one run -------------------------------------------------------------

// A worker's own grade.
typedef struct AheadWorker {
    size_t number;
    Grade grade;
    GradeOptions options;
    Result result;
    Arena arena;
} AheadWorker;

// With all advisories that the caller knows.
static void *be_worker(void *context, size_t number) {
    Ahead *ahead = context;
    const Grade *grade = ahead->grade;
    AheadWorker *worker = &ahead->workers[number];
    arena_free(&worker->arena);
    worker->number = number;
    worker->options = *grade->options;
    worker->result = *grade->result;
    worker->grade = *grade;
    worker->grade.arena = &worker->arena;
    worker->grade.options = &worker->options;
    worker->grade.result = &worker->result;
    worker->grade.device =
        number ? grade->options->helpers[number - 1] : grade->device;
    worker->result.advisories = NULL;
    worker->result.advisory_count = 0;
    for (size_t i = 0; i < grade->result->advisory_count; i++)
        grade_advise(&worker->grade, &grade->result->advisories[i]);
    return worker;
}

static bool probe_passes(Grade *grade, const AheadTask *task) {
    Arena arena = {0};
    Run run;
    Cause cause = {0};
    bool passed =
        probe_run(grade, &arena, &task->probe, &run, &cause) == OUTCOME_RAN &&
        !probe_failure(grade, &run, &cause);
    arena_free(&arena);
    return passed;
}

static bool schedule_passes(Grade *grade, const AheadTask *task,
                            PctBound *bound) {
    Arena arena = {0};
    LabTrial trial = {
        .grade = grade,
        .plain = task->plain,
        .asked = {.seed = grade->options->seed, .number = task->number},
        .arena = &arena};
    trial_run(&trial);
    *bound = trial_bound(&trial.run.schedule, &trial.run.device);
    arena_free(&arena);
    return trial.outcome == OUTCOME_RAN;
}

static void tell(const Ahead *ahead, const AheadWorker *worker, size_t done) {
    const GradeOptions *options = ahead->grade->options;
    if (worker->number == 0 && options->tell)
        options->tell(options->tell_context,
                      done * options->schedules / ahead->count,
                      options->schedules);
}

// The bound of a run that passes, and says nothing new.
static void *run_task(void *context, void *by, Arena *arena, size_t index) {
    const Ahead *ahead = context;
    const AheadTask *task = &ahead->tasks[index];
    AheadWorker *worker = by;
    Grade *grade = &worker->grade;
    size_t known = worker->result.advisory_count;
    PctBound *bound = arena_new(arena, PctBound, 1);
    worker->options.step_limit = SPARE_STEPS + TIMES_EXPECTED *
                                                   ahead->steps_each *
                                                   task_work(grade, task);
    bool passed = task->is_probe ? probe_passes(grade, task)
                                 : schedule_passes(grade, task, bound);
    tell(ahead, worker, index);
    return passed && worker->result.advisory_count == known ? bound : NULL;
}

// ---- all runs ------------------------------------------------------------

bool ahead_begin(Ahead *ahead, Grade *grade) {
    Crew *crew = grade->options->crew;
    ahead->grade = grade;
    ahead->steps_each = steps_each(grade);
    if (grade->options->step_limit || !is_worth_it(ahead))
        return false;
    ahead->workers = arena_new(grade->arena, AheadWorker, crew_workers(crew));
    ahead->share = share_in_threads(&(ShareThreads){.crew = crew},
                                    &(ShareWork){ahead, be_worker, run_task},
                                    ahead->count);
    return ahead->share != NULL;
}

void ahead_end(Ahead *ahead) {
    if (!ahead->share)
        return;
    share_end(ahead->share);
    for (size_t i = 0; i < crew_workers(ahead->grade->options->crew); i++)
        arena_free(&ahead->workers[i].arena);
}
