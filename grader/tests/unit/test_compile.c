// SPDX-License-Identifier: Apache-2.0
// compile/: that a source becomes PTX with the user's own file names, that
// every way to spoil a compilation ends in a clear status, and that the caches
// change nothing but the time. Most of it is skipped, in writing, where there
// is no CUDA toolkit; test_compile_parts.c needs none.
//
// Works from the root of the repository: labs/common and grader/compile/include
// are looked for there.
#include "compile/compile.h"
#include "compile/internal.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

// ---- requests ------------------------------------------------------------

typedef struct Compiled {
    CompileResult result;
    Diags diags;
} Compiled;

static Compiled compile(Arena *arena, CompileRequest request) {
    static const Str common[] = {{"labs/common", 11}};
    Compiled out = {.diags = diags_new(arena)};
    if (!request.path.ptr)
        request.path = STR("some/lab.cu");
    if (!request.include_dirs) {
        request.include_dirs = common;
        request.include_count = 1;
    }
    request.stand_in_dir = STAND_INS;
    CompileStatus status =
        compile_to_ptx(arena, &request, &out.result, &out.diags);
    CHECK_INT(out.result.status, status);
    CHECK((out.diags.errors == 0) == (status == COMPILE_OK));
    return out;
}

static Compiled compile_text(Arena *arena, const char *text) {
    return compile(arena, (CompileRequest){.source = str_from(text)});
}

// False, after saying so, where nothing can be compiled.
static bool has_toolkit(CompilerChoice compiler) {
    SCOPED_ARENA(arena);
    Diags diags = diags_new(&arena);
    ToolkitSearch search = toolkit_search_environment();
    Toolkit toolkit;
    if (!toolkit_find(&arena, &search, &toolkit, &diags)) {
        test_skip("no CUDA toolkit of version 12.8 or newer");
        return false;
    }
    if (compiler == COMPILE_WITH_NVCC ? toolkit.nvcc.len : toolkit.nvrtc.len)
        return true;
    test_skip(compiler == COMPILE_WITH_NVCC ? "this toolkit has no nvcc"
                                            : "this toolkit has no NVRTC");
    return false;
}

static void check_ends(Arena *arena, CompileRequest request,
                       CompileStatus status, const char *what, unsigned line) {
    Compiled c = compile(arena, request);
    CHECK_INT(c.result.status, status);
    if (!CHECK(c.diags.count > 0))
        return;
    CHECK_HOLDS(c.diags.items[0].what, what);
    CHECK_INT(c.diags.items[0].at.line, line);
    CHECK(c.diags.items[0].help.len > 0);
}

static void check_rejected(Arena *arena, CompileRequest request,
                           const char *what, unsigned line) {
    check_ends(arena, request, COMPILE_REJECTED, what, line);
}

#define SOURCE(text) ((CompileRequest){.source = STR(text)})

TEST(sources_that_cannot_be_are_rejected_before_compiling) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    check_rejected(&arena, SOURCE(" \n\t\n"), "empty", 1);
    check_rejected(&arena, SOURCE("int a;\nint \0b;\n"), "NUL", 2);
    Buf huge = {0};
    while (huge.len <= 1 << 20)
        buf_printf(&huge, "// 32 bytes for each line of it\n");
    check_rejected(&arena, (CompileRequest){.source = buf_view(&huge)},
                   "larger than 1 MiB", 0);
    buf_free(&huge);
    check_rejected(&arena, SOURCE("\n#include \"/etc/passwd\"\n"), "absolute",
                   2);
    check_rejected(&arena, SOURCE("#include <cuda/../../x>\n"), "\"..\"", 1);
}

TEST(flags_and_defines_that_cannot_be_are_named) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    static const char *const flags[] = {"-arch=sm_90", "file.cu", "-o", "-ptx",
                                        "--use-pch=x", "-D",      "-O0"};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        Str flag = str_from(flags[i]);
        CompileRequest r = {.source = STR("int x;"), .flags = &flag};
        r.flag_count = 1;
        check_ends(&arena, r, COMPILE_BAD_FLAG, flags[i], 0);
    }
    static const char *const defines[] = {"", "9A", "A\n#include <x>", " A"};
    for (size_t i = 0; i < COUNT_OF(defines); i++) {
        Str define = str_from(defines[i]);
        CompileRequest r = {.source = STR("int x;"), .defines = &define};
        r.define_count = 1;
        check_ends(&arena, r, COMPILE_BAD_FLAG, "defines no macro", 0);
    }
}

