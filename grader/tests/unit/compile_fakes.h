// SPDX-License-Identifier: Apache-2.0
// A toolkit of fakes, for tests of compile/: NVRTC is tests/fakenvrtc, nvcc a
// shell script. Works from the root of the repository: labs/common and
// grader/compile/include are looked for there.
#ifndef CLCLAB_TEST_COMPILE_FAKES_H
#define CLCLAB_TEST_COMPILE_FAKES_H

#include "tests/unit/compile_folder.h"

#include <sys/stat.h>

#define LIBRARY "t/lib64/libnvrtc.so.13"

// Bytes of a library in the folder of this program.
static inline Str read_library(Arena *arena, const char *name) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    Str folder = {path, n > 0 ? (size_t)n : 0}, bytes = {0};
    while (folder.len && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    CHECK(files_read(arena, str_format(arena, "%.*s%s", STR_ARG(folder), name),
                     64 << 20, &bytes));
    return bytes;
}

static inline void make_toolkit(Arena *arena, const Folder *folder) {
    fake_toolkit(arena, folder, "t", 13000, "lib64/libnvrtc.so.13");
    write_file(arena, in_folder(arena, folder, LIBRARY),
               read_library(arena, "libfakenvrtc.so"));
}

// A shell script that stands for nvcc. Its working folder is where its files
// are, and it writes to output.ptx.
static inline void make_nvcc(Arena *arena, const Folder *folder,
                             const char *script) {
    fake_toolkit(arena, folder, "t", 13000, "bin/nvcc");
    Str nvcc = in_folder(arena, folder, "t/bin/nvcc");
    write_file(arena, nvcc, str_format(arena, "#!/bin/sh\n%s\n", script));
    CHECK_INT(chmod(str_cstring(arena, nvcc), 0755), 0);
}

typedef struct Compiled {
    CompileResult result;
    Diags diags;
} Compiled;

static inline Compiled compile(Arena *arena, const Folder *folder,
                               CompileRequest request) {
    static const Str common[] = {{"labs/common", 11}};
    ToolkitSearch search = {.only = in_folder(arena, folder, "t")};
    Compiled out = {.diags = diags_new(arena)};
    request.search = &search;
    if (!request.path.ptr)
        request.path = STR("some/k.cu");
    if (!request.include_dirs) {
        request.include_dirs = common;
        request.include_count = 1;
    }
    if (!request.stand_in_dir.ptr)
        request.stand_in_dir = STAND_INS;
    CompileStatus status =
        compile_to_ptx(arena, &request, &out.result, &out.diags);
    CHECK_INT(out.result.status, status);
    CHECK((out.diags.errors == 0) == (status == COMPILE_OK));
    return out;
}

static inline Compiled compile_text(Arena *arena, const Folder *folder,
                                    const char *text) {
    return compile(arena, folder, (CompileRequest){.source = str_from(text)});
}

#endif
