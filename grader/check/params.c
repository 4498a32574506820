// SPDX-License-Identifier: Apache-2.0
// The names that a kernel's parameters have in its source. The PTX numbers them
// (row_sums_param_2), in the order of the source; so the names are those of the
// first definition NAME(...) { that has as many parameters. Where macros or
// templates make that look different, the PTX's names stay.
#include "check/trace.h"

static bool begins_name(Str token) {
    char c = token.len ? token.ptr[0] : 0;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_mark(Str token, char mark) {
    return token.len == 1 && token.ptr[0] == mark;
}

static Str next_token(Str *text) {
    SrcLoc next = {0}, at;
    return place_token(text, &next, &at);
}

// Reads "(a b, c *d) {": names gets the last word of each parameter, before
// what stands in brackets behind it. Returns how many there are; 0: it is no
// definition, or has more than `most`.
static uint32_t read_names(Str *text, Str *names, uint32_t most) {
    uint32_t count = 0, depth = 1;
    if (!is_mark(next_token(text), '('))
        return 0;
    Str token = next_token(text), name = {0};
    for (; token.len && depth; token = next_token(text)) {
        bool opens = is_mark(token, '(') || is_mark(token, '[');
        bool closes = is_mark(token, ')') || is_mark(token, ']');
        depth += opens;
        depth -= closes;
        if (depth == 1 && begins_name(token))
            name = token;
        if (depth > 1 || (depth == 1 && !is_mark(token, ',')))
            continue;
        if (count == most || name.len == 0)
            return 0;
        names[count++] = name;
        name = (Str){0};
    }
    return is_mark(token, '{') ? count : 0;
}

void trace_name_params(Arena *arena, Str source, TraceMoment *moment) {
    Str names[TRACE_MOST_PARAMS], token;
    uint32_t count = 0;
    while (count != moment->all_params && (token = next_token(&source)).len) {
        Str rest = source;
        if (str_equal(token, moment->kernel))
            count = read_names(&rest, names, TRACE_MOST_PARAMS);
    }
    if (count != moment->all_params)
        return;
    for (uint32_t i = 0; i < moment->param_count; i++) {
        TraceParam *param = &moment->params[i];
        param->name = str_copy(arena, names[param->index]);
    }
}
