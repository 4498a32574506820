// SPDX-License-Identifier: Apache-2.0
// Memory: translates an address to bytes, with all checks.
#include "vm/memory/memory.h"

#include "vm/decode/address.h"
#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/heard.h"
#include "vm/order/old.h"
#include "vm/order/shadow.h"
#include "vm/time/time.h"

#include <string.h>

FactWord vm_access_word(VmAccess access) {
    switch (access) {
    case ACCESS_READ:
        return WORD_ACCESS_READS;
    case ACCESS_WRITE:
        return WORD_ACCESS_WRITES;
    case ACCESS_ATOMIC:
        return WORD_ACCESS_UPDATES;
    }
    return WORD_ACCESS_READS;
}

#define FACT_ACCESS(access) FACT(ACCESS, vm_access_word(access))

// ---- reports -------------------------------------------------------------

static FindingReason reason_of(const VmWarp *w, const VmInstr *in,
                               uint64_t address) {
    if (in->space == PTX_SPACE_GENERIC && address >= VM_SHARED_BASE &&
        address < VM_SHARED_BASE + (uint64_t)w->cta->smem_bytes)
        return REASON_ADDRESS_OF_SHARED;
    return address < 4096 ? REASON_NULL_POINTER : REASON_NONE;
}

// Adds to the fault the lines that its address comes from.
static void blame_address(const VmWarp *w, const VmInstr *in, uint32_t lane) {
    Finding *fault = w->vm->findings.fault;
    if (!fault)
        return;
    VmOrigin origin =
        vm_origin_of_address(w->vm, w->frag->frame->func, in->ptx, fault->at);
    vm_origin_blame_unset(w, lane, &origin, fault);
    vm_relate_line(w->vm, fault, PLACE_INDEX_CUT, origin.cut,
                   FACTS(FACT(COUNT, origin.cut_bits)));
    for (uint32_t i = 0; i < VM_ORIGINS; i++)
        vm_relate_line(w->vm, fault, PLACE_ADDRESS_FROM, origin.at[i],
                       NO_FACTS);
}

static void report_freed(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmBuffer *buffer, uint32_t bytes,
                         VmAccess access) {
    vm_faulted(w, in, CASE_MEM001_FREED,
               FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                     FACT(BYTES, bytes), FACT(SIZE, buffer->heap_size)));
    vm_fault_at(w->vm, PLACE_FREED, buffer->heap_loc);
}

// `number` is that of the buffer nearest to the access.
static void report_outside(VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint64_t number, uint64_t offset, uint32_t bytes,
                           VmAccess access) {
    VmBufferName buffer = vm_buffer_name(w->vm, number);
    bool before = offset > VM_OFFSET_MASK / 2;
    if (!before && offset < buffer.size)
        vm_faulted(w, in, CASE_MEM001_ACROSS_END,
                   FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                         FACT(BYTES, bytes), BUFFER_FACTS(buffer)));
    else
        vm_faulted(
            w, in, before ? CASE_MEM001_BEFORE_START : CASE_MEM001_PAST_END,
            FACTS(FACT_LANE(w, lane), FACT_ACCESS(access), FACT(BYTES, bytes),
                  FACT(DISTANCE, before ? VM_OFFSET_MASK + 1 - offset
                                        : offset - buffer.size),
                  BUFFER_FACTS(buffer)));
}

// True if there is no buffer of that number, or its addresses are reserved and
// nothing is mapped there.
static bool is_nothing(const Vm *vm, uint64_t number) {
    if (number == 0 || number >= vm->memory.buffer_count)
        return true;
    const VmBuffer *buffer = &vm->memory.buffers[number];
    return buffer->is_lent && buffer->size == 0 && !buffer->is_freed;
}

