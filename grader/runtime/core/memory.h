// SPDX-License-Identifier: Apache-2.0
// The memory of the device: each allocation has a number, which is its address
// (vm.h), and a Slot, which says what it is.
#ifndef CLCLAB_RUNTIME_MEMORY_H
#define CLCLAB_RUNTIME_MEMORY_H

#include "device/device.h"
#include "runtime/core/cuda.h"
#include "vm/vm.h"

typedef struct Runtime Runtime;

typedef enum SlotKind {
    SLOT_NONE,     // never used
    SLOT_DEVICE,   // cudaMalloc
    SLOT_HOST,     // cudaMallocHost: at the same address in the program
    SLOT_MANAGED,  // likewise
    SLOT_MAPPED,   // cudaHostRegister: the program's own, at another address
    SLOT_VARIABLE, // of a module
    SLOT_RESERVED, // cuMemAddressReserve
    SLOT_PARKED,   // of a graph's node: it keeps its address until the node is
                   // done
    SLOT_FREED,
} SlotKind;

// Where managed memory should lie.
typedef enum Home { HOME_NONE, HOME_HOST, HOME_DEVICE } Home;

// What the program has asked for of it.
typedef struct Advice {
    Home preferred, prefetched;
    bool is_read_mostly, is_accessed_by[HOME_DEVICE + 1];
} Advice;

// What lies at a number's address (vm.h).
typedef struct Slot {
    SlotKind kind;
    uint8_t *bytes;   // in this process
    uint64_t size;    // freed: of what was there
    ByteSet *written; // the bytes that were; NULL: all count as written
    uint32_t next;    // freed: the number that was freed next, or 0
    uint32_t graphs;  // nodes that allocate it
    uint64_t reach;   // SLOT_RESERVED: where what kernels may use ends
    Advice advice;
} Slot;

// Numbers of one range, each given out once before freed ones come again.
typedef struct Numbers {
    uint32_t next, end;
    uint32_t freed_first, freed_last, freed_count;
} Numbers;

CudaError memory_new(Runtime *r, SlotKind kind, size_t bytes, void **address);
CudaError memory_free(Runtime *r, void *address, bool is_host);
CudaError memory_register(Runtime *r, void *host, size_t bytes);
CudaError memory_unregister(Runtime *r, void *host);
// Memory that a graph's node allocates has its address from the start, and is
// parked until then. Freeing it parks it again, as long as there are such
// nodes. Sharing and dropping counts them.
CudaError memory_new_parked(Runtime *r, size_t bytes, void **address);
void memory_share_parked(Runtime *r, const void *address);
void memory_drop_parked(Runtime *r, const void *address);
CudaError memory_unpark(Runtime *r, const void *address);
void memory_park(Runtime *r, const void *address);
bool memory_is_there(const Slot *slot);
// Bytes from its start that copies and kernels find.
uint64_t memory_reach(const Slot *slot);
void memory_set_reach(Runtime *r, Slot *slot, uint64_t bytes);
// True if an address was the device's, or is behind the end of what is.
bool memory_was(const Runtime *r, const void *address);
// The slot that the address is in, which may be its end; NULL: it is in none.
Slot *memory_slot(Runtime *r, const void *address, uint64_t *offset);
// The slot of a registered place of the program; NULL: it is none.
Slot *memory_mapped(Runtime *r, const void *host, uint64_t *offset);
void *memory_address(const Runtime *r, const Slot *slot);
// A module's variable is memory too. False: there are no numbers left.
bool memory_adopt(Runtime *r, uint32_t number, uint8_t *bytes, uint64_t size);
// Where the variables of a module that has so many can begin; 0: nowhere.
uint32_t memory_reserve(Runtime *r, size_t count);
// Makes the variable's memory lie at the same address in the program.
bool memory_share(Runtime *r, uint32_t number);
// The host has written so much to the device, or has copied it there. Addresses
// of the program's own are ignored.
void memory_written(Runtime *r, const void *address, uint64_t count);
void memory_copied(Runtime *r, const void *to, const void *from,
                   uint64_t count);
// Frees all that the program has allocated and registered, arrays too, and
// gives variables their first values.
void memory_reset(Runtime *r);
// Gives a new device all memory that there is.
void memory_show(Runtime *r, Device *device);

#endif
