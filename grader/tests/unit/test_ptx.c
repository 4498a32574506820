// SPDX-License-Identifier: Apache-2.0
// The PTX parser: what it makes of each part of the language, and its public
// helpers. test_ptx_fixtures.c has the errors and the printer.
#include "ptx/ptx.h"
#include "tests/unit/test.h"

static const char HEAD[] = ".version 9.0\n.target sm_100a\n.address_size 64\n";

typedef struct Parsed {
    Arena arena;
    Diags diags;
    const PtxModule *module;
} Parsed;

static void show_diags(const Diags *diags) {
    for (size_t i = 0; i < diags->count; i++)
        printf("# %u:%u: %.*s\n", diags->items[i].at.line,
               diags->items[i].at.col, STR_ARG(diags->items[i].what));
}

static bool parse(Parsed *parsed, const char *text) {
    *parsed = (Parsed){0};
    parsed->diags = diags_new(&parsed->arena);
    Str all = str_format(&parsed->arena, "%s%s", HEAD, text);
    parsed->module =
        ptx_parse(&parsed->arena, STR("x.ptx"), all, &parsed->diags);
    show_diags(&parsed->diags);
    return CHECK(parsed->module != NULL);
}

// The function of a module whose only kernel has this body.
static const PtxFunc *parse_body(Parsed *parsed, const char *body) {
    static const char kernel[] =
        ".global .b32 g[4];\n"
        ".visible .entry k(.param .u64 k_p)\n{\n.reg .b32 %%r<9>;\n"
        ".reg .b64 %%rd<9>;\n.reg .pred %%p<9>;\n.reg .f32 %%f<9>;\n%s\n}\n";
    Arena arena = {0};
    Str text = str_format(&arena, kernel, body);
    bool ok = parse(parsed, str_cstring(&arena, text));
    // Slices point into the text, which parse() copied.
    arena_free(&arena);
    return ok ? ptx_find_func(parsed->module, STR("k")) : NULL;
}

// ---- types and suffixes --------------------------------------------------

TEST(types_have_sizes_and_names) {
    CHECK_INT(ptx_type_size(PTX_B128), 16);
    CHECK_INT(ptx_type_size(PTX_F16X2), 4);
    CHECK_INT(ptx_type_size(PTX_PRED), 1);
    CHECK_INT(ptx_type_size(PTX_NONE), 0);
    CHECK_STR(ptx_type_name(PTX_U32), "u32");
    CHECK_STR(ptx_type_name(PTX_BF16X2), "bf16x2");
    CHECK(ptx_type_is_float(PTX_F32) && ptx_type_is_float(PTX_BF16));
    CHECK(!ptx_type_is_float(PTX_B32) && !ptx_type_is_float(PTX_S64));
    CHECK(ptx_type_is_signed(PTX_S8) && !ptx_type_is_signed(PTX_U8));
    CHECK(!ptx_type_is_signed(PTX_F32));
}

TEST(an_opcode_is_the_longest_prefix_and_the_rest_are_suffixes) {
    Parsed p;
    const PtxFunc *k = parse_body(
        &p, "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r1], "
            "%r2;\ncp.async.wait_group 0;\nld.global.v2.f32 {%f1, %f2}, "
            "[%rd1];\nmov.u32 %r1, %r2;");
    if (!k)
        return;
    const PtxInstr *arrive = &k->instrs[0];
    CHECK_INT(arrive->op, PTX_OP_MBARRIER_ARRIVE);
    CHECK_INT(arrive->mod_count, 5);
    CHECK_INT(arrive->mods[0], PTX_MOD_EXPECT_TX);
    CHECK(ptx_has(arrive, PTX_MOD_RELAXED) && !ptx_has(arrive, PTX_MOD_GPU));
    CHECK_INT(ptx_space(arrive), PTX_SPACE_SHARED);
    CHECK_INT(arrive->type_count, 1);
    CHECK_INT(arrive->types[0], PTX_B64);
    CHECK_INT(k->instrs[1].op, PTX_OP_CP_ASYNC_WAIT_GROUP);
    CHECK_INT(ptx_vector(&k->instrs[2]), 2);
    CHECK_INT(ptx_space(&k->instrs[2]), PTX_SPACE_GLOBAL);
    CHECK_INT(ptx_vector(&k->instrs[3]), 1);
    CHECK_INT(ptx_space(&k->instrs[3]), PTX_SPACE_GENERIC);
    arena_free(&p.arena);
}

