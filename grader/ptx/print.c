// SPDX-License-Identifier: Apache-2.0
// Prints modules as PTX text: read ptx_print at the end. Functions are printed
// in their order. A function is defined in its place if everything that it
// names is already declared; otherwise it is only declared there and is defined
// after the others. The blocks of a body are not printed: all its declarations
// are at its top.
#include "ptx/print.h"

enum { NAMES_A_LINE = 8, VALUES_A_LINE = 16 };

// A string may contain any byte, also NUL, where printf would stop.
static void print_quoted(Buf *out, Str text) {
    buf_byte(out, '"');
    buf_str(out, text);
    buf_byte(out, '"');
}

// ---- variables -----------------------------------------------------------

static Str space_name(PtxSpace space) {
    switch (space) {
    case PTX_SPACE_GENERIC:
        return STR("generic");
    case PTX_SPACE_REG:
        return STR("reg");
    case PTX_SPACE_PARAM:
        return STR("param");
    case PTX_SPACE_GLOBAL:
        return STR("global");
    case PTX_SPACE_CONST:
        return STR("const");
    case PTX_SPACE_SHARED:
        return STR("shared");
    case PTX_SPACE_LOCAL:
        return STR("local");
    }
    return (Str){0};
}

static void print_dotted(Buf *out, Str name) {
    buf_byte(out, '.');
    buf_str(out, name);
    buf_byte(out, ' ');
}

static void print_type(Buf *out, PtxType type, uint32_t vector) {
    if (vector > 1)
        buf_printf(out, ".v%u ", vector);
    print_dotted(out, ptx_type_name(type));
}

static uint64_t unit_size(const PtxVar *var) {
    return (uint64_t)ptx_type_size(var->type) * var->vector;
}

// Space, attributes, type, name and dims of a variable or a formal parameter.
static void print_declarator(Buf *out, const PtxVar *var, Str name) {
    print_dotted(out, space_name(var->space));
    if (var->is_managed)
        buf_str(out, STR(".attribute(.managed) "));
    if (var->is_array || var->align != unit_size(var))
        buf_printf(out, ".align %u ", var->align);
    print_type(out, var->type, var->vector);
    if (var->is_ptr) {
        buf_str(out, STR(".ptr "));
        if (var->ptr_space != PTX_SPACE_GENERIC)
            print_dotted(out, space_name(var->ptr_space));
        if (var->ptr_align)
            buf_printf(out, ".align %u ", var->ptr_align);
    }
    buf_str(out, name);
    if (var->is_array && var->size)
        buf_printf(out, "[%llu]",
                   (unsigned long long)(var->size / unit_size(var)));
    else if (var->is_array)
        buf_str(out, STR("[]"));
}

// ---- initialisers --------------------------------------------------------

static void print_address(const Printer *printer, const PtxReloc *reloc) {
    Buf *out = printer->out;
    buf_str(out, reloc->generic ? STR("generic(") : STR(""));
    buf_str(out, reloc->symbol.kind == PTX_SYM_FUNC
                     ? reloc->symbol.func->name
                     : print_name_of_var(printer, reloc->symbol.var));
    buf_str(out, reloc->generic ? STR(")") : STR(""));
    print_offset(out, (uint64_t)reloc->addend);
}

// Prints, of an address of several bytes, the byte at `offset` of the variable.
static void print_reloc(const Printer *printer, const PtxReloc *reloc,
                        uint64_t offset, uint32_t size) {
    Buf *out = printer->out;
    bool is_masked = size == 1;
    uint64_t shift = reloc->shift + 8 * (offset - reloc->offset);
    if (is_masked)
        buf_printf(out, "0x%llX(", (unsigned long long)0xFF << (shift & 63));
    print_address(printer, reloc);
    if (is_masked)
        buf_byte(out, ')');
}

static uint64_t read_value(const PtxVar *var, uint64_t offset, uint32_t size) {
    uint64_t value = 0;
    for (uint32_t i = 0; var->init && i < size && i < 8; i++)
        value |= (uint64_t)var->init[offset + i] << (8 * i);
    return value;
}

static void print_number(Buf *out, PtxType type, uint64_t value) {
    if (type == PTX_F32)
        buf_printf(out, "0f%08llX", (unsigned long long)value);
    else if (type == PTX_F64)
        buf_printf(out, "0d%016llX", (unsigned long long)value);
    else
        buf_printf(out, value >> 63 ? "0x%llX" : "%llu",
                   (unsigned long long)value);
}

