// SPDX-License-Identifier: Apache-2.0
// Modules: read ptx_parse, near the end, then parse_module. No other file of
// the parser (parse.h lists them) calls this one.
//
// Errors are collected and given to the caller only at the end, because the
// names of the files that .loc refers to come after the code.
#include "ptx/parse.h"

#include <stdlib.h>

// ---- what the caller is given --------------------------------------------

static int compare_errors(const void *left, const void *right) {
    const ParseError *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->col < b->col ? -1 : a->col > b->col;
}

static void give_warning(Parser *parser, Str name, Diags *diags) {
    if (parser->warning.len == 0)
        return;
    Token token = parser->warning_at;
    SrcLoc at = {name, token.line, token.col};
    Diag *diag = diag_add(diags, parser->error_count ? DIAG_NOTE : DIAG_WARNING,
                          at, "%.*s", STR_ARG(parser->warning));
    diag->code = STR("PTX");
    diag->help = STR("If it does not work, compile with an older toolkit.");
}

// Sorts the errors by their place in the text: those of labels are found late.
static void give_errors(Parser *parser, Str name, Diags *diags) {
    if (parser->error_count)
        qsort(parser->errors, parser->error_count, sizeof(ParseError),
              compare_errors);
    for (size_t i = 0; i < parser->error_count; i++) {
        const ParseError *error = &parser->errors[i];
        SrcLoc at = {name, error->line, error->col};
        Diag *diag =
            diag_add(diags, DIAG_ERROR, at, "%.*s", STR_ARG(error->what));
        Str origin = locs_describe(parser, error->loc);
        const char *gap = error->help.len && origin.len ? " " : "";
        diag->code = STR("PTX");
        diag->help = str_format(diags->arena, "%.*s%s%.*s",
                                STR_ARG(error->help), gap, STR_ARG(origin));
    }
}

// ---- module directives ---------------------------------------------------

// A text that is newer than this program may still be readable. One that is
// older than these versions lacks the warps' .sync instructions and is refused.
enum { OLDEST_VERSION = 6, NEWEST_VERSION = 9, NEWEST_TARGET = 121 };

static void warn(Parser *parser, Token at, Str what) {
    parser->warning = what;
    parser->warning_at = at;
}

// version := '.version' major '.' minor
static bool parse_version(Parser *parser) {
    Token at = parser->token;
    Str minor = at.text, major = str_cut(&minor, '.');
    uint64_t numbers[2];
    if (at.kind != TOK_F64 || !str_to_u64(major, &numbers[0]) ||
        !str_to_u64(minor, &numbers[1]) || (numbers[0] | numbers[1]) > 1000)
        return parse_fail(parser, at, "", "Expected a version such as 9.0.");
    parser->module->version_major = (uint32_t)numbers[0];
    parser->module->version_minor = (uint32_t)numbers[1];
    parse_next(parser);
    if (numbers[0] > NEWEST_VERSION)
        warn(
            parser, at,
            str_format(&parser->scratch,
                       "PTX %.*s is newer than what this program knows (%d.x).",
                       STR_ARG(at.text), NEWEST_VERSION));
    return numbers[0] >= OLDEST_VERSION ||
           parse_fail(parser, at, "Compile it with CUDA 9 or newer.",
                      "PTX %.*s is too old: versions %d.0 to %d.x are known.",
                      STR_ARG(at.text), OLDEST_VERSION, NEWEST_VERSION);
}

// "sm_90", "sm_100a", "compute_120f"; *number: the digits.
static bool is_target(Str name, uint64_t *number) {
    Str family = str_cut(&name, '_');
    if (str_ends(name, STR("a")) || str_ends(name, STR("f")))
        name.len--;
    return (str_equal(family, STR("sm")) ||
            str_equal(family, STR("compute"))) &&
           name.len >= 2 && name.len <= 4 && name.ptr[0] != '0' &&
           str_to_u64(name, number);
}

static bool check_target(Parser *parser, Token name) {
    uint64_t number = 0;
    if (str_equal(name.text, STR("map_f64_to_f32")))
        return parse_fail(parser, name, "Compile for sm_70 or newer.",
                          "The target computes in f32 where f64 is written "
                          "(map_f64_to_f32).");
    if (is_target(name.text, &number)) {
        parser->module->arch = (uint32_t)number;
        if (number > NEWEST_TARGET)
            warn(parser, name,
                 str_format(&parser->scratch,
                            "Target %.*s is newer than what this program "
                            "knows.",
                            STR_ARG(name.text)));
        return true;
    }
    bool is_option = str_equal(name.text, STR("debug")) ||
                     str_starts(name.text, STR("texmode_"));
    return is_option ||
           parse_fail(parser, name, "Write .target sm_100a.",
                      "'%.*s' is not a target.", STR_ARG(name.text));
}

