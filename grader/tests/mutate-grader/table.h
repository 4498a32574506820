// SPDX-License-Identifier: Apache-2.0
// The table by room and by kind of change, and the list of survivors.
#ifndef CLCLAB_MUTATE_TABLE_H
#define CLCLAB_MUTATE_TABLE_H

#include "tests/mutate-grader/plan.h"

// Percentages of the mutants that are not equivalent.
enum { TABLE_LEAST_UNIT = 85, TABLE_LEAST_ALL = 95 };

typedef enum TableEnd {
    TABLE_GOOD,  // everything was tried, the percentages are reached, and each
                 // survivor has its reason
    TABLE_WRONG, // everything was tried, and something is missing
    TABLE_OPEN   // not everything was tried
} TableEnd;

// Appends the text to `out`. Where a line of `list` is about no place of
// `sites`, the text says so, and the end is TABLE_WRONG.
TableEnd table_print(Buf *out, const Sites *sites, const Plan *plan,
                     const Results *results, const KnownList *list);

#endif
