// SPDX-License-Identifier: Apache-2.0
// A compiler's log -> Diags. Two dialects, told apart line by line:
//
//   NVRTC, nvcc   lab.cu(7): error #20-D: identifier "x" is undefined
//                   the source line, then a line with a caret
//                   "argument types are: ..."        joins the message
//                   "detected during instantiation of ... at line 9"  a note
//   gcc (nvcc's   lab.cu:7:10: fatal error: x.h: No such file or directory
//   preprocessor)
//   no place      nvcc fatal   : Unsupported ...
//   the end       At end of source: error: expected a "}"
//
// The quoted source lines are dropped: the report quotes them itself, from the
// file. A message about a file that is not ours is replaced, because it could
// quote anything.
#include "compile/internal.h"

#include <string.h>

enum { MAX_NOTES = 4 }; // notes kept for one message
#define HOST_FUNCTION "is considered a host function"

typedef struct Parser {
    Arena *arena;
    const NameMap *map;
    Diags *diags;
    Str rest;     // of the log
    Str previous; // the previous line: perhaps the source line above a caret
    Diag *diag;   // the message that further lines belong to; NULL: none
    size_t notes; // of the current error or warning
    size_t errors;
} Parser;

// The parts of a message's first line.
typedef struct Head {
    DiagLevel level;
    Str file; // as the compiler names it; empty: no place
    uint64_t line, col;
    bool is_at_end; // of the source: the compiler names no file
    Str code, what;
} Head;

// ---- taking a line apart -------------------------------------------------

typedef struct Severity {
    const char *word;
    DiagLevel level;
} Severity;

static const Severity severities[] = {
    {"catastrophic error", DIAG_ERROR},
    {"fatal error", DIAG_ERROR},
    {"internal error", DIAG_ERROR},
    {"error", DIAG_ERROR},
    {"warning", DIAG_WARNING},
    {"note", DIAG_NOTE},
    {"remark", DIAG_NOTE},
    {"Catastrophic error", DIAG_ERROR},
    {"Error", DIAG_ERROR},
    {"Warning", DIAG_WARNING},
    {"nvcc fatal", DIAG_ERROR},
    {"nvcc error", DIAG_ERROR},
    {"nvcc warning", DIAG_WARNING},
    {"nvrtc: error", DIAG_ERROR},
};

// `severity [#code] : what`
static bool read_severity(Str text, Head *head) {
    for (size_t i = 0; i < COUNT_OF(severities); i++) {
        Str word = str_from(severities[i].word);
        if (!str_starts(text, word))
            continue;
        Str rest = str_trim(str_slice(text, word.len, text.len));
        if (rest.len && rest.ptr[0] == '#') {
            head->code = str_slice(rest, 0, str_find(rest, ':'));
            rest = str_slice(rest, head->code.len, rest.len);
            head->code = str_trim(head->code);
        }
        if (rest.len == 0 || rest.ptr[0] != ':')
            continue;
        head->level = severities[i].level;
        head->what = str_trim(str_slice(rest, 1, rest.len));
        return true;
    }
    return false;
}

// `file(line): severity: what`. The file's name may itself contain "(", so each
// one is tried.
static bool read_edg_head(Str line, Head *head) {
    for (size_t open = 1; open < line.len; open++) {
        if (line.ptr[open] != '(')
            continue;
        Str rest = str_slice(line, open + 1, line.len);
        Str number = str_cut(&rest, ')');
        if (!str_to_u64(number, &head->line) || rest.len == 0 ||
            rest.ptr[0] != ':')
            continue;
        if (!read_severity(str_trim(str_slice(rest, 1, rest.len)), head))
            continue;
        head->file = str_slice(line, 0, open);
        return true;
    }
    return false;
}

// `file:line[:column]: severity: what`
static bool read_gcc_head(Str line, Head *head) {
    for (size_t colon = 1; colon < line.len; colon++) {
        if (line.ptr[colon] != ':')
            continue;
        Str rest = str_slice(line, colon + 1, line.len);
        if (!str_to_u64(str_cut(&rest, ':'), &head->line))
            continue;
        Str after = rest;
        head->col = 0;
        if (str_to_u64(str_cut(&after, ':'), &head->col))
            rest = after;
        if (!read_severity(str_trim(rest), head))
            continue;
        head->file = str_slice(line, 0, colon);
        return true;
    }
    return false;
}

