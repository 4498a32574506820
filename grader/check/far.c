// SPDX-License-Identifier: Apache-2.0
// A few blocks of a very large grid. An index that is kept in too few bits (10,
// 12, 16, 20), in a half or a float, or beside another in one word is right
// until the grid is large. To run a million blocks takes seconds. So the device
// is told that most of them have run before, and is left with some on both
// sides of each power of two, and the last ones, in any order. The kernel
// cannot tell: no block of these labs needs another.
//
// The buffers have their full size and are zero but round the elements of these
// blocks, so that nothing but what is touched takes memory. An element's value
// follows from its index. What must be there afterwards the reference says of
// the surroundings of a block alone, as a problem of its own; a reference that
// depends on more than that has no such runs (is_local).
//
// Blocks of a grid-stride loop have elements where the loop's unit puts them,
// which only the run itself shows: there the device lists which elements each
// block stored to (far_judge.c), and values are left to the other runs.
#include "check/internal.h"

#include <string.h>

enum {
    FAR_STREAM = 7, // of random numbers; and these of values:
    FAR_DATA = 8,
    FAR_IN = 9,
    BITS = 20,               // more than an index must fit in
    BEYOND = 64,             // blocks that need one bit more, at least
    SAMPLES = 128,           // blocks, if the device holds few
    ALWAYS_BEYOND = 32,      // of them
    MOST_ELEMENTS = 1 << 26, // of a box: there are two buffers
    MOST_ALONG = 65535,      // blocks along y and z, on any GPU
    MOST_TOUCHES = 1 << 19,
};

// ---- values --------------------------------------------------------------

// As those of shape.c: of either sign, from 1 to 2.
static float value_of(const Grade *grade, uint64_t stream, int64_t i) {
    uint64_t bits =
        hash_u64(hash_u64(grade->options->seed ^ stream << 56) + (uint64_t)i);
    float magnitude = 1.0f + (float)(bits >> 41) / (float)(1 << 23);
    return bits & 1 ? -magnitude : magnitude;
}

// Elements [from, from + size) along x, y and z, of a problem of size `all`.
typedef struct Region {
    int32_t from[3], size[3], all[3];
} Region;

static int64_t index_in(const Region *r, int32_t x, int32_t y, int32_t z) {
    return r->from[0] + x +
           (int64_t)r->all[0] *
               (r->from[1] + y + (int64_t)r->all[1] * (r->from[2] + z));
}

