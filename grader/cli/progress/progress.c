// SPDX-License-Identifier: Apache-2.0
// The file of the learner's progress: read whole, changed, and written whole
// under a lock, so that two grades at the same time lose nothing. A file of a
// later version is left alone; one that is none of ours is kept beside the new
// one, under another name.
#include "cli/progress/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "clclab progress "
enum { VERSION = 1, MOST_BYTES = 1 << 20, MOST_ITEMS = 4096, FIELDS = 7 };

// ---- where it is ---------------------------------------------------------

static Str state_folder(Arena *arena) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/')
        return str_format(arena, "%s/clclab", state);
    if (home && home[0] == '/')
        return str_format(arena, "%s/.local/state/clclab", home);
    return STR("");
}

static void make_folders(Arena *arena, Str path) {
    for (size_t i = 1; i <= path.len; i++)
        if (i == path.len || path.ptr[i] == '/')
            mkdir(str_cstring(arena, str_slice(path, 0, i)), 0700);
}

// The real path of the course's folder; empty if it cannot be a field.
static Str name_of(Arena *arena, const Course *course) {
    char *name = arena_new(arena, char, PATH_MAX);
    Str root = course->root.len ? course->root : STR(".");
    if (!realpath(str_cstring(arena, root), name) || strpbrk(name, "\t\n"))
        return (Str){0};
    return str_from(name);
}

// ---- reading -------------------------------------------------------------

typedef enum FileState {
    STATE_READ,
    STATE_NONE,
    STATE_NEWER,
    STATE_DAMAGED
} FileState;

typedef struct ProgressFile {
    Str folder, path;
    FileState state;
    LabProgress *items; // of all courses
    size_t count;
} ProgressFile;

// Points as they are written: whole, or with three decimals.
static bool read_points(Str text, double *points) {
    Str rest = text;
    uint64_t whole, part = 0;
    Str digits = str_cut(&rest, '.');
    if (!str_to_u64(digits, &whole) || whole > 1000000 ||
        (rest.len && (rest.len != 3 || !str_to_u64(rest, &part))))
        return false;
    *points = (double)whole + (double)part / 1000;
    return true;
}

static bool read_line(Str line, LabProgress *item) {
    Str fields[FIELDS];
    for (size_t i = 0; i < FIELDS; i++)
        fields[i] = i + 1 < FIELDS ? str_cut(&line, '\t') : line;
    *item = (LabProgress){.folder = fields[0], .course = fields[6]};
    return fields[0].len && fields[6].len &&
           read_points(fields[1], &item->best) &&
           read_points(fields[2], &item->last) &&
           read_points(fields[3], &item->most) &&
           str_to_u64(fields[4], &item->grades) &&
           str_to_u64(fields[5], &item->seconds);
}

static FileState read_head(Str head) {
    uint64_t version;
    if (!str_starts(head, STR(HEAD)) ||
        !str_to_u64(str_slice(head, sizeof HEAD - 1, head.len), &version))
        return STATE_DAMAGED;
    return version > VERSION ? STATE_NEWER : STATE_READ;
}

// Lines that are none are left out: what they said cannot be known.
static ProgressFile read_file(Arena *arena) {
    ProgressFile file = {.folder = state_folder(arena), .state = STATE_NONE};
    Str text, why;
    if (file.folder.len == 0)
        return file;
    file.path = str_format(arena, "%.*s/progress", STR_ARG(file.folder));
    switch (file_read(arena, file.path.ptr, MOST_BYTES, &text, &why)) {
    case FILE_UNREADABLE:
        return file;
    case FILE_TOO_LARGE:
        file.state = STATE_DAMAGED;
        return file;
    case FILE_READ:
        break;
    }
    file.state = read_head(str_cut(&text, '\n'));
    file.items = arena_new(arena, LabProgress, MOST_ITEMS);
    while (file.state == STATE_READ && text.len && file.count < MOST_ITEMS)
        file.count += read_line(str_cut(&text, '\n'), &file.items[file.count]);
    return file;
}

#define HINT "/hint/"

// The region whose hints the item is about, after the folder of its lab; 0: it
// is about something else.
static uint64_t hint_of(Str item, Str folder) {
    uint64_t todo;
    Str rest = str_slice(item, folder.len, item.len);
    bool is_hint =
        str_starts(item, folder) && str_starts(rest, STR(HINT)) &&
        str_to_u64(str_slice(rest, sizeof HINT - 1, rest.len), &todo);
    return is_hint ? todo : 0;
}