// target := '.target' name {',' name}. "debug" promises debug sections, which
// are not kept.
static bool parse_target(Parser *parser) {
    Str all = {0};
    do {
        Token name;
        if (!parse_name(parser, "the name of a target", &name) ||
            !check_target(parser, name))
            return false;
        if (str_equal(name.text, STR("debug")))
            continue;
        all = all.len ? str_format(parser->arena, "%.*s, %.*s", STR_ARG(all),
                                   STR_ARG(name.text))
                      : name.text;
        if (all.len > 1000)
            return parse_fail(parser, name, "", "Too many targets.");
    } while (parse_accept(parser, ','));
    parser->module->target = all;
    return true;
}

static bool parse_address_size(Parser *parser) {
    Token at = parser->token;
    uint64_t size;
    if (!parse_u64(parser, 64, "The address size", &size))
        return false;
    parser->module->address_size = (uint32_t)size;
    return size == 64 ||
           parse_fail(parser, at, "Compile for 64 bits (nvcc -m64).",
                      "Addresses of %llu bits: only 64 are known.",
                      (unsigned long long)size);
}

static bool find_func(Parser *parser, Token at, PtxFunc **out) {
    uint32_t reg;
    const Name *name = scope_find(parser, at.text, &reg);
    if (!name || name->kind != NAME_FUNC)
        return parse_fail(parser, at, "", "No function '%.*s' is declared.",
                          STR_ARG(at.text));
    *out = name->func;
    return true;
}

// alias := '.alias' name ',' name ';'
static bool parse_alias(Parser *parser) {
    Token alias, aliased;
    PtxFunc *func, *target;
    if (!parse_name(parser, "the name of a function", &alias) ||
        !find_func(parser, alias, &func) ||
        !parse_expect(parser, ',', "the alias") ||
        !parse_name(parser, "the name of a function", &aliased) ||
        !find_func(parser, aliased, &target))
        return false;
    if (func->has_body || !target->has_body)
        return parse_fail(parser, alias, "",
                          "An alias is a declared function that stands for a "
                          "defined one.");
    func->alias_of = target;
    return parse_expect(parser, ';', "an alias");
}

// pragma := '.pragma' string {',' string} ';'
static bool parse_pragma(Parser *parser) {
    while (parser->token.kind == TOK_STRING || parse_at(parser, ','))
        parse_next(parser);
    return parse_expect(parser, ';', "a pragma");
}

// linkage := {'.extern' | '.visible' | '.weak' | '.common'}
static VarFlags parse_linkage(Parser *parser) {
    VarFlags flags = {0};
    for (;;) {
        if (parse_accept_suffix(parser, "extern"))
            flags.is_extern = true;
        else if (parse_accept_suffix(parser, "visible"))
            flags.is_visible = true;
        else if (parse_accept_suffix(parser, "weak"))
            flags.is_weak = true;
        else if (parse_accept_suffix(parser, "common"))
            flags.is_common = true;
        else
            return flags;
    }
}

// declaration := linkage ('.entry' entry | '.func' func | variables)
static bool parse_declaration(Parser *parser) {
    Token at = parser->token;
    VarFlags flags = parse_linkage(parser);
    if (parse_accept_suffix(parser, "entry"))
        return parse_func(parser, flags, true);
    if (parse_accept_suffix(parser, "func"))
        return parse_func(parser, flags, false);
    if (parser->token.kind == TOK_SUFFIX &&
        decl_space(parser->token.text) != PTX_SPACE_GENERIC)
        return parse_variables(parser, flags);
    Str found = parse_shown(parser, at);
    return parse_fail(parser, at,
                      "Check the braces above it: one '}' too many in inline "
                      "asm ends the function.",
                      "Expected a variable or a function, found %.*s.",
                      STR_ARG(found));
}

// Skips a '{' and everything up to its '}'.
static void skip_block(Parser *parser) {
    size_t depth = 0;
    do {
        depth += parse_at(parser, '{');
        depth -= parse_at(parser, '}');
        parse_next(parser);
    } while (depth > 0 && parser->token.kind != TOK_END);
}

// Skips to a token that can begin a module statement.
static void recover_module(Parser *parser) {
    static const char *const starts[] = {
        "extern", "visible", "weak",   "common",       "entry",
        "func",   "global",  "const",  "shared",       "file",
        "alias",  "section", "target", "address_size",
    };
    while (parser->token.kind != TOK_END) {
        for (size_t i = 0; i < COUNT_OF(starts); i++)
            if (parse_at_suffix(parser, starts[i]))
                return;
        if (parse_at(parser, '{'))
            skip_block(parser);
        else
            parse_next(parser);
    }
}

