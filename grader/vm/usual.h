// SPDX-License-Identifier: Apache-2.0
// The accesses of a warp to its shadow: read cell.h first, then usual_access.
//
// Cells are judged 32 at a time where each lane's are just behind those of the
// one before (a block), and where lanes read single cells anywhere in shared
// memory (scattered); else lane by lane. What the verdict in cell.h says no to
// goes to vm_shadow_touch. All of this is compiled with the handlers, for each
// level of the instruction set. Included by exec_memory.c alone.
#ifndef CLCLAB_VM_USUAL_H
#define CLCLAB_VM_USUAL_H

#include "vm/cell.h"
#include "vm/exec.h"

enum { BLOCK = 32 }; // cells that are judged together

typedef struct Access {
    VmWarp *w;
    const VmInstr *in;
    VmRegion region;
    const uint32_t *off; // by lane
    uint32_t bytes;
    bool write;
} Access;

static Usual usual_of(const Access *a) {
    const VmWarp *w = a->w;
    const VmOrder *o = w->vm->order;
    const VmCta *cta = a->region.cta;
    uint32_t start = cta ? cta->start : o->start;
    uint32_t threads = o->clocks.warps_per_cta * VM_LANES;
    return (Usual){.start = start,
                   .before =
                       cta && w->cta_before > start ? w->cta_before : start,
                   .cta_before = w->cta_before,
                   .cta_first = w->cta->serial * threads,
                   .cta_threads = threads,
                   .who = vm_who(w, 0),
                   .time = o->time,
                   .site = vm_shadow_site(a->in, a->bytes),
                   .joins = cta && o->only_barriers,
                   .shared = cta != NULL};
}

// Constants let the compiler leave out what they are for.
static inline Usual without_cta(const Usual *u) {
    Usual v = *u;
    v.cta_before = 0;
    return v;
}

// In shared memory, where barriers are all that counts: `before` says it all.
static inline Usual joining(const Usual *u) {
    Usual v = without_cta(u);
    v.joins = v.shared = 1;
    return v;
}

// ---- blocks of cells -----------------------------------------------------

// The planes of a block, at its first cell.
typedef struct Block {
    uint32_t *w_time, *w_who, *w_site, *r_time, *r_who, *r_site;
    uint32_t first, shift; // cell i is of lane first + (i >> shift)
} Block;

static Block block_at(Cell c, uint32_t first, uint32_t shift) {
    return (Block){&W_TIME(c), &W_WHO(c),  &W_SITE(c), &R_TIME(c),
                   &R_WHO(c),  &R_SITE(c), first,      shift};
}

// Nothing that happened to the cells counts any more; none was written before
// `least`.
__attribute__((always_inline)) static inline bool
is_past_block(const Usual *u, Block b, uint32_t least) {
    uint32_t past = 1, self = u->who + b.first;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t own = self + (i >> b.shift);
        Reader r = {b.r_time[i], b.r_who[i], b.r_site[i]};
        past &= is_writable(u, b.w_time[i], b.w_who[i], r, own) &
                (b.w_time[i] >= least);
    }
    return past;
}

static void read_block(const Usual *u, Block b) {
    uint32_t self = u->who + b.first, time = u->time, site = u->site;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        b.r_time[i] = time;
        b.r_who[i] = self + (i >> b.shift);
        b.r_site[i] = site;
    }
}

static void write_block(const Usual *u, Block b) {
    uint32_t self = u->who + b.first, time = u->time, site = u->site;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        b.w_time[i] = time;
        b.w_who[i] = self + (i >> b.shift);
        b.w_site[i] = site;
        b.r_time[i] = 0;
        b.r_site[i] = 0;
    }
}

// In global memory: each cell was read and written last by the thread that has
// it now, as where a thread goes on with what is its own.
static bool is_own_block(const Usual *u, Block b) {
    uint32_t own = 1, self = u->who + b.first;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t who = self + (i >> b.shift);
        own &= (b.w_who[i] == who) & (b.r_who[i] == who) &
               ((b.w_time[i] | b.r_time[i]) < CELL_FAR) & is_one(b.r_site[i]);
    }
    return own;
}

// In shared memory, where barriers are all that counts: each cell was written
// before the last barrier, and nobody has read it since.
static bool is_fresh_block(const Usual *u, Block b) {
    uint32_t fresh = 1, start = u->start, span = u->before - u->start;
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        fresh &= (b.w_time[i] - start < span) & (b.r_time[i] < u->before) &
                 ((b.r_site[i] & SITE_FAR) == 0);
    }
    return fresh;
}

// Some may have been read since the barrier.
static bool join_block(const Usual *warp, Block b) {
    Usual u = joining(warp);
    uint32_t usual = 1, self = u.who + b.first;
    uint32_t who[BLOCK], site[BLOCK];
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t own = self + (i >> b.shift);
        Reader r = {b.r_time[i], b.r_who[i], b.r_site[i]};
        usual &= is_readable(&u, b.w_time[i], b.w_who[i], own);
        usual &= add_usual(&u, &r, own);
        who[i] = r.who;
        site[i] = r.site;
    }
    if (!usual)
        return false;
    memcpy(b.r_who, who, sizeof who);
    memcpy(b.r_site, site, sizeof site);
    VM_NO_ALIAS for (uint32_t i = 0; i < BLOCK; i++) {
        b.r_time[i] = u.time;
    }
    return true;
}

static bool is_usual_block(const Usual *u, Block b, bool write) {
    Usual first = without_cta(u);
    if (u->joins && !write)
        return is_fresh_block(u, b);
    if (u->shared)
        return is_past_block(&first, b, write ? 0 : u->start);
    return is_own_block(u, b) || is_past_block(&first, b, 0) ||
           is_past_block(u, b, 0);
}

