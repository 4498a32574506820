// SPDX-License-Identifier: Apache-2.0
// clclab watch: what its files share.
//
//   watch.c       the command: what a save, a key and a signal do
//   watch_file.c  has the file been saved?
#ifndef CLCLAB_CLI_WATCH_H
#define CLCLAB_CLI_WATCH_H

#include "cli/internal.h"
#include "cli/screen/screen.h"
#include "sandbox/job.h"

// ---- watch_file.c --------------------------------------------------------

typedef struct FileLook { // what a look at the path saw
    bool is_there;
    uint64_t kind, device, inode, size;
    int64_t seconds, nanoseconds; // of its last change
} FileLook;

typedef struct WatchedFile {
    const char *path, *folder, *name;
    int inotify; // -1: there is none, and the file is polled
    int mark;    // inotify's number of the folder; -1: none
    int error;   // why it is polled; 0: that was asked for, or it is not
    FileLook last;
    bool is_pending; // a change was seen, which has not settled:
    double since;    // seen first at this time, and settled at this one;
    double settled;  // milliseconds of clock_ms
} WatchedFile;

// Looks at the file for the first time. The path must stay.
void watched_open(Arena *arena, Str path, bool polls, WatchedFile *file);
void watched_close(WatchedFile *file);
// Whether the file has been saved, deleted or replaced since it last said so.
// What happens within some 20 ms is one save.
bool watched_look(WatchedFile *file, double now);
// Milliseconds until the next look, unless inotify has something to read.
double watched_wait(const WatchedFile *file, double now);

#endif
