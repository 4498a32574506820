// SPDX-License-Identifier: Apache-2.0
// The fast path from an access of a warp to shadow memory: read cell.h first,
// then fast_access.
//
// Cells are checked 32 at a time where the cells of each lane directly follow
// those of the lane before (a block), and where the lanes read single cells
// anywhere in shared memory (scattered); otherwise lane by lane. Cells that the
// checks in cell.h do not accept go to vm_shadow_touch. All of this is compiled
// with the handlers, once for each level of the instruction set. Included by
// place.h alone.
#ifndef CLCLAB_VM_EXEC_FAST_PATH_H
#define CLCLAB_VM_EXEC_FAST_PATH_H

#include "vm/machine/lanes.h"
#include "vm/order/cell.h"

enum { BLOCK = 32 }; // cells that are checked together

typedef struct Access {
    VmWarp *w;
    const VmInstr *in;
    VmRegion region;
    const uint32_t *off; // by lane
    uint32_t bytes;
    bool write;
} Access;

static FastPath fast_path_of(const Access *a) {
    const VmWarp *w = a->w;
    const VmOrder *o = w->vm->order;
    const VmCta *cta = a->region.cta;
    uint32_t start = cta ? cta->order.start : o->start;
    uint32_t threads = o->clocks.warps_per_cta * VM_LANES;
    return (FastPath){.start = start,
                      .before = cta && w->order.cta_before > start
                                    ? w->order.cta_before
                                    : start,
                      .cta_before = w->order.cta_before,
                      .cta_first = w->cta->order.serial * threads,
                      .cta_threads = threads,
                      .who = vm_who(w, 0),
                      .time = o->time,
                      .site = vm_shadow_site(a->in, a->bytes),
                      .joins = o->only_barriers,
                      .shared = cta != NULL};
}

// Constant members let the compiler remove the code that depends on them.
static inline FastPath without_cta(const FastPath *u) {
    FastPath v = *u;
    v.cta_before = 0;
    return v;
}

// Where whole-CTA barriers alone order the threads: in shared memory, comparing
// with `before` is enough.
static inline FastPath joining_shared(const FastPath *u) {
    FastPath v = without_cta(u);
    v.joins = v.shared = 1;
    return v;
}

static inline FastPath joining_global(const FastPath *u) {
    FastPath v = *u;
    v.joins = 1;
    v.shared = 0;
    return v;
}

// ---- blocks of cells -----------------------------------------------------

// Small enough to stay in registers; its planes are computed where they are
// needed.
typedef struct Block {
    uint32_t *at; // W_TIME of its first cell
    uint32_t plane;
    uint16_t first, shift; // cell i belongs to lane first + (i >> shift)
} Block;

typedef struct Planes {
    uint32_t *w_time, *w_who, *w_site, *r_time, *r_who, *r_site;
} Planes;

static inline Block block_at(Cell c, uint32_t first, uint32_t shift) {
    return (Block){c.at, c.plane, (uint16_t)first, (uint16_t)shift};
}

static inline Planes planes_of(Block b) {
    Cell c = {b.at, b.plane, 0};
    return (Planes){&W_TIME(c), &W_WHO(c), &W_SITE(c),
                    &R_TIME(c), &R_WHO(c), &R_SITE(c)};
}

// True if all earlier accesses to the cells are ordered before this one, and
// none of the cells was written before `least`.
__attribute__((always_inline)) static inline bool
is_past_block(const FastPath *u, Block b, uint32_t least) {
    Planes p = planes_of(b);
    uint32_t past = 1, self = u->who + b.first;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t own = self + (i >> b.shift);
        Reader r = {p.r_time[i], p.r_who[i], p.r_site[i]};
        past &= is_writable(u, p.w_time[i], p.w_who[i], r, own) &
                (p.w_time[i] >= least);
    }
    return past;
}

__attribute__((always_inline)) static inline void read_block(const FastPath *u,
                                                             Block b) {
    Planes p = planes_of(b);
    uint32_t self = u->who + b.first, time = u->time, site = u->site;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        p.r_time[i] = time;
        p.r_who[i] = self + (i >> b.shift);
        p.r_site[i] = site;
    }
}

