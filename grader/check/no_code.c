// SPDX-License-Identifier: Apache-2.0
// Stores of the kernel's source that left no code: the compiler may remove what
// is never reached, and a loop that never ends. Read no_code_find, at the end,
// first.
//
// Only a statement of the form `p[...] = ...;` counts, where p is a pointer
// that the kernel is given: such a store cannot vanish as one to a variable
// can. Where it was merged with another one, or overwritten by it, that one is
// there; so no store by that pointer may have left code, or the loop round it
// has left none either. A text with templates or conditions of the
// preprocessor, where less than what is written is compiled, is not looked at.
#include "check/internal.h"

#include <string.h>

enum { MOST_STORES = 32, MOST_DEPTH = 32 };

typedef struct Store {
    Str name;
    SrcLoc at;
    uint32_t last;      // its last line
    uint32_t loop_line; // of the head of the loop round it; 0: there is none
    bool has_code;
    Str to;    // as written, with its brackets
    Str value; // the one name that is stored; empty: it is more than a name
} Store;

typedef struct Reader {
    Str rest;
    SrcLoc next, at;
    Str token;
} Reader;

static bool take(Reader *reader) {
    reader->token = place_token(&reader->rest, &reader->next, &reader->at);
    return reader->token.len > 0;
}

static bool is(const Reader *reader, const char *text) {
    return str_equal(reader->token, str_from(text));
}

// Whether an instruction is of lines `from` to `to`, or was inlined there.
static bool has_code(const Submission *submission, uint32_t from, uint32_t to) {
    const PtxModule *module = submission->module;
    for (size_t f = 0; f < module->func_count; f++)
        for (size_t i = 0; i < module->funcs[f]->instr_count; i++)
            for (uint32_t loc = module->funcs[f]->instrs[i].loc; loc;
                 loc = module->locs[loc].inlined_at) {
                SrcLoc at = place_as_given(submission, ptx_src(module, loc));
                if (from <= at.line && at.line <= to &&
                    str_equal(at.file, submission->file))
                    return true;
            }
    return false;
}

// To behind the bracket that closes the one that was just taken.
static bool skip_brackets(Reader *reader) {
    for (int depth = 1; depth > 0;) {
        if (!take(reader))
            return false;
        char c = reader->token.ptr[0];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    }
    return true;
}

// Whether an assignment follows what stands on its left.
static bool assigns(const Reader *reader) {
    Str rest = str_trim(reader->rest);
    bool is_plain = rest.len > 1 && rest.ptr[0] == '=' && rest.ptr[1] != '=';
    return is_plain || (rest.len > 1 && strchr("+-*/|&^", rest.ptr[0]) &&
                        rest.ptr[1] == '=');
}

// Behind the name of the kernel: whether `*name` is one of its parameters.
static bool is_given(Str params, Str name) {
    SrcLoc next = {0}, at;
    bool is_pointer = false;
    for (Str token; (token = place_token(&params, &next, &at)).len > 0;) {
        if (str_equal(token, name) && is_pointer)
            return true;
        is_pointer |= str_equal(token, STR("*"));
        is_pointer &= !str_equal(token, STR(","));
    }
    return false;
}

// A statement `p[...] = ...`, of which the name was just taken.
static bool read_store(Reader *reader, Store *store) {
    Reader after = *reader;
    *store = (Store){.name = reader->token, .at = reader->at};
    if (!take(&after) || !is(&after, "[") || !skip_brackets(&after) ||
        !assigns(&after))
        return false;
    store->to =
        (Str){store->name.ptr, (size_t)(after.rest.ptr - store->name.ptr)};
    bool is_plain = take(&after) && is(&after, "=");
    size_t tokens = 0;
    for (; take(&after) && !is(&after, ";") && !is(&after, "{"); tokens++)
        store->value = after.token;
    if (!is_plain || tokens != 1 || !place_is_name(store->value))
        store->value = (Str){0};
    store->last = after.at.line;
    return is(&after, ";");
}

