// SPDX-License-Identifier: Apache-2.0
// A trace: what a device saw happen in one launch, in its order, for pictures.
// However long the launch was, a trace is small: see `every`. Three parts:
//
//   stays, events  over the whole launch, thinned
//   places         the map of the block indices: every one is counted
//   moment         each step of a few warps around one finding: not thinned
#ifndef CLCLAB_TRACE_H
#define CLCLAB_TRACE_H

#include "base/base.h"
#include "result/run.h"

enum { TRACE_MOST_CTAS = 2, TRACE_LANES = 32 };

// ---- the whole launch ----------------------------------------------------

// A CTA works on a block index: the one it was launched with, or a stolen one.
typedef struct TraceStay {
    uint64_t from, to;  // on the trace's clock
    uint64_t number;    // of all stays, in order of their beginning
    uint32_t cta;       // linear index of the block that was launched
    uint32_t block;     // linear index of the block that it works on
    uint32_t sm, place; // the SM, and which of its places for a CTA
    bool is_stolen;
} TraceStay;

// What an event can be besides a DeviceEventKind.
enum {
    TRACE_STEP = DEVICE_EVENT_COUNT, // an instruction that others can observe
    TRACE_FOUND,                     // the finding
    TRACE_KINDS
};

// How the bits of a register are to be read: as the instruction says that wrote
// it last.
typedef enum TraceValueKind {
    TRACE_VALUE_PRED, // 0 or 1
    TRACE_VALUE_UNSIGNED,
    TRACE_VALUE_SIGNED,
    TRACE_VALUE_FLOAT, // of 4 or 8 bytes
    TRACE_VALUE_BITS,  // not known to be a number
} TraceValueKind;

// A register of a warp. Compilers give registers numbers: which of the source's
// variables is in one, PTX does not tell.
typedef struct TraceValue {
    Str name; // in the PTX: "%r12"
    TraceValueKind kind;
    uint32_t bytes; // of a lane: 2, 4 or 8; of a predicate 0
    uint32_t line;  // where it was written last, as in TraceEvent.line
    uint32_t lanes; // that have written it
    uint64_t at[TRACE_LANES]; // by lane
} TraceValue;

// The registers of the warp that were written last, the latest at the end.
enum { TRACE_MOST_VALUES = 24 };

typedef struct TraceEvent {
    uint64_t at;     // on the trace's clock
    uint32_t kind;   // DeviceEventKind, or one of the above
    uint32_t cta;    // linear index of the block that was launched
    uint32_t warp;   // in the CTA; DEVICE_EVENT_NONE: the async proxy
    uint32_t line;   // in the submission's own file; 0: not known
    uint32_t shared; // byte of shared memory, as in DeviceEvent.at
    Str name;        // of the variable there; empty: none is known
    uint32_t inside; // bytes from its start
    uint32_t value;  // as in DeviceEvent
    uint32_t block;  // likewise
    int32_t pending; // likewise
    int32_t tx;      // likewise
    uint32_t times;  // the same again and again: how often
    uint64_t stay;   // number of the stay that it belongs to
    Str op; // the instruction: "mbarrier.try_wait"; of a TRACE_STEP empty: one
            // that no other thread can observe
    const TraceValue *values; // of a moment's step: after it
    size_t value_count;       // at most TRACE_MOST_VALUES
} TraceEvent;

typedef struct TraceSm {
    uint64_t started, stolen;           // stays that began on it
    uint64_t started_time, stolen_time; // that they took in all
} TraceSm;

// ---- the block indices ---------------------------------------------------

// How often a block index was processed is known of the labs' kernels alone.
typedef struct TraceBin { // block indices that follow each other
    uint32_t pending, started, stolen, lost; // of those that the ledger lists
    uint32_t never, once, more;              // likewise, if known; else 0
} TraceBin;

enum { TRACE_MOST_BINS = 1024 };

typedef struct TraceMap {
    uint64_t blocks;
    uint32_t each; // block indices of a bin; the last may have fewer
    bool knows_times;
    TraceBin *bins;
    size_t bin_count;
} TraceMap;

// ---- a moment ------------------------------------------------------------

enum { TRACE_BEFORE = 200, TRACE_AFTER = 24, TRACE_OBJECTS = 64 };

// A parameter of the kernel, of 8 bytes at most.
typedef struct TraceParam {
    Str name; // in the PTX: "row_sums_param_2"
    TraceValueKind kind;
    uint32_t bytes, index; // index: among all parameters
    uint64_t value;
} TraceParam;

enum { TRACE_MOST_PARAMS = 32 };

typedef struct TraceMoment {
    bool is_there;
    TraceEvent *steps; // in the machine's order
    size_t step_count;
    size_t found;        // index of the TRACE_FOUND among them
    uint64_t left_out;   // steps of the same warps before the first of them
    TraceEvent *before;  // the last event of each object before the first
    size_t before_count; // step
    uint32_t ctas[TRACE_MOST_CTAS * 16]; // whose steps they are
    uint32_t cta_count;
    SrcLoc at, related[4]; // the finding's places
    uint32_t related_count;
    bool knows_other; // which thread did what the finding is at odds with:
    uint32_t other_cta, other_warp; // at the first of the related places
    Str code;                       // "CLC006"
    bool is_of_time; // who was where when explains it better than a line does
    Str kernel;      // its name in the PTX
    uint32_t all_params; // how many it has
    TraceParam params[TRACE_MOST_PARAMS];
    uint32_t param_count;
} TraceMoment;

// ---- the trace -----------------------------------------------------------

typedef struct RunTrace {
    Str run;            // "n = 10007, schedule 1 (random, 0 switches)"
    bool is_timed;      // the clock counts modelled cycles; else the steps of
                        // the machine: warp-instructions, one after another
    uint32_t clock_mhz; // is_timed: of the model
    uint64_t end;       // the clock at the end
    bool is_cut;        // the launch was ended because it was long
    LedgerTotals totals;
    uint32_t warps, ctas; // warps of a CTA, CTAs of a cluster
    uint32_t place_count; // of an SM
    uint64_t every;       // of so many stays one is listed, with its events
    uint64_t stay_total, event_total;
    TraceStay *stays; // in order of their beginning
    size_t stay_count;
    TraceEvent *events; // in order of time
    size_t event_count;
    TraceSm *sms;
    uint32_t sm_count;
    TraceMap map;
    TraceMoment moment;
    // The same launch under the plain schedule; NULL: this is it, or there is
    // none.
    const struct RunTrace *plain;
} RunTrace;

// Another way to do some work, beside others that do the same.
typedef struct TraceWay {
    Str name; // "grid stride"
    const RunTrace *trace;
} TraceWay;

enum { TRACE_WAYS = 3 }; // fixed work, grid stride, CLC

#endif
