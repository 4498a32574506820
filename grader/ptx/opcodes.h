// SPDX-License-Identifier: Apache-2.0
// The tables of the PTX language: opcodes, suffixes, types, special registers.
// Each is an X-macro, so that the parser, the printer and the virtual machine
// all use the same rows; the opcodes' rows are in instructions.h. Source: PTX
// ISA 9.0, chapters 5, 9 and 10.
//
// An opcode's name is the longest dotted prefix that is in PTX_OPCODES; each
// further ".suffix" is a PtxMod. So "mbarrier.arrive.expect_tx.relaxed" is
// PTX_OP_MBARRIER_ARRIVE with PTX_MOD_EXPECT_TX and PTX_MOD_RELAXED. The parser
// knows every instruction; each device says which of them it can execute.
//
// An ID is the name in upper case, "::" and "." written "_".
#ifndef CLCLAB_PTX_OPCODES_H
#define CLCLAB_PTX_OPCODES_H

#include "ptx/instructions.h"
#include "ptx/suffixes.h"

// ---- opcodes -------------------------------------------------------------

typedef enum PtxOp {
    PTX_OP_NONE,
#define PTX_OP_ENUM(id, ...) PTX_OP_##id,
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
// X(ID, "%name", type). A vector such as %tid has five rows: the vector itself
// (which mov.v4 reads) and its components .x .y .z .w, of which .w is 0.
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
