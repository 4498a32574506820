// SPDX-License-Identifier: Apache-2.0
// Remedies for what an mbarrier counts: arrivals and bytes, and who makes them.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

enum { ANSWER = 16 }; // bytes

static const Fact *fact_of(const Finding *finding, FactKey key) {
    for (size_t i = 0; i < finding->facts.count; i++)
        if (finding->facts.items[i].key == key)
            return &finding->facts.items[i];
    return NULL;
}

static uint64_t number_of(const Finding *finding, FactKey key) {
    const Fact *fact = fact_of(finding, key);
    return fact ? fact->number : 0;
}

// Told once, of several copies.
static void tell(Mending *mending, Fact fact) {
    mending->fact_count = 0;
    mending_add_fact(mending, fact);
}

// ---- the count of an init ------------------------------------------------

static bool is_init(const RemedySite *site, uint32_t at) {
    return site->entry->instrs[at].op == PTX_OP_MBARRIER_INIT &&
           place_is_first(site, at);
}

static bool set_count(Mending *mending, uint32_t at, uint64_t count) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    uint64_t now;
    if (count == 0 || count >= UINT64_C(1) << 20 ||
        (value_of(mending->site, &instr->operands[1], &now) && now == count))
        return false;
    instr->operands[1] = edit_int(count);
    tell(mending, FACT(COUNT, count));
    return true;
}

// Those that came, as the finding counts them.
static bool put_seen_count(Mending *mending, uint32_t at, uint32_t variant) {
    const Finding *finding = mending->site->finding;
    uint64_t expected = number_of(finding, FACT_EXPECTED);
    uint64_t pending = number_of(finding, FACT_PENDING);
    uint64_t arrived = number_of(finding, FACT_ARRIVED);
    const uint64_t counts[] = {expected > pending ? expected - pending : 0,
                               arrived, number_of(finding, FACT_COUNT)};
    return set_count(mending, at, counts[variant]);
}

static bool put_usual_count(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    uint64_t warps = (site->threads + 31) / 32;
    uint64_t cluster = site->cluster ? site->cluster : 1;
    const uint64_t counts[] = {1,         site->threads,
                               warps,     cluster * warps,
                               cluster,   site->threads - 32,
                               warps - 1, cluster * (warps - 1),
                               32,        2};
    return set_count(mending, at, counts[variant]);
}

static bool seen_count(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_seen_count);
}

static bool usual_count(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_usual_count);
}

// ---- bytes ---------------------------------------------------------------

static bool announces(const PtxInstr *instr) {
    return (is_arrive(instr) && ptx_has(instr, PTX_MOD_EXPECT_TX)) ||
           instr->op == PTX_OP_MBARRIER_EXPECT_TX;
}

static bool is_announcement(const RemedySite *site, uint32_t at) {
    return announces(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool put_bytes(Mending *mending, uint32_t at, uint32_t times) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    uint32_t operand = is_arrive(instr) ? 2 : 1;
    uint64_t bytes = ANSWER * (uint64_t)times, now;
    if (!announces(instr) ||
        (value_of(mending->site, &instr->operands[operand], &now) &&
         now == bytes))
        return false;
    instr->operands[operand] = edit_int(bytes);
    tell(mending, FACT(BYTES, bytes));
    return true;
}

static bool other_bytes(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant + 1, put_bytes);
}

static bool is_plain_arrival(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    bool arrives = instr->op == PTX_OP_MBARRIER_ARRIVE &&
                   !ptx_has(instr, PTX_MOD_EXPECT_TX) &&
                   !ptx_has(instr, PTX_MOD_NOCOMPLETE);
    return (arrives || instr->op == PTX_OP_MBARRIER_EXPECT_TX) &&
           place_is_first(site, at);
}

static PtxInstr announcement(Edit *edit, const PtxInstr *like,
                             const PtxOperand *mbarrier) {
    static const PtxMod mods[] = {PTX_MOD_EXPECT_TX, PTX_MOD_RELEASE,
                                  PTX_MOD_CTA,       PTX_MOD_SHARED_CTA,
                                  PTX_MOD_B64,       PTX_MOD_NONE};
    const PtxOperand operands[] = {
        {.kind = PTX_OPND_SINK}, *mbarrier, edit_int(ANSWER)};
    return edit_make(edit, like, PTX_OP_MBARRIER_ARRIVE, mods, operands, 3);
}

// An arrival that announces nothing, or an announcement without an arrival.
static bool put_announcement(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    PtxInstr *instr = &edit->func.instrs[at];
    const PtxOperand *mbarrier = mbarrier_operand(instr);
    (void)variant;
    if (!mbarrier)
        return false;
    PtxInstr made = announcement(edit, instr, mbarrier);
    made.guard = instr->guard;
    made.guard_negated = instr->guard_negated;
    *instr = made;
    return true;
}

