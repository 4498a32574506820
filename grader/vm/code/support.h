// SPDX-License-Identifier: Apache-2.0
// Which PTX instructions the virtual machine supports: one row for each opcode,
// in the order of ptx/instructions.h, which describes what each of them does.
// The decoder finds an instruction's family here, and docs/instructions.md is
// generated from these rows. An opcode without a row does not compile.
//
// X(ID, family, KIND, STATUS, "note")
//   family:  decoded by vm_decode_<family>(); `none`: no function decodes it.
//   KIND:    the DeviceKind that it is counted as; BY_TYPE: integer or
//            floating point, according to its type.
//   DONE:    every form that ptxas accepts is supported.
//   PARTLY:  the note says which forms are missing.
//   OUTSIDE: out of scope for this machine; the note says why.
//   A missing form ends the run as UNSUPPORTED when it is reached.
#ifndef CLCLAB_VM_CODE_SUPPORT_H
#define CLCLAB_VM_CODE_SUPPORT_H

#include "ptx/ptx.h"

typedef enum VmSupport {
    VM_SUPPORT_DONE,
    VM_SUPPORT_PARTLY,
    VM_SUPPORT_OUTSIDE,
    VM_SUPPORT_COUNT
} VmSupport;

// Notes that several rows share.
#define VM_GENERIC_32 "generic addresses of 32 bits"
#define VM_MULTIMEM "multicast objects of several GPUs"
#define VM_SCALAR_VIDEO "scalar video instructions, which no compiler emits"
#define VM_TENSOR_CORES "tensor cores of a warpgroup, Tensor Memory"
#define VM_SUB_BYTES "numbers of less than 8 bits"
#define VM_NARROW_MATRICES "matrices of less than 16 bits"
#define VM_MMA_FORMS                                                      \
    "numbers of less than 8 bits, sparse and scaled matrices, m8n8k4 of " \
    "f16, roundings but `.rn`"
#define VM_TENSOR_MAPS "tensor maps"
#define VM_REFERENCES "texture and surface references, which CUDA 12 dropped"
#define VM_FETCHES                                                       \
    "samplers of their own, texture references, comparisons of depths, " \
    "gradients of cubes, samples of multi-sample textures, results of f16"

