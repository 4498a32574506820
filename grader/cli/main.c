// SPDX-License-Identifier: Apache-2.0
// The program. It only calls cli_main, so that tests can link everything else.
#include "cli/cli.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
