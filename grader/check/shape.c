// SPDX-License-Identifier: Apache-2.0
// The shapes that a lab's problem can have: which buffers and numbers its
// kernel is given, which block owns which element, and what messages call both.
//
//   line   n elements; block b owns blockDim.x of them, from b * blockDim.x on
//   box    width x height x depth elements; a block owns a box with an element
//          for each of its threads
//   rows   rows of very different length, one after the other; block b owns
//          row b, from starts[b] to starts[b + 1]
//
// A shape follows from the parameters that lab.conf names. Block indices are
// linear here: x + gridDim.x * (y + gridDim.y * z).
#include "check/internal.h"

#include <string.h>

enum {
    // Streams of random numbers.
    INPUT_STREAM = 16, // plus n: of data or out
    SECOND_STREAM = 3, // of `in`, and of the lengths of rows
};

// ---- sizes ---------------------------------------------------------------

bool shape_has_param(const Lab *lab, LabParam param) {
    for (size_t i = 0; i < lab->param_count; i++)
        if (lab->params[i] == param)
            return true;
    return false;
}

LabShape shape_of(const Lab *lab) {
    for (size_t i = 0; lab && i < lab->param_count; i++) {
        if (lab->params[i] == LAB_PARAM_ROWS)
            return SHAPE_ROWS;
        if (lab->params[i] == LAB_PARAM_WIDTH)
            return SHAPE_BOX;
    }
    return SHAPE_LINE;
}

uint64_t shape_volume(LabSize size) {
    return (uint64_t)size.dim[0] * (uint64_t)size.dim[1] *
           (uint64_t)size.dim[2];
}

uint64_t shape_most_elements(const Grade *grade) {
    int32_t limit = grade->options->max_size;
    return limit > 0 ? (uint64_t)limit : LAB_MAX_SIZE;
}

bool check_parse_size(Str text, LabSize *size) {
    uint64_t number, volume = 1;
    *size = (LabSize){{1, 1, 1}};
    if (text.len > 0 && text.ptr[text.len - 1] == 'x')
        return false;
    for (size_t i = 0; i < 3; i++) {
        Str word = str_cut(&text, 'x');
        if (!str_to_u64(word, &number) || number > LAB_MAX_SIZE)
            return false;
        size->dim[i] = (int32_t)number;
        volume *= number;
        if (volume > LAB_MAX_SIZE)
            return false;
        if (text.len == 0)
            return true;
    }
    return false;
}

bool check_fits_size(const Lab *lab, LabSize size) {
    return shape_of(lab) == SHAPE_BOX || (size.dim[1] == 1 && size.dim[2] == 1);
}

Str shape_size_digits(Arena *arena, const Lab *lab, LabSize size) {
    if (shape_of(lab) == SHAPE_BOX)
        return str_format(arena, "%dx%dx%d", (int)size.dim[0], (int)size.dim[1],
                          (int)size.dim[2]);
    return str_format(arena, "%d", (int)size.dim[0]);
}

Str shape_size_text(Arena *arena, const Lab *lab, LabSize size) {
    static const char *const nouns[] = {
        [SHAPE_LINE] = "n", [SHAPE_BOX] = "size", [SHAPE_ROWS] = "rows"};
    return str_format(arena, "%s = %.*s", nouns[shape_of(lab)],
                      STR_ARG(shape_size_digits(arena, lab, size)));
}

void shape_grid(const Lab *lab, LabSize size, uint32_t grid[3]) {
    bool is_rows = shape_of(lab) == SHAPE_ROWS;
    for (size_t i = 0; i < 3; i++) {
        uint32_t owned = is_rows ? 1 : lab->block[i];
        grid[i] = ((uint32_t)size.dim[i] + owned - 1) / owned;
    }
}

// A box is launched as a box; any other grid is run->grid blocks along x.
void shape_launch(const Lab *lab, const Run *run, uint32_t grid[3]) {
    if (shape_of(lab) == SHAPE_BOX) {
        shape_grid(lab, run->size, grid);
        return;
    }
    grid[0] = run->grid;
    grid[1] = grid[2] = 1;
}

uint32_t shape_blocks(const Lab *lab, LabSize size) {
    uint32_t grid[3];
    shape_grid(lab, size, grid);
    return grid[0] * grid[1] * grid[2];
}

LabSize shape_filling(const Lab *lab, uint32_t blocks) {
    enum { ACROSS = 3, DEEP = 2 }; // blocks of a box along y and z
    if (shape_of(lab) == SHAPE_ROWS)
        return (LabSize){{(int32_t)blocks + 1, 1, 1}};
    if (shape_of(lab) == SHAPE_LINE)
        return (LabSize){{(int32_t)(blocks * lab->block[0] + 1),
                          (int32_t)lab->block[1], (int32_t)lab->block[2]}};
    return (LabSize){{(int32_t)(blocks / (ACROSS * DEEP) * lab->block[0] + 1),
                      (int32_t)(ACROSS * lab->block[1]),
                      (int32_t)(DEEP * lab->block[2])}};
}

// ---- names ---------------------------------------------------------------

Str shape_block_name(const Grade *grade, const Run *run, uint32_t block) {
    if (shape_of(grade->lab) != SHAPE_BOX)
        return str_format(grade->arena, "%u", block);
    uint32_t grid[3];
    shape_grid(grade->lab, run->size, grid);
    return str_format(grade->arena, "(%u, %u, %u)", block % grid[0],
                      block / grid[0] % grid[1], block / grid[0] / grid[1]);
}

