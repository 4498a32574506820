// SPDX-License-Identifier: Apache-2.0
// Shows how far long work is: see meter.h. Read show, which is the process that
// writes, and meter_open.
#include "cli/screen/meter.h"

#include "cli/core/core.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_MS = 1000, EACH_MS = 250 };

typedef struct Counts {
    volatile uint64_t done, of;
} Counts;

// Only the counts are shared: the process that works may be taken over by what
// it works on, and these can do no more than show a wrong number.
struct Meter {
    const char *what;
    Counts *counts;
    pid_t pid;
    int end; // closed, this end of a pipe ends the process that writes
};

void meter_line(const char *what, uint64_t done, uint64_t of, Buf *out) {
    buf_printf(out, "\r%llu of %llu %s\x1b[K", (unsigned long long)done,
               (unsigned long long)of, what);
}

// Until the other end of the pipe is closed, by whoever still has it.
_Noreturn static void show(const Meter *meter, int pipe) {
    struct pollfd polled = {.fd = pipe, .events = POLLIN};
    bool is_shown = false;
    while (poll(&polled, 1, is_shown ? EACH_MS : FIRST_MS) == 0) {
        Buf line = {0};
        uint64_t of = meter->counts->of;
        if (of)
            meter_line(meter->what, meter->counts->done, of, &line);
        is_shown |= of > 0;
        output_write(STDERR_FILENO, buf_view(&line));
        buf_free(&line);
    }
    if (is_shown)
        output_write(STDERR_FILENO, STR("\r\x1b[K"));
    _exit(0);
}

static bool is_terminal(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && term[0] &&
           strcmp(term, "dumb") != 0;
}

static Counts *counts_new(void) {
    void *memory = mmap(NULL, sizeof(Counts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

Meter *meter_open(const char *what) {
    int ends[2];
    Counts *counts = is_terminal() ? counts_new() : NULL;
    if (!counts)
        return NULL;
    Meter *meter = heap_alloc(sizeof *meter, 1);
    *meter = (Meter){.what = what, .counts = counts, .pid = -1, .end = -1};
    if (pipe2(ends, O_CLOEXEC) == 0) {
        meter->end = ends[1];
        meter->pid = fork();
        if (meter->pid == 0) {
            close(ends[1]);
            show(meter, ends[0]);
        }
        close(ends[0]);
    }
    if (meter->pid > 0)
        return meter;
    meter_close(meter);
    return NULL;
}

void meter_tell(void *meter, uint64_t done, uint64_t of) {
    Counts *counts = meter ? ((Meter *)meter)->counts : NULL;
    if (!counts)
        return;
    counts->done = done;
    counts->of = of;
}

void meter_close(Meter *meter) {
    if (!meter)
        return;
    if (meter->end >= 0)
        close(meter->end);
    if (meter->pid > 0)
        waitpid(meter->pid, NULL, 0);
    munmap(meter->counts, sizeof *meter->counts);
    heap_free(meter);
}
