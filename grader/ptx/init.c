// SPDX-License-Identifier: Apache-2.0
// Initialisers of variables (PTX ISA, section 5.4.4): numbers become bytes (the
// upper 64 bits of a .b128 are 0), addresses become relocations. Bytes are
// collected up to the last one written, then copied into an array of the
// variable's size.
#include "ptx/parse.h"

#include <string.h>

typedef struct Filler {
    PtxVar *var;
    const Dims *dims;
    uint64_t at;   // offset of the next element
    uint32_t size; // bytes of an element: a scalar, or one of a vector
    uint8_t *bytes;
    uint64_t used, capacity;
    size_t reloc_capacity;
} Filler;

static bool too_large(Parser *parser, Token at) {
    return parse_fail(parser, at, "Fill it at run time.",
                      "Initialisers of more than %d MiB.",
                      PARSE_MAX_INIT >> 20);
}

// ---- elements ------------------------------------------------------------

static bool put_bytes(Parser *parser, Token at, Filler *filler, uint64_t bits) {
    uint64_t end = filler->at + filler->size;
    uint64_t limit = PARSE_MAX_INIT - parser->init_bytes;
    if (end > limit)
        return too_large(parser, at);
    while (end > filler->capacity) {
        size_t capacity = (size_t)filler->capacity;
        filler->bytes = arena_regrow(&parser->scratch, filler->bytes,
                                     (size_t)filler->used, 1, &capacity);
        filler->capacity = capacity;
    }
    for (uint32_t i = 0; i < filler->size && i < 8; i++)
        filler->bytes[filler->at + i] = (uint8_t)(bits >> (8 * i));
    filler->used = end > filler->used ? end : filler->used;
    return true;
}

