// SPDX-License-Identifier: Apache-2.0
// A file has two names: the one that the compiler uses ("/lab.h",
// "/tmp/.../main.cu") and the one that the user wrote ("labs/common/lab.h").
// Nothing outside this room sees the first.
#include "compile/internal.h"

#include <limits.h>
#include <string.h>

void names_add(Arena *arena, NameMap *map, Str given, Str shown, Str text) {
    arena_grow(arena, map->items, map->count, map->capacity);
    map->items[map->count++] =
        (FileName){.given = given, .shown = shown, .text = text};
}

void names_add_in(Arena *arena, NameMap *map, Str folder, Str given, Str shown,
                  Str text) {
    names_add(arena, map, given, shown, text);
    given = str_format(arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(given));
    names_add(arena, map, given, shown, text);
}

// The absolute path without empty, "." and ".." steps; empty: it is not
// absolute, or too long. A compiler writes such steps: "bin/../include/cuda.h".
static Str plain_path(Str path, char out[PATH_MAX]) {
    size_t len = 0;
    if (path.len >= PATH_MAX || path.len == 0 || path.ptr[0] != '/')
        return (Str){0};
    while (path.len) {
        Str step = str_cut(&path, '/');
        if (str_equal(step, STR("..")))
            while (len > 0 && out[--len] != '/')
                continue;
        if (step.len == 0 || str_equal(step, STR(".")) ||
            str_equal(step, STR("..")))
            continue;
        out[len++] = '/';
        memcpy(out + len, step.ptr, step.len);
        len += step.len;
    }
    return (Str){out, len};
}

void names_add_path(Arena *arena, NameMap *map, Str shown, Str text) {
    char plain[PATH_MAX];
    names_add(arena, map, shown, shown, text);
    map->items[map->count - 1].plain =
        str_copy(arena, plain_path(files_absolute(arena, shown), plain));
}

const FileName *names_find(const NameMap *map, Str given) {
    char plain[PATH_MAX];
    Str path = plain_path(given, plain);
    for (size_t i = 0; i < map->count; i++) {
        const FileName *item = &map->items[i];
        if (str_equal(item->given, given) ||
            (path.len && str_equal(item->plain, path)))
            return item;
    }
    return NULL;
}

bool names_in_roots(const NameMap *map, Str path) {
    char plain[PATH_MAX], plain_root[PATH_MAX];
    path = plain_path(path, plain);
    for (size_t i = 0; i < map->root_count; i++) {
        Str root = plain_path(map->roots[i], plain_root);
        if (root.len && str_starts(path, root) && path.len > root.len &&
            path.ptr[root.len] == '/')
            return true;
    }
    return false;
}

// PTX strings escape quotes and backslashes as C does.
static Str unescape(Arena *arena, Str text) {
    char *out = str_cstring(arena, text);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len)
            i++;
        out[len++] = text.ptr[i];
    }
    return (Str){out, len};
}

// A line of PTX cannot hold the end of a line: control bytes become `?`.
static void put_escaped(Buf *buf, Str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == '\\')
            buf_byte(buf, '\\');
        buf_byte(buf, (unsigned char)c < 32 ? '?' : c);
    }
}

// `.file N "name"[, timestamp, size]`
static void put_file_line(Arena *arena, const NameMap *map, Str line,
                          Buf *out) {
    size_t first = str_find(line, '"');
    size_t last = line.len;
    while (last > 0 && line.ptr[last - 1] != '"')
        last--;
    const FileName *name = NULL;
    if (first + 1 < last) {
        Str quoted = str_slice(line, first + 1, last - 1);
        name = names_find(map, unescape(arena, quoted));
    }
    if (!name) {
        buf_str(out, line);
        return;
    }
    buf_str(out, str_slice(line, 0, first + 1));
    put_escaped(out, name->shown);
    buf_str(out, str_slice(line, last - 1, line.len));
}

Str names_rewrite_ptx(Arena *arena, const NameMap *map, Str ptx) {
    Buf out = {0};
    while (ptx.len) {
        size_t len = str_find(ptx, '\n');
        Str line = str_slice(ptx, 0, len);
        if (str_starts(str_trim(line), STR(".file")))
            put_file_line(arena, map, line, &out);
        else
            buf_str(&out, line);
        if (len < ptx.len)
            buf_byte(&out, '\n');
        ptx = str_slice(ptx, len + 1, ptx.len);
    }
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}
