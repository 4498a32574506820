// SPDX-License-Identifier: Apache-2.0
// Decoded programs outlive their launch: a kernel that is launched again in the
// same way, under another schedule, is not decoded again.
//
// Decoded code depends on the module, the kernel and what `VmKept` has beside
// the program: the values of the parameters and the sizes of the launch are
// constants in it.
#include "vm/decode/isa.h"
#include "vm/program/program.h"

#include <string.h>

enum { KEPT_MOST = 4 }; // a lab's schedules take two sizes in turn

struct VmKept {
    VmProgram program;
    Arena arena; // of the program, and of this
    const VmIsa *isa;
    uint32_t grid[3], block[3], cluster_dim[3];
    uint64_t unchecked;
    bool explored, timed;
    Str prologue;
    Str args;
    VmKept *older;
};

static Str launch_args(const DeviceLaunch *launch) {
    return (Str){launch->args, launch->arg_bytes};
}

static bool has_sizes(const VmKept *kept, const VmShape *shape) {
    return memcmp(kept->grid, shape->grid, sizeof shape->grid) == 0 &&
           memcmp(kept->block, shape->block, sizeof shape->block) == 0 &&
           memcmp(kept->cluster_dim, shape->cluster_dim,
                  sizeof shape->cluster_dim) == 0;
}

static void keep_sizes(VmKept *kept, const VmShape *shape) {
    memcpy(kept->grid, shape->grid, sizeof shape->grid);
    memcpy(kept->block, shape->block, sizeof shape->block);
    memcpy(kept->cluster_dim, shape->cluster_dim, sizeof shape->cluster_dim);
}

static bool fits(const Vm *vm, const PtxFunc *kernel, const VmKept *kept) {
    const DeviceLaunch *launch = vm->launch;
    return kept->program.kernel == kernel && kept->isa == vm->isa &&
           kept->unchecked == launch->unchecked &&
           kept->explored == (launch->exploration != NULL) &&
           kept->timed == (vm->time != NULL) && has_sizes(kept, &vm->shape) &&
           str_equal(kept->prologue, launch->prologue) &&
           str_equal(kept->args, launch_args(launch));
}

static void drop_oldest(Vm *vm) {
    VmKept **link = &vm->keep.programs;
    for (int i = 0; *link && i < KEPT_MOST; i++)
        link = &(*link)->older;
    VmKept *oldest = *link;
    *link = NULL;
    if (oldest) {
        Arena arena = oldest->arena;
        arena_free(&arena);
    }
}

void vm_kept_drop(Vm *vm) {
    while (vm->keep.programs) {
        VmKept *older = vm->keep.programs->older;
        Arena arena = vm->keep.programs->arena;
        arena_free(&arena);
        vm->keep.programs = older;
    }
}

static void forget_counts(const Vm *vm, const VmProgram *program) {
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const VmFunc *func = program->funcs[i];
        if (func)
            memset(func->counts, 0, func->code_count * sizeof *func->counts);
    }
}

static const VmProgram *find(Vm *vm, const PtxFunc *kernel) {
    for (VmKept **link = &vm->keep.programs; *link; link = &(*link)->older) {
        VmKept *kept = *link;
        if (!fits(vm, kernel, kept))
            continue;
        *link = kept->older;
        kept->older = vm->keep.programs;
        vm->keep.programs = kept;
        forget_counts(vm, &kept->program);
        return &kept->program;
    }
    return NULL;
}

// The arena of the launch has nothing yet but the program: it becomes the
// program's.
const VmProgram *vm_kept_program(Vm *vm, const PtxFunc *kernel, Diag *error) {
    const VmProgram *known = find(vm, kernel);
    if (known)
        return known;
    VmProgram program;
    if (!vm_program_make(vm, kernel, &program, error))
        return NULL;
    Arena *arena = &vm->run_arena;
    VmKept *kept = arena_new(arena, VmKept, 1);
    *kept = (VmKept){.program = program,
                     .isa = vm->isa,
                     .unchecked = vm->launch->unchecked,
                     .explored = vm->launch->exploration != NULL,
                     .timed = vm->time != NULL,
                     .prologue = str_copy(arena, vm->launch->prologue),
                     .args = str_copy(arena, launch_args(vm->launch)),
                     .older = vm->keep.programs};
    keep_sizes(kept, &vm->shape);
    kept->arena = *arena;
    *arena = (Arena){0};
    vm->keep.programs = kept;
    drop_oldest(vm);
    return &kept->program;
}
