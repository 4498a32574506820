// SPDX-License-Identifier: Apache-2.0
// Prints instructions and operands.
#include "ptx/print.h"

// ---- numbers -------------------------------------------------------------

// Small negative numbers in decimal, large ones in hexadecimal.
static void print_int(Buf *out, uint64_t value) {
    int64_t as_signed = (int64_t)value;
    if (as_signed >= INT32_MIN)
        buf_printf(out, "%lld", (long long)as_signed);
    else
        buf_printf(out, "0x%llX", (unsigned long long)value);
}

void print_offset(Buf *out, uint64_t offset) {
    if (offset == 0)
        return;
    buf_byte(out, '+');
    print_int(out, offset);
}

// ---- operands ------------------------------------------------------------

static void print_operand(const Printer *printer, const PtxOperand *operand);

static void print_operands(const Printer *printer, const PtxOperand *operands,
                           uint32_t count, const char *gap) {
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            buf_str(printer->out, str_from(gap));
        print_operand(printer, &operands[i]);
    }
}

static void print_enclosed(const Printer *printer, const PtxOperand *operand,
                           char open, char close) {
    buf_byte(printer->out, open);
    print_operands(printer, operand->elems, operand->elem_count, ", ");
    buf_byte(printer->out, close);
}

static void print_symbol(const Printer *printer, PtxSymbol symbol) {
    buf_str(printer->out, symbol.kind == PTX_SYM_FUNC
                              ? symbol.func->name
                              : print_name_of_var(printer, symbol.var));
}

// ".b7654", which is stored as a 1 followed by a nibble for each digit.
static void print_parts(const Printer *printer, const PtxOperand *operand) {
    int top = 31 - __builtin_clz(operand->parts);
    buf_byte(printer->out, operand->select == PTX_MOD_B0 ? 'b' : 'h');
    for (int at = top - 4; at >= 0; at -= 4)
        buf_byte(printer->out, (char)('0' + (operand->parts >> at & 15)));
}

static void print_reg(const Printer *printer, const PtxOperand *operand) {
    const PtxReg *reg = &printer->func->regs[operand->reg];
    if (operand->negated)
        buf_byte(printer->out, reg->type == PTX_PRED ? '!' : '-');
    buf_str(printer->out, print_name_of_reg(printer, operand->reg));
    if (operand->select != PTX_MOD_NONE) {
        buf_byte(printer->out, '.');
        if (operand->parts)
            print_parts(printer, operand);
        else
            buf_str(printer->out, words_mod(operand->select));
    }
}

static void print_address(const Printer *printer, const PtxOperand *operand) {
    buf_byte(printer->out, '[');
    switch (operand->base) {
    case PTX_BASE_NONE:
        print_int(printer->out, operand->imm);
        break;
    case PTX_BASE_REG:
        buf_str(printer->out, print_name_of_reg(printer, operand->reg));
        print_offset(printer->out, operand->imm);
        break;
    case PTX_BASE_SYMBOL:
        print_symbol(printer, operand->symbol);
        print_offset(printer->out, operand->imm);
        break;
    }
    if (operand->elem_count)
        buf_str(printer->out, STR(", "));
    print_operands(printer, operand->elems, operand->elem_count, ", ");
    buf_byte(printer->out, ']');
}

static Str label_name(const Printer *printer, uint32_t label) {
    return printer->names.labels ? printer->names.labels[label]
                                 : printer->func->labels[label].name;
}

static void print_operand(const Printer *printer, const PtxOperand *operand) {
    Buf *out = printer->out;
    switch (operand->kind) {
    case PTX_OPND_REG:
        print_reg(printer, operand);
        break;
    case PTX_OPND_SREG:
        buf_str(out, words_sreg(operand->sreg));
        break;
    case PTX_OPND_INT:
        print_int(out, operand->imm);
        break;
    case PTX_OPND_F32:
        buf_printf(out, "0f%08llX", (unsigned long long)operand->imm);
        break;
    case PTX_OPND_F64:
        buf_printf(out, "0d%016llX", (unsigned long long)operand->imm);
        break;
    case PTX_OPND_SYMBOL:
        print_symbol(printer, operand->symbol);
        print_offset(out, operand->imm);
        break;
    case PTX_OPND_ADDRESS:
        print_address(printer, operand);
        break;
    case PTX_OPND_VECTOR:
        print_enclosed(printer, operand, '{', '}');
        break;
    case PTX_OPND_PAIR:
        print_operands(printer, operand->elems, operand->elem_count, "|");
        break;
    case PTX_OPND_SINK:
        buf_byte(out, '_');
        break;
    case PTX_OPND_LABEL:
        buf_str(out, label_name(printer, operand->target));
        break;
    case PTX_OPND_LIST:
        print_enclosed(printer, operand, '(', ')');
        break;
    }
}

// ---- instructions --------------------------------------------------------

static void print_opcode(const Printer *printer, const PtxInstr *instr) {
    if (instr->guard) {
        buf_str(printer->out, instr->guard_negated ? STR("@!") : STR("@"));
        buf_str(printer->out, print_name_of_reg(printer, instr->guard - 1));
        buf_byte(printer->out, ' ');
    }
    buf_str(printer->out, words_op(instr->op)->name);
    for (size_t i = 0; i < instr->mod_count; i++) {
        buf_byte(printer->out, '.');
        buf_str(printer->out, words_mod(instr->mods[i]));
    }
}

// The name of the table or prototype that the instruction refers to.
static Str form_name(const Printer *printer, const PtxInstr *instr) {
    const FuncNames *names = &printer->names;
    const PtxFunc *func = printer->func;
    if (instr->branch_targets) {
        uint32_t table = instr->branch_targets - 1;
        return names->tables ? names->tables[table] : func->tables[table].name;
    }
    if (instr->call_proto) {
        uint32_t proto = instr->call_proto - 1;
        return names->protos ? names->protos[proto] : func->protos[proto].name;
    }
    return (Str){0};
}

void print_instr(const Printer *printer, const PtxInstr *instr) {
    const PtxOperand *operands = instr->operands;
    uint32_t count = instr->operand_count;
    bool is_call = PTX_TRAITS[instr->op].next == PTX_NEXT_CALL;
    bool no_results = is_call && operands[0].elem_count == 0;
    print_opcode(printer, instr);
    if (count)
        buf_byte(printer->out, ' ');
    if (no_results)
        print_operands(printer, operands + 1, count - 1, ", ");
    else
        print_operands(printer, operands, count, ", ");
    Str form = form_name(printer, instr);
    if (form.len)
        buf_str(printer->out, STR(", "));
    buf_str(printer->out, form);
}

void ptx_print_instr(const PtxModule *module, const PtxFunc *func,
                     const PtxInstr *instr, Buf *out) {
    Printer printer = {.module = module, .func = func, .out = out};
    print_instr(&printer, instr);
}

Str ptx_printed_operand(const PtxPrinter *printer, Arena *arena,
                        const PtxOperand *operand) {
    Buf text = {0};
    Printer inner = *printer;
    inner.out = &text;
    print_operand(&inner, operand);
    Str copy = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return copy;
}

Str ptx_printed_instr(const PtxPrinter *printer, Arena *arena,
                      const PtxInstr *instr) {
    Buf text = {0};
    Printer inner = *printer;
    inner.out = &text;
    print_instr(&inner, instr);
    Str copy = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return copy;
}
