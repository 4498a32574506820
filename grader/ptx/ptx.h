// SPDX-License-Identifier: Apache-2.0
// ptx: PTX text <-> PtxModule.
//
// Read in this order: PtxModule (what a file holds), PtxFunc, PtxInstr,
// PtxOperand. The tables of opcodes and of modifiers are in ptx/opcodes.h, and
// ptx/traits.h says what each opcode does; this header includes both.
//
//   text --ptx_parse--> PtxModule --ptx_print--> text that ptxas accepts
//
// The parser resolves names: registers of nested scopes become numbers that are
// unique in their function, labels become instruction indices, symbols become
// pointers. It checks the form of each instruction against the opcode table, so
// that it reports malformed inline asm, which the CUDA compiler passes on
// unread. It does not check the PTX ISA's rules for types.
//
// Source of the grammar: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces,
// types, variables), 6 (operands), 7 (calls), 11 (directives).
#ifndef CLCLAB_PTX_H
#define CLCLAB_PTX_H

#include "base/base.h"
#include "ptx/opcodes.h"
#include "ptx/traits.h"

// ---- types and state spaces ----------------------------------------------

typedef enum PtxSpace {
    PTX_SPACE_GENERIC, // no space is named
    PTX_SPACE_REG,
    PTX_SPACE_PARAM, // kernel parameters, and parameters of calls
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST,
    PTX_SPACE_SHARED, // of the executing CTA, and through it of its cluster
    PTX_SPACE_LOCAL,
} PtxSpace;

// Bytes of one value of `type` (1 for a predicate, 0 for no type).
uint32_t ptx_type_size(PtxType type);
Str ptx_type_name(PtxType type); // "u32", without the dot
Str ptx_op_name(PtxOp op);       // "mbarrier.arrive"
Str ptx_mod_name(PtxMod mod);    // any suffix, without the dot
bool ptx_type_is_float(PtxType type);
bool ptx_type_is_signed(PtxType type);

// ---- source locations ----------------------------------------------------

// One .loc directive. Index 0 of PtxModule.locs means "no location".
typedef struct PtxLoc {
    uint32_t file; // index in PtxModule.files; 0: none
    uint32_t line; // from 1; 0: compiler-made code
    uint32_t col;
    uint32_t inlined_at; // index in PtxModule.locs of the call site; 0: none
    Str function; // inlined_at: mangled name of the inlined function; or empty
} PtxLoc;

// ---- symbols -------------------------------------------------------------

typedef enum PtxSymbolKind { PTX_SYM_VAR, PTX_SYM_FUNC } PtxSymbolKind;

typedef struct PtxFunc PtxFunc;
typedef struct PtxVar PtxVar;

// A reference to a variable or function, as an operand or in an initialiser.
typedef struct PtxSymbol {
    PtxSymbolKind kind;
    PtxVar *var;   // PTX_SYM_VAR
    PtxFunc *func; // PTX_SYM_FUNC
} PtxSymbol;

// An address in an initialiser: the `size` low bytes of (symbol + addend) are
// stored, little-endian, at `offset` of the variable. `generic`: the symbol's
// generic address ("generic(x)"); otherwise its address in its own space.
typedef struct PtxReloc {
    uint64_t offset;
    uint32_t size; // bytes
    bool generic;
    PtxSymbol symbol;
    int64_t addend;
    uint32_t shift; // bits by which the address is shifted right before its low
                    // `size` bytes are stored ("0xFF00(x)": size 1, shift 8)
} PtxReloc;

struct PtxVar {
    Str name;
    PtxSpace space;
    PtxType type;       // of one element
    uint32_t vector;    // elements of a vector type: 1, 2, 4
    uint32_t align;     // bytes; natural alignment if none is written
    uint64_t size;      // total bytes; 0: unspecified ("[]", extern)
    bool is_array;      // written with [...]
    bool is_extern;     // .extern
    bool is_visible;    // .visible
    bool is_weak;       // .weak
    bool is_common;     // .common
    bool is_ptr;        // a parameter written with .ptr
    PtxSpace ptr_space; // of .ptr
    uint32_t ptr_align; // of .ptr
    uint8_t *init;      // `size` bytes, or NULL: zeros
    PtxReloc *relocs;   // addresses in the initialiser
    size_t reloc_count;
    uint32_t id;   // index in PtxModule.vars (module scope), or in PtxFunc.vars
                   // (formal parameters: in PtxFunc.params or .results)
    PtxFunc *func; // NULL: module scope
    uint32_t line; // of its declaration in the PTX
    bool is_managed; // .attribute(.managed)
    bool is_formal;  // a formal parameter or result of `func`
    uint32_t reg;    // space REG: index in PtxFunc.regs of its function
};

