// SPDX-License-Identifier: Apache-2.0
// Where the bytes are that a warp accesses, for the fast paths of loads and
// stores: read resolve() first, then is_near(). Both also check the order of
// the accesses (fast_path.h). Included by memory.c alone.
#ifndef CLCLAB_VM_EXEC_PLACE_H
#define CLCLAB_VM_EXEC_PLACE_H

#include "vm/exec/fast_path.h"
#include "vm/memory/memory.h"

#define VM_INLINE inline __attribute__((always_inline))
#define VM_APART __attribute__((noinline))

// ---- where the lanes' bytes are ------------------------------------------

typedef struct Place {
    uint8_t *base;
    uint32_t off[VM_LANES]; // for active lanes
    bool dense;             // a full warp, each lane directly after the one
                            // before
} Place;

// The offset of an address is address - from. It must be a multiple of `bytes`
// and at most `span`, which is less than 2^31 where addresses have 32 bits. The
// fast path does not cover accesses that touch the hole. (No memory is larger
// than 4 GiB, so offsets have 32 bits.)
typedef struct Bounds {
    uint8_t *base;    // address of offset 0
    ByteSet *written; // global memory that is partly written; else NULL
    uint64_t from;
    uint32_t span, bytes, hole_from, hole_to;
} Bounds;

// The sign of a difference tells which of two offsets below 2^31 is less, so
// the result for all lanes is a single bit-wise or.
static bool touches_hole(const Bounds *b, uint32_t mask, const Place *place) {
    uint32_t hit = 0, before = b->hole_from - b->bytes;
    if (b->hole_from >= b->hole_to)
        return false;
    LANES(hit |= (place->off[l] - b->hole_to) & (before - place->off[l]));
    return hit >> 31;
}

// `bytes` is a power of 2.
static bool is_dense(const Place *place, uint32_t bytes) {
    uint32_t apart = 0, first = place->off[0], shift = vm_first(bytes);
    if (place->off[VM_LANES - 1] - first != (VM_LANES - 1) * bytes)
        return false;
    VM_NO_ALIAS for (uint32_t l = 0; l < VM_LANES; l++) {
        apart |= (first + (l << shift)) ^ place->off[l];
    }
    return apart == 0;
}

#define FIT(name, T)                                                          \
    static bool name(const T *a, const Bounds *b, uint32_t mask,              \
                     Place *place) {                                          \
        T from = (T)b->from, span = b->span, bits = 0, outside = 0;           \
        LANES(T off = a[l] - from; bits |= off; outside |= span - off;        \
              place->off[l] = (uint32_t)off);                                 \
        place->dense = mask == VM_FULL && is_dense(place, b->bytes);          \
        return (bits | outside) >> (sizeof(T) * 8 - 1) == 0 &&                \
               (bits & (b->bytes - 1)) == 0 && !touches_hole(b, mask, place); \
    }
FIT(fit_32, uint32_t)
FIT(fit_64, uint64_t)

// The hole covers mbarriers and answer slots, which vm_memory handles.
static bool fit_shared(VmWarp *w, uint64_t window, uint32_t bytes, Bounds *b) {
    const VmCta *cta = w->cta;
    if (cta->smem_bytes < bytes)
        return false;
    b->from = window + VM_SHARED_BASE;
    b->span = cta->smem_bytes - bytes;
    b->hole_from = cta->typed.from;
    b->hole_to = cta->typed.to;
    b->base = cta->smem;
    return true;
}

static bool fit_local(VmWarp *w, uint64_t window, uint32_t bytes, Bounds *b) {
    const VmFrame *frame = w->frag->frame;
    uint32_t top = frame->local_base + frame->func->local_bytes;
    if (top < bytes)
        return false;
    b->from = window;
    b->span = top - bytes; // memory from alloca may follow it
    b->base = w->memory.local;
    return true;
}

static bool fit_global(VmWarp *w, uint64_t address, uint32_t bytes, bool write,
                       Bounds *b) {
    const Vm *vm = w->vm;
    uint64_t number = address >> VM_BUFFER_SHIFT;
    if (number == 0 || number >= vm->memory.buffer_count)
        return false;
    const VmBuffer *buffer = &vm->memory.buffers[number];
    if (buffer->size < bytes || (write && (buffer->read_only || buffer->watch)))
        return false;
    b->written = vm_is_partly_written(buffer) ? buffer->written : NULL;
    b->from = number << VM_BUFFER_SHIFT;
    b->span = (uint32_t)(buffer->size - bytes);
    b->base = buffer->bytes;
    return true;
}

