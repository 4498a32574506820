// SPDX-License-Identifier: Apache-2.0
// An assembler's log -> messages. What the lines look like:
//
//   ptxas kernel.ptx, line 12; error   : Unknown modifier '.u77'
//   ptxas application ptx input, line 12; error   : ... (nvJitLink's)
//   ptxas fatal   : Ptx assembly aborted due to errors      says nothing new
//   error   : Undefined reference to 'f' in 'kernel'
//   ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (kernel)       nothing new
//
// The .loc before a line of the PTX gives the learner's line: the innermost
// place in the file that the function itself is in.
#include "gpu/assemble_parts.h"
#include "ptx/ptx.h"

#include <string.h>

enum { MAX_WORDS = 600 }; // bytes quoted of a log that cannot be parsed

static bool holds(Str text, const char *words) {
    return text.len && memmem(text.ptr, text.len, words, strlen(words));
}

// ---- one line ------------------------------------------------------------

// Finds "error   : text" in the line: gives the part before it, and the text.
static bool read_severity(Str line, Str *before, Str *text) {
    static const char *const words[] = {"error", "fatal"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const char *hit =
            line.len ? memmem(line.ptr, line.len, words[i], strlen(words[i]))
                     : NULL;
        if (!hit)
            continue;
        size_t at = (size_t)(hit - line.ptr);
        Str rest = str_trim(str_slice(line, at + strlen(words[i]), line.len));
        if (rest.len == 0 || rest.ptr[0] != ':')
            continue;
        *before = str_slice(line, 0, at);
        *text = str_trim(str_slice(rest, 1, rest.len));
        return true;
    }
    return false;
}

// "ptxas kernel.ptx, line 12; ": 12; 0: it names none.
static uint32_t read_line_number(Str before) {
    static const char words[] = ", line ";
    const char *hit =
        before.len ? memmem(before.ptr, before.len, words, sizeof words - 1)
                   : NULL;
    if (!hit)
        return 0;
    Str rest = str_slice(before, (size_t)(hit - before.ptr) + sizeof words - 1,
                         before.len);
    uint64_t number = 0;
    bool right = str_to_u64(str_cut(&rest, ';'), &number);
    return right && number <= UINT32_MAX ? (uint32_t)number : 0;
}

// ---- from the PTX to the learner -----------------------------------------

static const PtxFunc *func_around(const PtxModule *module, uint32_t line) {
    const PtxFunc *best = NULL;
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->line <= line && (!best || func->line > best->line))
            best = func;
    }
    return best;
}

static uint32_t loc_before(const PtxFunc *func, uint32_t line) {
    uint32_t loc = 0;
    for (size_t i = 0; i < func->instr_count; i++)
        if (func->instrs[i].line <= line)
            loc = func->instrs[i].loc;
    return loc;
}

static SrcLoc own_place(const PtxModule *module, uint32_t loc) {
    uint32_t outermost = loc;
    while (module->locs[outermost].inlined_at)
        outermost = module->locs[outermost].inlined_at;
    while (module->locs[loc].file != module->locs[outermost].file)
        loc = module->locs[loc].inlined_at;
    return ptx_src(module, loc);
}

// `module`: NULL if the PTX cannot be parsed.
static SrcLoc place_of(const PtxModule *module, uint32_t line) {
    const PtxFunc *func = module && line ? func_around(module, line) : NULL;
    SrcLoc at = {0};
    if (func)
        at = own_place(module, loc_before(func, line));
    if (at.file.len && at.line)
        return at;
    return (SrcLoc){.file = line ? STR("PTX") : (Str){0}, .line = line};
}

// ---- the log -------------------------------------------------------------

// Whether a message only sums up others.
static bool says_nothing(Str text) {
    return holds(text, "Ptx assembly aborted due to errors");
}

static bool seen_before(const AssembleLog *log, uint32_t line) {
    return log->count && line && log->messages[log->count - 1].line == line;
}

static void add_message(Arena *arena, AssembleLog *log, Str before, Str text) {
    uint32_t line = read_line_number(before);
    if (says_nothing(text) || seen_before(log, line) ||
        log->count == ASSEMBLE_MAX_MESSAGES)
        return;
    log->unknown_target |=
        holds(text, "is not defined for option 'gpu-name'") ||
        holds(text, "Unknown arch name");
    log->old |= log->count == 0 && holds(text, "Unsupported .version");
    log->messages[log->count++] =
        (AssembleMessage){.line = line, .what = str_copy(arena, text)};
}

AssembleLog assemble_read_log(Arena *arena, Str log, Str ptx) {
    AssembleLog parsed = {0};
    Str rest = log, before, text;
    while (rest.len) {
        Str line = str_trim(str_cut(&rest, '\n'));
        if (read_severity(line, &before, &text))
            add_message(arena, &parsed, before, text);
        parsed.unknown_target |= holds(line, "_UNRECOGNIZED_ARCH") ||
                                 holds(line, "_UNSUPPORTED_ARCH");
    }
    Str words = str_slice(str_trim(log), 0, MAX_WORDS);
    if (parsed.count == 0 && words.len)
        parsed.messages[parsed.count++].what = str_copy(arena, words);
    Diags unheard = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, STR("PTX"), ptx, &unheard);
    for (size_t i = 0; i < parsed.count; i++) {
        AssembleMessage *m = &parsed.messages[i];
        m->at = place_of(module, m->line);
        m->quote = str_trim(str_line(ptx, m->line));
    }
    return parsed;
}
