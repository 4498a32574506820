// SPDX-License-Identifier: Apache-2.0
// Constants that another launch of the same code has with other values:
// parameters, the size of the grid, and what is folded out of these (fold.c).
// Each has a row of its own among the constants of its function, so that it can
// be set anew without decoding anything.
#include "vm/decode/decode.h"
#include "vm/machine/lanes.h"

#include <string.h>

// ---- while a function is decoded -----------------------------------------

// Rows are made one behind the other.
bool vm_is_loose(const VmDecoder *d, VmRef ref) {
    const VmFunc *func = d->func;
    size_t low = 0, high = func->loose_row_count;
    while (ref.sel == 1 && low < high) {
        size_t middle = (low + high) / 2;
        if (func->loose_rows[middle] == ref.off)
            return true;
        if (func->loose_rows[middle] < ref.off)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static VmRef loose_row(VmDecoder *d, uint32_t size, uint64_t low,
                       uint64_t high) {
    VmFunc *func = d->func;
    VmRef ref = vm_const_row(d, size, low, high);
    arena_grow(&d->vm->run_arena, func->loose_rows, func->loose_row_count,
               func->loose_row_capacity);
    func->loose_rows[func->loose_row_count++] = ref.off;
    return ref;
}

VmRef vm_loose_value(VmDecoder *d, uint32_t size, const uint64_t value[2],
                     VmLoose loose) {
    VmFunc *func = d->func;
    VmRef ref = loose_row(d, size, value[0], value[1]);
    loose.off = ref.off;
    loose.size = size;
    arena_grow(&d->vm->run_arena, func->loose, func->loose_count,
               func->loose_capacity);
    func->loose[func->loose_count++] = loose;
    return ref;
}

static bool has_loose_source(const VmDecoder *d, const VmInstr *in) {
    for (uint32_t i = 0; i < in->src_count; i++)
        if (vm_is_loose(d, vm_srcs(in)[i]))
            return true;
    return false;
}

bool vm_loose_result(VmDecoder *d, const VmInstr *in,
                     const uint64_t values[][2], VmRef rows[]) {
    VmFunc *func = d->func;
    Arena *arena = &d->vm->run_arena;
    if (!has_loose_source(d, in))
        return false;
    VmInstr again = *in;
    again.next = vm_op_run_ends;
    if (in->is_wide) {
        again.more = arena_new(arena, VmRef, VM_MAX_DST + VM_MAX_SRC);
        memcpy(again.more, in->more,
               (VM_MAX_DST + VM_MAX_SRC) * sizeof *again.more);
    }
    for (uint32_t i = 0; i < in->dst_count; i++) {
        rows[i] = loose_row(d, vm_dsts(in)[i].size, values[i][0], values[i][1]);
        if (in->is_wide)
            again.more[i].off = rows[i].off;
        if (i < COUNT_OF(again.dst))
            again.dst[i].off = rows[i].off;
    }
    arena_grow(arena, func->folds, func->fold_count, func->fold_capacity);
    func->folds[func->fold_count++] = again;
    return true;
}

// ---- before another launch -----------------------------------------------

static uint64_t sign_extended(uint64_t value, uint32_t width) {
    uint32_t unused = 64 - 8 * width;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

uint64_t vm_grid_sreg(const Vm *vm, PtxSreg sreg) {
    if (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z)
        return vm->shape.grid[sreg - PTX_SREG_NCTAID_X];
    return vm->shape.cluster_grid[sreg - PTX_SREG_NCLUSTERID_X];
}

static void set_value(const Vm *vm, VmFunc *func, const VmLoose *loose) {
    const VmBuffer *params = &vm->memory.buffers[vm->memory.param_buffer];
    uint64_t value[2] = {0, 0};
    if (loose->width == 0)
        value[0] = vm_grid_sreg(vm, (PtxSreg)loose->at);
    else
        memcpy(value, params->bytes + loose->at, loose->width);
    if (loose->is_signed)
        value[0] = sign_extended(value[0], loose->width);
    for (uint32_t l = 0; l < VM_LANES; l++)
        memcpy(func->consts + loose->off + (size_t)l * loose->size, value,
               loose->size);
}

void vm_loose_bind(Vm *vm, VmFunc *func) {
    VmWarp warp = {.base = {func->consts, func->consts}, .vm = vm};
    for (size_t i = 0; i < func->loose_count; i++)
        set_value(vm, func, &func->loose[i]);
    for (size_t i = 0; i < func->fold_count; i++)
        func->folds[i].handler(&warp, &func->folds[i], VM_FULL);
}
