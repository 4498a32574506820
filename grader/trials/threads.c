// SPDX-License-Identifier: Apache-2.0
// Tasks shared out among the threads of a crew, in rounds: read upwards from
// found. A round begins when a task is asked for that has not been begun, and
// with that task; the caller takes part in it as worker 0.
//
// Behind a task that is left to the caller none is begun before the caller has
// done it: what it learns from it, the workers of the next round know. So a
// kernel that loops for ever under one schedule does not take all workers.
#include "trials/share.h"

#include <stdatomic.h>

typedef struct Task {
    Arena arena; // of the result
    void *result;
    bool is_begun;
} Task;

typedef struct Threads {
    Share share;
    ShareThreads how;
    ShareWork work;
    size_t workers;     // that take part
    bool is_cut;        // their number has been cut to the memory that there is
    size_t count;       // of all tasks
    size_t first, end;  // of this round
    Task *tasks;        // [count]
    atomic_size_t next; // task of this round
} Threads;

// ---- a round -------------------------------------------------------------

static void take_part(void *context, size_t number) {
    Threads *t = context;
    size_t at;
    if (number >= t->workers)
        return;
    void *worker = share_begin_worker(&t->work, number);
    while ((at = atomic_fetch_add(&t->next, 1)) < t->end) {
        Task *task = &t->tasks[at];
        if (task->is_begun)
            continue;
        task->is_begun = true;
        task->result = t->work.task(t->work.context, worker, &task->arena, at);
        if (!task->result)
            atomic_store(&t->next, t->end);
    }
}

// What each worker needs is known when the caller has done a task.
static void cut_to_memory(Threads *t) {
    uint64_t each = heap_peak(), most = t->how.memory;
    if (!t->is_cut && most && each && most / each < t->workers)
        t->workers = most / each ? (size_t)(most / each) : 1;
    t->is_cut = true;
}

static void free_round(Threads *t) {
    for (size_t i = t->first; i < t->end; i++)
        arena_free(&t->tasks[i].arena);
}

// Without a number for each, all tasks are of one round, which goes on.
static void set_round(Threads *t, size_t first) {
    size_t left = t->count - first, most = t->how.each * t->workers;
    if (t->how.each == 0)
        return;
    free_round(t);
    t->first = first;
    t->end = first + (most < left ? most : left);
    for (size_t i = t->first; i < t->end; i++)
        t->tasks[i] = (Task){0};
}

static void begin_round(Threads *t, size_t first) {
    cut_to_memory(t);
    set_round(t, first);
    atomic_store(&t->next, first);
    if (t->workers > 1 && first + 1 < t->end)
        crew_run(t->how.crew, take_part, t);
}

// ---- the whole -----------------------------------------------------------

static void *found(Share *share, size_t task) {
    Threads *t = (Threads *)share;
    bool is_known = task >= t->first && task < t->end;
    if (!is_known || !t->tasks[task].is_begun)
        begin_round(t, task);
    return t->tasks[task].result;
}

static void end(Share *share) {
    Threads *t = (Threads *)share;
    free_round(t);
    heap_free(t->tasks);
    heap_free(t);
}

Share *share_in_threads(const ShareThreads *how, const ShareWork *work,
                        size_t count) {
    size_t workers = crew_workers(how->crew);
    if (workers < 2 || count < 2)
        return NULL;
    Threads *t = heap_alloc(1, sizeof *t);
    *t = (Threads){.share = {found, end},
                   .how = *how,
                   .work = *work,
                   .workers = workers,
                   .count = count,
                   .end = how->each ? 0 : count,
                   .tasks = heap_alloc(count, sizeof *t->tasks)};
    return &t->share;
}
