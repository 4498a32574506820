// SPDX-License-Identifier: Apache-2.0
// Judges technique and prologue on one run. The evidence is the device's ledger
// and its watch over stores, never memory that the learner's code can write.
#include "check/judge.h"

// ---- technique: who processed what ---------------------------------------

static const LedgerChain *find_chain(const Ledger *ledger, uint32_t cta) {
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (ledger->chains[i].cta == cta)
            return &ledger->chains[i];
    return NULL;
}

static bool owns_block(const Run *run, uint32_t cta, uint32_t block) {
    const LedgerChain *chain = find_chain(&run->device.ledger, cta);
    for (size_t i = 0; chain && i < chain->count; i++)
        if (chain->blocks[i] == block)
            return true;
    return false;
}

// Whether the cluster of `cta` was started as the cluster of `block`, or asked
// for it. Who decodes an answer does not count: it can be handed to another
// cluster, and the work with it, past the hardware.
static bool owns(const Ledger *ledger, uint32_t cluster, uint32_t cta,
                 uint32_t block) {
    uint32_t number = block / cluster;
    if (number >= ledger->entry_count)
        return false;
    const LedgerEntry *entry = &ledger->entries[number];
    uint32_t owner =
        entry->state == LEDGER_GRANTED ? entry->by_cta / cluster : number;
    return entry->state != LEDGER_PENDING && owner == cta / cluster;
}

static bool is_right_writer(const Lab *lab, const Run *run, uint32_t writer,
                            uint32_t block) {
    switch (lab->technique) {
    case TECHNIQUE_FIXED:
        return writer == block;
    case TECHNIQUE_PERSISTENT:
        return writer == block % run->grid;
    case TECHNIQUE_CLC:
        return owns(&run->device.ledger, lab->cluster, writer, block);
    }
    return false;
}

static FindingCase other_writer(const Lab *lab) {
    switch (lab->technique) {
    case TECHNIQUE_FIXED:
        return CASE_TECHNIQUE_FIXED;
    case TECHNIQUE_PERSISTENT:
        return CASE_TECHNIQUE_PERSISTENT;
    case TECHNIQUE_CLC:
        break;
    }
    return CASE_TECHNIQUE_STEALS;
}

// A writer of the piece that should not be; the first, if there is none.
static uint32_t wrong_writer(const Lab *lab, const Run *run, uint32_t block) {
    const WatchPiece *piece = &run->watch.pieces[block];
    for (uint32_t i = 0; i < piece->writer_count && i < WATCH_WRITERS; i++)
        if (!is_right_writer(lab, run, piece->writers[i], block))
            return piece->writers[i];
    return piece->writers[0];
}

static bool is_wrongly_written(const Lab *lab, const Run *run, uint32_t block) {
    const WatchPiece *piece = &run->watch.pieces[block];
    return piece->writer_count > 0 &&
           !is_right_writer(lab, run, piece->writers[0], block);
}

// A block that was not processed as the lab asks: of a lab with a grid-stride
// loop rather one that several share. run->watch.count: there is none.
static uint32_t find_other(const Lab *lab, const Run *run) {
    uint32_t count = (uint32_t)run->watch.count, block = 0;
    while (block < count && !(run->tally && run->tally[block].divided))
        block++;
    if (block < count && lab->technique == TECHNIQUE_PERSISTENT)
        return block;
    for (block = 0; block < count && !is_wrongly_written(lab, run, block);)
        block++;
    return block;
}

static void blame_writer(const Grade *grade, const Run *run, uint32_t block,
                         Cause *cause) {
    const Lab *lab = grade->lab;
    const WatchPiece *piece = &run->watch.pieces[block];
    bool divided = run->tally && run->tally[block].divided;
    SrcLoc at = place_as_given(grade->submission, piece->at);
    Finding finding = {
        .at = at.line ? at : grade->kernel_at,
        .which = divided ? CASE_TECHNIQUE_DIVIDED : other_writer(lab),
        .facts = FACTS(FACT(BLOCK, block),
                       FACT(OWNER, wrong_writer(lab, run, block)))};
    for (uint32_t i = 0; i < COUNT_OF(piece->index_from); i++)
        if (piece->index_from[i].line)
            finding.related[finding.related_count++] = (RelatedPlace){
                .at = place_as_given(grade->submission, piece->index_from[i]),
                .place = PLACE_ADDRESS_FROM};
    *cause = cause_judged(grade, run, &finding);
    region_cure(grade, region_of_work(grade), cause->at, cause);
}

