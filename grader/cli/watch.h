// SPDX-License-Identifier: Apache-2.0
// clclab watch: what its files share.
//
//   watch.c       the command: what a save, a key and a signal do
//   watch_show.c  what is on the screen, or is printed
//   watch_work.c  the children: a grade, a page
//   watch_file.c  has the file been saved?
#ifndef CLCLAB_CLI_WATCH_H
#define CLCLAB_CLI_WATCH_H

#include "cli/grade.h"
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

// ---- what a watch is -----------------------------------------------------

typedef struct WatchArgs {
    ScheduleArgs schedule;
    bool polls;
} WatchArgs;

typedef enum PageKind { PAGE_NONE, PAGE_TEXT, PAGE_HINT, PAGE_NOTE } PageKind;

typedef struct Watcher {
    Cli *cli;
    Course course;
    Lab lab;
    WatchedFile file;
    Terminal terminal;
    int signals;         // a descriptor
    GradeEnd *end;       // of the last grade, in memory that its child shares
    GradeArgs grading;   // its own options
    char number[12];     // of the lab, in words
    Job grade;           // its text is the verdict
    Buf verdict;         // of the last grade that ended
    char at[16];         // when that began, "14:03:07"
    Job work;            // for a page
    PageKind kind;       // of what that makes
    Buf page;            // shown instead of the verdict, unless it is empty
    Buf note;            // a line above the foot, until the next key
    size_t top;          // of what is shown
    uint64_t todo, rung; // of the last hint; 0: none
    size_t early;   // bytes that a grade said before its report and were shown
    bool is_asking; // whether to reset the lab
    bool has_ended;
} Watcher;

// ---- watch_show.c --------------------------------------------------------

typedef enum News { NEWS_NONE, NEWS_NOTE, NEWS_TEXT } News;

void watch_show(Watcher *watch, News news);
void watch_set_note(Watcher *watch, Str text); // to be shown
void watch_show_note(Watcher *watch, Str text);
void watch_show_page(Watcher *watch, Str text);
bool watch_has_points(const GradeEnd *end);
// "best 45  3/11 labs"
Str watch_progress(const Watcher *watch, Arena *arena, bool has_best);
// For what is done again and again: its arena has to be freed.
Cli watch_scratch(const Watcher *watch);

// ---- watch_work.c --------------------------------------------------------

void watch_begin_grade(Watcher *watch);
void watch_end_grade(Watcher *watch);
// What the grade says before its report, once.
void watch_show_early(Watcher *watch);
// The arguments of a command about the lab, with those of watch.
Args watch_args(Watcher *watch);
void watch_start_command(Watcher *watch, const CliCommand *command, Args args,
                         PageKind kind);
// Of the region that the last grade named, or of the one before.
void watch_start_hint(Watcher *watch);
void watch_start_all(Watcher *watch);
void watch_start_report(Watcher *watch);
void watch_end_work(Watcher *watch);
// The lab behind this one; empty: it is the last.
Str watch_find_next(const Watcher *watch, Arena *arena);

#endif
