// SPDX-License-Identifier: Apache-2.0
// The table of decoders for one level of the instruction set, generated from
// the rows of support.h: see isa.h.
#ifndef VM_ISA
#define VM_ISA base
#endif
#include "vm/code/support.h"
#include "vm/decode/isa.h"
#include "vm/exec/families.h"

#define VM_TABLE_TEXT(isa) #isa
#define VM_TABLE_STRING(isa) VM_TABLE_TEXT(isa)

extern const VmIsa VM_ISA_NAME(vm_isa, VM_ISA);

const VmIsa VM_ISA_NAME(vm_isa, VM_ISA) = {
    .name = VM_TABLE_STRING(VM_ISA),
    .families =
        {
#define FAMILY(id, family, ...) [PTX_OP_##id] = vm_decode_##family,
            VM_INSTRUCTIONS(FAMILY)
#undef FAMILY
        },
    .decode_sreg = vm_decode_sreg,
    .unsupported = vm_op_unsupported,
    .local_address = vm_op_local_address,
};
