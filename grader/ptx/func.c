// SPDX-License-Identifier: Apache-2.0
// Functions (PTX ISA, sections 7.1, 11.2 to 11.4): header, performance
// directives, body. One loop without recursion, parse_body near the end, reads
// the body. A block in it is only a scope of names.
#include "ptx/parse.h"

// ---- directives between header and body ----------------------------------

// dim3 := integer [',' integer [',' integer]]
static bool parse_dim3(Parser *parser, PtxDim3 *out) {
    uint64_t dims[3] = {1, 1, 1};
    size_t count = 0;
    do {
        if (count == 3)
            return parse_fail(parser, parser->token, "",
                              "More than three dimensions.");
        if (!parse_u64(parser, UINT32_MAX, "A dimension", &dims[count++]))
            return false;
    } while (parse_accept(parser, ','));
    *out = (PtxDim3){(uint32_t)dims[0], (uint32_t)dims[1], (uint32_t)dims[2]};
    return true;
}

static bool parse_count(Parser *parser, uint32_t *out) {
    uint64_t value;
    if (!parse_u64(parser, UINT32_MAX, "The directive's value", &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

// directive := '.maxntid' dim3 | '.maxnreg' integer | ... ; *found says whether
// there was one. Directives that change no result are read and dropped.
static bool parse_directive(Parser *parser, PtxFunc *func, bool *found) {
    uint32_t ignored = 0;
    *found = true;
    if (parse_accept_suffix(parser, "maxntid"))
        return parse_dim3(parser, &func->max_threads);
    if (parse_accept_suffix(parser, "reqntid"))
        return parse_dim3(parser, &func->req_threads);
    if (parse_accept_suffix(parser, "reqnctapercluster"))
        return parse_dim3(parser, &func->req_cluster);
    if (parse_accept_suffix(parser, "maxclusterrank"))
        return parse_count(parser, &func->max_cluster);
    if (parse_accept_suffix(parser, "maxnreg"))
        return parse_count(parser, &func->max_regs);
    if (parse_accept_suffix(parser, "minnctapersm"))
        return parse_count(parser, &func->min_ctas);
    if (parse_accept_suffix(parser, "maxnctapersm"))
        return parse_count(parser, &ignored);
    if (parse_accept_suffix(parser, "abi_preserve") ||
        parse_accept_suffix(parser, "abi_preserve_control"))
        return parse_count(parser, &ignored);
    if (parse_accept_suffix(parser, "explicitcluster"))
        return func->explicit_cluster = true;
    if (parse_accept_suffix(parser, "blocksareclusters"))
        return func->blocks_are_clusters = true;
    if (parse_accept_suffix(parser, "noreturn"))
        return func->is_noreturn = true;
    *found = false;
    return true;
}

// pragma := '.pragma' string {',' string} ';'
static bool parse_func_pragma(Parser *parser) {
    while (parser->token.kind == TOK_STRING || parse_at(parser, ','))
        parse_next(parser);
    return parse_expect(parser, ';', "a pragma");
}

static bool parse_body_pragma(Parser *parser) {
    PtxFunc *func = parser->func;
    do {
        Token text = parser->token;
        if (text.kind != TOK_STRING)
            return parse_fail(parser, text, "",
                              "Expected a string after .pragma.");
        arena_grow(parser->arena, func->pragmas, func->pragma_count,
                   func->pragma_capacity);
        func->pragmas[func->pragma_count++] =
            (PtxPragma){text.text, (uint32_t)func->instr_count};
        parse_next(parser);
    } while (parse_accept(parser, ','));
    return parse_expect(parser, ';', "a pragma");
}

static bool parse_directives(Parser *parser, PtxFunc *func) {
    for (bool found = true; found;) {
        if (parse_accept_suffix(parser, "pragma")) {
            if (!parse_func_pragma(parser))
                return false;
        } else if (!parse_directive(parser, func, &found)) {
            return false;
        }
    }
    return true;
}

// ---- lists named by a label ----------------------------------------------

static bool parse_branch_target(Parser *parser, PtxTable *table,
                                size_t *capacity) {
    Token name;
    if (!parse_name(parser, "a label", &name))
        return false;
    arena_grow(parser->arena, table->labels, table->count, *capacity);
    table->count++;
    LabelUse use = {.at = name, .kind = LABEL_CODE};
    use.instr = (uint32_t)table->count - 1; // its index: see parse_targets
    scope_use_label(parser, use);
    return true;
}

static bool parse_call_target(Parser *parser, PtxTable *table,
                              size_t *capacity) {
    Token at;
    uint32_t reg;
    if (!parse_name(parser, "the name of a function", &at))
        return false;
    const Name *name = scope_find(parser, at.text, &reg);
    if (!name || name->kind != NAME_FUNC)
        return parse_fail(parser, at, "", "'%.*s' is not a function.",
                          STR_ARG(at.text));
    arena_grow(parser->arena, table->funcs, table->count, *capacity);
    table->funcs[table->count++] = name->func;
    return true;
}

// targets := ('.branchtargets' | '.calltargets') name {',' name} ';'
static bool parse_targets(Parser *parser, Token label, bool is_call) {
    PtxFunc *func = parser->func;
    PtxTable table = {.name = label.text};
    size_t capacity = 0, first = parser->use_count;
    do {
        bool ok = is_call ? parse_call_target(parser, &table, &capacity)
                          : parse_branch_target(parser, &table, &capacity);
        if (!ok) {
            parser->use_count = first; // their places are not known yet
            return false;
        }
    } while (parse_accept(parser, ','));
    for (size_t i = first; i < parser->use_count; i++)
        parser->uses[i].place = &table.labels[parser->uses[i].instr];
    arena_grow(parser->arena, func->tables, func->table_count,
               func->table_capacity);
    func->tables[func->table_count++] = table;
    return scope_add_label(parser, label, LABEL_TABLE, func->table_count - 1) &&
           parse_expect(parser, ';', "a list of targets");
}

// prototype := '.callprototype' [formals] '_' [formals] {directive} ';'
static bool parse_prototype(Parser *parser, Token label) {
    PtxFunc *func = parser->func, flags = {0};
    Formals results = {0}, params = {0};
    if (parse_at(parser, '(') && !parse_formals(parser, false, &results))
        return false;
    if (!parse_at_word(parser, "_"))
        return parse_fail(parser, parser->token, "",
                          "A prototype has '_' in place of a name.");
    parse_next(parser);
    if (parse_at(parser, '(') && !parse_formals(parser, false, &params))
        return false;
    if (!parse_directives(parser, &flags))
        return false;
    arena_grow(parser->arena, func->protos, func->proto_count,
               func->proto_capacity);
    func->protos[func->proto_count++] = (PtxProto){
        .name = label.text,
        .results = results.items,
        .result_count = results.count,
        .params = params.items,
        .param_count = params.count,
        .is_noreturn = flags.is_noreturn,
    };
    return scope_add_label(parser, label, LABEL_PROTO, func->proto_count - 1) &&
           parse_expect(parser, ';', "a prototype");
}

// label := name ':' [targets | prototype]
static bool parse_label(Parser *parser) {
    PtxFunc *func = parser->func;
    Token label = parser->token;
    parse_next(parser);
    parse_next(parser);
    if (parse_accept_suffix(parser, "branchtargets"))
        return parse_targets(parser, label, false);
    if (parse_accept_suffix(parser, "calltargets"))
        return parse_targets(parser, label, true);
    if (parse_accept_suffix(parser, "callprototype"))
        return parse_prototype(parser, label);
    arena_grow(parser->arena, func->labels, func->label_count,
               func->label_capacity);
    func->labels[func->label_count++] =
        (PtxLabel){label.text, (uint32_t)func->instr_count};
    scope_add_label(parser, label, LABEL_CODE, func->label_count - 1);
    return true; // whatever it was, the statement ends here
}

// ---- body ----------------------------------------------------------------

// A .loc does not end in ';', so after an error the parser goes on at the next
// line.
static bool parse_loc_line(Parser *parser) {
    uint32_t line = parser->token.line;
    if (!parse_loc(parser))
        while (parser->token.kind != TOK_END && parser->token.line == line)
            parse_next(parser);
    return true;
}

// statement := label | loc | pragma | registers | variables
//            | instruction
static bool parse_statement(Parser *parser) {
    if (parse_at(parser, ';'))
        return parse_fail(parser, parser->token, "Remove it.",
                          "A ';' with no statement before it: the assembler "
                          "does not take it.");
    if (parse_accept_suffix(parser, "loc"))
        return parse_loc_line(parser);
    if (parse_accept_suffix(parser, "pragma"))
        return parse_body_pragma(parser);
    if (parse_at_suffix(parser, "reg"))
        return parse_registers(parser);
    if (parser->token.kind == TOK_SUFFIX &&
        decl_space(parser->token.text) != PTX_SPACE_GENERIC)
        return parse_variables(parser, (VarFlags){0});
    Token next = parse_peek(parser);
    if (parser->token.kind == TOK_WORD && next.kind == TOK_PUNCT &&
        next.punct == ':')
        return parse_label(parser);
    return parse_instruction(parser);
}

static bool parse_block_start(Parser *parser) {
    if (parser->depth > PARSE_MAX_BLOCKS)
        return parse_fail(parser, parser->token, "",
                          "Blocks are nested more than %d deep.",
                          PARSE_MAX_BLOCKS);
    parse_next(parser);
    scope_enter(parser);
    return true;
}

// Whether the token starts a directive that is only allowed between functions.
static bool at_module_directive(const Parser *parser) {
    return parse_at_suffix(parser, "file") ||
           parse_at_suffix(parser, "section") ||
           parse_at_suffix(parser, "entry") ||
           parse_at_suffix(parser, "func") ||
           parse_at_suffix(parser, "visible");
}

static bool unclosed(Parser *parser) {
    return parse_fail(parser, parser->token,
                      "Check the braces in inline asm: one '}' is missing.",
                      "The function '%.*s' of line %u is not closed.",
                      STR_ARG(parser->func->name), parser->func->line);
}

// Reports an error in a statement and skips the statement.
static void skip_statement(Parser *parser, const char *before) {
    parse_recover(parser);
    if (parser->token.text.ptr == before)
        parse_next(parser);
}

// body := '{' {statement | '{' | '}'} '}'
static bool parse_body(Parser *parser) {
    size_t errors = parser->error_count;
    parse_next(parser);
    while (parser->token.kind != TOK_END && !at_module_directive(parser) &&
           !parse_gave_up(parser)) {
        const char *before = parser->token.text.ptr;
        if (parse_at(parser, '}')) {
            parse_next(parser);
            if (parser->depth == 1)
                return parser->error_count == errors;
            scope_leave(parser);
        } else if (parse_at(parser, '{')) {
            if (!parse_block_start(parser))
                return false;
        } else if (!parse_statement(parser)) {
            skip_statement(parser, before);
        }
    }
    return parse_gave_up(parser) ? false : unclosed(parser);
}

// Formal parameters of space REG are registers of the body as well.
static bool open_formals(Parser *parser, PtxVar **formals, size_t count) {
    for (size_t i = 0; i < count; i++) {
        PtxVar *var = formals[i];
        Token at = {.text = var->name, .line = var->line, .col = 1};
        PtxReg reg = {var->name, var->type, var->vector, 0, 0};
        var->func = parser->func;
        bool ok = var->space == PTX_SPACE_REG
                      ? scope_add_reg(parser, at, reg, &var->reg)
                      : scope_add_var(parser, at, var);
        if (!ok)
            return false;
    }
    return true;
}

static bool parse_definition(Parser *parser, PtxFunc *func) {
    func->has_body = true;
    scope_begin_func(parser, func);
    bool ok = open_formals(parser, func->results, func->result_count) &&
              open_formals(parser, func->params, func->param_count) &&
              parse_body(parser);
    return scope_end_func(parser) && ok;
}

// ---- header --------------------------------------------------------------

// The function of this name, created if it is not declared yet.
static bool declare(Parser *parser, Token name, PtxFunc **out, bool *is_new) {
    PtxModule *module = parser->module;
    uint32_t reg;
    const Name *known = scope_find(parser, name.text, &reg);
    *is_new = !known || known->kind != NAME_FUNC;
    if (!*is_new) {
        *out = known->func;
        return true;
    }
    PtxFunc *func = arena_new(parser->arena, PtxFunc, 1);
    func->name = name.text;
    func->line = name.line;
    func->id = (uint32_t)module->func_count;
    arena_grow(parser->arena, module->funcs, module->func_count,
               module->func_capacity);
    module->funcs[module->func_count++] = func;
    *out = func;
    return scope_add_func(parser, name, func);
}

static bool same_formals(PtxVar **a, size_t a_count, const Formals *b) {
    if (a_count != b->count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (a[i]->space != b->items[i]->space ||
            a[i]->size != b->items[i]->size)
            return false;
    return true;
}

// A function may be declared repeatedly, but each time in the same way.
static bool check_redeclared(Parser *parser, Token name, const PtxFunc *func,
                             const Formals *results, const Formals *params) {
    bool is_bare = results->count == 0 && params->count == 0;
    if (is_bare || (same_formals(func->results, func->result_count, results) &&
                    same_formals(func->params, func->param_count, params)))
        return true;
    return parse_fail(parser, name, "Make them the same.",
                      "'%.*s' is declared with other parameters on line %u.",
                      STR_ARG(name.text), func->line);
}

static void set_header(PtxFunc *func, VarFlags flags, bool is_entry) {
    func->is_entry = is_entry;
    func->is_extern = flags.is_extern;
    func->is_visible |= flags.is_visible;
    func->is_weak |= flags.is_weak;
}

// attribute := '.attribute' '(' {anything} ')'
static void skip_attribute(Parser *parser) {
    if (!parse_accept_suffix(parser, "attribute"))
        return;
    while (parser->token.kind != TOK_END && !parse_at(parser, ')') &&
           !parse_at(parser, ';'))
        parse_next(parser);
    parse_accept(parser, ')');
}

// func := [attribute] [formals] name [formals] {directive} (body | ';')
bool parse_func(Parser *parser, VarFlags flags, bool is_entry) {
    Formals results = {0}, params = {0};
    Token name;
    PtxFunc *func;
    bool is_new;
    skip_attribute(parser);
    if (parse_at(parser, '(') && !parse_formals(parser, true, &results))
        return false;
    if (!parse_name(parser, "the name of a function", &name) ||
        (parse_at(parser, '(') && !parse_formals(parser, true, &params)) ||
        !declare(parser, name, &func, &is_new) ||
        (!is_new && !check_redeclared(parser, name, func, &results, &params)))
        return false;
    if (func->has_body)
        return parse_accept(parser, ';') ||
               parse_fail(parser, name, "", "'%.*s' is defined twice.",
                          STR_ARG(name.text));
    set_header(func, flags, is_entry);
    func->results = results.items;
    func->result_count = results.count;
    func->params = params.items;
    func->param_count = params.count;
    if (!parse_directives(parser, func))
        return false;
    if (parse_at(parser, '{'))
        return parse_definition(parser, func);
    return parse_expect(parser, ';', "a declaration of a function");
}
