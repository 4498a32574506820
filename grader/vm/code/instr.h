// SPDX-License-Identifier: Apache-2.0
// Decoded code: the layout of an address, an instruction, a function and a
// program.
//
//   VmProgram: a kernel with all that it can reach, laid out
//     VmFunc: a function; its registers and variables have places in a frame
//       VmInstr: one instruction, with the handler that does it
#ifndef CLCLAB_VM_CODE_INSTR_H
#define CLCLAB_VM_CODE_INSTR_H

#include "device/device.h"
#include "device/limits.h"
#include "result/run.h"

#include <stddef.h>

enum {
    VM_LANES = 32,
    VM_MAX_CLUSTER = DEVICE_MOST_CLUSTER, // CTAs
    VM_NAMED_BARRIERS = 16,
    VM_MAX_THREADS = DEVICE_MOST_THREADS, // in a CTA
    VM_MAX_DEPTH = 256,      // frames in a warp's call stack, or more where
                             // the launch says how large a stack is:
    VM_LEAST_FRAME = 16,     // bytes of it that a call takes on a card
    VM_RESERVED_SMEM = 512,  // bytes, if a kernel asks where they are
    VM_MAX_FRAME = 64 << 20, // bytes of one frame, for a whole warp
    VM_MAX_LOCAL = DEVICE_MOST_LOCAL, // bytes of a thread's local memory
    VM_LOCAL_GROWTH = 2, // allocated local memory / needed local memory
    VM_COPY_TIMES = 8,   // groups of copies that the time model remembers
};
#define VM_FULL 0xFFFFFFFFu
#define VM_NONE UINT32_MAX

typedef struct Vm Vm;
typedef struct VmCluster VmCluster;
typedef struct VmCta VmCta;
typedef struct VmWarp VmWarp;
typedef struct VmFrame VmFrame;
typedef struct VmInstr VmInstr;
typedef struct VmFunc VmFunc;
typedef struct VmIsa VmIsa;
typedef struct VmTime VmTime;
typedef struct VmTrace VmTrace;
typedef struct VmCachedProgram VmCachedProgram;
typedef struct VmExplorer VmExplorer;
typedef struct VmClock VmClock;
typedef struct VmOrder VmOrder;
typedef struct VmOpaque VmOpaque;
typedef struct VmFollow VmFollow;

// ---- addresses -----------------------------------------------------------
//
//   63      33 32                                  0
//   +---------+------------------------------------+   generic and global:
//   | buffer  | offset in it                       |   buffer numbers from 1
//   +---------+------------------------------------+
//   So narrow a buffer leaves thousands of numbers below 2^47, where a
//   program's own memory can lie at the same address (vm_map). VM_WINDOW_SHARED
//   in the upper part: the low 32 bits are a shared address. VM_WINDOW_LOCAL:
//   the low 32 bits are a local address. VM_WINDOW_CODE: the address of a
//   function; VM_WINDOW_TEXTURE: the handle of a texture or surface. Nothing
//   can be read there.
//
//   31    24 23                        0
//   +-------+---------------------------+   shared: the rank + 1 of a CTA in
//   | rank+1| offset in its memory      |   the cluster, or 0 for the own CTA.
//   +-------+---------------------------+   Offsets start at VM_SHARED_BASE, so
//   that no object is at the null address.

enum { VM_HEAP_NUMBER = 24576 }; // of the first buffer of a heap that is kept
enum { VM_BUFFER_SHIFT = 33, VM_RANK_SHIFT = 24, VM_SHARED_BASE = 1024 };
#define VM_OFFSET_MASK ((UINT64_C(1) << VM_BUFFER_SHIFT) - 1)
#define VM_WINDOW_SHARED (UINT64_C(0x7FFFFF01) << VM_BUFFER_SHIFT)
#define VM_WINDOW_LOCAL (UINT64_C(0x7FFFFF02) << VM_BUFFER_SHIFT)
#define VM_WINDOW_CODE (UINT64_C(0x7FFFFF03) << VM_BUFFER_SHIFT)
#define VM_WINDOW_TEXTURE (UINT64_C(0x7FFFFF04) << VM_BUFFER_SHIFT)

