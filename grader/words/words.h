// SPDX-License-Identifier: Apache-2.0
// words: turns a Finding, which consists of facts, into sentences.
//
// Every sentence about a case stands in one entry of the catalogue: what
// happened, what was expected and seen, what order is missing, what to try.
// The files of the catalogue are by families of rules: clc.c, mbarrier.c,
// memory.c, race.c, sync.c, end.c; judged.c has what check/ judges itself,
// english.c reasons and single words, places.c places, roots.c what is wrong by
// its reason. In a text, {bytes} is the fact of
// that name; {threads|thread|threads} is one of two words, by the number in
// that fact; {proxy_fence} is a term: in PTX the instruction, in C++ the call
// of cuda::ptx that it is.
//
// To add a case: (1) a row in result/cases.h, with the facts that it carries;
// (2) its entry here: without one it does not compile; (3) the place in vm/
// that sees it calls vm_found or vm_faulted with the case and its facts; the
// judge in check/ calls cause_of_case.
// test_words.c goes over the whole catalogue: each text in each dialect has
// only placeholders that its case carries.
//
// Another language is another Edition, which has the same tables with other
// texts.
#ifndef CLCLAB_WORDS_H
#define CLCLAB_WORDS_H

#include "result/advice.h"
#include "result/finding.h"
#include "result/verdict.h"

// Terms that differ between the dialects. X(ID, "placeholder", "PTX", "C++")
// clang-format off
#define WORDS_TERMS(X) \
    X(ACQUIRING_FENCE, "acquiring_fence", \
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", \
      "ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster)") \
    X(RELEASING_FENCE, "releasing_fence", \
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", \
      "ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster)") \
    X(CTA_FENCE, "cta_fence", "fence.proxy.async.shared::cta", \
      "ptx::fence_proxy_async(ptx::space_shared)") \
    X(CLUSTER_FENCE, "cluster_fence", "fence.proxy.async.shared::cluster", \
      "ptx::fence_proxy_async(ptx::space_cluster)") \
    X(PROXY_FENCE, "proxy_fence", "fence.proxy.async", "ptx::fence_proxy_async()") \
    X(INIT_FENCE, "init_fence", "fence.mbarrier_init.release.cluster", \
      "ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)") \
    X(INIT, "init", "mbarrier.init", "ptx::mbarrier_init") \
    X(ARRIVE_EXPECT_TX, "arrive_expect_tx", "mbarrier.arrive.expect_tx", \
      "ptx::mbarrier_arrive_expect_tx") \
    X(ARRIVE_NO_COMPLETE, "arrive_no_complete", "mbarrier.arrive.noComplete", \
      "ptx::mbarrier_arrive_no_complete") \
    X(ARRIVE, "arrive", "mbarrier.arrive", "ptx::mbarrier_arrive") \
    X(WAIT_PARITY, "wait_parity", "mbarrier.try_wait.parity", \
      "ptx::mbarrier_try_wait_parity") \
    X(CLUSTER_ARRIVE, "cluster_arrive", "barrier.cluster.arrive", \
      "ptx::barrier_cluster_arrive") \
    X(CLUSTER_WAIT, "cluster_wait", "barrier.cluster.wait", \
      "ptx::barrier_cluster_wait") \
    X(COPY_ARRIVE_NOINC, "copy_arrive_noinc", "cp.async.mbarrier.arrive.noinc", \
      "ptx::cp_async_mbarrier_arrive_noinc") \
    X(TRY_CANCEL, "try_cancel", "clusterlaunchcontrol.try_cancel", \
      "ptx::clusterlaunchcontrol_try_cancel") \
    X(IS_CANCELED, "is_canceled", \
      "clusterlaunchcontrol.query_cancel.is_canceled", \
      "ptx::clusterlaunchcontrol_query_cancel_is_canceled") \
    X(MULTICAST, "multicast", ".multicast::cluster::all", \
      "ptx::clusterlaunchcontrol_try_cancel_multicast")
