// SPDX-License-Identifier: Apache-2.0
// The memory of shadow.c: pages of cells for buffers, cells for the shared
// memory of CTAs, lists of readers. It is kept from launch to launch. Beyond a
// limit the check is incomplete.
#include "vm/order/store.h"

#include <string.h>

enum { READERS_MAX = 1024 }; // entries in a list
// Bytes of all pages and lists, if the launch says nothing.
#define SHADOW_MAX (UINT64_C(1) << 30)

static size_t size_of_page(uint32_t shift) {
    return sizeof(uint32_t) * PLANES * page_plane(shift);
}

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
    VmCtaShadow *s = &cta->shadow;
    if (cta->smem_bytes)
        reads_start(cta);
    if (!s->cells)
        s->shift = SHIFT_MOST;
    uint32_t cells = (cta->smem_bytes + 3) / 4 << (SHIFT_MOST - s->shift);
    if (s->cell_count >= cells)
        return;
    heap_free(s->cells);
    s->cells = heap_alloc(sizeof *s->cells, (size_t)cells * PLANES);
    s->cell_count = cells;
}

static size_t page_count(const VmBuffer *buffer) {
    return (size_t)(buffer->size / PAGE_BYTES + 1);
}

static void keep_page(struct VmShadow *s, VmPage page) {
    size_t *count = &s->unused[page.shift].count,
           *room = &s->unused[page.shift].room;
    uint32_t ***pages = &s->unused[page.shift].pages;
    if (*count == *room) {
        *room = *room * 2 + 16;
        *pages = grown(*pages, sizeof **pages, *count, *room);
    }
    (*pages)[(*count)++] = page.cells;
}

static void buffer_end(Vm *vm, VmBuffer *buffer) {
    for (size_t i = 0; buffer->shadow && i < page_count(buffer); i++)
        if (buffer->shadow[i].cells)
            keep_page(vm->order->shadow, buffer->shadow[i]);
    heap_free(buffer->shadow);
    buffer->shadow = NULL;
}

static void clear_page(VmPage page) {
    memset(page.cells, 0, size_of_page(page.shift));
}

void vm_shadow_forget(Vm *vm, VmBuffer *buffer) {
    for (size_t i = 0; buffer->shadow && i < page_count(buffer); i++)
        if (buffer->shadow[i].cells)
            clear_page(buffer->shadow[i]);
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
    for (uint32_t shift = 0; shift <= SHIFT_MOST; shift++) {
        for (size_t i = 0; i < s->unused[shift].count; i++)
            heap_free(s->unused[shift].pages[i]);
        heap_free(s->unused[shift].pages);
    }
    for (size_t i = 0; i < s->list_room; i++)
        heap_free(s->lists[i].items);
    heap_free(s->lists);
    heap_free(s);
    vm->persistent.order->shadow = NULL;
}

// Reserves `bytes` more. False: the limit is reached, and the check is
// incomplete.
static bool take(Vm *vm, size_t bytes) {
    struct VmShadow *s = vm->order->shadow;
    uint64_t most = vm->launch->records_most;
    if (s->bytes + bytes > (most ? most : SHADOW_MAX)) {
        vm_order_incomplete(vm, WORD_RECORDS_MEMORY);
        return false;
    }
    s->bytes += bytes;
    return true;
}

static VmPage page_new(Vm *vm, uint32_t shift) {
    struct VmShadow *s = vm->order->shadow;
    VmPage page = {.shift = shift};
    if (s->unused[shift].count)
        page.cells = s->unused[shift].pages[--s->unused[shift].count];
    else if (take(vm, size_of_page(shift)))
        page.cells = heap_alloc(1, size_of_page(shift));
    return page;
}

VmPage vm_shadow_page(Vm *vm, uint32_t number, uint64_t page, uint32_t shift) {
    VmBuffer *buffer = &vm->memory.buffers[number];
    if (!buffer->shadow)
        buffer->shadow = heap_alloc(sizeof *buffer->shadow, page_count(buffer));
    if (!buffer->shadow[page].cells)
        buffer->shadow[page] = page_new(vm, shift);
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

// ---- cells that are divided ----------------------------------------------

// One cell becomes several, each with the cell's list of readers, if any.
static void divide_cell(Vm *vm, Cell from, Cell to) {
    struct VmShadow *s = vm->order->shadow;
    uint32_t list = R_WHO(from), parts = 1u << (from.shift - to.shift);
    bool has_list = vm_has_list(vm, from);
    for (uint32_t i = 0; i < parts; i++, to.at++) {
        for (size_t plane = 0; plane < PLANES; plane++)
            to.at[plane * to.plane] = from.at[plane * from.plane];
        if (!has_list)
            continue;
        R_WHO(to) = vm_readers_new(vm, to, s->lists[list].start);
        for (uint32_t k = 0; k < s->lists[list].count; k++)
            vm_readers_add(vm, R_WHO(to), s->lists[list].items[k]);
        s->lists[R_WHO(to)].is_cut = s->lists[list].is_cut;
    }
    if (has_list)
        vm_readers_free(s, list);
}

static void divide_cells(Vm *vm, Cell from, uint32_t count, Cell to) {
    uint32_t parts = 1u << (from.shift - to.shift);
    for (uint32_t i = 0; i < count; i++, from.at++, to.at += parts)
        divide_cell(vm, from, to);
}

static void divide_shared(Vm *vm, VmCta *cta, uint32_t shift) {
    VmCtaShadow *s = &cta->shadow;
    uint32_t count = s->cell_count << (s->shift - shift);
    Cell from = {s->cells, s->cell_count, s->shift},
         to = {heap_alloc(sizeof *s->cells, (size_t)count * PLANES), count,
               shift};
    divide_cells(vm, from, s->cell_count, to);
    heap_free(s->cells);
    s->cells = to.at;
    s->cell_count = count;
    s->shift = shift;
}

bool vm_shadow_divide(Vm *vm, VmRegion region, uint64_t offset,
                      uint32_t shift) {
    if (region.cta) {
        divide_shared(vm, region.cta, shift);
        return true;
    }
    VmPage *page =
        &vm->memory.buffers[region.buffer].shadow[offset / PAGE_BYTES];
    VmPage finer = page_new(vm, shift);
    if (!finer.cells)
        return false;
    Cell from = {page->cells, page_plane(page->shift), page->shift},
         to = {finer.cells, page_plane(shift), shift};
    divide_cells(vm, from, PAGE_BYTES >> page->shift, to);
    clear_page(*page);
    keep_page(vm->order->shadow, *page);
    *page = finer;
    return true;
}
