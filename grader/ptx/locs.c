// SPDX-License-Identifier: Apache-2.0
// Source locations: .loc, .file and the strings of .section .debug_str (PTX
// ISA, sections 11.5 and 11.7). The other debug sections are skipped.
//
// A LocRecord is one distinct .loc of a function; it becomes an entry of
// PtxModule.locs when an instruction, or a record inlined into it, needs it.
// "inlined_at F L C" names its call site only by its place: this means the
// function's last record with that place, or a new record.
#include "ptx/parse.h"

// ---- records -------------------------------------------------------------

// What loc_map finds: the record of a .loc, the last record of a place, the
// number of a function's name, and the number of a location in the module.
enum { KIND_RECORD, KIND_RECENT, KIND_NAME, KIND_SAME };

static uint64_t loc_salt(const Parser *parser, uint32_t kind) {
    uint64_t func = parser->func ? parser->func->id : 0;
    return func << 32 | kind;
}

static uint32_t *key_place(Parser *parser, uint32_t kind, LocKey key) {
    LocKey *copy = arena_new(&parser->scratch, LocKey, 1);
    *copy = key;
    Str bytes = {(const char *)copy, sizeof *copy};
    return map_at(&parser->loc_map, loc_salt(parser, kind), bytes);
}

static LocKey key_without_site(LocKey key) {
    return (LocKey){.file = key.file, .line = key.line, .col = key.col};
}

static uint32_t record_add(Parser *parser, LocKey key) {
    uint32_t *place = key_place(parser, KIND_RECORD, key);
    uint32_t record = *place;
    if (record == 0) {
        arena_grow(&parser->scratch, parser->locs, parser->loc_count,
                   parser->loc_capacity);
        record = *place = (uint32_t)parser->loc_count++;
        uint32_t depth = parser->locs[key.parent].depth + 1;
        parser->locs[record] = (LocRecord){.key = key, .depth = depth};
    }
    *key_place(parser, KIND_RECENT, key_without_site(key)) = record;
    return record;
}

static uint32_t record_recent(Parser *parser, LocKey key) {
    uint32_t found = *key_place(parser, KIND_RECENT, key_without_site(key));
    return found ? found : record_add(parser, key);
}

static void record_publish(Parser *parser, LocRecord *loc) {
    PtxModule *module = parser->module;
    arena_grow(parser->arena, module->locs, module->loc_count,
               module->loc_capacity);
    loc->index = (uint32_t)module->loc_count++;
    module->locs[loc->index] = (PtxLoc){
        .file = loc->key.file,
        .line = loc->key.line,
        .col = loc->key.col,
        .inlined_at = parser->locs[loc->key.parent].index,
    };
}

// A call site's index is lower than those of what is inlined there.
static uint32_t record_index(Parser *parser, uint32_t record) {
    uint32_t chain[PARSE_MAX_INLINING + 1];
    size_t count = 0;
    for (uint32_t at = record; at && parser->locs[at].index == 0;
         at = parser->locs[at].key.parent)
        chain[count++] = at;
    while (count > 0)
        record_publish(parser, &parser->locs[chain[--count]]);
    return parser->locs[record].index;
}

uint32_t locs_current(Parser *parser) {
    return parser->loc ? record_index(parser, parser->loc) : 0;
}

void locs_begin_func(Parser *parser) {
    parser->loc = 0;
}

// ---- .loc ----------------------------------------------------------------

// place := file line column
static bool parse_place(Parser *parser, LocKey *out) {
    uint64_t file, line, col;
    if (!parse_u64(parser, PARSE_MAX_FILE, "A file's number", &file) ||
        !parse_u64(parser, UINT32_MAX, "A line", &line) ||
        !parse_u64(parser, UINT32_MAX, "A column", &col))
        return false;
    *out = (LocKey){(uint32_t)file, (uint32_t)line, (uint32_t)col, 0, 0};
    return true;
}