TEST(missing_toolkit_is_unavailable) {
    SCOPED_ARENA(arena);
    ToolkitSearch nowhere = {.standard = STR("/nonexistent")};
    Compiled c = compile(
        &arena, (CompileRequest){.source = STR("int x;"), .search = &nowhere});
    CHECK_INT(c.result.status, COMPILE_UNAVAILABLE);
    CHECK_HOLDS(c.diags.items[0].what, "/nonexistent/cuda");
}

TEST(library_that_cannot_be_loaded_is_unavailable) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "t", 13000, "lib64/libnvrtc.so.13");
    ToolkitSearch search = {.only = in_folder(&arena, &folder, "t")};
    CompileRequest r = {.source = STR("int x;"), .search = &search};
    Compiled c = compile(&arena, r);
    CHECK_INT(c.result.status, COMPILE_UNAVAILABLE);
    CHECK_HOLDS(c.diags.items[0].what, "Cannot load NVRTC");
    r.compiler = COMPILE_WITH_NVCC;
    c = compile(&arena, r);
    CHECK_INT(c.result.status, COMPILE_UNAVAILABLE);
    CHECK_HOLDS(c.diags.items[0].what, "has no nvcc");
}

TEST(words_that_are_no_message_are_shown_as_they_are) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    fake_toolkit(&arena, &folder, "t", 13000, "bin/nvcc");
    Str nvcc = in_folder(&arena, &folder, "t/bin/nvcc");
    write_file(&arena, nvcc,
               STR("#!/bin/sh\ngrep -q x source.cu || exec touch output.ptx\n"
                   "echo strange words\nexit 1\n"));
    CHECK_INT(chmod(str_cstring(&arena, nvcc), 0755), 0);
    ToolkitSearch search = {.only = in_folder(&arena, &folder, "t")};
    CompileRequest r = {.source = STR("int x;"), .search = &search};
    r.compiler = COMPILE_WITH_NVCC;
    check_rejected(&arena, r, "strange words", 1);
}

TEST(child_refuses_a_request_that_is_none) {
    SCOPED_ARENA(arena);
    const char *const argv[] = {"test", COMPILE_CHILD_ARGUMENT, NULL};
    SandboxJob job = {.argv = argv,
                      .program = "/proc/self/exe",
                      .input = STR("3:abc4:too few")};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_EXITED);
    CHECK_INT(result.code, 70);
    CHECK_INT(result.out.len, 0);
}

// ---- with a compiler -----------------------------------------------------

static const char light[] = "extern \"C\" __global__ void light(int *p) {\n"
                            "    p[0] = VALUE;\n"
                            "}\n";

static const char cluster_kernel[] =
    "#include \"lab.h\"\n"
    "namespace cg = cooperative_groups;\n"
    "namespace ptx = cuda::ptx;\n"
    "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"
    "void steal(float *data, int n) {\n"
    "    __shared__ uint4 answer;\n"
    "    __shared__ uint64_t bar;\n"
    "    if (threadIdx.x == 0)\n"
    "        ptx::mbarrier_init(&bar, 1);\n"
    "    cg::cluster_group::sync();\n"
    "    if (cg::cluster_group::thread_rank() == 0)\n"
    "        cg::invoke_one(cg::coalesced_threads(), [&]() {\n"
    "            ptx::clusterlaunchcontrol_try_cancel_multicast(\n"
    "                &answer, &bar); });\n"
    "    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))\n"
    "        data[n] *= compute_scalar();\n"
    "}\n";

