// SPDX-License-Identifier: Apache-2.0
// What replaces the instructions of Cluster Launch Control: read rewrite_instr
// at the end.
//
// An emulated request draws the next cluster that is left. With INDEX_CLAIMED
// it then swaps the cluster's claim from pending to granted; if it is too late,
// because the cluster has been launched, it draws again. With INDEX_DRAWN
// launched blocks draw from the same counter: what is drawn is granted, and the
// request waits for only one memory access.
//
// Whether the host wants refusals must be known before drawing, because an
// index that is drawn but not granted would be lost. So each request, while it
// draws, also reads this for the next request, into a register of the function.
//
// The answer is 16 bytes: x, y, z of the first block of the cluster, and 1; or
// zeros.
#include "gpu/rewrite_text.h"
#include "gpu/table.h"

// ---- requests: snippets --------------------------------------------------

// Registers that are kept from one request to the next: refuse_first and
// refuse_every.
static const char DECLARE[] =
    "\t.reg .b64 ~refuse;\n"
    "\tld.const.b64 ~refuse, [<table.control>];\n"
    "\tld.relaxed.sys.global.b64 ~refuse, [~refuse+<control.refuse_first>];\n";

static const char OPEN[] = "\t{\n"
                           "\t.reg .pred ~p;\n"
                           "\t.reg .b32 ~index, ~granted, ~claim, ~mine;\n"
                           "\t.reg .b64 ~control, ~place;\n";

// If the host wants refusals: whether this request is to be refused.
static const char REFUSE[] =
    "\t.reg .b32 ~ticket, ~first, ~every;\n"
    "\tsetp.eq.u64 ~p, ~refuse, 0;\n"
    "\t@~p bra ~draw;\n"
    "\tld.relaxed.sys.global.b64 ~refuse, [~control+<control.refuse_first>];\n"
    "\tmov.b64 {~first, ~every}, ~refuse;\n"
    "\tatom.relaxed.gpu.global.add.u32 ~ticket, [~control+<control.tickets>], "
    "1;\n"
    "\tsetp.lt.u32 ~p, ~ticket, ~first;\n"
    "\t@~p bra ~refused;\n"
    "\tsetp.eq.u32 ~p, ~every, 0;\n"
    "\t@~p bra ~draw;\n"
    "\tadd.u32 ~ticket, ~ticket, 1;\n"
    "\trem.u32 ~ticket, ~ticket, ~every;\n"
    "\tsetp.eq.u32 ~p, ~ticket, 0;\n"
    "\t@~p bra ~refused;\n";

static const char DRAW[] =
    "~draw:\n"
    "\tatom.relaxed.gpu.global.add.u32 ~index, [~control+<control.next>], 1;\n"
    "\tld.relaxed.sys.global.b64 ~refuse, [~control+<control.refuse_first>];\n"
    "\tsetp.ge.u32 ~p, ~index, ~clusters;\n"
    "\t@~p bra ~refused;\n";

static const char SWAP_CLAIM[] =
    "\tld.const.b64 ~place, [<table.claims>];\n"
    "\tmad.wide.u32 ~place, ~index, 4, ~place;\n"
    "\tadd.u32 ~mine, ~cluster, 1;\n"
    "\tatom.relaxed.gpu.global.cas.b32 ~claim, [~place], 0, ~mine;\n"
    "\tsetp.ne.u32 ~p, ~claim, 0;\n"
    "\t@~p bra ~draw;\n";

static const char GRANTED[] = "\tmov.u32 ~of, %cluster_nctaid.x;\n"
                              "\tmul.lo.u32 ~x, ~x, ~of;\n"
                              "\tmov.u32 ~of, %cluster_nctaid.y;\n"
                              "\tmul.lo.u32 ~y, ~y, ~of;\n"
                              "\tmov.u32 ~of, %cluster_nctaid.z;\n"
                              "\tmul.lo.u32 ~z, ~z, ~of;\n"
                              "\tmov.b32 ~granted, 1;\n"
                              "\tbra ~answer;\n";

static const char REFUSED[] = "~refused:\n"
                              "\tmov.b32 ~x, 0;\n"
                              "\tmov.b32 ~y, 0;\n"
                              "\tmov.b32 ~z, 0;\n"
                              "\tmov.b32 ~granted, 0;\n";