static bool is_hint(Str item) {
    return hint_of(item, str_slice(item, 0, str_find(item, '/'))) > 0;
}

uint64_t progress_hint(Cli *cli, const Course *course, Str folder,
                       uint64_t *todo) {
    ProgressFile file = read_file(&cli->arena);
    Str name = name_of(&cli->arena, course);
    for (size_t i = file.count; i-- > 0;) {
        uint64_t of = hint_of(file.items[i].folder, folder);
        if (of == 0 || (*todo && of != *todo) ||
            !str_equal(file.items[i].course, name))
            continue;
        *todo = of;
        return (uint64_t)file.items[i].last;
    }
    return 0;
}

Progress progress_read(Cli *cli, const Course *course) {
    ProgressFile file = read_file(&cli->arena);
    Str name = name_of(&cli->arena, course);
    Progress own = {file.items, 0};
    for (size_t i = 0; i < file.count; i++)
        if (str_equal(file.items[i].course, name) &&
            !is_hint(file.items[i].folder))
            own.items[own.count++] = file.items[i];
    return own;
}

static void tell_newer(Cli *cli, const ProgressFile *file) {
    if (file->state == STATE_NEWER)
        output_error(cli, 0,
                     "%s is of a later version of clclab: it stays as it is, "
                     "and no points are noted",
                     file->path.ptr);
}

void progress_tell(Cli *cli) {
    ProgressFile file = read_file(&cli->arena);
    tell_newer(cli, &file);
}

const LabProgress *progress_of(const Progress *progress, Str folder) {
    for (size_t i = 0; i < progress->count; i++)
        if (str_equal(progress->items[i].folder, folder))
            return &progress->items[i];
    return NULL;
}

bool progress_is_full(const LabProgress *lab) {
    return lab && lab->best >= lab->most;
}

#define QUIZ "/quiz"
#define CLINIC "clinic/"

Str progress_quiz(Arena *arena, Str folder) {
    return str_format(arena, "%.*s" QUIZ, STR_ARG(folder));
}

Str progress_case(Arena *arena, Str name) {
    return str_format(arena, CLINIC "%.*s", STR_ARG(name));
}

size_t progress_quizzes(const Progress *progress) {
    size_t full = 0;
    for (size_t i = 0; i < progress->count; i++)
        full += str_ends(progress->items[i].folder, STR(QUIZ)) &&
                progress_is_full(&progress->items[i]);
    return full;
}

size_t progress_cases(const Progress *progress) {
    size_t full = 0;
    for (size_t i = 0; i < progress->count; i++)
        full += str_starts(progress->items[i].folder, STR(CLINIC)) &&
                progress_is_full(&progress->items[i]);
    return full;
}

bool progress_at(Cli *cli, const Course *course, const Progress *progress,
                 Str *folder) {
    Str *folders;
    size_t count = course_list(cli, course, &folders);
    const LabProgress *latest = NULL;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const LabProgress *lab = progress_of(progress, folders[i]);
        bool later = lab && (!latest || lab > latest);
        if (progress_is_full(lab))
            continue;
        if (!found || later)
            *folder = folders[i];
        if (later)
            latest = lab;
        found = true;
    }
    return found;
}

int progress_lab(Cli *cli, const char *command, const Course *course,
                 Lab *lab) {
    Progress progress = progress_read(cli, course);
    Str folder;
    if (progress_at(cli, course, &progress, &folder))
        return course_lab(cli, course, str_cstring(&cli->arena, folder), lab);
    return output_error(cli, CLI_USAGE,
                        "%s: which lab? All have full marks already", command);
}

size_t progress_count(Cli *cli, const Course *course, const Progress *progress,
                      size_t *labs) {
    Str *folders;
    size_t full = 0;
    *labs = course_list(cli, course, &folders);
    for (size_t i = 0; i < *labs; i++)
        full += progress_is_full(progress_of(progress, folders[i]));
    return full;
}

// ---- writing -------------------------------------------------------------

static void write_points(Buf *out, double points) {
    uint64_t thousandths = (uint64_t)(points * 1000 + 0.5);
    buf_printf(out, "%llu", (unsigned long long)thousandths / 1000);
    if (thousandths % 1000)
        buf_printf(out, ".%03u", (uint32_t)(thousandths % 1000));
    buf_byte(out, '\t');
}

