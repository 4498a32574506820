// SPDX-License-Identifier: Apache-2.0
// The kinds of changes. Each is a function that looks at one token and adds the
// change it would make there, and a row in the table at the end. A change is a
// mistake that a person could make: a wrong comparison, a bound that is off by
// one, or a forgotten call, check or edge of the happens-before order.
#include "tests/mutate-grader/sites.h"

#include <ctype.h>
#include <string.h>

typedef struct Finder {
    Arena *arena;
    const Source *source;
    Sites *sites;
} Finder;

static const Token *token_at(const Finder *f, size_t index) {
    return &f->source->tokens[index];
}

static bool is(const Finder *f, size_t index, const char *word) {
    return source_is(f->source, index, word);
}

static size_t offset_of(const Finder *f, size_t index) {
    return (size_t)(token_at(f, index)->text.ptr - f->source->text.ptr);
}

// ---- a site and its name -------------------------------------------------

Str site_room(Str path) {
    Str rest = path;
    if (str_starts(rest, STR("grader/")))
        str_cut(&rest, '/');
    return str_cut(&rest, '/');
}

static Str file_key(Arena *arena, Str path) {
    Str name = path;
    while (str_find(name, '/') < name.len)
        str_cut(&name, '/');
    return str_format(arena, "%.*s/%.*s", STR_ARG(site_room(path)),
                      STR_ARG(name));
}

// Appends text with each run of blanks as one blank.
static void append_joined(Buf *out, Str text) {
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (!isspace((unsigned char)byte))
            buf_byte(out, byte);
        else if (out->len && out->ptr[out->len - 1] != ' ')
            buf_byte(out, ' ');
    }
}

// The lines around the bytes from..to with `middle` in their place.
static Str lines_with(Arena *arena, Str text, const Site *site, Str middle) {
    size_t start = site->from, end = site->to;
    while (start > 0 && text.ptr[start - 1] != '\n')
        start--;
    while (end < text.len && text.ptr[end] != '\n')
        end++;
    Buf out = {0};
    append_joined(&out, str_slice(text, start, site->from));
    append_joined(&out, middle);
    append_joined(&out, str_slice(text, site->to, end));
    Str line = str_copy(arena, str_trim(buf_view(&out)));
    buf_free(&out);
    return line;
}

static bool reads_alike(const Site *a, const Site *b) {
    return str_equal(a->function, b->function) &&
           str_equal(a->before, b->before) && str_equal(a->after, b->after);
}

static void name_site(const Finder *f, Site *site) {
    Str text = f->source->text;
    Str old = str_slice(text, site->from, site->to);
    site->path = f->source->path;
    site->file = file_key(f->arena, site->path);
    site->before = lines_with(f->arena, text, site, old);
    site->after = lines_with(f->arena, text, site, site->with);
    site->same = 1;
    const Site *others = f->sites->items;
    for (size_t i = f->sites->count;
         i-- > 0 && str_equal(others[i].path, site->path);)
        site->same += reads_alike(&others[i], site);
    Str key =
        str_format(f->arena, "%.*s\n%.*s\n%.*s\n%.*s\n%u", STR_ARG(site->file),
                   STR_ARG(site->function), STR_ARG(site->before),
                   STR_ARG(site->after), site->same);
    site->id = hash_bytes(0, key.ptr, key.len);
}

// Puts `with` in the place of the tokens first..last.
static void add(const Finder *f, const char *kind, size_t first, size_t last,
                Str with) {
    const Function *function = source_function(f->source, first);
    Site site = {.kind = kind,
                 .line = token_at(f, first)->line,
                 .from = offset_of(f, first),
                 .to = offset_of(f, last) + token_at(f, last)->text.len,
                 .with = with,
                 .function = function ? function->name : STR("")};
    name_site(f, &site);
    arena_grow(f->arena, f->sites->items, f->sites->count, f->sites->capacity);
    f->sites->items[f->sites->count++] = site;
}

