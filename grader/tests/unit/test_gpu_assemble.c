// SPDX-License-Identifier: Apache-2.0
// Tests of gpu/assemble.h: with the toolkit's own assemblers where there are
// some, and with scripts in their place for what those do not do on demand.
#include "gpu/assemble.h"
#include "gpu/assemble_parts.h"
#include "sandbox/toolkit.h"
#include "tests/unit/compile_folder.h"

#include <sys/stat.h>

// The division stands in line 7 of k.cu, in a function that was inlined.
#define HEAD                   \
    ".version 8.0\n"           \
    ".target sm_90\n"          \
    ".address_size 64\n"       \
    ".visible .entry k()\n"    \
    "{\n"                      \
    "  .reg .b32 %r<3>;\n"     \
    "  .loc 1 5 1\n"           \
    "  mov.u32 %r1, %tid.x;\n" \
    "  .loc 1 7 3\n"           \
    "  .loc 2 90 1, function_name $L__info_string0, inlined_at 1 7 3\n"
#define TAIL                 \
    "  .loc 1 9 1\n"         \
    "  ret;\n"               \
    "}\n"                    \
    ".file 1 \"k.cu\"\n"     \
    ".file 2 \"/x/lib.h\"\n" \
    ".section .debug_str\n{\n$L__info_string0:\n.b8 102\n.b8 0\n}\n"

static const char GOOD[] = HEAD "  add.u32 %r2, %r1, 1;\n" TAIL;
static const char BAD[] = HEAD "  add.u32 %r2, %r1, 1.5;\n" TAIL;

typedef struct Made {
    bool done;
    GpuAssembler used;
    Str cubin;
    Diags diags;
} Made;

static Made assemble(Arena *arena, const char *ptx, const char *target) {
    Made made = {.diags = diags_new(arena)};
    made.done = gpu_assemble(arena, str_from(ptx), str_from(target), &made.used,
                             &made.cubin, &made.diags);
    CHECK_INT(made.done, made.used.status == ASSEMBLY_DONE);
    CHECK_INT(made.done, made.diags.errors == 0);
    return made;
}

static bool is_elf(Str cubin) {
    return str_starts(cubin, STR("\177ELF"));
}

// ---- the real ones -------------------------------------------------------

static bool find_real(Arena *arena, Toolkit *toolkit) {
    ToolkitSearch search = toolkit_search_environment();
    Diags diags = diags_new(arena);
    return toolkit_find_assembler(arena, &search, toolkit, &diags);
}

// A toolkit folder that has `program` alone, which is `script`.
static void only_script(Arena *arena, const Folder *folder, const char *program,
                        const char *script) {
    Str path = in_folder(arena, folder, program);
    write_file(arena, path, str_from(script));
    chmod(str_cstring(arena, path), 0755);
    setenv("CLCLAB_TOOLKIT", folder->path.ptr, 1);
}

// The tests below are of what they have in common.
static void check_real(Arena *arena, const char *name) {
    Made made = assemble(arena, GOOD, "sm_90a");
    CHECK(made.done);
    CHECK(is_elf(made.cubin));
    CHECK_HOLDS(made.used.name, name);
    made = assemble(arena, BAD, "sm_90a");
    CHECK_INT(made.used.status, ASSEMBLY_REJECTED);
    if (!CHECK(made.diags.count >= 1))
        return;
    CHECK_STR(made.diags.items[0].at.file, "k.cu");
    CHECK_INT(made.diags.items[0].at.line, 7);
    CHECK_STR(made.diags.items[0].help,
              "Line 11 of the PTX: add.u32 %r2, %r1, 1.5;");
    static const char *const unknown[] = {"sm_9", "sm_94"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        made = assemble(arena, GOOD, unknown[i]);
        CHECK_INT(made.used.status, ASSEMBLY_UNAVAILABLE);
        CHECK_HOLDS(made.diags.items[0].what, "does not know the target sm_9");
    }
    made = assemble(arena, "", "sm_90a");
    CHECK_INT(made.used.status, ASSEMBLY_REJECTED);
}

TEST(nvjitlink_assembles) {
    SCOPED_ARENA(arena);
    Toolkit toolkit;
    if (!find_real(&arena, &toolkit) || toolkit.nvjitlink.len == 0)
        SKIP("no nvJitLink");
    check_real(&arena, "nvJitLink 1");
}