// ---- operands ------------------------------------------------------------

TEST(operands_keep_their_form) {
    Parsed p;
    const PtxFunc *k =
        parse_body(&p, "@!%p1 setp.lt.and.s32 %p2|%p3, %r1, -5, !%p4;\n"
                       "ld.global.v2.u32 {%r1, _}, [%rd1+-8];\n"
                       "mov.u64 %rd1, g+4;\nmov.u32 %r1, %tid.y;\n"
                       "ld.const.f32 %f1, [16];");
    if (!k)
        return;
    const PtxInstr *setp = &k->instrs[0];
    CHECK(setp->guard_negated);
    CHECK_STR(k->regs[setp->guard - 1].name, "%p1");
    CHECK_INT(setp->operands[0].kind, PTX_OPND_PAIR);
    CHECK_STR(k->regs[setp->operands[0].elems[1].reg].name, "%p3");
    CHECK_U64(setp->operands[2].imm, (uint64_t)-5);
    CHECK(setp->operands[3].negated);
    const PtxOperand *load = k->instrs[1].operands;
    CHECK_INT(load[0].kind, PTX_OPND_VECTOR);
    CHECK_INT(load[0].elems[1].kind, PTX_OPND_SINK);
    CHECK_INT(load[1].base, PTX_BASE_REG);
    CHECK_U64(load[1].imm, (uint64_t)-8);
    CHECK_INT(k->instrs[2].operands[1].kind, PTX_OPND_SYMBOL);
    CHECK(k->instrs[2].operands[1].symbol.var ==
          ptx_find_var(p.module, STR("g")));
    CHECK_U64(k->instrs[2].operands[1].imm, 4);
    CHECK_INT(k->instrs[3].operands[1].sreg, PTX_SREG_TID_Y);
    CHECK_INT(k->instrs[4].operands[1].base, PTX_BASE_NONE);
    CHECK_U64(k->instrs[4].operands[1].imm, 16);
    arena_free(&p.arena);
}

static uint64_t constant(const char *expression) {
    Parsed p;
    Arena arena = {0};
    Str body = str_format(&arena, "mov.b64 %%rd1, %s;", expression);
    const PtxFunc *k = parse_body(&p, str_cstring(&arena, body));
    uint64_t value = k ? k->instrs[0].operands[1].imm : 0xDEAD;
    arena_free(&p.arena);
    arena_free(&arena);
    return value;
}

TEST(constant_expressions_have_the_values_of_the_manual) {
    CHECK_U64(constant("0x1F"), 31);
    CHECK_U64(constant("017"), 15);
    CHECK_U64(constant("0b101"), 5);
    CHECK_U64(constant("12U"), 12);
    CHECK_U64(constant("2 + 3 * 4 - 1"), 13);
    CHECK_U64(constant("(2 + 3) * 4"), 20);
    CHECK_U64(constant("1 << 4 | 3 & 2"), 18);
    CHECK_U64(constant("~0 >> 60"), UINT64_MAX);
    CHECK_U64(constant("0xFFFFFFFFFFFFFFFF >> 60"), 15);
    CHECK_U64(constant("-7 / 2"), (uint64_t)-3);
    CHECK_U64(constant("-7 % 2"), 1); // '%' is unsigned, shifts are modulo 64
    CHECK_U64(constant("-7 % 3"), 0);
    CHECK_U64(constant("1 << 64"), 1);
    CHECK_U64(constant("1 << 65"), 2);
    CHECK_U64(constant("1 >> -1"), 0);
    CHECK_U64(constant("1 || 0 && 0"), 1);
    CHECK_U64(constant("-1 < 0"), 1);
    CHECK_U64(constant("-1 > 0U"), 1);
    CHECK_U64(constant("-5 < 0U"), 0);
    CHECK_U64(constant("(1 ? -1 : 0U) > 0"), 0);
    CHECK_U64(constant("1 | 2 == 2"), 1);
    CHECK_U64(constant("1 == 1 != 1"), 0);
    CHECK_U64(constant("4 & 3 << 1"), 4);
    CHECK_U64(constant("1 ? 0 ? 5 : 6 : 7"), 6);
    CHECK_U64(constant("0 ? 1 : 0 ? 2 : 3"), 3);
    CHECK_U64(constant("!3 + !0"), 1);
    CHECK_U64(constant("3 >= 4"), 0);
    CHECK_U64(constant("3 <= 4"), 1);
    CHECK_U64(constant("1.5 < 2.5"), 1);
    CHECK_U64(constant("1.5 + 2.5 == 4.0"), 1);
    CHECK_U64(constant("1.0 / 4.0 != 0.25"), 0);
    CHECK_U64(constant("(-9223372036854775807 - 1) / -1"), (uint64_t)1 << 63);
    CHECK_U64(constant("(.u64)-8 / 2"), 0x7FFFFFFFFFFFFFFC);
    CHECK_U64(constant("WARP_SZ"), 32);
    CHECK_U64(constant("!3"), 0);
}

