// SPDX-License-Identifier: Apache-2.0
// The tables of the PTX language: opcodes, suffixes, types, special registers.
// Each is an X-macro, so that the parser, the printer and the virtual machine
// are made from the same rows. Source: PTX ISA 9.0, chapters 5, 9 and 10.
//
// An opcode's name is the longest dotted prefix that stands in PTX_OPCODES;
// each further ".suffix" is a PtxMod. So "mbarrier.arrive.expect_tx.relaxed" is
// PTX_OP_MBARRIER_ARRIVE with PTX_MOD_EXPECT_TX and PTX_MOD_RELAXED. The parser
// knows every instruction; which of them can be executed, each device says.
//
// An ID is the name in upper case, "::" and "." written "_".
#ifndef CLCLAB_PTX_OPCODES_H
#define CLCLAB_PTX_OPCODES_H

#include "ptx/suffixes.h"

// ---- opcodes -------------------------------------------------------------
//
// X(ID, "name", dsts, min, max, "sentence")
//   dsts: leading operands that are written (0, 1 or 2); min..max: operands.
//   A pair d|p, a vector, an address with its brackets count as one operand.

// Integer, floating point and logic (sections 9.7.1 to 9.7.8).
#define PTX_OPCODES_MATH(X)                                                   \
    X(ABS, "abs", 1, 2, 2, "Absolute value.")                                 \
    X(ADD, "add", 1, 3, 3, "Sum.")                                            \
    X(ADDC, "addc", 1, 3, 3, "Sum and carry in.")                             \
    X(AND, "and", 1, 3, 3, "Bitwise and.")                                    \
    X(BFE, "bfe", 1, 4, 4, "Bit field extract.")                              \
    X(BFI, "bfi", 1, 5, 5, "Bit field insert.")                               \
    X(BFIND, "bfind", 1, 2, 2, "Position of the highest non-sign bit.")       \
    X(BMSK, "bmsk", 1, 3, 3, "Bit mask from position and width.")             \
    X(BREV, "brev", 1, 2, 2, "Bit reversal.")                                 \
    X(CLZ, "clz", 1, 2, 2, "Count of leading zeros.")                         \
    X(CNOT, "cnot", 1, 2, 2, "C's logical not.")                              \
    X(COPYSIGN, "copysign", 1, 3, 3,                                          \
      "Sign of the first, magnitude of the second.")                          \
    X(COS, "cos", 1, 2, 2, "Cosine.")                                         \
    X(DIV, "div", 1, 3, 3, "Quotient.")                                       \
    X(DP2A, "dp2a", 1, 4, 4, "Dot product of two 16-bit and 8-bit pairs.")    \
    X(DP4A, "dp4a", 1, 4, 4, "Dot product of four 8-bit values.")             \
    X(EX2, "ex2", 1, 2, 2, "Power of 2.")                                     \
    X(FMA, "fma", 1, 4, 4, "Fused multiply and add.")                         \
    X(FNS, "fns", 1, 4, 4, "Position of the n-th set bit.")                   \
    X(LG2, "lg2", 1, 2, 2, "Logarithm of base 2.")                            \
    X(LOP3, "lop3", 1, 5, 6, "Any logic function of three inputs.")           \
    X(MAD, "mad", 1, 4, 4, "Multiply and add.")                               \
    X(MAD24, "mad24", 1, 4, 4, "Multiply and add of 24-bit values.")          \
    X(MADC, "madc", 1, 4, 4, "Multiply and add with carry in.")               \
    X(MAX, "max", 1, 3, 4, "Maximum.")                                        \
    X(MIN, "min", 1, 3, 4, "Minimum.")                                        \
    X(MUL, "mul", 1, 3, 3, "Product.")                                        \
    X(MUL24, "mul24", 1, 3, 3, "Product of 24-bit values.")                   \
    X(NEG, "neg", 1, 2, 2, "Negation.")                                       \
    X(NOT, "not", 1, 2, 2, "Bitwise not.")                                    \
    X(OR, "or", 1, 3, 3, "Bitwise or.")                                       \
    X(POPC, "popc", 1, 2, 2, "Count of set bits.")                            \
    X(PRMT, "prmt", 1, 4, 4, "Permutes the bytes of a pair.")                 \
    X(RCP, "rcp", 1, 2, 2, "Reciprocal.")                                     \
    X(REM, "rem", 1, 3, 3, "Remainder.")                                      \
    X(RSQRT, "rsqrt", 1, 2, 2, "Reciprocal of the square root.")              \
    X(SAD, "sad", 1, 4, 4, "Sum of the absolute difference.")                 \
    X(SELP, "selp", 1, 4, 4, "Selects by a predicate.")                       \
    X(SET, "set", 1, 3, 4, "Compares; the result is a number.")               \
    X(SETP, "setp", 1, 3, 4, "Compares; the result is a predicate.")          \
    X(SHF, "shf", 1, 4, 4, "Funnel shift.")                                   \
    X(SHL, "shl", 1, 3, 3, "Left shift.")                                     \
    X(SHR, "shr", 1, 3, 3, "Right shift.")                                    \
    X(SIN, "sin", 1, 2, 2, "Sine.")                                           \
    X(SLCT, "slct", 1, 4, 4, "Selects by a sign.")                            \
    X(SQRT, "sqrt", 1, 2, 2, "Square root.")                                  \
    X(SUB, "sub", 1, 3, 3, "Difference.")                                     \
    X(SUBC, "subc", 1, 3, 3, "Difference and borrow in.")                     \
    X(SZEXT, "szext", 1, 3, 3, "Sign or zero extension from a bit position.") \
    X(TANH, "tanh", 1, 2, 2, "Hyperbolic tangent.")                           \
    X(TESTP, "testp", 1, 2, 2, "Tests the class of a float.")                 \
    X(XOR, "xor", 1, 3, 3, "Bitwise exclusive or.")

