// SPDX-License-Identifier: Apache-2.0
// What instructions do, according to the PTX ISA: the words of the TRAITS
// column of instructions.h. Code that depends on what an opcode does asks here;
// it names opcodes only where it decodes or executes them.
//
// A trait belongs to an opcode. The functions at the end are for what suffixes
// decide.
#ifndef CLCLAB_PTX_TRAITS_H
#define CLCLAB_PTX_TRAITS_H

#include "base/base.h"
#include "ptx/opcodes.h"

// What happens to the values of its operands, except for addresses.
typedef enum PtxData {
    PTX_DATA_NONE,       // it has none
    PTX_DATA_USED,       // it computes with them or depends on them
    PTX_DATA_COMPARED,   // it compares them
    PTX_DATA_MOVED,      // their bits are in the result, perhaps elsewhere
    PTX_DATA_MERGED,     // the result has bits of each
    PTX_DATA_ANDED,      // likewise; a 0 in one makes the result's bit 0
    PTX_DATA_ORED,       // likewise; a 1 in one makes the result's bit 1
    PTX_DATA_ADDED,      // a sum can also put parts of a value together
    PTX_DATA_CONVERTED,  // between integers moved, otherwise computed with
    PTX_DATA_MULTIPLIED, // compilers also use multiplication to shift
    PTX_DATA_SELECTED,   // a predicate selects one of the first two
    PTX_DATA_SHUFFLED,   // another lane gets the first
    PTX_DATA_LOADED,     // the result is the memory's content
    PTX_DATA_STORED,     // they become the memory's content
    PTX_DATA_PASSED,     // passed on whole: to a callee, a query, a copy
} PtxData;

typedef enum PtxResult {
    PTX_RESULT_NONE,  // it has no result
    PTX_RESULT_PURE,  // it depends only on the operands
    PTX_RESULT_STATE, // also on memory, other lanes, flags or where it runs
} PtxResult;

// What it does to the memory that its addresses name, now or later.
typedef enum PtxAccess {
    PTX_ACCESS_NONE,
    PTX_ACCESS_READS,
    PTX_ACCESS_WRITES,
    PTX_ACCESS_UPDATES, // reads and writes
    PTX_ACCESS_COPIES,  // reads some memory and writes other memory
} PtxAccess;

// What it works on besides registers.
typedef enum PtxObject {
    PTX_OBJECT_NONE,
    PTX_OBJECT_MEMORY,   // a value of its type, or a vector
    PTX_OBJECT_BYTES,    // ranges of memory, not of its type's size
    PTX_OBJECT_GROUPS,   // the thread's pending asynchronous operations
    PTX_OBJECT_MBARRIER, // an mbarrier object
    PTX_OBJECT_LANES,    // other lanes of the warp
    PTX_OBJECT_CTA,      // a named barrier of the CTA
    PTX_OBJECT_CLUSTER,  // the cluster's barrier
    PTX_OBJECT_REQUEST,  // the queue of clusters; a slot and an mbarrier
    PTX_OBJECT_ANSWER,   // the answer of such a request
    PTX_OBJECT_STACK,    // the thread's stack
    PTX_OBJECT_TENSOR,   // Tensor Memory
    PTX_OBJECT_TEXTURE,  // a texture or a surface
} PtxObject;

// What it orders (PTX ISA, "Memory Consistency Model").
typedef enum PtxOrder {
    PTX_ORDER_NONE,
    PTX_ORDER_BARRIER,  // threads of a CTA: all, or as many as an operand says
    PTX_ORDER_PART,     // other groups of threads, or one group before another
    PTX_ORDER_FENCE,    // accesses of this thread
    PTX_ORDER_MBARRIER, // threads that arrived before threads that waited
    PTX_ORDER_ASYNC,    // nothing: it is performed later, asynchronously
    PTX_ORDER_SUFFIX,   // what .acquire, .release, ... say
} PtxOrder;

typedef enum PtxProxy {
    PTX_PROXY_NONE, // it accesses no memory
    PTX_PROXY_GENERIC,
    PTX_PROXY_ASYNC,
    PTX_PROXY_TEXTURE,
} PtxProxy;

// Where the thread goes next.
typedef enum PtxNext {
    PTX_NEXT_NEXT,
    PTX_NEXT_WAIT,   // to the next, perhaps only after others have acted
    PTX_NEXT_JUMP,   // to its label
    PTX_NEXT_TABLE,  // to a label of its table
    PTX_NEXT_CALL,   // to a function and, unless that exits, to the next
    PTX_NEXT_RETURN, // to the caller; a kernel's thread ends
    PTX_NEXT_EXIT,   // the thread ends
    PTX_NEXT_ABORT,  // all threads end
} PtxNext;

typedef struct PtxTraits {
    uint8_t data;   // PtxData
    uint8_t result; // PtxResult
    uint8_t access; // PtxAccess
    uint8_t object; // PtxObject
    uint8_t order;  // PtxOrder
    uint8_t proxy;  // PtxProxy
    uint8_t next;   // PtxNext
} PtxTraits;

// Indexed by PtxOp; for PTX_OP_NONE all are NONE.
extern const PtxTraits PTX_TRAITS[PTX_OP_COUNT];

// It reads a value of its type from memory (ld), writes one (st), or does both
// at once (atom, red).
static inline bool ptx_is_load(unsigned op) {
    return PTX_TRAITS[op].object == PTX_OBJECT_MEMORY &&
           PTX_TRAITS[op].access == PTX_ACCESS_READS;
}

static inline bool ptx_is_store(unsigned op) {
    return PTX_TRAITS[op].object == PTX_OBJECT_MEMORY &&
           PTX_TRAITS[op].access == PTX_ACCESS_WRITES;
}

static inline bool ptx_is_atomic(unsigned op) {
    return PTX_TRAITS[op].object == PTX_OBJECT_MEMORY &&
           PTX_TRAITS[op].access == PTX_ACCESS_UPDATES;
}

// Its thread never reaches the next instruction, unless a guard suppresses this
// one.
static inline bool ptx_leaves(unsigned op) {
    uint8_t next = PTX_TRAITS[op].next;
    return next != PTX_NEXT_NEXT && next != PTX_NEXT_WAIT &&
           next != PTX_NEXT_CALL;
}

#endif
