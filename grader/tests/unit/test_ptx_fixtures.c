// SPDX-License-Identifier: Apache-2.0
// The files of grader/tests/ptx/. bad_*.ptx begin with the errors that they
// must give, each once and no others:
//
//     // expect: <line>: <part of the message>
//
// ok_*.ptx must parse; printed and parsed again they must be the same module,
// and printed again the same bytes.
#include "ptx/ptx.h"
#include "tests/unit/golden.h"
#include "tests/unit/same_module.h"
#include "tests/unit/test.h"

#include <dirent.h>

static const char FOLDER[] = "grader/tests/ptx";

typedef void FixtureCheck(Arena *arena, Str name, Str text);

// Returns how many files with this prefix there were.
static size_t for_each(const char *prefix, FixtureCheck *check) {
    DIR *folder = opendir(FOLDER);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        Str name = str_from(entry->d_name);
        if (!str_starts(name, str_from(prefix)) || !str_ends(name, STR(".ptx")))
            continue;
        Arena arena = {0};
        Str path = str_format(&arena, "%s/%s", FOLDER, entry->d_name);
        check(&arena, name, test_file(&arena, path.ptr));
        arena_free(&arena);
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

// ---- errors --------------------------------------------------------------

static bool has_error(const Diags *diags, uint64_t line, Str part) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].at.line == line &&
            test_holds(diags->items[i].what, part))
            return true;
    return false;
}

static void show_errors(Str name, const Diags *diags) {
    for (size_t i = 0; i < diags->count; i++)
        printf("# %.*s:%u:%u: %.*s\n", STR_ARG(name), diags->items[i].at.line,
               diags->items[i].at.col, STR_ARG(diags->items[i].what));
}

static void check_bad(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    size_t expected = 0;
    bool ok = CHECK(ptx_parse(arena, name, text, &diags) == NULL);
    for (Str rest = text; str_starts(rest, STR("// expect: "));) {
        Str line = str_cut(&rest, '\n');
        Str part = str_slice(line, 11, line.len);
        uint64_t number = 0;
        ok &= CHECK(str_to_u64(str_cut(&part, ':'), &number));
        ok &= CHECK(has_error(&diags, number, str_trim(part)));
        expected++;
    }
    ok &= CHECK(expected > 0);
    ok &= CHECK_INT(diags.errors, expected);
    for (size_t i = 0; i < diags.count; i++) {
        ok &= CHECK_STR(diags.items[i].code, "PTX");
        ok &= CHECK(str_equal(diags.items[i].at.file, name));
        ok &= CHECK(diags.items[i].at.col > 0);
    }
    if (!ok)
        show_errors(name, &diags);
}

TEST(each_malformed_file_gives_its_errors_and_no_others) {
    CHECK(for_each("bad_", check_bad) >= 25);
}

// ---- what errors say -----------------------------------------------------

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Of all malformed files, in one text: place, what, help.
TEST(errors_say_where_what_and_what_to_try) {
    Arena arena = {0};
    Buf out = {0};
    const char *names[100];
    size_t count = 0;
    DIR *folder = opendir(FOLDER);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (str_starts(str_from(entry->d_name), STR("bad_")) &&
            count < COUNT_OF(names))
            names[count++] =
                str_format(&arena, "%s%c", entry->d_name, '\0').ptr;
    CHECK(count >= 25);
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        Diags diags = diags_new(&arena);
        Str path = str_format(&arena, "%s/%s%c", FOLDER, names[i], '\0');
        ptx_parse(&arena, str_from(names[i]), test_file(&arena, path.ptr),
                  &diags);
        for (size_t k = 0; k < diags.count; k++) {
            const Diag *d = &diags.items[k];
            buf_printf(&out, "%s:%u:%u: %.*s\n", names[i], d->at.line,
                       d->at.col, STR_ARG(d->what));
            if (d->help.len)
                buf_printf(&out, "    %.*s\n", STR_ARG(d->help));
        }
    }
    golden_check(&arena, FOLDER, STR("errors.txt"), buf_view(&out));
    buf_free(&out);
    arena_free(&arena);
}

static void check_origin(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    ptx_parse(arena, name, text, &diags);
    if (!CHECK_INT(diags.count, 2))
        return;
    CHECK_HOLDS(diags.items[0].help,
                "It comes from lab.h:7, inlined at kernel.cu:20.");
    CHECK_HOLDS(diags.items[1].help, "It comes from kernel.cu:41.");
}

TEST(an_error_in_inline_asm_names_the_line_of_the_source) {
    CHECK_INT(for_each("bad_origin", check_origin), 1);
}

// ---- round trip ----------------------------------------------------------

