// SPDX-License-Identifier: Apache-2.0
// Runs work in a child process with limits, and relays what it makes. The
// child writes its exit code and then the report; whatever else it does is its
// end.
#include "cli/judge/bounded.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sandbox/sandbox.h"

// A machine that is busy, or that sleeps, is no reason to end a grade early.
#define WALL_SECONDS (10.0 * BOUNDED_SECONDS + 30)
// Each launch on a GPU has its own limit, and may wait for other users of it.
#define CARD_WALL_SECONDS 3600
#define CARD_ADDRESS_SPACE \
    ((uint64_t)1 << 46) // a driver reserves all addresses

// ---- what is noted -------------------------------------------------------

static double spent_so_far(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void bounded_enter(void *context, GradeStage stage, const Result *result) {
    BoundedNotes *notes = context;
    double now = spent_so_far();
    notes->seconds[notes->stage] += now - notes->began;
    notes->began = now;
    notes->stage = stage;
    for (size_t i = 0; i < result->check_count; i++)
        if (i < COUNT_OF(notes->passed))
            notes->passed[i] = result->checks[i].status == CHECK_PASS;
}

// Notes that the child can change; NULL: there is no memory.
static BoundedNotes *notes_new(void) {
    void *memory = mmap(NULL, sizeof(BoundedNotes), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// ---- the child -----------------------------------------------------------

typedef struct Child {
    Cli *cli;
    const BoundedWork *work;
    BoundedNotes *notes;
} Child;

static int child_main(void *context, int out) {
    const Child *child = context;
    Buf report = {0};
    // Confined, it could start no threads.
    if (child->work->workers > 1 && !child->work->has_card)
        child->cli->crew = crew_new(child->work->workers);
    child->notes->is_confined =
        !child->work->has_card && sandbox_only_compute();
    if (child->work->only_confined && !child->notes->is_confined)
        return 0;
    child->notes->began = spent_so_far();
    int32_t code = child->work->run(child->cli, child->work->context,
                                    child->notes, &report);
    output_write(out, (Str){(const char *)&code, sizeof code});
    output_write(out, buf_view(&report));
    return 0;
}

static void look(void *context) {
    const Child *child = context;
    child->work->look(child->cli, child->work->context, child->notes);
}

// ---- how it ended --------------------------------------------------------

static const char *const STAGES[GRADE_STAGE_COUNT] = {
    [GRADE_READING] = "reading the PTX",
    [GRADE_RUNS] = "the plain runs",
    [GRADE_TIMED] = "the runs in modelled time",
    [GRADE_PROBES] = "the runs of other sizes",
    [GRADE_SCHEDULES] = "the schedules",
    [GRADE_ADVICE] = "edits that were tried",
    [GRADE_CARD] = "the runs on the GPU"};

static Str describe_spent(Cli *cli, const BoundedNotes *notes) {
    Buf text = {0};
    for (int i = 0; i < GRADE_STAGE_COUNT; i++)
        if (notes->seconds[i] >= 0.05)
            buf_printf(&text, "%s%s %.1f s", text.len ? ", " : "", STAGES[i],
                       notes->seconds[i]);
    Str copy = str_copy(&cli->arena, buf_view(&text));
    buf_free(&text);
    return copy;
}

static void set_exceeded(Cli *cli, const SandboxJob *job, BoundedNotes *notes,
                         const SandboxResult *ran, BoundedEnd *end) {
    GradeStage stage =
        notes->stage < GRADE_STAGE_COUNT ? notes->stage : GRADE_READING;
    double known = 0;
    for (int i = 0; i < GRADE_STAGE_COUNT; i++)
        known += notes->seconds[i];
    // The last stage has not ended: it has the rest.
    notes->seconds[stage] += (double)job->limits.cpu_s - known;
    end->is_exceeded = true;
    end->exceeded = (GradeExceeded){.stage = stage,
                                    .is_memory = !ran->cpu_spent,
                                    .limit = job->limits.cpu_s,
                                    .spent = describe_spent(cli, notes)};
    GradeExceeded *exceeded = &end->exceeded;
    if (exceeded->is_memory) {
        exceeded->limit = job->limits.memory >> 20;
        exceeded->spent = str_from(STAGES[stage]);
    }
    memcpy(exceeded->passed, notes->passed, sizeof exceeded->passed);
}

// An allocation that fails ends the process with this code (base.h).
static bool is_out_of_memory(const SandboxResult *ran) {
    return ran->status == SANDBOX_OUT_OF_MEMORY ||
           (ran->status == SANDBOX_EXITED && ran->code == CLI_OURS);
}

static int fail(Cli *cli, int code, const SandboxJob *job,
                const SandboxResult *ran, const char *help) {
    Str how = sandbox_describe(&cli->arena, job, ran);
    return output_error(cli, code, "the process that judges %.*s%s%s",
                        STR_ARG(how), help[0] ? ": " : "", help);
}

static int judge_end(Cli *cli, const SandboxJob *job, BoundedNotes *notes,
                     const SandboxResult *ran, BoundedEnd *end) {
    int32_t code;
    bool is_ours = ran->status == SANDBOX_EXITED && ran->code == 0;
    if (is_ours && ran->out.len >= sizeof code) {
        memcpy(&code, ran->out.ptr, sizeof code);
        Str made = str_slice(ran->out, sizeof code, ran->out.len);
        size_t report = notes->report_bytes ? notes->report_bytes : made.len;
        end->report = str_slice(made, 0, report);
        end->more = str_slice(made, report, made.len);
        return code;
    }
    bool memory = is_out_of_memory(ran);
    if (memory && shared_is_short_of_memory())
        return fail(cli, CLI_TRY_LATER, job, ran,
                    "this machine gives it less memory than a grade may take "
                    "(ulimit -v)");
    if (ran->status == SANDBOX_OUT_OF_MEMORY || ran->cpu_spent) {
        set_exceeded(cli, job, notes, ran, end);
        return CLI_BELOW;
    }
    bool was_ended = ran->status == SANDBOX_SIGNALLED &&
                     (ran->code == SIGKILL || ran->code == SIGTERM);
    if (memory || was_ended || ran->status == SANDBOX_TIMED_OUT)
        return fail(cli, CLI_TRY_LATER, job, ran,
                    "this says nothing about the file; try again when the "
                    "machine has more room");
    return fail(cli, CLI_OURS, job, ran, "");
}

// ---- the whole -----------------------------------------------------------

static SandboxJob make_job(Child *child) {
    const BoundedWork *work = child->work;
    return (SandboxJob){
        .body = child_main,
        .context = child,
        .look = work->look ? look : NULL,
        .look_context = child,
        .paths = {.read_only_these = true},
        .limits = {.cpu_s = work->seconds ? work->seconds : BOUNDED_SECONDS,
                   .wall_s = WALL_SECONDS,
                   .memory = (uint64_t)BOUNDED_MIB << 20,
                   .address_space = CLI_ADDRESS_SPACE,
                   .output = (uint64_t)256 << 20}};
}

// What a driver needs, and an assembler's temporary files. A launch's own
// process is restricted further.
static void add_card(Arena *arena, const BoundedWork *work, SandboxJob *job) {
    const char *temporary = getenv("TMPDIR");
    Str *writable = arena_new(arena, Str, 4);
    writable[0] = STR("/dev");
    writable[1] = STR("/proc");
    writable[2] = STR("/tmp");
    writable[3] = str_from(temporary ? temporary : "/tmp");
    job->paths = (SandboxPaths){.write = writable, .write_count = 4};
    job->sockets = true;
    job->limits.cpu_s +=
        work->card_seconds ? work->card_seconds : BOUNDED_CARD_SECONDS;
    job->limits.memory += (uint64_t)BOUNDED_CARD_MIB << 20;
    job->limits.wall_s = CARD_WALL_SECONDS;
    job->limits.address_space = CARD_ADDRESS_SPACE;
}

// All threads share the memory, and how many there are decides nothing: what is
// too much for them together is done by one.
static int run_alone(Cli *cli, const BoundedWork *work, BoundedEnd *end) {
    BoundedWork alone = *work;
    alone.workers = 1;
    return bounded_run(cli, &alone, end);
}

int bounded_run(Cli *cli, const BoundedWork *work, BoundedEnd *end) {
    *end = (BoundedEnd){0};
    Child child = {cli, work, notes_new()};
    SandboxJob job = make_job(&child);
    if (work->has_card)
        add_card(&cli->arena, work, &job);
    SandboxResult ran;
    Diags diags = diags_new(&cli->arena);
    if (!child.notes)
        return output_error(cli, CLI_TRY_LATER, "there is no memory");
    int code;
    bool has_run = sandbox_run(&cli->arena, &job, &ran, &diags);
    if (has_run && is_out_of_memory(&ran) && work->workers > 1) {
        code = run_alone(cli, work, end);
    } else if (!has_run) {
        output_diags(cli, &diags, (Str){0});
        code = CLI_TRY_LATER;
    } else if (work->only_confined && !child.notes->is_confined) {
        code = output_error(cli, CLI_MISSING,
                            "the process that judges could not be restricted");
    } else {
        code = judge_end(cli, &job, child.notes, &ran, end);
        output_write(2, ran.err);
        end->is_confined = child.notes->is_confined;
        end->summary = child.notes->summary;
        memcpy(end->passed, child.notes->passed, sizeof end->passed);
    }
    munmap(child.notes, sizeof *child.notes);
    return code;
}
