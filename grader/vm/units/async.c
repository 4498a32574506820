// SPDX-License-Identifier: Apache-2.0
// Performs asynchronous copies: each waits for the tick that the schedule gave
// it, then its source is read and its destination written. Memory does not
// change before that, so a missing wait reads stale bytes. Read copy.h first.
//
// Records, and the bytes held between a read and its write, are allocated in
// the launch's arena and reused. Limits apply back-pressure to a program that
// issues copies without end: beyond PIECES_MAX pieces, or COPIES_MAX copies of
// one warp, a copy is performed at once; beyond BUFFERED_MAX bytes it is read
// and written in one step.
#include "vm/decode/follow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/memory/memory.h"
#include "vm/order/heard.h"
#include "vm/time/time.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/copy.h"
#include "vm/units/units.h"

enum {
    DATA_SMALLEST = 6, // log2 of the smallest size class: 64 bytes
    DATA_CLASSES = 20, // up to the largest addressable shared memory
    PIECES_MAX = 1 << 18,
    COPIES_MAX = 1024,
    BUFFERED_MAX = 16 << 20, // bytes
};

struct VmCopies {
    Rng rng;
    VmCopy **table; // by number
    size_t count, capacity;
    VmCopy *free[2];                  // free lists; [1]: with room for 32
                                      // pieces
    uint8_t *free_data[DATA_CLASSES]; // free lists: each block starts with a
                                      // pointer to the next
    uint64_t buffered;                // bytes of data in use
    uint32_t pieces;                  // of copies in flight
};
typedef struct VmCopies VmCopies;

// ---- records -------------------------------------------------------------

static VmCopies *pool_of(Vm *vm) {
    if (!vm->copies.pool) {
        vm->copies.pool = arena_new(&vm->run_arena, VmCopies, 1);
        vm->copies.pool->rng = rng_stream(vm->launch->schedule.seed, 4);
    }
    return vm->copies.pool;
}

static VmCopy *record_new(Vm *vm, VmCopies *pool, bool is_large) {
    VmCopy *copy = arena_new(&vm->run_arena, VmCopy, 1);
    copy->pieces = arena_new(&vm->run_arena, VmPiece, is_large ? VM_LANES : 1);
    arena_grow(&vm->run_arena, pool->table, pool->count, pool->capacity);
    copy->number = (uint32_t)pool->count;
    pool->table[pool->count++] = copy;
    return copy;
}

VmCopy *vm_copy_new(VmWarp *w, const VmInstr *in, VmCopyKind kind,
                    uint32_t lanes) {
    VmCopies *pool = pool_of(w->vm);
    bool is_large = (lanes & (lanes - 1)) != 0;
    w->copies.used = true;
    VmCopy *copy = pool->free[is_large];
    if (copy)
        pool->free[is_large] = copy->next;
    else
        copy = record_new(w->vm, pool, is_large);
    *copy = (VmCopy){.kind = kind,
                     .number = copy->number,
                     .warp = w,
                     .loc = vm_learner_loc(w->vm, w, in->loc),
                     .byte_mask = UINT16_MAX,
                     .is_large = is_large,
                     .pieces = copy->pieces};
    return copy;
}

void vm_copy_drop(Vm *vm, VmCopy *copy) {
    VmCopies *pool = vm->copies.pool;
    copy->next = pool->free[copy->is_large];
    pool->free[copy->is_large] = copy;
}

VmPiece *vm_copy_piece(VmCopy *copy, uint32_t lane) {
    VmPiece *piece = &copy->pieces[copy->piece_count++];
    *piece = (VmPiece){.lane = lane};
    return piece;
}

uint8_t *vm_copy_data(Vm *vm, VmCopy *copy, uint32_t bytes) {
    VmCopies *pool = pool_of(vm);
    uint32_t class = 0;
    while (bytes > (64u << class))
        class ++;
    size_t room = (size_t)1 << (class + DATA_SMALLEST);
    copy->data_class = class;
    copy->data = pool->free_data[class];
    if (copy->data)
        memcpy(&pool->free_data[class], copy->data, sizeof(uint8_t *));
    else
        copy->data = arena_alloc(&vm->run_arena, 1, 64, room);
    pool->buffered += room;
    return copy->data;
}

