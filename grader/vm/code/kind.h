// SPDX-License-Identifier: Apache-2.0
// The kind of an instruction.
#ifndef CLCLAB_VM_CODE_KIND_H
#define CLCLAB_VM_CODE_KIND_H

#include "ptx/ptx.h"
#include "result/run.h"

DeviceKind vm_kind(const PtxInstr *in);

#endif