typedef struct Values { // iterates over the elements of an initialiser
    const PtxVar *var;
    size_t reloc;    // the next one
    uint64_t offset; // of the next element
    uint64_t end;    // just past the last element that is not zero
} Values;

static void print_value(const Printer *printer, Values *values) {
    const PtxVar *var = values->var;
    uint32_t size = ptx_type_size(var->type);
    while (values->reloc < var->reloc_count &&
           var->relocs[values->reloc].offset +
                   var->relocs[values->reloc].size <=
               values->offset)
        values->reloc++;
    if (values->reloc < var->reloc_count &&
        var->relocs[values->reloc].offset <= values->offset)
        print_reloc(printer, &var->relocs[values->reloc], values->offset, size);
    else
        print_number(printer->out, var->type,
                     read_value(var, values->offset, size));
    values->offset += size;
}

static void print_vector_value(const Printer *printer, Values *values) {
    Buf *out = printer->out;
    buf_byte(out, '{');
    for (uint32_t i = 0; i < values->var->vector; i++) {
        buf_str(out, i ? STR(", ") : STR(""));
        print_value(printer, values);
    }
    buf_byte(out, '}');
}

static uint64_t values_end(const PtxVar *var) {
    uint64_t end = var->size;
    while (end > 0 && var->init && var->init[end - 1] == 0)
        end--;
    for (size_t i = 0; i < var->reloc_count; i++)
        if (var->relocs[i].offset + var->relocs[i].size > end)
            end = var->relocs[i].offset + var->relocs[i].size;
    return end;
}

static void print_initialiser(const Printer *printer, const PtxVar *var) {
    Buf *out = printer->out;
    Values values = {.var = var, .end = values_end(var)};
    buf_str(out, STR(" = "));
    if (var->is_array)
        buf_byte(out, '{');
    for (size_t i = 0; values.offset < values.end; i++) {
        if (i)
            buf_str(out, i % VALUES_A_LINE ? STR(", ") : STR(",\n\t"));
        if (var->vector > 1)
            print_vector_value(printer, &values);
        else
            print_value(printer, &values);
    }
    if (var->is_array)
        buf_byte(out, '}');
}

static void print_linkage(Buf *out, bool is_extern, bool is_visible,
                          bool is_weak) {
    buf_str(out, is_extern ? STR(".extern ") : STR(""));
    buf_str(out, is_visible ? STR(".visible ") : STR(""));
    buf_str(out, is_weak ? STR(".weak ") : STR(""));
}

static void print_var(const Printer *printer, const PtxVar *var, Str name) {
    Buf *out = printer->out;
    print_linkage(out, var->is_extern, var->is_visible, var->is_weak);
    buf_str(out, var->is_common ? STR(".common ") : STR(""));
    print_declarator(out, var, name);
    if (var->init)
        print_initialiser(printer, var);
    buf_str(out, STR(";\n"));
}

static void print_vars(Printer *printer) {
    const PtxModule *module = printer->module;
    for (size_t i = 0; i < module->var_count; i++)
        print_var(printer, module->vars[i], module->vars[i]->name);
}

// ---- headers of functions ------------------------------------------------

static void print_formals(Buf *out, PtxVar *const *formals, size_t count,
                          const Str *names, const char *gap) {
    buf_byte(out, '(');
    for (size_t i = 0; i < count; i++) {
        buf_str(out, i ? STR(",") : STR(""));
        buf_str(out, str_from(gap));
        print_declarator(out, formals[i], names ? names[i] : STR("_"));
    }
    buf_byte(out, ')');
}

static void print_dim3(Buf *out, const char *directive, PtxDim3 dim) {
    if (dim.x || dim.y || dim.z)
        buf_printf(out, "\n.%s %u, %u, %u", directive, dim.x, dim.y, dim.z);
}

static void print_count(Buf *out, const char *directive, uint32_t count) {
    if (count)
        buf_printf(out, "\n.%s %u", directive, count);
}