// Moves, conversions and memory (section 9.7.9).
#define PTX_OPCODES_MEMORY(X)                                                  \
    X(APPLYPRIORITY, "applypriority", 0, 2, 2,                                 \
      "Sets the eviction priority of a range.")                                \
    X(CREATEPOLICY, "createpolicy", 1, 1, 4, "Makes a cache eviction policy.") \
    X(CVT, "cvt", 1, 2, 4, "Converts between types.")                          \
    X(CVT_PACK, "cvt.pack", 1, 3, 4, "Converts and packs two integers.")       \
    X(CVTA, "cvta", 1, 2, 2, "Converts to or from a generic address.")         \
    X(DISCARD, "discard", 0, 2, 2, "Drops a range of cache lines.")            \
    X(GETCTARANK, "getctarank", 1, 2, 2,                                       \
      "Rank of the CTA that a shared address is in.")                          \
    X(ISSPACEP, "isspacep", 1, 2, 2,                                           \
      "Is the generic address in a state space?")                              \
    X(ISTYPEP, "istypep", 1, 2, 2, "Is the variable an opaque type?")          \
    X(LD, "ld", 1, 2, 3, "Load.")                                              \
    X(LDU, "ldu", 1, 2, 2, "Load of read-only data, the same for a warp.")     \
    X(MAPA, "mapa", 1, 3, 3, "The same shared address in another CTA.")        \
    X(MOV, "mov", 1, 2, 2, "Move; packs and unpacks vectors.")                 \
    X(MULTIMEM_CP_ASYNC_BULK, "multimem.cp.async.bulk", 0, 3, 4,               \
      "Bulk copy to a multimem address.")                                      \
    X(MULTIMEM_CP_REDUCE_ASYNC_BULK, "multimem.cp.reduce.async.bulk", 0, 3, 3, \
      "Bulk reduction to a multimem address.")                                 \
    X(MULTIMEM_LD_REDUCE, "multimem.ld_reduce", 1, 2, 2,                       \
      "Load and reduction over a multimem address.")                           \
    X(MULTIMEM_RED, "multimem.red", 0, 2, 2,                                   \
      "Reduction to a multimem address.")                                      \
    X(MULTIMEM_ST, "multimem.st", 0, 2, 2, "Store to a multimem address.")     \
    X(PREFETCH, "prefetch", 0, 1, 1, "Brings a line into a cache.")            \
    X(PREFETCHU, "prefetchu", 0, 1, 1,                                         \
      "Brings a line into the uniform cache.")                                 \
    X(RED_ASYNC, "red.async", 0, 2, 3,                                         \
      "Asynchronous reduction with an mbarrier.")                              \
    X(ST, "st", 0, 2, 3, "Store.")                                             \
    X(ST_ASYNC, "st.async", 0, 2, 3, "Asynchronous store with an mbarrier.")   \
    X(ST_BULK, "st.bulk", 0, 3, 3, "Fills a range with a value.")              \
    X(TENSORMAP_CP_FENCEPROXY, "tensormap.cp_fenceproxy", 0, 3, 3,             \
      "Copies a tensor map and fences its proxy.")                             \
    X(TENSORMAP_REPLACE, "tensormap.replace", 0, 2, 3,                         \
      "Changes a field of a tensor map.")