// The stores of the body that the reader is in front of.
static size_t list_stores(Reader *reader, Str params, Store *stores) {
    uint32_t loops[MOST_DEPTH] = {0}, head = 0;
    size_t count = 0, depth = 0;
    bool begins = false;
    do {
        if (is(reader, "{") && depth + 1 < MOST_DEPTH) {
            depth++;
            loops[depth] = head ? head : loops[depth - 1];
        }
        depth -= is(reader, "}");
        bool is_end = is(reader, ";") || is(reader, "{") || is(reader, "}");
        bool is_loop = is(reader, "while") || is(reader, "for");
        Store store;
        if (begins && count < MOST_STORES && is_given(params, reader->token) &&
            read_store(reader, &store)) {
            store.loop_line = head ? head : loops[depth];
            stores[count++] = store;
        }
        begins = is_end || is(reader, "else");
        head = is_end ? 0 : head;
        if (is_loop || is(reader, "if")) {
            head = is_loop ? reader->at.line : head;
            begins = take(reader) && is(reader, "(") && skip_brackets(reader);
        }
    } while (depth > 0 && take(reader));
    return count;
}

// Moves to the kernel's body; its parameters.
static bool find_body(Reader *reader, Str kernel, Str *params) {
    while (take(reader))
        if (str_equal(reader->token, kernel) && take(reader) &&
            is(reader, "(")) {
            const char *from = reader->rest.ptr;
            if (!skip_brackets(reader))
                return false;
            *params = (Str){from, (size_t)(reader->rest.ptr - from)};
            if (take(reader) && is(reader, "{"))
                return true;
        }
    return false;
}

static bool is_plain(Str text) {
    static const char *const words[] = {"#if", "# if", "constexpr", "template"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (text.len && memmem(text.ptr, text.len, words[i], strlen(words[i])))
            return false;
    return true;
}

static bool any_has_code(const Store *stores, size_t count, Str name) {
    for (size_t i = 0; i < count; i++)
        if (stores[i].has_code && str_equal(stores[i].name, name))
            return true;
    return false;
}

// ---- a store of what is there ----------------------------------------------

// Whether the text begins with an assignment of what `to` names, and no more.
static bool takes(Str text, Str to) {
    SrcLoc next = {0}, at;
    Str token = place_token(&text, &next, &at), want;
    if (!str_equal(token, STR("=")))
        return false;
    while ((want = place_token(&to, &next, &at)).len > 0)
        if (!str_equal(place_token(&text, &next, &at), want))
            return false;
    return str_equal(place_token(&text, &next, &at), STR(";"));
}

// Whether the text changes the name that it is behind.
static bool changes(Str text) {
    SrcLoc next = {0}, at;
    Str first = place_token(&text, &next, &at);
    Str second = place_token(&text, &next, &at);
    bool is_twice = str_equal(first, second);
    if (first.len == 0 || !strchr("=+-*/%|&^<>", first.ptr[0]))
        return false;
    return str_equal(first, STR("="))
               ? !is_twice
               : str_equal(second, STR("=")) ||
                     (is_twice && strchr("+-", first.ptr[0]));
}

// The line in which the stored name took what is there already, if nothing
// changed it since; 0: there is none. The text is read on from the body.
static uint32_t same_from(Reader reader, const Store *store) {
    uint32_t line = 0;
    while (store->value.len > 0 && take(&reader) &&
           reader.token.ptr < store->name.ptr)
        if (str_equal(reader.token, store->value) && changes(reader.rest))
            line = takes(reader.rest, store->to) ? reader.at.line : 0;
    return line;
}

bool no_code_find(const Submission *submission, Str kernel, NoCode *found) {
    Store stores[MOST_STORES];
    Reader reader = {.rest = submission->source,
                     .next = {submission->file, 1, 1}};
    Str params;
    if (!is_plain(submission->source) || !find_body(&reader, kernel, &params))
        return false;
    uint32_t from = reader.at.line;
    Reader body = reader;
    size_t count = list_stores(&reader, params, stores);
    if (!has_code(submission, from, reader.at.line))
        return false; // PTX that does not say where it comes from
    for (size_t i = 0; i < count; i++)
        stores[i].has_code =
            has_code(submission, stores[i].at.line, stores[i].last);
    for (size_t i = 0; i < count; i++) {
        uint32_t loop = stores[i].loop_line;
        bool in_loop = loop && !has_code(submission, loop, stores[i].last);
        if (stores[i].has_code ||
            (!in_loop && any_has_code(stores, count, stores[i].name)))
            continue;
        *found = (NoCode){stores[i].at, stores[i].name, in_loop,
                          stores[i].value, same_from(body, &stores[i])};
        return true;
    }
    return false;
}
