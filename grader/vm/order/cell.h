// SPDX-License-Identifier: Apache-2.0
// The layout of a cell of shadow memory (shadow.h), where the cells are stored,
// and the fast-path check that accepts most accesses. Private to shadow.c,
// store.c and fast_path.h.
//
//   plane  0 W_TIME  1 W_WHO  2 W_SITE  3 R_TIME  4 R_WHO  5 R_SITE
//   site   31 ......... 25 | 24      23 ... 0
//          flags and scope   strong   code location
#ifndef CLCLAB_VM_ORDER_CELL_H
#define CLCLAB_VM_ORDER_CELL_H

#include "vm/machine/lanes.h"
#include "vm/order/shadow.h"

// This bit is set in the times of agents and, in shared memory, of threads of
// other CTAs: these times are above every vm->order->time.
#define CELL_FAR VM_AGENT

typedef struct Cell {
    uint32_t *at; // its W_TIME
    uint32_t plane, shift;
} Cell;

#define W_TIME(c) ((c).at[0])
#define W_WHO(c) ((c).at[(c).plane])
#define W_SITE(c) ((c).at[2 * (size_t)(c).plane])
#define R_TIME(c) ((c).at[3 * (size_t)(c).plane])
#define R_WHO(c) ((c).at[4 * (size_t)(c).plane])
#define R_SITE(c) ((c).at[5 * (size_t)(c).plane])

// A cell is of 4 bytes, or of 2 or 1 where something smaller has been accessed:
// of 1 << shift. All cells of a page, or of a CTA's shared memory, are of one
// size, which only becomes less.
enum { PLANES = 6, PAGE_BYTES = 4096, SHIFT_MOST = 2 };

typedef struct VmPage {
    uint32_t *cells; // NULL: there is none yet
    uint32_t shift;
} VmPage;

// The planes of a page are padded so that the six words of a cell do not all
// fall into the same cache set.
static inline uint32_t page_plane(uint32_t shift) {
    return ((uint32_t)PAGE_BYTES >> shift) + 16;
}

// Of the largest cells that such an access consists of.
static inline uint32_t shift_for(uint64_t offset, uint32_t bytes) {
    return vm_first((uint32_t)offset | bytes | 1u << SHIFT_MOST);
}

// The cell at an offset, where a new page is to have cells of 1 << shift bytes.
// Its .at is NULL if no memory is left for it.
static inline Cell cell_at(Vm *vm, VmRegion region, uint64_t offset,
                           uint32_t shift) {
    if (region.cta) {
        const VmCtaShadow *s = &region.cta->shadow;
        return (Cell){s->cells + (offset >> s->shift), s->cell_count, s->shift};
    }
    const VmBuffer *buffer = &vm->memory.buffers[region.buffer];
    uint64_t number = offset / PAGE_BYTES;
    VmPage page = buffer->shadow && buffer->shadow[number].cells
                      ? buffer->shadow[number]
                      : vm_shadow_page(vm, region.buffer, number, shift);
    if (!page.cells)
        return (Cell){0};
    return (Cell){page.cells + (offset % PAGE_BYTES >> page.shift),
                  page_plane(page.shift), page.shift};
}

// ---- reads that cells do not show yet ------------------------------------

// Most reads of shared memory never matter: before anything is written to the
// same cells, the whole CTA meets at a barrier. So reads of a warp are only put
// on a list of the CTA. They are entered in the cells if one of those cells is
// written before that barrier; from then on, the CTA has no list. (order/run.c
// says in which programs only such a barrier has to be waited for.)
typedef struct VmRead { // each lane reads 4 bytes
    const VmWarp *w;
    uint32_t lanes, time, site;
    uint32_t before; // all lanes knew what the CTA did before this time
    uint16_t cells[VM_LANES]; // of 4 bytes; of lanes that do not read: any of
                              // the others
} VmRead;

enum { READS_MAX = 128 }; // further reads are entered in the cells at once

typedef struct VmReads {
    uint32_t count, latest; // latest: logical time of the latest reads
    uint32_t first, last;   // all cells that have been read are between these
    bool is_off; // reads are not listed: other programs, or after reads had to
                 // be entered in the cells
    VmRead items[READS_MAX];
} VmReads;

void vm_shadow_settle(VmCta *cta); // enters all listed reads in the cells

// Drops the list if all its reads are older than `before`, the logical time of
// the last barrier of the CTA.
static inline void drop_past_reads(VmReads *reads, uint32_t before) {
    if (reads->latest < before)
        reads->count = 0;
}

// True if the cells `first` to `last` have bytes of a known slot for answers.
static inline bool has_slot(const VmOrder *o, uint32_t first, uint32_t last) {
    enum { SLOT_CELLS = 4 };
    for (uint32_t i = 0; i < o->slot_count; i++) {
        uint32_t slot = o->slots[i] / 4;
        if (first < slot + SLOT_CELLS && last >= slot)
            return true;
    }
    return false;
}

