// SPDX-License-Identifier: Apache-2.0
// The suffixes of PTX instructions that are not types, by theme. Private to
// opcodes.h, which explains the rows. Two suffixes differ only in case:
// "nan" (a comparison) is NAN, "NaN" (of min, max, redux) is CANONICAL_NAN.
#ifndef CLCLAB_PTX_SUFFIXES_H
#define CLCLAB_PTX_SUFFIXES_H

// State spaces.
#define PTX_MODS_SPACE(SUFFIX)                \
    SUFFIX(CONST, "const")                    \
    SUFFIX(GLOBAL, "global")                  \
    SUFFIX(LOCAL, "local")                    \
    SUFFIX(PARAM, "param")                    \
    SUFFIX(PARAM_ENTRY, "param::entry")       \
    SUFFIX(PARAM_FUNC, "param::func")         \
    SUFFIX(REG, "reg")                        \
    SUFFIX(SHARED, "shared")                  \
    SUFFIX(SHARED_CTA, "shared::cta")         \
    SUFFIX(SHARED_CLUSTER, "shared::cluster") \
    SUFFIX(SREG, "sreg")                      \
    SUFFIX(TEX, "tex")                        \
    SUFFIX(SURF, "surf")

// Memory order, scope, caches and eviction.
#define PTX_MODS_ORDER(SUFFIX)                        \
    SUFFIX(WEAK, "weak")                              \
    SUFFIX(VOLATILE, "volatile")                      \
    SUFFIX(RELAXED, "relaxed")                        \
    SUFFIX(ACQUIRE, "acquire")                        \
    SUFFIX(RELEASE, "release")                        \
    SUFFIX(ACQ_REL, "acq_rel")                        \
    SUFFIX(SC, "sc")                                  \
    SUFFIX(MMIO, "mmio")                              \
    SUFFIX(CTA, "cta")                                \
    SUFFIX(CLUSTER, "cluster")                        \
    SUFFIX(GPU, "gpu")                                \
    SUFFIX(SYS, "sys")                                \
    SUFFIX(GL, "gl")                                  \
    SUFFIX(CA, "ca")                                  \
    SUFFIX(CG, "cg")                                  \
    SUFFIX(CS, "cs")                                  \
    SUFFIX(CV, "cv")                                  \
    SUFFIX(LU, "lu")                                  \
    SUFFIX(WB, "wb")                                  \
    SUFFIX(WT, "wt")                                  \
    SUFFIX(NC, "nc")                                  \
    SUFFIX(L1, "L1")                                  \
    SUFFIX(L2, "L2")                                  \
    SUFFIX(EVICT_FIRST, "evict_first")                \
    SUFFIX(EVICT_LAST, "evict_last")                  \
    SUFFIX(EVICT_NORMAL, "evict_normal")              \
    SUFFIX(EVICT_UNCHANGED, "evict_unchanged")        \
    SUFFIX(NO_ALLOCATE, "no_allocate")                \
    SUFFIX(L1_EVICT_FIRST, "L1::evict_first")         \
    SUFFIX(L1_EVICT_LAST, "L1::evict_last")           \
    SUFFIX(L1_EVICT_NORMAL, "L1::evict_normal")       \
    SUFFIX(L1_EVICT_UNCHANGED, "L1::evict_unchanged") \
    SUFFIX(L1_NO_ALLOCATE, "L1::no_allocate")         \
    SUFFIX(L2_EVICT_FIRST, "L2::evict_first")         \
    SUFFIX(L2_EVICT_LAST, "L2::evict_last")           \
    SUFFIX(L2_EVICT_NORMAL, "L2::evict_normal")       \
    SUFFIX(L2_EVICT_UNCHANGED, "L2::evict_unchanged") \
    SUFFIX(L2_CACHE_HINT, "L2::cache_hint")           \
    SUFFIX(L2_64B, "L2::64B")                         \
    SUFFIX(L2_128B, "L2::128B")                       \
    SUFFIX(L2_256B, "L2::256B")                       \
    SUFFIX(FRACTIONAL, "fractional")                  \
    SUFFIX(RANGE, "range")

