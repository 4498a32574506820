// SPDX-License-Identifier: Apache-2.0
// clclab reset: a lab's file becomes the starter again, of which the lab has a
// copy in its folder starter/. What the learner wrote is kept beside it, under
// the first of FILE.1, FILE.2, ... that is free: nothing is ever overwritten.
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_KEPT = 10000 };

static int read_text(Cli *cli, int code, Str path, Str *text) {
    Str why;
    switch (file_read(&cli->arena, path.ptr, CLI_MAX_SOURCE, text, &why)) {
    case FILE_READ:
        return CLI_FULL_MARKS;
    case FILE_TOO_LARGE:
        return output_error(cli, code, "%.*s: it is larger than 1 MiB",
                            STR_ARG(path));
    case FILE_UNREADABLE:
        break;
    }
    return output_error(cli, code, "%.*s: %.*s", STR_ARG(path), STR_ARG(why));
}

static int cannot_keep(Cli *cli, const char *path) {
    return output_error(cli, CLI_USAGE,
                        "reset: cannot write %s: %s; nothing was changed", path,
                        strerror(errno));
}

// Writes the text to a file of its own beside `path`.
static int keep(Cli *cli, Str path, Str text, Str *kept) {
    int out = -1;
    for (int i = 1; out < 0 && i <= MOST_KEPT; i++) {
        *kept = str_format(&cli->arena, "%.*s.%d", STR_ARG(path), i);
        out = open(kept->ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out < 0 && errno != EEXIST)
            break;
    }
    if (out < 0)
        return cannot_keep(cli, kept->ptr);
    bool is_whole = output_write(out, text) && fsync(out) == 0;
    int error = errno;
    if (close(out) == 0 && is_whole)
        return CLI_FULL_MARKS;
    errno = is_whole ? errno : error;
    int code = cannot_keep(cli, kept->ptr);
    unlink(kept->ptr);
    return code;
}

static int say(Cli *cli, Str path, const char *is, Str kept) {
    Buf out = {0};
    utf8_escape(path, &out);
    buf_str(&out, str_from(is));
    utf8_escape(kept, &out);
    buf_byte(&out, '\n');
    int code = output_stdout(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

static int reset_lab(Cli *cli, const Course *course, const Lab *lab) {
    Arena *arena = &cli->arena;
    Str folder = str_format(arena, "%.*s/%.*s", STR_ARG(course->labs),
                            STR_ARG(lab->folder));
    Str path =
        str_format(arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(lab->file));
    Str pristine = str_format(arena, "%.*s/starter/%.*s", STR_ARG(folder),
                              STR_ARG(lab->file));
    Str starter, own, kept;
    struct stat status;
    int code = read_text(cli, CLI_MISSING, pristine, &starter);
    if (code != CLI_FULL_MARKS)
        return code;
    bool is_there = lstat(path.ptr, &status) == 0;
    if (is_there)
        code = read_text(cli, CLI_USAGE, path, &own);
    if (code != CLI_FULL_MARKS)
        return code;
    if (is_there && str_equal(own, starter))
        return say(cli, path, " is the starter already", STR(""));
    if (is_there)
        code = keep(cli, path, own, &kept);
    if (code == CLI_FULL_MARKS)
        code = output_file(cli, "reset", path.ptr, starter);
    if (code != CLI_FULL_MARKS)
        return code;
    return is_there
               ? say(cli, path, " is the starter again; your file is ", kept)
               : say(cli, path, " is the starter again", STR(""));
}

static int reset(Cli *cli) {
    Course course;
    Lab lab;
    int code;
    if (!course_find(cli, &course, &code))
        return code;
    code = course_lab(cli, &course, cli->args.words[0], &lab);
    return code == CLI_FULL_MARKS ? reset_lab(cli, &course, &lab) : code;
}

static const Option OPTIONS[] = {OPTION_ROOT, OPTION_LABS, OPTIONS_OF_ALL};

const CliCommand RESET_COMMAND = {
    .name = "reset",
    .summary = "Begin a lab's file anew",
    .example = "clclab reset 4",
    .words = "LAB",
    .least_words = 1,
    .most_words = 1,
    .more = "The lab's file is the starter again. Yours is kept beside it, as "
            "FILE.1, or as the\nfirst of FILE.2, FILE.3, ... that is free; its "
            "name is printed.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .run = reset,
};
