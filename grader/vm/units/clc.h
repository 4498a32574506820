// SPDX-License-Identifier: Apache-2.0
// Between the two halves of CLC: clc.c (requests, arbiter) and clc_query.c
// (decoding of answers, the ledger, refused indices).
#ifndef CLCLAB_VM_UNITS_CLC_H
#define CLCLAB_VM_UNITS_CLC_H

#include "vm/decode/decode.h"
#include "vm/machine/machine.h"

// The request whose answer these 16 bytes are; NULL: they are no answer.
VmRequest *vm_clc_decode(const Vm *vm, const uint32_t words[4]);
void vm_decode_try_cancel(VmDecoder *d);

#endif