__attribute__((always_inline)) static inline void write_block(const FastPath *u,
                                                              Block b) {
    Planes p = planes_of(b);
    uint32_t self = u->who + b.first, time = u->time, site = u->site;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        p.w_time[i] = time;
        p.w_who[i] = self + (i >> b.shift);
        p.w_site[i] = site;
        p.r_time[i] = 0;
        p.r_site[i] = 0;
    }
}

// The next two functions collect in a bit-wise or everything that disqualifies
// the block, and test it once for the whole block. The bit that counts is
// CELL_FAR, which is also the sign bit of a difference: of two times below
// CELL_FAR, the difference is negative if the first is earlier.

// In global memory: each cell was last read and last written by the thread that
// accesses it now, as when a thread keeps working on its own data.
__attribute__((always_inline)) static inline bool is_own_block(uint32_t self,
                                                               Block b) {
    Planes p = planes_of(b);
    uint32_t against = 0;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t who = self + b.first + (i >> b.shift);
        against |= (p.w_who[i] ^ who) | (p.r_who[i] ^ who) |
                   ((p.w_time[i] | p.r_time[i]) & CELL_FAR) |
                   (p.r_site[i] & SITE_MANY);
    }
    return against == 0;
}

// In shared memory ordered by whole-CTA barriers alone: each cell was written
// before the last barrier, but not before `least`, and nobody has read it since
// the barrier.
__attribute__((always_inline)) static inline bool
is_fresh_block(const FastPath *u, Block b, uint32_t least) {
    Planes p = planes_of(b);
    uint32_t against = 0, last = u->before - 1;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t since = p.w_time[i] - least, read = p.r_time[i];
        against |= since | (last - least - since) | read | (last - read) |
                   (p.r_site[i] & SITE_FAR) * (CELL_FAR / SITE_FAR);
    }
    return (against & CELL_FAR) == 0;
}

// In global memory, where threads join as readers: each cell was read by
// threads of several CTAs in this launch, and last written before it. One more
// reader changes nothing.
__attribute__((always_inline)) static inline bool
is_read_by_many(const FastPath *u, Block b) {
    Planes p = planes_of(b);
    uint32_t against = 0;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t written = p.w_time[i], read = p.r_time[i];
        against |= ~(written - u->start) | written | (read - u->start) | read |
                   ~(p.r_site[i] * (CELL_FAR / SITE_FAR));
    }
    return (against & CELL_FAR) == 0;
}

// Some of the cells may have other readers, whom these join.
__attribute__((always_inline)) static inline bool join_cells(FastPath u,
                                                             Block b) {
    Planes p = planes_of(b);
    uint32_t fast = 1, self = u.who + b.first;
    uint32_t who[BLOCK], site[BLOCK];
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t own = self + (i >> b.shift);
        Reader r = {p.r_time[i], p.r_who[i], p.r_site[i]};
        fast &= is_readable(&u, p.w_time[i], p.w_who[i], own);
        fast &= add_fast(&u, &r, own);
        who[i] = r.who;
        site[i] = r.site;
    }
    if (!fast)
        return false;
    memcpy(p.r_who, who, sizeof who);
    memcpy(p.r_site, site, sizeof site);
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        p.r_time[i] = u.time;
    }
    return true;
}

static bool is_fast_block(const FastPath *u, Block b, bool write) {
    FastPath first = without_cta(u);
    if (!u->shared)
        return is_own_block(u->who, b) || is_past_block(&first, b, 0) ||
               is_past_block(u, b, 0);
    if (u->joins && is_fresh_block(u, b, write ? 0 : u->start))
        return true;
    return (write || !u->joins) &&
           is_past_block(&first, b, write ? 0 : u->start);
}

static bool join_global(const FastPath *u, Block b) {
    FastPath first = without_cta(u);
    if (is_read_by_many(u, b))
        return true;
    if (!is_own_block(u->who, b) && !is_past_block(&first, b, 0))
        return join_cells(joining_global(u), b);
    read_block(u, b);
    return true;
}

static bool access_cells(const FastPath *u, Block b, bool write) {
    if (u->joins && !u->shared && !write)
        return join_global(u, b);
    if (!is_fast_block(u, b, write))
        return u->joins && !write && join_cells(joining_shared(u), b);
    if (write)
        write_block(u, b);
    else
        read_block(u, b);
    return true;
}