// Adds each lane's own base: every thread has separate local memory.
static void spread_local(const VmWarp *w, uint32_t mask, Place *place) {
    EACH_LANE(l, mask) {
        place->off[l] += l * w->memory.local_capacity;
    }
    place->dense = false;
}

static inline bool moves_no_clock(const VmWarp *w, const VmInstr *in) {
    return in->sem == SEM_WEAK ||
           (in->sem == SEM_RELAXED && vm_order_is_quiet(w));
}

// Checks the order of accesses to global memory or the CTA's own shared memory.
static void note_order(VmWarp *w, const VmInstr *in, VmRegion region,
                       uint32_t mask, uint32_t bytes, bool write,
                       const Place *place) {
    if (write)
        vm_order_store(w->vm, in);
    Access access = {w, in, region, place->off, bytes, write};
    fast_access(&access, mask, place->dense);
}

static bool has_gaps(const VmWarp *w, bool local) {
    const VmFrame *frame = w->frag->frame;
    return local ? frame->func->local_gaps.count || frame->caller
                 : w->vm->program->shared_gaps.count > 0;
}

static bool has_gap(const VmWarp *w, bool local, uint32_t from,
                    uint32_t bytes) {
    return local ? vm_stack_is_gap(w->frag->frame, from, bytes)
                 : vm_gaps_touch(&w->vm->program->shared_gaps, from, bytes);
}

// Some lane accesses what belongs to no variable. That the lanes do not, all
// together, is the common case.
static VM_APART bool touches_gap(const VmWarp *w, bool local, uint32_t mask,
                                 uint32_t bytes, const Place *place) {
    uint32_t low = UINT32_MAX, high = 0;
    EACH_LANE(l, mask) {
        low = place->off[l] < low ? place->off[l] : low;
        high = place->off[l] > high ? place->off[l] : high;
    }
    if (!has_gap(w, local, low, high - low + bytes))
        return false;
    EACH_LANE(l, mask) {
        if (has_gap(w, local, place->off[l], bytes))
            return true;
    }
    return false;
}

static VM_APART bool is_written(const VmWarp *w, const Bounds *b, uint32_t mask,
                                const Place *place, bool write) {
    bool known = true;
    EACH_LANE(l, mask) {
        VmSpan span = {place->off[l], b->bytes};
        known = known && vm_written_known(w, b->written, span, write);
    }
    return known;
}

static bool resolve(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t bytes,
                    bool write, Place *place) {
    VmRef ref = in->src[0];
    uint64_t first = vm_lane_u64(w, ref, vm_first(mask)) + in->offset;
    uint64_t window = first & ~VM_OFFSET_MASK;
    Bounds b = {.bytes = bytes};
    bool generic = in->space == PTX_SPACE_GENERIC, fits;
    PtxSpace space = vm_space_at((PtxSpace)in->space, first);
    bool shared = space == PTX_SPACE_SHARED, local = space == PTX_SPACE_LOCAL;
    place->dense = false;
    if (shared)
        fits = fit_shared(w, generic ? window : 0, bytes, &b);
    else if (local)
        fits = fit_local(w, generic ? window : 0, bytes, &b);
    else
        fits = ref.size == 8 && fit_global(w, first, bytes, write, &b);
    if (!fits)
        return false;
    place->base = b.base;
    b.from -= in->offset;
    const void *a = vm_at(w, ref);
    fits =
        ref.size == 8 ? fit_64(a, &b, mask, place) : fit_32(a, &b, mask, place);
    if (!fits || (w->vm->order && !moves_no_clock(w, in)))
        return false;
    if ((shared || local) && has_gaps(w, local) &&
        touches_gap(w, local, mask, bytes, place))
        return false;
    if (local && w->memory.written &&
        !vm_local_known(w, place->off, mask, bytes, write))
        return false;
    if (b.written && !is_written(w, &b, mask, place, write))
        return false;
    if (w->vm->order && !local && !in->is_chosen)
        note_order(w, in,
                   (VmRegion){shared ? w->cta : NULL,
                              (uint32_t)(first >> VM_BUFFER_SHIFT)},
                   mask, bytes, write, place);
    if (local)
        spread_local(w, mask, place);
    if (generic)
        vm_count_generic(w->vm, first, bytes * vm_count(mask),
                         write ? ACCESS_WRITE : ACCESS_READ);
    w->vm->turns.progress += write;
    return true;
}

// ---- the plainest access -------------------------------------------------

