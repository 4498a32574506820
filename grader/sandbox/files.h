// SPDX-License-Identifier: Apache-2.0
// Whole files, for those who start children and keep what these made: read at
// once, written so that no reader ever sees a part, thrown away by age.
#ifndef CLCLAB_SANDBOX_FILES_H
#define CLCLAB_SANDBOX_FILES_H

#include "base/base.h"

// A regular file of at most `limit` bytes.
bool files_read(Arena *arena, Str path, size_t limit, Str *text);
bool files_exist(Arena *arena, Str path);
bool files_make_folder(Arena *arena, Str path); // with its parents
// To a temporary file in the same folder; fsync; rename.
bool files_write_atomic(Arena *arena, Str path, Str text);
// Absolute, without links; as it is where it does not exist.
Str files_absolute(Arena *arena, Str path);
bool files_have_room(Arena *arena, Str folder, uint64_t bytes);
// A private folder for a compile's temporary files: in the cache folder, where
// it is cleared up even after a crash, or else as sandbox_make_scratch.
bool files_make_scratch(Arena *arena, Str cache_dir, Str *path, Diags *diags);
// Removes the oldest files named prefix*suffix until at most `bytes` in at
// most `count` files are left; and any folder or file of an interrupted run
// that is older than an hour.
void files_prune(Arena *arena, Str folder, Str prefix, Str suffix,
                 uint64_t bytes, size_t count);

#endif
