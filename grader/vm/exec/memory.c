// SPDX-License-Identifier: Apache-2.0
// Loads and stores (PTX ISA, 9.7.9).
//
// The fast path is for accesses in which all active lanes access one buffer, or
// the CTA's own shared memory, aligned, in bounds, and nothing is watched
// there. resolve() recognises them, and returns a base and an offset for each
// lane. All other accesses go lane by lane through vm_memory(), which reports
// what is wrong. Parameters of calls are arrays in the frame.
#include "vm/memory/memory.h"
#include "vm/exec/families.h"
#include "vm/exec/fast_path.h"

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
    uint64_t first = vm_lane_u64(w, ref, vm_first(mask)) + in->imm;
    uint64_t window = first & ~VM_OFFSET_MASK;
    Bounds b = {.bytes = bytes};
    bool generic = in->space == PTX_SPACE_GENERIC, fits;
    bool shared =
        generic ? window == VM_WINDOW_SHARED : in->space == PTX_SPACE_SHARED;
    bool local =
        generic ? window == VM_WINDOW_LOCAL : in->space == PTX_SPACE_LOCAL;
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
    b.from -= in->imm;
    const void *a = vm_at(w, ref);
    fits =
        ref.size == 8 ? fit_64(a, &b, mask, place) : fit_32(a, &b, mask, place);
    if (!fits || (w->vm->order && !moves_no_clock(w, in)))
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
    uint64_t first = vm_lane_u64(w, ref, 0) + in->imm;
    bool generic = in->space == PTX_SPACE_GENERIC;
    uint64_t window = generic ? first & ~VM_OFFSET_MASK : 0;
    bool shared = in->space == PTX_SPACE_SHARED || window == VM_WINDOW_SHARED;
    Bounds b = {.bytes = bytes, .written = NULL};
    if (shared ? cta->typed.from < cta->typed.to ||
                     !fit_shared(w, window, bytes, &b)
               : in->space == PTX_SPACE_LOCAL || ref.size != 8 ||
                     !fit_global(w, first, bytes, write, &b))
        return false;
    *n = (Near){.base = b.base, .from = b.from - in->imm, .span = b.span};
    if (!(ref.size == 8 ? near_64(a, bytes, ordered, n)
                        : near_32(a, bytes, ordered, n)))
        return false;
    if (b.written && // of such memory only rows take this path
        !(n->row && vm_written_known(w, b.written, row_of(n, bytes), write)))
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

// ---- any access, lane by lane --------------------------------------------

// VmInstr.flags of a load: the value is signed (extended by its sign)
enum { LOAD_SIGNED = 1 };

