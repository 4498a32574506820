// SPDX-License-Identifier: Apache-2.0
// A sequence of fields: the encoding of what the parent and the compiling child
// send each other, and of cache entries.
//
//   field  := length ':' bytes      the length in decimal
//   number := a field that is a decimal number
//   list   := number field*
//
// A reader never trusts a length: it refuses a text that ends too early.
#include "compile/internal.h"

#include <string.h>

enum { MAX_LIST = 4096 };

void wire_put(Buf *buf, Str field) {
    buf_printf(buf, "%zu:", field.len);
    buf_str(buf, field);
}

void wire_put_number(Buf *buf, uint64_t number) {
    Buf digits = {0};
    buf_printf(&digits, "%llu", (unsigned long long)number);
    wire_put(buf, buf_view(&digits));
    buf_free(&digits);
}

bool wire_get(Str *rest, Str *field) {
    uint64_t len = 0;
    if (str_find(*rest, ':') == rest->len)
        return false;
    if (!str_to_u64(str_cut(rest, ':'), &len) || len > rest->len)
        return false;
    *field = str_slice(*rest, 0, (size_t)len);
    *rest = str_slice(*rest, (size_t)len, rest->len);
    return true;
}

bool wire_get_number(Str *rest, uint64_t *number) {
    Str field;
    return wire_get(rest, &field) && str_to_u64(field, number);
}

void wire_put_guards(Buf *buf, const SandboxGuards *guards) {
    wire_put_number(buf, guards->no_new_privileges);
    wire_put_number(buf, guards->seccomp);
    wire_put_number(buf, (uint64_t)guards->landlock);
    wire_put(buf, str_from(guards->bubblewrap));
}

bool wire_get_guards(Str *rest, SandboxGuards *guards) {
    uint64_t privileges = 0, seccomp = 0, landlock = 0;
    Str bubblewrap;
    if (!wire_get_number(rest, &privileges) ||
        !wire_get_number(rest, &seccomp) || !wire_get_number(rest, &landlock) ||
        !wire_get(rest, &bubblewrap) ||
        bubblewrap.len >= sizeof guards->bubblewrap)
        return false;
    *guards = (SandboxGuards){.no_new_privileges = privileges == 1,
                              .seccomp = seccomp == 1,
                              .landlock = (int)landlock};
    if (bubblewrap.len)
        memcpy(guards->bubblewrap, bubblewrap.ptr, bubblewrap.len);
    return true;
}

static void put_list(Buf *buf, const Str *items, size_t count) {
    wire_put_number(buf, count);
    for (size_t i = 0; i < count; i++)
        wire_put(buf, items[i]);
}

static bool get_list(Arena *arena, Str *rest, Str **items, size_t *count) {
    uint64_t n = 0;
    if (!wire_get_number(rest, &n) || n > MAX_LIST)
        return false;
    *items = arena_new(arena, Str, (size_t)n + 1);
    *count = (size_t)n;
    for (size_t i = 0; i < n; i++)
        if (!wire_get(rest, &(*items)[i]))
            return false;
    return true;
}

void wire_put_request(Buf *buf, const ChildRequest *r) {
    wire_put(buf, r->nvrtc_path);
    wire_put(buf, r->name);
    wire_put(buf, r->source);
    put_list(buf, r->options, r->option_count);
    put_list(buf, r->header_names, r->header_count);
    put_list(buf, r->header_texts, r->header_count);
    put_list(buf, r->read, r->read_count);
    put_list(buf, r->write, r->write_count);
    wire_put_number(buf, r->pch_mode);
    wire_put(buf, r->pch_path);
}

bool wire_get_request(Arena *arena, Str text, ChildRequest *r) {
    size_t texts = 0;
    return wire_get(&text, &r->nvrtc_path) && wire_get(&text, &r->name) &&
           wire_get(&text, &r->source) &&
           get_list(arena, &text, &r->options, &r->option_count) &&
           get_list(arena, &text, &r->header_names, &r->header_count) &&
           get_list(arena, &text, &r->header_texts, &texts) &&
           texts == r->header_count &&
           get_list(arena, &text, &r->read, &r->read_count) &&
           get_list(arena, &text, &r->write, &r->write_count) &&
           wire_get_number(&text, &r->pch_mode) &&
           wire_get(&text, &r->pch_path) && text.len == 0;
}

void wire_put_answer(Buf *buf, const ChildAnswer *a) {
    wire_put_number(buf, a->loaded);
    wire_put_number(buf, a->result);
    wire_put_number(buf, a->version);
    wire_put_number(buf, a->pch);
    wire_put_number(buf, a->landlock);
    wire_put(buf, a->log);
    wire_put(buf, a->ptx);
}

bool wire_get_answer(Str text, ChildAnswer *a) {
    return wire_get_number(&text, &a->loaded) &&
           wire_get_number(&text, &a->result) &&
           wire_get_number(&text, &a->version) &&
           wire_get_number(&text, &a->pch) &&
           wire_get_number(&text, &a->landlock) && wire_get(&text, &a->log) &&
           wire_get(&text, &a->ptx) && text.len == 0;
}
