// SPDX-License-Identifier: Apache-2.0
// The texts of CLC001 to CLC011: requests, their answers and slots.
#include "words/catalogue.h"

#define MISSING_CLC007                                                   \
    "a completed wait for the answer's phase before this read, in this " \
    "thread or in one that a barrier joins to it"

#define MISSING_IN_READER                                                 \
    "the releasing half of a proxy fence behind the read, in the thread " \
    "that read"

#define MISSING_CLC011 \
    "a cluster barrier between that block's {init} and this request"

#define HELP_CLC004                                                     \
    "wait for every request, and look at its answer, before the block " \
    "exits: an answer may be a grant, and then its work is lost"

#define MISSING_CLC004 "a wait for the answer before the exit"

#define HELP_CLC008                                                        \
    "pass all 16 bytes to query_cancel: is_canceled says whether a block " \
    "was granted, get_first_ctaid which one; their layout is not for "     \
    "programs, and may differ from card to card"

#define WHAT_CLC009                                                        \
    "block {block} was granted to the request of thread {index} of block " \
    "{owner}, and nobody decoded its index: its work is lost"

#define EXPECTED_CLC009 "is_canceled, then get_first_ctaid, of every answer"

#define EXPECTED_CLC009_PART                                              \
    "each thread that used the index of its own block uses each granted " \
    "one, along each axis that the grid has"

#define HELP_CLC009                                            \
    "look at every answer: when is_canceled is true, process " \
    "get_first_ctaid before the block exits or asks again"

#define HELP_CLC010                                                        \
    "give each request that is under way a slot of its own, and wait for " \
    "it before the slot is used again"

#define HELP_CLC011                                                     \
    "put a cluster barrier (cluster_group::sync()) between {init} and " \
    "the first request"

CASE_WORDS(
    CLC001_AFTER_REFUSAL,
    .WHAT = "{thread} requests a cancellation after its block has observed a "
            "refusal",
    .HELP = "a refusal is final for the block: leave the loop and exit; the "
            "blocks still pending are launched");
CASE_WORDS(
    CLC001_NOT_TOLD,
    .WHAT = "{thread} requests a cancellation after its block has observed a "
            "refusal",
    .ACTUAL = "nothing orders this request before or behind the look at that "
              "answer",
    .HELP = "the thread that asks could not know: another one looked in "
            "between. A phase completes with its last arrival: send every "
            "request of a round before that arrival (or arrivals), or let who "
            "looks tell who asks, by a barrier");
CASE_WORDS(
    CLC002_USED, .WHAT = "{thread} uses the index of a refused answer {use}",
    .HELP = "ask is_canceled first, and leave the loop on a refusal before "
            "the index is used");
CASE_WORDS(
    CLC002_DECODED,
    .WHAT = "{thread} decodes the index of a refused answer, and does not use "
            "it",
    .HELP = "decode the index only after is_canceled said yes: for a refusal "
            "it is undefined");
CASE_WORDS(
    CLC003_NEIGHBOUR_EXITED,
    .WHAT = "{thread} issues a multicast request when block {block} of its "
            "cluster has exited",
    .MISSING = "a cluster barrier between this request's answer and that "
               "block's exit",
    .HELP = "leave the loop in all CTAs of the cluster in the same iteration: "
            "they all receive the same answer");
CASE_WORDS(
    CLC004_IN_FLIGHT,
    .WHAT = "block {block} exits while the answer of {request} is on its way "
            "to its shared memory",
    .MISSING = MISSING_CLC004, .HELP = HELP_CLC004);
CASE_WORDS(CLC004_NOT_AWAITED,
           .WHAT =
               "block {block} exits, and no thread of it has waited for the "
               "answer of {request}: it came in time by luck",
           .MISSING = MISSING_CLC004, .HELP = HELP_CLC004);
