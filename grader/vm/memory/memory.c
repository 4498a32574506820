// SPDX-License-Identifier: Apache-2.0
// Memory: from an address to bytes, with every check on the way.
// Read vm_memory; the address layout is drawn in code/instr.h.
#include "vm/memory/memory.h"

#include "vm/decode/address.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/shadow.h"

static const char *verb(VmAccess access) {
    switch (access) {
    case ACCESS_READ:
        return "reads";
    case ACCESS_WRITE:
        return "writes";
    case ACCESS_ATOMIC:
        return "updates";
    }
    return "";
}

// ---- reports -------------------------------------------------------------

static Str buffer_name(const Vm *vm, uint64_t number) {
    Arena *arena = vm->out;
    const VmBuffer *buffer = &vm->memory.buffers[number];
    unsigned long long size = buffer->size;
    if (buffer->var)
        return str_format(arena, "variable %.*s (%llu bytes)",
                          STR_ARG(buffer->var->name), size);
    if (buffer->heap_size)
        return str_format(arena, "memory from malloc (%llu bytes)", size);
    if (number == vm->memory.param_buffer)
        return str_format(arena, "the kernel's parameters (%llu bytes)", size);
    const PtxFunc *kernel = vm->program->kernel;
    const VmBuffer *params = &vm->memory.buffers[vm->memory.param_buffer];
    for (size_t i = 0; i < kernel->param_count; i++) {
        uint64_t at = vm_param_offset(kernel, i), value = 0;
        if (kernel->params[i]->size != 8 || at + 8 > params->size)
            continue;
        memcpy(&value, params->bytes + at, 8);
        if (value >> VM_BUFFER_SHIFT == number)
            return str_format(arena, "the buffer of parameter %zu (%llu bytes)",
                              i, size);
    }
    return str_format(arena, "a buffer of %llu bytes", size);
}

static void report_global(VmWarp *w, const VmInstr *in, uint32_t lane,
                          uint64_t address, uint32_t bytes, VmAccess access) {
    Vm *vm = w->vm;
    Str who = vm_who_lane(w, lane);
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset = address & VM_OFFSET_MASK;
    const char *help = "check the index against the size before the access";
    if (in->space == PTX_SPACE_GENERIC && address >= VM_SHARED_BASE &&
        address < VM_SHARED_BASE + (uint64_t)w->cta->smem_bytes)
        help = "the pointer is null; or, in PTX, this is an address of shared "
               "memory in 32 bits: name its space (.shared::cta), without "
               "which an address is generic and has 64";
    else if (address < 4096)
        help = "the pointer is null";
    bool before = offset > VM_OFFSET_MASK / 2;
    if (before)
        number++;
    if (number == 0 || number >= vm->memory.buffer_count) {
        vm_fault(w, in, RULE_MEM001, help,
                 "%.*s %s %u bytes at address 0x%llx, which is no memory of "
                 "this kernel",
                 STR_ARG(who), verb(access), bytes,
                 (unsigned long long)address);
        return;
    }
    const VmBuffer *buffer = &vm->memory.buffers[number];
    if (buffer->is_freed) {
        vm_fault(w, in, RULE_MEM001, "free it after the last access",
                 "%.*s %s %u bytes of memory that was freed (%llu bytes)",
                 STR_ARG(who), verb(access), bytes,
                 (unsigned long long)buffer->heap_size);
        vm_fault_related(vm, buffer->heap_loc, "it was freed here");
        return;
    }
    Str name = buffer_name(vm, number);
    uint64_t size = vm->memory.buffers[number].size;
    unsigned long long distance =
        before ? VM_OFFSET_MASK + 1 - offset : offset - size;
    if (!before && offset < size)
        vm_fault(w, in, RULE_MEM001, help,
                 "%.*s %s %u bytes across the end of %.*s", STR_ARG(who),
                 verb(access), bytes, STR_ARG(name));
    else
        vm_fault(
            w, in, RULE_MEM001, help, "%.*s %s %u bytes, %llu bytes %s %.*s",
            STR_ARG(who), verb(access), bytes, distance,
            before ? "before the start of" : "past the end of", STR_ARG(name));
}

static bool check_alignment(VmWarp *w, const VmInstr *in, uint32_t lane,
                            uint64_t address, uint32_t bytes, VmAccess access) {
    if ((address & (bytes - 1)) == 0)
        return true;
    Str who = vm_who_lane(w, lane);
    vm_fault(w, in, RULE_MEM002, "align the address to the size of the access",
             "%.*s %s %u bytes at address 0x%llx, which is not a multiple of "
             "%u",
             STR_ARG(who), verb(access), bytes, (unsigned long long)address,
             bytes);
    return false;
}

