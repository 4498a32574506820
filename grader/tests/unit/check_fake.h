// SPDX-License-Identifier: Apache-2.0
// A fake Device for the tests of check/ and cli/: its "kernel" is the C
// function fake_run below, which does what a right kernel of any of the labs
// does. A test can make it do one thing wrong (Spoil). There are also a module,
// a lab and a submission that go with it.
//
// The fake has 4 SMs with 2 blocks each, as the virtual machine's smallest
// model.
#ifndef CLCLAB_CHECK_FAKE_H
#define CLCLAB_CHECK_FAKE_H

#include "check/check.h"
#include "check/scalar.h"
#include "device/device.h"
#include "report/report.h"
#include "result/wish.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"

enum { FAKE_SMS = 4, FAKE_PER_SM = 2, FAKE_RESIDENT = 8, NOBODY = -1 };

// What the kernel does wrong. A block is NOBODY if nothing goes wrong with it.
typedef struct Spoil {
    int missed;        // this block index is not processed
    int twice;         // this one is processed twice, by its owner
    int by_two;        // this one by its owner and by block 0's CTA
    int lost;          // this one by its owner and by `second`, whose work is
    uint32_t second;   // lost: the data is as after one of them
    int wrong_element; // data[i] gets a wrong value
    int nan_element;
    int wrong_writer;            // this block index is processed by CTA 1
    int never_asks;              // this cluster makes no request
    bool no_steals;              // every block is started
    uint32_t early_refusals;     // that a ledger counts
    bool out_of_order;           // launches are; those in order are not spoilt
    DeviceStrategy in_order_too; // but for those of this strategy; 0: none
    bool one_at_a_time;          // one request in flight, and not two
    bool one_at_a_time_later;    // the same, in all blocks but the first
    bool requests;               // a CLC request is made
    bool leaves_data;            // nothing is stored
    uint32_t prologues;          // more calls of the prologue in block 3
    uint32_t first_prologues;    // likewise in block 0
    bool no_prologue;
    bool no_idle_prologue; // none in blocks that have no elements
    bool no_prologue_in_rank_0, no_prologue_in_rank_1;
    uint32_t late;        // late calls in each block, at line 6
    uint32_t late_worked; // so many of them by threads that have stored
    bool late_in_last;    // only in the block with less than its threads'
                          // elements
    DeviceRule rule;      // a finding of this rule, at line 7
    FindingLevel level;
    DevicePart cure;
    // The finding's lines; 0: line 7, and only the related place at line 3.
    uint32_t line, cure_line, caller_line, earlier_line;
    uint32_t race_block;  // the finding is of its elements; 0: of no buffer
    uint32_t race_cta[2]; // between these
    RunStatus status;
    uint64_t steps;    // that the kernel takes: with fewer it reaches the limit
    int only_schedule; // spoils only launches of this strategy; NOBODY: all
    int32_t only_above;  // likewise: with more elements; 0: all
    uint32_t only_grid;  // likewise: of this many blocks; 0: all
    bool only_second;    // likewise: that keep the module's variables
    uint32_t index_bits; // of a block, in a large grid; 0: enough
    int plan_off;        // added to what launch_plan gives
    int plan_n;          // for this n; NOBODY: for all but 0
    bool plan_traps;
    bool cannot_load, is_silent; // is_silent: and does not say why
    bool has_no_secret;
    bool wrong_scalar, scalar_traps; // of clclab_prologue
    bool scalar_fails;               // it cannot be launched
    bool fits_nowhere, keeps_fit_secret;
    bool refuse_code;  // RUN_REFUSED with a code: the submission's fault
    const char *fails; // a launch of the lab's kernel fails with this code
    const char *prints;
} Spoil;

struct FakeLaunch;

