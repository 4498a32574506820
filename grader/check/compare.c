// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the comparison one after another and checks their data. An
// element must be its old value plus what its block's units of work add. That
// sum is computed here once for each number of units, with the kernel's
// roundings, so all elements can be compared bit by bit, whichever source ran
// the case.
#include "check/compare.h"
#include "check/scalar.h"
#include "device/device.h"
#include "device/limits.h"

#include <math.h>

enum {
    PERIOD = 1021,   // data[i] is i % PERIOD before a launch
    MOST_UNITS = 16, // of work for one block index
    EVEN_UNITS = 3,
    LAST_SIZE = 1 << 27,
    // Block indices for each place of a model. An odd number: half-way through,
    // each place is then in the middle of a block and not between two.
    PER_PLACE = 25,
    MODEL_THREADS = 64,
    CARD_THREADS = DEVICE_MOST_THREADS,
};
static const float SEED = 1.5f; // of the prologue

static const struct {
    const char *name, *kernel;
    uint32_t cluster;
} TECHNIQUE[COMPARE_TECHNIQUE_COUNT] = {
#define COMPARE_ROW(id, name, kernel, cluster) {name, kernel, cluster},
    COMPARE_TECHNIQUES(COMPARE_ROW)
#undef COMPARE_ROW
};

// ---- what the kernels compute --------------------------------------------

// compare.cu: units_of.
static int units_of(uint32_t block, bool uneven) {
    uint32_t hash = block * UINT32_C(0x9e3779b9);
    hash = (hash ^ hash >> 15) * UINT32_C(0x2c1b3c6d);
    hash ^= hash >> 13;
    int units = 1;
    while (units < MOST_UNITS && !(hash & (uint32_t)units))
        units *= 2;
    return uneven ? units : EVEN_UNITS;
}

static float before(int32_t i) {
    return (float)(i % PERIOD);
}

// added[u]: what u units of work add to an element.
static void fill_added(const CompareCase *what, float added[MOST_UNITS + 1]) {
    for (int units = 1; units <= MOST_UNITS; units++)
        added[units] = scalar_after(0, units * what->work.rounds);
}

static bool judge(const CompareCase *what, const float *data, Diags *diags) {
    float added[MOST_UNITS + 1];
    float alpha = scalar_after(what->secret.seed, what->secret.rounds);
    int32_t wrong = 0, first = 0;
    float expected = 0;
    fill_added(what, added);
    for (int32_t i = 0; i < what->work.n; i++) {
        uint32_t block = (uint32_t)i / what->threads;
        float is =
            fmaf(alpha, added[units_of(block, what->work.uneven)], before(i));
        if (data[i] == is || wrong++)
            continue;
        first = i;
        expected = is;
    }
    if (wrong == 0)
        return true;
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "%s, %s work: %d of %d elements are wrong; the first is data[%d], "
             "of block %u: it is %.7g, and %.7g is right",
             TECHNIQUE[what->technique].name,
             what->work.uneven ? "uneven" : "even", (int)wrong,
             (int)what->work.n, (int)first, (uint32_t)first / what->threads,
             (double)data[first], (double)expected);
    return false;
}

// ---- the cases -----------------------------------------------------------

CompareSizes compare_sizes(CompareSource *source, int32_t n) {
    bool card = source->info.kind == COMPARE_MEASURED;
    CompareSizes sizes = {.n = n,
                          .threads = card ? CARD_THREADS : MODEL_THREADS,
                          .work = card ? 64 : 32,
                          .light = 8,
                          .heavy = card ? 4096 : 512};
    if (n > 0)
        return sizes;
    uint64_t places = source->info.sms;
    places *= source->blocks_per_sm(source, str_from(TECHNIQUE[0].kernel),
                                    sizes.threads);
    uint64_t all = places * PER_PLACE * sizes.threads;
    sizes.n = card || all > LAST_SIZE ? LAST_SIZE : all ? (int32_t)all : 1;
    return sizes;
}

// How many blocks each technique launches.
static uint32_t grid_of(CompareTechnique technique, uint32_t blocks,
                        uint32_t places) {
    uint32_t cluster = TECHNIQUE[technique].cluster;
    if (technique == COMPARE_STRIDE && places < blocks)
        return places;
    return (uint32_t)round_up(blocks, cluster);
}

static CompareCase make_case(const Comparison *result,
                             const CompareGroup *group,
                             CompareTechnique technique) {
    const CompareSizes *sizes = &result->sizes;
    return (CompareCase){
        .technique = technique,
        .kernel = str_from(TECHNIQUE[technique].kernel),
        .grid = grid_of(technique, result->blocks, result->places[technique]),
        .threads = sizes->threads,
        .cluster = TECHNIQUE[technique].cluster,
        .secret = {SEED, group->heavy ? sizes->heavy : sizes->light},
        .work = {sizes->n, sizes->work, group->uneven},
    };
}

