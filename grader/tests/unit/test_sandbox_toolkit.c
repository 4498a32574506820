// SPDX-License-Identifier: Apache-2.0
// Tests of sandbox/toolkit.h and sandbox/files.h: folders that look like
// toolkits, and files that come and go.
#include "sandbox/toolkit.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/stat.h>

// ---- files.c -------------------------------------------------------------

TEST(pruning_removes_the_oldest_and_what_was_abandoned) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const names[] = {"1.result", "2.result", "3.result",
                                        "old.tmp",  "new.tmp",  "other"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str path = in_folder(&arena, &folder, names[i]);
        write_file(&arena, path, STR("1234"));
        struct timespec when[2] = {{.tv_sec = 1000 + (long)i},
                                   {.tv_sec = 1000 + (long)i}};
        if (strcmp(names[i], "new.tmp") != 0)
            utimensat(AT_FDCWD, str_cstring(&arena, path), when, 0);
    }
    files_prune(&arena, folder.path, (Str){0}, STR(".result"), 8, 9);
    CHECK_INT(count_files(&arena, folder.path, ".result"), 2);
    CHECK(!files_exist(&arena, in_folder(&arena, &folder, "1.result")));
    CHECK(!files_exist(&arena, in_folder(&arena, &folder, "old.tmp")));
    CHECK(files_exist(&arena, in_folder(&arena, &folder, "new.tmp")));
    CHECK(files_exist(&arena, in_folder(&arena, &folder, "other")));
    files_prune(&arena, folder.path, (Str){0}, STR(".result"), 800, 1);
    CHECK_INT(count_files(&arena, folder.path, ".result"), 1);
    CHECK(files_exist(&arena, in_folder(&arena, &folder, "3.result")));
}

TEST(files_read_takes_regular_files_only) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str text, fifo = in_folder(&arena, &folder, "fifo");
    CHECK_INT(mkfifo(str_cstring(&arena, fifo), 0600), 0);
    CHECK(!files_read(&arena, fifo, 100, &text));
    CHECK(!files_read(&arena, folder.path, 100, &text));
    Str deep = in_folder(&arena, &folder, "a/b/c");
    write_file(&arena, deep, STR("12345"));
    CHECK(files_read(&arena, deep, 5, &text));
    CHECK_STR(text, "12345");
    CHECK(!files_read(&arena, deep, 4, &text));
    CHECK(!files_write_atomic(&arena, STR("/nonexistent/x"), text));
    CHECK(!files_have_room(&arena, folder.path, UINT64_MAX));
    CHECK_STR(files_absolute(&arena, STR("/usr/../usr")), "/usr");
    CHECK_STR(files_absolute(&arena, STR("no/such")), "no/such");
}

// ---- toolkit.c -----------------------------------------------------------

TEST(toolkit_search_keeps_its_order) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "home", 12080, "bin/nvcc");
    fake_toolkit(&arena, &folder, "path", 13010, "lib64/libnvrtc.so.13");
    fake_toolkit(&arena, &folder, "onpath", 12090, "bin/nvcc");
    fake_toolkit(&arena, &folder, "std/cuda-12.9", 12090, "bin/nvcc");
    fake_toolkit(&arena, &folder, "std/cuda-13.1", 13010, "bin/nvcc");
    fake_toolkit(&arena, &folder, "std/cuda-12.10", 12100, "bin/nvcc");
    ToolkitSearch search = {
        .cuda_home = in_folder(&arena, &folder, "home/"),
        .cuda_path = in_folder(&arena, &folder, "path"),
        .path = str_format(&arena, "/nonexistent::%.*s/onpath/bin",
                           STR_ARG(folder.path)),
        .standard = in_folder(&arena, &folder, "std"),
    };
    static const char *const order[] = {"home", "path", "onpath",
                                        "std/cuda-13.1"};
    Str *steps[] = {&search.cuda_home, &search.cuda_path, &search.path,
                    &search.standard};
    Diags diags = diags_new(&arena);
    Toolkit toolkit;
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        CHECK(toolkit_find(&arena, &search, &toolkit, &diags));
        Str root = in_folder(&arena, &folder, order[i]);
        CHECK_STR(toolkit.root, root.ptr);
        *steps[i] = STR("/nonexistent");
    }
    CHECK_INT(toolkit.version, 13010);
    CHECK_STR(toolkit_version_name(&arena, toolkit.version), "13.1");
    CHECK(!toolkit_find(&arena, &search, &toolkit, &diags));
}

