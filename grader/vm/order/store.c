// SPDX-License-Identifier: Apache-2.0
// The memory of shadow.c: pages of cells for buffers, cells for the shared
// memory of CTAs, lists of readers, split cells. It is kept from launch to
// launch. Beyond a limit the check is incomplete.
#include "vm/order/store.h"

#include <string.h>

enum {
    READERS_MAX = 1024,   // entries in a list
    SHADOW_MAX = 1 << 30, // bytes of all pages and lists
    CHUNK_SPLITS = 256,
    PAGE_BYTES = (int)sizeof(uint32_t) * PLANES * PAGE_PLANE,
};

static void *grown(void *old, size_t size, size_t count, size_t room) {
    void *larger = heap_alloc(size, room);
    if (count)
        memcpy(larger, old, size * count);
    heap_free(old);
    return larger;
}

// ---- regions -------------------------------------------------------------

void vm_shadow_begin(Vm *vm) {
    VmOrder *o = vm->order;
    if (!o->shadow)
        o->shadow = heap_alloc(sizeof *o->shadow, 1);
    o->shadow->list_count = 1;
    o->shadow->list_free = 0;
    o->shadow->split_count = 0;
}

// A barrier of the CTA does not order its reads before writes by other CTAs or
// by copies.
static void reads_start(VmCta *cta) {
    const VmOrder *o = cta->cluster->vm->order;
    bool is_off = o->copies || o->clocks.ctas_per_cluster > 1;
    if (!cta->shadow.reads && !is_off)
        cta->shadow.reads = heap_alloc(sizeof *cta->shadow.reads, 1);
    if (!cta->shadow.reads)
        return;
    cta->shadow.reads->count = 0;
    cta->shadow.reads->is_off = is_off;
}

void vm_shadow_cta_start(VmCta *cta) {
    uint32_t cells = (cta->smem_bytes + 3) / 4;
    if (cells)
        reads_start(cta);
    if (cta->shadow.cell_count >= cells)
        return;
    heap_free(cta->shadow.cells);
    cta->shadow.cells =
        heap_alloc(sizeof *cta->shadow.cells, (size_t)cells * PLANES);
    cta->shadow.cell_count = cells;
}

static size_t page_count(const VmBuffer *buffer) {
    return (size_t)(buffer->size / (PAGE_CELLS * 4) + 1);
}

static void keep_page(struct VmShadow *s, uint32_t *page) {
    if (s->free_count == s->free_room) {
        size_t room = s->free_room * 2 + 16;
        s->free_pages =
            grown(s->free_pages, sizeof *s->free_pages, s->free_count, room);
        s->free_room = room;
    }
    s->free_pages[s->free_count++] = page;
}

static void buffer_end(Vm *vm, VmBuffer *buffer) {
    for (size_t i = 0; buffer->shadow && i < page_count(buffer); i++)
        if (buffer->shadow[i])
            keep_page(vm->order->shadow, buffer->shadow[i]);
    heap_free(buffer->shadow);
    buffer->shadow = NULL;
}

void vm_shadow_forget(Vm *vm, VmBuffer *buffer) {
    for (size_t i = 0; buffer->shadow && i < page_count(buffer); i++)
        if (buffer->shadow[i])
            memset(buffer->shadow[i], 0, PAGE_BYTES);
    buffer_end(vm, buffer);
}

void vm_shadow_end(Vm *vm) {
    for (size_t i = 0; i < vm->memory.buffer_count; i++)
        buffer_end(vm, &vm->memory.buffers[i]);
}

void vm_shadow_free(Vm *vm) {
    struct VmShadow *s = vm->persistent.order->shadow;
    if (!s)
        return;
    for (size_t i = 0; i < s->free_count; i++)
        heap_free(s->free_pages[i]);
    for (size_t i = 0; i < s->list_room; i++)
        heap_free(s->lists[i].items);
    for (size_t i = 0; i < s->chunk_count; i++)
        heap_free(s->splits[i]);
    heap_free(s->free_pages);
    heap_free(s->lists);
    heap_free(s->splits);
    heap_free(s);
    vm->persistent.order->shadow = NULL;
}