typedef struct Fake {
    Device device; // first: a Device * is a Fake *
    Spoil spoil;
    LabTechnique technique;
    uint32_t threads, cluster;
    bool is_card; // nothing is watched
    // Fills in the timeline of a timed launch; NULL: it models no time. Block
    // indices are stored at cycles 100, 200, ..., in turn by each CTA.
    void (*time)(struct FakeLaunch *launch, DeviceTimeline *line);
    float alpha; // what compute_scalar() gives, by the secret
    float *data; // the one buffer
    uint64_t bytes;
    uint64_t counted; // thread-instructions of each launch, as it says
    int launches;     // of the lab's kernel
    uint64_t seeds[64];
    DeviceStrategy strategies[64];
    int32_t sizes[64];
    uint32_t grids[64];
    bool kept[64];                // the module's variables
    bool some[64];                // not all clusters are run
    float alphas[64], firsts[64]; // the secret's value; data[0] before it
    int traced; // launches that were to be recorded; the last:
    TraceWish wish;
    DeviceSchedule traced_schedule;
    int32_t traced_size;
} Fake;

static inline uint32_t or_else(uint32_t value, uint32_t otherwise) {
    return value ? value : otherwise;
}

static inline Spoil fake_spoil_nothing(void) {
    return (Spoil){.missed = NOBODY,
                   .twice = NOBODY,
                   .by_two = NOBODY,
                   .lost = NOBODY,
                   .wrong_element = NOBODY,
                   .nan_element = NOBODY,
                   .wrong_writer = NOBODY,
                   .never_asks = NOBODY,
                   .plan_n = NOBODY,
                   .only_schedule = NOBODY};
}

// ---- the lab's kernel ----------------------------------------------------

typedef struct FakeLaunch {
    Fake *fake;
    Arena *arena;
    const DeviceLaunch *launch;
    DeviceRun *run;
    const Spoil *spoil;
    uint32_t grid, blocks;
    int32_t n;
} FakeLaunch;

static inline void fake_element(FakeLaunch *f, uint32_t i, uint32_t cta) {
    WatchElement *element = &f->launch->watches[0].elements[i];
    uint32_t cluster = f->fake->cluster;
    if (f->fake->is_card)
        return;
    if (!element->first)
        element->first = cta + 1;
    else if ((element->first - 1) / cluster != cta / cluster)
        element->other = cta + 1;
}

static inline void fake_store(FakeLaunch *f, uint32_t cta, uint32_t block,
                              float factor) {
    Fake *fake = f->fake;
    uint32_t threads = fake->threads;
    if (block >= f->blocks || f->spoil->leaves_data)
        return;
    for (uint32_t i = block * threads;
         i < (block + 1) * threads && i < (uint32_t)f->n; i++) {
        fake->data[i] *= factor;
        fake_element(f, i, cta);
    }
    if (fake->is_card)
        return;
    WatchPiece *piece = &f->launch->watches[0].pieces[block];
    piece->stores += threads;
    piece->at = (SrcLoc){STR("/tmp/build/kernel.cu"), 9, 5};
    piece->cycle = f->launch->is_timed ? 100 * (block / FAKE_RESIDENT + 1) : 0;
    if (piece->writer_count == 0 || piece->writers[0] != cta)
        piece->writers[piece->writer_count++] = cta;
}

static inline void fake_process(FakeLaunch *f, uint32_t cta, uint32_t block) {
    const Spoil *spoil = f->spoil;
    if ((int)block == spoil->missed)
        return;
    if ((int)block == spoil->wrong_writer)
        cta = 1;
    fake_store(f, cta, block, f->fake->alpha);
    if ((int)block == spoil->twice)
        fake_store(f, cta, block, f->fake->alpha);
    if ((int)block == spoil->by_two)
        fake_store(f, 0, block, f->fake->alpha);
    if ((int)block == spoil->lost)
        fake_store(f, spoil->second, block, 1);
}

// The CTA that owns a block index in the end.
static inline uint32_t fake_owner(const FakeLaunch *f, uint32_t block) {
    switch (f->fake->technique) {
    case TECHNIQUE_FIXED:
        return block;
    case TECHNIQUE_PERSISTENT:
        return block % f->grid;
    case TECHNIQUE_CLC:
        break;
    }
    return f->spoil->no_steals ? block : block % FAKE_RESIDENT;
}