// ---- operands ------------------------------------------------------------

typedef enum PtxOperandKind {
    PTX_OPND_REG,     // reg
    PTX_OPND_SREG,    // sreg, component
    PTX_OPND_INT,     // imm
    PTX_OPND_F32,     // imm: the 32 bits (0f...)
    PTX_OPND_F64,     // imm: the 64 bits (0d..., or a decimal float)
    PTX_OPND_SYMBOL,  // symbol (+ imm): an address as a value; a callee
    PTX_OPND_ADDRESS, // [reg + imm], [symbol + imm], [imm]: see base; elems has
                      // what follows in the brackets ([map, {x, y}])
    PTX_OPND_VECTOR,  // {a, b, ...}: elems
    PTX_OPND_PAIR,    // d|p: elems[0], elems[1]
    PTX_OPND_SINK,    // _
    PTX_OPND_LABEL,   // target: index in PtxFunc.labels
    PTX_OPND_LIST,    // (a, b): the parameters of a call: elems
} PtxOperandKind;

typedef enum PtxBase { PTX_BASE_NONE, PTX_BASE_REG, PTX_BASE_SYMBOL } PtxBase;

typedef struct PtxOperand PtxOperand;
struct PtxOperand {
    PtxOperandKind kind;
    bool negated;    // "!p" of a predicate, "-r" of a register
    PtxBase base;    // PTX_OPND_ADDRESS: what imm is added to
    uint32_t reg;    // index in PtxFunc.regs
    PtxSreg sreg;    // PTX_OPND_SREG
    PtxMod select;   // the selected part of a reg: ".x" of a vector register,
                     // ".b0" or ".h1" of a video operand; PTX_MOD_NONE: all
    uint32_t parts;  // several selected parts of a reg, ".b7654" or ".h10": a 1
                     // and then the digits, a nibble each; select is B0 or H0.
                     // Otherwise 0
    uint32_t target; // PTX_OPND_LABEL: index in PtxFunc.labels
    uint64_t imm;    // value, two's complement; or the bits of a float
    PtxSymbol symbol;
    PtxOperand *elems; // PTX_OPND_VECTOR, PAIR, LIST, ADDRESS
    uint32_t elem_count;
};

// ---- instructions --------------------------------------------------------

enum { PTX_MAX_MODS = 16, PTX_MAX_OPERANDS = 12 };

// One instruction. The suffixes are in the order in which they were written.
//
//   @!p  mbarrier.arrive .expect_tx .relaxed .cta .shared::cta .b64 a, [b], c
//   guard   op            mods[0]    [1]      [2]  [3]          [4]  operands
//
// Types are suffixes too, so they are in mods; types[] repeats them in order.
//
// Three instructions have their own form:
//   call     always three operands: LIST of results, the callee (SYMBOL of a
//            function, or REG), LIST of arguments; lists may be empty. If the
//            callee is a REG, call_proto or branch_targets says what is called.
//   bra      one operand, a LABEL
//   brx.idx  one operand, the index; branch_targets is its table
typedef struct PtxInstr {
    PtxOp op;
    uint8_t mod_count, type_count, operand_count;
    bool guard_negated;
    uint32_t guard;            // register index + 1; 0: unguarded
    PtxMod mods[PTX_MAX_MODS]; // every suffix after the opcode's name
    PtxType types[4];          // the suffixes that are types
    PtxOperand *operands;      // operand_count of them
    uint32_t loc;              // index in PtxModule.locs
    uint32_t line;             // line of the PTX text, from 1
    uint32_t branch_targets;   // index in PtxFunc.tables + 1; 0: none
    uint32_t call_proto;       // index in PtxFunc.protos + 1; 0: none
} PtxInstr;

