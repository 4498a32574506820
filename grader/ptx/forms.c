// SPDX-License-Identifier: Apache-2.0
// Which suffixes the instructions that synchronise take together, as ptxas 13.0
// does (PTX ISA, sections 9.7.13 and 9.7.13.15 to 17). Their order is free, as
// it is for ptxas. An instruction without a row takes any; the machine says of
// those that it does not have. grader/tools/ask-ptxas compares.
//
// A form is a list of groups. Of each group, a form has one of the alternatives
// between the bars; "-" is none, and "+" joins suffixes that come together.
#include "ptx/parse.h"

typedef struct FormRow {
    PtxOp op;
    const char *groups;
} FormRow;

#define SPACES "-|shared|shared::cta|shared::cluster"
#define OWN_SPACES "-|shared|shared::cta"
#define ARRIVES \
    "-|relaxed+cta|relaxed+cluster|release+cta|release+cluster " SPACES " b64"
#define WAITS                                                               \
    "-|parity "                                                             \
    "-|relaxed+cta|relaxed+cluster|acquire+cta|acquire+cluster " OWN_SPACES \
    " b64"
#define HALVES                                        \
    "acquire+sync_restrict::shared::cluster+cluster|" \
    "release+sync_restrict::shared::cta+cluster"

static const FormRow rows[] = {
    {PTX_OP_MBARRIER_INIT, OWN_SPACES " b64"},
    {PTX_OP_MBARRIER_INVAL, OWN_SPACES " b64"},
    {PTX_OP_MBARRIER_EXPECT_TX, "-|relaxed+cta|relaxed+cluster " SPACES " b64"},
    {PTX_OP_MBARRIER_COMPLETE_TX,
     "-|relaxed+cta|relaxed+cluster " SPACES " b64"},
    {PTX_OP_MBARRIER_ARRIVE, "-|expect_tx " ARRIVES},
    {PTX_OP_MBARRIER_ARRIVE, "noComplete -|release+cta " OWN_SPACES " b64"},
    {PTX_OP_MBARRIER_ARRIVE_DROP, "-|expect_tx " ARRIVES},
    {PTX_OP_MBARRIER_ARRIVE_DROP,
     "noComplete -|release+cta " OWN_SPACES " b64"},
    {PTX_OP_MBARRIER_TEST_WAIT, WAITS},
    {PTX_OP_MBARRIER_TRY_WAIT, WAITS},
    {PTX_OP_MBARRIER_PENDING_COUNT, "b64"},
    {PTX_OP_MEMBAR, "cta|gl|sys"},
    {PTX_OP_MEMBAR_PROXY, "alias"},
    {PTX_OP_FENCE, "-|sc|acq_rel|acquire|release cta|cluster|gpu|sys"},
    {PTX_OP_FENCE, HALVES},
    {PTX_OP_FENCE_MBARRIER_INIT, "release+cluster"},
    {PTX_OP_FENCE_PROXY, "alias"},
    {PTX_OP_FENCE_PROXY, "async -|global|shared::cta|shared::cluster"},
    {PTX_OP_FENCE_PROXY, "async::generic " HALVES},
    {PTX_OP_FENCE_PROXY,
     "tensormap::generic acquire|release cta|cluster|gpu|sys"},
    {PTX_OP_BARRIER_CLUSTER_ARRIVE, "-|release|relaxed -|aligned"},
    {PTX_OP_BARRIER_CLUSTER_WAIT, "-|acquire -|aligned"},
    {PTX_OP_BAR_SYNC, "-"},
    {PTX_OP_BAR_ARRIVE, "-"},
    {PTX_OP_BAR_CTA_SYNC, "-"},
    {PTX_OP_BAR_CTA_ARRIVE, "-"},
    {PTX_OP_BAR_WARP_SYNC, "-"},
    {PTX_OP_BARRIER_SYNC, "-|aligned"},
    {PTX_OP_BARRIER_ARRIVE, "-|aligned"},
    {PTX_OP_BARRIER_CTA_SYNC, "-|aligned"},
    {PTX_OP_BARRIER_CTA_ARRIVE, "-|aligned"},
    {PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL,
     "async -|shared::cta mbarrier::complete_tx::bytes "
     "-|multicast::cluster::all b128"},
    {PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL, "is_canceled+pred+b128"},
    {PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL,
     "get_first_ctaid+v4|get_first_ctaid::x|get_first_ctaid::y|"
     "get_first_ctaid::z b32 b128"},
};

