// SPDX-License-Identifier: Apache-2.0
// Builds a command that can be typed again: words are quoted for a shell where
// they need it, and the options that name a schedule follow what was typed.
#include "trials/trials.h"

#include <string.h>

static bool needs_quotes(Str word) {
    static const char plain[] = "_-./=,:@%+";
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9');
        if (!letter && !(c && strchr(plain, c)))
            return true;
    }
    return word.len == 0;
}

static bool is_control(char c) {
    return (unsigned char)c < ' ' || c == '\177';
}

static bool has_control(Str word) {
    for (size_t i = 0; i < word.len; i++)
        if (is_control(word.ptr[i]))
            return true;
    return false;
}

// As $'...', which stays on one line.
static void add_escaped(Buf *out, Str word) {
    buf_str(out, STR("$'"));
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        if (c == '\n')
            buf_str(out, STR("\\n"));
        else if (is_control(c))
            buf_printf(out, "\\%03o", (unsigned)c);
        else if (c == '\'' || c == '\\')
            buf_printf(out, "\\%c", c);
        else
            buf_byte(out, c);
    }
    buf_byte(out, '\'');
}

void replay_word(Buf *out, Str word) {
    buf_byte(out, ' ');
    if (!needs_quotes(word)) {
        buf_str(out, word);
        return;
    }
    if (has_control(word)) {
        add_escaped(out, word);
        return;
    }
    buf_byte(out, '\'');
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '\'')
            buf_str(out, STR("'\\''"));
        else
            buf_byte(out, word.ptr[i]);
    buf_byte(out, '\'');
}

void replay_option(Buf *out, const char *name, const char *value) {
    if (!value)
        return;
    replay_word(out, str_from(name));
    replay_word(out, str_from(value));
}

// A name that begins with "-" would be taken for an option.
void replay_file(Buf *out, Str file) {
    bool option = file.len > 0 && file.ptr[0] == '-';
    Arena arena = {0};
    Str prefix = option ? STR("./") : STR("");
    replay_word(out,
                str_format(&arena, "%.*s%.*s", STR_ARG(prefix), STR_ARG(file)));
    arena_free(&arena);
}

void replay_number(Buf *out, const char *name, uint64_t value) {
    buf_printf(out, " %s %llu", name, (unsigned long long)value);
}

static Str taken(Arena *arena, Buf *out) {
    Str command = str_copy(arena, buf_view(out));
    buf_free(out);
    return command;
}

Str replay_trial(Arena *arena, Str base, const Trial *trial, Str more) {
    Buf out = {0};
    buf_str(&out, base);
    replay_number(&out, "--seed", trial->seed);
    replay_number(&out, "--only-schedule", trial->number);
    buf_str(&out, more);
    if (trial->is_limited)
        replay_number(&out, "--switches", trial->switches);
    return taken(arena, &out);
}

Str replay_trials(Arena *arena, Str base, uint64_t seed, uint64_t schedules) {
    Buf out = {0};
    buf_str(&out, base);
    replay_number(&out, "--seed", seed);
    replay_number(&out, "--schedules", schedules);
    return taken(arena, &out);
}
