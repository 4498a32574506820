// SPDX-License-Identifier: Apache-2.0
// Turns a path into a Submission: reads the file, refuses what is not text,
// compiles and parses it.
//
// What the PTX parser refuses was written as inline assembly, which the CUDA
// compiler does not check. The parser's messages name a PTX line; here they get
// the line of the learner's file that the .loc directive before it names.
#include "cli/source/binary.h"
#include "cli/source/source.h"
#include "compile/compile.h"
#include "fatbin/fatbin.h"
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

// `start`: what to try with an empty file.
static void judge_text(Submission *submission, Str start) {
    Str text = submission->source;
    size_t nul = str_find(text, '\0');
    if (str_trim(text).len == 0)
        reject(submission, 1, STR("The file is empty."), start);
    else if (nul < text.len)
        reject(submission, count_lines(str_slice(text, 0, nul)),
               STR("The file holds a NUL byte: it is binary, or UTF-16."),
               STR("Save it as plain text, in UTF-8."));
}

typedef struct SourceLimit {
    size_t bytes;
    Str too_large, start; // help for a file that is too large, and an empty one
    bool follow;          // a symbolic link is read, too
} SourceLimit;

// CLI_FULL_MARKS: the file was read, though it may have been refused.
static int read_source(Cli *cli, Str path, const SourceLimit *limit,
                       Submission *submission) {
    char *name = str_cstring(&cli->arena, path);
    Str why;
    if (!limit->follow && file_is_link(name) && file_exists(name))
        return output_error(cli, CLI_USAGE,
                            "%s: it is a symbolic link; --follow grades the "
                            "file that it leads to",
                            name);
    switch (
        file_read(&cli->arena, name, limit->bytes, &submission->source, &why)) {
    case FILE_READ:
        judge_text(submission, limit->start);
        return CLI_FULL_MARKS;
    case FILE_TOO_LARGE:
        submission->source = STR("");
        reject(submission, 0,
               str_format(&cli->arena, "The file is larger than %zu MiB.",
                          limit->bytes >> 20),
               limit->too_large);
        return CLI_FULL_MARKS;
    case FILE_UNREADABLE:
        break;
    }
    return output_error(cli, CLI_USAGE, "%s: %.*s", name, STR_ARG(why));
}

// ---- compiling -----------------------------------------------------------

Str submission_cache(Arena *arena) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return str_format(arena, "%s/clclab", cache);
    if (home && home[0] == '/')
        return str_format(arena, "%s/.cache/clclab", home);
    return STR("");
}