// clang-format on

typedef enum WordsTerm {
#define WORDS_TERM_ENUM(id, name, ptx, cpp) TERM_##id,
    WORDS_TERMS(WORDS_TERM_ENUM)
#undef WORDS_TERM_ENUM
        WORDS_TERM_COUNT
} WordsTerm;

// ---- the catalogue -------------------------------------------------------

typedef enum WordsPart {
    WORDS_WHAT,     // what happened, and which thread did it: a clause
    WORDS_EXPECTED, // may be empty
    WORDS_ACTUAL,   // may be empty
    WORDS_MISSING,  // the ordering that is missing; may be empty
    WORDS_HELP,     // what to try; empty: what the rule asks for
    WORDS_PART_COUNT,
} WordsPart;

typedef struct CaseWords {
    FindingCase which;
    const char *parts[WORDS_PART_COUNT];
} CaseWords;

// The parts that replace the case's.
typedef struct ReasonWords {
    const char *missing, *help;
} ReasonWords;

typedef struct CaseList {
    const CaseWords *const *items;
    size_t count;
} CaseList;

enum { WORDS_FAMILIES = 7 };
typedef struct Edition {
    CaseList cases[WORDS_FAMILIES];
    const ReasonWords *reasons; // [FINDING_REASON_COUNT]
    const char *const *roots;   // [FINDING_REASON_COUNT]: what is wrong, in a
                                // clause; NULL: what happened says it
    const char *const *places;  // [FINDING_PLACE_COUNT]
    const char *const *words;   // [FACT_WORD_COUNT]
    const char *const *asks;    // [DEVICE_RULE_COUNT]: what a rule asks for
    const char *thread;         // {name} of {block}
    const char *who_block, *who_rank, *who_warp, *who_lane, *who_at; // in turn
    const char *times;   // {text}, which happened {count} times
    const char *gave_up; // {text}, because a wait was given up
    const char *rule; // the help if there is no other: the rule asks for {text}
    const char *in_schedule; // {text}, which {schedule} showed
    const char *on_card;     // {text}, which the check {name} says of a GPU
    void (*ordinal)(uint64_t number, Buf *out);
    const char *const *remedies; // [REMEDY_COUNT]: phrases that follow "with"
    // {text} and {form} are phrases of remedies, {count} is the number of
    // schedules, {name} is what follows.
    const char *tried_one, *tried_either, *tried_helps;
    const char *mended_too;
    const char *all_pass, *one_passes; // of schedules: a clause
} Edition;

extern const Edition words_english;

// ---- sentences -----------------------------------------------------------

typedef struct Words {
    const Edition *edition;
    Dialect dialect;
} Words;

const CaseWords *words_case(const Edition *edition, FindingCase which);
// One part of a finding's text, as the catalogue has it: a clause, without the
// capital and the full stop of a sentence.
Str words_part(const Words *words, Arena *arena, const Finding *finding,
               WordsPart part);
// What is wrong, of a finding whose reason is a root; else empty.
Str words_root(const Words *words, Arena *arena, const Finding *finding);
Str words_place(const Words *words, Arena *arena, const Finding *finding,
                const RelatedPlace *place);
// Whether the finding carries every fact that its texts name.
bool words_are_whole(const Words *words, const Finding *finding);
// More about the thread: its place in its cluster, its warp and lane, and the
// block index that it was working on. Empty if a block is one warp and has
// stolen nothing.
Str words_who(const Words *words, Arena *arena, const Finding *finding);
// The phrase of an edit: "__syncthreads() in front of line 52".
Str words_edit(const Words *words, Arena *arena, const AdviceEdit *edit);
// Fills in the texts of a cause that has a finding, but keeps a help that it
// already has, and says first in which schedule or on which device it was seen.
void words_tell(const Words *words, Arena *arena, Cause *cause);

#endif
