// SPDX-License-Identifier: Apache-2.0
// What a run executed, by kind and by state space, computed from the counts
// that the interpreter keeps for each run of plain instructions (VmCount).
//
// An instruction that was decoded into several (for example because it reads a
// special register) counts once, by the last of them; one that was folded
// (fold.c) counts with the next one. So the counts are those of the PTX.
#include "vm/code/kind.h"
#include "vm/engine/engine.h"

// ---- bytes ---------------------------------------------------------------

// The state space of an access. False: a generic one, which is counted by the
// space that it accessed; or a parameter of a call, which is a register.
static bool space_of(const VmInstr *in, DeviceSpace *space) {
    if (in->is_frame)
        return false;
    switch ((PtxSpace)in->space) {
    case PTX_SPACE_GLOBAL:
        *space = DEVICE_SPACE_GLOBAL;
        return true;
    case PTX_SPACE_SHARED:
        *space = DEVICE_SPACE_SHARED;
        return true;
    case PTX_SPACE_LOCAL:
        *space = DEVICE_SPACE_LOCAL;
        return true;
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM:
        *space = DEVICE_SPACE_CONSTANT;
        return true;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
        break;
    }
    return false;
}

static void count_bytes(DeviceCounters *out, const VmInstr *in, DeviceKind kind,
                        uint64_t threads) {
    DeviceSpace space;
    uint64_t bytes = threads * in->width * (in->elements ? in->elements : 1);
    bool atomic = kind == DEVICE_KIND_ATOMIC;
    if ((kind != DEVICE_KIND_LOAD && kind != DEVICE_KIND_STORE && !atomic) ||
        !space_of(in, &space))
        return;
    if (kind == DEVICE_KIND_LOAD || atomic)
        out->loaded[space] += bytes;
    if (kind == DEVICE_KIND_STORE || atomic)
        out->stored[space] += bytes;
}

// ---- the whole -----------------------------------------------------------

static void count_instr(DeviceCounters *out, const VmInstr *in, uint64_t warps,
                        uint64_t threads) {
    DeviceKind kind = vm_kind(in->ptx);
    out->warp_instructions += warps;
    out->thread_instructions += threads;
    out->by_kind[kind] += threads;
    count_bytes(out, in, kind, threads);
}

// A folded load is always of a kernel parameter.
static void count_folded(DeviceCounters *out, const PtxInstr *ptx,
                         uint64_t warps, uint64_t threads) {
    VmInstr in = {.ptx = ptx,
                  .space = PTX_SPACE_PARAM,
                  .width = (uint8_t)ptx_type_size(ptx->types[0]),
                  .elements = (uint8_t)ptx_vector(ptx)};
    count_instr(out, &in, warps, threads);
}

// A warp that waited at the barrier at the end of a run enters the run there.
static void count_func(DeviceCounters *out, const VmFunc *func) {
    uint64_t warps = 0, threads = 0; // executions of the run that contains this
                                     // instruction
    uint32_t left = 0;               // instructions left in that run
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        const VmCount *count = &func->counts[pc];
        if (left == 0) {
            warps = threads = 0;
            left = in->run ? in->run : 1;
        }
        warps += count->run_warps;
        threads += count->run_threads;
        left--;
        for (uint32_t i = 1; i <= func->folded[pc]; i++)
            count_folded(out, in->ptx - i, warps + count->warps,
                         threads + count->threads);
        if (pc + 1 == func->code_count || in[1].ptx != in->ptx)
            count_instr(out, in, warps + count->warps,
                        threads + count->threads);
    }
}

// The steps that vm->steps would have counted; the fastest loop does not count
// them.
static uint64_t count_steps(const VmFunc *func) {
    uint64_t steps = 0;
    for (uint32_t pc = 0; pc < func->code_count; pc++)
        if (func->code[pc].is_visible)
            steps += func->counts[pc].run_warps + func->counts[pc].warps;
    return steps;
}

void vm_counters_finish(Vm *vm) {
    DeviceCounters *out = &vm->run->counters;
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const VmFunc *func = vm->program->funcs[i];
        if (!func || !func->decoded)
            continue;
        count_func(out, func);
        vm->run->steps += count_steps(func);
    }
    for (int space = 0; space < DEVICE_SPACE_COUNT; space++) {
        out->loaded[space] += vm->use.generic[0][space];
        out->stored[space] += vm->use.generic[1][space];
    }
}
