// SPDX-License-Identifier: Apache-2.0
// Which PTX instructions the virtual machine has: one row an opcode, in the
// order of ptx/opcodes.h. Decoding looks the family up here, and the page
// docs/instructions.md is made from these rows.
//
// X(ID, family, STATUS, "note")
//   family: decoded by vm_decode_<family>(); `none`: by nobody.
//   DONE:    every form that ptxas accepts.
//   PARTLY:  the note says which forms are missing.
//   OUTSIDE: not what this machine is for; the note says why.
//   Forms that are missing are UNSUPPORTED when they are reached.
#ifndef CLCLAB_VM_CODE_SUPPORT_H
#define CLCLAB_VM_CODE_SUPPORT_H

typedef enum VmSupport {
    VM_SUPPORT_DONE,
    VM_SUPPORT_PARTLY,
    VM_SUPPORT_OUTSIDE,
    VM_SUPPORT_COUNT
} VmSupport;

// Notes of several rows.
#define VM_GENERIC_32 "generic addresses of 32 bits"
#define VM_MULTIMEM "multicast objects of several GPUs"
#define VM_SCALAR_VIDEO "scalar video instructions, which no compiler emits"
#define VM_TENSOR_CORES "tensor cores"
#define VM_TENSOR_MAPS "tensor maps"
#define VM_TEXTURES "textures and surfaces"

#define VM_SUPPORT_MATH(X)                                         \
    X(ABS, int, DONE, "")                                          \
    X(ADD, int, DONE, "")                                          \
    X(ADDC, carry, DONE, "")                                       \
    X(AND, int, DONE, "")                                          \
    X(BFE, bits, DONE, "")                                         \
    X(BFI, bits, DONE, "")                                         \
    X(BFIND, bits, DONE, "")                                       \
    X(BMSK, bits, DONE, "")                                        \
    X(BREV, bits, DONE, "")                                        \
    X(CLZ, bits, DONE, "")                                         \
    X(CNOT, int, DONE, "")                                         \
    X(COPYSIGN, float, DONE, "")                                   \
    X(COS, float, DONE, "")                                        \
    X(DIV, int, DONE, "")                                          \
    X(DP2A, bits, DONE, "")                                        \
    X(DP4A, bits, DONE, "")                                        \
    X(EX2, float, DONE, "")                                        \
    X(FMA, float, DONE, "")                                        \
    X(FNS, bits, DONE, "")                                         \
    X(LG2, float, DONE, "")                                        \
    X(LOP3, bits, DONE, "")                                        \
    X(MAD, int, DONE, "")                                          \
    X(MAD24, int, DONE, "")                                        \
    X(MADC, carry, PARTLY, "16 bits, which the ISA does not have") \
    X(MAX, int, DONE, "")                                          \
    X(MIN, int, DONE, "")                                          \
    X(MUL, int, DONE, "")                                          \
    X(MUL24, int, DONE, "")                                        \
    X(NEG, int, DONE, "")                                          \
    X(NOT, int, DONE, "")                                          \
    X(OR, int, DONE, "")                                           \
    X(POPC, bits, DONE, "")                                        \
    X(PRMT, bits, DONE, "")                                        \
    X(RCP, float, DONE, "")                                        \
    X(REM, int, DONE, "")                                          \
    X(RSQRT, float, DONE, "")                                      \
    X(SAD, int, DONE, "")                                          \
    X(SELP, compare, DONE, "")                                     \
    X(SET, compare, DONE, "")                                      \
    X(SETP, compare, DONE, "")                                     \
    X(SHF, int, DONE, "")                                          \
    X(SHL, int, DONE, "")                                          \
    X(SHR, int, DONE, "")                                          \
    X(SIN, float, DONE, "")                                        \
    X(SLCT, compare, DONE, "")                                     \
    X(SQRT, float, DONE, "")                                       \
    X(SUB, int, DONE, "")                                          \
    X(SUBC, carry, DONE, "")                                       \
    X(SZEXT, bits, DONE, "")                                       \
    X(TANH, float, DONE, "")                                       \
    X(TESTP, compare, DONE, "")                                    \
    X(XOR, int, DONE, "")

