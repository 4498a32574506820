// SPDX-License-Identifier: Apache-2.0
// How far long work is, on a terminal: a line that is written again and again
// while it lasts, and is gone at its end. It goes to standard error, and only
// if that is a terminal; work of less than a second shows none.
//
// A process of its own writes it, from numbers in memory that it shares with
// who works, since that may be a process that can write nothing. It ends when
// the one that opened the meter does.
#ifndef CLCLAB_CLI_METER_H
#define CLCLAB_CLI_METER_H

#include "base/base.h"

typedef struct Meter Meter;

// `what`: "schedules". NULL: nothing will be shown; the others take that.
Meter *meter_open(const char *what);
// Of so much, so much is done. `meter` is a Meter *: see check.h, Tell.
void meter_tell(void *meter, uint64_t done, uint64_t of);
void meter_close(Meter *meter);
// The line, as a terminal is sent it.
void meter_line(const char *what, uint64_t done, uint64_t of, Buf *out);

#endif
