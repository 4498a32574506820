// SPDX-License-Identifier: Apache-2.0
// Advice: edits of the kernel that were tried for a cause before they are told.
// remedies/ makes the edits, check/ runs them, words/ puts them in words.
#ifndef CLCLAB_ADVICE_H
#define CLCLAB_ADVICE_H

#include "result/facts.h"

// Every kind of edit: X(ID, "name in JSON"). words/remedies.c has a phrase for
// each, which follows "with".
#define REMEDIES(X)                                                     \
    X(BARRIER_WARP, "barrier-warp")       /* one more __syncwarp */     \
    X(BARRIER_BLOCK, "barrier-block")     /* one more __syncthreads */  \
    X(BARRIER_CLUSTER, "barrier-cluster") /* one more of the cluster */ \
    /* synchronisation: fences */                                       \
    X(FENCE_CTA, "fence-cta")                                           \
    X(FENCE_SLOTS, "fence-cluster") /* of shared memory of a cluster */ \
    X(FENCE_PROXY, "fence-proxy")                                       \
    X(FENCE_RELEASING, "fence-releasing")                               \
    X(FENCE_ACQUIRING, "fence-acquiring")                               \
    X(FENCE_INIT, "fence-init")                                         \
    X(FENCE_BLOCK, "fence-block-memory")                                \
    X(FENCE_CLUSTER, "fence-cluster-memory")                            \
    X(FENCE_GRID, "fence-grid-memory")                                  \
    /* barriers */                                                      \
    X(BARRIER_BEFORE, "barrier-before-condition")                       \
    X(BARRIER_BEHIND, "barrier-behind-condition")                       \
    X(BARRIER_THREADS, "barrier-threads")                               \
    X(BARRIER_ALL, "barrier-all")                                       \
    X(BARRIER_LESS, "barrier-less")                                     \
    /* mbarriers */                                                     \
    X(INIT_COUNT, "init-count")                                         \
    X(BYTES, "bytes")                                                   \
    X(ANNOUNCE, "announce")                                             \
    X(ANNOUNCE_REQUEST, "announce-request")                             \
    X(ANNOUNCE_IN_EACH, "announce-in-each-block")                       \
    X(ARRIVAL_LESS, "arrival-less")                                     \
    X(INIT_LESS, "init-less")                                           \
    X(REQUEST_LESS, "request-less")                                     \
    X(OTHER_MBARRIER, "other-mbarrier")                                 \
    X(OTHER_ARRAY, "other-array-of-mbarriers")                          \
    X(OTHER_SLOT, "other-slot")                                         \
    X(OF_RANK_0, "of-rank-0")                                           \
    /* waits */                                                         \
    X(WAIT_LOOP, "wait-loop")                                           \
    X(WAIT_LIKE, "wait-like")                                           \
    X(OTHER_PARITY, "other-parity")                                     \
    X(OWN_PARITY, "own-parity")                                         \
    X(FLIP_LESS, "flip-less")                                           \
    X(OWN_VARIABLE, "own-variable")                                     \
    X(OWN_PARITIES, "own-parities")                                     \
    X(WAIT_FOR_ANSWER, "wait-for-answer")                               \
    /* strength */                                                      \
    X(ORDERED, "ordered")                                               \
    X(ORDERED_ALL, "ordered-all")                                       \
    X(SCOPE_OF_CLUSTER, "scope-of-cluster")                             \
    X(SCOPE_OF_GRID, "scope-of-grid")                                   \
    X(MULTICAST, "multicast")                                           \
    X(UNICAST, "unicast")                                               \
    /* moves */                                                         \
    X(LATER, "later")                                                   \
    X(EARLIER, "earlier")                                               \
    X(REQUEST_MOVED, "request-moved")                                   \
    X(INIT_NEIGHBOUR, "init-neighbour")                                 \
    /* work and values */                                               \
    X(FOR_ONE, "for-one-thread")                                        \
    X(OTHER_CONDITION, "other-condition")                               \
    X(WITHIN_BOUND, "within-bound")                                     \
    X(GO_ON, "go-on")                                                   \
    X(STAY, "stay")                                                     \
    X(FOR_ALL, "for-all-threads")                                       \
    X(OTHER_WAY, "other-way-round")                                     \
    X(OTHER_BOUND, "other-bound")                                       \
    X(ALL_LANES, "all-lanes")                                           \
    X(ATOMIC, "atomic")                                                 \
    X(ADD_RANK, "add-rank")                                             \
    X(OTHER_AXIS, "other-axis")                                         \
    X(ALL_THREADS, "stride-of-all-threads")                             \
    X(OTHER_OPERATION, "other-operation")                               \
    X(TERM_LESS, "term-less")                                           \
    X(UPDATE, "update")                                                 \
    X(STORE_LESS, "store-less")                                         \
    X(CALL_BEFORE, "call-before-loop")                                  \
    X(CALL_LESS, "call-less")                                           \
    X(OTHER_INDEX, "other-index")                                       \
    X(RING_PARITY, "ring-parity")                                       \
    X(RING_PARITIES, "ring-parities")                                   \
    X(FACTOR_LESS, "factor-less")                                       \
    X(CONDITION_LESS, "condition-less")                                 \
    X(BARRIER_OF_BLOCK, "barrier-of-block")                             \
    X(BARRIER_OF_CLUSTER, "barrier-of-cluster")                         \
    /* answers */                                                       \
    X(LEAVE, "leave")                                                   \
    X(ASK_NO_MORE, "ask-no-more")                                       \
    X(TAKE_GRANTED, "take-granted")                                     \
    X(BEGIN_WITH_OWN, "begin-with-own")

typedef enum RemedyKind {
#define REMEDY_ENUM(id, name) REMEDY_##id,
    REMEDIES(REMEDY_ENUM)
#undef REMEDY_ENUM
        REMEDY_COUNT
} RemedyKind;

typedef enum AdviceStatus {
    ADVICE_NOT_TRIED, // it is not asked for, or there is no run to try it in
    ADVICE_TRYING,    // not known yet
    ADVICE_NONE,      // no edit that was tried mends anything
    ADVICE_HELPS,     // the cause is gone, and another one follows
    ADVICE_HEALS,     // the lab passes
} AdviceStatus;

// An edit that was tried, as it is told.
typedef struct AdviceEdit {
    RemedyKind kind;
    uint32_t number; // what --obey takes, from 1
    SrcLoc at;       // the line that it changes, or stands in front of
    Facts facts;     // what its phrase names
} AdviceEdit;

enum { ADVICE_MOST_EDITS = 2 };

typedef struct CauseAdvice {
    AdviceStatus status;
    AdviceEdit edits[ADVICE_MOST_EDITS]; // the better one first
    uint32_t edit_count;
    uint32_t tried;     // edits, in all
    uint64_t schedules; // ADVICE_HEALS: under which it passes
    Str follows;        // ADVICE_HELPS: the code or the check of what follows
    Str what; // a sentence, made by words/: "Tried: with a __syncthreads()
              // in front of line 52, all 64 schedules pass."
} CauseAdvice;

Str remedy_name(RemedyKind kind);

#endif