#define VM_SUPPORT_MEMORY(X)                                              \
    X(APPLYPRIORITY, hint, DONE, "")                                      \
    X(CREATEPOLICY, hint, DONE, "")                                       \
    X(CVT, cvt, DONE, "")                                                 \
    X(CVT_PACK, cvt_pack, DONE, "")                                       \
    X(CVTA, move, PARTLY, VM_GENERIC_32)                                  \
    X(DISCARD, hint, DONE, "")                                            \
    X(GETCTARANK, move, PARTLY, VM_GENERIC_32)                            \
    X(ISSPACEP, move, PARTLY, VM_GENERIC_32)                              \
    X(ISTYPEP, none, OUTSIDE, VM_TEXTURES)                                \
    X(LD, memory, DONE, "")                                               \
    X(LDU, memory, DONE, "")                                              \
    X(MAPA, move, PARTLY, VM_GENERIC_32)                                  \
    X(MOV, move, DONE, "")                                                \
    X(MULTIMEM_CP_ASYNC_BULK, none, OUTSIDE, VM_MULTIMEM)                 \
    X(MULTIMEM_CP_REDUCE_ASYNC_BULK, none, OUTSIDE, VM_MULTIMEM)          \
    X(MULTIMEM_LD_REDUCE, none, OUTSIDE, VM_MULTIMEM)                     \
    X(MULTIMEM_RED, none, OUTSIDE, VM_MULTIMEM)                           \
    X(MULTIMEM_ST, none, OUTSIDE, VM_MULTIMEM)                            \
    X(PREFETCH, hint, PARTLY, "forms for tensor maps, which are outside") \
    X(PREFETCHU, hint, DONE, "")                                          \
    X(RED_ASYNC, copy, DONE, "")                                          \
    X(ST, memory, DONE, "")                                               \
    X(ST_ASYNC, copy, DONE, "")                                           \
    X(ST_BULK, copy, DONE, "")                                            \
    X(TENSORMAP_CP_FENCEPROXY, none, OUTSIDE, VM_TENSOR_MAPS)             \
    X(TENSORMAP_REPLACE, none, OUTSIDE, VM_TENSOR_MAPS)

#define VM_SUPPORT_COPY(X)                                          \
    X(CP_ASYNC, copy, DONE, "")                                     \
    X(CP_ASYNC_BULK, copy, DONE, "")                                \
    X(CP_ASYNC_BULK_COMMIT_GROUP, copy, DONE, "")                   \
    X(CP_ASYNC_BULK_PREFETCH, copy, DONE, "")                       \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, none, OUTSIDE, VM_TENSOR_MAPS) \
    X(CP_ASYNC_BULK_TENSOR, none, OUTSIDE, VM_TENSOR_MAPS)          \
    X(CP_ASYNC_BULK_WAIT_GROUP, copy, DONE, "")                     \
    X(CP_ASYNC_COMMIT_GROUP, copy, DONE, "")                        \
    X(CP_ASYNC_MBARRIER_ARRIVE, copy, DONE, "")                     \
    X(CP_ASYNC_WAIT_ALL, copy, DONE, "")                            \
    X(CP_ASYNC_WAIT_GROUP, copy, DONE, "")                          \
    X(CP_REDUCE_ASYNC_BULK, copy, DONE, "")                         \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, none, OUTSIDE, VM_TENSOR_MAPS)

#define VM_SUPPORT_CONTROL(X)     \
    X(BRA, control, DONE, "")     \
    X(BRX_IDX, control, DONE, "") \
    X(CALL, control, DONE, "")    \
    X(EXIT, control, DONE, "")    \
    X(RET, control, DONE, "")

