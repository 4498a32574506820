// SPDX-License-Identifier: Apache-2.0
// Builds a command that can be typed again: words are quoted for a shell where
// they need it.
#include "cli/internal.h"

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

// Whether the flag is an option of its own, such as -DNAME.
static bool is_option(Str flag) {
    static const Str names[] = {STR("-I"),        STR("-D"),
                                STR("-U"),        STR("-isystem="),
                                STR("-include="), STR("-std=")};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_starts(flag, names[i]) && flag.len > names[i].len)
            return true;
    return false;
}

void replay_build_options(Buf *out, const Args *args, bool is_own) {
    if (args->device == DEVICE_GPU)
        replay_option(out, "--device", "gpu");
    if (args->deadline)
        buf_printf(out, " --deadline %llu", (unsigned long long)args->deadline);
    if (args->emulation == EMULATION_CLAIMED)
        replay_option(out, "--emulation", "claimed");
    if (strcmp(args->gpu_model, "mini") != 0)
        replay_option(out, "--gpu-model", args->gpu_model);
    if (args->compiler != COMPILER_ANY)
        replay_option(out, "--compiler",
                      args->compiler == COMPILER_NVCC ? "nvcc" : "nvrtc");
    for (size_t i = 0; i < args->flags.count; i++) {
        Str flag = str_from(args->flags.items[i]);
        if (is_own && is_option(flag))
            replay_word(out, flag);
        else
            replay_option(out, "--compile-flag", args->flags.items[i]);
    }
    replay_option(out, "--arch", args->arch);
    replay_option(out, "--compile-commands", args->database);
    replay_option(out, "--root", args->root);
}
