// SPDX-License-Identifier: Apache-2.0
// Runs a program as on a kernel that lacks a guard of the sandbox:
//
//   without landlock|seccomp PROGRAM [ARGUMENT...]
//
// Exit 125 if the guard cannot be hidden, 127 if there is no such program.
#include "tools/hide.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    bool landlock = argc > 2 && strcmp(argv[1], "landlock") == 0;
    bool seccomp = argc > 2 && strcmp(argv[1], "seccomp") == 0;
    if (!(landlock && hide_landlock()) && !(seccomp && hide_seccomp())) {
        fprintf(stderr, "without: a guard and a program are needed, and a "
                        "kernel with seccomp\n");
        return 125;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "without: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