// The writers of a block are of one cluster: exactly_once has judged that. Only
// in a lab with a grid-stride loop may several share a block's elements, as
// loops over vectors do: whether blocks take turns is asked of the whole there.
static bool judge_writers(const Grade *grade, const Run *run, Cause *cause) {
    const Lab *lab = grade->lab;
    if (lab->technique == TECHNIQUE_PERSISTENT && turns_are_taken(grade, run))
        return true;
    uint32_t block = find_other(lab, run);
    if (block == run->watch.count)
        return true;
    blame_writer(grade, run, block, cause);
    return false;
}

// ---- technique: requests -------------------------------------------------

static bool judge_no_requests(const Grade *grade, const Run *run,
                              Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    if (ledger->totals.requests == 0)
        return true;
    *cause = cause_of_case(grade, run, grade->kernel_at,
                           grade->lab->technique == TECHNIQUE_PERSISTENT
                               ? CASE_TECHNIQUE_PERSISTENT_REQUESTS
                               : CASE_TECHNIQUE_FIXED_REQUESTS,
                           FACTS(FACT(REQUESTS, ledger->totals.requests)));
    return false;
}

// Whether blocks may have left although others were pending: a refusal sends
// them away, and what they leave is launched.
static bool has_early_refusals(const Grade *grade, const Run *run) {
    return grade->info.is_card ? run->device.allow_refusals
                               : run->device.ledger.totals.refused_pending > 0;
}

// The most blocks that can have started before another one had to leave.
static uint64_t most_together(const Run *run) {
    const DeviceRun *device = &run->device;
    return device->resident_later > device->resident ? device->resident_later
                                                     : device->resident;
}

static bool judge_steals(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    if (run->grid <= most_together(run) || ledger->totals.granted > 0 ||
        (!run->plain && has_early_refusals(grade, run)))
        return true;
    *cause = cause_of_case(
        grade, run, grade->kernel_at,
        ledger->totals.requests   ? CASE_TECHNIQUE_NO_GRANT
        : grade->lab->cluster > 1 ? CASE_TECHNIQUE_NO_MULTICAST_REQUEST
                                  : CASE_TECHNIQUE_NO_REQUEST,
        FACTS(FACT(GRID, run->grid), FACT(FIT, most_together(run)),
              FACT(STARTED, ledger->totals.started),
              FACT(REQUESTS, ledger->totals.requests)));
    if (ledger->totals.requests == 0)
        region_cure(grade, PART_ASK, cause->at, cause);
    return false;
}

static bool has_asked(const LedgerChain *chains, uint32_t cluster) {
    uint32_t requests = 0;
    for (uint32_t rank = 0; rank < cluster; rank++)
        requests += chains[rank].requests;
    return requests > 0;
}

// A block that never asked, and where it left.
static void blame_idle(const Grade *grade, const Run *run,
                       const LedgerChain *chain, Cause *cause) {
    const LedgerTotals *totals = &run->device.ledger.totals;
    SrcLoc left = place_as_given(grade->submission, chain->left_at);
    Finding finding = {
        .at = grade->kernel_at,
        .which = grade->lab->cluster > 1 ? CASE_TECHNIQUE_CLUSTER_NEVER_ASKED
                                         : CASE_TECHNIQUE_NEVER_ASKED,
        .facts = FACTS(FACT(BLOCK, chain->cta), FACT(GRID, run->grid),
                       FACT(FIT, run->device.resident),
                       FACT(STARTED, totals->started),
                       FACT(REQUESTS, totals->requests))};
    if (left.line)
        finding.related[finding.related_count++] = (RelatedPlace){
            .at = left,
            .place = PLACE_OWNER_LEFT,
            .facts = facts_copy(grade->arena, FACTS(FACT(OWNER, chain->cta)))};
    *cause = cause_judged(grade, run, &finding);
}

