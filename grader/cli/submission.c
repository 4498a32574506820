// SPDX-License-Identifier: Apache-2.0
// A path -> a Submission: read, refuse what is no text, compile, parse.
//
// What the PTX parser refuses was written as inline assembly, which the CUDA
// compiler does not read. Its messages name a PTX line; here they get the line
// of the learner's file that the .loc directive above it names.
#include "cli/internal.h"
#include "compile/compile.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

// ---- what is no submission -----------------------------------------------

static void reject(Submission *submission, uint32_t line, Str what, Str help) {
    submission->reject = (Diag){
        .at = {submission->file, line, line ? 1 : 0},
        .what = what,
        .help = help,
    };
}

static uint32_t count_lines(Str text) {
    uint32_t lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

static void judge_text(Submission *submission) {
    Str text = submission->source;
    size_t nul = str_find(text, '\0');
    if (str_trim(text).len == 0)
        reject(submission, 1, STR("The file is empty."),
               STR("Start from the lab's own file."));
    else if (nul < text.len)
        reject(submission, count_lines(str_slice(text, 0, nul)),
               STR("The file holds a NUL byte: it is binary, or UTF-16."),
               STR("Save it as plain text, in UTF-8."));
}

// CLI_FULL_MARKS: the file was read, and may have been refused.
static int read_source(Cli *cli, Str path, Submission *submission) {
    char *name = str_cstring(&cli->arena, path);
    Str why;
    switch (file_read(&cli->arena, name, CLI_MAX_SOURCE, &submission->source,
                      &why)) {
    case FILE_READ:
        judge_text(submission);
        return CLI_FULL_MARKS;
    case FILE_TOO_LARGE:
        submission->source = STR("");
        reject(submission, 0, STR("The file is larger than 1 MiB."),
               STR("A lab's file has about a hundred lines: is it the right "
                   "one?"));
        return CLI_FULL_MARKS;
    case FILE_UNREADABLE:
        break;
    }
    return output_error(cli, CLI_USAGE, "%s: %.*s", name, STR_ARG(why));
}

// ---- compiling -----------------------------------------------------------

static Str cache_folder(Arena *arena) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return str_format(arena, "%s/clclab", cache);
    if (home && home[0] == '/')
        return str_format(arena, "%s/.cache/clclab", home);
    return STR("");
}

// A macro that would change what the lab fixes: its header's own names.
static bool redefines_lab(Str flag) {
    static const Str options[] = {{"-D", 2},
                                  {"-U", 2},
                                  {"--define-macro=", 15},
                                  {"--undefine-macro=", 17}};
    static const Str names[] = {
        {"clclab", 6},          {"CLCLAB", 6},       {"CLC_LAB", 7}, {"Lab", 3},
        {"compute_scalar", 14}, {"launch_plan", 11}, {"Launch", 6}};
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!str_starts(flag, options[i]))
            continue;
        Str macro = str_trim(str_slice(flag, options[i].len, flag.len));
        for (size_t k = 0; k < COUNT_OF(names); k++)
            if (str_starts(macro, names[k]))
                return true;
    }
    return false;
}

static int compile(Cli *cli, const Course *course, const Lab *lab, Build *build,
                   Diags *diags) {
    Arena *arena = &cli->arena;
    const Args *args = &cli->args;
    static const CompilerChoice choices[] = {
        [COMPILER_ANY] = COMPILE_WITH_ANY,
        [COMPILER_NVRTC] = COMPILE_WITH_NVRTC,
        [COMPILER_NVCC] = COMPILE_WITH_NVCC,
    };
    Str flags[CLI_MAX_FLAGS], define = STR("CLCLAB_LAUNCH_PLAN");
    for (size_t i = 0; i < args->flag_count; i++) {
        flags[i] = str_from(args->flags[i]);
        if (lab && redefines_lab(flags[i]))
            return output_error(cli, CLI_USAGE,
                                "--compile-flag %s: the lab fixes that name",
                                args->flags[i]);
    }
    CompileRequest request = {
        .path = build->submission.file,
        .source = build->submission.source,
        .include_dirs = &course->common,
        .include_count = 1,
        .defines = &define,
        .define_count = lab && lab->plan,
        .flags = flags,
        .flag_count = args->flag_count,
        .compiler = choices[args->compiler],
        .cache_dir = cache_folder(arena),
        .stand_in_dir = str_format(arena, "%.*sgrader/compile/include",
                                   STR_ARG(course->root)),
    };
    CompileResult result = {0};
    CompileStatus status = compile_to_ptx(arena, &request, &result, diags);
    build->submission.compiler = result.compiler;
    build->ptx = result.ptx;
    switch (status) {
    case COMPILE_OK:
    case COMPILE_REJECTED:
        return CLI_FULL_MARKS;
    case COMPILE_BAD_FLAG:
        return CLI_USAGE;
    case COMPILE_UNAVAILABLE:
        return CLI_MISSING;
    case COMPILE_TRY_AGAIN:
        return CLI_TRY_LATER;
    case COMPILE_BROKEN:
        break;
    }
    return CLI_OURS;
}