// ---- global, constant, parameters ----------------------------------------

static void watch_store(const VmWarp *w, const VmInstr *in, Watch *watch,
                        uint64_t offset) {
    WatchPiece *piece = &watch->pieces[watch->piece_of[offset / 4]];
    piece->stores++;
    piece->at = vm_src_of(w->vm, vm_learner_loc(w->vm, w, in->loc));
    uint32_t kept = piece->writer_count < WATCH_WRITERS ? piece->writer_count
                                                        : WATCH_WRITERS;
    for (uint32_t i = 0; i < kept; i++)
        if (piece->writers[i] == w->cta->linear)
            return;
    if (kept < WATCH_WRITERS)
        piece->writers[kept] = w->cta->linear;
    piece->writer_count++;
}

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
    if (buffer->written &&
        !vm_heap_touch(w, in, lane, buffer, offset, bytes, access))
        return NULL;
    if (access == ACCESS_READ)
        return buffer->bytes + offset;
    vm->turns.progress++;
    if (buffer->read_only) {
        vm_fault(w, in, RULE_MEM005, "write to global memory instead",
                 "%.*s %s %.*s, which a kernel cannot change",
                 STR_ARG(vm_who_lane(w, lane)), verb(access),
                 STR_ARG(buffer_name(vm, number)));
        return NULL;
    }
    if (buffer->watch)
        watch_store(w, in, buffer->watch, offset);
    return buffer->bytes + offset;
}

// ---- shared --------------------------------------------------------------

static uint8_t *shared_fault(VmWarp *w, const VmInstr *in, uint32_t lane,
                             uint32_t address, uint32_t bytes,
                             VmAccess access) {
    Str who = vm_who_lane(w, lane);
    uint32_t offset;
    VmCta *owner = vm_shared_owner(w, address, &offset);
    if (!owner) {
        vm_fault(w, in, RULE_MEM001,
                 "a rank must be below the number of CTAs of the cluster",
                 "%.*s %s shared memory of CTA rank %u of a cluster of %u",
                 STR_ARG(who), verb(access), (address >> VM_RANK_SHIFT) - 1,
                 w->cta->cluster->cta_count);
        return NULL;
    }
    vm_fault(w, in, RULE_MEM001,
             "check the index against the size of the __shared__ array",
             "%.*s %s %u bytes at offset %lld of the block's shared memory "
             "(%u bytes)",
             STR_ARG(who), verb(access), bytes,
             (long long)offset - VM_SHARED_BASE, owner->smem_bytes);
    return NULL;
}

// A neighbour's shared memory is there once the neighbour runs. That a barrier
// of the cluster has completed says so, or anything that came from it.
static void check_started(VmWarp *w, const VmInstr *in, uint32_t lane,
                          const VmCta *owner, VmAccess access) {
    const Vm *vm = w->vm;
    if (owner == w->cta || owner->cluster->barrier.phase > 0 || !vm->order ||
        vm_clock_meets(&vm->order->clocks, vm_known(w, lane),
                       owner->order.serial) ||
        vm_found_again(w->vm, w, in->loc, RULE_MEM004, FINDING_ERROR))
        return;
    bool fresh;
    Finding *finding =
        vm_finding(w->vm, w, in->loc, RULE_MEM004, FINDING_ERROR, &fresh,
                   "%.*s %s shared memory of block %.*s, which may not have "
                   "started",
                   STR_ARG(vm_who_lane(w, lane)), verb(access),
                   VM_BLOCK(w->vm, owner->linear));
    if (!fresh)
        return;
    finding->help =
        STR("put a barrier of the cluster (cluster_group::sync()) in front of "
            "the first access to a neighbour's shared memory");
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
        vm_fault(w, in, RULE_MEM004,
                 "keep every CTA of the cluster alive (a cluster barrier "
                 "before the exit) until its neighbours have done",
                 "%.*s %s shared memory of block %.*s, which has exited",
                 STR_ARG(vm_who_lane(w, lane)), verb(access),
                 VM_BLOCK(w->vm, owner->linear));
        return NULL;
    }
    check_started(w, in, lane, owner, access);
    if (offset < owner->typed.to && offset + bytes > owner->typed.from &&
        !w->vm->upward->typed_access(w, in, lane, owner, offset, bytes, access))
        return NULL;
    if (access != ACCESS_READ)
        w->vm->turns.progress++;
    return owner->smem + offset;
}

