// SPDX-License-Identifier: Apache-2.0
// The instructions of PTX, one row each, with everything that the grader needs
// to know of what the ISA says about them. Private to opcodes.h. Source: PTX
// ISA 9.0, chapter 9.
//
// X(ID, "name", dsts, least, most, sink, types, "operands", TRAITS, "sentence")
//   dsts         leading operands that are written (0, 1 or 2)
//   least, most  the number of operands. A pair d|p, a vector, and an address
//                with its brackets each count as one.
//   sink         1: its result may be "_" (for shfl: only the predicate)
//   types        operand sizes are checked only in forms with this many types;
//                0: in all forms
//   operands     a letter for each; sizes are checked as ptxas checks them
//                (sizes.c):
//                  t, s     the size of the first type, of the second
//                  T, S     that size, or a larger one
//                  u, l, q  32, 64, 128 bits
//                  p        a predicate
//                  a, A     must be an address in brackets; may be one
//                  n        may be negated (-r)
//                  -        not checked further
//                For a pair, the letter is the first operand's; the second is a
//                predicate. For a vector, it is that of the elements.
//   TRAITS       what it does, in the words of traits.h. traits.c has short
//                forms that several rows share. Every trait must be given:
//                TRAITS(data, result, access, object, order, proxy, next)
//
// A row that leaves something out does not compile.
#ifndef CLCLAB_PTX_INSTRUCTIONS_H
#define CLCLAB_PTX_INSTRUCTIONS_H

