// SPDX-License-Identifier: Apache-2.0
// The memory of the device: each allocation has a number, which is its address
// (vm.h), and a Slot, which says what it is. What the program uses too lies at
// the same address in the program.
#include "runtime/core/memory.h"
#include "result/rule.h"
#include "runtime/core/copy.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"

#include <string.h>
#include <sys/mman.h>

enum {
    KEPT = 1024, // numbers that stay free before the first of them is reused
    PAGE = 4096,
};

static const uint64_t MOST_BYTES = UINT64_C(4) << 30, // of an allocation
    DEVICE_BYTES = UINT64_C(64) << 30;                // of all

// ---- numbers -------------------------------------------------------------

static Slot *slot_at(Runtime *r, uint32_t number) {
    while (r->slot_count <= number) {
        arena_grow(&r->arena, r->slots, r->slot_count, r->slot_capacity);
        r->slots[r->slot_count++] = (Slot){0};
    }
    return &r->slots[number];
}

// 0: there is none left.
static uint32_t number_take(Runtime *r, Numbers *numbers) {
    bool is_full = numbers->next == numbers->end;
    if (numbers->freed_count > (is_full ? 0 : KEPT)) {
        uint32_t number = numbers->freed_first;
        numbers->freed_first = r->slots[number].next;
        numbers->freed_count--;
        return number;
    }
    return is_full ? 0 : numbers->next++;
}

static uint32_t number_of_device(Runtime *r) {
    uint32_t number = number_take(r, &r->near);
    return number ? number : number_take(r, &r->far);
}

static void number_give(Runtime *r, uint32_t number) {
    Numbers *numbers = number < r->near.end     ? &r->near
                       : number < r->shared.end ? &r->shared
                                                : &r->far;
    if (numbers->freed_count++)
        r->slots[numbers->freed_last].next = number;
    else
        numbers->freed_first = number;
    numbers->freed_last = number;
}

uint32_t memory_reserve(Runtime *r, size_t count) {
    Numbers *numbers = count < r->near.end - r->near.next ? &r->near : &r->far;
    if (count >= numbers->end - numbers->next)
        return 0;
    uint32_t first = numbers->next;
    numbers->next += (uint32_t)count;
    return first;
}

// ---- all devices have the same -------------------------------------------

uint64_t memory_reach(const Slot *slot) {
    return slot->kind == SLOT_RESERVED ? slot->reach : slot->size;
}

static void map_in(Device *device, uint32_t number, const Slot *slot) {
    vm_map(device, number, slot->bytes, memory_reach(slot), slot->written);
}

static void map_everywhere(Runtime *r, uint32_t number) {
    for (Module *m = r->modules; m; m = m->next)
        if (m->device)
            map_in(m->device, number, &r->slots[number]);
}

void memory_set_reach(Runtime *r, Slot *slot, uint64_t bytes) {
    slot->reach = bytes;
    map_everywhere(r, (uint32_t)(slot - r->slots));
}

static void unmap_everywhere(Runtime *r, uint32_t number) {
    for (Module *m = r->modules; m; m = m->next)
        if (m->device)
            vm_unmap(m->device, number, r->slots[number].size);
}

bool memory_is_there(const Slot *slot) {
    return slot->kind != SLOT_NONE && slot->kind != SLOT_PARKED &&
           slot->kind != SLOT_FREED;
}

void memory_show(Runtime *r, Device *device) {
    for (uint32_t i = 0; i < r->slot_count; i++) {
        const Slot *slot = &r->slots[i];
        if (memory_is_there(slot))
            map_in(device, i, slot);
        else if (slot->kind != SLOT_NONE)
            vm_unmap(device, i, slot->size);
    }
}

// ---- addresses -----------------------------------------------------------

void *memory_address(const Runtime *r, const Slot *slot) {
    return (void *)(uintptr_t)((uint64_t)(slot - r->slots) * VM_STRIDE);
}

Slot *memory_slot(Runtime *r, const void *address, uint64_t *offset) {
    uint64_t at = (uintptr_t)address;
    uint64_t number = at / VM_STRIDE;
    *offset = at % VM_STRIDE;
    if (number >= r->slot_count)
        return NULL;
    Slot *slot = &r->slots[number];
    return memory_is_there(slot) && *offset <= slot->size ? slot : NULL;
}

bool memory_was(const Runtime *r, const void *address) {
    uint64_t number = (uintptr_t)address / VM_STRIDE;
    return number < r->slot_count && r->slots[number].kind != SLOT_NONE;
}

Slot *memory_mapped(Runtime *r, const void *host, uint64_t *offset) {
    for (size_t i = 0; i < r->slot_count; i++) {
        Slot *slot = &r->slots[i];
        *offset = (uintptr_t)host - (uintptr_t)slot->bytes;
        if (slot->kind == SLOT_MAPPED && *offset < slot->size)
            return slot;
    }
    return NULL;
}