static bool announce(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_announcement);
}

// ---- what nobody does, or too many ---------------------------------------

static bool is_request_alone(const RemedySite *site, uint32_t at) {
    return is_request(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool put_arrival(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_request(instr))
        return false;
    edit_insert_behind(edit, at,
                       announcement(edit, instr, &instr->operands[1]));
    return true;
}

static bool announce_request(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_arrival);
}

static bool is_multicast(const RemedySite *site, uint32_t at) {
    return is_request_alone(site, at) && site->cluster > 1;
}

// In each block, by its thread 0, in front of the condition that decides who
// asks.
static bool put_arrivals(Mending *mending, uint32_t at, uint32_t level) {
    static const PtxMod eq[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod u32[] = {PTX_MOD_U32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    uint32_t to = jump_over(&edit->func, at, level);
    if (to == edit->func.instr_count || !is_request(&edit->func.instrs[at]))
        return false;
    PtxInstr like = edit->func.instrs[to];
    PtxOperand mbarrier = edit->func.instrs[at].operands[1];
    PtxOperand tid = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand first = edit_reg(edit_new_reg(edit, PTX_PRED));
    Place place;
    if (!place_of(mending->site, &mbarrier, &place) || place.varies)
        return false;
    mbarrier = (PtxOperand){.kind = PTX_OPND_ADDRESS,
                            .base = PTX_BASE_SYMBOL,
                            .symbol = {PTX_SYM_VAR, place.var, NULL},
                            .imm = place.offset};
    PtxInstr arrive = announcement(edit, &like, &mbarrier);
    arrive.guard = first.reg + 1;
    const PtxOperand compare[] = {first, tid, edit_int(0)};
    const PtxOperand read[] = {tid,
                               {.kind = PTX_OPND_SREG, .sreg = PTX_SREG_TID_X}};
    edit_insert(edit, to, arrive);
    edit_insert(edit, to, edit_make(edit, &like, PTX_OP_SETP, eq, compare, 3));
    edit_insert(edit, to, edit_make(edit, &like, PTX_OP_MOV, u32, read, 2));
    uint32_t line = place_line(mending->site, to);
    tell(mending, FACT(NUMBER, line));
    return line != 0;
}

static bool announce_in_each(Mending *mending, uint32_t at, uint32_t level) {
    return mend_copies(mending, at, level, put_arrivals);
}

static bool is_arrival(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (is_arrive(instr) || instr->op == PTX_OP_MBARRIER_EXPECT_TX) &&
           place_is_first(site, at);
}

static bool take_out(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    edit_remove(&mending->edit, at);
    return true;
}

static bool drop(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, take_out);
}

// ---- the table -----------------------------------------------------------

#define FOR_COUNTS                                              \
    (FOR_RULE(DEADLOCK) | FOR_RULE(BAR001) | FOR_RULE(CLC010) | \
     FOR_RULE(CLC007) | FOR_RULE(CLC004) | FOR_RULE(CLC006) |   \
     FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(LIMIT) |  \
     FOR_RULE(MEM003))

static const RemedyRow ROWS[] = {
    {REMEDY_INIT_COUNT, FOR_COUNTS | FROM_FAR, 3, 1, is_init, seen_count},
    {REMEDY_INIT_COUNT, FOR_COUNTS | FROM_FAR, 10, 3, is_init, usual_count},
    {REMEDY_BYTES, FOR_COUNTS, 3, 1, is_announcement, other_bytes},
    {REMEDY_ANNOUNCE, FOR_COUNTS, 1, 1, is_plain_arrival, announce},
    {REMEDY_ANNOUNCE_REQUEST, FOR_COUNTS, 1, 2, is_request_alone,
     announce_request},
    {REMEDY_ANNOUNCE_IN_EACH, FOR_COUNTS, 3, 3, is_multicast, announce_in_each},
    {REMEDY_ARRIVAL_LESS, FOR_COUNTS | FOR_RULE(MEM004), 1, 4, is_arrival,
     drop},
    {REMEDY_INIT_LESS, FOR_RULE(BAR003) | FOR_RULE(BAR002), 1, 2, is_init,
     drop},
    {REMEDY_REQUEST_LESS, FOR_COUNTS | FOR_RULE(CLC001) | FOR_RULE(CLC009), 1,
     5, is_request_alone, drop},
};

const RemedyTable REMEDIES_OF_COUNTS = {ROWS, COUNT_OF(ROWS)};