static bool read_head(Str line, Head *head) {
    Str at_end = STR("At end of source: ");
    *head = (Head){0};
    if (line.len == 0 || line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return false;
    if (str_starts(line, at_end)) {
        head->is_at_end = true;
        line = str_slice(line, at_end.len, line.len);
    }
    return read_severity(line, head) || read_edg_head(line, head) ||
           read_gcc_head(line, head);
}

// ---- what is of no interest ----------------------------------------------

static bool holds(Str text, const char *part) {
    size_t len = strlen(part);
    return text.len >= len && memmem(text.ptr, text.len, part, len) != NULL;
}

// Whether a message is about our precompiled header, its pragma, or a stand-in
// that the toolkit defines again, rather than about the source.
static bool is_ours(const Parser *p, const Head *head) {
    static const char *const codes[] = {"#629-D", "#20282-D", "#20283-D"};
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (str_equal(head->code, str_from(codes[i])))
            return true;
    Str stand_ins = p->map->stand_ins;
    if (head->level == DIAG_WARNING && stand_ins.len &&
        holds(head->what, str_cstring(p->arena, stand_ins)))
        return true;
    if (head->file.len == 0 && holds(head->what, "precompiled header"))
        return true;
    return holds(head->what, "nv_hdrstop");
}

// ---- messages ------------------------------------------------------------

// An unknown relative name comes from a #line directive of the source.
static bool is_known(const Parser *p, Str file) {
    bool relative = file.len == 0 || file.ptr[0] != '/';
    return (relative && !holds(file, "..")) || names_find(p->map, file) ||
           names_in_roots(p->map, file);
}

static SrcLoc place(const Parser *p, Str file, uint64_t line, uint64_t col) {
    if (file.len == 0)
        return (SrcLoc){0};
    const FileName *name = names_find(p->map, file);
    SrcLoc at = {.file = str_copy(p->diags->arena, name ? name->shown : file)};
    at.line = line <= UINT32_MAX ? (uint32_t)line : 0;
    at.col = col <= UINT32_MAX ? (uint32_t)col : 0;
    return at;
}

// Behind what the source holds last. A map's first name is the source's.
static SrcLoc end_of_source(const Parser *p) {
    if (p->map->count == 0)
        return (SrcLoc){0};
    const FileName *source = &p->map->items[0];
    SrcLoc at = {.file = str_copy(p->diags->arena, source->shown), .line = 1};
    Str head = source->text;
    while (head.len && str_trim((Str){head.ptr + head.len - 1, 1}).len == 0)
        head.len--;
    for (size_t i = 0; i < head.len; i++) {
        at.line += head.ptr[i] == '\n';
        at.col = head.ptr[i] == '\n' ? 0 : at.col + 1;
    }
    at.col++;
    return at;
}

// Compilers name files inside messages too.
static Str show_names(Parser *p, Str what) {
    for (size_t i = 0; i < p->map->count; i++) {
        const FileName *name = &p->map->items[i];
        Str quoted = str_format(p->arena, "\"%.*s\"", STR_ARG(name->given));
        const char *hit =
            what.len >= quoted.len
                ? memmem(what.ptr, what.len, quoted.ptr, quoted.len)
                : NULL;
        if (!hit || str_equal(name->given, name->shown))
            continue;
        size_t at = (size_t)(hit - what.ptr);
        Str after = str_slice(what, at + quoted.len, what.len);
        what = str_format(p->arena, "%.*s\"%.*s\"%.*s", (int)at, what.ptr,
                          STR_ARG(name->shown), STR_ARG(after));
    }
    return what;
}

static void add_message(Parser *p, const Head *head) {
    p->diag = NULL;
    if (is_ours(p, head))
        return;
    if (head->level == DIAG_NOTE && p->notes++ >= MAX_NOTES)
        return;
    if (head->level != DIAG_NOTE)
        p->notes = 0;
    p->errors += head->level == DIAG_ERROR;
    bool known = is_known(p, head->file);
    Str what = known ? show_names(p, head->what)
                     : STR("this file is outside the include folders; what the "
                           "compiler says about it is not shown");
    SrcLoc at = head->is_at_end ? end_of_source(p)
                                : place(p, head->file, head->line, head->col);
    if (head->is_at_end)
        what = str_format(p->arena, MESSAGES_OPEN_END "%.*s", STR_ARG(what));
    p->diag = diag_add(p->diags, head->level, at, "%.*s", STR_ARG(what));
    p->diag->code = str_copy(p->diags->arena, head->code);
    if (!known)
        p->diag = NULL; // drops the lines that follow, too
}

// ---- what follows a message ----------------------------------------------

static bool is_caret(Str line) {
    Str mark = str_trim(line);
    return mark.len == 1 && mark.ptr[0] == '^';
}

// The quoted line is indented by two blanks, with tabs as blanks. nvcc quotes
// the preprocessed file: where that differs from the user's line, the column
// may differ as well.
static bool quotes_line(const Parser *p, SrcLoc at, Str quotation) {
    for (size_t i = 0; i < p->map->count; i++) {
        const FileName *name = &p->map->items[i];
        if (!str_equal(name->shown, at.file))
            continue;
        Str line = str_line(name->text, at.line);
        if (line.len == 0 || line.len > quotation.len)
            return false;
        for (size_t k = 0; k < line.len; k++)
            if (line.ptr[k] != quotation.ptr[k] && line.ptr[k] != '\t')
                return false;
        return true;
    }
    return false;
}

static void take_column(Parser *p, Str quotation, Str caret) {
    enum { INDENT = 2 };
    size_t at = str_find(caret, '^');
    if (p->diag && p->diag->at.col == 0 && at >= INDENT &&
        quotes_line(p, p->diag->at,
                    str_slice(quotation, INDENT, quotation.len)))
        p->diag->at.col = (uint32_t)(at - INDENT + 1);
}

static void join_message(Parser *p, Str more) {
    p->diag->what = str_format(p->diags->arena, "%.*s; %.*s",
                               STR_ARG(p->diag->what), STR_ARG(more));
}

// `... at line 9` or `... at line 9 of lab.h`
static SrcLoc instantiation_place(Parser *p, Str line) {
    static const char at_line[] = " at line ";
    const char *hit = NULL, *from = line.ptr;
    size_t left = line.len;
    while ((from = memmem(from, left, at_line, sizeof at_line - 1))) {
        hit = from++;
        left = line.len - (size_t)(from - line.ptr);
    }
    if (!hit)
        return p->diag->at;
    Str rest = str_slice(line, (size_t)(hit - line.ptr) + sizeof at_line - 1,
                         line.len);
    uint64_t number = 0;
    if (!str_to_u64(scan_word(rest), &number))
        return p->diag->at;
    Str of = str_slice(rest, scan_word(rest).len, rest.len);
    SrcLoc at = {.file = p->diag->at.file, .line = (uint32_t)number};
    if (str_starts(of, STR(" of ")))
        at = place(p, str_slice(of, 4, of.len), number, 0);
    return at;
}

static void add_note(Parser *p, Str line) {
    if (p->notes++ >= MAX_NOTES)
        return;
    SrcLoc at = instantiation_place(p, line);
    size_t index = (size_t)(p->diag - p->diags->items);
    diag_add(p->diags, DIAG_NOTE, at, "%.*s", STR_ARG(show_names(p, line)));
    // Appending may have moved the items.
    if (index < p->diags->count)
        p->diag = &p->diags->items[index];
}

static void take_further_line(Parser *p, Str line) {
    Str text = str_trim(line);
    if (!p->diag || text.len == 0)
        return;
    if (str_equal(text, STR("detected during:")))
        return; // the lines that follow say what
    if (str_starts(text, STR("detected during ")) ||
        str_starts(text, STR("instantiation of ")))
        add_note(p, text);
    else if (str_starts(text, STR("argument types are: ")) ||
             str_starts(text, STR("object type is: ")))
        join_message(p, text);
}

Str messages_bound(Arena *arena, Str log) {
    if (log.len <= COMPILE_MAX_LOG)
        return log;
    Str last = str_slice(log, log.len - COMPILE_MAX_LOG / 4, log.len);
    str_cut(&last, '\n'); // a part of a line
    Str first = str_slice(log, 0, COMPILE_MAX_LOG - last.len - 1);
    return str_format(arena, "%.*s\n%.*s", STR_ARG(first), STR_ARG(last));
}

size_t messages_parse(Arena *arena, const NameMap *map, Str log, Diags *diags) {
    Parser p = {.arena = arena, .map = map, .diags = diags};
    p.rest = messages_bound(arena, log);
    size_t before = diags->count;
    while (p.rest.len) {
        Str line = str_cut(&p.rest, '\n');
        Head head;
        if (read_head(line, &head))
            add_message(&p, &head);
        else if (is_caret(line))
            take_column(&p, p.previous, line);
        else
            take_further_line(&p, line);
        p.previous = line;
    }
    for (size_t i = before; i < diags->count; i++)
        if (diags->items[i].level == DIAG_ERROR)
            diags->items[i].help =
                helps_find(diags->arena, map, &diags->items[i]);
    return p.errors;
}

// ---- what nvcc may take --------------------------------------------------

// "cudaMalloc" of `identifier "cudaMalloc" is undefined`: the host's functions.
static bool is_host_name(Str what) {
    Str head = STR("identifier \"cuda");
    return str_starts(what, head) && what.len > head.len &&
           what.ptr[head.len] >= 'A' && what.ptr[head.len] <= 'Z';
}

static bool is_about_host(const Head *head) {
    return holds(head->what, HOST_FUNCTION) ||
           holds(head->what, "is considered a host variable") ||
           holds(head->what, "marked as a __host__ function") ||
           is_host_name(head->what);
}

static bool is_about_header(Str what, Str file, Str source) {
    return holds(what, "cannot open source file") ||
           (file.len && !str_equal(file, source) &&
            !str_equal(file, STR(COMPILE_KERNEL_PLACE)));
}

Str messages_blame_host(Arena *arena, const NameMap *map, Str log, Str source,
                        bool *is_host) {
    Str first = {0};
    bool blamed = false;
    *is_host = false;
    while (log.len) {
        Head head;
        if (!read_head(str_cut(&log, '\n'), &head) || head.level != DIAG_ERROR)
            continue;
        const FileName *name = names_find(map, head.file);
        Str shown = name ? name->shown : head.file;
        bool host = is_about_host(&head);
        *is_host |= host;
        blamed |= host || is_about_header(head.what, shown, source);
        if (first.len == 0)
            first = str_format(
                arena, "%.*s:%llu: %.*s", STR_ARG(shown),
                (unsigned long long)head.line,
                STR_ARG(str_slice(head.what, 0, str_find(head.what, ','))));
    }
    return blamed ? first : (Str){0};
}

// ---- what only NVRTC rejects ---------------------------------------------

// The caret at `at` is under the parameters of a lambda: behind its "]".
static bool is_at_lambda(Str quotation, size_t at) {
    Str before = str_trim(str_slice(quotation, 0, at));
    return at < quotation.len && quotation.ptr[at] == '(' && before.len &&
           before.ptr[before.len - 1] == ']';
}

bool messages_blame_lambdas(Str log) {
    bool any = false, open = false; // open: an error, and no caret yet
    Str previous = {0};
    while (log.len) {
        Str line = str_cut(&log, '\n');
        Head head;
        bool is_error = read_head(line, &head) && head.level == DIAG_ERROR;
        if (is_error && (open || !holds(head.what, HOST_FUNCTION)))
            return false;
        if (open && is_caret(line)) {
            if (!is_at_lambda(previous, str_find(line, '^')))
                return false;
            open = false;
        }
        open |= is_error;
        any |= is_error;
        previous = line;
    }
    return any && !open;
}