// Proxies, completion and multicast.
#define PTX_MODS_PROXY(SUFFIX)                                             \
    SUFFIX(ALIAS, "alias")                                                 \
    SUFFIX(ASYNC, "async")                                                 \
    SUFFIX(ASYNC_GENERIC, "async::generic")                                \
    SUFFIX(TENSORMAP, "tensormap")                                         \
    SUFFIX(TENSORMAP_GENERIC, "tensormap::generic")                        \
    SUFFIX(PROXY, "proxy")                                                 \
    SUFFIX(SYNC_RESTRICT_SHARED_CTA, "sync_restrict::shared::cta")         \
    SUFFIX(SYNC_RESTRICT_SHARED_CLUSTER, "sync_restrict::shared::cluster") \
    SUFFIX(MBARRIER_COMPLETE_TX_BYTES, "mbarrier::complete_tx::bytes")     \
    SUFFIX(MBARRIER_ARRIVE_ONE, "mbarrier::arrive::one")                   \
    SUFFIX(MULTICAST_CLUSTER, "multicast::cluster")                        \
    SUFFIX(MULTICAST_CLUSTER_ALL, "multicast::cluster::all")               \
    SUFFIX(MULTICAST_CLUSTER_32B, "multicast::cluster::32b")               \
    SUFFIX(BULK_GROUP, "bulk_group")                                       \
    SUFFIX(READ, "read")                                                   \
    SUFFIX(CP_MASK, "cp_mask")                                             \
    SUFFIX(IGNORE_OOB, "ignore_oob")                                       \
    SUFFIX(NOINC, "noinc")

// Vectors and parts of a register.
#define PTX_MODS_VECTOR(SUFFIX) \
    SUFFIX(V2, "v2")            \
    SUFFIX(V4, "v4")            \
    SUFFIX(V8, "v8")            \
    SUFFIX(X, "x")              \
    SUFFIX(Y, "y")              \
    SUFFIX(Z, "z")              \
    SUFFIX(W, "w")              \
    SUFFIX(R, "r")              \
    SUFFIX(G, "g")              \
    SUFFIX(B, "b")              \
    SUFFIX(A, "a")              \
    SUFFIX(B0, "b0")            \
    SUFFIX(B1, "b1")            \
    SUFFIX(B2, "b2")            \
    SUFFIX(B3, "b3")            \
    SUFFIX(H0, "h0")            \
    SUFFIX(H1, "h1")

