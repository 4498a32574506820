// SPDX-License-Identifier: Apache-2.0
// The instruction families of texture/: their decoders.
#ifndef CLCLAB_VM_TEXTURE_FAMILIES_H
#define CLCLAB_VM_TEXTURE_FAMILIES_H

#include "vm/decode/decode.h"

void vm_decode_fetch(VmDecoder *d);
void vm_decode_surface(VmDecoder *d);
void vm_decode_texture_query(VmDecoder *d);

#endif