static uint64_t extend(uint64_t value, uint32_t width) {
    uint32_t shift = 64 - 8u * (width < 8 ? width : 8);
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

static void load_element(VmWarp *w, const VmInstr *in, uint32_t l, uint32_t e,
                         const uint8_t *from) {
    VmRef dst = vm_dsts(in)[e];
    uint8_t *to = vm_at(w, dst) + (size_t)l * dst.size;
    if (dst.size == in->width) {
        memcpy(to, from, in->width);
        return;
    }
    uint64_t value = 0;
    memcpy(&value, from, in->width);
    if (in->flags & LOAD_SIGNED)
        value = extend(value, in->width);
    memcpy(to, &value, dst.size);
}

// The same for several lanes that load from one place.
static void load_alike(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t e,
                       const uint8_t *from) {
    VmRef dst = vm_dsts(in)[e];
    uint32_t first = vm_first(mask);
    load_element(w, in, first, e, from);
    const uint8_t *value = vm_at(w, dst) + (size_t)first * dst.size;
    if (dst.size && dst.size <= sizeof(uint64_t)) {
        uint64_t bits = vm_lane_u64(w, dst, first);
        EACH_LANE(l, mask) {
            vm_set_lane_u64(w, dst, l, bits);
        }
    } else if (dst.size) { // "_" has none
        EACH_LANE(l, mask & (mask - 1)) {
            memcpy(vm_at(w, dst) + (size_t)l * dst.size, value, dst.size);
        }
    }
}

// True if several lanes load from one place, as is common for answers and
// flags. In local memory, each lane has a place of its own.
static bool is_one_place(const VmWarp *w, const VmInstr *in, uint32_t mask,
                         uint64_t address) {
    uint64_t apart = 0;
    if (in->space == PTX_SPACE_LOCAL ||
        (in->space == PTX_SPACE_GENERIC &&
         (address & ~VM_OFFSET_MASK) == VM_WINDOW_LOCAL))
        return false;
    EACH_LANE(l, mask) {
        apart |= vm_lane_address(w, in, l) ^ address;
    }
    return !apart && (mask & (mask - 1));
}

static VmNext load_together(VmWarp *w, const VmInstr *in, uint32_t mask,
                            uint64_t place, uint32_t bytes) {
    const uint8_t *from = NULL;
    EACH_LANE(l, mask) {
        from = vm_memory_alike(w, in, l, place, bytes);
        if (!from)
            return VM_STOP;
    }
    for (uint32_t e = 0; e < in->vector; e++)
        load_alike(w, in, mask, e, from + (size_t)e * in->width);
    vm_memory_loaded(w, in, mask, place, bytes);
    VM_NEXT;
}

static VmNext op_ld(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    uint64_t place = vm_lane_address(w, in, vm_first(mask));
    if (is_one_place(w, in, mask, place))
        return load_together(w, in, mask, place, bytes);
    EACH_LANE(l, mask) {
        const uint8_t *from =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_READ);
        if (!from)
            return VM_STOP;
        for (uint32_t e = 0; e < in->vector; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint8_t *to =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_WRITE);
        if (!to)
            return VM_STOP;
        for (uint32_t e = 0; e < in->vector; e++) {
            VmRef src = vm_srcs(in)[1 + e];
            if (src.size) // not "_", whose bytes stay unchanged
                memcpy(to + (size_t)e * in->width,
                       vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// ---- the fast path -------------------------------------------------------

#define FOR_LANES(body)                                         \
    do {                                                        \
        if (mask == VM_FULL)                                    \
            VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) { \
                body;                                           \
            }                                                   \
        else                                                    \
            EACH_LANE(l, mask) {                                \
                body;                                           \
            }                                                   \
    } while (0)

#define NEAR_LANES_AT(T, address, body)                     \
    do {                                                    \
        const T *to = SRC(T, 0);                            \
        VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) { \
            void *at = (void *)(address);                   \
            body;                                           \
        }                                                   \
    } while (0)

// The address is read before the loaded value overwrites its register.
#define NEAR_LANES(body)                                                    \
    do {                                                                    \
        uintptr_t base = (uintptr_t)n.base, zero = base - n.from;           \
        uint32_t from = (uint32_t)n.from;                                   \
        if (in->src[0].size == 8)                                           \
            NEAR_LANES_AT(uint64_t, zero + to[l], body);                    \
        else                                                                \
            NEAR_LANES_AT(uint32_t, base + (uint32_t)(to[l] - from), body); \
    } while (0)

// Makes the handler from name##_any (any mask) and name##_full (all lanes, near
// each other). If the order of accesses is checked, the latter is only for rows
// of elements of at most 4 bytes.
#define WAYS(name, M)                                                      \
    static VM_APART VmNext name##_near(VmWarp *w, const VmInstr *in,       \
                                       uint32_t mask) {                    \
        return name##_full(w, in, mask, false);                            \
    }                                                                      \
    static VM_APART VmNext name##_row(VmWarp *w, const VmInstr *in,        \
                                      uint32_t mask) {                     \
        return sizeof(M) <= 4 && mask == VM_FULL                           \
                   ? name##_full(w, in, mask, true)                        \
                   : name##_any(w, in, mask);                              \
    }                                                                      \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {      \
        return mask == VM_FULL && !w->vm->order ? name##_near(w, in, mask) \
                                                : name##_row(w, in, mask); \
    }

