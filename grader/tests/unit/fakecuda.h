// SPDX-License-Identifier: Apache-2.0
// The fake driver for unit tests, which is in the folder of the test's program.
// tests/fakecuda/options.h says what it can be told to do.
#ifndef CLCLAB_TEST_FAKECUDA_H
#define CLCLAB_TEST_FAKECUDA_H

#include "base/base.h"

#include <stdlib.h>
#include <unistd.h>

static inline void use_fake_cuda(Arena *arena, const char *options) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    Str folder = {path, n > 0 ? (size_t)n : 0};
    while (folder.len && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    Str library = str_format(arena, "%.*slibfakecuda.so", STR_ARG(folder));
    setenv("CLCLAB_LIBCUDA", library.ptr, 1);
    setenv("CLCLAB_FAKE_CUDA", options, 1);
}

#endif