// Writes the answer to this block's own slot. (st.async is an illegal
// instruction in a launch without clusters.)
static const char ANSWER_ONE[] =
    "\tst.shared.v4.b32 [~slot], {~x, ~y, ~z, ~granted};\n"
    "\tfence.acq_rel.cta;\n"
    "\tmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [~barrier], 16;\n";

// Writes the answer to the same slot in each block of the cluster.
static const char ANSWER_ALL[] =
    "\t.reg .b32 ~rank, ~ranks, ~its_slot, ~its_barrier;\n"
    "\tmov.pred ~p, %is_explicit_cluster;\n"
    "\t@!~p bra ~alone;\n"
    "\tmov.u32 ~ranks, %cluster_nctarank;\n"
    "\tmov.b32 ~rank, 0;\n"
    "~each:\n"
    "\tmapa.shared::cluster.u32 ~its_slot, ~slot, ~rank;\n"
    "\tmapa.shared::cluster.u32 ~its_barrier, ~barrier, ~rank;\n"
    "\tst.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
    "[~its_slot], {~x, ~y, ~z, ~granted}, [~its_barrier];\n"
    "\tadd.u32 ~rank, ~rank, 1;\n"
    "\tsetp.lt.u32 ~p, ~rank, ~ranks;\n"
    "\t@~p bra ~each;\n"
    "\tbra ~done;\n"
    "~alone:\n";

// ---- requests: the ledger ------------------------------------------------

static const char COUNT_REQUEST[] =
    "\tred.relaxed.gpu.global.add.u32 [~control+<control.requests>], 1;\n";

// INDEX_DRAWN: no other thread writes this claim.
static const char STORE_CLAIM[] =
    "\tld.const.b64 ~place, [<table.claims>];\n"
    "\tmad.wide.u32 ~place, ~index, 4, ~place;\n"
    "\tadd.u32 ~mine, ~cluster, 1;\n"
    "\tst.relaxed.gpu.global.b32 [~place], ~mine;\n";

// The fence is there because the thread that decodes the answer reads the
// claim.
static const char COUNT_GRANT[] =
    "\t.reg .b32 ~order;\n"
    "\tatom.relaxed.gpu.global.add.u32 ~order, [~control+<control.granted>], "
    "1;\n"
    "\tadd.u32 ~order, ~order, 1;\n"
    "\tld.const.b64 ~place, [<table.orders>];\n"
    "\tmad.wide.u32 ~place, ~index, 4, ~place;\n"
    "\tst.relaxed.gpu.global.b32 [~place], ~order;\n"
    "\tfence.acq_rel.gpu;\n";

static const char COUNT_REFUSAL[] =
    "\tred.relaxed.gpu.global.add.u32 [~control+<control.refused>], 1;\n"
    "\tld.relaxed.gpu.global.b32 ~index, [~control+<control.next>];\n"
    "\tsetp.ge.u32 ~p, ~index, ~clusters;\n"
    "\t@~p bra ~answer;\n"
    "\tred.relaxed.gpu.global.add.u32 [~control+<control.refused_pending>], "
    "1;\n";

// Counts a request on a card with CLC.
static const char COUNT_NATIVE[] =
    "\t{\n"
    "\t.reg .b64 ~control;\n"
    "\tld.const.b64 ~control, [<table.control>];\n"
    "\t<if>red.relaxed.gpu.global.add.u32 [~control+<control.requests>], 1;\n"
    "\t}\n";

// ---- queries: snippets ---------------------------------------------------

static const char OPEN_QUERY[] = "\t{\n"
                                 "\t.reg .pred ~p;\n"
                                 "\t.reg .b64 ~low, ~high;\n"
                                 "\t.reg .b32 ~rest;\n"
                                 "\tmov.b128 {~low, ~high}, <answer>;\n";

static const char IS_CANCELED[] = "\tshr.u64 ~high, ~high, 32;\n"
                                  "\t<if>setp.ne.u64 <result>, ~high, 0;\n";

static const char GET_X[] = "\t<if>mov.b64 {<result>, ~rest}, ~low;\n";
static const char GET_Y[] = "\t<if>mov.b64 {~rest, <result>}, ~low;\n";
static const char GET_Z[] = "\t<if>mov.b64 {<result>, ~rest}, ~high;\n";
static const char GET_W[] = "\t<if>mov.b32 <result>, 0;\n";

// ---- queries: the ledger -------------------------------------------------