static void compare_with_copy(const Comparison *result, CompareSample *sample) {
    CompareFigure copy = result->info.copy, time = sample->time;
    double bytes = 2.0 * sizeof(float) * result->sizes.n;
    if (copy.known && time.known && copy.value > 0 && time.value > 0)
        sample->of_copy =
            (CompareFigure){true, bytes / (time.value * 1e3) / copy.value};
}

static bool run_group(CompareSource *source, Comparison *result,
                      CompareGroup *group, float *data, Diags *diags) {
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        CompareCase what = make_case(result, group, (CompareTechnique)t);
        for (int32_t i = 0; i < what.work.n; i++)
            data[i] = before(i);
        if (!source->run(source, &what, data, &group->samples[t], diags) ||
            !judge(&what, data, diags))
            return false;
        compare_with_copy(result, &group->samples[t]);
    }
    return true;
}

// ---- the guide's table ---------------------------------------------------

static CompareFigure ratio(CompareFigure part, CompareFigure whole) {
    if (!part.known || !whole.known || whole.value <= 0)
        return (CompareFigure){0};
    return (CompareFigure){true, part.value / whole.value};
}

static const CompareGroup *find_group(const Comparison *result, bool uneven,
                                      bool heavy) {
    const CompareGroup *group = result->groups;
    while (group->uneven != uneven || group->heavy != heavy)
        group++;
    return group;
}

static void fill_claims(Comparison *result) {
    const CompareGroup *even = find_group(result, false, false);
    const CompareGroup *heavy = find_group(result, false, true);
    const CompareGroup *uneven = find_group(result, true, false);
    CompareFigure blocks = {true, result->blocks};
    CompareClaim *claims = result->claims;
    claims[CLAIM_OVERHEADS].most = 0.5;
    claims[CLAIM_PREEMPTION].most = 0.25;
    claims[CLAIM_BALANCE].most = 1.15;
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        claims[CLAIM_OVERHEADS].figures[t] =
            ratio(heavy->samples[t].prologues, blocks);
        claims[CLAIM_PREEMPTION].figures[t] =
            ratio(even->samples[t].all_free, even->samples[t].time);
        claims[CLAIM_BALANCE].figures[t] = uneven->samples[t].imbalance;
    }
}

// ---- the whole -----------------------------------------------------------

static bool find_places(CompareSource *source, Comparison *result,
                        Diags *diags) {
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        Str kernel = str_from(TECHNIQUE[t].kernel);
        uint32_t fit =
            source->blocks_per_sm(source, kernel, result->sizes.threads);
        result->places[t] = fit * source->info.sms;
        if (fit > 0 && fit != DEVICE_FIT_UNKNOWN)
            continue;
        Diag *diag = diag_add(
            diags, DIAG_ERROR, (SrcLoc){0},
            fit > 0 ? "how many blocks of %u threads of %s fit on an SM is not "
                      "known: the driver of %.*s did not say"
                    : "no block of %u threads of %s fits on an SM of %.*s",
            result->sizes.threads, TECHNIQUE[t].kernel,
            STR_ARG(source->info.device));
        diag->code = fit > 0 ? STR("BUSY") : (Str){0};
        return false;
    }
    return true;
}

Str compare_name(CompareTechnique technique) {
    return str_from(TECHNIQUE[technique].name);
}

bool compare_small(CompareSource *source, CompareCase cases[TRACE_WAYS],
                   Diags *diags) {
    enum { EACH = 12, WORK = 128 }; // EACH: block indices for each place
    static const CompareTechnique shown[TRACE_WAYS] = {
        COMPARE_FIXED, COMPARE_STRIDE, COMPARE_CLC};
    const CompareGroup group = {.uneven = true, .heavy = true};
    Comparison small = {.info = source->info,
                        .sizes = compare_sizes(source, 1)};
    if (!find_places(source, &small, diags))
        return false;
    small.sizes.work = WORK;
    small.blocks = EACH * small.places[COMPARE_FIXED];
    small.sizes.n = (int32_t)(small.blocks * small.sizes.threads);
    for (int i = 0; i < TRACE_WAYS; i++)
        cases[i] = make_case(&small, &group, shown[i]);
    return true;
}

bool compare_run(CompareSource *source, const CompareSizes *sizes,
                 Comparison *result, Diags *diags) {
    *result = (Comparison){.info = source->info, .sizes = *sizes};
    result->blocks = ((uint32_t)sizes->n - 1) / sizes->threads + 1;
    if (!find_places(source, result, diags))
        return false;
    float *data = heap_alloc(sizeof(float), (size_t)sizes->n);
    bool ran = true;
    for (size_t i = 0; i < COMPARE_GROUPS && ran; i++) {
        CompareGroup *group = &result->groups[i];
        group->uneven = i / 2 > 0;
        group->heavy = i % 2 > 0;
        ran = run_group(source, result, group, data, diags);
        if (source->tell)
            source->tell(source->tell_context, i + 1, COMPARE_GROUPS);
    }
    heap_free(data);
    if (ran)
        fill_claims(result);
    return ran;
}
