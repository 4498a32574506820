// SPDX-License-Identifier: Apache-2.0
// String slices. Only the functions that take an arena allocate.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

Str str_from(const char *cstring) {
    return cstring ? (Str){cstring, strlen(cstring)} : (Str){0};
}

bool str_equal(Str a, Str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_starts(Str s, Str prefix) {
    return s.len >= prefix.len &&
           str_equal(str_slice(s, 0, prefix.len), prefix);
}

bool str_ends(Str s, Str suffix) {
    return s.len >= suffix.len &&
           str_equal(str_slice(s, s.len - suffix.len, s.len), suffix);
}

size_t str_find(Str s, char byte) {
    const char *hit = s.len ? memchr(s.ptr, byte, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : s.len;
}

Str str_slice(Str s, size_t from, size_t to) {
    if (to > s.len)
        to = s.len;
    if (from > to)
        from = to;
    return (Str){s.ptr ? s.ptr + from : NULL, to - from};
}

Str str_base_name(Str path) {
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return str_slice(path, i, path.len);
    return path;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Str str_trim(Str s) {
    while (s.len && is_blank(s.ptr[0]))
        s = str_slice(s, 1, s.len);
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

Str str_cut(Str *rest, char byte) {
    size_t at = str_find(*rest, byte);
    Str head = str_slice(*rest, 0, at);
    *rest = str_slice(*rest, at + 1, rest->len);
    return head;
}

char *str_cstring(Arena *arena, Str s) {
    char *copy = arena_new(arena, char, s.len + 1);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return copy;
}

void str_fill(char *field, size_t room, Str s) {
    size_t len = s.len < room ? s.len : room - 1;
    if (len)
        memcpy(field, s.ptr, len);
    field[len] = '\0';
}

Str str_copy(Arena *arena, Str s) {
    return (Str){str_cstring(arena, s), s.len};
}

Str str_vformat(Arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0)
        return (Str){0};
    char *text = arena_new(arena, char, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, args);
    return (Str){text, (size_t)len};
}

Str str_format(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(arena, format, args);
    va_end(args);
    return text;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

bool str_to_u64(Str s, uint64_t *out) {
    uint64_t base = 10, value = 0;
    if (str_starts(s, STR("0x")) || str_starts(s, STR("0X"))) {
        base = 16;
        s = str_slice(s, 2, s.len);
    }
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        uint64_t digit = (uint64_t)digit_value(s.ptr[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

Str str_line(Str text, uint32_t number) {
    Str line = {0};
    for (uint32_t i = 0; i < number; i++) {
        if (text.len == 0)
            return (Str){0};
        line = str_cut(&text, '\n');
    }
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}