// Comparison and rounding.
#define PTX_MODS_COMPARE(SUFFIX)     \
    SUFFIX(EQ, "eq")                 \
    SUFFIX(NE, "ne")                 \
    SUFFIX(LT, "lt")                 \
    SUFFIX(LE, "le")                 \
    SUFFIX(GT, "gt")                 \
    SUFFIX(GE, "ge")                 \
    SUFFIX(LO, "lo")                 \
    SUFFIX(LS, "ls")                 \
    SUFFIX(HI, "hi")                 \
    SUFFIX(HS, "hs")                 \
    SUFFIX(EQU, "equ")               \
    SUFFIX(NEU, "neu")               \
    SUFFIX(LTU, "ltu")               \
    SUFFIX(LEU, "leu")               \
    SUFFIX(GTU, "gtu")               \
    SUFFIX(GEU, "geu")               \
    SUFFIX(NUM, "num")               \
    SUFFIX(NAN, "nan")               \
    SUFFIX(CANONICAL_NAN, "NaN")     \
    SUFFIX(RN, "rn")                 \
    SUFFIX(RZ, "rz")                 \
    SUFFIX(RM, "rm")                 \
    SUFFIX(RP, "rp")                 \
    SUFFIX(RNA, "rna")               \
    SUFFIX(RS, "rs")                 \
    SUFFIX(RNI, "rni")               \
    SUFFIX(RZI, "rzi")               \
    SUFFIX(RMI, "rmi")               \
    SUFFIX(RPI, "rpi")               \
    SUFFIX(APPROX, "approx")         \
    SUFFIX(FULL, "full")             \
    SUFFIX(FTZ, "ftz")               \
    SUFFIX(NOFTZ, "noftz")           \
    SUFFIX(SAT, "sat")               \
    SUFFIX(SATFINITE, "satfinite")   \
    SUFFIX(RELU, "relu")             \
    SUFFIX(OOB, "oob")               \
    SUFFIX(CC, "cc")                 \
    SUFFIX(WIDE, "wide")             \
    SUFFIX(FINITE, "finite")         \
    SUFFIX(INFINITE, "infinite")     \
    SUFFIX(NUMBER, "number")         \
    SUFFIX(NOTANUMBER, "notanumber") \
    SUFFIX(NORMAL, "normal")         \
    SUFFIX(SUBNORMAL, "subnormal")   \
    SUFFIX(WRAP, "wrap")             \
    SUFFIX(CLAMP, "clamp")           \
    SUFFIX(ZERO, "zero")             \
    SUFFIX(XORSIGN, "xorsign")       \
    SUFFIX(ABS, "abs")               \
    SUFFIX(SHIFTAMT, "shiftamt")     \
    SUFFIX(MODE, "mode")             \
    SUFFIX(F4E, "f4e")               \
    SUFFIX(B4E, "b4e")               \
    SUFFIX(RC8, "rc8")               \
    SUFFIX(RC16, "rc16")             \
    SUFFIX(ECL, "ecl")               \
    SUFFIX(ECR, "ecr")               \
    SUFFIX(L, "l")                   \
    SUFFIX(TO, "to")                 \
    SUFFIX(UP, "up")                 \
    SUFFIX(DOWN, "down")             \
    SUFFIX(BFLY, "bfly")             \
    SUFFIX(IDX, "idx")

// Operations of atomics, reductions and votes.
#define PTX_MODS_OPERATION(SUFFIX) \
    SUFFIX(ADD, "add")             \
    SUFFIX(AND, "and")             \
    SUFFIX(OR, "or")               \
    SUFFIX(XOR, "xor")             \
    SUFFIX(MIN, "min")             \
    SUFFIX(MAX, "max")             \
    SUFFIX(INC, "inc")             \
    SUFFIX(DEC, "dec")             \
    SUFFIX(CAS, "cas")             \
    SUFFIX(EXCH, "exch")           \
    SUFFIX(POPC, "popc")           \
    SUFFIX(ALL, "all")             \
    SUFFIX(ANY, "any")             \
    SUFFIX(UNI, "uni")             \
    SUFFIX(BALLOT, "ballot")       \
    SUFFIX(SYNC, "sync")           \
    SUFFIX(ALIGNED, "aligned")     \
    SUFFIX(SHR7, "shr7")           \
    SUFFIX(SHR15, "shr15")         \
    SUFFIX(PO, "po")               \
    SUFFIX(TRAP, "trap")

// mbarrier and cluster launch control.
#define PTX_MODS_MBARRIER(SUFFIX)                   \
    SUFFIX(EXPECT_TX, "expect_tx")                  \
    SUFFIX(NOCOMPLETE, "noComplete")                \
    SUFFIX(PARITY, "parity")                        \
    SUFFIX(IS_CANCELED, "is_canceled")              \
    SUFFIX(GET_FIRST_CTAID, "get_first_ctaid")      \
    SUFFIX(GET_FIRST_CTAID_X, "get_first_ctaid::x") \
    SUFFIX(GET_FIRST_CTAID_Y, "get_first_ctaid::y") \
    SUFFIX(GET_FIRST_CTAID_Z, "get_first_ctaid::z") \
    SUFFIX(LAUNCH_DEPENDENTS, "launch_dependents")  \
    SUFFIX(WAIT, "wait")                            \
    SUFFIX(INIT, "init")                            \
    SUFFIX(CVT, "cvt")