// The state space of an access: the one that is named, or for a generic address
// the one whose window it is in. What is in no window is global.
static inline PtxSpace vm_space_at(PtxSpace named, uint64_t address) {
    uint64_t window = address & ~VM_OFFSET_MASK;
    return named != PTX_SPACE_GENERIC   ? named
           : window == VM_WINDOW_SHARED ? PTX_SPACE_SHARED
           : window == VM_WINDOW_LOCAL  ? PTX_SPACE_LOCAL
                                        : PTX_SPACE_GLOBAL;
}

// ---- decoded code --------------------------------------------------------

typedef enum VmNext {
    VM_GO,     // continue with the next instruction of this fragment
    VM_SWITCH, // the fragments of the warp changed: choose one again
    VM_STOP,   // the run is over
} VmNext;

typedef VmNext (*VmHandler)(VmWarp *warp, const VmInstr *in, uint32_t mask);

// Where the 32 lanes of an operand are: at base[sel] + off in the current
// frame. A predicate is one 32-bit mask, however many lanes are active.
//
//    31                14 13      12    8 7      0
//   +--------------------+-------+-------+--------+----------------+
//   | reg                |negated| size  | sel    | off (32 bits)  |
//   +--------------------+-------+-------+--------+----------------+
//
// `sel` has a byte of its own because every handler reads it for every operand.
typedef struct VmRef {
    uint32_t off;
    uint32_t sel : 8; // 0: registers of the frame, 1: constants of the function
    uint32_t size : 5;    // bytes per lane: 2, 4, 8 or 16; 0: a predicate
    uint32_t negated : 1; // for predicate operands
    uint32_t reg : 18;    // register number, for the rules that follow values
                          // (doubts, the bytes of answers); VM_NO_REG: no
                          // register, or one beyond
} VmRef;
#define VM_NO_REG ((1u << 18) - 1)

// A register of a frame. VmRef has no number for registers from VM_NO_REG on,
// so the values of these are not followed.
static inline VmRef vm_ref(uint32_t off, uint32_t reg, uint32_t size) {
    return (VmRef){.off = off,
                   .reg = reg < VM_NO_REG ? reg & VM_NO_REG : VM_NO_REG,
                   .size = size & 31};
}

enum { VM_MAX_SRC = 25, VM_MAX_DST = 8 };

// Memory orders and scopes of the PTX memory model (PTX ISA, "Memory
// Consistency Model"). `volatile` is relaxed at system scope, and this machine
// does not distinguish the system from the GPU.
typedef enum VmSem {
    SEM_WEAK,
    SEM_RELAXED,
    SEM_ACQUIRE,
    SEM_RELEASE,
    SEM_ACQ_REL, // .sc as well
} VmSem;
typedef enum VmScope {
    SCOPE_CTA,
    SCOPE_CLUSTER,
    SCOPE_GPU,
    SCOPE_COUNT
} VmScope;

// Where a value passed through a call is stored: an argument or result of the
// caller, or a formal parameter or result of the callee. The layout is
// lane-major, so one copy moves the values of a whole warp.
typedef struct VmPlace {
    uint32_t off;      // at base[sel] + off in the frame
    uint32_t bytes;    // bytes per lane; 0: a result that the caller ignores
    uint32_t reg : 18; // as in VmRef; VM_NO_REG: a variable in space .param
    uint32_t sel : 8;  // as in VmRef
} VmPlace;

typedef struct VmCall {
    const PtxFunc *target; // NULL: an indirect call, through src[0]
    const VmFunc *callee;  // the decoded target; NULL: it has no body
    VmPlace *args, *results;
    uint32_t arg_count, result_count;
} VmCall;

