// SPDX-License-Identifier: Apache-2.0
// check/turns.c: which ways to share data out are a grid-stride loop, and which
// are not. A Share says which block stores to an element.
#include "check/internal.h"
#include "tests/unit/test.h"

enum { T = 128, LARGEST = 40007 };

typedef struct Share {
    uint32_t (*by)(int64_t i, int64_t n, int64_t grid);
    const char *name;
    size_t grids; // of GRIDS: in more blocks it leaves one too much to do
} Share;

static const uint32_t GRIDS[] = {1, 2, 3, 5, 8, 13, 79};
enum { FEW = 6, ALL = COUNT_OF(GRIDS) };

static bool takes_turns(const Share *share, int32_t n, uint32_t grid) {
    static WatchElement elements[LARGEST];
    Lab lab = {.threads = T, .technique = TECHNIQUE_PERSISTENT};
    Grade grade = {.lab = &lab};
    Run run = {.n = n, .grid = grid, .watch = {.elements = elements}};
    for (int32_t i = 0; i < n; i++)
        elements[i] = (WatchElement){.first = share->by(i, n, grid) + 1};
    return turns_are_taken(&grade, &run);
}

// ---- loops with strides --------------------------------------------------

static uint32_t in_units(int64_t i, int64_t unit, int64_t grid) {
    return (uint32_t)(i / unit % grid);
}

static uint32_t ones(int64_t i, int64_t n, int64_t grid) {
    (void)n;
    return in_units(i, T, grid);
}

static uint32_t by_thread_first(int64_t i, int64_t n, int64_t grid) {
    (void)n;
    return in_units(i, 1, grid);
}

static uint32_t tiles(int64_t i, int64_t n, int64_t grid) {
    (void)n;
    return in_units(i, 32 * T, grid);
}

static uint32_t quads_and_rest_of_first(int64_t i, int64_t n, int64_t grid) {
    return i < n / 4 * 4 ? in_units(i, 4 * T, grid) : 0;
}

static uint32_t pairs_and_rest_of_last(int64_t i, int64_t n, int64_t grid) {
    return i < n / 2 * 2 ? in_units(i, 2 * T, grid) : (uint32_t)grid - 1;
}

static uint32_t whole_rounds_then_ones(int64_t i, int64_t n, int64_t grid) {
    int64_t round = 4 * T * grid, whole = n / round * round;
    return i < whole ? in_units(i, 4 * T, grid) : in_units(i - whole, T, grid);
}

static uint32_t whole_tiles_then_ones(int64_t i, int64_t n, int64_t grid) {
    int64_t whole = n / (4 * T) * (4 * T);
    return i < whole ? in_units(i, 4 * T, grid) : in_units(i - whole, T, grid);
}

static uint32_t rounds_and_rest_of_last(int64_t i, int64_t n, int64_t grid) {
    int64_t round = 2 * T * grid, whole = n / round * round;
    return i < whole ? in_units(i, 2 * T, grid) : (uint32_t)grid - 1;
}

static uint32_t eights_quads_ones(int64_t i, int64_t n, int64_t grid) {
    int64_t eights = n / (8 * T * grid) * (8 * T * grid);
    int64_t quads = eights + (n - eights) / 4 * 4;
    return i < eights  ? in_units(i, 8 * T, grid)
           : i < quads ? in_units(i - eights, 4 * T, grid)
                       : in_units(i - quads, T, grid);
}

static const Share STRIDES[] = {
    {ones, "ones", ALL},
    {by_thread_first, "by_thread_first", ALL},
    {tiles, "tiles", ALL},
    {quads_and_rest_of_first, "quads_and_rest_of_first", ALL},
    {pairs_and_rest_of_last, "pairs_and_rest_of_last", ALL},
    {whole_rounds_then_ones, "whole_rounds_then_ones", ALL},
    {whole_tiles_then_ones, "whole_tiles_then_ones", ALL},
    {rounds_and_rest_of_last, "rounds_and_rest_of_last", FEW},
    {eights_quads_ones, "eights_quads_ones", ALL},
};

