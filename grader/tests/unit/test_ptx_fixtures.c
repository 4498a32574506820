// SPDX-License-Identifier: Apache-2.0
// The files of grader/tests/ptx/. bad_*.ptx begin with the errors that they
// must give, each once and no others:
//
//     // expect: <line>: <part of the message>
//
// ok_*.ptx must parse; printed and parsed again they must be the same module,
// and printed again the same bytes.
#include "ptx/ptx.h"
#include "tests/unit/test.h"

#include <dirent.h>

static const char FOLDER[] = "grader/tests/ptx";

typedef void FixtureCheck(Arena *arena, Str name, Str text);

static Str read_file(Arena *arena, const char *path) {
    Buf buf = {0};
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    for (size_t n; file && (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        buf_bytes(&buf, chunk, n);
    if (file)
        fclose(file);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

// Returns how many files with this prefix there were.
static size_t for_each(const char *prefix, FixtureCheck *check) {
    DIR *folder = opendir(FOLDER);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        Str name = str_from(entry->d_name);
        if (!str_starts(name, str_from(prefix)) || !str_ends(name, STR(".ptx")))
            continue;
        Arena arena = {0};
        Str path = str_format(&arena, "%s/%s", FOLDER, entry->d_name);
        check(&arena, name, read_file(&arena, path.ptr));
        arena_free(&arena);
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

// ---- errors --------------------------------------------------------------

static bool holds(Str text, Str part) {
    return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

static bool has_error(const Diags *diags, uint64_t line, Str part) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].at.line == line &&
            holds(diags->items[i].what, part))
            return true;
    return false;
}

static void show_errors(Str name, const Diags *diags) {
    for (size_t i = 0; i < diags->count; i++)
        printf("# %.*s:%u:%u: %.*s\n", STR_ARG(name), diags->items[i].at.line,
               diags->items[i].at.col, STR_ARG(diags->items[i].what));
}

static void check_bad(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    size_t expected = 0;
    bool ok = CHECK(ptx_parse(arena, name, text, &diags) == NULL);
    for (Str rest = text; str_starts(rest, STR("// expect: "));) {
        Str line = str_cut(&rest, '\n');
        Str part = str_slice(line, 11, line.len);
        uint64_t number = 0;
        ok &= CHECK(str_to_u64(str_cut(&part, ':'), &number));
        ok &= CHECK(has_error(&diags, number, str_trim(part)));
        expected++;
    }
    ok &= CHECK(expected > 0);
    ok &= CHECK_INT(diags.errors, expected);
    for (size_t i = 0; i < diags.count; i++) {
        ok &= CHECK_STR(diags.items[i].code, "PTX");
        ok &= CHECK(str_equal(diags.items[i].at.file, name));
        ok &= CHECK(diags.items[i].at.col > 0);
    }
    if (!ok)
        show_errors(name, &diags);
}

TEST(each_malformed_file_gives_its_errors_and_no_others) {
    CHECK(for_each("bad_", check_bad) >= 25);
}

static void check_origin(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    ptx_parse(arena, name, text, &diags);
    if (!CHECK_INT(diags.count, 2))
        return;
    CHECK_HOLDS(diags.items[0].help,
                "It comes from lab.h:7, inlined at kernel.cu:20.");
    CHECK_HOLDS(diags.items[1].help, "It comes from kernel.cu:41.");
}

TEST(an_error_in_inline_asm_names_the_line_of_the_source) {
    CHECK_INT(for_each("bad_origin", check_origin), 1);
}

// ---- equality of modules -------------------------------------------------

// Names are left out: what was shadowed is printed under another name.
static bool same_symbol(PtxSymbol a, PtxSymbol b) {
    if (a.kind != b.kind)
        return false;
    return a.kind == PTX_SYM_FUNC
               ? str_equal(a.func->name, b.func->name)
               : a.var->id == b.var->id && !a.var->func == !b.var->func;
}

static bool same_operands(const PtxOperand *a, const PtxOperand *b,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++, a++, b++) {
        bool is_symbol =
            a->kind == PTX_OPND_SYMBOL || a->base == PTX_BASE_SYMBOL;
        if (a->kind != b->kind || a->negated != b->negated ||
            a->base != b->base || a->reg != b->reg || a->sreg != b->sreg ||
            a->select != b->select || a->target != b->target ||
            a->imm != b->imm || a->elem_count != b->elem_count ||
            (is_symbol && !same_symbol(a->symbol, b->symbol)) ||
            !same_operands(a->elems, b->elems, a->elem_count))
            return false;
    }
    return true;
}

static bool same_instr(const PtxInstr *a, const PtxInstr *b) {
    return a->op == b->op && a->mod_count == b->mod_count &&
           a->type_count == b->type_count &&
           a->operand_count == b->operand_count && a->guard == b->guard &&
           a->guard_negated == b->guard_negated && a->loc == b->loc &&
           a->branch_targets == b->branch_targets &&
           a->call_proto == b->call_proto &&
           memcmp(a->mods, b->mods, sizeof a->mods) == 0 &&
           memcmp(a->types, b->types, sizeof a->types) == 0 &&
           same_operands(a->operands, b->operands, a->operand_count);
}

static bool same_bytes(const PtxVar *a, const PtxVar *b) {
    if (!a->init || !b->init)
        return !a->init && !b->init;
    return memcmp(a->init, b->init, (size_t)a->size) == 0;
}

static bool same_var(const PtxVar *a, const PtxVar *b) {
    bool same = a->space == b->space && a->type == b->type &&
                a->vector == b->vector && a->align == b->align &&
                a->size == b->size && a->is_array == b->is_array &&
                a->is_extern == b->is_extern &&
                a->is_visible == b->is_visible && a->is_weak == b->is_weak &&
                a->is_common == b->is_common && a->is_ptr == b->is_ptr &&
                a->ptr_space == b->ptr_space && a->ptr_align == b->ptr_align &&
                a->is_managed == b->is_managed && a->reg == b->reg &&
                a->reloc_count == b->reloc_count && same_bytes(a, b);
    for (size_t i = 0; same && i < a->reloc_count; i++) {
        const PtxReloc *x = &a->relocs[i], *y = &b->relocs[i];
        same = x->offset == y->offset && x->size == y->size &&
               x->generic == y->generic && x->addend == y->addend &&
               x->shift == y->shift && same_symbol(x->symbol, y->symbol);
    }
    return same;
}

static bool same_vars(PtxVar **a, size_t a_count, PtxVar **b, size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++)
        same = same_var(a[i], b[i]);
    return same;
}

