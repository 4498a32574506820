// SPDX-License-Identifier: Apache-2.0
// correct and exactly_once, judged on one run. They share the blocks out: one
// that was processed 0 or several times as a whole is exactly_once's, one whose
// elements are wrong or disagree is correct's; so one mistake fails one check.
//
// exactly_once says which blocks (first five, totals), who stored to them, and
// what the ledger knows of them: that is usually the cause.
#include "check/internal.h"

#include <math.h>

enum { LISTED = 5 };

static SrcLoc piece_at(const Grade *grade, const Run *run, uint32_t block) {
    SrcLoc at = {0};
    if (block < run->watch.count)
        at = place_as_given(grade->submission, run->watch.pieces[block].at);
    return at.line ? at : grade->kernel_at;
}

// ---- correct -------------------------------------------------------------

bool judge_has_evidence(const Run *run) {
    for (uint32_t block = 0; block < run->blocks; block++)
        if (run->tally[block].size > 0 &&
            (run->tally[block].mixed || run->tally[block].times == 1))
            return true;
    return false;
}

// Which elements block b owns.
static const char *owned_text(const Lab *lab) {
    switch (shape_of(lab)) {
    case SHAPE_LINE:
        return "all i = block * blockDim.x + threadIdx.x below n";
    case SHAPE_BOX:
        return "x = block.x * blockDim.x + threadIdx.x below width, and "
               "likewise y and z";
    case SHAPE_ROWS:
        return "block b owns row b, from starts[b] up to starts[b + 1]";
    }
    return "";
}

static Str element_help(const Grade *grade, const Run *run, int32_t i) {
    uint8_t times = run->elements[i];
    if (times == 0)
        return str_format(grade->arena,
                          "It holds what it held before. Check which elements "
                          "the kernel processes: %s.",
                          owned_text(grade->lab));
    if (times != ELEMENT_WRONG)
        return str_format(grade->arena,
                          "It was processed %u times. Do two threads share an "
                          "index?",
                          times);
    if (isnan(run->after[i]))
        return STR("It is not a number. Is a variable used before it is "
                   "set?");
    return str_format(grade->arena,
                      "Do this with each element once, and nothing else: "
                      "%.*s.",
                      STR_ARG(grade->lab->work));
}

static void set_values(const Grade *grade, const Run *run, int32_t i,
                       Cause *cause) {
    Str name = shape_element_name(grade, run, i);
    cause->expected = str_format(
        grade->arena, "%.*s = %.7g (it was %.7g; the prologue's value is %.7g)",
        STR_ARG(name), run->expected[i], (double)run->before[i], grade->alpha);
    cause->actual = str_format(grade->arena, "%.*s = %.7g", STR_ARG(name),
                               (double)run->after[i]);
}

// The inputs that are not to be changed.
static bool judge_inputs(const Grade *grade, const Run *run, Cause *cause) {
    if (run->changed.len == 0)
        return true;
    *cause = cause_at(
        grade->kernel_at,
        str_format(grade->arena, "The kernel changed elements of %.*s.",
                   STR_ARG(run->changed)),
        str_format(grade->arena,
                   "The parameter %.*s is for reading: store to %.*s "
                   "alone.",
                   STR_ARG(run->changed), STR_ARG(grade->lab->data_name)));
    cause_in_run(grade, run, cause);
    return false;
}

bool judge_touched(const Grade *grade, const Run *run, Cause *cause) {
    for (uint32_t block = 0; block < run->blocks; block++)
        if (run->tally[block].mixed || run->tally[block].times > 0)
            return true;
    if (run->n == 0)
        return true;
    *cause = cause_at(grade->kernel_at,
                      str_format(grade->arena,
                                 "The kernel changed no element of %.*s.",
                                 STR_ARG(grade->lab->data_name)),
                      str_format(grade->arena,
                                 "Do this with each element that a block "
                                 "owns: %.*s.",
                                 STR_ARG(grade->lab->work)));
    set_values(grade, run, 0, cause);
    region_cure(grade, region_of_work(grade), cause->at, cause);
    cause_in_run(grade, run, cause);
    return false;
}

bool judge_correct(const Grade *grade, const Run *run, Cause *cause) {
    int32_t first = -1, wrong = 0;
    for (int32_t i = 0; i < run->n; i++) {
        if (!run->tally[run->owner[i]].mixed || run->elements[i] == 1)
            continue;
        first = wrong++ ? first : i;
    }
    if (wrong == 0)
        return judge_inputs(grade, run, cause);
    Arena *arena = grade->arena;
    uint32_t block = run->owner[first];
    *cause =
        cause_at(piece_at(grade, run, block),
                 str_format(arena,
                            "%d of %d elements %s wrong; the first is "
                            "%.*s[%d], of block %.*s.",
                            (int)wrong, (int)run->n, wrong == 1 ? "is" : "are",
                            STR_ARG(grade->lab->data_name), (int)first,
                            STR_ARG(shape_block_name(grade, run, block))),
                 element_help(grade, run, first));
    set_values(grade, run, first, cause);
    if (run->elements[first] != ELEMENT_WRONG)
        region_cure(grade, region_of_work(grade), cause->at, cause);
    cause_in_run(grade, run, cause);
    return false;
}

// ---- exactly_once: which blocks ------------------------------------------

// The blocks with one property: 0x, or more than 1x.
typedef struct BlockSet {
    uint32_t first[LISTED];
    uint32_t count;
} BlockSet;

