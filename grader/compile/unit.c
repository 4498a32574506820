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
// message about /etc/passwd would quote that file. So are more headers than a
// source can need, and two of one name.
//
// A user's own headers (reads_folders) may be many and named in any way. The
// compiler reads those where they are (from_disk), unless it can be given them
// with precompiled ones. The texts that were found here are the cache's key all
// the same; whether they have changed meanwhile is looked at afterwards.
#include "compile/internal.h"

#include <string.h>

enum {
    MAX_DEPTH = 32,      // of headers that include headers
    MAX_OWN_DEPTH = 200, // of the user's own, as in gcc
    MAX_OWN = 1 << 26,   // bytes of one of these
};

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

static bool check_defines(const Unit *unit, Diags *diags) {
    for (size_t i = 0; i < unit->define_count; i++) {
        Str define = unit->defines[i];
        Str name = scan_word(define);
        bool named = name.len && !(name.ptr[0] >= '0' && name.ptr[0] <= '9') &&
                     name.ptr == define.ptr;
        if (named && !options_hold_control(define))
            continue;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "\"%.*s\" defines no macro.",
                 STR_ARG(define))
            ->help = STR("Write NAME or NAME=value.");
        return false;
    }
    return true;
}

// ---- following includes --------------------------------------------------

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

static Str folder_of(Str path) {
    size_t end = path.len;
    while (end > 0 && path.ptr[end - 1] != '/')
        end--;
    return str_slice(path, 0, end ? end - 1 : 0);
}

static bool has_parent_step(Str name) {
    while (name.len)
        if (str_equal(str_cut(&name, '/'), STR("..")))
            return true;
    return false;
}

// The path in a folder, without steps that lead nowhere: "a/../b.h" is "b.h".
static Str join_path(Arena *arena, Str folder, Str name) {
    if (name.len && name.ptr[0] == '/')
        folder = (Str){0};
    Str path = folder.len ? str_format(arena, "%.*s/%.*s", STR_ARG(folder),
                                       STR_ARG(name))
                          : name;
    if (!has_parent_step(name))
        return path;
    Buf out = {0};
    for (Str rest = path; rest.len;) {
        Str step = str_cut(&rest, '/'), so_far = buf_view(&out);
        bool rooted = step.ptr == path.ptr && step.len == 0;
        Str last = str_slice(so_far, folder_of(so_far).len, so_far.len);
        last = last.len && last.ptr[0] == '/' ? str_slice(last, 1, last.len)
                                              : last;
        if (str_equal(step, STR("..")) && last.len &&
            !str_equal(last, STR("..")) && !str_equal(last, STR(".")))
            out.len = folder_of(so_far).len;
        else if (step.len || rooted)
            buf_printf(&out, "%s%.*s",
                       out.len  ? "/"
                       : rooted ? "/"
                                : "",
                       STR_ARG(step));
    }
    path = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return path;
}

static const Header *find_header(const Header *items, size_t count, Str shown) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(items[i].shown, shown))
            return &items[i];
    return NULL;
}

// By content a header has one name: who calls it by two has the compiler read
// it.
static bool known_header(Unit *unit, Str shown, Str name) {
    const Header *known = find_header(unit->headers, unit->header_count, shown);
    if (known && unit->request->reads_folders)
        unit->from_disk |= !str_equal(known->name, name);
    return known != NULL;
}

static bool follow_text(Follow *follow, Text *text);

static Str first_path(Arena *arena, Str name) {
    return files_exist(arena, name) ? files_absolute(arena, name) : name;
}

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

// The folder of a user's own header, which the compiler is to read: where links
// lead, too.
static void add_disk_folder(Follow *follow, Str path) {
    Unit *unit = follow->unit;
    Str folder = folder_of(files_absolute(follow->arena, path));
    for (size_t i = 0; i < unit->disk_count; i++)
        if (str_equal(unit->disk_dirs[i], folder))
            return;
    arena_grow(follow->arena, unit->disk_dirs, unit->disk_count,
               unit->disk_capacity);
    unit->disk_dirs[unit->disk_count++] = folder;
}

// Whether the header may be taken in beside those that there are. By content
// the compiler knows a header by its name alone.
static bool accept_header(Follow *follow, SrcLoc at, Str name) {
    Unit *unit = follow->unit;
    bool own = unit->request->reads_folders;
    bool many = unit->header_count >= COMPILE_MAX_HEADERS;
    bool twice = false;
    for (size_t i = 0; i < unit->header_count && !twice; i++)
        twice = str_equal(unit->headers[i].name, name);
    unit->from_disk |= own && (many || twice);
    if (twice && !own)
        return refuse(follow->diags, at,
                      "Two different headers are included by this name.",
                      "Rename one of them.");
    return !many || own ||
           refuse(follow->diags, at, "More than 128 headers are included.",
                  "Put them together into fewer files.");
}

// A header that is there and cannot be read for the key.
static bool is_out_of_reach(Follow *follow, Str path) {
    Unit *unit = follow->unit;
    if (!unit->request->reads_folders || !files_exist(follow->arena, path))
        return false;
    unit->from_disk = true;
    unit->cacheable = false;
    return true;
}

