// SPDX-License-Identifier: Apache-2.0
// What memory/ stores for a device, a launch and a warp.
#ifndef CLCLAB_VM_STATE_MEMORY_H
#define CLCLAB_VM_STATE_MEMORY_H

#include "vm/code/instr.h"

typedef enum VmAccess { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } VmAccess;

// A place in shared or global memory, for accesses that happen later.
typedef struct VmWhere {
    VmCta *cta;      // whose shared memory it is in; NULL: global memory
    uint64_t offset; // in that shared memory, or the global address
} VmWhere;
typedef struct VmExtent {
    uint32_t bytes; // 0: nothing is accessed
    uint32_t align; // a power of 2
} VmExtent;

// Where a store into a watched buffer has its address and its value from, found
// once for each instruction.
enum { VM_STORES_KNOWN = 4 };
typedef struct VmStoreOrigin {
    const PtxInstr *store;                  // NULL: not filled in
    SrcLoc address[2], value[2], staged[2]; // see WatchPiece
    SrcLoc read[2];                         // index_read
    SrcLoc cut, unset;
    uint32_t cut_bits;
} VmStoreOrigin;

typedef struct VmBuffer {
    uint8_t *bytes;
    uint64_t size;
    bool read_only;
    bool is_lent;       // the bytes are the caller's (vm_map)
    const PtxVar *var;  // of the module; NULL: from alloc or malloc
    uint64_t heap_size; // bytes requested from malloc; 0: not from malloc
    bool is_freed;
    uint32_t heap_loc;      // malloc: the call of malloc, or of free once it is
                            // freed
    ByteSet *written;       // the bytes that were (uninitialised.c); NULL: all
    uint32_t next_freed;    // is_freed: the buffer number freed next after
                            // it, or 0
    struct VmPage *shadow;  // by number (cell.h); NULL: nothing has been
                            // recorded
    Watch *watch;           // in this launch
    VmStoreOrigin *origins; // [VM_STORES_KNOWN], with `watch`; by turns
    uint32_t next_origin;
    const PtxInstr *stored_by; // the last one that the watch saw, if that was
                               // in no call; else NULL
    SrcLoc stored_at, stored_called; // its place, and that of the call to it
} VmBuffer;

// The heap of malloc: each allocation is a buffer of its own, numbered after
// the user's buffers. Numbers of freed buffers are reused as late as possible,
// so that a stale pointer is caught.
typedef struct VmHeap {
    uint32_t first; // buffer number; 0: no allocation in this launch
    uint64_t used;  // bytes
    uint32_t freed_first,
        freed_last; // buffer numbers, the first freed one first
    uint32_t freed_count;
} VmHeap;

// For a device: what is allocated in the global memory of the loaded module.
typedef struct VmMemory {
    VmBuffer *buffers; // [0] unused
    size_t buffer_count, buffer_capacity;
    uint32_t first_user_buffer; // buffers before it are variables of the module
    uint32_t *module_buffers;   // by PtxVar.id
    uint32_t param_buffer;      // the parameter block of the launch
    VmHeap heap;                // for malloc
    struct VmSymbolWrite *writes;
    bool
        was_launched; // since the module was loaded: variables may have changed
    uint32_t first_variable; // vm_number: where load begins; 0: at once
    bool is_kept;            // vm_keep: a launch leaves the variables alone
} VmMemory;

// For a launch.
typedef struct VmMemoryUse {
    uint64_t left; // bytes that calls may still allocate
    // Bytes read [0] and written [1] through generic addresses, and by st.bulk.
    uint64_t generic[2][DEVICE_SPACE_COUNT];
} VmMemoryUse;

// The registers and the local memory of a call.
struct VmFrame {
    uint8_t *regs; // func->frame_bytes of them
    const VmFunc *func;
    VmFrame *caller;     // or the next frame in the free list
    const VmInstr *site; // the call instruction
    uint32_t return_pc;
    uint32_t lanes; // lanes that are still in this frame
    uint32_t depth;
    uint32_t local_base;     // start of this call's local memory
    uint32_t *tops;          // by lane: end of what alloca took; NULL: nothing
    struct VmDoubts *doubts; // registers with doubtful values
                             // (decode/doubt.h); NULL: there are none
    struct VmFateMarks *fates; // registers with values that may be dropped
                               // (decode/fate.h); or NULL
    struct VmMarks *marks; // where values come from (decode/follow.h); NULL:
                           // that is not followed
    struct VmUnset *unset; // registers that nobody has set (decode/unset.h);
                           // NULL: there are none
    VmOpaque *opaque;      // where bytes of answers are (opaque.c); or NULL
    uint32_t capacity;     // bytes allocated at regs
    bool in_prologue;      // the watched function, or called from it
};

// For a warp; reused by the next warp in the same place.
typedef struct VmWarpMemory {
    VmFrame *free_frames;
    uint8_t *local;          // [lane][local_capacity]
    uint32_t local_capacity; // bytes per lane
    uint32_t *written; // by byte: lanes that wrote it (uninitialised.c); or
                       // NULL
} VmWarpMemory;

#endif
