// SPDX-License-Identifier: Apache-2.0
// NumPy's files (.npy, "A Simple File Format for NumPy Arrays"): six bytes of
// magic, a version, the length of a header, the header, which is a Python
// dictionary of three members, and the elements.
#include "cli/run/arguments.h"

#include <string.h>

#define MAGIC "\x93NUMPY"
enum { MAGIC_BYTES = 6, LINE = 64 };

// ---- the header ----------------------------------------------------------

static bool complain(Arena *arena, Str *why, const char *what) {
    *why = str_format(arena, "%s", what);
    return false;
}

// The header's text, and what follows it.
static bool split(Arena *arena, Str file, Str *header, Str *data, Str *why) {
    const uint8_t *bytes = (const uint8_t *)file.ptr;
    size_t at = MAGIC_BYTES + 2;
    if (!str_starts(file, (Str){MAGIC, MAGIC_BYTES}) || file.len < at + 4)
        return complain(arena, why,
                        "it is no .npy file: it does not begin with NumPy's "
                        "magic bytes");
    if (bytes[MAGIC_BYTES] < 1 || bytes[MAGIC_BYTES] > 3)
        return complain(arena, why, "it is of a version of .npy after 3.0");
    size_t digits = bytes[MAGIC_BYTES] == 1 ? 2 : 4, length = 0;
    for (size_t i = 0; i < digits; i++)
        length |= (size_t)bytes[at + i] << 8 * i;
    at += digits;
    if (length > file.len - at)
        return complain(arena, why, "its header is cut off");
    *header = str_slice(file, at, at + length);
    *data = str_slice(file, at + length, file.len);
    return true;
}

// The length of the Python value that `text` begins with: up to a comma or a
// brace that is in no bracket and no quotes.
static size_t value_length(Str text) {
    size_t depth = 0, i = 0;
    char quote = 0;
    for (; i < text.len; i++) {
        char c = text.ptr[i];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[') {
            depth++;
        } else if (c == ')' || c == ']') {
            depth -= depth > 0;
        } else if (depth == 0 && (c == ',' || c == '}')) {
            break;
        }
    }
    return i;
}

static bool find_member(Str header, Str key, Str *value) {
    for (size_t i = 1; i + key.len < header.len; i++) {
        char quote = header.ptr[i - 1];
        Str here = str_slice(header, i, header.len);
        if ((quote != '\'' && quote != '"') || !str_starts(here, key) ||
            here.ptr[key.len] != quote)
            continue;
        here = str_trim(str_slice(here, key.len + 1, here.len));
        if (!str_starts(here, STR(":")))
            continue;
        here = str_slice(here, 1, here.len);
        *value = str_trim(str_slice(here, 0, value_length(here)));
        return value->len > 0;
    }
    return false;
}

// "(3, 4)", "(3,)" or "()". False: it is none, or has too many elements.
static bool count_elements(Str shape, uint64_t *count, size_t *dimensions) {
    *count = 1;
    *dimensions = 0;
    if (shape.len < 2 || shape.ptr[0] != '(' || !str_ends(shape, STR(")")))
        return false;
    Str rest = str_slice(shape, 1, shape.len - 1);
    while (rest.len) {
        uint64_t size;
        Str part = str_trim(str_cut(&rest, ','));
        if (part.len == 0 && str_trim(rest).len == 0)
            return true;
        if (!str_to_u64(part, &size) || size > RUN_MOST_BUFFER_BYTES ||
            (size && *count > RUN_MOST_BUFFER_BYTES / size))
            return false;
        *count *= size;
        (*dimensions)++;
    }
    return true;
}

// ---- types ---------------------------------------------------------------

typedef struct NpyType {
    const char *name; // behind the byte order
    ElementType element;
} NpyType;

static const NpyType TYPES[] = {
    {"i1", ELEMENT_I8},  {"u1", ELEMENT_U8},   {"i2", ELEMENT_I16},
    {"u2", ELEMENT_U16}, {"i4", ELEMENT_I32},  {"u4", ELEMENT_U32},
    {"i8", ELEMENT_I64}, {"u8", ELEMENT_U64},  {"f2", ELEMENT_F16},
    {"f4", ELEMENT_F32}, {"f8", ELEMENT_F64},  {"b1", ELEMENT_U8},
    {"c8", ELEMENT_F32}, {"c16", ELEMENT_F64},
};

