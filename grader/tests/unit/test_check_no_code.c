// SPDX-License-Identifier: Apache-2.0
// Stores that left no code (check/no_code.c): none may be named in a kernel
// that is right. All solutions and right kernels that the compiler takes as
// they are are read with FULL=1, else some of them; skipped, in writing, where
// there is no toolkit.
//
// Works from the root of the repository.
#include "check/internal.h"
#include "compile/compile.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <glob.h>
#include <stdlib.h>

enum { TURNS = 8 }; // without FULL=1, one file of so many

// `cache`: a folder in which the headers are compiled once.
static const PtxModule *compile_file(Arena *arena, Str cache,
                                     Submission *submission) {
    static const Str common[] = {{"labs/common", 11}};
    CompileRequest request = {.path = submission->file,
                              .source = submission->source,
                              .include_dirs = common,
                              .include_count = 1,
                              .compiler = COMPILE_WITH_NVRTC,
                              .cache_dir = cache,
                              .stand_in_dir = STAND_INS};
    CompileResult result;
    Diags diags = diags_new(arena);
    if (compile_to_ptx(arena, &request, &result, &diags) != COMPILE_OK)
        return NULL;
    return ptx_parse(arena, submission->file, result.ptx, &diags);
}

// How many kernels of the file were looked at; none may have a find.
static size_t look_at(Arena *arena, Str cache, const char *path) {
    Submission submission = {.file = str_from(path)};
    size_t count = 0;
    NoCode found = {0};
    if (!files_read(arena, submission.file, 1 << 20, &submission.source))
        return 0;
    submission.module = compile_file(arena, cache, &submission);
    for (size_t i = 0; submission.module && i < submission.module->func_count;
         i++) {
        const PtxFunc *func = submission.module->funcs[i];
        if (!func->is_entry)
            continue;
        count++;
        if (no_code_find(&submission, func->name, &found))
            printf("# %s:%u\n", path, found.at.line);
        CHECK(found.at.line == 0);
    }
    return count;
}

static size_t look_at_all(Str cache, const char *pattern) {
    glob_t files;
    size_t count = 0;
    if (!CHECK_INT(glob(pattern, 0, NULL, &files), 0))
        return 0;
    size_t step = getenv("FULL") ? 1 : TURNS;
    for (size_t i = 0; i < files.gl_pathc; i += step) {
        SCOPED_ARENA(arena);
        count += look_at(&arena, cache, files.gl_pathv[i]);
    }
    globfree(&files);
    return count;
}

static bool has_nvrtc(void) {
    SCOPED_ARENA(arena);
    Diags diags = diags_new(&arena);
    ToolkitSearch search = toolkit_search_environment();
    Toolkit toolkit;
    if (toolkit_find(&arena, &search, &toolkit, &diags) && toolkit.nvrtc.len)
        return true;
    test_skip("no NVRTC of version 12.8 or newer");
    return false;
}

TEST(no_store_of_a_right_kernel_is_said_to_have_left_no_code) {
    if (!has_nvrtc())
        return;
    SCOPED_FOLDER(folder);
    Str cache = in_folder(&folder.arena, &folder, "cache");
    CHECK(look_at_all(cache, "solutions/*/*.cu") >= 4);
    CHECK(look_at_all(cache, "grader/tests/kernels/right/*.cu") >= 10);
    remove_folder(&folder.arena, cache);
}

TEST(a_loop_that_never_ends_has_left_no_code) {
    if (!has_nvrtc())
        return;
    SCOPED_ARENA(arena);
    Submission submission = {
        .file = STR("k.cu"),
        .source = STR("extern \"C\" __global__ void k(float *p, int n) {\n"
                      "    int i = threadIdx.x;\n"
                      "    p[n] = 1;\n"
                      "    while (i < n) {\n"
                      "        p[i] +=\n            2;\n"
                      "    }\n}\n")};
    NoCode found = {0};
    submission.module = compile_file(&arena, (Str){0}, &submission);
    if (!CHECK(submission.module != NULL))
        return;
    CHECK(no_code_find(&submission, STR("k"), &found));
    CHECK_INT(found.at.line, 5);
    CHECK(found.in_loop);
    CHECK_STR(found.name, "p");
    CHECK(!no_code_find(&submission, STR("other"), &found));
}

// What is found in a kernel with these lines, the first of which is line 2.
static NoCode found_in(Arena *arena, const char *lines) {
    Submission submission = {
        .file = STR("k.cu"),
        .source = str_format(arena,
                             "extern \"C\" __global__ void k(float *p, float "
                             "a) {\n%s}\n",
                             lines)};
    NoCode found = {0};
    submission.module = compile_file(arena, (Str){0}, &submission);
    if (CHECK(submission.module != NULL))
        CHECK(no_code_find(&submission, STR("k"), &found));
    return found;
}

TEST(a_store_of_what_was_read_from_there_is_told_from_one_not_reached) {
    if (!has_nvrtc())
        return;
    SCOPED_ARENA(arena);
    NoCode found = found_in(&arena, "    int i = threadIdx.x;\n"
                                    "    float v = p[ i ];\n"
                                    "    p[i] = v;\n"
                                    "    v = v * a;\n");
    CHECK_INT(found.at.line, 4);
    CHECK_INT(found.same_from, 3);
    CHECK_STR(found.value, "v");
    // It is changed, and the store is not reached.
    found = found_in(&arena, "    int i = threadIdx.x;\n"
                             "    float v = p[i];\n"
                             "    v *= a;\n"
                             "    if (i < 0)\n"
                             "        p[i] = v;\n");
    CHECK_INT(found.at.line, 6);
    CHECK_INT(found.same_from, 0);
    // It was read from elsewhere.
    found = found_in(&arena, "    float v = p[1];\n"
                             "    if (sizeof(a) == 1)\n"
                             "        p[0] = v;\n");
    CHECK_INT(found.same_from, 0);
}

static const TestCase cases[] = {
    TESTCASE(no_store_of_a_right_kernel_is_said_to_have_left_no_code),
    TESTCASE(a_loop_that_never_ends_has_left_no_code),
    TESTCASE(a_store_of_what_was_read_from_there_is_told_from_one_not_reached),
};

// This program is also its own compiling child.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
