// SPDX-License-Identifier: Apache-2.0
// Turns a case's outcome into a DeviceRun. A card reports that a kernel
// faulted, but hardly ever where; the virtual machine can show that. What is
// not known on a card (places in the source, who stored what, requests in
// flight) stays empty.
#include "gpu/internal.h"
#include "result/finding.h"

#include <signal.h>
#include <stdlib.h>

// ---- findings ------------------------------------------------------------

static void add_finding(Arena *arena, DeviceRun *run, FindingCase which,
                        Facts facts) {
    run->findings = arena_new(arena, Finding, 1);
    run->finding_count = 1;
    run->status = RUN_FAULT;
    run->findings[0] = (Finding){.rule = finding_rule(which),
                                 .which = which,
                                 .level = FINDING_ERROR,
                                 .facts = facts_copy(arena, facts)};
}

static const struct Fault {
    CUresult error;
    FindingCase which;
} faults[] = {
    {CUDA_ERROR_ILLEGAL_ADDRESS, CASE_MEM001_GPU_ADDRESS},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, CASE_MEM001_GPU_SPACE},
    {CUDA_ERROR_MISALIGNED_ADDRESS, CASE_MEM002_GPU},
    {CUDA_ERROR_ASSERT, CASE_ASSERT_GPU},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, CASE_FAULT_INSTRUCTION},
    {CUDA_ERROR_INVALID_PC, CASE_FAULT_LEFT_ITS_CODE},
    {CUDA_ERROR_LAUNCH_FAILED, CASE_FAULT_UNKNOWN},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, CASE_FAULT_STACK},
    {CUDA_ERROR_LAUNCH_TIMEOUT, CASE_TIMEOUT_DISPLAY},
};

static bool read_fault(Arena *arena, const CaseOutcome *outcome,
                       DeviceRun *run) {
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        if (faults[i].error != outcome->error)
            continue;
        add_finding(arena, run, faults[i].which,
                    FACTS(FACT_STR(TEXT, str_from(outcome->text))));
        return true;
    }
    return false;
}

static void read_damage(Arena *arena, const Ended *ended, DeviceRun *run) {
    const CaseOutcome *outcome = ended->what->outcome;
    uint64_t count = ended->what->buffers[outcome->damaged].count;
    int64_t at = outcome->damage;
    if (at < 0)
        add_finding(arena, run, CASE_MEM001_GPU_BEFORE_START,
                    FACTS(FACT(NUMBER, outcome->damaged), FACT(DISTANCE, -at)));
    else
        add_finding(arena, run, CASE_MEM001_GPU_PAST_END,
                    FACTS(FACT(NUMBER, outcome->damaged), FACT(OFFSET, at),
                          FACT(SIZE, count)));
}

static void read_lateness(Arena *arena, const Ended *ended, DeviceRun *run) {
    const GpuCase *what = ended->what;
    const GpuControl *control = &what->outcome->control;
    bool known = what->outcome->has_control;
    add_finding(arena, run, CASE_TIMEOUT_DEADLINE,
                FACTS(FACT(SECONDS, what->deadline_s * 1e3 + 0.5),
                      FACT(PROGRESS,
                           known ? WORD_PROGRESS_KNOWN : WORD_PROGRESS_UNKNOWN),
                      FACT(STARTED, control->started),
                      FACT(BLOCKS, what->ledgers.blocks),
                      FACT(CLUSTERS, control->granted)));
}

// ---- the ledger ----------------------------------------------------------

static bool is_granted(const Ledgers *from, uint32_t cluster) {
    uint32_t claim = from->claims[cluster];
    return claim != GPU_CLAIM_PENDING && claim != GPU_CLAIM_LAUNCHED;
}

static void count_totals(const GpuCase *what, Ledger *ledger) {
    const GpuControl *control = &what->outcome->control;
    const Ledgers *from = &what->ledgers;
    uint64_t ctas = from->clusters ? from->blocks / from->clusters : 1;
    ledger->totals.grid = from->blocks;
    ledger->totals.started = control->started;
    ledger->totals.granted = control->granted * ctas;
    ledger->totals.requests = control->requests;
    ledger->totals.refused = control->refused;
    ledger->totals.refused_pending = control->refused_pending;
    for (uint32_t c = 0; c < from->clusters; c++)
        ledger->totals.lost +=
            is_granted(from, c) && !from->taken[c] ? ctas : 0;
}

// The linear block index of the CTA that has this rank in the cluster. Clusters
// and blocks are both numbered x first.
static uint32_t cta_of(const GpuCase *what, uint32_t cluster, uint32_t rank) {
    const uint32_t *size = what->cluster, *grid = what->grid;
    uint32_t along = grid[0] / size[0], across = grid[1] / size[1];
    uint32_t x = cluster % along * size[0] + rank % size[0];
    uint32_t y = cluster / along % across * size[1] + rank / size[0] % size[1];
    uint32_t z =
        cluster / along / across * size[2] + rank / (size[0] * size[1]);
    return (z * grid[1] + y) * grid[0] + x;
}

