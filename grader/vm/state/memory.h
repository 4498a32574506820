// SPDX-License-Identifier: Apache-2.0
// What memory/ keeps: of a device, of a launch, of a warp.
#ifndef CLCLAB_VM_STATE_MEMORY_H
#define CLCLAB_VM_STATE_MEMORY_H

#include "vm/code/instr.h"

typedef enum VmAccess { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } VmAccess;

// Bytes of memory, wherever they are: for accesses that happen later.
typedef struct VmWhere {
    VmCta *cta;      // in its shared memory; NULL: in global memory
    uint64_t offset; // in that shared memory; or the global address
} VmWhere;
typedef struct VmExtent {
    uint32_t bytes; // 0: nothing is accessed
    uint32_t align; // a power of 2
} VmExtent;

typedef struct VmBuffer {
    uint8_t *bytes;
    uint64_t size;
    bool read_only;
    const PtxVar *var;  // of the module; NULL: from alloc, or malloc
    uint64_t heap_size; // bytes asked of malloc; 0: not from malloc
    bool is_freed;
    uint32_t heap_loc;  // malloc: of the call; once it is freed, of free
    uint8_t *written;   // malloc: bit by byte (uninitialised.c); NULL: not kept
    uint64_t unwritten; // bytes, where that is kept
    uint32_t next_freed; // is_freed: number of the one freed after it, or 0
    uint32_t **shadow;   // by page (shadow.c); NULL: nothing is recorded
    Watch *watch;        // of this launch
} VmBuffer;

// The heap of malloc: each allocation is a buffer of its own, behind those of
// the user. Numbers of freed ones are used again, but late, so that a stale
// pointer is caught.
typedef struct VmHeap {
    uint32_t first; // buffer number; 0: no allocation in this launch
    uint64_t used;  // bytes
    uint32_t freed_first, freed_last; // buffer numbers, the oldest first
    uint32_t freed_count;
} VmHeap;

// Of a device: what is allocated in the global memory of the loaded module.
typedef struct VmMemory {
    VmBuffer *buffers; // [0] unused
    size_t buffer_count, buffer_capacity;
    uint32_t first_user_buffer; // those before it are the module's variables
    uint32_t *module_buffers;   // by PtxVar.id
    uint32_t param_buffer;      // the launch's parameter block
    VmHeap heap;                // malloc
    struct VmSymbolWrite *writes;
} VmMemory;

// Of a launch.
typedef struct VmMemoryUse {
    uint64_t left; // bytes that calls may still take
    // Bytes read and written through generic addresses, and by st.bulk.
    uint64_t generic[2][DEVICE_SPACE_COUNT];
} VmMemoryUse;

// The registers and the local memory of a call.
struct VmFrame {
    uint8_t *regs; // func->frame_bytes
    const VmFunc *func;
    VmFrame *caller;     // or next free frame
    const VmInstr *site; // the call
    uint32_t return_pc;
    uint32_t lanes; // still in this frame
    uint32_t depth;
    uint32_t local_base; // of this call's local memory
    uint32_t *tops;      // alloca: by lane, the end of it; or NULL
    uint32_t *poison;    // by register: lanes with a refused index; or NULL
    VmOpaque *opaque;    // where bytes of answers are (opaque.c); or NULL
    uint32_t capacity;   // bytes at regs
    bool in_prologue;    // of the watched function, or called from there
};

// Of a warp; the next one that has its place uses it again.
typedef struct VmWarpMemory {
    VmFrame *free_frames;
    uint8_t *local;          // [lane][local_capacity]
    uint32_t local_capacity; // bytes a lane
    uint32_t
        *written; // by byte: lanes that wrote it (uninitialised.c); or NULL
} VmWarpMemory;

#endif