// Reserves `bytes` more. False: the limit is reached, and the check is
// incomplete.
static bool take(Vm *vm, size_t bytes) {
    struct VmShadow *s = vm->order->shadow;
    if (s->bytes + bytes > SHADOW_MAX) {
        vm_order_incomplete(vm, WORD_RECORDS_MEMORY);
        return false;
    }
    s->bytes += bytes;
    return true;
}

static uint32_t *page_new(Vm *vm) {
    struct VmShadow *s = vm->order->shadow;
    if (s->free_count)
        return s->free_pages[--s->free_count];
    if (!take(vm, PAGE_BYTES))
        return NULL;
    return heap_alloc(1, PAGE_BYTES);
}

uint32_t *vm_shadow_page(Vm *vm, uint32_t number, uint64_t page) {
    VmBuffer *buffer = &vm->memory.buffers[number];
    if (!buffer->shadow)
        buffer->shadow = heap_alloc(sizeof *buffer->shadow, page_count(buffer));
    if (!buffer->shadow[page])
        buffer->shadow[page] = page_new(vm);
    return buffer->shadow[page];
}

// ---- lists of readers ----------------------------------------------------

uint32_t vm_readers_new(Vm *vm, Cell c, uint32_t start) {
    struct VmShadow *s = vm->order->shadow;
    uint32_t number = s->list_free;
    if (number) {
        s->list_free = s->lists[number].next_free;
    } else {
        if (s->list_count >= s->list_room) {
            uint32_t room = s->list_room * 2 + 64;
            if (!take(vm, sizeof *s->lists * (room - s->list_room)))
                return 0;
            s->lists = grown(s->lists, sizeof *s->lists, s->list_room, room);
            s->list_room = room;
        }
        number = s->list_count++;
    }
    s->lists[number].count = 0;
    s->lists[number].is_cut = false;
    s->lists[number].owner = c.at;
    s->lists[number].start = start;
    return number;
}

void vm_readers_free(struct VmShadow *s, uint32_t number) {
    s->lists[number].next_free = s->list_free;
    s->list_free = number;
}

// Removes earlier reads by lanes that have read again.
static void compact(Readers *list) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        VmReader *old = &list->items[i];
        for (uint32_t k = i + 1; k < list->count; k++)
            if (list->items[k].who == old->who)
                old->lanes &= ~list->items[k].lanes;
        if (old->lanes)
            list->items[kept++] = *old;
    }
    list->count = kept;
}

void vm_readers_add(Vm *vm, uint32_t number, VmReader reader) {
    struct VmShadow *s = vm->order->shadow;
    Readers *list = &s->lists[number];
    if (number == 0)
        return;
    VmReader *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->who == reader.who && last->time == reader.time &&
        last->site == reader.site) {
        last->lanes |= reader.lanes;
        return;
    }
    if (list->is_cut)
        return;
    if (list->count == list->room)
        compact(list);
    if (list->count == READERS_MAX) {
        list->is_cut = true;
        return;
    }
    if (list->count == list->room) {
        uint32_t room = list->room * 2 + 4;
        if (!take(vm, sizeof *list->items * (room - list->room)))
            return;
        list->items =
            grown(list->items, sizeof *list->items, list->count, room);
        list->room = room;
    }
    list->items[list->count++] = reader;
}

// ---- split cells ---------------------------------------------------------

uint32_t *vm_split_at(const struct VmShadow *s, uint32_t number) {
    return s->splits[number / CHUNK_SPLITS] +
           (size_t)(number % CHUNK_SPLITS) * SPLIT_WORDS;
}

uint32_t vm_split_new(Vm *vm) {
    struct VmShadow *s = vm->order->shadow;
    if (s->split_count == s->chunk_count * CHUNK_SPLITS) {
        if (s->chunk_count == s->chunk_room) {
            uint32_t room = s->chunk_room * 2 + 16;
            s->splits =
                grown(s->splits, sizeof *s->splits, s->chunk_count, room);
            s->chunk_room = room;
        }
        if (!take(vm, SPLIT_WORDS * sizeof(uint32_t) * CHUNK_SPLITS))
            return VM_NONE;
        s->splits[s->chunk_count++] =
            heap_alloc(SPLIT_WORDS * sizeof(uint32_t), CHUNK_SPLITS);
    }
    return s->split_count++;
}
