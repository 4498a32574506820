// SPDX-License-Identifier: Apache-2.0
// The instruction families and their decoders.
#ifndef CLCLAB_VM_EXEC_FAMILIES_H
#define CLCLAB_VM_EXEC_FAMILIES_H

#include "vm/decode/decode.h"
#include "vm/texture/families.h"
#include "vm/units/families.h"

// The files of exec/ are compiled once for each level of the CPU's instruction
// set, with VM_ISA defined as the level's name; the names that they export
// contain it (below). isa.h says how a level is chosen.

#ifdef VM_ISA
#define VM_ISA_PASTE(name, isa) name##_##isa
#define VM_ISA_NAME(name, isa) VM_ISA_PASTE(name, isa)
#define vm_decode_int VM_ISA_NAME(vm_decode_int, VM_ISA)
#define vm_decode_float VM_ISA_NAME(vm_decode_float, VM_ISA)
#define vm_decode_approx VM_ISA_NAME(vm_decode_approx, VM_ISA)
#define vm_decode_bits VM_ISA_NAME(vm_decode_bits, VM_ISA)
#define vm_decode_carry VM_ISA_NAME(vm_decode_carry, VM_ISA)
#define vm_decode_half VM_ISA_NAME(vm_decode_half, VM_ISA)
#define vm_decode_half_compare VM_ISA_NAME(vm_decode_half_compare, VM_ISA)
#define vm_decode_cvt_packed VM_ISA_NAME(vm_decode_cvt_packed, VM_ISA)
#define vm_decode_cvt_pack VM_ISA_NAME(vm_decode_cvt_pack, VM_ISA)
#define vm_decode_video VM_ISA_NAME(vm_decode_video, VM_ISA)
#define vm_decode_compare VM_ISA_NAME(vm_decode_compare, VM_ISA)
#define vm_decode_move VM_ISA_NAME(vm_decode_move, VM_ISA)
#define vm_decode_cvt VM_ISA_NAME(vm_decode_cvt, VM_ISA)
#define vm_decode_memory VM_ISA_NAME(vm_decode_memory, VM_ISA)
#define vm_decode_atomic VM_ISA_NAME(vm_decode_atomic, VM_ISA)
#define vm_decode_control VM_ISA_NAME(vm_decode_control, VM_ISA)
#define vm_decode_warp VM_ISA_NAME(vm_decode_warp, VM_ISA)
#define vm_decode_mma VM_ISA_NAME(vm_decode_mma, VM_ISA)
#define vm_decode_matrix_memory VM_ISA_NAME(vm_decode_matrix_memory, VM_ISA)
#define vm_decode_nothing VM_ISA_NAME(vm_decode_nothing, VM_ISA)
#define vm_decode_sreg VM_ISA_NAME(vm_decode_sreg, VM_ISA)
#define vm_op_unsupported VM_ISA_NAME(vm_op_unsupported, VM_ISA)
#define vm_op_local_address VM_ISA_NAME(vm_op_local_address, VM_ISA)
#endif

void vm_decode_int(VmDecoder *d);
void vm_decode_carry(VmDecoder *d);
void vm_decode_bits(VmDecoder *d);
void vm_decode_video(VmDecoder *d);
void vm_decode_float(VmDecoder *d);
void vm_decode_approx(VmDecoder *d);
void vm_decode_compare(VmDecoder *d);
void vm_decode_half(VmDecoder *d);
void vm_decode_half_compare(VmDecoder *d);
void vm_decode_move(VmDecoder *d);
void vm_decode_cvt(VmDecoder *d);
void vm_decode_cvt_pack(VmDecoder *d);
void vm_decode_cvt_packed(VmDecoder *d);
void vm_decode_memory(VmDecoder *d);
void vm_decode_atomic(VmDecoder *d);
void vm_decode_control(VmDecoder *d);
void vm_decode_warp(VmDecoder *d);
void vm_decode_mma(VmDecoder *d);
void vm_decode_matrix_memory(VmDecoder *d);
void vm_decode_nothing(VmDecoder *d); // accepted, but has no effect here

// Reads a special register into a temporary.
VmRef vm_decode_sreg(VmDecoder *d, PtxSreg sreg, uint32_t size);
VmNext vm_op_unsupported(VmWarp *w, const VmInstr *in, uint32_t mask);
VmNext vm_op_local_address(VmWarp *w, const VmInstr *in, uint32_t mask);

#define vm_decode_none NULL // no decoder: UNSUPPORTED

#endif
