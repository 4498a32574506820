// SPDX-License-Identifier: Apache-2.0
// The files of a folder. Links are never followed: what is handed in may be a
// link to somebody else's work, or to the key.
#include "batch/batch.h"
#include "batch/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void batch_add_file(Arena *arena, BatchList *list, BatchFile file) {
    arena_grow(arena, list->files->items, list->files->count, list->capacity);
    list->files->items[list->files->count++] = file;
}

void batch_add_empty(Arena *arena, BatchList *list, Str folder) {
    batch_add_file(
        arena, list,
        (BatchFile){.path = str_format(arena, "%.*s/*", STR_ARG(folder)),
                    .problem = STR("There is no file in it."),
                    .is_none = true});
}

static int by_path(const void *a, const void *b) {
    Str x = ((const BatchFile *)a)->path, y = ((const BatchFile *)b)->path;
    size_t len = x.len < y.len ? x.len : y.len;
    int order = memcmp(x.ptr, y.ptr, len);
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

// Whether the neighbour of "ana/*" lies in ana/ too.
static bool is_with(const BatchFiles *files, size_t i, Str none) {
    return i < files->count &&
           str_starts(files->items[i].path, str_slice(none, 0, none.len - 1));
}

void batch_sort_files(BatchFiles *files) {
    size_t kept = 0;
    if (files->count)
        qsort(files->items, files->count, sizeof files->items[0], by_path);
    for (size_t i = 0; i < files->count; i++) {
        BatchFile *file = &files->items[i];
        if (file->is_none && (is_with(files, i + 1, file->path) ||
                              (i > 0 && is_with(files, i - 1, file->path))))
            continue;
        files->items[kept++] = *file;
    }
    files->count = kept;
}

static Str problem_of(const struct stat *status) {
    if (S_ISLNK(status->st_mode))
        return STR("It is a symbolic link.");
    if (!S_ISREG(status->st_mode))
        return STR("It is not a regular file.");
    return (Str){0};
}

static bool walk(Arena *arena, int folder, Str path, int depth,
                 BatchList *list);

static void enter(Arena *arena, int folder, const char *name, Str path,
                  int depth, BatchList *list) {
    int inner =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    Str problem = {0};
    if (depth == BATCH_MOST_DEPTH)
        problem = STR("It is a folder that lies too deep.");
    else if (inner < 0)
        problem = str_format(arena, "It cannot be read: %s.", strerror(errno));
    if (!problem.len) {
        size_t before = list->files->count;
        walk(arena, inner, path, depth + 1, list); // closes it
        if (list->files->count == before)
            batch_add_empty(arena, list, path);
        return;
    }
    if (inner >= 0)
        close(inner);
    batch_add_file(arena, list, (BatchFile){.path = path, .problem = problem});
}

static void take(Arena *arena, int folder, const char *name, Str above,
                 int depth, BatchList *list) {
    struct stat status;
    Str path = str_format(arena, "%.*s%s%s", STR_ARG(above),
                          above.len ? "/" : "", name);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        batch_add_file(
            arena, list,
            (BatchFile){.path = path,
                        .problem = str_format(arena, "It cannot be read: %s.",
                                              strerror(errno))});
    else if (S_ISDIR(status.st_mode))
        enter(arena, folder, name, path, depth, list);
    else
        batch_add_file(
            arena, list,
            (BatchFile){.path = path, .problem = problem_of(&status)});
}

// Closes the folder. False: it cannot be listed.
static bool walk(Arena *arena, int folder, Str path, int depth,
                 BatchList *list) {
    DIR *dir = fdopendir(folder);
    struct dirent *entry;
    if (!dir) {
        close(folder);
        return false;
    }
    while (list->files->count < BATCH_MOST_FILES && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            take(arena, dirfd(dir), entry->d_name, path, depth, list);
    closedir(dir);
    return true;
}

BatchSource batch_read_tree(Arena *arena, Str path, BatchFiles *files,
                            Str *why) {
    BatchList list = {.files = files};
    int folder =
        open(str_cstring(arena, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *files = (BatchFiles){0};
    if (folder < 0 || !walk(arena, folder, (Str){0}, 0, &list)) {
        *why = str_format(arena, "%s", strerror(errno));
        return BATCH_NOT_THERE;
    }
    if (files->count == BATCH_MOST_FILES) {
        *why = str_format(arena, "it has more than %d files",
                          BATCH_MOST_FILES - 1);
        return BATCH_NOT_THERE;
    }
    batch_sort_files(files);
    return BATCH_READ;
}
