// SPDX-License-Identifier: Apache-2.0
// What tree.c and archive.c share.
#ifndef CLCLAB_BATCH_INTERNAL_H
#define CLCLAB_BATCH_INTERNAL_H

#include "batch/batch.h"

typedef struct BatchList { // of files that grows
    BatchFiles *files;
    size_t capacity;
} BatchList;

void batch_add_file(Arena *arena, BatchList *list, BatchFile file);
void batch_sort_files(BatchFiles *files); // by path
// The length of ".tar.gz" at the end of a name; 0: it is no archive's.
size_t batch_archive_suffix(Str name);

#endif
