// SPDX-License-Identifier: Apache-2.0
// What is said of what check/ judges itself: the checks of a lab, by check.
#include "words/catalogue.h"

#define EXPECTED_VALUE \
    "{element} = {wanted} (it was {held}; the prologue's value is {scalar})"
#define ACTUAL_VALUE "{element} = {found}"

#define WHAT_WRONG                                                       \
    "{count} of {elements} elements {count|is|are} wrong; the first is " \
    "{data}[{index}], of block {block}"

#define EXPECTED_ONCE "each block index from {first} to {last} exactly once"

#define HELP_REPEATED \
    "take the index from the answer of this iteration, and process it once"

const CaseWords words_judged[] = {
    {CASE_CORRECT_NO_CHANGE, .WHAT = "the kernel changed no element of {data}",
     .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
     .HELP = "do this with each element that a block owns: {text}"},
    {CASE_CORRECT_INPUT_CHANGED,
     .WHAT = "the kernel changed elements of {name}",
     .HELP = "the parameter {name} is for reading: store to {data} alone"},
    {CASE_CORRECT_LEFT_OUT, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
     .ACTUAL = ACTUAL_VALUE,
     .HELP = "It holds what it held before. Check which elements the kernel "
             "processes: {owns}."},
    {CASE_CORRECT_REPEATED, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
     .ACTUAL = ACTUAL_VALUE,
     .HELP = "It was processed {times} times. Do two threads share an index?"},
    {CASE_CORRECT_NOT_A_NUMBER, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
     .ACTUAL = ACTUAL_VALUE,
     .HELP = "It is not a number. Is a variable used before it is set?"},
    {CASE_CORRECT_OTHER_VALUE, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
     .ACTUAL = ACTUAL_VALUE,
     .HELP = "do this with each element once, and nothing else: {text}"},
    {CASE_EXACTLY_ONCE_NEVER,
     .WHAT = "{never} of {blocks} block indices {never|was|were} not processed "
             "(first: block {block})",
     .EXPECTED = EXPECTED_ONCE, .ACTUAL = "never: {missed}",
     .HELP = "Process the block's own index first, then that of each granted "
             "answer. A refusal ends the asking; what was granted before is "
             "still to be done."},
    {CASE_EXACTLY_ONCE_REPEATED,
     .WHAT = "{often} of {blocks} block indices {often|was|were} processed "
             "more than once (first: block {again})",
     .EXPECTED = EXPECTED_ONCE, .ACTUAL = "repeated: {repeated}",
     .HELP = HELP_REPEATED},
    {CASE_EXACTLY_ONCE_BOTH,
     .WHAT = "not all of {blocks} block indices were processed exactly once: "
             "{never} never (first: block {block}), {often} several times "
             "(first: block {again})",
     .EXPECTED = EXPECTED_ONCE,
     .ACTUAL = "never: {missed}; repeated: {repeated}", .HELP = HELP_REPEATED},
};
EACH_CASE_HAS_WORDS(words_judged, JUDGED_CASE_COUNT);