// Whether a flag defines one of the lab header's own names, which would change
// what the lab fixes.
static bool redefines_lab(Str flag) {
    static const Str options[] = {STR("-D"), STR("-U"), STR("--define-macro="),
                                  STR("--undefine-macro=")};
    static const Str names[] = {
        STR("clclab"),         STR("CLCLAB"),      STR("CLC_LAB"), STR("Lab"),
        STR("compute_scalar"), STR("launch_plan"), STR("Launch")};
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

static Str folder_of(Arena *arena, Str path) {
    while (path.len > 0 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path.len
               ? str_copy(arena,
                          str_slice(path, 0, path.len == 1 ? 1 : path.len - 1))
               : STR(".");
}

// How to compile: for a lab, or for a kernel that belongs to no lab.
typedef struct BuildKind {
    const Lab *lab; // NULL: none
    bool own;       // clclab run: no lab, and larger files are allowed
} BuildKind;

// Reads --compile-flag, and refuses a flag that changes what a lab fixes.
static int read_flags(Cli *cli, const Lab *lab, Str path, Str **flags,
                      size_t *count) {
    CliValues all = cli->args.flags;
    int code = lab ? CLI_FULL_MARKS : database_flags(cli, path, &all);
    *count = all.count;
    *flags = arena_new(&cli->arena, Str, all.count + 1);
    for (size_t i = 0; i < all.count && code == CLI_FULL_MARKS; i++) {
        (*flags)[i] = str_from(all.items[i]);
        if (lab && redefines_lab((*flags)[i]))
            code = output_error(cli, CLI_USAGE,
                                "--compile-flag %s: the lab fixes that name",
                                all.items[i]);
    }
    return code;
}

static int code_of(CompileStatus status) {
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

// The instance of a template that --kernel names: the compiler makes it.
static Str instance_of(const Args *args) {
    Str name = str_from(args->kernel ? args->kernel : "");
    bool is_one = name.len && str_find(name, '<') < name.len;
    return is_one ? name : (Str){0};
}

// What the compiler says of that name alone is a mistake in the command.
static int judge_name(Cli *cli, CompileStatus status, const Diags *diags) {
    const Diag *first = NULL;
    for (size_t i = 0; i < diags->count && status == COMPILE_REJECTED; i++) {
        const Diag *diag = &diags->items[i];
        if (diag->level != DIAG_ERROR)
            continue;
        if (!str_equal(diag->at.file, STR("--kernel")))
            return CLI_FULL_MARKS;
        first = first ? first : diag;
    }
    if (!first)
        return CLI_FULL_MARKS;
    bool is_unknown = str_ends(first->what, STR("is undefined"));
    return output_error(cli, CLI_USAGE,
                        "--kernel %s: the compiler says: %.*s%s",
                        cli->args.kernel, STR_ARG(first->what),
                        is_unknown ? "; if it is in a namespace, write that "
                                     "as well: 'space::name<...>'"
                                   : "");
}

static int compile(Cli *cli, const Course *course, BuildKind kind, Build *build,
                   Diags *diags) {
    const Lab *lab = kind.lab;
    Arena *arena = &cli->arena;
    const Args *args = &cli->args;
    static const CompilerChoice choices[] = {
        [COMPILER_ANY] = COMPILE_WITH_ANY,
        [COMPILER_NVRTC] = COMPILE_WITH_NVRTC,
        [COMPILER_NVCC] = COMPILE_WITH_NVCC,
    };
    Str *flags, define = STR("CLCLAB_LAUNCH_PLAN");
    size_t flag_count;
    Str include[2];
    size_t include_count = 0;
    if (kind.own)
        include[include_count++] = folder_of(arena, build->submission.file);
    if (course->common.len)
        include[include_count++] = course->common;
    int code =
        read_flags(cli, lab, build->submission.file, &flags, &flag_count);
    if (code)
        return code;
    CompileRequest request = {
        .path = build->submission.file,
        .untrusted = !kind.own,
        .reads_folders = kind.own,
        .whole_sandbox = args->untrusted && !args->allow_weak,
        .source = build->submission.source,
        .include_dirs = include,
        .include_count = include_count,
        // First, so that no macro or pragma of a submission reaches it.
        .first_header = lab ? STR("lab.h") : STR(""),
        .defines = &define,
        .define_count = lab && lab->plan,
        .flags = flags,
        .flag_count = flag_count,
        .kernel = kind.own ? instance_of(args) : (Str){0},
        .compiler = choices[args->compiler],
        .never_waits = cli->never_waits,
        .cache_dir = submission_cache(arena),
        .stand_in_dir = course->common.len
                            ? str_format(arena, "%.*sgrader/compile/include",
                                         STR_ARG(course->root))
                            : STR(""),
        .time_limit_s = kind.own ? 300 : 0,
        .memory_limit = kind.own ? UINT64_C(8) << 30 : 0,
    };
    CompileResult result = {0};
    CompileStatus status = compile_to_ptx(arena, &request, &result, diags);
    build->submission.compiler = result.compiler;
    build->ptx = result.ptx;
    build->asm_errors = result.asm_errors;
    build->kernel = result.kernel;
    if (result.refusal.len)
        output_error(cli, CLI_FULL_MARKS,
                     "nvcc is taken, as NVRTC does not take this: %.*s",
                     STR_ARG(result.refusal));
    build->guards = (GuardsNote){
        .has_run = result.has_run,
        .seccomp = result.guards.seccomp,
        .landlock = result.guards.landlock,
        .bubblewrap = str_copy(arena, str_from(result.guards.bubblewrap))};
    code = kind.own ? judge_name(cli, status, diags) : CLI_FULL_MARKS;
    if (code)
        diags->count = 0; // it is said
    return code ? code : code_of(status);
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

// The last place in `file` that a .loc directive before PTX line `number`
// names, directly or as the place of an inlined call.
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

// The parser's help ends with the place, which the report shows anyway.
static Str advice_of(Str help) {
    for (size_t i = 0; i < help.len; i++)
        if (str_starts(str_slice(help, i, help.len), STR("It comes from ")))
            return str_trim(str_slice(help, 0, i));
    return help;
}

static void place_message(Arena *arena, Str ptx, Str file, Diag *diag) {
    Str line = str_trim(str_line(ptx, diag->at.line));
    SrcLoc at = learner_place(ptx, diag->at.line, file);
    diag->what = str_format(arena, "The PTX of this line is malformed: %.*s",
                            STR_ARG(clip(arena, diag->what, 300)));
    Str advice = advice_of(diag->help);
    diag->help = str_format(
        arena,
        "%.*s%sInline assembly (asm) is PTX, which the CUDA compiler does not "
        "check. PTX line %u is: %.*s",
        STR_ARG(advice), advice.len > 0 ? " " : "", diag->at.line,
        STR_ARG(clip(arena, line, 120)));
    diag->at = at;
}

// ---- the whole -----------------------------------------------------------

// What the parser takes and the assembler does not. The parser comes first, as
// it says more of a mistake.
static void add_asm_errors(Build *build) {
    const Diags *errors = &build->asm_errors;
    if (!build->submission.module || !errors->errors)
        return;
    build->submission.module = NULL;
    for (size_t i = 0; i < errors->count; i++) {
        const Diag *d = &errors->items[i];
        Diag *copy =
            diag_add(&build->diags, d->level, d->at, "%.*s", STR_ARG(d->what));
        copy->code = STR("PTX");
        copy->help = d->help;
    }
}

void submission_parse(Cli *cli, Build *build) {
    Submission *submission = &build->submission;
    Diags *diags = &build->diags;
    size_t before = diags->count;
    if (build->ptx.len > 0)
        submission->module =
            ptx_parse(&cli->arena, submission->file, build->ptx, diags);
    add_asm_errors(build);
    for (size_t i = before; i < diags->count && !submission->module; i++)
        place_message(&cli->arena, build->ptx, submission->file,
                      &diags->items[i]);
    submission->messages = diags->items;
    submission->message_count = diags->count;
}

// Compiles the text that was read, as CUDA C++.
static int compile_source(Cli *cli, const Course *course, BuildKind kind,
                          Build *build) {
    build->diags = diags_new(&cli->arena);
    int code = compile(cli, course, kind, build, &build->diags);
    if (code != CLI_FULL_MARKS)
        output_diags(cli, &build->diags, (Str){0});
    return code;
}

int submission_compile(Cli *cli, const Course *course, const Lab *lab, Str path,
                       Build *build) {
    const SourceLimit limit = {
        CLI_MAX_SOURCE,
        STR("A lab's file has about a hundred lines: is it the right one?"),
        STR("Start from the lab's own file."), !lab || cli->args.follow};
    *build = (Build){.submission.file = path};
    int code = read_source(cli, path, &limit, &build->submission);
    if (code != CLI_FULL_MARKS || build->submission.reject.what.len > 0)
        return code;
    return compile_source(cli, course, (BuildKind){.lab = lab}, build);
}

int submission_build(Cli *cli, const Course *course, const Lab *lab, Str path,
                     Build *build) {
    int code = submission_compile(cli, course, lab, path, build);
    if (code == CLI_FULL_MARKS)
        submission_parse(cli, build);
    return code;
}

// ---- kernels of no lab ---------------------------------------------------

// PTX without a .loc, compiled without -lineinfo, is its own source: each
// instruction gets its place in the PTX file.
static void place_in_itself(Arena *arena, PtxModule *module, Str file) {
    if (module->loc_count > 1)
        return;
    uint32_t number = (uint32_t)module->file_count;
    arena_grow(arena, module->files, module->file_count, module->file_capacity);
    module->files[module->file_count++] = file;
    for (size_t i = 0; i < module->func_count; i++) {
        PtxFunc *func = module->funcs[i];
        for (size_t k = 0; k <= func->instr_count; k++) {
            bool head = k == func->instr_count;
            uint32_t line = head ? func->line : func->instrs[k].line;
            uint32_t loc = (uint32_t)module->loc_count;
            arena_grow(arena, module->locs, module->loc_count,
                       module->loc_capacity);
            module->locs[module->loc_count++] =
                (PtxLoc){.file = number, .line = line};
            *(head ? &func->loc : &func->instrs[k].loc) = loc;
        }
    }
}

static int read_ptx(Cli *cli, Str path, Build *build) {
    const SourceLimit limit = {
        CLI_MAX_PTX, STR("Leave out what the kernel does not need."),
        STR("Make it with nvcc -ptx -arch=sm_100a -lineinfo."), true};
    Submission *submission = &build->submission;
    int code = read_source(cli, path, &limit, submission);
    if (code == CLI_FULL_MARKS && submission->reject.what.len == 0)
        build->ptx = submission->source;
    return code;
}

static void add_module(Cli *cli, Build *build, PtxModule *module,
                       struct BuildText text) {
    if (!module)
        return;
    place_in_itself(&cli->arena, module, build->submission.file);
    build->texts[build->module_count] = text;
    build->modules[build->module_count++] = module;
}

// Each source of a program is a module, and all parts that the device's linker
// joins are one. What cannot be parsed is left out, unless nothing can.
static void parse_texts(Cli *cli, Build *build, Diags *diags) {
    size_t count = build->text_count, part_count = 0;
    PtxModule **parts = arena_new(&cli->arena, PtxModule *, count);
    BuildText first = {0};
    build->modules = arena_new(&cli->arena, PtxModule *, count + 1);
    for (size_t i = 0; i < count; i++) {
        BuildText text = build->texts[i];
        PtxModule *module =
            ptx_parse(&cli->arena, build->submission.file, text.ptx, diags);
        if (!text.is_part) {
            add_module(cli, build, module, text);
        } else if (module) {
            first = part_count ? first : text;
            parts[part_count++] = module;
        }
    }
    if (part_count)
        add_module(cli, build, ptx_link(&cli->arena, parts, part_count), first);
    build->text_count = build->module_count;
    if (build->module_count)
        diags->count = diags->errors = 0;
}

static void parse_ptx(Cli *cli, Build *build) {
    Submission *submission = &build->submission;
    Diags diags = diags_new(&cli->arena);
    if (build->text_count == 0) {
        arena_grow(&cli->arena, build->texts, build->text_count,
                   build->text_capacity);
        build->texts[build->text_count++].ptx = build->ptx;
    }
    parse_texts(cli, build, &diags);
    submission->module = build->module_count ? build->modules[0] : NULL;
    submission->messages = diags.items;
    submission->message_count = diags.count;
}

static int read_binary(Cli *cli, Str path, Build *build) {
    enum { MOST = 1 << 30 }; // bytes
    Str bytes, why = STR("it is larger than 1 GiB");
    FileRead read = file_read(&cli->arena, str_cstring(&cli->arena, path), MOST,
                              &bytes, &why);
    if (read != FILE_READ)
        return output_error(cli, CLI_USAGE, "%.*s: %.*s", STR_ARG(path),
                            STR_ARG(why));
    if (fatbin_is_file(bytes))
        return binary_read(cli, path, bytes, build);
    return output_error(cli, CLI_USAGE,
                        "%.*s is neither a .cu nor a .ptx file, nor a program, "
                        "library, object file or fat binary",
                        STR_ARG(path));
}

int submission_compile_own(Cli *cli, const Course *course, Str path,
                           Build *build) {
    const SourceLimit limit = {
        CLI_MAX_SOURCE,
        STR("Compile it with nvcc -ptx, and run what comes out."),
        STR("Write a kernel into it."), true};
    *build = (Build){.submission.file = path};
    if (str_ends(path, STR(".ptx")))
        return read_ptx(cli, path, build);
    if (!str_ends(path, STR(".cu")))
        return read_binary(cli, path, build);
    int code = read_source(cli, path, &limit, &build->submission);
    if (code != CLI_FULL_MARKS || build->submission.reject.what.len > 0)
        return code;
    return compile_source(cli, course, (BuildKind){.own = true}, build);
}

void submission_parse_own(Cli *cli, Build *build) {
    if (build->submission.reject.what.len > 0)
        return;
    if (!str_ends(build->submission.file, STR(".cu"))) {
        parse_ptx(cli, build);
        return;
    }
    submission_parse(cli, build);
    if (!build->submission.module)
        return;
    build->modules = arena_new(&cli->arena, PtxModule *, 1);
    build->modules[build->module_count++] =
        (PtxModule *)build->submission.module;
}

int submission_build_own(Cli *cli, const Course *course, Str path,
                         Build *build) {
    int code = submission_compile_own(cli, course, path, build);
    if (code == CLI_FULL_MARKS)
        submission_parse_own(cli, build);
    return code;
}