// In the plain schedule, the clusters that are started first ask first. A
// cluster that is started or delayed later, in this schedule or another, may
// know from others that nothing is left, and need not ask.
static bool judge_asked(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    uint32_t cluster = grade->lab->cluster;
    uint64_t first = run->device.resident;
    if (grade->info.is_card || !run->plain || run->grid < 2 * first)
        return true;
    for (size_t i = 0; i + cluster <= first && i < ledger->chain_count;
         i += cluster) {
        if (has_asked(&ledger->chains[i], cluster))
            continue;
        blame_idle(grade, run, &ledger->chains[i], cause);
        return false;
    }
    return true;
}

// A lab that teaches several requests at once says how many. Each cluster that
// stole as many blocks had the chance to have so many requests in flight, and
// in a grid that is larger than the device some cluster had. Only the plain
// schedule is sure to show them: in others, an answer may be there before the
// next thread asks.
typedef struct InFlight {
    uint64_t stolen, most; // of one cluster
} InFlight;

static InFlight in_flight_of(const LedgerChain *chains, uint32_t cluster) {
    InFlight sum = {0};
    for (uint32_t rank = 0; rank < cluster; rank++) {
        const LedgerChain *chain = &chains[rank];
        if (sum.stolen < chain->count - 1)
            sum.stolen = chain->count - 1;
        if (sum.most < chain->most_in_flight)
            sum.most = chain->most_in_flight;
    }
    return sum;
}

static void blame_few(const Grade *grade, const Run *run, uint64_t most,
                      Cause *cause) {
    *cause = cause_of_case(
        grade, run, grade->kernel_at, CASE_TECHNIQUE_FEW_IN_FLIGHT,
        FACTS(FACT(LIMIT, grade->lab->in_flight), FACT(REQUESTS, most)));
    region_cure(grade, PART_ASK, cause->at, cause);
}

static void blame_fewer(const Grade *grade, const Run *run,
                        const LedgerChain *chain, Cause *cause) {
    InFlight seen = in_flight_of(chain, grade->lab->cluster);
    *cause = cause_of_case(
        grade, run, grade->kernel_at, CASE_TECHNIQUE_FEWER_IN_FLIGHT,
        FACTS(FACT(BLOCK, chain->cta), FACT(LIMIT, grade->lab->in_flight),
              FACT(REQUESTS, seen.most), FACT(STOLEN, seen.stolen)));
    region_cure(grade, PART_ASK, cause->at, cause);
}

static bool judge_in_flight(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    const LedgerChain *lacking = NULL;
    uint64_t least = grade->lab->in_flight, most = 0;
    uint32_t cluster = grade->lab->cluster;
    if (grade->info.is_card || !run->plain || run->grid <= run->device.resident)
        return true;
    for (size_t i = 0; i + cluster <= ledger->chain_count; i += cluster) {
        InFlight seen = in_flight_of(&ledger->chains[i], cluster);
        most = most < seen.most ? seen.most : most;
        if (seen.stolen >= least && seen.most < least && !lacking)
            lacking = &ledger->chains[i];
    }
    if (most < least)
        blame_few(grade, run, most, cause);
    else if (lacking)
        blame_fewer(grade, run, lacking, cause);
    return most >= least && !lacking;
}

// Which CTA stored what is judged only if exactly_once passed: otherwise a
// wrong index would fail both.
bool judge_technique(const Grade *grade, const Run *run, Cause *cause) {
    bool right = grade->lab->technique == TECHNIQUE_CLC
                     ? judge_steals(grade, run, cause) &&
                           judge_asked(grade, run, cause) &&
                           judge_in_flight(grade, run, cause)
                     : judge_no_requests(grade, run, cause);
    if (right && !grade->once_failed)
        right = judge_writers(grade, run, cause);
    if (!right)
        cause_in_run(grade, run, cause);
    return right;
}

