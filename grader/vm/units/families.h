// SPDX-License-Identifier: Apache-2.0
// The instruction families of units/: their decoders.
#ifndef CLCLAB_VM_UNITS_FAMILIES_H
#define CLCLAB_VM_UNITS_FAMILIES_H

#include "vm/decode/decode.h"

void vm_decode_barrier(VmDecoder *d);
void vm_decode_mbarrier(VmDecoder *d);
void vm_decode_clc(VmDecoder *d);
void vm_decode_registers(VmDecoder *d);
void vm_decode_copy(VmDecoder *d);
void vm_decode_hint(VmDecoder *d);
void vm_decode_fence(VmDecoder *d);

#endif
