// SPDX-License-Identifier: Apache-2.0
// Remembers that this machine's GPU has no Cluster Launch Control. To ask the
// driver takes a third of a second, ten times as long as a grade whose file has
// not changed, and each grade asks. What is remembered is a hash of what
// NVIDIA's kernel module says of itself and of each GPU, and of the variables
// that choose among them: with another driver, another GPU or another choice it
// is asked again. A GPU that can be used is never remembered, nor is a driver
// that failed.
#include "cli/judge/judge.h"
#include "cli/source/source.h"
#include "sandbox/files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 64, MOST_TEXT = 1 << 16 };

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The names in a folder, sorted.
static size_t list(Arena *arena, const char *path, char *names[MOST_GPUS]) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    size_t count = 0;
    while (folder && count < MOST_GPUS && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            names[count++] = str_cstring(arena, str_from(entry->d_name));
    if (folder)
        closedir(folder);
    if (count)
        qsort(names, count, sizeof names[0], by_text);
    return count;
}

static bool add_file(Arena *arena, Str path, Buf *out) {
    Str text, why;
    if (file_read(arena, path.ptr, MOST_TEXT, &text, &why) != FILE_READ)
        return false;
    buf_str(out, text);
    buf_byte(out, '\0');
    return true;
}

static void add_variables(Buf *out) {
    static const char *const names[] = {"CUDA_VISIBLE_DEVICES",
                                        "CUDA_DEVICE_ORDER", "CLCLAB_LIBCUDA"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        buf_str(out, str_from(value ? value : ""));
        buf_byte(out, value ? '=' : '\0');
    }
}

Str card_key(Arena *arena, Str proc) {
    char *names[MOST_GPUS];
    Buf all = {0};
    Str folder = str_format(arena, "%.*s/gpus", STR_ARG(proc));
    size_t count = list(arena, folder.ptr, names);
    bool is_known =
        count > 0 &&
        add_file(arena, str_format(arena, "%.*s/version", STR_ARG(proc)), &all);
    for (size_t i = 0; i < count && is_known; i++)
        is_known = add_file(
            arena, str_format(arena, "%s/%s/information", folder.ptr, names[i]),
            &all);
    add_variables(&all);
    Str key = is_known ? hash_sha256(arena, buf_view(&all)) : (Str){0};
    buf_free(&all);
    return key;
}

// Empty: there is nowhere to keep it.
static Str path_of(Arena *arena) {
    Str cache = submission_cache(arena);
    return cache.len ? str_format(arena, "%.*s/card", STR_ARG(cache))
                     : (Str){0};
}

bool card_is_remembered(Arena *arena, Str key) {
    Str path = path_of(arena), text;
    return key.len && path.len && files_are_ours(arena, path) &&
           files_read(arena, path, MOST_TEXT, &text) && str_equal(text, key);
}

void card_remember(Arena *arena, Str key) {
    Str cache = submission_cache(arena);
    if (key.len && cache.len && files_make_folder(arena, cache))
        files_write_atomic(arena, path_of(arena), key);
}
