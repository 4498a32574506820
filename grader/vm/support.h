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
#ifndef CLCLAB_VM_SUPPORT_H
#define CLCLAB_VM_SUPPORT_H

typedef enum VmSupport {
    VM_SUPPORT_DONE,
    VM_SUPPORT_PARTLY,
    VM_SUPPORT_OUTSIDE,
    VM_SUPPORT_COUNT
} VmSupport;

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
    X(FMA, float, PARTLY,                                          \
      ".oob of the second and third operand is not confirmed")     \
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

#define VM_SUPPORT_MEMORY(X)                                                  \
    X(APPLYPRIORITY, hint, DONE, "")                                          \
    X(CREATEPOLICY, hint, DONE, "")                                           \
    X(CVT, cvt, DONE, "")                                                     \
    X(CVT_PACK, cvt_pack, DONE, "")                                           \
    X(CVTA, move, PARTLY, "generic addresses of 32 bits")                     \
    X(DISCARD, hint, DONE, "")                                                \
    X(GETCTARANK, move, PARTLY, "generic addresses of 32 bits")               \
    X(ISSPACEP, move, PARTLY, "generic addresses of 32 bits")                 \
    X(ISTYPEP, none, OUTSIDE, "textures and surfaces")                        \
    X(LD, memory, DONE, "")                                                   \
    X(LDU, memory, DONE, "")                                                  \
    X(MAPA, move, PARTLY, "generic addresses of 32 bits")                     \
    X(MOV, move, DONE, "")                                                    \
    X(MULTIMEM_CP_ASYNC_BULK, none, OUTSIDE,                                  \
      "multicast objects of several GPUs")                                    \
    X(MULTIMEM_CP_REDUCE_ASYNC_BULK, none, OUTSIDE,                           \
      "multicast objects of several GPUs")                                    \
    X(MULTIMEM_LD_REDUCE, none, OUTSIDE, "multicast objects of several GPUs") \
    X(MULTIMEM_RED, none, OUTSIDE, "multicast objects of several GPUs")       \
    X(MULTIMEM_ST, none, OUTSIDE, "multicast objects of several GPUs")        \
    X(PREFETCH, hint, PARTLY, "forms for tensor maps, which are outside")     \
    X(PREFETCHU, hint, DONE, "")                                              \
    X(RED_ASYNC, copy, DONE, "")                                              \
    X(ST, memory, DONE, "")                                                   \
    X(ST_ASYNC, copy, DONE, "")                                               \
    X(ST_BULK, copy, DONE, "")                                                \
    X(TENSORMAP_CP_FENCEPROXY, none, OUTSIDE, "tensor maps")                  \
    X(TENSORMAP_REPLACE, none, OUTSIDE, "tensor maps")

#define VM_SUPPORT_COPY(X)                                         \
    X(CP_ASYNC, copy, DONE, "")                                    \
    X(CP_ASYNC_BULK, copy, DONE, "")                               \
    X(CP_ASYNC_BULK_COMMIT_GROUP, copy, DONE, "")                  \
    X(CP_ASYNC_BULK_PREFETCH, copy, DONE, "")                      \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, none, OUTSIDE, "tensor maps") \
    X(CP_ASYNC_BULK_TENSOR, none, OUTSIDE, "tensor maps")          \
    X(CP_ASYNC_BULK_WAIT_GROUP, copy, DONE, "")                    \
    X(CP_ASYNC_COMMIT_GROUP, copy, DONE, "")                       \
    X(CP_ASYNC_MBARRIER_ARRIVE, copy, DONE, "")                    \
    X(CP_ASYNC_WAIT_ALL, copy, DONE, "")                           \
    X(CP_ASYNC_WAIT_GROUP, copy, DONE, "")                         \
    X(CP_REDUCE_ASYNC_BULK, copy, DONE, "")                        \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, none, OUTSIDE, "tensor maps")

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

