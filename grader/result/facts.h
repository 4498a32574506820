// SPDX-License-Identifier: Apache-2.0
// The facts that a finding carries, as data: which there are, of what kind, and
// the words that some of them have as their values. Which case carries which is
// in cases.h; the sentences are in words/.
#ifndef CLCLAB_FACTS_H
#define CLCLAB_FACTS_H

#include "base/base.h"

// How the value of a fact is written.
typedef enum FactKind {
    FACT_IS_NUMBER,  // 12
    FACT_IS_SIGNED,  // -12
    FACT_IS_HEX,     // 0xc
    FACT_IS_MASK,    // 0x0000000c: lanes
    FACT_IS_SECONDS, // number: milliseconds
    FACT_IS_REAL,    // number: fact_real
    FACT_IS_ORDINAL, // 2nd
    FACT_IS_THREAD,  // number: fact_thread
    FACT_IS_BLOCK,   // number: linear index
    FACT_IS_TEXT,    // a name or a message, from the learner or a driver
    FACT_IS_WORD,    // number: FactWord
    FACT_IS_LIST,    // number: how many items
} FactKind;

// X(ID, "placeholder", kind)
// clang-format off
#define FACT_KEYS(X)                                                        \
    X(THREAD, "thread", THREAD)     /* who did it */                        \
    X(OTHER, "other", THREAD)       /* who did it before */                 \
    X(INDEX, "index", NUMBER)       /* of a thread, of an element */        \
    X(BLOCK, "block", BLOCK)        /* the block concerned */               \
    X(OWNER, "owner", BLOCK)        /* of memory, of a request */           \
    X(RANK, "rank", NUMBER)         /* of a CTA in its cluster */           \
    X(CTAS, "ctas", NUMBER)         /* of a cluster */                      \
    X(WARP, "warp", NUMBER)         /* of its block */                      \
    X(LANE, "lane", NUMBER)         /* of its warp */                       \
    X(NTH, "nth", ORDINAL)          /* block index that a CTA is at */      \
    X(LANES, "lanes", MASK)                                                 \
    X(RANKS, "ranks", HEX)          /* of a multicast */                    \
    X(THREADS, "threads", NUMBER)   /* how many */                          \
    X(CLUSTERS, "clusters", NUMBER) /* how many */                          \
    X(BLOCKS, "blocks", NUMBER)     /* how many */                          \
    X(STARTED, "started", NUMBER)   /* blocks */                            \
    X(COUNT, "count", NUMBER)       /* of what the case is about */         \
    X(LIMIT, "limit", NUMBER)       /* that it may not pass */              \
    X(BYTES, "bytes", NUMBER)       /* of the access */                     \
    X(SIZE, "size", NUMBER)         /* bytes of the memory */               \
    X(OFFSET, "offset", SIGNED)     /* bytes, in the memory */              \
    X(DISTANCE, "distance", NUMBER) /* bytes, from the memory */            \
    X(ADDRESS, "address", HEX)                                              \
    X(NUMBER, "number", NUMBER)     /* of a buffer, a parameter, ... */     \
    X(PHASE, "phase", NUMBER)       /* of an mbarrier */                    \
    X(PARITY, "parity", NUMBER)                                             \
    X(EXPECTED, "expected", NUMBER) /* arrivals, threads */                 \
    X(ARRIVED, "arrived", NUMBER)   /* threads */                           \
    X(PENDING, "pending", NUMBER)   /* arrivals */                          \
    X(TX, "tx", SIGNED)             /* bytes that a phase waits for */      \
    X(LINE, "line", NUMBER)         /* of the PTX, of the file */           \
    X(SECONDS, "seconds", SECONDS)                                          \
    X(NAME, "name", TEXT)           /* of a variable or function */         \
    X(TEXT, "text", TEXT)           /* a message, an instruction */         \
    X(ACCESS, "access", WORD)                                               \
    X(MEMORY, "memory", WORD)                                               \
    X(BUFFER, "buffer", WORD)                                               \
    X(LATER, "later", WORD)         /* of two accesses: what is done */     \
    X(EARLIER, "earlier", WORD)     /* who made the earlier access */       \
    X(BEFORE, "before", WORD)       /* what the earlier access was */       \
    X(ORDER, "order", WORD)         /* why two accesses are not ordered */  \
    X(REQUEST, "request", WORD)                                             \
    X(USE, "use", WORD)             /* of an index, of an answer */         \
    X(MBARRIER, "mbarrier", WORD)                                           \
    X(ARRIVALS, "arrivals", WORD)   /* of a phase */                        \
    X(BALANCE, "balance", WORD)     /* of a phase's bytes */                \
    X(WAIT, "wait", WORD)           /* of a thread */                       \
    X(STAND, "stand", WORD)         /* of lanes that are not here */        \
    X(RECORDS, "records", WORD)     /* that the checker ran out of */       \
    X(WORK, "work", WORD)           /* that steps were spent on */          \
    X(PROGRESS, "progress", WORD)   /* of a kernel that was ended */        \
    X(ASKER, "asker", BLOCK)        /* whose request was granted it */      \
    X(STORED, "stored", BLOCK)      /* whose elements were stored to */     \
    X(AGAIN, "again", BLOCK)        /* the first processed again */         \
    X(FIRST, "first", BLOCK)        /* of all block indices */              \
    X(LAST, "last", BLOCK)          /* likewise */                          \
    X(NEVER, "never", NUMBER)       /* block indices not processed */       \
    X(OFTEN, "often", NUMBER)       /* those processed again */             \
    X(TIMES, "times", NUMBER)       /* that something was done */           \
    X(ELEMENTS, "elements", NUMBER) /* how many */                          \
    X(ELEMENT, "element", TEXT)     /* data[5] */                           \
    X(DATA, "data", TEXT)           /* what the lab's kernel changes */     \
    X(WANTED, "wanted", REAL)       /* value of an element */               \
    X(FOUND, "found", REAL)         /* likewise */                          \
    X(FACTOR, "factor", REAL)       /* that elements were multiplied by */  \
    X(HELD, "held", REAL)           /* likewise: before the launch */       \
    X(SCALAR, "scalar", REAL)       /* what the prologue computes */        \
    X(OWNS, "owns", WORD)           /* which elements a block owns */       \
    X(INSTEAD, "instead", WORD)     /* where a block stored */              \
    X(STANDING, "standing", WORD)   /* how a writer came to a block */      \
    X(GRID, "grid", NUMBER)         /* blocks launched */                   \
    X(FIT, "fit", NUMBER)           /* blocks on the device, or on an SM */ \
    X(REQUESTS, "requests", NUMBER) /* how many */                          \
    X(STOLEN, "stolen", NUMBER)     /* blocks */                            \
    X(RATIO, "ratio", NUMBER)       /* percent */                           \
    X(CYCLE, "cycle", NUMBER)       /* modelled */                          \
    X(CYCLES, "cycles", NUMBER)     /* likewise */                          \
    X(SMS, "sms", NUMBER)           /* how many */                          \
    X(CHOSEN, "chosen", SIGNED)     /* blocks, by launch_plan */            \
    X(FORM, "form", TEXT)           /* a declaration that is asked for */   \
    X(DIM_X, "x", NUMBER)           /* of a size in three dimensions */     \
    X(DIM_Y, "y", NUMBER)                                                   \
    X(DIM_Z, "z", NUMBER)                                                   \
    X(SCHEDULE, "schedule", TEXT)   /* its name */                          \
    X(WORDS, "words", NUMBER)       /* of 4 bytes, in a buffer */           \
    X(WAS, "was", TEXT)             /* the bytes of such a word */          \
    X(NOW, "now", TEXT)             /* likewise, in another schedule */     \
    X(FOR_WHOM, "for_whom", WORD)   /* threads that a condition lets do it */ \
    X(CHANGE, "change", WORD)       /* of an operator */                    \
    X(LEFT_OUT, "left_out", WORD)   /* of what is computed */               \
    X(PARAMS, "params", LIST)       /* of a kernel */                       \
    X(MISSED, "missed", LIST)       /* block indices never processed */     \
    X(REPEATED, "repeated", LIST)   /* those processed again */             \
    X(DIVIDED, "divided", LIST)     /* those that blocks share */           \
    X(FAR, "far", LIST)             /* blocks of a large grid, by name */   \
    X(RANGES, "ranges", LIST)       /* elements in a row */                 \
    X(WRITERS, "writers", LIST)     /* of one block's elements */           \
    X(STILL, "still", LIST)         /* block indices processed late */      \
    X(CAME, "came", LIST)           /* warps, to a barrier, before */       \
    X(COME, "come", LIST)           /* likewise, now */
