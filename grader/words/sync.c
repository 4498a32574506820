// SPDX-License-Identifier: Apache-2.0
// The texts of SYNC001 to SYNC004 and DEADLOCK: who waits for whom.
#include "words/catalogue.h"

#define WHAT_BARRIER "{thread} waits for ever at a barrier of its block"

#define HELP_BARRIER                                                         \
    "every thread that has not exited must reach the same barrier: move it " \
    "out of conditions that differ from thread to thread"

#define WHAT_CLUSTER "{thread} waits for ever at the cluster barrier"

#define HELP_CLUSTER                                                     \
    "every thread of every CTA of the cluster that has not exited must " \
    "arrive, the same number of times"

#define HELP_LANES \
    "the membermask names exactly the lanes that execute the instruction"

#define WHAT_MBARRIER                                                 \
    "{thread} waits for ever for phase {phase} (parity {parity}) of " \
    "mbarrier {mbarrier}"

CASE_WORDS(
    SYNC001_NO_BARRIER,
    .WHAT = "{thread} uses barrier {number} for {count} threads",
    .HELP = "barriers are numbered 0 to 15, and a thread count is a multiple "
            "of the warp size");
CASE_WORDS(SYNC001_BARRIER, .WHAT = WHAT_BARRIER,
           .EXPECTED = "{expected} threads", .ACTUAL = "{arrived} arrived",
           .HELP = HELP_BARRIER);
CASE_WORDS(SYNC001_CLUSTER, .WHAT = WHAT_CLUSTER,
           .EXPECTED = "{expected} threads of the cluster",
           .ACTUAL = "{arrived} arrived", .HELP = HELP_CLUSTER);
CASE_WORDS(
    SYNC002_PART_OF_A_WARP,
    .WHAT = "{thread} is at an aligned barrier with only a part of its warp",
    .EXPECTED = "all {expected} threads of the warp that have not exited",
    .ACTUAL = "{threads} {threads|thread|threads} ({threads|lane|lanes} "
              "{lanes})",
    .HELP = "__syncthreads() and cluster barriers (in PTX: bar.sync, and what "
            "is .aligned) are for whole warps: move the barrier out of the "
            "condition, so that every thread executes it");
CASE_WORDS(
    SYNC002_LANES_LEFT,
    .WHAT = "{thread} is at an aligned barrier without {threads} "
            "{threads|thread|threads} of its warp ({threads|lane|lanes} "
            "{lanes}), which left the kernel without coming to it",
    .EXPECTED = "all threads of a warp that have not exited, together",
    .ACTUAL = "nothing says that these exit before the others are at the "
              "barrier. It waits for no thread that has exited (PTX ISA, "
              "barrier), so that it completes; NVIDIA's synccheck reports "
              "such threads as divergent if they are late",
    .HELP = "let all threads of the warp come to the barrier, and put only "
            "the work between barriers under the condition");
CASE_WORDS(
    SYNC002_PART_OF_A_GROUP,
    .WHAT = "{thread} executes setmaxnreg, and warp {warp} of its warpgroup "
            "leaves without it",
    .EXPECTED = "all four warps of a warpgroup, each time",
    .HELP = "decide by the number of the warpgroup (threadIdx.x / 128) who "
            "executes it, and let all its warps do so before any of them "
            "leaves");
CASE_WORDS(
    SYNC003_ARRIVES_TWICE,
    .WHAT = "{thread} arrives at the cluster barrier twice without a wait",
    .HELP = "each thread waits ({cluster_wait}) between two arrivals");
CASE_WORDS(
    SYNC003_HAS_NOT_ARRIVED,
    .WHAT = "{thread} waits at the cluster barrier without having arrived",
    .HELP = "each thread arrives ({cluster_arrive}) before it waits");
CASE_WORDS(SYNC004_NOT_NAMED,
           .WHAT =
               "{thread} executes it with membermask {lanes}, which does not "
               "name its lane {lane}",
           .HELP = HELP_LANES);
CASE_WORDS(
    SYNC004_NEVER_COME,
    .WHAT = "{thread} waits for lanes {lanes} of its warp, which never come",
    .HELP = HELP_LANES);
CASE_WORDS(
    SYNC004_TAKES_NO_PART,
    .WHAT = "{thread} takes a value from lane {lane}, which takes no part in "
            "the shuffle, and uses it",
    .HELP = "what comes from such a lane is undefined: name a lane that is in "
            "the membermask and has not left, give a width, or use the value "
            "only where the lane is there");
CASE_WORDS(DEADLOCK_BARRIER, .WHAT = WHAT_BARRIER,
           .EXPECTED = "{expected} threads", .ACTUAL = "{arrived} arrived",
           .HELP = HELP_BARRIER);
CASE_WORDS(DEADLOCK_CLUSTER, .WHAT = WHAT_CLUSTER,
           .EXPECTED = "{expected} threads of the cluster",
           .ACTUAL = "{arrived} arrived", .HELP = HELP_CLUSTER);
CASE_WORDS(
    DEADLOCK_SPIN,
    .WHAT = "{thread} reads {memory} again and again, and nobody who could "
            "still run changes it",
    .ACTUAL = "all other threads have left, or wait as well; {blocks} "
              "{blocks|block|blocks} of the grid {blocks|has|have} not started",
    .HELP = "see who is to change it: that thread has left, or waits itself, "
            "perhaps for this one");
CASE_WORDS(
    DEADLOCK_LIVELOCK,
    .WHAT = "{thread} goes round a loop for ever, with {memory}: this thread, "
            "and all others that still run, only do again what they have done "
            "before",
    .ACTUAL =
        "all other threads have left, wait, or go round such loops; {blocks} "
        "{blocks|block|blocks} of the grid {blocks|has|have} not started",
    .HELP = "see what would end the loop, and who is to do that: what changes "
            "meanwhile, such as a count of polls or a flag that is handed to "
            "and fro, ends none of them");
CASE_WORDS(DEADLOCK_MBARRIER, .WHAT = WHAT_MBARRIER,
           .EXPECTED =
               "{expected} {expected|arrival|arrivals} a phase, and all "
               "announced bytes",
           .ACTUAL = "phase {count} {arrivals}{balance}");
CASE_WORDS(DEADLOCK_NO_MBARRIER, .WHAT = WHAT_MBARRIER);
CASE_WORDS(
    DEADLOCK_REGISTERS,
    .WHAT = "{thread} waits for ever for registers: setmaxnreg wants {count} "
            "for each thread of its warp",
    .EXPECTED = "{pending} free registers in the pool of the block",
    .ACTUAL = "{limit} of the block's {size} are free, and nobody gives more "
              "back",
    .HELP = "let other warps give back (setmaxnreg.dec) as many as these take, "
            "before they wait for these, or ask for fewer");

ALL_CASE_WORDS(words_sync, SYNC_CASES);
