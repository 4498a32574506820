// SPDX-License-Identifier: Apache-2.0
// The parser's state, and what its files offer each other. Private to ptx/.
// Read the files in this order; each calls only those above it:
//
//   lex.c      text -> tokens
//   words.c    the language's fixed words
//   tokens.c   taking tokens and recording errors
//   expr.c     constant expressions
//   locs.c     .loc, .file, .debug_str
//   scope.c    names, labels, registers
//   operand.c  operands
//   sizes.c    sizes of registers
//   instr.c    instructions
//   init.c     initialisers
//   decl.c     variables, parameters
//   func.c     functions, their bodies
//   parse.c    modules; ptx_parse
//
// Every parse_* function reads what its grammar rule says from the front of the
// text. It returns false after it has added an error; the function that reads
// statements then skips to the next one (parse_recover).
#ifndef CLCLAB_PTX_PARSE_H
#define CLCLAB_PTX_PARSE_H

#include "ptx/lex.h"
#include "ptx/map.h"
#include "ptx/ptx.h"
#include "ptx/words.h"

// Limits on untrusted text.
enum {
    PARSE_MAX_ERRORS = 20,     // after these the parser gives up
    PARSE_MAX_BLOCKS = 200,    // nested { } in a function
    PARSE_MAX_NESTING = 32,    // of operands, expressions, initialisers
    PARSE_MAX_ELEMS = 512,     // of one vector or list
    PARSE_MAX_RANGE = 1000000, // N of %r<N>
    PARSE_MAX_INLINING = 1000, // levels of inlining
    PARSE_MAX_FILE = 65535,    // number of a .file
    PARSE_MAX_ALIGN = 1 << 20, // bytes
    PARSE_MAX_INIT = 64 << 20, // bytes of all initialised variables
};
static const uint64_t PARSE_MAX_SIZE = (uint64_t)1 << 40; // bytes per variable

// ---- names ---------------------------------------------------------------

typedef enum NameKind { NAME_REG, NAME_RANGE, NAME_VAR, NAME_FUNC } NameKind;

// A declared name. `shadowed` is the outer one that it hides (index; 0: none).
typedef struct Name {
    NameKind kind;
    uint32_t depth; // of its block: 0 module, 1 function body, ...
    uint32_t shadowed;
    Str text;      // for a range: the prefix
    uint32_t reg;  // NAME_REG: index in PtxFunc.regs
    PtxVar *var;   // NAME_VAR
    PtxFunc *func; // NAME_FUNC
    PtxReg range;  // NAME_RANGE: type, vector and N of its registers
    uint32_t decl; // NAME_RANGE: its number among the declarations
} Name;

// Where a register was declared: registers are numbered in this order at the
// end of the function (see scope_end_func).
typedef struct RegOrder {
    uint32_t decl, number, reg;
} RegOrder;

// CALL_FORM is only the kind of a use: either a table or a prototype.
typedef enum LabelKind {
    LABEL_CODE,
    LABEL_TABLE,
    LABEL_PROTO,
    LABEL_CALL_FORM,
} LabelKind;

typedef struct LabelName { // what a "name:" declared
    LabelKind kind;
    uint32_t index; // in labels, tables or protos of the function
} LabelName;

typedef struct LabelUse { // resolved at the end of the function
    Token at;
    uint32_t scope; // index in Parser.scopes
    LabelKind kind;
    uint32_t loc;    // Parser.loc, for the message
    uint32_t instr;  // TABLE, PROTO: index of the instruction
    uint32_t *place; // CODE: where to store the label's index
} LabelUse;

// ---- locations -----------------------------------------------------------

typedef struct LocKey { // without padding: it is hashed as bytes
    uint32_t file, line, col;
    uint32_t parent; // index in Parser.locs of the call site; 0: none
    uint32_t label;  // hash of function_name's label, part of the identity
} LocKey;

typedef struct LocRecord { // one distinct .loc of a function
    LocKey key;
    Str label;      // of function_name
    uint32_t depth; // of inlining; 1: not inlined
    uint32_t index; // in PtxModule.locs; 0: no instruction has needed it yet
} LocRecord;

// ---- the parser ----------------------------------------------------------

typedef struct ParseError {
    uint32_t line, col;
    Str what, help;
    uint32_t loc; // index in Parser.locs: the current .loc at the error
} ParseError;

typedef struct Parser {
    Arena *arena;  // the module's
    Arena scratch; // freed with the parser
    Lexer lexer;
    Token token; // the current one
    Words words;
    PtxModule *module;
    PtxFunc *func; // the function whose body is being read, or NULL
    uint32_t nesting;
    uint64_t init_bytes; // of all initialisers so far

    Map name_map; // (what, name) -> index in names; see scope.c
    Name *names;  // [0] is unused
    size_t name_count, name_capacity;
    uint32_t *open_names; // indices of the names in open blocks, oldest first
    size_t open_count, open_capacity;
    uint32_t depth;      // of the current block
    uint32_t decl_count; // register declarations in this function

    RegOrder *reg_orders; // of this function's registers
    size_t order_count, order_capacity;

    uint32_t *scopes; // parent of each block of the module, by its number
    size_t scope_count, scope_capacity;
    uint32_t scope;    // number of the current block
    Map label_map;     // (block, name) -> index in labels
    LabelName *labels; // [0] is unused
    size_t label_count, label_capacity;
    LabelUse *uses;
    size_t use_count, use_capacity;

    LocRecord *locs; // [0] is unused
    size_t loc_count, loc_capacity;
    uint32_t loc;       // the current .loc: index in locs
    Map loc_map;        // see locs.c
    uint32_t loc_names; // names of inlined functions so far
    Map debug_strings;  // label -> index in strings
    Str *strings;       // [0] is unused
    size_t string_count, string_capacity;

    PtxOperand *stack; // operands being collected
    size_t stack_count, stack_capacity;

    Str warning;      // about what is newer than this program; empty: none
    Token warning_at; // its place
    ParseError *errors;
    size_t error_count, error_capacity;
} Parser;

