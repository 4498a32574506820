// SPDX-License-Identifier: Apache-2.0
// Reads files whole, writes them so that no reader ever sees a part of one, and
// removes old ones. Errors are only reported as false, because a cache that
// does not work is no reason to stop.
#include "sandbox/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    ABANDONED_S = 3600,       // longer than any compilation
    SCRATCH_BYTES = 64 << 20, // more than a compilation writes
};

bool files_exist(Arena *arena, Str path) {
    return access(str_cstring(arena, path), F_OK) == 0;
}

Str files_find_program(Arena *arena, const char *name) {
    Str path = str_from(getenv("PATH"));
    while (path.len) {
        Str folder = str_cut(&path, ':');
        Str file = str_format(arena, "%.*s/%s", STR_ARG(folder), name);
        if (folder.len && access(file.ptr, X_OK) == 0)
            return file;
    }
    return (Str){0};
}

bool files_are_ours(Arena *arena, Str path) {
    struct stat info;
    return lstat(str_cstring(arena, path), &info) == 0 &&
           !S_ISLNK(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool read_all(int fd, char *bytes, size_t len) {
    size_t done = 0;
    while (done < len) {
        ssize_t n = read(fd, bytes + done, len - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool files_read(Arena *arena, Str path, size_t limit, Str *text) {
    // O_NONBLOCK: opening a FIFO must not block before we see that it is one.
    int fd = open(str_cstring(arena, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct stat info;
    bool ok = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
              (uint64_t)info.st_size <= limit;
    if (ok) {
        size_t len = (size_t)info.st_size;
        char *bytes = arena_new(arena, char, len + 1);
        ok = read_all(fd, bytes, len);
        *text = (Str){bytes, len};
    }
    close(fd);
    return ok;
}

bool files_make_folder(Arena *arena, Str path) {
    char *name = str_cstring(arena, path);
    for (size_t i = 1; i < path.len; i++) {
        if (name[i] != '/')
            continue;
        name[i] = '\0';
        mkdir(name, 0755);
        name[i] = '/';
    }
    struct stat info;
    return mkdir(name, 0755) == 0 ||
           (stat(name, &info) == 0 && S_ISDIR(info.st_mode));
}

static bool write_all(int fd, Str text) {
    size_t done = 0;
    while (done < text.len) {
        ssize_t n = write(fd, text.ptr + done, text.len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool files_write_atomic(Arena *arena, Str path, Str text) {
    Str pattern = str_format(arena, "%.*s-XXXXXX.tmp", STR_ARG(path));
    char *name = str_cstring(arena, pattern);
    int fd = mkostemps(name, 4, O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, text) && fsync(fd) == 0;
    ok = close(fd) == 0 && ok;
    ok = ok && rename(name, str_cstring(arena, path)) == 0;
    if (!ok)
        unlink(name);
    return ok;
}

Str files_absolute(Arena *arena, Str path) {
    char absolute[PATH_MAX];
    if (!realpath(str_cstring(arena, path), absolute))
        return path;
    return str_copy(arena, str_from(absolute));
}

bool files_have_room(Arena *arena, Str folder, uint64_t bytes) {
    struct statvfs info;
    if (statvfs(str_cstring(arena, folder), &info) != 0)
        return false;
    return (uint64_t)info.f_bavail * info.f_frsize >= bytes;
}

bool files_make_scratch(Arena *arena, Str cache_dir, Scratch *scratch,
                        Diags *diags) {
    Diags unheard = diags_new(arena);
    bool made = cache_dir.len &&
                files_have_room(arena, cache_dir, SCRATCH_BYTES) &&
                sandbox_make_scratch(arena, cache_dir, scratch, &unheard);
    if (!made && !sandbox_make_scratch(arena, (Str){0}, scratch, diags))
        return false;
    scratch->path = files_absolute(arena, scratch->path);
    return true;
}

void files_sweep_scratch(Arena *arena, Str cache_dir) {
    if (cache_dir.len)
        sandbox_sweep_scratch(arena, cache_dir);
    sandbox_sweep_scratch(arena, (Str){0});
}

// ---- pruning -------------------------------------------------------------

typedef struct Entry {
    Str path;
    uint64_t bytes;
    time_t changed;
} Entry;

typedef struct EntryList {
    Entry *items;
    size_t count, capacity;
    uint64_t bytes;
} EntryList;

static int by_age(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    return (x->changed > y->changed) - (x->changed < y->changed);
}

static void consider_entry(Arena *arena, EntryList *list, Str path, Str name,
                           Str prefix, Str suffix) {
    struct stat info;
    if (lstat(str_cstring(arena, path), &info) != 0)
        return;
    if (S_ISREG(info.st_mode) && str_starts(name, prefix) &&
        str_ends(name, suffix)) {
        arena_grow(arena, list->items, list->count, list->capacity);
        list->items[list->count++] =
            (Entry){path, (uint64_t)info.st_size, info.st_mtime};
        list->bytes += (uint64_t)info.st_size;
        return;
    }
    if (S_ISREG(info.st_mode) && str_ends(name, STR(".tmp")) &&
        time(NULL) - info.st_mtime > ABANDONED_S)
        unlink(str_cstring(arena, path));
}

void files_prune(Arena *arena, Str folder, Str prefix, Str suffix,
                 uint64_t bytes, size_t count) {
    DIR *listing = opendir(str_cstring(arena, folder));
    if (!listing)
        return;
    EntryList list = {0};
    for (struct dirent *e = readdir(listing); e; e = readdir(listing)) {
        Str name = str_copy(arena, str_from(e->d_name));
        Str path = str_format(arena, "%.*s/%s", STR_ARG(folder), e->d_name);
        consider_entry(arena, &list, path, name, prefix, suffix);
    }
    closedir(listing);
    if (list.count)
        qsort(list.items, list.count, sizeof(Entry), by_age);
    for (size_t i = 0; i < list.count; i++) {
        if (list.bytes <= bytes && list.count - i <= count)
            return;
        unlink(str_cstring(arena, list.items[i].path));
        list.bytes -= list.items[i].bytes;
    }
}