static void report_global(VmWarp *w, const VmInstr *in, uint32_t lane,
                          uint64_t address, uint32_t bytes, VmAccess access) {
    Vm *vm = w->vm;
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset = address & VM_OFFSET_MASK;
    number += offset > VM_OFFSET_MASK / 2;
    if (is_nothing(vm, number)) {
        vm_faulted(w, in, CASE_MEM001_NO_MEMORY,
                   FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                         FACT(BYTES, bytes), FACT(ADDRESS, address)));
    } else if (vm->memory.buffers[number].is_freed) {
        report_freed(w, in, lane, &vm->memory.buffers[number], bytes, access);
        return;
    } else {
        report_outside(w, in, lane, number, offset, bytes, access);
    }
    vm_fault_reason(vm, reason_of(w, in, address));
    blame_address(w, in, lane);
}

static bool check_alignment(VmWarp *w, const VmInstr *in, uint32_t lane,
                            uint64_t address, uint32_t bytes, VmAccess access) {
    if ((address & (bytes - 1)) == 0)
        return true;
    vm_faulted(w, in, CASE_MEM002_ADDRESS,
               FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                     FACT(BYTES, bytes), FACT(ADDRESS, address)));
    blame_address(w, in, lane);
    return false;
}

// ---- global, constant, parameters ----------------------------------------

static uint8_t *global_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                              uint64_t address, uint32_t bytes,
                              VmAccess access) {
    Vm *vm = w->vm;
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset = address & VM_OFFSET_MASK;
    if (number == 0 || number >= vm->memory.buffer_count ||
        bytes > vm->memory.buffers[number].size ||
        offset > vm->memory.buffers[number].size - bytes) {
        report_global(w, in, lane, address, bytes, access);
        return NULL;
    }
    VmBuffer *buffer = &vm->memory.buffers[number];
    if (vm_is_partly_written(buffer) &&
        !vm_buffer_touch(w, in, lane, buffer, offset, bytes, access))
        return NULL;
    if (access == ACCESS_READ)
        return buffer->bytes + offset;
    vm->turns.progress += access == ACCESS_WRITE;
    if (buffer->read_only) {
        VmBufferName name = vm_buffer_name(vm, number);
        vm_faulted(
            w, in, CASE_MEM005_WRITTEN,
            FACTS(FACT_LANE(w, lane), FACT_ACCESS(access), BUFFER_FACTS(name)));
        return NULL;
    }
    if (buffer->watch)
        vm_watch_store(w, in, lane, buffer, (VmSpan){offset, bytes});
    return buffer->bytes + offset;
}

// ---- shared --------------------------------------------------------------

static uint8_t *shared_fault(VmWarp *w, const VmInstr *in, uint32_t lane,
                             uint32_t address, uint32_t bytes,
                             VmAccess access) {
    uint32_t offset;
    VmCta *owner = vm_shared_owner(w, address, &offset);
    if (!owner) {
        vm_faulted(w, in, CASE_MEM001_NO_RANK,
                   FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                         FACT(RANK, (address >> VM_RANK_SHIFT) - 1),
                         FACT(CTAS, w->cta->cluster->cta_count)));
        return NULL;
    }
    vm_faulted(w, in, CASE_MEM001_SHARED,
               FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                     FACT(BYTES, bytes),
                     FACT(OFFSET, (int64_t)offset - VM_SHARED_BASE),
                     FACT(SIZE, owner->smem_bytes)));
    blame_address(w, in, lane);
    return NULL;
}

static void gap_fault(VmWarp *w, const VmInstr *in, uint32_t lane,
                      uint32_t bytes, VmAccess access, FindingCase which) {
    vm_faulted(
        w, in, which,
        FACTS(FACT_LANE(w, lane), FACT_ACCESS(access), FACT(BYTES, bytes)));
    blame_address(w, in, lane);
}