// One decoded instruction, in two cache lines:
//
//     0              16          32                     64
//     +--------------+-----------+----------------------+
//     | handler next | dst[0..1] | src[0..3]            |
//     +--------+-----+-----------+----+----------+------+
//     | offset | view of the family   | the rest | ptx  |
//     +--------+----------------------+----------+------+
//     64       72                     88         120    128
//
// A field means the same whatever the handler. What an instruction accesses in
// memory is in `offset`, `space`, `width` and `elements`, which are 0 if it
// accesses none, so that any room may ask. What only its family knows is in
// that family's view, one member of a union. Nobody looks into it but the files
// of this table, which `make lint` reads; `any` may if a bit of the instruction
// says that the view is valid.
//
//   view           of                        used by vm/...
//   arithmetic     add, mul, ... of floats   exec/float.c exec/half.c
//   cvt            cvt                       exec/cvt.c
//   packed         cvt to or from a pair     exec/cvt_packed.c
//   pack           cvt.pack                  exec/cvt_packed.c
//   compare        set, setp                 exec/compare.c
//   half           the same of 16 bits       exec/half_compare.c
//   choice         selp of what was loaded   memory/chosen.c
//   lop3           lop3                      exec/bits.c
//   video          vadd4, vabsdiff2, ...     exec/video.c
//   shuffle        shfl                      exec/warp.c
//   vote           vote                      exec/warp.c
//   match          match                     exec/warp.c
//   redux          redux                     exec/warp.c
//   mma            mma, wmma.mma             exec/mma.c
//   wmma           wmma.load, wmma.store     exec/matrix_memory.c
//   matrix         ldmatrix, stmatrix        exec/matrix_memory.c
//   sreg           what reads a register     exec/move.c
//   window         cvta, mapa                exec/move.c
//   local          a variable's address      exec/move.c decode/emit.c
//   space_test     isspacep                  exec/move.c
//   memory         ld, ldu, st               exec/memory.c any(is_frame)
//   atomic         atom, red                 exec/atomic.c
//   fetch          tex, tld4                 texture/fetch.c
//   surface        suld, sust, sured         texture/surface.c
//   texture_query  txq, suq                  texture/query.c
//   branch         bra, brx.idx              exec/control.c program/translate.c
//                                            any(is_branch, has_table)
//   call           call                      exec/control.c any(has_call)
//   stack          alloca                    exec/control.c
//   unsupported    anything                  exec/control.c program/translate.c
//   barrier        bar, barrier              units/barrier.c units/aligned.c
//   mbarrier       mbarrier                  units/mbarrier.c
//   request        try_cancel                units/clc.c engine/dependence.c
//   query          query_cancel              units/clc_query.c decode/doubt.c
//   copy           cp.async, st.async, ...   units/copy.c
//   copy_arrive    cp.async.mbarrier.arrive  units/copy.c
//   group          commit_group, wait_group  units/copy.c
//   fence          fence.proxy               units/fence.c
//   cache_line     discard, applypriority    units/hint.c
//   registers      setmaxnreg                units/registers.c
//
// A run is a straight line of plain, unguarded instructions. The handler of
// each calls the handler of the next through `next`, and only the last one
// returns to the dispatch loop. Branches lead to the start of a run, never into
// one. In a launch that is neither timed nor checked nor explored, the branch
// or barrier that follows a run is its last instruction.
//
// Results are dst[0] and dst[1], sources are src[0] to src[3]. An instruction
// with more of either (a vector) is wide: `more` has all of them, and dst and
// src have copies of the first ones, except src[3]. vm_dsts and vm_srcs give
// all operands of any instruction.
struct VmInstr {
    VmHandler handler;
    VmHandler next; // plain: next in the run; last: vm_op_run_ends
    VmRef dst[2];
    union {
        VmRef src[4]; // access: src[0] is the address, if it is in a register
        struct {
            VmRef first[3];
            VmRef *more; // is_wide: [VM_MAX_DST] results, [VM_MAX_SRC] sources
        };
    };
    uint64_t offset; // access: added to the address in src[0]
    union {
        struct {
            uint32_t flags; // VmFlag, and those of the file
        } arithmetic;
        struct {
            uint32_t flags;
            uint8_t from; // PtxType; `type` is that of the result
        } cvt;
        struct {
            uint32_t flags;
            uint8_t random;    // .rs: random bits for each number; else 0
            uint8_t to, from;  // VmFormat
            uint8_t count;     // numbers in a register
            uint8_t to_bits;   // from one number of the result to the next
            uint8_t from_bits; // the same in the operand; 0: a register each
        } packed;
        struct {
            uint8_t bits;   // of a number
            bool is_signed; // the numbers are
            bool has_c;     // src[2]: what is shifted to the left of them
        } pack;
        struct {
            uint32_t flags; // with a Combine
            uint32_t yes;   // what set writes for true
        } compare;
        struct {
            uint32_t flags; // HalfCompareFlag
            uint32_t yes;   // what set writes for true, in a half
            uint32_t per;   // comparisons in a lane: 1 or 2
        } half;
        struct {
            uint32_t first, second; // pc of the load + 1; 0: another value
        } choice;
        struct {
            uint8_t table;    // bit 4a + 2b + c: the result for a, b, c
            uint16_t combine; // PtxMod: of a predicate with src[3]
        } lop3;
        struct {
            uint32_t flags;
            uint16_t a, b;   // which elements, the lowest first, in nibbles:
                             // first those of src[0], then of src[1]
            uint8_t written; // elements of the result, by bit
            uint8_t count;   // elements of a word: 2 or 4
            uint16_t comparison; // vset: PtxMod
        } video;
        struct {
            uint8_t how;        // Shuffle
            bool has_predicate; // dst[1]: the lane was in range
        } shuffle;
        struct {
            uint8_t kind; // Vote
        } vote;
        struct {
            bool is_all; // match.all
        } match;
        struct {
            uint16_t operation; // PtxMod
            uint8_t how;        // of floats: REDUX_ABS, REDUX_NAN
        } redux;
        struct {
            const void *what; // Mma
        } mma;
        struct {
            const void *what; // Stored
        } wmma;
        struct {
            bool is_transposed;
        } matrix;
        struct {
            uint32_t number; // PtxSreg
        } sreg;
        struct {
            uint64_t bits; // upper part of the generic addresses
        } window;
        struct {
            uint64_t at; // in the local memory of the frame
        } local;
        struct {
            uint8_t space;   // PtxSpace
            bool of_cluster; // .shared::cluster
        } space_test;
        struct {
            uint32_t variable; // is_frame: its offset in the frame
            uint32_t stride;   // is_frame: its bytes for a lane
            bool is_signed;    // ld: smaller values are extended by their sign
        } memory;
        struct {
            uint8_t operation; // VmAtomicOp
        } atomic;
        struct {
            uint8_t geometry; // VmGeometry
            uint8_t level;    // Level
            uint8_t channel;  // tld4: the one that is gathered
            bool has_offsets;
            bool at_texels; // coordinates are integers
        } fetch;
        struct {
            uint8_t geometry;  // VmGeometry
            uint8_t outside;   // Outside
            uint8_t operation; // sured: VmAtomicOp
            bool by_texels;    // sured.p: the first coordinate counts texels
        } surface;
        struct {
            uint8_t what; // Query
        } texture_query;
        struct {
            uint32_t target; // bra: pc; its label until the function is decoded
            uint32_t table;  // brx.idx: index into PtxFunc.tables
        } branch;
        const VmCall *call;
        struct {
            uint32_t align;
        } stack;
        struct {
            const Str *reason; // NULL: a special register
        } unsupported;
        struct {
            uint8_t kind;   // BarrierKind
            bool has_count; // src[1]: the number of threads
            uint8_t round;  // Round: what aligned.c has found out
        } barrier;
        struct {
            uint32_t flags; // BAR_EXPECT, ...
        } mbarrier;
        struct {
            uint64_t mbarrier_offset; // added to its address in src[1]
            bool is_multicast;
        } request;
        struct {
            uint8_t what; // Query
            uint8_t fate; // Fate of the index: what doubt.c has found out
        } query;
        struct {                     // `offset` is that of the destination
            uint64_t from_offset;    // added to the source's address in src[1]
            int32_t mbarrier_offset; // added to the mbarrier's in src[3]
            uint8_t flags;           // COPY_SOME, ...
            uint8_t from_space;      // PtxSpace
            uint8_t operation;       // VmAtomicOp
        } copy;
        struct {
            bool noinc; // the count of the mbarrier has this arrival already
        } copy_arrive;
        struct {
            uint64_t latest; // so many groups need not be complete
            uint8_t flags;   // WAIT_BULK, ...
        } group;
        struct {
            uint8_t kind;  // VmProxyFence
            uint8_t space; // PtxSpace: the memory that it covers; generic: all
            bool of_cluster; // .shared::cluster
        } fence;
        struct {
            uint8_t access; // VmAccess
        } cache_line;
        struct {
            uint32_t count;
            bool grows;
        } registers;
    };
    uint32_t guard;          // offset of the guard predicate; VM_NONE: no guard
    uint32_t guard_reg : 18; // its register number
    bool guard_negated : 1;
    bool is_wide : 1;
    bool plain : 1;      // the handler ends with VM_NEXT
    bool is_visible : 1; // others can observe it or a later one of its run
    bool splits : 1;  // may block or branch: lanes with a false guard leave the
                      // fragment
    bool closes : 1;  // may end a run: has no guard, or evaluates it itself
    bool aligned : 1; // the live lanes of a warp execute it together (SYNC002)
    bool is_branch : 1;     // bra: `branch.target` is valid
    bool has_table : 1;     // brx.idx: `branch.table` is valid
    bool has_call : 1;      // `call` is valid
    bool is_frame : 1;      // accesses a parameter variable in the frame, which
                            // is in `memory`
    bool is_constant : 1;   // a load whose value is fixed for the launch
    bool scope_cluster : 1; // access: shared::cluster addresses are allowed
    bool is_chosen : 1;     // a load whose value only a select uses (chosen.c)
    uint32_t loc;           // index into PtxModule.locs
    uint32_t steps;         // in the run from here on, with the folded ones
    uint32_t folded_steps;  // steps of the instructions folded into it
    uint16_t op;            // PtxOp
    uint16_t dst_count : 4, src_count : 5;
    uint16_t sem : 3;    // VmSem; weak unless a suffix says otherwise
    uint16_t scope : 2;  // VmScope
    uint16_t opaque : 2; // loads of answers: what is known (opaque.c)
    uint8_t run;      // instructions in the run from here on; 0: not in a run
    uint8_t type;     // PtxType, by which traces show its results: the first of
                      // the PTX, or what is compared; packed: .b32
    uint8_t space;    // access: PtxSpace
    uint8_t width;    // access: bytes of an element
    uint8_t elements; // access: how many, or 0 for one
    // What memory/uninitialised.c has found out about a load: whether it is a
    // piece of something larger (0: not known, 1: no), and by element.
    uint8_t is_piece : 2;
    uint8_t releases : 1; // it hands over what comes before it
    uint8_t unset : 1;    // it or a later one of its run can hold a value that
                          // nobody has set (decode/unset.c)
    uint8_t looked_at, computed_with;
    const PtxInstr *ptx;
};
_Static_assert(sizeof(VmInstr) <= 128, "two lines of the cache");
_Static_assert(offsetof(VmInstr, offset) == 64, "operands in the first one");

