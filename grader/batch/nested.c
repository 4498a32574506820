// SPDX-License-Identifier: Apache-2.0
// Archives among the files: what a student has packed before she handed it in.
// Each is replaced by its files, as if it were a folder of its name; one that
// cannot be read stays, with its problem. An archive within such an archive is
// a file like others.
#include "batch/batch.h"
#include "batch/internal.h"

static void add_inner(Arena *arena, BatchList *list, const BatchFile *outer,
                      const BatchFiles *inner) {
    for (size_t i = 0; i < inner->count; i++) {
        BatchFile file = inner->items[i];
        Str path = file.path;
        while (file.is_lost && str_find(path, '/') < path.len)
            str_cut(&path, '/');
        file.is_inner = true;
        file.is_lost = false; // whose archive it is is known
        file.path =
            str_format(arena, "%.*s/%.*s", STR_ARG(outer->path), STR_ARG(path));
        batch_add_file(arena, list, file);
    }
}

// False: the machine cannot read archives now, and *why says why.
static bool unpack(Arena *arena, BatchList *list, BatchFile outer,
                   BatchSource *source, Str *why) {
    BatchFiles inner;
    *source = batch_read_archive(arena, outer.bytes, &inner, why);
    switch (*source) {
    case BATCH_READ:
        if (inner.count == 0)
            outer.problem = STR("It has no files.");
        break;
    case BATCH_NOT_THERE:
        outer.problem =
            str_format(arena, "It cannot be read: %.*s.", STR_ARG(*why));
        break;
    case BATCH_NO_LIBRARY:
    case BATCH_NOT_NOW:
        return false;
    }
    if (outer.problem.len)
        batch_add_file(arena, list, outer);
    else
        add_inner(arena, list, &outer, &inner);
    return true;
}

BatchSource batch_unpack(Arena *arena, BatchFiles *files, Str *why) {
    BatchFiles all = {.has_bytes = files->has_bytes};
    BatchList list = {.files = &all};
    BatchSource source = BATCH_READ;
    for (size_t i = 0; i < files->count; i++) {
        const BatchFile *file = &files->items[i];
        bool is_packed = batch_archive_suffix(file->path) > 0 &&
                         !file->problem.len && !file->is_lost;
        if (!is_packed)
            batch_add_file(arena, &list, *file);
        else if (!unpack(arena, &list, *file, &source, why))
            return source;
        if (all.count > BATCH_MOST_FILES) {
            *why = str_format(arena, "it has more than %d files",
                              BATCH_MOST_FILES);
            return BATCH_NOT_THERE;
        }
    }
    batch_sort_files(&all);
    *files = all;
    return BATCH_READ;
}