// ---- what has been written -----------------------------------------------

// Whether anybody asks.
static bool is_asked(const Runtime *r) {
    return r->options.unwritten != UNWRITTEN_OFF &&
           !(r->options.unchecked >> RULE_MEM003 & 1);
}

// The device's new memory has nothing in it. All other memory the host has
// written, or may write without our knowing.
static void begin_written(Runtime *r, Slot *slot) {
    if (slot->kind == SLOT_DEVICE && is_asked(r))
        slot->written = byteset_new(slot->size);
}

void memory_written(Runtime *r, const void *address, uint64_t count) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (slot && slot->written)
        byteset_add(slot->written, offset, count);
}

void memory_copied(Runtime *r, const void *to, const void *from,
                   uint64_t count) {
    uint64_t at, from_at;
    const Slot *slot = memory_slot(r, to, &at);
    const Slot *source = memory_slot(r, from, &from_at);
    if (slot && slot->written && source && source->written)
        byteset_copy(slot->written, at, source->written, from_at, count);
    else if (slot && slot->written)
        byteset_add(slot->written, at, count);
}

// ---- allocating ----------------------------------------------------------

static size_t pages(uint64_t size) {
    return round_up(size + VM_SPARE, PAGE);
}

// Maps zeros at the number's own address in this process. NULL: something else
// is there.
static uint8_t *map_at(uint32_t number, uint64_t size) {
    void *wanted = (void *)(uintptr_t)(number * VM_STRIDE);
    void *memory =
        mmap(wanted, pages(size), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (memory == wanted)
        return memory;
    munmap(memory, pages(size));
    return NULL;
}

static uint8_t *map_anywhere(uint64_t size) {
    void *memory = mmap(NULL, pages(size), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// A number whose address is free in the program, with memory there.
static uint32_t number_shared(Runtime *r, uint64_t size, uint8_t **bytes) {
    uint32_t number = number_take(r, &r->shared);
    while (number && !(*bytes = map_at(number, size)))
        number = number_take(r, &r->shared);
    return number;
}

// A card may well have so much.
static CudaError refuse(Runtime *r) {
    runtime_message(r, DIAG_ERROR,
                    "The program allocates more memory than the virtual "
                    "machine has: 4 GiB at a time, and 64 GiB in all.",
                    "Give the program a smaller problem.");
    return CUDA_MEMORY;
}

CudaError memory_new(Runtime *r, SlotKind kind, size_t size, void **address) {
    if (!r->has_begun)
        runtime_tell(r, &(Buf){0});
    if (!address)
        return CUDA_VALUE;
    *address = NULL;
    if (size == 0)
        return CUDA_OK;
    if (size > MOST_BYTES || size > DEVICE_BYTES - r->used)
        return refuse(r);
    uint8_t *bytes = NULL;
    bool is_devices = kind == SLOT_DEVICE || kind == SLOT_RESERVED;
    uint32_t number =
        is_devices ? number_of_device(r) : number_shared(r, size, &bytes);
    if (!number)
        return CUDA_MEMORY;
    if (is_devices)
        bytes = kind == SLOT_DEVICE ? sparse_try(size + VM_SPARE)
                                    : map_anywhere(size);
    Slot *slot = slot_at(r, number);
    if (!bytes) {
        number_give(r, number);
        return CUDA_MEMORY;
    }
    *slot = (Slot){.kind = kind, .bytes = bytes, .size = size};
    begin_written(r, slot);
    r->used += size;
    map_everywhere(r, number);
    *address = memory_address(r, slot);
    return CUDA_OK;
}

static void slot_free(Runtime *r, Slot *slot) {
    uint32_t number = (uint32_t)(slot - r->slots);
    if (slot->kind == SLOT_DEVICE)
        sparse_free(slot->bytes, slot->size + VM_SPARE);
    else if (slot->kind != SLOT_MAPPED)
        munmap(slot->bytes, pages(slot->size));
    if (slot->kind != SLOT_MAPPED)
        r->used -= slot->size;
    byteset_free(slot->written);
    *slot = (Slot){.kind = SLOT_FREED, .size = slot->size};
    unmap_everywhere(r, number);
    number_give(r, number);
}

CudaError memory_free(Runtime *r, void *address, bool is_host) {
    uint64_t offset;
    if (!address)
        return CUDA_OK;
    Slot *slot = memory_slot(r, address, &offset);
    bool fits =
        slot && offset == 0 &&
        (is_host ? slot->kind == SLOT_HOST
                 : slot->kind == SLOT_DEVICE || slot->kind == SLOT_MANAGED ||
                       slot->kind == SLOT_RESERVED);
    if (!fits)
        return CUDA_VALUE;
    if (slot->graphs)
        memory_park(r, address);
    else
        slot_free(r, slot);
    return CUDA_OK;
}

// ---- memory of graphs ----------------------------------------------------

CudaError memory_new_parked(Runtime *r, size_t size, void **address) {
    if (size == 0 || size > MOST_BYTES)
        return size ? refuse(r) : CUDA_VALUE;
    uint32_t number = number_of_device(r);
    if (!number)
        return CUDA_MEMORY;
    Slot *slot = slot_at(r, number);
    *slot = (Slot){.kind = SLOT_PARKED, .size = size, .graphs = 1};
    unmap_everywhere(r, number);
    *address = memory_address(r, slot);
    return CUDA_OK;
}

static Slot *slot_of(const Runtime *r, const void *address) {
    return &r->slots[(uintptr_t)address / VM_STRIDE];
}

void memory_share_parked(Runtime *r, const void *address) {
    slot_of(r, address)->graphs++;
}

// What is not parked now is freed by the program.
void memory_drop_parked(Runtime *r, const void *address) {
    Slot *slot = slot_of(r, address);
    if (--slot->graphs == 0 && slot->kind == SLOT_PARKED) {
        *slot = (Slot){.kind = SLOT_FREED, .size = slot->size};
        number_give(r, (uint32_t)(slot - r->slots));
    }
}

CudaError memory_unpark(Runtime *r, const void *address) {
    Slot *slot = slot_of(r, address);
    if (slot->kind != SLOT_PARKED)
        return CUDA_VALUE;
    if (slot->size > DEVICE_BYTES - r->used)
        return refuse(r);
    uint8_t *bytes = sparse_try(slot->size + VM_SPARE);
    if (!bytes)
        return CUDA_MEMORY;
    slot->kind = SLOT_DEVICE;
    slot->bytes = bytes;
    begin_written(r, slot);
    r->used += slot->size;
    map_everywhere(r, (uint32_t)(slot - r->slots));
    return CUDA_OK;
}

void memory_park(Runtime *r, const void *address) {
    Slot *slot = slot_of(r, address);
    if (slot->kind != SLOT_DEVICE)
        return;
    sparse_free(slot->bytes, slot->size + VM_SPARE);
    r->used -= slot->size;
    slot->kind = SLOT_PARKED;
    slot->bytes = NULL;
    byteset_free(slot->written);
    slot->written = NULL;
    unmap_everywhere(r, (uint32_t)(slot - r->slots));
}

// ---- all of it -----------------------------------------------------------

// What graphs allocate keeps its address for them.
void memory_reset(Runtime *r) {
    if (r->array_calls)
        r->array_calls->free_all(r);
    for (size_t i = 0; i < r->slot_count; i++) {
        Slot *slot = &r->slots[i];
        if (!memory_is_there(slot) || slot->kind == SLOT_VARIABLE)
            continue;
        if (slot->graphs)
            memory_park(r, memory_address(r, slot));
        else
            slot_free(r, slot);
    }
    r->workspace = NULL;
    r->mappings = NULL;
    for (Module *m = r->modules; m; m = m->next)
        if (m->device && !m->end)
            vm_keep(m->device);
}

// ---- the program's own memory --------------------------------------------

CudaError memory_register(Runtime *r, void *host, size_t size) {
    uint64_t offset;
    if (!host || size == 0 || size > MOST_BYTES)
        return CUDA_VALUE;
    if (memory_mapped(r, host, &offset))
        return CUDA_REGISTERED;
    uint32_t number = number_of_device(r);
    if (!number)
        return CUDA_MEMORY;
    *slot_at(r, number) =
        (Slot){.kind = SLOT_MAPPED, .bytes = host, .size = size};
    map_everywhere(r, number);
    return CUDA_OK;
}

CudaError memory_unregister(Runtime *r, void *host) {
    uint64_t offset;
    Slot *slot = memory_mapped(r, host, &offset);
    if (!slot || offset != 0)
        return CUDA_NOT_REGISTERED;
    slot_free(r, slot);
    return CUDA_OK;
}

// ---- variables -----------------------------------------------------------

bool memory_adopt(Runtime *r, uint32_t number, uint8_t *bytes, uint64_t size) {
    *slot_at(r, number) =
        (Slot){.kind = SLOT_VARIABLE, .bytes = bytes, .size = size};
    map_everywhere(r, number);
    return true;
}

bool memory_share(Runtime *r, uint32_t number) {
    Slot *slot = &r->slots[number];
    uint8_t *bytes = map_at(number, slot->size);
    if (!bytes)
        return false;
    memcpy(bytes, slot->bytes, slot->size);
    slot->bytes = bytes;
    map_everywhere(r, number);
    return true;
}
