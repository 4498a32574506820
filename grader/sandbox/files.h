// SPDX-License-Identifier: Apache-2.0
// Whole files, for code that keeps the output of child processes: they are read
// at once, written so that no reader ever sees a part of one, and removed by
// age.
#ifndef CLCLAB_SANDBOX_FILES_H
#define CLCLAB_SANDBOX_FILES_H

#include "base/base.h"
#include "sandbox/sandbox.h"

// Reads a regular file of at most `limit` bytes.
bool files_read(Arena *arena, Str path, size_t limit, Str *text);
bool files_exist(Arena *arena, Str path);
// Looks for a program on PATH; empty: there is none.
Str files_find_program(Arena *arena, const char *name);
// Whether a file or folder is there, is no symbolic link, belongs to this user
// and can be changed by nobody else.
bool files_are_ours(Arena *arena, Str path);
bool files_make_folder(Arena *arena, Str path); // creates missing parents too
// Writes a temporary file in the same folder, calls fsync, and renames it.
bool files_write_atomic(Arena *arena, Str path, Str text);
// The absolute path without links; an unchanged path if it does not exist.
Str files_absolute(Arena *arena, Str path);
bool files_have_room(Arena *arena, Str folder, uint64_t bytes);
// A private folder for a compilation's temporary files: in the cache folder, if
// that is there and has room. Its path is absolute.
bool files_make_scratch(Arena *arena, Str cache_dir, Scratch *scratch,
                        Diags *diags);
// Removes the scratch folders that killed processes left where this makes them.
void files_sweep_scratch(Arena *arena, Str cache_dir);
// Removes the oldest files named prefix*suffix until at most `count` files with
// at most `bytes` in all are left. Also removes temporary files that an
// interrupted run left behind more than an hour ago.
void files_prune(Arena *arena, Str folder, Str prefix, Str suffix,
                 uint64_t bytes, size_t count);

#endif