// ---- scattered cells -----------------------------------------------------

// The cell of each lane; where a lane does not read, that of another one.
typedef struct Cells {
    uint32_t of[VM_LANES], first, last;
} Cells;

static Cells cells_of(const Access *a, uint32_t lanes) {
    Cells cells = {.first = UINT32_MAX};
    uint32_t any = a->off[vm_first(lanes)];
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t cell = (lanes >> l & 1 ? a->off[l] : any) / 4;
        cells.of[l] = cell;
        cells.first = cell < cells.first ? cell : cells.first;
        cells.last = cell > cells.last ? cell : cells.last;
    }
    return cells;
}

// True if all of the cells were written before the last barrier.
static bool are_written(const Access *a, const FastPath *u,
                        const Cells *cells) {
    const uint32_t *written = a->region.cta->shadow.cells;
    uint32_t late = 0, last = u->before - 1 - u->start;
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t since = written[cells->of[l]] - u->start;
        late |= since | (last - since);
    }
    return !(late & CELL_FAR);
}

static void note_cells(VmReads *reads, VmRead *read, const Cells *cells) {
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        read->cells[l] = (uint16_t)cells->of[l];
    }
    bool is_first = reads->count == 0;
    if (is_first || cells->first < reads->first)
        reads->first = cells->first;
    if (is_first || cells->last > reads->last)
        reads->last = cells->last;
}

// Puts reads of four bytes on the CTA's list (cell.h), if it has one and if all
// of the bytes were written before the last barrier.
static bool note_reads(const Access *a, const FastPath *u, uint32_t lanes) {
    const VmCtaShadow *s = &a->region.cta->shadow;
    VmReads *reads = s->reads;
    if (!reads || reads->is_off || a->in->sem != SEM_WEAK ||
        s->shift != SHIFT_MOST)
        return false;
    drop_past_reads(reads, u->before);
    if (reads->count == READS_MAX)
        return false;
    Cells cells = cells_of(a, lanes);
    if (!are_written(a, u, &cells) ||
        may_have_slot(a->w->vm->order, cells.first, cells.last))
        return false;
    VmRead *read = &reads->items[reads->count];
    note_cells(reads, read, &cells);
    reads->count++;
    reads->latest = u->time;
    read->w = a->w;
    read->lanes = lanes;
    read->time = u->time;
    read->site = u->site;
    read->before = u->before;
    return true;
}

// By lane: whether another one reads the same cell. False: that cannot be told.
static bool find_pairs(const uint32_t *index, uint8_t *paired) {
    uint8_t last[256], pairs[256];
    uint32_t mixed = 0;
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        last[index[l] % 256] = (uint8_t)l;
        pairs[index[l] % 256] = 0;
    }
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t other = last[index[l] % 256];
        mixed |= index[l] ^ index[other];
        pairs[index[l] % 256] |= other != l;
    }
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        paired[l] = pairs[index[l] % 256];
    }
    return mixed == 0;
}

// For scattered reads of single cells by a full warp in shared memory ordered
// by whole-CTA barriers alone, written before the last barrier: enters them in
// the cells. Of several lanes that read one cell, the first stands for all.
static bool read_scattered(const Access *a, const FastPath *warp) {
    FastPath u = joining_shared(warp);
    Cell c = cell_at(a->w->vm, a->region, 0, SHIFT_MOST);
    Planes b = planes_of(block_at(c, 0, 0));
    uint32_t fast = 1, index[VM_LANES], who[VM_LANES], site[VM_LANES];
    uint8_t paired[VM_LANES];
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        index[l] = a->off[l] >> c.shift;
    }
    if (!find_pairs(index, paired))
        return false;
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t i = index[l], written = b.w_time[i];
        Reader r = {b.r_time[i], b.r_who[i], b.r_site[i]};
        fast &= (written >= u.start) & (written < u.before);
        fast &= add_fast(&u, &r, u.who + l);
        who[l] = r.who;
        site[l] = r.site | paired[l] * SITE_MANY;
    }
    if (!fast)
        return false;
    VM_UNROLL for (uint32_t l = VM_LANES; l-- > 0;) {
        b.r_time[index[l]] = u.time;
        b.r_who[index[l]] = who[l];
        b.r_site[index[l]] = site[l];
    }
    return true;
}