static void data_free(VmCopies *pool, VmCopy *copy) {
    if (!copy->data)
        return;
    uint8_t **list = &pool->free_data[copy->data_class];
    memcpy(copy->data, list, sizeof *list);
    *list = copy->data;
    pool->buffered -= (uint64_t)1 << (copy->data_class + DATA_SMALLEST);
}

// ---- faults --------------------------------------------------------------

// Reports a rule that a copy breaks when it is performed, long after its
// instruction.
static bool copy_fault(Vm *vm, const VmCopy *copy, FindingCase which,
                       Facts facts) {
    vm->findings.fault =
        vm_found(vm, NULL, copy->loc, which, FINDING_ERROR, facts);
    if (vm->findings.fault)
        vm->findings.fault->cta = copy->warp->cta->linear;
    vm_stop(vm, RUN_FAULT);
    return false;
}

#define FACT_ISSUER(copy) FACT_LANE((copy)->warp, (copy)->pieces[0].lane)

// ---- memory --------------------------------------------------------------

static bool touch_typed(Vm *vm, const VmCopy *copy, const VmWhere *place,
                        uint32_t bytes, VmAccess access) {
    const VmCta *cta = place->cta;
    uint64_t from = place->offset, to = from + bytes;
    if (from >= cta->typed.to || to <= cta->typed.from)
        return true;
    if (to > cta->typed.to)
        to = cta->typed.to;
    for (uint32_t at = (uint32_t)from & ~7u; at < to; at += 8)
        if (vm_mbarrier_find(cta, at))
            return copy_fault(
                vm, copy, CASE_BAR002_COPY_ACCESS,
                FACTS(FACT_ISSUER(copy), FACT(BLOCK, cta->linear)));
    for (uint32_t at = (uint32_t)from & ~15u; at < to; at += 16) {
        const VmSlot *slot = vm_clc_slot_at(cta, at);
        if (slot && slot->state == SLOT_IN_FLIGHT && access != ACCESS_READ)
            return copy_fault(vm, copy, CASE_RACE002_COPY_SLOT,
                              FACTS(FACT_ISSUER(copy)));
    }
    if (access != ACCESS_READ)
        vm_opaque_written(place->cta, place->offset, bytes);
    return true;
}

void vm_watches_begin(Vm *vm, const DeviceLaunch *launch) {
    for (size_t i = 0; i < vm->memory.buffer_count; i++)
        vm->memory.buffers[i].watch = NULL;
    for (size_t i = 0; i < launch->watch_count; i++) {
        Watch *watch = &launch->watches[i];
        uint64_t number =
            (uint64_t)vm->memory.first_user_buffer + watch->buffer;
        if (number >= vm->memory.buffer_count || watch->count == 0)
            continue;
        VmBuffer *buffer = &vm->memory.buffers[number];
        watch->pieces = arena_new(vm->out, WatchPiece, watch->count + 1);
        watch->elements = NULL;
        if (watch->piece_of)
            watch->elements = arena_new(vm->out, WatchElement,
                                        (size_t)(buffer->size / 4) + 1);
        buffer->watch = watch;
        buffer->stored_by = NULL;
        buffer->origins =
            arena_new(&vm->run_arena, VmStoreOrigin, VM_STORES_KNOWN);
    }
}

static void watch_bytes(Vm *vm, const VmCopy *copy, Watch *watch,
                        uint64_t offset, uint32_t bytes) {
    uint64_t last = (offset + bytes - 1) / 4;
    for (uint64_t i = offset / 4; i <= last; i++) {
        WatchPiece *piece = vm_watch_piece(watch, i);
        piece->at = piece->called = vm_src_of(vm, copy->loc);
        if (piece->stores++ == 0)
            piece->first_at = piece->first_called = piece->at;
        piece->cycle = copy->time;
        vm_watch_note(watch, piece, i, copy->warp->cta);
    }
}

static uint8_t *global_bytes(Vm *vm, const VmCopy *copy, uint64_t address,
                             uint32_t bytes, VmAccess access) {
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset = address & VM_OFFSET_MASK;
    if (number >= vm->memory.buffer_count ||
        bytes > vm->memory.buffers[number].size ||
        offset > vm->memory.buffers[number].size - bytes) {
        copy_fault(vm, copy, CASE_MEM001_COPY_FREED,
                   FACTS(FACT_ISSUER(copy), FACT(BYTES, bytes),
                         FACT(ADDRESS, address)));
        return NULL;
    }
    VmBuffer *buffer = &vm->memory.buffers[number];
    if (access != ACCESS_READ && vm_is_partly_written(buffer))
        byteset_add(buffer->written, offset, bytes);
    if (access != ACCESS_READ && buffer->watch)
        watch_bytes(vm, copy, buffer->watch, offset, bytes);
    return buffer->bytes + offset;
}