// The shared memory of another CTA in the cluster exists once that CTA has
// started. A completed cluster barrier, or anything that CTA has sent, proves
// that it has.
static void check_started(VmWarp *w, const VmInstr *in, uint32_t lane,
                          const VmCta *owner, VmAccess access) {
    const Vm *vm = w->vm;
    if (owner == w->cta || owner->cluster->barrier.phase > 0 || !vm->order ||
        vm->order->is_lost ||
        vm_clock_meets(&vm->order->clocks, vm_known(w, lane),
                       owner->order.serial) ||
        vm_found_again(w->vm, w, in->loc, RULE_MEM004, FINDING_ERROR))
        return;
    Finding *finding =
        vm_found(w->vm, w, in->loc, CASE_MEM004_NOT_STARTED, FINDING_ERROR,
                 FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                       FACT(BLOCK, owner->linear)));
    vm_cure(w->vm, finding, PART_HERE, 0);
}

static uint8_t *shared_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                              uint32_t address, uint32_t bytes,
                              VmAccess access) {
    uint32_t offset;
    VmCta *owner = vm_shared_owner(w, address, &offset);
    if (!owner || offset < VM_SHARED_BASE ||
        (uint64_t)offset + bytes > VM_SHARED_BASE + (uint64_t)owner->smem_bytes)
        return shared_fault(w, in, lane, address, bytes, access);
    offset -= VM_SHARED_BASE;
    if (owner->exited) {
        vm_faulted(w, in, CASE_MEM004_EXITED,
                   FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                         FACT(BLOCK, owner->linear)));
        return NULL;
    }
    check_started(w, in, lane, owner, access);
    if (offset < owner->typed.to && offset + bytes > owner->typed.from &&
        !w->vm->upward->typed_access(w, in, lane, owner, offset, bytes, access))
        return NULL;
    if (vm_shared_is_gap(owner, offset, bytes)) {
        gap_fault(w, in, lane, bytes, access, CASE_MEM001_SHARED_GAP);
        return NULL;
    }
    w->vm->turns.progress += access == ACCESS_WRITE;
    return owner->smem + offset;
}

// ---- local ---------------------------------------------------------------

static uint8_t *local_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                             uint32_t address, uint32_t bytes,
                             VmAccess access) {
    uint32_t top = vm_stack_top(w->frag->frame, lane);
    if (address > INT32_MAX) {
        vm_faulted(
            w, in, CASE_MEM001_LOCAL_BEFORE,
            FACTS(FACT_LANE(w, lane), FACT_ACCESS(access), FACT(BYTES, bytes)));
        blame_address(w, in, lane);
        return NULL;
    }
    if ((uint64_t)address + bytes > top) {
        vm_faulted(w, in, CASE_MEM001_LOCAL,
                   FACTS(FACT_LANE(w, lane), FACT_ACCESS(access),
                         FACT(BYTES, bytes), FACT(OFFSET, address),
                         FACT(SIZE, top)));
        blame_address(w, in, lane);
        return NULL;
    }
    if (vm_stack_is_gap(w->frag->frame, address, bytes)) {
        gap_fault(w, in, lane, bytes, access, CASE_MEM001_LOCAL_GAP);
        return NULL;
    }
    if (w->memory.written &&
        !vm_local_touch(w, in, lane, address, bytes, access))
        return NULL;
    return w->memory.local + (size_t)lane * w->memory.local_capacity + address;
}

void vm_count_generic(Vm *vm, uint64_t address, uint32_t bytes,
                      VmAccess access) {
    PtxSpace at = vm_space_at(PTX_SPACE_GENERIC, address);
    DeviceSpace space = at == PTX_SPACE_SHARED  ? DEVICE_SPACE_SHARED
                        : at == PTX_SPACE_LOCAL ? DEVICE_SPACE_LOCAL
                                                : DEVICE_SPACE_GLOBAL;
    if (access != ACCESS_WRITE)
        vm->use.generic[0][space] += bytes;
    if (access != ACCESS_READ)
        vm->use.generic[1][space] += bytes;
}