TEST(float_literals_keep_their_bits) {
    Parsed p;
    const PtxFunc *k = parse_body(&p, "mov.f32 %f1, 0f3F800000;\n"
                                      "mov.f32 %f1, -1.5;\n"
                                      "mov.f32 %f1, 0d3FF0000000000000;");
    if (!k)
        return;
    CHECK_INT(k->instrs[0].operands[1].kind, PTX_OPND_F32);
    CHECK_U64(k->instrs[0].operands[1].imm, 0x3F800000);
    CHECK_INT(k->instrs[1].operands[1].kind, PTX_OPND_F64);
    CHECK_U64(k->instrs[1].operands[1].imm, 0xBFF8000000000000);
    CHECK_U64(k->instrs[2].operands[1].imm, 0x3FF0000000000000);
    arena_free(&p.arena);
}

// ---- names ---------------------------------------------------------------

TEST(inner_blocks_shadow_registers_and_labels) {
    Parsed p;
    const PtxFunc *k = parse_body(
        &p, "L: mov.u32 %r1, 1;\n{ .reg .b32 %r1; L: mov.u32 %r1, 2;\n"
            "bra L; }\nmov.u32 %r1, 3;\nbra L;\n{ bra END; }\nEND:");
    if (!k)
        return;
    uint32_t outer = k->instrs[0].operands[0].reg;
    uint32_t inner = k->instrs[1].operands[0].reg;
    CHECK(outer != inner);
    CHECK_INT(k->instrs[3].operands[0].reg, outer);
    CHECK_INT(k->labels[k->instrs[2].operands[0].target].target, 1);
    CHECK_INT(k->labels[k->instrs[4].operands[0].target].target, 0);
    CHECK_INT(k->labels[k->instrs[5].operands[0].target].target,
              k->instr_count);
    arena_free(&p.arena);
}

TEST(registers_are_numbered_by_declaration_and_only_used_ones_exist) {
    Parsed p;
    const PtxFunc *k = parse_body(&p, ".reg .b64 x, y;\n.reg .b32 z<1000000>;\n"
                                      "mov.u32 z999999, %r2;\n"
                                      "mov.u32 %r1, z0;\n");
    if (!k)
        return;
    const char *expected[] = {"%r1", "%r2", "x", "y", "z0", "z999999"};
    CHECK_INT(k->reg_count, COUNT_OF(expected));
    for (size_t i = 0; i < k->reg_count && i < COUNT_OF(expected); i++)
        CHECK_STR(k->regs[i].name, expected[i]);
    CHECK_INT(k->regs[5].range, 1000000);
    CHECK_INT(k->regs[5].prefix, 1);
    CHECK_INT(k->regs[2].type, PTX_B64);
    arena_free(&p.arena);
}

