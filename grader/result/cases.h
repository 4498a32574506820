// SPDX-License-Identifier: Apache-2.0
// Everything that a finding can say, as data: the cases of each rule, the facts
// that a case carries (facts.h), the places that belong to it and the reasons
// that explain it. There are no sentences here: words/ has an entry for each.
//
// A rule is broken in different ways; each is a case of that rule, and has
// texts of its own. What check/ judges of a lab breaks no rule: its cases are
// by the check. A reason is known only sometimes: where it is, its help takes
// the place of the case's. Each list below is in the order of words/.
#ifndef CLCLAB_CASES_H
#define CLCLAB_CASES_H

#include "result/facts.h"

// ---- cases ---------------------------------------------------------------

// clang-format off
// X(RULE, ID, facts that it carries). CARRIES_... names facts that always come
// together.
#define CARRIES_MEMORY HAS(MEMORY) HAS(NAME) HAS(OFFSET) HAS(OWNER) HAS(NUMBER)
#define CARRIES_BUFFER HAS(BUFFER) HAS(NAME) HAS(SIZE) HAS(NUMBER)
#define CARRIES_NAMED HAS(MBARRIER) HAS(NAME) HAS(OFFSET) HAS(NUMBER)
#define CARRIES_SURFACE                                                \
    HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(OFFSET) HAS(SIZE) HAS(INDEX) \
        HAS(COUNT) HAS(NUMBER) HAS(LIMIT)
#define CARRIES_PART HAS(BLOCK) HAS(OWNER) HAS(COUNT) HAS(THREADS)
#define CARRIES_RACE                                                   \
    HAS(THREAD) HAS(LATER) HAS(BYTES) CARRIES_MEMORY HAS(EARLIER)      \
        HAS(OTHER) HAS(BEFORE) HAS(ORDER)

// clang-format on

#define CLC_CASES(X)                                               \
    X(CLC001, AFTER_REFUSAL, HAS(THREAD))                          \
    X(CLC001, NOT_TOLD, HAS(THREAD))                               \
    X(CLC002, USED, HAS(THREAD) HAS(USE))                          \
    X(CLC002, DECODED, HAS(THREAD))                                \
    X(CLC003, NEIGHBOUR_EXITED, HAS(THREAD) HAS(BLOCK))            \
    X(CLC004, IN_FLIGHT, HAS(BLOCK) HAS(REQUEST))                  \
    X(CLC004, NOT_AWAITED, HAS(BLOCK) HAS(REQUEST))                \
    X(CLC005, SLOT_OUTSIDE, HAS(THREAD))                           \
    X(CLC005, SLOT_OVERRUN, HAS(THREAD) HAS(NAME) HAS(SIZE))       \
    X(CLC005, SLOT_GENERIC, HAS(THREAD))                           \
    X(CLC005, SWAPPED, HAS(THREAD))                                \
    X(CLC005, SLOT_UNALIGNED, HAS(THREAD))                         \
    X(CLC005, MBARRIER_OUTSIDE, HAS(THREAD))                       \
    X(CLC005, MBARRIER_UNALIGNED, HAS(THREAD))                     \
    X(CLC005, MBARRIER_UNORDERED, HAS(THREAD))                     \
    X(CLC005, MBARRIER_NOT_MADE, HAS(THREAD) HAS(BLOCK))           \
    X(CLC005, MBARRIER_ENDED, HAS(THREAD))                         \
    X(CLC006, PAST_OTHERS, CARRIES_RACE)                           \
    X(CLC006, UNORDERED, CARRIES_RACE)                             \
    X(CLC006, FENCE_OF_CTA, CARRIES_RACE)                          \
    X(CLC006, FULL_FENCE, CARRIES_RACE)                            \
    X(CLC006, NOT_ACQUIRED, CARRIES_RACE)                          \
    X(CLC006, NO_FENCE, CARRIES_RACE)                              \
    X(CLC006, RELAXED, CARRIES_RACE)                               \
    X(CLC007, NOT_SEEN, CARRIES_RACE)                              \
    X(CLC007, NOT_OBSERVED, HAS(THREAD))                           \
    X(CLC007, NOBODY_WROTE, HAS(THREAD) HAS(BYTES) CARRIES_MEMORY) \
    X(CLC007, NO_ANSWER, HAS(THREAD))                              \
    X(CLC007, NO_ANSWER_YET, HAS(THREAD))                          \
    X(CLC008, IN_AN_ADDRESS, HAS(THREAD))                          \
    X(CLC008, COMPARED, HAS(THREAD))                               \
    X(CLC008, CHANGED, HAS(THREAD))                                \
    X(CLC008, COMPUTED, HAS(THREAD))                               \
    X(CLC009, NOT_TAKEN, HAS(BLOCK) HAS(INDEX) HAS(OWNER))         \
    X(CLC009, NOT_ASKED, HAS(BLOCK) HAS(INDEX) HAS(OWNER))         \
    X(CLC009, NOT_USED, HAS(BLOCK) HAS(INDEX) HAS(OWNER))          \
    X(CLC009, IN_PART_LEFT, CARRIES_PART)                          \
    X(CLC009, IN_PART_KEPT, CARRIES_PART)                          \
    X(CLC009, IN_PART_AXIS, CARRIES_PART HAS(TEXT))                \
    X(CLC010, SLOT_IN_FLIGHT, HAS(THREAD) HAS(BLOCK))              \
    X(CLC010, SLOT_NOT_AWAITED, HAS(THREAD) HAS(BLOCK))            \
    X(CLC010, EARLY_PHASE, HAS(BLOCK))                             \
    X(CLC011, UNORDERED, HAS(THREAD) HAS(BLOCK))                   \
    X(CLC011, NOT_MADE, HAS(THREAD) HAS(BLOCK))

