// SPDX-License-Identifier: Apache-2.0
// A path that a user gave may be a directory, a FIFO without a writer, a
// device, a loop of links, or a file larger than memory. Only a regular file is
// read, never more than the limit, and opening never blocks. Only where there
// is nothing or a regular file is anything written: to a temporary file in the
// same folder, which is whole on the disk before it takes the place. Signals
// are blocked meanwhile, so that none leaves the temporary file behind.
#include "sandbox/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- reading -------------------------------------------------------------

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static bool is_regular(Arena *arena, const struct stat *status, Str *why) {
    if (S_ISREG(status->st_mode))
        return true;
    *why = str_format(arena, S_ISDIR(status->st_mode)
                                 ? "it is a directory"
                                 : "it is not a regular file");
    return false;
}

// An open descriptor of a regular file, or -1, and its size. Checks before
// opening, because opening some devices has effects, and again afterwards,
// because the path may have changed in between.
static int open_regular(Arena *arena, const char *path, off_t *size, Str *why) {
    struct stat status;
    int descriptor = -1;
    if (stat(path, &status) == 0) {
        if (!is_regular(arena, &status, why))
            return -1;
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *why = str_format(arena, "%s", strerror(errno));
    } else if (is_regular(arena, &status, why)) {
        *size = status.st_size;
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static bool read_up_to(int descriptor, char *bytes, size_t limit,
                       size_t *count) {
    *count = 0;
    while (*count < limit) {
        ssize_t got = read(descriptor, bytes + *count, limit - *count);
        if (got == 0)
            return true;
        if (got > 0)
            *count += (size_t)got;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

// Room for the size that the file reports, if it is within the limit. (Files of
// /proc report 0.)
static size_t room_for(off_t size, size_t limit) {
    return size <= 0 || (uint64_t)size > limit ? limit : (size_t)size;
}

FileRead file_read(Arena *arena, const char *path, size_t limit, Str *text,
                   Str *why) {
    off_t size;
    int descriptor = open_regular(arena, path, &size, why);
    if (descriptor < 0)
        return FILE_UNREADABLE;
    size_t room = room_for(size, limit) + 1;
    char *bytes = arena_new(arena, char, room);
    size_t count;
    bool right = read_up_to(descriptor, bytes, room, &count);
    if (!right)
        *why = str_format(arena, "%s", strerror(errno));
    close(descriptor);
    *text = (Str){bytes, count};
    if (!right)
        return FILE_UNREADABLE;
    return count > limit ? FILE_TOO_LARGE : FILE_READ;
}

// ---- writing -------------------------------------------------------------

bool file_put(int descriptor, Str text) {
    while (text.len > 0) {
        ssize_t count = write(descriptor, text.ptr, text.len);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0)
            text = str_slice(text, (size_t)count, text.len);
    }
    return true;
}

// "folder/.name.XXXXXX", in a buffer that mkstemp can write to.
static char *temporary_name(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    Str pattern =
        str_format(arena, "%.*s.%s.XXXXXX", (int)(name - path), path, name);
    return str_cstring(arena, pattern);
}

// The permissions that open(2) would have given.
static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool write_renamed(const char *path, char *temporary, Str text) {
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool right = file_put(descriptor, text) &&
                 fchmod(descriptor, usual_mode()) == 0 &&
                 fsync(descriptor) == 0;
    int error = errno;
    if (close(descriptor) != 0 && right) {
        right = false;
        error = errno;
    }
    if (right && rename(temporary, path) == 0)
        return true;
    error = right ? errno : error;
    unlink(temporary);
    errno = error;
    return false;
}

// Whether trying again later would not help.
static bool is_lasting(int error) {
    static const int lasting[] = {ENOENT, ENOTDIR, EACCES,       EPERM,
                                  EROFS,  EISDIR,  ENAMETOOLONG, ELOOP};
    for (size_t i = 0; i < COUNT_OF(lasting); i++)
        if (error == lasting[i])
            return true;
    return false;
}

FileWrite file_write(Arena *arena, const char *path, Str text, Str *why) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        *why =
            str_format(arena, "%s is there, and is not a regular file", path);
        return FILE_UNWRITABLE;
    }
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool right = write_renamed(path, temporary_name(arena, path), text);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (right)
        return FILE_WRITTEN;
    *why = str_format(arena, "cannot write %s: %s", path, strerror(error));
    return is_lasting(error) ? FILE_UNWRITABLE : FILE_NOT_NOW;
}
