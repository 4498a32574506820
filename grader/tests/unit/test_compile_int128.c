// SPDX-License-Identifier: Apache-2.0
// An NVRTC that does not know --device-int128: what becomes of the options, of
// another one that it does not know, and of the loop of libcu++ that needs it.
#include "compile/compile.h"
#include "compile/internal.h"
#include "tests/unit/compile_fakes.h"
#include "tests/unit/test.h"

#define UNKNOWN "//fake unknown --device-int128\n"

static Compiled compile_flag(Arena *arena, const Folder *folder, Str *flag) {
    return compile(arena, folder,
                   (CompileRequest){
                       .source = STR(UNKNOWN), .flags = flag, .flag_count = 1});
}

TEST(it_is_asked_again_without) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str flag = STR("--maxrregcount=32");
    Compiled c = compile_flag(&arena, &folder, &flag);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_LACKS(c.result.ptx, "// option --device-int128\n");
    CHECK_HOLDS(c.result.ptx, "// option --maxrregcount=32\n");
    CHECK_STR(c.result.compiler, "NVRTC 13.1");
}

TEST(an_option_of_the_caller_is_an_error) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str flag = STR("--device-int128");
    Compiled c = compile_flag(&arena, &folder, &flag);
    CHECK_INT(c.result.status, COMPILE_BAD_FLAG);
    CHECK_INT(c.diags.errors, 1); // of one compilation
    CHECK_HOLDS(c.diags.items[0].what, "unrecognized option --device-int128");
}

TEST(another_option_of_ours_is_an_error) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c =
        compile_text(&arena, &folder, UNKNOWN "//fake unknown -lineinfo");
    CHECK_INT(c.result.status, COMPILE_BROKEN);
    CHECK_INT(c.diags.errors, 1);
    CHECK_HOLDS(c.diags.items[0].what, "the grader's options");
}

// It would be compiled as a loop that steals nothing.
TEST(the_loop_of_libcuxx_is_for_another_compiler) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    const char *source = UNKNOWN "// for_each_canceled_block\n";
    Compiled c = compile_text(&arena, &folder, source);
    CHECK_INT(c.result.status, COMPILE_UNAVAILABLE);
    CHECK_INT(c.diags.errors, 1);
    CHECK_HOLDS(c.diags.items[0].what, "for_each_canceled_block steals");
    make_nvcc(&arena, &folder, "echo '// by nvcc' >output.ptx");
    c = compile_text(&arena, &folder, source);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx, "// by nvcc");
}

static const TestCase cases[] = {
    TESTCASE(it_is_asked_again_without),
    TESTCASE(an_option_of_the_caller_is_an_error),
    TESTCASE(another_option_of_ours_is_an_error),
    TESTCASE(the_loop_of_libcuxx_is_for_another_compiler),
};

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
