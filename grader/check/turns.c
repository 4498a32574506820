// SPDX-License-Identifier: Apache-2.0
// Whether the blocks of a persistent kernel take turns, as in a grid-stride
// loop: block 0 does the first `unit` elements, block 1 the next, and so on,
// and behind the last block it is block 0's turn again. The unit is as the
// kernel likes: a thread may take one element at a time, or two as a float2,
// four as a float4, or a few more in a row.
//
// Loops over vectors leave a rest to a loop of its own. So the data may have
// several parts, in each of which the blocks take turns from block 0 on; and
// what is left at the end may be one block's, whichever. A kernel that divides
// the data among its blocks instead has units that grow with the data: one
// larger than MOST_EACH elements for each thread is none.
#include "check/internal.h"

enum {
    MOST_EACH = 32, // elements of a thread in one turn
    MOST_PARTS = 3, // with turns of their own
};

// Who stored to an element; a block that is not known may be any.
static bool is_by(const Run *run, int64_t i, uint64_t block) {
    uint32_t first = run->watch.elements[i].first;
    return first == 0 || first - 1 == block;
}

// How many elements from `from` on the block has stored to without a gap.
static int64_t unit_of(const Run *run, int64_t from, uint64_t block) {
    int64_t end = from;
    while (end < run->n && is_by(run, end, block))
        end++;
    return end - from;
}

// Whether no more than a turn is left, and one block does it.
static bool is_rest(const Run *run, int64_t from, int64_t most) {
    uint32_t last = run->n > from ? run->watch.elements[run->n - 1].first : 0;
    return run->n - from <= most &&
           (last == 0 || unit_of(run, from, last - 1) == run->n - from);
}

// The first element from `from` on that is not of the block whose turn it is.
static int64_t end_of_turns(const Run *run, int64_t from, int64_t unit) {
    int64_t i = from;
    while (i < run->n &&
           is_by(run, i, (uint64_t)((i - from) / unit) % run->grid))
        i++;
    return i;
}

static bool take_turns(const Grade *grade, const Run *run, int64_t from,
                       int parts);

// The same if the first part is no longer than block 0's first turn, and block
// 0 begins the next part as well.
static bool take_one_turn(const Grade *grade, const Run *run, int64_t from,
                          int64_t unit, int parts) {
    for (int64_t each = grade->lab->threads; each < unit;
         each += grade->lab->threads)
        if (take_turns(grade, run, from + each, parts))
            return true;
    return false;
}

// Whether blocks take turns from `from` on, in so many parts at most. A part
// ends where turns do, or where the unit begins that is not of its block.
static bool take_turns(const Grade *grade, const Run *run, int64_t from,
                       int parts) {
    int64_t most = (int64_t)grade->lab->threads * MOST_EACH;
    if (is_rest(run, from, most))
        return true;
    int64_t unit = unit_of(run, from, 0);
    if (parts == 0 || unit == 0 || unit > most)
        return false;
    int64_t end = end_of_turns(run, from, unit);
    int64_t begun = from + (end - from) / unit * unit;
    return end == run->n || take_turns(grade, run, end, parts - 1) ||
           (begun > from && begun < end &&
            take_turns(grade, run, begun, parts - 1)) ||
           take_one_turn(grade, run, from, unit, parts - 1);
}

bool turns_are_taken(const Grade *grade, const Run *run) {
    return run->grid < 2 || !run->watch.elements ||
           take_turns(grade, run, 0, MOST_PARTS);
}
