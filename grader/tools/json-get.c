// SPDX-License-Identifier: Apache-2.0
// Checks that a file is one valid JSON value (RFC 8259) and prints values from
// it (base/json.c): all that the tests need, without another package.
//
//   json-get FILE [PATH...]      FILE `-` is standard input
//
// A PATH is members and indices with dots between: checks.0.points. An element
// of an array can also be named by its "id": checks.rules.status. `checks.#` is
// the number of elements, and `checks.*.points` stands for a path in each. Each
// value is printed on its own line: strings without quotes and with unchanged
// escapes, everything else unchanged. A path that does not exist gives an empty
// line. Exit 0; 1 if the JSON is not valid; 3 if a path does not exist.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

// Prints what is at the path in a value, or an empty line; false: nothing is.
static bool print_one(Arena *arena, Str value, const char *path) {
    bool found = !*path || json_find(arena, value, path, &value);
    if (!found)
        value = STR("");
    if (value.len && value.ptr[0] == '"')
        value = str_slice(value, 1, value.len - 1);
    printf("%.*s\n", STR_ARG(value));
    return found;
}

// The same of a path with stars: for each element of the array before the
// first.
static bool print_path(Arena *arena, Str value, const char *path) {
    const char *star = strchr(path, '*');
    if (!star)
        return print_one(arena, value, path);
    Str before = {path, (size_t)(star - path)};
    if (before.len) // without its dot
        before.len--;
    Str list = value, element;
    if (before.len &&
        !json_find(arena, value, str_format(arena, "%.*s", STR_ARG(before)).ptr,
                   &list))
        return print_one(arena, value, path);
    bool found = true;
    while (json_next(&list, &element))
        found &= print_path(arena, element, star + (star[1] == '.' ? 2 : 1));
    return found;
}

static bool read_file(const char *path, Buf *out) {
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "json-get: cannot open %s\n", path);
        return false;
    }
    char block[4096];
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        buf_bytes(out, block, count);
    if (!standard)
        fclose(file);
    return true;
}

int main(int argc, char **argv) {
    Arena arena = {0};
    Buf text = {0};
    if (argc < 2 || !read_file(argv[1], &text))
        return 2;
    Str value;
    size_t at;
    const char *error;
    int status = json_check(buf_view(&text), &value, &at, &error) ? 0 : 1;
    if (error)
        fprintf(stderr, "json-get: %s: byte %zu: %s\n", argv[1], at, error);
    for (int i = 2; status != 1 && i < argc; i++)
        if (!print_path(&arena, value, argv[i])) {
            fprintf(stderr, "json-get: no '%s'\n", argv[i]);
            status = 3;
        }
    arena_free(&arena);
    buf_free(&text);
    return status;
}
