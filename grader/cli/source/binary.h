// SPDX-License-Identifier: Apache-2.0
// Device code that is compiled already.
#ifndef CLCLAB_CLI_BINARY_H
#define CLCLAB_CLI_BINARY_H

#include "cli/source/source.h"

// Fills in the texts of the build with the PTX of a file that fatbin_is_file.
int binary_read(Cli *cli, Str path, Str bytes, Build *build);

#endif