// clang-format on

typedef enum FactKey {
#define FACT_KEY_ENUM(id, name, kind) FACT_##id,
    FACT_KEYS(FACT_KEY_ENUM)
#undef FACT_KEY_ENUM
        FACT_KEY_COUNT
} FactKey;

// The values of the facts that are words, and the items of those that are
// lists: X(KEY, ID).
#define FACT_WORDS(X)            \
    X(ACCESS, READS)             \
    X(ACCESS, WRITES)            \
    X(ACCESS, UPDATES)           \
    X(MEMORY, OWN_VARIABLE)      \
    X(MEMORY, OTHERS_VARIABLE)   \
    X(MEMORY, OWN_ELEMENT)       \
    X(MEMORY, OTHERS_ELEMENT)    \
    X(MEMORY, OWN_SHARED)        \
    X(MEMORY, OTHERS_SHARED)     \
    X(MEMORY, GLOBAL_VARIABLE)   \
    X(MEMORY, HEAP)              \
    X(MEMORY, GLOBAL)            \
    X(MEMORY, LENT)              \
    X(MEMORY, OF_PARAMETER)      \
    X(BUFFER, VARIABLE)          \
    X(BUFFER, HEAP)              \
    X(BUFFER, PARAMETERS)        \
    X(BUFFER, OF_PARAMETER)      \
    X(BUFFER, UNKNOWN)           \
    X(LATER, READS)              \
    X(LATER, WRITES)             \
    X(LATER, ISSUES_READ)        \
    X(LATER, ISSUES_WRITE)       \
    X(LATER, REQUESTS)           \
    X(EARLIER, THREAD)           \
    X(EARLIER, OTHERS)           \
    X(EARLIER, ANSWER)           \
    X(EARLIER, ASYNC)            \
    X(BEFORE, READS)             \
    X(BEFORE, WRITES)            \
    X(BEFORE, HAS_READ)          \
    X(BEFORE, HAS_WRITTEN)       \
    X(ORDER, NOTHING)            \
    X(ORDER, SAME_VALUE)         \
    X(ORDER, IDLE)               \
    X(ORDER, GUESS)              \
    X(ORDER, SCOPES)             \
    X(ORDER, SIZES)              \
    X(ORDER, FENCE_CTA)          \
    X(ORDER, FENCE_CLUSTER)      \
    X(ORDER, FENCE_ALL)          \
    X(REQUEST, OWN)              \
    X(REQUEST, MULTICAST)        \
    X(USE, IN_A_CONDITION)       \
    X(USE, IN_AN_ADDRESS)        \
    X(USE, IN_AN_OPERAND)        \
    X(USE, AS_A_VALUE)           \
    X(MBARRIER, UNKNOWN)         \
    X(MBARRIER, VARIABLE)        \
    X(MBARRIER, ELEMENT)         \
    X(MBARRIER, INSIDE)          \
    X(ARRIVALS, ALL)             \
    X(ARRIVALS, LACKS_THE_ONE)   \
    X(ARRIVALS, LACKS_SOME)      \
    X(BALANCE, EVEN)             \
    X(BALANCE, UNANNOUNCED)      \
    X(BALANCE, LACKS)            \
    X(BALANCE, LACKS_TOO)        \
    X(WAIT, BARRIER)             \
    X(WAIT, CLUSTER)             \
    X(WAIT, MBARRIER)            \
    X(WAIT, MEMORY)              \
    X(WAIT, LANES)               \
    X(WAIT, ALIGNED)             \
    X(WAIT, REGISTERS)           \
    X(WAIT, COPIES)              \
    X(STAND, HERE)               \
    X(STAND, OTHER_BARRIER)      \
    X(STAND, UNALIGNED_BARRIER)  \
    X(STAND, MBARRIER)           \
    X(STAND, LANES)              \
    X(RECORDS, MEMORY)           \
    X(RECORDS, READERS)          \
    X(RECORDS, SYNCHRONISATIONS) \
    X(RECORDS, RELEASES)         \
    X(RECORDS, BLOCKS)           \
    X(WORK, INSTRUCTIONS)        \
    X(WORK, COPY)                \
    X(WORK, CLEAR)               \
    X(WORK, PRINT)               \
    X(WORK, ORDER)               \
    X(PROGRESS, UNKNOWN)         \
    X(PROGRESS, KNOWN)           \
    X(OWNS, LINE)                \
    X(OWNS, BOX)                 \
    X(OWNS, ROW)                 \
    X(INSTEAD, NOTHING)          \
    X(INSTEAD, PLACE_LEFT_OUT)   \
    X(INSTEAD, PLACE_TWICE)      \
    X(INSTEAD, TAKEN_NEXT)       \
    X(INSTEAD, NOT_OWNED)        \
    X(STANDING, NOT_SAID)        \
    X(STANDING, OWN)             \
    X(STANDING, FROM_ANSWER)     \
    X(STANDING, OTHER_PLACE)     \
    X(STANDING, PLACE_LEFT_OUT)  \
    X(STANDING, PLACE_TWICE)     \
    X(STANDING, NO_ANSWER)       \
    X(FOR_WHOM, THREAD_0)        \
    X(FOR_WHOM, RANK_0)          \
    X(FOR_WHOM, EACH_WARP)       \
    X(CHANGE, TIMES_FOR_PLUS)    \
    X(CHANGE, PLUS_FOR_TIMES)    \
    X(CHANGE, TIMES_STORED)      \
    X(CHANGE, PLUS_STORED)       \
    X(LEFT_OUT, SUM)             \
    X(LEFT_OUT, PRODUCT)         \
    X(LEFT_OUT, DIFFERENCE)      \
    X(LEFT_OUT, FIRST)           \
    X(LEFT_OUT, SECOND)          \
    X(LEFT_OUT, ABOUT)           \
    X(PARAMS, NONE)              \
    X(PARAMS, TYPE)              \
    X(PARAMS, STRUCT)            \
    X(PARAMS, NEXT_TYPE)         \
    X(PARAMS, NEXT_STRUCT)       \
    X(MISSED, FIRST)             \
    X(MISSED, NEXT)              \
    X(MISSED, MORE)              \
    X(REPEATED, FIRST)           \
    X(REPEATED, NEXT)            \
    X(REPEATED, FIRST_IN_PART)   \
    X(REPEATED, NEXT_IN_PART)    \
    X(REPEATED, MORE)            \
    X(FAR, FIRST)                \
    X(FAR, NEXT)                 \
    X(FAR, MORE)                 \
    X(RANGES, FIRST)             \
    X(RANGES, FIRST_ALONE)       \
    X(RANGES, NEXT)              \
    X(RANGES, NEXT_ALONE)        \
    X(RANGES, MORE)              \
    X(DIVIDED, FIRST)            \
    X(DIVIDED, NEXT)             \
    X(DIVIDED, MORE)             \
    X(WRITERS, FIRST)            \
    X(WRITERS, NEXT)             \
    X(WRITERS, LAST)             \
    X(WRITERS, MORE)             \
    X(WRITERS, OTHERS)           \
    X(STILL, FIRST)              \
    X(STILL, NEXT)               \
    X(STILL, MORE)               \
    X(CAME, FIRST)               \
    X(CAME, NEXT)                \
    X(CAME, MORE)                \
    X(COME, FIRST)               \
    X(COME, NEXT)                \
    X(COME, MORE)