static inline const VmRef *vm_dsts(const VmInstr *in) {
    return in->is_wide ? in->more : in->dst;
}

static inline const VmRef *vm_srcs(const VmInstr *in) {
    return in->is_wide ? in->more + VM_MAX_DST : in->src;
}

enum VmFlag { // for arithmetic; other families have flags of their own
    VM_FTZ = 1,
    VM_SAT = 2,
    VM_RZ = 4,
    VM_RM = 8,
    VM_RP = 16,
    VM_ROUNDING = VM_RZ | VM_RM | VM_RP,
};

// How often a run was executed (stored at its first instruction), and how often
// an instruction was executed on its own.
typedef struct VmCount {
    uint64_t run_warps, warps;
    uint64_t run_threads, threads;
} VmCount;

// A constant that a launch has with a value of its own (decode/loose.c).
typedef struct VmLoose {
    uint32_t off;  // of its row in VmFunc.consts
    uint32_t size; // bytes per lane
    uint32_t at;   // byte in the parameter block; width 0: PtxSreg
    uint8_t width; // bytes of the parameter; 0: it is a size of the grid
    bool is_signed;
} VmLoose;

// Bytes between variables, and behind the last one, which belong to none.
typedef struct VmGap {
    uint32_t from, to;
} VmGap;