// Looks for a header in one of the request's folders. *found is set even where
// the header is then refused.
static bool try_folder(Follow *follow, const Text *from, const Directive *d,
                       Str folder, bool *found) {
    Unit *unit = follow->unit;
    Arena *arena = follow->arena;
    bool own = unit->request->reads_folders;
    Header header = {.name = d->argument};
    header.shown = join_path(arena, folder, d->argument);
    *found = known_header(unit, header.shown, header.name);
    if (*found)
        return true;
    *found = files_read(arena, header.shown, own ? MAX_OWN : COMPILE_MAX_SOURCE,
                        &header.text);
    if (!*found) {
        *found = is_out_of_reach(follow, header.shown);
        return true;
    }
    SrcLoc at = {.file = from->shown, .line = d->line};
    if (!accept_header(follow, at, header.name))
        return false;
    if (own)
        add_disk_folder(follow, header.shown);
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
    *found = find_header(unit->stand_in_headers, unit->stand_in_count,
                         header.shown) != NULL;
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

static bool check_include(Follow *follow, const Text *from,
                          const Directive *d) {
    bool absolute = d->argument.len && d->argument.ptr[0] == '/';
    if (!absolute && !has_parent_step(d->argument))
        return true;
    if (follow->unit->request->reads_folders) {
        follow->unit->from_disk = true;
        return true;
    }
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
        unit->from_disk |= unit->request->reads_folders;
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
    for (size_t i = 0; fine && !found && i < unit->system_count; i++)
        fine = try_folder(follow, from, d, unit->system_dirs[i], &found);
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
    bool own = follow->unit->request->reads_folders;
    if (depth > (own ? MAX_OWN_DEPTH : MAX_DEPTH)) {
        Str what = str_format(follow->arena,
                              "Headers include each other more than %d deep.",
                              own ? MAX_OWN_DEPTH : MAX_DEPTH);
        return refuse(follow->diags, (SrcLoc){.file = text->shown, .line = 1},
                      str_cstring(follow->arena, what),
                      "Include them from one place.");
    }
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

// A file of -include: in the current folder, or else where headers are.
static bool follow_first(Follow *follow, const Text *text, Str name) {
    follow->unit->from_disk = true;
    Directive d = {.name = STR("include"),
                   .argument = first_path(follow->arena, name),
                   .line = 1,
                   .mark = '"'};
    return follow_include(follow, text, &d);
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
    for (size_t i = 0; i < unit->first_count; i++)
        if (!follow_first(&follow, &text, unit->first_files[i]))
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
                     unit->flag_count == 0 && unit->stand_ins.len != 0 &&
                     str_equal(unit->standard, STR(COMPILE_STANDARD)) &&
                     !unit->from_disk;
    unit->prefix = may_begin ? UNIT_LEAN : UNIT_BARE;
    unit->from_disk = r->reads_folders && !may_begin;
    return true;
}

bool unit_is_fresh(Arena *arena, const Unit *unit) {
    bool fresh = true;
    for (size_t i = 0; unit->from_disk && i < unit->header_count && fresh;
         i++) {
        Str text;
        fresh = files_read(arena, unit->headers[i].shown, MAX_OWN, &text) &&
                str_equal(text, unit->headers[i].text);
    }
    return fresh;
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
    unit->bad_flag = !options_sort(arena, request, unit, diags);
    if (unit->bad_flag)
        return false;
    unit->bad_flag = !check_defines(unit, diags);
    return !unit->bad_flag && follow_source(arena, unit, diags);
}

// nvcc does not survive a name that needs an escape in a literal, nor NVRTC one
// that is not UTF-8. Such a name, and any beyond ASCII, is replaced, and comes
// back when the compiler's names are translated.
static Str plain_name(Str name) {
    bool plain = !options_hold_control(name);
    for (size_t i = 0; i < name.len; i++)
        plain = plain && name.ptr[i] != '"' && name.ptr[i] != '\\' &&
                (unsigned char)name.ptr[i] < 0x7f;
    return plain ? name : STR(COMPILE_SOURCE_NAME);
}

// A variable with the address of the kernel has it compiled, and says in the
// PTX how it is called there.
static void add_kernel(Buf *buf, Str kernel) {
    if (kernel.len)
        buf_printf(
            buf,
            "\n#line 1 \"" COMPILE_KERNEL_PLACE "\"\n"
            "extern \"C\" { __device__ decltype(&%.*s) " COMPILE_KERNEL_VARIABLE
            " = &%.*s; }\n",
            STR_ARG(kernel), STR_ARG(kernel));
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
    for (size_t i = 0; i < unit->first_count; i++)
        buf_printf(&buf, "#include \"%.*s\"\n",
                   STR_ARG(first_path(arena, unit->first_files[i])));
    buf_printf(&buf, "#line 1 \"%.*s\"\n", STR_ARG(plain_name(unit->name)));
    Str source = unit->request->source, mark = STR("\xef\xbb\xbf");
    if (str_starts(source, mark)) // UTF-8's byte order mark
        source = str_slice(source, mark.len, source.len);
    buf_str(&buf, source);
    add_kernel(&buf, unit->request->kernel);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}