CASE_WORDS(
    CLC005_SLOT_OUTSIDE,
    .WHAT = "{thread} requests a cancellation with an answer slot outside the "
            "block's own shared memory",
    .HELP = "declare the slot __shared__, 16 bytes, in the block that asks (a "
            "neighbour gets its copy by multicast)");
CASE_WORDS(
    CLC005_SLOT_OVERRUN,
    .WHAT = "{thread} requests a cancellation into a slot outside {name}, "
            "which has {size} bytes, 16 for each slot",
    .HELP = "check the index that is used here against the number of slots: "
            "each request under way has a slot of its own, from 0 on");
CASE_WORDS(
    CLC005_SLOT_GENERIC,
    .WHAT = "{thread} requests a cancellation with an answer slot outside the "
            "block's own shared memory",
    .HELP = "name the space in the request (try_cancel.async.shared::cta): "
            "without it both operands are generic addresses; and declare the "
            "slot __shared__ in the block that asks");
CASE_WORDS(
    CLC005_SWAPPED,
    .WHAT = "{thread} requests a cancellation with an mbarrier in place of "
            "the answer's slot",
    .HELP = "the address of the slot comes first, and that of the mbarrier "
            "behind it");
CASE_WORDS(
    CLC005_SLOT_UNALIGNED,
    .WHAT = "{thread} requests a cancellation with an answer slot that is not "
            "aligned to 16 bytes",
    .HELP = "declare the slot as uint4, or with alignas(16)");
CASE_WORDS(CLC005_MBARRIER_OUTSIDE,
           .WHAT =
               "{thread} requests a cancellation with an mbarrier outside the "
               "block's own shared memory",
           .HELP = "declare the mbarrier __shared__ in the block that asks");
CASE_WORDS(CLC005_MBARRIER_UNALIGNED,
           .WHAT =
               "{thread} requests a cancellation with an mbarrier that is not "
               "aligned to 8 bytes",
           .HELP = "declare the mbarrier as uint64_t");
CASE_WORDS(
    CLC005_MBARRIER_UNORDERED,
    .WHAT = "{thread} requests a cancellation with an mbarrier whose init "
            "nothing orders before it",
    .HELP = "put a barrier of the block (__syncthreads()) between {init} and "
            "the first request of another thread");
CASE_WORDS(CLC005_MBARRIER_NOT_MADE,
           .WHAT =
               "{thread} requests a cancellation with an mbarrier that nobody "
               "has initialised",
           .HELP = "run {init} in one thread, and a barrier of the block "
                   "(__syncthreads()) before the first request");
CASE_WORDS(
    CLC005_MBARRIER_ENDED,
    .WHAT = "{thread} requests a cancellation with an mbarrier that is no "
            "longer valid",
    .HELP = "mbarrier.inval ends the life of an mbarrier: run it behind the "
            "loop, when no request is made any more, or leave it out");
CASE_WORDS(
    CLC006_PAST_OTHERS,
    .WHAT = RACE "nothing orders the read before the request",
    .MISSING = "a barrier between the read and this request, and a fence "
               "between the proxies",
    .HELP = "every thread that reads has to arrive itself, or to meet the one "
            "that arrives for it: __syncwarp() between the reads of a warp "
            "and its lane's arrival");
CASE_WORDS(
    CLC006_UNORDERED, .WHAT = RACE "nothing orders the read before the request",
    .MISSING = "a barrier between the read and this request, and a fence "
               "between the proxies",
    .HELP = "put a barrier (in a block __syncthreads(), in a cluster "
            "cluster_group::sync()) between the reads of an answer and the "
            "next request: behind the releasing half of the proxy fence, and "
            "in front of the acquiring half");
CASE_WORDS(
    CLC006_FENCE_OF_CTA,
    .WHAT = RACE "{order}: it covers the shared memory of its own CTA, and "
                 "this slot is in another one",
    .MISSING = MISSING_IN_READER,
    .HELP = "each reader runs {releasing_fence} after its reads; then comes a "
            "barrier; then the thread that asks runs {acquiring_fence} in "
            "place of its fence. ({cluster_fence} there would cover the slot, "
            "and lack the readers' part as well)");
