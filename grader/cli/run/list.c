// SPDX-License-Identifier: Apache-2.0
// `clclab run --arg @FILE.json`: a list of arguments. Each is a SPEC as a
// string, or an object, which becomes the text of one:
//
//   {"f32": 1.5}  {"i32": [1, 2, 3]}           a number, an array of them
//   {"struct": [ITEM, ...]}  {"array": [...]}  of SPECs and objects
//   {"buf": 4096, "output": "same", "fill": "iota:f32"}
//   {"buf": [ITEM, ...]}  {"file": "in.npy"}   what it holds; a file
//   {"bytes": "00ff"}  {"fn": "name"}
//
// A relative path begins at the folder of FILE.json.
#include "cli/run/arguments.h"

#include <string.h>

enum { MOST_JSON = 1 << 26, MOST_DEPTH = 16 };

typedef struct JsonFile {
    Cli *cli;
    const char *path;
    Buf spec;
    size_t index;      // of the argument in the list
    const char *wrong; // NULL: nothing so far
} JsonFile;

static bool wrong(JsonFile *file, const char *what) {
    if (!file->wrong)
        file->wrong = what;
    return false;
}

static bool add_value(JsonFile *file, Str value, size_t depth);

// The text of a string, or of a number as it is written.
static Str scalar(JsonFile *file, Str value) {
    Str text;
    if (json_string_value(&file->cli->arena, value, &text))
        return text;
    if (value.len == 0 || strchr("[{tfn", value.ptr[0]))
        wrong(file, "a number or a string is wanted there");
    return value;
}

// ---- lists ---------------------------------------------------------------

static bool add_items(JsonFile *file, Str list, size_t depth) {
    Str item;
    bool first = true;
    if (!str_starts(list, STR("[")))
        return wrong(file, "a list is wanted there");
    while (!file->wrong && json_next(&list, &item)) {
        if (!first)
            buf_byte(&file->spec, ',');
        add_value(file, item, depth + 1);
        first = false;
    }
    return !first || wrong(file, "a list has an item at least");
}

static bool add_list(JsonFile *file, Str list, const char *open, char close,
                     size_t depth) {
    buf_str(&file->spec, str_from(open));
    add_items(file, list, depth);
    buf_byte(&file->spec, close);
    return !file->wrong;
}

// {"f32": 1} or {"f32": [1, 2]}
static bool add_numbers(JsonFile *file, Str type, Str value) {
    Buf *out = &file->spec;
    Str item;
    bool first = true;
    if (!str_starts(value, STR("["))) {
        Str text = scalar(file, value);
        buf_printf(out, "%.*s:%.*s", STR_ARG(type), STR_ARG(text));
        return !file->wrong;
    }
    while (!file->wrong && json_next(&value, &item)) {
        Str text = scalar(file, item);
        if (first)
            buf_printf(out, "[%.*s:%.*s", STR_ARG(type), STR_ARG(text));
        else
            buf_printf(out, ",%.*s", STR_ARG(text));
        first = false;
    }
    buf_byte(out, ']');
    return !first || wrong(file, "a list has an item at least");
}

// ---- buffers -------------------------------------------------------------

static void add_word(JsonFile *file, Str word) {
    buf_printf(&file->spec, ":%.*s", STR_ARG(word));
}

static bool add_buffer(JsonFile *file, Str object, size_t depth) {
    Str size = {0}, output = {0}, fill = {0}, path = {0}, name, item;
    while (json_next_member(&object, &name, &item)) {
        Str *member = str_equal(name, STR("buf"))      ? &size
                      : str_equal(name, STR("output")) ? &output
                      : str_equal(name, STR("fill"))   ? &fill
                      : str_equal(name, STR("file"))   ? &path
                                                       : NULL;
        if (!member)
            return wrong(file, "a buffer has buf, output, fill and file alone");
        *member = item;
    }
    bool has_items = str_starts(size, STR("["));
    if (!!fill.len + !!path.len + has_items > 1)
        return wrong(file, "a buffer has one of fill, file and items");
    buf_str(&file->spec, STR("buf"));
    if (size.len && !has_items)
        add_word(file, scalar(file, size));
    if (output.len)
        add_word(file, scalar(file, output));
    if (fill.len)
        add_word(file, scalar(file, fill));
    if (path.len) {
        path = scalar(file, path);
        buf_printf(&file->spec, ":file=\"%.*s\"", STR_ARG(path));
        if (str_find(path, '"') < path.len)
            return wrong(file, "a path has no double quotes");
    }
    return has_items ? add_list(file, size, ":[", ']', depth) : !file->wrong;
}

