// SPDX-License-Identifier: Apache-2.0
// Decoded code: what an address is, an instruction, a function, a program.
//
//   VmProgram: a kernel with all that it can reach, laid out
//     VmFunc: a function; its registers and variables have places in a frame
//       VmInstr: one instruction, with the handler that does it
#ifndef CLCLAB_VM_CODE_INSTR_H
#define CLCLAB_VM_CODE_INSTR_H

#include "device/device.h"

enum {
    VM_LANES = 32,
    VM_MAX_CLUSTER = 16, // CTAs (PTX ISA: 8 portable, 16 at most)
    VM_NAMED_BARRIERS = 16,
    VM_MAX_THREADS = 1024,    // of a CTA
    VM_MAX_DEPTH = 256,       // frames of a warp's call stack
    VM_RESERVED_SMEM = 512,   // bytes, where a kernel asks for its place
    VM_MAX_FRAME = 64 << 20,  // bytes of one, for a warp
    VM_MAX_LOCAL = 512 << 10, // bytes of local memory of a thread (CUDA's)
    VM_LOCAL_GROWTH = 2,      // it is taken so many times what is needed
    VM_COPY_TIMES = 8,        // groups of copies that the time model knows
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
typedef struct VmCachedProgram VmCachedProgram;
typedef struct VmExplorer VmExplorer;
typedef struct VmClock VmClock;
typedef struct VmOrder VmOrder;
typedef struct VmOpaque VmOpaque;

// ---- addresses -----------------------------------------------------------
//
//   63      40 39                                  0
//   +---------+------------------------------------+   generic and global:
//   | buffer  | offset in it                       |   buffer numbers from 1
//   +---------+------------------------------------+
//   VM_WINDOW_SHARED in the upper part: the low 32 bits are a shared address;
//   VM_WINDOW_LOCAL: the low 32 bits are a local address.
//   VM_WINDOW_CODE: a function; nothing can be read there.
//
//   31    24 23                        0
//   +-------+---------------------------+   shared: rank + 1 of a CTA of the
//   | rank+1| offset in its memory      |   cluster, or 0: the own CTA.
//   +-------+---------------------------+   Offsets start at VM_SHARED_BASE, so
//   that a null pointer is nobody's.

enum { VM_BUFFER_SHIFT = 40, VM_RANK_SHIFT = 24, VM_SHARED_BASE = 1024 };
#define VM_OFFSET_MASK ((UINT64_C(1) << VM_BUFFER_SHIFT) - 1)
#define VM_WINDOW_SHARED (UINT64_C(0x7FFF01) << VM_BUFFER_SHIFT)
#define VM_WINDOW_LOCAL (UINT64_C(0x7FFF02) << VM_BUFFER_SHIFT)
#define VM_WINDOW_CODE (UINT64_C(0x7FFF03) << VM_BUFFER_SHIFT)

// ---- decoded code --------------------------------------------------------

typedef enum VmNext {
    VM_GO,     // on to the next instruction of this fragment
    VM_SWITCH, // the fragments of the warp changed: choose again
    VM_STOP,   // the run is over
} VmNext;

typedef VmNext (*VmHandler)(VmWarp *warp, const VmInstr *in, uint32_t mask);

// Where an operand's 32 lanes are: base[sel] + off of the current frame.
// A predicate is one 32-bit mask, whatever the number of lanes.
//
//    31                14 13      12    8 7      0
//   +--------------------+-------+-------+--------+----------------+
//   | reg                |negated| size  | sel    | off (32 bits)  |
//   +--------------------+-------+-------+--------+----------------+
//
// `sel` has a byte of its own, as every operand of every handler asks for it.
typedef struct VmRef {
    uint32_t off;
    uint32_t sel : 8;  // 0 registers of the frame, 1 constants of the function
    uint32_t size : 5; // bytes a lane: 2, 4, 8, 16; 0: a predicate
    uint32_t negated : 1; // predicate operands
    uint32_t reg : 18; // register number, for those who follow values (poison,
                       // the bytes of answers); VM_NO_REG: none, or beyond
} VmRef;
#define VM_NO_REG ((1u << 18) - 1)

// A register of a frame. In a function of more than VM_NO_REG registers the
// values of those beyond are not followed.
static inline VmRef vm_ref(uint32_t off, uint32_t reg, uint32_t size) {
    return (VmRef){.off = off,
                   .reg = reg < VM_NO_REG ? reg & VM_NO_REG : VM_NO_REG,
                   .size = size & 31};
}

enum { VM_MAX_SRC = 10, VM_MAX_DST = 8 };

// Memory orders and scopes of the PTX memory model (PTX ISA, "Memory
// Consistency Model"). `volatile` is relaxed at system scope, and nothing here
// tells the system from the GPU.
typedef enum VmSem {
    SEM_WEAK,
    SEM_RELAXED,
    SEM_ACQUIRE,
    SEM_RELEASE,
    SEM_ACQ_REL, // and .sc
} VmSem;
typedef enum VmScope {
    SCOPE_CTA,
    SCOPE_CLUSTER,
    SCOPE_GPU,
    SCOPE_COUNT
} VmScope;

// Where a value of a call is: an argument or result of the caller, or a formal
// one of the callee. Lane-major, so that a whole warp is one copy.
typedef struct VmPlace {
    uint32_t off;   // base[sel] + off of the frame
    uint32_t bytes; // a lane; 0: a result that nobody wants
    uint8_t sel;    // as of VmRef
} VmPlace;

typedef struct VmCall {
    const PtxFunc *target; // NULL: what the pointer in src[0] leads to
    const VmFunc *callee;  // of target; NULL: it has no body
    VmPlace *args, *results;
    uint32_t arg_count, result_count;
} VmCall;

// One decoded instruction, in two lines of the cache: what dispatch and plain
// handlers read comes first. `op` and `type` are the PTX's; what the other
// fields mean depends on the handler, which stands in the file of its family.
//
// A run is a straight line of plain instructions without guards: the handler
// of each calls the next one's through `next`, and only the last comes back to
// the loop. Branches lead to the start of a run, never into one. Where nobody
// watches, a run ends with the branch or the barrier behind it.
//
// Results are dst[0], dst[1], sources src[0] to src[3]. An instruction that has
// more of either (vectors) is wide: all of them are at `more`, the first ones
// here as well, but src[3] is not. vm_dsts and vm_srcs have all of any.
struct VmInstr {
    VmHandler handler;
    VmHandler next; // plain: the next of the run; vm_op_run_ends after the last
    uint64_t imm;   // added to an address; other constants
    VmRef dst[2];
    union {
        VmRef src[4]; // memory: src[0] is the address, if a register
        struct {
            VmRef first[3];
            VmRef *more; // is_wide: [VM_MAX_DST] results, [VM_MAX_SRC] sources
        };
    };
    uint32_t flags;     // VmFlag of the family
    uint32_t guard;     // offset of the guard predicate; VM_NONE: unguarded
    uint32_t guard_reg; // its register number
    uint32_t loc;       // index in PtxModule.locs

