// SPDX-License-Identifier: Apache-2.0
// What the files of the room share.
#ifndef CLCLAB_BATCH_INTERNAL_H
#define CLCLAB_BATCH_INTERNAL_H

#include "batch/batch.h"

typedef struct BatchList { // of files that grows
    BatchFiles *files;
    size_t capacity;
} BatchList;

void batch_add_file(Arena *arena, BatchList *list, BatchFile file);
void batch_add_empty(Arena *arena, BatchList *list, Str folder);
// By path; empty are only those folders in which nothing lies.
void batch_sort_files(BatchFiles *files);
// Gradescope's, of those who handed in.
#define BATCH_METADATA STR("submission_metadata.yml")

// kinds.c: the length of ".tar.gz" at the end of a name; 0: it is no archive's.
size_t batch_archive_suffix(Str name);

// archive_child.c: the body of a SandboxJob. `context`: a Str, the archive's
// bytes. Its exit code is 0, or this, or another one: it is no archive.
enum { BATCH_EXIT_NO_LIBRARY = 3 };
int batch_archive_child(void *context, int out);

#endif
