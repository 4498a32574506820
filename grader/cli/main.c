// SPDX-License-Identifier: Apache-2.0
// The program: nothing but cli_main, so that tests can link all the rest.
#include "cli/cli.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