// Takes the suffix, by its bit in `left`. False: it is not there.
static bool take(const PtxInstr *instr, Str name, uint32_t *left) {
    for (uint32_t i = 0; i < instr->mod_count; i++)
        if (*left >> i & 1 && str_equal(ptx_mod_name(instr->mods[i]), name)) {
            *left &= ~(1u << i);
            return true;
        }
    return false;
}

static bool take_all(const PtxInstr *instr, Str names, uint32_t *left) {
    if (str_equal(names, STR("-")))
        return true;
    while (names.len)
        if (!take(instr, str_cut(&names, '+'), left))
            return false;
    return true;
}

// Whether the suffixes in `left` are one alternative of each group.
static bool fits(const PtxInstr *instr, Str groups, uint32_t left) {
    if (!groups.len)
        return left == 0;
    for (Str choices = str_cut(&groups, ' '); choices.len;) {
        uint32_t rest = left;
        if (take_all(instr, str_cut(&choices, '|'), &rest) &&
            fits(instr, groups, rest))
            return true;
    }
    return false;
}

// "[.parity] [.acquire.cta|...] .b64" of "-|parity -|acquire+cta|... b64".
static void show(Str groups, Buf *out) {
    for (bool more = false; groups.len; more = true) {
        Str choices = str_cut(&groups, ' ');
        bool is_free = str_starts(choices, STR("-|"));
        choices = str_slice(choices, is_free ? 2 : 0, choices.len);
        buf_printf(out, "%s%s.", more ? " " : "", is_free ? "[" : "");
        for (size_t i = 0; i < choices.len; i++) {
            char c = choices.ptr[i];
            buf_printf(out, "%.*s", c == '+' ? 0 : 1, &c);
            buf_printf(out, "%s", c == '+' || c == '|' ? "." : "");
        }
        buf_printf(out, "%s", is_free ? "]" : "");
    }
}

// All forms of the opcode, as help.
static const char *shown_forms(Parser *parser, PtxOp op) {
    Buf out = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str groups = str_from(rows[i].groups);
        if (rows[i].op != op || str_equal(groups, STR("-")))
            continue;
        buf_printf(&out, "%s", out.len ? ", or " : "It takes ");
        show(groups, &out);
    }
    buf_printf(&out, "%s", out.len ? "." : "It takes no suffixes.");
    Str text = buf_view(&out);
    const char *shown = str_cstring(&parser->scratch, text);
    buf_free(&out);
    return shown;
}

// What suffixes say of the operands of an arrival.
static bool check_arrival(Parser *parser, Token at, const PtxInstr *instr) {
    bool has_count =
        ptx_has(instr, PTX_MOD_EXPECT_TX) || ptx_has(instr, PTX_MOD_NOCOMPLETE);
    if (has_count && instr->operand_count < 3)
        return parse_fail(parser, at, "",
                          "With .expect_tx or .noComplete, '%.*s' takes a "
                          "third operand, the bytes or the count.",
                          STR_ARG(words_op(instr->op)->name));
    return !ptx_has(instr, PTX_MOD_SHARED_CLUSTER) ||
           instr->operands[0].kind == PTX_OPND_SINK ||
           parse_fail(parser, at, "Write '_' in place of the result.",
                      "'%.*s' at .shared::cluster gives no state.",
                      STR_ARG(words_op(instr->op)->name));
}

bool forms_check(Parser *parser, Token at, const PtxInstr *instr) {
    bool is_arrival = instr->op == PTX_OP_MBARRIER_ARRIVE ||
                      instr->op == PTX_OP_MBARRIER_ARRIVE_DROP;
    uint32_t all = (1u << instr->mod_count) - 1;
    bool is_known = false;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].op != instr->op)
            continue;
        is_known = true;
        if (fits(instr, str_from(rows[i].groups), all))
            return !is_arrival || check_arrival(parser, at, instr);
    }
    return !is_known ||
           parse_fail(parser, at, shown_forms(parser, instr->op),
                      "'%.*s' does not take these suffixes together.",
                      STR_ARG(words_op(instr->op)->name));
}
