// SPDX-License-Identifier: Apache-2.0
// What instructions do, as facts of the PTX ISA: the words of the TRAITS column
// of instructions.h. Whoever wants to know something of an opcode asks here,
// and names opcodes only where it decodes or executes one.
//
// A word is of the opcode; where suffixes decide, the functions at the end do.
#ifndef CLCLAB_PTX_TRAITS_H
#define CLCLAB_PTX_TRAITS_H

#include "base/base.h"
#include "ptx/opcodes.h"

// What becomes of the values of its operands, addresses aside.
typedef enum PtxData {
    PTX_DATA_NONE,       // it takes none
    PTX_DATA_USED,       // it computes with them, or goes by them
    PTX_DATA_COMPARED,   // it computes, by comparing them
    PTX_DATA_MOVED,      // their bits are in the result, elsewhere perhaps
    PTX_DATA_MERGED,     // bits of each are in the result
    PTX_DATA_ANDED,      // likewise, and a 0 decides
    PTX_DATA_ORED,       // likewise, and a 1 decides
    PTX_DATA_ADDED,      // sums put parts together, too
    PTX_DATA_CONVERTED,  // moved between integers, else computed with
    PTX_DATA_MULTIPLIED, // compilers shift by multiplying
    PTX_DATA_SELECTED,   // one of the first two, by a predicate
    PTX_DATA_SHUFFLED,   // the first is what another lane gets
    PTX_DATA_LOADED,     // the result is what the memory held
    PTX_DATA_STORED,     // they are what the memory then holds
    PTX_DATA_PASSED,     // handed on whole: to a callee, a query, a copy
} PtxData;

typedef enum PtxResult {
    PTX_RESULT_NONE,  // it has no result
    PTX_RESULT_PURE,  // made of its operands alone
    PTX_RESULT_STATE, // of memory, other lanes, flags or the place as well
} PtxResult;

// What it does, or has done later, to the memory that its addresses name.
typedef enum PtxAccess {
    PTX_ACCESS_NONE,
    PTX_ACCESS_READS,
    PTX_ACCESS_WRITES,
    PTX_ACCESS_UPDATES, // reads and writes
    PTX_ACCESS_COPIES,  // reads some, writes other
} PtxAccess;

// What it works on besides registers.
typedef enum PtxObject {
    PTX_OBJECT_NONE,
    PTX_OBJECT_MEMORY,   // a value of its type, or a vector
    PTX_OBJECT_BYTES,    // stretches of memory, in other sizes than its type's
    PTX_OBJECT_GROUPS,   // the thread's asynchronous operations under way
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
    PTX_ORDER_BARRIER,  // threads of a CTA: all, unless an operand counts them
    PTX_ORDER_PART,     // other groups of threads, or from those to these
    PTX_ORDER_FENCE,    // accesses of this thread
    PTX_ORDER_MBARRIER, // who arrived before who waited
    PTX_ORDER_ASYNC,    // nothing: it happens later, in an order of its own
    PTX_ORDER_SUFFIX,   // by .acquire, .release, ...
} PtxOrder;

typedef enum PtxProxy {
    PTX_PROXY_NONE, // it accesses no memory
    PTX_PROXY_GENERIC,
    PTX_PROXY_ASYNC,
    PTX_PROXY_TEXTURE,
} PtxProxy;

// Where the thread goes from it.
typedef enum PtxNext {
    PTX_NEXT_NEXT,
    PTX_NEXT_WAIT,   // to the next, perhaps after others have done something
    PTX_NEXT_JUMP,   // to its label
    PTX_NEXT_TABLE,  // to a label of its table
    PTX_NEXT_CALL,   // to a function and, unless that exits, to the next
    PTX_NEXT_RETURN, // to the caller; from a kernel: nowhere
    PTX_NEXT_EXIT,   // nowhere
    PTX_NEXT_ABORT,  // nowhere, and nobody else goes anywhere either
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

// By PtxOp; of PTX_OP_NONE all are NONE.
extern const PtxTraits PTX_TRAITS[PTX_OP_COUNT];

// A value of its type is read from memory, or written there, or both at once:
// ld; st; atom and red.
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

// Its thread never comes to the instruction behind it, unless a guard held it
// off.
static inline bool ptx_leaves(unsigned op) {
    uint8_t next = PTX_TRAITS[op].next;
    return next != PTX_NEXT_NEXT && next != PTX_NEXT_WAIT &&
           next != PTX_NEXT_CALL;
}

#endif
