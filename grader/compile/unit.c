// SPDX-License-Identifier: Apache-2.0
// Turns a request into everything that the compiler will see.
//
// The source's #include directives are followed through the request's folders
// and the stand-ins, whatever their #if conditions. Each header found in the
// request's folders is passed to the compiler by content, so the text that the
// cache's key was made from is the text that is compiled. The toolkit's own
// headers are not followed: the toolkit's version identifies them.
//
// Includes of absolute names and of names with ".." are refused: a compiler's
// message about /etc/passwd would quote that file.
#include "compile/internal.h"

#include <string.h>

enum { MAX_DEPTH = 32 }; // of headers that include headers

// The headers of the prefixes. A source that includes all of them, before it
// defines any macro that could affect them, may use the precompiled ones.
static const char *const heavy_headers[] = {"cooperative_groups.h", "cuda/ptx"};
enum { ALL_HEAVY = (1 << COUNT_OF(heavy_headers)) - 1 };

typedef struct Follow {
    Arena *arena;
    Unit *unit;
    Diags *diags;
    ScanReading reading;
    Distrust distrust;
    unsigned heavy; // those included so far: a bit for each of heavy_headers
    bool touched;   // a macro was defined that could affect toolkit headers
} Follow;

// A text whose includes are being followed.
typedef struct Text {
    const struct Text *by; // the text that includes it
    Str shown;             // its path, for messages
    Str folder;            // where its "..." includes are looked for first
    Str text;
    unsigned depth;     // nesting of conditional directives here
    unsigned guards;    // how many of these are include guards
    Str guard;          // the macro of the #ifndef just seen
    bool unconditional; // no condition applies to its own inclusion
} Text;

// ---- what a request may hold ---------------------------------------------

static bool refuse(Diags *diags, SrcLoc at, const char *what,
                   const char *help) {
    diag_add(diags, DIAG_ERROR, at, "%s", what)->help = str_from(help);
    return false;
}

static uint32_t line_of(Str text, size_t at) {
    uint32_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text.ptr[i] == '\n';
    return line;
}

static bool check_source(const CompileRequest *r, Diags *diags) {
    SrcLoc at = {.file = r->path};
    if (r->source.len > COMPILE_MAX_SOURCE)
        return refuse(diags, at, "The file is larger than 1 MiB.",
                      "A submission is one source file; is this another kind "
                      "of file?");
    size_t nul = str_find(r->source, '\0');
    at.line = 1;
    if (nul < r->source.len) {
        at.line = line_of(r->source, nul);
        return refuse(diags, at, "The file holds a NUL byte.",
                      "A source file is text; was it saved in another format?");
    }
    if (str_trim(r->source).len == 0)
        return refuse(diags, at, "The file is empty.",
                      "Put the kernel in it; `clclab reset` brings a lab's "
                      "starter back.");
    return true;
}

static bool has_control(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 32)
            return true;
    return false;
}

// The options that decide the kind of output and where it goes.
static bool fixed_flag(Str flag) {
    static const char *const fixed[] = {
        "-arch",     "--gpu-arch", "-code",        "--gpu-code",
        "-gencode",  "--gene",     "-o",           "--output",
        "-ptx",      "--ptx",      "-cubin",       "--cubin",
        "-fatbin",   "--fatbin",   "-dlto",        "--dlink",
        "-dc",       "--device-c", "-dw",          "--device-w",
        "-E",        "--preproc",  "-M",           "--generate-dep",
        "-pch",      "--pch",      "--create-pch", "-create-pch",
        "--use-pch", "-use-pch",   "--run",        "-run",
        "-keep",     "--keep",     "--dryrun",     "-dryrun",
        "-optix",    "--optix",    "-optf",        "--options-file",
    };
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        if (str_starts(flag, str_from(fixed[i])))
            return true;
    return false;
}

// -D, -U and -I alone: their value has to be in the same argument.
static bool lacks_value(Str flag) {
    return str_equal(flag, STR("-D")) || str_equal(flag, STR("-U")) ||
           str_equal(flag, STR("-I"));
}