// Asynchronous copies (section 9.7.9.25).
#define PTX_OPCODES_COPY(X)                                                    \
    X(CP_ASYNC, "cp.async", 0, 3, 5, "Asynchronous copy of 4, 8 or 16 bytes.") \
    X(CP_ASYNC_BULK, "cp.async.bulk", 0, 3, 8, "Asynchronous bulk copy.")      \
    X(CP_ASYNC_BULK_COMMIT_GROUP, "cp.async.bulk.commit_group", 0, 0, 0,       \
      "Closes a group of bulk copies.")                                        \
    X(CP_ASYNC_BULK_PREFETCH, "cp.async.bulk.prefetch", 0, 2, 3,               \
      "Bulk prefetch into the L2 cache.")                                      \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, "cp.async.bulk.prefetch.tensor", 0, 1, 3, \
      "Tensor prefetch into the L2 cache.")                                    \
    X(CP_ASYNC_BULK_TENSOR, "cp.async.bulk.tensor", 0, 2, 6,                   \
      "Asynchronous tensor copy.")                                             \
    X(CP_ASYNC_BULK_WAIT_GROUP, "cp.async.bulk.wait_group", 0, 1, 1,           \
      "Waits for groups of bulk copies.")                                      \
    X(CP_ASYNC_COMMIT_GROUP, "cp.async.commit_group", 0, 0, 0,                 \
      "Closes a group of copies.")                                             \
    X(CP_ASYNC_MBARRIER_ARRIVE, "cp.async.mbarrier.arrive", 0, 1, 1,           \
      "Arrives when earlier copies are done.")                                 \
    X(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", 0, 0, 0,                         \
      "Waits for all copies.")                                                 \
    X(CP_ASYNC_WAIT_GROUP, "cp.async.wait_group", 0, 1, 1,                     \
      "Waits for groups of copies.")                                           \
    X(CP_REDUCE_ASYNC_BULK, "cp.reduce.async.bulk", 0, 3, 5,                   \
      "Asynchronous bulk reduction.")                                          \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, "cp.reduce.async.bulk.tensor", 0, 2, 4,     \
      "Asynchronous tensor reduction.")

// Control flow (section 9.7.12).
#define PTX_OPCODES_CONTROL(X)                                       \
    X(BRA, "bra", 0, 1, 1, "Branch.")                                \
    X(BRX_IDX, "brx.idx", 0, 1, 1, "Branch by an index in a table.") \
    X(CALL, "call", 0, 3, 3, "Call: results, callee, arguments.")    \
    X(EXIT, "exit", 0, 0, 0, "Ends the thread.")                     \
    X(RET, "ret", 0, 0, 0, "Return.")

// Barriers, fences, atomics, votes (section 9.7.13).
#define PTX_OPCODES_SYNC(X)                                                    \
    X(ACTIVEMASK, "activemask", 1, 1, 1, "Mask of the active lanes.")          \
    X(ATOM, "atom", 1, 3, 5, "Atomic operation.")                              \
    X(BAR_ARRIVE, "bar.arrive", 0, 2, 2, "CTA barrier, arrival only.")         \
    X(BAR_CTA_ARRIVE, "bar.cta.arrive", 0, 2, 2, "CTA barrier, arrival only.") \
    X(BAR_CTA_RED, "bar.cta.red", 1, 3, 4, "CTA barrier with a reduction.")    \
    X(BAR_CTA_SYNC, "bar.cta.sync", 0, 1, 2, "CTA barrier.")                   \
    X(BAR_RED, "bar.red", 1, 3, 4, "CTA barrier with a reduction.")            \
    X(BAR_SYNC, "bar.sync", 0, 1, 2, "CTA barrier.")                           \
    X(BAR_WARP_SYNC, "bar.warp.sync", 0, 1, 1,                                 \
      "Barrier of the lanes of a mask.")                                       \
    X(BARRIER_ARRIVE, "barrier.arrive", 0, 2, 2, "CTA barrier, arrival only.") \
    X(BARRIER_CLUSTER_ARRIVE, "barrier.cluster.arrive", 0, 0, 0,               \
      "Arrives at the cluster barrier.")                                       \
    X(BARRIER_CLUSTER_WAIT, "barrier.cluster.wait", 0, 0, 0,                   \
      "Waits at the cluster barrier.")                                         \
    X(BARRIER_CTA_ARRIVE, "barrier.cta.arrive", 0, 2, 2,                       \
      "CTA barrier, arrival only.")                                            \
    X(BARRIER_CTA_RED, "barrier.cta.red", 1, 3, 4,                             \
      "CTA barrier with a reduction.")                                         \
    X(BARRIER_CTA_SYNC, "barrier.cta.sync", 0, 1, 2, "CTA barrier.")           \
    X(BARRIER_RED, "barrier.red", 1, 3, 4, "CTA barrier with a reduction.")    \
    X(BARRIER_SYNC, "barrier.sync", 0, 1, 2, "CTA barrier.")                   \
    X(ELECT, "elect", 1, 2, 2, "Elects a lane of a mask.")                     \
    X(FENCE, "fence", 0, 0, 0, "Memory fence.")                                \
    X(FENCE_MBARRIER_INIT, "fence.mbarrier_init", 0, 0, 0,                     \
      "Fence after mbarrier.init, for the cluster.")                           \
    X(FENCE_PROXY, "fence.proxy", 0, 0, 2, "Fence between proxies.")           \
    X(GRIDDEPCONTROL, "griddepcontrol", 0, 0, 0,                               \
      "Dependent grids: launch or wait.")                                      \
    X(MATCH, "match", 1, 3, 3, "Lanes with the same value.")                   \
    X(MEMBAR, "membar", 0, 0, 0, "Memory fence, older form.")                  \
    X(MEMBAR_PROXY, "membar.proxy", 0, 0, 0,                                   \
      "Fence between proxies, older form.")                                    \
    X(RED, "red", 0, 2, 3, "Atomic operation without a result.")               \
    X(REDUX, "redux", 1, 3, 3, "Reduction over the lanes of a mask.")          \
    X(SHFL, "shfl", 1, 4, 5, "Exchange between lanes.")                        \
    X(VOTE, "vote", 1, 2, 3, "Vote over the lanes.")

// mbarrier (section 9.7.13.15).
#define PTX_OPCODES_MBARRIER(X)                                              \
    X(MBARRIER_ARRIVE, "mbarrier.arrive", 1, 2, 3,                           \
      "Arrives; gives the phase.")                                           \
    X(MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop", 1, 2, 3,                 \
      "Arrives, for all phases to come.")                                    \
    X(MBARRIER_COMPLETE_TX, "mbarrier.complete_tx", 0, 2, 2,                 \
      "Lowers the tx-count.")                                                \
    X(MBARRIER_EXPECT_TX, "mbarrier.expect_tx", 0, 2, 2,                     \
      "Raises the tx-count.")                                                \
    X(MBARRIER_INIT, "mbarrier.init", 0, 2, 2, "Makes an mbarrier object.")  \
    X(MBARRIER_INVAL, "mbarrier.inval", 0, 1, 1, "Ends an mbarrier object.") \
    X(MBARRIER_PENDING_COUNT, "mbarrier.pending_count", 1, 2, 2,             \
      "Pending arrivals of a phase.")                                        \
    X(MBARRIER_TEST_WAIT, "mbarrier.test_wait", 1, 3, 3,                     \
      "Has the phase completed?")                                            \
    X(MBARRIER_TRY_WAIT, "mbarrier.try_wait", 1, 3, 4,                       \
      "Waits for a phase, not for ever.")

// Cluster launch control (section 9.7.13.17).
#define PTX_OPCODES_CLC(X)                                                    \
    X(CLUSTERLAUNCHCONTROL_QUERY_CANCEL, "clusterlaunchcontrol.query_cancel", \
      1, 2, 2, "Decodes the answer of a request.")                            \
    X(CLUSTERLAUNCHCONTROL_TRY_CANCEL, "clusterlaunchcontrol.try_cancel", 0,  \
      2, 2, "Requests the next pending cluster.")

// Matrices (sections 9.7.14 to 9.7.16).
#define PTX_OPCODES_MATRIX(X)                                                 \
    X(LDMATRIX, "ldmatrix", 1, 2, 2, "Loads matrices.")                       \
    X(MMA, "mma", 1, 4, 10, "Matrix multiply and accumulate.")                \
    X(MOVMATRIX, "movmatrix", 1, 2, 2, "Transposes a matrix.")                \
    X(STMATRIX, "stmatrix", 0, 2, 2, "Stores matrices.")                      \
    X(WGMMA_COMMIT_GROUP, "wgmma.commit_group", 0, 0, 0,                      \
      "Closes a group of wgmma operations.")                                  \
    X(WGMMA_FENCE, "wgmma.fence", 0, 0, 0,                                    \
      "Orders registers and wgmma operations.")                               \
    X(WGMMA_MMA_ASYNC, "wgmma.mma_async", 1, 4, 10,                           \
      "Asynchronous matrix multiply of a warpgroup.")                         \
    X(WGMMA_WAIT_GROUP, "wgmma.wait_group", 0, 1, 1,                          \
      "Waits for groups of wgmma operations.")                                \
    X(WMMA_LOAD, "wmma.load", 1, 2, 3, "Loads a fragment.")                   \
    X(WMMA_MMA, "wmma.mma", 1, 4, 4,                                          \
      "Matrix multiply and accumulate of fragments.")                         \
    X(WMMA_STORE, "wmma.store", 0, 2, 3, "Stores a fragment.")                \
    X(TCGEN05_ALLOC, "tcgen05.alloc", 0, 2, 2, "Allocates Tensor Memory.")    \
    X(TCGEN05_COMMIT, "tcgen05.commit", 0, 1, 2,                              \
      "An mbarrier tracks earlier operations.")                               \
    X(TCGEN05_CP, "tcgen05.cp", 0, 2, 2, "Copies to Tensor Memory.")          \
    X(TCGEN05_DEALLOC, "tcgen05.dealloc", 0, 2, 2, "Frees Tensor Memory.")    \
    X(TCGEN05_FENCE_AFTER_THREAD_SYNC, "tcgen05.fence::after_thread_sync", 0, \
      0, 0, "Orders tcgen05 after a barrier.")                                \
    X(TCGEN05_FENCE_BEFORE_THREAD_SYNC, "tcgen05.fence::before_thread_sync",  \
      0, 0, 0, "Orders tcgen05 before a barrier.")                            \
    X(TCGEN05_LD, "tcgen05.ld", 1, 2, 3, "Loads from Tensor Memory.")         \
    X(TCGEN05_LD_RED, "tcgen05.ld.red", 2, 3, 4,                              \
      "Loads from Tensor Memory and reduces.")                                \
    X(TCGEN05_MMA, "tcgen05.mma", 0, 3, 10,                                   \
      "Matrix multiply in Tensor Memory.")                                    \
    X(TCGEN05_RELINQUISH_ALLOC_PERMIT, "tcgen05.relinquish_alloc_permit", 0,  \
      0, 0, "Gives up the right to allocate.")                                \
    X(TCGEN05_SHIFT, "tcgen05.shift", 0, 1, 1,                                \
      "Shifts rows of Tensor Memory.")                                        \
    X(TCGEN05_ST, "tcgen05.st", 0, 2, 3, "Stores to Tensor Memory.")          \
    X(TCGEN05_WAIT_LD, "tcgen05.wait::ld", 0, 0, 0, "Waits for tcgen05.ld.")  \
    X(TCGEN05_WAIT_ST, "tcgen05.wait::st", 0, 0, 0, "Waits for tcgen05.st.")

// Textures and surfaces (sections 9.7.10 and 9.7.11).
#define PTX_OPCODES_TEXTURE(X)                       \
    X(SULD, "suld", 1, 2, 2, "Surface load.")        \
    X(SUQ, "suq", 1, 2, 2, "Surface query.")         \
    X(SURED, "sured", 0, 2, 2, "Surface reduction.") \
    X(SUST, "sust", 0, 2, 2, "Surface store.")       \
    X(TEX, "tex", 1, 2, 6, "Texture fetch.")         \
    X(TLD4, "tld4", 1, 2, 4, "Texture gather.")      \
    X(TXQ, "txq", 1, 2, 3, "Texture query.")

// Video, stack and the rest (sections 9.7.17 to 9.7.19).
#define PTX_OPCODES_MISC(X)                                                  \
    X(VABSDIFF, "vabsdiff", 1, 3, 4, "Scalar video: absolute difference.")   \
    X(VABSDIFF2, "vabsdiff2", 1, 4, 4,                                       \
      "SIMD video: absolute differences of halves.")                         \
    X(VABSDIFF4, "vabsdiff4", 1, 4, 4,                                       \
      "SIMD video: absolute differences of bytes.")                          \
    X(VADD, "vadd", 1, 3, 4, "Scalar video: sum.")                           \
    X(VADD2, "vadd2", 1, 4, 4, "SIMD video: sums of halves.")                \
    X(VADD4, "vadd4", 1, 4, 4, "SIMD video: sums of bytes.")                 \
    X(VAVRG2, "vavrg2", 1, 4, 4, "SIMD video: averages of halves.")          \
    X(VAVRG4, "vavrg4", 1, 4, 4, "SIMD video: averages of bytes.")           \
    X(VMAD, "vmad", 1, 4, 4, "Scalar video: multiply and add.")              \
    X(VMAX, "vmax", 1, 3, 4, "Scalar video: maximum.")                       \
    X(VMAX2, "vmax2", 1, 4, 4, "SIMD video: maxima of halves.")              \
    X(VMAX4, "vmax4", 1, 4, 4, "SIMD video: maxima of bytes.")               \
    X(VMIN, "vmin", 1, 3, 4, "Scalar video: minimum.")                       \
    X(VMIN2, "vmin2", 1, 4, 4, "SIMD video: minima of halves.")              \
    X(VMIN4, "vmin4", 1, 4, 4, "SIMD video: minima of bytes.")               \
    X(VSET, "vset", 1, 3, 4, "Scalar video: comparison.")                    \
    X(VSET2, "vset2", 1, 4, 4, "SIMD video: comparisons of halves.")         \
    X(VSET4, "vset4", 1, 4, 4, "SIMD video: comparisons of bytes.")          \
    X(VSHL, "vshl", 1, 3, 4, "Scalar video: left shift.")                    \
    X(VSHR, "vshr", 1, 3, 4, "Scalar video: right shift.")                   \
    X(VSUB, "vsub", 1, 3, 4, "Scalar video: difference.")                    \
    X(VSUB2, "vsub2", 1, 4, 4, "SIMD video: differences of halves.")         \
    X(VSUB4, "vsub4", 1, 4, 4, "SIMD video: differences of bytes.")          \
    X(ALLOCA, "alloca", 1, 2, 3, "Allocates stack memory.")                  \
    X(STACKRESTORE, "stackrestore", 0, 1, 1, "Sets the stack pointer.")      \
    X(STACKSAVE, "stacksave", 1, 1, 1, "Gets the stack pointer.")            \
    X(BRKPT, "brkpt", 0, 0, 0, "Breakpoint.")                                \
    X(NANOSLEEP, "nanosleep", 0, 1, 1, "Sleeps for some nanoseconds.")       \
    X(PMEVENT, "pmevent", 0, 1, 1, "Triggers a performance monitor event.")  \
    X(SETMAXNREG, "setmaxnreg", 0, 1, 1, "Changes the number of registers.") \
    X(TRAP, "trap", 0, 0, 0, "Aborts the launch.")

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

typedef enum PtxOp {
    PTX_OP_NONE,
#define PTX_OP_ENUM(id, name, dsts, min, max, sentence) PTX_OP_##id,
    PTX_OPCODES(PTX_OP_ENUM)
#undef PTX_OP_ENUM
        PTX_OP_COUNT
} PtxOp;

// ---- types ---------------------------------------------------------------
//
// X(ID, "name", bytes). The types are suffixes as well: PTX_MOD_U32 is "u32".
// The narrow formats (e4m3x2, ...) are suffixes only: no register has them.
#define PTX_TYPES(X)               \
    X(PRED, "pred", 1)             \
    X(B8, "b8", 1)                 \
    X(B16, "b16", 2)               \
    X(B32, "b32", 4)               \
    X(B64, "b64", 8)               \
    X(B128, "b128", 16)            \
    X(U8, "u8", 1)                 \
    X(U16, "u16", 2)               \
    X(U32, "u32", 4)               \
    X(U64, "u64", 8)               \
    X(S8, "s8", 1)                 \
    X(S16, "s16", 2)               \
    X(S32, "s32", 4)               \
    X(S64, "s64", 8)               \
    X(F16, "f16", 2)               \
    X(F16X2, "f16x2", 4)           \
    X(BF16, "bf16", 2)             \
    X(BF16X2, "bf16x2", 4)         \
    X(F32, "f32", 4)               \
    X(F32X2, "f32x2", 8)           \
    X(F64, "f64", 8)               \
    X(TF32, "tf32", 4)             \
    X(U16X2, "u16x2", 4)           \
    X(S16X2, "s16x2", 4)           \
    X(TEXREF, "texref", 8)         \
    X(SAMPLERREF, "samplerref", 8) \
    X(SURFREF, "surfref", 8)

typedef enum PtxType {
    PTX_NONE,
#define PTX_TYPE_ENUM(id, name, bytes) PTX_##id,
    PTX_TYPES(PTX_TYPE_ENUM)
#undef PTX_TYPE_ENUM
        PTX_TYPE_COUNT
} PtxType;

// ---- suffixes ------------------------------------------------------------

// The types come first, in the same order as in PtxType.
typedef enum PtxMod {
    PTX_MOD_NONE,
#define PTX_MOD_ENUM_TYPE(id, name, bytes) PTX_MOD_##id,
    PTX_TYPES(PTX_MOD_ENUM_TYPE)
#undef PTX_MOD_ENUM_TYPE
#define PTX_MOD_ENUM(id, name) PTX_MOD_##id,
        PTX_MODS(PTX_MOD_ENUM)
#undef PTX_MOD_ENUM
            PTX_MOD_COUNT
} PtxMod;

// ---- special registers ---------------------------------------------------
//
// X(ID, "%name", type). A vector such as %tid is five rows: the whole (which
// mov.v4 reads), and its components .x .y .z .w, of which .w is 0.
#define PTX_SREGS(X)                                                  \
    X(TID, "%tid", U32)                                               \
    X(TID_X, "%tid.x", U32)                                           \
    X(TID_Y, "%tid.y", U32)                                           \
    X(TID_Z, "%tid.z", U32)                                           \
    X(TID_W, "%tid.w", U32)                                           \
    X(NTID, "%ntid", U32)                                             \
    X(NTID_X, "%ntid.x", U32)                                         \
    X(NTID_Y, "%ntid.y", U32)                                         \
    X(NTID_Z, "%ntid.z", U32)                                         \
    X(NTID_W, "%ntid.w", U32)                                         \
    X(CTAID, "%ctaid", U32)                                           \
    X(CTAID_X, "%ctaid.x", U32)                                       \
    X(CTAID_Y, "%ctaid.y", U32)                                       \
    X(CTAID_Z, "%ctaid.z", U32)                                       \
    X(CTAID_W, "%ctaid.w", U32)                                       \
    X(NCTAID, "%nctaid", U32)                                         \
    X(NCTAID_X, "%nctaid.x", U32)                                     \
    X(NCTAID_Y, "%nctaid.y", U32)                                     \
    X(NCTAID_Z, "%nctaid.z", U32)                                     \
    X(NCTAID_W, "%nctaid.w", U32)                                     \
    X(CLUSTERID, "%clusterid", U32)                                   \
    X(CLUSTERID_X, "%clusterid.x", U32)                               \
    X(CLUSTERID_Y, "%clusterid.y", U32)                               \
    X(CLUSTERID_Z, "%clusterid.z", U32)                               \
    X(CLUSTERID_W, "%clusterid.w", U32)                               \
    X(NCLUSTERID, "%nclusterid", U32)                                 \
    X(NCLUSTERID_X, "%nclusterid.x", U32)                             \
    X(NCLUSTERID_Y, "%nclusterid.y", U32)                             \
    X(NCLUSTERID_Z, "%nclusterid.z", U32)                             \
    X(NCLUSTERID_W, "%nclusterid.w", U32)                             \
    X(CLUSTER_CTAID, "%cluster_ctaid", U32)                           \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x", U32)                       \
    X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", U32)                       \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", U32)                       \
    X(CLUSTER_CTAID_W, "%cluster_ctaid.w", U32)                       \
    X(CLUSTER_NCTAID, "%cluster_nctaid", U32)                         \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", U32)                     \
    X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", U32)                     \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", U32)                     \
    X(CLUSTER_NCTAID_W, "%cluster_nctaid.w", U32)                     \
    X(CLUSTER_CTARANK, "%cluster_ctarank", U32)                       \
    X(CLUSTER_NCTARANK, "%cluster_nctarank", U32)                     \
    X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster", PRED)              \
    X(LANEID, "%laneid", U32)                                         \
    X(WARPID, "%warpid", U32)                                         \
    X(NWARPID, "%nwarpid", U32)                                       \
    X(SMID, "%smid", U32)                                             \
    X(NSMID, "%nsmid", U32)                                           \
    X(GRIDID, "%gridid", U64)                                         \
    X(LANEMASK_EQ, "%lanemask_eq", U32)                               \
    X(LANEMASK_LE, "%lanemask_le", U32)                               \
    X(LANEMASK_LT, "%lanemask_lt", U32)                               \
    X(LANEMASK_GE, "%lanemask_ge", U32)                               \
    X(LANEMASK_GT, "%lanemask_gt", U32)                               \
    X(CLOCK, "%clock", U32)                                           \
    X(CLOCK_HI, "%clock_hi", U32)                                     \
    X(CLOCK64, "%clock64", U64)                                       \
    X(GLOBALTIMER, "%globaltimer", U64)                               \
    X(GLOBALTIMER_LO, "%globaltimer_lo", U32)                         \
    X(GLOBALTIMER_HI, "%globaltimer_hi", U32)                         \
    X(TOTAL_SMEM_SIZE, "%total_smem_size", U32)                       \
    X(AGGR_SMEM_SIZE, "%aggr_smem_size", U32)                         \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", U32)                   \
    X(RESERVED_SMEM_OFFSET_BEGIN, "%reserved_smem_offset_begin", U32) \
    X(RESERVED_SMEM_OFFSET_END, "%reserved_smem_offset_end", U32)     \
    X(RESERVED_SMEM_OFFSET_CAP, "%reserved_smem_offset_cap", U32)     \
    X(RESERVED_SMEM_OFFSET_0, "%reserved_smem_offset_0", U32)         \
    X(RESERVED_SMEM_OFFSET_1, "%reserved_smem_offset_1", U32)         \
    X(CURRENT_GRAPH_EXEC, "%current_graph_exec", U64)                 \
    X(PM0, "%pm0", U32)                                               \
    X(PM1, "%pm1", U32)                                               \
    X(PM2, "%pm2", U32)                                               \
    X(PM3, "%pm3", U32)                                               \
    X(PM4, "%pm4", U32)                                               \
    X(PM5, "%pm5", U32)                                               \
    X(PM6, "%pm6", U32)                                               \
    X(PM7, "%pm7", U32)                                               \
    X(PM0_64, "%pm0_64", U64)                                         \
    X(PM1_64, "%pm1_64", U64)                                         \
    X(PM2_64, "%pm2_64", U64)                                         \
    X(PM3_64, "%pm3_64", U64)                                         \
    X(PM4_64, "%pm4_64", U64)                                         \
    X(PM5_64, "%pm5_64", U64)                                         \
    X(PM6_64, "%pm6_64", U64)                                         \
    X(PM7_64, "%pm7_64", U64)                                         \
    X(ENVREG0, "%envreg0", B32)                                       \
    X(ENVREG1, "%envreg1", B32)                                       \
    X(ENVREG2, "%envreg2", B32)                                       \
    X(ENVREG3, "%envreg3", B32)                                       \
    X(ENVREG4, "%envreg4", B32)                                       \
    X(ENVREG5, "%envreg5", B32)                                       \
    X(ENVREG6, "%envreg6", B32)                                       \
    X(ENVREG7, "%envreg7", B32)                                       \
    X(ENVREG8, "%envreg8", B32)                                       \
    X(ENVREG9, "%envreg9", B32)                                       \
    X(ENVREG10, "%envreg10", B32)                                     \
    X(ENVREG11, "%envreg11", B32)                                     \
    X(ENVREG12, "%envreg12", B32)                                     \
    X(ENVREG13, "%envreg13", B32)                                     \
    X(ENVREG14, "%envreg14", B32)                                     \
    X(ENVREG15, "%envreg15", B32)                                     \
    X(ENVREG16, "%envreg16", B32)                                     \
    X(ENVREG17, "%envreg17", B32)                                     \
    X(ENVREG18, "%envreg18", B32)                                     \
    X(ENVREG19, "%envreg19", B32)                                     \
    X(ENVREG20, "%envreg20", B32)                                     \
    X(ENVREG21, "%envreg21", B32)                                     \
    X(ENVREG22, "%envreg22", B32)                                     \
    X(ENVREG23, "%envreg23", B32)                                     \
    X(ENVREG24, "%envreg24", B32)                                     \
    X(ENVREG25, "%envreg25", B32)                                     \
    X(ENVREG26, "%envreg26", B32)                                     \
    X(ENVREG27, "%envreg27", B32)                                     \
    X(ENVREG28, "%envreg28", B32)                                     \
    X(ENVREG29, "%envreg29", B32)                                     \
    X(ENVREG30, "%envreg30", B32)                                     \
    X(ENVREG31, "%envreg31", B32)

typedef enum PtxSreg {
#define PTX_SREG_ENUM(id, name, type) PTX_SREG_##id,
    PTX_SREGS(PTX_SREG_ENUM)
#undef PTX_SREG_ENUM
        PTX_SREG_COUNT
} PtxSreg;

#endif