// Integer, floating point and logic (sections 9.7.1 to 9.7.8).
#define PTX_OPCODES_MATH(X)                                                    \
    X(ABS, "abs", 1, 2, 2, 0, 1, "tt", ALU(USED), "Absolute value.")           \
    X(ADD, "add", 1, 3, 3, 0, 1, "ttt", ALU(ADDED), "Sum.")                    \
    X(ADDC, "addc", 1, 3, 3, 0, 1, "ttt", STATE(USED, NONE),                   \
      "Sum and carry in.")                                                     \
    X(AND, "and", 1, 3, 3, 0, 1, "ttt", ALU(ANDED), "Bitwise and.")            \
    X(BFE, "bfe", 1, 4, 4, 0, 1, "ttuu", ALU(MOVED), "Bit field extract.")     \
    X(BFI, "bfi", 1, 5, 5, 0, 1, "tttuu", ALU(MERGED), "Bit field insert.")    \
    X(BFIND, "bfind", 1, 2, 2, 0, 1, "ut", ALU(USED),                          \
      "Position of the highest non-sign bit.")                                 \
    X(BMSK, "bmsk", 1, 3, 3, 0, 0, "---", ALU(USED),                           \
      "Bit mask from position and width.")                                     \
    X(BREV, "brev", 1, 2, 2, 0, 1, "tt", ALU(USED), "Bit reversal.")           \
    X(CLZ, "clz", 1, 2, 2, 0, 1, "ut", ALU(USED), "Count of leading zeros.")   \
    X(CNOT, "cnot", 1, 2, 2, 0, 1, "tt", ALU(USED), "C's logical not.")        \
    X(COPYSIGN, "copysign", 1, 3, 3, 0, 1, "ttt", ALU(USED),                   \
      "Sign of the first, magnitude of the second.")                           \
    X(COS, "cos", 1, 2, 2, 0, 1, "tt", ALU(USED), "Cosine.")                   \
    X(DIV, "div", 1, 3, 3, 0, 1, "ttt", ALU(USED), "Quotient.")                \
    X(DP2A, "dp2a", 1, 4, 4, 0, 0, "----", ALU(USED),                          \
      "Dot product of two 16-bit and 8-bit pairs.")                            \
    X(DP4A, "dp4a", 1, 4, 4, 0, 0, "----", ALU(USED),                          \
      "Dot product of four 8-bit values.")                                     \
    X(EX2, "ex2", 1, 2, 2, 0, 1, "tt", ALU(USED), "Power of 2.")               \
    X(FMA, "fma", 1, 4, 4, 0, 1, "tttt", ALU(USED), "Fused multiply and add.") \
    X(FNS, "fns", 1, 4, 4, 0, 0, "----", ALU(USED),                            \
      "Position of the n-th set bit.")                                         \
    X(LG2, "lg2", 1, 2, 2, 0, 1, "tt", ALU(USED), "Logarithm of base 2.")      \
    X(LOP3, "lop3", 1, 5, 6, 1, 1, "tttt-p", ALU(MERGED),                      \
      "Any logic function of three inputs.")                                   \
    X(MAD, "mad", 1, 4, 4, 0, 1, "tttt", ALU(USED), "Multiply and add.")       \
    X(MAD24, "mad24", 1, 4, 4, 0, 1, "tttt", ALU(USED),                        \
      "Multiply and add of 24-bit values.")                                    \
    X(MADC, "madc", 1, 4, 4, 0, 1, "tttt", STATE(USED, NONE),                  \
      "Multiply and add with carry in.")                                       \
    X(MAX, "max", 1, 3, 4, 0, 1, "tttt", ALU(USED), "Maximum.")                \
    X(MIN, "min", 1, 3, 4, 0, 1, "tttt", ALU(USED), "Minimum.")                \
    X(MUL, "mul", 1, 3, 3, 0, 1, "ttt", ALU(MULTIPLIED), "Product.")           \
    X(MUL24, "mul24", 1, 3, 3, 0, 1, "ttt", ALU(USED),                         \
      "Product of 24-bit values.")                                             \
    X(NEG, "neg", 1, 2, 2, 0, 1, "tt", ALU(USED), "Negation.")                 \
    X(NOT, "not", 1, 2, 2, 0, 1, "tt", ALU(MOVED), "Bitwise not.")             \
    X(OR, "or", 1, 3, 3, 0, 1, "ttt", ALU(ORED), "Bitwise or.")                \
    X(POPC, "popc", 1, 2, 2, 0, 1, "ut", ALU(USED), "Count of set bits.")      \
    X(PRMT, "prmt", 1, 4, 4, 0, 1, "tttt", ALU(MERGED),                        \
      "Permutes the bytes of a pair.")                                         \
    X(RCP, "rcp", 1, 2, 2, 0, 1, "tt", ALU(USED), "Reciprocal.")               \
    X(REM, "rem", 1, 3, 3, 0, 1, "ttt", ALU(USED), "Remainder.")               \
    X(RSQRT, "rsqrt", 1, 2, 2, 0, 1, "tt", ALU(USED),                          \
      "Reciprocal of the square root.")                                        \
    X(SAD, "sad", 1, 4, 4, 0, 1, "tttt", ALU(USED),                            \
      "Sum of the absolute difference.")                                       \
    X(SELP, "selp", 1, 4, 4, 0, 1, "tttp", ALU(SELECTED),                      \
      "Selects by a predicate.")                                               \
    X(SET, "set", 1, 3, 4, 0, 2, "tssp", ALU(COMPARED),                        \
      "Compares; the result is a number.")                                     \
    X(SETP, "setp", 1, 3, 4, 1, 1, "pttp", ALU(COMPARED),                      \
      "Compares; the result is a predicate.")                                  \
    X(SHF, "shf", 1, 4, 4, 0, 1, "tttu", ALU(MOVED), "Funnel shift.")          \
    X(SHL, "shl", 1, 3, 3, 0, 1, "ttu", ALU(MOVED), "Left shift.")             \
    X(SHR, "shr", 1, 3, 3, 0, 1, "ttu", ALU(MOVED), "Right shift.")            \
    X(SIN, "sin", 1, 2, 2, 0, 1, "tt", ALU(USED), "Sine.")                     \
    X(SLCT, "slct", 1, 4, 4, 0, 2, "ttts", ALU(COMPARED),                      \
      "Selects by a sign.")                                                    \
    X(SQRT, "sqrt", 1, 2, 2, 0, 1, "tt", ALU(USED), "Square root.")            \
    X(SUB, "sub", 1, 3, 3, 0, 1, "ttt", ALU(USED), "Difference.")              \
    X(SUBC, "subc", 1, 3, 3, 0, 1, "ttt", STATE(USED, NONE),                   \
      "Difference and borrow in.")                                             \
    X(SZEXT, "szext", 1, 3, 3, 0, 0, "---", ALU(USED),                         \
      "Sign or zero extension from a bit position.")                           \
    X(TANH, "tanh", 1, 2, 2, 0, 1, "tt", ALU(USED), "Hyperbolic tangent.")     \
    X(TESTP, "testp", 1, 2, 2, 0, 1, "pt", ALU(USED),                          \
      "Tests the class of a float.")                                           \
    X(XOR, "xor", 1, 3, 3, 0, 1, "ttt", ALU(MOVED), "Bitwise exclusive or.")