// ---- lane by lane --------------------------------------------------------

// The same as is_read_by_many, for one cell.
static inline bool has_many_readers(const FastPath *u, Cell c) {
    return W_TIME(c) < u->start && (R_SITE(c) & SITE_FAR) &&
           R_TIME(c) >= u->start && R_TIME(c) < CELL_FAR;
}

static inline bool read_cell(FastPath u, Cell c, uint32_t self) {
    if (u.joins && !u.shared && has_many_readers(&u, c))
        return true;
    Reader r = {R_TIME(c), R_WHO(c), R_SITE(c)};
    if (!is_readable(&u, W_TIME(c), W_WHO(c), self) || !add_fast(&u, &r, self))
        return false;
    R_TIME(c) = r.time;
    R_WHO(c) = r.who;
    R_SITE(c) = r.site;
    return true;
}

static inline bool write_cell(FastPath u, Cell c, uint32_t self) {
    Reader r = {R_TIME(c), R_WHO(c), R_SITE(c)};
    if (!is_writable(&u, W_TIME(c), W_WHO(c), r, self))
        return false;
    W_TIME(c) = u.time;
    W_WHO(c) = self;
    W_SITE(c) = u.site;
    R_TIME(c) = R_SITE(c) = 0;
    return true;
}

// Checks the cells of one lane. False: all of them must go to vm_shadow_touch
// (a cell that has already been recorded is then this thread's own).
static inline bool is_fast(FastPath u, Cell first, uint32_t cells,
                           uint32_t self, bool write) {
    for (uint32_t i = 0; i < cells; i++) {
        Cell c = {first.at + i, first.plane, first.shift};
        if (!(write ? write_cell(u, c, self) : read_cell(u, c, self)))
            return false;
    }
    return cells > 0;
}

// A thread's access is aligned to its size, so it lies within one page.
__attribute__((always_inline)) static inline void
access_lanes(const Access *a, FastPath u, uint32_t lanes, bool write) {
    uint32_t shift = shift_for(0, a->bytes);
    Cell s = u.shared ? cell_at(a->w->vm, a->region, 0, shift) : (Cell){0};
    EACH_LANE(l, lanes) {
        uint32_t off = a->off[l];
        Cell c = u.shared ? (Cell){s.at + (off >> s.shift), s.plane, s.shift}
                          : cell_at(a->w->vm, a->region, off, shift);
        uint32_t cells = a->bytes >> c.shift;
        if (!c.at || !is_fast(u, c, cells, u.who + l, write))
            vm_shadow_touch(a->w, a->in, l, a->region, off, a->bytes, write);
    }
}

static void read_lanes(const Access *a, const FastPath *u, uint32_t lanes) {
    if (!u->joins)
        access_lanes(a, *u, lanes, false);
    else if (u->shared)
        access_lanes(a, joining_shared(u), lanes, false);
    else
        access_lanes(a, joining_global(u), lanes, false);
}

static void write_lanes(const Access *a, const FastPath *u, uint32_t lanes) {
    if (!u->joins)
        access_lanes(a, *u, lanes, true);
    else if (u->shared)
        access_lanes(a, joining_shared(u), lanes, true);
    else
        access_lanes(a, joining_global(u), lanes, true);
}

// True if all lanes, at least two, access the same address.
static bool are_together(const uint32_t *off, uint32_t lanes) {
    uint32_t apart = 0, first = off[vm_first(lanes)];
    if ((lanes & (lanes - 1)) == 0)
        return false;
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        apart |= (off[l] ^ first) & (0 - (lanes >> l & 1));
    }
    return apart == 0;
}