// tokens.c
void parse_next(Parser *parser);
Token parse_peek(const Parser *parser); // the token after parser->token
bool parse_at(const Parser *parser, char punct);
bool parse_at_suffix(const Parser *parser, const char *suffix);
bool parse_at_word(const Parser *parser, const char *word);
bool parse_accept(Parser *parser, char punct);
bool parse_accept_suffix(Parser *parser, const char *suffix);
// Takes `punct`, or adds the error "expected ... after <after>".
bool parse_expect(Parser *parser, char punct, const char *after);
// Takes an identifier; a message calls it `what` ("the name of a function").
bool parse_name(Parser *parser, const char *what, Token *out);
// A token as a message shows it: quoted, and shortened if it is long.
Str parse_shown(Parser *parser, Token token);
// Adds an error at the token and returns false.
bool parse_fail(Parser *parser, Token at, const char *help, const char *format,
                ...) __attribute__((format(printf, 4, 5)));
bool parse_enter(Parser *parser); // one level deeper; an error if too deep
void parse_leave(Parser *parser);
void parse_recover(Parser *parser); // skips past the next ';' or to a brace
bool parse_gave_up(const Parser *parser);

// sizes.c
bool sizes_check(Parser *parser, Token at, const PtxInstr *instr);

// forms.c: reports suffixes that the instruction does not take together.
bool forms_check(Parser *parser, Token at, const PtxInstr *instr);

// scope.c
void scope_begin_func(Parser *parser, PtxFunc *func);
bool scope_end_func(Parser *parser);
void scope_enter(Parser *parser);
void scope_leave(Parser *parser);
bool scope_add_var(Parser *parser, Token at, PtxVar *var);
bool scope_add_func(Parser *parser, Token at, PtxFunc *func);
bool scope_add_reg(Parser *parser, Token at, PtxReg reg, uint32_t *index);
bool scope_add_range(Parser *parser, Token at, PtxReg range); // name: prefix
// The innermost declaration, or NULL. *reg: the number, if it is a register.
const Name *scope_find(Parser *parser, Str text, uint32_t *reg);
bool scope_add_label(Parser *parser, Token at, LabelKind kind, size_t index);
// The caller fills in the use's token, kind, and instr or place.
void scope_use_label(Parser *parser, LabelUse use);

// locs.c
bool parse_loc(Parser *parser);
bool parse_file(Parser *parser);
bool parse_section(Parser *parser);
uint32_t locs_current(Parser *parser); // index in PtxModule.locs
void locs_begin_func(Parser *parser);
void locs_finish(Parser *parser);
// "It comes from kernel.cu:41.", or empty. Reads ahead to the .file lines.
Str locs_describe(Parser *parser, uint32_t loc);

// expr.c
typedef struct Constant {
    PtxOperandKind kind; // PTX_OPND_INT, F32 or F64
    uint64_t bits;
    bool is_unsigned;
} Constant;

bool parse_constant(Parser *parser, Constant *out);
bool parse_u64(Parser *parser, uint64_t max, const char *what, uint64_t *out);
// N of "%r<N>". It cannot have comparisons, as '>' ends it.
bool parse_range_size(Parser *parser, uint64_t *out);
// {'+' constant}: the offset after an address's base.
bool parse_offset(Parser *parser, uint64_t *out);
bool parse_at_constant(const Parser *parser);

// operand.c
bool parse_operand(Parser *parser, PtxOperand *out);
bool parse_list(Parser *parser, char open, char close, PtxOperand *out);
bool parse_register(Parser *parser, uint32_t *out);
void operand_push(Parser *parser, PtxOperand operand);
PtxOperand *operand_pop(Parser *parser, size_t from, uint32_t *count);

// instr.c
bool parse_instruction(Parser *parser);

// decl.c
PtxSpace decl_space(Str suffix); // GENERIC if it names no space
bool parse_registers(Parser *parser);
typedef struct VarFlags {
    bool is_extern, is_visible, is_weak, is_common;
} VarFlags;
bool parse_variables(Parser *parser, VarFlags flags);
// '(' [parameter {',' parameter}] ')'
typedef struct Formals {
    PtxVar **items;
    size_t count, capacity;
} Formals;
bool parse_formals(Parser *parser, bool are_named, Formals *out);

// init.c
enum { DIMS_MAX = 8 };
typedef struct Dims { // of an array, outermost first; a vector adds one
    uint64_t counts[DIMS_MAX + 1]; // 0: "[]", which only the first may be
    size_t count;
} Dims;
bool parse_initialiser(Parser *parser, PtxVar *var, const Dims *dims);

// func.c
bool parse_func(Parser *parser, VarFlags flags, bool is_entry);

#endif
