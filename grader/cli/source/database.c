// SPDX-License-Identifier: Apache-2.0
// The flags that a project compiles a file with, from its compilation database
// (compile_commands.json, as CMake and Bear write it). Read database_flags, at
// the end.
//
// A database is an array of objects with "directory", "file" and either
// "arguments", an array, or "command", words as for a shell. Relative paths are
// those of "directory". nvcc's lists of options in files of their own
// (--options-file) are read, too.
#include "cli/source/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DATABASE = 1 << 28, // bytes
    MOST_DEPTH = 4,          // of files of options
    MOST_SHOWN = 6,          // flags that a note names
};

typedef struct Words {
    Str *items;
    size_t count, capacity;
} Words;

typedef struct Taking {
    Cli *cli;
    Arena *arena;
    Str directory;
    CliValues *flags;
    Str ignored; // "-O3 -c"
    size_t ignored_count;
    bool overflows;
} Taking;

static void add_word(Arena *arena, Words *words, Str word) {
    arena_grow(arena, words->items, words->count, words->capacity);
    words->items[words->count++] = word;
}

// ---- words ---------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Takes one word as a shell does, without its quotes and backslashes.
static Str take_word(Arena *arena, Str *rest) {
    Buf out = {0};
    char quote = '\0';
    size_t i = 0;
    for (; i < rest->len && (quote || !is_blank(rest->ptr[i])); i++) {
        char c = rest->ptr[i];
        if (c == quote)
            quote = '\0';
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < rest->len)
            buf_byte(&out, rest->ptr[++i]);
        else
            buf_byte(&out, c);
    }
    *rest = str_slice(*rest, i, rest->len);
    Str word = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return word;
}

static void split_words(Arena *arena, Str text, Words *words) {
    for (Str rest = str_trim(text); rest.len; rest = str_trim(rest))
        add_word(arena, words, take_word(arena, &rest));
}

static void read_words(Arena *arena, Str entry, Words *words) {
    Str value, text;
    if (json_find(arena, entry, "arguments", &value)) {
        Str rest = value, item;
        while (json_next(&rest, &item))
            if (json_string_value(arena, item, &text))
                add_word(arena, words, text);
    } else if (json_find(arena, entry, "command", &value) &&
               json_string_value(arena, value, &text)) {
        split_words(arena, text, words);
    }
}

// ---- paths ---------------------------------------------------------------

static Str join(Arena *arena, Str directory, Str path) {
    if (path.len && path.ptr[0] == '/')
        return path;
    return str_format(arena, "%.*s/%.*s", STR_ARG(directory), STR_ARG(path));
}

// Without links and steps that lead nowhere, where the file is there.
static Str real_path(Arena *arena, Str path) {
    char real[PATH_MAX];
    return realpath(str_cstring(arena, path), real)
               ? str_copy(arena, str_from(real))
               : path;
}

static Str last_step(Str path) {
    while (str_find(path, '/') < path.len)
        str_cut(&path, '/');
    return path;
}

// ---- flags ---------------------------------------------------------------

typedef enum Use { USE_PATH, USE_TEXT, USE_FLAG, USE_DROP, USE_LIST } Use;

// Each may have its value in the same word or, unless it is a USE_FLAG, in the
// next. Longer names come before those that they begin with.
static const struct {
    const char *name, *as;
    Use use;
} known[] = {
    {"--include-path", "-I", USE_PATH},
    {"--system-include", "-isystem=", USE_PATH},
    {"--pre-include", "-include=", USE_PATH},
    {"--define-macro", "-D", USE_TEXT},
    {"--undefine-macro", "-U", USE_TEXT},
    {"--options-file", "", USE_LIST},
    {"-optf", "", USE_LIST},
    {"-isystem", "-isystem=", USE_PATH},
    {"-include", "-include=", USE_PATH},
    {"-I", "-I", USE_PATH},
    {"-D", "-D", USE_TEXT},
    {"-U", "-U", USE_TEXT},
    {"--std", "-std=", USE_TEXT},
    {"-std", "-std=", USE_TEXT},
    {"--expt-relaxed-constexpr", "", USE_FLAG},
    {"-expt-relaxed-constexpr", "", USE_FLAG},
    {"--expt-extended-lambda", "", USE_FLAG},
    {"-expt-extended-lambda", "", USE_FLAG},
    {"--extended-lambda", "", USE_FLAG},
    {"-extended-lambda", "", USE_FLAG},
    {"--use_fast_math", "", USE_FLAG},
    {"-use_fast_math", "", USE_FLAG},
    {"--fmad=", "", USE_FLAG},
    {"-fmad=", "", USE_FLAG},
    {"--ftz=", "", USE_FLAG},
    {"-ftz=", "", USE_FLAG},
    {"--maxrregcount=", "", USE_FLAG},
    {"-maxrregcount=", "", USE_FLAG},
    {"-o", "", USE_DROP},
    {"-MF", "", USE_DROP},
    {"-MT", "", USE_DROP},
    {"-x", "", USE_DROP},
};

static void add_flag(Taking *t, const char *head, Str value) {
    if (t->flags->count == CLI_MAX_ARGUMENTS) {
        t->overflows = true;
        return;
    }
    t->flags->items[t->flags->count++] =
        str_format(t->arena, "%s%.*s", head, STR_ARG(value)).ptr;
}