static void count_bytes(Vm *vm, const VmCopy *copy, const VmWhere *place,
                        uint32_t bytes, VmAccess access) {
    DeviceCounters *out = &vm->run->counters;
    DeviceSpace space = place->cta ? DEVICE_SPACE_SHARED : DEVICE_SPACE_GLOBAL;
    vm_work_bytes(vm, WORK_COPY, bytes);
    if (copy->byte_mask != UINT16_MAX && access == ACCESS_READ)
        bytes = (uint32_t)round_up(bytes, 16); // as the instruction has it
    if (access == ACCESS_WRITE) // the mask has a bit for each byte of 16
        bytes = bytes / 16 * vm_count(copy->byte_mask) +
                vm_count(copy->byte_mask & ((1u << bytes % 16) - 1));
    if (access == ACCESS_READ || copy->kind == COPY_REDUCE)
        out->copied_from[space] += bytes;
    if (access == ACCESS_WRITE)
        out->copied_to[space] += bytes;
}

// Every byte that an asynchronous operation reads or writes passes through here
// when the operation is performed: this is the place for rules about the order
// between the generic and the async proxy. NULL: a fault was reported.
static uint8_t *async_access(Vm *vm, const VmCopy *copy, const VmWhere *place,
                             uint32_t bytes, VmAccess access) {
    count_bytes(vm, copy, place, bytes, access);
    if (!place->cta)
        return global_bytes(vm, copy, place->offset, bytes, access);
    if (place->cta->exited) {
        copy_fault(vm, copy, CASE_MEM004_COPY,
                   FACTS(FACT_ISSUER(copy),
                         FACT(ACCESS, vm_access_word(access)),
                         FACT(BLOCK, place->cta->linear)));
        return NULL;
    }
    if (!touch_typed(vm, copy, place, bytes, access))
        return NULL;
    if (vm->follow && access != ACCESS_READ)
        vm_follow_written(place->cta, place->offset, bytes);
    return place->cta->smem + place->offset;
}

// ---- performing ----------------------------------------------------------

static bool write_place(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                        const VmWhere *place, const uint8_t *from) {
    uint32_t bytes = piece->bytes, all = bytes + piece->zeros;
    uint8_t *to = async_access(vm, copy, place, all, ACCESS_WRITE);
    if (!to)
        return false;
    if (copy->kind == COPY_REDUCE) {
        vm_atomic_range(copy->op, copy->type, !place->cta, to, from, bytes);
        return true;
    }
    if (copy->byte_mask != UINT16_MAX) {
        for (uint32_t i = 0; i < bytes; i++)
            if (copy->byte_mask >> (i & 15) & 1)
                to[i] = from[i];
        return true;
    }
    if (bytes)
        memmove(to, from, bytes);
    memset(to + bytes, 0, piece->zeros);
    return true;
}

