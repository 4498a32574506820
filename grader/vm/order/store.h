// SPDX-License-Identifier: Apache-2.0
// What shadow memory consists of besides cells: lists of readers, each known by
// a number. Private to shadow.c and store.c, which allocates them, and the
// pages of cells, up to a limit.
#ifndef CLCLAB_VM_ORDER_STORE_H
#define CLCLAB_VM_ORDER_STORE_H

#include "vm/order/cell.h"

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
    struct {
        uint32_t **pages;
        size_t count, room;
    } unused[SHIFT_MOST + 1]; // pages not in use, by shift
    uint64_t bytes;
    Readers *lists; // [0] is unused
    uint32_t list_count, list_room, list_free;
};

// True if the cell's R_WHO is the number of a list. Of an earlier launch, where
// barriers alone ordered the threads, it may be a reader: 0 is one, and no
// list.
static inline bool vm_has_list(const Vm *vm, Cell c) {
    const struct VmShadow *s = vm->order->shadow;
    return (R_SITE(c) & SITE_MANY) && !vm->order->only_barriers && R_WHO(c) &&
           R_WHO(c) < s->list_count && s->lists[R_WHO(c)].owner == c.at;
}

// Divides the cells around an offset into cells of 1 << shift bytes. Reads that
// are listed must have been entered. False: there is no memory left.
bool vm_shadow_divide(Vm *vm, VmRegion region, uint64_t offset, uint32_t shift);

// A list for the cell, whose region's life began at `start`. 0: there is no
// memory left.
uint32_t vm_readers_new(Vm *vm, Cell c, uint32_t start);
void vm_readers_free(struct VmShadow *s, uint32_t number);
// number 0: does nothing.
void vm_readers_add(Vm *vm, uint32_t number, VmReader reader);

#endif