static bool check_flags(const CompileRequest *r, Diags *diags) {
    for (size_t i = 0; i < r->flag_count; i++) {
        Str flag = r->flags[i];
        bool option = flag.len > 1 && flag.ptr[0] == '-' &&
                      !has_control(flag) && !lacks_value(flag);
        if (option && !fixed_flag(flag))
            continue;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 option ? "The compiler option %.*s cannot be changed: what is "
                          "graded is PTX for compute_100a."
                        : "\"%.*s\" is not a compiler option.",
                 STR_ARG(flag))
            ->help = STR("Write an option and its value as one word, such as "
                         "--maxrregcount=32.");
        return false;
    }
    return true;
}

static bool check_defines(const Unit *unit, Diags *diags) {
    for (size_t i = 0; i < unit->define_count; i++) {
        Str define = unit->defines[i];
        Str name = scan_word(define);
        bool named = name.len && !(name.ptr[0] >= '0' && name.ptr[0] <= '9') &&
                     name.ptr == define.ptr;
        if (named && !has_control(define))
            continue;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "\"%.*s\" defines no macro.",
                 STR_ARG(define))
            ->help = STR("Write NAME or NAME=value.");
        return false;
    }
    return true;
}

// ---- options that mean folders and macros --------------------------------

static bool cut_option(Str flag, const char *name, Str *value) {
    if (!str_starts(flag, str_from(name)))
        return false;
    *value = str_slice(flag, strlen(name), flag.len);
    return value->len != 0;
}

// -I and -D are added to the request's folders and defines; the other flags go
// to the compiler.
static void sort_flags(Arena *arena, const CompileRequest *r, Unit *unit) {
    size_t most = r->flag_count + r->include_count + r->define_count;
    Str *includes = arena_new(arena, Str, most);
    Str *defines = arena_new(arena, Str, most);
    Str *flags = arena_new(arena, Str, most);
    for (size_t i = 0; i < r->include_count; i++)
        includes[unit->include_count++] = r->include_dirs[i];
    for (size_t i = 0; i < r->define_count; i++)
        defines[unit->define_count++] = r->defines[i];
    for (size_t i = 0; i < r->flag_count; i++) {
        Str value;
        if (cut_option(r->flags[i], "-I", &value) ||
            cut_option(r->flags[i], "--include-path=", &value))
            includes[unit->include_count++] = value;
        else if (cut_option(r->flags[i], "-D", &value) ||
                 cut_option(r->flags[i], "--define-macro=", &value))
            defines[unit->define_count++] = value;
        else
            flags[unit->flag_count++] = r->flags[i];
    }
    unit->include_dirs = includes;
    unit->defines = defines;
    unit->flags = flags;
}

// ---- following includes --------------------------------------------------

// Whether an option includes a file, which is not followed here.
static bool flags_include(const Unit *unit) {
    for (size_t i = 0; i < unit->flag_count; i++)
        if (memmem(unit->flags[i].ptr, unit->flags[i].len, "include", 7))
            return true;
    return false;
}

// Macros that affect the toolkit's headers: reserved names and their own.
static bool touches_toolkit(Str macro) {
    static const char *const theirs[] = {"_",  "CCCL", "LIBCUDACXX", "CUDA",
                                         "NV", "CUB",  "THRUST"};
    for (size_t i = 0; i < COUNT_OF(theirs); i++)
        if (str_starts(macro, str_from(theirs[i])))
            return true;
    return false;
}

static void note_heavy(Follow *follow, const Text *from, Str name) {
    bool sure = from->unconditional && from->depth == from->guards;
    for (size_t i = 0; i < COUNT_OF(heavy_headers); i++)
        if (sure && !follow->touched &&
            str_equal(name, str_from(heavy_headers[i])))
            follow->heavy |= 1u << i;
}

static bool known_header(const Header *items, size_t count, Str shown) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(items[i].shown, shown))
            return true;
    return false;
}

static bool follow_text(Follow *follow, Text *text);