TEST(ptxas_assembles) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Toolkit toolkit;
    if (!find_real(&arena, &toolkit) || toolkit.ptxas.len == 0)
        SKIP("no ptxas");
    Str script = str_format(&arena, "#!/bin/sh\nexec %.*s \"$@\"\n",
                            STR_ARG(toolkit.ptxas));
    only_script(&arena, &folder, "bin/ptxas", str_cstring(&arena, script));
    check_real(&arena, "ptxas");
}

// ---- assemblers that fail ------------------------------------------------

typedef struct Failure {
    const char *script;
    GpuAssembly status;
    const char *what; // of the first Diag
} Failure;

TEST(each_failure_of_an_assembler_has_its_status) {
    static const Failure failures[] = {
        {"kill -SEGV $$", ASSEMBLY_REJECTED, "(ptxas) was ended by signal 11"},
        {"kill -XCPU $$", ASSEMBLY_REJECTED, "30 s of processor time"},
        {"kill -KILL $$", ASSEMBLY_TRY_AGAIN, "(ptxas) was ended by signal 9"},
        {"exit 3", ASSEMBLY_BROKEN, "(ptxas) ended with exit code 3"},
        {"exit 0", ASSEMBLY_TRY_AGAIN, "temporary files"},
        {"echo 'ptxas k, line 1; fatal   : Unsupported .version 9.0; current "
         "version is 7.5' >&2; exit 255",
         ASSEMBLY_UNAVAILABLE, "too old for this PTX: Unsupported .version"},
        {"echo 'strange words' >&2; exit 255", ASSEMBLY_REJECTED,
         "(ptxas) says: strange words"},
        {"echo 'ptxas k, line 99999; error : far' >&2; exit 255",
         ASSEMBLY_REJECTED, "far"},
    };
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        Str script = str_format(&arena, "#!/bin/sh\n%s\n", failures[i].script);
        only_script(&arena, &folder, "bin/ptxas", str_cstring(&arena, script));
        Made made = assemble(&arena, GOOD, "sm_90a");
        CHECK_INT(made.used.status, failures[i].status);
        if (CHECK(made.diags.count >= 1))
            CHECK_HOLDS(made.diags.items[0].what, failures[i].what);
    }
}

TEST(a_library_that_cannot_be_loaded_gives_way_to_ptxas) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    only_script(&arena, &folder, "lib64/libnvJitLink.so.13", "no library");
    Made made = assemble(&arena, GOOD, "sm_90a");
    CHECK_INT(made.used.status, ASSEMBLY_UNAVAILABLE);
    CHECK_HOLDS(made.diags.items[0].what, "lib64/libnvJitLink.so.13");
    only_script(&arena, &folder, "bin/ptxas",
                "#!/bin/sh\nprintf '\\177ELF' >kernel.cubin\n");
    made = assemble(&arena, GOOD, "sm_90a");
    CHECK(made.done);
    CHECK(is_elf(made.cubin));
}

TEST(no_assembler_is_said_with_what_to_install) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    only_script(&arena, &folder, "bin/cuobjdump", "");
    Made made = assemble(&arena, GOOD, "sm_90a");
    CHECK_INT(made.used.status, ASSEMBLY_UNAVAILABLE);
    CHECK_INT(made.used.name.len, 0);
    CHECK_HOLDS(made.diags.items[0].what,
                "(neither libnvJitLink.so nor bin/ptxas)");
    CHECK_HOLDS(made.diags.items[0].help, "libnvjitlink");
}

// Scripts do here what nobody wants to wait for a real one to do.
TEST(ptx_and_cubins_have_their_limits) {
    static const char done[] = "#!/bin/sh\nprintf '\\177ELF' >kernel.cubin\n";
    static const char floods[] =
        "#!/bin/sh\nprintf '\\177ELF' >kernel.cubin\n"
        "head -c $(((64 << 20) + (600 << 10))) /dev/zero\n";
    enum { MOST = 64 << 20 };
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    only_script(&arena, &folder, "bin/ptxas", done);
    char *text = heap_alloc(1, MOST + 1);
    memset(text, '\n', MOST + 1);
    for (size_t over = 0; over <= 1; over++) {
        GpuAssembler used;
        Str cubin;
        Diags diags = diags_new(&arena);
        gpu_assemble(&arena, (Str){text, MOST + over}, STR("sm_90a"), &used,
                     &cubin, &diags);
        CHECK_INT(used.status, over ? ASSEMBLY_REJECTED : ASSEMBLY_DONE);
        CHECK_INT(diags.errors, over);
    }
    heap_free(text);
    only_script(&arena, &folder, "bin/ptxas", floods);
    CHECK_INT(assemble(&arena, GOOD, "sm_90a").used.status, ASSEMBLY_REJECTED);
}