static uint64_t single_bits(double number) {
    float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static uint64_t double_bits(uint32_t bits) {
    float single;
    memcpy(&single, &bits, sizeof single);
    double number = (double)single;
    uint64_t wide;
    memcpy(&wide, &number, sizeof wide);
    return wide;
}

// The bits of a number as an element of `type`. As in ptxas, a decimal float is
// rounded to single precision for any type of 32 bits.
static uint64_t constant_bits(Constant value, PtxType type) {
    double number;
    memcpy(&number, &value.bits, sizeof number);
    if (value.kind == PTX_OPND_F64 && ptx_type_size(type) == 4)
        return single_bits(number);
    if (value.kind == PTX_OPND_F32 && type == PTX_F64)
        return double_bits((uint32_t)value.bits);
    return value.bits;
}

// Whether two relocations are consecutive bytes of one address: eight masked
// bytes in a row are the address itself.
static bool joins(const PtxReloc *last, const PtxReloc *next) {
    return next->size == 1 && last->shift == 0 && last->size < 8 &&
           next->shift == last->size * 8 &&
           next->offset == last->offset + last->size &&
           next->symbol.var == last->symbol.var &&
           next->symbol.func == last->symbol.func &&
           next->addend == last->addend && next->generic == last->generic;
}

static void put_reloc(Parser *parser, Filler *filler, PtxReloc reloc) {
    PtxVar *var = filler->var;
    if (var->reloc_count && joins(&var->relocs[var->reloc_count - 1], &reloc)) {
        var->relocs[var->reloc_count - 1].size++;
        return;
    }
    arena_grow(parser->arena, var->relocs, var->reloc_count,
               filler->reloc_capacity);
    var->relocs[var->reloc_count++] = reloc;
}

// address := 'generic' '(' symbol ')' offset | symbol offset
static bool parse_symbol_address(Parser *parser, PtxReloc *out) {
    uint64_t addend = 0;
    Token at;
    uint32_t reg;
    if (!parse_name(parser, "a number or the name of a variable", &at))
        return false;
    out->generic = str_equal(at.text, STR("generic")) && parse_at(parser, '(');
    if (out->generic) {
        parse_next(parser);
        if (!parse_name(parser, "the name of a variable", &at))
            return false;
    }
    const Name *name = scope_find(parser, at.text, &reg);
    if (!name || (name->kind != NAME_VAR && name->kind != NAME_FUNC))
        return parse_fail(parser, at, "",
                          "'%.*s' is not the name of a variable or function.",
                          STR_ARG(at.text));
    out->symbol.kind = name->kind == NAME_VAR ? PTX_SYM_VAR : PTX_SYM_FUNC;
    out->symbol.var = name->var;
    out->symbol.func = name->func;
    if (out->generic && !parse_expect(parser, ')', "generic"))
        return false;
    bool ok = parse_offset(parser, &addend);
    out->addend = (int64_t)addend;
    return ok;
}

// The shift of a mask 0xFF << (8 * k), or -1.
static int mask_shift(uint64_t mask) {
    for (int shift = 0; shift < 64; shift += 8)
        if (mask == (uint64_t)0xFF << shift)
            return shift;
    return -1;
}

// masked := integer '(' address ')'
static bool parse_masked(Parser *parser, Token at, Constant mask,
                         PtxReloc *out) {
    int shift = mask_shift(mask.bits);
    if (mask.kind != PTX_OPND_INT || shift < 0 || out->size != 1)
        return parse_fail(parser, at, "",
                          "A masked address is one byte: 0xFF00(name).");
    out->shift = (uint32_t)shift;
    return parse_expect(parser, '(', "the mask") &&
           parse_symbol_address(parser, out) &&
           parse_expect(parser, ')', "the address");
}

static bool is_integer(PtxType type) {
    return type >= PTX_U8 && type <= PTX_S64;
}

// An element of type .bN may be any number.
static bool check_kind(Parser *parser, Token at, PtxType type, bool is_int) {
    bool is_float = ptx_type_is_float(type);
    if (type == PTX_F16 || type == PTX_F16X2)
        return parse_fail(parser, at, "Declare it as .b16 or .b32.",
                          "A variable of .f16 or .f16x2 has no initialiser.");
    if (is_int && is_float)
        return parse_fail(parser, at, "Write 1.0 or 0f3F800000.",
                          "The value of a float is written as a float.");
    return is_int || !is_integer(type) ||
           parse_fail(parser, at, "Write an integer, or declare it as .bN.",
                      "The value of an integer is written as an integer.");
}

// element := constant | masked | address
static bool parse_element(Parser *parser, Filler *filler) {
    Token at = parser->token;
    PtxReloc reloc = {.offset = filler->at, .size = filler->size};
    Constant value = {.kind = PTX_OPND_INT};
    bool is_address = !parse_at_constant(parser);
    if (is_address ? !parse_symbol_address(parser, &reloc)
                   : !parse_constant(parser, &value))
        return false;
    if (!is_address && parse_at(parser, '(')) {
        if (!parse_masked(parser, at, value, &reloc))
            return false;
        is_address = true;
    }
    if (filler->var->size && filler->at + filler->size > filler->var->size)
        return parse_fail(parser, at, "", "More values than the array holds.");
    if (!is_address &&
        !check_kind(parser, at, filler->var->type, value.kind == PTX_OPND_INT))
        return false;
    if (is_address && filler->size > 8)
        return parse_fail(parser, at, "Declare it as an array of .b64.",
                          "An address is no value of 128 bits.");
    if (is_address)
        put_reloc(parser, filler, reloc);
    uint64_t bits = is_address ? 0 : constant_bits(value, filler->var->type);
    if (!put_bytes(parser, at, filler, bits))
        return false;
    filler->at += filler->size;
    return true;
}

// ---- nested braces -------------------------------------------------------

// Bytes of one element of dimension `level`, which an inner "{...}" fills.
static uint64_t row_size(const Filler *filler, size_t level) {
    uint64_t size = filler->size;
    for (size_t i = level + 1; i < filler->dims->count; i++)
        size *= filler->dims->counts[i];
    return size;
}

static bool parse_row(Parser *parser, Filler *filler, size_t level);

// values := '{' [value {',' value}] '}', value := element | values
static bool parse_values(Parser *parser, Filler *filler, size_t level) {
    if (!parse_expect(parser, '{', "'='"))
        return false;
    while (!parse_at(parser, '}')) {
        bool ok = parse_at(parser, '{') ? parse_row(parser, filler, level)
                                        : parse_element(parser, filler);
        if (!ok)
            return false;
        if (!parse_accept(parser, ','))
            break;
    }
    return parse_expect(parser, '}', "the values");
}

static bool parse_row(Parser *parser, Filler *filler, size_t level) {
    Token at = parser->token;
    uint64_t start = filler->at, size = row_size(filler, level);
    if (level + 1 >= filler->dims->count)
        return parse_fail(parser, at, "",
                          "More braces than the array has dimensions.");
    if (!parse_values(parser, filler, level + 1))
        return false;
    if (filler->at - start > size)
        return parse_fail(parser, at, "", "More values than the row holds.");
    filler->at = start + size;
    return true;
}

// ---- the whole -----------------------------------------------------------

static bool is_zero(const Filler *filler) {
    for (uint64_t i = 0; i < filler->used; i++)
        if (filler->bytes[i])
            return false;
    return true;
}

static bool finish(Parser *parser, Token at, Filler *filler) {
    PtxVar *var = filler->var;
    uint64_t row = row_size(filler, 0);
    if (var->size == 0 && row)
        var->size = round_up(filler->at, row);
    if (is_zero(filler) && var->reloc_count == 0)
        return true;
    if (var->size > PARSE_MAX_INIT - parser->init_bytes)
        return too_large(parser, at);
    parser->init_bytes += var->size;
    var->init = arena_new(parser->arena, uint8_t, (size_t)var->size);
    memcpy(var->init, filler->bytes, (size_t)filler->used);
    return true;
}

// initialiser := values | element
bool parse_initialiser(Parser *parser, PtxVar *var, const Dims *dims) {
    Token at = parser->token;
    Dims all = *dims;
    if (var->vector > 1)
        all.counts[all.count++] = var->vector;
    Filler filler = {.var = var, .dims = &all};
    filler.size = ptx_type_size(var->type);
    if (var->space != PTX_SPACE_GLOBAL && var->space != PTX_SPACE_CONST)
        return parse_fail(parser, at, "Store to it at run time.",
                          "Only .global and .const variables have "
                          "initialisers.");
    bool ok = all.count ? parse_values(parser, &filler, 0)
                        : parse_element(parser, &filler);
    return ok && finish(parser, at, &filler);
}