// The CTA whose chain has this block index; NOBODY: none has.
static inline int fake_chain_of(const FakeLaunch *f, uint32_t block) {
    uint32_t owner = fake_owner(f, block);
    bool is_listed = f->fake->technique == TECHNIQUE_CLC || owner == block;
    return is_listed ? (int)owner : NOBODY;
}

// Each chain is as long as it has to be: a grid of 2^16 blocks has as many.
static inline void fake_chain_blocks(FakeLaunch *f) {
    Ledger *ledger = &f->run->ledger;
    uint32_t *counts = arena_new(f->arena, uint32_t, ledger->chain_count + 1);
    for (uint32_t block = 0; block < f->grid; block++)
        if (fake_chain_of(f, block) != NOBODY)
            counts[fake_chain_of(f, block)]++;
    for (size_t i = 0; i < ledger->chain_count; i++)
        ledger->chains[i].blocks = arena_new(f->arena, uint32_t, counts[i] + 1);
    for (uint32_t block = 0; block < f->grid; block++) {
        int cta = fake_chain_of(f, block);
        if (cta != NOBODY)
            ledger->chains[cta].blocks[ledger->chains[cta].count++] = block;
    }
}

static inline void fake_ledger(FakeLaunch *f, uint32_t started) {
    Ledger *ledger = &f->run->ledger;
    const Spoil *spoil = f->spoil;
    bool clc = f->fake->technique == TECHNIQUE_CLC;
    uint32_t cluster = f->fake->cluster;
    ledger->totals.grid = f->grid;
    ledger->totals.started = started;
    ledger->totals.granted = f->grid - started;
    ledger->totals.requests = clc || spoil->requests ? f->grid : 0;
    ledger->totals.refused = clc ? started : 0;
    ledger->totals.refused_pending = spoil->early_refusals;
    ledger->entry_count = f->grid / cluster;
    ledger->entries = arena_new(f->arena, LedgerEntry, ledger->entry_count + 1);
    for (uint32_t i = 0; i < ledger->entry_count; i++)
        ledger->entries[i] = (LedgerEntry){
            .state = i * cluster < started ? LEDGER_LAUNCHED : LEDGER_GRANTED,
            .taken = true,
            .by_cta = i * cluster % FAKE_RESIDENT,
            .at = {STR("kernel.cu"), 6, 3},
        };
    ledger->chain_count = started;
    ledger->chains = arena_new(f->arena, LedgerChain, started + 1);
    for (uint32_t cta = 0; cta < started; cta++) {
        LedgerChain *chain = &ledger->chains[cta];
        chain->cta = cta;
        bool several =
            !spoil->one_at_a_time && !(spoil->one_at_a_time_later && cta > 0);
        chain->most_in_flight = clc && !f->fake->is_card ? 1 + several : 0;
        bool idle = spoil->no_idle_prologue && cta >= f->blocks;
        bool none = cta % 2 ? spoil->no_prologue_in_rank_1
                            : spoil->no_prologue_in_rank_0;
        chain->prologues = spoil->no_prologue || idle || none ? 0 : 1;
        bool is_last =
            cta + 1 == f->blocks && (uint32_t)f->n % f->fake->threads > 0;
        if (spoil->late && (is_last || !spoil->late_in_last)) {
            chain->late = spoil->late;
            chain->late_worked = spoil->late_worked;
            chain->late_at = (SrcLoc){STR("/tmp/build/kernel.cu"), 6, 9};
        }
        chain->requests = clc && !spoil->no_steals &&
                          (int)(cta / cluster) != spoil->never_asks;
        if (cta == 3)
            chain->prologues += spoil->prologues;
        if (cta == 0)
            chain->prologues += spoil->first_prologues;
    }
    fake_chain_blocks(f);
}

