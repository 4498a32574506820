// SPDX-License-Identifier: Apache-2.0
// What judges say: the cases of findings, their facts, what explains them. The
// rest of what check/ shares (internal.h) names no case, so that a new one
// compiles only those who judge.
#ifndef CLCLAB_CHECK_JUDGE_H
#define CLCLAB_CHECK_JUDGE_H

#include "check/internal.h"
#include "result/finding.h"

// cause.c
// The Cause of what a judge found: a case, its facts, its places. The blocks it
// names are those of `run`; NULL: it names none.
Cause cause_judged(const Grade *grade, const Run *run, const Finding *judged);
Cause cause_of_case(const Grade *grade, const Run *run, SrcLoc at,
                    FindingCase which, Facts facts);
// Gives the cause the help of this reason instead of the one that it has.
void cause_set_reason(const Grade *grade, FindingReason reason, Cause *cause);
// Adds something that has no line and no facts, if there is room for it, to a
// cause that has a finding.
void cause_relate(const Grade *grade, Cause *cause, FindingPlace place);

// pattern.c: the case of judge_correct that a pattern makes, and the fact that
// goes with it (LAST_LEFT_OUT and TAIL_LEFT_OUT have none); CASE_NONE: there is
// no pattern. Of `wrong` elements that hold what they held; the first is number
// `first`.
FindingCase pattern_of_threads(const Grade *grade, const Run *run,
                               int32_t wrong, int32_t first, Fact *fact);
FindingCase pattern_of_factor(const Run *run, Fact *fact);

// why.c
typedef struct Why {
    RelatedPlace place; // the request or query to blame; line 0: none
    DevicePart cure;    // PART_HERE: the part is not certain
} Why;
Why why_none(const Grade *grade, const Run *run, uint32_t block);
Why why_many(const Grade *grade, const Run *run, uint32_t block);
// What all blocks that were never processed have in common; none: nothing.
FindingReason why_reason(const Grade *grade, const Run *run);
// Whether each of them was taken by a CTA that processed one twice which it
// took later.
bool why_is_held_in_one_place(const Grade *grade, const Run *run);
// Whether the blocks that were repeated were so by themselves alone, and no
// block came to those that were not processed.
bool why_is_own_again(const Grade *grade, const Run *run);
// Whether blocks were repeated, each by one CTA at two places of its code.
bool why_is_at_two_places(const Run *run);
// Whether blocks were repeated, each by one CTA at two places of its code.
bool why_is_at_two_places(const Run *run);
// Whether CTAs that stored to the block had it from no answer: all that are
// known but the one that was started as it.
bool why_no_answer_gave(const Grade *grade, const Run *run, uint32_t block);
// Where the CTA that took the block left the kernel; line 0: not known.
SrcLoc why_left_at(const Run *run, uint32_t block);
// A block that was processed once, whose elements' store is known; else a block
// that there is not.
uint32_t why_other_stored(const Run *run);
// Add to the finding: where the CTA that should have processed `block` left,
// and where the elements of another block were stored; where those of `block`
// were stored to before, if at another line.
void why_add_contrast(const Grade *grade, const Run *run, uint32_t block,
                      Finding *finding);
void why_add_stored_before(const Grade *grade, const Run *run, uint32_t block,
                           Finding *finding);

// Whether `cta` is among the first that stored to the elements of `block`.
bool why_has_stored(const Run *run, uint32_t cta, uint32_t block);

#endif
