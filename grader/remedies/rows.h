// SPDX-License-Identifier: Apache-2.0
// The remedies, a row each: for which rules it is tried, at which instructions
// it fits, and the edit. To add one: a row in result/advice.h, its phrase in
// words/remedies.c, its row in the table of one of these files:
//
//   order.c     one more barrier, one more fence
//   barriers.c  barriers that some threads do not come to
//   counts.c    what an mbarrier counts: arrivals, bytes
//   targets.c   another mbarrier, another slot
//   strength.c  an order, a scope, a multicast
//   moves.c     earlier, or later
//   waits.c     waits and their parities
//   guards.c    who does something, and until when
//   work.c      what is computed, and stored
//   numbers.c   of what it is computed
//   prologue.c  a call that is made too often
//   answers.c   what is done with an answer
//
// A row may change any instruction, but what it adds has to be what a CUDA
// kernel can be written to do, as the phrase says it.
#ifndef CLCLAB_REMEDIES_ROWS_H
#define CLCLAB_REMEDIES_ROWS_H

#include "remedies/edit.h"
#include "remedies/remedies.h"

// Of a DeviceRule. Bit 0: what a check judges, which breaks no rule.
#define FOR_RULE(rule) (UINT64_C(1) << RULE_##rule)
#define FOR_JUDGED (UINT64_C(1) << DEVICE_RULE_NONE)

enum { REMEDY_MOST_FACTS = 4 };

// An edit that is being made.
typedef struct Mending {
    const RemedySite *site;
    RemedyKind kind; // of the row
    Edit edit;
    Fact facts[REMEDY_MOST_FACTS]; // that its phrase names
    size_t fact_count;
    uint32_t at; // the instruction whose line is told; set to that of the row
} Mending;

struct RemedyRow {
    RemedyKind kind;
    uint64_t rules;
    uint32_t variants; // the likelier ones first: each counts 1 more
    // Added to the rank: how much of the kernel it changes, and how seldom it
    // is what was meant. A line's distance from the finding counts 4.
    uint32_t cost;
    // Whether it may be made at this instruction: quick, and without an Edit.
    bool (*fits)(const RemedySite *site, uint32_t at);
    // Makes it, or returns false; the Edit is then discarded.
    bool (*make)(Mending *mending, uint32_t at, uint32_t variant);
};

typedef struct RemedyTable {
    const RemedyRow *rows;
    size_t count;
} RemedyTable;

// Not a rule: what the row edits stands elsewhere than what the finding names,
// at the begin or the end of a kernel, so its distance counts little.
#define FROM_FAR (UINT64_C(1) << 63)
#define FOR_ANY (FROM_FAR - 1)

_Static_assert(DEVICE_RULE_COUNT < 63, "rules and FROM_FAR have a bit each");

extern const RemedyTable REMEDIES_OF_ORDER, REMEDIES_OF_BARRIERS,
    REMEDIES_OF_COUNTS, REMEDIES_OF_TARGETS, REMEDIES_OF_WAITS,
    REMEDIES_OF_STRENGTH, REMEDIES_OF_MOVES, REMEDIES_OF_GUARDS,
    REMEDIES_OF_WORK, REMEDIES_OF_PROLOGUE, REMEDIES_OF_ANSWERS,
    REMEDIES_OF_NUMBERS;

void mending_add_fact(Mending *mending, Fact fact);

// ---- what is looked up often (index.c) -----------------------------------

// Of the entry as it is, so that a look takes as long in a large kernel.
typedef struct SiteIndex {
    uint32_t *setters; // of each register: the only instruction that sets it,
                       // its index + 1; 0: none does, or several do
    bool *is_first;    // of each instruction: see place_is_first
} SiteIndex;

const SiteIndex *index_site(Arena *arena, const RemedySite *site);

// ---- copies (copies.c) ---------------------------------------------------

// What stands once in the source may be in the PTX several times: its function
// was inlined at two calls, its loop was unrolled. An edit of the source edits
// all of these, or nothing if they are more than a person would write.
typedef bool MendOne(Mending *mending, uint32_t at, uint32_t variant);

// Whether both are the same operation at the same place in the source.
bool place_is_copy(const RemedySite *site, uint32_t at, uint32_t other);
// Whether no copy of the instruction comes before it.
bool place_is_first(const RemedySite *site, uint32_t at);
// Mends each copy of the instruction, the last one first, so that what stands
// before the others stays in its place. False if one cannot be.
bool mend_copies(Mending *mending, uint32_t at, uint32_t variant,
                 MendOne *mend);
// Likewise for the begin of a line: once for each inlined call.
bool mend_lines(Mending *mending, uint32_t at, uint32_t variant, MendOne *mend);
// Behind what was put in front of a line, when the function had `before`
// instructions: if the line is a wait's loop, its rounds do not pass by it.
void mend_loop_head(Mending *mending, uint32_t at, size_t before);

// ---- places (places.c) ---------------------------------------------------

// The learner's line that an instruction belongs to: of its chain of inlined
// calls the innermost line in her file. 0: none.
uint32_t place_line(const RemedySite *site, uint32_t at);
const PtxLoc *place_loc(const RemedySite *site, uint32_t at); // of that line
SrcLoc place_src(const RemedySite *site, uint32_t at);
// Whether another of the learner's lines begins here.
bool place_begins_line(const RemedySite *site, uint32_t at);
// Lines between this one and the nearest that the finding names; 0: it names
// it. A line between two accesses of a race is 1 away at most.
uint32_t place_distance(const RemedySite *site, uint32_t line);

#endif