typedef struct VmGaps {
    VmGap *items; // ascending
    size_t count, capacity;
} VmGaps;

// Whether some of these bytes are in a gap.
static inline bool vm_gaps_touch(const VmGaps *gaps, uint64_t from,
                                 uint64_t bytes) {
    size_t low = 0, high = gaps->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gaps->items[middle].to <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < gaps->count && gaps->items[low].from < from + bytes;
}

struct VmFunc {
    const PtxFunc *ptx;
    VmInstr *code;   // ends with an exit or ret that the decoder adds
    VmCount *counts; // by pc
    uint32_t code_count, code_capacity;
    uint8_t *consts; // constant operands, 32 lanes each
    uint32_t const_bytes, const_capacity;
    VmLoose *loose; // in this order; then the folds follow
    size_t loose_count, loose_capacity;
    VmInstr *folds; // instructions that make such constants of others
    size_t fold_count, fold_capacity;
    uint32_t *loose_rows; // offsets of both in `consts`, ascending
    size_t loose_row_count, loose_row_capacity;
    uint32_t frame_bytes; // registers, then parameter variables
    uint32_t reg_count;   // including temporaries
    // Registers that can be read before they are set; by register: whether what
    // it holds can depend on one of these (NULL: there are none).
    uint32_t *unset, unset_count;
    uint8_t *reached;
    uint32_t *reg_offsets; // by index in PtxFunc.regs
    uint32_t *var_offsets; // by index in PtxFunc.vars: in the frame (param), in
                           // local or in shared memory
    VmPlace *params, *results; // the formal ones, in the frame
    uint32_t local_bytes;      // for one call of one thread
    uint32_t local_align;
    VmGaps local_gaps; // in these bytes
    uint32_t *pc_of;   // by index of a PtxInstr: where its code starts
    uint32_t *folded;  // by pc: how many instructions directly before it were
                       // folded away; they count as executed when it does
    struct VmFates *fates; // loads that may be in vain (decode/fate.h); NULL:
                           // there are none
    VmHandler *traced; // by pc: the original handler where opaque.c may have
                       // put its own; else NULL
    bool is_prologue;  // it is the watched function
    bool decoded;
};

// A kernel with all that it can reach, laid out.
typedef struct VmProgram {
    const PtxFunc *kernel;
    VmFunc *entry;
    VmFunc **funcs;           // by PtxFunc.id; NULL: not reachable
    bool *used_vars;          // by PtxVar.id: named by reachable code
    bool asks;                // has requests
    uint32_t fate_count;      // values that are followed (decode/fate.h)
    uint32_t static_smem;     // bytes that a card has for the variables
    uint32_t placed_smem;     // that they have here, from VM_SHARED_BASE on
    uint32_t reserved_smem;   // the first bytes of these, which the system uses
    VmGaps shared_gaps;       // in these
    uint32_t most_asked;      // alignment that an access of it asks for
    uint32_t dynamic_align;   // alignment of the extern shared array
    uint32_t *shared_offsets; // of module-scope variables, by PtxVar.id
    uint32_t kernel_file;     // file that the kernel's own lines are in
} VmProgram;

#endif