static bool access_cells(const Usual *u, Block b, bool write) {
    if (!is_usual_block(u, b, write))
        return u->joins && !write && join_block(u, b);
    (write ? write_block : read_block)(u, b);
    return true;
}

// ---- scattered cells -----------------------------------------------------

// No two lanes have the same cell. (That two have may be said of others.)
static bool are_apart(const uint32_t *index) {
    uint8_t last[256];
    uint32_t shared = 0;
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        last[index[l] % 256] = (uint8_t)l;
    }
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        shared |= last[index[l] % 256] ^ l;
    }
    return !shared;
}

// All lanes read four bytes each, in shared memory where barriers are all that
// counts, and all was written before the last one.
static bool read_scattered(const Access *a, const Usual *warp) {
    Usual u = joining(warp);
    Cell c = cell_at(a->w->vm, a->region, 0);
    Block b = block_at(c, 0, 0);
    uint32_t usual = 1, index[VM_LANES], who[VM_LANES], site[VM_LANES];
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        index[l] = a->off[l] / 4;
    }
    if (!are_apart(index))
        return false;
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        uint32_t i = index[l], written = b.w_time[i];
        Reader r = {b.r_time[i], b.r_who[i], b.r_site[i]};
        usual &= (written >= u.start) & (written < u.before);
        usual &= add_usual(&u, &r, u.who + l);
        who[l] = r.who;
        site[l] = r.site;
    }
    if (!usual)
        return false;
    VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) {
        b.r_time[index[l]] = u.time;
        b.r_who[index[l]] = who[l];
        b.r_site[index[l]] = site[l];
    }
    return true;
}

// ---- lane by lane --------------------------------------------------------

static inline bool read_cell(Usual u, Cell c, uint32_t self) {
    Reader r = {R_TIME(c), R_WHO(c), R_SITE(c)};
    if (!is_readable(&u, W_TIME(c), W_WHO(c), self) || !add_usual(&u, &r, self))
        return false;
    R_TIME(c) = r.time;
    R_WHO(c) = r.who;
    R_SITE(c) = r.site;
    return true;
}

static inline bool write_cell(Usual u, Cell c, uint32_t self) {
    Reader r = {R_TIME(c), R_WHO(c), R_SITE(c)};
    if (!is_writable(&u, W_TIME(c), W_WHO(c), r, self))
        return false;
    W_TIME(c) = u.time;
    W_WHO(c) = self;
    W_SITE(c) = u.site;
    R_TIME(c) = R_SITE(c) = 0;
    return true;
}

// Cells of one lane; false: all of them have to be looked at (a cell that has
// been recorded already is then this thread's own).
static inline bool is_usual(Usual u, Cell first, uint32_t cells, uint32_t self,
                            bool write) {
    for (uint32_t i = 0; i < cells; i++) {
        Cell c = {first.at + i, first.plane};
        if (!(write ? write_cell(u, c, self) : read_cell(u, c, self)))
            return false;
    }
    return cells > 0;
}

// A thread's access lies in one page, since it is aligned to its size.
__attribute__((always_inline)) static inline void
access_lanes(const Access *a, Usual u, uint32_t lanes, bool write) {
    Cell shared = u.shared ? cell_at(a->w->vm, a->region, 0) : (Cell){0};
    uint32_t cells = a->bytes % 4 ? 0 : a->bytes / 4;
    EACH_LANE(l, lanes) {
        uint32_t off = a->off[l];
        Cell c = u.shared ? (Cell){shared.at + off / 4, shared.plane}
                          : cell_at(a->w->vm, a->region, off);
        if (!c.at || !is_usual(u, c, cells, u.who + l, write))
            vm_shadow_touch(a->w, a->in, l, a->region, off, a->bytes, write);
    }
}

static void read_lanes(const Access *a, const Usual *u, uint32_t lanes) {
    if (u->joins)
        access_lanes(a, joining(u), lanes, false);
    else
        access_lanes(a, *u, lanes, false);
}

static void write_lanes(const Access *a, const Usual *u, uint32_t lanes) {
    if (u->joins)
        access_lanes(a, joining(u), lanes, true);
    else
        access_lanes(a, *u, lanes, true);
}

// ---- a warp --------------------------------------------------------------

// Lanes from `first` on, whose cells are a block.
static bool access_block(const Access *a, const Usual *u, uint32_t first,
                         uint32_t shift) {
    uint32_t off = a->off[first];
    if (!a->region.cta && off / 4 % PAGE_CELLS > PAGE_CELLS - BLOCK)
        return false;
    Cell c = cell_at(a->w->vm, a->region, off);
    if (!c.at)
        return false;
    Block b = block_at(c, first, shift);
    return access_cells(u, b, a->write);
}

// An access by `lanes`, each of a->bytes: checks that it is ordered, and
// records it. `dense`: it is all lanes, each just behind the one before.
static void usual_access(const Access *a, uint32_t lanes, bool dense) {
    Usual u = usual_of(a);
    if (!dense && lanes == VM_FULL && a->bytes == 4 && !a->write && u.joins &&
        read_scattered(a, &u))
        return;
    uint32_t shift = vm_first(a->bytes / 4 | BLOCK);
    uint32_t count = dense && a->bytes % 4 == 0 ? BLOCK >> shift : VM_LANES;
    for (uint32_t first = 0; first < VM_LANES; first += count) {
        uint32_t part = lanes & VM_FULL >> (VM_LANES - count) << first;
        if (dense && count << shift == BLOCK &&
            access_block(a, &u, first, shift))
            continue;
        (a->write ? write_lanes : read_lanes)(a, &u, part);
    }
}

#endif
