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

#define ASKS_FIXED "each block processes its own block index, blockIdx.x"
#define ASKS_PERSISTENT                                               \
    "a grid-stride loop: block b processes the block indices b, b + " \
    "gridDim.x, b + 2 * gridDim.x, ..."

#define WHAT_OTHER_WRITER                                                 \
    "block index {block} was processed by block {owner}, and not by the " \
    "lab's technique"

#define WHAT_REQUESTS \
    "the kernel made {requests} Cluster Launch Control requests"
#define HELP_REQUESTS \
    "solve this lab without try_cancel: a later one is about it"

#define WHAT_NO_STEAL "no block index was stolen, though blocks were pending"
#define EXPECTED_STEALS \
    "of {grid} blocks, {fit} fit on the device; the rest are stolen by them"
#define ACTUAL_STEALS "{started} blocks were started; {requests} requests"

#define EXPECTED_PROLOGUE "the prologue once in each started block"
#define ACTUAL_PROLOGUE "{times} times in block {block}"

#define WHAT_PLAN                                                      \
    "{name} chose {chosen} {chosen|block|blocks} for n = {elements}, " \
    "threads_per_block = {threads}, sm_count = {sms}, blocks_per_sm = {fit}"
#define EXPECTED_PLAN \
    "blocks = {blocks}, that is n / threads_per_block rounded up"
#define EXPECTED_PERSISTENT                                   \
    "blocks = {blocks}: what fits on the device (sm_count * " \
    "blocks_per_sm), or less where there is less work"
#define ACTUAL_PLAN "blocks = {chosen}"
#define WHAT_NOT_SET "{name} set no number of blocks"
#define HELP_NOT_SET "return a LaunchPlan with its field blocks set"

