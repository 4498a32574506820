// SPDX-License-Identifier: Apache-2.0
// clclab watch: what its files share.
//
//   watch.c           the command: what a save, a key and a signal do
//   watch_file.c      has the file been saved?
//   watch_page.c      what is on the screen, as bytes; it calls nothing
//   watch_terminal.c  the mode and the size of the terminal
#ifndef CLCLAB_CLI_WATCH_H
#define CLCLAB_CLI_WATCH_H

#include "cli/internal.h"
#include "sandbox/job.h"

#include <termios.h>

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
    double settled;  // milliseconds of shared_now_ms
} WatchedFile;

// Looks at the file for the first time. The path must stay.
void watched_open(Arena *arena, Str path, bool polls, WatchedFile *file);
void watched_close(WatchedFile *file);
// Whether the file has been saved, deleted or replaced since it last said so.
// What happens within some 20 ms is one save.
bool watched_look(WatchedFile *file, double now);
// Milliseconds until the next look, unless inotify has something to read.
double watched_wait(const WatchedFile *file, double now);

// ---- watch_page.c --------------------------------------------------------

typedef struct WatchLines {
    Str *items;
    size_t count;
} WatchLines;

// The text in lines of at most so many columns, broken at blanks where there
// are any. Escape sequences take no columns.
WatchLines watch_fit(Arena *arena, Str text, uint32_t columns);
// The first of the texts that fits; the last one, cut, if none does.
Str watch_pick(const Str *texts, size_t count, uint32_t columns);

typedef struct WatchPage {
    Str head, foot; // a line each
    WatchLines note, body;
    size_t top; // its first line on the screen
    uint32_t rows, columns;
} WatchPage;

size_t watch_room(const WatchPage *page); // lines of the body that it shows
void watch_draw(const WatchPage *page, Buf *out);

typedef enum WatchKey {
    KEY_NONE,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_BACK, // to the verdict
    KEY_FIRST_LETTER = 0x20,
} WatchKey;
// Takes the next key out of what was read.
WatchKey watch_key(Str *typed);

// ---- watch_terminal.c ----------------------------------------------------

typedef struct Terminal {
    bool has_keys;  // standard input is a terminal
    bool is_screen; // standard output can place its cursor, too
    struct termios before;
    uint32_t rows, columns;
} Terminal;

void terminal_open(Terminal *terminal);
// Keys without Enter, and a screen of its own; and back.
void terminal_enter(Terminal *terminal);
void terminal_leave(const Terminal *terminal);
void terminal_measure(Terminal *terminal);

#endif