TEST(all_digits_that_end_a_register_s_name_are_its_number) {
    Parsed p;
    const PtxFunc *k = parse_body(&p, ".reg .b32 z<17>, z1<8>;\n"
                                      "mov.u32 z04, z4;\n"
                                      "mov.u32 z14, z000000000014;\n"
                                      "{ .reg .b64 z<5>; mov.b64 z4, z04;\n"
                                      "mov.u32 z14, z5; }\n");
    if (!k)
        return;
    const char *expected[] = {"z4", "z5", "z14", "z4"};
    CHECK_INT(k->reg_count, COUNT_OF(expected));
    for (size_t i = 0; i < k->reg_count && i < COUNT_OF(expected); i++)
        CHECK_STR(k->regs[i].name, expected[i]);
    CHECK_INT(k->regs[2].range, 17);
    CHECK_INT(k->regs[3].type, PTX_B64);
    arena_free(&p.arena);
}

// ---- variables -----------------------------------------------------------

TEST(variables_have_size_alignment_and_bytes) {
    Parsed p;
    if (!parse(&p, ".global .align 16 .b8 a[5] = {1, 0x2, 03};\n"
                   ".global .u16 m[2][3] = {{1}, {4, 5}};\n"
                   ".const .f32 f = 1.5;\n.global .b32 zero[9] = {0};\n"
                   ".global .u32 open[] = {7, 8};\n"
                   ".extern .shared .align 8 .b8 dyn[];\n"
                   ".global .v4 .f32 v;\n"))
        return;
    const PtxVar *a = ptx_find_var(p.module, STR("a"));
    CHECK_INT(a->size, 5);
    CHECK_INT(a->align, 16);
    CHECK(a->init[0] == 1 && a->init[2] == 3 && a->init[3] == 0);
    const PtxVar *m = ptx_find_var(p.module, STR("m"));
    CHECK_INT(m->size, 12);
    CHECK(m->init[0] == 1 && m->init[6] == 4 && m->init[8] == 5);
    const PtxVar *f = ptx_find_var(p.module, STR("f"));
    CHECK(f->init[2] == 0xC0 && f->init[3] == 0x3F);
    CHECK_INT(f->space, PTX_SPACE_CONST);
    CHECK(ptx_find_var(p.module, STR("zero"))->init == NULL);
    CHECK_INT(ptx_find_var(p.module, STR("open"))->size, 8);
    CHECK_INT(ptx_find_var(p.module, STR("dyn"))->size, 0);
    CHECK(ptx_find_var(p.module, STR("dyn"))->is_extern);
    CHECK_INT(ptx_find_var(p.module, STR("v"))->size, 16);
    CHECK_INT(ptx_find_var(p.module, STR("v"))->align, 16);
    CHECK(ptx_find_var(p.module, STR("w")) == NULL);
    arena_free(&p.arena);
}

TEST(addresses_in_initialisers_are_relocations) {
    Parsed p;
    if (!parse(&p, ".global .b8 a[4];\n.func f() { ret; }\n"
                   ".global .u64 t[3] = {generic(a)+2, 5, f};\n"
                   ".global .u8 s[9] = {1, 0xFF(a), 0xFF00(a), 0xFF0000(a), "
                   "0xFF000000(a), 0xFF00000000(a), 0xFF0000000000(a), "
                   "0xFF000000000000(a), 0xFF00000000000000(a)};\n"
                   ".global .u8 part[1] = {0xFF00(a)};\n"))
        return;
    const PtxVar *t = ptx_find_var(p.module, STR("t"));
    CHECK_INT(t->reloc_count, 2);
    CHECK(t->relocs[0].generic && t->relocs[0].addend == 2);
    CHECK(t->relocs[0].symbol.var == ptx_find_var(p.module, STR("a")));
    CHECK_INT(t->relocs[1].offset, 16);
    CHECK_INT(t->relocs[1].symbol.kind, PTX_SYM_FUNC);
    CHECK_INT(t->init[8], 5);
    const PtxVar *s = ptx_find_var(p.module, STR("s"));
    CHECK_INT(s->reloc_count, 1);
    CHECK(s->relocs[0].offset == 1 && s->relocs[0].size == 8);
    const PtxVar *part = ptx_find_var(p.module, STR("part"));
    CHECK(part->relocs[0].shift == 8 && part->relocs[0].size == 1);
    arena_free(&p.arena);
}

// ---- functions -----------------------------------------------------------

