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
// Uses another level of the CPU's instruction set ("v2", "v3", "v4", "base"):
// the results are the same bits, at a different speed. False if this CPU or
// this build does not have it.
bool vm_use_isa(Device *device, Str name);

#endif