static const char OPEN_TAKEN[] = "\t{\n"
                                 "\t.reg .pred ~p;\n"
                                 "\t.reg .b32 ~x, ~y, ~z, ~size;\n"
                                 "\t.reg .b32 ~claim, ~mine;\n"
                                 "\t.reg .b64 ~place;\n";

// Native CLC: decodes the answer.
static const char DECODE_NATIVE[] =
    "\tclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 ~p, <answer>;\n"
    "\t@!~p bra ~done;\n"
    "\tclusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
    "{~x, ~y, ~z, _}, <answer>;\n";

static const char DECODE[] = "\t.reg .b64 ~low, ~high;\n"
                             "\tmov.b128 {~low, ~high}, <answer>;\n"
                             "\tmov.b64 {~x, ~y}, ~low;\n"
                             "\tmov.b64 {~z, ~claim}, ~high;\n"
                             "\tsetp.eq.u32 ~p, ~claim, 0;\n"
                             "\t@~p bra ~done;\n";

// ~x: the linear id of the cluster. An answer that is read too early may have
// any value, so it must not give an index outside the arrays.
static const char WHICH[] = "\tmov.u32 ~size, %cluster_nctaid.x;\n"
                            "\tdiv.u32 ~x, ~x, ~size;\n"
                            "\tmov.u32 ~size, %cluster_nctaid.y;\n"
                            "\tdiv.u32 ~y, ~y, ~size;\n"
                            "\tmov.u32 ~size, %cluster_nctaid.z;\n"
                            "\tdiv.u32 ~z, ~z, ~size;\n"
                            "\tmov.u32 ~size, %nclusterid.y;\n"
                            "\tmad.lo.u32 ~y, ~z, ~size, ~y;\n"
                            "\tmov.u32 ~size, %nclusterid.x;\n"
                            "\tmad.lo.u32 ~x, ~y, ~size, ~x;\n"
                            "\tsetp.ge.u32 ~p, ~x, ~clusters;\n"
                            "\t@~p bra ~done;\n"
                            "\tadd.u32 ~mine, ~cluster, 1;\n"
                            "\tld.const.b64 ~place, [<table.claims>];\n"
                            "\tmad.wide.u32 ~place, ~x, 4, ~place;\n"
                            "\tld.relaxed.gpu.global.b32 ~claim, [~place];\n"
                            "\tsetp.eq.u32 ~p, ~claim, ~mine;\n";

// Emulated CLC: the claim was made at the request.
static const char UNLESS_MINE[] = "\t@!~p bra ~done;\n";

// Native CLC: the first thread that decodes the index claims the cluster. It is
// an error if another thread has claimed it or if it was launched.
static const char CLAIM_NATIVE[] =
    "\t.reg .b64 ~control;\n"
    "\t.reg .b32 ~order;\n"
    "\t@~p bra ~done;\n"
    "\tatom.relaxed.gpu.global.cas.b32 ~claim, [~place], 0, ~mine;\n"
    "\tsetp.eq.u32 ~p, ~claim, ~mine;\n"
    "\t@~p bra ~done;\n"
    "\tld.const.b64 ~control, [<table.control>];\n"
    "\tsetp.eq.u32 ~p, ~claim, 0;\n"
    "\t@~p bra ~new;\n"
    "\tred.relaxed.gpu.global.add.u32 [~control+<control.conflicts>], 1;\n"
    "\tbra ~done;\n"
    "~new:\n"
    "\tatom.relaxed.gpu.global.add.u32 ~order, [~control+<control.granted>], "
    "1;\n"
    "\tadd.u32 ~order, ~order, 1;\n"
    "\tld.const.b64 ~place, [<table.orders>];\n"
    "\tmad.wide.u32 ~place, ~x, 4, ~place;\n"
    "\tst.relaxed.gpu.global.b32 [~place], ~order;\n";

static const char TAKE[] = "\tld.const.b64 ~place, [<table.taken>];\n"
                           "\tmad.wide.u32 ~place, ~x, 4, ~place;\n"
                           "\tst.relaxed.gpu.global.b32 [~place], 1;\n";

static const char CLOSE[] = "~done:\n"
                            "\t}\n";

// ---- sites ---------------------------------------------------------------