#define LOAD(name, M, R)                                               \
    static VM_APART VmNext name##_any(VmWarp *w, const VmInstr *in,    \
                                      uint32_t mask) {                 \
        Place p;                                                       \
        if (!resolve(w, in, mask, sizeof(M), false, &p))               \
            return op_ld(w, in, mask);                                 \
        R *d = DST(R, 0);                                              \
        if (sizeof(M) == sizeof(R) && p.dense)                         \
            memcpy(d, p.base + p.off[0], sizeof(R) * VM_LANES);        \
        else                                                           \
            FOR_LANES(d[l] = (R) * (const M *)(p.base + p.off[l]));    \
        VM_NEXT;                                                       \
    }                                                                  \
    static VM_INLINE VmNext name##_full(VmWarp *w, const VmInstr *in,  \
                                        uint32_t mask, bool ordered) { \
        Near n;                                                        \
        if (!is_near(w, in, sizeof(M), false, ordered, &n))            \
            return name##_any(w, in, mask);                            \
        R *d = DST(R, 0);                                              \
        if (sizeof(M) == sizeof(R) && n.row)                           \
            LANES(d[l] = ((const R *)n.row)[l]);                       \
        else                                                           \
            NEAR_LANES(d[l] = (R) * (const M *)at);                    \
        VM_NEXT;                                                       \
    }                                                                  \
    WAYS(name, M)
LOAD(ld_u8_16, uint8_t, uint16_t)
LOAD(ld_u8_32, uint8_t, uint32_t)
LOAD(ld_u8_64, uint8_t, uint64_t)
LOAD(ld_u16_16, uint16_t, uint16_t)
LOAD(ld_u16_32, uint16_t, uint32_t)
LOAD(ld_u16_64, uint16_t, uint64_t)
LOAD(ld_u32_32, uint32_t, uint32_t)
LOAD(ld_u32_64, uint32_t, uint64_t)
LOAD(ld_u64_64, uint64_t, uint64_t)
LOAD(ld_s8_16, int8_t, uint16_t)
LOAD(ld_s8_32, int8_t, uint32_t)
LOAD(ld_s8_64, int8_t, uint64_t)
LOAD(ld_s16_32, int16_t, uint32_t)
LOAD(ld_s16_64, int16_t, uint64_t)
LOAD(ld_s32_64, int32_t, uint64_t)

#define STORE(name, M, R)                                              \
    static VM_APART VmNext name##_any(VmWarp *w, const VmInstr *in,    \
                                      uint32_t mask) {                 \
        Place p;                                                       \
        if (!resolve(w, in, mask, sizeof(M), true, &p))                \
            return op_st(w, in, mask);                                 \
        const R *a = SRC(R, 1);                                        \
        if (sizeof(M) == sizeof(R) && p.dense)                         \
            memcpy(p.base + p.off[0], a, sizeof(R) * VM_LANES);        \
        else                                                           \
            FOR_LANES(*(M *)(p.base + p.off[l]) = (M)a[l]);            \
        VM_NEXT;                                                       \
    }                                                                  \
    static VM_INLINE VmNext name##_full(VmWarp *w, const VmInstr *in,  \
                                        uint32_t mask, bool ordered) { \
        Near n;                                                        \
        if (!is_near(w, in, sizeof(M), true, ordered, &n))             \
            return name##_any(w, in, mask);                            \
        const R *a = SRC(R, 1);                                        \
        if (sizeof(M) == sizeof(R) && n.row)                           \
            LANES(((R *)n.row)[l] = a[l]);                             \
        else                                                           \
            NEAR_LANES(*(M *)at = (M)a[l]);                            \
        VM_NEXT;                                                       \
    }                                                                  \
    WAYS(name, M)
STORE(st_8_16, uint8_t, uint16_t)
STORE(st_8_32, uint8_t, uint32_t)
STORE(st_8_64, uint8_t, uint64_t)
STORE(st_16_16, uint16_t, uint16_t)
STORE(st_16_32, uint16_t, uint32_t)
STORE(st_16_64, uint16_t, uint64_t)
STORE(st_32_32, uint32_t, uint32_t)
STORE(st_32_64, uint32_t, uint64_t)
STORE(st_64_64, uint64_t, uint64_t)