// module := {version | target | address_size | file | section | pragma | alias
//            | declaration}
static bool parse_statement(Parser *parser) {
    if (parse_accept_suffix(parser, "version"))
        return parse_version(parser);
    if (parse_accept_suffix(parser, "target"))
        return parse_target(parser);
    if (parse_accept_suffix(parser, "address_size"))
        return parse_address_size(parser);
    if (parse_accept_suffix(parser, "file"))
        return parse_file(parser);
    if (parse_accept_suffix(parser, "section"))
        return parse_section(parser);
    if (parse_accept_suffix(parser, "pragma"))
        return parse_pragma(parser);
    if (parse_accept_suffix(parser, "alias"))
        return parse_alias(parser);
    return parse_declaration(parser);
}

static void parse_module(Parser *parser) {
    const PtxModule *module = parser->module;
    while (parser->token.kind != TOK_END && !parse_gave_up(parser)) {
        const char *before = parser->token.text.ptr;
        if (parse_statement(parser))
            continue;
        if (parser->token.text.ptr == before)
            parse_next(parser);
        recover_module(parser);
    }
    if (module->version_major == 0 && parser->error_count == 0)
        parse_fail(parser, parser->token, "Is this the PTX that was meant?",
                   "The module has no .version.");
    if (module->target.len == 0 && parser->error_count == 0)
        parse_fail(parser, parser->token, "Write .target sm_100a.",
                   "The module has no .target.");
}

static PtxModule *module_new(Arena *arena) {
    PtxModule *module = arena_new(arena, PtxModule, 1);
    module->address_size = 64;
    arena_grow(arena, module->locs, module->loc_count, module->loc_capacity);
    module->loc_count = 1;
    arena_grow(arena, module->files, module->file_count, module->file_capacity);
    module->file_count = 1;
    return module;
}

// Element 0 of these tables means "none".
static void parser_init(Parser *parser) {
    Arena *scratch = &parser->scratch;
    words_init(&parser->words, scratch);
    parser->name_map.arena = parser->debug_strings.arena = scratch;
    parser->label_map.arena = parser->loc_map.arena = scratch;
    parser->name_count = parser->scope_count = parser->label_count = 1;
    parser->loc_count = parser->string_count = 1;
    parser->name_capacity = parser->scope_capacity = 16;
    parser->label_capacity = parser->loc_capacity = 16;
    parser->string_capacity = 16;
    parser->names = arena_new(scratch, Name, 16);
    parser->scopes = arena_new(scratch, uint32_t, 16);
    parser->labels = arena_new(scratch, LabelName, 16);
    parser->locs = arena_new(scratch, LocRecord, 16);
    parser->strings = arena_new(scratch, Str, 16);
}

PtxModule *ptx_parse(Arena *arena, Str name, Str text, Diags *diags) {
    Parser parser = {.arena = arena, .lexer = lex_start(text)};
    parser.module = module_new(arena);
    parser_init(&parser);
    parse_next(&parser);
    parse_module(&parser);
    locs_finish(&parser);
    give_errors(&parser, name, diags);
    give_warning(&parser, name, diags);
    bool ok = parser.error_count == 0;
    arena_free(&parser.scratch);
    return ok ? parser.module : NULL;
}

// ---- finding things in a module ------------------------------------------

PtxFunc *ptx_find_func(const PtxModule *module, Str name) {
    for (size_t i = 0; i < module->func_count; i++)
        if (str_equal(module->funcs[i]->name, name))
            return module->funcs[i];
    return NULL;
}

PtxVar *ptx_find_var(const PtxModule *module, Str name) {
    for (size_t i = 0; i < module->var_count; i++)
        if (str_equal(module->vars[i]->name, name))
            return module->vars[i];
    return NULL;
}

// Where a name begins that has its length in front of it and ends at `end`; 0:
// there is none.
static size_t name_until(Str mangled, size_t end) {
    for (size_t i = end; i-- > 0;) {
        char c = mangled.ptr[i];
        if (c < '0' || c > '9')
            continue;
        size_t start = i;
        while (start && mangled.ptr[start - 1] >= '0' &&
               mangled.ptr[start - 1] <= '9')
            start--;
        uint64_t len = 0;
        if (str_to_u64(str_slice(mangled, start, i + 1), &len) &&
            i + 1 + len == end && len)
            return i + 1;
    }
    return 0;
}

Str ptx_plain_name(Str mangled) {
    size_t start = name_until(mangled, mangled.len);
    size_t part = str_find(mangled, '$'); // _$_N behind the name
    if (!start && part > 0 && part < mangled.len)
        start = name_until(mangled, part - 1);
    return str_slice(mangled, start, mangled.len);
}

SrcLoc ptx_src(const PtxModule *module, uint32_t loc) {
    if (loc == 0 || loc >= module->loc_count)
        return (SrcLoc){0};
    const PtxLoc *at = &module->locs[loc];
    Str file = {0};
    if (at->file < module->file_count)
        file = module->files[at->file];
    return (SrcLoc){file, at->line, at->col};
}