// How many leading operands an instruction writes: 0, 1 or 2.
uint32_t ptx_op_results(PtxOp op);
// The same, with the list of what a call returns.
uint32_t ptx_written_operands(const PtxInstr *instr);
// The fewest operands that it can be written with.
uint32_t ptx_op_least(PtxOp op);
bool ptx_has(const PtxInstr *instr, PtxMod mod);
// The state space that the suffixes name (shared::cta and shared::cluster are
// both PTX_SPACE_SHARED); PTX_SPACE_GENERIC if they name none.
PtxSpace ptx_space(const PtxInstr *instr);
// The number of vector elements: 2, 4 or 8 for .v2, .v4 or .v8; otherwise 1.
uint32_t ptx_vector(const PtxInstr *instr);

// ---- functions -----------------------------------------------------------

typedef struct PtxReg {
    Str name;        // as written: "%r12", "p"
    PtxType type;    // .pred, .b16, .b32, .f32, .b64, .b128, ...
    uint32_t vector; // 1; 2 or 4 of a .v2/.v4 register
    uint32_t range;  // N if it was declared as one of "%r<N>"; otherwise 0
    uint32_t prefix; // range: bytes of the name before its number
} PtxReg;

typedef struct PtxLabel {
    Str name;
    uint32_t target; // index of the instruction that follows it; may be
                     // PtxFunc.instr_count (end of the function)
} PtxLabel;

// A .pragma in a body ("nounroll"): advice to the assembler, without effect.
typedef struct PtxPragma {
    Str text;        // without the quotes
    uint32_t target; // index of the instruction that follows it
} PtxPragma;

// A .branchtargets or .calltargets list, named by a label.
typedef struct PtxTable {
    Str name;
    uint32_t *labels; // .branchtargets: indices in PtxFunc.labels
    PtxFunc **funcs;  // .calltargets: the functions; else NULL
    size_t count;
} PtxTable;

// A .callprototype, named by a label: the type of what a register calls.
typedef struct PtxProto {
    Str name;
    PtxVar **results, **params; // without names
    size_t result_count, param_count;
    bool is_noreturn;
} PtxProto;

typedef struct PtxDim3 {
    uint32_t x, y, z; // all 0: not given
} PtxDim3;

struct PtxFunc {
    Str name;
    bool is_entry;  // .entry: a kernel
    bool is_extern; // only declared: defined elsewhere (vprintf, ...)
    bool is_visible, is_weak, is_noreturn;
    bool has_body;
    PtxFunc *alias_of;        // .alias: the function that this name stands for
    bool explicit_cluster;    // .explicitcluster
    bool blocks_are_clusters; // .blocksareclusters: the grid counts clusters
    PtxDim3 max_threads;      // .maxntid
    PtxDim3 req_threads;      // .reqntid
    PtxDim3 req_cluster;      // .reqnctapercluster
    uint32_t max_cluster;     // .maxclusterrank
    uint32_t max_regs;        // .maxnreg
    uint32_t min_ctas;        // .minnctapersm
    PtxVar **params;          // formal parameters, in order (space PARAM)
    size_t param_count;
    PtxVar **results; // formal return parameters (space PARAM, or REG)
    size_t result_count;
    PtxReg *regs; // every register of every scope, in order of declaration;
                  // only the used ones of a range "%r<N>"
    size_t reg_count, reg_capacity;
    PtxVar **vars; // .local, .shared, .param, ... declared in the body
    size_t var_count, var_capacity;
    PtxInstr *instrs;
    size_t instr_count, instr_capacity;
    PtxLabel *labels;
    size_t label_count, label_capacity;
    PtxTable *tables;
    size_t table_count, table_capacity;
    PtxPragma *pragmas;
    size_t pragma_count, pragma_capacity;
    PtxProto *protos;
    size_t proto_count, proto_capacity;
    uint32_t loc;  // the function's first .loc, or where that was inlined
    uint32_t line; // of its declaration in the PTX
    uint32_t id;   // index in PtxModule.funcs
};

