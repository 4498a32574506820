// SPDX-License-Identifier: Apache-2.0
// Grades several submissions at a time, each in a child of its own, so that one
// that crashes or hangs is the only one that does. What the machine was short
// of is tried again; what is missing on it ends the batch, since it is missing
// for all.
#include "batch/engine.h"
#include "sandbox/job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_JOBS = 256,
    MOST_TRIES = 3,
    MINUTES_A_SEED = 5, // on the clock: twice what a grade's own limits allow
    PAUSE_MS = 50,
};

typedef struct Waiting { // to be graded
    size_t index;        // of its row
    uint32_t tries;
    double not_before; // clock_ms
} Waiting;

typedef struct Slot {
    Job job;
    Waiting what;
    bool is_late; // it was ended, as it took too long
} Slot;

typedef struct Work {
    Batch *batch;
    Waiting *queue; // in a ring: each submission is in it once at most
    size_t room, first, waiting;
    Slot slots[MOST_JOBS];
    size_t slot_count, running;
    BatchProgress progress;
    int code; // what ends the batch; 0: nothing
} Work;

// ---- progress ------------------------------------------------------------

BatchProgress batch_progress(size_t count) {
    return (BatchProgress){.count = count, .start = clock_ms()};
}

static void tell(const Work *work, bool is_last) {
    const BatchHost *host = work->batch->host;
    host->progress(host->context, &work->progress, (Str){0}, is_last);
}

// ---- the queue -----------------------------------------------------------

static void put(Work *work, Waiting what) {
    work->queue[(work->first + work->waiting++) % work->room] = what;
}

// The first that may be tried now; false: all have to wait.
static bool take(Work *work, Waiting *what) {
    double now = clock_ms();
    for (size_t n = work->waiting; n > 0; n--) {
        *what = work->queue[work->first];
        work->first = (work->first + 1) % work->room;
        work->waiting--;
        if (what->not_before <= now)
            return true;
        put(work, *what);
    }
    return false;
}

// ---- ends ----------------------------------------------------------------

// What the child printed last: why it failed.
static Str last_words(Arena *arena, const Job *job) {
    Str rest = buf_view(&job->text), last = {0};
    while (rest.len > 0) {
        Str line = str_trim(str_cut(&rest, '\n'));
        if (line.len > 0)
            last = line;
    }
    if (str_starts(last, STR("clclab: ")))
        last = str_slice(last, 8, last.len);
    return str_copy(arena, last);
}

bool batch_take_record(Batch *batch, BatchRow *row) {
    BatchRow before = *row;
    bool is_there = batch_is_kept(batch, row);
    arena_free(&batch->scratch);
    if (!is_there) {
        *row = before;
        return false;
    }
    row->has_before = before.has_before;
    row->before = before.before;
    row->changed = before.changed;
    batch_log(batch, "%.*s: graded %g of %g%s%.*s, in %.1f s", STR_ARG(row->id),
              row->score, row->most, row->check.len ? ", " : "",
              STR_ARG(row->check), row->seconds);
    return true;
}

static void take_record(Work *work, BatchRow *row) {
    if (batch_take_record(work->batch, row))
        return;
    row->status = BATCH_FAILED;
    row->why = STR("Its record could not be read again.");
}

static void fail(Work *work, const Slot *slot, int code) {
    Batch *batch = work->batch;
    BatchRow *row = &batch->rows[slot->what.index];
    Str words = last_words(&batch->arena, &slot->job);
    bool again = slot->what.tries + 1 < MOST_TRIES;
    if (slot->is_late)
        words = STR("it took far too long");
    if (words.len == 0)
        words = str_format(
            &batch->arena,
            code < 0 ? "what grades it crashed" : "exit status %d", code);
    if (code == BATCH_USAGE) {
        row->status = BATCH_UNGRADABLE;
        again = false;
    }
    row->why = words;
    batch_log(batch, "%.*s: %s: %.*s", STR_ARG(row->id),
              again ? "tried again" : "given up", STR_ARG(words));
    if (again)
        put(work, (Waiting){.index = slot->what.index,
                            .tries = slot->what.tries + 1,
                            .not_before =
                                clock_ms() + 1000 * (slot->what.tries + 1)});
    else
        work->progress.done++;
}