#define VM_SUPPORT_MATH(X)                                                  \
    X(ABS, int, BY_TYPE, DONE, "")                                          \
    X(ADD, int, BY_TYPE, DONE, "")                                          \
    X(ADDC, carry, INTEGER, DONE, "")                                       \
    X(AND, int, BY_TYPE, DONE, "")                                          \
    X(BFE, bits, INTEGER, DONE, "")                                         \
    X(BFI, bits, INTEGER, DONE, "")                                         \
    X(BFIND, bits, INTEGER, DONE, "")                                       \
    X(BMSK, bits, INTEGER, DONE, "")                                        \
    X(BREV, bits, INTEGER, DONE, "")                                        \
    X(CLZ, bits, INTEGER, DONE, "")                                         \
    X(CNOT, int, BY_TYPE, DONE, "")                                         \
    X(COPYSIGN, float, BY_TYPE, DONE, "")                                   \
    X(COS, float, BY_TYPE, DONE, "")                                        \
    X(DIV, int, BY_TYPE, DONE, "")                                          \
    X(DP2A, bits, INTEGER, DONE, "")                                        \
    X(DP4A, bits, INTEGER, DONE, "")                                        \
    X(EX2, float, BY_TYPE, DONE, "")                                        \
    X(FMA, float, BY_TYPE, DONE, "")                                        \
    X(FNS, bits, INTEGER, DONE, "")                                         \
    X(LG2, float, BY_TYPE, DONE, "")                                        \
    X(LOP3, bits, INTEGER, DONE, "")                                        \
    X(MAD, int, BY_TYPE, DONE, "")                                          \
    X(MAD24, int, BY_TYPE, DONE, "")                                        \
    X(MADC, carry, INTEGER, PARTLY, "16 bits, which the ISA does not have") \
    X(MAX, int, BY_TYPE, DONE, "")                                          \
    X(MIN, int, BY_TYPE, DONE, "")                                          \
    X(MUL, int, BY_TYPE, DONE, "")                                          \
    X(MUL24, int, BY_TYPE, DONE, "")                                        \
    X(NEG, int, BY_TYPE, DONE, "")                                          \
    X(NOT, int, BY_TYPE, DONE, "")                                          \
    X(OR, int, BY_TYPE, DONE, "")                                           \
    X(POPC, bits, INTEGER, DONE, "")                                        \
    X(PRMT, bits, INTEGER, DONE, "")                                        \
    X(RCP, float, BY_TYPE, DONE, "")                                        \
    X(REM, int, BY_TYPE, DONE, "")                                          \
    X(RSQRT, float, BY_TYPE, DONE, "")                                      \
    X(SAD, int, BY_TYPE, DONE, "")                                          \
    X(SELP, compare, COMPARE, DONE, "")                                     \
    X(SET, compare, COMPARE, DONE, "")                                      \
    X(SETP, compare, COMPARE, DONE, "")                                     \
    X(SHF, int, BY_TYPE, DONE, "")                                          \
    X(SHL, int, BY_TYPE, DONE, "")                                          \
    X(SHR, int, BY_TYPE, DONE, "")                                          \
    X(SIN, float, BY_TYPE, DONE, "")                                        \
    X(SLCT, compare, COMPARE, DONE, "")                                     \
    X(SQRT, float, BY_TYPE, DONE, "")                                       \
    X(SUB, int, BY_TYPE, DONE, "")                                          \
    X(SUBC, carry, INTEGER, DONE, "")                                       \
    X(SZEXT, bits, INTEGER, DONE, "")                                       \
    X(TANH, float, BY_TYPE, DONE, "")                                       \
    X(TESTP, compare, COMPARE, DONE, "")                                    \
    X(XOR, int, BY_TYPE, DONE, "")

#define VM_SUPPORT_MEMORY(X)                                            \
    X(APPLYPRIORITY, hint, OTHER, DONE, "")                             \
    X(CREATEPOLICY, hint, OTHER, DONE, "")                              \
    X(CVT, cvt, CONVERT, DONE, "")                                      \
    X(CVT_PACK, cvt_pack, CONVERT, DONE, "")                            \
    X(CVTA, move, MOVE, PARTLY, VM_GENERIC_32)                          \
    X(DISCARD, hint, OTHER, DONE, "")                                   \
    X(GETCTARANK, move, MOVE, PARTLY, VM_GENERIC_32)                    \
    X(ISSPACEP, move, MOVE, PARTLY, VM_GENERIC_32)                      \
    X(ISTYPEP, none, OTHER, OUTSIDE, VM_REFERENCES)                     \
    X(LD, memory, LOAD, DONE, "")                                       \
    X(LDU, memory, LOAD, DONE, "")                                      \
    X(MAPA, move, MOVE, PARTLY, VM_GENERIC_32)                          \
    X(MOV, move, MOVE, DONE, "")                                        \
    X(MULTIMEM_CP_ASYNC_BULK, none, OTHER, OUTSIDE, VM_MULTIMEM)        \
    X(MULTIMEM_CP_REDUCE_ASYNC_BULK, none, OTHER, OUTSIDE, VM_MULTIMEM) \
    X(MULTIMEM_LD_REDUCE, none, OTHER, OUTSIDE, VM_MULTIMEM)            \
    X(MULTIMEM_RED, none, OTHER, OUTSIDE, VM_MULTIMEM)                  \
    X(MULTIMEM_ST, none, OTHER, OUTSIDE, VM_MULTIMEM)                   \
    X(PREFETCH, hint, OTHER, DONE, "")                                  \
    X(PREFETCHU, hint, OTHER, DONE, "")                                 \
    X(RED_ASYNC, copy, ASYNC, DONE, "")                                 \
    X(ST, memory, STORE, DONE, "")                                      \
    X(ST_ASYNC, copy, ASYNC, DONE, "")                                  \
    X(ST_BULK, copy, ASYNC, DONE, "")                                   \
    X(TENSORMAP_CP_FENCEPROXY, none, OTHER, OUTSIDE, VM_TENSOR_MAPS)    \
    X(TENSORMAP_REPLACE, none, OTHER, OUTSIDE, VM_TENSOR_MAPS)

