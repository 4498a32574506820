// SPDX-License-Identifier: Apache-2.0
// Shadow memory: for each 4 bytes of shared and global memory who wrote them
// last, and who has read them since, when (clock.h) and where in the program.
//
// The six words of a cell stand in six planes, so that the cells of a warp's
// access are six short arrays. Cells are never cleared: a time before the start
// of the launch (for shared memory: of the CTA) is none. Of the time's top
// bit, see CELL_FAR.
#ifndef CLCLAB_VM_ORDER_SHADOW_H
#define CLCLAB_VM_ORDER_SHADOW_H

#include "vm/order/order.h"

void vm_shadow_begin(Vm *vm);
void vm_shadow_end(Vm *vm);
void vm_shadow_free(Vm *vm); // all of it
void vm_shadow_cta_start(VmCta *cta);
void vm_shadow_forget(Vm *vm, VmBuffer *buffer); // its memory was freed

// Where and how an access was made.
#define SITE_LOC 0x00FFFFFFu // in PtxModule.locs
#define SITE_STRONG 0x01000000u
#define SITE_SCOPE_SHIFT 25     // two bits: VmScope
#define SITE_FAR 0x08000000u    // MANY, of several CTAs
#define SITE_WIDE 0x10000000u   // an element of more than 4 bytes
#define SITE_ANSWER 0x20000000u // of a request
#define SITE_MANY 0x40000000u   // readers
#define SITE_NARROW 0x80000000u // an element of less than 4 bytes
#define SITE_SPLIT 0xFFFFFFFFu  // the cell is

// Strong accesses are atomic to each other where they overlap completely (PTX
// ISA, "Morally strong operations"); a vector is that many accesses.
static inline uint32_t vm_site_size(const VmInstr *in, uint32_t bytes) {
    uint32_t element = in->vector > 1 ? bytes / in->vector : bytes;
    return element < 4 ? SITE_NARROW : element > 4 ? SITE_WIDE : 0;
}
static inline bool vm_site_fits(uint32_t site, uint32_t size) {
    return ((site ^ size) & (SITE_WIDE | SITE_NARROW)) == 0;
}

typedef struct VmReader { // lanes of a warp, or of an agent
    uint32_t who;         // of lane 0
    uint32_t lanes, time, site;
} VmReader;

// Memory whose cells lie together: the shared memory of a CTA, or a buffer.
typedef struct VmRegion {
    VmCta *cta;      // NULL: global memory
    uint32_t buffer; // its number
} VmRegion;

// What is recorded of an access.
static inline uint32_t vm_shadow_site(const VmInstr *in, uint32_t bytes) {
    uint32_t site = (in->loc & SITE_LOC) | (uint32_t)in->scope
                                               << SITE_SCOPE_SHIFT;
    return in->sem == SEM_WEAK ? site
                               : site | SITE_STRONG | vm_site_size(in, bytes);
}

// An access by a lane of w to `bytes` at an offset in the region: checks that
// it is ordered, and records it. (Whole warps go through fast_path.h first.)
void vm_shadow_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                     VmRegion region, uint64_t offset, uint32_t bytes,
                     bool write);
// The same, by an address.
void vm_shadow_lane(VmWarp *w, const VmInstr *in, uint32_t lane,
                    const VmWhere *where, uint32_t bytes, VmAccess access);
// Weak loads by `lanes`, all from one address.
void vm_shadow_readers(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       const VmWhere *where, uint32_t bytes);
// The cells of a page of a buffer, both by number; NULL: none can be had.
uint32_t *vm_shadow_page(Vm *vm, uint32_t buffer, uint64_t page);

// ---- asynchronous operations ---------------------------------------------

// Who performs an operation, and what it must be ordered after.
typedef struct VmAsync {
    uint32_t agent; // number (clock.h)
    uint32_t lane;  // of those that the agent works for
    uint32_t time;  // of the agent; VM_AGENT_LATER: vm_shadow_complete says it
    bool is_proxy;  // the async proxy; else the generic one
    bool is_answer; // of a request: CLC006, CLC007
    bool is_atomic; // a reduction
} VmAsync;
#define VM_AGENT_LATER (VM_AGENT - 1)

// Lane of w issues an operation that reads or writes `bytes` at `where`.
void vm_shadow_issue(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmWhere *where, uint32_t bytes, bool write,
                     const VmAsync *async);
// It is done, in phase `time` of its agent.
void vm_shadow_complete(Vm *vm, const VmWhere *where, uint32_t bytes,
                        bool write, uint32_t agent, uint32_t time);

#endif
