// SPDX-License-Identifier: Apache-2.0
// A mutant is judged like a learner's file: it is printed, parsed and graded,
// with the default seed and number of schedules. Each mutant has its own
// process, so that one that crashes the grader is noticed and does not affect
// the others.
#include "cli/grade.h"
#include "report/report.h"
#include "tests/mutants/mutants.h"
#include "vm/vm.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SECONDS = 120 }; // of processor time

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void judge_print(Arena *arena, const Mutant *mutant, Buf *out) {
    PtxFunc saved = *mutant->func;
    Edit edit = edit_open(arena, mutant->func);
    mutant->change->apply(&edit, mutant->at, mutant->variant);
    edit_install(&edit, mutant->func);
    PtxModule module =
        edit_module(&edit, mutant->kernel->build.submission.module);
    ptx_print(&module, out);
    *mutant->func = saved;
}

// The first check that did not pass: its finding's code, or else its own name,
// and whether its first cause names the mutant's place.
static void name_failure(const Mutant *mutant, const Result *result,
                         Outcome *outcome) {
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        if (check->status != CHECK_FAIL && check->status != CHECK_ERROR)
            continue;
        Str name = check->id;
        if (check->cause_count && check->causes[0].code.len)
            name = check->causes[0].code;
        snprintf(outcome->code, sizeof outcome->code, "%.*s", STR_ARG(name));
        if (check->cause_count)
            snprintf(outcome->told, sizeof outcome->told, "%s",
                     told_place(mutant, &check->causes[0]));
        return;
    }
}

// The result is in the arena. obey: as in GradeOptions; a report asks for
// advice.
static Result grade(const Cli *cli, Arena *arena, Device *device,
                    const Mutant *mutant, const PtxModule *module,
                    bool is_report, uint32_t obey) {
    Submission submission = mutant->kernel->build.submission;
    submission.module = module;
    const GradeArgs *args = cli->args.own;
    const GradeOptions options = {
        .seed = args->schedule.seed,
        .schedules = args->schedule.schedules,
        .replay = STR("clclab grade"),
        .advice = is_report,
        .obey = obey,
        .timed = shared_open_timed(arena, &mutant->kernel->lab),
    };
    Result result;
    check_grade(arena, &mutant->kernel->lab, &submission, device, &options,
                &result);
    if (options.timed)
        options.timed->ops->close(options.timed);
    return result;
}

static void set_outcome(const Mutant *mutant, const Result *result,
                        Outcome *outcome) {
    static const OutcomeKind kinds[] = {
        [VERDICT_PASS] = OUTCOME_SURVIVED,
        [VERDICT_FAIL] = OUTCOME_CAUGHT,
        [VERDICT_ERROR] = OUTCOME_INVALID,
    };
    outcome->kind = kinds[result->verdict];
    outcome->advisory = result->advisory_count > 0;
    name_failure(mutant, result, outcome);
    if (outcome->advisory && outcome->kind == OUTCOME_SURVIVED)
        snprintf(outcome->code, sizeof outcome->code, "%.*s",
                 STR_ARG(result->advisories[0].code));
}

static const PtxModule *parse(Arena *arena, const Mutant *mutant, Buf *text) {
    Diags diags = diags_new(arena);
    judge_print(arena, mutant, text);
    return ptx_parse(arena, STR("mutant.ptx"), buf_view(text), &diags);
}

Outcome judge_mutant(const Cli *cli, Device *device, const Mutant *mutant) {
    Arena arena = {0};
    Buf text = {0};
    Outcome outcome = {.kind = OUTCOME_INVALID};
    double start = processor_seconds();
    const PtxModule *module = parse(&arena, mutant, &text);
    snprintf(outcome.code, sizeof outcome.code, "PTX");
    if (module) {
        outcome.code[0] = '\0';
        Result result = grade(cli, &arena, device, mutant, module, false, 0);
        set_outcome(mutant, &result, &outcome);
    }
    outcome.seconds = processor_seconds() - start;
    buf_free(&text);
    arena_free(&arena);
    return outcome;
}

// ---- reports -------------------------------------------------------------

char *judge_file(Arena *arena, const char *folder, const Mutant *mutant,
                 const char *end) {
    Str path =
        str_format(arena, "%s/%.*s.%s", folder, STR_ARG(mutant->id), end);
    char *text = str_cstring(arena, path);
    for (char *c = text + strlen(folder) + 1; *c; c++)
        if (*c == '/')
            *c = '_';
    return text;
}

static bool tells_edit(const Result *result) {
    bool tells = false;
    for (size_t i = 0; i < result->check_count; i++)
        tells |= result->checks[i].cause_count &&
                 result->checks[i].causes[0].advice.edit_count;
    return tells;
}

// Returns whether it tells an edit.
static bool write_report(const Cli *cli, Arena *arena, Device *device,
                         const Mutant *mutant, const PtxModule *module,
                         uint32_t obey, const char *path) {
    Buf text = {0};
    Result result = grade(cli, arena, device, mutant, module, true, obey);
    FILE *file = fopen(path, "w");
    report_tell(arena, &result);
    report_json(&result, &text);
    if (file) {
        fwrite(text.ptr, 1, text.len, file);
        fclose(file);
    }
    buf_free(&text);
    return tells_edit(&result);
}

static void write_reports(const Cli *cli, Device *device, const Mutant *mutant,
                          const char *folder) {
    static const char *const ends[] = {"json", "obeyed"};
    Arena arena = {0};
    Buf text = {0};
    const PtxModule *module = parse(&arena, mutant, &text);
    bool tells = module != NULL;
    for (uint32_t obey = 0; tells && obey < COUNT_OF(ends); obey++)
        tells = write_report(cli, &arena, device, mutant, module, obey,
                             judge_file(&arena, folder, mutant, ends[obey]));
    buf_free(&text);
    arena_free(&arena);
}

// ---- processes -----------------------------------------------------------

static void judge_in_child(const Cli *cli, Device *device, const Mutant *mutant,
                           const char *reports, Outcome *outcome) {
    struct rlimit limit = {MOST_SECONDS, MOST_SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
    *outcome = judge_mutant(cli, device, mutant);
    if (reports && outcome->kind == OUTCOME_CAUGHT)
        write_reports(cli, device, mutant, reports);
    _exit(0);
}

void judge_mutants(const Cli *cli, const Mutants *mutants, const bool *chosen,
                   uint32_t jobs, Outcome *outcomes) {
    size_t size = mutants->count * sizeof *outcomes;
    Outcome *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint32_t running = 0;
    if (shared == MAP_FAILED)
        return;
    fflush(NULL);
    for (size_t i = 0; i < mutants->count; i++) {
        if (chosen && !chosen[i])
            continue;
        if (running == jobs && wait(NULL) > 0)
            running--;
        pid_t child = fork();
        if (child == 0)
            judge_in_child(cli, device, &mutants->items[i], mutants->reports,
                           &shared[i]);
        running += child > 0;
    }
    while (wait(NULL) > 0)
        ;
    memcpy(outcomes, shared, size);
    munmap(shared, size);
    device->ops->close(device);
}