// ---- prologue ------------------------------------------------------------

static SrcLoc prologue_at(const Grade *grade) {
    SrcLoc at = place_find_name(grade->submission, STR("compute_scalar"));
    return at.line ? at : grade->kernel_at;
}

static uint32_t elements_of(const Run *run, uint32_t block) {
    return block < run->blocks ? run->tally[block].size : 0;
}

// Whether any block of the CTA's cluster, which may be the CTA alone, called
// the prologue: the others may have read its value from distributed shared
// memory.
static bool cluster_has_called(const Grade *grade, const Ledger *ledger,
                               uint32_t cta) {
    uint32_t ctas = grade->lab->cluster, first = cta / ctas * ctas;
    bool called = false;
    for (uint32_t rank = 0; rank < ctas && !called; rank++) {
        const LedgerChain *chain = find_chain(ledger, first + rank);
        called = chain && chain->prologues > 0;
    }
    return called;
}

static bool judge_never(const Grade *grade, const Run *run,
                        const LedgerChain *chain, Cause *cause) {
    bool has_work = chain->count > 1 || elements_of(run, chain->cta) > 0;
    if (chain->prologues > 0 || !has_work ||
        cluster_has_called(grade, &run->device.ledger, chain->cta))
        return true;
    uint32_t ctas = grade->lab->cluster;
    Fact block = FACT(BLOCK, chain->cta);
    *cause = ctas > 1 ? cause_of_case(grade, run, grade->kernel_at,
                                      CASE_PROLOGUE_NEVER_IN_CLUSTER,
                                      FACTS(block, FACT(CTAS, ctas)))
                      : cause_of_case(grade, run, grade->kernel_at,
                                      CASE_PROLOGUE_NEVER,
                                      FACTS(block, FACT(TIMES, 0)));
    return false;
}

static bool judge_repeated(const Grade *grade, const Run *run,
                           const LedgerChain *chain, Cause *cause) {
    if (chain->prologues <= 1)
        return true;
    SrcLoc again = place_as_given(grade->submission, chain->prologue_at);
    *cause = cause_of_case(
        grade, run, again.line ? again : prologue_at(grade),
        CASE_PROLOGUE_REPEATED,
        FACTS(FACT(BLOCK, chain->cta), FACT(TIMES, chain->prologues)));
    region_here(grade, cause);
    return false;
}

// A thread may call the prologue when it has its first element. So a call is
// only late if the thread certainly had one before: it has stored some, or its
// CTA's own block has elements for all threads. How many indices a CTA has
// taken says nothing, since it may be any number of them ahead of its work.
static bool had_element(const Grade *grade, const Run *run,
                        const LedgerChain *chain) {
    return chain->late_worked > 0 ||
           elements_of(run, chain->cta) >= grade->lab->threads;
}

static bool judge_late(const Grade *grade, const Run *run,
                       const LedgerChain *chain, Cause *cause) {
    if (chain->late == 0 || !had_element(grade, run, chain))
        return true;
    SrcLoc at = place_as_given(grade->submission, chain->late_at);
    *cause = cause_of_case(
        grade, run, at.line ? at : prologue_at(grade), CASE_PROLOGUE_LATE,
        FACTS(FACT(BLOCK, chain->cta), FACT(TIMES, chain->late)));
    region_here(grade, cause);
    return false;
}

static bool judge_chain(const Grade *grade, const Run *run,
                        const LedgerChain *chain, Cause *cause) {
    return judge_never(grade, run, chain, cause) &&
           judge_repeated(grade, run, chain, cause) &&
           judge_late(grade, run, chain, cause);
}

// A CTA that left before any request of it was refused; NULL: none, or it is
// not known where it left.
static const LedgerChain *unrefused(const Ledger *ledger) {
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (!ledger->chains[i].refused && ledger->chains[i].left_at.line)
            return &ledger->chains[i];
    return NULL;
}

