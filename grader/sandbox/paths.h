// SPDX-License-Identifier: Apache-2.0
// Paths that a user gave, which may be anything: what is read, and what is
// written so that no reader ever sees a part of it, with the reason if it is
// not. files.h has the same for files of our own, where no reason is needed.
#ifndef CLCLAB_SANDBOX_PATHS_H
#define CLCLAB_SANDBOX_PATHS_H

#include "base/base.h"

typedef enum FileRead {
    FILE_READ,      // *text is the file
    FILE_TOO_LARGE, // the file has more than `limit` bytes
    FILE_UNREADABLE // *why: "No such file or directory", "it is a directory"
} FileRead;
FileRead file_read(Arena *arena, const char *path, size_t limit, Str *text,
                   Str *why);
bool file_exists(const char *path);  // of any kind
bool file_is_link(const char *path); // symbolic

typedef enum FileWrite {
    FILE_WRITTEN,
    FILE_UNWRITABLE, // *why, with the path: it must be another one
    FILE_NOT_NOW,    // *why: the disk is full, or the like
} FileWrite;
// Writes a temporary file ".NAME.XXXXXX" in the same folder, calls fsync, and
// renames it.
FileWrite file_write(Arena *arena, const char *path, Str text, Str *why);
// Writes all of the text to a descriptor; false, with errno, on an error.
bool file_put(int descriptor, Str text);

#endif
