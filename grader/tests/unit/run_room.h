// SPDX-License-Identifier: Apache-2.0
// A room in which `clclab run` is called, for its unit tests.
#ifndef CLCLAB_RUN_ROOM_H
#define CLCLAB_RUN_ROOM_H

#include "cli/run.h"
#include "tests/unit/cli_room.h"

// `clclab run` with the words of `line`.
static inline void call_run(Room *room, const char *line) {
    call(room, str_format(&room->arena, "run %s", line).ptr);
}

static inline void run_fails(Room *room, const char *line, int code,
                             const char *part) {
    call_fails(room, str_format(&room->arena, "run %s", line).ptr, code, part);
}

#define SIZE " --grid 1 --block 4 "

static inline bool parse(Room *room, const char *line, Args *args,
                         Str *message) {
    char *argv[40];
    int argc = split(room, line, argv, 40);
    *message = (Str){0};
    return args_parse(&room->arena, &RUN_COMMAND, argc, argv, args, message);
}

static inline int read_specs(Room *room, Cli *cli, const char *line,
                             RunArguments *arguments) {
    Str message;
    CHECK(parse(room, line, &cli->args, &message));
    int saved = dup(2), file = open("err.txt", O_RDWR | O_CREAT, 0600);
    dup2(file, 2);
    int code = run_read_arguments(cli, &run_own(cli)->arguments,
                                  &run_own(cli)->dumps, arguments);
    dup2(saved, 2);
    close(saved);
    close(file);
    return code;
}

#endif