// Adds where the last block that the CTA took had been asked for.
static void add_last_asked(const Grade *grade, const Run *run,
                           const LedgerChain *chain, Finding *finding) {
    uint32_t last = chain->blocks[chain->count - 1];
    size_t number = last / grade->lab->cluster;
    const Ledger *ledger = &run->device.ledger;
    if (number >= ledger->entry_count || !ledger->entries[number].at.line)
        return;
    const LedgerEntry *entry = &ledger->entries[number];
    finding->related[finding->related_count++] = (RelatedPlace){
        .at = place_as_given(grade->submission, entry->at),
        .caller = place_as_given(grade->submission, entry->called_at),
        .place = PLACE_LAST_ASKED_FOR,
        .facts = facts_copy(grade->arena, FACTS(FACT(BLOCK, last)))};
}

// A CTA that left without a refusal, and outside the regions, left because it
// had stopped asking.
static Cause stopped_asking(const Grade *grade, const Run *run,
                            const LedgerChain *chain) {
    const Ledger *ledger = &run->device.ledger;
    Finding finding = {.at = place_as_given(grade->submission, chain->left_at),
                       .which = CASE_PROLOGUE_STOPPED_ASKING,
                       .facts = FACTS(FACT(STARTED, ledger->totals.started),
                                      FACT(STOLEN, ledger->totals.granted),
                                      FACT(FIT, most_together(run)),
                                      FACT(OWNER, chain->cta))};
    add_last_asked(grade, run, chain, &finding);
    Cause cause = cause_judged(grade, run, &finding);
    region_here(grade, &cause);
    region_cure(grade, cause.region.len ? PART_DECODE : PART_ASK, cause.at,
                &cause);
    return cause;
}

static Cause many_started(const Grade *grade, const Run *run) {
    const Ledger *ledger = &run->device.ledger;
    const LedgerChain *chain = unrefused(ledger);
    if (grade->lab->technique == TECHNIQUE_CLC && chain)
        return stopped_asking(grade, run, chain);
    return cause_of_case(grade, run, prologue_at(grade),
                         CASE_PROLOGUE_MANY_STARTED,
                         FACTS(FACT(STARTED, ledger->totals.started),
                               FACT(STOLEN, ledger->totals.granted),
                               FACT(FIT, most_together(run))));
}

// A persistent grid is no larger than launch_plan's check allows. Its blocks
// can fail to fit only on a smaller device, which some schedules simulate.
static bool judge_started(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    LabTechnique technique = grade->lab->technique;
    bool bounded =
        technique == TECHNIQUE_CLC || (technique == TECHNIQUE_PERSISTENT &&
                                       run->plain && !run->has_other_grid);
    if (!bounded || has_early_refusals(grade, run) ||
        ledger->totals.started <= most_together(run))
        return true;
    *cause = many_started(grade, run);
    return false;
}

bool judge_prologue(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    bool right = true;
    for (size_t i = 0; i < ledger->chain_count && right; i++)
        right = judge_chain(grade, run, &ledger->chains[i], cause);
    right = right && judge_started(grade, run, cause);
    if (!right)
        cause_in_run(grade, run, cause);
    return right;
}

// ---- prologue: its secret ------------------------------------------------

static bool is_secret(const PtxSymbol *symbol) {
    return symbol->kind == PTX_SYM_VAR && symbol->var &&
           str_equal(symbol->var->name, STR("clclab_secret"));
}

static bool names_secret(const PtxOperand *operands, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_secret(&operands[i].symbol) ||
            names_secret(operands[i].elems, operands[i].elem_count))
            return true;
    return false;
}

// The first instruction of the function that names the secret, or NULL.
static const PtxInstr *find_secret(const PtxFunc *func) {
    for (size_t i = 0; i < func->instr_count; i++)
        if (names_secret(func->instrs[i].operands,
                         func->instrs[i].operand_count))
            return &func->instrs[i];
    return NULL;
}

// Whether a variable's initialiser holds the secret's address.
static bool points_to_secret(const PtxVar *var) {
    for (size_t i = 0; i < var->reloc_count; i++)
        if (is_secret(&var->relocs[i].symbol))
            return true;
    return false;
}