static size_t count_of(const int32_t size[3]) {
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

static float *values_in(const Grade *grade, Arena *arena, const Region *r,
                        uint64_t stream) {
    float *values = arena_new(arena, float, count_of(r->size) + 1);
    size_t k = 0;
    for (int32_t z = 0; z < r->size[2]; z++)
        for (int32_t y = 0; y < r->size[1]; y++)
            for (int32_t x = 0; x < r->size[0]; x++)
                values[k++] = value_of(grade, stream, index_in(r, x, y, z));
    return values;
}

// The piece and one block more on each side: all that its elements depend on.
static Region round_piece(const Grade *grade, const Run *run,
                          const FarPiece *piece) {
    Region r;
    bool is_box = shape_of(grade->lab) == SHAPE_BOX;
    for (int axis = 0; axis < 3; axis++) {
        int32_t all = is_box ? run->size.dim[axis] : axis == 0 ? run->n : 1;
        int32_t margin = shape_of(grade->lab) == SHAPE_ROWS
                             ? 0
                             : (int32_t)grade->lab->block[axis];
        int64_t to = (int64_t)piece->from[axis] + piece->size[axis] + margin;
        r.all[axis] = all;
        r.from[axis] =
            piece->from[axis] > margin ? piece->from[axis] - margin : 0;
        r.size[axis] = (int32_t)(to < all ? to : all) - r.from[axis];
    }
    return r;
}

// ---- the reference -------------------------------------------------------

// What the reference says of the region, as a problem of its own; of a lab of
// rows, with so many of them, all equally long.
static double *expected_in(const Grade *grade, Arena *arena, const Region *r,
                           int32_t rows) {
    const Lab *lab = grade->lab;
    bool is_box = shape_of(lab) == SHAPE_BOX;
    int32_t n = (int32_t)count_of(r->size);
    int32_t *starts = arena_new(arena, int32_t, (size_t)rows + 1);
    double *expected = arena_new(arena, double, (size_t)n + 1);
    for (int32_t row = 1; row <= rows; row++)
        starts[row] = n / rows * row;
    LabProblem problem = {
        .n = n,
        .data = values_in(grade, arena, r, FAR_DATA),
        .scalar = grade->alpha,
        .width = is_box ? r->size[0] : n,
        .height = is_box ? r->size[1] : 1,
        .depth = is_box ? r->size[2] : 1,
        .in = shape_has_param(lab, LAB_PARAM_IN)
                  ? values_in(grade, arena, r, FAR_IN)
                  : NULL,
        .rows = rows,
        .starts = starts,
    };
    lab->reference(&problem, expected);
    return expected;
}

// Gives the piece what was and must be there.
static void solve(const Grade *grade, Arena *arena, const Run *run,
                  FarPiece *piece) {
    Arena scratch = {0};
    Region r = round_piece(grade, run, piece);
    const double *all = expected_in(grade, &scratch, &r, 1);
    size_t count = count_of(piece->size), k = 0;
    double *expected = arena_new(arena, double, count + 1);
    Region own = r;
    memcpy(own.from, piece->from, sizeof own.from);
    memcpy(own.size, piece->size, sizeof own.size);
    for (int32_t z = 0; z < own.size[2]; z++)
        for (int32_t y = 0; y < own.size[1]; y++)
            for (int32_t x = 0; x < own.size[0]; x++) {
                int32_t in[3] = {own.from[0] - r.from[0] + x,
                                 own.from[1] - r.from[1] + y,
                                 own.from[2] - r.from[2] + z};
                expected[k++] =
                    all[in[0] + r.size[0] * (in[1] + r.size[1] * in[2])];
            }
    piece->before = values_in(grade, arena, &own, FAR_DATA);
    piece->expected = expected;
    piece->after = arena_new(arena, float, count + 1);
    arena_free(&scratch);
}

// Whether the reference says the same of a block in the middle of five along
// each axis as of its surroundings alone.
static bool is_local(const Grade *grade) {
    const Lab *lab = grade->lab;
    Arena arena = {0};
    FarPiece middle = {.size = {1, 1, 1}};
    Region whole = {.size = {1, 1, 1}, .all = {1, 1, 1}};
    Run run = {.size = {{1, 1, 1}}};
    int axes = shape_of(lab) == SHAPE_BOX ? 3 : 1;
    for (int axis = 0; axis < axes; axis++) {
        middle.size[axis] = (int32_t)lab->block[axis];
        middle.from[axis] = 2 * middle.size[axis];
        run.size.dim[axis] = whole.size[axis] = whole.all[axis] =
            5 * middle.size[axis];
    }
    run.n = (int32_t)shape_volume(run.size);
    solve(grade, &arena, &run, &middle);
    const double *all = expected_in(grade, &arena, &whole, 5);
    memcpy(whole.from, middle.from, sizeof whole.from);
    size_t k = 0;
    bool same = true;
    for (int32_t z = 0; z < middle.size[2]; z++)
        for (int32_t y = 0; y < middle.size[1]; y++)
            for (int32_t x = 0; x < middle.size[0]; x++)
                same &= middle.expected[k++] == all[index_in(&whole, x, y, z)];
    arena_free(&arena);
    return same;
}

// ---- sizes ---------------------------------------------------------------

static uint32_t less(uint32_t most, Rng *rng) {
    return most - (uint32_t)rng_below(rng, BEYOND / 2);
}

// So many elements along each axis.
static Probe probe_of(int64_t x, int64_t y, int64_t z) {
    return (Probe){.size = {{(int32_t)x, (int32_t)y, (int32_t)z}},
                   .is_far = true,
                   .is_unchecked = true};
}

// Long along x, with one element of the blocks' width along the others; along y
// and z, as long as a grid may be; and so many blocks along each that their
// number alone does not fit in 16 bits.
static size_t choose_boxes(const Grade *grade, Rng *rng, Probe *probes) {
    const uint32_t *own = grade->lab->block;
    int64_t wide = (int64_t)own[0] * ((1 << BITS) + less(2 * BEYOND, rng)) - 1;
    int64_t tall = (int64_t)own[1] * less(MOST_ALONG, rng);
    int64_t deep = (int64_t)own[2] * less(MOST_ALONG, rng);
    const Probe all[] = {probe_of(wide, 2, 1), probe_of(own[0] + 1, tall, 1),
                         probe_of(own[0] + 1, own[1] + 1, deep),
                         probe_of(43 * (int64_t)own[0] - 1,
                                  41 * (int64_t)own[1] - 1,
                                  47 * (int64_t)own[2])};
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (shape_volume(all[i].size) <= MOST_ELEMENTS)
            probes[count++] = all[i];
    return count;
}

// Of a loop with a stride: more blocks than 16 bits can count, and more
// elements than a float can, but so few that the largest stride fits in an int.
static Probe strided_probe(const Grade *grade, Rng *rng) {
    uint32_t grid = (1 << 17) / grade->lab->threads * 128 + less(BEYOND, rng);
    Probe probe = probe_of((1 << 26) + less(BEYOND, rng), 1, 1);
    probe.grid = grid;
    return probe;
}

size_t far_choose(const Grade *grade, Rng *rng, Probe probes[FAR_MOST]) {
    const Lab *lab = grade->lab;
    int64_t blocks = (1 << BITS) + less(2 * BEYOND, rng), own = lab->block[0];
    if (lab->block[1] * lab->block[2] == 1 && own * blocks > INT32_MAX / 2)
        blocks = INT32_MAX / 2 / own; // few threads need few bits
    switch (shape_of(lab)) {
    case SHAPE_BOX:
        return is_local(grade) ? choose_boxes(grade, rng, probes) : 0;
    case SHAPE_ROWS:
        probes[0] = probe_of(blocks, 1, 1);
        return is_local(grade);
    case SHAPE_LINE:
        break;
    }
    probes[0] = lab->technique == TECHNIQUE_PERSISTENT
                    ? strided_probe(grade, rng)
                    : probe_of(blocks * own - 1, 1, 1);
    return lab->technique == TECHNIQUE_PERSISTENT || is_local(grade);
}

// ---- which blocks --------------------------------------------------------

static uint32_t samples_of(const Grade *grade) {
    uint32_t places = grade->info.sm_count * grade->blocks_per_sm;
    return SAMPLES + 2 * places;
}

uint64_t far_work(const Grade *grade) {
    return 4 * (uint64_t)samples_of(grade) * grade->lab->threads *
           grade->lab->cluster;
}

// One of `count` indices: beside a power of two, or anywhere between two.
static uint32_t draw_index(Rng *rng, uint32_t count) {
    uint32_t bits = 0;
    while (count >> (bits + 1))
        bits++;
    uint32_t power = 1u << rng_below(rng, bits + 1);
    uint32_t kind = (uint32_t)rng_below(rng, 3);
    uint32_t index = kind == 0   ? power - 1
                     : kind == 1 ? power
                                 : power + (uint32_t)rng_below(rng, power);
    return index < count ? index : count - 1;
}

static uint32_t draw_block(Rng *rng, const uint32_t grid[3], bool is_last) {
    uint32_t id[3];
    for (int axis = 0; axis < 3; axis++)
        id[axis] = is_last
                       ? grid[axis] - 1 -
                             (uint32_t)rng_below(
                                 rng, grid[axis] < BEYOND ? grid[axis] : BEYOND)
                       : draw_index(rng, grid[axis]);
    return id[0] + grid[0] * (id[1] + grid[1] * id[2]);
}

static bool is_known(const Far *far, uint32_t cluster) {
    for (size_t i = 0; i < far->cluster_count; i++)
        if (far->clusters[i] == cluster)
            return true;
    return false;
}

static void swap(Far *far, size_t i, size_t other) {
    uint32_t held = far->clusters[i];
    far->clusters[i] = far->clusters[other];
    far->clusters[other] = held;
}

// In any order, but for the first two: these are started, on any device, and
// not granted to others, and are the last blocks of the grid.
static void shuffle(Rng *rng, Far *far) {
    for (size_t i = far->cluster_count; i > 1; i--)
        swap(far, i - 1, (size_t)rng_below(rng, i));
    for (size_t i = 0; i < 2 && i < far->cluster_count; i++)
        for (size_t other = i + 1; other < far->cluster_count; other++)
            if (far->clusters[other] > far->clusters[i])
                swap(far, i, other);
}

// Block 0 is always one of them: it shows the unit of a loop with a stride.
static void choose_clusters(const Grade *grade, Arena *arena, Rng *rng,
                            Run *run) {
    Far *far = run->far;
    uint32_t samples = samples_of(grade), grid[3];
    shape_launch(grade->lab, run, grid);
    far->clusters = arena_new(arena, uint32_t, samples + 1);
    far->cluster_count = 1;
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t cluster =
            draw_block(rng, grid, i < ALWAYS_BEYOND) / grade->lab->cluster;
        if (!is_known(far, cluster))
            far->clusters[far->cluster_count++] = cluster;
    }
    shuffle(rng, far);
}

