// SPDX-License-Identifier: Apache-2.0
// vm: a Device that interprets PTX on the CPU and checks every rule while it
// does.
//
// A run is a function of (PTX, inputs, model, schedule seed): nothing else,
// such as a clock, an address or a thread of this process, has any influence.
// What the models leave out: registers do not limit occupancy, and clusters are
// not confined to a GPC.
#ifndef CLCLAB_VM_VM_H
#define CLCLAB_VM_VM_H

#include "base/base.h"
#include "device/device.h"
#include "vm/state/model.h"
#include "vm/state/texture.h"

// "mini" (4 SMs of 2 CTAs each, small enough to follow; the default), "b200" or
// "rtx5090". NULL for any other name.
const VmModel *vm_model_find(Str name);

// Uses the best instruction set that this CPU supports. NULL if it supports
// none of those that the program was built for. Close it with
// device->ops->close.
Device *vm_open(const VmModel *model);

// From now on, launches are timed by the model with the device's name, with
// some figures changed ("global=500"; docs/time-model.md has the names). False,
// with a Diag, for an invalid setting.
bool vm_time(Device *device, const Str *settings, size_t count, Diags *diags);
// ---- the memory of a program ---------------------------------------------
//
// A whole program has several modules, and memory that outlives a launch. Each
// module is loaded into a Device of its own, and all of these have the same
// memory at the same addresses: the buffer of each number lies at number *
// VM_STRIDE. The caller gives out the numbers, and the bytes are its own.

#define VM_STRIDE (UINT64_C(1) << 33) // bytes from a buffer to the next
enum {
    VM_FIRST_NUMBER = 2,     // those below are the machine's
    VM_MOST_NUMBERS = 24576, // from this one on they are the heap's, of malloc
    VM_SPARE = 16,           // bytes behind a buffer, for accesses by vectors
};

typedef struct VmVariable {
    uint32_t number;
    uint8_t *bytes; // with VM_SPARE more behind them
    uint64_t size;
} VmVariable;

// From now on, load numbers a module's variables from `first`, in their order.
void vm_number(Device *device, uint32_t first);
// Gives the module's variables their first values, again if it is called again.
// From now on no launch does: each finds what the one before, or the caller,
// has left there, and in the heap.
void vm_keep(Device *device);
// What kernels have got from malloc since then: saved, put back, as often as
// one likes, and dropped.
typedef struct VmHeapCopy VmHeapCopy;
VmHeapCopy *vm_save_heap(const Device *device);
void vm_restore_heap(Device *device, const VmHeapCopy *saved);
void vm_drop_heap(VmHeapCopy *saved);
// Where a variable of the module lies. False: it is not in global or constant
// memory.
bool vm_variable(Device *device, const PtxVar *var, VmVariable *out);
// `bytes`, with VM_SPARE more behind them, become the buffer of that number, or
// take the place of a variable's bytes. They are the caller's, even if they
// were the variable's; so is the set of those that have been written, to which
// launches add (NULL: all).
void vm_map(Device *device, uint32_t number, void *bytes, uint64_t size,
            ByteSet *written);
// Accesses to that buffer are now accesses to freed memory; it had `size`
// bytes.
void vm_unmap(Device *device, uint32_t number, uint64_t size);

// From now on, kernels name the objects of the table by VM_TEXTURE_HANDLE. The
// caller may change it between launches.
void vm_textures(Device *device, const VmTextures *table);

// Uses another level of the CPU's instruction set ("v2", "v3", "v4", "base"):
// the results are the same bits, at a different speed. False if this CPU or
// this build does not have it.
bool vm_use_isa(Device *device, Str name);

#endif