static bool same_tables(const PtxFunc *a, const PtxFunc *b) {
    bool same =
        a->table_count == b->table_count && a->proto_count == b->proto_count;
    for (size_t i = 0; same && i < a->table_count; i++) {
        const PtxTable *x = &a->tables[i], *y = &b->tables[i];
        same = x->count == y->count && !x->funcs == !y->funcs;
        for (size_t k = 0; same && k < x->count; k++)
            same = x->funcs ? x->funcs[k]->id == y->funcs[k]->id
                            : x->labels[k] == y->labels[k];
    }
    for (size_t i = 0; same && i < a->proto_count; i++) {
        const PtxProto *x = &a->protos[i], *y = &b->protos[i];
        same =
            x->is_noreturn == y->is_noreturn &&
            same_vars(x->params, x->param_count, y->params, y->param_count) &&
            same_vars(x->results, x->result_count, y->results, y->result_count);
    }
    return same;
}

static bool same_body(const PtxFunc *a, const PtxFunc *b) {
    bool same = a->reg_count == b->reg_count &&
                a->instr_count == b->instr_count &&
                a->label_count == b->label_count &&
                a->pragma_count == b->pragma_count &&
                same_vars(a->vars, a->var_count, b->vars, b->var_count) &&
                same_tables(a, b);
    for (size_t i = 0; same && i < a->reg_count; i++)
        same = a->regs[i].type == b->regs[i].type &&
               a->regs[i].vector == b->regs[i].vector;
    for (size_t i = 0; same && i < a->instr_count; i++)
        same = same_instr(&a->instrs[i], &b->instrs[i]);
    for (size_t i = 0; same && i < a->label_count; i++)
        same = a->labels[i].target == b->labels[i].target;
    for (size_t i = 0; same && i < a->pragma_count; i++)
        same = a->pragmas[i].target == b->pragmas[i].target &&
               str_equal(a->pragmas[i].text, b->pragmas[i].text);
    return same;
}

