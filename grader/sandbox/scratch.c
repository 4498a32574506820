// SPDX-License-Identifier: Apache-2.0
// A private folder for the files of one job, and its removal.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FOLDERS = 16 }; // the most descriptors that nftw holds open

bool sandbox_make_scratch(Arena *arena, Str parent, Str *path, Diags *diags) {
    const char *temporary = getenv("TMPDIR");
    if (parent.len == 0)
        parent = temporary && *temporary ? str_from(temporary) : STR("/tmp");
    Str pattern = str_format(arena, "%.*s/clclab-XXXXXX", STR_ARG(parent));
    char *name = str_cstring(arena, pattern);
    if (!mkdtemp(name)) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "Cannot make a temporary folder in %.*s: %s.", STR_ARG(parent),
                 strerror(errno));
        return false;
    }
    *path = str_from(name);
    return true;
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *where) {
    (void)info, (void)kind, (void)where;
    remove(path);
    return 0; // goes on after an error, to remove as much as possible
}

void sandbox_remove_scratch(Arena *arena, Str path) {
    if (path.len)
        nftw(str_cstring(arena, path), remove_entry, OPEN_FOLDERS,
             FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