    uint32_t steps;        // of the run from here, with what was folded
    uint32_t folded_steps; // that the folded ones would have taken
    uint16_t op;           // PtxOp
    uint8_t run;           // instructions of the run from here; 0: in none
    uint8_t type, type2;
    uint8_t dst_count : 4, src_count : 4;
    uint8_t sem : 4;   // VmSem; weak where no suffix says more
    uint8_t scope : 4; // VmScope
    uint8_t space;     // memory: PtxSpace
    uint8_t vector;    // memory: elements
    uint8_t width;     // memory: bytes of an element
    bool guard_negated : 1;
    bool is_wide : 1;
    bool plain : 1;      // the handler ends with VM_NEXT
    bool is_visible : 1; // others can observe it, or one of the run from here
    bool splits : 1;     // may block or branch: lanes whose guard is false part
    bool closes : 1;     // may end a run: has no guard or looks at it itself
    bool aligned : 1; // the live lanes of a warp execute it together (SYNC002)
    bool is_branch : 1;     // target is a label until the function is decoded
    bool is_constant : 1;   // a load whose value the launch fixes
    bool is_frame : 1;      // a parameter variable, in the frame
    bool has_call : 1;      // `call` is there
    bool scope_cluster : 1; // shared::cluster addresses allowed
    uint8_t opaque : 2;     // loads of answers: what is known (opaque.c)
    union {
        uint32_t target; // branch: pc; sreg: PtxSreg
        struct {         // loads: elements (uninitialised.c)
            uint8_t looked_at, computed_with;
        };
    };
    union {                    // by family
        uint64_t imm2;         // copies, requests: added to a second address
        uint32_t frame_stride; // parameter variables: bytes a lane
        const VmCall *call;
        const Str *note; // unsupported: why
    };
    const PtxInstr *ptx;
};
_Static_assert(sizeof(VmInstr) <= 128, "two lines of the cache");

static inline const VmRef *vm_dsts(const VmInstr *in) {
    return in->is_wide ? in->more : in->dst;
}

static inline const VmRef *vm_srcs(const VmInstr *in) {
    return in->is_wide ? in->more + VM_MAX_DST : in->src;
}

enum VmFlag { // of arithmetic; other families have their own
    VM_FTZ = 1,
    VM_SAT = 2,
    VM_RZ = 4,
    VM_RM = 8,
    VM_RP = 16,
    VM_ROUNDING = VM_RZ | VM_RM | VM_RP,
};

// How often a run was executed, kept at its first instruction; and how often an
// instruction was executed alone.
typedef struct VmCount {
    uint64_t run_warps, warps;
    uint64_t run_threads, threads;
} VmCount;

struct VmFunc {
    const PtxFunc *ptx;
    VmInstr *code;   // ends with an exit or ret of its own
    VmCount *counts; // by pc
    uint32_t code_count, code_capacity;
    uint8_t *consts; // constant operands, 32 lanes each
    uint32_t const_bytes, const_capacity;
    uint32_t frame_bytes;      // registers, then parameter variables
    uint32_t reg_count;        // with temporaries
    uint32_t *reg_offsets;     // of PtxFunc.regs
    uint32_t *var_offsets;     // of PtxFunc.vars: frame (param), local, shared
    VmPlace *params, *results; // formal ones, in the frame
    uint32_t local_bytes;      // of one call, a thread
    uint32_t local_align;
    uint32_t *pc_of;   // by index of PtxInstr: where its code starts
    uint32_t *folded;  // by pc: instructions before it, in the text, that are
                       // computed already and count when it does
    VmHandler *traced; // by pc: handlers that opaque.c stands before, where
                       // it may
    bool is_prologue;  // the watched function
    bool decoded;
};

// A kernel with all that it can reach, laid out.
typedef struct VmProgram {
    const PtxFunc *kernel;
    VmFunc *entry;
    VmFunc **funcs;           // by PtxFunc.id; NULL: not reachable
    bool *used_vars;          // by PtxVar.id: named by reachable code
    uint32_t static_smem;     // bytes, from VM_SHARED_BASE
    uint32_t reserved_smem;   // of these, the system's: the first ones
    uint32_t dynamic_align;   // of the extern shared array
    uint32_t *shared_offsets; // of module-scope vars, by PtxVar.id
    uint32_t kernel_file;     // file of the kernel's own lines
} VmProgram;

#endif