TEST(nvrtc_makes_ptx_with_the_users_names) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Str define = STR("VALUE=41 + 1");
    CompileRequest r = {.source = str_from(light), .defines = &define};
    r.define_count = 1;
    r.compiler = COMPILE_WITH_NVRTC;
    Compiled c = compile(&arena, r);
    if (!CHECK_INT(c.result.status, COMPILE_OK))
        return;
    CHECK_HOLDS(c.result.ptx, ".target sm_100a");
    CHECK_HOLDS(c.result.ptx, ".entry light(");
    CHECK_HOLDS(c.result.ptx, "42;");
    CHECK_HOLDS(c.result.ptx, "\"some/lab.cu\"");
    CHECK_HOLDS(c.result.ptx, ".loc\t1 2 ");
    CHECK(str_ends(c.result.ptx, STR("\n"))); // nothing is cut off
    CHECK_HOLDS(c.result.compiler, "NVRTC 1");
    CHECK(!c.result.from_cache);
}

TEST(errors_are_where_the_user_made_them) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Compiled c =
        compile_text(&arena, "extern \"C\" __global__ void k(int *p) {\n"
                             "\tp[0] = nope;\n    int unused;\n}\n");
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    if (!CHECK_INT(c.diags.count, 2))
        return;
    CHECK_STR(c.diags.items[0].at.file, "some/lab.cu");
    CHECK_INT(c.diags.items[0].at.line, 2);
    CHECK_INT(c.diags.items[0].at.col, 9);
    CHECK_STR(c.diags.items[0].what, "identifier \"nope\" is undefined");
    CHECK_INT(c.diags.items[1].level, DIAG_WARNING);
    CHECK_INT(c.diags.items[1].at.line, 3);
    CHECK(c.result.ptx.len == 0);
}

TEST(stand_ins_serve_device_code) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Compiled c = compile_text(
        &arena,
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <stddef.h>\n#include <string.h>\n#include <assert.h>\n"
        "#include <math.h>\n#include <limits.h>\n#include <float.h>\n"
        "#include <stdbool.h>\n#include <time.h>\n#include <cstdint>\n"
        "#include <cstdio>\n#include <cstdlib>\n#include <cstddef>\n"
        "#include <cstring>\n#include <cassert>\n#include <cmath>\n"
        "#include <climits>\n#include <cfloat>\n#include <ctime>\n"
        "#include <utility>\n#include <cuda_runtime.h>\n"
        "struct S { int a, b; };\n"
        "extern \"C\" __global__ void k(uint64_t *p, float *f) {\n"
        "    printf(\"%d\\n\", INT_MAX);\n"
        "    assert(p[0] == UINT32_MAX);\n"
        "    f[0] = std::sqrt(f[1]) + INFINITY + FLT_MAX + (float)M_PI;\n"
        "    p[1] = offsetof(S, b) + sizeof(std::size_t) + CHAR_BIT;\n"
        "    std::memset(p + 2, 0, 8); p[3] = (uint64_t)clock();\n"
        "}\n");
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx, "vprintf");
    CHECK_HOLDS(c.result.ptx, "__assertfail");
}

// The lean headers do without parts of libcu++ that cooperative_groups.h
// includes, and without most of cuda/ptx.
TEST(what_only_the_full_headers_bring_is_there) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Compiled c = compile(
        &arena, SOURCE("#include <cooperative_groups.h>\n#include <cuda/ptx>\n"
                       "__global__ void k(int *p) {\n"
                       "    cuda::atomic_ref<int> a(*p);\n    a++;\n}\n"));
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx, "atom.");
    c = compile(
        &arena,
        SOURCE("#include <cooperative_groups.h>\n#include <cuda/ptx>\n"
               "__global__ void k(int *p) {\n"
               "    cuda::ptx::st(cuda::ptx::space_global, p, 7);\n}\n"));
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx, "st.global");
}

TEST(limits_of_a_compilation_are_the_sources_fault) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Buf text = {0};
    buf_printf(&text, "#define A0 x x x x x x x x x x\n");
    for (int i = 1; i < 12; i++) {
        buf_printf(&text, "#define A%d", i);
        for (int k = 0; k < 10; k++)
            buf_printf(&text, " A%d", i - 1);
        buf_printf(&text, "\n");
    }
    buf_printf(&text, "A11\n");
    CompileRequest r = {.source = buf_view(&text), .time_limit_s = 1};
    check_rejected(&arena, r, "stopped after 1 s of processor time", 1);
#ifndef __SANITIZE_ADDRESS__ // there, an empty file takes more than that
    r.time_limit_s = 50;
    r.memory_limit = 60 << 20;
    check_rejected(&arena, r, "stopped at its limit of 60 MiB of memory", 1);