#define MBARRIER_CASES(X)                                   \
    X(BAR001, INIT_COUNT, HAS(THREAD) HAS(COUNT))           \
    X(BAR001, TX_RANGE, HAS(THREAD) HAS(TX))                \
    X(BAR001, TOO_MANY_ARRIVALS, HAS(THREAD) HAS(EXPECTED)) \
    X(BAR001, ARRIVE_COUNT, HAS(THREAD) HAS(COUNT))         \
    X(BAR001, COMPLETES, HAS(THREAD))                       \
    X(BAR001, PHASE_NOT_OVER, HAS(THREAD) HAS(BLOCK))       \
    X(BAR001, COPY_PENDING, HAS(THREAD))                    \
    X(BAR001, COPY_TX_RANGE, HAS(THREAD) HAS(BLOCK))        \
    X(BAR001, COPY_ARRIVES, HAS(THREAD) HAS(EXPECTED))      \
    X(BAR002, ORDINARY_ACCESS, HAS(THREAD))                 \
    X(BAR002, UNORDERED, HAS(THREAD) HAS(BLOCK))            \
    X(BAR002, OVERRUN, HAS(THREAD) HAS(NAME) HAS(SIZE))     \
    X(BAR002, NOT_MADE, HAS(THREAD) CARRIES_NAMED)          \
    X(BAR002, ENDED, HAS(THREAD))                           \
    X(BAR002, RECEIVER_NOT_MADE, HAS(THREAD) HAS(BLOCK))    \
    X(BAR002, COPY_ACCESS, HAS(THREAD) HAS(BLOCK))          \
    X(BAR002, COPY_COMPLETES, HAS(THREAD) HAS(BLOCK))       \
    X(BAR002, COPY_ARRIVES, HAS(THREAD))                    \
    X(BAR003, INIT_AGAIN, HAS(THREAD))                      \
    X(BAR004, UNORDERED, HAS(THREAD) HAS(BLOCK))

#define MEMORY_CASES(X)                                                        \
    X(MEM001, NO_MEMORY, HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(ADDRESS))      \
    X(MEM001, FREED, HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(SIZE))             \
    X(MEM001, ACROSS_END, HAS(THREAD) HAS(ACCESS) HAS(BYTES) CARRIES_BUFFER)   \
    X(MEM001, PAST_END,                                                        \
      HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(DISTANCE) CARRIES_BUFFER)         \
    X(MEM001, PAST_ELEMENT,                                                    \
      HAS(THREAD) HAS(ACCESS) HAS(ELEMENT) HAS(COUNT) HAS(NAME) HAS(ELEMENTS)) \
    X(MEM001, BEFORE_START,                                                    \
      HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(DISTANCE) CARRIES_BUFFER)         \
    X(MEM001, NO_RANK, HAS(THREAD) HAS(ACCESS) HAS(RANK) HAS(CTAS))            \
    X(MEM001, SHARED,                                                          \
      HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(OFFSET) HAS(SIZE))                \
    X(MEM001, LOCAL, HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(OFFSET) HAS(SIZE)) \
    X(MEM001, LOCAL_BEFORE, HAS(THREAD) HAS(ACCESS) HAS(BYTES))                \
    X(MEM001, SHARED_GAP, HAS(THREAD) HAS(ACCESS) HAS(BYTES))                  \
    X(MEM001, LOCAL_GAP, HAS(THREAD) HAS(ACCESS) HAS(BYTES))                   \
    X(MEM001, FREE_UNKNOWN, HAS(THREAD) HAS(ADDRESS))                          \
    X(MEM001, FREE_AGAIN, HAS(THREAD) HAS(SIZE))                               \
    X(MEM001, MBARRIER, HAS(THREAD))                                           \
    X(MEM001, MBARRIER_OVERRUN, HAS(THREAD) HAS(NAME) HAS(SIZE))               \
    X(MEM001, MBARRIER_NUMBER, HAS(THREAD) HAS(NUMBER))                        \
    X(MEM001, MBARRIER_GENERIC, HAS(THREAD))                                   \
    X(MEM001, NOT_OWN, HAS(THREAD) HAS(BLOCK))                                 \
    X(MEM001, COPY_SOURCE, HAS(THREAD) HAS(BYTES) HAS(LIMIT))                  \
    X(MEM001, COPY_MBARRIER, HAS(THREAD) HAS(BLOCK))                           \
    X(MEM001, COPY_RANKS, HAS(THREAD) HAS(RANKS) HAS(CTAS))                    \
    X(MEM001, COPY_FREED, HAS(THREAD) HAS(BYTES) HAS(ADDRESS))                 \
    X(MEM001, ST_BULK, HAS(THREAD))                                            \
    X(MEM001, JUMP_TABLE, HAS(THREAD) HAS(NUMBER) HAS(COUNT))                  \
    X(MEM001, NO_FUNCTION, HAS(THREAD) HAS(ADDRESS))                           \
    X(MEM001, OTHER_FUNCTION, HAS(THREAD) HAS(NAME))                           \
    X(MEM001, STACK_POINTER, HAS(THREAD))                                      \
    X(MEM001, NO_TEXTURE, HAS(THREAD) HAS(ADDRESS))                            \
    X(MEM001, NO_SURFACE, HAS(THREAD) HAS(ADDRESS))                            \
    X(MEM001, OTHER_GEOMETRY, HAS(THREAD) HAS(TEXT))                           \
    X(MEM001, SURFACE, CARRIES_SURFACE)                                        \
    X(MEM001, SURFACE_PLANE, CARRIES_SURFACE)                                  \
    X(MEM001, GPU_ADDRESS, HAS(TEXT))                                          \
    X(MEM001, GPU_SPACE, HAS(TEXT))                                            \
    X(MEM001, GPU_BEFORE_START, HAS(NUMBER) HAS(DISTANCE))                     \
    X(MEM001, GPU_PAST_END, HAS(NUMBER) HAS(OFFSET) HAS(SIZE))                 \
    X(MEM002, ADDRESS, HAS(THREAD) HAS(ACCESS) HAS(BYTES) HAS(ADDRESS))        \
    X(MEM002, MBARRIER, HAS(THREAD))                                           \
    X(MEM002, COPY_SIZE, HAS(THREAD) HAS(SIZE) HAS(LIMIT))                     \
    X(MEM002, GPU, HAS(TEXT))                                                  \
    X(MEM003, SHARED, HAS(THREAD) HAS(BYTES) CARRIES_MEMORY)                   \
    X(MEM003, SHARED_PART, HAS(THREAD) HAS(BYTES) CARRIES_MEMORY)              \
    X(MEM003, LOCAL, HAS(THREAD) HAS(BYTES))                                   \
    X(MEM003, REGISTER, HAS(THREAD) HAS(USE))                                  \
    X(MEM003, HEAP, HAS(THREAD) HAS(BYTES))                                    \
    X(MEM003, BUFFER, HAS(THREAD) HAS(BYTES) CARRIES_BUFFER)                   \
    X(MEM004, NOT_STARTED, HAS(THREAD) HAS(ACCESS) HAS(BLOCK))                 \
    X(MEM004, EXITED, HAS(THREAD) HAS(ACCESS) HAS(BLOCK))                      \
    X(MEM004, MBARRIER, HAS(THREAD) HAS(BLOCK))                                \
    X(MEM004, RECEIVER, HAS(THREAD) HAS(BLOCK))                                \
    X(MEM004, COPY, HAS(THREAD) HAS(ACCESS) HAS(BLOCK))                        \
    X(MEM004, COPY_COMPLETES, HAS(THREAD) HAS(BLOCK))                          \
    X(MEM005, WRITTEN, HAS(THREAD) HAS(ACCESS) CARRIES_BUFFER)