static bool follow_header(Follow *follow, const Text *from, Str folder,
                          const Header *header) {
    Text text = {.by = from,
                 .shown = header->shown,
                 .folder = folder,
                 .text = header->text,
                 .unconditional =
                     from->unconditional && from->depth == from->guards};
    return follow_text(follow, &text);
}

static Str folder_of(Str path) {
    size_t end = path.len;
    while (end > 0 && path.ptr[end - 1] != '/')
        end--;
    return str_slice(path, 0, end ? end - 1 : 0);
}

// Looks for a header in one of the request's folders. *found is set even where
// the header is then refused.
static bool try_folder(Follow *follow, const Text *from, const Directive *d,
                       Str folder, bool *found) {
    Unit *unit = follow->unit;
    Arena *arena = follow->arena;
    Header header = {.name = d->argument};
    header.shown =
        str_format(arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(d->argument));
    *found = known_header(unit->headers, unit->header_count, header.shown);
    if (*found)
        return true;
    *found = files_read(arena, header.shown, COMPILE_MAX_SOURCE, &header.text);
    if (!*found)
        return true;
    SrcLoc at = {.file = from->shown, .line = d->line};
    for (size_t i = 0; i < unit->header_count; i++)
        if (str_equal(unit->headers[i].name, header.name))
            return refuse(follow->diags, at,
                          "Two different headers are included by this name.",
                          "Rename one of them.");
    if (unit->header_count == COMPILE_MAX_HEADERS)
        return refuse(follow->diags, at, "More than 128 headers are included.",
                      "Put them together into fewer files.");
    arena_grow(arena, unit->headers, unit->header_count, unit->header_capacity);
    unit->headers[unit->header_count++] = header;
    return follow_header(follow, from, folder_of(header.shown), &header);
}

static bool try_stand_in(Follow *follow, const Text *from, const Directive *d,
                         bool *found) {
    Unit *unit = follow->unit;
    Arena *arena = follow->arena;
    Header header = {.name = d->argument};
    header.shown = str_format(arena, "%.*s/%.*s", STR_ARG(unit->stand_ins),
                              STR_ARG(d->argument));
    *found = known_header(unit->stand_in_headers, unit->stand_in_count,
                          header.shown);
    if (*found || unit->stand_ins.len == 0)
        return true;
    *found = files_read(arena, header.shown, COMPILE_MAX_SOURCE, &header.text);
    if (!*found)
        return true;
    arena_grow(arena, unit->stand_in_headers, unit->stand_in_count,
               unit->stand_in_capacity);
    unit->stand_in_headers[unit->stand_in_count++] = header;
    return follow_header(follow, from, folder_of(header.shown), &header);
}

static bool in_toolkit(Follow *follow, Str name) {
    const Toolkit *toolkit = &follow->unit->toolkit;
    for (size_t i = 0; i < toolkit->include_count; i++) {
        Str path = str_format(follow->arena, "%.*s/%.*s",
                              STR_ARG(toolkit->include[i]), STR_ARG(name));
        if (files_exist(follow->arena, path))
            return true;
    }
    return false;
}

static bool has_parent_step(Str name) {
    while (name.len)
        if (str_equal(str_cut(&name, '/'), STR("..")))
            return true;
    return false;
}

static bool check_include(Follow *follow, const Text *from,
                          const Directive *d) {
    bool absolute = d->argument.len && d->argument.ptr[0] == '/';
    if (!absolute && !has_parent_step(d->argument))
        return true;
    diag_add(follow->diags, DIAG_ERROR,
             (SrcLoc){.file = from->shown, .line = d->line},
             "#%.*s of \"%.*s\": %s.", STR_ARG(d->name), STR_ARG(d->argument),
             absolute ? "absolute file names are not allowed"
                      : "file names with \"..\" are not allowed")
        ->help = STR("Include headers by their name in an include folder.");
    return false;
}

// The headers of the request's folders are the user's own.
static bool is_distrusted(const Follow *follow, const Text *text) {
    return follow->unit->request->untrusted && !text->by;
}

