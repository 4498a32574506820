// SPDX-License-Identifier: Apache-2.0
// One SPEC of `clclab run --arg`: from its text to what the argument is. Files
// that it names are not read here, nor is it matched with a parameter.
//
//   SPEC   := TYPE ":" V | BUFFER | "bytes:" HEX | "fn:" NAME
//           | "struct:{" ITEMS "}" | "[" ITEMS "]"
//   ITEMS  := ITEM { "," ITEM }         ITEM := SPEC | V of the type before
//   BUFFER := "buf:" [ BYTES ":" ] [ OUTPUT ":" ] FILL, or without the FILL
//   OUTPUT := "same" | "any" | "close=" X
//   FILL   := "zero" [ ":" TYPE ] | "poison" [ ":" TYPE ] | "iota32"
//           | "iota:" TYPE | "random:" SEED [ ":" TYPE ] | "file=" PATH
//           | "[" ITEMS "]" | "struct:{" ITEMS "}"
//
// Every function that reads returns NULL, or else what is taken there.
#include "cli/run/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16, POINTER = 8 };

typedef struct Reader {
    Arena *arena;
    RunArguments *all; // buffers within the SPEC are added to it
    const char *folder;
    Str rest;         // what has not been read
    uint32_t depth;   // of the brackets round it
    ElementType last; // of the number before in this list; ELEMENT_WORD: none
    Str name;         // "0.2": where in the arguments it is
} Reader;

// Bytes that are laid out, with the addresses in them.
typedef struct Item {
    const uint8_t *bytes;
    uint64_t size, align;
    LaunchPart *parts;
    size_t part_count;
} Item;

static const char *read_item(Reader *r, Item *item);

// ---- the text ------------------------------------------------------------

// A word ends at a colon and, within brackets, where its item does.
static Str peek_word(const Reader *r, const char *stops) {
    size_t length = 0;
    while (length < r->rest.len && !strchr(stops, r->rest.ptr[length]))
        length++;
    return str_slice(r->rest, 0, length);
}

static void skip(Reader *r, size_t count) {
    r->rest = str_slice(r->rest, count, r->rest.len);
}

static Str take_word(Reader *r) {
    Str word = peek_word(r, r->depth ? ":,]}" : ":");
    skip(r, word.len);
    return word;
}

// The rest of an item that is no list.
static Str take_rest(Reader *r) {
    Str word = r->depth ? peek_word(r, ",]}") : r->rest;
    skip(r, word.len);
    return r->depth ? str_trim(word) : word;
}

static bool take(Reader *r, Str text) {
    if (!str_starts(r->rest, text))
        return false;
    skip(r, text.len);
    return true;
}

