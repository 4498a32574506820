// SPDX-License-Identifier: Apache-2.0
// What shadow memory consists of besides cells: lists of readers and cells that
// are split into bytes, each known by a number. Private to shadow.c and
// store.c, which allocates them, and the pages of cells, up to a limit.
#ifndef CLCLAB_VM_ORDER_STORE_H
#define CLCLAB_VM_ORDER_STORE_H

#include "vm/order/cell.h"

enum { SPLIT_WORDS = PLANES * 4u }; // size of a split cell

typedef struct Readers {
    VmReader *items;
    uint32_t count, room;
    bool is_cut; // some readers were left out, so a write to the cell cannot be
                 // judged
    const uint32_t *owner; // the cell that it belongs to; an older cell's
                           // number for it is stale
    uint32_t start;        // start of the cell's region
    uint32_t next_free;
} Readers;

struct VmShadow {
    uint32_t **free_pages; // pages not in use
    size_t free_count, free_room;
    uint64_t bytes;
    Readers *lists; // [0] is unused
    uint32_t list_count, list_room, list_free;
    uint32_t **splits; // each has CHUNK_SPLITS split cells of SPLIT_WORDS
    uint32_t split_count, chunk_count, chunk_room;
};

// A list for the cell, whose region's life began at `start`. 0: there is no
// memory left.
uint32_t vm_readers_new(Vm *vm, Cell c, uint32_t start);
void vm_readers_free(struct VmShadow *s, uint32_t number);
// number 0: does nothing.
void vm_readers_add(Vm *vm, uint32_t number, VmReader reader);

uint32_t *vm_split_at(const struct VmShadow *s, uint32_t number);
// Returns VM_NONE if there is no memory left.
uint32_t vm_split_new(Vm *vm);

#endif
