// SPDX-License-Identifier: Apache-2.0
// Which mutants are tried, what their results are, and which survivors are
// explained.
#ifndef CLCLAB_MUTATE_PLAN_H
#define CLCLAB_MUTATE_PLAN_H

#include "tests/mutate-grader/sites.h"

typedef enum Verdict {
    VERDICT_NONE,      // not tried
    VERDICT_VOID,      // does not compile, or is the same machine code
    VERDICT_UNIT,      // a unit test failed
    VERDICT_SLOW,      // another suite of `make test` failed
    VERDICT_PAST_UNIT, // no unit test failed; the others are still to be tried
    VERDICT_SURVIVED   // nothing failed
} Verdict;

typedef struct Result {
    uint64_t id; // of a Site
    Verdict verdict;
    Str how;   // "failed", "crashed", "hung"; empty where nothing failed
    Str suite; // that failed
} Result;

typedef struct Results {
    Result *items;
    size_t count, capacity;
} Results;

// Reads lines of id, verdict, how and suite, separated by tabs; more fields may
// follow. Of several lines with one id the last counts. An incomplete line is
// ignored.
void results_read(Arena *arena, Str text, Results *results);
Result results_find(const Results *results, uint64_t id);

// A mutant that may survive, and why.
typedef struct Known {
    bool accepted; // a mistake that is known not to be seen; else: equivalent
    Str file, function, before, after, why;
    uint32_t same;
    bool seen; // there is such a place
} Known;

typedef struct KnownList {
    Known *items;
    size_t count, capacity;
} KnownList;

// Reads the form that grader-survivors.txt explains. False: the line with
// number *wrong is malformed.
bool known_read(Arena *arena, Str text, KnownList *list, uint32_t *wrong);
Known *known_find(const KnownList *list, const Site *site);

typedef struct Plan {
    const Site **items; // those that count, in the order in which to try them
    size_t count, capacity;
} Plan;

// Draws `count` sites by `seed`: from each room in proportion to its sites, but
// at least one. A site that turned out to be void is replaced by the room's
// next one. A change elsewhere in the file, or in another, does not affect the
// order.
Plan plan_draw(Arena *arena, const Sites *sites, const Results *results,
               size_t count, uint64_t seed);

#endif
