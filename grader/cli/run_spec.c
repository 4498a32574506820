// SPDX-License-Identifier: Apache-2.0
// One SPEC of `clclab run --arg`: from its text to what the argument is. Files
// that it names are not read here, nor is it matched with a parameter.
#include "cli/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct SpecKind {
    Str name;
    uint32_t size; // bytes; 0: as many as are written
    SpecType kind;
} SpecKind;

static const SpecKind *spec_kinds(size_t *count) {
    static const SpecKind kinds[] = {
        {{"i32", 3}, 4, SPEC_I32},    {{"u32", 3}, 4, SPEC_U32},
        {{"i64", 3}, 8, SPEC_I64},    {{"u64", 3}, 8, SPEC_U64},
        {{"f32", 3}, 4, SPEC_F32},    {{"f64", 3}, 8, SPEC_F64},
        {{"buf", 3}, 8, SPEC_BUFFER}, {{"bytes", 5}, 0, SPEC_BYTES},
    };
    *count = COUNT_OF(kinds);
    return kinds;
}

// ---- numbers -------------------------------------------------------------

static bool parse_signed(Str text, uint64_t most, uint64_t *out) {
    bool negative = str_starts(text, STR("-"));
    Str digits = str_slice(text, negative, text.len);
    uint64_t value;
    if (!str_to_u64(digits, &value) || value > most + negative)
        return false;
    *out = negative ? 0 - value : value;
    return true;
}

// "0f3f800000" and "0d3ff0000000000000", as PTX writes bits.
static bool parse_bits(Str text, char letter, size_t digits, uint64_t *out) {
    if (text.len != digits + 2 || text.ptr[0] != '0' || text.ptr[1] != letter)
        return false;
    char hex[19] = "0x";
    memcpy(hex + 2, text.ptr + 2, digits);
    return str_to_u64((Str){hex, digits + 2}, out);
}

// What strtod accepts, except leading blanks and 0x1234, which could be meant
// as bits: a hexadecimal float must have an exponent (0x1.8p3).
static bool looks_like_float(const char *text) {
    bool hex = strpbrk(text, "xX") != NULL;
    return text[0] && !strchr(" \t\n\v\f\r", text[0]) &&
           (!hex || strpbrk(text, "pP") != NULL);
}

static bool is_overflow(const char *text, double value) {
    return isinf(value) && !strpbrk(text, "iI");
}

static bool parse_f32(const char *text, uint64_t *out) {
    if (parse_bits(str_from(text), 'f', 8, out))
        return true;
    char *end;
    float value = strtof(text, &end);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = bits;
    return looks_like_float(text) && !*end && !is_overflow(text, (double)value);
}

static bool parse_f64(const char *text, uint64_t *out) {
    if (parse_bits(str_from(text), 'd', 16, out))
        return true;
    char *end;
    double value = strtod(text, &end);
    memcpy(out, &value, sizeof value);
    return looks_like_float(text) && !*end && !is_overflow(text, value);
}

// NULL on success, or else what such a number looks like.
static const char *parse_number(SpecType kind, const char *text,
                                uint64_t *out) {
    Str s = str_from(text);
    switch (kind) {
    case SPEC_I32:
        return parse_signed(s, INT32_MAX, out)
                   ? NULL
                   : "a whole number from -2147483648 to 2147483647";
    case SPEC_U32:
        return str_to_u64(s, out) && *out <= UINT32_MAX
                   ? NULL
                   : "a whole number from 0 to 4294967295";
    case SPEC_I64:
        return parse_signed(s, INT64_MAX, out)
                   ? NULL
                   : "a whole number of 64 bits, such as -1";
    case SPEC_U64:
        return str_to_u64(s, out) ? NULL : "a whole number from 0 to 2^64 - 1";
    case SPEC_F32:
        return parse_f32(text, out)
                   ? NULL
                   : "a float, such as 0.5, 1e-3, inf, or bits as in PTX: "
                     "0f3f800000";
    case SPEC_F64:
        return parse_f64(text, out)
                   ? NULL
                   : "a double, such as 0.5, 1e-3, inf, or bits as in PTX: "
                     "0d3ff0000000000000";
    case SPEC_BUFFER:
    case SPEC_BYTES:
        break;
    }
    return "a number";
}

// ---- buffers and bytes ---------------------------------------------------