static void print_directives(Buf *out, const PtxFunc *func) {
    buf_str(out, func->is_noreturn ? STR("\n.noreturn") : STR(""));
    print_dim3(out, "maxntid", func->max_threads);
    print_dim3(out, "reqntid", func->req_threads);
    buf_str(out, func->explicit_cluster ? STR("\n.explicitcluster") : STR(""));
    print_dim3(out, "reqnctapercluster", func->req_cluster);
    buf_str(out,
            func->blocks_are_clusters ? STR("\n.blocksareclusters") : STR(""));
    print_count(out, "maxclusterrank", func->max_cluster);
    print_count(out, "minnctapersm", func->min_ctas);
    print_count(out, "maxnreg", func->max_regs);
}

// printer->func already has the names of `func`.
static void print_header(Printer *printer, const PtxFunc *func) {
    Buf *out = printer->out;
    print_linkage(out, func->is_extern, func->is_visible, func->is_weak);
    buf_str(out, func->is_entry ? STR(".entry ") : STR(".func "));
    if (func->result_count) {
        print_formals(out, func->results, func->result_count,
                      printer->names.results, "");
        buf_byte(out, ' ');
    }
    buf_str(out, func->name);
    print_formals(out, func->params, func->param_count, printer->names.params,
                  "\n\t");
    print_directives(out, func);
}

// ---- declarations in a body ----------------------------------------------

// Prints registers of one type, at most a line of them. Returns the index of
// the next one.
static size_t print_reg_list(Printer *printer, size_t first) {
    const PtxFunc *func = printer->func;
    const PtxReg *like = &func->regs[first];
    size_t i = first;
    for (; i < func->reg_count && i < first + NAMES_A_LINE; i++) {
        const PtxReg *reg = &func->regs[i];
        if (printer->names.ranges[i] != REG_LISTED || reg->type != like->type ||
            reg->vector != like->vector)
            break;
        buf_str(printer->out, i > first ? STR(", ") : STR(""));
        buf_str(printer->out, printer->names.regs[i]);
    }
    return i;
}

static void print_regs(Printer *printer) {
    const PtxFunc *func = printer->func;
    for (size_t i = 0; i < func->reg_count;) {
        uint8_t kind = printer->names.ranges[i];
        const PtxReg *reg = &func->regs[i];
        if (kind == REG_FORMAL || kind == REG_RANGE_REST) {
            i++;
            continue;
        }
        buf_str(printer->out, STR("\t.reg "));
        print_type(printer->out, reg->type, reg->vector);
        if (kind == REG_LISTED) {
            i = print_reg_list(printer, i);
        } else {
            buf_str(printer->out, str_slice(reg->name, 0, reg->prefix));
            buf_printf(printer->out, "<%u>", reg->range);
            i++;
        }
        buf_str(printer->out, STR(";\n"));
    }
}

static void print_locals(Printer *printer) {
    const PtxFunc *func = printer->func;
    for (size_t i = 0; i < func->var_count; i++) {
        buf_byte(printer->out, '\t');
        print_var(printer, func->vars[i], printer->names.vars[i]);
    }
}

static void print_tables(Printer *printer) {
    const PtxFunc *func = printer->func;
    for (size_t i = 0; i < func->table_count; i++) {
        const PtxTable *table = &func->tables[i];
        buf_str(printer->out, printer->names.tables[i]);
        buf_str(printer->out, table->funcs ? STR(": .calltargets ")
                                           : STR(": .branchtargets "));
        for (size_t k = 0; k < table->count; k++) {
            buf_str(printer->out, k ? STR(", ") : STR(""));
            buf_str(printer->out,
                    table->funcs ? table->funcs[k]->name
                                 : printer->names.labels[table->labels[k]]);
        }
        buf_str(printer->out, STR(";\n"));
    }
}

static void print_protos(Printer *printer) {
    const PtxFunc *func = printer->func;
    for (size_t i = 0; i < func->proto_count; i++) {
        const PtxProto *proto = &func->protos[i];
        buf_str(printer->out, printer->names.protos[i]);
        buf_str(printer->out, STR(": .callprototype "));
        print_formals(printer->out, proto->results, proto->result_count, NULL,
                      "");
        buf_str(printer->out, STR(" _ "));
        print_formals(printer->out, proto->params, proto->param_count, NULL,
                      "");
        buf_str(printer->out,
                proto->is_noreturn ? STR(" .noreturn;\n") : STR(";\n"));
    }
}

// ---- source locations ----------------------------------------------------

