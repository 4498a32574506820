// SPDX-License-Identifier: Apache-2.0
// What the tests of compile/ and of toolkits share: folders that are removed at
// the end of the scope, files in them, and fake toolkits. The functions are
// inline, so that a test may leave some of them unused.
#ifndef CLCLAB_TEST_COMPILE_FOLDER_H
#define CLCLAB_TEST_COMPILE_FOLDER_H

#include "compile/internal.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/personality.h>

#define STAND_INS STR("grader/compile/include")
#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

typedef struct Folder { // removed at the end of the scope
    Arena arena;
    Scratch scratch;
    Str path; // of the scratch folder
} Folder;

static inline void folder_remove(Folder *folder) {
    sandbox_remove_scratch(&folder->scratch);
    arena_free(&folder->arena);
}

static inline Folder folder_make(void) {
    Folder folder = {0};
    Diags diags = diags_new(&folder.arena);
    CHECK(
        sandbox_make_scratch(&folder.arena, (Str){0}, &folder.scratch, &diags));
    folder.path = folder.scratch.path;
    return folder;
}

#define SCOPED_FOLDER(name) \
    __attribute__((cleanup(folder_remove))) Folder name = folder_make()

static inline Str in_folder(Arena *arena, const Folder *folder,
                            const char *name) {
    return str_format(arena, "%.*s/%s", STR_ARG(folder->path), name);
}

// Removes a folder of a folder, with all that is in it.
static inline void remove_folder(Arena *arena, Str path) {
    int folder = open(str_cstring(arena, path), O_RDONLY | O_DIRECTORY);
    sandbox_remove_scratch(&(Scratch){path, folder});
}

static inline void write_file(Arena *arena, Str path, Str text) {
    Str parent = path;
    while (parent.len && parent.ptr[parent.len - 1] != '/')
        parent.len--;
    files_make_folder(arena, str_slice(parent, 0, parent.len - 1));
    CHECK(files_write_atomic(arena, path, text));
}

// The number of files in the folder whose name has this ending.
static inline int count_files(Arena *arena, Str folder, const char *suffix) {
    int count = 0;
    DIR *listing = opendir(str_cstring(arena, folder));
    if (!listing)
        return -1;
    for (struct dirent *e = readdir(listing); e; e = readdir(listing))
        count += e->d_name[0] != '.' &&
                 str_ends(str_from(e->d_name), str_from(suffix));
    closedir(listing);
    return count;
}

// The last file in the folder whose name has this ending; empty if none has.
static inline Str find_file(Arena *arena, Str folder, const char *suffix) {
    Str path = {0};
    DIR *listing = opendir(str_cstring(arena, folder));
    for (struct dirent *e = readdir(listing); e; e = readdir(listing))
        if (str_ends(str_from(e->d_name), str_from(suffix)))
            path = str_format(arena, "%.*s/%s", STR_ARG(folder), e->d_name);
    closedir(listing);
    return path;
}

// Whether this machine has what precompiled headers need.
static inline bool can_fix_addresses(void) {
    int now = personality(0xffffffff);
    bool can =
        now != -1 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1;
    personality((unsigned long)now);
    return can;
}

// The first of the names that `ls /` printed in bubblewrap, with blanks between
// them, that has no reason to be there; empty if each has one. Reasons: a
// job's own files, the system's programs and libraries, and that this folder or
// the working folder, wherever they are, is below it.
static inline Str seen_too_much(Arena *arena, const Folder *folder,
                                Str listing) {
    const char *own =
        " bin sbin usr lib lib32 lib64 libx32 etc dev proc clclab ";
    char *here = getcwd(NULL, 0);
    const Str below[] = {folder->path, str_from(here)};
    Str name = {0};
    for (Str rest = str_trim(listing); rest.len;) {
        name = str_cut(&rest, ' ');
        bool known =
            strstr(own, str_format(arena, " %.*s ", STR_ARG(name)).ptr);
        for (size_t i = 0; i < COUNT_OF(below); i++)
            known |= str_starts(str_format(arena, "%.*s/", STR_ARG(below[i])),
                                str_format(arena, "/%.*s/", STR_ARG(name)));
        if (!known)
            break;
        name = (Str){0};
    }
    free(here);
    return name;
}

// A fake toolkit of this version, whose compiler fails.
static inline void fake_toolkit(Arena *arena, const Folder *folder,
                                const char *name, int version,
                                const char *compiler) {
    Str root = in_folder(arena, folder, name);
    write_file(arena, str_format(arena, "%.*s/include/cuda.h", STR_ARG(root)),
               str_format(arena, "/* */\n#define CUDA_VERSION %d\n", version));
    write_file(arena, str_format(arena, "%.*s/%s", STR_ARG(root), compiler),
               STR("#!/bin/sh\nexit 1\n"));
}

#endif
