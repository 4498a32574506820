// SPDX-License-Identifier: Apache-2.0
// The texts of BAR001 to BAR004: mbarriers.
#include "words/catalogue.h"

#define HELP_COUNT "give a count of 1 to 1048575"

CASE_WORDS(BAR001_INIT_COUNT,
           .WHAT = "{thread} makes an mbarrier for {count} arrivals",
           .HELP = HELP_COUNT);
CASE_WORDS(BAR001_TX_RANGE,
           .WHAT =
               "{thread} takes the tx-count of an mbarrier to {tx}, out of its "
               "range (-1048575 to 1048575)",
           .HELP = "announce each byte once, in the phase that waits for it");
CASE_WORDS(
    BAR001_TOO_MANY_ARRIVALS,
    .WHAT = "{thread} arrives at an mbarrier whose phase has no arrival left "
            "(it expects {expected})",
    .HELP = "give {init} as its count the number of arrivals of a phase, or "
            "let fewer threads arrive");
CASE_WORDS(BAR001_ARRIVE_COUNT,
           .WHAT = "{thread} arrives {count} times at once at an mbarrier",
           .HELP = HELP_COUNT);
CASE_WORDS(BAR001_COMPLETES,
           .WHAT = "{thread} completes a phase with an {arrive_no_complete}",
           .HELP =
               "use {arrive} without .noComplete where the arrival may be the "
               "last of its phase");
CASE_WORDS(
    BAR001_PHASE_NOT_OVER,
    .WHAT = "{thread} arrives at an mbarrier of block {block}, and nothing "
            "tells its block that the phase before is over: the arrival may "
            "count for that one",
    .MISSING = "an arrival or a cluster barrier by a thread of block {block} "
               "that has waited for the phase before, and that this block has "
               "waited for",
    .HELP = "before the next phase of another block's mbarrier begins, let a "
            "thread of that block wait for this one and say so, at an mbarrier "
            "here or by a cluster barrier (cluster_group::sync())");
CASE_WORDS(
    BAR001_COPY_PENDING,
    .WHAT = "{thread} takes the pending count of an mbarrier over 1048575",
    .HELP = "use .noinc");
CASE_WORDS(BAR001_COPY_TX_RANGE,
           .WHAT =
               "the asynchronous operation that {thread} issued here takes the "
               "tx-count of an mbarrier of block {block} below -1048575",
           .HELP = "announce the bytes with {arrive_expect_tx}");
CASE_WORDS(
    BAR001_COPY_ARRIVES,
    .WHAT = "the asynchronous operation that {thread} issued here arrives at "
            "an mbarrier whose phase has no arrival left (it expects "
            "{expected})",
    .HELP = "count the arrivals of {copy_arrive_noinc} in {init}, or leave "
            "noinc out");
CASE_WORDS(BAR002_ORDINARY_ACCESS,
           .WHAT = "{thread} accesses a live mbarrier like ordinary memory",
           .HELP =
               "give what is accessed here memory of its own: the 8 bytes of a "
               "live mbarrier are for mbarrier instructions alone "
               "(mbarrier.inval ends its life)");
CASE_WORDS(
    BAR002_UNORDERED,
    .WHAT = "{thread} uses an mbarrier of block {block}, and nothing orders "
            "its init before that",
    .HELP = "put a barrier (__syncthreads()) between {init} and the first use "
            "by another thread");
CASE_WORDS(
    BAR002_OVERRUN,
    .WHAT = "{thread} accesses a live mbarrier like ordinary memory: the "
            "address is computed from {name}, which has {size} bytes, and lies "
            "outside it",
    .HELP = "check the index that is used here against the size of {name}: "
            "of n elements the last is n - 1");
CASE_WORDS(
    BAR002_NOT_MADE,
    .WHAT = "{thread} uses mbarrier {mbarrier}, which is not initialised",
    .HELP = "one thread runs {init}, and a barrier of the block "
            "(__syncthreads()) or of the cluster stands between it and every "
            "other use");
CASE_WORDS(
    BAR002_ENDED, .WHAT = "{thread} uses an mbarrier that is no longer valid",
    .HELP = "mbarrier.inval ends the life of an mbarrier: run it when no "
            "thread uses the mbarrier any more, behind the loop and a barrier "
            "of the block, or leave it out");
CASE_WORDS(
    BAR002_RECEIVER_NOT_MADE,
    .WHAT = "{thread} copies to block {block}, whose mbarrier is not "
            "initialised",
    .HELP = "put a cluster barrier (cluster_group::sync()) between {init} and "
            "the first copy");
CASE_WORDS(
    BAR002_COPY_ACCESS,
    .WHAT = "the asynchronous operation that {thread} issued here accesses a "
            "live mbarrier of block {block}",
    .HELP = "keep copies and mbarriers in different memory");
CASE_WORDS(
    BAR002_COPY_COMPLETES,
    .WHAT = "the asynchronous operation that {thread} issued here completes "
            "on an mbarrier of block {block} that is no longer live",
    .HELP = "keep the mbarrier live until the copies that complete on it are "
            "done");
CASE_WORDS(
    BAR002_COPY_ARRIVES,
    .WHAT = "the asynchronous operation that {thread} issued here arrives at "
            "an mbarrier that is no longer live",
    .HELP = "keep the mbarrier live until its phase has completed");
CASE_WORDS(
    BAR003_INIT_AGAIN, .WHAT = "{thread} initialises an mbarrier that is live",
    .HELP = "let one thread run {init} on it, once, in front of the loop; the "
            "PTX instruction mbarrier.inval ends its life");
CASE_WORDS(BAR004_UNORDERED,
           .WHAT =
               "{thread} uses an mbarrier of block {block}, and nothing orders "
               "its init before that",
           .MISSING = "a fence ({init_fence}), or a releasing cluster barrier, "
                      "between the init and this use",
           .HELP = "after {init}: {init_fence} and a barrier of the cluster "
                   "(cluster_group::sync()), before another block uses it");

ALL_CASE_WORDS(words_mbarrier, MBARRIER_CASES);