Str site_apply(Arena *arena, Str text, const Site *site) {
    Buf out = {0};
    buf_str(&out, str_slice(text, 0, site->from));
    buf_str(&out, site->with);
    // __LINE__ below it stays what it was.
    size_t lines = 0;
    for (size_t i = 0; i < site->with.len; i++)
        lines += site->with.ptr[i] == '\n';
    for (size_t i = site->from; i < site->to; i++)
        if (text.ptr[i] == '\n' && lines > 0)
            lines--;
        else if (text.ptr[i] == '\n')
            buf_byte(&out, '\n');
    buf_str(&out, str_slice(text, site->to, text.len));
    Str changed = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return changed;
}

// ---- operators and numbers -----------------------------------------------

typedef struct Swap {
    const char *from, *to;
} Swap;

static void swap(const Finder *f, size_t i, const char *kind, const Swap *swaps,
                 size_t count) {
    for (size_t k = 0; k < count; k++)
        if (is(f, i, swaps[k].from))
            add(f, kind, i, i, str_from(swaps[k].to));
}

static void find_compare(const Finder *f, size_t i) {
    static const Swap swaps[] = {{"<", "<="}, {"<=", "<"},  {">", ">="},
                                 {">=", ">"}, {"==", "!="}, {"!=", "=="}};
    swap(f, i, "compare", swaps, COUNT_OF(swaps));
}

static void find_logic(const Finder *f, size_t i) {
    static const Swap swaps[] = {{"&&", "||"}, {"||", "&&"}};
    swap(f, i, "logic", swaps, COUNT_OF(swaps));
}

static void find_negation(const Finder *f, size_t i) {
    if (is(f, i, "!"))
        add(f, "negation", i, i, STR(""));
}

static bool is_floating(Str number) {
    bool hex = str_starts(number, STR("0x")) || str_starts(number, STR("0X"));
    for (size_t i = 0; i < number.len; i++)
        if (strchr(hex ? ".pP" : ".eE", number.ptr[i]))
            return true;
    return false;
}

// The 0 in {0}, which sets an object to zero, is not changed.
static void find_constant(const Finder *f, size_t i) {
    Str number = token_at(f, i)->text;
    bool zeroes = i > 0 && is(f, i - 1, "{") && is(f, i + 1, "}");
    if (token_at(f, i)->kind == TOKEN_NUMBER && !is_floating(number) && !zeroes)
        add(f, "constant", i, i,
            str_format(f->arena, "(%.*s + 1)", STR_ARG(number)));
}

// ---- calls ---------------------------------------------------------------