#define RACE_CASES(X)                       \
    X(RACE001, IN_WARP, CARRIES_RACE)       \
    X(RACE001, IN_BLOCK, CARRIES_RACE)      \
    X(RACE001, IN_CLUSTER, CARRIES_RACE)    \
    X(RACE001, IN_GRID, CARRIES_RACE)       \
    X(RACE001, SCOPES, CARRIES_RACE)        \
    X(RACE001, SIZES, CARRIES_RACE)         \
    X(RACE001, BEHIND_A_FLAG, CARRIES_RACE) \
    X(RACE001, STALE, CARRIES_RACE)         \
    X(RACE002, ANSWER, CARRIES_RACE)        \
    X(RACE002, UNORDERED, CARRIES_RACE)     \
    X(RACE002, NO_FENCE, CARRIES_RACE)      \
    X(RACE002, READ_NO_FENCE, CARRIES_RACE) \
    X(RACE002, NOT_SEEN, CARRIES_RACE)      \
    X(RACE002, SLOT, HAS(THREAD))           \
    X(RACE002, COPY_SLOT, HAS(THREAD))

#define SYNC_CASES(X)                                                        \
    X(SYNC001, NO_BARRIER, HAS(THREAD) HAS(NUMBER) HAS(COUNT))               \
    X(SYNC001, BARRIER, HAS(THREAD) HAS(EXPECTED) HAS(ARRIVED))              \
    X(SYNC001, CLUSTER, HAS(THREAD) HAS(EXPECTED) HAS(ARRIVED))              \
    X(SYNC002, PART_OF_A_WARP,                                               \
      HAS(THREAD) HAS(EXPECTED) HAS(THREADS) HAS(LANES))                     \
    X(SYNC002, LANES_LEFT, HAS(THREAD) HAS(THREADS) HAS(LANES))              \
    X(SYNC002, PART_OF_A_GROUP, HAS(THREAD) HAS(WARP))                       \
    X(SYNC003, ARRIVES_TWICE, HAS(THREAD))                                   \
    X(SYNC003, HAS_NOT_ARRIVED, HAS(THREAD))                                 \
    X(SYNC004, NOT_NAMED, HAS(THREAD) HAS(LANES) HAS(LANE))                  \
    X(SYNC004, NEVER_COME, HAS(THREAD) HAS(LANES))                           \
    X(SYNC004, TAKES_NO_PART, HAS(THREAD) HAS(LANE))                         \
    X(DEADLOCK, BARRIER, HAS(THREAD) HAS(EXPECTED) HAS(ARRIVED))             \
    X(DEADLOCK, CLUSTER, HAS(THREAD) HAS(EXPECTED) HAS(ARRIVED))             \
    X(DEADLOCK, SPIN, HAS(THREAD) HAS(BLOCKS) CARRIES_MEMORY)                \
    X(DEADLOCK, LIVELOCK, HAS(THREAD) HAS(BLOCKS) CARRIES_MEMORY)            \
    X(DEADLOCK, MBARRIER,                                                    \
      HAS(THREAD) HAS(PHASE) HAS(PARITY) HAS(MBARRIER) HAS(NAME) HAS(OFFSET) \
          HAS(NUMBER) HAS(COUNT) HAS(EXPECTED) HAS(ARRIVALS) HAS(PENDING)    \
              HAS(BALANCE) HAS(BYTES))                                       \
    X(DEADLOCK, NO_MBARRIER,                                                 \
      HAS(THREAD) HAS(PHASE) HAS(PARITY) HAS(MBARRIER) HAS(NAME) HAS(OFFSET) \
          HAS(NUMBER))                                                       \
    X(DEADLOCK, REGISTERS,                                                   \
      HAS(THREAD) HAS(COUNT) HAS(PENDING) HAS(LIMIT) HAS(SIZE))

#define END_CASES(X)                                                     \
    X(TRAP, TRAP, HAS(THREAD))                                           \
    X(TRAP, BREAKPOINT, HAS(THREAD))                                     \
    X(TRAP, PURE_VIRTUAL, HAS(THREAD))                                   \
    X(ASSERT, FAILED, HAS(THREAD) HAS(TEXT))                             \
    X(ASSERT, GPU, HAS(TEXT))                                            \
    X(LIMIT, STEPS, HAS(THREAD) HAS(LIMIT))                              \
    X(LIMIT, WORK, HAS(LIMIT) HAS(WORK) HAS(RATIO))                      \
    X(LIMIT, ENDLESS, HAS(THREAD))                                       \
    X(LIMIT, CALLS, HAS(BLOCK) HAS(COUNT))                               \
    X(LIMIT, STACK, HAS(THREAD) HAS(SIZE))                               \
    X(LIMIT, REQUESTS, HAS(THREAD) HAS(COUNT) HAS(CLUSTERS))             \
    X(LIMIT, ORDER, HAS(RECORDS))                                        \
    X(TIMEOUT, DISPLAY, HAS(TEXT))                                       \
    X(TIMEOUT, DEADLINE,                                                 \
      HAS(SECONDS) HAS(PROGRESS) HAS(STARTED) HAS(BLOCKS) HAS(CLUSTERS)) \
    X(FAULT, INSTRUCTION, HAS(TEXT))                                     \
    X(FAULT, LEFT_ITS_CODE, HAS(TEXT))                                   \
    X(FAULT, UNKNOWN, HAS(TEXT))                                         \
    X(FAULT, STACK, HAS(TEXT))                                           \
    X(UNSUPPORTED, INSTRUCTION, HAS(NAME) HAS(TEXT) HAS(LINE))           \
    X(UNSUPPORTED, LAUNCH, HAS(NAME))                                    \
    X(UNSUPPORTED, FUNCTION, HAS(NAME))

