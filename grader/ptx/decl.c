// SPDX-License-Identifier: Apache-2.0
// Declarations of registers, variables and formal parameters (PTX ISA, sections
// 5.1 to 5.4 and 7.1). A declaration is: space, attributes, type, declarators.
#include "ptx/parse.h"

#include <string.h>

// ---- what stands before the names ----------------------------------------

typedef struct Attributes {
    PtxSpace space;
    PtxType type;
    uint32_t vector, align; // align 0: natural
    bool is_ptr, is_managed;
    PtxSpace ptr_space;
    uint32_t ptr_align;
} Attributes;

PtxSpace decl_space(Str suffix) {
    static const struct {
        const char *name;
        PtxSpace space;
    } rows[] = {
        {"reg", PTX_SPACE_REG},       {"param", PTX_SPACE_PARAM},
        {"global", PTX_SPACE_GLOBAL}, {"const", PTX_SPACE_CONST},
        {"shared", PTX_SPACE_SHARED}, {"local", PTX_SPACE_LOCAL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_equal(suffix, str_from(rows[i].name)))
            return rows[i].space;
    return PTX_SPACE_GENERIC;
}

// align := '.align' power-of-2
static bool parse_align(Parser *parser, uint32_t *out) {
    Token at = parser->token;
    uint64_t align;
    if (!parse_u64(parser, PARSE_MAX_ALIGN, "An alignment", &align))
        return false;
    *out = (uint32_t)align;
    return (align && (align & (align - 1)) == 0) ||
           parse_fail(parser, at, "", "An alignment is a power of 2.");
}

// attribute := '.attribute' '(' {anything} ')'
static bool parse_attribute(Parser *parser, Attributes *out) {
    if (!parse_expect(parser, '(', ".attribute"))
        return false;
    for (size_t depth = 1; parser->token.kind != TOK_END;) {
        depth += parse_at(parser, '(');
        depth -= parse_at(parser, ')');
        if (depth == 0)
            break;
        out->is_managed |= parse_at_suffix(parser, "managed");
        parse_next(parser);
    }
    return parse_expect(parser, ')', "the attributes");
}

// ptr := '.ptr' ['.' space] ['.align' power-of-2]
static bool parse_ptr(Parser *parser, Attributes *out) {
    out->is_ptr = true;
    if (parser->token.kind == TOK_SUFFIX) {
        out->ptr_space = decl_space(parser->token.text);
        if (out->ptr_space != PTX_SPACE_GENERIC)
            parse_next(parser);
    }
    return !parse_accept_suffix(parser, "align") ||
           parse_align(parser, &out->ptr_align);
}

// Types of packed or narrow operands, whose registers are declared as .bN.
static bool is_for_instructions_only(PtxType type) {
    return type == PTX_BF16 || type == PTX_BF16X2 || type == PTX_F32X2 ||
           type == PTX_TF32 || type == PTX_U16X2 || type == PTX_S16X2;
}

static bool parse_type(Parser *parser, Attributes *out) {
    PtxMod mod = words_find_mod(&parser->words, parser->token.text);
    out->type = words_mod_type(mod);
    if (mod == PTX_MOD_V2)
        out->vector = 2;
    else if (mod == PTX_MOD_V4)
        out->vector = 4;
    else if (out->type == PTX_NONE)
        return parse_fail(parser, parser->token, "",
                          "'.%.*s' is not a type or an attribute.",
                          STR_ARG(parser->token.text));
    if (is_for_instructions_only(out->type))
        return parse_fail(parser, parser->token, "Declare it as .bN.",
                          "Instructions have the type '.%.*s', variables and "
                          "registers do not.",
                          STR_ARG(parser->token.text));
    parse_next(parser);
    return true;
}

// attributes := '.' space {'.align' n | attribute | ptr | vector | type}
static bool parse_attributes(Parser *parser, Attributes *out) {
    *out = (Attributes){.vector = 1};
    out->space = decl_space(parser->token.text);
    parse_next(parser);
    if (out->space == PTX_SPACE_CONST && parse_at(parser, '['))
        return parse_fail(parser, parser->token, "Write .const alone.",
                          "Constant banks (.const[2]) ended with PTX 2.2.");
    while (parser->token.kind == TOK_SUFFIX) {
        bool ok = parse_accept_suffix(parser, "align")
                      ? parse_align(parser, &out->align)
                  : parse_accept_suffix(parser, "attribute")
                      ? parse_attribute(parser, out)
                  : parse_accept_suffix(parser, "ptr")
                      ? parse_ptr(parser, out)
                      : parse_type(parser, out);
        if (!ok)
            return false;
    }
    return out->type != PTX_NONE || parse_fail(parser, parser->token, "",
                                               "A declaration without a type.");
}

// ---- registers -----------------------------------------------------------

// range := '<' integer '>'
static bool parse_range(Parser *parser, Token name, PtxReg reg) {
    uint64_t count;
    parse_next(parser);
    if (!parse_range_size(parser, &count) ||
        !parse_expect(parser, '>', "the size of a register range"))
        return false;
    reg.range = (uint32_t)count;
    return scope_add_range(parser, name, reg);
}

// registers := '.reg' attributes name [range] {',' name [range]} ';'
bool parse_registers(Parser *parser) {
    Attributes attributes;
    if (!parse_attributes(parser, &attributes))
        return false;
    PtxReg reg = {.type = attributes.type, .vector = attributes.vector};
    do {
        Token name;
        uint32_t ignored;
        if (!parse_name(parser, "the name of a register", &name))
            return false;
        reg.name = name.text;
        bool ok = parse_at(parser, '<')
                      ? parse_range(parser, name, reg)
                      : scope_add_reg(parser, name, reg, &ignored);
        if (!ok)
            return false;
    } while (parse_accept(parser, ','));
    return parse_expect(parser, ';', "a declaration");
}

// ---- variables -----------------------------------------------------------

// dims := {'[' [integer] ']'}
static bool parse_dims(Parser *parser, Dims *out) {
    *out = (Dims){0};
    while (parse_at(parser, '[')) {
        Token at = parser->token;
        uint64_t count = 0;
        parse_next(parser);
        bool is_open = parse_at(parser, ']');
        if (!is_open &&
            !parse_u64(parser, PARSE_MAX_SIZE, "The size of an array", &count))
            return false;
        if (out->count == DIMS_MAX || (is_open && out->count > 0))
            return parse_fail(parser, at, "",
                              "Only the first of at most %d dimensions may be "
                              "left open.",
                              DIMS_MAX);
        out->counts[out->count++] = count;
        if (!parse_expect(parser, ']', "the size of an array"))
            return false;
    }
    return true;
}

// Sets the size in bytes; 0 if the first dimension is "[]".
static bool set_size(Parser *parser, Token at, PtxVar *var, const Dims *dims) {
    uint64_t size = (uint64_t)ptx_type_size(var->type) * var->vector;
    for (size_t i = 0; i < dims->count; i++) {
        uint64_t count = dims->counts[i];
        if (count && size > PARSE_MAX_SIZE / count)
            return parse_fail(parser, at, "", "The variable is too large.");
        size *= count;
    }
    var->size = size;
    return true;
}

static PtxVar *new_var(Parser *parser, const Attributes *attributes,
                       Token name) {
    PtxVar *var = arena_new(parser->arena, PtxVar, 1);
    uint32_t natural = ptx_type_size(attributes->type) * attributes->vector;
    var->name = name.text;
    var->line = name.line;
    var->space = attributes->space;
    var->type = attributes->type;
    var->vector = attributes->vector;
    var->align = attributes->align ? attributes->align : natural;
    var->is_ptr = attributes->is_ptr;
    var->ptr_space = attributes->ptr_space;
    var->ptr_align = attributes->ptr_align;
    var->is_managed = attributes->is_managed;
    var->func = parser->func;
    return var;
}

static void add_to_module(Parser *parser, PtxVar *var) {
    PtxModule *module = parser->module;
    arena_grow(parser->arena, module->vars, module->var_count,
               module->var_capacity);
    var->id = (uint32_t)module->var_count;
    module->vars[module->var_count++] = var;
}

static void add_to_func(Parser *parser, PtxVar *var) {
    PtxFunc *func = parser->func;
    arena_grow(parser->arena, func->vars, func->var_count, func->var_capacity);
    var->id = (uint32_t)func->var_count;
    func->vars[func->var_count++] = var;
}

// A variable may be declared .extern first and defined later.
static bool is_redeclared(Parser *parser, const PtxVar *var) {
    uint32_t reg;
    const Name *name = scope_find(parser, var->name, &reg);
    return name && name->kind == NAME_VAR && !parser->func &&
           name->var->is_extern && var->is_extern &&
           name->var->size == var->size && name->var->type == var->type;
}

// declarator := name dims ['=' initialiser]
static bool parse_declarator(Parser *parser, const Attributes *attributes,
                             VarFlags flags) {
    Token name;
    Dims dims;
    if (!parse_name(parser, "the name of a variable", &name))
        return false;
    PtxVar *var = new_var(parser, attributes, name);
    var->is_extern = flags.is_extern;
    var->is_visible = flags.is_visible;
    var->is_weak = flags.is_weak;
    var->is_common = flags.is_common;
    if (!parse_dims(parser, &dims) || !set_size(parser, name, var, &dims))
        return false;
    var->is_array = dims.count > 0;
    if (is_redeclared(parser, var))
        return true;
    if (!scope_add_var(parser, name, var))
        return false;
    if (parser->func)
        add_to_func(parser, var);
    else
        add_to_module(parser, var);
    if (parse_accept(parser, '=') && !parse_initialiser(parser, var, &dims))
        return false;
    return var->size != 0 || var->is_extern || var->space == PTX_SPACE_PARAM ||
           parse_fail(parser, name, "", "A variable without a size.");
}

// variables := attributes declarator {',' declarator} ';'
bool parse_variables(Parser *parser, VarFlags flags) {
    Attributes attributes;
    Token at = parser->token;
    if (!parse_attributes(parser, &attributes))
        return false;
    if (attributes.space == PTX_SPACE_REG || attributes.type == PTX_PRED)
        return parse_fail(parser, at, "Declare it in a function, with .reg.",
                          "Not a variable: a register.");
    do
        if (!parse_declarator(parser, &attributes, flags))
            return false;
    while (parse_accept(parser, ','));
    return parse_expect(parser, ';', "a declaration");
}

// ---- formal parameters ---------------------------------------------------

// formal := attributes [name | '_'] dims
static bool parse_formal(Parser *parser, bool are_named, Formals *out) {
    Attributes attributes;
    Dims dims;
    Token name = parser->token;
    if (!parse_at_suffix(parser, "param") && !parse_at_suffix(parser, "reg"))
        return parse_fail(parser, name, "", "Expected .param.");
    if (!parse_attributes(parser, &attributes))
        return false;
    name = (Token){.line = parser->token.line, .col = parser->token.col};
    bool is_unnamed = !are_named && parser->token.kind != TOK_WORD;
    if (!is_unnamed && !parse_name(parser, "the name of a parameter", &name))
        return false;
    if (!are_named)
        name.text = (Str){0};
    PtxVar *var = new_var(parser, &attributes, name);
    if (!parse_dims(parser, &dims) || !set_size(parser, name, var, &dims))
        return false;
    var->is_array = dims.count > 0;
    var->is_formal = true;
    arena_grow(parser->arena, out->items, out->count, out->capacity);
    var->id = (uint32_t)out->count;
    out->items[out->count++] = var;
    return true;
}

// formals := '(' [formal {',' formal}] ')'
bool parse_formals(Parser *parser, bool are_named, Formals *out) {
    if (!parse_expect(parser, '(', "the name of the function"))
        return false;
    if (!parse_at(parser, ')'))
        do
            if (!parse_formal(parser, are_named, out))
                return false;
        while (parse_accept(parser, ','));
    return parse_expect(parser, ')', "the parameters");
}
