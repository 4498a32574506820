// SPDX-License-Identifier: Apache-2.0
// The probes of a grading: plain runs that lab.conf does not list. They follow
// the runs of the listed sizes if all of these have passed, and the seed draws
// them: the same seed gives the same probes.
//
//   multiples  a size that leaves no place of the device and no thread idle,
//              one element less, and one more
//   long       so many blocks that an index does not fit in 8 bits, an
//              element's index not in 16, and, on one SM, the rounds of a block
//              not in 8 (see probe_long; probe_rounds where a round takes
//              several indices); a box is long along each axis in turn
//   again      a listed size in a second launch of the same module
//   grids      of a persistent kernel: grids that its launch_plan would not
//              choose
//   far        a few blocks of grids with more than 2^20 (far.c)
//   huge       more than 2^16 blocks, and all of them; only if many schedules
//   are asked for,
//              because it takes longer than all of the others together
#include "check/internal.h"

enum {
    PROBE_STREAM = 4,     // of random numbers
    LONG_BLOCKS = 257,    // more than 8 bits can count
    ELEMENTS = 65537,     // more than 16 bits can count
    HUGE_BLOCKS = 65537,  // likewise
    SPREAD = 64,          // of what is drawn: a number of blocks
    HUGE_SCHEDULES = 256, // so many have to be asked for
};

typedef struct ProbeList {
    Probe *items; // [MAX_PROBES]
    size_t count;
} ProbeList;

static void add(ProbeList *list, Probe probe) {
    list->items[list->count++] = probe;
}

static uint32_t draw(Rng *rng, uint32_t below) {
    return (uint32_t)rng_below(rng, below);
}

// ---- sizes ---------------------------------------------------------------

static int32_t along(const Lab *lab, size_t axis) {
    return shape_of(lab) == SHAPE_ROWS ? 1 : (int32_t)lab->block[axis];
}

// A size of that many blocks along x, y and z. The last block along each axis
// has a random number of its elements.
static LabSize size_of_blocks(const Lab *lab, Rng *rng,
                              const uint32_t blocks[3]) {
    LabSize size = {{1, 1, 1}};
    size_t axes = shape_of(lab) == SHAPE_BOX ? 3 : 1;
    for (size_t i = 0; i < axes; i++) {
        int32_t owned = along(lab, i);
        int32_t last =
            owned > 1 ? 1 + (int32_t)draw(rng, (uint32_t)owned - 1) : 1;
        size.dim[i] = ((int32_t)blocks[i] - 1) * owned + last;
    }
    return size;
}

static void add_multiples(const Grade *grade, Rng *rng, ProbeList *list) {
    const Lab *lab = grade->lab;
    uint32_t places = grade->info.sm_count * grade->blocks_per_sm;
    int32_t whole[3] = {1, 1, 1};
    if (shape_of(lab) == SHAPE_BOX)
        for (size_t i = 0; i < 3; i++)
            whole[i] = along(lab, i) * (int32_t)(2 + draw(rng, 3));
    else
        whole[0] = along(lab, 0) *
                   (int32_t)(lab->cluster * places * (2 + draw(rng, 3)));
    for (int32_t more = -1; more <= 1; more++) {
        LabSize size = {{whole[0] + more, whole[1], whole[2]}};
        for (size_t i = 1; i < 3 && shape_of(lab) == SHAPE_BOX; i++)
            size.dim[i] += more;
        add(list, (Probe){.size = size});
    }
}

// A size at which, on one SM, each place gets that many blocks and more.
static LabSize long_size(const Grade *grade, uint32_t blocks_of_a_place) {
    const Lab *lab = grade->lab;
    Rng rng = rng_stream(grade->options->seed, PROBE_STREAM);
    uint32_t places = grade->blocks_per_sm < lab->cluster
                          ? lab->cluster
                          : grade->blocks_per_sm;
    uint32_t blocks = blocks_of_a_place * places + draw(&rng, SPREAD);
    return size_of_blocks(lab, &rng, (const uint32_t[3]){blocks, 1, 1});
}

LabSize probe_long(const Grade *grade) {
    return long_size(grade, LONG_BLOCKS);
}

LabSize probe_rounds(const Grade *grade) {
    return long_size(grade, LONG_BLOCKS * grade->lab->in_flight);
}

// A wide box with more elements than 16 bits can count, a tall one, a deep one.
static void add_long_boxes(const Lab *lab, Rng *rng, ProbeList *list) {
    uint32_t wide = ELEMENTS / lab->threads + 1 + draw(rng, SPREAD);
    LabSize size = size_of_blocks(lab, rng, (const uint32_t[3]){wide, 1, 1});
    size.dim[1] = along(lab, 1);
    size.dim[2] = along(lab, 2);
    add(list, (Probe){.size = size, .is_unchecked = true});
    for (size_t axis = 1; axis < 3; axis++) {
        uint32_t blocks[3] = {1, 1, 1};
        blocks[axis] = LONG_BLOCKS + draw(rng, SPREAD);
        add(list, (Probe){.size = size_of_blocks(lab, rng, blocks),
                          .is_unchecked = true});
    }
}

