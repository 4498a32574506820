// SPDX-License-Identifier: Apache-2.0
// The folder of --out: its files, its lock, and batch.json, with which whoever
// goes on in it begins.
#include "batch/engine.h"
#include "sandbox/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PLAN = 1 << 16 }; // bytes of batch.json

// ---- files ---------------------------------------------------------------

const char *batch_path(Batch *batch, const char *format, ...) {
    Arena *arena = &batch->scratch;
    va_list args;
    va_start(args, format);
    Str name = str_vformat(arena, format, args);
    va_end(args);
    return str_format(arena, "%.*s/%.*s", STR_ARG(batch->out), STR_ARG(name))
        .ptr;
}

const char *batch_result_path(Batch *batch, const BatchRow *row, size_t k) {
    return k ? batch_path(batch, "results-%zu/%.*s.json", k + 1,
                          STR_ARG(row->id))
             : batch_path(batch, "results/%.*s.json", STR_ARG(row->id));
}

int batch_write(Batch *batch, const char *path, Str text) {
    Str why;
    switch (file_write(&batch->arena, path, text, &why)) {
    case FILE_WRITTEN:
        return BATCH_DONE;
    case FILE_UNWRITABLE:
        return batch_fail(batch, BATCH_USAGE, "batch: %.*s", STR_ARG(why));
    case FILE_NOT_NOW:
        break;
    }
    return batch_fail(batch, BATCH_TRY_LATER, "batch: %.*s", STR_ARG(why));
}

void batch_log(Batch *batch, const char *format, ...) {
    Arena arena = {0};
    Buf line = {0};
    char stamp[32];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ ", &parts);
    buf_str(&line, str_from(stamp));
    va_list args;
    va_start(args, format);
    utf8_escape(str_vformat(&arena, format, args), &line);
    va_end(args);
    buf_byte(&line, '\n');
    int file = open(batch_path(batch, "%s", batch->log),
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
        file_put(file, buf_view(&line));
        close(file);
    }
    buf_free(&line);
    arena_free(&arena);
}

// ---- the folder of --out -------------------------------------------------

int batch_make_folder(Batch *batch, const char *path) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return BATCH_DONE;
    int error = errno;
    if (error == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return BATCH_DONE;
    return batch_fail(
        batch,
        error == ENOSPC || error == EDQUOT ? BATCH_TRY_LATER : BATCH_USAGE,
        "--out: cannot make the folder %s: %s", path, strerror(error));
}

static int make_folders(Batch *batch) {
    static const char *const names[] = {"submissions", "results", "reports",
                                        "records"};
    int code = BATCH_DONE;
    for (size_t i = 0; i < COUNT_OF(names) && code == BATCH_DONE; i++)
        code = batch_make_folder(batch, batch_path(batch, "%s", names[i]));
    for (uint32_t k = 2; k <= batch->request.seeds && code == BATCH_DONE; k++)
        code = batch_make_folder(batch, batch_path(batch, "results-%u", k));
    return code;
}

// Removes the files of a folder but `kept`; where that is empty, what a batch
// that was killed had begun to write: such files have names that begin with a
// dot until they are whole (sandbox/paths.h). None of ours does.
void batch_sweep_folder(const char *path, Str kept) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (kept.len ? !str_equal(str_from(entry->d_name), kept)
                     : entry->d_name[0] == '.')
            unlinkat(dirfd(folder), entry->d_name, 0); // fails for "." and ".."
    if (folder)
        closedir(folder);
}