// ---- local ---------------------------------------------------------------

static uint8_t *local_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                             uint32_t address, uint32_t bytes,
                             VmAccess access) {
    uint32_t top = vm_stack_top(w->frag->frame, lane);
    if ((uint64_t)address + bytes > top) {
        vm_fault(w, in, RULE_MEM001,
                 "check the index against the size of the local array",
                 "%.*s %s %u bytes at offset %u of its local memory (%u bytes)",
                 STR_ARG(vm_who_lane(w, lane)), verb(access), bytes, address,
                 top);
        return NULL;
    }
    if (w->memory.written &&
        !vm_local_touch(w, in, lane, address, bytes, access))
        return NULL;
    return w->memory.local + (size_t)lane * w->memory.local_capacity + address;
}

void vm_count_generic(Vm *vm, uint64_t address, uint32_t bytes,
                      VmAccess access) {
    uint64_t window = address & ~VM_OFFSET_MASK;
    DeviceSpace space = window == VM_WINDOW_SHARED  ? DEVICE_SPACE_SHARED
                        : window == VM_WINDOW_LOCAL ? DEVICE_SPACE_LOCAL
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
    switch ((PtxSpace)in->space) {
    case PTX_SPACE_GENERIC: {
        uint64_t window = address & ~VM_OFFSET_MASK;
        vm_count_generic(w->vm, address, bytes, access);
        if (window == VM_WINDOW_SHARED)
            return shared_memory(w, in, lane, (uint32_t)address, bytes, access);
        if (window == VM_WINDOW_LOCAL)
            return local_memory(w, in, lane, (uint32_t)address, bytes, access);
        return global_memory(w, in, lane, address, bytes, access);
    }
    case PTX_SPACE_SHARED:
        return shared_memory(w, in, lane, (uint32_t)address, bytes, access);
    case PTX_SPACE_LOCAL:
        return local_memory(w, in, lane, (uint32_t)address, bytes, access);
    case PTX_SPACE_REG:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        break;
    }
    return global_memory(w, in, lane, address, bytes, access);
}

static PtxSpace space_of(PtxSpace space, uint64_t address) {
    if (space != PTX_SPACE_GENERIC)
        return space;
    uint64_t window = address & ~VM_OFFSET_MASK;
    return window == VM_WINDOW_SHARED  ? PTX_SPACE_SHARED
           : window == VM_WINDOW_LOCAL ? PTX_SPACE_LOCAL
                                       : PTX_SPACE_GLOBAL;
}

// Where an access that has just passed was, for the order of accesses; false:
// in memory whose accesses need none.
static bool has_order(VmWarp *w, const VmInstr *in, uint64_t address,
                      VmWhere *where) {
    PtxSpace space = space_of((PtxSpace)in->space, address);
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

uint8_t *vm_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint64_t address, uint32_t bytes, VmAccess access) {
    uint8_t *at = any_memory(w, in, lane, address, bytes, access);
    VmWhere where;
    if (at && has_order(w, in, address, &where)) {
        vm_shadow_lane(w, in, lane, &where, bytes, access);
        vm_order_strong(w, in, lane, &where, access);
    }
    return at;
}

uint8_t *vm_memory_again(VmWarp *w, const VmInstr *in, uint32_t lane,
                         uint64_t address, uint32_t bytes) {
    return any_memory(w, in, lane, address, bytes, ACCESS_READ);
}

void vm_memory_loaded(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      uint64_t address, uint32_t bytes) {
    VmWhere where;
    if (has_order(w, in, address, &where))
        vm_shadow_readers(w, in, lanes, &where, bytes);
}

// ---- asynchronous accesses -----------------------------------------------

bool vm_memory_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                     PtxSpace space, uint64_t address, VmExtent extent,
                     VmAccess access, VmWhere *out) {
    space = space_of(space, address);
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
    if (space == PTX_SPACE_LOCAL || // which no asynchronous access reaches
        !global_memory(w, in, lane, address, bytes, ACCESS_READ)) {
        if (space == PTX_SPACE_LOCAL)
            report_global(w, in, lane, address, bytes, access);
        return false;
    }
    // A store is watched when it happens; here only what it may not write.
    bool refused = access != ACCESS_READ &&
                   w->vm->memory.buffers[address >> VM_BUFFER_SHIFT].read_only;
    return !refused || global_memory(w, in, lane, address, bytes, access);
}