// Tensor copies and tensor maps.
#define PTX_MODS_COPY(SUFFIX)                      \
    SUFFIX(1D, "1d")                               \
    SUFFIX(2D, "2d")                               \
    SUFFIX(3D, "3d")                               \
    SUFFIX(4D, "4d")                               \
    SUFFIX(5D, "5d")                               \
    SUFFIX(TILE, "tile")                           \
    SUFFIX(TILE_GATHER4, "tile::gather4")          \
    SUFFIX(TILE_SCATTER4, "tile::scatter4")        \
    SUFFIX(IM2COL, "im2col")                       \
    SUFFIX(IM2COL_W, "im2col::w")                  \
    SUFFIX(IM2COL_W_128, "im2col::w::128")         \
    SUFFIX(IM2COL_NO_OFFS, "im2col_no_offs")       \
    SUFFIX(GLOBAL_ADDRESS, "global_address")       \
    SUFFIX(RANK, "rank")                           \
    SUFFIX(BOX_DIM, "box_dim")                     \
    SUFFIX(GLOBAL_DIM, "global_dim")               \
    SUFFIX(GLOBAL_STRIDE, "global_stride")         \
    SUFFIX(ELEMENT_STRIDE, "element_stride")       \
    SUFFIX(ELEMTYPE, "elemtype")                   \
    SUFFIX(INTERLEAVE_LAYOUT, "interleave_layout") \
    SUFFIX(SWIZZLE_MODE, "swizzle_mode")           \
    SUFFIX(SWIZZLE_ATOMICITY, "swizzle_atomicity") \
    SUFFIX(FILL_MODE, "fill_mode")

// Packed and narrow formats.
#define PTX_MODS_FORMAT(SUFFIX)    \
    SUFFIX(S4, "s4")               \
    SUFFIX(U4, "u4")               \
    SUFFIX(B4, "b4")               \
    SUFFIX(S2, "s2")               \
    SUFFIX(U2, "u2")               \
    SUFFIX(B1024, "b1024")         \
    SUFFIX(S8X4, "s8x4")           \
    SUFFIX(U8X4, "u8x4")           \
    SUFFIX(E4M3, "e4m3")           \
    SUFFIX(E5M2, "e5m2")           \
    SUFFIX(E2M3, "e2m3")           \
    SUFFIX(E3M2, "e3m2")           \
    SUFFIX(E2M1, "e2m1")           \
    SUFFIX(UE8M0, "ue8m0")         \
    SUFFIX(UE4M3, "ue4m3")         \
    SUFFIX(E4M3X2, "e4m3x2")       \
    SUFFIX(E5M2X2, "e5m2x2")       \
    SUFFIX(E4M3X4, "e4m3x4")       \
    SUFFIX(E5M2X4, "e5m2x4")       \
    SUFFIX(E2M3X2, "e2m3x2")       \
    SUFFIX(E3M2X2, "e3m2x2")       \
    SUFFIX(E2M1X2, "e2m1x2")       \
    SUFFIX(E2M3X4, "e2m3x4")       \
    SUFFIX(E3M2X4, "e3m2x4")       \
    SUFFIX(E2M1X4, "e2m1x4")       \
    SUFFIX(UE8M0X2, "ue8m0x2")     \
    SUFFIX(UE4M3X2, "ue4m3x2")     \
    SUFFIX(S2F6X2, "s2f6x2")       \
    SUFFIX(B8X16, "b8x16")         \
    SUFFIX(B6X16_P32, "b6x16_p32") \
    SUFFIX(B4X16_P64, "b4x16_p64") \
    SUFFIX(B6P2X16, "b6p2x16")     \
    SUFFIX(M8N8, "m8n8")           \
    SUFFIX(M8N16, "m8n16")         \
    SUFFIX(M16N8, "m16n8")         \
    SUFFIX(M16N16, "m16n16")

