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

// Files of a toolkit, each below the folder "t".
static Toolkit toolkit_of(Arena *arena, const Folder *folder,
                          const char *const *files, size_t count) {
    Toolkit toolkit;
    Diags diags = diags_new(arena);
    remove_folder(arena, in_folder(arena, folder, "t"));
    for (size_t i = 0; i < count; i++)
        write_file(arena, in_folder(arena, folder, files[i]),
                   STR("#define CUDA_VERSION 13000\n"));
    ToolkitSearch search = {.only = in_folder(arena, folder, "t")};
    toolkit_find(arena, &search, &toolkit, &diags);
    return toolkit;
}

// `path` without the folder "t" of the tests.
static Str below(const Folder *folder, Str path) {
    return str_slice(path, folder->path.len + 3, path.len);
}

TEST(toolkit_is_known_in_every_layout) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const headers[] = {"t/include",
                                          "t/targets/x86_64-linux/include",
                                          "t/targets/sbsa-linux/include"};
    static const char *const libraries[] = {"t/lib64",
                                            "t/lib",
                                            "t/targets/x86_64-linux/lib",
                                            "t/targets/sbsa-linux/lib",
                                            "t/lib/x86_64-linux-gnu",
                                            "t/lib/aarch64-linux-gnu"};
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so"};
    for (size_t h = 0; h < COUNT_OF(headers); h++)
        for (size_t l = 0; l < COUNT_OF(libraries); l++)
            for (size_t n = 0; n < COUNT_OF(names); n++) {
                Str header = str_format(&arena, "%s/cuda.h", headers[h]);
                Str library =
                    str_format(&arena, "%s/%s", libraries[l], names[n]);
                const char *const files[] = {header.ptr, library.ptr};
                Toolkit t = toolkit_of(&arena, &folder, files, 2);
                CHECK_INT(t.version, 13000);
                CHECK_INT(t.include_count, 1);
                CHECK_STR(below(&folder, t.include[0]), headers[h] + 2);
                CHECK_STR(below(&folder, t.nvrtc), library.ptr + 2);
            }
}

TEST(toolkit_prefers_newer_libraries_and_usual_folders) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const files[] = {"t/include/cuda.h",
                                        "t/include/cccl/cuda/ptx",
                                        "t/lib/libnvrtc.so.13",
                                        "t/lib64/libnvrtc.so",
                                        "t/lib64/libnvrtc.so.12",
                                        "t/lib/libnvJitLink.so.12",
                                        "t/lib/libnvJitLink.so",
                                        "t/bin/nvcc",
                                        "t/bin/ptxas"};
    Toolkit t = toolkit_of(&arena, &folder, files, COUNT_OF(files));
    CHECK_STR(below(&folder, t.nvrtc), "lib64/libnvrtc.so.12");
    CHECK_STR(below(&folder, t.nvjitlink), "lib/libnvJitLink.so.12");
    CHECK_STR(below(&folder, t.nvcc), "bin/nvcc");
    CHECK_STR(below(&folder, t.ptxas), "bin/ptxas");
    CHECK_INT(t.include_count, 2);
    CHECK_STR(below(&folder, t.include[1]), "include/cccl");
    t = toolkit_of(&arena, &folder, files, 1);
    CHECK_INT(t.include_count, 0); // no compiler: nothing was found
    CHECK_INT(t.root.len, 0);
}

static bool is_new_enough(Arena *arena, const Folder *folder,
                          const char *header) {
    Toolkit toolkit;
    Diags diags = diags_new(arena);
    fake_toolkit(arena, folder, "t", 13000, "bin/nvcc");
    write_file(arena, in_folder(arena, folder, "t/include/cuda.h"),
               str_from(header));
    ToolkitSearch search = {.only = in_folder(arena, folder, "t")};
    return toolkit_find(arena, &search, &toolkit, &diags);
}