// ---- parts ---------------------------------------------------------------

TEST(a_part_of_an_answer_is_none) {
    JitHead head = {
        .magic = UINT64_C(0x636c634a49544c31), .log = 2, .cubin = 3};
    char bytes[sizeof head + 5] = {0};
    JitAnswer answer;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, "okELF", 5);
    CHECK(assemble_jit_answer((Str){bytes, sizeof bytes}, &answer));
    CHECK_STR(answer.log, "ok");
    CHECK_STR(answer.cubin, "ELF");
    for (size_t n = 0; n < sizeof bytes; n++)
        CHECK(!assemble_jit_answer((Str){bytes, n}, &answer));
    head.log = UINT64_MAX;
    memcpy(bytes, &head, sizeof head);
    CHECK(!assemble_jit_answer((Str){bytes, sizeof bytes}, &answer));
}

TEST(a_child_ends_well_where_its_answer_was_written) {
    JitRequest request = {.library = "/nonexistent/libnvJitLink.so.13"};
    int ends[2];
    if (!CHECK_INT(pipe(ends), 0))
        return;
    CHECK_INT(assemble_jit_child(&request, ends[1]), 0);
    char bytes[sizeof(JitHead) + 1];
    ssize_t count = read(ends[0], bytes, sizeof bytes);
    JitAnswer answer;
    CHECK_INT(count, sizeof(JitHead));
    CHECK(assemble_jit_answer((Str){bytes, sizeof(JitHead)}, &answer));
    CHECK_U64(answer.head.loaded, 0);
    close(ends[0]);
    close(ends[1]);
    CHECK_INT(assemble_jit_child(&request, -1), 1);
}

TEST(messages_are_counted_once_a_line_and_cut) {
    SCOPED_ARENA(arena);
    Buf log = {0};
    for (int i = 1; i <= 15; i++)
        buf_printf(&log,
                   "ptxas application ptx input, line %d; error   : one\n"
                   "ptxas application ptx input, line %d; error   : two\n",
                   i, i);
    AssembleLog parsed = assemble_read_log(&arena, buf_view(&log), STR("x"));
    CHECK_INT(parsed.count, ASSEMBLE_MAX_MESSAGES);
    CHECK_STR(parsed.messages[9].what, "one");
    CHECK_INT(parsed.messages[9].line, 10);
    CHECK_STR(parsed.messages[9].at.file, "PTX"); // it cannot be parsed
    CHECK_INT(parsed.messages[9].at.line, 10);
    CHECK_STR(parsed.messages[0].quote, "x");
    buf_free(&log);
    parsed = assemble_read_log(&arena, (Str){0}, (Str){0});
    CHECK_INT(parsed.count, 0);
    parsed = assemble_read_log(&arena,
                               STR("ptxas k, line 4294967295; error : last\n"
                                   "ptxas k, line 4294967296; error : none\n"
                                   "ptxas k, line x; error : none\n"),
                               (Str){0});
    CHECK_INT(parsed.messages[0].line, UINT32_MAX);
    CHECK_INT(parsed.messages[1].line, 0);
    CHECK_INT(parsed.messages[2].line, 0);
}

TEST_MAIN(TESTCASE(nvjitlink_assembles), TESTCASE(ptxas_assembles),
          TESTCASE(each_failure_of_an_assembler_has_its_status),
          TESTCASE(a_library_that_cannot_be_loaded_gives_way_to_ptxas),
          TESTCASE(no_assembler_is_said_with_what_to_install),
          TESTCASE(ptx_and_cubins_have_their_limits),
          TESTCASE(a_child_ends_well_where_its_answer_was_written),
          TESTCASE(a_part_of_an_answer_is_none),
          TESTCASE(messages_are_counted_once_a_line_and_cut))
