// SPDX-License-Identifier: Apache-2.0
// A cache of decoded programs across launches: a kernel that is launched again,
// under another schedule or with other parameters, is not decoded again.
//
// Decoded code depends on the module, the kernel and the other members of
// `VmCachedProgram`: the sizes of blocks and clusters are constants in it, for
// example. So are the parameters and the grid, but these are set anew.
#include "vm/decode/isa.h"
#include "vm/program/program.h"

#include <string.h>

enum { CACHE_MOST = 256 };             // kernels and sizes of a program
#define CACHE_BYTES ((size_t)64 << 20) // of all but the latest

struct VmCachedProgram {
    VmProgram program;
    Arena arena; // holds the program and this struct
    const VmIsa *isa;
    uint32_t block[3], cluster_dim[3];
    uint32_t grid[3]; // of the latest launch
    uint64_t unchecked, workspace;
    bool explored, timed;
    Str prologue;
    uint8_t *args; // [arg_bytes]: of the latest launch
    size_t arg_bytes;
    VmCachedProgram *older;
};

static bool has_sizes(const VmCachedProgram *cached, const VmShape *shape) {
    return memcmp(cached->block, shape->block, sizeof shape->block) == 0 &&
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
           cached->arg_bytes == launch->arg_bytes;
}

static void drop_all(VmCachedProgram *cached) {
    while (cached) {
        VmCachedProgram *older = cached->older;
        Arena arena = cached->arena;
        arena_free(&arena);
        cached = older;
    }
}

// Those that were used last stay.
static void drop_oldest(Vm *vm) {
    VmCachedProgram **link = &vm->persistent.programs;
    size_t bytes = 0;
    for (int i = 0; *link && i < CACHE_MOST && bytes <= CACHE_BYTES; i++) {
        bytes += i > 0 ? (*link)->arena.total : 0;
        link = &(*link)->older;
    }
    drop_all(*link);
    *link = NULL;
}

void vm_cache_drop(Vm *vm) {
    drop_all(vm->persistent.programs);
    vm->persistent.programs = NULL;
}

static void forget_counts(const Vm *vm, const VmProgram *program) {
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const VmFunc *func = program->funcs[i];
        if (func)
            memset(func->counts, 0, func->code_count * sizeof *func->counts);
    }
}

// Gives the program the parameters and the grid of this launch.
static void bind(Vm *vm, VmCachedProgram *cached) {
    const VmShape *shape = &vm->shape;
    const DeviceLaunch *launch = vm->launch;
    bool has_args = cached->arg_bytes == 0 ||
                    memcmp(cached->args, launch->args, cached->arg_bytes) == 0;
    if (has_args && memcmp(cached->grid, shape->grid, sizeof shape->grid) == 0)
        return;
    if (cached->arg_bytes)
        memcpy(cached->args, launch->args, cached->arg_bytes);
    memcpy(cached->grid, shape->grid, sizeof shape->grid);
    for (size_t i = 0; i < vm->module->func_count; i++)
        if (cached->program.funcs[i])
            vm_loose_bind(vm, cached->program.funcs[i]);
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
        bind(vm, cached);
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
    *cached = (VmCachedProgram){
        .program = program,
        .isa = vm->isa,
        .unchecked = vm->launch->unchecked,
        .workspace = vm->launch->grid_workspace,
        .explored = vm->launch->exploration != NULL,
        .timed = vm->time != NULL,
        .prologue = str_copy(arena, vm->launch->prologue),
        .args = arena_new(arena, uint8_t, vm->launch->arg_bytes + 1),
        .arg_bytes = vm->launch->arg_bytes,
        .older = vm->persistent.programs};
    keep_sizes(cached, &vm->shape);
    if (cached->arg_bytes)
        memcpy(cached->args, vm->launch->args, cached->arg_bytes);
    cached->arena = *arena;
    *arena = (Arena){0};
    vm->persistent.programs = cached;
    drop_oldest(vm);
    return &cached->program;
}