Str shape_element_name(const Grade *grade, const Run *run, int32_t i) {
    Str data = grade->lab->data_name;
    const int32_t *dim = run->size.dim;
    if (shape_of(grade->lab) != SHAPE_BOX)
        return str_format(grade->arena, "%.*s[%d]", STR_ARG(data), (int)i);
    return str_format(grade->arena, "%.*s[%d] (x = %d, y = %d, z = %d)",
                      STR_ARG(data), (int)i, (int)(i % dim[0]),
                      (int)(i / dim[0] % dim[1]), (int)(i / dim[0] / dim[1]));
}

// ---- what the kernel is given --------------------------------------------

static float random_float(Rng *rng) {
    uint64_t bits = rng_next(rng);
    float magnitude = 1.0f + (float)(bits >> 41) / (float)(1 << 23);
    return bits & 1 ? -magnitude : magnitude;
}

static float *random_floats(const Grade *grade, Arena *arena, uint64_t stream,
                            int32_t n) {
    float *data = arena_new(arena, float, (size_t)n + 1);
    Rng rng = rng_stream(grade->options->seed, stream);
    for (int32_t i = 0; i < n; i++)
        data[i] = random_float(&rng);
    return data;
}

// Most rows have at most threads / 4 elements. One row in six has up to
// 2 * threads, and one in six of the first half has up to 16 * threads; some
// are empty. Because the long rows come early, a right kernel ends evenly, with
// short rows, and a kernel that commits to many rows at once finds out too late
// how long they are.
static int32_t random_length(Rng *rng, uint32_t threads, bool is_early) {
    uint64_t kind = rng_below(rng, 6);
    uint64_t most = kind == 0 && is_early ? 16 * (uint64_t)threads
                    : kind == 1           ? 2 * (uint64_t)threads
                                          : threads / 4 + 1;
    return (int32_t)rng_below(rng, most);
}

static int32_t *random_rows(const Grade *grade, Arena *arena, int32_t rows) {
    int32_t *starts = arena_new(arena, int32_t, (size_t)rows + 1);
    Rng rng = rng_stream(grade->options->seed, SECOND_STREAM);
    for (int32_t i = 0; i < rows; i++)
        starts[i + 1] =
            starts[i] + random_length(&rng, grade->lab->threads, i < rows / 2);
    return starts;
}

// The rows of a timed problem differ in few ways, so that its figures do: one
// is long, as long as it takes a place to do some four of the others, and all
// others are short; one in sixteen is empty. When the long one begins, there
// are eight others left for each place of the small model, whatever the size.
// So who promises four rows ends evenly, and who promises eight does not.
static int32_t *timed_rows(const Grade *grade, Arena *arena, const Run *run) {
    int32_t rows = run->size.dim[0];
    uint32_t threads = grade->lab->threads;
    int32_t *starts = arena_new(arena, int32_t, (size_t)rows + 1);
    Rng rng = rng_stream(grade->options->seed,
                         TIMED_STREAM + 2 * (uint64_t)run->problem + 1);
    int32_t tail = rows < TIMED_TAIL ? rows : TIMED_TAIL;
    int32_t longest = rows - tail + tail / 10 +
                      (int32_t)rng_below(&rng, (uint64_t)tail / 16 + 1);
    for (int32_t i = 0; i < rows; i++) {
        bool is_empty = rng_below(&rng, 16) == 0;
        uint64_t length = is_empty ? 0 : 1 + rng_below(&rng, threads / 4 * 3);
        if (i == longest)
            length = 8 * threads - rng_below(&rng, threads);
        starts[i + 1] = starts[i] + (int32_t)length;
    }
    return starts;
}

static uint32_t *own_boxes(const Lab *lab, Arena *arena, const Run *run) {
    uint32_t grid[3];
    const int32_t *dim = run->size.dim;
    uint32_t *owner = arena_new(arena, uint32_t, (size_t)run->n + 1);
    shape_grid(lab, run->size, grid);
    for (int32_t i = 0; i < run->n; i++) {
        uint32_t x = (uint32_t)(i % dim[0]) / lab->block[0];
        uint32_t y = (uint32_t)(i / dim[0] % dim[1]) / lab->block[1];
        uint32_t z = (uint32_t)(i / dim[0] / dim[1]) / lab->block[2];
        owner[i] = x + grid[0] * (y + grid[1] * z);
    }
    return owner;
}

static uint32_t *own_rows(Arena *arena, const Run *run) {
    uint32_t *owner = arena_new(arena, uint32_t, (size_t)run->n + 1);
    for (uint32_t row = 0; row < run->blocks; row++)
        for (int32_t i = run->starts[row]; i < run->starts[row + 1]; i++)
            owner[i] = row;
    return owner;
}

void shape_make(const Grade *grade, Arena *arena, Run *run) {
    const Lab *lab = grade->lab;
    bool is_rows = shape_of(lab) == SHAPE_ROWS;
    run->blocks = shape_blocks(lab, run->size);
    run->n = (int32_t)shape_volume(run->size);
    if (is_rows) {
        run->starts = run->is_timed
                          ? timed_rows(grade, arena, run)
                          : random_rows(grade, arena, run->size.dim[0]);
        run->n = run->starts[run->size.dim[0]];
    }
    run->owner = is_rows ? own_rows(arena, run) : own_boxes(lab, arena, run);
    run->before =
        random_floats(grade, arena, INPUT_STREAM + (uint64_t)run->n, run->n);
    if (shape_has_param(lab, LAB_PARAM_IN))
        run->in = random_floats(grade, arena, SECOND_STREAM, run->n);
}

LabProblem shape_problem(const Grade *grade, const Run *run,
                         const float *data) {
    return (LabProblem){
        .n = run->n,
        .data = data,
        .scalar = grade->alpha,
        .width = run->size.dim[0],
        .height = run->size.dim[1],
        .depth = run->size.dim[2],
        .in = run->in,
        .rows = run->size.dim[0],
        .starts = run->starts,
    };
}
