// SPDX-License-Identifier: Apache-2.0
// The files of the English catalogue, and what their entries have in common.
#ifndef CLCLAB_WORDS_CATALOGUE_H
#define CLCLAB_WORDS_CATALOGUE_H

#include "words/words.h"

#define COUNT_CASE(rule, id, carries) +1
enum {
    CLC_CASE_COUNT = 0 CLC_CASES(COUNT_CASE),
    MBARRIER_CASE_COUNT = 0 MBARRIER_CASES(COUNT_CASE),
    MEMORY_CASE_COUNT = 0 MEMORY_CASES(COUNT_CASE),
    RACE_CASE_COUNT = 0 RACE_CASES(COUNT_CASE),
    SYNC_CASE_COUNT = 0 SYNC_CASES(COUNT_CASE),
    END_CASE_COUNT = 0 END_CASES(COUNT_CASE),
    JUDGED_CASE_COUNT = 0 JUDGED_CASES(COUNT_CASE),
};
#undef COUNT_CASE

// One entry a case: CASE_WORDS(RACE001_IN_WARP, .WHAT = "...", .HELP = "...").
// A file ends with the list of its family, made of the cases themselves: a case
// without an entry, or with two, does not compile.
#define CASE_WORDS(id, ...) \
    static const CaseWords words_of_##id = {CASE_##id, __VA_ARGS__}
#define CASE_WORDS_OF(rule, id, carries) &words_of_##rule##_##id,
#define ALL_CASE_WORDS(name, cases) \
    const CaseWords *const name[] = {cases(CASE_WORDS_OF)}

#define WHAT parts[WORDS_WHAT]
#define EXPECTED parts[WORDS_EXPECTED]
#define ACTUAL parts[WORDS_ACTUAL]
#define MISSING parts[WORDS_MISSING]
#define HELP parts[WORDS_HELP]

#define HELP_WAIT                                                         \
    "wait for the mbarrier's phase ({wait_parity}) before the answer is " \
    "read, "                                                              \
    "in the thread that reads it or before a barrier that it takes part in"

// The start of what is said of two accesses; the rest says why they are not
// ordered.
#define RACE                                                               \
    "{thread} {later} {bytes} bytes of {memory} that {earlier} {before}, " \
    "and "

// The help for a run that a GPU stopped.
#define HELP_VM                                                           \
    "A card does not say where. The virtual machine does: grade it with " \
    "--device vm, or run it with clclab run."

// The help if what compute_scalar gives, or does, is not what it should be.
#define HELP_SCALAR "compute_scalar is lab.h's: neither define nor change it"

extern const CaseWords *const words_clc[];
extern const CaseWords *const words_mbarrier[];
extern const CaseWords *const words_memory[];
extern const CaseWords *const words_race[];
extern const CaseWords *const words_sync[];
extern const CaseWords *const words_end[];
extern const CaseWords *const words_judged[];

extern const char *const words_remedies[REMEDY_COUNT];
extern const char *const words_places[FINDING_PLACE_COUNT];
extern const char *const words_roots[FINDING_REASON_COUNT];

#endif