// Moves, conversions and memory (section 9.7.9).
#define PTX_OPCODES_MEMORY(X)                                                  \
    X(APPLYPRIORITY, "applypriority", 0, 2, 2, 0, 0, "a-", HINT(USED),         \
      "Sets the eviction priority of a range.")                                \
    X(CREATEPOLICY, "createpolicy", 1, 1, 4, 0, 0, "AAAA", ALU(USED),          \
      "Makes a cache eviction policy.")                                        \
    X(CVT, "cvt", 1, 2, 4, 0, 2, "TS--", ALU(CONVERTED),                       \
      "Converts between types.")                                               \
    X(CVT_PACK, "cvt.pack", 1, 3, 4, 0, 0, "----", ALU(USED),                  \
      "Converts and packs two integers.")                                      \
    X(CVTA, "cvta", 1, 2, 2, 0, 1, "tt", ALU(USED),                            \
      "Converts to or from a generic address.")                                \
    X(DISCARD, "discard", 0, 2, 2, 0, 0, "a-",                                 \
      TRAITS(USED, NONE, WRITES, BYTES, NONE, GENERIC, NEXT),                  \
      "Drops a range of cache lines.")                                         \
    X(GETCTARANK, "getctarank", 1, 2, 2, 0, 0, "--", STATE(USED, NONE),        \
      "Rank of the CTA that a shared address is in.")                          \
    X(ISSPACEP, "isspacep", 1, 2, 2, 0, 0, "--", STATE(USED, NONE),            \
      "Is the generic address in a state space?")                              \
    X(ISTYPEP, "istypep", 1, 2, 2, 0, 0, "--", ALU(USED),                      \
      "Is the variable an opaque type?")                                       \
    X(LD, "ld", 1, 2, 3, 0, 1, "Ta-", LOAD(SUFFIX), "Load.")                   \
    X(LDU, "ldu", 1, 2, 2, 0, 0, "-a", LOAD(NONE),                             \
      "Load of read-only data, the same for a warp.")                          \
    X(MAPA, "mapa", 1, 3, 3, 0, 1, "ttu", STATE(USED, NONE),                   \
      "The same shared address in another CTA.")                               \
    X(MOV, "mov", 1, 2, 2, 0, 1, "tt", ALU(MOVED),                             \
      "Move; packs and unpacks vectors.")                                      \
    X(MULTIMEM_CP_ASYNC_BULK, "multimem.cp.async.bulk", 0, 3, 4, 0, 0, "aa--", \
      COPY(USED, COPIES, ASYNC), "Bulk copy to a multimem address.")           \
    X(MULTIMEM_CP_REDUCE_ASYNC_BULK, "multimem.cp.reduce.async.bulk", 0, 3, 3, \
      0, 0, "aa-", COPY(USED, COPIES, ASYNC),                                  \
      "Bulk reduction to a multimem address.")                                 \
    X(MULTIMEM_LD_REDUCE, "multimem.ld_reduce", 1, 2, 2, 0, 0, "-a",           \
      LOAD(SUFFIX), "Load and reduction over a multimem address.")             \
    X(MULTIMEM_RED, "multimem.red", 0, 2, 2, 0, 0, "a-", ATOMIC(NONE),         \
      "Reduction to a multimem address.")                                      \
    X(MULTIMEM_ST, "multimem.st", 0, 2, 2, 0, 0, "a-", STORE(SUFFIX),          \
      "Store to a multimem address.")                                          \
    X(PREFETCH, "prefetch", 0, 1, 1, 0, 0, "a", HINT(USED),                    \
      "Brings a line into a cache.")                                           \
    X(PREFETCHU, "prefetchu", 0, 1, 1, 0, 0, "a", HINT(USED),                  \
      "Brings a line into the uniform cache.")                                 \
    X(RED_ASYNC, "red.async", 0, 2, 3, 0, 0, "a-a",                            \
      COPY(USED, UPDATES, GENERIC),                                            \
      "Asynchronous reduction with an mbarrier.")                              \
    X(ST, "st", 0, 2, 3, 0, 1, "aT-", STORE(SUFFIX), "Store.")                 \
    X(ST_ASYNC, "st.async", 0, 2, 3, 0, 0, "a-A",                              \
      COPY(PASSED, WRITES, GENERIC), "Asynchronous store with an mbarrier.")   \
    X(ST_BULK, "st.bulk", 0, 3, 3, 0, 0, "a--",                                \
      TRAITS(USED, NONE, WRITES, BYTES, NONE, GENERIC, NEXT),                  \
      "Fills a range with a value.")                                           \
    X(TENSORMAP_CP_FENCEPROXY, "tensormap.cp_fenceproxy", 0, 3, 3, 0, 0,       \
      "aa-", TRAITS(USED, NONE, COPIES, BYTES, FENCE, GENERIC, NEXT),          \
      "Copies a tensor map and fences its proxy.")                             \
    X(TENSORMAP_REPLACE, "tensormap.replace", 0, 2, 3, 0, 0, "a--",            \
      TRAITS(USED, NONE, UPDATES, BYTES, NONE, GENERIC, NEXT),                 \
      "Changes a field of a tensor map.")

