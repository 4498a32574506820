// SPDX-License-Identifier: Apache-2.0
// A finding: one violation of a rule, its place in a run, and the thread that
// committed it. A device makes it; cause.h turns it into a Cause.
#ifndef CLCLAB_FINDING_H
#define CLCLAB_FINDING_H

#include "base/base.h"
#include "result/cases.h"
#include "result/part.h"
#include "result/rule.h"

typedef enum FindingLevel { FINDING_ERROR, FINDING_ADVISORY } FindingLevel;

// A place that belongs to a finding. It has no text: words/ makes one for the
// cause.
typedef struct RelatedPlace {
    SrcLoc at;
    SrcLoc caller;      // the outermost line of the call chain, or `at`
    FindingPlace place; // PLACE_REQUEST, ...
    Facts facts;        // the place's own
} RelatedPlace;

// The thread that committed it, as far as it is known.
enum { WHO_ANY_LANE = 32 };
typedef struct FindingWho {
    bool known;     // false: no thread in particular
    uint32_t cta;   // linear block index that the CTA was launched with
    uint32_t rank;  // of the CTA in its cluster
    uint32_t ctas;  // in a cluster
    uint32_t warp;  // in the CTA
    uint32_t warps; // in a CTA
    uint32_t lane;  // WHO_ANY_LANE: no single lane
    uint32_t owned; // blocks that the CTA owned by then; 0: not known
    uint32_t block; // the last of these: its linear index
} FindingWho;

// One violation of a rule, or what a check of a lab found wrong (the rule is
// none), as facts: words/ makes sentences of them. `at` is a place in
// the learner's own file where inlining allows it; `via` the library line that
// it came through (empty where it is the learner's own code).
typedef struct Finding {
    DeviceRule rule;
    FindingCase which; // of the rule
    FindingReason reason;
    bool
        gave_up; // a wait for an mbarrier was given up before, and is the cause
    FindingLevel level;
    Facts facts;
    // In the names of the source, where they are known: put in words in place
    // of facts of the same keys, and as this case. CASE_NONE: as `which`.
    Facts named;
    FindingCase told;
    uint32_t grid[3];  // blocks, and
    uint32_t block[3]; // threads of a block, for their names; may be 0
    bool is_box;       // a block is (x, y, z), however flat the grid is
    SrcLoc at;
    SrcLoc via;
    FindingWho who;
    RelatedPlace related[4];
    uint32_t related_count;
    // The lines of the same file that called the function that `at` is in, the
    // innermost first, up to the first call that comes from a library.
    SrcLoc callers[2];
    uint32_t caller_count;
    DevicePart cure; // the part to mend, where cure_at does not say it
    SrcLoc cure_at;  // the place to mend (line 0: not known); it counts only in
                     // one of the learner's regions
    uint32_t cta;    // linear block index of the CTA concerned
    // For a race of two blocks on a buffer (RACE001): the buffer (its index
    // from alloc), the offset in it, and the other block.
    bool in_buffer;
    uint32_t buffer;
    uint64_t offset; // in bytes; also set for an access to shared memory
    uint32_t bytes;  // size of the access; 0: not known
    uint32_t other_cta;
    uint64_t step;        // when: in warp-instructions since the launch
    uint32_t occurrences; // of the same rule at the same place in this run
} Finding;

DeviceRule finding_rule(FindingCase which); // none: of what check/ judges
// With its facts and the names of files.
const Finding *finding_copy(Arena *arena, const Finding *finding);

#endif