static bool complete_on(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                        const VmWhere *place) {
    VmCta *cta = place->cta;
    if (cta->exited)
        return copy_fault(vm, copy, CASE_MEM004_COPY_COMPLETES,
                          FACTS(FACT_ISSUER(copy), FACT(BLOCK, cta->linear)));
    VmMbarrier *bar = vm_mbarrier_find(cta, copy->mbarrier);
    if (!bar)
        return copy_fault(vm, copy, CASE_BAR002_COPY_COMPLETES,
                          FACTS(FACT_ISSUER(copy), FACT(BLOCK, cta->linear)));
    vm_time_mbarrier_raise(bar, copy->time);
    bar->async.coming -= piece->bytes;
    if (vm->order)
        vm_copy_completes(vm, copy, piece, place, bar);
    if (vm_mbarrier_complete_tx(vm, cta, bar, piece->bytes))
        return true;
    copy_fault(vm, copy, CASE_BAR001_COPY_TX_RANGE,
               FACTS(FACT_ISSUER(copy), FACT(BLOCK, cta->linear)));
    vm_fault_at(vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    return false;
}

static bool deliver(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                    const VmWhere *place, const uint8_t *from) {
    if (piece->bytes + piece->zeros &&
        !write_place(vm, copy, piece, place, from))
        return false;
    return !copy->has_mbarrier || complete_on(vm, copy, piece, place);
}

static bool perform_piece(Vm *vm, const VmCopy *copy, const VmPiece *piece) {
    const uint8_t *from = copy->data;
    // Nobody can see what cp.async would write to a block that has exited.
    if (copy->group == GROUP_ASYNC && piece->to.cta->exited)
        return true;
    if (!from && piece->bytes) {
        from = async_access(vm, copy, &piece->from, piece->bytes, ACCESS_READ);
        if (!from)
            return false;
    }
    return deliver(vm, copy, piece, &piece->to, from);
}

// The bytes of a multicast copy. They are read once, when the first CTA gets
// them, and kept for the others; if too many are kept already, all CTAs get
// them now. NULL: a fault was reported.
static const uint8_t *multicast_bytes(Vm *vm, VmCopy *copy, uint16_t *to) {
    const VmPiece *piece = &copy->pieces[0];
    if (copy->data || piece->bytes == 0)
        return copy->data;
    const uint8_t *from =
        async_access(vm, copy, &piece->from, piece->bytes, ACCESS_READ);
    if (from && vm->copies.pool->buffered + piece->bytes > BUFFERED_MAX)
        *to = copy->receivers;
    else if (from)
        memcpy(vm_copy_data(vm, copy, piece->bytes), from, piece->bytes);
    return from;
}

// Each receiver of a multicast copy gets it at a time of its own.
static void perform_multicast(Vm *vm, VmCopy *copy, uint32_t rank) {
    uint16_t to = copy->receivers & (uint16_t)(1u << rank);
    if (!to)
        return;
    const VmPiece *piece = &copy->pieces[0];
    const VmCluster *cluster = copy->warp->cta->cluster;
    const uint8_t *from = multicast_bytes(vm, copy, &to);
    if (!from && piece->bytes)
        return;
    for (uint32_t r = 0; r < cluster->cta_count; r++) {
        VmWhere place = {cluster->ctas[r], piece->to.offset};
        if ((to >> r & 1) && !deliver(vm, copy, piece, &place, from))
            return;
    }
    copy->receivers &= (uint16_t)~to;
    vm->turns.progress++;
}

static bool perform_arrival(Vm *vm, const VmCopy *copy, const VmPiece *piece) {
    VmCta *cta = piece->to.cta;
    if (cta->exited)
        return true;
    VmMbarrier *bar = vm_mbarrier_find(cta, (uint32_t)piece->to.offset);
    if (!bar)
        return copy_fault(vm, copy, CASE_BAR002_COPY_ARRIVES,
                          FACTS(FACT_ISSUER(copy)));
    vm_time_mbarrier_raise(bar, copy->time);
    if (vm->order)
        vm_copy_arrives(vm, copy, piece, bar);
    if (vm_mbarrier_arrive(vm, cta, bar))
        return true;
    copy_fault(vm, copy, CASE_BAR001_COPY_ARRIVES,
               FACTS(FACT_ISSUER(copy), FACT(EXPECTED, bar->state.expected)));
    vm_fault_at(vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    return false;
}

static void perform(Vm *vm, const VmCopy *copy) {
    for (uint32_t i = 0; i < copy->piece_count; i++) {
        const VmPiece *piece = &copy->pieces[i];
        bool good = copy->kind == COPY_ARRIVE ? perform_arrival(vm, copy, piece)
                                              : perform_piece(vm, copy, piece);
        if (!good)
            return;
    }
    vm->turns.progress++;
}

// ---- time ----------------------------------------------------------------

static uint64_t later(Vm *vm, const VmWarp *w) {
    VmCopies *pool = pool_of(vm);
    const VmTuning *t = &vm->tuning;
    if (pool->pieces > PIECES_MAX || w->copies.count > COPIES_MAX)
        return vm->turns.tick;
    return vm->turns.tick + t->answer_min +
           rng_below(&pool->rng, t->answer_spread);
}

uint64_t vm_copies_done_at(const VmWarp *w, uint32_t lanes) {
    uint64_t at = 0;
    for (const VmCopy *copy = w->copies.list; copy; copy = copy->next) {
        if (copy->group != GROUP_ASYNC || copy->at <= at)
            continue;
        for (uint32_t i = 0; i < copy->piece_count; i++)
            if (lanes >> copy->pieces[i].lane & 1)
                at = copy->at;
    }
    return at;
}

static void come_to(const VmCopy *copy, const VmCta *cta, uint32_t bytes) {
    VmMbarrier *bar = vm_mbarrier_find(cta, copy->mbarrier);
    if (!bar)
        return;
    bar->async.coming += bytes;
    vm_heard_issue(copy->warp, bar);
}

static void come(const VmCopy *copy) {
    const VmCluster *cluster = copy->warp->cta->cluster;
    for (uint32_t i = 0; i < copy->piece_count; i++) {
        const VmPiece *piece = &copy->pieces[i];
        if (!copy->is_multicast)
            come_to(copy, piece->to.cta, piece->bytes);
        for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
            if (copy->is_multicast && (copy->receivers >> rank & 1))
                come_to(copy, cluster->ctas[rank], piece->bytes);
    }
}

static void come_to_receivers(Vm *vm, VmCopy *copy) {
    copy->due = vm_count(copy->receivers);
    for (uint32_t rank = 0; rank < VM_MAX_CLUSTER; rank++)
        if (copy->receivers >> rank & 1)
            vm_event_add(vm, later(vm, copy->warp), EVENT_COPY, copy->number,
                         rank);
}

void vm_copy_issue(VmWarp *w, const VmInstr *in, VmCopy *copy) {
    Vm *vm = w->vm;
    copy->has_source = !copy->data;
    if (vm->order)
        vm_copy_order(w, in, copy);
    if (copy->has_mbarrier)
        come(copy);
    copy->time = vm_time_done_at(w, TIMING_COPY);
    if (copy->group != GROUP_NONE && copy->piece_count)
        vm_time_copy(w, copy->group == GROUP_BULK, copy->pieces[0].group,
                     copy->time);
    uint64_t at = later(vm, w);
    if (at < copy->at)
        at = copy->at;
    copy->at = at;
    copy->next = w->copies.list;
    if (w->copies.list)
        w->copies.list->prev = copy;
    w->copies.list = copy;
    w->copies.count++;
    w->cta->cluster->in_flight++;
    vm->copies.in_flight++;
    vm->copies.pool->pieces += copy->piece_count;
    vm->turns.progress++;
    copy->due = 1;
    if (copy->receivers)
        come_to_receivers(vm, copy);
    else
        vm_event_add(vm, at, EVENT_COPY, copy->number, 0);
}

static VmCluster *finish(Vm *vm, VmCopy *copy) {
    VmCopies *pool = vm->copies.pool;
    VmWarp *w = copy->warp;
    VmCluster *cluster = w->cta->cluster;
    if (copy->prev)
        copy->prev->next = copy->next;
    else
        w->copies.list = copy->next;
    if (copy->next)
        copy->next->prev = copy->prev;
    w->copies.count--;
    data_free(pool, copy);
    vm_copy_drop(vm, copy);
    pool->pieces -= copy->piece_count;
    vm->copies.in_flight--;
    cluster->in_flight--;
    vm_warp_wake(w, WAIT_COPIES, 0);
    return cluster;
}

// The first of the two steps of a bulk-group copy. False: perform both steps at
// once.
static bool read_source(Vm *vm, VmCopy *copy) {
    const VmPiece *piece = &copy->pieces[0];
    if (copy->group != GROUP_BULK || copy->data || piece->bytes == 0 ||
        vm->copies.pool->buffered + piece->bytes > BUFFERED_MAX)
        return false;
    const uint8_t *from =
        async_access(vm, copy, &piece->from, piece->bytes, ACCESS_READ);
    if (!from)
        return true;
    memcpy(vm_copy_data(vm, copy, piece->bytes), from, piece->bytes);
    copy->at = later(vm, copy->warp);
    vm_event_add(vm, copy->at, EVENT_COPY, copy->number, 0);
    vm->turns.progress++;
    vm_warp_wake(copy->warp, WAIT_COPIES, 0);
    return true;
}

VmCluster *vm_copy_event(Vm *vm, uint32_t number, uint32_t rank) {
    VmCopy *copy = vm->copies.pool->table[number];
    if (!copy->is_multicast && read_source(vm, copy))
        return NULL;
    if (copy->is_multicast)
        perform_multicast(vm, copy, rank);
    else
        perform(vm, copy);
    return vm->turns.stopped || --copy->due ? NULL : finish(vm, copy);
}