static const int32_t SIZES[] = {1,    3,    127,   128,   129,   1000,   1023,
                                1024, 1500, 2500,  4095,  4096,  4097,   8191,
                                8192, 8193, 10007, 12288, 16385, LARGEST};
TEST(a_loop_with_a_stride_takes_turns_whatever_its_unit) {
    for (size_t s = 0; s < COUNT_OF(STRIDES); s++)
        for (size_t n = 0; n < COUNT_OF(SIZES); n++)
            for (size_t g = 0; g < STRIDES[s].grids; g++)
                if (!CHECK(takes_turns(&STRIDES[s], SIZES[n], GRIDS[g])))
                    printf("# %s, n = %d, %u blocks\n", STRIDES[s].name,
                           (int)SIZES[n], GRIDS[g]);
}

// ---- others --------------------------------------------------------------

static uint32_t equal_shares(int64_t i, int64_t n, int64_t grid) {
    return (uint32_t)(i / ((n + grid - 1) / grid));
}

static uint32_t shares_of_blocks(int64_t i, int64_t n, int64_t grid) {
    int64_t blocks = (n + T - 1) / T, each = (blocks + grid - 1) / grid;
    return (uint32_t)(i / (each * T));
}

static uint32_t from_the_end(int64_t i, int64_t n, int64_t grid) {
    return in_units(n - 1 - i, T, grid);
}

static uint32_t as_it_happens(int64_t i, int64_t n, int64_t grid) {
    (void)n;
    return (uint32_t)(hash_u64((uint64_t)(i / T)) % (uint64_t)grid);
}

// The first eight pieces in order, as a queue gives them; then the quickest.
static uint32_t of_a_queue(int64_t i, int64_t n, int64_t grid) {
    return i < T * grid ? ones(i, n, grid) : as_it_happens(i, n, grid);
}

static uint32_t the_first_does_half(int64_t i, int64_t n, int64_t grid) {
    return i < n / 2 ? 0 : ones(i, n, grid);
}

static const Share OTHERS[] = {
    {equal_shares, "equal_shares", ALL},
    {shares_of_blocks, "shares_of_blocks", ALL},
    {from_the_end, "from_the_end", ALL},
    {as_it_happens, "as_it_happens", ALL},
    {of_a_queue, "of_a_queue", ALL},
    {the_first_does_half, "half", ALL},
};

TEST(shares_and_queues_take_no_turns) {
    for (size_t s = 0; s < COUNT_OF(OTHERS); s++)
        if (!CHECK(!takes_turns(&OTHERS[s], LARGEST, 8)))
            printf("# %s\n", OTHERS[s].name);
}

// A share is a turn where it is no larger than one.
TEST(the_largest_turn_has_32_elements_of_each_thread) {
    const Share shares = {equal_shares, "equal_shares", ALL};
    CHECK(takes_turns(&shares, 8 * 32 * T, 8));
    CHECK(!takes_turns(&shares, 8 * 32 * T + 1, 8));
}

TEST(of_what_is_not_known_nothing_is_said) {
    Lab lab = {.threads = T};
    Grade grade = {.lab = &lab};
    static WatchElement nobody[LARGEST];
    Run run = {.n = LARGEST, .grid = 8};
    CHECK(turns_are_taken(&grade, &run));
    run.watch.elements = nobody;
    run.n = 32 * T;
    CHECK(turns_are_taken(&grade, &run));
}

TEST_MAIN(TESTCASE(a_loop_with_a_stride_takes_turns_whatever_its_unit),
          TESTCASE(shares_and_queues_take_no_turns),
          TESTCASE(the_largest_turn_has_32_elements_of_each_thread),
          TESTCASE(of_what_is_not_known_nothing_is_said), )
