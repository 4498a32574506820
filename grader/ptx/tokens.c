// SPDX-License-Identifier: Apache-2.0
// What all other files of the parser use: the current token, functions that
// take it or say what was expected instead, and the errors. Errors are only
// collected here; ptx_parse gives them to its caller at the end.
#include "ptx/parse.h"

// ---- tokens --------------------------------------------------------------

void parse_next(Parser *parser) {
    parser->token = lex_next(&parser->lexer);
}

Token parse_peek(const Parser *parser) {
    Lexer ahead = parser->lexer;
    return lex_next(&ahead);
}

bool parse_at(const Parser *parser, char punct) {
    return parser->token.kind == TOK_PUNCT && parser->token.punct == punct;
}

bool parse_at_suffix(const Parser *parser, const char *suffix) {
    return parser->token.kind == TOK_SUFFIX &&
           str_equal(parser->token.text, str_from(suffix));
}

bool parse_at_word(const Parser *parser, const char *word) {
    return parser->token.kind == TOK_WORD &&
           str_equal(parser->token.text, str_from(word));
}

bool parse_accept(Parser *parser, char punct) {
    if (!parse_at(parser, punct))
        return false;
    parse_next(parser);
    return true;
}

bool parse_accept_suffix(Parser *parser, const char *suffix) {
    if (!parse_at_suffix(parser, suffix))
        return false;
    parse_next(parser);
    return true;
}

// A long token is shortened.
Str parse_shown(Parser *parser, Token token) {
    Str text = str_slice(token.text, 0, 60);
    if (token.kind == TOK_END)
        return STR("the end of the file");
    if (token.kind == TOK_SUFFIX)
        return str_format(&parser->scratch, "'.%.*s'", STR_ARG(text));
    if (token.kind == TOK_STRING)
        return str_format(&parser->scratch, "\"%.*s\"", STR_ARG(text));
    return str_format(&parser->scratch, "'%.*s'", STR_ARG(text));
}

bool parse_expect(Parser *parser, char punct, const char *after) {
    if (parse_accept(parser, punct))
        return true;
    Str found = parse_shown(parser, parser->token);
    return parse_fail(parser, parser->token, "",
                      "Expected '%c' after %s, found %.*s.", punct, after,
                      STR_ARG(found));
}

bool parse_name(Parser *parser, const char *what, Token *out) {
    *out = parser->token;
    if (parser->token.kind == TOK_WORD) {
        parse_next(parser);
        return true;
    }
    Str found = parse_shown(parser, parser->token);
    return parse_fail(parser, parser->token, "", "Expected %s, found %.*s.",
                      what, STR_ARG(found));
}

// ---- errors --------------------------------------------------------------

bool parse_fail(Parser *parser, Token at, const char *help, const char *format,
                ...) {
    ParseError error = {.line = at.line, .col = at.col, .loc = parser->loc};
    error.help = str_from(help);
    va_list args;
    va_start(args, format);
    error.what = str_vformat(&parser->scratch, format, args);
    va_end(args);
    if (at.kind == TOK_BAD)
        error.help = (Str){0};
    if (at.kind == TOK_BAD)
        error.what = str_format(&parser->scratch, "Cannot read '%.*s': %s.",
                                STR_ARG(str_slice(at.text, 0, 60)), at.problem);
    arena_grow(&parser->scratch, parser->errors, parser->error_count,
               parser->error_capacity);
    parser->errors[parser->error_count++] = error;
    return false;
}

bool parse_gave_up(const Parser *parser) {
    return parser->error_count >= PARSE_MAX_ERRORS;
}

bool parse_enter(Parser *parser) {
    if (++parser->nesting <= PARSE_MAX_NESTING)
        return true;
    parser->nesting--;
    return parse_fail(parser, parser->token, "",
                      "Nested more than %d levels deep.", PARSE_MAX_NESTING);
}

void parse_leave(Parser *parser) {
    parser->nesting--;
}

void parse_recover(Parser *parser) {
    while (parser->token.kind != TOK_END && !parse_at(parser, '{') &&
           !parse_at(parser, '}'))
        if (parse_accept(parser, ';'))
            return;
        else
            parse_next(parser);
}
