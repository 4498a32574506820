// SPDX-License-Identifier: Apache-2.0
// The heap of kernels: malloc and free, which new and delete also call. It has
// as many bytes as the launch says; malloc returns NULL when it is full. It is
// empty at the start of every launch. Each allocation is a buffer of its own,
// so that an access outside it, or after free, is reported like any other
// (MEM001).
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/order/shadow.h"
#include "vm/units/units.h"

enum {
    HEAP_BYTES = 8 << 20,
    HEAP_HEADER = 16,  // bytes that each allocation takes in addition
    HEAP_KEPT = 65536, // freed buffers whose numbers are not reused yet
    HEAP_SPARE = 16,   // bytes behind each, for accesses by vectors
    HEAP_FILL = 0xCD,  // new memory is not guaranteed to be zero
};

static uint64_t heap_cost(uint64_t size) {
    return round_up(size, 16) + HEAP_HEADER;
}

// ---- numbers -------------------------------------------------------------

static uint32_t number_new(Vm *vm) {
    VmHeap *heap = &vm->memory.heap;
    if (heap->freed_count > HEAP_KEPT) {
        uint32_t number = heap->freed_first;
        heap->freed_first = vm->memory.buffers[number].next_freed;
        heap->freed_count--;
        return number;
    }
    // Of a heap that outlives a launch the caller must not give out the
    // numbers.
    uint32_t first = vm->memory.is_kept && heap->first == 0
                         ? VM_HEAP_NUMBER
                         : (uint32_t)vm->memory.buffer_count;
    while (vm->memory.buffer_count <= first) {
        arena_grow(&vm->module_arena, vm->memory.buffers,
                   vm->memory.buffer_count, vm->memory.buffer_capacity);
        vm->memory.buffers[vm->memory.buffer_count++] = (VmBuffer){0};
    }
    if (heap->first == 0)
        heap->first = first;
    return first;
}

static void number_freed(Vm *vm, uint32_t number) {
    VmHeap *heap = &vm->memory.heap;
    if (heap->freed_count++)
        vm->memory.buffers[heap->freed_last].next_freed = number;
    else
        heap->freed_first = number;
    heap->freed_last = number;
}

// ---- malloc --------------------------------------------------------------

static bool heap_has(const Vm *vm, uint64_t size) {
    uint64_t most = vm->launch->heap_bytes;
    most = most ? most : HEAP_BYTES;
    return size <= most && vm->memory.heap.used <= most &&
           heap_cost(size) <= most - vm->memory.heap.used;
}

static uint64_t heap_take(Vm *vm, uint64_t size, uint32_t loc) {
    if (size == 0 || !heap_has(vm, size))
        return 0;
    vm->memory.heap.used += heap_cost(size);
    uint32_t number = number_new(vm);
    uint8_t *bytes = heap_alloc(1, (size_t)size + HEAP_SPARE);
    memset(bytes, HEAP_FILL, (size_t)size);
    vm_work_bytes(vm, WORK_CLEAR, size);
    vm->memory.buffers[number] = (VmBuffer){
        .bytes = bytes, .size = size, .heap_size = size, .heap_loc = loc};
    if (vm_wants(vm, RULE_MEM003))
        vm_buffer_begin(&vm->memory.buffers[number]);
    return (uint64_t)number << VM_BUFFER_SHIFT;
}

VmNext vm_malloc(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t size = vm_argument(w, in, 0, l);
        vm_give_result(w, in, l, heap_take(w->vm, size, in->loc));
    }
    w->vm->turns.progress++;
    return VM_GO;
}

// ---- free ----------------------------------------------------------------

static VmNext bad_free(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint64_t address, const VmBuffer *freed) {
    if (!freed)
        return vm_faulted(w, in, CASE_MEM001_FREE_UNKNOWN,
                          FACTS(FACT_LANE(w, lane), FACT(ADDRESS, address)));
    vm_faulted(w, in, CASE_MEM001_FREE_AGAIN,
               FACTS(FACT_LANE(w, lane), FACT(SIZE, freed->heap_size)));
    vm_fault_at(w->vm, PLACE_FREED, freed->heap_loc);
    return VM_STOP;
}

