// SPDX-License-Identifier: Apache-2.0
// What is at a place that belongs to a finding, in the order of the list of
// places: a clause each, with facts of its own or of the finding.
#include "words/catalogue.h"

// Of what is known of a block index that was not processed once.
#define GIVEN "block {block} was given to a request of block {asker}"
#define BY_ONE                                                             \
    "the elements of block {block} were processed {times} times by block " \
    "{owner} alone{standing}"

#define MADE_FOR                                                        \
    "the mbarrier that the asking thread waited for is made here, for " \
    "{expected} {expected|arrival|arrivals} a phase. They came "

const char *const words_places[FINDING_PLACE_COUNT] = {
    [PLACE_EARLIER_ISSUED] = "the earlier access: {earlier} was issued here",
    [PLACE_EARLIER_WRITE] = "the earlier access: {earlier} wrote here",
    [PLACE_EARLIER_READ] = "the earlier access: {earlier} read here",
    [PLACE_PARITY_FROM] = "the parity of that wait is set here",
    [PLACE_PARITY_FIXED] = "the parity of that wait is the same in each round: "
                           "it is never flipped, or twice in a round",
    [PLACE_RELAXED_WAIT] = "the wait, which is relaxed",
    [PLACE_OTHER_WAIT] = "the reader waited here, at another mbarrier",
    [PLACE_MBARRIER_ENDED] = "the mbarrier's life ended here",
    [PLACE_ARRIVED] = "the last arrival before was made here, by {other}",
    [PLACE_LAPPED_BY] =
        "{thread} was lapped: {count} phases have completed that it did not "
        "see, and phase {phase}, the last of them, had its last arrival here, "
        "by {other}",
    [PLACE_LAPPED_AT] = "{thread} was here when that phase was complete",
    [PLACE_THREADS_LEFT] =
        "{threads} {threads|thread|threads} of block {block} "
        "{threads|has|have} left the kernel, the last from "
        "here",
    [PLACE_BARRIER_BEFORE] =
        "barrier {number} was last complete with {arrived} threads of "
        "{count|warp|warps} {came}, the last arrival being here; now "
        "{times|warp|warps} {come} {times|has|have} come",
    [PLACE_DECIDED] = "whether a thread comes to that barrier is decided here",
    [PLACE_WAITED_BEFORE] =
        "for an earlier answer, the block waited at this mbarrier here",
    [PLACE_WAIT_OVER] = "this wait is over each time",
    [PLACE_LOOP_DECIDED] = "what can end the loop is set here",
    [PLACE_WAIT_DECIDED] =
        "whether a thread comes to that wait is decided here",
    [PLACE_GONE_PAST] = "the others arrive, and {thread} does not: that is "
                        "decided here",
    [PLACE_INIT_DECIDED] = "whether a thread comes to {init} is decided here",
    [PLACE_ARRIVED_APART] = "{other} arrived here at its own block's mbarrier, "
                            "where nobody waits",
    [PLACE_NAMES_OTHER] = "this request names mbarrier {mbarrier}",
    [PLACE_WAITED_FOR] =
        "before it read the slot again, it waited here, at mbarrier {mbarrier}",
    [PLACE_ARRIVES_UNSEEN] = "behind its read it arrived here, at mbarrier "
                             "{mbarrier}, where no thread waits",
    [PLACE_ARRIVES_FOR_ALL] =
        "the last arrival at mbarrier {mbarrier} was made here",
    [PLACE_MADE_BESIDE] =
        "mbarrier {mbarrier}, which lies in front of it, is made here",
    [PLACE_NEVER_ARRIVED] = "mbarrier {mbarrier} is made here as well, and "
                            "nobody has arrived at it yet",
    [PLACE_ANNOUNCED_APART] =
        "bytes that nothing brings are announced here, at mbarrier {mbarrier}",
    [PLACE_ANNOUNCED] = "the bytes are announced here, behind the arrival",
    [PLACE_RELEASED_EARLY] =
        "released here, before the earlier access: {other} arrived at an "
        "mbarrier, and the later access comes behind that",
    [PLACE_RELEASED_FIRST] =
        "released here, before the later access: {other} arrived at an "
        "mbarrier, and the earlier thread had waited for that",
    [PLACE_ARRIVED_ALONE] =
        "{other} arrived at an mbarrier here, for threads that it had not met",
    [PLACE_RELAXED_ARRIVAL] =
        "{other} arrived at the mbarrier here, relaxed: that orders nothing",
    [PLACE_FLAG_SET] = "behind it {other} set a flag here",
    [PLACE_FLAG_SEEN] = "{thread} waited for that flag here",
    [PLACE_RELEASED_HERE] = "the releasing half of a proxy fence is here",
    [PLACE_ACQUIRED_HERE] = "the acquiring half of a proxy fence is here",
    [PLACE_FULL_FENCE] = "that fence is here",
    [PLACE_COMPLETE_EARLY] =
        "the mbarrier is waited for here. In its present phase {tx} bytes have "
        "come or are on their way that nobody has announced",
    [PLACE_STALE_WAIT] = "the wait, which was over at once",
    [PLACE_GIVEN_UP] = "the wait that is given up",
    [PLACE_REQUEST] = "the request was issued here",
    [PLACE_EARLIER_REQUEST] = "the earlier request, of thread {index} of block "
                              "{owner}, was issued here",
    [PLACE_NEXT_REQUEST] = "the next request into this slot was issued here",
    [PLACE_GRANT_SEEN] = "the grant was seen here",
    [PLACE_INDEX_DECODED] = "the index was decoded here",
    [PLACE_REFUSAL_SEEN] = "the refusal was observed here",
    [PLACE_ASKS_AGAIN] = "whether it asks again is decided here",
    [PLACE_LEFT_UNSET] = "this goes into it, and is executed only where its "
                         "predicate is true",
    [PLACE_REFUSAL_DECODED] = "the refused answer was decoded here",
    [PLACE_ANSWER_LOADED] = "the answer was loaded here",
    [PLACE_BLOCK_LEFT] = "the block left the kernel from here",
    [PLACE_PART_DONE] = "the others work on that block here",
    [PLACE_PART_LEFT] = "threads left the kernel from here",
    [PLACE_GONE_BEFORE] =
        "{threads} {threads|thread|threads} of block {owner} had left the "
        "kernel, the last from here, before it took block {block}",
    [PLACE_NEIGHBOUR_LEFT] = "that block left the kernel from here",
    [PLACE_MBARRIER_MADE] = "the mbarrier is made here",
    [PLACE_MADE_FOR_FEWER] =
        "the mbarrier is made here for {expected} {expected|arrival|arrivals} "
        "a phase. In its last two phases {count} warps arrived, and none of "
        "them in both",
    [PLACE_MADE_WITHOUT] = MADE_FOR "from other warps than that of {other}",
    [PLACE_MADE_WITHOUT_BLOCK] = MADE_FOR "from warps of other blocks than "
                                          "block {block}",
    [PLACE_INITIALISED] = "it was initialised here",
    [PLACE_ALLOCATED] = "it was allocated here",
    [PLACE_FREED] = "it was freed here",
    [PLACE_WAITS] = "{thread} waits {wait} here",
    [PLACE_WAIT_MANY] =
        "{threads} other threads wait {wait} here, such as {thread}",
    [PLACE_POLLED] = "its loop reads {memory} here in each round, and finds it "
                     "unchanged",
    [PLACE_POLLED_UNWRITTEN] = "its loop reads {memory} here in each round, "
                               "which nobody has written in this run",
    [PLACE_LAST_WRITTEN] = "it was last written here, by {other}",
    [PLACE_WENT_TO_WAIT] =
        "{thread} waits {wait} (line {line}), and went there from here "
        "({threads} {threads|thread|threads})",
    [PLACE_LANES] = "{threads} {threads|thread|threads} ({threads|lane|lanes} "
                    "{lanes}) {stand}",
    [PLACE_REGISTERS_HELD] =
        "{threads} {threads|thread|threads} hold {count} registers each, since "
        "here",
    [PLACE_BEYOND_GRID] = "block index {block} is beyond the grid of {blocks} "
                          "blocks: some block must loop over it as well",
    [PLACE_NOT_STARTED] =
        "block {block} was neither started nor given to a request",
    [PLACE_NOT_STORED] = "block {block} was started, but stored nothing to its "
                         "own elements{instead}",
    [PLACE_TAKEN] = GIVEN "; block {owner} took its index, but stored nothing "
                          "to its elements{instead}",
    [PLACE_TAKEN_AND_LOST] =
        GIVEN "; block {owner} took its index and then another one's, but "
              "stored nothing to its elements{instead}",
    [PLACE_OVERWRITTEN] = GIVEN ", and its index never taken: the next answer "
                                "came to the same slot first",
    [PLACE_ONLY_ASKED] =
        GIVEN ", and its index never taken: only is_canceled was asked",
    [PLACE_NOT_DECODED] = GIVEN ", and its index never taken: query_cancel "
                                "never saw the answer",
    [PLACE_NOT_TAKEN_AT_PLACE] =
        GIVEN " with its cluster; the block at place {rank} of the cluster "
              "that asked never took the index",
    [PLACE_BY_ONE] = BY_ONE,
    [PLACE_BY_ONE_LATE] = BY_ONE "; its answer was decoded again (line {line}) "
                                 "when a later one had come",
    [PLACE_BY_SEVERAL] =
        "the elements of block {block} were processed by {writers}",
    [PLACE_STORED_BEFORE] = "these elements were stored to before, here",
    [PLACE_READ_LOOSELY] =
        "the index is read from shared memory here, by a relaxed or volatile "
        "access, which orders nothing",
    [PLACE_WRITTEN_LOOSELY] = "it was written here, and nothing orders the two",
    [PLACE_ADDRESS_FROM] = "the address is computed from what is set here",
    [PLACE_VALUE_FROM] = "the value is computed from what is set here",
    [PLACE_NOT_STOPPED] =
        "the condition in front of it that did not lead away: `{text}`",
    [PLACE_LET_THROUGH] = "the condition that let it through: `{text}`",
    [PLACE_INDEX_CUT] = "only {count} bits are kept here of a number that the "
                        "block's index is in",
    [PLACE_NARROW_TYPE] = "a type of {count} bits is used here",
    [PLACE_STAGED] = "what the value is computed from was stored to shared "
                     "memory here",
    [PLACE_STAGED_FROM] = "what was stored there is computed from what is set "
                          "here",
    [PLACE_OTHER_STORED] = "the elements of block {block} were stored here",
    [PLACE_OWN_STORES] =
        "the elements of block {block} are stored here: is the "
        "index of the answer used for them?",
    [PLACE_OWNER_LEFT] = "block {owner} left the kernel from here",
    [PLACE_LAST_ASKED_FOR] =
        "block {block}, the last that it took, was asked for here",
    [PLACE_PROLOGUE] = "the prologue, compute_scalar(), is called here",
    [PLACE_SEVERAL_TIMES] = "block {block} was processed several times",
    [PLACE_ENDED_LAST] =
        "block {block} ended last, at cycle {cycle}. When the first place had "
        "no more work, at cycle {cycles}, it had {count} block "
        "{count|index|indices} still to finish: {still}. The last of them was "
        "asked for here",
    [PLACE_LEFT_LAST] =
        "block {block} left last. After the arrival it finished {count} more "
        "block {count|index|indices}: {still}. The last of them was asked for "
        "here",
    [PLACE_LAST_AND_IDLE] = "block {block} was the last, at cycle {cycle}, and "
                            "stored nothing after cycle {cycles}",
    [PLACE_NOT_IN_ORDER] =
        "no schedule that was tried shows it when blocks are launched and "
        "granted in the order of their index; that order is no promise",
    [PLACE_KEPT_VARIABLE] =
        "the variable {name} still holds what the first launch left in it",
};
