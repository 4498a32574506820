// SPDX-License-Identifier: Apache-2.0
// For the tests of cli/: a scratch folder, files in it, and calls of cli_main
// whose output is kept.
#ifndef CLCLAB_CLI_ROOM_H
#define CLCLAB_CLI_ROOM_H

#include "cli/internal.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/stat.h>

typedef struct Room {
    char folder[64];
    char program[80]; // in the folder, so that its course is the room's
    Arena arena;
    int code;     // of the last call
    Str out, err; // of the last call
} Room;

static inline void room_open(Room *room) {
    *room = (Room){0};
    strcpy(room->folder, "/tmp/clclab-test-XXXXXX");
    CHECK(mkdtemp(room->folder) != NULL);
    snprintf(room->program, sizeof room->program, "%s/clclab", room->folder);
    static const char *const cleared[] = {"CLCLAB_ROOT", "NO_COLOR",
                                          "CLICOLOR_FORCE"};
    for (size_t i = 0; i < COUNT_OF(cleared); i++)
        unsetenv(cleared[i]);
    setenv("XDG_STATE_HOME",
           str_format(&room->arena, "%s/state", room->folder).ptr, 1);
    // What is said without a GPU is tested on a machine that has one, too.
    setenv("CLCLAB_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    CHECK_INT(chdir(room->folder), 0);
}

static inline void room_close(Room *room) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", room->folder);
    CHECK_INT(system(command), 0);
    arena_free(&room->arena);
}

static inline void put(const char *path, Str text) {
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL))
        return;
    CHECK_INT(fwrite(text.ptr, 1, text.len, file), text.len);
    fclose(file);
}

// A toolkit in the room whose compiler gives this PTX for any source.
static inline void room_compiler(Room *room, const char *ptx) {
    Arena *arena = &room->arena;
    mkdir("toolkit", 0700);
    mkdir("toolkit/bin", 0700);
    mkdir("toolkit/include", 0700);
    put("toolkit/include/cuda.h", STR("#define CUDA_VERSION 13000\n"));
    put("toolkit/bin/nvcc",
        str_format(arena, "#!/bin/sh\ncat >output.ptx <<'END'\n%sEND\n", ptx));
    CHECK_INT(chmod("toolkit/bin/nvcc", 0700), 0);
    setenv("CLCLAB_TOOLKIT", str_format(arena, "%s/toolkit", room->folder).ptr,
           1);
    setenv("XDG_CACHE_HOME", str_format(arena, "%s/cache", room->folder).ptr,
           1);
}

static inline Str get(Arena *arena, const char *path) {
    Str text = {0}, why;
    CHECK_INT(file_read(arena, path, 1 << 20, &text, &why), FILE_READ);
    return text;
}

// The words of `line`, split at blanks.
static inline int split(Room *room, const char *line, char **argv, int most) {
    char *words = str_cstring(&room->arena, str_from(line));
    int argc = 0;
    for (char *word = strtok(words, " "); word && argc < most;
         word = strtok(NULL, " "))
        argv[argc++] = word;
    return argc;
}

// Calls cli_main with the words of `line`, split at blanks.
static inline void call(Room *room, const char *line) {
    char *argv[48] = {(char *)"clclab"};
    int argc = 1 + split(room, line, argv + 1, 47);
    fflush(stdout);
    int saved[2] = {dup(1), dup(2)};
    int files[2] = {open("out.txt", O_RDWR | O_CREAT | O_TRUNC, 0600),
                    open("err.txt", O_RDWR | O_CREAT | O_TRUNC, 0600)};
    dup2(files[0], 1);
    dup2(files[1], 2);
    room->code = cli_main(room->program, argc, argv);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], i + 1);
        close(saved[i]);
        close(files[i]);
    }
    room->out = get(&room->arena, "out.txt");
    room->err = get(&room->arena, "err.txt");
}

static inline void call_fails(Room *room, const char *line, int code,
                              const char *part) {
    call(room, line);
    if (!CHECK_INT(room->code, code))
        printf("# of: %s\n", line);
    CHECK_HOLDS(room->err, part);
    CHECK_STR(room->out, "");
}

#endif
