// SPDX-License-Identifier: Apache-2.0
// A finding: one violation of a rule, its place in a run, and the thread that
// committed it. A device makes it; cause.h turns it into a Cause.
#ifndef CLCLAB_FINDING_H
#define CLCLAB_FINDING_H

#include "base/base.h"
#include "result/cases.h"

// ---- rules ---------------------------------------------------------------

// X(ID, "code", "what the rule asks for"). docs/semantics.md explains each.
#define DEVICE_RULES(X)                                                       \
    X(CLC001, "CLC001", "no request after an observed refusal")               \
    X(CLC002, "CLC002", "no index out of a refused answer")                   \
    X(CLC003, "CLC003", "no multicast request when a CTA has exited")         \
    X(CLC004, "CLC004", "no exit with a request in flight")                   \
    X(CLC005, "CLC005", "slot and mbarrier in the CTA's own shared memory")   \
    X(CLC006, "CLC006", "slot reuse is ordered by a proxy fence")             \
    X(CLC007, "CLC007", "answer read after its phase completed")              \
    X(CLC008, "CLC008", "answer decoded by query_cancel only")                \
    X(CLC009, "CLC009", "granted work is processed")                          \
    X(CLC010, "CLC010", "one slot a request; arrivals and bytes add up")      \
    X(CLC011, "CLC011", "multicast after all CTAs initialised their barrier") \
    X(BAR001, "BAR001", "mbarrier counts stay in their range")                \
    X(BAR002, "BAR002", "mbarrier used only while it is live")                \
    X(BAR003, "BAR003", "no init over a live mbarrier")                       \
    X(BAR004, "BAR004", "init ordered before another CTA's use")              \
    X(MEM001, "MEM001", "memory accesses stay in bounds")                     \
    X(MEM002, "MEM002", "memory accesses are aligned")                        \
    X(MEM003, "MEM003", "memory is written before it is read")                \
    X(MEM004, "MEM004", "a CTA's shared memory is used while it runs")        \
    X(MEM005, "MEM005", "constants and parameters are not written")           \
    X(RACE001, "RACE001", "conflicting accesses are ordered")                 \
    X(RACE002, "RACE002", "proxies are ordered by proxy fences")              \
    X(SYNC001, "SYNC001", "every thread a barrier waits for reaches it")      \
    X(SYNC002, "SYNC002", "aligned barriers by whole warps")                  \
    X(SYNC003, "SYNC003", "cluster barrier: arrive, then wait")               \
    X(SYNC004, "SYNC004", "every lane of a membermask comes")                 \
    X(DEADLOCK, "DEADLOCK", "somebody can always go on")                      \
    X(TRAP, "TRAP", "the kernel does not trap")                               \
    X(ASSERT, "ASSERT", "assertions hold")                                    \
    X(LIMIT, "LIMIT", "the kernel ends within the step limit")                \
    X(TIMEOUT, "TIMEOUT", "the kernel ends within a GPU's deadline")          \
    X(FAULT, "FAULT", "a GPU executes the kernel without a fault")            \
    X(UNSUPPORTED, "UNSUPPORTED", "the virtual machine has the instruction")

typedef enum DeviceRule {
    DEVICE_RULE_NONE,
#define DEVICE_RULE_ENUM(id, code, asks) RULE_##id,
    DEVICE_RULES(DEVICE_RULE_ENUM)
#undef DEVICE_RULE_ENUM
        DEVICE_RULE_COUNT
} DeviceRule;

// An entry in a list of rules: a device's rule, or one of check/ (OUTPUT).
typedef struct RuleLine {
    Str code; // "CLC006"
    Str asks; // "slot reuse is ordered by a proxy fence"
} RuleLine;

typedef enum FindingLevel { FINDING_ERROR, FINDING_ADVISORY } FindingLevel;

// A place that belongs to a finding or to a cause. In a finding it has no text
// yet; in a cause the text comes from words/ or from a check.
typedef struct RelatedPlace {
    SrcLoc at;
    Str what;           // "The request was issued here."
    SrcLoc caller;      // the outermost line of the call chain, or `at`
    FindingPlace place; // in a finding: PLACE_REQUEST, ...
    Facts facts;        // in a finding: the place's own facts
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

// The parts of a kernel that steals work. A mistake often has to be mended in
// another part than the line where it showed; lab.conf says which part each of
// a lab's regions holds. X(ID, "name in lab.conf")
#define DEVICE_PARTS(X)                                                  \
    X(HERE, "here")         /* the line itself */                        \
    X(DECLARE, "declare")   /* the slot, its mbarrier, the phase */      \
    X(INIT, "init")         /* mbarrier.init, and what makes it known */ \
    X(ASK, "ask")           /* barrier, acquiring fence, request */      \
    X(ANNOUNCE, "announce") /* arrival and bytes */                      \
    X(AHEAD, "ahead")       /* how much is asked for before the work */  \
    X(WAIT, "wait")         /* for the answer */                         \
    X(DECODE, "decode")     /* the answer; leave, or go on */            \
    X(INDEX, "index")       /* out of it, to the work; or what work */   \
    X(RELEASE, "release")   /* the slot, to whoever asks next */         \
    X(LEAVE, "leave")       /* the end of the kernel */                  \
    X(PLAN, "plan")         /* launch_plan's number of blocks */

typedef enum DevicePart {
#define DEVICE_PART_ENUM(id, name) PART_##id,
    DEVICE_PARTS(DEVICE_PART_ENUM)
#undef DEVICE_PART_ENUM
        DEVICE_PART_COUNT
} DevicePart;

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
Str finding_code(DeviceRule rule);          // "CLC006"
// Whether the places related to a finding happened before it. Otherwise they
// only belong to it, such as where other threads wait.
bool finding_is_in_order(DeviceRule rule);
// With its facts and the names of files.
const Finding *finding_copy(Arena *arena, const Finding *finding);

#endif