static void set_add(BlockSet *set, uint32_t block) {
    if (set->count < LISTED)
        set->first[set->count] = block;
    set->count++;
}

static bool is_short(const Grade *grade, const Run *run, uint32_t block) {
    return run->tally[block].size < grade->lab->threads;
}

// When `correct` failed, the last, shorter block is no evidence: the same
// mistake can leave out all of it.
static void collect(const Grade *grade, const Run *run, BlockSet *none,
                    BlockSet *many) {
    for (uint32_t block = 0; block < run->blocks; block++) {
        BlockTally tally = run->tally[block];
        if (tally.size == 0 || tally.mixed ||
            (grade->correct_failed && is_short(grade, run, block)))
            continue;
        if (tally.times == 0)
            set_add(none, block);
        if (tally.times > 1)
            set_add(many, block);
    }
}

static Str list_blocks(const Grade *grade, const Run *run, const BlockSet *set,
                       bool with_times) {
    Arena *arena = grade->arena;
    Str list = STR("");
    uint32_t listed = set->count < LISTED ? set->count : LISTED;
    for (uint32_t i = 0; i < listed; i++) {
        uint32_t block = set->first[i];
        list = str_format(arena, "%.*s%s%.*s", STR_ARG(list), i ? ", " : "",
                          STR_ARG(shape_block_name(grade, run, block)));
        if (with_times)
            list = str_format(arena, "%.*s (%ux)", STR_ARG(list),
                              run->tally[block].times);
    }
    if (set->count > listed)
        list = str_format(arena, "%.*s and %u more", STR_ARG(list),
                          set->count - listed);
    return list;
}

// ---- exactly_once: what to say (why.c: why) -------------------------------

static Str once_help(const Grade *grade, bool many) {
    switch (grade->lab->technique) {
    case TECHNIQUE_FIXED:
        return STR("Block blockIdx.x owns the elements from blockIdx.x * "
                   "blockDim.x on, and no others.");
    case TECHNIQUE_PERSISTENT:
        return many ? STR("Is the stride the number of all threads, gridDim.x "
                          "* blockDim.x?")
                    : STR("Loop: from the block's own index on, in steps of "
                          "gridDim.x blocks, while the index is below n.");
    case TECHNIQUE_CLC:
        break;
    }
    if (grade->lab->cluster > 1)
        return STR("The answer has the index of the cluster's first block: add "
                   "the block's own place in the cluster, in every iteration.");
    return many ? STR("Take the index from the answer of this iteration, and "
                      "process it once.")
                : STR("Process the block's own index first, then that of each "
                      "granted answer. A refusal ends the asking; what was "
                      "granted before is still to be done.");
}

static Str once_what(const Grade *grade, const Run *run, const BlockSet *none,
                     const BlockSet *many) {
    Arena *arena = grade->arena;
    Str first = shape_block_name(grade, run, none->first[0]);
    Str repeated = shape_block_name(grade, run, many->first[0]);
    if (none->count && many->count)
        return str_format(arena,
                          "Not all of %u block indices were processed exactly "
                          "once: %u never (first: block %.*s), %u several "
                          "times (first: block %.*s).",
                          run->blocks, none->count, STR_ARG(first), many->count,
                          STR_ARG(repeated));
    const BlockSet *set = none->count ? none : many;
    return str_format(
        arena, "%u of %u block indices %s %s (first: block %.*s).", set->count,
        run->blocks, set->count == 1 ? "was" : "were",
        none->count ? "not processed" : "processed more than once",
        STR_ARG(none->count ? first : repeated));
}

static Str once_actual(const Grade *grade, const Run *run, const BlockSet *none,
                       const BlockSet *many) {
    Str missed = list_blocks(grade, run, none, false);
    Str repeated = list_blocks(grade, run, many, true);
    return str_format(grade->arena, "%s%.*s%s%s%.*s",
                      none->count ? "never: " : "", STR_ARG(missed),
                      none->count && many->count ? "; " : "",
                      many->count ? "repeated: " : "", STR_ARG(repeated));
}

bool judge_exactly_once(const Grade *grade, const Run *run, Cause *cause) {
    BlockSet none = {0}, many = {0};
    collect(grade, run, &none, &many);
    if (none.count + many.count == 0)
        return true;
    Arena *arena = grade->arena;
    Why never = {0}, often = {0};
    *cause = cause_at(
        many.count ? piece_at(grade, run, many.first[0]) : grade->kernel_at,
        once_what(grade, run, &none, &many), once_help(grade, many.count > 0));
    cause->expected =
        str_format(arena, "each block index from %.*s to %.*s exactly once",
                   STR_ARG(shape_block_name(grade, run, 0)),
                   STR_ARG(shape_block_name(grade, run, run->blocks - 1)));
    cause->actual = once_actual(grade, run, &none, &many);
    if (none.count) {
        never = why_none(grade, run, none.first[0]);
        cause_add_related(cause, never.at.line ? never.at : grade->kernel_at,
                          never.text);
    }
    if (many.count) {
        often = why_many(grade, run, many.first[0]);
        cause_add_related(cause, piece_at(grade, run, many.first[0]),
                          often.text);
    }
    if (many.count == 0 && never.at.line)
        cause->at = never.at;
    region_cure(grade, never.cure ? never.cure : often.cure, never.at, cause);
    cause_in_run(grade, run, cause);
    return false;
}
