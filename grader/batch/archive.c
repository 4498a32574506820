// SPDX-License-Identifier: Apache-2.0
// The files of an archive: a tarball or a zip, in the usual compressions.
// A child reads it (archive_child.c) that can use memory and write to its
// parent, and nothing else: what it makes of a hostile archive is at most a
// wrong list. Nothing is ever unpacked to a path that an archive names.
//
//   child   batch_archive_child: each entry -> "KIND PATH-BYTES DATA-BYTES\n"
//           PATH DATA
//   parent  batch_read_archive: those -> BatchFiles; judges the paths
#include "batch/batch.h"
#include "batch/internal.h"
#include "sandbox/sandbox.h"

enum { CPU_SECONDS = 120 };

// Whether the path stays where it is unpacked.
static bool is_inside(Str path) {
    if (path.len == 0 || path.len > 4000 || path.ptr[0] == '/' ||
        str_find(path, '\0') < path.len || str_find(path, '\\') < path.len)
        return false;
    while (path.len > 0) {
        Str part = str_cut(&path, '/');
        if (part.len == 0 || str_equal(part, STR("..")))
            return false;
    }
    return true;
}

static Str problem_of(char kind, Str path) {
    switch (kind) {
    case 'l':
        return STR("It is a link.");
    case 'o':
        return STR("It is not a regular file.");
    case 'b':
        return STR("The archive is damaged here.");
    case 'z':
        return batch_most(path) == BATCH_MOST_PACKED
                   ? STR("It is larger than 16 MiB.")
                   : STR("It is larger than 1 MiB.");
    default:
        return (Str){0};
    }
}

// A part of it begins with a dot: no student is called so.
static bool is_hidden(Str path) {
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '.' && (i == 0 || path.ptr[i - 1] == '/'))
            return true;
    return false;
}

static void add_entry(Arena *arena, BatchList *list, char kind, Str path,
                      Str bytes) {
    while (str_starts(path, STR("./")))
        path = str_slice(path, 2, path.len);
    if (kind == 'd') {
        while (str_ends(path, STR("/")))
            path.len--;
        if (is_inside(path) && !is_hidden(path))
            batch_add_empty(arena, list, path);
        return;
    }
    BatchFile file = {
        .path = path, .bytes = bytes, .problem = problem_of(kind, path)};
    if (!is_inside(path)) {
        file.is_lost = true;
        file.problem = STR("Its path leads out of the archive.");
    }
    batch_add_file(arena, list, file);
}

// Takes "KIND PATH-BYTES DATA-BYTES\n" PATH DATA off *text; false: it is cut.
static bool next_entry(Str *text, char *kind, Str *path, Str *bytes) {
    Str head = str_cut(text, '\n'), word = str_cut(&head, ' ');
    uint64_t path_len, len;
    if (word.len != 1 || !str_to_u64(str_cut(&head, ' '), &path_len) ||
        !str_to_u64(head, &len) || path_len > text->len ||
        len > text->len - path_len)
        return false;
    *kind = word.ptr[0];
    *path = str_slice(*text, 0, path_len);
    *bytes = str_slice(*text, path_len, path_len + len);
    *text = str_slice(*text, path_len + len, text->len);
    return true;
}

// The error that the library gave, as the last entry; else empty.
static Str take_entries(Arena *arena, Str text, BatchFiles *files) {
    BatchList list = {.files = files};
    char kind;
    Str path, bytes;
    while (text.len > 0 && next_entry(&text, &kind, &path, &bytes)) {
        if (kind == 'e')
            return path;
        add_entry(arena, &list, kind, path, bytes);
    }
    batch_sort_files(files);
    return (Str){0};
}

BatchSource batch_read_archive(Arena *arena, Str text, BatchFiles *files,
                               Str *why) {
    SandboxJob job = {.body = batch_archive_child,
                      .context = &text,
                      .limits = {.cpu_s = CPU_SECONDS,
                                 .wall_s = 4 * CPU_SECONDS,
                                 .memory = (uint64_t)2 << 30,
                                 .output = (uint64_t)512 << 20}};
    SandboxResult result;
    Diags diags = diags_new(arena);
    *files = (BatchFiles){.has_bytes = true};
    if (!sandbox_run(arena, &job, &result, &diags)) {
        *why = diags.items[0].what;
        return BATCH_NOT_NOW;
    }
    Str error = take_entries(arena, result.out, files);
    bool ended = result.status == SANDBOX_EXITED;
    if (ended && result.code == 0)
        return BATCH_READ;
    if (ended && result.code == BATCH_EXIT_NO_LIBRARY) {
        *why = STR("libarchive.so.13 is not there (apt-get install "
                   "libarchive13), or unpack it yourself");
        return BATCH_NO_LIBRARY;
    }
    *why = error;
    if (!ended)
        *why = str_format(arena, "what reads it %.*s",
                          STR_ARG(sandbox_describe(arena, &job, &result)));
    return BATCH_NOT_THERE;
}