// ---- a value -------------------------------------------------------------

static bool add_object(JsonFile *file, Str object, size_t depth) {
    Str rest = object, name, item, other, more;
    if (!json_next_member(&rest, &name, &item))
        return wrong(file, "an object says of what kind its argument is");
    for (Str all = object; json_next_member(&all, &other, &more);)
        if (str_equal(other, STR("buf")) || str_equal(other, STR("file")))
            return add_buffer(file, object, depth);
    if (json_next_member(&rest, &other, &more))
        return wrong(file, "such an object has one member");
    if (str_equal(name, STR("struct")))
        return add_list(file, item, "struct:{", '}', depth);
    if (str_equal(name, STR("array")))
        return add_list(file, item, "[", ']', depth);
    return add_numbers(file, name, item);
}

static bool add_value(JsonFile *file, Str value, size_t depth) {
    if (depth > MOST_DEPTH)
        return wrong(file, "it is nested too deeply");
    if (str_starts(value, STR("{")))
        return add_object(file, value, depth);
    if (!str_starts(value, STR("\"")))
        return wrong(file, "an argument is a string or an object");
    buf_str(&file->spec, scalar(file, value));
    return !file->wrong;
}

// ---- the file ------------------------------------------------------------

static const char *folder_of(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    return str_cstring(arena,
                       (Str){path, slash == path ? 1 : (size_t)(slash - path)});
}

static int add_argument(JsonFile *file, Str value, RunArguments *all) {
    Cli *cli = file->cli;
    file->spec.len = 0;
    add_value(file, value, 0);
    const char *spec = str_cstring(&cli->arena, buf_view(&file->spec));
    if (file->wrong)
        return output_error(cli, CLI_USAGE, "run: %s: argument %zu: %s",
                            file->path, file->index, file->wrong);
    const char *wants = run_parse_spec(&cli->arena, spec,
                                       folder_of(&cli->arena, file->path), all);
    file->index++;
    if (wants)
        return output_error(cli, CLI_USAGE,
                            "run: %s: argument %zu (%s): it takes %s",
                            file->path, file->index - 1, spec, wants);
    return all->given <= CLI_MAX_ARGUMENTS
               ? CLI_FULL_MARKS
               : output_error(cli, CLI_USAGE,
                              "run: %s: at most %d arguments are taken",
                              file->path, CLI_MAX_ARGUMENTS);
}

static int not_a_list(Cli *cli, const char *path, size_t at,
                      const char *error) {
    return output_error(cli, CLI_USAGE,
                        "run: --arg @%s: it is no JSON list of arguments: %s, "
                        "at byte %zu",
                        path, error ? error : "a '[' is missing", at);
}

int run_read_json(Cli *cli, const char *path, RunArguments *all) {
    Str text, why, list, item;
    size_t at;
    const char *error;
    FileRead got = file_read(&cli->arena, path, MOST_JSON, &text, &why);
    if (got == FILE_TOO_LARGE)
        why = STR("it has more than 64 MiB");
    if (got != FILE_READ)
        return output_error(cli, CLI_USAGE, "run: --arg @%s: %.*s", path,
                            STR_ARG(why));
    if (!json_check(text, &list, &at, &error) || !str_starts(list, STR("[")))
        return not_a_list(cli, path, at, error);
    JsonFile file = {.cli = cli, .path = path};
    int code = CLI_FULL_MARKS;
    while (!code && json_next(&list, &item))
        code = add_argument(&file, item, all);
    buf_free(&file.spec);
    return code;
}