// Asynchronous copies (section 9.7.9.25).
#define PTX_OPCODES_COPY(X)                                                    \
    X(CP_ASYNC, "cp.async", 0, 3, 5, 0, 0, "aa---",                            \
      COPY(USED, COPIES, GENERIC), "Asynchronous copy of 4, 8 or 16 bytes.")   \
    X(CP_ASYNC_BULK, "cp.async.bulk", 0, 3, 8, 0, 0, "aaAAAAAA",               \
      COPY(USED, COPIES, ASYNC), "Asynchronous bulk copy.")                    \
    X(CP_ASYNC_BULK_COMMIT_GROUP, "cp.async.bulk.commit_group", 0, 0, 0, 0, 0, \
      "", GROUPS(NONE, NEXT), "Closes a group of bulk copies.")                \
    X(CP_ASYNC_BULK_PREFETCH, "cp.async.bulk.prefetch", 0, 2, 3, 0, 0, "a--",  \
      TRAITS(USED, NONE, READS, BYTES, NONE, ASYNC, NEXT),                     \
      "Bulk prefetch into the L2 cache.")                                      \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, "cp.async.bulk.prefetch.tensor", 0, 1, 3, \
      0, 0, "a--", TRAITS(USED, NONE, READS, BYTES, NONE, ASYNC, NEXT),        \
      "Tensor prefetch into the L2 cache.")                                    \
    X(CP_ASYNC_BULK_TENSOR, "cp.async.bulk.tensor", 0, 2, 6, 0, 0, "aaAAAA",   \
      COPY(USED, COPIES, ASYNC), "Asynchronous tensor copy.")                  \
    X(CP_ASYNC_BULK_WAIT_GROUP, "cp.async.bulk.wait_group", 0, 1, 1, 0, 0,     \
      "-", GROUPS(USED, WAIT), "Waits for groups of bulk copies.")             \
    X(CP_ASYNC_COMMIT_GROUP, "cp.async.commit_group", 0, 0, 0, 0, 0, "",       \
      GROUPS(NONE, NEXT), "Closes a group of copies.")                         \
    X(CP_ASYNC_MBARRIER_ARRIVE, "cp.async.mbarrier.arrive", 0, 1, 1, 0, 0,     \
      "a", TRAITS(USED, NONE, UPDATES, GROUPS, ASYNC, GENERIC, NEXT),          \
      "Arrives when earlier copies are done.")                                 \
    X(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", 0, 0, 0, 0, 0, "",               \
      GROUPS(NONE, WAIT), "Waits for all copies.")                             \
    X(CP_ASYNC_WAIT_GROUP, "cp.async.wait_group", 0, 1, 1, 0, 0, "-",          \
      GROUPS(USED, WAIT), "Waits for groups of copies.")                       \
    X(CP_REDUCE_ASYNC_BULK, "cp.reduce.async.bulk", 0, 3, 5, 0, 0, "aaAAA",    \
      COPY(USED, COPIES, ASYNC), "Asynchronous bulk reduction.")               \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, "cp.reduce.async.bulk.tensor", 0, 2, 4, 0,  \
      0, "aa--", COPY(USED, COPIES, ASYNC), "Asynchronous tensor reduction.")

// Control flow (section 9.7.12).
#define PTX_OPCODES_CONTROL(X)                                               \
    X(BRA, "bra", 0, 1, 1, 0, 0, "-", FLOW(NONE, JUMP), "Branch.")           \
    X(BRX_IDX, "brx.idx", 0, 1, 1, 0, 0, "-", FLOW(USED, TABLE),             \
      "Branch by an index in a table.")                                      \
    X(CALL, "call", 0, 3, 3, 0, 0, "---", FLOW(PASSED, CALL),                \
      "Call: results, callee, arguments.")                                   \
    X(EXIT, "exit", 0, 0, 0, 0, 0, "", FLOW(NONE, EXIT), "Ends the thread.") \
    X(RET, "ret", 0, 0, 0, 0, 0, "", FLOW(PASSED, RETURN), "Return.")

// Barriers, fences, atomics, votes (section 9.7.13).
#define PTX_OPCODES_SYNC(X)                                                \
    X(ACTIVEMASK, "activemask", 1, 1, 1, 0, 1, "t",                        \
      TRAITS(NONE, STATE, NONE, LANES, NONE, NONE, NEXT),                  \
      "Mask of the active lanes.")                                         \
    X(ATOM, "atom", 1, 3, 5, 1, 1, "tat--", ATOMIC(STATE),                 \
      "Atomic operation.")                                                 \
    X(BAR_ARRIVE, "bar.arrive", 0, 2, 2, 0, 0, "--",                       \
      TRAITS(USED, NONE, NONE, CTA, PART, NONE, NEXT),                     \
      "CTA barrier, arrival only.")                                        \
    X(BAR_CTA_ARRIVE, "bar.cta.arrive", 0, 2, 2, 0, 0, "--",               \
      TRAITS(USED, NONE, NONE, CTA, PART, NONE, NEXT),                     \
      "CTA barrier, arrival only.")                                        \
    X(BAR_CTA_RED, "bar.cta.red", 1, 3, 4, 0, 0, "----", BARRIER(STATE),   \
      "CTA barrier with a reduction.")                                     \
    X(BAR_CTA_SYNC, "bar.cta.sync", 0, 1, 2, 0, 0, "--", BARRIER(NONE),    \
      "CTA barrier.")                                                      \
    X(BAR_RED, "bar.red", 1, 3, 4, 0, 0, "----", BARRIER(STATE),           \
      "CTA barrier with a reduction.")                                     \
    X(BAR_SYNC, "bar.sync", 0, 1, 2, 0, 0, "--", BARRIER(NONE),            \
      "CTA barrier.")                                                      \
    X(BAR_WARP_SYNC, "bar.warp.sync", 0, 1, 1, 0, 0, "-",                  \
      TRAITS(USED, NONE, NONE, LANES, PART, NONE, WAIT),                   \
      "Barrier of the lanes of a mask.")                                   \
    X(BARRIER_ARRIVE, "barrier.arrive", 0, 2, 2, 0, 0, "--",               \
      TRAITS(USED, NONE, NONE, CTA, PART, NONE, NEXT),                     \
      "CTA barrier, arrival only.")                                        \
    X(BARRIER_CLUSTER_ARRIVE, "barrier.cluster.arrive", 0, 0, 0, 0, 0, "", \
      TRAITS(NONE, NONE, NONE, CLUSTER, PART, NONE, NEXT),                 \
      "Arrives at the cluster barrier.")                                   \
    X(BARRIER_CLUSTER_WAIT, "barrier.cluster.wait", 0, 0, 0, 0, 0, "",     \
      TRAITS(NONE, NONE, NONE, CLUSTER, PART, NONE, WAIT),                 \
      "Waits at the cluster barrier.")                                     \
    X(BARRIER_CTA_ARRIVE, "barrier.cta.arrive", 0, 2, 2, 0, 0, "--",       \
      TRAITS(USED, NONE, NONE, CTA, PART, NONE, NEXT),                     \
      "CTA barrier, arrival only.")                                        \
    X(BARRIER_CTA_RED, "barrier.cta.red", 1, 3, 4, 0, 0, "----",           \
      BARRIER(STATE), "CTA barrier with a reduction.")                     \
    X(BARRIER_CTA_SYNC, "barrier.cta.sync", 0, 1, 2, 0, 0, "--",           \
      BARRIER(NONE), "CTA barrier.")                                       \
    X(BARRIER_RED, "barrier.red", 1, 3, 4, 0, 0, "----", BARRIER(STATE),   \
      "CTA barrier with a reduction.")                                     \
    X(BARRIER_SYNC, "barrier.sync", 0, 1, 2, 0, 0, "--", BARRIER(NONE),    \
      "CTA barrier.")                                                      \
    X(ELECT, "elect", 1, 2, 2, 1, 0, "uu", LANES(USED),                    \
      "Elects a lane of a mask.")                                          \
    X(FENCE, "fence", 0, 0, 0, 0, 0, "", FENCE(NONE), "Memory fence.")     \
    X(FENCE_MBARRIER_INIT, "fence.mbarrier_init", 0, 0, 0, 0, 0, "",       \
      FENCE(NONE), "Fence after mbarrier.init, for the cluster.")          \
    X(FENCE_PROXY, "fence.proxy", 0, 0, 2, 0, 0, "AA", FENCE(USED),        \
      "Fence between proxies.")                                            \
    X(GRIDDEPCONTROL, "griddepcontrol", 0, 0, 0, 0, 0, "",                 \
      TRAITS(NONE, NONE, NONE, NONE, NONE, NONE, WAIT),                    \
      "Dependent grids: launch or wait.")                                  \
    X(MATCH, "match", 1, 3, 3, 1, 0, "---", LANES(USED),                   \
      "Lanes with the same value.")                                        \
    X(MEMBAR, "membar", 0, 0, 0, 0, 0, "", FENCE(NONE),                    \
      "Memory fence, older form.")                                         \
    X(MEMBAR_PROXY, "membar.proxy", 0, 0, 0, 0, 0, "", FENCE(NONE),        \
      "Fence between proxies, older form.")                                \
    X(RED, "red", 0, 2, 3, 0, 1, "at-", ATOMIC(NONE),                      \
      "Atomic operation without a result.")                                \
    X(REDUX, "redux", 1, 3, 3, 0, 1, "ttu", LANES(USED),                   \
      "Reduction over the lanes of a mask.")                               \
    X(SHFL, "shfl", 1, 4, 5, 1, 1, "tuuu-", LANES(SHUFFLED),               \
      "Exchange between lanes.")                                           \
    X(VOTE, "vote", 1, 2, 3, 0, 0, "---", LANES(USED), "Vote over the lanes.")

// mbarrier (section 9.7.13.15).
#define PTX_OPCODES_MBARRIER(X)                                              \
    X(MBARRIER_ARRIVE, "mbarrier.arrive", 1, 2, 3, 1, 0, "lau",              \
      MBARRIER(STATE, UPDATES, NEXT), "Arrives; gives the phase.")           \
    X(MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop", 1, 2, 3, 1, 0, "lau",    \
      MBARRIER(STATE, UPDATES, NEXT), "Arrives, for all phases to come.")    \
    X(MBARRIER_COMPLETE_TX, "mbarrier.complete_tx", 0, 2, 2, 0, 0, "a-",     \
      MBARRIER(NONE, UPDATES, NEXT), "Lowers the tx-count.")                 \
    X(MBARRIER_EXPECT_TX, "mbarrier.expect_tx", 0, 2, 2, 0, 0, "a-",         \
      MBARRIER(NONE, UPDATES, NEXT), "Raises the tx-count.")                 \
    X(MBARRIER_INIT, "mbarrier.init", 0, 2, 2, 0, 0, "au",                   \
      MBARRIER(NONE, UPDATES, NEXT), "Makes an mbarrier object.")            \
    X(MBARRIER_INVAL, "mbarrier.inval", 0, 1, 1, 0, 0, "a",                  \
      MBARRIER(NONE, UPDATES, NEXT), "Ends an mbarrier object.")             \
    X(MBARRIER_PENDING_COUNT, "mbarrier.pending_count", 1, 2, 2, 0, 0, "--", \
      ALU(USED), "Pending arrivals of a phase.")                             \
    X(MBARRIER_TEST_WAIT, "mbarrier.test_wait", 1, 3, 3, 0, 0, "pal",        \
      MBARRIER(STATE, READS, NEXT), "Has the phase completed?")              \
    X(MBARRIER_TRY_WAIT, "mbarrier.try_wait", 1, 3, 4, 0, 0, "palu",         \
      MBARRIER(STATE, READS, WAIT), "Waits for a phase, not for ever.")

// Cluster launch control (section 9.7.13.17).
#define PTX_OPCODES_CLC(X)                                                    \
    X(CLUSTERLAUNCHCONTROL_QUERY_CANCEL, "clusterlaunchcontrol.query_cancel", \
      1, 2, 2, 1, 0, "uq",                                                    \
      TRAITS(PASSED, STATE, NONE, ANSWER, NONE, NONE, NEXT),                  \
      "Decodes the answer of a request.")                                     \
    X(CLUSTERLAUNCHCONTROL_TRY_CANCEL, "clusterlaunchcontrol.try_cancel", 0,  \
      2, 2, 0, 0, "aa",                                                       \
      TRAITS(USED, NONE, WRITES, REQUEST, ASYNC, ASYNC, NEXT),                \
      "Requests the next pending cluster.")

// Matrices (sections 9.7.14 to 9.7.16).
#define PTX_OPCODES_MATRIX(X)                                                  \
    X(LDMATRIX, "ldmatrix", 1, 2, 2, 0, 0, "-a",                               \
      TRAITS(USED, STATE, READS, BYTES, NONE, GENERIC, WAIT),                  \
      "Loads matrices.")                                                       \
    X(MMA, "mma", 1, 4, 10, 0, 0, "----------", LANES(USED),                   \
      "Matrix multiply and accumulate.")                                       \
    X(MOVMATRIX, "movmatrix", 1, 2, 2, 0, 0, "--", LANES(USED),                \
      "Transposes a matrix.")                                                  \
    X(STMATRIX, "stmatrix", 0, 2, 2, 0, 0, "a-",                               \
      TRAITS(USED, NONE, WRITES, BYTES, NONE, GENERIC, WAIT),                  \
      "Stores matrices.")                                                      \
    X(WGMMA_COMMIT_GROUP, "wgmma.commit_group", 0, 0, 0, 0, 0, "",             \
      GROUPS(NONE, NEXT), "Closes a group of wgmma operations.")               \
    X(WGMMA_FENCE, "wgmma.fence", 0, 0, 0, 0, 0, "", FENCE(NONE),              \
      "Orders registers and wgmma operations.")                                \
    X(WGMMA_MMA_ASYNC, "wgmma.mma_async", 1, 4, 10, 0, 0, "----------",        \
      TRAITS(USED, STATE, READS, BYTES, ASYNC, ASYNC, WAIT),                   \
      "Asynchronous matrix multiply of a warpgroup.")                          \
    X(WGMMA_WAIT_GROUP, "wgmma.wait_group", 0, 1, 1, 0, 0, "-",                \
      GROUPS(USED, WAIT), "Waits for groups of wgmma operations.")             \
    X(WMMA_LOAD, "wmma.load", 1, 2, 3, 0, 0, "-a-",                            \
      TRAITS(USED, STATE, READS, BYTES, NONE, GENERIC, WAIT),                  \
      "Loads a fragment.")                                                     \
    X(WMMA_MMA, "wmma.mma", 1, 4, 4, 0, 0, "----", LANES(USED),                \
      "Matrix multiply and accumulate of fragments.")                          \
    X(WMMA_STORE, "wmma.store", 0, 2, 3, 0, 0, "a--",                          \
      TRAITS(USED, NONE, WRITES, BYTES, NONE, GENERIC, WAIT),                  \
      "Stores a fragment.")                                                    \
    X(TCGEN05_ALLOC, "tcgen05.alloc", 0, 2, 2, 0, 0, "a-",                     \
      TENSOR(NONE, WRITES, GENERIC, WAIT), "Allocates Tensor Memory.")         \
    X(TCGEN05_COMMIT, "tcgen05.commit", 0, 1, 2, 0, 0, "a-",                   \
      TENSOR(NONE, UPDATES, ASYNC, NEXT),                                      \
      "An mbarrier tracks earlier operations.")                                \
    X(TCGEN05_CP, "tcgen05.cp", 0, 2, 2, 0, 0, "a-",                           \
      TENSOR(NONE, COPIES, ASYNC, NEXT), "Copies to Tensor Memory.")           \
    X(TCGEN05_DEALLOC, "tcgen05.dealloc", 0, 2, 2, 0, 0, "--",                 \
      TENSOR(NONE, NONE, NONE, WAIT), "Frees Tensor Memory.")                  \
    X(TCGEN05_FENCE_AFTER_THREAD_SYNC, "tcgen05.fence::after_thread_sync", 0,  \
      0, 0, 0, 0, "", FENCE(NONE), "Orders tcgen05 after a barrier.")          \
    X(TCGEN05_FENCE_BEFORE_THREAD_SYNC, "tcgen05.fence::before_thread_sync",   \
      0, 0, 0, 0, 0, "", FENCE(NONE), "Orders tcgen05 before a barrier.")      \
    X(TCGEN05_LD, "tcgen05.ld", 1, 2, 3, 0, 0, "-a-",                          \
      TENSOR(STATE, READS, ASYNC, WAIT), "Loads from Tensor Memory.")          \
    X(TCGEN05_LD_RED, "tcgen05.ld.red", 2, 3, 4, 0, 0, "AAAA",                 \
      TENSOR(STATE, READS, ASYNC, WAIT),                                       \
      "Loads from Tensor Memory and reduces.")                                 \
    X(TCGEN05_MMA, "tcgen05.mma", 0, 3, 10, 0, 0, "aAAAAAAAAA",                \
      TENSOR(NONE, UPDATES, ASYNC, NEXT), "Matrix multiply in Tensor Memory.") \
    X(TCGEN05_RELINQUISH_ALLOC_PERMIT, "tcgen05.relinquish_alloc_permit", 0,   \
      0, 0, 0, 0, "", TENSOR(NONE, NONE, NONE, WAIT),                          \
      "Gives up the right to allocate.")                                       \
    X(TCGEN05_SHIFT, "tcgen05.shift", 0, 1, 1, 0, 0, "a",                      \
      TENSOR(NONE, UPDATES, ASYNC, NEXT), "Shifts rows of Tensor Memory.")     \
    X(TCGEN05_ST, "tcgen05.st", 0, 2, 3, 0, 0, "a--",                          \
      TENSOR(NONE, WRITES, ASYNC, WAIT), "Stores to Tensor Memory.")           \
    X(TCGEN05_WAIT_LD, "tcgen05.wait::ld", 0, 0, 0, 0, 0, "",                  \
      TENSOR(NONE, NONE, NONE, WAIT), "Waits for tcgen05.ld.")                 \
    X(TCGEN05_WAIT_ST, "tcgen05.wait::st", 0, 0, 0, 0, 0, "",                  \
      TENSOR(NONE, NONE, NONE, WAIT), "Waits for tcgen05.st.")

// Textures and surfaces (sections 9.7.10 and 9.7.11).
#define PTX_OPCODES_TEXTURE(X)                                                 \
    X(SULD, "suld", 1, 2, 2, 0, 0, "-a", TEXTURE(STATE, READS),                \
      "Surface load.")                                                         \
    X(SUQ, "suq", 1, 2, 2, 0, 0, "-a", TEXTURE(STATE, NONE), "Surface query.") \
    X(SURED, "sured", 0, 2, 2, 0, 0, "a-", TEXTURE(NONE, UPDATES),             \
      "Surface reduction.")                                                    \
    X(SUST, "sust", 0, 2, 2, 0, 0, "a-", TEXTURE(NONE, WRITES),                \
      "Surface store.")                                                        \
    X(TEX, "tex", 1, 2, 6, 0, 0, "-a----", TEXTURE(STATE, READS),              \
      "Texture fetch.")                                                        \
    X(TLD4, "tld4", 1, 2, 4, 0, 0, "-a--", TEXTURE(STATE, READS),              \
      "Texture gather.")                                                       \
    X(TXQ, "txq", 1, 2, 3, 0, 0, "-a-", TEXTURE(STATE, NONE), "Texture query.")

// Video, stack and the rest (sections 9.7.17 to 9.7.19).
#define PTX_OPCODES_MISC(X)                                                 \
    X(VABSDIFF, "vabsdiff", 1, 3, 4, 0, 0, "----", ALU(USED),               \
      "Scalar video: absolute difference.")                                 \
    X(VABSDIFF2, "vabsdiff2", 1, 4, 4, 0, 0, "----", ALU(USED),             \
      "SIMD video: absolute differences of halves.")                        \
    X(VABSDIFF4, "vabsdiff4", 1, 4, 4, 0, 0, "----", ALU(USED),             \
      "SIMD video: absolute differences of bytes.")                         \
    X(VADD, "vadd", 1, 3, 4, 0, 0, "----", ALU(USED), "Scalar video: sum.") \
    X(VADD2, "vadd2", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: sums of halves.")                                        \
    X(VADD4, "vadd4", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: sums of bytes.")                                         \
    X(VAVRG2, "vavrg2", 1, 4, 4, 0, 0, "----", ALU(USED),                   \
      "SIMD video: averages of halves.")                                    \
    X(VAVRG4, "vavrg4", 1, 4, 4, 0, 0, "----", ALU(USED),                   \
      "SIMD video: averages of bytes.")                                     \
    X(VMAD, "vmad", 1, 4, 4, 0, 0, "-nnn", ALU(USED),                       \
      "Scalar video: multiply and add.")                                    \
    X(VMAX, "vmax", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: maximum.")                                             \
    X(VMAX2, "vmax2", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: maxima of halves.")                                      \
    X(VMAX4, "vmax4", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: maxima of bytes.")                                       \
    X(VMIN, "vmin", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: minimum.")                                             \
    X(VMIN2, "vmin2", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: minima of halves.")                                      \
    X(VMIN4, "vmin4", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: minima of bytes.")                                       \
    X(VSET, "vset", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: comparison.")                                          \
    X(VSET2, "vset2", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: comparisons of halves.")                                 \
    X(VSET4, "vset4", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: comparisons of bytes.")                                  \
    X(VSHL, "vshl", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: left shift.")                                          \
    X(VSHR, "vshr", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: right shift.")                                         \
    X(VSUB, "vsub", 1, 3, 4, 0, 0, "----", ALU(USED),                       \
      "Scalar video: difference.")                                          \
    X(VSUB2, "vsub2", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: differences of halves.")                                 \
    X(VSUB4, "vsub4", 1, 4, 4, 0, 0, "----", ALU(USED),                     \
      "SIMD video: differences of bytes.")                                  \
    X(ALLOCA, "alloca", 1, 2, 3, 0, 0, "---", STATE(USED, STACK),           \
      "Allocates stack memory.")                                            \
    X(STACKRESTORE, "stackrestore", 0, 1, 1, 0, 0, "-",                     \
      TRAITS(USED, NONE, NONE, STACK, NONE, NONE, NEXT),                    \
      "Sets the stack pointer.")                                            \
    X(STACKSAVE, "stacksave", 1, 1, 1, 0, 0, "-", STATE(NONE, STACK),       \
      "Gets the stack pointer.")                                            \
    X(BRKPT, "brkpt", 0, 0, 0, 0, 0, "", FLOW(NONE, WAIT), "Breakpoint.")   \
    X(NANOSLEEP, "nanosleep", 0, 1, 1, 0, 0, "-", HINT(USED),               \
      "Sleeps for some nanoseconds.")                                       \
    X(PMEVENT, "pmevent", 0, 1, 1, 0, 0, "-", HINT(USED),                   \
      "Triggers a performance monitor event.")                              \
    X(SETMAXNREG, "setmaxnreg", 0, 1, 1, 0, 0, "-",                         \
      TRAITS(USED, NONE, NONE, NONE, NONE, NONE, WAIT),                     \
      "Changes the number of registers.")                                   \
    X(TRAP, "trap", 0, 0, 0, 0, 0, "", FLOW(NONE, ABORT), "Aborts the launch.")

#define PTX_OPCODES(X)      \
    PTX_OPCODES_MATH(X)     \
    PTX_OPCODES_MEMORY(X)   \
    PTX_OPCODES_COPY(X)     \
    PTX_OPCODES_CONTROL(X)  \
    PTX_OPCODES_SYNC(X)     \
    PTX_OPCODES_MBARRIER(X) \
    PTX_OPCODES_CLC(X)      \
    PTX_OPCODES_MATRIX(X)   \
    PTX_OPCODES_TEXTURE(X)  \
    PTX_OPCODES_MISC(X)

#endif