// What check/ judges itself, by the check, or of a launch: X(CHECK, ID, facts).
#define CARRIES_ELEMENT \
    HAS(ELEMENT) HAS(WANTED) HAS(FOUND) HAS(HELD) HAS(SCALAR)
#define CARRIES_WRONG \
    HAS(COUNT) HAS(ELEMENTS) HAS(DATA) HAS(INDEX) HAS(BLOCK) CARRIES_ELEMENT
#define CARRIES_BLOCKS \
    HAS(BLOCKS)        \
    HAS(NEVER)         \
    HAS(BLOCK)         \
    HAS(OFTEN) HAS(AGAIN) HAS(MISSED) HAS(REPEATED) HAS(FIRST) HAS(LAST)

#define CARRIES_STEALS HAS(GRID) HAS(FIT) HAS(STARTED) HAS(REQUESTS)
#define CARRIES_PLAN \
    HAS(NAME)        \
    HAS(CHOSEN) HAS(ELEMENTS) HAS(THREADS) HAS(SMS) HAS(FIT) HAS(BLOCKS)

#define CARRIES_TOO_LARGE HAS(NAME) HAS(SIZE) HAS(LIMIT)
#define CARRIES_KERNELS HAS(NAME) HAS(FORM) HAS(TEXT)
#define CARRIES_DIMS HAS(DIM_X) HAS(DIM_Y) HAS(DIM_Z)