// All `lanes` read the same bytes. Where readers join, the first two stand for
// all: whatever both may read was not written by one of them alone.
static bool read_together(const Access *a, const FastPath *u, uint32_t lanes) {
    uint32_t first = vm_first(lanes), second = vm_first(lanes & (lanes - 1)),
             off = a->off[first];
    if (!u->joins) {
        uint64_t base = (uint64_t)a->region.buffer << VM_BUFFER_SHIFT;
        VmWhere where = {a->region.cta, u->shared ? off : base | off};
        vm_shadow_readers(a->w, a->in, lanes, &where, a->bytes);
        return true;
    }
    FastPath v = u->shared ? joining_shared(u) : joining_global(u);
    Cell c = cell_at(a->w->vm, a->region, off, shift_for(0, a->bytes));
    uint32_t cells = a->bytes >> c.shift;
    return c.at && is_fast(v, c, cells, v.who + first, false) &&
           is_fast(v, c, cells, v.who + second, false);
}

// ---- a warp --------------------------------------------------------------

// The first of 32 cells that are stored together. Its .at is NULL if they are
// not, or if no memory is left for them.
static inline Cell block_cell(const Access *a, uint32_t off) {
    Cell c = cell_at(a->w->vm, a->region, off, shift_for(0, a->bytes));
    uint32_t bytes = (uint32_t)BLOCK << c.shift;
    return a->region.cta || off % PAGE_BYTES <= PAGE_BYTES - bytes ? c
                                                                   : (Cell){0};
}

// A whole warp's access to 32 elements, starting at `off`. False: the fast path
// does not apply, and nothing was recorded.
__attribute__((always_inline)) static inline bool fast_row(const Access *a,
                                                           uint32_t off) {
    Cell c = block_cell(a, off);
    if (!c.at || a->bytes != 1u << c.shift)
        return false;
    Block b = block_at(c, 0, 0);
    uint32_t self = vm_who(a->w, 0);
    if (!a->region.cta && is_own_block(self, b)) {
        FastPath own = {.who = self,
                        .time = a->w->vm->order->time,
                        .site = vm_shadow_site(a->in, a->bytes)};
        if (a->write)
            write_block(&own, b);
        else
            read_block(&own, b);
        return true;
    }
    FastPath u = fast_path_of(a);
    if (a->write && a->region.cta)
        settle_reads(a->region.cta, u.before, off, BLOCK * a->bytes);
    return access_cells(&u, b, a->write);
}

// Called before the lanes write.
static void settle_lanes(const Access *a, const FastPath *u, uint32_t lanes) {
    const VmReads *reads = a->region.cta->shadow.reads;
    if (!reads || !reads->count)
        return;
    Cells cells = cells_of(a, lanes);
    settle_reads(a->region.cta, u->before, cells.first * 4u,
                 (cells.last - cells.first) * UINT64_C(4) + a->bytes + 3);
}

// Each lane directly after the one before. How many lanes from `first` on make
// up a block of cells; 0: none do.
static uint32_t lanes_of_block(const Access *a, Cell c) {
    uint32_t cells = a->bytes >> c.shift;
    return c.at && cells ? BLOCK / cells : 0;
}

static void access_dense(const Access *a, const FastPath *u) {
    uint32_t count;
    for (uint32_t first = 0; first < VM_LANES; first += count) {
        Cell c = block_cell(a, a->off[first]);
        count = lanes_of_block(a, c);
        Block b = block_at(c, first, vm_first(a->bytes) - c.shift);
        if (count && access_cells(u, b, a->write))
            continue;
        count = count ? count : VM_LANES - first;
        uint32_t part = VM_FULL >> (VM_LANES - count) << first;
        (a->write ? write_lanes : read_lanes)(a, u, part);
    }
}

// Checks that an access by `lanes`, of a->bytes each, is ordered, and records
// it. `dense`: all 32 lanes access memory, each directly after the one before.
static void fast_access(const Access *a, uint32_t lanes, bool dense) {
    FastPath u = fast_path_of(a);
    bool shared = a->region.cta != NULL;
    if (!a->write && are_together(a->off, lanes) && read_together(a, &u, lanes))
        return;
    if (shared && !a->write && a->bytes == 4 && !(dense && u.joins) &&
        note_reads(a, &u, lanes))
        return;
    if (shared && !a->write && !dense && lanes == VM_FULL && u.joins &&
        a->bytes == 1u << a->region.cta->shadow.shift && read_scattered(a, &u))
        return;
    if (a->write && shared)
        settle_lanes(a, &u, lanes);
    if (dense)
        access_dense(a, &u);
    else
        (a->write ? write_lanes : read_lanes)(a, &u, lanes);
}

#endif