TEST(a_header_has_parameters_and_directives) {
    Parsed p;
    if (!parse(&p, ".visible .entry k(.param .u64 .ptr .global .align 16 a, "
                   ".param .align 4 .b8 s[12])\n.maxntid 128, 2\n"
                   ".reqnctapercluster 2\n.minnctapersm 3\n.maxnreg 40\n"
                   ".explicitcluster\n{ ret; }\n"))
        return;
    const PtxFunc *k = ptx_find_func(p.module, STR("k"));
    CHECK(k->is_entry && k->is_visible && k->has_body && k->explicit_cluster);
    CHECK_INT(k->param_count, 2);
    CHECK(k->params[0]->is_ptr && k->params[0]->is_formal);
    CHECK_INT(k->params[0]->ptr_space, PTX_SPACE_GLOBAL);
    CHECK_INT(k->params[0]->ptr_align, 16);
    CHECK_INT(k->params[1]->size, 12);
    CHECK(k->max_threads.x == 128 && k->max_threads.y == 2 &&
          k->max_threads.z == 1);
    CHECK(k->req_cluster.x == 2 && k->req_cluster.y == 1);
    CHECK_INT(k->req_threads.x, 0);
    CHECK_INT(k->min_ctas, 3);
    CHECK_INT(k->max_regs, 40);
    CHECK(ptx_find_func(p.module, STR("none")) == NULL);
    CHECK_INT(p.module->version_major, 9);
    CHECK_STR(p.module->target, "sm_100a");
    CHECK_INT(p.module->arch, 100);
    arena_free(&p.arena);
}

// A gap before the second and the third, none behind the last.
TEST(parameters_are_at_multiples_of_their_alignment) {
    Parsed p;
    if (!parse(&p, ".visible .entry k(.param .u8 a, .param .u64 b,\n"
                   ".param .align 16 .b8 c[20], .param .u16 d) { ret; }\n"
                   ".visible .entry none() { ret; }\n"))
        return;
    const PtxFunc *kernel = ptx_find_func(p.module, STR("k"));
    static const uint64_t offsets[] = {0, 8, 16, 36};
    for (size_t i = 0; i < COUNT_OF(offsets); i++)
        CHECK_U64(ptx_param_offset(kernel, i), offsets[i]);
    CHECK_U64(ptx_param_bytes(kernel), 38);
    CHECK_U64(ptx_param_bytes(ptx_find_func(p.module, STR("none"))), 0);
    arena_free(&p.arena);
}

TEST(a_variable_is_placed_behind_the_one_before) {
    PtxVar var = {.size = 6, .align = 4};
    uint64_t end = 5;
    CHECK_U64(ptx_place(&end, &var), 8);
    CHECK_U64(end, 14);
    var.align = 0; // of a variable that no parser made: anywhere
    CHECK_U64(ptx_place(&end, &var), 14);
    CHECK_U64(end, 20);
}

TEST(calls_always_have_three_operands) {
    Parsed p;
    const PtxFunc *k =
        parse_body(&p, ".param .b32 a, r;\nP: .callprototype (.param .b32 _) "
                       "_ (.param .b32 _) .noreturn;\n"
                       "call (r), %rd1, (a), P;\ncall.uni k;\n"
                       "T: .branchtargets L0, L1;\nL0: brx.idx %r1, T;\nL1:");
    if (!k)
        return;
    const PtxInstr *call = &k->instrs[0];
    CHECK_INT(call->operand_count, 3);
    CHECK_INT(call->operands[0].elem_count, 1);
    CHECK_INT(call->operands[1].kind, PTX_OPND_REG);
    CHECK_INT(call->operands[2].elems[0].symbol.var->space, PTX_SPACE_PARAM);
    CHECK_INT(call->call_proto, 1);
    CHECK(k->protos[0].param_count == 1 && k->protos[0].is_noreturn);
    CHECK(k->instrs[1].operands[1].symbol.func == k);
    CHECK_INT(k->instrs[1].operands[0].elem_count, 0);
    CHECK_INT(k->instrs[2].branch_targets, 1);
    CHECK_INT(k->tables[0].count, 2);
    CHECK_INT(k->labels[k->tables[0].labels[1]].target, 3);
    arena_free(&p.arena);
}

