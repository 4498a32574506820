// SPDX-License-Identifier: Apache-2.0
// The lines of a book (book.c) that have values: of the kernel's parameters,
// and of the registers that a warp wrote last.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

// In six digits, or as many as give the same number again.
static void write_float(uint64_t bits, uint32_t bytes, Buf *out) {
    char text[40];
    double number;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&number, &bits, sizeof number);
    memcpy(&narrow, &low, sizeof narrow);
    if (bytes == sizeof narrow)
        number = (double)narrow;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double again = strtod(text, NULL);
        if (again == number || number != number ||
            (bytes == sizeof narrow && (float)again == narrow))
            break;
    }
    buf_str(out, str_from(text));
}

static int64_t extended(uint64_t bits, uint32_t bytes) {
    uint32_t unused = 64 - 8 * bytes;
    return (int64_t)(bits << unused) >> unused;
}

// A number is hexadecimal if it may be an address; one of no type, also if it
// may be less than zero.
static void write_value(TraceValueKind kind, uint32_t bytes, uint64_t bits,
                        Buf *out) {
    bool is_large = bits >= UINT64_C(1) << (bytes == 2 ? 15 : 31);
    int64_t number = bytes ? extended(bits, bytes) : 0;
    switch (kind) {
    case TRACE_VALUE_PRED:
        buf_str(out, bits ? STR("true") : STR("false"));
        return;
    case TRACE_VALUE_SIGNED:
        buf_printf(out, number >> 40 > 0 ? "0x%" PRIx64 : "%" PRId64, number);
        return;
    case TRACE_VALUE_FLOAT:
        write_float(bits, bytes, out);
        return;
    case TRACE_VALUE_UNSIGNED:
    case TRACE_VALUE_BITS:
        buf_printf(out,
                   is_large || kind == TRACE_VALUE_BITS ? "0x%" PRIx64
                                                        : "%" PRIu64,
                   bits);
        return;
    }
}

static bool has_lane(const TraceValue *value, uint32_t lane) {
    return value->lanes >> lane & 1;
}

// Whether the lane's word is that of the one before it.
static bool is_same(const TraceValue *value, uint32_t lane) {
    return has_lane(value, lane) == has_lane(value, lane - 1) &&
           (!has_lane(value, lane) || value->at[lane] == value->at[lane - 1]);
}

static void write_lanes(const TraceValue *value, Buf *out) {
    for (uint32_t from = 0, to; from < TRACE_LANES; from = to) {
        for (to = from + 1; to < TRACE_LANES && is_same(value, to);)
            to++;
        buf_printf(out, " %u ", to - from);
        if (has_lane(value, from))
            write_value(value->kind, value->bytes, value->at[from], out);
        else
            buf_byte(out, '-');
    }
}

void book_params(const TraceMoment *moment, Buf *out) {
    for (uint32_t i = 0; i < moment->param_count; i++) {
        const TraceParam *param = &moment->params[i];
        buf_str(out, STR("param "));
        utf8_escape(param->name, out);
        buf_byte(out, ' ');
        write_value(param->kind, param->bytes, param->value, out);
        buf_byte(out, '\n');
    }
}

void book_values(const TraceEvent *step, Buf *out) {
    for (size_t i = 0; i < step->value_count; i++) {
        const TraceValue *value = &step->values[i];
        buf_printf(out, "reg %u ", value->line);
        utf8_escape(value->name, out);
        write_lanes(value, out);
        buf_byte(out, '\n');
    }
}