typedef enum FactWord {
#define FACT_WORD_ENUM(key, id) WORD_##key##_##id,
    FACT_WORDS(FACT_WORD_ENUM)
#undef FACT_WORD_ENUM
        FACT_WORD_COUNT
} FactWord;

typedef struct FactItem FactItem;

typedef struct Fact {
    FactKey key;
    uint64_t number;
    Str text;             // of a fact that is a text
    const FactItem *list; // [number]: of one that is a list
} Fact;

typedef struct Facts {
    const Fact *items;
    size_t count;
} Facts;

// One item of a list, told by the word of its place in it: the first, one
// behind another, ...
struct FactItem {
    FactWord word; // of the list's key
    Facts facts;
};

// Which facts there are. The last one is not used: no initialiser is empty.
typedef struct FactSet {
    bool has[FACT_KEY_COUNT + 1];
} FactSet;

// FACTS(FACT(BYTES, 4), FACT_STR(NAME, name), FACT_SAYS(ACCESS, READS)): what
// a case carries. A word of another key than the fact's does not compile.
#define FACT(id, value) ((Fact){.key = FACT_##id, .number = (uint64_t)(value)})
#define FACT_STR(id, str) ((Fact){.key = FACT_##id, .text = str})
#define FACT_SAYS(id, word) FACT(id, WORD_##id##_##word)
#define FACT_ITEMS(id, items, count) \
    ((Fact){.key = FACT_##id, .number = (count), .list = (items)})
#define FACTS(...)                        \
    ((Facts){(const Fact[]){__VA_ARGS__}, \
             sizeof((const Fact[]){__VA_ARGS__}) / sizeof(Fact)})
#define NO_FACTS ((Facts){0})

// ---- what the lists say --------------------------------------------------

FactKind fact_kind(FactKey key);
const char *fact_name(FactKey key); // "bytes"
FactKey fact_word_key(FactWord word);
const Fact *fact_find(Facts facts, FactKey key); // NULL if there is none
Facts facts_copy(Arena *arena, Facts facts);
// Encodes a thread of a block as the value of a fact, and decodes it.
uint64_t fact_thread(uint32_t block, uint32_t thread);
uint32_t fact_thread_block(uint64_t value);
uint32_t fact_thread_index(uint64_t value);
// Likewise a real number.
uint64_t fact_real(double value);
double fact_real_value(uint64_t value);
// Whether these are the facts of the set, and each word is one of its key.
bool facts_are(Facts facts, const FactSet *set);

#endif