#define JUDGED_CASES(X)                                                        \
    X(ANY_CHECK, SKIPPED, HAS(NAME))                                           \
    X(ANY_CHECK, SKIPPED_EARLIER, )                                            \
    X(ANY_CHECK, MESSAGE, ) /* of the compiler or a device: Cause.what */      \
    X(ANY_CHECK, DEVICE_SILENT, )                                              \
    X(ANY_CHECK, WARNED, HAS(TEXT)) /* by the compiler */                      \
    X(ANY_CHECK, NEVER_SET, HAS(NAME))                                         \
    X(ANY_CHECK, NOT_SHARED, HAS(NAME))                                        \
    X(ANY_CHECK, HIDDEN, HAS(NAME) HAS(NUMBER) HAS(LINE))                      \
    X(ANY_CHECK, INDEX_SET_AGAIN, HAS(NAME) HAS(NUMBER) HAS(LINE))             \
    X(ANY_CHECK, INDEX_UNUSED, HAS(NAME) HAS(NUMBER))                          \
    X(ANY_CHECK, INDEX_NOT_KEPT, HAS(NUMBER))                                  \
    X(ANY_CHECK, AXIS_LEFT_OUT, HAS(TEXT))                                     \
    X(ANY_CHECK, NO_WAY_OUT, )                                                 \
    X(ANY_CHECK, OWN_ADDED, )                                                  \
    X(ANY_CHECK, OWN_ADDED_FOR_RANK, )                                         \
    X(ANY_CHECK, NO_CODE, HAS(NUMBER) HAS(NAME))                               \
    X(ANY_CHECK, NO_CODE_OF_LOOP, HAS(NUMBER) HAS(NAME))                       \
    X(ANY_CHECK, NO_CODE_OF_SAME, HAS(NUMBER) HAS(NAME) HAS(LINE))             \
    X(BUILDS, UNDEFINED, HAS(NAME))                                            \
    X(BUILDS, SHARED_SIZE, CARRIES_TOO_LARGE)                                  \
    X(BUILDS, GLOBAL_SIZE, CARRIES_TOO_LARGE)                                  \
    X(BUILDS, CONSTANT_SIZE, CARRIES_TOO_LARGE)                                \
    X(BUILDS, LOCAL_SIZE, CARRIES_TOO_LARGE)                                   \
    X(BUILDS, SILENT, )                                                        \
    X(SIGNATURE, MANGLED, CARRIES_KERNELS)                                     \
    X(SIGNATURE, OTHER_NAME, CARRIES_KERNELS)                                  \
    X(SIGNATURE, OTHER_NAMES, CARRIES_KERNELS)                                 \
    X(SIGNATURE, NO_KERNEL, HAS(NAME) HAS(FORM))                               \
    X(SIGNATURE, PARAMETERS, HAS(NAME) HAS(FORM) HAS(TEXT) HAS(PARAMS))        \
    X(SIGNATURE, NO_CLUSTER, HAS(NAME) HAS(CTAS))                              \
    X(SIGNATURE, OTHER_CLUSTER, HAS(NAME) HAS(CTAS) CARRIES_DIMS)              \
    X(SIGNATURE, NEEDLESS_CLUSTER, HAS(NAME) CARRIES_DIMS)                     \
    X(SIGNATURE, FEWER_THREADS,                                                \
      HAS(NAME) HAS(THREADS) CARRIES_DIMS HAS(LIMIT))                          \
    X(SIGNATURE, OTHER_THREADS, HAS(NAME) HAS(THREADS) CARRIES_DIMS HAS(TEXT)) \
    X(SIGNATURE, OTHER_HEADER, )                                               \
    X(SIGNATURE, NO_PLAN, HAS(NAME))                                           \
    X(RULES, NO_ROOM, HAS(NAME) HAS(TEXT))                                     \
    X(RULES, ROOM_NOT_KNOWN, )                                                 \
    X(RULES, STOPPED, )                                                        \
    X(RULES, WAITS, )                                                          \
    X(RULES, TIME_LIMIT, HAS(LIMIT) HAS(TEXT))                                 \
    X(RULES, MEMORY_LIMIT, HAS(LIMIT) HAS(TEXT))                               \
    X(RULES, STEP_LIMIT, )                                                     \
    X(RULES, NO_SECRET, HAS(NAME))                                             \
    X(RULES, NO_SCALAR, HAS(NAME))                                             \
    X(LAUNCH_PLAN, NOT_SET, CARRIES_PLAN)                                      \
    X(LAUNCH_PLAN, NOT_SET_PERSISTENT, CARRIES_PLAN)                           \
    X(LAUNCH_PLAN, OTHER_NUMBER, CARRIES_PLAN)                                 \
    X(LAUNCH_PLAN, ROUNDED_DOWN, CARRIES_PLAN)                                 \
    X(LAUNCH_PLAN, PERSISTENT, CARRIES_PLAN)                                   \
    X(LAUNCH_PLAN, ONE_FOR_NOTHING, HAS(NAME) HAS(CHOSEN))                     \
    X(LAUNCH_PLAN, NEVER_ENDS, HAS(NAME))                                      \
    X(CORRECT, NOTHING_TO_COMPARE, )                                           \
    X(CORRECT, NO_CHANGE, HAS(DATA) HAS(TEXT) CARRIES_ELEMENT)                 \
    X(CORRECT, INPUT_CHANGED, HAS(NAME) HAS(DATA))                             \
    X(CORRECT, LEFT_OUT, CARRIES_WRONG HAS(OWNS))                              \
    X(CORRECT, LAST_LEFT_OUT, CARRIES_WRONG)                                   \
    X(CORRECT, ONE_THREAD, CARRIES_WRONG HAS(NUMBER))                          \
    X(CORRECT, OTHER_THREADS, CARRIES_WRONG HAS(NUMBER))                       \
    X(CORRECT, TAIL_LEFT_OUT, CARRIES_WRONG)                                   \
    X(CORRECT, REPEATED, CARRIES_WRONG HAS(TIMES) HAS(OWNS))                   \
    X(CORRECT, NOT_A_NUMBER, CARRIES_WRONG)                                    \
    X(CORRECT, OTHER_FACTOR, CARRIES_WRONG HAS(FACTOR))                        \
    X(CORRECT, OTHER_VALUE, CARRIES_WRONG HAS(TEXT))                           \
    X(EXACTLY_ONCE, NOTHING_DONE, )                                            \
    X(EXACTLY_ONCE, NEVER, CARRIES_BLOCKS)                                     \
    X(EXACTLY_ONCE, REPEATED, CARRIES_BLOCKS)                                  \
    X(EXACTLY_ONCE, BOTH, CARRIES_BLOCKS)                                      \
    X(EXACTLY_ONCE, DIVIDED,                                                   \
      HAS(BLOCKS) HAS(OFTEN) HAS(AGAIN) HAS(DIVIDED) HAS(FIRST) HAS(LAST))     \
    X(CORRECT, FAR, HAS(COUNT) HAS(GRID) HAS(NAME) CARRIES_ELEMENT)            \
    X(EXACTLY_ONCE, FAR, HAS(COUNT) HAS(BLOCKS) HAS(GRID) HAS(FAR))            \
    X(EXACTLY_ONCE, FAR_TURNS, HAS(COUNT) HAS(BLOCKS) HAS(GRID) HAS(FAR))      \
    X(EXACTLY_ONCE, ELEMENTS,                                                  \
      HAS(COUNT) HAS(ELEMENTS) HAS(DATA) HAS(INDEX) HAS(BLOCK) HAS(RANGES))    \
    X(TECHNIQUE, FIXED, HAS(BLOCK) HAS(OWNER))                                 \
    X(TECHNIQUE, PERSISTENT, HAS(BLOCK) HAS(OWNER))                            \
    X(TECHNIQUE, DIVIDED, HAS(BLOCK) HAS(OWNER))                               \
    X(TECHNIQUE, STEALS, HAS(BLOCK) HAS(OWNER))                                \
    X(TECHNIQUE, FIXED_REQUESTS, HAS(REQUESTS))                                \
    X(TECHNIQUE, PERSISTENT_REQUESTS, HAS(REQUESTS))                           \
    X(TECHNIQUE, NO_GRANT, CARRIES_STEALS)                                     \
    X(TECHNIQUE, NO_REQUEST, CARRIES_STEALS)                                   \
    X(TECHNIQUE, NO_MULTICAST_REQUEST, CARRIES_STEALS)                         \
    X(TECHNIQUE, NEVER_ASKED, HAS(BLOCK) CARRIES_STEALS)                       \
    X(TECHNIQUE, CLUSTER_NEVER_ASKED, HAS(BLOCK) CARRIES_STEALS)               \
    X(TECHNIQUE, FEW_IN_FLIGHT, HAS(LIMIT) HAS(REQUESTS))                      \
    X(TECHNIQUE, FEWER_IN_FLIGHT,                                              \
      HAS(BLOCK) HAS(LIMIT) HAS(REQUESTS) HAS(STOLEN))                         \
    X(TECHNIQUE, NOT_BALANCED, HAS(RATIO) HAS(LIMIT) HAS(COUNT) HAS(BLOCKS))   \
    X(TECHNIQUE, DOES_NOT_YIELD,                                               \
      HAS(RATIO) HAS(LIMIT) HAS(CYCLE) HAS(CYCLES) HAS(COUNT))                 \
    X(TECHNIQUE, SLEEPS, )                                                     \
    X(TECHNIQUE, NO_TIME, )                                                    \
    X(TECHNIQUE, NOT_OWN_ASM, HAS(NAME))                                       \
    X(TECHNIQUE, FORBIDDEN, HAS(NAME))                                         \
    X(TECHNIQUE, OUTSIDE_REGIONS, HAS(NAME))                                   \
    X(PROLOGUE, NEVER, HAS(BLOCK) HAS(TIMES))                                  \
    X(PROLOGUE, NEVER_IN_CLUSTER, HAS(BLOCK) HAS(CTAS))                        \
    X(PROLOGUE, REPEATED, HAS(BLOCK) HAS(TIMES))                               \
    X(PROLOGUE, LATE, HAS(BLOCK) HAS(TIMES))                                   \
    X(PROLOGUE, SECRET, )                                                      \
    X(PROLOGUE, MANY_STARTED, HAS(STARTED) HAS(STOLEN) HAS(FIT))               \
    X(PROLOGUE, STOPPED_ASKING, HAS(STARTED) HAS(STOLEN) HAS(FIT) HAS(OWNER))  \
    X(DEVICE, NOT_BUILT, )                                                     \
    X(LAUNCH, MEMORY,                                                          \
      HAS(SCHEDULE) HAS(SIZE) HAS(OFFSET) HAS(WAS) HAS(NOW) HAS(COUNT)         \
          HAS(WORDS))                                                          \
    X(LAUNCH, OUTPUT,                                                          \
      HAS(NAME) HAS(SCHEDULE) HAS(OFFSET) HAS(WAS) HAS(NOW) HAS(COUNT)         \
          HAS(WORDS) HAS(TEXT))