// ---- from a PTX line to the learner's ------------------------------------

static Str next_word(Str *line) {
    *line = str_trim(*line);
    size_t len = 0;
    while (len < line->len && !strchr(" \t,", line->ptr[len]))
        len++;
    Str word = str_slice(*line, 0, len);
    *line = str_slice(*line, len + (len < line->len), line->len);
    return word;
}

static bool next_number(Str *line, uint32_t *out) {
    uint64_t number;
    if (!str_to_u64(next_word(line), &number) || number > UINT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

// The number of the submission's file in the .file directives; 0: none.
static uint32_t find_file_number(Str ptx, Str file) {
    uint32_t number;
    while (ptx.len > 0) {
        Str line = str_trim(str_cut(&ptx, '\n'));
        if (!str_starts(line, STR(".file")))
            continue;
        line = str_slice(line, 5, line.len);
        if (!next_number(&line, &number))
            continue;
        str_cut(&line, '"');
        if (str_ends(str_cut(&line, '"'), file))
            return number;
    }
    return 0;
}

// Reads "FILE LINE COLUMN" where FILE is `file`.
static bool read_loc(Str *line, uint32_t file, SrcLoc *at) {
    uint32_t number, row, column;
    if (!next_number(line, &number) || !next_number(line, &row) ||
        !next_number(line, &column))
        return false;
    if (number != file)
        return false;
    at->line = row;
    at->col = column;
    return true;
}

// The last place in `file` that the .loc directives above PTX line `number`
// name, directly or as the place of an inlined call.
static SrcLoc learner_place(Str ptx, uint32_t number, Str file_path) {
    SrcLoc at = {file_path, 0, 0};
    Str base = file_path;
    while (str_find(base, '/') < base.len)
        str_cut(&base, '/');
    uint32_t file = find_file_number(ptx, base);
    for (uint32_t i = 1; i <= number && ptx.len > 0 && file; i++) {
        Str line = str_trim(str_cut(&ptx, '\n'));
        if (!str_starts(line, STR(".loc")))
            continue;
        line = str_slice(line, 4, line.len);
        if (read_loc(&line, file, &at))
            continue;
        while (line.len > 0)
            if (str_equal(next_word(&line), STR("inlined_at")) &&
                read_loc(&line, file, &at))
                break;
    }
    return at;
}

// Student text can be megabytes long; a message quotes its beginning.
static Str clip(Arena *arena, Str text, size_t most) {
    if (text.len <= most)
        return text;
    return str_format(arena, "%.*s...", STR_ARG(str_slice(text, 0, most)));
}

static void place_message(Arena *arena, Str ptx, Str file, Diag *diag) {
    Str line = str_trim(str_line(ptx, diag->at.line));
    SrcLoc at = learner_place(ptx, diag->at.line, file);
    diag->what = str_format(arena, "The PTX of this line is malformed: %.*s",
                            STR_ARG(clip(arena, diag->what, 300)));
    diag->help = str_format(
        arena,
        "Inline assembly (asm) is PTX, which the CUDA compiler does not check. "
        "PTX line %u is: %.*s",
        diag->at.line, STR_ARG(clip(arena, line, 120)));
    diag->at = at;
}

// ---- the whole -----------------------------------------------------------

static void parse(Cli *cli, Build *build, Diags *diags) {
    Submission *submission = &build->submission;
    size_t before = diags->count;
    submission->module =
        ptx_parse(&cli->arena, submission->file, build->ptx, diags);
    for (size_t i = before; i < diags->count && !submission->module; i++)
        place_message(&cli->arena, build->ptx, submission->file,
                      &diags->items[i]);
}

int submission_build(Cli *cli, const Course *course, const Lab *lab, Str path,
                     Build *build) {
    Submission *submission = &build->submission;
    *build = (Build){.submission.file = path};
    Diags diags = diags_new(&cli->arena);
    int code = read_source(cli, path, submission);
    if (code != CLI_FULL_MARKS || submission->reject.what.len > 0)
        return code;
    code = compile(cli, course, lab, build, &diags);
    if (code != CLI_FULL_MARKS) {
        output_diags(cli, &diags, (Str){0});
        return code;
    }
    if (build->ptx.len > 0)
        parse(cli, build, &diags);
    submission->messages = diags.items;
    submission->message_count = diags.count;
    return CLI_FULL_MARKS;
}