#define VM_SUPPORT_COPY(X)                                        \
    X(CP_ASYNC, copy, ASYNC, DONE, "")                            \
    X(CP_ASYNC_BULK, copy, ASYNC, DONE, "")                       \
    X(CP_ASYNC_BULK_COMMIT_GROUP, copy, ASYNC, DONE, "")          \
    X(CP_ASYNC_BULK_PREFETCH, copy, ASYNC, DONE, "")              \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, hint, ASYNC, DONE, "")       \
    X(CP_ASYNC_BULK_TENSOR, none, OTHER, OUTSIDE, VM_TENSOR_MAPS) \
    X(CP_ASYNC_BULK_WAIT_GROUP, copy, ASYNC, DONE, "")            \
    X(CP_ASYNC_COMMIT_GROUP, copy, ASYNC, DONE, "")               \
    X(CP_ASYNC_MBARRIER_ARRIVE, copy, ASYNC, DONE, "")            \
    X(CP_ASYNC_WAIT_ALL, copy, ASYNC, DONE, "")                   \
    X(CP_ASYNC_WAIT_GROUP, copy, ASYNC, DONE, "")                 \
    X(CP_REDUCE_ASYNC_BULK, copy, ASYNC, DONE, "")                \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, none, OTHER, OUTSIDE, VM_TENSOR_MAPS)

#define VM_SUPPORT_CONTROL(X)              \
    X(BRA, control, CONTROL, DONE, "")     \
    X(BRX_IDX, control, CONTROL, DONE, "") \
    X(CALL, control, CONTROL, DONE, "")    \
    X(EXIT, control, CONTROL, DONE, "")    \
    X(RET, control, CONTROL, DONE, "")

#define VM_SUPPORT_SYNC(X)                                \
    X(ACTIVEMASK, warp, WARP, DONE, "")                   \
    X(ATOM, atomic, ATOMIC, DONE, "")                     \
    X(BAR_ARRIVE, barrier, BARRIER, DONE, "")             \
    X(BAR_CTA_ARRIVE, barrier, BARRIER, DONE, "")         \
    X(BAR_CTA_RED, barrier, BARRIER, DONE, "")            \
    X(BAR_CTA_SYNC, barrier, BARRIER, DONE, "")           \
    X(BAR_RED, barrier, BARRIER, DONE, "")                \
    X(BAR_SYNC, barrier, BARRIER, DONE, "")               \
    X(BAR_WARP_SYNC, warp, WARP, DONE, "")                \
    X(BARRIER_ARRIVE, barrier, BARRIER, DONE, "")         \
    X(BARRIER_CLUSTER_ARRIVE, barrier, BARRIER, DONE, "") \
    X(BARRIER_CLUSTER_WAIT, barrier, BARRIER, DONE, "")   \
    X(BARRIER_CTA_ARRIVE, barrier, BARRIER, DONE, "")     \
    X(BARRIER_CTA_RED, barrier, BARRIER, DONE, "")        \
    X(BARRIER_CTA_SYNC, barrier, BARRIER, DONE, "")       \
    X(BARRIER_RED, barrier, BARRIER, DONE, "")            \
    X(BARRIER_SYNC, barrier, BARRIER, DONE, "")           \
    X(ELECT, warp, WARP, DONE, "")                        \
    X(FENCE, fence, OTHER, DONE, "")                      \
    X(FENCE_MBARRIER_INIT, fence, OTHER, DONE, "")        \
    X(FENCE_PROXY, fence, OTHER, PARTLY,                  \
      "forms for tensor maps, which are outside")         \
    X(GRIDDEPCONTROL, hint, OTHER, DONE, "")              \
    X(MATCH, warp, WARP, DONE, "")                        \
    X(MEMBAR, fence, OTHER, DONE, "")                     \
    X(MEMBAR_PROXY, fence, OTHER, DONE, "")               \
    X(RED, atomic, ATOMIC, DONE, "")                      \
    X(REDUX, warp, WARP, DONE, "")                        \
    X(SHFL, warp, WARP, DONE, "")                         \
    X(VOTE, warp, WARP, DONE, "")