static inline void fake_finding(FakeLaunch *f) {
    DeviceRun *run = f->run;
    run->findings = arena_new(f->arena, Finding, 2);
    FindingCase which = sample_case(f->spoil->rule);
    SrcLoc earlier = {STR("kernel.cu"), or_else(f->spoil->earlier_line, 3), 1};
    run->findings[run->finding_count++] = (Finding){
        .rule = f->spoil->rule,
        .which = which,
        .facts = sample_facts(f->arena, finding_case_carries(which), 0),
        .level = f->spoil->level,
        .at = {STR("/tmp/build/kernel.cu"), or_else(f->spoil->line, 7), 2},
        .via = {STR("/usr/include/barrier.h"), 55, 1},
        .who = {.known = true,
                .cta = 3,
                .rank = 1,
                .ctas = 2,
                .warp = 1,
                .warps = 2,
                .lane = 5,
                .owned = 3,
                .block = 17},
        .related = {{.at = earlier, .place = PLACE_REQUEST, .caller = earlier}},
        .related_count = 1,
        .cure = f->spoil->cure,
        .cure_at = {STR("kernel.cu"), f->spoil->cure_line, 1},
        .callers = {{STR("/tmp/build/kernel.cu"), f->spoil->caller_line, 1}},
        .caller_count = f->spoil->caller_line > 0,
        .occurrences = 2,
        .cta = f->spoil->race_cta[0],
        .in_buffer = f->spoil->race_block > 0,
        .offset = (uint64_t)f->spoil->race_block * f->fake->threads * 4 + 4,
        .other_cta = f->spoil->race_cta[1],
    };
}

// Of a large grid some clusters: no ledger, and a watch of one piece. A spoil
// says what becomes of indices that do not fit in so many bits.
static inline void fake_run_some(FakeLaunch *f) {
    Fake *fake = f->fake;
    const DeviceLaunch *launch = f->launch;
    Watch *watch = &launch->watches[0];
    uint32_t bits = f->spoil->index_bits, cluster = fake->cluster;
    bool persistent = fake->technique == TECHNIQUE_PERSISTENT;
    watch->pieces = arena_new(f->arena, WatchPiece, 2);
    watch->pieces[0].first_at = (SrcLoc){STR("/tmp/build/kernel.cu"), 9, 5};
    watch->pieces[0].index_bits = bits < 16 ? 0 : bits;
    for (size_t k = 0; k < launch->only_count * cluster; k++) {
        uint32_t cta =
            launch->only[k / cluster] * cluster + (uint32_t)(k % cluster);
        for (uint32_t block = cta; block < f->blocks; block += f->grid) {
            uint32_t at = bits ? block & ((1u << bits) - 1) : block;
            for (uint32_t t = 0; t < fake->threads; t++) {
                uint32_t i = at * fake->threads + t;
                if (i >= (uint32_t)f->n || (int)i == f->spoil->wrong_element)
                    continue;
                fake->data[i] *= fake->alpha;
                if (watch->touch_count < watch->touch_most)
                    watch->touches[watch->touch_count++] =
                        (WatchTouch){i, cta + 1};
            }
            if (!persistent)
                break;
        }
    }
    f->run->resident = FAKE_RESIDENT;
    f->run->status = f->spoil->status;
}

static inline void fake_run_kernel(FakeLaunch *f) {
    if (f->launch->only) {
        fake_run_some(f);
        return;
    }
    Watch *watch = &f->launch->watches[0];
    watch->pieces = arena_new(f->arena, WatchPiece, f->blocks + 1);
    watch->elements = arena_new(f->arena, WatchElement, (size_t)f->n + 1);
    bool steals = f->fake->technique == TECHNIQUE_CLC && !f->spoil->no_steals;
    uint32_t started =
        steals && f->grid > FAKE_RESIDENT ? FAKE_RESIDENT : f->grid;
    uint32_t last = f->blocks > f->grid ? f->blocks : f->grid;
    for (uint32_t block = 0; block < last; block++)
        fake_process(f, fake_owner(f, block), block);
    if (f->spoil->wrong_element >= 0 && f->spoil->wrong_element < f->n)
        f->fake->data[f->spoil->wrong_element] = 17.0f;
    if (f->spoil->nan_element >= 0 && f->spoil->nan_element < f->n)
        f->fake->data[f->spoil->nan_element] = NAN;
    fake_ledger(f, started);
    f->run->resident = FAKE_RESIDENT;
    f->run->is_timed = f->launch->is_timed && f->fake->time;
    if (f->run->is_timed)
        f->fake->time(f, &f->run->timeline);
    f->run->out_of_order = f->spoil->out_of_order;
    f->run->counters.thread_instructions = f->fake->counted;
    bool ends = f->launch->step_limit >= f->spoil->steps;
    f->run->status = ends ? f->spoil->status : RUN_LIMIT;
    if (f->spoil->rule)
        fake_finding(f);
    if (f->spoil->only_second) {
        arena_grow(f->arena, f->run->changed, f->run->changed_count,
                   f->run->changed_capacity);
        f->run->changed[f->run->changed_count++] = STR("i");
    }
    if (f->spoil->prints)
        f->run->output = str_format(f->arena, "%s", f->spoil->prints);
    if (f->spoil->status == RUN_REFUSED)
        f->run->error =
            (Diag){.what = STR("it cannot be launched"),
                   .code = str_from(f->spoil->refuse_code ? "SMEM" : "")};
}