// Matrices.
#define PTX_MODS_MATRIX(SUFFIX)                         \
    SUFFIX(C, "c")                                      \
    SUFFIX(D, "d")                                      \
    SUFFIX(ROW, "row")                                  \
    SUFFIX(COL, "col")                                  \
    SUFFIX(TRANS, "trans")                              \
    SUFFIX(X1, "x1")                                    \
    SUFFIX(X2, "x2")                                    \
    SUFFIX(X4, "x4")                                    \
    SUFFIX(X8, "x8")                                    \
    SUFFIX(X16, "x16")                                  \
    SUFFIX(X32, "x32")                                  \
    SUFFIX(X64, "x64")                                  \
    SUFFIX(X128, "x128")                                \
    SUFFIX(SP, "sp")                                    \
    SUFFIX(SP_ORDERED_METADATA, "sp::ordered_metadata") \
    SUFFIX(BLOCK_SCALE, "block_scale")                  \
    SUFFIX(SCALE_VEC_1X, "scale_vec::1X")               \
    SUFFIX(SCALE_VEC_2X, "scale_vec::2X")               \
    SUFFIX(SCALE_VEC_4X, "scale_vec::4X")               \
    SUFFIX(BLOCK16, "block16")                          \
    SUFFIX(BLOCK32, "block32")                          \
    SUFFIX(KIND_F16, "kind::f16")                       \
    SUFFIX(KIND_TF32, "kind::tf32")                     \
    SUFFIX(KIND_I8, "kind::i8")                         \
    SUFFIX(KIND_F8F6F4, "kind::f8f6f4")                 \
    SUFFIX(KIND_MXF8F6F4, "kind::mxf8f6f4")             \
    SUFFIX(KIND_MXF4, "kind::mxf4")                     \
    SUFFIX(KIND_MXF4NVF4, "kind::mxf4nvf4")             \
    SUFFIX(ACC_F32, "acc::f32")                         \
    SUFFIX(M8N8K4, "m8n8k4")                            \
    SUFFIX(M8N8K16, "m8n8k16")                          \
    SUFFIX(M8N8K32, "m8n8k32")                          \
    SUFFIX(M8N8K128, "m8n8k128")                        \
    SUFFIX(M16N8K4, "m16n8k4")                          \
    SUFFIX(M16N8K8, "m16n8k8")                          \
    SUFFIX(M16N8K16, "m16n8k16")                        \
    SUFFIX(M16N8K32, "m16n8k32")                        \
    SUFFIX(M16N8K64, "m16n8k64")                        \
    SUFFIX(M16N8K128, "m16n8k128")                      \
    SUFFIX(M16N8K256, "m16n8k256")                      \
    SUFFIX(M16N16K8, "m16n16k8")                        \
    SUFFIX(M16N16K16, "m16n16k16")                      \
    SUFFIX(M32N8K16, "m32n8k16")                        \
    SUFFIX(M8N32K16, "m8n32k16")

