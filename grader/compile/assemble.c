// SPDX-License-Identifier: Apache-2.0
// Inline asm that no assembler takes. NVRTC and nvcc -ptx copy it unread, but a
// submission is to compile with nvcc, which assembles. So where the asm of a
// file has a form that is not known to be right (asm.c), ptxas is asked, which
// takes 30 to 50 ms of processor time; else it is not even started.
//
// Only what ptxas says of a line of inline asm counts: the rest of the PTX is
// the compiler's. Where ptxas is missing or does not end by itself, nothing is
// said. The parser of ptx/ makes many of the same checks, and says more.
#include "compile/internal.h"

#include <string.h>

#define INPUT "input.ptx"
#define OUTPUT "output.cubin"

enum { ERRORS_MOST = 8, KNOWN_FROM = 13000 };

// ---- running it ----------------------------------------------------------

// "-arch=sm_100a" for ".target sm_100a, debug". Empty: the PTX has no target.
static Str arch_option(Arena *arena, Str ptx) {
    static const char mark[] = "\n.target ";
    const char *hit = memmem(ptx.ptr, ptx.len, mark, sizeof mark - 1);
    if (!hit)
        return (Str){0};
    size_t from = (size_t)(hit - ptx.ptr) + sizeof mark - 1;
    Str rest = str_slice(ptx, from, ptx.len), line = str_cut(&rest, '\n');
    Str arch = str_trim(str_cut(&line, ','));
    return str_format(arena, "-arch=%.*s", STR_ARG(arch));
}

// What ptxas says. Empty: it takes the whole, or cannot say.
static Str ask(Arena *arena, const Unit *unit, const Scratch *scratch,
               Str ptx) {
    Str folder = scratch->path, arch = arch_option(arena, ptx);
    Str input = str_format(arena, "%.*s/" INPUT, STR_ARG(folder));
    if (arch.len == 0 || !files_write_atomic(arena, input, ptx))
        return (Str){0};
    const char *argv[] = {str_cstring(arena, unit->toolkit.ptxas),
                          arch.ptr,
                          "-O0",
                          "--compile-only",
                          INPUT,
                          "-o",
                          OUTPUT,
                          NULL};
    Str temporary = str_format(arena, "TMPDIR=%.*s", STR_ARG(folder));
    const char *env[] = {temporary.ptr};
    SandboxPaths paths = {
        .write = &folder, .write_count = 1, .read_only_these = true};
    Str *readable;
    paths.read_count = compile_readable(arena, unit, false, &readable);
    paths.read = readable;
    SandboxJob job = {.argv = argv,
                      .folder = str_cstring(arena, folder),
                      .env = env,
                      .env_count = 1,
                      .paths = paths,
                      .scratch = scratch,
                      .scratch_count = 1,
                      .bubblewrap = unit->bubblewrap};
    SandboxResult result;
    Diags unheard = diags_new(arena);
    if (!compile_run(arena, unit, &job, &result, &unheard) ||
        result.status != SANDBOX_EXITED || result.code == 0)
        return (Str){0};
    return str_format(arena, "%.*s\n%.*s", STR_ARG(result.err),
                      STR_ARG(result.out));
}

// ---- what it says --------------------------------------------------------

// Whether a line of the PTX is inline asm.
static bool is_asm(Str ptx, uint64_t number) {
    bool inside = false;
    for (uint64_t i = 1; i <= number && ptx.len; i++) {
        Str line = str_trim(str_cut(&ptx, '\n'));
        if (str_equal(line, STR(ASM_BEGINS)))
            inside = true;
        else if (str_equal(line, STR(ASM_ENDS)))
            inside = false;
    }
    return inside;
}

// `ptxas input.ptx, line 10; error   : State space incorrect for ...`
static bool read_error(Str line, uint64_t *number, Str *what) {
    Str mark = STR("ptxas " INPUT ", line ");
    if (!str_starts(line, mark))
        return false;
    Str rest = str_slice(line, mark.len, line.len);
    if (!str_to_u64(str_cut(&rest, ';'), number))
        return false;
    Str level = str_trim(str_cut(&rest, ':'));
    *what = str_trim(rest);
    return str_equal(level, STR("error")) || str_equal(level, STR("fatal"));
}

// One message a line, the first: those after it follow from it.
static void tell(Str ptx, Str said, Diags *diags) {
    uint64_t number, last = 0;
    while (said.len && diags->errors < ERRORS_MOST) {
        Str what, line = str_trim(str_cut(&said, '\n'));
        if (!read_error(line, &number, &what) || number == last ||
            !is_asm(ptx, number))
            continue;
        last = number;
        SrcLoc at = {.line = (uint32_t)number};
        diag_add(diags, DIAG_ERROR, at, "%.*s.", STR_ARG(what))->help =
            STR("ptxas, the assembler that nvcc runs, does not take it.");
    }
}

static bool is_known(const Unit *unit, Str ptx) {
    static const char target[] = "\n.target sm_100a\n";
    bool counts = unit->toolkit.version >= KNOWN_FROM &&
                  memmem(ptx.ptr, ptx.len, target, sizeof target - 1);
    return asm_is_known(ptx, known_asm, counts ? known_asm_count : 0);
}

void assemble_check(Arena *arena, const Unit *unit, Str ptx, Diags *errors) {
    Scratch scratch;
    Diags unheard = diags_new(arena);
    if (unit->toolkit.ptxas.len == 0 || is_known(unit, ptx) ||
        !files_make_scratch(arena, unit->request->cache_dir, &scratch,
                            &unheard))
        return;
    tell(ptx, ask(arena, unit, &scratch, ptx), errors);
    sandbox_remove_scratch(&scratch);
}