#define VM_SUPPORT_SYNC(X)                                                    \
    X(ACTIVEMASK, warp, DONE, "")                                             \
    X(ATOM, atomic, DONE, "")                                                 \
    X(BAR_ARRIVE, barrier, DONE, "")                                          \
    X(BAR_CTA_ARRIVE, barrier, DONE, "")                                      \
    X(BAR_CTA_RED, barrier, DONE, "")                                         \
    X(BAR_CTA_SYNC, barrier, DONE, "")                                        \
    X(BAR_RED, barrier, DONE, "")                                             \
    X(BAR_SYNC, barrier, DONE, "")                                            \
    X(BAR_WARP_SYNC, warp, DONE, "")                                          \
    X(BARRIER_ARRIVE, barrier, DONE, "")                                      \
    X(BARRIER_CLUSTER_ARRIVE, barrier, DONE, "")                              \
    X(BARRIER_CLUSTER_WAIT, barrier, DONE, "")                                \
    X(BARRIER_CTA_ARRIVE, barrier, DONE, "")                                  \
    X(BARRIER_CTA_RED, barrier, DONE, "")                                     \
    X(BARRIER_CTA_SYNC, barrier, DONE, "")                                    \
    X(BARRIER_RED, barrier, DONE, "")                                         \
    X(BARRIER_SYNC, barrier, DONE, "")                                        \
    X(ELECT, warp, DONE, "")                                                  \
    X(FENCE, fence, DONE, "")                                                 \
    X(FENCE_MBARRIER_INIT, fence, DONE, "")                                   \
    X(FENCE_PROXY, fence, PARTLY, "forms for tensor maps, which are outside") \
    X(GRIDDEPCONTROL, hint, DONE, "")                                         \
    X(MATCH, warp, DONE, "")                                                  \
    X(MEMBAR, fence, DONE, "")                                                \
    X(MEMBAR_PROXY, fence, DONE, "")                                          \
    X(RED, atomic, DONE, "")                                                  \
    X(REDUX, warp, DONE, "")                                                  \
    X(SHFL, warp, DONE, "")                                                   \
    X(VOTE, warp, DONE, "")

#define VM_SUPPORT_MBARRIER(X)                    \
    X(MBARRIER_ARRIVE, mbarrier, DONE, "")        \
    X(MBARRIER_ARRIVE_DROP, mbarrier, DONE, "")   \
    X(MBARRIER_COMPLETE_TX, mbarrier, DONE, "")   \
    X(MBARRIER_EXPECT_TX, mbarrier, DONE, "")     \
    X(MBARRIER_INIT, mbarrier, DONE, "")          \
    X(MBARRIER_INVAL, mbarrier, DONE, "")         \
    X(MBARRIER_PENDING_COUNT, mbarrier, DONE, "") \
    X(MBARRIER_TEST_WAIT, mbarrier, DONE, "")     \
    X(MBARRIER_TRY_WAIT, mbarrier, DONE, "")

#define VM_SUPPORT_CLC(X)                               \
    X(CLUSTERLAUNCHCONTROL_QUERY_CANCEL, clc, DONE, "") \
    X(CLUSTERLAUNCHCONTROL_TRY_CANCEL, clc, DONE, "")

