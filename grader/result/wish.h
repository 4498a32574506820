// SPDX-License-Identifier: Apache-2.0
// Which launch is to be traced, and what of it in every step (trace.h).
#ifndef CLCLAB_WISH_H
#define CLCLAB_WISH_H

#include "base/base.h"
#include "result/rule.h"
#include "result/trace.h"

// With `rule`, the moment of the first finding of that rule at `at` is
// recorded: steps of the clusters of `ctas`.
typedef struct TraceWish {
    uint32_t most_stays, most_events; // 0: the device's own limits
    DeviceRule rule;                  // none: no moment
    SrcLoc at;
    uint32_t ctas[TRACE_MOST_CTAS]; // linear block indices
    uint32_t cta_count;
    uint32_t lines[4]; // where what led to it was done: instructions there are
    uint32_t line_count; // steps, even if no other thread can observe them
} TraceWish;

#endif