// ---- which elements ------------------------------------------------------

// A row that is run has some elements, and the others none.
static void make_rows(const Grade *grade, Arena *arena, Rng *rng, Run *run) {
    const Far *far = run->far;
    uint32_t cluster = grade->lab->cluster;
    int32_t rows = run->size.dim[0];
    int32_t *starts = arena_new(arena, int32_t, (size_t)rows + 1);
    for (size_t i = 0; i < far->cluster_count; i++)
        for (uint32_t rank = 0; rank < cluster; rank++) {
            uint32_t row = far->clusters[i] * cluster + rank;
            if (row < (uint32_t)rows)
                starts[row + 1] =
                    1 + (int32_t)rng_below(rng, 2 * grade->lab->threads);
        }
    for (int32_t row = 0; row < rows; row++)
        starts[row + 1] += starts[row];
    run->starts = starts;
    run->n = starts[rows];
}

static FarPiece piece_of(const Grade *grade, const Run *run, uint32_t block) {
    const Lab *lab = grade->lab;
    FarPiece piece = {.block = block, .size = {1, 1, 1}};
    uint32_t grid[3];
    if (run->starts) {
        piece.from[0] = run->starts[block];
        piece.size[0] = run->starts[block + 1] - piece.from[0];
        return piece;
    }
    shape_grid(lab, run->size, grid);
    const uint32_t id[3] = {block % grid[0], block / grid[0] % grid[1],
                            block / grid[0] / grid[1]};
    for (int axis = 0; axis < 3; axis++) {
        int32_t own = (int32_t)lab->block[axis];
        piece.from[axis] = (int32_t)id[axis] * own;
        int32_t left = run->size.dim[axis] - piece.from[axis];
        piece.size[axis] = left < own ? left : own;
    }
    return piece;
}