TEST(a_definition_fills_in_its_declaration) {
    Parsed p;
    if (!parse(&p, ".func (.param .b32 r) f(.param .b32 x);\n.func g();\n"
                   ".func g() { ret; }\n.func h();\n.alias h, g;\n"
                   ".func (.param .b32 out) f(.param .b32 in) { ret; }\n"))
        return;
    const PtxFunc *f = ptx_find_func(p.module, STR("f"));
    CHECK_INT(p.module->func_count, 3);
    CHECK(f->has_body && f->id == 0);
    CHECK_STR(f->params[0]->name, "in");
    CHECK(ptx_find_func(p.module, STR("h"))->alias_of ==
          ptx_find_func(p.module, STR("g")));
    arena_free(&p.arena);
}

// ---- locations -----------------------------------------------------------

TEST(locations_lead_to_the_call_site) {
    Parsed p;
    const PtxFunc *k = parse_body(
        &p, ".loc 1 5 0\nmov.u32 %r1, 1;\n.loc 1 7 3\n"
            ".loc 2 20 9, function_name $S, inlined_at 1 7 3\n"
            "mov.u32 %r2, 2;\n"
            ".loc 2 30 9, function_name $S, inlined_at 2 20 9\n"
            "mov.u32 %r3, 3;\n}\n.file 1 \"kernel.cu\"\n.file 2 \"lab.h\"\n"
            ".section .debug_str {\n$S:\n.b8 105,110\n.b8 0\n");
    if (!k)
        return;
    SrcLoc first = ptx_src(p.module, k->instrs[0].loc);
    CHECK_STR(first.file, "kernel.cu");
    CHECK_INT(first.line, 5);
    CHECK_INT(k->loc, k->instrs[0].loc);
    const PtxLoc *deep = &p.module->locs[k->instrs[2].loc];
    const PtxLoc *middle = &p.module->locs[deep->inlined_at];
    CHECK_STR(deep->function, "in");
    CHECK(deep->line == 30 && middle->line == 20);
    CHECK_INT(deep->inlined_at, k->instrs[1].loc);
    CHECK_INT(ptx_src(p.module, middle->inlined_at).line, 7);
    CHECK_INT(p.module->locs[middle->inlined_at].inlined_at, 0);
    CHECK_INT(ptx_src(p.module, 0).line, 0);
    CHECK_INT(ptx_src(p.module, 9999).line, 0);
    arena_free(&p.arena);
}

TEST(a_function_is_where_its_own_code_is_not_what_it_inlines) {
    Parsed p;
    const PtxFunc *k =
        parse_body(&p, ".loc 2 30 9, function_name $S, inlined_at 1 7 3\n"
                       "mov.u32 %r1, 1;\n.loc 1 8 1\nret;\n");
    if (!k)
        return;
    CHECK_INT(p.module->locs[k->loc].line, 7);
    CHECK_INT(p.module->locs[k->instrs[0].loc].line, 30);
    CHECK_INT(p.module->locs[k->instrs[0].loc].inlined_at, k->loc);
    arena_free(&p.arena);
}

// ---- what untrusted text may not do --------------------------------------

static double arena_per_byte(Str text, bool *ok) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    *ok = ptx_parse(&arena, STR("big.ptx"), text, &diags) != NULL;
    double ratio = (double)arena.total / (double)text.len;
    arena_free(&arena);
    return ratio;
}

TEST(memory_is_linear_in_the_text) {
    Buf text = {0};
    bool ok;
    buf_printf(&text, "%s.visible .entry k()\n{\n", HEAD);
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "{ .reg .b32 x<1000000>; mov.u32 x%d, 1; }\n", i);
    buf_printf(&text, "ret;\n}\n");
    CHECK(arena_per_byte(buf_view(&text), &ok) < 64);
    CHECK(ok);
    buf_free(&text);
}

