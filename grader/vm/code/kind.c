// SPDX-License-Identifier: Apache-2.0
// The kind of an instruction, as counters and the time model distinguish it.
#include "vm/code/kind.h"

#include "vm/code/support.h"

enum { BY_TYPE = DEVICE_KIND_COUNT }; // in support.h: arithmetic
#define DEVICE_KIND_BY_TYPE BY_TYPE

static DeviceKind kind_of_type(PtxType type) {
    switch ((int)type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
        return DEVICE_KIND_FLOAT16;
    case PTX_F32:
    case PTX_F32X2:
        return DEVICE_KIND_FLOAT32;
    case PTX_F64:
        return DEVICE_KIND_FLOAT64;
    default:
        return DEVICE_KIND_INTEGER;
    }
}

static const uint8_t KINDS[PTX_OP_COUNT] = {
#define KIND(id, family, kind, status, note) [PTX_OP_##id] = DEVICE_KIND_##kind,
    VM_INSTRUCTIONS(KIND)
#undef KIND
};

DeviceKind vm_kind(const PtxInstr *in) {
    uint8_t kind = KINDS[in->op];
    return kind == BY_TYPE ? kind_of_type(in->types[0]) : (DeviceKind)kind;
}