static bool follow_include(Follow *follow, const Text *from,
                           const Directive *d) {
    Unit *unit = follow->unit;
    if (d->mark == 0 && is_distrusted(follow, from))
        return refuse(follow->diags,
                      (SrcLoc){.file = from->shown, .line = d->line},
                      "A macro names the file of this #include, which is not "
                      "allowed in a file that is graded.",
                      "Write the header's name in quotes or angle brackets.");
    if (d->mark == 0) { // a macro names the file: only the compiler knows
        unit->cacheable = false;
        return true;
    }
    if (!check_include(follow, from, d))
        return false;
    note_heavy(follow, from, d->argument);
    bool found = false, fine = true;
    if (d->mark == '"' && from->by)
        fine = try_folder(follow, from, d, from->folder, &found);
    for (size_t i = 0; fine && !found && i < unit->include_count; i++)
        fine = try_folder(follow, from, d, unit->include_dirs[i], &found);
    if (found && fine && in_toolkit(follow, d->argument))
        follow->touched = true; // it replaces one of the toolkit's headers
    if (fine && !found)
        fine = try_stand_in(follow, from, d, &found);
    return fine;
}

// #if __has_include(...): the compiler must be given the header that it asks
// for. Asking for a header does not include it.
static bool follow_question(Follow *follow, const Text *from,
                            Scanner *scanner) {
    Directive asked;
    if (!scan_asked_file(scanner, &asked))
        return true;
    Text asking = *from;
    asking.unconditional = false;
    return follow_include(follow, &asking, &asked);
}

static void note_define(Follow *follow, Text *text, const Directive *d) {
    Str macro = scan_word(d->argument);
    bool guards = text->guard.len && str_equal(macro, text->guard);
    if (guards)
        text->guards++;
    else if (touches_toolkit(macro) && follow->heavy != ALL_HEAVY)
        follow->touched = true;
}

static void note_end_of_condition(Text *text) {
    text->depth -= text->depth > 0;
    if (text->guards > text->depth)
        text->guards = text->depth;
}

static bool follow_directive(Follow *follow, Text *text, const Directive *d) {
    Str name = d->name;
    bool fine = true;
    if (str_equal(name, STR("include")) || str_equal(name, STR("embed")) ||
        str_equal(name, STR("include_next")) || str_equal(name, STR("import")))
        fine = follow_include(follow, text, d);
    else if (str_equal(name, STR("define")) || str_equal(name, STR("undef")))
        note_define(follow, text, d);
    else if (str_equal(name, STR("endif")))
        note_end_of_condition(text);
    text->depth += str_starts(name, STR("if"));
    text->guard =
        str_equal(name, STR("ifndef")) ? scan_word(d->argument) : (Str){0};
    return fine;
}

static bool asks_condition(const Scanner *scanner) {
    Str name = scanner->directive.name;
    return scanner->in_directive &&
           (str_equal(name, STR("if")) || str_equal(name, STR("elif")));
}

static bool follow_piece(Follow *follow, Text *text, Scanner *scanner,
                         ScanPiece piece) {
    SrcLoc at = {.file = text->shown, .line = scanner->line};
    bool distrusted = is_distrusted(follow, text);
    if (piece == SCAN_DIRECTIVE)
        return follow_directive(follow, text, &scanner->directive);
    if (piece == SCAN_STRING)
        return !distrusted || distrust_string(scanner, at, follow->diags);
    if (distrusted && !distrust_word(scanner, at, follow->arena,
                                     &follow->distrust, follow->diags))
        return false;
    return !asks_condition(scanner) || !distrust_asks(scanner->word) ||
           follow_question(follow, text, scanner);
}

static bool follow_text(Follow *follow, Text *text) {
    unsigned depth = 0;
    for (const Text *t = text->by; t; t = t->by)
        depth++;
    if (depth > MAX_DEPTH)
        return refuse(follow->diags, (SrcLoc){.file = text->shown, .line = 1},
                      "Headers include each other more than 32 deep.",
                      "Include them from one place.");
    Scanner scanner = scan_start(follow->arena, text->text, follow->reading);
    for (;;) {
        ScanPiece piece = scan_next(&scanner);
        if (piece == SCAN_END)
            return !is_distrusted(follow, text) ||
                   distrust_end(&follow->distrust,
                                (SrcLoc){.file = text->shown, .line = 1},
                                follow->diags);
        if (!follow_piece(follow, text, &scanner, piece))
            return false;
    }
}