#define RULE_CASES(X) \
    CLC_CASES(X)      \
    MBARRIER_CASES(X) \
    MEMORY_CASES(X)   \
    RACE_CASES(X)     \
    SYNC_CASES(X)     \
    END_CASES(X)

#define FINDING_CASES(X) \
    RULE_CASES(X)        \
    JUDGED_CASES(X)

typedef enum FindingCase {
    CASE_NONE,
#define FINDING_CASE_ENUM(rule, id, carries) CASE_##rule##_##id,
    FINDING_CASES(FINDING_CASE_ENUM)
#undef FINDING_CASE_ENUM
        FINDING_CASE_COUNT
} FindingCase;

// ---- reasons, places -----------------------------------------------------

// Why it came to the case, where that is known. X(ID)
#define FINDING_REASONS(X)                                                  \
    X(BEGAN_WITH_PARITY_1)  /* a wait that was over at once */              \
    X(PARITY_NOT_FLIPPED)   /* likewise */                                  \
    X(ANOTHER_BLOCK_ASKED)  /* into the same slot */                        \
    X(ANOTHER_THREAD_ASKED) /* likewise */                                  \
    X(SEVERAL_ARRIVE)       /* at one place, each with bytes */             \
    X(EACH_ROW_ARRIVES)     /* threadIdx.x == 0, in a block of rows */      \
    X(NULL_POINTER)                                                         \
    X(ADDRESS_OF_SHARED) /* in 32 bits, used as a generic one */            \
    X(HOST_POINTER)      /* of what the host has, and not the device */     \
    X(NULL_FUNCTION)                                                        \
    X(NOT_COOPERATIVE)        /* a grid that synchronises */                \
    X(ANSWER_NOT_ANNOUNCED)   /* its bytes came */                          \
    X(COPY_NOT_ANNOUNCED)     /* likewise */                                \
    X(NOT_MULTICAST)          /* a neighbour's request */                   \
    X(NO_ANSWER_BRINGS_BYTES) /* that were announced */                     \
    X(NOTHING_BRINGS_BYTES)   /* likewise */                                \
    X(MORE_ANNOUNCED)         /* than copies brought */                     \
    X(FEWER_ANNOUNCED)        /* than copies bring */                       \
    X(NEVER_ASKED)            /* likewise, and no request was made */       \
    X(SOME_DO_NOT_ARRIVE)                                                   \
    X(GONE_PAST_ARRIVAL) /* some warps, where the others arrive */          \
    X(EXPECTS_WITHOUT_ARRIVAL)                                              \
    X(NOBODY_HAS_ARRIVED)   /* in any phase */                              \
    X(WRONG_PARITY)         /* or somebody who should arrive waits */       \
    X(POLLS)                /* at the step limit: memory, unchanged */      \
    X(BLOCKS_PENDING)       /* and cannot start before this one ends */     \
    X(ELEMENT_NOT_WRITTEN)  /* of a local array: one that an index chose */ \
    X(GAVE_UP)              /* a wait for an mbarrier: Finding.gave_up */   \
    X(PARITY_FLIPPED_EARLY) /* before the mbarrier had a phase */           \
    X(PARITY_AHEAD)         /* of the phases that the thread has seen */    \
    X(PARITY_KEPT)          /* since the last wait here */                  \
    X(COUNT_TOO_SMALL)      /* of an mbarrier: some come a phase late */    \
    X(ANOTHER_SLOT)         /* is read than the one that was awaited */     \
    X(NOBODY_WAITS)         /* where the reader arrives */                  \
    X(ONE_FOR_ALL_SLOTS)    /* an mbarrier, at which all arrive */          \
    X(NOT_AMONG_ARRIVED)    /* a reader, at the asker's mbarrier */         \
    X(APART)                /* two accesses that no barrier can part */     \
    X(READER_APART)         /* likewise: a read and a request */            \
    X(LAPPED)               /* two phases completed meanwhile */            \
    X(ARRIVED_TWICE)        /* a warp, in one round of a named barrier */   \
    X(BARRIER_SHARED)       /* warps came that had not come before */       \
    X(BARRIER_AGAIN)        /* some of those who had come before */         \
    X(PASSED_BY)            /* a barrier, by threads that it is for */      \
    X(FOLLOWS)              /* from a barrier that is missed */             \
    X(REFUSED)              /* all wait for an answer, after the last */    \
    X(ARRIVED_APART)        /* at the same mbarrier of another block */     \
    X(BROUGHT_APART)        /* bytes, to another mbarrier */                \
    X(OTHERS_ARE_MADE)      /* mbarriers of the same array */               \
    X(NEVER_MADE)           /* an mbarrier, by a block */                   \
    X(ASK_FIRST)            /* all wait, and nobody has begun */            \
    X(NOT_BEGUN)            /* somebody who should begin is elsewhere */    \
    X(RELAXED_WAIT)                                                         \
    X(CLUSTER_BARRIER_RELAXED)                                              \
    X(BARRIER_RELAXED)    /* of the cluster, between two accesses */        \
    X(ANNOUNCED_LATE)     /* behind the arrival */                          \
    X(ARRIVED_EARLY)      /* before the earlier access */                   \
    X(WARP_ARRIVED_EARLY) /* likewise: another lane of its warp */          \
    X(ARRIVED_ALONE)      /* for its warp, which it has not met */          \
    X(RELEASED_FIRST)     /* by the thread of the later access */           \
    X(RELAXED_ARRIVAL)    /* for which the later thread has waited */       \
    X(PROXY_FENCE_ALONE)                                                    \
    X(FLAG_RELAXED)        /* set and seen, with no fence on one side */    \
    X(FLAG_NOT_RELEASED)   /* there is a fence behind the wait */           \
    X(FLAG_NOT_ACQUIRED)   /* there is one in front of the flag */          \
    X(HALVES_SWAPPED)      /* of a proxy fence */                           \
    X(ONLY_ACQUIRED)       /* likewise: the reader released nothing */      \
    X(READER_LEFT)         /* the kernel, and its block goes on */          \
    X(RELEASED_ELSEWHERE)  /* not between the read and the barrier */       \
    X(ACQUIRED_ELSEWHERE)  /* not between the barrier and the request */    \
    X(OTHER_MBARRIER)      /* than the answer's */                          \
    X(GUESS)               /* a compare-and-swap checks what was read */    \
    X(SAME_ELEMENT)        /* two threads of a block */                     \
    X(SAME_ADDRESS)        /* likewise: all of a block have this one */     \
    X(ZERO_GOES_ON)        /* where -1 would have led out of the loop */    \
    X(NO_WAY_OUT)          /* of the loop, whatever an answer says */       \
    X(ONE_OF_SEVERAL)      /* answers was a refusal, another a grant */     \
    X(WAITS_WHILE_OVER)    /* a loop goes on while its wait is true */      \
    X(LOOP_KEEPS)          /* its branches look at registers alone */       \
    X(LEFT_UNSET)          /* a register, by a false predicate */           \
    X(ASKED_ALREADY)       /* is_canceled, which said no */                 \
    X(FIXED_INDEX)         /* the lab: a block has its own index alone */   \
    X(STRIDE_TOO_SHORT)    /* the lab: a grid-stride loop */                \
    X(LOOP_TOO_SHORT)      /* likewise */                                   \
    X(PLACE_IN_CLUSTER)    /* the lab: clusters steal */                    \
    X(OWN_INDEX_LEFT_OUT)  /* by each block that was started */             \
    X(LAST_INDEX_LEFT_OUT) /* by each block, of those it was granted */     \
    X(INDEX_LED_ELSEWHERE) /* taken, and the work done, elsewhere */        \
    X(LEFT_WITH_INDICES)   /* blocks, that they had taken */                \
    X(AT_TWO_PLACES)       /* the same index is processed */                \
    X(INDEX_MULTIPLIED)    /* by the size of the cluster */                 \
    X(SAME_INDEX_AGAIN)    /* by each block: its own */                     \
    X(INDEX_CUT)           /* to 8 or 16 bits */                            \
    X(HELD_IN_ONE_PLACE)   /* an index, in place of the one before */       \
    X(ZERO_IS_AN_INDEX)    /* taken where no answer gave one */             \
    X(HANDED_OVER_LOOSELY) /* an index, by accesses that order nothing */   \
    X(THREADS_LEFT)        /* before the block was taken over */            \
    X(ONE_REQUEST_A_PLACE) /* blocks of a cluster that ask alone */         \
    X(SECOND_LAUNCH)       /* the lab: of the same kernel */                \
    X(SCALAR_CHANGED)      /* the lab: compute_scalar is lab.h's */         \
    X(DEVICE_FAILED)       /* not the submission */                         \
    X(GRADER_LIMIT)        /* not a mistake: in grading */                  \
    X(MACHINE_LIMIT)       /* likewise: in a launch of no lab */

