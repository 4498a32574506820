// SPDX-License-Identifier: Apache-2.0
// What is wrong, in one clause, for each reason that is a root: a report begins
// with it. What was found then follows as evidence. A reason that only guesses,
// or that the case has said itself, has none: the report begins with what
// happened. A root that names a fact which a case lacks is not told of it.
#include "words/catalogue.h"

const char *const words_roots[FINDING_REASON_COUNT] = {
    [REASON_BEGAN_WITH_PARITY_1] =
        "the wait for the answer is over at once: it begins with parity 1, and "
        "no phase had completed",
    [REASON_PARITY_NOT_FLIPPED] =
        "the parity was not flipped: the wait before this was for a phase that "
        "was over already",
    [REASON_PARITY_FLIPPED_EARLY] =
        "the parity was flipped before this mbarrier had completed a phase: "
        "the wait for it is over at once",
    [REASON_ANOTHER_BLOCK_ASKED] =
        "more than one block of the cluster asks, and each answer comes to the "
        "same slot of all of them",
    [REASON_ANOTHER_THREAD_ASKED] =
        "more than one thread asks, and all their answers come to one slot",
    [REASON_SEVERAL_ARRIVE] =
        "more threads than one come to this arrival, and each announces bytes",
    [REASON_EACH_ROW_ARRIVES] =
        "threadIdx.x == 0 holds in each row of the block: one thread of every "
        "row arrives",
    [REASON_NULL_POINTER] = "{thread} goes through a pointer that is null",
    [REASON_HOST_POINTER] =
        "{thread} goes through a pointer to memory of the host, which the "
        "kernel does not have",
    [REASON_NULL_FUNCTION] =
        "{thread} calls through a function pointer that is null",
    [REASON_NOT_COOPERATIVE] =
        "the grid synchronises, and was not launched for it",
    [REASON_ANSWER_NOT_ANNOUNCED] =
        "bytes of an answer came to mbarrier {mbarrier}, and nobody has "
        "announced them: phase {count} cannot complete",
    [REASON_COPY_NOT_ANNOUNCED] =
        "bytes of a copy came to mbarrier {mbarrier}, and nobody has announced "
        "them: phase {count} cannot complete",
    [REASON_NOT_MULTICAST] =
        "the request was not multicast: its answer comes to the block that "
        "asked alone, and {thread} waits for it in another one",
    [REASON_NO_ANSWER_BRINGS_BYTES] =
        "{bytes} bytes are announced at mbarrier {mbarrier}, and no answer "
        "brings them",
    [REASON_NOTHING_BRINGS_BYTES] =
        "{bytes} bytes are announced at mbarrier {mbarrier}, and nothing that "
        "is under way brings them",
    [REASON_MORE_ANNOUNCED] =
        "{bytes} more bytes are announced at mbarrier {mbarrier} than its "
        "copies bring",
    [REASON_FEWER_ANNOUNCED] =
        "fewer bytes are announced than the copies bring: the phase was "
        "complete before all had come",
    [REASON_NEVER_ASKED] =
        "{bytes} bytes are announced at mbarrier {mbarrier}, and nobody has "
        "asked for anything that brings them",
    [REASON_SOME_DO_NOT_ARRIVE] =
        "{pending} of the {expected} arrivals that phase {count} of mbarrier "
        "{mbarrier} is made for never come",
    [REASON_GONE_PAST_ARRIVAL] =
        "{pending} {pending|warp never arrives|warps never arrive} at mbarrier "
        "{mbarrier}, which waits for {expected} arrivals a phase: all the "
        "others have arrived",
    [REASON_EXPECTS_WITHOUT_ARRIVAL] =
        "the bytes of phase {count} of mbarrier {mbarrier} were announced and "
        "have come, but nobody arrives there",
    [REASON_NOBODY_HAS_ARRIVED] =
        "nobody has ever arrived at mbarrier {mbarrier}, and {thread} waits "
        "for its phase {phase}",
    [REASON_POLLS] = "{thread} polls memory that nobody changes any more",
    [REASON_BLOCKS_PENDING] =
        "{thread} waits for a block that cannot start before this one ends",
    [REASON_ELEMENT_NOT_WRITTEN] =
        "{thread} reads an element of its local array that it has not written",
    [REASON_GAVE_UP] =
        "a thread stopped waiting for a phase before it was complete",
    [REASON_PARITY_AHEAD] =
        "the parity of this wait is one phase ahead of mbarrier {mbarrier}: "
        "{thread} has not waited for the phase before",
    [REASON_PARITY_KEPT] =
        "{thread} has not flipped the parity since its last wait at mbarrier "
        "{mbarrier}, or twice",
    [REASON_COUNT_TOO_SMALL] =
        "mbarrier {mbarrier} is made for {expected} "
        "{expected|arrival|arrivals} a phase, and more come: they take turns "
        "in its phases",
    [REASON_ANOTHER_SLOT] =
        "{other} waits for the answer of one slot, and reads that of another, "
        "which it has given back",
    [REASON_NOBODY_WAITS] =
        "{other} arrives at an mbarrier behind its read, and no thread waits "
        "at that one before the slot is used again",
    [REASON_ONE_FOR_ALL_SLOTS] =
        "arrivals for several slots come to the mbarrier of one of them, and "
        "complete its phases too early",
    [REASON_NOT_AMONG_ARRIVED] =
        "the thread that asks again waits for arrivals, and the reader is not "
        "among those that arrive",
    [REASON_LAPPED] =
        "{thread} was lapped: phase {phase} of mbarrier {mbarrier}, which it "
        "waits for, came and went meanwhile",
    [REASON_ARRIVED_TWICE] =
        "a warp arrived twice at this barrier, in place of one that has not "
        "come",
    [REASON_BARRIER_SHARED] =
        "other warps came to this barrier than the last time it was complete",
    [REASON_BARRIER_AGAIN] =
        "some warps come to this barrier again, and others do not",
    [REASON_PASSED_BY] =
        "{thread} waits at a barrier that other threads never come to: they "
        "have gone round it",
    [REASON_REFUSED] =
        "the last request was refused, and all threads that are left wait for "
        "another answer (phase {phase} of mbarrier {mbarrier})",
    [REASON_ARRIVED_APART] =
        "{pending} of the {expected} arrivals that phase {count} of mbarrier "
        "{mbarrier} is made for come to that of another block, where nobody "
        "waits",
    [REASON_BROUGHT_APART] =
        "bytes are announced at one mbarrier of the block, and come to another "
        "one",
    [REASON_OTHERS_ARE_MADE] =
        "mbarrier {mbarrier} is used and not initialised, though others beside "
        "it are",
    [REASON_NEVER_MADE] =
        "block {block} never makes its mbarrier: no thread of it can still "
        "come to {init}",
    [REASON_ASK_FIRST] =
        "nobody asks or arrives for phase {phase} of mbarrier {mbarrier}: all "
        "threads that are left wait for it",
    [REASON_NOT_BEGUN] =
        "phase {phase} of mbarrier {mbarrier} never begins: whoever should ask "
        "or arrive for it waits elsewhere, or has left",
    [REASON_RELAXED_WAIT] =
        "the wait between the two is relaxed: it orders nothing behind it",
    [REASON_CLUSTER_BARRIER_RELAXED] =
        "the cluster barrier between {init} and this is relaxed: it does not "
        "hand the mbarrier over",
    [REASON_BARRIER_RELAXED] =
        "the cluster barrier between the two is relaxed: it orders nothing",
    [REASON_ANNOUNCED_LATE] =
        "the bytes are announced behind the arrival that completes the phase",
    [REASON_ARRIVED_EARLY] =
        "{other} arrives before it has made its access, and whoever waits for "
        "the arrival goes on",
    [REASON_WARP_ARRIVED_EARLY] =
        "one lane arrives for the warp of {other} before that one has made its "
        "access",
    [REASON_ARRIVED_ALONE] =
        "one lane arrives for its warp, and has not met {other} since its "
        "access",
    [REASON_RELEASED_FIRST] =
        "{thread} tells {other} to go on before it has made its own access",
    [REASON_RELAXED_ARRIVAL] =
        "the arrival behind the earlier access is relaxed: it orders nothing "
        "before it",
    [REASON_PROXY_FENCE_ALONE] =
        "a proxy fence stands where a release is needed: it publishes nothing",
    [REASON_FLAG_RELAXED] =
        "the flag between the two is set and seen by relaxed accesses: they "
        "order nothing else",
    [REASON_FLAG_NOT_RELEASED] =
        "the flag is set by a relaxed access, with no fence in front of it",
    [REASON_FLAG_NOT_ACQUIRED] =
        "the flag is seen by a relaxed load, with no fence behind it",
    [REASON_HALVES_SWAPPED] =
        "the two halves of the proxy fence have changed places",
    [REASON_ONLY_ACQUIRED] =
        "the proxy fence is acquired, and the reader has not released it",
    [REASON_READER_LEFT] =
        "{other} has left the kernel, and other threads of its block go on to "
        "the next index",
    [REASON_RELEASED_ELSEWHERE] =
        "the releasing half of the proxy fence is not between the read and the "
        "barrier",
    [REASON_ACQUIRED_ELSEWHERE] =
        "the acquiring half of the proxy fence is not between the barrier and "
        "the request",
    [REASON_OTHER_MBARRIER] =
        "the reader waits at another mbarrier than the one that this answer "
        "completes",
    [REASON_SAME_ADDRESS] =
        "the threads of a block come to one element: the index of the thread "
        "is not in its address",
    [REASON_ZERO_GOES_ON] =
        "a refusal leaves 0 behind, and 0 lets the block go on: it is the "
        "index of a block like any other",
    [REASON_NO_WAY_OUT] =
        "nothing leads out of the loop that asks, whatever an answer says: the "
        "block asks again after a refusal",
    [REASON_ONE_OF_SEVERAL] =
        "of the answers that came together one is a refusal and another a "
        "grant, and the block goes on asking",
    [REASON_WAITS_WHILE_OVER] =
        "the loop goes on while its wait is true: the phase is complete, and "
        "stays so",
    [REASON_LOOP_KEEPS] =
        "{thread} goes round a loop for ever: nothing in a round changes what "
        "its condition looks at",
    [REASON_LEFT_UNSET] =
        "where its predicate is false, a register still holds what it held "
        "before, such as the index of the grant before",
    [REASON_ASKED_ALREADY] =
        "is_canceled said that nothing was granted, and the index is used all "
        "the same",
    [REASON_OWN_INDEX_LEFT_OUT] =
        "blocks never process the index that they were started with",
    [REASON_LAST_INDEX_LEFT_OUT] =
        "blocks leave without processing the last index that they were granted",
    [REASON_INDEX_LED_ELSEWHERE] =
        "blocks take an index and go on, and store nothing to its "
        "elements",
    [REASON_LEFT_WITH_INDICES] =
        "blocks take indices that they have not processed when they leave",
    [REASON_AT_TWO_PLACES] =
        "blocks process an index at one place, and the same one again at "
        "another",
    [REASON_INDEX_MULTIPLIED] =
        "the index of an answer is multiplied by the blocks of a cluster, and "
        "leads to other elements",
    [REASON_SAME_INDEX_AGAIN] =
        "blocks process their own elements again, where they should go on to "
        "others",
    [REASON_INDEX_CUT] =
        "a block's index is kept in a type that it does not fit in",
    [REASON_HELD_IN_ONE_PLACE] =
        "blocks take another index before they have begun the one they hold, "
        "and lose it",
    [REASON_ZERO_IS_AN_INDEX] =
        "a block that was granted nothing processes block 0",
    [REASON_HANDED_OVER_LOOSELY] =
        "the index is handed over by accesses that order nothing",
    [REASON_THREADS_LEFT] =
        "threads left the kernel, and their elements of the blocks that their "
        "block took later are left out",
    [REASON_ONE_REQUEST_A_PLACE] =
        "each block of a cluster asks for itself, and each request takes a "
        "whole cluster",
    [REASON_SECOND_LAUNCH] =
        "the first launch of this kernel was right, and the second one is not",
};