// The instruction that is replaced, and the output.
typedef struct Site {
    const Rewriter *rewriter;
    const PtxPrinter *printer;
    const PtxFunc *func;
    const PtxInstr *instr;
    Buf *out;
    Str guard, inverse; // "@%p1 ", "@!%p1 "; empty: none
} Site;

static Site site_at(const Rewriter *rewriter, const PtxPrinter *printer,
                    const PtxFunc *func, const PtxInstr *instr, Buf *out) {
    Site site = {rewriter, printer, func, instr, out, {0}, {0}};
    if (instr->guard == 0)
        return site;
    Str name = ptx_printed_reg(printer, instr->guard - 1);
    Str is = str_format(rewriter->arena, "@%.*s ", STR_ARG(name));
    Str is_not = str_format(rewriter->arena, "@!%.*s ", STR_ARG(name));
    site.guard = instr->guard_negated ? is_not : is;
    site.inverse = instr->guard_negated ? is : is_not;
    return site;
}

static void emit_with(const Site *site, const char *text, Str answer,
                      Str result) {
    const SnippetArgument arguments[] = {
        {"if", site->guard},
        {"unless", site->inverse},
        {"answer", answer},
        {"result", result},
    };
    const Snippet snippet = {site->rewriter, site->out, arguments,
                             COUNT_OF(arguments)};
    snippet_emit(&snippet, text);
}

static void emit(const Site *site, const char *text) {
    emit_with(site, text, (Str){0}, (Str){0});
}

static Str printed(const Site *site, const PtxOperand *operand) {
    return ptx_printed_operand(site->printer, site->rewriter->arena, operand);
}

// ---- requests ------------------------------------------------------------

// Puts the 32-bit address in shared memory that an operand names into ~name.
static void emit_address(const Site *site, const char *name,
                         const PtxOperand *operand) {
    bool is_generic = ptx_space(site->instr) == PTX_SPACE_GENERIC;
    PtxOperand value = *operand;
    value.kind = operand->base == PTX_BASE_SYMBOL ? PTX_OPND_SYMBOL
                 : operand->base == PTX_BASE_REG  ? PTX_OPND_REG
                                                  : PTX_OPND_INT;
    Str text = printed(site, &value);
    Str ours = str_format(site->rewriter->arena, "%.*s%s",
                          STR_ARG(site->rewriter->prefix), name);
    uint32_t size = operand->base == PTX_BASE_REG
                        ? ptx_type_size(site->func->regs[operand->reg].type)
                        : 4;
    bool is_wide = size == 8;
    emit_with(site, "\t.reg .b32 <result>;\n", text, ours);
    if (is_wide && is_generic)
        emit_with(site, "\tcvta.to.shared.u64 ~place, <answer>;\n", text, ours);
    else if (is_wide)
        emit_with(site, "\tmov.b64 ~place, <answer>;\n", text, ours);
    if (is_wide)
        emit_with(site, "\tcvt.u32.u64 <result>, ~place;\n", text, ours);
    else if (size == 2)
        emit_with(site, "\tcvt.u32.u16 <result>, <answer>;\n", text, ours);
    else if (size == 1)
        emit_with(site, "\tcvt.u32.u8 <result>, <answer>;\n", text, ours);
    else
        emit_with(site, "\tmov.u32 <result>, <answer>;\n", text, ours);
    if (operand->base == PTX_BASE_REG && operand->imm)
        buf_printf(site->out, "\tadd.u32 %.*s, %.*s, %d;\n", STR_ARG(ours),
                   STR_ARG(ours), (int32_t)operand->imm);
}

static void emit_draw(const Site *site) {
    bool is_claimed = site->rewriter->index == INDEX_CLAIMED;
    bool has_ledger = site->rewriter->how->ledger;
    emit(site, "\tld.const.b64 ~control, [<table.control>];\n");
    if (has_ledger)
        emit(site, COUNT_REQUEST);
    if (has_ledger || is_claimed)
        emit(site, SNIPPET_CLUSTER);
    emit(site, SNIPPET_CLUSTERS);
    emit(site, REFUSE);
    emit(site, DRAW);
    if (is_claimed)
        emit(site, SWAP_CLAIM);
    else if (has_ledger)
        emit(site, STORE_CLAIM);
    if (has_ledger)
        emit(site, COUNT_GRANT);
}