// ---- the Device ----------------------------------------------------------

static inline void fake_info(Device *device, DeviceInfo *out) {
    bool is_card = ((Fake *)device)->is_card;
    *out = (DeviceInfo){.name = is_card ? STR("gpu:Some GPU (compute 9.0)")
                                        : STR("vm:mini"),
                        .is_card = is_card,
                        .sm_count = FAKE_SMS,
                        .max_threads_per_block = 1024};
}

static inline uint32_t fake_blocks_per_sm(Device *device, Str kernel,
                                          uint32_t threads, uint32_t smem) {
    (void)kernel, (void)threads, (void)smem;
    if (((Fake *)device)->spoil.keeps_fit_secret)
        return DEVICE_FIT_UNKNOWN;
    return ((Fake *)device)->spoil.fits_nowhere ? 0 : FAKE_PER_SM;
}

static inline bool fake_load(Device *device, const PtxModule *module,
                             Diags *diags) {
    Fake *fake = (Fake *)device;
    (void)module;
    heap_free(fake->data);
    fake->data = NULL;
    if (fake->spoil.cannot_load && !fake->spoil.is_silent)
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "no memory for the module");
    return !fake->spoil.cannot_load;
}

static inline bool fake_alloc(Device *device, uint64_t bytes, uint32_t *index,
                              uint64_t *address, Diags *diags) {
    Fake *fake = (Fake *)device;
    (void)diags;
    heap_free(fake->data);
    fake->data = heap_alloc(1, bytes + 1);
    fake->bytes = bytes;
    *index = 0;
    *address = 0x1000;
    return true;
}

static inline bool fake_write(Device *device, uint32_t buffer, uint64_t offset,
                              const void *bytes, uint64_t count) {
    Fake *fake = (Fake *)device;
    (void)buffer;
    memcpy((char *)fake->data + offset, bytes, count);
    return true;
}

static inline bool fake_read(Device *device, uint32_t buffer, uint64_t offset,
                             void *bytes, uint64_t count) {
    Fake *fake = (Fake *)device;
    (void)buffer;
    memcpy(bytes, (char *)fake->data + offset, count);
    return true;
}

static inline bool fake_write_symbol(Device *device, Str name,
                                     const void *bytes, uint64_t count) {
    Fake *fake = (Fake *)device;
    struct {
        float seed;
        int32_t rounds;
    } secret; // lab.h: LabSecret
    if (!str_equal(name, STR("clclab_secret")) || count != sizeof secret ||
        fake->spoil.has_no_secret)
        return false;
    memcpy(&secret, bytes, sizeof secret);
    fake->alpha = scalar_after(secret.seed, secret.rounds);
    return true;
}