static uint8_t *any_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint64_t address, uint32_t bytes, VmAccess access) {
    if (!check_alignment(w, in, lane, address, bytes, access))
        return NULL;
    if (in->space == PTX_SPACE_GENERIC)
        vm_count_generic(w->vm, address, bytes, access);
    switch (vm_space_at((PtxSpace)in->space, address)) {
    case PTX_SPACE_SHARED:
        return shared_memory(w, in, lane, (uint32_t)address, bytes, access);
    case PTX_SPACE_LOCAL:
        return local_memory(w, in, lane, (uint32_t)address, bytes, access);
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        break;
    }
    return global_memory(w, in, lane, address, bytes, access);
}

// Where an access that has just passed all checks was made, for the check of
// the order of accesses. False: the memory needs no such check.
static bool has_order(VmWarp *w, const VmInstr *in, uint64_t address,
                      VmWhere *where) {
    PtxSpace space = vm_space_at((PtxSpace)in->space, address);
    *where = (VmWhere){.offset = address};
    if (!w->vm->order)
        return false;
    if (space == PTX_SPACE_SHARED) {
        uint32_t offset;
        where->cta = vm_shared_owner(w, (uint32_t)address, &offset);
        where->offset = offset - VM_SHARED_BASE;
        return true;
    }
    return space == PTX_SPACE_GLOBAL &&
           !w->vm->memory.buffers[address >> VM_BUFFER_SHIFT].read_only;
}

// CTAs may hear of each other by an access.
static void tell(const VmWarp *w, const VmInstr *in, const VmWhere *where,
                 VmAccess access) {
    if (where->cta ? where->cta != w->cta : in->sem != SEM_WEAK)
        vm_heard_access(w, where->cta, access);
}

// For strong accesses of a launch that keeps older values: what a load reads,
// which may be one of these.
static uint8_t *of_now_or_before(VmWarp *w, uint32_t lane, const VmWhere *where,
                                 uint8_t *at, uint32_t bytes, VmAccess access) {
    VmOrder *o = w->vm->order;
    uint64_t place = vm_order_place(where);
    const uint8_t *served = o->served;
    o->served = NULL;
    if (access != ACCESS_READ) {
        vm_old_store(w, lane, place, at, bytes);
        return at;
    }
    vm_old_seen(w, lane, place);
    return served ? (uint8_t *)(uintptr_t)served : at;
}

uint8_t *vm_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint64_t address, uint32_t bytes, VmAccess access) {
    uint8_t *at = any_memory(w, in, lane, address, bytes, access);
    VmWhere where;
    if (at && !in->is_chosen && has_order(w, in, address, &where)) {
        vm_shadow_lane(w, in, lane, &where, bytes, access);
        vm_order_strong(w, in, 1u << lane, &where, access);
        tell(w, in, &where, access);
        if (w->vm->order->keeps_old && in->sem != SEM_WEAK)
            at = of_now_or_before(w, lane, &where, at, bytes, access);
    }
    return at;
}

uint8_t *vm_memory_alike(VmWarp *w, const VmInstr *in, uint32_t lane,
                         uint64_t address, uint32_t bytes) {
    return any_memory(w, in, lane, address, bytes, ACCESS_READ);
}

void vm_memory_loaded(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      uint64_t address, uint32_t bytes) {
    VmWhere where;
    if (in->is_chosen || !has_order(w, in, address, &where))
        return;
    vm_shadow_readers(w, in, lanes, &where, bytes);
    vm_order_strong(w, in, lanes, &where, ACCESS_READ);
    tell(w, in, &where, ACCESS_READ);
}

uint8_t *vm_memory_compare(VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint64_t address, uint32_t bytes) {
    return any_memory(w, in, lane, address, bytes, ACCESS_ATOMIC);
}

static void swapped(VmWarp *w, const VmInstr *in, uint32_t lane,
                    const VmWhere *where, uint32_t bytes) {
    vm_shadow_lane(w, in, lane, where, bytes, ACCESS_ATOMIC);
    vm_order_strong(w, in, 1u << lane, where, ACCESS_ATOMIC);
}