#define VM_SUPPORT_MATRIX(X)                                            \
    X(LDMATRIX, none, OUTSIDE, VM_TENSOR_CORES)                         \
    X(MMA, none, OUTSIDE, VM_TENSOR_CORES)                              \
    X(MOVMATRIX, none, OUTSIDE, VM_TENSOR_CORES)                        \
    X(STMATRIX, none, OUTSIDE, VM_TENSOR_CORES)                         \
    X(WGMMA_COMMIT_GROUP, none, OUTSIDE, VM_TENSOR_CORES)               \
    X(WGMMA_FENCE, none, OUTSIDE, VM_TENSOR_CORES)                      \
    X(WGMMA_MMA_ASYNC, none, OUTSIDE, VM_TENSOR_CORES)                  \
    X(WGMMA_WAIT_GROUP, none, OUTSIDE, VM_TENSOR_CORES)                 \
    X(WMMA_LOAD, none, OUTSIDE, VM_TENSOR_CORES)                        \
    X(WMMA_MMA, none, OUTSIDE, VM_TENSOR_CORES)                         \
    X(WMMA_STORE, none, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_ALLOC, none, OUTSIDE, VM_TENSOR_CORES)                    \
    X(TCGEN05_COMMIT, none, OUTSIDE, VM_TENSOR_CORES)                   \
    X(TCGEN05_CP, none, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_DEALLOC, none, OUTSIDE, VM_TENSOR_CORES)                  \
    X(TCGEN05_FENCE_AFTER_THREAD_SYNC, none, OUTSIDE, VM_TENSOR_CORES)  \
    X(TCGEN05_FENCE_BEFORE_THREAD_SYNC, none, OUTSIDE, VM_TENSOR_CORES) \
    X(TCGEN05_LD, none, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_LD_RED, none, OUTSIDE, VM_TENSOR_CORES)                   \
    X(TCGEN05_MMA, none, OUTSIDE, VM_TENSOR_CORES)                      \
    X(TCGEN05_RELINQUISH_ALLOC_PERMIT, none, OUTSIDE, VM_TENSOR_CORES)  \
    X(TCGEN05_SHIFT, none, OUTSIDE, VM_TENSOR_CORES)                    \
    X(TCGEN05_ST, none, OUTSIDE, VM_TENSOR_CORES)                       \
    X(TCGEN05_WAIT_LD, none, OUTSIDE, VM_TENSOR_CORES)                  \
    X(TCGEN05_WAIT_ST, none, OUTSIDE, VM_TENSOR_CORES)

#define VM_SUPPORT_TEXTURE(X)            \
    X(SULD, none, OUTSIDE, VM_TEXTURES)  \
    X(SUQ, none, OUTSIDE, VM_TEXTURES)   \
    X(SURED, none, OUTSIDE, VM_TEXTURES) \
    X(SUST, none, OUTSIDE, VM_TEXTURES)  \
    X(TEX, none, OUTSIDE, VM_TEXTURES)   \
    X(TLD4, none, OUTSIDE, VM_TEXTURES)  \
    X(TXQ, none, OUTSIDE, VM_TEXTURES)

#define VM_SUPPORT_MISC(X)                      \
    X(VABSDIFF, none, OUTSIDE, VM_SCALAR_VIDEO) \
    X(VABSDIFF2, video, DONE, "")               \
    X(VABSDIFF4, video, DONE, "")               \
    X(VADD, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VADD2, video, DONE, "")                   \
    X(VADD4, video, DONE, "")                   \
    X(VAVRG2, video, DONE, "")                  \
    X(VAVRG4, video, DONE, "")                  \
    X(VMAD, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMAX, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMAX2, video, DONE, "")                   \
    X(VMAX4, video, DONE, "")                   \
    X(VMIN, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VMIN2, video, DONE, "")                   \
    X(VMIN4, video, DONE, "")                   \
    X(VSET, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSET2, video, DONE, "")                   \
    X(VSET4, video, DONE, "")                   \
    X(VSHL, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSHR, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSUB, none, OUTSIDE, VM_SCALAR_VIDEO)     \
    X(VSUB2, video, DONE, "")                   \
    X(VSUB4, video, DONE, "")                   \
    X(ALLOCA, control, DONE, "")                \
    X(STACKRESTORE, control, DONE, "")          \
    X(STACKSAVE, control, DONE, "")             \
    X(BRKPT, control, DONE, "")                 \
    X(NANOSLEEP, nothing, DONE, "")             \
    X(PMEVENT, nothing, DONE, "")               \
    X(SETMAXNREG, nothing, DONE, "")            \
    X(TRAP, control, DONE, "")

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

#endif