static void skip_blanks(Reader *r) {
    while (take(r, STR(" ")) || take(r, STR("\n")) || take(r, STR("\t")))
        continue;
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

static bool parse_half(ElementType type, const char *text, uint64_t *out) {
    char *end;
    double value = strtod(text, &end);
    *out = element_from_double(type, value);
    return looks_like_float(text) && !*end &&
           !is_overflow(text, element_to_double(type, *out));
}

static bool parse_value(ElementType type, const char *text, uint64_t *out) {
    uint64_t most = UINT64_MAX >> (64 - 8 * element_size(type));
    if (type == ELEMENT_F32)
        return parse_f32(text, out);
    if (type == ELEMENT_F64)
        return parse_f64(text, out);
    if (element_is_float(type))
        return parse_half(type, text, out);
    if (element_is_signed(type))
        return parse_signed(str_from(text), most >> 1, out);
    return str_to_u64(str_from(text), out) && *out <= most;
}

static const char *number_wanted(ElementType type) {
    switch (type) {
    case ELEMENT_I8:
        return "a whole number from -128 to 127";
    case ELEMENT_U8:
        return "a whole number from 0 to 255";
    case ELEMENT_I16:
        return "a whole number from -32768 to 32767";
    case ELEMENT_U16:
        return "a whole number from 0 to 65535";
    case ELEMENT_I32:
        return "a whole number from -2147483648 to 2147483647";
    case ELEMENT_U32:
        return "a whole number from 0 to 4294967295";
    case ELEMENT_I64:
        return "a whole number of 64 bits, such as -1";
    case ELEMENT_U64:
        return "a whole number from 0 to 2^64 - 1";
    case ELEMENT_F16:
    case ELEMENT_BF16:
        return "a float of 16 bits, such as 0.5, 1e-3 or inf";
    case ELEMENT_F32:
        return "a float, such as 0.5, 1e-3, inf, or bits as in PTX: "
               "0f3f800000";
    case ELEMENT_F64:
        return "a double, such as 0.5, 1e-3, inf, or bits as in PTX: "
               "0d3ff0000000000000";
    case ELEMENT_WORD:
    case ELEMENT_COUNT:
        break;
    }
    return "a number";
}

static const char *read_number(Reader *r, ElementType type, uint64_t *bits) {
    const char *text = str_cstring(r->arena, take_rest(r));
    r->last = type;
    return parse_value(type, text, bits) ? NULL : number_wanted(type);
}

static Item number_item(Arena *arena, ElementType type, uint64_t bits) {
    uint64_t size = element_size(type);
    uint8_t *bytes = arena_new(arena, uint8_t, size);
    element_put(bytes, size, bits);
    return (Item){.bytes = bytes, .size = size, .align = size};
}

// ---- bytes and functions -------------------------------------------------

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    if (c >= 'A' && c <= 'F')
        c = (char)(c - 'A' + 'a');
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static const char *read_hex(Reader *r, Item *item) {
    Str text = take_rest(r);
    uint8_t *bytes = arena_new(r->arena, uint8_t, text.len / 2 + 1);
    bool right = text.len > 0 && text.len % 2 == 0;
    for (size_t i = 0; i < text.len && right; i++) {
        int digit = hex_digit(text.ptr[i]);
        right = digit >= 0;
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    *item = (Item){.bytes = bytes, .size = text.len / 2, .align = 1};
    return right ? NULL
                 : "two hexadecimal digits a byte, the lowest address first";
}

static Item address_item(Arena *arena, LaunchPart part) {
    LaunchPart *parts = arena_new(arena, LaunchPart, 1);
    *parts = part;
    return (Item){.bytes = arena_new(arena, uint8_t, POINTER),
                  .size = POINTER,
                  .align = POINTER,
                  .parts = parts,
                  .part_count = 1};
}

static const char *read_function(Reader *r, Item *item) {
    Str name = str_copy(r->arena, take_rest(r));
    *item = address_item(r->arena, (LaunchPart){.function = name});
    return name.len ? NULL
                    : "the name of a __device__ function, or of a variable "
                      "that holds a function's address";
}

// ---- lists ---------------------------------------------------------------

typedef struct List {
    Buf bytes;
    uint64_t align;
    LaunchPart *parts;
    size_t count, capacity; // of parts
} List;

static void pad(List *list, uint64_t align) {
    while (list->bytes.len % align)
        buf_byte(&list->bytes, 0);
}

static void append(Arena *arena, List *list, const Item *item) {
    pad(list, item->align);
    for (size_t i = 0; i < item->part_count; i++) {
        arena_grow(arena, list->parts, list->count, list->capacity);
        list->parts[list->count] = item->parts[i];
        list->parts[list->count++].at += list->bytes.len;
    }
    buf_bytes(&list->bytes, item->bytes, item->size);
    if (item->align > list->align)
        list->align = item->align;
}

// Behind the opening bracket: each member at the next multiple of its
// alignment, the whole a multiple of the greatest of them.
static const char *read_members(Reader *r, char end, List *list) {
    Str name = r->name;
    const char *wants = NULL;
    char stop[2] = {end, 0};
    for (size_t i = 0; !wants; i++) {
        Item item;
        r->name = str_format(r->arena, "%.*s.%zu", STR_ARG(name), i);
        wants = read_item(r, &item);
        if (wants)
            break;
        append(r->arena, list, &item);
        skip_blanks(r);
        if (take(r, str_from(stop)))
            break;
        if (list->bytes.len > RUN_MOST_BUFFER_BYTES)
            wants = "at most 2 GiB";
        else if (!take(r, STR(",")))
            wants = end == ']' ? "items with commas between them, and a ] "
                                 "behind the last one"
                               : "items with commas between them, and a } "
                                 "behind the last one";
    }
    r->name = name;
    pad(list, list->align);
    return wants;
}

static const char *read_list(Reader *r, char end, Item *item) {
    List list = {.align = 1};
    ElementType before = r->last;
    if (r->depth == MOST_DEPTH)
        return "at most 16 brackets within each other";
    r->depth++;
    r->last = ELEMENT_WORD;
    const char *wants = read_members(r, end, &list);
    r->depth--;
    r->last = before;
    Str bytes = str_copy(r->arena, buf_view(&list.bytes));
    *item = (Item){.bytes = (const uint8_t *)bytes.ptr,
                   .size = bytes.len,
                   .align = list.align,
                   .parts = list.parts,
                   .part_count = list.count};
    buf_free(&list.bytes);
    return wants;
}

// "[" ITEMS "]" or "struct:{" ITEMS "}"; *is_list: whether there is one.
static const char *read_any_list(Reader *r, Item *item, bool *is_list) {
    *is_list = true;
    if (take(r, STR("[")))
        return read_list(r, ']', item);
    if (take(r, STR("struct:{")))
        return read_list(r, '}', item);
    *is_list = false;
    return NULL;
}

// ---- buffers -------------------------------------------------------------

#define FILLS                                                              \
    "zero, poison, random:SEED, iota32, iota:TYPE, file=PATH or [ITEMS] "  \
    "behind the size, and before these same, any or close=X; a type (i8, " \
    "u16, f16, bf16, f64, ...) may follow zero, poison and random:SEED"

// ":TYPE", if there is a colon.
static const char *read_type(Reader *r, ElementType *type) {
    *type = ELEMENT_WORD;
    if (!take(r, STR(":")))
        return NULL;
    *type = element_find(take_word(r));
    return *type == ELEMENT_WORD ? "a type behind the last colon, such as "
                                   "f16, f32 or i64"
                                 : NULL;
}

static Str read_path(Reader *r) {
    if (!take(r, STR("\"")))
        return take_rest(r);
    size_t length = str_find(r->rest, '"');
    Str path = str_slice(r->rest, 0, length);
    skip(r, length + 1);
    return path;
}

static const char *read_file_name(Reader *r, RunArgument *argument) {
    Str path = read_path(r);
    bool in_folder = r->folder && !str_starts(path, STR("/"));
    if (path.len == 0)
        return FILLS;
    argument->launch.fill = FILL_BYTES;
    argument->file =
        str_cstring(r->arena, in_folder ? str_format(r->arena, "%s/%.*s",
                                                     r->folder, STR_ARG(path))
                                        : path);
    return NULL;
}

static const char *read_contents(Reader *r, RunArgument *argument,
                                 bool *is_list) {
    LaunchArgument *launch = &argument->launch;
    Item item;
    const char *wants = read_any_list(r, &item, is_list);
    if (wants || !*is_list)
        return wants;
    if (!argument->is_sized)
        launch->size = item.size;
    if (launch->size < item.size)
        return "a size that its items do not exceed, or none";
    uint8_t *bytes = arena_new(r->arena, uint8_t, (size_t)launch->size + 1);
    memcpy(bytes, item.bytes, item.size);
    argument->is_sized = true;
    launch->fill = FILL_BYTES;
    launch->bytes = bytes;
    launch->parts = item.parts;
    launch->part_count = item.part_count;
    return NULL;
}

static const char *read_fill(Reader *r, RunArgument *argument) {
    LaunchArgument *launch = &argument->launch;
    bool is_list;
    const char *wants = read_contents(r, argument, &is_list);
    if (wants || is_list)
        return wants;
    if (take(r, STR("file=")))
        return read_file_name(r, argument);
    Str word = take_word(r);
    if (str_equal(word, STR("iota32"))) {
        launch->fill = FILL_IOTA;
        return NULL;
    }
    if (str_equal(word, STR("zero"))) {
        launch->fill = FILL_ZERO;
    } else if (str_equal(word, STR("poison"))) {
        launch->fill = FILL_POISON;
    } else if (str_equal(word, STR("iota"))) {
        launch->fill = FILL_IOTA;
        if (!str_starts(r->rest, STR(":")))
            return "a type behind iota, such as iota:f32; iota32 are 32-bit "
                   "words";
    } else if (str_equal(word, STR("random"))) {
        launch->fill = FILL_RANDOM;
        if (!take(r, STR(":")) || !str_to_u64(take_word(r), &launch->seed))
            return "a seed that is a whole number, such as random:1";
    } else {
        return FILLS;
    }
    return read_type(r, &launch->element);
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

static bool is_end(const Reader *r) {
    return r->rest.len == 0 || (r->depth && strchr(",]}", r->rest.ptr[0]));
}

bool run_compares_floats(const LaunchArgument *launch) {
    return launch->output != OUTPUT_CLOSE || element_is_float(launch->element);
}

// Behind "buf:".
static const char *read_buffer(Reader *r, RunArgument *argument) {
    LaunchArgument *launch = &argument->launch;
    const char *wants = NULL;
    Reader ahead = *r;
    launch->is_buffer = true;
    launch->name = r->name;
    argument->is_sized = str_to_u64(str_trim(take_word(&ahead)), &launch->size);
    if (argument->is_sized && launch->size > RUN_MOST_BUFFER_BYTES)
        return "at most 2 GiB: 2147483648 bytes";
    if (argument->is_sized) {
        *r = ahead;
        if (is_end(r))
            return NULL;
        take(r, STR(":"));
    }
    ahead = *r;
    if (parse_output(r->arena, launch, take_word(&ahead), &wants)) {
        *r = ahead;
        if (wants || (argument->is_sized && is_end(r)))
            return wants;
        take(r, STR(":"));
    }
    wants = read_fill(r, argument);
    if (wants)
        return wants;
    if (!run_compares_floats(launch))
        return "close=X for floats alone: f16, bf16, f32 or f64";
    return argument->is_sized || argument->file
               ? NULL
               : "a size in bytes, such as buf:4096";
}

static const char *read_inner_buffer(Reader *r, Item *item) {
    RunArguments *all = r->all;
    RunArgument argument = {.kind = SPEC_BUFFER};
    const char *wants = read_buffer(r, &argument);
    arena_grow(r->arena, all->inner, all->inner_count, all->inner_capacity);
    all->inner[all->inner_count] = argument;
    *item =
        address_item(r->arena, (LaunchPart){.argument = all->inner_count++});
    return wants;
}

// ---- one SPEC ------------------------------------------------------------

#define SPECS                                                            \
    "i32:V, u32:V, i64:V, u64:V, f32:V, f64:V (or another type), "       \
    "buf:BYTES[:same|:any|:close=X][:zero|:poison|:random:SEED|:iota32|" \
    ":iota:TYPE|:file=PATH|:[ITEMS]], bytes:HEX, fn:NAME, "              \
    "struct:{ITEMS} or [ITEMS]"

#define NO_TENSOR_MAPS                                                       \
    "no tensor map: clclab run cannot make a CUtensorMap yet, nor does the " \
    "virtual machine have the instructions that take one"

static const char *read_value(Reader *r, Str kind, Item *item) {
    if (str_equal(kind, STR("buf")))
        return read_inner_buffer(r, item);
    if (str_equal(kind, STR("bytes")))
        return read_hex(r, item);
    if (str_equal(kind, STR("fn")))
        return read_function(r, item);
    if (str_equal(kind, STR("tensormap")))
        return NO_TENSOR_MAPS;
    ElementType type = element_find(kind);
    uint64_t bits;
    if (type == ELEMENT_WORD)
        return SPECS;
    const char *wants = read_number(r, type, &bits);
    *item = number_item(r->arena, type, bits);
    return wants;
}

// An item of a list.
static const char *read_item(Reader *r, Item *item) {
    bool is_list;
    uint64_t bits;
    skip_blanks(r);
    const char *wants = read_any_list(r, item, &is_list);
    if (wants || is_list)
        return wants;
    Reader ahead = *r;
    Str kind = take_word(&ahead);
    if (take(&ahead, STR(":"))) {
        *r = ahead;
        return read_value(r, kind, item);
    }
    if (r->last == ELEMENT_WORD)
        return "a type for the first number of a list, such as [f32:1,2,3]";
    wants = read_number(r, r->last, &bits);
    *item = number_item(r->arena, r->last, bits);
    return wants;
}

static RunArgument value_argument(const Item *item, SpecType kind) {
    return (RunArgument){.kind = kind,
                         .launch = {.bytes = item->bytes,
                                    .size = item->size,
                                    .parts = item->parts,
                                    .part_count = item->part_count}};
}

// A SPEC that stands alone: no list is round it.
static const char *read_spec(Reader *r, RunArgument *argument) {
    Item item = {0};
    bool is_list;
    const char *wants = read_any_list(r, &item, &is_list);
    if (is_list) {
        *argument = value_argument(&item, SPEC_STRUCT);
        return wants;
    }
    Str kind = take_word(r);
    if (!take(r, STR(":")))
        return SPECS;
    if (str_equal(kind, STR("buf"))) {
        argument->kind = SPEC_BUFFER;
        return read_buffer(r, argument);
    }
    ElementType type = element_find(kind);
    if (type != ELEMENT_WORD) {
        argument->kind = SPEC_NUMBER;
        argument->element = type;
        argument->launch.size = element_size(type);
        return read_number(r, type, &argument->bits);
    }
    wants = read_value(r, kind, &item);
    *argument = value_argument(&item, str_equal(kind, STR("fn")) ? SPEC_FUNCTION
                                                                 : SPEC_BYTES);
    return wants;
}

const char *run_parse_spec(Arena *arena, const char *spec, const char *folder,
                           RunArguments *all) {
    RunArgument argument = {0};
    Reader r = {.arena = arena,
                .all = all,
                .folder = folder,
                .rest = str_from(spec),
                .name = str_format(arena, "%zu", all->given)};
    const char *wants = read_spec(&r, &argument);
    argument.spec = spec;
    argument.launch.name = r.name;
    if (!wants && str_trim(r.rest).len > 0)
        wants = argument.kind == SPEC_BUFFER
                    ? FILLS
                    : "nothing behind its last bracket";
    arena_grow(arena, all->items, all->given, all->capacity);
    all->items[all->given++] = argument;
    return wants;
}

void run_join_arguments(Arena *arena, RunArguments *all) {
    all->count = all->given;
    for (size_t i = 0; i < all->inner_count; i++) {
        arena_grow(arena, all->items, all->count, all->capacity);
        all->items[all->count++] = all->inner[i];
    }
    for (size_t i = 0; i < all->count; i++) {
        LaunchArgument *launch = &all->items[i].launch;
        for (size_t k = 0; k < launch->part_count; k++)
            launch->parts[k].argument += all->given;
    }
}