static inline void fake_plan(Fake *fake, Arena *arena,
                             const DeviceLaunch *launch, DeviceRun *run) {
    int32_t q[4]; // n, threads, SMs, blocks a SM
    memcpy(q, launch->args, sizeof q);
    int32_t all = (q[0] + q[1] - 1) / q[1], fit = q[2] * q[3];
    bool persistent = fake->technique == TECHNIQUE_PERSISTENT;
    int32_t blocks = persistent && all > fit ? fit : all;
    bool off =
        fake->spoil.plan_n == NOBODY ? blocks > 0 : fake->spoil.plan_n == q[0];
    blocks += off ? fake->spoil.plan_off : 0;
    memcpy(fake->data, &blocks, sizeof blocks);
    if (!fake->spoil.plan_traps)
        return;
    run->status = RUN_FAULT;
    run->findings = arena_new(arena, Finding, 1);
    run->findings[run->finding_count++] =
        sample_finding(arena, CASE_TRAP_TRAP, 0);
}

static inline void fake_prologue(Fake *fake, Arena *arena, DeviceRun *run) {
    memcpy(fake->data, &fake->alpha, sizeof fake->alpha);
    if (fake->spoil.wrong_scalar)
        fake->data[0] += 0x1p-22f; // little, and in (1.2, 1.8)
    if (!fake->spoil.scalar_traps)
        return;
    run->findings = arena_new(arena, Finding, 1);
    run->findings[run->finding_count++] =
        sample_finding(arena, CASE_TRAP_TRAP, 0);
}

static inline void fake_note(Fake *fake, const DeviceLaunch *launch,
                             int32_t n) {
    int i = fake->launches++;
    if (i >= (int)COUNT_OF(fake->seeds))
        return;
    fake->seeds[i] = launch->schedule.seed;
    fake->strategies[i] = launch->schedule.strategy;
    fake->sizes[i] = n;
    fake->grids[i] = launch->grid[0];
    fake->kept[i] = launch->keeps_variables;
    fake->some[i] = launch->only != NULL;
    fake->alphas[i] = fake->alpha;
    fake->firsts[i] = fake->bytes ? fake->data[0] : 0;
}

static inline bool fake_is_in_schedule(const Spoil *spoil,
                                       const DeviceLaunch *launch) {
    DeviceStrategy strategy = launch->schedule.strategy;
    if (spoil->out_of_order && launch->schedule.in_order)
        return spoil->in_order_too && spoil->in_order_too == strategy;
    return spoil->only_schedule == NOBODY ||
           spoil->only_schedule == (int)strategy;
}

static inline bool fake_spoils(const Spoil *spoil, const DeviceLaunch *launch,
                               int32_t n) {
    return fake_is_in_schedule(spoil, launch) &&
           (!spoil->only_above || n > spoil->only_above) &&
           (!spoil->only_grid || spoil->only_grid == launch->grid[0]) &&
           (!spoil->only_second || launch->keeps_variables);
}

static inline bool fake_fail(DeviceRun *run, const char *code) {
    run->error = (Diag){.what = STR("it did not run"),
                        .help = STR("look elsewhere"),
                        .code = str_from(code)};
    return false;
}

// Has a trace, with a moment if one is wished for.
static inline void fake_trace(Fake *fake, Arena *arena,
                              const DeviceLaunch *launch, int32_t n,
                              DeviceRun *run) {
    if (!launch->trace)
        return;
    fake->traced++;
    fake->wish = *launch->trace;
    fake->traced_schedule = launch->schedule;
    fake->traced_size = n;
    run->trace = arena_new(arena, RunTrace, 1);
    run->trace->moment.is_there = launch->trace->rule != DEVICE_RULE_NONE;
}

static inline bool fake_launch(Device *device, Arena *arena,
                               const DeviceLaunch *launch, DeviceRun *run) {
    Fake *fake = (Fake *)device;
    *run = (DeviceRun){0};
    if (str_equal(launch->kernel, STR("clclab_prologue"))) {
        fake_prologue(fake, arena, run);
        return !fake->spoil.scalar_fails || fake_fail(run, "LOST");
    }
    if (str_equal(launch->kernel, STR("clclab_launch_plan"))) {
        fake_plan(fake, arena, launch, run);
        return true;
    }
    int32_t n;
    memcpy(&n, (const char *)launch->args + 8, sizeof n);
    fake_note(fake, launch, n);
    Spoil clean = fake_spoil_nothing();
    bool spoils = fake_spoils(&fake->spoil, launch, n);
    FakeLaunch f = {fake,
                    arena,
                    launch,
                    run,
                    spoils ? &fake->spoil : &clean,
                    launch->grid[0],
                    0,
                    n};
    f.blocks = ((uint32_t)f.n + fake->threads - 1) / fake->threads;
    fake_run_kernel(&f);
    fake_trace(fake, arena, launch, n, run);
    return !f.spoil->fails || fake_fail(run, f.spoil->fails);
}

