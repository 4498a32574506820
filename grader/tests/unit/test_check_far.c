// SPDX-License-Identifier: Apache-2.0
// check/far.c and far_judge.c by hand: which blocks and elements there are, and
// what is said of what was found in them. The runs themselves are in
// test_check_probe.c (on the fake Device) and in solutions/*/wrong.
#include "tests/unit/check_hand.h"

// ---- labs of other shapes ------------------------------------------------

// Half of the neighbour on each side, within the layer.
static double near(const LabProblem *p, int x, int y, int z) {
    x = x < 0 ? 0 : x < p->width ? x : p->width - 1;
    y = y < 0 ? 0 : y < p->height ? y : p->height - 1;
    return (double)p->in[x + p->width * (y + p->height * z)];
}

static void blurs(const LabProblem *p, double *expected) {
    for (int i = 0; i < p->n; i++) {
        int x = i % p->width, y = i / p->width % p->height;
        int z = i / p->width / p->height;
        expected[i] = (double)p->data[i] + near(p, x - 1, y, z) +
                      p->scalar * near(p, x, y + 1, z);
    }
}

// Each row is multiplied by its length.
static void scales_rows(const LabProblem *p, double *expected) {
    for (int row = 0; row < p->rows; row++)
        for (int i = p->starts[row]; i < p->starts[row + 1]; i++)
            expected[i] =
                (double)p->data[i] * (p->starts[row + 1] - p->starts[row]);
}

static void adds_its_index(const LabProblem *p, double *expected) {
    for (int i = 0; i < p->n; i++)
        expected[i] = (double)p->data[i] + i;
}

static void adds_the_last(const LabProblem *p, double *expected) {
    for (int i = 0; i < p->n; i++)
        expected[i] = (double)p->data[i] + (double)p->data[p->n - 1];
}

static void make_box(Hand *h) {
    static const LabParam params[] = {LAB_PARAM_OUT, LAB_PARAM_IN,
                                      LAB_PARAM_WIDTH, LAB_PARAM_HEIGHT,
                                      LAB_PARAM_DEPTH};
    Lab *lab = &h->bench.lab;
    memcpy(lab->params, params, sizeof params);
    lab->param_count = COUNT_OF(params);
    lab->block[0] = 16;
    lab->block[1] = 8;
    lab->reference = blurs;
}

static void make_rows(Hand *h) {
    static const LabParam params[] = {LAB_PARAM_DATA, LAB_PARAM_STARTS,
                                      LAB_PARAM_ROWS};
    Lab *lab = &h->bench.lab;
    memcpy(lab->params, params, sizeof params);
    lab->param_count = COUNT_OF(params);
    lab->reference = scales_rows;
}

static size_t choose(Hand *h, Probe *probes) {
    Rng rng = rng_stream(h->bench.options.seed, 1);
    h->grade.info.sm_count = 4;
    h->grade.blocks_per_sm = 2;
    return far_choose(&h->grade, &rng, probes);
}

static void make(Hand *h, const Probe *probe, Run *run) {
    uint32_t grid[3];
    *run =
        (Run){.size = probe->size, .far = arena_new(&h->bench.arena, Far, 1)};
    shape_grid(&h->bench.lab, run->size, grid);
    run->grid = probe->grid ? probe->grid
                            : (uint32_t)round_up(grid[0] * grid[1] * grid[2],
                                                 h->bench.lab.cluster);
    far_make(&h->grade, &h->bench.arena, run);
}

static size_t count_of(const FarPiece *piece) {
    return (size_t)piece->size[0] * (size_t)piece->size[1] *
           (size_t)piece->size[2];
}

static void do_all(Run *run) {
    for (size_t k = 0; k < run->far->piece_count; k++)
        for (size_t i = 0; i < count_of(&run->far->pieces[k]); i++)
            run->far->pieces[k].after[i] =
                (float)run->far->pieces[k].expected[i];
}

// ---- which there are -----------------------------------------------------