static void list_entries(Arena *arena, const GpuCase *what, uint32_t most,
                         Ledger *ledger) {
    const Ledgers *from = &what->ledgers;
    uint32_t count = most && most < from->clusters ? most : from->clusters;
    ledger->entries = arena_new(arena, LedgerEntry, (size_t)count + 1);
    ledger->entry_count = count;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t claim = from->claims[c];
        LedgerEntry *entry = &ledger->entries[c];
        if (claim == GPU_CLAIM_LAUNCHED) {
            entry->state = LEDGER_LAUNCHED;
        } else if (is_granted(from, c)) {
            entry->state = LEDGER_GRANTED;
            entry->by_cta = cta_of(what, claim - 1, 0);
            entry->taken = entry->asked = from->taken[c] != 0;
        }
    }
}

static uint32_t most_calls(const Ledgers *from, uint32_t cta) {
    uint32_t most = 0;
    for (uint32_t i = 0; from->calls_bytes && i < from->threads; i++) {
        uint32_t calls = from->calls[(size_t)cta * from->threads + i];
        most = calls > most ? calls : most;
    }
    return most;
}

typedef struct Grant {
    uint32_t owner, order, cluster;
} Grant;

static int compare_grants(const void *a, const void *b) {
    const Grant *left = a, *right = b;
    if (left->owner != right->owner)
        return left->owner < right->owner ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

// The grants that were taken, sorted by owner and then by order.
static Grant *sort_grants(Arena *arena, const Ledgers *from, size_t *count) {
    Grant *grants = arena_new(arena, Grant, (size_t)from->clusters + 1);
    *count = 0;
    for (uint32_t c = 0; c < from->clusters; c++)
        if (is_granted(from, c) && from->taken[c])
            grants[(*count)++] =
                (Grant){from->claims[c] - 1, from->orders[c], c};
    qsort(grants, *count, sizeof *grants, compare_grants);
    return grants;
}

typedef struct Started {
    uint32_t order, cluster, rank;
} Started;

static int compare_started(const void *a, const void *b) {
    const Started *left = a, *right = b;
    return (left->order > right->order) - (left->order < right->order);
}

static Started *sort_started(Arena *arena, const GpuCase *what, size_t *count) {
    const Ledgers *from = &what->ledgers;
    uint32_t ranks = from->clusters ? from->blocks / from->clusters : 0;
    Started *started = arena_new(arena, Started, (size_t)from->blocks + 1);
    *count = 0;
    for (uint32_t c = 0; c < from->clusters; c++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            uint32_t order = from->starts[cta_of(what, c, rank)].order;
            if (order)
                started[(*count)++] = (Started){order, c, rank};
        }
    qsort(started, *count, sizeof *started, compare_started);
    return started;
}

// The index of a cluster's first grant; `count` if it has none.
static size_t first_grant(const Grant *grants, size_t count, uint32_t owner) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (grants[middle].owner < owner)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static LedgerChain make_chain(Arena *arena, const GpuCase *what,
                              const Grant *grants, size_t count,
                              const Started *started) {
    size_t first = first_grant(grants, count, started->cluster), end = first;
    while (end < count && grants[end].owner == started->cluster)
        end++;
    uint32_t cta = cta_of(what, started->cluster, started->rank);
    LedgerChain chain = {.cta = cta,
                         .sm = what->ledgers.starts[cta].sm,
                         .prologues = most_calls(&what->ledgers, cta),
                         .blocks = arena_new(arena, uint32_t, end - first + 1),
                         .count = end - first + 1,
                         .capacity = end - first + 1};
    chain.blocks[0] = cta;
    for (size_t i = first; i < end; i++)
        chain.blocks[i - first + 1] =
            cta_of(what, grants[i].cluster, started->rank);
    return chain;
}

static void list_chains(Arena *arena, const GpuCase *what, uint32_t most,
                        Ledger *ledger) {
    size_t started_count, grant_count;
    Started *started = sort_started(arena, what, &started_count);
    Grant *grants = sort_grants(arena, &what->ledgers, &grant_count);
    ledger->chains = arena_new(arena, LedgerChain, started_count + 1);
    for (size_t i = 0; i < started_count; i++) {
        LedgerChain chain =
            make_chain(arena, what, grants, grant_count, &started[i]);
        uint32_t length = (uint32_t)chain.count;
        if (ledger->totals.shortest == 0 || length < ledger->totals.shortest)
            ledger->totals.shortest = length;
        if (length > ledger->totals.longest)
            ledger->totals.longest = length;
        if (most == 0 || ledger->chain_count < most)
            ledger->chains[ledger->chain_count++] = chain;
    }
    ledger->chain_capacity = ledger->chain_count;
}

// When each SM's last block ended, in nanoseconds since the first block began:
// by their numbers. These may have gaps: one with a higher number than there
// are SMs gets a place of one that had no block.
static void read_ends(Arena *arena, const GpuCase *what, DeviceRun *run) {
    const uint64_t *ends = what->ledgers.ends;
    DeviceTimeline *line = &run->timeline;
    uint64_t begin = ~ends[0];
    uint32_t place = 0;
    if (ends[0] == 0 || what->sms > GPU_TABLE_SMS)
        return;
    line->clock_mhz = 1000;
    line->sm_count = what->sms;
    line->sms = arena_new(arena, DeviceSmTime, line->sm_count + 1);
    for (uint32_t i = 0; i < GPU_TABLE_SMS; i++) {
        uint64_t end = ends[1 + i];
        if (end <= begin)
            continue;
        while (i >= line->sm_count && line->sms[place].end)
            place++;
        if (place == line->sm_count) // not a card that this comes from
            return;
        line->sms[i < line->sm_count ? i : place].end = end - begin;
        if (end - begin > line->cycles)
            line->cycles = end - begin;
    }
}

static void read_ledger(Arena *arena, const Ended *ended, DeviceRun *run) {
    const GpuCase *what = ended->what;
    uint32_t most = ended->launch->ledger_most;
    count_totals(what, &run->ledger);
    list_entries(arena, what, most, &run->ledger);
    list_chains(arena, what, most, &run->ledger);
    read_ends(arena, what, run);
}

// ---- how it ended --------------------------------------------------------

static Str free_memory(Arena *arena, const CaseOutcome *outcome) {
    if (!outcome->has_free_memory)
        return STR("End what else uses the GPU, or try again later.");
    return str_format(
        arena,
        "The GPU has %llu MiB free: end what else uses it, or try again later.",
        (unsigned long long)(outcome->free_memory >> 20));
}

static Str how_it_ended(Arena *arena, const Ended *ended) {
    const CaseOutcome *outcome = ended->what->outcome;
    const SandboxResult *child = ended->child;
    if (outcome->call[0])
        return str_format(arena, "%s gives %s", outcome->call, outcome->text);
    if (child->status == SANDBOX_SIGNALLED && child->code == SIGALRM)
        return STR("the driver did not come back and was stopped");
    return sandbox_describe(arena, ended->job, child);
}

static bool fail(Arena *arena, const Ended *ended, DeviceRun *run) {
    const CaseOutcome *outcome = ended->what->outcome;
    Str how = how_it_ended(arena, ended);
    run->error.what = str_format(arena, "The GPU case ended while %s: %.*s.",
                                 case_stage_text(outcome->stage), STR_ARG(how));
    run->error.code = STR("DEVICE");
    run->error.help = STR("This is not the kernel's fault. Does nvidia-smi "
                          "answer? clclab doctor says more.");
    bool is_kept = outcome->error == CUDA_ERROR_DEVICE_UNAVAILABLE &&
                   ended->what->is_exclusive;
    if ((outcome->stage == CASE_LOCK && outcome->error) || is_kept) {
        run->error.code = STR("BUSY");
        run->error.what = str_format(
            arena, "Others kept the GPU busy for %g s.", ended->what->lock_s);
        run->error.help = STR("Try again later.");
    } else if (outcome->error == CUDA_ERROR_OUT_OF_MEMORY) {
        run->error.code = STR("BUSY");
        run->error.help = free_memory(arena, outcome);
    } else if (outcome->error == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
               outcome->error == CUDA_ERROR_NO_BINARY_FOR_GPU ||
               outcome->error == CUDA_ERROR_INVALID_IMAGE) {
        run->error.code = STR("TARGET");
        run->error.help = STR("The driver is older than the toolkit: update "
                              "the driver, or use an older toolkit.");
    }
    return false;
}

// Whether the driver refused the launch because the launch itself is wrong.
static bool is_bad_launch(const CaseOutcome *outcome) {
    return outcome->stage == CASE_LAUNCH &&
           (outcome->error == CUDA_ERROR_INVALID_VALUE ||
            outcome->error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
            outcome->error == CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

static bool refuse(Arena *arena, const CaseOutcome *outcome, DeviceRun *run) {
    run->status = RUN_REFUSED;
    run->error = (Diag){
        .code = STR("LAUNCH"),
        .what = str_format(arena, "The GPU refuses the launch: %s gives %s.",
                           outcome->call, outcome->text),
        .help = STR("Look at the kernel's shared memory, its registers and its "
                    "cluster size: a block must fit on an SM."),
    };
    return true;
}

bool outcome_read(Arena *arena, const Ended *ended, DeviceRun *run) {
    const GpuCase *what = ended->what;
    const CaseOutcome *outcome = what->outcome;
    run->resident = outcome->resident;
    run->resident_later = outcome->resident_later;
    run->output = str_copy(arena, ended->child->out);
    run->allow_refusals = what->refuse_first || what->refuse_every;
    run->card_ms = (double)outcome->ms;
    if (outcome->is_late)
        read_lateness(arena, ended, run);
    else if (is_bad_launch(outcome))
        return refuse(arena, outcome, run);
    else if (outcome->error && outcome->stage >= CASE_LAUNCH &&
             read_fault(arena, outcome, run))
        return true;
    else if (outcome->error || outcome->stage != CASE_DONE)
        return fail(arena, ended, run);
    else if (outcome->is_damaged)
        read_damage(arena, ended, run);
    if (what->has_ledger && outcome->has_control && !what->is_asking &&
        outcome->stage == CASE_DONE)
        read_ledger(arena, ended, run);
    return true;
}
