// SPDX-License-Identifier: Apache-2.0
// A folder in place of a file, as platforms have for each submission: the
// source in it is graded, which clclab batch would grade.
#include "batch/batch.h"
#include "cli/source/source.h"

#include <sys/stat.h>

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int handed_in_find(Cli *cli, const Lab *lab, Str *file) {
    Arena *arena = &cli->arena;
    const char *folder = str_cstring(arena, *file);
    BatchFiles files;
    BatchSubmission submission;
    Str why;
    if (!is_folder(folder))
        return CLI_FULL_MARKS;
    if (batch_read_tree(arena, *file, &files, &why) != BATCH_READ)
        return output_error(cli, CLI_USAGE, "%s: %.*s", folder, STR_ARG(why));
    batch_choose(arena, &files, lab->file, &submission);
    if (submission.problem.len)
        return output_error(cli, CLI_USAGE, "%s: %.*s", folder,
                            STR_ARG(submission.problem));
    *file =
        str_format(arena, "%s/%.*s", folder, STR_ARG(submission.file->path));
    return CLI_FULL_MARKS;
}
