// SPDX-License-Identifier: Apache-2.0
// A cell of shadow memory (shadow.h), where the cells are, and the verdict on
// most of them. Private to shadow.c and fast_path.h.
//
//   plane  0 W_TIME  1 W_WHO  2 W_SITE  3 R_TIME  4 R_WHO  5 R_SITE
//   site   31 ......... 25 | 24      23 ... 0
//          flags and scope   strong   code location
#ifndef CLCLAB_VM_ORDER_CELL_H
#define CLCLAB_VM_ORDER_CELL_H

#include "vm/order/shadow.h"

// Times of agents, and in shared memory those of threads of other CTAs, have
// this bit: they are above every vm->order->time.
#define CELL_FAR VM_AGENT

typedef struct Cell {
    uint32_t *at; // its W_TIME
    uint32_t plane;
} Cell;

#define W_TIME(c) ((c).at[0])
#define W_WHO(c) ((c).at[(c).plane])
#define W_SITE(c) ((c).at[2 * (size_t)(c).plane])
#define R_TIME(c) ((c).at[3 * (size_t)(c).plane])
#define R_WHO(c) ((c).at[4 * (size_t)(c).plane])
#define R_SITE(c) ((c).at[5 * (size_t)(c).plane])

// Planes of a page are a little apart, lest all six are in one set of a cache.
enum { PLANES = 6, PAGE_CELLS = 1024, PAGE_PLANE = PAGE_CELLS + 16 };

// The cell at an offset; .at is NULL where none can be had.
static inline Cell cell_at(Vm *vm, VmRegion region, uint64_t offset) {
    if (region.cta)
        return (Cell){region.cta->shadow.cells + offset / 4,
                      region.cta->shadow.cell_count};
    const VmBuffer *buffer = &vm->memory.buffers[region.buffer];
    uint64_t number = offset / (PAGE_CELLS * 4);
    uint32_t *page = buffer->shadow && buffer->shadow[number]
                         ? buffer->shadow[number]
                         : vm_shadow_page(vm, region.buffer, number);
    if (!page)
        return (Cell){0};
    return (Cell){page + offset / 4 % PAGE_CELLS, PAGE_PLANE};
}

// ---- reads that cells do not show yet ------------------------------------

// Where barriers of the whole CTA are all that counts, and no other CTA can
// come near its memory, nobody asks who has read a cell before the last
// barrier. So what a warp reads here and there is noted, and goes into the
// cells only if something is written before the next barrier.
typedef struct VmRead { // of 4 bytes by each lane
    VmWarp *w;
    const VmInstr *in;
    uint32_t time, off[VM_LANES];
} VmRead;

enum { READS_MAX = 32 }; // beyond, they go into the cells at once

typedef struct VmReads {
    uint32_t count, latest; // latest: their time
    bool is_off; // nothing is noted: of other programs, or since it was needed
    VmRead items[READS_MAX];
} VmReads;

void vm_shadow_settle(VmCta *cta); // all that are noted go into the cells

// `before`: what happened in the CTA before this time is past.
static inline void drop_past_reads(VmReads *reads, uint32_t before) {
    if (reads->latest < before)
        reads->count = 0;
}

// Before the cells are looked at by anything but such a read.
static inline void settle_reads(VmCta *cta, uint32_t before) {
    if (!cta->shadow.reads || !cta->shadow.reads->count)
        return;
    drop_past_reads(cta->shadow.reads, before);
    if (cta->shadow.reads->count)
        vm_shadow_settle(cta);
}

// ---- the fast path -------------------------------------------------------

// Most accesses are to whole cells that were touched last before the CTA's last
// barrier, by the same thread, or never: there is nothing to report, and no
// list of readers. The functions below say so with 1, else 0, without a
// branch: many cells are then judged at once.
typedef struct FastPath {
    uint32_t start;      // of the region
    uint32_t before;     // what happened before is past, whoever did it;
    uint32_t cta_before; // likewise for threads of this CTA,
    uint32_t cta_first, cta_threads; // which have these numbers
    uint32_t who, time, site;        // who: of lane 0
    uint32_t joins;  // 1: shared memory, and barriers are all that counts
    uint32_t shared; // 0 or 1
} FastPath;

// By the same thread, or by one of its CTA before a barrier.
static inline uint32_t is_own(const FastPath *u, uint32_t time, uint32_t who,
                              uint32_t self) {
    return ((who == self) & (time < CELL_FAR)) |
           ((time < u->cta_before) & (who - u->cta_first < u->cta_threads));
}

static inline uint32_t is_past(const FastPath *u, uint32_t time, uint32_t who,
                               uint32_t self) {
    return (time < u->before) | is_own(u, time, who, self);
}

typedef struct Reader {
    uint32_t time, who, site;
} Reader;

// Nobody has written the cell in a way that a read must be ordered after.
static inline uint32_t is_readable(const FastPath *u, uint32_t time,
                                   uint32_t who, uint32_t self) {
    return is_past(u, time, who, self) & ((time >= u->start) | !u->shared);
}

static inline uint32_t is_one(uint32_t site) {
    return (site & SITE_MANY) == 0;
}

static inline uint32_t reader_is_past(const FastPath *u, Reader r,
                                      uint32_t self) {
    return (r.time < u->before) |
           (is_one(r.site) & is_own(u, r.time, r.who, self));
}

// There is no list of readers.
static inline uint32_t is_plain(const FastPath *u, uint32_t site) {
    return is_one(site) | (u->joins & ((site & SITE_FAR) == 0));
}

// `self` becomes the reader, or one of many since the last barrier; `r` says
// then what is to be recorded.
static inline uint32_t add_fast(const FastPath *u, Reader *r, uint32_t self) {
    uint32_t past = reader_is_past(u, *r, self);
    uint32_t fast = is_plain(u, r->site) &
                    (past | (u->joins & (r->time < CELL_FAR) &
                             ((r->site & (SITE_STRONG | SITE_FAR)) == 0)));
    r->time = u->time;
    r->who = past ? self : r->who;
    r->site = past ? u->site : r->site | SITE_MANY;
    return fast;
}

static inline uint32_t is_writable(const FastPath *u, uint32_t time,
                                   uint32_t who, Reader r, uint32_t self) {
    return is_past(u, time, who, self) & is_plain(u, r.site) &
           reader_is_past(u, r, self);
}

#endif
