// SPDX-License-Identifier: Apache-2.0
// Reads of %ctaid and %clusterid by a block that has drawn another index than
// it was launched with: they read OwnBlock instead. Only mov and cvt have
// special registers as operands.
#include "gpu/rewrite_text.h"

// The byte offset in OwnBlock of the register's replacement; -1: none.
static int word_of(PtxSreg sreg) {
    static const struct {
        PtxSreg from, to;
        size_t offset;
    } rows[] = {
        {PTX_SREG_CTAID_X, PTX_SREG_CTAID_W, offsetof(OwnBlock, ctaid)},
        {PTX_SREG_CLUSTERID_X, PTX_SREG_CLUSTERID_W,
         offsetof(OwnBlock, clusterid)},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (sreg >= rows[i].from && sreg <= rows[i].to)
            return (int)(rows[i].offset + 4 * (sreg - rows[i].from));
    if (sreg == PTX_SREG_CTAID)
        return offsetof(OwnBlock, ctaid);
    return sreg == PTX_SREG_CLUSTERID ? (int)offsetof(OwnBlock, clusterid) : -1;
}

static bool is_whole(const PtxOperand *operand) {
    return operand->kind == PTX_OPND_SREG &&
           (operand->sreg == PTX_SREG_CTAID ||
            operand->sreg == PTX_SREG_CLUSTERID);
}

static bool operand_reads(const PtxOperand *operand) {
    bool reads = operand->kind == PTX_OPND_SREG && word_of(operand->sreg) >= 0;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        reads |= operand_reads(&operand->elems[i]);
    return reads;
}

bool rewrite_reads_index(const PtxInstr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (operand_reads(&instr->operands[i]))
            return true;
    return false;
}

typedef struct Reader {
    const Rewriter *rewriter;
    Buf *out;
    uint32_t words; // read so far
} Reader;

// Loads the word and replaces the operand by the register that holds it. (The
// operand becomes a variable's name, as the module has no such register.)
static void load_word(Reader *reader, PtxOperand *operand) {
    Arena *arena = reader->rewriter->arena;
    Str prefix = reader->rewriter->prefix;
    PtxVar *word = arena_new(arena, PtxVar, 1);
    word->name =
        str_format(arena, "%.*sword%u", STR_ARG(prefix), reader->words++);
    buf_printf(reader->out,
               "\t.reg .b32 %.*s;\n\tld.shared.b32 %.*s, [%.*sown+%d];\n",
               STR_ARG(word->name), STR_ARG(word->name), STR_ARG(prefix),
               word_of(operand->sreg));
    *operand = (PtxOperand){.kind = PTX_OPND_SYMBOL,
                            .symbol = {.kind = PTX_SYM_VAR, .var = word}};
}

static PtxOperand *load_words(Reader *reader, const PtxOperand *operands,
                              uint32_t count) {
    PtxOperand *copy = arena_new(reader->rewriter->arena, PtxOperand, count);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = operands[i];
        if (copy[i].kind == PTX_OPND_SREG && word_of(copy[i].sreg) >= 0)
            load_word(reader, &copy[i]);
        else if (copy[i].elem_count)
            copy[i].elems =
                load_words(reader, copy[i].elems, copy[i].elem_count);
    }
    return copy;
}

// Replaces a mov.v4 by a load of all four words.
static void make_load(Reader *reader, PtxInstr *instr) {
    Arena *arena = reader->rewriter->arena;
    PtxVar *own = arena_new(arena, PtxVar, 1);
    own->name = str_format(arena, "%.*sown", STR_ARG(reader->rewriter->prefix));
    PtxOperand *operands = arena_new(arena, PtxOperand, 2);
    operands[0] = instr->operands[0];
    operands[1] =
        (PtxOperand){.kind = PTX_OPND_ADDRESS,
                     .base = PTX_BASE_SYMBOL,
                     .symbol = {.kind = PTX_SYM_VAR, .var = own},
                     .imm = (uint64_t)word_of(instr->operands[1].sreg)};
    instr->op = PTX_OP_LD;
    instr->mods[0] = PTX_MOD_SHARED;
    instr->mods[1] = PTX_MOD_V4;
    instr->mods[2] = PTX_MOD_U32;
    instr->mod_count = 3;
    instr->operands = operands;
}

// mov may narrow a special register but no other register, so it becomes a
// conversion.
static void make_narrowing(PtxInstr *instr) {
    instr->op = PTX_OP_CVT;
    instr->mods[0] = PTX_MOD_U16;
    instr->mods[1] = PTX_MOD_U32;
    instr->mod_count = 2;
}

void rewrite_read_index(const Rewriter *rewriter, const PtxPrinter *printer,
                        const PtxInstr *instr, Buf *out) {
    Reader reader = {rewriter, out, 0};
    PtxInstr copy = *instr;
    buf_str(out, STR("\t{\n"));
    if (instr->op == PTX_OP_MOV && is_whole(&instr->operands[1]))
        make_load(&reader, &copy);
    else
        copy.operands =
            load_words(&reader, instr->operands, instr->operand_count);
    if (copy.op == PTX_OP_MOV && ptx_type_size(copy.types[0]) == 2)
        make_narrowing(&copy);
    Str text = ptx_printed_instr(printer, rewriter->arena, &copy);
    buf_printf(out, "\t%.*s;\n\t}\n", STR_ARG(text));
}
