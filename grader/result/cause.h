// SPDX-License-Identifier: Apache-2.0
// A cause: why a check, a launch or a program did not pass, with its places and
// the texts that a reader gets. A finding becomes one here and nowhere else;
// who found it adds what only it knows: the run, the region, the command that
// replays it.
#ifndef CLCLAB_CAUSE_H
#define CLCLAB_CAUSE_H

#include "base/base.h"
#include "result/advice.h"

typedef struct Finding Finding; // finding.h

// A place that belongs to a cause.
typedef struct CausePlace {
    SrcLoc at;
    Str what;      // "The request was issued here."
    SrcLoc caller; // the outermost line of the call chain, or `at`
} CausePlace;

// Every check that did not pass has `what` and `help`, and at.line too if code
// is to blame. The texts of a `finding` are made by words/, which keeps an
// existing `help`; a message of the compiler or of a device stands in `what` as
// it was given. Where edits were tried and none mends anything, there is no
// `help`.
typedef struct Cause {
    const Finding *finding; // to be put in words; NULL: none, or already done
    Str code;               // "CLC001", "MEM001", ...; empty: the check itself
    Str headline;           // one sentence: what is wrong; may be empty
    Str what;               // one sentence: what happened
    Str expected;           // may be empty
    Str actual;             // may be empty
    Str missing;            // the ordering that is missing; may be empty
    Str help;               // what to try
    Str who;    // more about the thread that `what` names; may be empty
    Str region; // the part of the lab's file that it is in; may be empty
    Str mend;   // the part to mend, if it is another one; may be empty
    CauseAdvice
        advice; // what was tried; only with the first cause of a failure
    bool is_mended_too; // by the edit that is told with the first one
    Str explain;        // the command that explains the code; may be empty
    SrcLoc at;
    SrcLoc via;        // the library line called from `at`; may be empty
    SrcLoc callers[2]; // of the function that `at` is in, innermost first
    uint32_t caller_count;
    CausePlace related[4];
    uint32_t related_count;
    bool in_order; // related[] happened before `what`, in this order
    // Set if another schedule than the plain one, or a GPU, showed it: words/
    // says so at the start of `what`.
    Str schedule; // its name: "schedule 5 (refuse-early)"; may be empty
    Str on_card;  // the check that failed on a GPU; may be empty
    Str context;  // the run: "n = 1000, schedule 5 (refuse-early)"; may be
                  // empty
    Str replay;   // the command that shows it again; may be empty
} Cause;

// With the finding's code and places, as they are; the finding is copied to the
// arena. What a check judged (its rule is none) has no code.
Cause cause_of_finding(Arena *arena, const Finding *finding);
// The code, and the command that explains it.
void cause_set_code(Arena *arena, Cause *cause, Str code);
// What a report begins with: what is wrong, or else what happened.
Str cause_headline(const Cause *cause);
// By its code: rule_is_retried.
bool cause_is_retried(const Cause *cause);
// Whether an advisory says only what an error says as well: the same rule, of
// the same line or the same variable. Both still have their findings, or have
// only lines to compare.
bool cause_repeats(const Cause *advisory, const Cause *error);
// Left out if there is no room for it.
void cause_add_related(Cause *cause, SrcLoc at, Str what);
// Copies the texts of the cause to `arena`: those of a finding live only as
// long as the arena of its run.
void cause_keep(Arena *arena, Cause *cause);

#endif
