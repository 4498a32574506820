// SPDX-License-Identifier: Apache-2.0
// Shadow memory: for each 4 bytes of shared and global memory (where smaller
// elements are accessed, for each 2 or 1), who wrote them last and who has read
// them since, with the logical time (clock.h) and the place in the program of
// each access.
//
// The six words of a cell are stored in six planes, so that the cells of one
// warp access are six short arrays. Cells are never cleared: a time before the
// start of the launch (in shared memory: of the CTA) means that there was no
// access. CELL_FAR explains the top bit of the time.
#ifndef CLCLAB_VM_ORDER_SHADOW_H
#define CLCLAB_VM_ORDER_SHADOW_H

#include "vm/order/order.h"

void vm_shadow_begin(Vm *vm);
void vm_shadow_end(Vm *vm);
void vm_shadow_free(Vm *vm); // frees all shadow memory
void vm_shadow_cta_start(VmCta *cta);
void vm_shadow_forget(Vm *vm, VmBuffer *buffer); // the buffer was freed

// A site: where and how an access was made.
#define SITE_LOC 0x00FFFFFFu // index into PtxModule.locs
#define SITE_STRONG 0x01000000u
#define SITE_SCOPE_SHIFT 25     // two bits: VmScope
#define SITE_FAR 0x08000000u    // with SITE_MANY: readers of several CTAs
#define SITE_WIDE 0x10000000u   // its elements have more than 4 bytes
#define SITE_ANSWER 0x20000000u // it is the answer of a request
#define SITE_MANY 0x40000000u   // there are several readers
#define SITE_NARROW 0x80000000u // its elements have less than 4 bytes

// Strong accesses are atomic with respect to each other where they overlap
// completely (PTX ISA, "Morally strong operations"). A vector access counts as
// one access for each element.
static inline uint32_t vm_site_size(const VmInstr *in, uint32_t bytes) {
    uint32_t element = in->elements > 1 ? bytes / in->elements : bytes;
    return element < 4 ? SITE_NARROW : element > 4 ? SITE_WIDE : 0;
}
static inline bool vm_site_fits(uint32_t site, uint32_t size) {
    return ((site ^ size) & (SITE_WIDE | SITE_NARROW)) == 0;
}

typedef struct VmReader { // lanes of one warp, or of one agent
    uint32_t who;         // number of lane 0
    uint32_t lanes, time, site;
} VmReader;

// Memory whose cells are stored together: the shared memory of a CTA, or a
// buffer.
typedef struct VmRegion {
    VmCta *cta;      // NULL: global memory
    uint32_t buffer; // number of the buffer
} VmRegion;

// The site that is recorded for an access.
static inline uint32_t vm_shadow_site(const VmInstr *in, uint32_t bytes) {
    uint32_t site = (in->loc & SITE_LOC) | (uint32_t)in->scope
                                               << SITE_SCOPE_SHIFT;
    return in->sem == SEM_WEAK ? site
                               : site | SITE_STRONG | vm_site_size(in, bytes);
}

// Checks that an access by a lane of w to `bytes` at an offset in the region is
// ordered, and records it. (Accesses of whole warps try fast_path.h first.)
void vm_shadow_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                     VmRegion region, uint64_t offset, uint32_t bytes,
                     bool write);
// The same for a VmWhere.
void vm_shadow_lane(VmWarp *w, const VmInstr *in, uint32_t lane,
                    const VmWhere *where, uint32_t bytes, VmAccess access);
// The same for weak loads by several lanes from one address.
void vm_shadow_readers(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       const VmWhere *where, uint32_t bytes);
// A new page of a buffer, both given by number. Without cells: out of memory.
struct VmPage vm_shadow_page(Vm *vm, uint32_t buffer, uint64_t page,
                             uint32_t shift);

// Who wrote the word at an offset of the region last.
typedef struct VmWriter {
    bool is_known;   // false: bytes of it were written apart, or by no thread
    bool is_none;    // nobody has written it
    uint64_t thread; // as a fact
    uint32_t loc;
} VmWriter;
VmWriter vm_shadow_writer(Vm *vm, VmRegion region, uint64_t offset);

// ---- asynchronous operations ---------------------------------------------

// Who performs an asynchronous operation, and what it must be ordered after.
typedef struct VmAsync {
    uint32_t agent; // number of the agent (clock.h)
    uint32_t lane;  // a lane that the agent works for
    uint32_t time;  // the agent's time; VM_AGENT_LATER: given to
                    // vm_shadow_complete
    bool is_proxy;  // through the async proxy; else the generic proxy
    bool is_answer; // the answer of a request: CLC006, CLC007
    bool is_atomic; // a reduction
    // An earlier operation that writes the same bytes from the same source; 0:
    // none is known.
    uint32_t same_who, same_site;
    bool same_unknown; // there may be one that has been forgotten
} VmAsync;
#define VM_AGENT_LATER (VM_AGENT - 1)

// A lane of w issues an operation that reads or writes `bytes` at `where`.
void vm_shadow_issue(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmWhere *where, uint32_t bytes, bool write,
                     const VmAsync *async);
// The operation is done, in phase `time` of its agent.
void vm_shadow_complete(Vm *vm, const VmWhere *where, uint32_t bytes,
                        bool write, uint32_t agent, uint32_t time);

#endif
