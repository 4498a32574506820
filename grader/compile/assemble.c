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
    SandboxJob job;
    SandboxResult result;
    Diags unheard = diags_new(arena);
    if (!compile_run_tool(arena, unit, argv, false, scratch, &job, &result,
                          &unheard) ||
        result.status != SANDBOX_EXITED || result.code == 0)
        return (Str){0};
    return compile_both_outputs(arena, &result);
}

// ---- what it says --------------------------------------------------------

// The lines of the PTX that are inline asm, by number. One pass: ptxas may have
// something to say of each line of a large file.
typedef struct AsmLines {
    bool *are;
    uint64_t count;
} AsmLines;

static AsmLines asm_lines(Arena *arena, Str ptx) {
    AsmLines lines = {0};
    uint64_t most = 2;
    for (size_t i = 0; i < ptx.len; i++)
        most += ptx.ptr[i] == '\n';
    lines.are = arena_new(arena, bool, most);
    bool inside = false;
    for (lines.count = 1; ptx.len; lines.count++) {
        Str line = str_trim(str_cut(&ptx, '\n'));
        if (str_equal(line, STR(ASM_BEGINS)))
            inside = true;
        else if (str_equal(line, STR(ASM_ENDS)))
            inside = false;
        lines.are[lines.count] = inside;
    }
    return lines;
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
static void tell(Arena *arena, Str ptx, Str said, Diags *diags) {
    AsmLines lines = asm_lines(arena, ptx);
    uint64_t number, last = 0;
    while (said.len && diags->errors < ERRORS_MOST) {
        Str what, line = str_trim(str_cut(&said, '\n'));
        if (!read_error(line, &number, &what) || number == last ||
            number >= lines.count || !lines.are[number])
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
    tell(arena, ptx, ask(arena, unit, &scratch, ptx), errors);
    sandbox_remove_scratch(&scratch);
}
