// SPDX-License-Identifier: Apache-2.0
// What a file is, by its name: a source, an archive, what a platform says of
// those who handed in, or nothing that is read.
#include "batch/batch.h"
#include "batch/internal.h"

size_t batch_archive_suffix(Str name) {
    static const Str suffixes[] = {
        STR(".zip"),     STR(".tar"),    STR(".tar.gz"),  STR(".tgz"),
        STR(".tar.bz2"), STR(".tar.xz"), STR(".tar.zst"), STR(".7z")};
    size_t longest = 0;
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (name.len > suffixes[i].len && str_ends(name, suffixes[i]) &&
            suffixes[i].len > longest)
            longest = suffixes[i].len;
    return longest;
}

bool batch_is_source(Str path) {
    return str_ends(path, STR(".cu")) || str_ends(path, STR(".txt"));
}

size_t batch_most(Str path) {
    if (batch_archive_suffix(path))
        return BATCH_MOST_PACKED;
    return batch_is_source(path) || str_ends(path, BATCH_METADATA)
               ? BATCH_MOST_SOURCE
               : 0;
}