static void write_item(Buf *out, const LabProgress *item) {
    buf_printf(out, "%.*s\t", STR_ARG(item->folder));
    write_points(out, item->best);
    write_points(out, item->last);
    write_points(out, item->most);
    buf_printf(out, "%llu\t%llu\t%.*s\n", (unsigned long long)item->grades,
               (unsigned long long)item->seconds, STR_ARG(item->course));
}

// Adds what is known of the lab from earlier to the item, and takes it out.
static void take_old(ProgressFile *file, LabProgress *item) {
    for (size_t i = 0; i < file->count; i++) {
        LabProgress old = file->items[i];
        if (!str_equal(old.folder, item->folder) ||
            !str_equal(old.course, item->course))
            continue;
        bool same = old.most >= item->most && old.most <= item->most;
        if (same && old.best > item->best) // points of another lab.conf do
            item->best = old.best;         // not compare
        item->grades = old.grades + 1;
        memmove(&file->items[i], &file->items[i + 1],
                (--file->count - i) * sizeof old);
        return;
    }
}

// What was graded last is at the end. Of too many the oldest is forgotten.
static void put_item(ProgressFile *file, LabProgress item) {
    take_old(file, &item);
    if (file->count == MOST_ITEMS)
        memmove(file->items, file->items + 1,
                --file->count * sizeof *file->items);
    file->items[file->count++] = item;
}

static bool write_all(int descriptor, Str text) {
    while (text.len) {
        ssize_t n = write(descriptor, text.ptr, text.len);
        if (n <= 0 && errno != EINTR)
            return false;
        if (n > 0)
            text = str_slice(text, (size_t)n, text.len);
    }
    return true;
}

// In place of the old file, all or nothing.
static void replace(Arena *arena, const ProgressFile *file, Str text) {
    Str part = str_format(arena, "%.*s.part", STR_ARG(file->path));
    int out = open(part.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool whole = out >= 0 && write_all(out, text) && fsync(out) == 0;
    if (out >= 0)
        close(out);
    if (!whole || rename(part.ptr, file->path.ptr) != 0)
        unlink(part.ptr);
}

static void write_file(Arena *arena, const ProgressFile *file) {
    Buf out = {0};
    buf_printf(&out, HEAD "%d\n", VERSION);
    for (size_t i = 0; i < file->count; i++)
        write_item(&out, &file->items[i]);
    replace(arena, file, buf_view(&out));
    buf_free(&out);
}

static void keep_damaged(Cli *cli, const ProgressFile *file) {
    Str kept = str_format(&cli->arena, "%.*s.damaged", STR_ARG(file->path));
    if (rename(file->path.ptr, kept.ptr) == 0)
        output_error(cli, 0, "%s was damaged; it is now %s", file->path.ptr,
                     kept.ptr);
}

// Held until the descriptor is closed; -1: this file system has no locks, or
// the folder cannot be written to.
static int take_lock(Arena *arena, Str folder) {
    Str path = str_format(arena, "%.*s/progress.lock", STR_ARG(folder));
    int lock = open(path.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return lock;
}

void progress_note(Cli *cli, const Course *course, Str folder, double score,
                   double most) {
    Arena *arena = &cli->arena;
    Str state = state_folder(arena), name = name_of(arena, course);
    if (state.len == 0 || name.len == 0)
        return;
    make_folders(arena, state);
    int lock = take_lock(arena, state);
    ProgressFile file = read_file(arena);
    if (!file.items)
        file.items = arena_new(arena, LabProgress, MOST_ITEMS);
    if (file.state == STATE_DAMAGED)
        keep_damaged(cli, &file);
    tell_newer(cli, &file);
    put_item(&file, (LabProgress){.folder = folder,
                                  .best = score,
                                  .last = score,
                                  .most = most,
                                  .grades = 1,
                                  .seconds = (uint64_t)time(NULL),
                                  .course = name});
    if (file.state != STATE_NEWER)
        write_file(arena, &file);
    if (lock >= 0)
        close(lock);
}

void progress_note_hint(Cli *cli, const Course *course, Str folder,
                        uint64_t todo, uint64_t rung) {
    Str item = str_format(&cli->arena, "%.*s" HINT "%llu", STR_ARG(folder),
                          (unsigned long long)todo);
    progress_note(cli, course, item, (double)rung, (double)rung);
}
