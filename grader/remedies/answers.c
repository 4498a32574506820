// SPDX-License-Identifier: Apache-2.0
// Remedies for what is done with an answer: leaving where nothing was granted,
// not asking again, taking the index that was granted, beginning with the one
// that the block was started with.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

static const PtxMod NONE[] = {PTX_MOD_NONE};
static const PtxMod U32[] = {PTX_MOD_U32, PTX_MOD_NONE};

static bool is_any_query(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_query(instr) && !instr->guard &&
           instr->operands[1].kind == PTX_OPND_REG;
}

static bool asks_whether(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_any_query(site, at) && ptx_has(instr, PTX_MOD_IS_CANCELED) &&
           instr->operands[0].kind == PTX_OPND_REG;
}

static void put_branch(Edit *edit, uint32_t *at, uint32_t label,
                       uint32_t unless) {
    const PtxOperand to = {.kind = PTX_OPND_LABEL, .target = label};
    edit_put(edit, at, PTX_OP_BRA, NONE, &to, 1);
    edit->func.instrs[*at - 1].guard = unless + 1;
    edit->func.instrs[*at - 1].guard_negated = true;
}

// ---- leaving on a refusal ------------------------------------------------

enum { OUT_OF_LOOP, OUT_OF_ALL, OUT_OF_KERNEL, WAYS_OUT };

// Where nothing was granted: to behind the loop, behind the one round it, or
// out of the kernel.
static void put_way_out(Edit *edit, uint32_t *at, uint32_t label,
                        uint32_t granted, uint32_t variant) {
    if (variant != OUT_OF_KERNEL) {
        put_branch(edit, at, label, granted);
        return;
    }
    edit_put(edit, at, PTX_OP_RET, NONE, NULL, 0);
    edit->func.instrs[*at - 1].guard = granted + 1;
    edit->func.instrs[*at - 1].guard_negated = true;
}