// Of lanes whose comparisons have failed, none has stored, and what they do to
// each other is atomic: the first and the last speak for those between them,
// which only learn what was released.
void vm_memory_swapped(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       uint64_t address, uint32_t bytes) {
    VmWhere where;
    if (!has_order(w, in, address, &where))
        return;
    uint32_t first = vm_first(lanes),
             last = 31 - (uint32_t)__builtin_clz(lanes);
    swapped(w, in, first, &where, bytes);
    lanes &= ~(1u << first) & ~(1u << last);
    if (lanes)
        vm_order_strong(w, in, lanes, &where, ACCESS_READ);
    if (last != first)
        swapped(w, in, last, &where, bytes);
}

void vm_memory_modified(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint64_t address, uint8_t *at) {
    VmWhere where;
    if (!has_order(w, in, address, &where))
        return;
    swapped(w, in, lane, &where, in->width);
    tell(w, in, &where, ACCESS_ATOMIC);
    if (w->vm->order->keeps_old)
        of_now_or_before(w, lane, &where, at, in->width, ACCESS_ATOMIC);
}

// What they do to each other is atomic: the first and the last speak for those
// between them. What they release is published together, and none of them
// learns it of another one: which was first makes no difference that anybody
// could see. No older value has been overwritten.
void vm_memory_unmodified(VmWarp *w, const VmInstr *in, uint32_t lanes,
                          uint64_t address) {
    VmWhere where;
    if (!has_order(w, in, address, &where))
        return;
    uint32_t first = vm_first(lanes),
             last = 31 - (uint32_t)__builtin_clz(lanes);
    vm_shadow_lane(w, in, first, &where, in->width, ACCESS_ATOMIC);
    if (last != first)
        vm_shadow_lane(w, in, last, &where, in->width, ACCESS_ATOMIC);
    vm_order_strong(w, in, lanes, &where, ACCESS_ATOMIC);
    tell(w, in, &where, ACCESS_ATOMIC);
}

void vm_memory_chosen(VmWarp *w, const VmInstr *load, uint32_t lane) {
    VmWhere where;
    if (has_order(w, load, vm_lane_address(w, load, lane), &where))
        vm_shadow_lane(w, load, lane, &where, load->width, ACCESS_READ);
}

// ---- asynchronous accesses -----------------------------------------------

bool vm_memory_ends_in(const Vm *vm, uint64_t address, VmExtent extent) {
    uint64_t number = address >> VM_BUFFER_SHIFT, unit = extent.align;
    if (number == 0 || number >= vm->memory.buffer_count || address % unit)
        return false;
    const VmBuffer *buffer = &vm->memory.buffers[number];
    uint64_t rounded = round_up(buffer->size, unit);
    return !buffer->is_freed &&
           (address & VM_OFFSET_MASK) + extent.bytes <= rounded;
}

bool vm_memory_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                     PtxSpace space, uint64_t address, VmExtent extent,
                     VmAccess access, VmWhere *out) {
    space = vm_space_at(space, address);
    if (!check_alignment(w, in, lane, address, extent.align, access))
        return false;
    *out = (VmWhere){.offset = address};
    if (extent.bytes == 0)
        return true;
    if (space == PTX_SPACE_SHARED) {
        uint32_t shared = (uint32_t)address, offset;
        if (!shared_memory(w, in, lane, shared, extent.bytes, access))
            return false;
        out->cta = vm_shared_owner(w, shared, &offset);
        out->offset = offset - VM_SHARED_BASE;
        return true;
    }
    uint32_t bytes = extent.bytes;
    if (space == PTX_SPACE_LOCAL || // no asynchronous access can reach it
        !global_memory(w, in, lane, address, bytes, ACCESS_READ)) {
        if (space == PTX_SPACE_LOCAL)
            report_global(w, in, lane, address, bytes, access);
        return false;
    }
    // A store is checked when it is performed; here only whether it may write
    // at all.
    bool refused = access != ACCESS_READ &&
                   w->vm->memory.buffers[address >> VM_BUFFER_SHIFT].read_only;
    return !refused || global_memory(w, in, lane, address, bytes, access);
}