TEST(a_box_is_long_along_each_axis) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Probe probes[FAR_MOST];
    make_box(&h);
    if (!CHECK_INT(choose(&h, probes), 4))
        return;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t grid[3];
        shape_grid(&h.bench.lab, probes[axis].size, grid);
        CHECK(grid[axis] > (axis == 0 ? 1u << 20 : 65000));
        CHECK(axis == 0 || grid[axis] <= 65535);
        CHECK(probes[axis].is_unchecked);
    }
    CHECK(shape_blocks(&h.bench.lab, probes[3].size) > 65536);
}

TEST(a_reference_that_looks_far_has_none) {
    static void (*const all[])(const LabProblem *, double *) = {adds_its_index,
                                                                adds_the_last};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 1);
        Probe probes[FAR_MOST];
        CHECK_INT(choose(&h, probes), 1);
        h.bench.lab.reference = all[i];
        CHECK_INT(choose(&h, probes), 0);
    }
}

TEST(blocks_of_every_length_of_index_are_looked_at) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 2);
        Probe probes[FAR_MOST];
        Run run;
        uint32_t lengths = 0, beyond = 0;
        h.bench.options.seed = seed;
        choose(&h, probes);
        make(&h, &probes[0], &run);
        for (size_t i = 0; i < run.far->piece_count; i++) {
            const FarPiece *piece = &run.far->pieces[i];
            CHECK(piece->block < run.blocks);
            CHECK_INT(piece->from[0], (int64_t)piece->block * THREADS);
            beyond += piece->block >> 20;
            for (uint32_t bit = 0; bit <= 20; bit++)
                if (piece->block >> bit)
                    lengths |= 1u << bit;
        }
        CHECK_INT(lengths, (1u << 21) - 1);
        CHECK(beyond > 8);                        // more than the device starts
        size_t both = 2 * run.far->cluster_count; // the last may be half one
        CHECK(run.far->piece_count == both || run.far->piece_count == both - 1);
    }
}

TEST(only_rows_that_are_run_have_elements) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 2);
    Probe probes[FAR_MOST];
    Run run;
    make_rows(&h);
    if (!CHECK_INT(choose(&h, probes), 1))
        return;
    make(&h, &probes[0], &run);
    CHECK(run.size.dim[0] > 1 << 20);
    int32_t sum = 0;
    for (size_t i = 0; i < run.far->piece_count; i++) {
        const FarPiece *piece = &run.far->pieces[i];
        CHECK(piece->size[0] > 0);
        CHECK_INT(piece->from[0], run.starts[piece->block]);
        CHECK_DOUBLE(piece->expected[0],
                     (double)piece->before[0] * piece->size[0]);
        sum += piece->size[0];
    }
    CHECK_INT(sum, run.n);
}

// ---- what is said --------------------------------------------------------

TEST(what_is_not_right_is_said) {
    for (int shape = 0; shape < 3; shape++) {
        SCOPED_HAND(h, TECHNIQUE_CLC, 1);
        Probe probes[FAR_MOST];
        Run run;
        Cause cause = {0};
        if (shape)
            (shape == 1 ? make_box : make_rows)(&h);
        size_t count = choose(&h, probes);
        make(&h, &probes[count - 1], &run);
        do_all(&run);
        CHECK(far_failure(&h.grade, &run, &cause) == NULL);
        FarPiece *piece = &run.far->pieces[5];
        size_t last = count_of(piece) - 1;
        piece->after[last] += 1;
        CHECK_STR(str_from(far_failure(&h.grade, &run, &cause)), "correct");
        CHECK_INT(cause.finding->which, CASE_CORRECT_FAR);
        CHECK_INT(number_of(&cause, FACT_COUNT), 1);
        CHECK_DOUBLE(real_of(&cause, FACT_WANTED), piece->expected[last]);
        memcpy(piece->after, piece->before, count_of(piece) * sizeof(float));
        CHECK_STR(str_from(far_failure(&h.grade, &run, &cause)),
                  "exactly_once");
        CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_FAR);
        CHECK_INT(number_of(&cause, FACT_COUNT), 1);
        CHECK_INT(number_of(&cause, FACT_BLOCKS), run.far->piece_count);
    }
}