// inlining := ',' 'function_name' label ['+' integer] ',' 'inlined_at' place
static bool parse_inlining(Parser *parser, LocKey *key, Token *label) {
    LocKey site;
    uint64_t offset;
    if (!parse_at_word(parser, "function_name"))
        return parse_fail(parser, parser->token, "",
                          "Expected function_name in .loc.");
    parse_next(parser);
    if (!parse_name(parser, "a label of .debug_str", label) ||
        !parse_offset(parser, &offset) ||
        !parse_expect(parser, ',', "the function's name"))
        return false;
    if (!parse_at_word(parser, "inlined_at"))
        return parse_fail(parser, parser->token, "",
                          "Expected inlined_at in .loc.");
    parse_next(parser);
    if (!parse_place(parser, &site))
        return false;
    key->parent = record_recent(parser, site);
    key->label = (uint32_t)hash_bytes(0, label->text.ptr, label->text.len);
    if (parser->locs[key->parent].depth >= PARSE_MAX_INLINING)
        return parse_fail(parser, *label, "", "Inlined more than %d times.",
                          PARSE_MAX_INLINING);
    return true;
}

// The current record or, if it was inlined, the place in the function itself
// where that happened, perhaps through other inlined functions.
static uint32_t outermost(const Parser *parser) {
    uint32_t record = parser->loc;
    while (parser->locs[record].key.parent)
        record = parser->locs[record].key.parent;
    return record;
}

// loc := '.loc' place [inlining]
bool parse_loc(Parser *parser) {
    LocKey key;
    Token label = {0};
    if (!parse_place(parser, &key))
        return false;
    if (parse_accept(parser, ',') && !parse_inlining(parser, &key, &label))
        return false;
    parser->loc = record_add(parser, key);
    if (label.text.len)
        parser->locs[parser->loc].label = label.text;
    if (parser->func && parser->func->loc == 0)
        parser->func->loc = record_index(parser, outermost(parser));
    return true;
}

// ---- .file ---------------------------------------------------------------

static void file_set(Parser *parser, size_t number, Str path) {
    PtxModule *module = parser->module;
    while (module->file_count <= number) {
        arena_grow(parser->arena, module->files, module->file_count,
                   module->file_capacity);
        module->files[module->file_count++] = (Str){0};
    }
    module->files[number] = path;
}

// file := '.file' integer string [',' integer ',' integer]
bool parse_file(Parser *parser) {
    uint64_t number, ignored;
    if (!parse_u64(parser, PARSE_MAX_FILE, "A file's number", &number))
        return false;
    Token path = parser->token;
    if (path.kind != TOK_STRING)
        return parse_fail(parser, path, "", "Expected the path of a file.");
    parse_next(parser);
    while (parse_accept(parser, ','))
        if (!parse_u64(parser, UINT64_MAX, "Time and size", &ignored))
            return false;
    if (number != 0)
        file_set(parser, (size_t)number, path.text);
    return true;
}

// ---- .section ------------------------------------------------------------

// string := {'.b8' byte {',' byte}} up to the byte 0, into a Buf
static void read_debug_string(Parser *parser, Buf *out) {
    bool is_open = true;
    while (is_open && parse_accept_suffix(parser, "b8")) {
        do {
            if (parser->token.kind != TOK_INT)
                return;
            is_open = (parser->token.value & 0xFF) != 0;
            if (is_open)
                buf_byte(out, (char)parser->token.value);
            parse_next(parser);
        } while (parse_accept(parser, ','));
    }
}

// debug_str := '{' {label ':' string} '}'
static void read_debug_strings(Parser *parser) {
    while (parser->token.kind != TOK_END && !parse_at(parser, '}')) {
        Token label = parser->token;
        parse_next(parser);
        if (label.kind != TOK_WORD || !parse_accept(parser, ':'))
            continue;
        Buf text = {0};
        read_debug_string(parser, &text);
        arena_grow(&parser->scratch, parser->strings, parser->string_count,
                   parser->string_capacity);
        parser->strings[parser->string_count] =
            str_copy(parser->arena, buf_view(&text));
        *map_at(&parser->debug_strings, 0, label.text) =
            (uint32_t)parser->string_count++;
        buf_free(&text);
    }
}

static void skip_to_brace(Parser *parser) {
    for (size_t depth = 0; parser->token.kind != TOK_END;) {
        if (parse_at(parser, '}') && depth-- == 0)
            return;
        depth += parse_at(parser, '{');
        parse_next(parser);
    }
}