static Str print(Arena *arena, const PtxModule *module) {
    Buf buf = {0};
    ptx_print(module, &buf);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

static void check_round_trip(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *first = ptx_parse(arena, name, text, &diags);
    bool ok = CHECK(first != NULL) && CHECK_INT(diags.count, 0);
    if (ok) {
        Str printed = print(arena, first);
        const PtxModule *second = ptx_parse(arena, name, printed, &diags);
        ok = CHECK(second != NULL) &&
             CHECK(!module_difference(first, second)) &&
             CHECK(str_equal(print(arena, second), printed));
    }
    if (!ok)
        printf("# in %.*s\n", STR_ARG(name));
    show_errors(name, &diags);
}

TEST(what_was_printed_is_the_same_module) {
    CHECK(for_each("ok_", check_round_trip) >= 10);
}

// Byte for byte. (The guide's kernels are long, and have nothing that others
// lack.)
static void check_printed(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    if (CHECK(module != NULL) && !str_starts(name, STR("ok_guide")))
        golden_check(arena, "grader/tests/ptx/printed", name,
                     print(arena, module));
}

TEST(a_module_is_printed_in_this_form) {
    CHECK(for_each("ok_", check_printed) >= 10);
}

static void check_scopes(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    if (!CHECK(module != NULL))
        return;
    Str printed = print(arena, module);
    CHECK_HOLDS(printed, "mov.u32 t$1, 2;");
    CHECK_HOLDS(printed, "bra LAB$1;");
    CHECK_HOLDS(printed, "st.param.b32 [a$1], t;");
}

TEST(what_was_shadowed_is_printed_under_a_name_of_its_own) {
    CHECK_INT(for_each("ok_scopes", check_scopes), 1);
}

// ---- single instructions -------------------------------------------------

static const PtxInstr *find_instr(const PtxFunc *func, PtxOp op) {
    for (size_t i = 0; i < func->instr_count; i++)
        if (func->instrs[i].op == op)
            return &func->instrs[i];
    return NULL;
}

static void check_messages(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    const PtxFunc *k = module ? ptx_find_func(module, STR("k")) : NULL;
    if (!CHECK(k != NULL))
        return;
    Buf out = {0};
    ptx_print_instr(module, k, find_instr(k, PTX_OP_SETP), &out);
    buf_byte(&out, '/');
    ptx_print_instr(module, k, find_instr(k, PTX_OP_TEX), &out);
    buf_byte(&out, '/');
    ptx_print_instr(module, k, find_instr(k, PTX_OP_SUB), &out);
    CHECK_STR(buf_view(&out),
              "setp.lt.and.s32 p|q, %r1, %r2, !%p1/"
              "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1}]/"
              "@!q sub.s32 %r1, %r1, -2147483648");
    buf_free(&out);
}

TEST(an_instruction_is_printed_as_it_was_written) {
    CHECK_INT(for_each("ok_operands", check_messages), 1);
}

static void check_guide(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    const PtxFunc *kernel = NULL;
    for (size_t i = 0; module && i < module->func_count; i++)
        if (module->funcs[i]->is_entry)
            kernel = module->funcs[i];
    if (!CHECK(kernel != NULL))
        return;
    const PtxInstr *request =
        find_instr(kernel, PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL);
    if (!CHECK(request != NULL))
        return;
    SrcLoc at = ptx_src(module, request->loc);
    CHECK_HOLDS(at.file, "clusterlaunchcontrol.h");
    uint32_t loc = request->loc;
    while (module->locs[loc].inlined_at)
        loc = module->locs[loc].inlined_at;
    CHECK_HOLDS(ptx_src(module, loc).file, "guide_");
    bool is_cluster = str_starts(name, STR("ok_guide_cluster"));
    CHECK_INT(kernel->req_cluster.x, is_cluster ? 2 : 0);
    CHECK_INT(ptx_has(request, PTX_MOD_MULTICAST_CLUSTER_ALL), is_cluster);
}

TEST(the_requests_of_the_guides_kernels_lead_to_the_source) {
    CHECK_INT(for_each("ok_guide_", check_guide), 2);
}

TEST_MAIN(TESTCASE(each_malformed_file_gives_its_errors_and_no_others),
          TESTCASE(errors_say_where_what_and_what_to_try),
          TESTCASE(a_module_is_printed_in_this_form),
          TESTCASE(an_error_in_inline_asm_names_the_line_of_the_source),
          TESTCASE(what_was_printed_is_the_same_module),
          TESTCASE(what_was_shadowed_is_printed_under_a_name_of_its_own),
          TESTCASE(an_instruction_is_printed_as_it_was_written),
          TESTCASE(the_requests_of_the_guides_kernels_lead_to_the_source))