static bool holds(Str text, const char *part) {
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

// Whether a call adds an edge of the happens-before order between threads.
static bool makes_order(Str name) {
    static const char *const parts[] = {"vm_order_", "vm_clock", "join",
                                        "fence",     "acquire",  "release"};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (holds(name, parts[i]))
            return true;
    return false;
}

// Whether only a sanitizer would notice that the call is missing: it frees
// something.
static bool only_frees(Str name) {
    static const char *const names[] = {"arena_free", "buf_free", "heap_free",
                                        "free"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_equal(name, str_from(names[i])))
            return true;
    return false;
}

// a.b->c[d](...);  from its first token: the ")", or 0 where it is no call.
static size_t call_end(const Finder *f, size_t i, Str *name) {
    static const char *const keywords[] = {"return", "sizeof", "switch", "if",
                                           "for",    "while",  "case"};
    for (size_t k = 0; k < COUNT_OF(keywords); k++)
        if (is(f, i, keywords[k]))
            return 0;
    while (token_at(f, i)->kind == TOKEN_NAME) {
        *name = token_at(f, i++)->text;
        while (is(f, i, "["))
            i = token_at(f, i)->pair + 1;
        if (is(f, i, "("))
            return is(f, token_at(f, i)->pair + 1, ";") ? token_at(f, i)->pair
                                                        : 0;
        if (!is(f, i, "->") && !is(f, i, "."))
            return 0;
        i++;
    }
    return 0;
}

static void find_call(const Finder *f, size_t i) {
    if (!token_at(f, i)->starts)
        return;
    bool cast = is(f, i, "(") && is(f, i + 1, "void") && is(f, i + 2, ")");
    Str name = {0};
    size_t end = call_end(f, cast ? i + 3 : i, &name);
    if (end && !only_frees(name))
        add(f, makes_order(name) ? "order" : "call", i, end, STR(""));
}

// ---- checks and results --------------------------------------------------

static bool leaves(const Finder *f, size_t i) {
    return is(f, i, "return") || is(f, i, "continue") || is(f, i, "break") ||
           is(f, i, "goto");
}

// Where the statement at i, or the last one of the block at i, leaves what is
// around it: that token; 0: it does not.
static size_t leaving(const Finder *f, size_t i) {
    if (!is(f, i, "{"))
        return leaves(f, i) ? i : 0;
    size_t last = 0;
    for (size_t k = i + 1; k < token_at(f, i)->pair; k++)
        if (token_at(f, k)->starts && token_at(f, k)->inside == i)
            last = k;
    return last && leaves(f, last) ? last : 0;
}

// A check that refuses; any early end of a function of sandbox/ is taken for
// one.
static bool refuses(const Finder *f, size_t leave) {
    if (str_equal(site_room(f->source->path), STR("sandbox")))
        return true;
    return is(f, leave, "return") &&
           (is(f, leave + 1, "false") || is(f, leave + 1, "NULL") ||
            is(f, leave + 1, "-"));
}

// if (condition) return ...;  is passed by.
static void find_guard(const Finder *f, size_t i) {
    if (!is(f, i, "if") || !is(f, i + 1, "("))
        return;
    size_t close = token_at(f, i + 1)->pair;
    size_t leave = leaving(f, close + 1);
    if (leave == 0)
        return;
    Str condition =
        str_slice(f->source->text, offset_of(f, i + 2), offset_of(f, close));
    add(f, refuses(f, leave) ? "permission" : "guard", i + 2, close - 1,
        str_format(f->arena, "0 && (%.*s)", STR_ARG(condition)));
}

static void add_result(const Finder *f, size_t i, size_t end,
                       const char *value) {
    if (end != i + 2 || !is(f, i + 1, value))
        add(f, "result", i + 1, end - 1, str_from(value));
}

// A number alone is find_constant's.
static void find_result(const Finder *f, size_t i) {
    if (!is(f, i, "return") || is(f, i + 1, ";"))
        return;
    const Function *function = source_function(f->source, i);
    size_t end = source_end(f->source, i);
    bool number = end == i + 2 && token_at(f, i + 1)->kind == TOKEN_NUMBER;
    bool is_true = end == i + 2 && is(f, i + 1, "true");
    bool is_false = end == i + 2 && is(f, i + 1, "false");
    switch (function ? function->result : RESULT_OTHER) {
    case RESULT_OTHER:
        break;
    case RESULT_BOOL:
        if (!is_true)
            add_result(f, i, end, "true");
        if (!is_false)
            add_result(f, i, end, "false");
        break;
    case RESULT_INTEGER:
        if (!number)
            add_result(f, i, end, "0");
        break;
    case RESULT_POINTER:
        add_result(f, i, end, "NULL");
        break;
    }
}

void sites_find(Arena *arena, Str path, Str text, Sites *sites) {
    static void (*const changes[])(const Finder *f, size_t i) = {
        find_compare, find_logic, find_negation, find_constant,
        find_call,    find_guard, find_result};
    Source source = source_read(arena, path, text);
    const Finder finder = {arena, &source, sites};
    for (size_t i = 0; i < source.count; i++)
        for (size_t k = 0; k < COUNT_OF(changes) && !source.tokens[i].quiet;
             k++)
            changes[k](&finder, i);
}