#define VM_SUPPORT_MATRIX(X)                                           \
    X(LDMATRIX, none, OUTSIDE, "tensor cores")                         \
    X(MMA, none, OUTSIDE, "tensor cores")                              \
    X(MOVMATRIX, none, OUTSIDE, "tensor cores")                        \
    X(STMATRIX, none, OUTSIDE, "tensor cores")                         \
    X(WGMMA_COMMIT_GROUP, none, OUTSIDE, "tensor cores")               \
    X(WGMMA_FENCE, none, OUTSIDE, "tensor cores")                      \
    X(WGMMA_MMA_ASYNC, none, OUTSIDE, "tensor cores")                  \
    X(WGMMA_WAIT_GROUP, none, OUTSIDE, "tensor cores")                 \
    X(WMMA_LOAD, none, OUTSIDE, "tensor cores")                        \
    X(WMMA_MMA, none, OUTSIDE, "tensor cores")                         \
    X(WMMA_STORE, none, OUTSIDE, "tensor cores")                       \
    X(TCGEN05_ALLOC, none, OUTSIDE, "tensor cores")                    \
    X(TCGEN05_COMMIT, none, OUTSIDE, "tensor cores")                   \
    X(TCGEN05_CP, none, OUTSIDE, "tensor cores")                       \
    X(TCGEN05_DEALLOC, none, OUTSIDE, "tensor cores")                  \
    X(TCGEN05_FENCE_AFTER_THREAD_SYNC, none, OUTSIDE, "tensor cores")  \
    X(TCGEN05_FENCE_BEFORE_THREAD_SYNC, none, OUTSIDE, "tensor cores") \
    X(TCGEN05_LD, none, OUTSIDE, "tensor cores")                       \
    X(TCGEN05_LD_RED, none, OUTSIDE, "tensor cores")                   \
    X(TCGEN05_MMA, none, OUTSIDE, "tensor cores")                      \
    X(TCGEN05_RELINQUISH_ALLOC_PERMIT, none, OUTSIDE, "tensor cores")  \
    X(TCGEN05_SHIFT, none, OUTSIDE, "tensor cores")                    \
    X(TCGEN05_ST, none, OUTSIDE, "tensor cores")                       \
    X(TCGEN05_WAIT_LD, none, OUTSIDE, "tensor cores")                  \
    X(TCGEN05_WAIT_ST, none, OUTSIDE, "tensor cores")

#define VM_SUPPORT_TEXTURE(X)                        \
    X(SULD, none, OUTSIDE, "textures and surfaces")  \
    X(SUQ, none, OUTSIDE, "textures and surfaces")   \
    X(SURED, none, OUTSIDE, "textures and surfaces") \
    X(SUST, none, OUTSIDE, "textures and surfaces")  \
    X(TEX, none, OUTSIDE, "textures and surfaces")   \
    X(TLD4, none, OUTSIDE, "textures and surfaces")  \
    X(TXQ, none, OUTSIDE, "textures and surfaces")

#define VM_SUPPORT_MISC(X)                                  \
    X(VABSDIFF, none, OUTSIDE,                              \
      "scalar video instructions, which no compiler emits") \
    X(VABSDIFF2, video, DONE, "")                           \
    X(VABSDIFF4, video, DONE, "")                           \
    X(VADD, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VADD2, video, DONE, "")                               \
    X(VADD4, video, DONE, "")                               \
    X(VAVRG2, video, DONE, "")                              \
    X(VAVRG4, video, DONE, "")                              \
    X(VMAD, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VMAX, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VMAX2, video, DONE, "")                               \
    X(VMAX4, video, DONE, "")                               \
    X(VMIN, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VMIN2, video, DONE, "")                               \
    X(VMIN4, video, DONE, "")                               \
    X(VSET, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VSET2, video, DONE, "")                               \
    X(VSET4, video, DONE, "")                               \
    X(VSHL, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VSHR, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VSUB, none, OUTSIDE,                                  \
      "scalar video instructions, which no compiler emits") \
    X(VSUB2, video, DONE, "")                               \
    X(VSUB4, video, DONE, "")                               \
    X(ALLOCA, control, DONE, "")                            \
    X(STACKRESTORE, control, DONE, "")                      \
    X(STACKSAVE, control, DONE, "")                         \
    X(BRKPT, control, DONE, "")                             \
    X(NANOSLEEP, nothing, DONE, "")                         \
    X(PMEVENT, nothing, DONE, "")                           \
    X(SETMAXNREG, nothing, DONE, "")                        \
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