static VmNext free_one(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    uint64_t address = vm_argument(w, in, 0, lane);
    uint64_t number = address >> VM_BUFFER_SHIFT;
    if (address == 0)
        return VM_GO;
    if ((address & VM_OFFSET_MASK) || number >= vm->memory.buffer_count ||
        !vm->memory.buffers[number].heap_size)
        return bad_free(w, in, lane, address, NULL);
    VmBuffer *buffer = &vm->memory.buffers[number];
    if (buffer->is_freed)
        return bad_free(w, in, lane, address, buffer);
    vm->memory.heap.used -= heap_cost(buffer->heap_size);
    heap_free(buffer->bytes);
    vm_buffer_known(buffer);
    buffer->bytes = NULL;
    buffer->size = 0;
    buffer->is_freed = true;
    if (w->vm->order)
        vm_shadow_forget(w->vm, buffer);
    buffer->heap_loc = in->loc;
    number_freed(vm, (uint32_t)number);
    return VM_GO;
}

VmNext vm_free(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        if (free_one(w, in, l) == VM_STOP)
            return VM_STOP;
    }
    w->vm->turns.progress++;
    return VM_GO;
}

static void heap_clear(Vm *vm) {
    if (vm->memory.heap.first) {
        for (size_t i = vm->memory.heap.first; i < vm->memory.buffer_count;
             i++) {
            heap_free(vm->memory.buffers[i].bytes);
            vm_buffer_known(&vm->memory.buffers[i]);
        }
        vm->memory.buffer_count = vm->memory.heap.first;
    }
    vm->memory.heap = (VmHeap){0};
}

void vm_heap_end(Vm *vm) {
    if (!vm->memory.is_kept)
        heap_clear(vm);
}

// ---- a heap that is put back ---------------------------------------------

struct VmHeapCopy {
    VmHeap heap;
    size_t count;
    VmBuffer buffers[]; // [count], from heap.first on
};

// The same buffer with bytes of its own. Between launches nothing of a launch
// is in it.
static VmBuffer buffer_clone(const VmBuffer *buffer) {
    VmBuffer clone = *buffer;
    if (buffer->bytes) {
        clone.bytes = heap_alloc(1, (size_t)buffer->size + HEAP_SPARE);
        memcpy(clone.bytes, buffer->bytes, (size_t)buffer->size);
    }
    if (buffer->written)
        clone.written = byteset_clone(buffer->written);
    return clone;
}

VmHeapCopy *vm_heap_copy(const Vm *vm) {
    const VmMemory *memory = &vm->memory;
    uint32_t first = memory->heap.first;
    size_t count = first ? memory->buffer_count - first : 0;
    VmHeapCopy *copy =
        heap_alloc(1, sizeof *copy + count * sizeof copy->buffers[0]);
    copy->heap = memory->heap;
    copy->count = count;
    for (size_t i = 0; i < count; i++)
        copy->buffers[i] = buffer_clone(&memory->buffers[first + i]);
    return copy;
}

void vm_heap_put_back(Vm *vm, const VmHeapCopy *copy) {
    VmMemory *memory = &vm->memory;
    heap_clear(vm);
    memory->heap = copy->heap;
    for (size_t i = 0; i < copy->count; i++) {
        arena_grow(&vm->module_arena, memory->buffers, memory->buffer_count,
                   memory->buffer_capacity);
        memory->buffers[memory->buffer_count++] =
            buffer_clone(&copy->buffers[i]);
    }
}

void vm_heap_copy_free(VmHeapCopy *copy) {
    for (size_t i = 0; i < copy->count; i++) {
        heap_free(copy->buffers[i].bytes);
        byteset_free(copy->buffers[i].written);
    }
    heap_free(copy);
}

void vm_buffer_forget(Vm *vm, uint32_t number) {
    vm_buffer_begin(&vm->memory.buffers[number]);
}

void vm_buffers_known(Vm *vm) {
    for (size_t i = 0; i < vm->memory.buffer_count; i++)
        if (!vm->memory.buffers[i].is_lent)
            vm_buffer_known(&vm->memory.buffers[i]);
}