static bool is_of_lab_header(const PtxFunc *func) {
    return str_equal(func->name, STR("compute_scalar")) ||
           str_equal(func->name, STR("clclab_prologue"));
}

// The name in the text is nearer to the mistake than the line of an instruction
// that the compiler has moved.
static void blame_secret(const Grade *grade, SrcLoc used_at, Cause *cause) {
    SrcLoc at = place_find_name(grade->submission, STR("clclab_secret"));
    used_at = place_as_given(grade->submission, used_at);
    if (at.line == 0 && str_equal(used_at.file, grade->submission->file))
        at = used_at;
    *cause = cause_of_case(grade, NULL, at.line ? at : grade->kernel_at,
                           CASE_PROLOGUE_SECRET, NO_FACTS);
    region_here(grade, cause);
}

bool judge_secret(const Grade *grade, Cause *cause) {
    const PtxModule *module = grade->submission->module;
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        const PtxInstr *in = is_of_lab_header(func) ? NULL : find_secret(func);
        if (in) {
            blame_secret(grade, ptx_src(module, in->loc), cause);
            return false;
        }
    }
    for (size_t i = 0; i < module->var_count; i++)
        if (points_to_secret(module->vars[i])) {
            blame_secret(grade, (SrcLoc){0}, cause);
            return false;
        }
    return true;
}

// ---- the summary ---------------------------------------------------------

enum { SHOWN_CHAINS = 16, SHOWN_LINKS = 12 };

// What a CTA did if it did not store to a block that it owned: where it stored
// instead. Empty if it did, if the block has no elements, or if it is unknown.
static Str strayed(const Grade *grade, const Run *run, uint32_t cta,
                   uint32_t block) {
    uint32_t cluster = grade->lab ? grade->lab->cluster : 1;
    bool judged = grade->lab && run->tally && run->device.status == RUN_DONE &&
                  block < run->watch.count && run->tally[block].size > 0;
    if (!judged || why_has_stored(run, cta, block))
        return (Str){0};
    uint32_t from = block / cluster * cluster;
    for (uint32_t other = from; other < from + 2 * cluster; other++)
        if (!owns_block(run, cta, other) && why_has_stored(run, cta, other))
            return str_format(grade->arena, " (stored to %.*s)",
                              STR_ARG(shape_block_name(grade, run, other)));
    return STR(" (nothing stored)");
}

static Str chain_text(const Grade *grade, const Run *run,
                      const LedgerChain *chain) {
    Arena *arena = grade->arena;
    Str text = str_format(arena, "block %.*s:",
                          STR_ARG(shape_block_name(grade, run, chain->cta)));
    size_t shown = chain->count < SHOWN_LINKS ? chain->count : SHOWN_LINKS;
    for (size_t i = 0; i < shown; i++)
        text = str_format(
            arena, "%.*s%s%.*s%.*s", STR_ARG(text), i ? " -> " : " ",
            STR_ARG(shape_block_name(grade, run, chain->blocks[i])),
            STR_ARG(strayed(grade, run, chain->cta, chain->blocks[i])));
    if (chain->count > shown)
        text = str_format(arena, "%.*s and %zu more", STR_ARG(text),
                          chain->count - shown);
    return text;
}

LedgerSummary ledger_summary(const Grade *grade, const Run *run) {
    Arena *arena = grade->arena;
    const Ledger *ledger = &run->device.ledger;
    LedgerSummary summary = {
        .totals = ledger->totals,
        .n = run->n,
        .size = grade->lab ? shape_size_text(arena, grade->lab, run->size)
                           : (Str){0},
        .schedule = cause_run_name(arena, run),
    };
    summary.chain_count =
        ledger->chain_count < SHOWN_CHAINS ? ledger->chain_count : SHOWN_CHAINS;
    summary.chains = arena_new(arena, Str, summary.chain_count + 1);
    summary.links = arena_new(arena, size_t, summary.chain_count + 1);
    for (size_t i = 0; i < summary.chain_count; i++) {
        summary.chains[i] = chain_text(grade, run, &ledger->chains[i]);
        summary.links[i] = ledger->chains[i].count;
    }
    return summary;
}