static inline void fake_close(Device *device) {
    Fake *fake = (Fake *)device;
    heap_free(fake->data);
    fake->data = NULL;
}

static const DeviceOps FAKE_OPS = {
    .info = fake_info,
    .blocks_per_sm = fake_blocks_per_sm,
    .load = fake_load,
    .alloc = fake_alloc,
    .write = fake_write,
    .read = fake_read,
    .write_symbol = fake_write_symbol,
    .launch = fake_launch,
    .close = fake_close,
};

// ---- module, lab, submission -------------------------------------

static const char FAKE_CONF[] =
    "# a lab\n"
    "title     = Clusters that steal\n"
    "kernel    = kernel\n"
    "file      = kernel.cu   # the learner's\n"
    "threads   = 128\n"
    "cluster   = 2\n"
    "technique = clc\n"
    "plan      = no\n"
    "sizes     = 0 1 127 1000 10240 20000\n"
    "check builds       5 It compiles.\n"
    "check signature    5 It has the name.\n"
    "check correct     25 Every element is right.\n"
    "check exactly_once 20 Each block index once.\n"
    "check technique   15 Blocks were stolen.\n"
    "check prologue    10 Once a started block.\n"
    "check rules       10 No rule is broken.\n"
    "check schedules   10 The same under other schedules.\n";

static const char FAKE_SOURCE[] =
    "#include \"lab.h\"\n"
    "// kernel is below\n"
    "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"
    "void kernel(float *data, int n) {\n"
    "    float alpha = compute_scalar();\n"
    "    try_cancel();\n"
    "    wait();\n"
    "    int i = 0;\n"
    "    data[i] *= alpha;\n"
    "}\n"
    "__device__ LaunchPlan launch_plan(LaunchQuery q) {\n"
    "}\n";

static inline void fake_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}

typedef struct Bench { // everything that one grading needs
    Arena arena;
    Fake fake;
    Lab lab;
    Submission submission;
    GradeOptions options;
    PtxModule module;
    PtxFunc *kernel;
    Result result;
} Bench;

static inline PtxFunc *bench_add_entry(Bench *bench, Str name) {
    PtxModule *module = &bench->module;
    PtxFunc *func = arena_new(&bench->arena, PtxFunc, 1);
    func->name = name;
    func->is_entry = func->has_body = true;
    func->id = (uint32_t)module->func_count;
    arena_grow(&bench->arena, module->funcs, module->func_count,
               module->func_capacity);
    module->funcs[module->func_count++] = func;
    return func;
}

static inline void bench_add_param(Bench *bench, PtxFunc *func, PtxType type,
                                   uint64_t size) {
    PtxVar *param = arena_new(&bench->arena, PtxVar, 1);
    *param = (PtxVar){.type = type, .vector = 1, .size = size};
    PtxVar **params = arena_new(&bench->arena, PtxVar *, func->param_count + 1);
    if (func->param_count)
        memcpy(params, func->params, func->param_count * sizeof params[0]);
    params[func->param_count++] = param;
    func->params = params;
}

static inline void bench_module(Bench *bench) {
    PtxModule *module = &bench->module;
    bench->kernel = bench_add_entry(bench, STR("kernel"));
    bench_add_param(bench, bench->kernel, PTX_U64, 8);
    bench_add_param(bench, bench->kernel, PTX_U32, 4);
    bench->kernel->req_cluster = (PtxDim3){bench->lab.cluster, 1, 1};
    bench_add_entry(bench, STR("clclab_prologue"));
    if (bench->lab.plan)
        bench_add_entry(bench, STR("clclab_launch_plan"));
    PtxVar *secret = arena_new(&bench->arena, PtxVar, 1);
    secret->name = STR("clclab_secret");
    arena_grow(&bench->arena, module->vars, module->var_count,
               module->var_capacity);
    module->vars[module->var_count++] = secret;
    bench->submission.module = module;
}

