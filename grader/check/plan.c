// SPDX-License-Identifier: Apache-2.0
// launch_plan: the learner's function, run on the device for many queries.
//
// fixed: ceil(n / threads) blocks. persistent: the smaller of that number and
// what fits on the device. For n = 0 this is no block, and nothing is launched;
// one block is accepted as well, with an advisory, because CUDA refuses to
// launch an empty grid.
// If the plan is wrong, the kernel is launched with the right grid, so that it
// can still be judged.
#include "check/judge.h"

static int64_t ceil_blocks(PlanQuery query) {
    return ((int64_t)query.n + query.threads_per_block - 1) /
           query.threads_per_block;
}

static int64_t right_plan(LabTechnique technique, PlanQuery query) {
    int64_t all = ceil_blocks(query);
    int64_t fit = (int64_t)query.sm_count * query.blocks_per_sm;
    return technique == TECHNIQUE_PERSISTENT && fit < all ? fit : all;
}

static bool is_right_plan(LabTechnique technique, PlanQuery query,
                          int64_t blocks) {
    return blocks == right_plan(technique, query) ||
           (query.n == 0 && blocks == 1);
}

static FindingCase plan_case(LabTechnique technique, PlanQuery query,
                             int32_t blocks) {
    bool is_persistent = technique == TECHNIQUE_PERSISTENT;
    if (blocks == INT32_MIN)
        return is_persistent ? CASE_LAUNCH_PLAN_NOT_SET_PERSISTENT
                             : CASE_LAUNCH_PLAN_NOT_SET;
    if (is_persistent)
        return CASE_LAUNCH_PLAN_PERSISTENT;
    return blocks == query.n / query.threads_per_block
               ? CASE_LAUNCH_PLAN_ROUNDED_DOWN
               : CASE_LAUNCH_PLAN_OTHER_NUMBER;
}

static SrcLoc plan_at(const Grade *grade) {
    SrcLoc at = place_find_name(grade->submission, STR("launch_plan"));
    return at.line ? at : grade->kernel_at;
}

static Cause wrong_plan(const Grade *grade, PlanQuery query, int32_t blocks) {
    LabTechnique technique = grade->lab->technique;
    Cause cause = cause_of_case(
        grade, NULL, plan_at(grade), plan_case(technique, query, blocks),
        FACTS(FACT_STR(NAME, STR("launch_plan")), FACT(CHOSEN, (int64_t)blocks),
              FACT(ELEMENTS, query.n), FACT(THREADS, query.threads_per_block),
              FACT(SMS, query.sm_count), FACT(FIT, query.blocks_per_sm),
              FACT(BLOCKS, right_plan(technique, query))));
    cause.replay = cause_replay(grade);
    region_cure(grade, PART_PLAN, cause.at, &cause);
    return cause;
}

// The query that is made before the kernel's launch with n elements.
static PlanQuery lab_query(const Grade *grade, int32_t n) {
    return (PlanQuery){n, (int32_t)grade->lab->threads,
                       (int32_t)grade->info.sm_count,
                       (int32_t)grade->blocks_per_sm};
}

// Returns OUTCOME_RAN only if the plan is right.
static RunOutcome judge_query(Grade *grade, PlanQuery query, Cause *cause) {
    int32_t blocks;
    RunOutcome outcome = run_plan(grade, query, &blocks, cause);
    if (outcome != OUTCOME_RAN ||
        is_right_plan(grade->lab->technique, query, blocks))
        return outcome;
    *cause = wrong_plan(grade, query, blocks);
    return OUTCOME_THEIRS;
}

// A plan that is accepted, though the text asks for no block.
static void advise_of_nothing(Grade *grade, PlanQuery query) {
    Cause unused;
    int32_t blocks;
    if (run_plan(grade, query, &blocks, &unused) != OUTCOME_RAN || blocks == 0)
        return;
    Cause cause = cause_of_case(
        grade, NULL, plan_at(grade), CASE_LAUNCH_PLAN_ONE_FOR_NOTHING,
        FACTS(FACT_STR(NAME, STR("launch_plan")), FACT(CHOSEN, blocks)));
    region_cure(grade, PART_PLAN, cause.at, &cause);
    cause.replay = cause_replay(grade);
    grade_advise(grade, &cause);
}

bool plan_judge(Grade *grade) {
    // Large numbers that are not round show a plan in floats, or in few bits.
    // The largest leaves room for one block more to be added before dividing.
    enum { LARGEST = INT32_MAX - 1024 };
    static const PlanQuery queries[] = {
        {1, 128, 4, 2},
        {512, 128, 4, 2},
        {1000, 128, 4, 2},
        {1024, 128, 4, 2},
        {1025, 128, 4, 2},
        {100000, 256, 1, 1},
        {100000, 64, 148, 16},
        {1 << 24, 1024, 148, 2},
        {5000, 32, 170, 24},
        {(1 << 24) + 1, 128, 148, 16},
        {(1 << 24) + 1, 128, 1 << 14, 16},
        {(1 << 27) + 1, 64, 1 << 15, 128},
        {LARGEST, 1024, 1 << 16, 64},
        {LARGEST - 94, 32, 1 << 20, 1024},
        {0, 128, 4, 2}, // last: any other query tells more of a mistake
    };
    const Lab *lab = grade->lab;
    Cause cause = {0};
    RunOutcome outcome = OUTCOME_RAN;
    // The virtual machine has judged this arithmetic, which is the same here.
    if (grade->info.is_card) {
        grade_set(grade, STR("launch_plan"), CHECK_PASS, NULL);
        return true;
    }
    for (size_t i = 0; i < lab->size_count && outcome == OUTCOME_RAN; i++)
        if (lab->sizes[i].dim[0] > 0)
            outcome = judge_query(grade, lab_query(grade, lab->sizes[i].dim[0]),
                                  &cause);
    for (size_t i = 0; i < COUNT_OF(queries) && outcome == OUTCOME_RAN; i++)
        outcome = judge_query(grade, queries[i], &cause);
    grade_set(grade, STR("launch_plan"),
              outcome == OUTCOME_RAN      ? CHECK_PASS
              : outcome == OUTCOME_THEIRS ? CHECK_FAIL
                                          : CHECK_ERROR,
              &cause);
    grade->plan_failed = outcome == OUTCOME_THEIRS;
    if (outcome == OUTCOME_RAN)
        advise_of_nothing(grade, queries[COUNT_OF(queries) - 1]);
    return outcome != OUTCOME_OURS;
}

// The right number of blocks. It is rounded up to whole clusters unless the
// learner's launch_plan chooses the grid.
static uint32_t right_grid(const Grade *grade, LabSize size) {
    const Lab *lab = grade->lab;
    uint64_t blocks = shape_blocks(lab, size);
    uint64_t fit = (uint64_t)grade->info.sm_count * grade->blocks_per_sm;
    if (lab->technique == TECHNIQUE_PERSISTENT && fit < blocks)
        blocks = fit;
    if (lab->plan)
        return (uint32_t)blocks;
    return (uint32_t)round_up(blocks, lab->cluster);
}

RunOutcome plan_grid(Grade *grade, LabSize size, uint32_t *grid, Cause *cause) {
    if (!grade->lab->plan || grade->plan_failed) {
        *grid = right_grid(grade, size);
        return OUTCOME_RAN;
    }
    int32_t blocks = 0;
    RunOutcome outcome =
        run_plan(grade, lab_query(grade, size.dim[0]), &blocks, cause);
    *grid = blocks > 0 ? (uint32_t)blocks : 0;
    return outcome;
}