static void add_long(const Grade *grade, Rng *rng, ProbeList *list) {
    if (shape_of(grade->lab) == SHAPE_BOX)
        add_long_boxes(grade->lab, rng, list);
    else
        add(list, (Probe){.size = probe_long(grade)});
}

static void add_huge(const Grade *grade, Rng *rng, ProbeList *list) {
    uint32_t blocks = HUGE_BLOCKS + draw(rng, SPREAD);
    if (grade->options->schedules >= HUGE_SCHEDULES)
        add(list,
            (Probe){.size = size_of_blocks(grade->lab, rng,
                                           (const uint32_t[3]){blocks, 1, 1}),
                    .is_unchecked = true});
}

// ---- launches ------------------------------------------------------------

static void add_again(const Grade *grade, ProbeList *list) {
    uint64_t fit = (uint64_t)grade->info.sm_count * grade->blocks_per_sm;
    size_t i = 0;
    while (i + 1 < grade->run_count && grade->runs[i].blocks < 4 * fit)
        i++;
    add(list, (Probe){.size = grade->runs[i].size, .is_relaunch = true});
}

// `some`: a size of a few times as many blocks as fit on the device.
static void add_grids(const Grade *grade, Rng *rng, LabSize some,
                      ProbeList *list) {
    static const uint32_t primes[] = {5, 7, 11, 13};
    const uint32_t grids[] = {2, 3, primes[draw(rng, COUNT_OF(primes))],
                              shape_blocks(grade->lab, some) + 1 +
                                  draw(rng, 4)};
    if (grade->lab->technique != TECHNIQUE_PERSISTENT)
        return;
    for (size_t i = 0; i < COUNT_OF(grids); i++)
        add(list, (Probe){.size = some, .grid = grids[i]});
    add(list, (Probe){.size = probe_long(grade), .grid = 1});
}

// ---- the list ------------------------------------------------------------

// Leaves out what is larger than the grading's limit.
static size_t keep_small(const Grade *grade, ProbeList *list) {
    uint64_t most = shape_most_elements(grade);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_far ? grade->options->max_size == 0
                                  : shape_volume(list->items[i].size) <= most)
            list->items[kept++] = list->items[i];
    return kept;
}

size_t probe_choose(const Grade *grade, Probe probes[MAX_PROBES]) {
    ProbeList list = {.items = probes};
    Rng rng = rng_stream(grade->options->seed, PROBE_STREAM);
    if (grade->info.is_card || grade->run_count == 0)
        return 0;
    add_multiples(grade, &rng, &list);
    add_long(grade, &rng, &list);
    add_again(grade, &list);
    add_grids(grade, &rng, list.items[0].size, &list);
    list.count += far_choose(grade, &rng, &probes[list.count]);
    add_huge(grade, &rng, &list);
    return keep_small(grade, &list);
}

// ---- one of them ---------------------------------------------------------

RunOutcome probe_run(Grade *grade, Arena *arena, const Probe *probe, Run *run,
                     Cause *cause) {
    uint32_t grid = probe->grid;
    *run = (Run){.plain = true,
                 .far = probe->is_far ? arena_new(arena, Far, 1) : NULL,
                 .is_relaunch = probe->is_relaunch,
                 .has_other_grid = probe->grid > 0,
                 .is_unchecked = probe->is_unchecked};
    RunOutcome outcome =
        grid ? OUTCOME_RAN : plan_grid(grade, probe->size, &grid, cause);
    if (outcome == OUTCOME_RAN)
        outcome = run_kernel(grade, arena, probe->size, grid, run, cause);
    return outcome;
}

// Of a far run only what ended it: it has no checks, and what it would find of
// the rules of CLC the schedules find at a size that can be looked at.
static bool has_broken_rules(Grade *grade, const Run *run, Cause *causes) {
    return !(run->far && run->device.status == RUN_DONE) &&
           judge_rules(grade, run, causes) > 0;
}

const char *probe_failure(Grade *grade, const Run *run, Cause *cause) {
    static const struct {
        const char *id;
        bool (*judge)(const Grade *grade, const Run *run, Cause *cause);
    } judges[] = {{"correct", judge_correct},
                  {"exactly_once", judge_exactly_once},
                  {"technique", judge_technique},
                  {"prologue", judge_prologue}};
    Cause causes[MAX_RULE_CAUSES] = {0};
    if (has_broken_rules(grade, run, causes)) {
        *cause = causes[0];
        return "rules";
    }
    if (run->far)
        return far_failure(grade, run, cause);
    for (size_t i = 0; i < COUNT_OF(judges); i++)
        if (!judges[i].judge(grade, run, cause))
            return judges[i].id;
    return NULL;
}
