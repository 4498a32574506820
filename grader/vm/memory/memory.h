// SPDX-License-Identifier: Apache-2.0
// Translation of addresses to bytes, with all checks; local memory, and the
// frames of calls.
#ifndef CLCLAB_VM_MEMORY_MEMORY_H
#define CLCLAB_VM_MEMORY_MEMORY_H

#include "result/facts.h"
#include "vm/decode/decode.h"

// ---- memory.c ------------------------------------------------------------

// Returns the `bytes` bytes at `address` in space in->space, for one lane,
// after checking bounds, alignment and access rights. NULL: a fault was
// reported and the run is over.
uint8_t *vm_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint64_t address, uint32_t bytes, VmAccess access);
// The same for a load by several lanes from one address. vm_memory_loaded must
// follow, for all of these lanes.
uint8_t *vm_memory_alike(VmWarp *w, const VmInstr *in, uint32_t lane,
                         uint64_t address, uint32_t bytes);
void vm_memory_loaded(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      uint64_t address, uint32_t bytes);
// The same for a compare-and-swap by one lane. vm_memory_swapped must follow,
// for this lane if it stores, else for all such lanes at once.
uint8_t *vm_memory_compare(VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint64_t address, uint32_t bytes);
void vm_memory_swapped(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       uint64_t address, uint32_t bytes);
// The same for another atomic operation, whose address is passed to
// vm_memory_compare: one by a lane that changes the value (before it does), or
// those of some lanes at one address that all leave it as it is.
void vm_memory_modified(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint64_t address, uint8_t *at);
void vm_memory_unmodified(VmWarp *w, const VmInstr *in, uint32_t lanes,
                          uint64_t address);
// A lane takes the value of a load that is_chosen, which vm_memory has loaded:
// now it counts in the order of accesses.
void vm_memory_chosen(VmWarp *w, const VmInstr *load, uint32_t lane);
// Counts the bytes of an access through a generic address.
void vm_count_generic(Vm *vm, uint64_t address, uint32_t bytes,
                      VmAccess access);
// Whether the extent, whose `align` is its unit, is in a buffer of global
// memory, or in the unit that the buffer ends in. For hints, of which no value
// comes.
bool vm_memory_ends_in(const Vm *vm, uint64_t address, VmExtent extent);
// The place that a lane will access at `address` of `space`, with all checks of
// vm_memory. False: a fault was reported.
bool vm_memory_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                     PtxSpace space, uint64_t address, VmExtent extent,
                     VmAccess access, VmWhere *out);
// What a buffer is called, for the facts of a case that has a buffer.
typedef struct VmBufferName {
    FactWord word; // for BUFFER
    Str name;
    uint64_t size; // bytes
    size_t number; // index of the parameter
} VmBufferName;
VmBufferName vm_buffer_name(const Vm *vm, uint64_t number);
#define BUFFER_FACTS(b)                                                     \
    FACT(BUFFER, (b).word), FACT_STR(NAME, (b).name), FACT(SIZE, (b).size), \
        FACT(NUMBER, (b).number)
// The word for the access in a fact ACCESS.
FactWord vm_access_word(VmAccess access);

// ---- stack.c: local memory -----------------------------------------------

void vm_stack_begin(VmWarp *w); // a warp starts
// The end of the local memory of `lane` in this frame.
uint32_t vm_stack_top(const VmFrame *frame, uint32_t lane);
// Whether some of these bytes of local memory belong to no variable of the
// calls that they are in.
bool vm_stack_is_gap(const VmFrame *frame, uint32_t at, uint32_t bytes);
// Allocates the variables for a call of `func` by `lanes` of `caller` (NULL:
// the first frame), starting at *base. False: out of memory.
bool vm_stack_push(VmWarp *w, const VmFrame *caller, const VmFunc *func,
                   uint32_t lanes, uint32_t *base);
// alloca: *at becomes the local address. False: out of memory.
bool vm_stack_alloc(VmWarp *w, uint32_t lane, uint64_t bytes, uint32_t align,
                    uint32_t *at);
// stackrestore. False: `top` has never been the end of this call's stack.
bool vm_stack_restore(VmFrame *frame, uint32_t lane, uint64_t top);
// Takes `bytes` of the memory for calls; false: the launch has none left. What
// the first frame of each warp needs is reserved when the launch begins.
bool vm_take_memory(Vm *vm, uint64_t bytes, bool reserved);

// ---- frames.c ------------------------------------------------------------

// A call by the lanes of `f`. False: stack overflow.
bool vm_frame_push(VmWarp *w, VmFragment *f, const VmFunc *func,
                   const VmInstr *site);
// The return of the lanes of `f`.
void vm_frame_pop(VmWarp *w, VmFragment *f);
// Removes a frame from its warp, after all its lanes have left it.
void vm_frame_free(VmWarp *w, VmFrame *frame);
// Frees everything that a warp has allocated for calls.
void vm_frames_end(VmWarp *w);

// ---- uninitialised.c: MEM003 for local memory and for memory from malloc
// -----

// Marks local memory [from, from + bytes) of `lanes` as uninitialised.
void vm_local_begin(VmWarp *w, uint32_t lanes, uint32_t from, uint64_t bytes);
// An access within bounds, at offsets[lane]: a store is recorded; a load
// returns true if all bytes are initialised, and false if each lane has to be
// checked by vm_local_touch. The warp's `written` must not be NULL.
bool vm_local_known(VmWarp *w, const uint32_t *offsets, uint32_t mask,
                    uint32_t bytes, bool write);
// One lane's access. False: a fault was reported and the run is over.
bool vm_local_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint32_t offset, uint32_t bytes, VmAccess access);
// Nothing has been written to a buffer that is not lent; all has, as far as is
// known.
void vm_buffer_begin(VmBuffer *buffer);
void vm_buffer_known(VmBuffer *buffer);
static inline bool vm_is_partly_written(const VmBuffer *buffer) {
    return buffer->written && buffer->written->count < buffer->size;
}
// An access within bounds to memory that is partly written: a store is
// recorded; a load returns true if all is written, or if nobody asks, and false
// if each lane has to be checked by vm_buffer_touch.
typedef struct VmSpan {
    uint64_t from;
    uint32_t bytes;
} VmSpan;
bool vm_written_known(const VmWarp *w, ByteSet *written, VmSpan span,
                      bool write);
// For buffers that are partly written: checks and records one lane's access.
// False: a fault was reported and the run is over.
bool vm_buffer_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                     VmBuffer *buffer, uint64_t offset, uint32_t bytes,
                     VmAccess access);

// ---- watch.c: watched buffers --------------------------------------------

// A lane stores to these bytes of a buffer that is watched.
void vm_watch_store(VmWarp *w, const VmInstr *in, uint32_t lane,
                    VmBuffer *buffer, VmSpan at);
// The piece that an element of it belongs to; the CTA has stored to that.
static inline WatchPiece *vm_watch_piece(const Watch *watch, uint64_t i) {
    return &watch->pieces[watch->piece_of ? watch->piece_of[i] : 0];
}
void vm_watch_note(Watch *watch, WatchPiece *piece, uint64_t element,
                   const VmCta *cta);

// ---- chosen.c: loads whose value a select takes or drops -----------------

// A select has been decoded: finds the loads that it chooses from.
void vm_decode_choice(const VmDecoder *d, VmInstr *select);

#endif