static const char *parse_fill(RunArgument *argument, Str fill) {
    LaunchArgument *launch = &argument->launch;
    if (str_equal(fill, STR("zero"))) {
        launch->fill = FILL_ZERO;
    } else if (str_equal(fill, STR("iota32"))) {
        launch->fill = FILL_IOTA32;
    } else if (str_starts(fill, STR("random:"))) {
        launch->fill = FILL_RANDOM;
        if (!str_to_u64(str_slice(fill, 7, fill.len), &launch->seed))
            return "a seed that is a whole number, such as random:1";
    } else if (str_starts(fill, STR("file=")) && fill.len > 5) {
        launch->fill = FILL_BYTES;
        argument->file = fill.ptr + 5; // the end of the spec, so NUL-terminated
    } else {
        return "zero, random:SEED, iota32 or file=PATH behind the size, and "
               "before these same, any or close=X";
    }
    return NULL;
}

// same, any, close=X: false if it is none of these.
static bool parse_output(Arena *arena, LaunchArgument *launch, Str word,
                         const char **wants) {
    if (str_equal(word, STR("same"))) {
        launch->output = OUTPUT_SAME;
    } else if (str_equal(word, STR("any"))) {
        launch->output = OUTPUT_ANY;
    } else if (str_starts(word, STR("close="))) {
        uint64_t bits;
        const char *text =
            str_cstring(arena, str_slice(word, strlen("close="), word.len));
        launch->output = OUTPUT_CLOSE;
        bool is_number = parse_f64(text, &bits);
        memcpy(&launch->tolerance, &bits, sizeof bits);
        if (!is_number || !(launch->tolerance >= 0) || isinf(launch->tolerance))
            *wants = "a tolerance that is not negative, such as close=1e-5";
    } else {
        return false;
    }
    return true;
}

static const char *parse_buffer(Arena *arena, RunArgument *argument,
                                const char *text) {
    LaunchArgument *launch = &argument->launch;
    Str rest = str_from(text), word;
    const char *wants = NULL;
    size_t whole = rest.len;
    Str size = str_cut(&rest, ':');
    bool more = size.len < whole;
    launch->is_buffer = true;
    if (!str_to_u64(size, &launch->size))
        return "a size in bytes, such as buf:4096";
    if (launch->size > RUN_MOST_BUFFER_BYTES)
        return "at most 2 GiB: 2147483648 bytes";
    if (more) {
        Str behind = rest;
        word = str_cut(&behind, ':');
        if (parse_output(arena, launch, word, &wants)) {
            more = word.len < rest.len;
            rest = behind;
        }
    }
    if (wants)
        return wants;
    return more ? parse_fill(argument, rest) : NULL;
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    if (c >= 'A' && c <= 'F')
        c = (char)(c - 'A' + 'a');
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static const char *parse_hex(Arena *arena, RunArgument *argument,
                             const char *text) {
    size_t len = strlen(text);
    uint8_t *bytes = arena_new(arena, uint8_t, len / 2 + 1);
    for (size_t i = 0; i < len; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            len = 0;
        else
            bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    argument->launch.size = len / 2;
    argument->launch.bytes = bytes;
    return len > 0 && len % 2 == 0
               ? NULL
               : "two hexadecimal digits a byte, the lowest address first";
}

// ---- one SPEC ------------------------------------------------------------

const char *run_parse_spec(Arena *arena, const char *spec,
                           RunArgument *argument) {
    size_t count;
    const SpecKind *kinds = spec_kinds(&count), *found = NULL;
    Str rest = str_from(spec);
    Str name = str_cut(&rest, ':');
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, kinds[i].name) && name.len < strlen(spec))
            found = &kinds[i];
    if (!found)
        return "i32:V, u32:V, i64:V, u64:V, f32:V, f64:V, "
               "buf:BYTES[:same|:any|:close=X][:zero|:random:SEED|:iota32|"
               ":file=PATH] or bytes:HEX";
    const char *text = spec + name.len + 1;
    *argument = (RunArgument){.spec = spec, .kind = found->kind};
    argument->launch.size = found->size;
    if (found->kind == SPEC_BUFFER)
        return parse_buffer(arena, argument, text);
    if (found->kind == SPEC_BYTES)
        return parse_hex(arena, argument, text);
    return parse_number(found->kind, text, &argument->bits);
}