// ---- the unit ------------------------------------------------------------

static bool defines_touch_toolkit(const Unit *unit) {
    for (size_t i = 0; i < unit->define_count; i++)
        if (touches_toolkit(scan_word(unit->defines[i])))
            return true;
    return false;
}

static bool follow_source(Arena *arena, Unit *unit, Diags *diags) {
    const CompileRequest *r = unit->request;
    Follow follow = {.arena = arena, .unit = unit, .diags = diags};
    follow.touched = defines_touch_toolkit(unit);
    Text text = {.shown = r->path, .text = r->source, .unconditional = true};
    Directive first = {.name = STR("include"),
                       .argument = r->first_header,
                       .line = 1,
                       .mark = '<'};
    if (first.argument.len && !follow_include(&follow, &text, &first))
        return false;
    if (!follow_text(&follow, &text))
        return false;
    // As the other compiler reads it, for what it may ask for in that reading.
    Follow again = {.arena = arena, .unit = unit, .diags = diags};
    again.reading = SCAN_GCC;
    Text same = {.shown = r->path, .text = r->source};
    if (!follow_text(&again, &same))
        return false;
    // Other options may change what the headers mean: then the precompiled ones
    // are not used.
    bool may_begin = follow.heavy == ALL_HEAVY && !follow.touched &&
                     unit->flag_count == 0 && unit->stand_ins.len != 0;
    unit->prefix = may_begin ? UNIT_LEAN : UNIT_BARE;
    return true;
}

bool unit_build(Arena *arena, const CompileRequest *request,
                const Toolkit *toolkit, Unit *unit, Diags *diags) {
    *unit = (Unit){.request = request,
                   .toolkit = *toolkit,
                   .cpu_s = arena_new(arena, double, 1)};
    unit->name = request->path.len ? request->path : STR("source.cu");
    if (request->stand_in_dir.len)
        unit->stand_ins = files_absolute(arena, request->stand_in_dir);
    if (!check_source(request, diags))
        return false;
    unit->bad_flag = !check_flags(request, diags);
    if (unit->bad_flag)
        return false;
    sort_flags(arena, request, unit);
    unit->cacheable = !flags_include(unit);
    unit->bad_flag = !check_defines(unit, diags);
    return !unit->bad_flag && follow_source(arena, unit, diags);
}

// nvcc does not survive a name that needs an escape in a literal, nor NVRTC one
// that is not UTF-8. Such a name, and any beyond ASCII, is replaced, and comes
// back when the compiler's names are translated.
static Str plain_name(Str name) {
    bool plain = !has_control(name);
    for (size_t i = 0; i < name.len; i++)
        plain = plain && name.ptr[i] != '"' && name.ptr[i] != '\\' &&
                (unsigned char)name.ptr[i] < 0x7f;
    return plain ? name : STR(COMPILE_SOURCE_NAME);
}

Str unit_source(Arena *arena, const Unit *unit, Str head) {
    Buf buf = {0};
    buf_str(&buf, head);
    for (size_t i = 0; i < unit->define_count; i++) {
        Str value = unit->defines[i];
        Str name = str_cut(&value, '=');
        bool valued = name.len < unit->defines[i].len;
        buf_printf(&buf, "#define %.*s %.*s\n", STR_ARG(name),
                   STR_ARG(valued ? value : STR("1")));
    }
    if (unit->request->first_header.len)
        buf_printf(&buf, "#include <%.*s>\n",
                   STR_ARG(unit->request->first_header));
    buf_printf(&buf, "#line 1 \"%.*s\"\n", STR_ARG(plain_name(unit->name)));
    Str source = unit->request->source, mark = STR("\xef\xbb\xbf");
    if (str_starts(source, mark)) // UTF-8's byte order mark
        source = str_slice(source, mark.len, source.len);
    buf_str(&buf, source);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}