#endif
    buf_free(&text);
    buf_printf(&text, "int x = ");
    for (int i = 0; i < 200000; i++)
        buf_byte(&text, '(');
    r = (CompileRequest){.source = buf_view(&text)};
    check_rejected(&arena, r, "was ended by signal 11", 1);
    buf_free(&text);
}

TEST(floods_of_errors_stay_bounded) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Buf text = {0};
    buf_printf(&text, "__global__ void k() {\n");
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "a%d = b%d;\n", i, i);
    buf_printf(&text, "}\n");
    Compiled c = compile(&arena, (CompileRequest){.source = buf_view(&text)});
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK(c.diags.count <= 100 && c.diags.count > 50);
    buf_free(&text);
}

TEST(includes_by_macro_cannot_read_other_files) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Str secret = in_folder(&arena, &folder, "secret");
    write_file(&arena, secret, STR("topsecret:x:0\n"));
    Str text =
        str_format(&arena, "#define F \"%.*s\"\n#include F\n", STR_ARG(secret));
    Compiled c = compile(&arena, (CompileRequest){.source = text});
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    for (size_t i = 0; i < c.diags.count; i++)
        CHECK(memmem(c.diags.items[i].what.ptr, c.diags.items[i].what.len,
                     "topsecret", 9) == NULL);
}

// Both compilers see lab.h before any macro of the source.
static void check_first_header(CompilerChoice compiler) {
    SCOPED_ARENA(arena);
    if (!has_toolkit(compiler))
        return;
    CompileRequest r = {.source = STR("#define compute_scalar other\n"
                                      "#define CLC_LAB_H\n"
                                      "#include \"lab.h\"\n"
                                      "#undef compute_scalar\n"
                                      "__device__ int here = __LINE__;\n"),
                        .first_header = STR("lab.h"),
                        .compiler = compiler};
    Compiled c = compile(&arena, r);
    if (!CHECK_INT(c.result.status, COMPILE_OK))
        return;
    CHECK_HOLDS(c.result.ptx, "compute_scalar");
    CHECK(!memmem(c.result.ptx.ptr, c.result.ptx.len, "other", 5));
    CHECK_HOLDS(c.result.ptx, "here = 5;");
}

TEST(nvrtc_includes_the_first_header_before_the_first_line) {
    check_first_header(COMPILE_WITH_NVRTC);
}

TEST(nvcc_includes_the_first_header_before_the_first_line) {
    check_first_header(COMPILE_WITH_NVCC);
}

TEST(headers_count_for_the_cache) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Str headers = in_folder(&arena, &folder, "h");
    Str header = in_folder(&arena, &folder, "h/mine.h");
    CompileRequest r = {
        .source = STR("#include \"mine.h\"\nextern \"C\" __global__ void "
                      "k(int *p) { p[0] = VALUE; int unused; }\n"),
        .include_dirs = &headers,
        .include_count = 1,
        .cache_dir = in_folder(&arena, &folder, "c/d")};
    write_file(&arena, header, STR("#define VALUE 1111\n"));
    Compiled first = compile(&arena, r);
    CHECK_HOLDS(first.result.ptx, "1111;");
    CHECK(!first.result.from_cache);
    Compiled again = compile(&arena, r);
    CHECK(again.result.from_cache);
    CHECK(str_equal(again.result.ptx, first.result.ptx));
    CHECK_STR(again.result.compiler,
              str_cstring(&arena, first.result.compiler));
    CHECK_INT(again.diags.count, first.diags.count);
    CHECK_INT(again.diags.count, 1); // the warning comes back
    CHECK_INT(again.diags.items[0].at.col, first.diags.items[0].at.col);
    write_file(&arena, header, STR("#define VALUE 2222\n"));
    Compiled changed = compile(&arena, r);
    CHECK(!changed.result.from_cache);
    CHECK_HOLDS(changed.result.ptx, "2222;");
    r.path = STR("else.cu");
    CHECK(!compile(&arena, r).result.from_cache);
    r.cache_dir = STR("/proc/nonexistent");
    Compiled without = compile(&arena, r);
    CHECK_INT(without.result.status, COMPILE_OK);
    CHECK(without.result.note.len > 0);
}

