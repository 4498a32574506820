// SPDX-License-Identifier: Apache-2.0
// For the tests of cli/ at a terminal: a command in a child process, which has
// a terminal of its own, and whoever sits there, sees and types.
#ifndef CLCLAB_SEAT_H
#define CLCLAB_SEAT_H

#include "tests/unit/cli_room.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

typedef struct Seat { // at a terminal, where the command runs
    Room room;
    pid_t pid;
    int keyboard;
    Buf seen;    // all that was on the terminal
    size_t read; // of it, by seat_sees
    struct termios before;
} Seat;

static inline void seat_set_size(int terminal, uint16_t rows,
                                 uint16_t columns) {
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    CHECK_INT(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

// In the child: the terminal becomes its own.
static inline void sit_down(Seat *seat, int terminal, const char *line) {
    char *argv[16] = {(char *)"clclab"};
    int argc = 1 + split(&seat->room, line, argv + 1, 15);
    close(seat->keyboard);
    setsid();
    ioctl(terminal, TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++)
        dup2(terminal, i);
    _exit(cli_main(seat->room.program, argc, argv));
}

// The seat's room is open.
static inline void seat_sit(Seat *seat, const char *term, const char *line) {
    setenv("TERM", term, 1);
    seat->keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(grantpt(seat->keyboard) == 0 && unlockpt(seat->keyboard) == 0);
    int terminal = open(ptsname(seat->keyboard), O_RDWR | O_NOCTTY | O_CLOEXEC);
    seat_set_size(terminal, 24, 80);
    tcgetattr(terminal, &seat->before);
    fflush(stdout);
    seat->pid = fork();
    if (seat->pid == 0)
        sit_down(seat, terminal, line);
    close(terminal);
}

// Reads until the part is there, behind what the last call found. The limit is
// for what never comes: a machine may be slow.
static inline void seat_sees(Seat *seat, const char *part) {
    double end = clock_ms() + 600 * 1000;
    while (clock_ms() < end) {
        char block[4096];
        struct pollfd polled = {seat->keyboard, POLLIN, 0};
        Str rest = str_slice(buf_view(&seat->seen), seat->read, SIZE_MAX);
        const char *found =
            rest.len ? memmem(rest.ptr, rest.len, part, strlen(part)) : NULL;
        if (found) {
            seat->read += (size_t)(found - rest.ptr) + strlen(part);
            return;
        }
        ssize_t n = poll(&polled, 1, 1000) > 0
                        ? read(seat->keyboard, block, sizeof block)
                        : 0;
        if (n < 0)
            break;
        buf_bytes(&seat->seen, block, (size_t)n);
    }
    CHECK(false);
    kill(seat->pid, SIGKILL); // it would wait for keys
    printf("# not seen: %s, in:\n", part);
    Str rest = str_slice(buf_view(&seat->seen), seat->read, SIZE_MAX);
    while (rest.len > 0)
        printf("#   %.*s\n", STR_ARG(str_cut(&rest, '\n')));
}

static inline void seat_types(Seat *seat, const char *keys) {
    CHECK_INT(write(seat->keyboard, keys, strlen(keys)), strlen(keys));
}

// The command ends with that code, and no process of it is left; the room
// stays.
static inline void seat_leaves(Seat *seat, int code) {
    int status = 0;
    CHECK_INT(waitpid(seat->pid, &status, 0), seat->pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code);
    if (seat->keyboard >= 0)
        close(seat->keyboard);
    buf_free(&seat->seen);
}

static inline void seat_leave(Seat *seat, int code) {
    seat_leaves(seat, code);
    room_close(&seat->room);
}

#endif