// Each table grows, and keeps what is in it.
TEST(a_module_may_have_many_of_each) {
    enum { MANY = 3000 };
    Buf text = {0};
    Parsed p;
    for (int i = 1; i <= MANY; i++)
        buf_printf(&text,
                   ".file %d \"f%d.cu\"\n.global .u32 g%d = %d;\n"
                   ".func f%d() { ret; }\n",
                   i, i, i, i, i);
    buf_printf(&text, ".visible .entry k()\n{\n");
    for (int i = 1; i <= MANY; i++)
        buf_printf(&text,
                   ".loc %d %d 7\n.reg .b32 r%d; bra L%d; L%d: "
                   "mov.u32 r%d, g%d;\n",
                   i, 2 * i, i, MANY - i + 1, i, i, i);
    buf_printf(&text, "ret;\n}\n%c", '\0');
    if (!parse(&p, text.ptr))
        return;
    const PtxFunc *k = ptx_find_func(p.module, STR("k"));
    CHECK_U64(p.module->var_count, MANY);
    CHECK_U64(p.module->func_count, MANY + 1);
    CHECK_U64(k->label_count, MANY);
    CHECK_U64(k->instr_count, 2 * MANY + 1);
    for (int i = 1; i <= MANY; i += 37) {
        const PtxInstr *branch = &k->instrs[2 * (i - 1)], *move = branch + 1;
        Str name = str_format(&p.arena, "g%d", i);
        CHECK_INT(k->labels[branch->operands[0].target].target,
                  2 * (MANY - i) + 1);
        CHECK(str_equal(move->operands[1].symbol.var->name, name));
        SrcLoc at = ptx_src(p.module, move->loc);
        CHECK_INT(at.line, 2 * i);
        CHECK(str_equal(at.file, str_format(&p.arena, "f%d.cu", i)));
    }
    buf_free(&text);
    arena_free(&p.arena);
}

TEST(deep_nesting_is_an_error_not_a_crash) {
    static const char *const openers[] = {
        "{", "mov.u32 %r1, (", "mov.u32 %r1, -", "mov.b64 %rd1, {", "call (("};
    for (size_t i = 0; i < COUNT_OF(openers); i++) {
        Buf text = {0};
        bool ok = true;
        buf_printf(&text, "%s.visible .entry k()\n{\n", HEAD);
        buf_str(&text, str_from(openers[i]));
        for (int k = 0; k < 100000; k++)
            buf_byte(&text, openers[i][strlen(openers[i]) - 1]);
        arena_per_byte(buf_view(&text), &ok);
        CHECK(!ok);
        buf_free(&text);
    }
}

TEST(errors_are_few_however_many_there_are) {
    Buf text = {0};
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    buf_printf(&text, "%s.visible .entry k()\n{\n", HEAD);
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "nonsense.u32 a, b;\n");
    CHECK(!ptx_parse(&arena, STR("x"), buf_view(&text), &diags));
    CHECK(diags.errors >= 2 && diags.errors <= 21);
    buf_free(&text);
    arena_free(&arena);
}

TEST_MAIN(
    TESTCASE(types_have_sizes_and_names),
    TESTCASE(an_opcode_is_the_longest_prefix_and_the_rest_are_suffixes),
    TESTCASE(operands_keep_their_form),
    TESTCASE(constant_expressions_have_the_values_of_the_manual),
    TESTCASE(float_literals_keep_their_bits),
    TESTCASE(inner_blocks_shadow_registers_and_labels),
    TESTCASE(registers_are_numbered_by_declaration_and_only_used_ones_exist),
    TESTCASE(all_digits_that_end_a_register_s_name_are_its_number),
    TESTCASE(variables_have_size_alignment_and_bytes),
    TESTCASE(addresses_in_initialisers_are_relocations),
    TESTCASE(a_header_has_parameters_and_directives),
    TESTCASE(parameters_are_at_multiples_of_their_alignment),
    TESTCASE(a_variable_is_placed_behind_the_one_before),
    TESTCASE(calls_always_have_three_operands),
    TESTCASE(a_definition_fills_in_its_declaration),
    TESTCASE(locations_lead_to_the_call_site),
    TESTCASE(a_function_is_where_its_own_code_is_not_what_it_inlines),
    TESTCASE(memory_is_linear_in_the_text),
    TESTCASE(a_module_may_have_many_of_each),
    TESTCASE(deep_nesting_is_an_error_not_a_crash),
    TESTCASE(errors_are_few_however_many_there_are))
