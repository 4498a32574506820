// SPDX-License-Identifier: Apache-2.0
// A private folder for the files of one job, and its removal.
//
// Who makes a folder holds a lock on it until it has been removed; so does the
// job's supervisor, which removes it if its caller dies. A folder that nobody
// holds was left behind, and sandbox_sweep_scratch removes it. Between making a
// folder and locking it there is a moment in which another process may take it
// for one of those: so, with the lock, it is looked whether the folder is still
// in its place.
//
// Removal works on open folders, allocates nothing, and follows no link.
#include "sandbox/sandbox.h"

#include <dirent.h>
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

#define PREFIX "clclab-job-"

enum {
    DEEPEST = 64,       // folders in each other; a compiler makes two
    PASSES = 8,         // of removing, for who still writes into a folder
    TRIES = 100,        // of making a folder, while others sweep
    ABANDONED_S = 3600, // longer than any job
    OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
};

// ---- removing ------------------------------------------------------------

static void clear_folder(int folder, int depth);

static bool remove_entry(int folder, const char *name, int depth) {
    if (unlinkat(folder, name, 0) == 0)
        return true;
    struct stat outer, inner;
    int child = openat(folder, name, OPEN_FOLDER);
    if (child < 0)
        return false;
    bool here = fstat(folder, &outer) == 0 && fstat(child, &inner) == 0 &&
                outer.st_dev == inner.st_dev; // not another file system
    if (here && depth > 0)
        clear_folder(child, depth - 1);
    close(child);
    return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

// True: it removed something. On some file systems a pass skips entries then.
static bool clear_once(int folder, int depth) {
    _Alignas(struct dirent64) char entries[2048];
    bool any = false;
    lseek(folder, 0, SEEK_SET);
    for (;;) {
        ssize_t n = getdents64(folder, entries, sizeof entries);
        if (n <= 0)
            return any;
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            at += entry->d_reclen;
            bool dots = strcmp(entry->d_name, ".") == 0 ||
                        strcmp(entry->d_name, "..") == 0;
            if (!dots)
                any |= remove_entry(folder, entry->d_name, depth);
        }
    }
}

static void clear_folder(int folder, int depth) {
    for (int i = 0; i < PASSES && clear_once(folder, depth); i++)
        continue;
}

void sandbox_remove_scratch(const Scratch *scratch) {
    char name[PATH_MAX];
    if (scratch->path.len == 0)
        return;
    clear_folder(scratch->folder, DEEPEST);
    str_fill(name, sizeof name, scratch->path);
    rmdir(name);
    close(scratch->folder);
}

// ---- making --------------------------------------------------------------

static Str parent_of(Str parent) {
    const char *temporary = getenv("TMPDIR");
    if (parent.len)
        return parent;
    return temporary && *temporary ? str_from(temporary) : STR("/tmp");
}

// Whether the open folder is the one of that name.
static bool is_in_place(int folder, const char *name) {
    struct stat open, named;
    return fstat(folder, &open) == 0 && lstat(name, &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// Makes a folder and takes its lock. The folder, open; -1, with errno.
static int make_locked(char *name) {
    if (!mkdtemp(name))
        return -1;
    int folder = open(name, OPEN_FOLDER);
    if (folder < 0) {
        int why = errno;
        rmdir(name);
        errno = why;
        return -1;
    }
    while (flock(folder, LOCK_EX) != 0 && errno == EINTR)
        continue; // other errors: this file system has no locks
    if (is_in_place(folder, name))
        return folder;
    close(folder);
    errno = ENOENT;
    return -1;
}

bool sandbox_make_scratch(Arena *arena, Str parent, Scratch *scratch,
                          Diags *diags) {
    *scratch = (Scratch){.folder = -1};
    parent = parent_of(parent);
    Str pattern = str_format(arena, "%.*s/" PREFIX "XXXXXX", STR_ARG(parent));
    char *name = NULL;
    for (int i = 0; i < TRIES && scratch->folder < 0; i++) {
        name = str_cstring(arena, pattern);
        scratch->folder = make_locked(name);
    }
    if (scratch->folder >= 0) {
        scratch->path = str_from(name);
        return true;
    }
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "Cannot make a temporary folder in %.*s: %s.", STR_ARG(parent),
             strerror(errno));
    return false;
}

// ---- what was left behind ------------------------------------------------

// Takes the lock if nobody holds it. Where there are no locks, age decides.
static bool is_abandoned(int folder) {
    struct stat info;
    if (fstat(folder, &info) != 0 || info.st_uid != geteuid())
        return false;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0)
        return true;
    return errno != EWOULDBLOCK && time(NULL) - info.st_mtime > ABANDONED_S;
}

void sandbox_sweep_scratch(Arena *arena, Str parent) {
    DIR *listing = opendir(str_cstring(arena, parent_of(parent)));
    if (!listing)
        return;
    int above = dirfd(listing);
    for (struct dirent *e = readdir(listing); e; e = readdir(listing)) {
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        int folder = openat(above, e->d_name, OPEN_FOLDER);
        if (folder < 0)
            continue;
        if (is_abandoned(folder)) {
            clear_folder(folder, DEEPEST);
            unlinkat(above, e->d_name, AT_REMOVEDIR);
        }
        close(folder);
    }
    closedir(listing);
}