CASE_WORDS(
    CLC006_FULL_FENCE,
    .WHAT = RACE "{order}: it covers this slot, but no text says that it is "
                 "enough for a read in another CTA",
    .MISSING = MISSING_IN_READER,
    .HELP = "let it stand, or put {acquiring_fence} in its place, and let "
            "each reader run {releasing_fence} after its reads, in front of "
            "the barrier");
CASE_WORDS(
    CLC006_NOT_ACQUIRED,
    .WHAT = RACE "no proxy fence orders the read before the next answer",
    .MISSING = "the acquiring half of a proxy fence, in the thread that asks",
    .HELP = "the read is released; the thread that asks has to acquire it, "
            "behind the barrier and before the request: {acquiring_fence}");
CASE_WORDS(CLC006_NO_FENCE,
           .WHAT = RACE "no proxy fence orders the read before the next answer",
           .MISSING = MISSING_IN_READER,
           .HELP =
               "each reader runs {releasing_fence} after its reads and before "
               "the barrier; behind the barrier, the thread that asks runs the "
               "acquiring half");
CASE_WORDS(
    CLC006_RELAXED,
    .WHAT = RACE "only a proxy fence and a relaxed arrival (or a relaxed "
                 "store) order the read before the next answer",
    .MISSING = "a release, at the arrival behind the proxy fence",
    .HELP = "let the arrival release (.release is what an arrival without a "
            "word does); NVIDIA's own libraries do, and only the barrier of a "
            "cluster is relaxed in the manual's example");
CASE_WORDS(CLC007_NOT_SEEN,
           .WHAT = RACE "the reader has not seen its mbarrier phase complete",
           .MISSING = MISSING_CLC007, .HELP = HELP_WAIT);
CASE_WORDS(
    CLC007_NOT_OBSERVED,
    .WHAT = "{thread} reads the answer of a request before its mbarrier phase "
            "was observed complete",
    .MISSING = MISSING_CLC007, .HELP = HELP_WAIT);
CASE_WORDS(
    CLC007_NOBODY_WROTE,
    .WHAT = "{thread} reads {bytes} bytes of {memory} that nobody has written",
    .ACTUAL = "the slot of an answer, before any answer came",
    .MISSING = MISSING_CLC007, .HELP = HELP_WAIT);
CASE_WORDS(CLC007_NO_ANSWER,
           .WHAT = "{thread} queries 16 bytes that are no answer of a request",
           .MISSING = MISSING_CLC007,
           .HELP =
               "load the 16 bytes from the slot of a request whose mbarrier "
               "phase is complete, and leave them as they are");
CASE_WORDS(CLC007_NO_ANSWER_YET,
           .WHAT = "{thread} queries 16 bytes that are no answer of a request",
           .MISSING = MISSING_CLC007, .HELP = HELP_WAIT);
CASE_WORDS(CLC008_IN_AN_ADDRESS,
           .WHAT = "{thread} uses the opaque bytes of an answer in an address",
           .HELP = HELP_CLC008);
CASE_WORDS(CLC008_COMPARED,
           .WHAT = "{thread} compares the opaque bytes of an answer",
           .HELP = HELP_CLC008);
CASE_WORDS(CLC008_CHANGED,
           .WHAT = "{thread} changes the opaque bytes of an answer",
           .HELP = HELP_CLC008);
CASE_WORDS(CLC008_COMPUTED,
           .WHAT = "{thread} computes with the opaque bytes of an answer",
           .HELP = HELP_CLC008);
CASE_WORDS(CLC009_NOT_TAKEN, .WHAT = WHAT_CLC009, .EXPECTED = EXPECTED_CLC009,
           .ACTUAL =
               "is_canceled said yes, and get_first_ctaid was not asked (or "
               "nobody uses its result, and the compiler left it out)",
           .HELP = HELP_CLC009);
