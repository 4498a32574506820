// SPDX-License-Identifier: Apache-2.0
// The trace of the run that a result shows, for grade.c and launch.c.
#ifndef CLCLAB_CHECK_TRACE_H
#define CLCLAB_CHECK_TRACE_H

#include "check/internal.h"
#include "result/wish.h"

typedef struct TraceGrid {
    uint32_t grid[3], cluster[3]; // in blocks
    const BlockTally *tally;      // [tally_count]; NULL: not known
    size_t tally_count;
    Str source; // has the names of the kernel's parameters
} TraceGrid;

// What to record around the cause's finding; NULL: it has none.
TraceWish trace_wish(const Cause *cause);
TraceMap trace_map(Arena *arena, const Ledger *ledger, const TraceGrid *grid);
// Completes the trace of the run. NULL: the device recorded none.
const RunTrace *trace_of(Arena *arena, const DeviceRun *run,
                         const TraceGrid *grid, const Cause *cause,
                         const TraceWish *wish);
// Gives the parameters the names that they have in the source (params.c), as
// far as it can be read.
void trace_name_params(Arena *arena, Str source, TraceMoment *moment);
// Runs the run that the result shows once more, if a trace is asked for.
void trace_grade(Grade *grade);

#endif