TEST(toolkit_of_12_8_is_the_oldest) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const good[] = {
        "#define CUDA_VERSION 12080", "x\n#define CUDA_VERSION 12080 /* */\n",
        "#define CUDA_VERSION 999999\n", "#define CUDA_VERSION 19089\n"};
    static const char *const bad[] = {
        "",
        "#define CUDA_VERSION 12079\n",
        "#define CUDA_VERSION \n",
        "#define CUDA_VERSION 1000000\n",
        "#define CUDA_VERSION 99999999999999999999\n",
        "#define CUDA_VERSIONS 12080\n",
        "#define CUDA_VERSION x12080\n"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        CHECK(is_new_enough(&arena, &folder, good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(!is_new_enough(&arena, &folder, bad[i]));
    CHECK_STR(toolkit_version_name(&arena, 12085), "12.8");
    CHECK_STR(toolkit_version_name(&arena, 13110), "13.11");
}

TEST(toolkit_is_found_through_a_link_on_the_path) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "real", 13000, "bin/nvcc");
    write_file(&arena, in_folder(&arena, &folder, "usr/bin/other"), STR(""));
    CHECK_INT(symlink("../../real/bin/nvcc",
                      in_folder(&arena, &folder, "usr/bin/nvcc").ptr),
              0);
    write_file(&arena, in_folder(&arena, &folder, "odd/nvcc"), STR(""));
    ToolkitSearch search = {
        .path = str_format(&arena, ":%.*s/odd:%.*s/usr/bin/:/x",
                           STR_ARG(folder.path), STR_ARG(folder.path))};
    Toolkit toolkit;
    Diags diags = diags_new(&arena);
    CHECK(toolkit_find(&arena, &search, &toolkit, &diags));
    Str real = files_absolute(&arena, in_folder(&arena, &folder, "real"));
    CHECK_STR(toolkit.root, str_cstring(&arena, real));
    search.path = in_folder(&arena, &folder, "odd");
    CHECK(!toolkit_find(&arena, &search, &toolkit, &diags));
    CHECK_INT(toolkit.root.len, 0);
    CHECK_HOLDS(diags.items[0].what, "no other nvcc is on PATH.");
}

TEST(toolkit_folders_are_looked_at_once) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "std/cuda", 12000, "bin/nvcc");
    fake_toolkit(&arena, &folder, "std/cuda-11.0", 11000, "bin/nvcc");
    ToolkitSearch search = {.cuda_home =
                                in_folder(&arena, &folder, "std/cuda//"),
                            .cuda_path = in_folder(&arena, &folder, "std/cuda"),
                            .path = in_folder(&arena, &folder, "std/cuda/bin"),
                            .standard = in_folder(&arena, &folder, "std/")};
    Toolkit toolkit;
    Diags diags = diags_new(&arena);
    CHECK(!toolkit_find(&arena, &search, &toolkit, &diags));
    Str expected = str_format(
        &arena,
        "No CUDA toolkit of version 12.8 or newer was found. Looked at: "
        "%.*s/std/cuda (version 12.0), %.*s/std/cuda-11.0 (version 11.0); no "
        "other nvcc is on PATH.",
        STR_ARG(folder.path), STR_ARG(folder.path));
    CHECK_STR(diags.items[0].what, expected.ptr);
    CHECK(!toolkit_find_assembler(&arena, &search, &toolkit, &diags));
    CHECK_HOLDS(diags.items[1].what, "no other ptxas is on PATH.");
    CHECK_HOLDS(diags.items[1].what, "No assembler of PTX");
    CHECK_HOLDS(diags.items[1].help, "libnvjitlink");
}

TEST(toolkit_search_comes_from_the_environment) {
    static const char *const names[] = {"CLCLAB_TOOLKIT", "CUDA_HOME",
                                        "CUDA_PATH", "PATH"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        setenv(names[i], names[i], 1);
    ToolkitSearch search = toolkit_search_environment();
    CHECK_STR(search.only, "CLCLAB_TOOLKIT");
    CHECK_STR(search.cuda_home, "CUDA_HOME");
    CHECK_STR(search.cuda_path, "CUDA_PATH");
    CHECK_STR(search.path, "PATH");
    CHECK_STR(search.standard, "/usr/local");
}

TEST_MAIN(TESTCASE(pruning_removes_the_oldest_and_what_was_abandoned),
          TESTCASE(files_read_takes_regular_files_only),
          TESTCASE(toolkit_search_keeps_its_order),
          TESTCASE(toolkit_that_will_not_do_is_explained),
          TESTCASE(assembler_of_the_compilers_toolkit_comes_first),
          TESTCASE(assembler_may_be_all_there_is),
          TESTCASE(toolkit_is_known_in_every_layout),
          TESTCASE(toolkit_prefers_newer_libraries_and_usual_folders),
          TESTCASE(toolkit_of_12_8_is_the_oldest),
          TESTCASE(toolkit_is_found_through_a_link_on_the_path),
          TESTCASE(toolkit_folders_are_looked_at_once),
          TESTCASE(toolkit_search_comes_from_the_environment))