static void drop_results(Arena *arena, Str cache) {
    for (Str path = find_file(arena, cache, ".result"); path.len;
         path = find_file(arena, cache, ".result"))
        unlink(str_cstring(arena, path));
}

TEST(precompiled_headers_change_nothing_but_time) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    CompileRequest r = {.source = str_from(cluster_kernel),
                        .cache_dir = folder.path};
    Compiled cold = compile(&arena, r);
    CHECK_INT(cold.result.status, COMPILE_OK);
    CHECK_HOLDS(cold.result.ptx, "\"labs/common/lab.h\"");
    if (cold.result.pch != COMPILE_PCH_CREATED) {
        CHECK(cold.result.note.len > 0);
        if (can_fix_addresses())
            CHECK(!str_starts(cold.result.note, STR("precompiled headers need "
                                                    "fixed addresses")));
        SKIP("no precompiled headers on this machine");
    }
    drop_results(&arena, folder.path);
    Compiled warm = compile(&arena, r);
    CHECK_INT(warm.result.pch, COMPILE_PCH_USED);
    CHECK(!warm.result.from_cache);
    CHECK(str_equal(warm.result.ptx, cold.result.ptx));
    Str define = STR("CLCLAB_LAUNCH_PLAN");
    r.defines = &define;
    r.define_count = 1;
    r.source = STR("#include \"lab.h\"\n__device__ LaunchPlan launch_plan("
                   "LaunchQuery q) { return {q.n}; }\n");
    Compiled other = compile(&arena, r);
    CHECK_INT(other.result.pch, COMPILE_PCH_USED);
    CHECK_HOLDS(other.result.ptx, ".entry clclab_launch_plan(");
    // A file cut short: the compiler crashes on it.
    drop_results(&arena, folder.path);
    Str pch = find_file(&arena, folder.path, ".pch");
    CHECK_INT(truncate(str_cstring(&arena, pch), 12 << 20), 0);
    Compiled hurt = compile(&arena, r);
    CHECK_INT(hurt.result.status, COMPILE_OK);
    CHECK(hurt.result.note.len > 0);
    CHECK(str_equal(hurt.result.ptx, other.result.ptx));
    CHECK_INT(count_files(&arena, folder.path, ".pch"), 0);
    CHECK_INT(count_files(&arena, folder.path, ""), 2); // a result, the lock
}

// As in containers that refuse personality().
static bool refuse_personality(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = COUNT_OF(code), .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(works_where_fixed_addresses_are_refused) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    if (!refuse_personality())
        SKIP("this kernel has no seccomp filters");
    Compiled c =
        compile(&arena, (CompileRequest){.source = str_from(cluster_kernel),
                                         .cache_dir = folder.path});
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.result.pch, COMPILE_PCH_NONE);
    CHECK_HOLDS(c.result.note, "fixed addresses");
    CHECK_INT(count_files(&arena, folder.path, ".pch"), 0);
}

TEST(compiles_at_once_share_one_cold_cache) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        Str text = str_format(&arena, "%s// %d\n", cluster_kernel, i % 2);
        Compiled c = compile(
            &arena, (CompileRequest){.source = text, .cache_dir = folder.path});
        _exit(c.result.status == COMPILE_OK ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        CHECK_INT(waitpid(children[i], &status, 0), children[i]);
        CHECK_INT(status, 0);
    }
    CHECK_INT(count_files(&arena, folder.path, ".result"), 2);
    CHECK(count_files(&arena, folder.path, ".pch") <= 1);
    CHECK(count_files(&arena, folder.path, "") <= 4);
}

TEST(full_disk_does_not_stop_a_compile) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVRTC))
        return;
    Str define = STR("VALUE=7");
    CompileRequest r = {.source = str_from(light),
                        .defines = &define,
                        .define_count = 1,
                        .cache_dir = in_folder(&arena, &folder, "full")};
    const char *mounted = str_cstring(&arena, r.cache_dir);
    CHECK_INT(mkdir(mounted, 0700), 0);
    if (mount("none", mounted, "tmpfs", 0, "size=4k,mode=700") != 0)
        SKIP("this user cannot mount a tmpfs");
    write_file(&arena, in_folder(&arena, &folder, "full/fill"), STR("x"));
    Compiled c = compile(&arena, r);
    umount2(mounted, MNT_DETACH);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_HOLDS(c.result.note, "could not be kept");
}

