// SPDX-License-Identifier: Apache-2.0
// How far long work is, on a terminal: the line, where there is none, and that
// the process that writes it ends with the one that works.
#include "cli/screen/meter.h"

#include "tests/unit/seat.h"

#include <errno.h>

TEST(a_line_goes_over_the_one_before) {
    Buf out = {0};
    meter_line("schedules", 7, 1000, &out);
    CHECK_STR(buf_view(&out), "\r7 of 1000 schedules\x1b[K");
    buf_free(&out);
}

TEST(without_a_terminal_there_is_none) {
    Room room;
    room_open(&room);
    int before = dup(2), file = open("err", O_RDWR | O_CREAT, 0600);
    dup2(file, 2);
    Meter *meter = meter_open("schedules");
    dup2(before, 2);
    CHECK(meter == NULL);
    meter_tell(meter, 1, 2);
    meter_close(meter);
    close(before);
    close(file);
    room_close(&room);
}

static void seat_works(Seat *seat, const char *line) {
    *seat = (Seat){0};
    room_open(&seat->room);
    put("k.ptx", STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                     ".visible .entry k() { ret; }\n"));
    seat_sit(seat, "xterm", line);
}

// Until nobody has the terminal any more.
static void seat_ends(Seat *seat) {
    char block[4096];
    ssize_t n;
    int status;
    CHECK_INT(waitpid(seat->pid, &status, 0), seat->pid);
    while ((n = read(seat->keyboard, block, sizeof block)) > 0 ||
           (n < 0 && errno == EINTR))
        continue;
    CHECK_INT(errno, EIO);
    close(seat->keyboard);
    buf_free(&seat->seen);
    room_close(&seat->room);
}

TEST(work_on_a_terminal_shows_how_far_it_is) {
    Seat seat;
    // longer than anybody waits
    seat_works(&seat, "run k.ptx --grid 2000 --block 32 --schedules 100000");
    seat_sees(&seat, " of 100000 schedules\x1b[K");
    seat_sees(&seat, " of 100000 schedules\x1b[K");
    CHECK_INT(kill(seat.pid, SIGKILL), 0);
    seat_ends(&seat);
}

TEST(short_work_shows_nothing) {
    Seat seat;
    seat_works(&seat, "run k.ptx --grid 20 --block 32 --schedules 3");
    seat_sees(&seat, "3 schedules");
    CHECK_LACKS(buf_view(&seat.seen), " of 3 schedules");
    seat_leave(&seat, 0);
}

// Its process is gone then, not only told to end.
TEST(a_meter_that_is_closed_leaves_no_process) {
    Room room;
    room_open(&room);
    int before = dup(2), terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        room_close(&room);
        SKIP("no terminals");
    }
    int file = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    setenv("TERM", "xterm", 1);
    dup2(file, 2);
    Meter *meter = meter_open("schedules");
    meter_tell(meter, 1, 2);
    meter_close(meter);
    dup2(before, 2);
    CHECK(meter != NULL);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
    close(before);
    close(file);
    close(terminal);
    room_close(&room);
}

TEST_MAIN(TESTCASE(a_line_goes_over_the_one_before),
          TESTCASE(without_a_terminal_there_is_none),
          TESTCASE(work_on_a_terminal_shows_how_far_it_is),
          TESTCASE(short_work_shows_nothing),
          TESTCASE(a_meter_that_is_closed_leaves_no_process))
