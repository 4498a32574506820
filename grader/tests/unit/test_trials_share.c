// SPDX-License-Identifier: Apache-2.0
// copies.c: tasks in copies of the process. The process notices nothing of
// them, and what a copy does not do is known not to be done.
#include "tests/unit/test.h"
#include "trials/trials.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 40, COPIES = 3, STOPS = 7 };

// What a task is to do, and what the tasks of one copy have changed.
typedef struct Context {
    int changed;  // by each task of a copy
    int stops_by; // task STOPS: signal; 0: it does not; -1: exit
    size_t bytes; // that it takes
} Context;

typedef struct Found {
    size_t task;
    int changed;
    Str text;
} Found;

// As happens to a process; raise() would ask for the thread of the program.
static void be_stopped(int by) {
    volatile int *volatile nowhere = NULL;
    if (by < 0)
        exit(70);
    if (by == SIGABRT)
        abort();
    if (by == SIGSEGV)
        *nowhere = 1;
    kill(getpid(), by);
}

static void *find(void *context, void *worker, Arena *arena, size_t task) {
    (void)worker;
    Context *c = context;
    Found *found = arena_new(arena, Found, 1);
    c->changed++;
    if (task == STOPS && c->stops_by)
        be_stopped(c->stops_by);
    if (task == STOPS && c->bytes)
        memset(arena_new(arena, char, c->bytes), 1, c->bytes);
    *found = (Found){task, c->changed, str_format(arena, "task %zu", task)};
    return found;
}

static Share *share_out(size_t count, size_t copies,
                        void *(*task)(void *, void *, Arena *, size_t),
                        void *context) {
    return share_in_copies(&(ShareWork){.context = context, .task = task},
                           count, copies);
}

// How many tasks were done; each of them right.
static size_t count_done(Share *share) {
    size_t done = 0;
    for (size_t i = 0; i < TASKS; i++) {
        const Found *found = share_found(share, i);
        char text[24];
        if (!found)
            continue;
        snprintf(text, sizeof text, "task %zu", i);
        CHECK_INT(found->task, i);
        CHECK_STR(found->text, text);
        CHECK(found->changed >= 1);
        done++;
    }
    return done;
}

static size_t done_by(Context context) {
    Share *share = share_out(TASKS, COPIES, find, &context);
    CHECK(share != NULL);
    size_t done = count_done(share);
    CHECK_INT(context.changed, 0); // each changed its own
    share_end(share);
    return done;
}

TEST(all_tasks_are_done_from_the_memory_as_it_was) {
    CHECK_INT(done_by((Context){0}), TASKS);
    CHECK_INT(done_by((Context){.bytes = 1 << 20}), TASKS);
}

// The others do what the one would have done besides.
TEST(a_copy_that_is_ended_leaves_its_task_alone_undone) {
    static const int how[] = {SIGKILL, SIGSEGV, SIGABRT, SIGTERM, -1};
    for (size_t i = 0; i < COUNT_OF(how); i++) {
        // In a copy, SIGTERM waits: nobody but the program is asked to end.
        size_t lost = how[i] == SIGTERM ? 0 : 1;
        CHECK_INT(done_by((Context){.stops_by = how[i]}), TASKS - lost);
    }
}

TEST(a_task_that_finds_too_much_is_not_done) {
    CHECK_INT(done_by((Context){.bytes = 8 << 20}), TASKS - 1);
}

static void *wait_forever(void *context, void *worker, Arena *arena,
                          size_t task) {
    (void)context;
    (void)worker;
    while (task >= STOPS)
        pause();
    return arena_new(arena, Found, 1);
}

TEST(what_is_there_is_had_before_the_rest_is_done) {
    Share *share = share_out(TASKS, COPIES, wait_forever, NULL);
    for (size_t i = 0; i < STOPS; i++)
        CHECK(share_found(share, i) != NULL);
    share_end(share); // ends those that wait
    CHECK_INT(waitpid(-1, NULL, __WALL), -1);
}

TEST(what_is_not_worth_it_is_not_shared) {
    Context context = {0};
    CHECK(share_out(TASKS, 1, find, &context) == NULL);
    CHECK(share_out(TASKS, 0, find, &context) == NULL);
    CHECK(share_out(1, COPIES, find, &context) == NULL);
    CHECK(share_found(NULL, 3) == NULL);
    share_end(NULL);
}

