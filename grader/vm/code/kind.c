// SPDX-License-Identifier: Apache-2.0
// The kind of an instruction, as counters and the model of time tell them
// apart.
#include "vm/code/kind.h"

#include "vm/code/support.h"

// Of a family of support.h; arithmetic goes by its type, memory by its opcode.
enum { BY_TYPE = DEVICE_KIND_COUNT, BY_OPCODE };
#define KIND_int BY_TYPE
#define KIND_float BY_TYPE
#define KIND_bits DEVICE_KIND_INTEGER
#define KIND_carry DEVICE_KIND_INTEGER
#define KIND_video DEVICE_KIND_INTEGER
#define KIND_compare DEVICE_KIND_COMPARE
#define KIND_move DEVICE_KIND_MOVE
#define KIND_cvt DEVICE_KIND_CONVERT
#define KIND_cvt_pack DEVICE_KIND_CONVERT
#define KIND_memory BY_OPCODE
#define KIND_atomic DEVICE_KIND_ATOMIC
#define KIND_control DEVICE_KIND_CONTROL
#define KIND_barrier DEVICE_KIND_BARRIER
#define KIND_mbarrier DEVICE_KIND_BARRIER
#define KIND_clc DEVICE_KIND_ASYNC
#define KIND_copy DEVICE_KIND_ASYNC
#define KIND_hint DEVICE_KIND_OTHER
#define KIND_fence DEVICE_KIND_OTHER
#define KIND_warp DEVICE_KIND_WARP
#define KIND_nothing DEVICE_KIND_OTHER
#define KIND_none DEVICE_KIND_OTHER

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

DeviceKind vm_kind(const PtxInstr *in) {
    static const uint8_t kinds[PTX_OP_COUNT] = {
#define KIND(id, family, status, note) [PTX_OP_##id] = KIND_##family,
        VM_INSTRUCTIONS(KIND)
#undef KIND
    };
    uint8_t kind = kinds[in->op];
    if (kind == BY_TYPE)
        return kind_of_type(in->types[0]);
    if (kind == BY_OPCODE)
        return in->op == PTX_OP_ST ? DEVICE_KIND_STORE : DEVICE_KIND_LOAD;
    return (DeviceKind)kind;
}