static void ignore(Taking *t, Str word) {
    if (t->ignored_count++ < MOST_SHOWN)
        t->ignored = str_format(t->arena, "%.*s%s%.*s", STR_ARG(t->ignored),
                                t->ignored.len ? " " : "", STR_ARG(word));
}

static void take_words(Taking *t, const Words *words, size_t from,
                       size_t depth);

static void take_list(Taking *t, Str path, size_t depth) {
    Words words = {0};
    Str text, why;
    path = join(t->arena, t->directory, path);
    if (depth == MOST_DEPTH ||
        file_read(t->arena, str_cstring(t->arena, path), MOST_DATABASE, &text,
                  &why) != FILE_READ) {
        ignore(t, path);
        return;
    }
    split_words(t->arena, text, &words);
    take_words(t, &words, 0, depth + 1);
}

// Takes the flag at words[*at] and its value; false: it is not known.
static bool take_flag(Taking *t, const Words *words, size_t *at, size_t depth) {
    Str word = words->items[*at];
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        Str name = str_from(known[i].name);
        bool is_whole = str_equal(word, name);
        if (!str_starts(word, name))
            continue;
        Str value = str_slice(word, name.len, word.len);
        if (known[i].use == USE_FLAG) {
            add_flag(t, "", word);
            return true;
        }
        if (is_whole && *at + 1 < words->count)
            value = words->items[++*at];
        else if (name.len > 2 && str_starts(value, STR("=")))
            value = str_slice(value, 1, value.len);
        else if (known[i].use == USE_DROP && !is_whole)
            return false; // -optimize is not -o
        if (known[i].use == USE_PATH)
            value = join(t->arena, t->directory, value);
        if (known[i].use == USE_LIST)
            take_list(t, value, depth);
        else if (known[i].use != USE_DROP)
            add_flag(t, known[i].as, value);
        return true;
    }
    return false;
}

static void take_words(Taking *t, const Words *words, size_t from,
                       size_t depth) {
    for (size_t i = from; i < words->count; i++) {
        Str word = words->items[i];
        if (word.len > 1 && word.ptr[0] == '@')
            take_list(t, str_slice(word, 1, word.len), depth);
        else if (word.len && word.ptr[0] == '-' &&
                 !take_flag(t, words, &i, depth) && !str_equal(word, STR("-c")))
            ignore(t, word);
    }
}

// ---- the file ------------------------------------------------------------

static size_t common_end(Str a, Str b) {
    size_t n = 0;
    while (n < a.len && n < b.len &&
           a.ptr[a.len - n - 1] == b.ptr[b.len - n - 1])
        n++;
    return n;
}

// The entry of the file; false: *nearest is the file that is called most alike.
static bool find_entry(Arena *arena, Str database, Str path, Str *entry,
                       Str *directory, Str *nearest) {
    Str wanted = real_path(arena, path), rest = database, value;
    size_t best = 0;
    *nearest = (Str){0};
    while (json_next(&rest, entry)) {
        Str file;
        *directory = STR(".");
        if (json_find(arena, *entry, "directory", &value))
            json_string_value(arena, value, directory);
        if (!json_find(arena, *entry, "file", &value) ||
            !json_string_value(arena, value, &file))
            continue;
        Str whole = join(arena, *directory, file);
        if (str_equal(last_step(whole), last_step(wanted)) &&
            str_equal(real_path(arena, whole), wanted))
            return true;
        size_t alike = common_end(whole, wanted);
        if (alike > best)
            *nearest = whole;
        best = alike > best ? alike : best;
    }
    return false;
}

static int read_database(Cli *cli, Str *database) {
    const char *path = cli->args.database, *error;
    Str text, why = STR("it is larger than 256 MiB");
    size_t at;
    if (file_read(&cli->arena, path, MOST_DATABASE, &text, &why) != FILE_READ)
        return output_error(cli, CLI_USAGE, "--compile-commands %s: %.*s", path,
                            STR_ARG(why));
    if (json_check(text, database, &at, &error) &&
        str_starts(*database, STR("[")))
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "--compile-commands %s: it is no compilation database"
                        "%s%s",
                        path, error ? ": " : "", error ? error : "");
}

static int finish(const Taking *t) {
    if (t->overflows)
        return output_error(t->cli, CLI_USAGE,
                            "--compile-commands %s: more than %d flags",
                            t->cli->args.database, CLI_MAX_ARGUMENTS);
    if (t->ignored_count)
        output_error(t->cli, CLI_FULL_MARKS, "%s: not taken: %.*s%s",
                     t->cli->args.database, STR_ARG(t->ignored),
                     t->ignored_count > MOST_SHOWN ? " ..." : "");
    return CLI_FULL_MARKS;
}

int database_flags(Cli *cli, Str path, CliValues *flags) {
    Str database, entry, directory, nearest;
    Words words = {0};
    if (!cli->args.database)
        return CLI_FULL_MARKS;
    int code = read_database(cli, &database);
    if (code)
        return code;
    if (!find_entry(&cli->arena, database, path, &entry, &directory, &nearest))
        return output_error(cli, CLI_USAGE,
                            "--compile-commands %s: %.*s is not in it%s%.*s",
                            cli->args.database, STR_ARG(path),
                            nearest.len ? "; the nearest is " : "",
                            STR_ARG(real_path(&cli->arena, nearest)));
    Taking taking = {.cli = cli,
                     .arena = &cli->arena,
                     .directory = directory,
                     .flags = flags};
    read_words(&cli->arena, entry, &words);
    take_words(&taking, &words, 1, 0);
    return finish(&taking);
}