typedef struct PtxModule {
    uint32_t version_major, version_minor; // .version 9.0
    Str target;                            // "sm_100a", all options but "debug"
    uint32_t arch;                         // its number: 100
    uint32_t address_size;                 // 64
    PtxVar **vars;                         // module-scope variables, in order
    size_t var_count, var_capacity;
    PtxFunc **funcs; // declarations and definitions; a later definition of a
                     // declared function fills in the same PtxFunc
    size_t func_count, func_capacity;
    Str *files; // .file paths by their number; [0] is empty
    size_t file_count, file_capacity;
    PtxLoc *locs; // [0] is "none"
    size_t loc_count, loc_capacity;
} PtxModule;

// Parses `text`. `name`, the path of the PTX, is for messages. Returns NULL if
// there is an error; every error has its PTX line and column and the code
// "PTX". A version or target newer than those known gives a warning or, if
// there are errors, a note after them. The input may be untrusted: the parser
// never crashes, and its memory is linear in the text (ptx/parse.h limits
// %r<N> ranges and the sizes of vectors and arrays). Debug sections and .pragma
// outside bodies are dropped, as they change no result. Everything is allocated
// from `arena`; slices point into `text`, which must outlive the module.
PtxModule *ptx_parse(Arena *arena, Str name, Str text, Diags *diags);

// Makes one module of several that were compiled apart: what one declares is
// what another defines; of weak definitions the first counts. The modules, at
// least one, become parts of it. What none defines stays declared.
PtxModule *ptx_link(Arena *arena, PtxModule *const *modules, size_t count);

// Prints a module as PTX that ptxas accepts: parse(print(m)) equals m, and
// print(parse(print(m))) gives the same bytes. Source locations are kept.
void ptx_print(const PtxModule *module, Buf *out);

// ptx_print with hooks, which change what is printed. A hook appends text to
// `out`, the printer's output, and uses the names that the printer gave. What
// it adds to a body must be in { }, or use names with a prefix that no other
// name of the module has. The printed module is then a different one, so the
// guarantees of ptx_print do not hold.
typedef struct PtxPrinter PtxPrinter;
typedef struct PtxHooks {
    void *context;
    // Called between the declarations of a body and its first instruction.
    void (*enter)(void *context, const PtxPrinter *printer, const PtxFunc *func,
                  Buf *out);
    // True: the hook has printed the instruction; false: print it unchanged.
    // Its labels are already printed.
    bool (*instr)(void *context, const PtxPrinter *printer, const PtxFunc *func,
                  const PtxInstr *instr, Buf *out);
} PtxHooks;

void ptx_print_hooked(const PtxModule *module, const PtxHooks *hooks, Buf *out);
// For hooks: the text of an operand or an instruction of the function, which
// the hook may have changed, or of a register by its index.
Str ptx_printed_operand(const PtxPrinter *printer, Arena *arena,
                        const PtxOperand *operand);
Str ptx_printed_instr(const PtxPrinter *printer, Arena *arena,
                      const PtxInstr *instr);
Str ptx_printed_reg(const PtxPrinter *printer, uint32_t reg);

// One instruction as text, without ';' and newline, for messages.
void ptx_print_instr(const PtxModule *module, const PtxFunc *func,
                     const PtxInstr *instr, Buf *out);

PtxFunc *ptx_find_func(const PtxModule *module, Str name); // or NULL
PtxVar *ptx_find_var(const PtxModule *module, Str name);   // or NULL
// The last name in a mangled variable name: "_ZZ9block_clcPfiE3bar" -> "bar".
// nvcc splits a structure in parts: "_ZZ1kPiE3bin_$_1" -> "bin_$_1".
Str ptx_plain_name(Str mangled);

// Variables that share a memory follow each other in the order of their
// declarations, each at the next multiple of its alignment (PTX ISA, kernel
// function parameters). Returns where `var` is behind what ends at *end, and
// moves *end behind it.
uint64_t ptx_place(uint64_t *end, const PtxVar *var);
// Of the parameter block: where a parameter is, and how long the block is.
uint64_t ptx_param_offset(const PtxFunc *kernel, size_t index);
uint64_t ptx_param_bytes(const PtxFunc *kernel);

// The place in the source that a .loc names, as a SrcLoc.
SrcLoc ptx_src(const PtxModule *module, uint32_t loc);

#endif