#define VM_SUPPORT_MBARRIER(X)                             \
    X(MBARRIER_ARRIVE, mbarrier, BARRIER, DONE, "")        \
    X(MBARRIER_ARRIVE_DROP, mbarrier, BARRIER, DONE, "")   \
    X(MBARRIER_COMPLETE_TX, mbarrier, BARRIER, DONE, "")   \
    X(MBARRIER_EXPECT_TX, mbarrier, BARRIER, DONE, "")     \
    X(MBARRIER_INIT, mbarrier, BARRIER, DONE, "")          \
    X(MBARRIER_INVAL, mbarrier, BARRIER, DONE, "")         \
    X(MBARRIER_PENDING_COUNT, mbarrier, BARRIER, DONE, "") \
    X(MBARRIER_TEST_WAIT, mbarrier, BARRIER, DONE, "")     \
    X(MBARRIER_TRY_WAIT, mbarrier, BARRIER, DONE, "")

#define VM_SUPPORT_CLC(X)                                      \
    X(CLUSTERLAUNCHCONTROL_QUERY_CANCEL, clc, ASYNC, DONE, "") \
    X(CLUSTERLAUNCHCONTROL_TRY_CANCEL, clc, ASYNC, DONE, "")

#define VM_SUPPORT_MATRIX(X)                                                   \
    X(LDMATRIX, matrix_memory, LOAD, PARTLY, VM_NARROW_MATRICES)               \
    X(MMA, mma, WARP, PARTLY, VM_MMA_FORMS)                                    \
    X(MOVMATRIX, matrix_memory, WARP, DONE, "")                                \
    X(STMATRIX, matrix_memory, STORE, PARTLY, VM_NARROW_MATRICES)              \
    X(WGMMA_COMMIT_GROUP, none, OTHER, OUTSIDE, VM_TENSOR_CORES)               \
    X(WGMMA_FENCE, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                      \
    X(WGMMA_MMA_ASYNC, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                  \
    X(WGMMA_WAIT_GROUP, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                 \
    X(WMMA_LOAD, matrix_memory, LOAD, PARTLY, VM_SUB_BYTES)                    \
    X(WMMA_MMA, mma, WARP, PARTLY, VM_SUB_BYTES ", roundings but `.rn`")       \
    X(WMMA_STORE, matrix_memory, STORE, DONE, "")                              \
    X(TCGEN05_ALLOC, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                    \
    X(TCGEN05_COMMIT, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                   \
    X(TCGEN05_CP, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_DEALLOC, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                  \
    X(TCGEN05_FENCE_AFTER_THREAD_SYNC, none, OTHER, OUTSIDE, VM_TENSOR_CORES)  \
    X(TCGEN05_FENCE_BEFORE_THREAD_SYNC, none, OTHER, OUTSIDE, VM_TENSOR_CORES) \
    X(TCGEN05_LD, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_LD_RED, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                   \
    X(TCGEN05_MMA, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                      \
    X(TCGEN05_RELINQUISH_ALLOC_PERMIT, none, OTHER, OUTSIDE, VM_TENSOR_CORES)  \
    X(TCGEN05_SHIFT, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                    \
    X(TCGEN05_ST, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_WAIT_LD, none, OTHER, OUTSIDE, VM_TENSOR_CORES)                  \
    X(TCGEN05_WAIT_ST, none, OTHER, OUTSIDE, VM_TENSOR_CORES)

#define VM_SUPPORT_TEXTURE(X)                           \
    X(SULD, surface, LOAD, PARTLY, VM_REFERENCES)       \
    X(SUQ, texture_query, OTHER, PARTLY,                \
      "formats and memory layouts; surface references") \
    X(SURED, surface, ATOMIC, PARTLY, VM_REFERENCES)    \
    X(SUST, surface, STORE, PARTLY,                     \
      "formatted stores (`.p`); surface references")    \
    X(TEX, fetch, LOAD, PARTLY, VM_FETCHES)             \
    X(TLD4, fetch, LOAD, PARTLY, VM_FETCHES)            \
    X(TXQ, texture_query, OTHER, PARTLY,                \
      "formats and modes of samplers; texture references")

#define VM_SUPPORT_MISC(X)                             \
    X(VABSDIFF, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO) \
    X(VABSDIFF2, video, INTEGER, DONE, "")             \
    X(VABSDIFF4, video, INTEGER, DONE, "")             \
    X(VADD, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VADD2, video, INTEGER, DONE, "")                 \
    X(VADD4, video, INTEGER, DONE, "")                 \
    X(VAVRG2, video, INTEGER, DONE, "")                \
    X(VAVRG4, video, INTEGER, DONE, "")                \
    X(VMAD, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMAX, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMAX2, video, INTEGER, DONE, "")                 \
    X(VMAX4, video, INTEGER, DONE, "")                 \
    X(VMIN, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMIN2, video, INTEGER, DONE, "")                 \
    X(VMIN4, video, INTEGER, DONE, "")                 \
    X(VSET, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSET2, video, INTEGER, DONE, "")                 \
    X(VSET4, video, INTEGER, DONE, "")                 \
    X(VSHL, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSHR, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSUB, none, OTHER, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSUB2, video, INTEGER, DONE, "")                 \
    X(VSUB4, video, INTEGER, DONE, "")                 \
    X(ALLOCA, control, CONTROL, DONE, "")              \
    X(STACKRESTORE, control, CONTROL, DONE, "")        \
    X(STACKSAVE, control, CONTROL, DONE, "")           \
    X(BRKPT, control, CONTROL, DONE, "")               \
    X(NANOSLEEP, nothing, OTHER, DONE, "")             \
    X(PMEVENT, nothing, OTHER, DONE, "")               \
    X(SETMAXNREG, registers, OTHER, DONE, "")          \
    X(TRAP, control, CONTROL, DONE, "")

#define VM_INSTRUCTIONS(X) \
    VM_SUPPORT_MATH(X)     \
    VM_SUPPORT_MEMORY(X)   \
    VM_SUPPORT_COPY(X)     \
    VM_SUPPORT_CONTROL(X)  \
    VM_SUPPORT_SYNC(X)     \
    VM_SUPPORT_MBARRIER(X) \
    VM_SUPPORT_CLC(X)      \
    VM_SUPPORT_MATRIX(X)   \
    VM_SUPPORT_TEXTURE(X)  \
    VM_SUPPORT_MISC(X)

// Every opcode has a row, in the same order.
enum {
#define VM_ROW_NUMBER(id, ...) VM_ROW_##id,
    VM_ROW_NONE,
    VM_INSTRUCTIONS(VM_ROW_NUMBER)
#undef VM_ROW_NUMBER
};
#define VM_ROW_CHECK(id, ...)                            \
    _Static_assert((int)VM_ROW_##id == (int)PTX_OP_##id, \
                   "the row of " #id " of support.h stands elsewhere");
PTX_OPCODES(VM_ROW_CHECK)
#undef VM_ROW_CHECK

#endif