static uint32_t *last_loc(Printer *printer, const PtxLoc *loc) {
    uint32_t place[3] = {loc->file, loc->line, loc->col};
    uint64_t salt = printer->func->id;
    Str key = {(const char *)place, sizeof place};
    if (map_get(&printer->locs, salt, key) == 0)
        key = str_copy(&printer->scratch, key);
    return map_at(&printer->locs, salt, key);
}

// The number + 1 of the name of an inlined function.
static uint32_t string_number(Printer *printer, Str name) {
    uint32_t *place = map_at(&printer->strings, 0, name);
    if (*place == 0)
        *place = (uint32_t)printer->strings.count;
    return *place;
}

static void print_loc(Printer *printer, uint32_t index) {
    const PtxModule *module = printer->module;
    const PtxLoc *loc = &module->locs[index];
    buf_printf(printer->out, "\t.loc %u %u %u", loc->file, loc->line, loc->col);
    if (loc->inlined_at) {
        const PtxLoc *site = &module->locs[loc->inlined_at];
        buf_printf(printer->out,
                   ", function_name $L__info_string%u, inlined_at %u %u %u",
                   string_number(printer, loc->function) - 1, site->file,
                   site->line, site->col);
    }
    buf_byte(printer->out, '\n');
    *last_loc(printer, loc) = index;
}

// A call site is named only by its place. If the last .loc with this place is
// not the call site, the call site's is printed again first.
static void print_sites(Printer *printer, uint32_t index) {
    uint32_t site = printer->module->locs[index].inlined_at;
    if (site == 0 || *last_loc(printer, &printer->module->locs[site]) == site)
        return;
    print_sites(printer, site);
    print_loc(printer, site);
}

static void change_loc(Printer *printer, uint32_t index) {
    if (index == printer->loc)
        return;
    if (printer->loc == 0 && printer->func->loc != index) {
        printer->loc = index;
        change_loc(printer, printer->func->loc);
    }
    print_sites(printer, index);
    print_loc(printer, index);
    printer->loc = index;
}

static void print_files(Printer *printer) {
    const PtxModule *module = printer->module;
    for (size_t i = 1; i < module->file_count; i++) {
        if (module->files[i].len == 0)
            continue;
        buf_printf(printer->out, ".file %zu ", i);
        print_quoted(printer->out, module->files[i]);
        buf_byte(printer->out, '\n');
    }
}

static void print_strings(Printer *printer) {
    Str *names = arena_new(&printer->scratch, Str, printer->strings.count + 1);
    for (size_t i = 0; i < printer->strings.capacity; i++) {
        const MapSlot *slot = &printer->strings.slots[i];
        if (slot->hash)
            names[slot->value - 1] = slot->key;
    }
    if (printer->strings.count)
        buf_str(printer->out, STR("\n.section .debug_str\n{\n"));
    for (size_t i = 0; i < printer->strings.count; i++) {
        buf_printf(printer->out, "$L__info_string%zu:\n.b8 ", i);
        for (size_t k = 0; k < names[i].len; k++)
            buf_printf(printer->out, "%u,", (unsigned char)names[i].ptr[k]);
        buf_str(printer->out, STR("0\n"));
    }
    if (printer->strings.count)
        buf_str(printer->out, STR("}\n"));
}

// ---- functions -----------------------------------------------------------

// Prints what precedes instruction i: its labels and pragmas, both of which are
// stored in the order of the instructions.
static void print_marks(Printer *printer, size_t i, size_t *label,
                        size_t *pragma) {
    const PtxFunc *func = printer->func;
    for (; *label < func->label_count && func->labels[*label].target <= i;
         (*label)++) {
        buf_str(printer->out, printer->names.labels[*label]);
        buf_str(printer->out, STR(":\n"));
    }
    for (; *pragma < func->pragma_count && func->pragmas[*pragma].target <= i;
         (*pragma)++) {
        buf_str(printer->out, STR("\t.pragma "));
        print_quoted(printer->out, func->pragmas[*pragma].text);
        buf_str(printer->out, STR(";\n"));
    }
}

static bool print_replacement(Printer *printer, const PtxInstr *instr) {
    const PtxHooks *hooks = printer->hooks;
    return hooks && hooks->instr(hooks->context, printer, printer->func, instr,
                                 printer->out);
}