TEST(toolkit_that_will_not_do_is_explained) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "old", 12060, "bin/nvcc");
    fake_toolkit(&arena, &folder, "bare", 13000, "README");
    ToolkitSearch search = {.cuda_home = in_folder(&arena, &folder, "old"),
                            .cuda_path = in_folder(&arena, &folder, "bare"),
                            .standard = STR("/nonexistent")};
    Diags diags = diags_new(&arena);
    Toolkit toolkit;
    CHECK(!toolkit_find(&arena, &search, &toolkit, &diags));
    if (!CHECK_INT(diags.count, 1))
        return;
    CHECK_HOLDS(diags.items[0].what, "/old (version 12.6), ");
    CHECK_HOLDS(diags.items[0].what,
                "/bare (neither libnvrtc.so nor bin/nvcc)");
    CHECK_HOLDS(diags.items[0].what, "/nonexistent/cuda (no cuda.h)");
    CHECK_HOLDS(diags.items[0].help, "CUDA_HOME");
    setenv("CLCLAB_TOOLKIT", "/nonexistent/only", 1);
    search = toolkit_search_environment();
    CHECK_STR(search.only, "/nonexistent/only");
    CHECK(!toolkit_find(&arena, &search, &toolkit, &diags));
    CHECK_HOLDS(diags.items[1].what, "CLCLAB_TOOLKIT");
}

// An assembler of another version may not know what the compiler writes.
TEST(assembler_of_the_compilers_toolkit_comes_first) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "old", 12060, "bin/ptxas");
    fake_toolkit(&arena, &folder, "new", 13000, "bin/nvcc");
    Str ptxas = in_folder(&arena, &folder, "new/bin/ptxas");
    write_file(&arena, ptxas, STR(""));
    ToolkitSearch search = {.cuda_home = in_folder(&arena, &folder, "old"),
                            .cuda_path = in_folder(&arena, &folder, "new")};
    Diags diags = diags_new(&arena);
    Toolkit toolkit;
    CHECK(toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    CHECK_STR(toolkit.ptxas, ptxas.ptr);
    CHECK_INT(toolkit.nvjitlink.len, 0);
    remove(ptxas.ptr);
    CHECK(toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    CHECK_STR(toolkit.root, search.cuda_home.ptr);
    CHECK_INT(toolkit.version, 12060);
    CHECK_INT(diags.count, 0);
}

TEST(assembler_may_be_all_there_is) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str library = in_folder(&arena, &folder, "a/lib/libnvJitLink.so.12");
    write_file(&arena, library, STR(""));
    Str program = in_folder(&arena, &folder, "b/bin/ptxas");
    write_file(&arena, program, STR(""));
    ToolkitSearch search = {.cuda_home = in_folder(&arena, &folder, "a"),
                            .path = in_folder(&arena, &folder, "b/bin")};
    Diags diags = diags_new(&arena);
    Toolkit toolkit;
    CHECK(toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    CHECK_STR(toolkit.nvjitlink, library.ptr);
    CHECK_INT(toolkit.version, 0);
    search.cuda_home = in_folder(&arena, &folder, "none");
    CHECK(toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    CHECK_STR(toolkit.ptxas, program.ptr);
    search.path = (Str){0};
    CHECK(!toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    if (CHECK_INT(diags.count, 1))
        CHECK_HOLDS(diags.items[0].what,
                    "/none (neither libnvJitLink.so nor bin/ptxas)");
}

TEST_MAIN(TESTCASE(pruning_removes_the_oldest_and_what_was_abandoned),
          TESTCASE(files_read_takes_regular_files_only),
          TESTCASE(toolkit_search_keeps_its_order),
          TESTCASE(toolkit_that_will_not_do_is_explained),
          TESTCASE(assembler_of_the_compilers_toolkit_comes_first),
          TESTCASE(assembler_may_be_all_there_is))