CASE_WORDS(CLC009_NOT_ASKED, .WHAT = WHAT_CLC009, .EXPECTED = EXPECTED_CLC009,
           .ACTUAL =
               "nobody asked is_canceled: the answer was not looked at (or "
               "what it says decides nothing, and the compiler left it out)",
           .HELP = HELP_CLC009);
CASE_WORDS(
    CLC009_NOT_USED,
    .WHAT = "block {block} was granted to the request of thread {index} of "
            "block {owner}; its index was decoded, and nobody used it",
    .EXPECTED = "every granted block is processed: it is never launched",
    .ACTUAL = "the index went into no address, store, branch or call",
    .HELP = "if the work of that block counts, nobody does it now: decide "
            "whether to go on before the request. A block that is not asked "
            "for stays in the queue, and is launched");
CASE_WORDS(
    CLC009_IN_PART_LEFT,
    .WHAT = "{count} of {threads} threads left before block {block} was taken "
            "over, which was granted to block {owner}: it is done in part",
    .EXPECTED = EXPECTED_CLC009_PART,
    .ACTUAL = "these threads worked on the index of their own block, and left "
              "while others still worked on the granted one",
    .HELP = "hand what the answer says, the refusal as well as the index, to "
            "all threads of the block: let each decode it, or pass it on "
            "through shared memory and a barrier. A shuffle reaches one warp");
CASE_WORDS(
    CLC009_IN_PART_KEPT,
    .WHAT = "{count} of {threads} threads of block {owner} do not use the "
            "index of block {block}, which was granted to it: it is done in "
            "part",
    .EXPECTED = EXPECTED_CLC009_PART,
    .ACTUAL = "these threads worked on the index of their own block, and not "
              "on the granted one",
    .HELP = "hand the index to all threads of the block: let each decode the "
            "answer, or pass the index on through shared memory and a barrier");
CASE_WORDS(
    CLC009_IN_PART_AXIS,
    .WHAT = "{count} of {threads} threads of block {owner} work on block "
            "{block}, which was granted to it, and do not use its {text}: it "
            "is done in part",
    .EXPECTED = EXPECTED_CLC009_PART,
    .ACTUAL = "where they work on it, the {text} is that of their own block",
    .HELP = "decode each axis that the grid has: get_first_ctaid::x, ::y and "
            "::z; the index along an axis changes with each answer");
CASE_WORDS(CLC010_SLOT_IN_FLIGHT,
           .WHAT =
               "{thread} requests a cancellation into a slot of block {block} "
               "whose earlier answer is still on its way",
           .HELP = HELP_CLC010);
CASE_WORDS(CLC010_SLOT_NOT_AWAITED,
           .WHAT =
               "{thread} requests a cancellation into a slot of block {block} "
               "whose earlier answer nobody has waited for",
           .HELP = HELP_CLC010);
CASE_WORDS(
    CLC010_EARLY_PHASE,
    .WHAT = "a phase of the mbarrier of block {block} completed before the 16 "
            "bytes of this request's answer arrived",
    .EXPECTED = "{arrive_expect_tx} of 16 bytes for each request, in the "
                "phase that waits for it",
    .HELP = "announce the bytes with {arrive_expect_tx} (16 a request), and "
            "give {init} as its count the arrivals of a phase");
CASE_WORDS(CLC011_UNORDERED,
           .WHAT =
               "{thread} issues a multicast request that nothing orders after "
               "the {init} of block {block} of its cluster",
           .MISSING = MISSING_CLC011, .HELP = HELP_CLC011);
CASE_WORDS(
    CLC011_NOT_MADE,
    .WHAT = "{thread} issues a multicast request before block {block} of its "
            "cluster has initialised its mbarrier",
    .MISSING = MISSING_CLC011, .HELP = HELP_CLC011);

ALL_CASE_WORDS(words_clc, CLC_CASES);