// The fastest path: a full warp accesses global memory or the CTA's own shared
// memory, and either nothing is recorded or the accesses form a row of cells.
// The bytes of an address are at base + (address - from), with the wraparound
// of addresses. `ordered`, a constant, means that the order of accesses is
// checked; then only rows qualify.
typedef struct Near {
    uint8_t *base;
    uint64_t from, span; // as in Bounds
    uint8_t *row; // each lane directly follows the one before, from here on; or
                  // NULL
} Near;

// If the order of accesses is checked: true if this is a row of 32 cells that
// the fast path accepts and records.
static VM_APART bool is_fast_row(VmWarp *w, const VmInstr *in, uint32_t bytes,
                                 bool write, VmRegion region, uint32_t off) {
    if (!moves_no_clock(w, in))
        return false;
    if (write)
        vm_order_store(w->vm, in);
    Access access = {w, in, region, NULL, bytes, write};
    return fast_row(&access, off);
}

// In a row, the first and the last lane tell whether all are in bounds.
#define NEAR(name, T)                                                    \
    static VM_INLINE bool name##_row(const T *a, uint32_t bytes) {       \
        T apart = 0;                                                     \
        if (a[VM_LANES - 1] - a[0] != (VM_LANES - 1) * bytes)            \
            return false;                                                \
        for (uint32_t l = 0; l < VM_LANES; l++)                          \
            apart |= (a[l] - a[0]) ^ (T)(l * bytes);                     \
        return apart == 0;                                               \
    }                                                                    \
    static VM_INLINE bool name(const T *a, uint32_t bytes, bool ordered, \
                               Near *n) {                                \
        T from = (T)n->from, span = (T)n->span, bits = 0, outside = 0;   \
        if (name##_row(a, bytes)) {                                      \
            T low = a[0] - from, high = low + (VM_LANES - 1) * bytes;    \
            if (low > high || high > span || low % bytes)                \
                return false;                                            \
            n->row = n->base + low;                                      \
            return true;                                                 \
        }                                                                \
        if (ordered)                                                     \
            return false;                                                \
        for (uint32_t l = 0; l < VM_LANES; l++) {                        \
            T off = a[l] - from;                                         \
            bits |= off;                                                 \
            outside |= span - off;                                       \
        }                                                                \
        n->row = NULL;                                                   \
        return (bits | outside) >> (sizeof(T) * 8 - 1) == 0 &&           \
               bits % bytes == 0;                                        \
    }
NEAR(near_32, uint32_t)
NEAR(near_64, uint64_t)

static VmSpan row_of(const Near *n, uint32_t bytes) {
    return (VmSpan){(uint64_t)(n->row - n->base), bytes * VM_LANES};
}

static VM_INLINE bool is_near(VmWarp *w, const VmInstr *in, uint32_t bytes,
                              bool write, bool ordered, Near *n) {
    VmRef ref = in->src[0];
    Vm *vm = w->vm;
    const VmCta *cta = w->cta;
    const void *a = vm_at(w, ref);
    uint64_t first = vm_lane_u64(w, ref, 0) + in->offset;
    bool generic = in->space == PTX_SPACE_GENERIC;
    uint64_t window = generic ? first & ~VM_OFFSET_MASK : 0;
    bool shared = vm_space_at((PtxSpace)in->space, first) == PTX_SPACE_SHARED;
    Bounds b = {.bytes = bytes, .written = NULL};
    if (shared ? cta->typed.from < cta->typed.to ||
                     !fit_shared(w, window, bytes, &b)
               : in->space == PTX_SPACE_LOCAL || ref.size != 8 ||
                     !fit_global(w, first, bytes, write, &b))
        return false;
    *n = (Near){.base = b.base, .from = b.from - in->offset, .span = b.span};
    if (!(ref.size == 8 ? near_64(a, bytes, ordered, n)
                        : near_32(a, bytes, ordered, n)))
        return false;
    if (b.written && // of such memory only rows take this path
        !(n->row && vm_written_known(w, b.written, row_of(n, bytes), write)))
        return false;
    if (shared && has_gaps(w, false) &&
        (!n->row ||
         has_gap(w, false, (uint32_t)(n->row - n->base), bytes * VM_LANES)))
        return false;
    VmRegion region = {shared ? w->cta : NULL,
                       (uint32_t)(first >> VM_BUFFER_SHIFT)};
    if (ordered && !in->is_chosen &&
        !is_fast_row(w, in, bytes, write, region, (uint32_t)(n->row - n->base)))
        return false;
    if (generic)
        vm->use.generic[write]
                       [shared ? DEVICE_SPACE_SHARED : DEVICE_SPACE_GLOBAL] +=
            bytes * VM_LANES;
    vm->turns.progress += write;
    return true;
}

#endif
