// SPDX-License-Identifier: Apache-2.0
// The texts of RACE001 and RACE002: data races.
#include "words/catalogue.h"

#define MISSING_RACE001 \
    "a barrier, or a release and an acquire, between the two"

#define MISSING_RACE002 "a proxy fence, or a completed wait, between the two"

CASE_WORDS(RACE001_IN_WARP, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
           .HELP =
               "lanes of a warp do not run in step: __syncwarp() between the "
               "two, or __syncthreads() if other warps come to them as well");
CASE_WORDS(RACE001_IN_BLOCK, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
           .HELP = "put a barrier (__syncthreads()) between the two");
CASE_WORDS(
    RACE001_IN_CLUSTER, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
    .HELP = "put a barrier of the cluster (cluster_group::sync()) between the "
            "two");
CASE_WORDS(
    RACE001_IN_GRID, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
    .HELP = "give each block elements of its own, make both accesses atomic, "
            "or order them by a release and an acquire at gpu scope");
CASE_WORDS(RACE001_SCOPES, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
           .HELP =
               "give both operations a scope that includes the other thread "
               "(.cluster within a cluster, else .gpu)");
CASE_WORDS(RACE001_SIZES, .WHAT = RACE "{order}", .MISSING = MISSING_RACE001,
           .HELP = "use one size for all atomic accesses to a place");
CASE_WORDS(
    RACE001_BEHIND_A_FLAG,
    .WHAT = RACE "{order} but a flag, which was set and waited for by relaxed "
                 "or volatile accesses: no race, but the read may find what "
                 "was there before",
    .MISSING = MISSING_RACE001,
    .HELP = "put __threadfence() between the data and the flag, and another "
            "one between the wait for the flag and the read");
CASE_WORDS(
    RACE001_STALE,
    .WHAT = RACE "{order} but a flag, which was set and waited for by relaxed "
                 "or volatile accesses: in this schedule the read found what "
                 "was there before",
    .MISSING = MISSING_RACE001,
    .HELP = "put __threadfence() between the data and the flag, and another "
            "one between the wait for the flag and the read");
CASE_WORDS(
    RACE002_ANSWER,
    .WHAT = RACE "no fence between the proxies orders the write before the "
                 "answer",
    .MISSING = MISSING_RACE002,
    .HELP = "leave the slot to the async proxy, or put {proxy_fence} between "
            "the write and the request");
CASE_WORDS(RACE002_UNORDERED, .WHAT = RACE "nothing orders the two",
           .MISSING = MISSING_RACE002,
           .HELP =
               "wait for the first (its mbarrier or its group, or a barrier) "
               "before the operation is issued");
CASE_WORDS(
    RACE002_NO_FENCE,
    .WHAT = RACE "no fence between the proxies orders the two",
    .MISSING = MISSING_RACE002,
    .HELP = "after the access, in the thread that made it: {proxy_fence}; "
            "then a barrier, or an arrival that the issuing thread waits for; "
            "then the operation");
CASE_WORDS(
    RACE002_READ_NO_FENCE,
    .WHAT = RACE "barriers order the two, but no fence between the proxies",
    .MISSING = MISSING_RACE002,
    .HELP = "put {proxy_fence} between the read and the operation: in the "
            "thread that reads, before the barrier or the arrival, or in the "
            "one that issues, behind it; much code does without and mostly "
            "gets away with it");
CASE_WORDS(
    RACE002_NOT_SEEN, .WHAT = RACE "this thread has not seen it complete",
    .MISSING = MISSING_RACE002,
    .HELP = "wait for its mbarrier, or for its group and then at a barrier, "
            "before its memory is used");
CASE_WORDS(RACE002_SLOT,
           .WHAT =
               "{thread} writes to a slot while the answer of a request is on "
               "its way to it",
           .MISSING = MISSING_RACE002,
           .HELP = "leave the slot alone between the request and the wait");
CASE_WORDS(
    RACE002_COPY_SLOT,
    .WHAT = "the asynchronous operation that {thread} issued here writes to a "
            "slot while the answer of a request is on its way to it",
    .MISSING = MISSING_RACE002,
    .HELP = "leave the slot alone between the request and the wait");

ALL_CASE_WORDS(words_race, RACE_CASES);