// Shapes of wgmma: m64nNkK.
// clang-format off
#define PTX_MODS_M64(SUFFIX, n) \
    SUFFIX(M64N##n##K8, "m64n" #n "k8") \
    SUFFIX(M64N##n##K16, "m64n" #n "k16") \
    SUFFIX(M64N##n##K32, "m64n" #n "k32") \
    SUFFIX(M64N##n##K64, "m64n" #n "k64") \
    SUFFIX(M64N##n##K256, "m64n" #n "k256")
#define PTX_MODS_M64_UP_TO_128(SUFFIX) \
    PTX_MODS_M64(SUFFIX, 8) PTX_MODS_M64(SUFFIX, 16) \
    PTX_MODS_M64(SUFFIX, 24) PTX_MODS_M64(SUFFIX, 32) \
    PTX_MODS_M64(SUFFIX, 40) PTX_MODS_M64(SUFFIX, 48) \
    PTX_MODS_M64(SUFFIX, 56) PTX_MODS_M64(SUFFIX, 64) \
    PTX_MODS_M64(SUFFIX, 72) PTX_MODS_M64(SUFFIX, 80) \
    PTX_MODS_M64(SUFFIX, 88) PTX_MODS_M64(SUFFIX, 96) \
    PTX_MODS_M64(SUFFIX, 104) PTX_MODS_M64(SUFFIX, 112) \
    PTX_MODS_M64(SUFFIX, 120) PTX_MODS_M64(SUFFIX, 128)
#define PTX_MODS_WGMMA(SUFFIX) \
    PTX_MODS_M64_UP_TO_128(SUFFIX) \
    PTX_MODS_M64(SUFFIX, 136) PTX_MODS_M64(SUFFIX, 144) \
    PTX_MODS_M64(SUFFIX, 152) PTX_MODS_M64(SUFFIX, 160) \
    PTX_MODS_M64(SUFFIX, 168) PTX_MODS_M64(SUFFIX, 176) \
    PTX_MODS_M64(SUFFIX, 184) PTX_MODS_M64(SUFFIX, 192) \
    PTX_MODS_M64(SUFFIX, 200) PTX_MODS_M64(SUFFIX, 208) \
    PTX_MODS_M64(SUFFIX, 216) PTX_MODS_M64(SUFFIX, 224) \
    PTX_MODS_M64(SUFFIX, 232) PTX_MODS_M64(SUFFIX, 240) \
    PTX_MODS_M64(SUFFIX, 248) PTX_MODS_M64(SUFFIX, 256)
// clang-format on

// tcgen05.
#define PTX_MODS_TCGEN05(SUFFIX)                           \
    SUFFIX(CTA_GROUP_1, "cta_group::1")                    \
    SUFFIX(CTA_GROUP_2, "cta_group::2")                    \
    SUFFIX(WS, "ws")                                       \
    SUFFIX(16X64B, "16x64b")                               \
    SUFFIX(16X128B, "16x128b")                             \
    SUFFIX(16X256B, "16x256b")                             \
    SUFFIX(32X32B, "32x32b")                               \
    SUFFIX(16X32BX2, "16x32bx2")                           \
    SUFFIX(4X256B, "4x256b")                               \
    SUFFIX(32X128B, "32x128b")                             \
    SUFFIX(64X128B, "64x128b")                             \
    SUFFIX(128X128B, "128x128b")                           \
    SUFFIX(128X256B, "128x256b")                           \
    SUFFIX(PACK_16B, "pack::16b")                          \
    SUFFIX(UNPACK_16B, "unpack::16b")                      \
    SUFFIX(WARPX2_02_13, "warpx2::02_13")                  \
    SUFFIX(WARPX2_01_23, "warpx2::01_23")                  \
    SUFFIX(WARPX4, "warpx4")                               \
    SUFFIX(ASHIFT, "ashift")                               \
    SUFFIX(COLLECTOR_A_FILL, "collector::a::fill")         \
    SUFFIX(COLLECTOR_A_USE, "collector::a::use")           \
    SUFFIX(COLLECTOR_A_LASTUSE, "collector::a::lastuse")   \
    SUFFIX(COLLECTOR_A_DISCARD, "collector::a::discard")   \
    SUFFIX(COLLECTOR_B0_FILL, "collector::b0::fill")       \
    SUFFIX(COLLECTOR_B0_USE, "collector::b0::use")         \
    SUFFIX(COLLECTOR_B0_LASTUSE, "collector::b0::lastuse") \
    SUFFIX(COLLECTOR_B0_DISCARD, "collector::b0::discard") \
    SUFFIX(COLLECTOR_B1_FILL, "collector::b1::fill")       \
    SUFFIX(COLLECTOR_B1_USE, "collector::b1::use")         \
    SUFFIX(COLLECTOR_B1_LASTUSE, "collector::b1::lastuse") \
    SUFFIX(COLLECTOR_B1_DISCARD, "collector::b1::discard") \
    SUFFIX(COLLECTOR_B2_FILL, "collector::b2::fill")       \
    SUFFIX(COLLECTOR_B2_USE, "collector::b2::use")         \
    SUFFIX(COLLECTOR_B2_LASTUSE, "collector::b2::lastuse") \
    SUFFIX(COLLECTOR_B2_DISCARD, "collector::b2::discard") \
    SUFFIX(COLLECTOR_B3_FILL, "collector::b3::fill")       \
    SUFFIX(COLLECTOR_B3_USE, "collector::b3::use")         \
    SUFFIX(COLLECTOR_B3_LASTUSE, "collector::b3::lastuse") \
    SUFFIX(COLLECTOR_B3_DISCARD, "collector::b3::discard")

// Textures and surfaces.
#define PTX_MODS_TEXTURE(SUFFIX)                                   \
    SUFFIX(A1D, "a1d")                                             \
    SUFFIX(A2D, "a2d")                                             \
    SUFFIX(CUBE, "cube")                                           \
    SUFFIX(ACUBE, "acube")                                         \
    SUFFIX(2DMS, "2dms")                                           \
    SUFFIX(A2DMS, "a2dms")                                         \
    SUFFIX(BASE, "base")                                           \
    SUFFIX(LEVEL, "level")                                         \
    SUFFIX(GRAD, "grad")                                           \
    SUFFIX(P, "p")                                                 \
    SUFFIX(WIDTH, "width")                                         \
    SUFFIX(HEIGHT, "height")                                       \
    SUFFIX(DEPTH, "depth")                                         \
    SUFFIX(CHANNEL_DATA_TYPE, "channel_data_type")                 \
    SUFFIX(CHANNEL_ORDER, "channel_order")                         \
    SUFFIX(NORMALIZED_COORDS, "normalized_coords")                 \
    SUFFIX(FORCE_UNNORMALIZED_COORDS, "force_unnormalized_coords") \
    SUFFIX(FILTER_MODE, "filter_mode")                             \
    SUFFIX(ADDR_MODE_0, "addr_mode_0")                             \
    SUFFIX(ADDR_MODE_1, "addr_mode_1")                             \
    SUFFIX(ADDR_MODE_2, "addr_mode_2")                             \
    SUFFIX(ARRAY_SIZE, "array_size")                               \
    SUFFIX(NUM_MIPMAP_LEVELS, "num_mipmap_levels")                 \
    SUFFIX(NUM_SAMPLES, "num_samples")                             \
    SUFFIX(MEMORY_LAYOUT, "memory_layout")

// SUFFIX(ID, "suffix"): every suffix that is not a type.
#define PTX_MODS(SUFFIX)       \
    PTX_MODS_SPACE(SUFFIX)     \
    PTX_MODS_ORDER(SUFFIX)     \
    PTX_MODS_PROXY(SUFFIX)     \
    PTX_MODS_VECTOR(SUFFIX)    \
    PTX_MODS_COMPARE(SUFFIX)   \
    PTX_MODS_OPERATION(SUFFIX) \
    PTX_MODS_MBARRIER(SUFFIX)  \
    PTX_MODS_COPY(SUFFIX)      \
    PTX_MODS_FORMAT(SUFFIX)    \
    PTX_MODS_MATRIX(SUFFIX)    \
    PTX_MODS_WGMMA(SUFFIX)     \
    PTX_MODS_TCGEN05(SUFFIX)   \
    PTX_MODS_TEXTURE(SUFFIX)

#endif
