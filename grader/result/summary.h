// SPDX-License-Identifier: Apache-2.0
// What of a Result is of use without it: of a fixed size and without pointers,
// so that the process that judges can leave it in memory that it shares with
// whoever waits for it.
#ifndef CLCLAB_SUMMARY_H
#define CLCLAB_SUMMARY_H

#include "result/verdict.h"

enum { SUMMARY_NAME = 32 }; // bytes, with the NUL at its end

typedef struct ResultSummary {
    bool has_score; // it was judged to the end, and:
    double score, most;
    char check[SUMMARY_NAME]; // the first that failed; empty: none did
    char code[SUMMARY_NAME];  // of its first cause; may be empty
    uint32_t region;          // the one to mend; 0: none is named
} ResultSummary;

ResultSummary result_summary(const Result *result);

#endif
