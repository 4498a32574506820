// SPDX-License-Identifier: Apache-2.0
// From an address to bytes, with every check on the way; local memory and the
// frames of calls.
#ifndef CLCLAB_VM_MEMORY_MEMORY_H
#define CLCLAB_VM_MEMORY_MEMORY_H

#include "vm/machine/machine.h"

// ---- memory.c ------------------------------------------------------------

// The `bytes` at `address` in space in->space, for one lane; checks bounds,
// alignment and whether it may be accessed so. NULL: a fault was reported and
// the run is over.
uint8_t *vm_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint64_t address, uint32_t bytes, VmAccess access);
// The same for weak loads by other lanes from an address that one lane of the
// warp has just loaded from; vm_memory_loaded for all of them comes after it.
uint8_t *vm_memory_again(VmWarp *w, const VmInstr *in, uint32_t lane,
                         uint64_t address, uint32_t bytes);
void vm_memory_loaded(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      uint64_t address, uint32_t bytes);
// Counts the bytes of an access through a generic address.
void vm_count_generic(Vm *vm, uint64_t address, uint32_t bytes,
                      VmAccess access);
// The place that an access of a lane to `address` of `space` will have, with
// all the checks of vm_memory. False: a fault was reported.
bool vm_memory_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                     PtxSpace space, uint64_t address, VmExtent extent,
                     VmAccess access, VmWhere *out);
// The access as a word of ACCESS.
FactWord vm_access_word(VmAccess access);

// ---- stack.c: local memory -----------------------------------------------

void vm_stack_begin(VmWarp *w); // a warp starts
// Where the local memory of `lane` ends, in this frame.
uint32_t vm_stack_top(const VmFrame *frame, uint32_t lane);
// Room for the variables of a call of `func` by `lanes` of `caller` (NULL: of
// nobody), from *base on; false: there is none.
bool vm_stack_push(VmWarp *w, const VmFrame *caller, const VmFunc *func,
                   uint32_t lanes, uint32_t *base);
// alloca: *at is the local address. False: there is no room.
bool vm_stack_alloc(VmWarp *w, uint32_t lane, uint64_t bytes, uint32_t align,
                    uint32_t *at);
// stackrestore; false: `top` is not an end that this call has had.
bool vm_stack_restore(VmFrame *frame, uint32_t lane, uint64_t top);
// `bytes` more for calls; false: the launch's memory is used up. What the first
// frame of each warp needs was reserved when the launch began.
bool vm_take_memory(Vm *vm, uint64_t bytes, bool reserved);

// ---- frames.c ------------------------------------------------------------

// A call by the lanes of `f`; false: the stack is full.
bool vm_frame_push(VmWarp *w, VmFragment *f, const VmFunc *func,
                   const VmInstr *site);
// The return of the lanes of `f`.
void vm_frame_pop(VmWarp *w, VmFragment *f);
// Takes a frame off its warp: its lanes have left it.
void vm_frame_free(VmWarp *w, VmFrame *frame);
// All that a warp has taken for calls.
void vm_frames_end(VmWarp *w);

// ---- uninitialised.c: MEM003 for local memory and for malloc's -----------

// Local memory [from, from + bytes) of `lanes` begins anew.
void vm_local_begin(VmWarp *w, uint32_t lanes, uint32_t from, uint64_t bytes);
// An access that is in bounds, at offsets[lane]: a store is noted; a load is
// fine (false: it has to be looked at lane by lane). w->written is there.
bool vm_local_known(VmWarp *w, const uint32_t *offsets, uint32_t mask,
                    uint32_t bytes, bool write);
// One lane's access; false: reported, and the run is over.
bool vm_local_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint32_t offset, uint32_t bytes, VmAccess access);
void vm_heap_begin(VmBuffer *buffer);
// For buffers whose `written` is there: bytes were written; one lane's access.
void vm_heap_written(VmBuffer *buffer, uint64_t offset, uint64_t bytes);
bool vm_heap_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                   VmBuffer *buffer, uint64_t offset, uint32_t bytes,
                   VmAccess access);

#endif