// Its name says where it is.
TEST(an_element_of_a_box_has_its_place) {
    SCOPED_HAND(h, TECHNIQUE_CLC, 1);
    Probe probes[FAR_MOST];
    Run run;
    Cause cause = {0};
    make_box(&h);
    choose(&h, probes);
    make(&h, &probes[3], &run);
    do_all(&run);
    FarPiece *piece = &run.far->pieces[0];
    piece->after[0] += 1;
    far_failure(&h.grade, &run, &cause);
    char place[64];
    snprintf(place, sizeof place, "(x = %d, y = %d, z = %d)",
             (int)piece->from[0], (int)piece->from[1], (int)piece->from[2]);
    CHECK_HOLDS(fact_find(cause.finding->facts, FACT_ELEMENT)->text, place);
}

// ---- loops with a stride -------------------------------------------------

typedef struct Loop {
    int64_t unit;
    uint32_t mask; // of the block's index
    int64_t whole; // elements behind which there are turns of one each; 0: none
} Loop;

static void touch(Run *run, uint32_t cta, int64_t from, int64_t count) {
    for (int64_t i = from; i < from + count && i < run->n; i++)
        run->watch.touches[run->watch.touch_count++] =
            (WatchTouch){(uint32_t)i, cta + 1};
}

static void go(Run *run, Loop loop) {
    int64_t end = loop.whole ? loop.whole : run->n, grid = run->grid;
    run->watch.touch_count = 0;
    for (size_t k = 0; k < run->far->cluster_count; k++) {
        uint32_t cta = run->far->clusters[k];
        for (int64_t at = cta & loop.mask; at * loop.unit < end; at += grid)
            touch(run, cta, at * loop.unit, loop.unit);
        for (int64_t at = cta; end + at * THREADS < run->n; at += grid)
            touch(run, cta, end + at * THREADS, THREADS);
    }
}

TEST(a_loop_shows_its_unit_and_keeps_to_it) {
    static const int64_t units[] = {1, 2, 4, 8, 32};
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    Probe probes[FAR_MOST];
    Run run;
    Cause cause = {0};
    CHECK_INT(choose(&h, probes), 1);
    make(&h, &probes[0], &run);
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        int64_t unit = units[i] * THREADS, round = unit * run.grid;
        go(&run, (Loop){unit, UINT32_MAX, 0});
        CHECK(!far_failure(&h.grade, &run, &cause));
        go(&run, (Loop){unit, UINT32_MAX, run.n / round * round});
        CHECK(!far_failure(&h.grade, &run, &cause));
        go(&run, (Loop){unit, 1023, 0});
        CHECK_STR(str_from(far_failure(&h.grade, &run, &cause)),
                  "exactly_once");
        CHECK_INT(cause.finding->which, CASE_EXACTLY_ONCE_FAR_TURNS);
    }
}

// Too many stores to list them, or a first block that has none: not known.
TEST(of_a_loop_that_is_not_known_nothing_is_said) {
    SCOPED_HAND(h, TECHNIQUE_PERSISTENT, 1);
    Probe probes[FAR_MOST];
    Run run;
    Cause cause = {0};
    choose(&h, probes);
    make(&h, &probes[0], &run);
    CHECK(!far_failure(&h.grade, &run, &cause));
    touch(&run, 1, 0, THREADS);
    CHECK(!far_failure(&h.grade, &run, &cause));
    run.watch.touch_count = run.watch.touch_most;
    CHECK(!far_failure(&h.grade, &run, &cause));
}

TEST_MAIN(TESTCASE(a_box_is_long_along_each_axis),
          TESTCASE(a_reference_that_looks_far_has_none),
          TESTCASE(blocks_of_every_length_of_index_are_looked_at),
          TESTCASE(only_rows_that_are_run_have_elements),
          TESTCASE(what_is_not_right_is_said),
          TESTCASE(an_element_of_a_box_has_its_place),
          TESTCASE(a_loop_shows_its_unit_and_keeps_to_it),
          TESTCASE(of_a_loop_that_is_not_known_nothing_is_said), )
