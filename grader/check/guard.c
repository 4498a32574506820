// SPDX-License-Identifier: Apache-2.0
// The condition that let an access through: of the `if`, `for` or `while` that
// is nearest round its line; or, before it in the same block, of the last `if`
// that would have led away from it, by a break, return or continue. Read off
// the submission's text by matching parentheses and braces, which macros can
// make look different; so it is told only where it shares a name with the line,
// and compares. In an else branch, or in a switch, no condition is told.
#include "check/guard.h"

enum { MOST_OPEN = 32, MOST_TEXT = 60 };

typedef struct Open { // a scope, or a statement without braces
    Str condition;    // empty: a scope that nothing decides about
    uint32_t line;    // of the condition
    bool is_unknown;  // it is decided in another way
    bool is_statement, is_if;
    bool leads_away; // by its last statement
    Str passed;      // the condition of the last `if` in it that did not lead
    uint32_t passed_line; // away, and where that is
} Open;

typedef struct Reader {
    Str text;
    SrcLoc next;
    Open open[MOST_OPEN];
    size_t count;
    Open pending; // a head that was read, and whose body begins
    bool has_pending, is_lost;
} Reader;

static Str take(Reader *r, uint32_t *line) {
    SrcLoc at;
    Str token = place_token(&r->text, &r->next, &at);
    *line = at.line;
    return token;
}

// Reads "(...)": what is in it or, of a for, its middle part.
static Str read_condition(Reader *r, bool is_for, uint32_t *line) {
    uint32_t at, depth = 1, part = 0;
    const char *from = NULL, *to = NULL;
    Str token = take(r, line);
    if (!place_is_mark(token, '('))
        return (Str){0};
    from = token.ptr + 1;
    while (depth && (token = take(r, &at)).len) {
        depth += place_is_mark(token, '(');
        depth -= place_is_mark(token, ')');
        bool ends = depth == 0 || (depth == 1 && place_is_mark(token, ';'));
        if (!ends)
            continue;
        if (!to && part == (is_for ? 1u : 0u))
            to = token.ptr;
        part++;
        if (!to)
            from = token.ptr + 1;
    }
    return to ? str_trim((Str){from, (size_t)(to - from)}) : (Str){0};
}

static void push(Reader *r, Open open) {
    r->is_lost |= r->count == MOST_OPEN;
    if (r->count < MOST_OPEN)
        r->open[r->count++] = open;
}

// What is behind an `if` that leads away is where its condition was false.
static void pop(Reader *r) {
    const Open *ended = &r->open[--r->count];
    if (!ended->is_if || !ended->leads_away || !r->count)
        return;
    r->open[r->count - 1].passed = ended->condition;
    r->open[r->count - 1].passed_line = ended->line;
}

// Statements without braces end with their last one.
static void end_statements(Reader *r) {
    while (r->count && r->open[r->count - 1].is_statement)
        pop(r);
}

static void read_head(Reader *r, Str token) {
    Open head = {.is_unknown = str_equal(token, STR("else")) ||
                               str_equal(token, STR("switch")) ||
                               str_equal(token, STR("do"))};
    if (str_equal(token, STR("switch")))
        read_condition(r, false, &head.line);
    else if (!head.is_unknown)
        head.condition =
            read_condition(r, str_equal(token, STR("for")), &head.line);
    head.is_if = str_equal(token, STR("if"));
    r->pending = head;
    r->has_pending = true;
}

static bool is_head(Str token) {
    static const char *const heads[] = {"if",   "for",    "while",
                                        "else", "switch", "do"};
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        if (str_equal(token, str_from(heads[i])))
            return true;
    return false;
}

static bool leads_away(Str token) {
    return str_equal(token, STR("break")) || str_equal(token, STR("return")) ||
           str_equal(token, STR("continue"));
}

static void read_token(Reader *r, Str token) {
    if (place_is_mark(token, '{')) {
        push(r, r->has_pending ? r->pending : (Open){0});
        r->has_pending = false;
        return;
    }
    if (r->has_pending && !place_is_mark(token, ';')) {
        r->pending.is_statement = true;
        push(r, r->pending);
    }
    r->has_pending = false;
    if (place_is_mark(token, '}')) {
        end_statements(r);
        r->is_lost |= r->count == 0;
        if (r->count)
            pop(r);
        end_statements(r);
    } else if (place_is_mark(token, ';')) {
        end_statements(r);
    } else if (is_head(token)) {
        read_head(r, token);
    } else if (leads_away(token) && r->count) {
        r->open[r->count - 1].leads_away = true;
    }
}

static bool shares_name(Str condition, Str line) {
    SrcLoc next = {0}, at;
    for (Str a; (a = place_token(&condition, &next, &at)).len;) {
        Str rest = line;
        for (Str b;
             place_is_name(a) && (b = place_token(&rest, &next, &at)).len;)
            if (str_equal(a, b))
                return true;
    }
    return false;
}

static bool compares(Str condition) {
    for (size_t i = 0; i < condition.len; i++)
        if (condition.ptr[i] == '<' || condition.ptr[i] == '>' ||
            condition.ptr[i] == '=')
            return true;
    return false;
}

// The innermost that decides.
static const Open *nearest(const Reader *r) {
    for (size_t i = r->count; i-- > 0;)
        if (r->open[i].is_unknown || r->open[i].condition.len)
            return r->open[i].is_unknown ? NULL : &r->open[i];
    return NULL;
}

static bool is_end(Str token) {
    return place_is_mark(token, ';') || place_is_mark(token, '{') ||
           place_is_mark(token, '}');
}

static bool is_telling(Str condition, Str line) {
    return condition.len && condition.len <= MOST_TEXT &&
           str_find(condition, '\n') == condition.len && compares(condition) &&
           shares_name(condition, line);
}

// Of the scopes round the line, from the inside out.
static bool find_passed(const Reader *r, Str line, Guard *guard) {
    for (size_t i = r->count; i-- > 0;) {
        const Open *open = &r->open[i];
        if (open->passed.len && is_telling(open->passed, line)) {
            *guard = (Guard){open->passed, open->passed_line, true};
            return true;
        }
        if (open->is_unknown)
            return false;
    }
    return false;
}

bool guard_of(Str source, uint32_t line, Guard *guard) {
    Reader r = {.text = source, .next = {.line = 1, .col = 1}};
    Str own = str_line(source, line);
    uint32_t at;
    bool found = false;
    for (Str token; (token = take(&r, &at)).len && at <= line && !r.is_lost;) {
        read_token(&r, token);
        if (at != line || is_end(token))
            continue;
        const Open *open = nearest(&r);
        found = open && is_telling(open->condition, own);
        if (found)
            *guard = (Guard){open->condition, open->line, false};
        else
            found = find_passed(&r, own, guard);
    }
    return found && !r.is_lost;
}