// Behind the query that asks whether there was a grant; in front of one that
// takes the index, with a query of its own.
static bool leave(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod asks[] = {PTX_MOD_IS_CANCELED, PTX_MOD_PRED,
                                  PTX_MOD_B128, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    uint32_t head, end = at, to = at;
    PtxOperand granted = edit->func.instrs[at].operands[0];
    if (variant != OUT_OF_KERNEL &&
        (!loop_round(mending->site->entry, at, variant, &head, &end) ||
         end + 1 >= edit->func.instr_count))
        return false;
    uint32_t label = edit_new_label(edit, end + 1);
    if (asks_whether(mending->site, at)) {
        to = at + 1;
    } else {
        granted = edit_reg(edit_new_reg(edit, PTX_PRED));
        const PtxOperand ask[] = {granted, edit->func.instrs[at].operands[1]};
        edit_put(edit, &to, PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL, asks, ask,
                 2);
    }
    put_way_out(edit, &to, label, granted.reg, variant);
    return true;
}

// ---- asking no more ------------------------------------------------------

static bool is_same_mbarrier(const RemedySite *site, const PtxInstr *a,
                             const PtxInstr *b) {
    const PtxOperand *one = mbarrier_operand(a), *two = mbarrier_operand(b);
    Place p, q;
    if (!one || !two)
        return false;
    if (place_of(site, one, &p) && place_of(site, two, &q))
        return p.var == q.var && p.offset == q.offset;
    return one->base == two->base && one->reg == two->reg &&
           one->imm == two->imm;
}

static bool announces(const PtxInstr *instr) {
    return instr->op == PTX_OP_MBARRIER_EXPECT_TX ||
           (is_arrive(instr) && ptx_has(instr, PTX_MOD_EXPECT_TX));
}

static bool is_free_request(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_request(instr) && !instr->guard && place_is_first(site, at);
}

// Round the wait's whole loop, so that it is passed without an answer.
static void pass_wait(Edit *edit, uint32_t at, uint32_t asking) {
    uint32_t label = edit_new_label(edit, end_of_wait(&edit->func, at) + 1);
    put_branch(edit, &at, label, asking);
}

static void clear_on_refusal(Edit *edit, uint32_t at, uint32_t asking) {
    static const PtxMod pred[] = {PTX_MOD_PRED, PTX_MOD_NONE};
    PtxInstr query = edit->func.instrs[at];
    const PtxOperand both[] = {edit_reg(asking), edit_reg(asking),
                               query.operands[0]};
    edit_insert_behind(edit, at,
                       edit_make(edit, &query, PTX_OP_AND, pred, both, 3));
}

// A flag of each thread: true at first, false from a refusal on.
static bool ask_no_more(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod is[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    const RemedySite *site = mending->site;
    const PtxFunc *entry = site->entry;
    Edit *edit = &mending->edit;
    uint32_t asking = edit_new_reg(edit, PTX_PRED), queries = 0, begin = 0;
    (void)variant;
    for (uint32_t i = (uint32_t)entry->instr_count; i-- > 0;) {
        const PtxInstr *instr = &entry->instrs[i];
        bool same = is_same_mbarrier(site, instr, &entry->instrs[at]);
        if (asks_whether(site, i)) {
            clear_on_refusal(edit, i, asking);
            queries++;
        } else if (same && (is_request(instr) || announces(instr))) {
            if (instr->guard)
                return false;
            edit->func.instrs[i].guard = asking + 1;
        } else if (same && is_wait(instr)) {
            pass_wait(edit, i, asking);
        }
    }
    const PtxOperand compare[] = {edit_reg(asking), edit_int(0), edit_int(0)};
    edit_put(edit, &begin, PTX_OP_SETP, is, compare, 3);
    return queries > 0;
}

// ---- the index that was granted ------------------------------------------

enum { AXES = 3 };

static const PtxSreg OWN_INDEX[AXES] = {PTX_SREG_CTAID_X, PTX_SREG_CTAID_Y,
                                        PTX_SREG_CTAID_Z};
static const PtxSreg OWN_RANK[AXES] = {PTX_SREG_CLUSTER_CTAID_X,
                                       PTX_SREG_CLUSTER_CTAID_Y,
                                       PTX_SREG_CLUSTER_CTAID_Z};
static const PtxMod TAKES[AXES] = {PTX_MOD_GET_FIRST_CTAID_X,
                                   PTX_MOD_GET_FIRST_CTAID_Y,
                                   PTX_MOD_GET_FIRST_CTAID_Z};

// The index along the axis, of this block of the cluster.
static PtxOperand put_index(const RemedySite *site, Edit *edit, uint32_t *at,
                            const PtxOperand *answer, uint32_t axis) {
    const PtxMod takes[] = {TAKES[axis], PTX_MOD_B32, PTX_MOD_B128,
                            PTX_MOD_NONE};
    PtxOperand index = edit_reg(edit_new_reg(edit, PTX_B32));
    const PtxOperand take[] = {index, *answer};
    edit_put(edit, at, PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL, takes, take,
             2);
    if (site->cluster > 1) {
        PtxOperand rank = edit_put_special(edit, at, OWN_RANK[axis]);
        const PtxOperand sum[] = {index, index, rank};
        edit_put(edit, at, PTX_OP_ADD, U32, sum, 3);
    }
    return index;
}

static bool reads_own_index(const PtxInstr *instr, uint32_t axis) {
    return instr->op == PTX_OP_MOV && !instr->guard &&
           instr->operands[0].kind == PTX_OPND_REG &&
           instr->operands[1].kind == PTX_OPND_SREG &&
           instr->operands[1].sreg == OWN_INDEX[axis];
}

// Whether it may be computed again: it hangs on one of the registers, and on
// nothing that changes.
static bool hangs_on(const RemedySite *site, const PtxInstr *instr,
                     const bool *changed) {
    if (PTX_TRAITS[instr->op].result != PTX_RESULT_PURE || instr->guard ||
        instr->operands[0].kind != PTX_OPND_REG ||
        setter_of(site, instr->operands[0].reg) != instr)
        return false;
    for (uint32_t i = 1; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_OPND_REG &&
            changed[instr->operands[i].reg])
            return true;
    return false;
}

// Behind the query, where there was a grant: the block's index is the granted
// one, and what was computed of it in front of the loop is computed again.
// `axes` has a bit for each.
static bool put_granted(Mending *mending, uint32_t at, uint32_t axes) {
    const RemedySite *site = mending->site;
    const PtxFunc *entry = site->entry;
    Edit *edit = &mending->edit;
    const PtxInstr query = edit->func.instrs[at];
    bool *changed = arena_new(edit->arena, bool, entry->reg_count);
    uint32_t head = outermost_loop(entry, at), to = at + 1, first = to,
             taken = 0;
    for (uint32_t axis = 0; axis < AXES; axis++)
        for (uint32_t i = 0; axes >> axis & 1 && i < entry->instr_count; i++) {
            if (!reads_own_index(&entry->instrs[i], axis))
                continue;
            uint32_t own = entry->instrs[i].operands[0].reg;
            const PtxOperand move[] = {
                edit_reg(own),
                put_index(site, edit, &to, &query.operands[1], axis)};
            edit_put(edit, &to, PTX_OP_MOV, U32, move, 2);
            changed[own] = true;
            taken++;
        }
    for (uint32_t i = 0; taken && i < head; i++)
        if (hangs_on(site, &entry->instrs[i], changed)) {
            edit_insert(edit, to++, edit_copy(edit, &entry->instrs[i]));
            changed[entry->instrs[i].operands[0].reg] = true;
        }
    for (uint32_t i = first; i < to; i++)
        edit->func.instrs[i].guard = query.operands[0].reg + 1;
    return taken > 0;
}

static bool take_granted(Mending *mending, uint32_t at, uint32_t variant) {
    static const uint32_t axes[] = {1, 4, 2, 6, 7};
    static const char *const names[] = {"x", "z", "y", "y and z", "x, y and z"};
    mending_add_fact(mending, FACT_STR(TEXT, str_from(names[variant])));
    return put_granted(mending, at, axes[variant]);
}

// ---- the index that the block was started with ---------------------------

static bool takes_x(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_any_query(site, at) &&
           ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X) &&
           instr->operands[0].kind == PTX_OPND_REG;
}

enum { NEAR = 32 }; // instructions behind a query that belong to the decoding

// The sum of the index and the rank; `at`: there is none.
static uint32_t sum_behind(const RemedySite *site, uint32_t at) {
    const PtxInstr *query = &site->entry->instrs[at];
    for (uint32_t i = at + 1; i < site->entry->instr_count && i < at + NEAR;
         i++) {
        const PtxInstr *instr = &site->entry->instrs[i];
        if (instr->op == PTX_OP_ADD && site->cluster > 1 &&
            instr->operands[0].kind == PTX_OPND_REG && sets_for(query, instr))
            return i;
    }
    return at;
}

// A parity that is flipped behind the work, on the way back to the wait, would
// be flipped once too often: it is flipped on the way there, too.
static uint32_t put_flips(Edit *edit, const PtxFunc *entry, uint32_t from,
                          uint32_t end, uint32_t to) {
    for (uint32_t i = from; i <= end && i < entry->instr_count; i++) {
        const PtxInstr *instr = &entry->instrs[i];
        if (instr->op == PTX_OP_XOR &&
            instr->operands[0].reg == instr->operands[1].reg &&
            instr->operands[2].kind == PTX_OPND_INT)
            edit_insert_behind(edit, to++, edit_copy(edit, instr));
    }
    return to;
}

// In front of the loop: the block's own index goes where the decoded one does,
// and then on behind the decoding.
static bool begin_with_own(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    const PtxFunc *entry = site->entry;
    Edit *edit = &mending->edit;
    uint32_t head = 0, end, last = at, results[AXES] = {0};
    bool is_taken[AXES] = {0};
    if (!loop_round(entry, at, variant, &head, &end) || head == 0 ||
        entry->instrs[head - 1].op == PTX_OP_BRA)
        return false;
    for (uint32_t i = at; i < entry->instr_count && i < at + NEAR; i++)
        for (uint32_t axis = 0; axis < AXES; axis++)
            if (is_any_query(site, i) &&
                ptx_has(&entry->instrs[i], TAKES[axis]) && !is_taken[axis]) {
                last = sum_behind(site, i);
                results[axis] = entry->instrs[last].operands[0].reg;
                is_taken[axis] = true;
            }
    uint32_t label = edit_new_label(edit, last + 1), to = head - 1;
    PtxInstr like = entry->instrs[to];
    for (uint32_t axis = 0; axis < AXES; axis++) {
        const PtxOperand move[] = {
            edit_reg(results[axis]),
            {.kind = PTX_OPND_SREG, .sreg = OWN_INDEX[axis]}};
        if (is_taken[axis])
            edit_insert_behind(
                edit, to++, edit_make(edit, &like, PTX_OP_MOV, U32, move, 2));
    }
    to = put_flips(edit, entry, last + 1, end, to);
    const PtxOperand on = {.kind = PTX_OPND_LABEL, .target = label};
    edit_insert_behind(edit, to,
                       edit_make(edit, &like, PTX_OP_BRA, NONE, &on, 1));
    return true;
}

// ---- the table -----------------------------------------------------------

#define FOR_REFUSALS                                                       \
    (FOR_JUDGED | FOR_RULE(CLC001) | FOR_RULE(CLC002) | FOR_RULE(CLC009) | \
     FOR_RULE(DEADLOCK) | FOR_RULE(LIMIT) | FOR_RULE(MEM001))
#define FOR_GRANTS (FOR_JUDGED | FOR_RULE(CLC009) | FOR_RULE(MEM001))

static const RemedyRow ROWS[] = {
    {REMEDY_LEAVE, FOR_REFUSALS, WAYS_OUT, 1, is_any_query, leave},
    {REMEDY_ASK_NO_MORE, FOR_RULE(CLC001) | FOR_RULE(DEADLOCK), 1, 2,
     is_free_request, ask_no_more},
    {REMEDY_TAKE_GRANTED, FOR_GRANTS, 5, 1, asks_whether, take_granted},
    {REMEDY_BEGIN_WITH_OWN, FOR_JUDGED, 2, 1, takes_x, begin_with_own},
};

const RemedyTable REMEDIES_OF_ANSWERS = {ROWS, COUNT_OF(ROWS)};