// Something that all need is not there.
static void give_up(Work *work, const Slot *slot) {
    Batch *batch = work->batch;
    Str words = last_words(&batch->arena, &slot->job);
    batch_log(batch, "ended: %.*s", STR_ARG(words));
    work->code = batch_fail(batch, BATCH_MISSING, "%.*s", STR_ARG(words));
}

static void take_end(Work *work, Slot *slot) {
    int code = job_code(&slot->job);
    work->running--;
    if (code == BATCH_DONE) {
        take_record(work, &work->batch->rows[slot->what.index]);
        work->progress.done++;
    } else if (code == BATCH_MISSING) {
        give_up(work, slot);
    } else {
        fail(work, slot, code);
    }
}

static void reap(Work *work) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < work->slot_count; i++)
            if (job_take(&work->slots[i].job, pid, status))
                take_end(work, &work->slots[i]);
}

static void end_late(Work *work, Slot *slot) {
    double most = 60000.0 * MINUTES_A_SEED *
                  (double)work->batch->rows[slot->what.index].seed_count;
    if (!slot->job.pid || clock_ms() - slot->job.began < most)
        return;
    slot->is_late = true;
    job_end(&slot->job);
    take_end(work, slot);
}

// ---- the loop ------------------------------------------------------------

typedef struct Start {
    Batch *batch;
    size_t index;
} Start;

// A JobWork.
static int grade_one(void *context) {
    const Start *start = context;
    return batch_grade(start->batch, start->index);
}

static void start_more(Work *work) {
    for (size_t i = 0; i < work->slot_count && work->code == 0; i++) {
        Slot *slot = &work->slots[i];
        if (slot->job.pid || !take(work, &slot->what))
            continue;
        Start start = {work->batch, slot->what.index};
        slot->is_late = false;
        if (job_start(grade_one, &start, &slot->job)) {
            work->running++;
        } else { // no process can be had now
            slot->what.not_before = clock_ms() + 1000;
            put(work, slot->what);
        }
    }
}

static void wait_a_while(Work *work) {
    struct pollfd polled[MOST_JOBS];
    nfds_t count = 0;
    for (size_t i = 0; i < work->slot_count; i++)
        if (work->slots[i].job.pid)
            polled[count++] = (struct pollfd){.fd = work->slots[i].job.pipe,
                                              .events = POLLIN};
    poll(polled, count, PAUSE_MS);
    for (size_t i = 0; i < work->slot_count; i++) {
        job_read(&work->slots[i].job);
        end_late(work, &work->slots[i]);
    }
}

int batch_work(Batch *batch, const size_t *indices, size_t count) {
    Work *work = arena_new(&batch->arena, Work, 1);
    size_t jobs = batch->request.jobs;
    *work = (Work){.batch = batch,
                   .room = count + 1,
                   .slot_count = jobs < MOST_JOBS ? jobs : MOST_JOBS,
                   .progress = batch_progress(count)};
    work->queue = arena_new(&batch->arena, Waiting, work->room);
    for (int light = 0; light <= 1; light++)
        for (size_t i = 0; i < count; i++)
            if (batch->rows[indices[i]].is_heavy != light)
                put(work, (Waiting){.index = indices[i]});
    while (work->code == 0 && (work->waiting || work->running)) {
        start_more(work);
        wait_a_while(work);
        reap(work);
        tell(work, false);
    }
    for (size_t i = 0; i < work->slot_count; i++)
        job_free(&work->slots[i].job);
    if (count)
        tell(work, true);
    return work->code;
}