static void emulate_request(const Site *site) {
    emit(site, OPEN);
    if (site->inverse.len)
        emit(site, "\t<unless>bra ~done;\n");
    emit_address(site, "slot", &site->instr->operands[0]);
    emit_address(site, "barrier", &site->instr->operands[1]);
    emit_draw(site);
    emit(site, SNIPPET_PLACE);
    emit(site, GRANTED);
    emit(site, REFUSED);
    if (site->rewriter->how->ledger)
        emit(site, COUNT_REFUSAL);
    emit(site, "~answer:\n");
    if (ptx_has(site->instr, PTX_MOD_MULTICAST_CLUSTER_ALL))
        emit(site, ANSWER_ALL);
    emit(site, ANSWER_ONE);
    emit(site, CLOSE);
}

static bool is_request(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
}

void rewrite_declare_requests(const Rewriter *rewriter, const PtxFunc *func,
                              Buf *out) {
    bool has_request = false;
    for (size_t i = 0; i < func->instr_count; i++)
        has_request |= is_request(&func->instrs[i]);
    const Snippet snippet = {.rewriter = rewriter, .out = out};
    if (has_request)
        snippet_emit(&snippet, DECLARE);
}

// ---- queries -------------------------------------------------------------

// Any other form is left to the assembler, which will refuse it.
static bool is_query(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL &&
           (ptx_has(instr, PTX_MOD_IS_CANCELED) ||
            ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X) ||
            ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Y) ||
            ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Z) ||
            instr->operands[0].kind == PTX_OPND_VECTOR);
}

static bool is_index(const PtxInstr *instr) {
    return is_query(instr) && !ptx_has(instr, PTX_MOD_IS_CANCELED);
}

static void emit_part(const Site *site, const char *text,
                      const PtxOperand *result) {
    if (result->kind != PTX_OPND_SINK)
        emit_with(site, text, (Str){0}, printed(site, result));
}

static void emulate_query(const Site *site) {
    static const char *const parts[] = {GET_X, GET_Y, GET_Z, GET_W};
    const PtxInstr *instr = site->instr;
    const PtxOperand *result = &instr->operands[0];
    emit_with(site, OPEN_QUERY, printed(site, &instr->operands[1]), (Str){0});
    if (ptx_has(instr, PTX_MOD_IS_CANCELED))
        emit_part(site, IS_CANCELED, result);
    else if (ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X))
        emit_part(site, GET_X, result);
    else if (ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Y))
        emit_part(site, GET_Y, result);
    else if (ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Z))
        emit_part(site, GET_Z, result);
    for (uint32_t i = 0; i < result->elem_count && i < COUNT_OF(parts); i++)
        emit_part(site, parts[i], &result->elems[i]);
    emit(site, "\t}\n");
}

// ---- the ledger ----------------------------------------------------------

// This comes before the index is decoded, because decoding may overwrite the
// register of the guard or of the answer.
static void record_taken(const Site *site) {
    bool emulate = site->rewriter->how->emulate;
    Str answer = printed(site, &site->instr->operands[1]);
    emit(site, OPEN_TAKEN);
    if (site->inverse.len)
        emit(site, "\t<unless>bra ~done;\n");
    emit(site, SNIPPET_CLUSTER);
    emit(site, SNIPPET_CLUSTERS);
    emit_with(site, emulate ? DECODE : DECODE_NATIVE, answer, (Str){0});
    emit(site, WHICH);
    emit(site, emulate ? UNLESS_MINE : CLAIM_NATIVE);
    emit(site, TAKE);
    emit(site, CLOSE);
}

// ---- all of it -----------------------------------------------------------

static bool replace_clc(const Site *site) {
    const GpuRewrite *how = site->rewriter->how;
    const PtxInstr *instr = site->instr;
    if (how->ledger && is_index(instr))
        record_taken(site);
    if (how->ledger && !how->emulate && is_request(instr))
        emit(site, COUNT_NATIVE);
    if (how->emulate && is_request(instr))
        emulate_request(site);
    else if (how->emulate && is_query(instr))
        emulate_query(site);
    else
        return false;
    return true;
}

bool rewrite_instr(const Rewriter *rewriter, const PtxPrinter *printer,
                   const PtxFunc *func, const PtxInstr *instr, Buf *out) {
    const Site site = site_at(rewriter, printer, func, instr, out);
    if (rewriter->index == INDEX_DRAWN && rewrite_reads_index(instr)) {
        rewrite_read_index(rewriter, printer, instr, out);
        return true;
    }
    return replace_clc(&site);
}