typedef enum FindingReason {
    REASON_NONE,
#define FINDING_REASON_ENUM(id) REASON_##id,
    FINDING_REASONS(FINDING_REASON_ENUM)
#undef FINDING_REASON_ENUM
        FINDING_REASON_COUNT
} FindingReason;

// What is at a place that belongs to a finding. X(ID, facts of its own): others
// are the finding's.
#define CARRIES_INSTEAD HAS(INSTEAD) HAS(STORED) HAS(RANK)
#define CARRIES_LAST HAS(BLOCK) HAS(CYCLE) HAS(CYCLES) HAS(COUNT) HAS(STILL)
#define FINDING_PLACES(X)                                                   \
    X(EARLIER_ISSUED, )                                                     \
    X(EARLIER_WRITE, )                                                      \
    X(EARLIER_READ, )                                                       \
    X(PARITY_FROM, )                                                        \
    X(PARITY_FIXED, )                                                       \
    X(RELAXED_WAIT, )                                                       \
    X(OTHER_WAIT, )                                                         \
    X(MBARRIER_ENDED, )                                                     \
    X(ARRIVED, HAS(OTHER))                                                  \
    X(LAPPED_BY, HAS(OTHER) HAS(PHASE) HAS(COUNT))                          \
    X(LAPPED_AT, )                                                          \
    X(THREADS_LEFT, HAS(THREADS) HAS(BLOCK))                                \
    X(BARRIER_BEFORE,                                                       \
      HAS(NUMBER) HAS(ARRIVED) HAS(COUNT) HAS(TIMES) HAS(CAME) HAS(COME))   \
    X(DECIDED, )                                                            \
    X(WAITED_BEFORE, )                                                      \
    X(WAIT_DECIDED, )                                                       \
    X(WAIT_OVER, )                                                          \
    X(LOOP_DECIDED, )                                                       \
    X(GONE_PAST, HAS(THREAD))                                               \
    X(INIT_DECIDED, )                                                       \
    X(ARRIVED_APART, HAS(OTHER))                                            \
    X(NAMES_OTHER, CARRIES_NAMED)                                           \
    X(ANNOUNCED_APART, CARRIES_NAMED)                                       \
    X(ANNOUNCED, )                                                          \
    X(RELEASED_EARLY, HAS(OTHER))                                           \
    X(RELEASED_FIRST, HAS(OTHER))                                           \
    X(ARRIVED_ALONE, HAS(OTHER))                                            \
    X(RELAXED_ARRIVAL, HAS(OTHER))                                          \
    X(FLAG_SET, HAS(OTHER))                                                 \
    X(FLAG_SEEN, )                                                          \
    X(RELEASED_HERE, )                                                      \
    X(ACQUIRED_HERE, )                                                      \
    X(FULL_FENCE, )                                                         \
    X(COMPLETE_EARLY, HAS(TX))                                              \
    X(STALE_WAIT, )                                                         \
    X(GIVEN_UP, )                                                           \
    X(REQUEST, )                                                            \
    X(EARLIER_REQUEST, HAS(INDEX) HAS(OWNER))                               \
    X(NEXT_REQUEST, )                                                       \
    X(GRANT_SEEN, )                                                         \
    X(INDEX_DECODED, )                                                      \
    X(REFUSAL_SEEN, )                                                       \
    X(ASKS_AGAIN, )                                                         \
    X(LEFT_UNSET, )                                                         \
    X(REFUSAL_DECODED, )                                                    \
    X(ANSWER_LOADED, )                                                      \
    X(BLOCK_LEFT, )                                                         \
    X(PART_DONE, )                                                          \
    X(PART_LEFT, )                                                          \
    X(GONE_BEFORE, HAS(THREADS) HAS(OWNER) HAS(BLOCK))                      \
    X(NEIGHBOUR_LEFT, )                                                     \
    X(MBARRIER_MADE, )                                                      \
    X(MADE_FOR_FEWER, HAS(EXPECTED) HAS(COUNT))                             \
    X(MADE_WITHOUT, HAS(EXPECTED) HAS(OTHER))                               \
    X(MADE_WITHOUT_BLOCK, HAS(EXPECTED) HAS(BLOCK))                         \
    X(INITIALISED, )                                                        \
    X(ALLOCATED, )                                                          \
    X(FREED, )                                                              \
    X(WAITS, HAS(THREAD) HAS(WAIT))                                         \
    X(WAIT_MANY, HAS(THREAD) HAS(WAIT) HAS(THREADS))                        \
    X(POLLED, CARRIES_MEMORY)                                               \
    X(POLLED_UNWRITTEN, CARRIES_MEMORY)                                     \
    X(LAST_WRITTEN, HAS(OTHER))                                             \
    X(WENT_TO_WAIT, HAS(THREAD) HAS(WAIT) HAS(THREADS) HAS(LINE))           \
    X(LANES, HAS(THREADS) HAS(LANES) HAS(STAND))                            \
    X(REGISTERS_HELD, HAS(THREADS) HAS(COUNT))                              \
    X(BEYOND_GRID, HAS(BLOCK) HAS(BLOCKS))                                  \
    X(NOT_STARTED, HAS(BLOCK))                                              \
    X(NOT_STORED, HAS(BLOCK) CARRIES_INSTEAD)                               \
    X(TAKEN, HAS(BLOCK) HAS(ASKER) HAS(OWNER) CARRIES_INSTEAD)              \
    X(TAKEN_AND_LOST, HAS(BLOCK) HAS(ASKER) HAS(OWNER) CARRIES_INSTEAD)     \
    X(OVERWRITTEN, HAS(BLOCK) HAS(ASKER))                                   \
    X(ONLY_ASKED, HAS(BLOCK) HAS(ASKER))                                    \
    X(NOT_DECODED, HAS(BLOCK) HAS(ASKER))                                   \
    X(NOT_TAKEN_AT_PLACE, HAS(BLOCK) HAS(ASKER) HAS(RANK))                  \
    X(BY_ONE, HAS(BLOCK) HAS(TIMES) HAS(OWNER) HAS(STANDING) HAS(STORED))   \
    X(BY_ONE_LATE,                                                          \
      HAS(BLOCK) HAS(TIMES) HAS(OWNER) HAS(STANDING) HAS(STORED) HAS(LINE)) \
    X(BY_SEVERAL, HAS(BLOCK) HAS(WRITERS))                                  \
    X(STORED_BEFORE, )                                                      \
    X(READ_LOOSELY, )                                                       \
    X(WRITTEN_LOOSELY, )                                                    \
    X(ADDRESS_FROM, )                                                       \
    X(VALUE_FROM, )                                                         \
    X(LET_THROUGH, HAS(TEXT))                                               \
    X(NOT_STOPPED, HAS(TEXT))                                               \
    X(WAITED_FOR, CARRIES_NAMED)                                            \
    X(ARRIVES_UNSEEN, CARRIES_NAMED)                                        \
    X(ARRIVES_FOR_ALL, CARRIES_NAMED)                                       \
    X(MADE_BESIDE, CARRIES_NAMED)                                           \
    X(NEVER_ARRIVED, CARRIES_NAMED)                                         \
    X(INDEX_CUT, HAS(COUNT))                                                \
    X(NARROW_TYPE, HAS(COUNT))                                              \
    X(STAGED, )                                                             \
    X(STAGED_FROM, )                                                        \
    X(OTHER_STORED, HAS(BLOCK))                                             \
    X(OWN_STORES, HAS(BLOCK))                                               \
    X(OWNER_LEFT, HAS(OWNER))                                               \
    X(LAST_ASKED_FOR, HAS(BLOCK))                                           \
    X(PROLOGUE, )                                                           \
    X(SEVERAL_TIMES, HAS(BLOCK))                                            \
    X(ENDED_LAST, CARRIES_LAST)                                             \
    X(LEFT_LAST, CARRIES_LAST)                                              \
    X(LAST_AND_IDLE, CARRIES_LAST)                                          \
    X(NOT_IN_ORDER, ) /* it is not found where the order is kept */         \
    X(KEPT_VARIABLE, HAS(NAME))

typedef enum FindingPlace {
#define FINDING_PLACE_ENUM(id, carries) PLACE_##id,
    FINDING_PLACES(FINDING_PLACE_ENUM)
#undef FINDING_PLACE_ENUM
        FINDING_PLACE_COUNT
} FindingPlace;

// ---- what the lists say --------------------------------------------------

// "CLC006_NO_FENCE"; the facts that the case, or the place, carries.
const char *finding_case_name(FindingCase which);
const FactSet *finding_case_carries(FindingCase which);
const FactSet *finding_place_carries(FindingPlace place);

#endif