const CaseWords words_judged[] = {
    {CASE_LAUNCH_PLAN_NOT_SET, .WHAT = WHAT_NOT_SET, .EXPECTED = EXPECTED_PLAN,
     .ACTUAL = ACTUAL_PLAN, .HELP = HELP_NOT_SET},
    {CASE_LAUNCH_PLAN_NOT_SET_PERSISTENT, .WHAT = WHAT_NOT_SET,
     .EXPECTED = EXPECTED_PERSISTENT, .ACTUAL = ACTUAL_PLAN,
     .HELP = HELP_NOT_SET},
    {CASE_LAUNCH_PLAN_OTHER_NUMBER, .WHAT = WHAT_PLAN,
     .EXPECTED = EXPECTED_PLAN, .ACTUAL = ACTUAL_PLAN,
     .HELP = "one thread an element: (q.n + q.threads_per_block - 1) / "
             "q.threads_per_block"},
    {CASE_LAUNCH_PLAN_ROUNDED_DOWN, .WHAT = WHAT_PLAN,
     .EXPECTED = EXPECTED_PLAN, .ACTUAL = ACTUAL_PLAN,
     .HELP = "round up, so that the elements behind the last full block have "
             "a block too"},
    {CASE_LAUNCH_PLAN_PERSISTENT, .WHAT = WHAT_PLAN,
     .EXPECTED = EXPECTED_PERSISTENT, .ACTUAL = ACTUAL_PLAN,
     .HELP = "Two numbers: what fits, q.sm_count * q.blocks_per_sm, and q.n / "
             "q.threads_per_block rounded up. Take the smaller one."},
    {CASE_LAUNCH_PLAN_NEVER_ENDS, .WHAT = "{name} did not come to an end",
     .HELP = "look for a loop that never ends"},
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
    {CASE_TECHNIQUE_FIXED, .WHAT = WHAT_OTHER_WRITER, .EXPECTED = ASKS_FIXED,
     .HELP = "compute the index once, from blockIdx.x, blockDim.x and "
             "threadIdx.x"},
    {CASE_TECHNIQUE_PERSISTENT, .WHAT = WHAT_OTHER_WRITER,
     .EXPECTED = ASKS_PERSISTENT,
     .HELP = "start at blockIdx.x * blockDim.x + threadIdx.x and advance by "
             "gridDim.x * blockDim.x"},
    {CASE_TECHNIQUE_STEALS, .WHAT = WHAT_OTHER_WRITER,
     .EXPECTED = "a block processes its own block index, and those that its "
                 "requests were granted",
     .HELP = "get further indices from try_cancel's answers only: no atomic "
             "counter, no stride"},
    {CASE_TECHNIQUE_FIXED_REQUESTS, .WHAT = WHAT_REQUESTS,
     .EXPECTED = ASKS_FIXED, .HELP = HELP_REQUESTS},
    {CASE_TECHNIQUE_PERSISTENT_REQUESTS, .WHAT = WHAT_REQUESTS,
     .EXPECTED = ASKS_PERSISTENT, .HELP = HELP_REQUESTS},
    {CASE_TECHNIQUE_NO_GRANT, .WHAT = WHAT_NO_STEAL,
     .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
     .HELP = "each block must ask again after a grant, until it is refused, "
             "and while blocks are still pending"},
    {CASE_TECHNIQUE_NO_REQUEST, .WHAT = WHAT_NO_STEAL,
     .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
     .HELP = "ask for a pending block with {try_cancel} before the block's own "
             "work"},
    {CASE_TECHNIQUE_NO_MULTICAST_REQUEST, .WHAT = WHAT_NO_STEAL,
     .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
     .HELP = "ask for a pending cluster, for all blocks of yours "
             "({multicast}), before the block's own work"},
    {CASE_TECHNIQUE_FEW_IN_FLIGHT,
     .WHAT = "no block had {limit} requests in flight at once: at most "
             "{requests}",
     .EXPECTED = "{limit} requests of a block under way at once",
     .ACTUAL = "{requests}",
     .HELP = "make {limit} requests, each with a slot of its own, before any "
             "thread waits for an answer"},
    {CASE_TECHNIQUE_NOT_BALANCED,
     .WHAT = "the work is not balanced: in modelled time the last place for a "
             "block ends at {ratio}% of the places' mean end",
     .EXPECTED = "at most {limit}%", .ACTUAL = "{ratio}%",
     .HELP = "An index that is granted is a promise to process it. Ask for "
             "the next one when it is about to be needed, and not long "
             "before."},
    {CASE_TECHNIQUE_DOES_NOT_YIELD,
     .WHAT = "a kernel of higher priority that arrives at modelled cycle "
             "{cycle} waits {cycles} cycles for the device",
     .EXPECTED = "at most {limit}% of the mean time of a block index",
     .ACTUAL = "{ratio}%",
     .HELP = "When a request is refused, finish what was granted, and exit. "
             "What was granted and not begun is what the other kernel waits "
             "for: keep it short."},
    {CASE_PROLOGUE_NEVER, .WHAT = "block {block} never called compute_scalar()",
     .EXPECTED = EXPECTED_PROLOGUE, .ACTUAL = ACTUAL_PROLOGUE,
     .HELP = "call it once in each started block, before the block's work"},
    {CASE_PROLOGUE_REPEATED,
     .WHAT = "a thread of block {block} called compute_scalar() {times} times",
     .EXPECTED = EXPECTED_PROLOGUE, .ACTUAL = ACTUAL_PROLOGUE,
     .HELP = "call it once, before the loop over block indices, and keep its "
             "value"},
    {CASE_PROLOGUE_MANY_STARTED,
     .WHAT = "{started} blocks were started, and each paid for the prologue",
     .EXPECTED = "at most {fit}: as many as fit on the device",
     .ACTUAL = "{started} started, {stolen} stolen",
     .HELP = "blocks should go on stealing until they are refused, so that no "
             "pending block needs to be started"},
};
EACH_CASE_HAS_WORDS(words_judged, JUDGED_CASE_COUNT);
