// SPDX-License-Identifier: Apache-2.0
// The program. It only calls cli_main, so that tests can link everything else.
#include "cli/cli.h"

#include <limits.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char path[PATH_MAX] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        path[0] = '\0';
    return cli_main(path, argc, argv);
}