// Reads of slots are not listed, since a barrier alone does not order them
// before the next answer; nor is any read before a slot of the program is
// known.
static inline bool may_have_slot(const VmOrder *o, uint32_t first,
                                 uint32_t last) {
    return o->asks &&
           (o->slot_count == 0 || o->slot_count == COUNT_OF(o->slots) ||
            has_slot(o, first, last));
}

// To be called before these bytes are written.
static inline void settle_reads(VmCta *cta, uint32_t before, uint64_t offset,
                                uint64_t bytes) {
    VmReads *reads = cta->shadow.reads;
    if (!reads || !reads->count)
        return;
    drop_past_reads(reads, before);
    if (reads->count && offset / 4 <= reads->last &&
        offset + bytes > reads->first * UINT64_C(4))
        vm_shadow_settle(cta);
}

// ---- the fast path -------------------------------------------------------

// Most accesses cover whole cells whose last accesses were made before the
// CTA's last barrier, or by the same thread, or never. Then there is no race to
// report and no list of readers to maintain. The functions below return 1 for
// such a cell and 0 otherwise, without a branch, so that the compiler can
// vectorise them over many cells.
typedef struct FastPath {
    uint32_t start;      // logical time at which the region's life began
    uint32_t before;     // accesses before this time are ordered, whoever made
                         // them
    uint32_t cta_before; // the same for the threads of this CTA,
    uint32_t cta_first, cta_threads; // whose numbers are in this range
    uint32_t who, time, site;        // of the present access; who: for lane 0
    uint32_t joins;  // 1: whole-CTA barriers alone order the threads
    uint32_t shared; // 0 or 1
} FastPath;

// A thread of this CTA.
static inline uint32_t is_of_cta(const FastPath *u, uint32_t who) {
    return who - u->cta_first < u->cta_threads;
}

// Made by the same thread, or by a thread of its CTA before a barrier.
static inline uint32_t is_own(const FastPath *u, uint32_t time, uint32_t who,
                              uint32_t self) {
    return ((who == self) & (time < CELL_FAR)) |
           ((time < u->cta_before) & is_of_cta(u, who));
}

static inline uint32_t is_past(const FastPath *u, uint32_t time, uint32_t who,
                               uint32_t self) {
    return (time < u->before) | is_own(u, time, who, self);
}

typedef struct Reader {
    uint32_t time, who, site;
} Reader;

// True if no earlier write to the cell has to be ordered before a read.
static inline uint32_t is_readable(const FastPath *u, uint32_t time,
                                   uint32_t who, uint32_t self) {
    return is_past(u, time, who, self) & ((time >= u->start) | !u->shared);
}

static inline uint32_t is_one(uint32_t site) {
    return (site & SITE_MANY) == 0;
}

// True if R_WHO is a reader, and not the number of a list.
static inline uint32_t has_no_list(const FastPath *u, uint32_t site) {
    return is_one(site) | u->joins;
}

// The reader, or all of the readers that joined it, are ordered before.
static inline uint32_t reader_is_past(const FastPath *u, Reader r,
                                      uint32_t self) {
    uint32_t are_near = is_one(r.site) | (u->joins & !(r.site & SITE_FAR));
    return (r.time < u->before) |
           (is_one(r.site) & (r.who == self) & (r.time < CELL_FAR)) |
           (are_near & (r.time < u->cta_before) & is_of_cta(u, r.who));
}

// True if R_TIME is that of all readers. Where CTAs share a CTA's memory, it
// may be that of a thread of the CTA itself, while others have read before.
static inline uint32_t is_plain(const FastPath *u, uint32_t site) {
    return has_no_list(u, site) & (!u->shared | ((site & SITE_FAR) == 0));
}

// Makes `self` the reader, or one of several since the last barrier; `r`
// becomes what is to be recorded.
static inline uint32_t add_fast(const FastPath *u, Reader *r, uint32_t self) {
    uint32_t past = reader_is_past(u, *r, self);
    uint32_t fast =
        is_plain(u, r->site) & (past | (u->joins & (r->time < CELL_FAR) &
                                        ((r->site & SITE_STRONG) == 0)));
    uint32_t far = u->shared | is_of_cta(u, r->who) ? 0 : SITE_FAR;
    r->time = u->time;
    r->who = past ? self : r->who;
    r->site = past ? u->site : r->site | SITE_MANY | far;
    return fast;
}

static inline uint32_t is_writable(const FastPath *u, uint32_t time,
                                   uint32_t who, Reader r, uint32_t self) {
    return is_past(u, time, who, self) & is_plain(u, r.site) &
           reader_is_past(u, r, self);
}

#endif
