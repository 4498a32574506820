// SPDX-License-Identifier: Apache-2.0
// Slurm's programs. Each is started with a vector of arguments, never through a
// shell; what it prints is read strictly (slurm.c).
#include "batch/cluster.h"
#include "sandbox/files.h"
#include "sandbox/job.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_SECONDS = 60, // of one of Slurm's programs
    MOST_END = 300,    // seconds, for tasks to be gone
    PAUSE_MS = 250,
    MOST_ERROR = 1 << 16,
};

// ---- a program -----------------------------------------------------------

void batch_add_word(Arena *arena, BatchWords *words, const char *word) {
    arena_grow(arena, words->items, words->count, words->capacity);
    words->items[words->count++] = word;
}

static void add(Batch *batch, BatchWords *words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(Batch *batch, BatchWords *words, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str word = str_vformat(&batch->arena, format, args);
    va_end(args);
    batch_add_word(&batch->arena, words, word.ptr);
}

typedef struct Program {
    const BatchWords *words;
    int errors; // what it says to standard error
} Program;

// A JobWork: standard output is the pipe, as batch_read_* take no warnings.
static int become(void *context) {
    const Program *program = context;
    dup2(program->errors, STDERR_FILENO);
    execvp(program->words->items[0], (char *const *)program->words->items);
    return BATCH_MISSING;
}

static void wait_for(Job *job) {
    double latest = clock_ms() + 1000.0 * MOST_SECONDS;
    int status;
    for (;;) {
        struct pollfd polled = {.fd = job->pipe, .events = POLLIN};
        pid_t pid = waitpid(job->pid, &status, WNOHANG);
        if (pid > 0 && job_take(job, pid, status))
            return;
        if (clock_ms() > latest) {
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
static bool ask(Batch *batch, BatchWords *words, Str *out, Str *why) {
    Arena *arena = &batch->arena;
    Job job = {0};
    batch_add_word(arena, words, NULL); // for execvp
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

const char *batch_lacks_slurm(Arena *arena) {
    static const char *const programs[] = {"sbatch", "squeue", "scancel"};
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        if (files_find_program(arena, programs[i]).len == 0)
            return programs[i];
    return NULL;
}

// ---- the queue -----------------------------------------------------------

bool slurm_is_live(const BatchQueue *queue) {
    return queue->waiting + queue->running > 0;
}

bool slurm_queue(Batch *batch, Str name, BatchQueue *queue, Str *why) {
    Arena *arena = &batch->arena;
    BatchWords words = {0};
    Str out;
    add(batch, &words, "squeue");
    add(batch, &words, "--noheader");
    add(batch, &words, "--array");
    add(batch, &words, "--states=all");
    add(batch, &words, "--me");
    add(batch, &words, "--name=%.*s", STR_ARG(name));
    add(batch, &words, "--format=%s", BATCH_QUEUE_FORMAT);
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
    BatchWords words = {0};
    Str out;
    add(batch, &words, "scancel");
    if (only_waiting)
        add(batch, &words, "--state=PENDING");
    add(batch, &words, "%llu", (unsigned long long)job);
    return ask(batch, &words, &out, why);
}

void slurm_cancel_waiting(Batch *batch, Str name) {
    BatchQueue queue;
    Str why;
    if (slurm_queue(batch, name, &queue, &why) && queue.waiting)
        cancel(batch, queue.job, true, &why);
}

int slurm_cancel(Batch *batch, Str name, BatchQueue queue) {
    double latest = clock_ms() + 1000.0 * MOST_END;
    Str why = {0};
    batch_log(batch, "job %llu is cancelled", (unsigned long long)queue.job);
    while (slurm_is_live(&queue) && clock_ms() < latest) {
        if (!cancel(batch, queue.job, false, &why))
            break;
        poll(NULL, 0, PAUSE_MS);
        if (!slurm_queue(batch, name, &queue, &why))
            break;
        if (slurm_is_live(&queue))
            poll(NULL, 0, 4 * PAUSE_MS);
    }
    if (!slurm_is_live(&queue) && why.len == 0)
        return BATCH_DONE;
    return batch_fail(batch, BATCH_TRY_LATER,
                      "Slurm's job %llu could not be ended: %.*s",
                      (unsigned long long)queue.job, STR_ARG(why));
}

// ---- submitting ----------------------------------------------------------

// What the administrator may change, then her options, then what is ours: of
// options that are given twice the last counts.
static void add_job_options(Batch *batch, BatchWords *words, Str name,
                            size_t shards) {
    const BatchCluster *cluster = batch->request.cluster;
    add(batch, words, "--requeue");
    if (cluster->cpus)
        add(batch, words, "--cpus-per-task=%llu",
            (unsigned long long)cluster->cpus);
    if (cluster->has_gpu)
        add(batch, words, "--gres=gpu:1");
    for (size_t i = 0; i < cluster->option_count; i++)
        add(batch, words, "%s", cluster->options[i]);
    if (cluster->partition)
        add(batch, words, "--partition=%s", cluster->partition);
    add(batch, words, "--parsable");
    add(batch, words, "--array=0-%zu", shards - 1);
    add(batch, words, "--job-name=%.*s", STR_ARG(name));
    add(batch, words, "--chdir=%.*s/slurm/%.*s", STR_ARG(batch->out),
        STR_ARG(name));
    add(batch, words, "--output=%%a.out"); // and standard error
    add(batch, words, "--open-mode=append");
    add(batch, words, "%.*s/slurm/%.*s/task", STR_ARG(batch->out),
        STR_ARG(name));
}

int slurm_submit(Batch *batch, Str name, size_t shards, uint64_t *job) {
    BatchWords words = {0};
    Str out, why;
    add(batch, &words, "sbatch");
    add_job_options(batch, &words, name, shards);
    batch->host->command(batch->host->context, batch->out, name, &batch->arena,
                         &words);
    if (!ask(batch, &words, &out, &why))
        return batch_fail(batch, BATCH_TRY_LATER,
                          "sbatch did not take the job: %.*s", STR_ARG(why));
    if (batch_read_job(out, job))
        return BATCH_DONE;
    return batch_fail(batch, BATCH_OURS,
                      "sbatch printed \"%.*s\", which is no number of a job",
                      STR_ARG(str_line(out, 1)));
}