static void print_body(Printer *printer) {
    const PtxFunc *func = printer->func;
    size_t label = 0, pragma = 0;
    for (size_t i = 0; i <= func->instr_count; i++) {
        print_marks(printer, i, &label, &pragma);
        if (i == func->instr_count)
            break;
        if (func->instrs[i].loc)
            change_loc(printer, func->instrs[i].loc);
        if (print_replacement(printer, &func->instrs[i]))
            continue;
        buf_byte(printer->out, '\t');
        print_instr(printer, &func->instrs[i]);
        buf_str(printer->out, STR(";\n"));
    }
    if (printer->loc == 0 && func->loc)
        change_loc(printer, func->loc);
}

static void print_definition(Printer *printer) {
    buf_str(printer->out, STR("\n{\n"));
    printer->loc = 0;
    print_regs(printer);
    print_locals(printer);
    print_protos(printer);
    print_tables(printer);
    if (printer->hooks)
        printer->hooks->enter(printer->hooks->context, printer, printer->func,
                              printer->out);
    print_body(printer);
    buf_str(printer->out, STR("}\n"));
}

static void print_func(Printer *printer, const PtxFunc *func, bool is_defined) {
    printer->func = func;
    print_name_func(printer);
    buf_byte(printer->out, '\n');
    print_header(printer, func);
    if (is_defined)
        print_definition(printer);
    else
        buf_str(printer->out, STR(";\n"));
    printer->func = NULL;
    printer->names = (FuncNames){0};
}

static bool operand_waits(const PtxOperand *operand, uint32_t id) {
    if ((operand->kind == PTX_OPND_SYMBOL ||
         operand->base == PTX_BASE_SYMBOL) &&
        operand->symbol.kind == PTX_SYM_FUNC && operand->symbol.func->id > id)
        return true;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        if (operand_waits(&operand->elems[i], id))
            return true;
    return false;
}

// Whether the function names one that comes after it.
static bool func_waits(const PtxFunc *func) {
    for (size_t i = 0; i < func->instr_count; i++)
        for (uint32_t k = 0; k < func->instrs[i].operand_count; k++)
            if (operand_waits(&func->instrs[i].operands[k], func->id))
                return true;
    for (size_t i = 0; i < func->table_count; i++)
        for (size_t k = 0; func->tables[i].funcs && k < func->tables[i].count;
             k++)
            if (func->tables[i].funcs[k]->id > func->id)
                return true;
    return false;
}

static bool vars_name_funcs(const PtxModule *module) {
    for (size_t i = 0; i < module->var_count; i++)
        for (size_t k = 0; k < module->vars[i]->reloc_count; k++)
            if (module->vars[i]->relocs[k].symbol.kind == PTX_SYM_FUNC)
                return true;
    return false;
}

static void print_funcs(Printer *printer, bool are_declared) {
    const PtxModule *module = printer->module;
    for (size_t i = 0; i < module->func_count && !are_declared; i++) {
        const PtxFunc *func = module->funcs[i];
        print_func(printer, func, func->has_body && !func_waits(func));
    }
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->has_body && (are_declared || func_waits(func)))
            print_func(printer, func, true);
    }
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->alias_of)
            buf_printf(printer->out, ".alias %.*s, %.*s;\n",
                       STR_ARG(func->name), STR_ARG(func->alias_of->name));
    }
}

void ptx_print_hooked(const PtxModule *module, const PtxHooks *hooks,
                      Buf *out) {
    Printer printer = {.module = module, .hooks = hooks, .out = out};
    printer.taken.arena = printer.locs.arena = &printer.scratch;
    printer.strings.arena = &printer.scratch;
    print_name_module(&printer);
    buf_printf(out, ".version %u.%u\n.target %.*s\n.address_size %u\n\n",
               module->version_major, module->version_minor,
               STR_ARG(module->target), module->address_size);
    print_files(&printer);
    bool are_declared = vars_name_funcs(module);
    for (size_t i = 0; i < module->func_count && are_declared; i++)
        print_func(&printer, module->funcs[i], false);
    print_vars(&printer);
    print_funcs(&printer, are_declared);
    print_strings(&printer);
    arena_free(&printer.scratch);
}

void ptx_print(const PtxModule *module, Buf *out) {
    ptx_print_hooked(module, NULL, out);
}