static void make_pieces(const Grade *grade, Arena *arena, Run *run) {
    Far *far = run->far;
    uint32_t cluster = grade->lab->cluster;
    far->pieces = arena_new(arena, FarPiece, far->cluster_count * cluster + 1);
    for (size_t i = 0; i < far->cluster_count * cluster; i++) {
        uint32_t block =
            far->clusters[i / cluster] * cluster + (uint32_t)(i % cluster);
        if (block >= run->blocks)
            continue;
        FarPiece *piece = &far->pieces[far->piece_count++];
        *piece = piece_of(grade, run, block);
        solve(grade, arena, run, piece);
    }
}

void far_make(const Grade *grade, Arena *arena, Run *run) {
    Rng rng = rng_stream(grade->options->seed, FAR_STREAM);
    run->blocks = shape_blocks(grade->lab, run->size);
    run->n = (int32_t)shape_volume(run->size);
    choose_clusters(grade, arena, &rng, run);
    run->far->work = far_work(grade);
    if (shape_of(grade->lab) == SHAPE_ROWS)
        make_rows(grade, arena, &rng, run);
    if (grade->lab->technique == TECHNIQUE_PERSISTENT) {
        run->watch.touches = arena_new(arena, WatchTouch, MOST_TOUCHES);
        run->watch.touch_most = MOST_TOUCHES;
        run->watch.touch_count = 0;
    } else {
        make_pieces(grade, arena, run);
    }
}

// ---- the buffers ---------------------------------------------------------

static void fill(const Grade *grade, const Region *r, uint64_t stream,
                 uint32_t buffer) {
    Arena scratch = {0};
    const float *values = values_in(grade, &scratch, r, stream);
    for (int32_t z = 0; z < r->size[2]; z++)
        for (int32_t y = 0; y < r->size[1]; y++, values += r->size[0])
            grade->device->ops->write(
                grade->device, buffer,
                (uint64_t)index_in(r, 0, y, z) * BYTES_PER_ELEMENT, values,
                (uint64_t)r->size[0] * BYTES_PER_ELEMENT);
    arena_free(&scratch);
}

void far_fill(const Grade *grade, const Run *run, uint32_t data, uint32_t in) {
    for (size_t i = 0; i < run->far->piece_count; i++) {
        Region r = round_piece(grade, run, &run->far->pieces[i]);
        fill(grade, &r, FAR_DATA, data);
        if (shape_has_param(grade->lab, LAB_PARAM_IN))
            fill(grade, &r, FAR_IN, in);
    }
}

static void read_piece(const Grade *grade, const Run *run, FarPiece *piece) {
    Region r = round_piece(grade, run, piece);
    float *to = piece->after;
    memcpy(r.from, piece->from, sizeof r.from);
    for (int32_t z = 0; z < piece->size[2]; z++)
        for (int32_t y = 0; y < piece->size[1]; y++, to += piece->size[0])
            grade->device->ops->read(
                grade->device, run->watch.buffer,
                (uint64_t)index_in(&r, 0, y, z) * BYTES_PER_ELEMENT, to,
                (uint64_t)piece->size[0] * BYTES_PER_ELEMENT);
}

void far_read(const Grade *grade, Run *run) {
    for (size_t i = 0; i < run->far->piece_count; i++)
        read_piece(grade, run, &run->far->pieces[i]);
}