// `type`: "'<f4'", or "[('x', '<f4'), ('y', '>i2')]".
static bool suits_machine(Arena *arena, Str type, Str *why) {
    for (size_t i = 0; i + 1 < type.len; i++) {
        bool opens = type.ptr[i] == '\'' || type.ptr[i] == '"';
        char order = type.ptr[i + 1];
        if (opens && order == '>')
            return complain(arena, why,
                            "its elements are big-endian: save it with "
                            "a.astype(a.dtype.newbyteorder('<'))");
        if (opens && order == '|' && i + 2 < type.len && type.ptr[i + 2] == 'O')
            return complain(arena, why,
                            "its elements are Python objects, which are no "
                            "bytes");
    }
    return true;
}

static ElementType element_of(Str type) {
    Str name = str_slice(type, 2, type.len - 1); // without quote and order
    for (size_t i = 0; i < COUNT_OF(TYPES); i++)
        if (str_equal(name, str_from(TYPES[i].name)))
            return TYPES[i].element;
    return ELEMENT_WORD;
}

// ---- a file --------------------------------------------------------------

bool npy_is_name(const char *path) {
    return str_ends(str_from(path), STR(".npy"));
}

bool npy_read(Arena *arena, Str file, NpyForm *form, Str *data, Str *why) {
    Str header, order;
    uint64_t count;
    size_t dimensions;
    if (!split(arena, file, &header, data, why))
        return false;
    if (!find_member(header, STR("descr"), &form->type) ||
        !find_member(header, STR("fortran_order"), &order) ||
        !find_member(header, STR("shape"), &form->shape) ||
        form->type.len < 4 || !count_elements(form->shape, &count, &dimensions))
        return complain(arena, why, "its header is not NumPy's");
    if (!suits_machine(arena, form->type, why))
        return false;
    if (str_equal(order, STR("True")) && dimensions > 1)
        return complain(arena, why,
                        "its elements are in Fortran's order: save it with "
                        "numpy.ascontiguousarray(a)");
    form->size = count ? data->len / count : 1;
    form->element = element_of(form->type);
    if (count * form->size != data->len || (count && form->size == 0))
        return complain(arena, why,
                        "it does not hold as many elements as its header says");
    bool plain = form->element != ELEMENT_WORD;
    bool complex = plain && form->type.ptr[2] == 'c';
    uint64_t size = element_size(form->element) * (complex ? 2u : 1u);
    return !plain || count == 0 || size == form->size ||
           complain(arena, why,
                    "it does not hold as many elements as its header says");
}

void npy_write(Buf *out, const NpyForm *form, Str data) {
    Buf header = {0};
    buf_printf(&header,
               "{'descr': %.*s, 'fortran_order': False, 'shape': %.*s, }",
               STR_ARG(form->type), STR_ARG(form->shape));
    bool is_long = header.len + LINE > UINT16_MAX;
    size_t digits = is_long ? 4 : 2, before = MAGIC_BYTES + 2 + digits;
    while ((before + header.len + 1) % LINE) // the data begins on a line
        buf_byte(&header, ' ');
    buf_byte(&header, '\n');
    buf_bytes(out, MAGIC, MAGIC_BYTES);
    buf_byte(out, is_long ? 2 : 1);
    buf_byte(out, 0);
    for (size_t i = 0; i < digits; i++)
        buf_byte(out, (char)(header.len >> 8 * i));
    buf_str(out, buf_view(&header));
    buf_str(out, data);
    buf_free(&header);
}

bool npy_form(Arena *arena, ElementType type, uint64_t bytes, NpyForm *form) {
    uint32_t size = element_size(type);
    const char *name = NULL;
    for (size_t i = COUNT_OF(TYPES); i-- > 0;)
        if (TYPES[i].element == type)
            name = TYPES[i].name;
    *form = (NpyForm){.size = size, .element = type};
    if (!name || bytes % size)
        return false;
    form->type = str_format(arena, "'%c%s'", size == 1 ? '|' : '<', name);
    form->shape =
        str_format(arena, "(%llu,)", (unsigned long long)(bytes / size));
    return true;
}
