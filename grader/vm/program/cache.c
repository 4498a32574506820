// SPDX-License-Identifier: Apache-2.0
// A cache of decoded programs across launches: a kernel that is launched again
// in the same way, under another schedule, is not decoded again.
//
// Decoded code depends on the module, the kernel and the other members of
// `VmCachedProgram`: the values of the parameters and the sizes of the launch
// are constants in it, for example.
#include "vm/decode/isa.h"
#include "vm/program/program.h"

#include <string.h>

enum { CACHE_MOST = 4 }; // the schedules of a lab alternate between two sizes

struct VmCachedProgram {
    VmProgram program;
    Arena arena; // holds the program and this struct
    const VmIsa *isa;
    uint32_t grid[3], block[3], cluster_dim[3];
    uint64_t unchecked, workspace;
    bool explored, timed;
    Str prologue;
    Str args;
    VmCachedProgram *older;
};

static Str launch_args(const DeviceLaunch *launch) {
    return (Str){launch->args, launch->arg_bytes};
}

static bool has_sizes(const VmCachedProgram *cached, const VmShape *shape) {
    return memcmp(cached->grid, shape->grid, sizeof shape->grid) == 0 &&
           memcmp(cached->block, shape->block, sizeof shape->block) == 0 &&
           memcmp(cached->cluster_dim, shape->cluster_dim,
                  sizeof shape->cluster_dim) == 0;
}

static void keep_sizes(VmCachedProgram *cached, const VmShape *shape) {
    memcpy(cached->grid, shape->grid, sizeof shape->grid);
    memcpy(cached->block, shape->block, sizeof shape->block);
    memcpy(cached->cluster_dim, shape->cluster_dim, sizeof shape->cluster_dim);
}

static bool fits(const Vm *vm, const PtxFunc *kernel,
                 const VmCachedProgram *cached) {
    const DeviceLaunch *launch = vm->launch;
    return cached->program.kernel == kernel && cached->isa == vm->isa &&
           cached->unchecked == launch->unchecked &&
           cached->workspace == launch->grid_workspace &&
           cached->explored == (launch->exploration != NULL) &&
           cached->timed == (vm->time != NULL) &&
           has_sizes(cached, &vm->shape) &&
           str_equal(cached->prologue, launch->prologue) &&
           str_equal(cached->args, launch_args(launch));
}

static void drop_oldest(Vm *vm) {
    VmCachedProgram **link = &vm->persistent.programs;
    for (int i = 0; *link && i < CACHE_MOST; i++)
        link = &(*link)->older;
    VmCachedProgram *oldest = *link;
    *link = NULL;
    if (oldest) {
        Arena arena = oldest->arena;
        arena_free(&arena);
    }
}

void vm_cache_drop(Vm *vm) {
    while (vm->persistent.programs) {
        VmCachedProgram *older = vm->persistent.programs->older;
        Arena arena = vm->persistent.programs->arena;
        arena_free(&arena);
        vm->persistent.programs = older;
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
    for (VmCachedProgram **link = &vm->persistent.programs; *link;
         link = &(*link)->older) {
        VmCachedProgram *cached = *link;
        if (!fits(vm, kernel, cached))
            continue;
        *link = cached->older;
        cached->older = vm->persistent.programs;
        vm->persistent.programs = cached;
        forget_counts(vm, &cached->program);
        return &cached->program;
    }
    return NULL;
}

// At this point the launch's arena holds nothing but the program: it becomes
// the program's arena.
const VmProgram *vm_cached_program(Vm *vm, const PtxFunc *kernel, Diag *error) {
    const VmProgram *known = find(vm, kernel);
    if (known)
        return known;
    VmProgram program;
    if (!vm_program_make(vm, kernel, &program, error))
        return NULL;
    Arena *arena = &vm->run_arena;
    VmCachedProgram *cached = arena_new(arena, VmCachedProgram, 1);
    *cached =
        (VmCachedProgram){.program = program,
                          .isa = vm->isa,
                          .unchecked = vm->launch->unchecked,
                          .workspace = vm->launch->grid_workspace,
                          .explored = vm->launch->exploration != NULL,
                          .timed = vm->time != NULL,
                          .prologue = str_copy(arena, vm->launch->prologue),
                          .args = str_copy(arena, launch_args(vm->launch)),
                          .older = vm->persistent.programs};
    keep_sizes(cached, &vm->shape);
    cached->arena = *arena;
    *arena = (Arena){0};
    vm->persistent.programs = cached;
    drop_oldest(vm);
    return &cached->program;
}
