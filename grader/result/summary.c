// SPDX-License-Identifier: Apache-2.0
// A Result -> its ResultSummary.
#include "result/summary.h"

// Of the first cause that names one. A region's text begins with its name and
// its number, in brackets.
static uint32_t region_to_mend(const Result *result) {
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++) {
            const Cause *cause = &check->causes[k];
            Str text = cause->mend.len ? cause->mend : cause->region;
            uint64_t number;
            str_cut(&text, '(');
            if (str_to_u64(str_cut(&text, ')'), &number) && number < 100)
                return (uint32_t)number;
        }
    }
    return 0;
}

// What could not be judged is no failure.
static const CheckResult *first_failed(const Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        if (result->checks[i].status == CHECK_FAIL)
            return &result->checks[i];
    return NULL;
}

ResultSummary result_summary(const Result *result) {
    ResultSummary summary = {.has_score = result->verdict != VERDICT_ERROR,
                             .score = result->score,
                             .most = result->max_score,
                             .region = region_to_mend(result)};
    const CheckResult *failed = first_failed(result);
    if (!failed)
        return summary;
    str_fill(summary.check, sizeof summary.check, failed->id);
    if (failed->cause_count)
        str_fill(summary.code, sizeof summary.code, failed->causes[0].code);
    return summary;
}
