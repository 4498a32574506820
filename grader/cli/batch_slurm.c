// SPDX-License-Identifier: Apache-2.0
// Slurm's programs. Each is started with a vector of arguments, never through a
// shell; what it prints is read strictly (batch/slurm.c).
#include "cli/batch_slurm.h"
#include "sandbox/files.h"
#include "sandbox/job.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_WORDS = 700,
    MOST_SECONDS = 60, // of one of Slurm's programs
    MOST_END = 300,    // seconds, for tasks to be gone
    PAUSE_MS = 250,
    MOST_ERROR = 1 << 16,
};

// ---- a program -----------------------------------------------------------

typedef struct Words { // a command line
    const char *items[MOST_WORDS];
    size_t count;
} Words;

static void add(Words *words, const char *word) {
    if (words->count + 1 < MOST_WORDS)
        words->items[words->count++] = word;
}

static void add_number(Arena *arena, Words *words, const char *name,
                       uint64_t number) {
    add(words, name);
    add(words, str_format(arena, "%llu", (unsigned long long)number).ptr);
}

typedef struct Program {
    const Words *words;
    int errors; // what it says to standard error
} Program;

// A JobWork: standard output is the pipe, as batch_read_* take no warnings.
static int become(void *context) {
    const Program *program = context;
    dup2(program->errors, STDERR_FILENO);
    execvp(program->words->items[0], (char *const *)program->words->items);
    return CLI_MISSING;
}

static void wait_for(Job *job) {
    double latest = shared_now_ms() + 1000.0 * MOST_SECONDS;
    int status;
    for (;;) {
        struct pollfd polled = {.fd = job->pipe, .events = POLLIN};
        pid_t pid = waitpid(job->pid, &status, WNOHANG);
        if (pid > 0 && job_take(job, pid, status))
            return;
        if (shared_now_ms() > latest) {
            job_end(job);
            return;
        }
        // At the end of its output a pipe is always ready.
        if (poll(&polled, 1, 10) > 0 && !(polled.revents & POLLIN))
            poll(NULL, 0, 10);
        job_read(job);
    }
}

static Str last_line(Str text) {
    Str last = {0};
    while (text.len > 0) {
        Str line = str_trim(str_cut(&text, '\n'));
        last = line.len ? line : last;
    }
    return last;
}

static Str errors_of(Arena *arena, int errors) {
    char *text = arena_new(arena, char, MOST_ERROR);
    ssize_t len = pread(errors, text, MOST_ERROR, 0);
    return last_line((Str){text, len > 0 ? (size_t)len : 0});
}

// true: it ended with 0, and *out is what it printed. Else *why is one line.
static bool ask(Batch *batch, const Words *words, Str *out, Str *why) {
    Arena *arena = &batch->cli->arena;
    Job job = {0};
    Program program = {words, memfd_create("errors", MFD_CLOEXEC)};
    *why = STR("no process could be started");
    bool right = program.errors >= 0 && job_start(become, &program, &job);
    if (right) {
        wait_for(&job);
        right = job_code(&job) == 0;
        *out = str_copy(arena, buf_view(&job.text));
        *why = errors_of(arena, program.errors);
    }
    if (!right && why->len == 0)
        *why =
            str_format(arena, "%s failed, or took too long", words->items[0]);
    if (program.errors >= 0)
        close(program.errors);
    job_free(&job);
    return right;
}

int slurm_check(Batch *batch) {
    static const char *const programs[] = {"sbatch", "squeue", "scancel"};
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        if (files_find_program(&batch->cli->arena, programs[i]).len == 0)
            return output_error(
                batch->cli, CLI_MISSING,
                "--engine slurm: there is no %s on PATH: give the command "
                "where jobs are submitted (a login node; perhaps after "
                "\"module load slurm\"), or leave --engine out, which "
                "grades on this machine",
                programs[i]);
    return CLI_FULL_MARKS;
}

// ---- the queue -----------------------------------------------------------

bool slurm_is_live(const BatchQueue *queue) {
    return queue->waiting + queue->running > 0;
}

bool slurm_queue(Batch *batch, Str name, BatchQueue *queue, Str *why) {
    Arena *arena = &batch->cli->arena;
    Words words = {0};
    Str out;
    add(&words, "squeue");
    add(&words, "--noheader");
    add(&words, "--array");
    add(&words, "--states=all");
    add(&words, "--me");
    add(&words, str_format(arena, "--name=%.*s", STR_ARG(name)).ptr);
    add(&words, "--format=" BATCH_QUEUE_FORMAT);
    *queue = (BatchQueue){0};
    if (!ask(batch, &words, &out, why))
        return false;
    if (batch_read_queue(out, queue))
        return true;
    *why =
        str_format(arena, "squeue printed \"%.*s\"", STR_ARG(str_line(out, 1)));
    return false;
}

static bool cancel(Batch *batch, uint64_t job, bool only_waiting, Str *why) {
    Words words = {0};
    Str out;
    add(&words, "scancel");
    if (only_waiting)
        add(&words, "--state=PENDING");
    add(&words,
        str_format(&batch->cli->arena, "%llu", (unsigned long long)job).ptr);
    return ask(batch, &words, &out, why);
}

