// SPDX-License-Identifier: Apache-2.0
// What the wrong elements of a run have in common: they are all one thread's,
// or all but one thread's, or all from one on, or they were all multiplied by
// the same number. Only
// elements that judge_correct counts are looked at. A function pattern_of_*
// sets the fact of its pattern and says which case that belongs to.
#include "check/judge.h"

#include <math.h>

static bool is_wrong(const Run *run, int32_t i) {
    return run->tally[run->owner[i]].mixed && run->elements[i] != 1;
}

static bool is_right(const Run *run, int32_t i) {
    return run->tally[run->owner[i]].mixed && run->elements[i] == 1;
}

// The one thread of its block that all elements chosen by `is_chosen` belong
// to; -1: they are several threads', or there are none.
typedef bool Chosen(const Run *run, int32_t i);
static int32_t only_thread(const Grade *grade, const Run *run,
                           Chosen *is_chosen) {
    int32_t threads = (int32_t)grade->lab->threads, thread = -1;
    for (int32_t i = 0; i < run->n; i++) {
        if (!is_chosen(run, i))
            continue;
        if (thread >= 0 && thread != i % threads)
            return -1;
        thread = i % threads;
    }
    return thread;
}

// What all wrong elements were multiplied by; 0: not by one number.
static double common_factor(const Run *run) {
    double factor = 0;
    uint32_t count = 0;
    for (int32_t i = 0; i < run->n; i++) {
        if (!is_wrong(run, i) || run->before[i] == 0)
            continue;
        double one = (double)run->after[i] / (double)run->before[i];
        if (factor != 0 && !(fabs(one - factor) <= 1e-5 * fabs(factor)))
            return 0;
        factor = one;
        count++;
    }
    return count > 1 && isfinite(factor) ? factor : 0;
}

FindingCase pattern_of_factor(const Run *run, Fact *fact) {
    double factor = common_factor(run);
    *fact = FACT(FACTOR, fact_real(factor));
    return factor != 0 ? CASE_CORRECT_OTHER_FACTOR : CASE_NONE;
}

// Whether none from that one on was processed, and each in front of it once.
static bool is_tail(const Run *run, int32_t first) {
    for (int32_t i = 0; i < run->n; i++)
        if (run->elements[i] != (i < first))
            return false;
    return first > 0;
}

FindingCase pattern_of_threads(const Grade *grade, const Run *run,
                               int32_t wrong, int32_t first, Fact *fact) {
    if (shape_of(grade->lab) != SHAPE_LINE || run->n < 2)
        return CASE_NONE;
    if (wrong == 1 && first == run->n - 1)
        return CASE_CORRECT_LAST_LEFT_OUT;
    int32_t wrong_one = only_thread(grade, run, is_wrong),
            right_one = only_thread(grade, run, is_right);
    *fact = FACT(NUMBER, wrong_one >= 0 ? wrong_one : right_one);
    return wrong_one >= 0        ? CASE_CORRECT_ONE_THREAD
           : right_one >= 0      ? CASE_CORRECT_OTHER_THREADS
           : is_tail(run, first) ? CASE_CORRECT_TAIL_LEFT_OUT
                                 : CASE_NONE;
}
