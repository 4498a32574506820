// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer on the heap.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static void buf_reserve(Buf *buf, size_t more) {
    if (more <= buf->capacity - buf->len)
        return;
    size_t capacity = buf->capacity ? buf->capacity : 256;
    while (capacity - buf->len < more)
        capacity *= 2;
    char *larger = heap_alloc(1, capacity);
    if (buf->len)
        memcpy(larger, buf->ptr, buf->len);
    heap_free(buf->ptr);
    buf->ptr = larger;
    buf->capacity = capacity;
}

void buf_bytes(Buf *buf, const void *bytes, size_t len) {
    if (len == 0)
        return;
    buf_reserve(buf, len);
    memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
}

void buf_str(Buf *buf, Str s) {
    buf_bytes(buf, s.ptr, s.len);
}

void buf_byte(Buf *buf, char byte) {
    buf_bytes(buf, &byte, 1);
}

void buf_printf(Buf *buf, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len > 0) {
        buf_reserve(buf, (size_t)len + 1);
        vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
        buf->len += (size_t)len;
    }
    va_end(args);
}

Str buf_view(const Buf *buf) {
    return (Str){buf->ptr, buf->len};
}

void buf_free(Buf *buf) {
    heap_free(buf->ptr);
    *buf = (Buf){0};
}