static bool same_dim(PtxDim3 a, PtxDim3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_func(const PtxFunc *a, const PtxFunc *b) {
    return str_equal(a->name, b->name) && a->is_entry == b->is_entry &&
           a->is_extern == b->is_extern && a->is_visible == b->is_visible &&
           a->is_weak == b->is_weak && a->is_noreturn == b->is_noreturn &&
           a->has_body == b->has_body && !a->alias_of == !b->alias_of &&
           a->explicit_cluster == b->explicit_cluster &&
           a->blocks_are_clusters == b->blocks_are_clusters &&
           same_dim(a->max_threads, b->max_threads) &&
           same_dim(a->req_threads, b->req_threads) &&
           same_dim(a->req_cluster, b->req_cluster) &&
           a->max_cluster == b->max_cluster && a->max_regs == b->max_regs &&
           a->min_ctas == b->min_ctas && a->loc == b->loc && a->id == b->id &&
           same_vars(a->params, a->param_count, b->params, b->param_count) &&
           same_vars(a->results, a->result_count, b->results,
                     b->result_count) &&
           same_body(a, b);
}

static bool same_locs(const PtxModule *a, const PtxModule *b) {
    bool same = a->loc_count == b->loc_count && a->file_count == b->file_count;
    for (size_t i = 0; same && i < a->loc_count; i++) {
        const PtxLoc *x = &a->locs[i], *y = &b->locs[i];
        same = x->file == y->file && x->line == y->line && x->col == y->col &&
               x->inlined_at == y->inlined_at &&
               str_equal(x->function, y->function);
    }
    for (size_t i = 0; same && i < a->file_count; i++)
        same = str_equal(a->files[i], b->files[i]);
    return same;
}

static bool same_module(const PtxModule *a, const PtxModule *b) {
    bool same =
        CHECK(a->version_major == b->version_major &&
              a->version_minor == b->version_minor &&
              a->address_size == b->address_size) &&
        CHECK(str_equal(a->target, b->target)) &&
        CHECK(same_vars(a->vars, a->var_count, b->vars, b->var_count)) &&
        CHECK(same_locs(a, b)) && CHECK_INT(a->func_count, b->func_count);
    for (size_t i = 0; same && i < a->func_count; i++)
        same = CHECK(same_func(a->funcs[i], b->funcs[i]));
    return same;
}

// ---- round trip ----------------------------------------------------------

static Str print(Arena *arena, const PtxModule *module) {
    Buf buf = {0};
    ptx_print(module, &buf);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

static void check_round_trip(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *first = ptx_parse(arena, name, text, &diags);
    bool ok = CHECK(first != NULL) && CHECK_INT(diags.count, 0);
    if (ok) {
        Str printed = print(arena, first);
        const PtxModule *second = ptx_parse(arena, name, printed, &diags);
        ok = CHECK(second != NULL) && CHECK(same_module(first, second)) &&
             CHECK(str_equal(print(arena, second), printed));
    }
    if (!ok)
        printf("# in %.*s\n", STR_ARG(name));
    show_errors(name, &diags);
}

TEST(what_was_printed_is_the_same_module) {
    CHECK(for_each("ok_", check_round_trip) >= 10);
}

static void check_scopes(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    if (!CHECK(module != NULL))
        return;
    Str printed = print(arena, module);
    CHECK_HOLDS(printed, "mov.u32 t$1, 2;");
    CHECK_HOLDS(printed, "bra LAB$1;");
    CHECK_HOLDS(printed, "st.param.b32 [a$1], t;");
}

TEST(what_was_shadowed_is_printed_under_a_name_of_its_own) {
    CHECK_INT(for_each("ok_scopes", check_scopes), 1);
}

// ---- single instructions -------------------------------------------------

static const PtxInstr *find_instr(const PtxFunc *func, PtxOp op) {
    for (size_t i = 0; i < func->instr_count; i++)
        if (func->instrs[i].op == op)
            return &func->instrs[i];
    return NULL;
}

static void check_messages(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    const PtxFunc *k = module ? ptx_find_func(module, STR("k")) : NULL;
    if (!CHECK(k != NULL))
        return;
    Buf out = {0};
    ptx_print_instr(module, k, find_instr(k, PTX_OP_SETP), &out);
    buf_byte(&out, '/');
    ptx_print_instr(module, k, find_instr(k, PTX_OP_TEX), &out);
    buf_byte(&out, '/');
    ptx_print_instr(module, k, find_instr(k, PTX_OP_SUB), &out);
    CHECK_STR(buf_view(&out),
              "setp.lt.and.s32 p|q, %r1, %r2, !%p1/"
              "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1}]/"
              "@!q sub.s32 %r1, %r1, -2147483648");
    buf_free(&out);
}

TEST(an_instruction_is_printed_as_it_was_written) {
    CHECK_INT(for_each("ok_operands", check_messages), 1);
}

static void check_guide(Arena *arena, Str name, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *module = ptx_parse(arena, name, text, &diags);
    const PtxFunc *kernel = NULL;
    for (size_t i = 0; module && i < module->func_count; i++)
        if (module->funcs[i]->is_entry)
            kernel = module->funcs[i];
    if (!CHECK(kernel != NULL))
        return;
    const PtxInstr *request =
        find_instr(kernel, PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL);
    if (!CHECK(request != NULL))
        return;
    SrcLoc at = ptx_src(module, request->loc);
    CHECK_HOLDS(at.file, "clusterlaunchcontrol.h");
    uint32_t loc = request->loc;
    while (module->locs[loc].inlined_at)
        loc = module->locs[loc].inlined_at;
    CHECK_HOLDS(ptx_src(module, loc).file, "guide_");
    bool is_cluster = str_starts(name, STR("ok_guide_cluster"));
    CHECK_INT(kernel->req_cluster.x, is_cluster ? 2 : 0);
    CHECK_INT(ptx_has(request, PTX_MOD_MULTICAST_CLUSTER_ALL), is_cluster);
}

TEST(the_requests_of_the_guides_kernels_lead_to_the_source) {
    CHECK_INT(for_each("ok_guide_", check_guide), 2);
}

TEST_MAIN(TESTCASE(each_malformed_file_gives_its_errors_and_no_others),
          TESTCASE(an_error_in_inline_asm_names_the_line_of_the_source),
          TESTCASE(what_was_printed_is_the_same_module),
          TESTCASE(what_was_shadowed_is_printed_under_a_name_of_its_own),
          TESTCASE(an_instruction_is_printed_as_it_was_written),
          TESTCASE(the_requests_of_the_guides_kernels_lead_to_the_source))