// A bench for a lab of a technique (fixed and persistent: with launch_plan,
// without clusters).
static inline void bench_open(Bench *bench, LabTechnique technique) {
    *bench = (Bench){0};
    Diags diags = diags_new(&bench->arena);
    check_parse_lab(&bench->arena, STR("lab.conf"), STR(FAKE_CONF), &bench->lab,
                    &diags);
    Lab *lab = &bench->lab;
    lab->number = 4;
    lab->reference = fake_reference;
    lab->has_hints = true;
    lab->technique = technique;
    lab->plan = technique != TECHNIQUE_CLC;
    if (lab->plan) {
        lab->cluster = 1;
        LabCheck *checks = arena_new(&bench->arena, LabCheck, 9);
        memcpy(checks, lab->checks, 2 * sizeof checks[0]);
        checks[2] = (LabCheck){STR("launch_plan"), STR("The grid."), 10};
        memcpy(checks + 3, lab->checks + 2, 6 * sizeof checks[0]);
        checks[8].points = 0;
        lab->checks = checks;
        lab->check_count = 9;
    }
    bench->fake = (Fake){.device = {&FAKE_OPS},
                         .spoil = fake_spoil_nothing(),
                         .technique = technique,
                         .threads = lab->threads,
                         .cluster = lab->cluster};
    bench->submission = (Submission){
        .file = STR("my/kernel.cu"),
        .source = STR(FAKE_SOURCE),
        .compiler = STR("NVRTC 13.0"),
    };
    bench->options = (GradeOptions){
        .seed = 7,
        .schedules = 16,
        .replay = STR("clclab grade 4 my/kernel.cu"),
    };
    bench_module(bench);
}

static inline const Result *bench_grade(Bench *bench) {
    check_grade(&bench->arena, &bench->lab, &bench->submission,
                &bench->fake.device, &bench->options, &bench->result);
    report_tell(&bench->arena, &bench->result);
    return &bench->result;
}

static inline const CheckResult *bench_check(const Bench *bench,
                                             const char *id) {
    for (size_t i = 0; i < bench->result.check_count; i++)
        if (str_equal(bench->result.checks[i].id, str_from(id)))
            return &bench->result.checks[i];
    return NULL;
}

// "builds=pass ..." of the checks with that status.
static inline Str bench_list(Bench *bench, CheckStatus status) {
    Str list = {0};
    for (size_t i = 0; i < bench->result.check_count; i++)
        if (bench->result.checks[i].status == status)
            list = str_format(&bench->arena, "%.*s%s%.*s", STR_ARG(list),
                              list.len ? " " : "",
                              STR_ARG(bench->result.checks[i].id));
    return list;
}

#define CHECK_LIST(bench, status, expected) \
    CHECK_STR(bench_list(bench, status), expected)

// Grades, and checks that exactly `id` failed; its cause.
static inline Cause fails_alone(Bench *bench, const char *id) {
    const Result *result = bench_grade(bench);
    CHECK_LIST(bench, CHECK_FAIL, id);
    CHECK_LIST(bench, CHECK_ERROR, "");
    CHECK_INT(result->verdict, VERDICT_FAIL);
    CHECK(result->score < 100);
    const CheckResult *check = bench_check(bench, id);
    if (!CHECK(check && check->cause_count > 0))
        return (Cause){0};
    Cause cause = check->causes[0];
    CHECK_DOUBLE(check->points, 0);
    CHECK(cause.what.len > 0);
    CHECK(cause.help.len > 0);
    CHECK_STR(cause.at.file, "my/kernel.cu");
    return cause;
}

static inline void bench_close(Bench *bench) {
    bench->fake.device.ops->close(&bench->fake.device);
    arena_free(&bench->arena);
}

#endif