void slurm_cancel_waiting(Batch *batch, Str name) {
    BatchQueue queue;
    Str why;
    if (slurm_queue(batch, name, &queue, &why) && queue.waiting)
        cancel(batch, queue.job, true, &why);
}

int slurm_cancel(Batch *batch, Str name, BatchQueue queue) {
    double latest = shared_now_ms() + 1000.0 * MOST_END;
    Str why = {0};
    batch_log(batch, "job %llu is cancelled", (unsigned long long)queue.job);
    while (slurm_is_live(&queue) && shared_now_ms() < latest) {
        if (!cancel(batch, queue.job, false, &why))
            break;
        poll(NULL, 0, PAUSE_MS);
        if (!slurm_queue(batch, name, &queue, &why))
            break;
        if (slurm_is_live(&queue))
            poll(NULL, 0, 4 * PAUSE_MS);
    }
    if (!slurm_is_live(&queue) && why.len == 0)
        return CLI_FULL_MARKS;
    return output_error(batch->cli, CLI_TRY_LATER,
                        "Slurm's job %llu could not be ended: %.*s",
                        (unsigned long long)queue.job, STR_ARG(why));
}

// ---- submitting ----------------------------------------------------------

// What the administrator may change, then her options, then what is ours: of
// options that are given twice the last counts.
static void add_job_options(Batch *batch, Words *words, Str name,
                            size_t shards) {
    const BatchArgs *args = batch->args;
    Arena *arena = &batch->cli->arena;
    add(words, "--requeue");
    if (args->jobs > 1)
        add(words, str_format(arena, "--cpus-per-task=%llu",
                              (unsigned long long)args->jobs)
                       .ptr);
    if (args->on_gpu)
        add(words, "--gres=gpu:1");
    for (size_t i = 0; i < args->sbatch_options.count; i++)
        add(words, args->sbatch_options.items[i]);
    if (args->partition)
        add(words, str_format(arena, "--partition=%s", args->partition).ptr);
    add(words, "--parsable");
    add(words, str_format(arena, "--array=0-%zu", shards - 1).ptr);
    add(words, str_format(arena, "--job-name=%.*s", STR_ARG(name)).ptr);
    add(words, str_format(arena, "--chdir=%.*s/slurm/%.*s", STR_ARG(batch->out),
                          STR_ARG(name))
                   .ptr);
    add(words, "--output=%a.out"); // and standard error
    add(words, "--open-mode=append");
    add(words, str_format(arena, "%.*s/slurm/%.*s/task", STR_ARG(batch->out),
                          STR_ARG(name))
                   .ptr);
}

// What a grade depends on; seeds are in the plan.
static void add_grade_options(Batch *batch, Words *words) {
    static const char *const feedback[] = {[FEEDBACK_FULL] = "full",
                                           [FEEDBACK_POINTS] = "points",
                                           [FEEDBACK_STUDENT] = "student"};
    Arena *arena = &batch->cli->arena;
    const Args *args = &batch->cli->args;
    const BatchArgs *own = batch->args;
    add_number(arena, words, "--schedules", own->schedule.schedules);
    add(words, "--feedback");
    add(words, feedback[own->feedback]);
    add(words, "--gpu-model");
    add(words, args->gpu_model);
    if (args->compiler != COMPILER_ANY) {
        add(words, "--compiler");
        add(words, args->compiler == COMPILER_NVCC ? "nvcc" : "nvrtc");
    }
    for (size_t i = 0; i < args->flags.count; i++) {
        add(words, "--compile-flag");
        add(words, args->flags.items[i]);
    }
    if (own->on_gpu) {
        add(words, "--device");
        add(words, "gpu");
    }
    if (args->allow_weak)
        add(words, "--allow-weak-sandbox");
}

static void add_task(Batch *batch, Words *words, Str name) {
    Arena *arena = &batch->cli->arena;
    const Args *args = &batch->cli->args;
    add(words, batch->cli->program);
    add(words, "batch");
    add(words, str_cstring(arena, batch->lab.folder));
    add(words, "--out");
    add(words, str_cstring(arena, batch->out));
    add(words, "--task");
    add(words, str_cstring(arena, name));
    add_number(arena, words, "--jobs",
               batch->args->jobs ? batch->args->jobs : 1);
    add_grade_options(batch, words);
    if (args->root) {
        add(words, "--root");
        add(words, args->root);
    }
    if (args->labs) {
        add(words, "--labs");
        add(words, args->labs);
    }
}

int slurm_submit(Batch *batch, Str name, size_t shards, uint64_t *job) {
    Words *words = arena_new(&batch->cli->arena, Words, 1);
    Str out, why;
    add(words, "sbatch");
    add_job_options(batch, words, name, shards);
    add_task(batch, words, name);
    if (!ask(batch, words, &out, &why))
        return output_error(batch->cli, CLI_TRY_LATER,
                            "sbatch did not take the job: %.*s", STR_ARG(why));
    if (batch_read_job(out, job))
        return CLI_FULL_MARKS;
    return output_error(batch->cli, CLI_OURS,
                        "sbatch printed \"%.*s\", which is no number of a job",
                        STR_ARG(str_line(out, 1)));
}
