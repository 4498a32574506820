// SPDX-License-Identifier: Apache-2.0
// Prints a module of random programs (generate.h):
//
//   random-ptx [--set core|all] [--trace] [--count N] [--folder FOLDER] SEED
//
// Kernels rSEED, rSEED+1, ... of N (default 1), in one module; with a folder,
// one module each, FOLDER/rSEED.ptx (so that an assembler that fails fails
// one).
#include "tests/random/generate.h"

#include <stdlib.h>

static int usage(void) {
    fprintf(stderr, "usage: random-ptx [--set core|all] [--trace] [--count N] "
                    "[--folder FOLDER] SEED\n");
    return 2;
}

static int print_module(FILE *to, RandomSet set, bool trace, uint32_t seed,
                        uint32_t count) {
    Buf out = {0};
    random_module(&out, set, trace, seed, count);
    size_t written = fwrite(out.ptr, 1, out.len, to);
    int failed = written != out.len;
    buf_free(&out);
    return failed;
}

int main(int argc, char **argv) {
    RandomSet set = RANDOM_CORE;
    bool trace = false;
    uint32_t count = 1;
    const char *folder = NULL;
    int i = 1;
    for (; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "--trace"))
            trace = true;
        else if (!strcmp(argv[i], "--count"))
            count = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--folder"))
            folder = argv[++i];
        else if (!strcmp(argv[i], "--set"))
            set = strcmp(argv[++i], "all") ? RANDOM_CORE : RANDOM_ALL;
        else
            return usage();
    }
    if (i >= argc)
        return usage();
    uint32_t seed = (uint32_t)strtoul(argv[i], NULL, 10);
    if (!folder)
        return print_module(stdout, set, trace, seed, count);
    for (uint32_t k = 0; k < count; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/r%u.ptx", folder, seed + k);
        FILE *file = fopen(path, "w");
        if (!file || print_module(file, set, trace, seed + k, 1) ||
            fclose(file))
            return 1;
    }
    return 0;
}