// Vectors of elements M in registers R.
#define VECTOR_LOAD(name, M, R)                                            \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {      \
        Place p;                                                           \
        if (!resolve(w, in, mask, (uint32_t)sizeof(M) * in->vector, false, \
                     &p))                                                  \
            return op_ld(w, in, mask);                                     \
        for (uint32_t e = 0; e < in->vector; e++) {                        \
            R *d = (R *)(void *)vm_at(w, vm_dsts(in)[e]);                  \
            FOR_LANES(d[l] = (R)((const M *)(p.base + p.off[l]))[e]);      \
        }                                                                  \
        VM_NEXT;                                                           \
    }
VECTOR_LOAD(ldv_u8_16, uint8_t, uint16_t)
VECTOR_LOAD(ldv_s8_16, int8_t, uint16_t)
VECTOR_LOAD(ldv_16, uint16_t, uint16_t)
VECTOR_LOAD(ldv_32, uint32_t, uint32_t)
VECTOR_LOAD(ldv_64, uint64_t, uint64_t)

#define VECTOR_STORE(name, M, R)                                               \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {          \
        Place p;                                                               \
        if (!resolve(w, in, mask, (uint32_t)sizeof(M) * in->vector, true, &p)) \
            return op_st(w, in, mask);                                         \
        for (uint32_t e = 0; e < in->vector; e++) {                            \
            const R *a =                                                       \
                (const R *)(const void *)vm_at(w, vm_srcs(in)[1 + e]);         \
            FOR_LANES(((M *)(p.base + p.off[l]))[e] = (M)a[l]);                \
        }                                                                      \
        VM_NEXT;                                                               \
    }
VECTOR_STORE(stv_8_16, uint8_t, uint16_t)
VECTOR_STORE(stv_16, uint16_t, uint16_t)
VECTOR_STORE(stv_32, uint32_t, uint32_t)
VECTOR_STORE(stv_64, uint64_t, uint64_t)

// ---- parameters ----------------------------------------------------------

// The kernel's parameters are constants in a launch: src[e] has element e.
static VmNext op_ld_constant(VmWarp *w, const VmInstr *in, uint32_t mask) {
    for (uint32_t e = 0; e < in->vector; e++) {
        VmRef dst = vm_dsts(in)[e];
        uint32_t size = dst.size;
        uint8_t *d = vm_at(w, dst);
        const uint8_t *a = vm_at(w, vm_srcs(in)[e]);
        if (mask == VM_FULL) {
            memcpy(d, a, (size_t)size * VM_LANES);
            continue;
        }
        EACH_LANE(l, mask) {
            memcpy(d + (size_t)l * size, a + (size_t)l * size, size);
        }
    }
    VM_NEXT;
}

