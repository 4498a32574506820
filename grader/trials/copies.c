// SPDX-License-Identifier: Apache-2.0
// Tasks that start from the program's memory as it is now, shared out to
// processes: read upwards from share_in_copies. Each is a copy of the program,
// which copies a page when it writes to it, and leaves what it found in memory
// that all of them share.
//
// The program must not notice. A copy runs none of its code: no signal handler,
// no handler of fork or of exit; it writes to no file, and it is gone when
// share_end returns. It sends no SIGCHLD, and waiting for any child does not
// find it. Only a program of one thread is copied: another thread might hold a
// lock, of malloc for instance, that nobody would release in the copy.
#include "trials/share.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_COPIES = 16,
    SLAB = 4 << 20, // bytes for what one of them finds
};

// What all share. A slab for each copy follows, and then the end.
typedef struct Copies {
    Share share;
    size_t bytes; // of the mapping
    size_t count; // of tasks
    size_t copies;
    pid_t pids[MOST_COPIES]; // the program's; 0: it has ended
    uint8_t *slabs;
    atomic_size_t next;      // task
    atomic_uint news;        // changes when a task is done, or no more are
    char left;               // what a task has found that is left undone
    _Atomic(void *) found[]; // [count]; NULL: it is not done
} Copies;

typedef struct Copying {
    Copies *copies;
    const ShareWork *work;
    pid_t program;
} Copying;

// ---- in a copy -----------------------------------------------------------

// Goes before all handlers that the program has for its exit.
static void leave(void) {
    _exit(EXIT_FAILURE);
}

static void be_nobody(const Copying *copying) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != copying->program)
        _exit(EXIT_FAILURE);
    signal(SIGABRT, SIG_DFL); // all are blocked, but abort lets this one in
    close(STDERR_FILENO); // base/ says there that memory is lacking, and exits
    if (atexit(leave) != 0)
        _exit(EXIT_FAILURE);
}

static void tell_program(Copies *c) {
    atomic_fetch_add(&c->news, 1);
    syscall(SYS_futex, &c->news, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static _Noreturn void be_copy(const Copying *copying, size_t number) {
    Copies *c = copying->copies;
    const ShareWork *work = copying->work;
    void *slab = c->slabs + number * SLAB;
    Arena arena = arena_in(slab, SLAB);
    size_t task;
    be_nobody(copying);
    void *worker = share_begin_worker(work, number);
    while ((task = atomic_fetch_add(&c->next, 1)) < c->count) {
        void *found = work->task(work->context, worker, &arena, task);
        if (!arena_is_in(&arena, slab))
            break;
        if (!found)
            atomic_store(&c->next, c->count);
        atomic_store(&c->found[task], found ? found : &c->left);
        tell_program(c);
    }
    _exit(EXIT_SUCCESS);
}

// ---- in the program ------------------------------------------------------

static bool has_one_thread(void) {
    enum { ITSELF = 2 }; // and its parent; each thread is one more
    struct stat threads;
    return stat("/proc/self/task", &threads) == 0 &&
           threads.st_nlink == ITSELF + 1;
}

static Copies *new_copies(size_t count, size_t copies) {
    size_t head = sizeof(Copies) + count * sizeof(void *);
    head = round_up(head, SLAB);
    size_t bytes = head + copies * SLAB;
    Copies *c = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->bytes = bytes;
    c->count = count;
    c->copies = copies;
    c->slabs = (uint8_t *)c + head;
    return c;
}

// A copy without CLONE flags, and without a signal when it ends. The numbers of
// the arguments differ from machine to machine, but all are 0.
static pid_t copy(void) {
    return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

static bool has_ended(pid_t pid, int options) {
    int status;
    pid_t ended;
    do
        ended = waitpid(pid, &status, options | __WALL);
    while (ended < 0 && errno == EINTR);
    return ended != 0;
}

static bool is_any_left(Copies *c) {
    bool is_left = false;
    for (size_t i = 0; i < c->copies; i++) {
        if (c->pids[i] && has_ended(c->pids[i], WNOHANG))
            c->pids[i] = 0;
        is_left |= c->pids[i] != 0;
    }
    return is_left;
}

// A copy that is killed tells nothing.
static void *found(Share *share, size_t task) {
    static const struct timespec soon = {.tv_nsec = 5 * 1000 * 1000};
    Copies *c = (Copies *)share;
    void *result = NULL;
    bool is_left = true;
    while (is_left) {
        unsigned news = atomic_load(&c->news);
        is_left = is_any_left(c);
        result = atomic_load(&c->found[task]);
        if (result || !is_left)
            break;
        syscall(SYS_futex, &c->news, FUTEX_WAIT, news, &soon, NULL, 0);
    }
    return result == &c->left ? NULL : result;
}

static void end(Share *share) {
    Copies *c = (Copies *)share;
    for (size_t i = 0; i < c->copies; i++)
        if (c->pids[i]) {
            kill(c->pids[i], SIGKILL);
            has_ended(c->pids[i], 0);
        }
    munmap(c, c->bytes);
}

static void begin_copies(const Copying *copying) {
    Copies *c = copying->copies;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < c->copies; i++) {
        pid_t pid = copy();
        if (pid == 0)
            be_copy(copying, i);
        c->pids[i] = pid > 0 ? pid : 0;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

Share *share_in_copies(const ShareWork *work, size_t count, size_t copies) {
    copies = copies < count ? copies : count;
    copies = copies < MOST_COPIES ? copies : MOST_COPIES;
    if (copies < 2 || !has_one_thread())
        return NULL;
    Copies *c = new_copies(count, copies);
    if (!c)
        return NULL;
    c->share = (Share){found, end};
    begin_copies(&(Copying){c, work, getpid()});
    return &c->share;
}