void batch_sweep(Batch *batch) {
    static const char *const names[] = {"results", "reports", "records"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        batch_sweep_folder(batch_path(batch, "%s", names[i]), (Str){0});
    for (uint32_t k = 2; k <= batch->request.seeds; k++)
        batch_sweep_folder(batch_path(batch, "results-%u", k), (Str){0});
}

// By a lock of the process (POSIX), which a child does not have: it is gone
// when the batch is, also if a grade that it had begun lives a moment longer.
static int take_lock(Batch *batch) {
    const char *path = batch_path(batch, ".lock");
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    batch->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (batch->lock < 0)
        return batch_fail(batch, BATCH_USAGE, "--out: %s: %s", path,
                          strerror(errno));
    if (fcntl(batch->lock, F_SETLK, &all) == 0 ||
        (errno != EACCES && errno != EAGAIN))
        return BATCH_DONE;
    return batch_fail(batch, BATCH_TRY_LATER,
                      "another batch is at work in %.*s: wait for it to end",
                      STR_ARG(batch->out));
}

uint32_t batch_draw(void) {
    uint32_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
        drawn = (uint32_t)time(NULL) ^ ((uint32_t)getpid() << 16);
    return drawn;
}

// Nobody has to remember it: it is written down, and can be given.
static uint64_t draw_seed(void) {
    uint32_t drawn = batch_draw();
    return drawn ? drawn : 2;
}

static int write_plan(Batch *batch) {
    Str text = str_format(
        &batch->arena,
        "{\n  \"schema\": \"clclab/batch/v1\",\n  \"lab\": \"%.*s\",\n"
        "  \"seed\": %llu,\n  \"ended\": %llu\n}\n",
        STR_ARG(batch->request.exercise), (unsigned long long)batch->seed,
        (unsigned long long)batch->ended);
    return batch_write(batch, batch_path(batch, "batch.json"), text);
}

int batch_end(Batch *batch) {
    batch->ended++;
    return write_plan(batch);
}

// The seed that is given, else that of the batch which this one goes on with,
// else a new one.
int batch_settle_seed(Batch *batch) {
    Arena *arena = &batch->arena;
    const char *path = batch_path(batch, "batch.json");
    Str text, why, json, lab;
    size_t at;
    const char *error;
    batch->seed = batch->request.has_seed ? batch->request.seed : draw_seed();
    if (file_read(arena, path, MOST_PLAN, &text, &why) != FILE_READ ||
        !json_check(text, &json, &at, &error))
        return write_plan(batch);
    lab = json_find_text(arena, json, "lab");
    if (!str_equal(lab, batch->request.exercise))
        return batch_fail(batch, BATCH_USAGE,
                          "--out: %.*s has the grades of %.*s: name another "
                          "folder",
                          STR_ARG(batch->out), STR_ARG(lab));
    if (!batch->request.has_seed)
        json_find_number(arena, json, "seed", &batch->seed);
    json_find_number(arena, json, "ended", &batch->ended);
    return write_plan(batch);
}

// Else the next batch would take what this one wrote for submissions.
static int check_apart(Batch *batch) {
    char source[PATH_MAX];
    if (!realpath(batch->request.source.ptr, source))
        return BATCH_DONE; // batch_read_class says why
    Str rest = batch->out, inside = str_from(source);
    if (!str_starts(rest, inside) ||
        (rest.len > inside.len && rest.ptr[inside.len] != '/'))
        return BATCH_DONE;
    return batch_fail(batch, BATCH_USAGE,
                      "--out: %.*s lies in the folder of submissions: name "
                      "one beside it",
                      STR_ARG(batch->out));
}

int batch_open(Batch *batch) {
    Arena *arena = &batch->arena;
    const char *given = str_cstring(arena, batch->request.out);
    int code = batch_make_folder(batch, given);
    if (code != BATCH_DONE)
        return code;
    char absolute[PATH_MAX];
    if (!realpath(given, absolute))
        return batch_fail(batch, BATCH_USAGE, "--out: %s: %s", given,
                          strerror(errno));
    batch->out = str_copy(arena, str_from(absolute));
    code = check_apart(batch);
    if (code == BATCH_DONE)
        code = take_lock(batch);
    return code == BATCH_DONE ? make_folders(batch) : code;
}