// Parameters of functions: `target` is the variable's offset in the frame, imm
// the offset in the variable, frame_stride its bytes per lane. Bounds are
// checked in decoding.
static VmNext op_ld_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const uint8_t *var = w->base[0] + in->target;
    EACH_LANE(l, mask) {
        const uint8_t *from = var + (size_t)l * in->frame_stride + in->imm;
        for (uint32_t e = 0; e < in->vector; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint8_t *var = w->base[0] + in->target;
    EACH_LANE(l, mask) {
        uint8_t *to = var + (size_t)l * in->frame_stride + in->imm;
        for (uint32_t e = 0; e < in->vector; e++) {
            VmRef src = vm_srcs(in)[1 + e];
            memcpy(to + (size_t)e * in->width,
                   vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    VM_NEXT;
}

// ---- decoding ------------------------------------------------------------

// The place of a parameter variable in the frame. False: it is not a variable
// of a call.
static bool frame_var(const VmDecoder *d, const PtxOperand *op, uint32_t *at,
                      uint64_t *size) {
    if (op->kind != PTX_OPND_ADDRESS || op->base != PTX_BASE_SYMBOL ||
        op->symbol.kind != PTX_SYM_VAR)
        return false;
    const PtxVar *var = op->symbol.var;
    *size = var->size;
    for (size_t i = 0; i < d->ptx->var_count; i++)
        if (d->ptx->vars[i] == var && var->space == PTX_SPACE_PARAM) {
            *at = d->func->var_offsets[i];
            return true;
        }
    if (d->ptx->is_entry)
        return false;
    for (size_t i = 0; i < d->ptx->param_count; i++)
        if (d->ptx->params[i] == var) {
            *at = d->func->params[i].off;
            return true;
        }
    if (d->ptx->result_count == 0 || d->ptx->results[0] != var)
        return false;
    *at = d->func->results[0].off;
    return true;
}

static uint32_t elements(const VmDecoder *d, uint32_t index,
                         const PtxOperand **first) {
    const PtxOperand *op = &d->in->operands[index];
    *first = op->kind == PTX_OPND_VECTOR ? op->elems : op;
    return op->kind == PTX_OPND_VECTOR ? op->elem_count : 1;
}

// By bytes in memory and bytes in the register, as powers of 2.
static VmHandler load_handler(uint32_t width, uint32_t reg, bool is_signed) {
    static const VmHandler plain[4][4] = {
        {NULL, ld_u8_16, ld_u8_32, ld_u8_64},
        {NULL, ld_u16_16, ld_u16_32, ld_u16_64},
        {NULL, NULL, ld_u32_32, ld_u32_64},
        {NULL, NULL, NULL, ld_u64_64},
    };
    static const VmHandler extending[4][4] = {
        {NULL, ld_s8_16, ld_s8_32, ld_s8_64},
        {NULL, ld_u16_16, ld_s16_32, ld_s16_64},
        {NULL, NULL, ld_u32_32, ld_s32_64},
        {NULL, NULL, NULL, ld_u64_64},
    };
    return (is_signed ? extending : plain)[width][reg];
}

static VmHandler store_handler(uint32_t width, uint32_t reg) {
    static const VmHandler handlers[4][4] = {
        {NULL, st_8_16, st_8_32, st_8_64},
        {NULL, st_16_16, st_16_32, st_16_64},
        {NULL, NULL, st_32_32, st_32_64},
        {NULL, NULL, NULL, st_64_64},
    };
    return handlers[width][reg];
}

static VmHandler vector_handler(const VmInstr *in, uint32_t reg, bool load) {
    if (in->width == 1 && reg == 2)
        return !load                     ? stv_8_16
               : in->flags & LOAD_SIGNED ? ldv_s8_16
                                         : ldv_u8_16;
    if (in->width != reg)
        return NULL;
    return reg == 2   ? load ? ldv_16 : stv_16
           : reg == 4 ? load ? ldv_32 : stv_32
           : reg == 8 ? load ? ldv_64 : stv_64
                      : NULL;
}

// The fast path's handler for this form. NULL: there is none.
static VmHandler fast_handler(const VmInstr *in, bool load) {
    const VmRef *values = load ? vm_dsts(in) : vm_srcs(in) + 1;
    uint32_t width = vm_first(in->width), reg = vm_first(values[0].size | 16u);
    if (width > 3 || reg > 3)
        return NULL;
    if (in->vector == 1)
        return load ? load_handler(width, reg, in->flags & LOAD_SIGNED)
                    : store_handler(width, reg);
    for (uint32_t e = 0; e < in->vector; e++)
        if (values[e].size != values[0].size)
            return NULL;
    return vector_handler(in, values[0].size, load);
}

static VmHandler memory_handler(const VmInstr *in, bool load, bool frame) {
    if (frame)
        return load ? op_ld_frame : op_st_frame;
    VmHandler fast = fast_handler(in, load);
    return fast ? fast : load ? op_ld : op_st;
}

static void take_suffixes(VmDecoder *d) {
    vm_take_types(d);
    vm_take_space(d);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    vm_take(d, PTX_MOD_V8);
    vm_take_cache_hints(d);
    vm_take_order(d, SEM_WEAK, SCOPE_GPU);
    if (vm_take(d, PTX_MOD_MMIO) && d->sem == SEM_WEAK)
        d->sem = SEM_RELAXED;
}

// The operand of .L2::cache_hint is not used, but must be present.
static bool has_size_and_form(VmDecoder *d, uint32_t width, uint32_t count) {
    bool hint = vm_take(d, PTX_MOD_L2_CACHE_HINT);
    if (hint)
        vm_src(d, 2, 8);
    return width > 0 && width <= 16 && count == ptx_vector(d->in) &&
           count <= 8 && width * count <= 32 &&
           d->in->operand_count == (hint ? 3 : 2);
}

// "_" in the vector of a store.
static bool is_gap(const PtxOperand *elems, uint32_t index, uint32_t count) {
    return count > 1 && elems[index].kind == PTX_OPND_SINK;
}

// What an access names: a parameter variable of a call, or an address.
typedef struct Where {
    bool frame;
    VmRef base;
    uint64_t imm, var_size;
    uint32_t at;
} Where;

static Where decode_place(VmDecoder *d, uint32_t index, uint32_t bytes) {
    Where to = {.base = {.reg = VM_NO_REG}};
    const PtxOperand *op = &d->in->operands[index];
    to.frame = frame_var(d, op, &to.at, &to.var_size);
    if (to.frame) {
        to.imm = op->imm;
        if (to.imm > to.var_size || bytes > to.var_size - to.imm)
            vm_unsupported(d, "an access outside its parameter");
    } else {
        vm_address(d, index, &to.base, &to.imm);
    }
    return to;
}

// A load of kernel parameters, within bounds, becomes a copy of constants.
static void make_constant(VmDecoder *d, VmInstr *in) {
    const VmBuffer *params = &d->vm->memory.buffers[d->vm->memory.param_buffer];
    uint32_t bytes = (uint32_t)in->width * in->vector;
    uint64_t offset = in->imm & VM_OFFSET_MASK;
    if (in->imm >> VM_BUFFER_SHIFT != d->vm->memory.param_buffer ||
        bytes > params->size || offset > params->size - bytes || offset % bytes)
        return;
    in->src_count = 0;
    for (uint32_t e = 0; e < in->vector; e++) {
        uint64_t value[2] = {0, 0};
        memcpy(value, params->bytes + offset + (size_t)e * in->width,
               in->width);
        if (in->flags & LOAD_SIGNED)
            value[0] = extend(value[0], in->width);
        VmLoose loose = {.at = (uint32_t)(offset + (uint64_t)e * in->width),
                         .width = in->width,
                         .is_signed = in->flags & LOAD_SIGNED};
        vm_emit_src(d, in,
                    vm_loose_value(d, vm_dsts(in)[e].size, value, loose));
    }
    in->handler = op_ld_constant;
    in->is_constant = true;
}

void vm_decode_memory(VmDecoder *d) {
    take_suffixes(d);
    bool load = d->in->op != PTX_OP_ST;
    uint32_t value = load ? 0 : 1, width = ptx_type_size(d->in->types[0]);
    const PtxOperand *first;
    uint32_t count = elements(d, value, &first);
    if (!has_size_and_form(d, width, count)) {
        vm_unsupported(d, "an access of this size or form");
        return;
    }
    Where place = decode_place(d, load ? 1 : 0, width * count);
    bool absolute = place.base.size == 0;
    if (absolute && !place.frame)
        place.base = vm_const(d, 8, 0, 0);
    VmRef refs[8];
    for (uint32_t i = 0; i < count; i++)
        refs[i] = load ? vm_operand_dst(d, &first[i], width, true)
                  : is_gap(first, i, count)
                      ? (VmRef){.reg = VM_NO_REG}
                      : vm_operand_src(d, &first[i], width, true);
    VmInstr *in = vm_emit_plain(d, op_ld);
    in->width = (uint8_t)width;
    in->vector = (uint8_t)count;
    in->space = (uint8_t)ptx_space(d->in);
    in->flags = ptx_type_is_signed(d->in->types[0]) ? LOAD_SIGNED : 0;
    in->imm = place.imm;
    in->target = place.at;
    in->is_frame = place.frame;
    if (place.frame)
        in->frame_stride = (uint32_t)place.var_size;
    vm_emit_src(d, in, place.base);
    for (uint32_t i = 0; i < count; i++)
        (load ? vm_emit_dst : vm_emit_src)(d, in, refs[i]);
    in->handler = memory_handler(in, load, place.frame);
    if (load && absolute && in->space == PTX_SPACE_PARAM && !place.frame)
        make_constant(d, in);
}