TEST(nvcc_does_the_same) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVCC))
        return;
    setenv("TMPDIR", str_cstring(&arena, folder.path), 1);
    Str define = STR("VALUE=42"), flag = STR("-maxrregcount=40");
    CompileRequest r = {.source = str_from(light),
                        .path = STR("a b/it's.cu"),
                        .defines = &define,
                        .define_count = 1,
                        .flags = &flag,
                        .flag_count = 1,
                        .compiler = COMPILE_WITH_NVCC};
    Compiled c = compile(&arena, r);
    if (!CHECK_INT(c.result.status, COMPILE_OK))
        return;
    CHECK_HOLDS(c.result.compiler, "nvcc 1");
    CHECK_HOLDS(c.result.ptx, ".target sm_100a");
    CHECK_HOLDS(c.result.ptx, "\"a b/it's.cu\"");
    CHECK_HOLDS(c.result.ptx, "42;");
    r.source = STR("#include \"absent.h\"\n");
    c = compile(&arena, r);
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK_STR(c.diags.items[0].at.file, "a b/it's.cu");
    CHECK_INT(c.diags.items[0].at.line, 1);
    CHECK_INT(count_files(&arena, folder.path, ""), 0);
}

TEST(nvcc_steps_in_for_a_broken_library) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (!has_toolkit(COMPILE_WITH_NVCC))
        return;
    ToolkitSearch search = toolkit_search_environment();
    Diags diags = diags_new(&arena);
    Toolkit real;
    CHECK(toolkit_find(&arena, &search, &real, &diags));
    fake_toolkit(&arena, &folder, "t", 13000, "lib64/libnvrtc.so.13");
    Str link = in_folder(&arena, &folder, "t/bin/nvcc");
    Str script = str_format(&arena, "#!/bin/sh\nexec '%.*s' \"$@\"\n",
                            STR_ARG(real.nvcc));
    write_file(&arena, link, script);
    CHECK_INT(chmod(str_cstring(&arena, link), 0755), 0);
    ToolkitSearch broken = {.only = in_folder(&arena, &folder, "t")};
    Str define = STR("VALUE=42");
    Compiled c = compile(&arena, (CompileRequest){.source = str_from(light),
                                                  .defines = &define,
                                                  .define_count = 1,
                                                  .search = &broken});
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.compiler, "nvcc 13.0");
}

static const TestCase cases[] = {
    TESTCASE(sources_that_cannot_be_are_rejected_before_compiling),
    TESTCASE(flags_and_defines_that_cannot_be_are_named),
    TESTCASE(missing_toolkit_is_unavailable),
    TESTCASE(library_that_cannot_be_loaded_is_unavailable),
    TESTCASE(words_that_are_no_message_are_shown_as_they_are),
    TESTCASE(child_refuses_a_request_that_is_none),
    TESTCASE(nvrtc_makes_ptx_with_the_users_names),
    TESTCASE(errors_are_where_the_user_made_them),
    TESTCASE(stand_ins_serve_device_code),
    TESTCASE(what_only_the_full_headers_bring_is_there),
    TESTCASE(limits_of_a_compilation_are_the_sources_fault),
    TESTCASE(floods_of_errors_stay_bounded),
    TESTCASE(includes_by_macro_cannot_read_other_files),
    TESTCASE(nvrtc_includes_the_first_header_before_the_first_line),
    TESTCASE(nvcc_includes_the_first_header_before_the_first_line),
    TESTCASE(headers_count_for_the_cache),
    TESTCASE(precompiled_headers_change_nothing_but_time),
    TESTCASE(works_where_fixed_addresses_are_refused),
    TESTCASE(compiles_at_once_share_one_cold_cache),
    TESTCASE(full_disk_does_not_stop_a_compile),
    TESTCASE(nvcc_does_the_same),
    TESTCASE(nvcc_steps_in_for_a_broken_library),
};

// This program is also its own compiling child.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