// section := '.section' name '{' ... '}'
bool parse_section(Parser *parser) {
    bool is_strings = parse_at_suffix(parser, "debug_str");
    parse_next(parser);
    if (!parse_expect(parser, '{', "the name of a section"))
        return false;
    if (is_strings)
        read_debug_strings(parser);
    else
        skip_to_brace(parser);
    return parse_expect(parser, '}', "the section");
}

// ---- at the end ----------------------------------------------------------

// Fills in the names of inlined functions, which are known only now because
// .debug_str is at the end of the text.
static void name_inlined(Parser *parser) {
    for (size_t i = 1; i < parser->loc_count; i++) {
        const LocRecord *loc = &parser->locs[i];
        if (loc->index)
            parser->module->locs[loc->index].function =
                parser->strings[map_get(&parser->debug_strings, 0, loc->label)];
    }
}

// Where the number of the first location equal to this one is stored.
static uint32_t *same_place(Parser *parser, const PtxLoc *loc) {
    uint32_t *name = map_at(&parser->loc_map, KIND_NAME, loc->function);
    if (*name == 0)
        *name = ++parser->loc_names;
    LocKey key = {loc->file, loc->line, loc->col, loc->inlined_at, *name};
    return key_place(parser, KIND_SAME, key);
}

static void renumber_locs(Parser *parser, const uint32_t *numbers) {
    const PtxModule *module = parser->module;
    for (size_t i = 0; i < module->func_count; i++) {
        PtxFunc *func = module->funcs[i];
        func->loc = numbers[func->loc];
        for (size_t k = 0; k < func->instr_count; k++)
            func->instrs[k].loc = numbers[func->instrs[k].loc];
    }
}

// Merges equal locations: two functions may have the same .loc, and different
// labels of function_name may name equal strings. Call sites come before what
// is inlined there.
static void merge_locs(Parser *parser) {
    PtxModule *module = parser->module;
    size_t count = module->loc_count;
    uint32_t *numbers = arena_new(&parser->scratch, uint32_t, count);
    module->loc_count = 1;
    for (size_t i = 1; i < count; i++) {
        PtxLoc loc = module->locs[i];
        loc.inlined_at = numbers[loc.inlined_at];
        uint32_t *place = same_place(parser, &loc);
        if (*place == 0) {
            *place = (uint32_t)module->loc_count++;
            module->locs[*place] = loc;
        }
        numbers[i] = *place;
    }
    if (module->loc_count < count)
        renumber_locs(parser, numbers);
}

void locs_finish(Parser *parser) {
    name_inlined(parser);
    merge_locs(parser);
}

// Reads the .file lines that come after the place where the parser gave up.
static void read_files_ahead(Parser *parser) {
    Str rest =
        str_slice(parser->lexer.text, parser->lexer.at, parser->lexer.text.len);
    parser->lexer.at = parser->lexer.text.len;
    while (rest.len) {
        Str line = str_trim(str_cut(&rest, '\n'));
        if (!str_starts(line, STR(".file")))
            continue;
        Lexer lexer = lex_start(str_slice(line, 5, line.len));
        Token number = lex_next(&lexer), path = lex_next(&lexer);
        if (number.kind == TOK_INT && path.kind == TOK_STRING &&
            number.value <= PARSE_MAX_FILE)
            file_set(parser, (size_t)number.value, path.text);
    }
}

static Str place_text(Parser *parser, uint32_t loc) {
    LocKey key = parser->locs[loc].key;
    if (key.file >= parser->module->file_count || key.line == 0)
        return (Str){0};
    Str file = parser->module->files[key.file];
    return str_format(&parser->scratch, "%.*s:%u", STR_ARG(file), key.line);
}

Str locs_describe(Parser *parser, uint32_t loc) {
    if (loc == 0)
        return (Str){0};
    read_files_ahead(parser);
    Str inner = place_text(parser, loc);
    uint32_t outermost = loc;
    while (parser->locs[outermost].key.parent)
        outermost = parser->locs[outermost].key.parent;
    if (inner.len == 0)
        return inner;
    if (outermost == loc)
        return str_format(&parser->scratch, "It comes from %.*s.",
                          STR_ARG(inner));
    Str outer = place_text(parser, outermost);
    return str_format(&parser->scratch, "It comes from %.*s, inlined at %.*s.",
                      STR_ARG(inner), STR_ARG(outer));
}