// ---- the process notices nothing -----------------------------------------

static int the_writing = -1; // a pipe, into which handlers write
static volatile sig_atomic_t the_signals;

static void say(const char *what) {
    CHECK(write(the_writing, what, 1) == 1);
}

static void at_exit(void) {
    if (the_writing >= 0)
        say("x");
}

static void at_fork(void) {
    if (the_writing >= 0)
        say("f");
}

static void at_signal(int number) {
    the_signals++;
    say(number == SIGCHLD ? "c" : "s");
}

TEST(no_handler_runs_and_no_child_is_there_to_wait_for) {
    int pipes[2];
    char said[8];
    struct sigaction action = {.sa_handler = at_signal}, child, fault;
    CHECK_INT(pipe(pipes), 0);
    the_writing = pipes[1];
    atexit(at_exit);
    pthread_atfork(at_fork, at_fork, at_fork);
    sigaction(SIGCHLD, &action, &child);
    sigaction(SIGSEGV, &action, &fault);
    done_by((Context){0});
    done_by((Context){.stops_by = SIGSEGV});
    done_by((Context){.stops_by = -1});
    sigaction(SIGCHLD, &child, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    CHECK_INT(the_signals, 0);
    CHECK_INT(waitpid(-1, NULL, 0), -1);
    the_writing = -1;
    close(pipes[1]);
    CHECK_INT(read(pipes[0], said, sizeof said), 0); // nothing, and the end
    close(pipes[0]);
}

TEST(text_in_a_buffer_is_written_once) {
    FILE *file = tmpfile();
    CHECK(file && fputs("once", file) >= 0);
    done_by((Context){0});
    done_by((Context){.stops_by = -1});
    fflush(file);
    CHECK_INT(ftell(file), 4);
    fseek(file, 0, SEEK_END);
    CHECK_INT(ftell(file), 4);
    fclose(file);
}

TEST(a_signal_mask_is_put_back) {
    sigset_t mask;
    done_by((Context){0});
    sigprocmask(SIG_SETMASK, NULL, &mask);
    CHECK_INT(sigismember(&mask, SIGTERM), 0);
}

static void *wait_for_the_end(void *context) {
    pthread_mutex_lock(context);
    pthread_mutex_unlock(context);
    return NULL;
}

TEST(a_program_of_several_threads_is_not_copied) {
    pthread_t thread;
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    Context context = {0};
    pthread_mutex_lock(&held);
    CHECK_INT(pthread_create(&thread, NULL, wait_for_the_end, &held), 0);
    CHECK(share_out(TASKS, COPIES, find, &context) == NULL);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    CHECK_INT(done_by((Context){0}), TASKS);
}

// ---- an arena in memory of one's own -------------------------------------

TEST(an_arena_in_memory_goes_on_elsewhere_when_that_is_full) {
    static _Alignas(max_align_t) char memory[4096];
    Arena arena = arena_in(memory, sizeof memory);
    for (int i = 0; i < 3; i++) {
        char *bytes = arena_new(&arena, char, 1000);
        CHECK(bytes > memory && bytes + 1000 <= memory + sizeof memory);
        memset(bytes, 1, 1000);
        CHECK(arena_is_in(&arena, memory));
    }
    char *outside = arena_new(&arena, char, 2000);
    CHECK(outside < memory || outside >= memory + sizeof memory);
    CHECK(!arena_is_in(&arena, memory));
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(all_tasks_are_done_from_the_memory_as_it_was),
          TESTCASE(a_copy_that_is_ended_leaves_its_task_alone_undone),
          TESTCASE(a_task_that_finds_too_much_is_not_done),
          TESTCASE(what_is_there_is_had_before_the_rest_is_done),
          TESTCASE(what_is_not_worth_it_is_not_shared),
          TESTCASE(no_handler_runs_and_no_child_is_there_to_wait_for),
          TESTCASE(text_in_a_buffer_is_written_once),
          TESTCASE(a_signal_mask_is_put_back),
          TESTCASE(a_program_of_several_threads_is_not_copied),
          TESTCASE(an_arena_in_memory_goes_on_elsewhere_when_that_is_full))
