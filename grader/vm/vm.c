// SPDX-License-Identifier: Apache-2.0
// The virtual machine as a Device: models, modules, buffers, launches. Read
// vm_launch; the table of operations follows it.
#include "vm/vm.h"

#include <string.h>

#include "vm/decode/address.h"
#include "vm/decode/follow.h"
#include "vm/decode/isa.h"
#include "vm/engine/engine.h"
#include "vm/engine/explore.h"
#include "vm/order/order.h"
#include "vm/program/program.h"
#include "vm/trace/trace.h"
#include "vm/units/clc.h"
#include "vm/units/units.h"

static const uint64_t DEFAULT_STEPS = 400 * 1000 * 1000;  // thread-instructions
static const uint64_t MEMORY_MAX = UINT64_C(4) << 30;     // bytes of one buffer
static const uint64_t DEFAULT_MEMORY = UINT64_C(4) << 30; // for a launch
enum { MAX_CLUSTERS = 64 * 1024 * 1024 };

// A value written to a device global before each launch, after the global's
// initialiser.
typedef struct VmSymbolWrite {
    struct VmSymbolWrite *next;
    uint32_t buffer;
    uint64_t count;
    bool is_new; // no launch has been since
    uint8_t bytes[];
} VmSymbolWrite;

// ---- models --------------------------------------------------------------

static const VmModel models[] = {
    {.name = "mini",
     .device_name = "vm:mini",
     .sm_count = 4,
     .ctas_per_sm = 2,
     .threads_per_sm = 2048,
     .smem_per_sm = 228 * 1024,
     .smem_per_cta = DEVICE_MOST_SHARED,
     .smem_reserved = 1024},
    {.name = "b200",
     .device_name = "vm:b200",
     .sm_count = 148,
     .ctas_per_sm = 32,
     .threads_per_sm = 2048,
     .smem_per_sm = 228 * 1024,
     .smem_per_cta = DEVICE_MOST_SHARED,
     .smem_reserved = 1024},
    {.name = "rtx5090",
     .device_name = "vm:rtx5090",
     .sm_count = 170,
     .ctas_per_sm = 24,
     .threads_per_sm = 1536,
     .smem_per_sm = 100 * 1024,
     .smem_per_cta = 99 * 1024,
     .smem_reserved = 1024},
};

const VmModel *vm_model_find(Str name) {
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (str_equal(name, str_from(models[i].name)))
            return &models[i];
    return NULL;
}

static Vm *of(Device *device) {
    return (Vm *)(void *)device;
}

// ---- buffers and modules -------------------------------------------------

static uint32_t buffer_add(Vm *vm, uint64_t size) {
    arena_grow(&vm->module_arena, vm->memory.buffers, vm->memory.buffer_count,
               vm->memory.buffer_capacity);
    vm->memory.buffers[vm->memory.buffer_count] =
        (VmBuffer){.bytes = sparse_alloc(size + VM_SPARE), .size = size};
    return (uint32_t)vm->memory.buffer_count++;
}

static void free_bytes(VmBuffer *buffer) {
    if (!buffer->is_lent)
        sparse_free(buffer->bytes, buffer->size + VM_SPARE);
}

static void free_buffer(VmBuffer *buffer) {
    free_bytes(buffer);
    if (!buffer->is_lent)
        byteset_free(buffer->written);
}

static void module_unload(Vm *vm) {
    vm->memory.is_kept = false;
    vm_heap_end(vm);
    for (size_t i = 0; i < vm->memory.buffer_count; i++)
        free_buffer(&vm->memory.buffers[i]);
    arena_free(&vm->module_arena);
    vm->memory.buffers = NULL;
    vm->memory.buffer_count = vm->memory.buffer_capacity = 0;
    vm->module = NULL;
    vm->memory.writes = NULL;
    vm->memory.was_launched = false;
}

// Makes `number` a buffer, with nothing in it if it is new.
static VmBuffer *buffer_at(Vm *vm, uint32_t number) {
    while (vm->memory.buffer_count <= number) {
        arena_grow(&vm->module_arena, vm->memory.buffers,
                   vm->memory.buffer_count, vm->memory.buffer_capacity);
        vm->memory.buffers[vm->memory.buffer_count++] = (VmBuffer){0};
    }
    return &vm->memory.buffers[number];
}

static bool is_memory(const PtxVar *var) {
    return var->space == PTX_SPACE_GLOBAL || var->space == PTX_SPACE_CONST;
}

static bool variables_fit(const PtxModule *module, Diags *diags) {
    uint64_t left = MEMORY_MAX;
    for (size_t i = 0; i < module->var_count; i++) {
        const PtxVar *var = module->vars[i];
        if (!is_memory(var))
            continue;
        if (var->size > left) {
            diag_add(diags, DIAG_ERROR, (SrcLoc){.line = var->line},
                     "variable %.*s is too large: the virtual machine has 4 "
                     "GiB for all of them",
                     STR_ARG(var->name));
            return false;
        }
        left -= var->size;
    }
    return true;
}

static bool vm_load(Device *device, const PtxModule *module, Diags *diags) {
    Vm *vm = of(device);
    if (module != vm->module) // the old module is still alive: see device.h
        vm_cache_drop(vm);
    module_unload(vm);
    vm->module = module;
    vm->memory.module_buffers =
        arena_new(&vm->module_arena, uint32_t, module->var_count + 1);
    buffer_add(vm, 0); // number 0 is not used
    vm->memory.param_buffer = buffer_add(vm, DEVICE_MOST_PARAMETERS);
    vm->memory.buffers[vm->memory.param_buffer].read_only = true;
    if (!variables_fit(module, diags))
        return false;
    if (vm->memory.first_variable > vm->memory.buffer_count)
        buffer_at(vm, vm->memory.first_variable - 1);
    for (size_t i = 0; i < module->var_count; i++) {
        const PtxVar *var = module->vars[i];
        if (!is_memory(var))
            continue;
        uint32_t number = buffer_add(vm, var->size);
        vm->memory.buffers[number].var = var;
        vm->memory.buffers[number].read_only = var->space == PTX_SPACE_CONST;
        vm->memory.module_buffers[i] = number;
    }
    vm->memory.first_user_buffer = (uint32_t)vm->memory.buffer_count;
    return true;
}

static bool vm_alloc(Device *device, uint64_t bytes, uint32_t *index,
                     uint64_t *address, Diags *diags) {
    Vm *vm = of(device);
    if (bytes > MEMORY_MAX) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "a buffer of %llu bytes is more than the virtual machine has",
                 (unsigned long long)bytes);
        return false;
    }
    uint32_t number = buffer_add(vm, bytes);
    *index = number - vm->memory.first_user_buffer;
    *address = (uint64_t)number << VM_BUFFER_SHIFT;
    return true;
}

static uint8_t *user_bytes(Vm *vm, uint32_t buffer, uint64_t offset,
                           uint64_t count) {
    uint64_t number = (uint64_t)vm->memory.first_user_buffer + buffer;
    if (number >= vm->memory.buffer_count)
        return NULL;
    const VmBuffer *b = &vm->memory.buffers[number];
    if (count > b->size || offset > b->size - count)
        return NULL;
    return b->bytes + offset;
}

static bool vm_write(Device *device, uint32_t buffer, uint64_t offset,
                     const void *bytes, uint64_t count) {
    uint8_t *to = user_bytes(of(device), buffer, offset, count);
    if (to && count)
        memcpy(to, bytes, count);
    return to != NULL;
}

static bool vm_read(Device *device, uint32_t buffer, uint64_t offset,
                    void *bytes, uint64_t count) {
    const uint8_t *from = user_bytes(of(device), buffer, offset, count);
    if (from && count)
        memcpy(bytes, from, count);
    return from != NULL;
}

static bool vm_write_symbol(Device *device, Str name, const void *bytes,
                            uint64_t count) {
    Vm *vm = of(device);
    const PtxVar *var = vm->module ? ptx_find_var(vm->module, name) : NULL;
    if (!var || !is_memory(var) || var->size < count)
        return false;
    VmSymbolWrite *write = arena_alloc(&vm->module_arena, sizeof *write + count,
                                       _Alignof(VmSymbolWrite), 1);
    write->buffer = vm->memory.module_buffers[var->id];
    write->count = count;
    write->is_new = true;
    memcpy(write->bytes, bytes, count);
    VmSymbolWrite **link = &vm->memory.writes;
    while (*link && (*link)->buffer != write->buffer)
        link = &(*link)->next;
    write->next = *link ? (*link)->next : NULL; // the latest value replaces an
                                                // earlier one
    *link = write;
    return true;
}

static void relocate(Vm *vm, uint8_t *bytes, uint64_t size,
                     const PtxReloc *reloc) {
    uint64_t address = 0;
    if (reloc->symbol.kind == PTX_SYM_VAR && is_memory(reloc->symbol.var))
        vm_module_address(vm, reloc->symbol.var, &address);
    else if (reloc->symbol.kind == PTX_SYM_FUNC)
        address = vm_func_address(reloc->symbol.func);
    address = (address + (uint64_t)reloc->addend) >> reloc->shift;
    if (reloc->offset + reloc->size <= size && reloc->size <= 8)
        memcpy(bytes + reloc->offset, &address, reloc->size);
}

// Gives `bytes`, which are zero, what the variable holds in a freshly loaded
// module.
static void fill_global(Vm *vm, const PtxVar *var, uint8_t *bytes) {
    uint32_t number = vm->memory.module_buffers[var->id];
    if (var->init) {
        memcpy(bytes, var->init, var->size);
        vm_work_bytes(vm, WORK_CLEAR, var->size);
    }
    for (size_t k = 0; k < var->reloc_count; k++)
        relocate(vm, bytes, var->size, &var->relocs[k]);
    for (const VmSymbolWrite *w = vm->memory.writes; w; w = w->next)
        if (w->buffer == number)
            memcpy(bytes, w->bytes, w->count);
}

// What has been written since the last launch, in variables that are kept.
static void apply_writes(Vm *vm) {
    for (VmSymbolWrite *w = vm->memory.writes; w; w = w->next) {
        if (w->is_new)
            memcpy(vm->memory.buffers[w->buffer].bytes, w->bytes, w->count);
        w->is_new = false;
    }
}

static void reset_globals(Vm *vm) {
    for (VmSymbolWrite *w = vm->memory.writes; w; w = w->next)
        w->is_new = false; // fill_global applies all
    for (size_t i = 0; i < vm->module->var_count; i++) {
        const PtxVar *var = vm->module->vars[i];
        if (!is_memory(var))
            continue;
        uint8_t *bytes = vm->memory.buffers[vm->memory.module_buffers[i]].bytes;
        if (vm->memory.was_launched)
            sparse_clear(bytes, var->size + VM_SPARE);
        fill_global(vm, var, bytes);
    }
    vm->memory.was_launched = true;
}

// Lists the variables that hold something else than in a freshly loaded module.
// Those of more than NOTED_BYTES are left out, to save time.
static void note_changed(Vm *vm) {
    enum { NOTED_BYTES = 1 << 20 };
    DeviceRun *run = vm->run;
    for (size_t i = 0; i < vm->module->var_count; i++) {
        const PtxVar *var = vm->module->vars[i];
        if (!is_memory(var) || var->size == 0 || var->size > NOTED_BYTES)
            continue;
        uint8_t *fresh = arena_new(&vm->run_arena, uint8_t, var->size);
        fill_global(vm, var, fresh);
        vm_work_bytes(vm, WORK_CLEAR, var->size);
        if (memcmp(fresh,
                   vm->memory.buffers[vm->memory.module_buffers[i]].bytes,
                   var->size) == 0)
            continue;
        arena_grow(vm->out, run->changed, run->changed_count,
                   run->changed_capacity);
        run->changed[run->changed_count++] = ptx_plain_name(var->name);
    }
}

static bool vm_function(Device *device, Str name, uint64_t *address) {
    Vm *vm = of(device);
    const PtxFunc *func = ptx_find_func(vm->module, name);
    const PtxVar *var = ptx_find_var(vm->module, name);
    if (func && !func->is_entry && vm_callee(func)->has_body) {
        *address = vm_func_address(func);
        return true;
    }
    if (!var || !is_memory(var) || var->size != sizeof *address)
        return false;
    *address = 0;
    fill_global(vm, var, (uint8_t *)address);
    return true;
}

static void vm_forget(Device *device, uint32_t buffer) {
    Vm *vm = of(device);
    vm_buffer_forget(vm, vm->memory.first_user_buffer + buffer);
}

// ---- what fits -----------------------------------------------------------

static void vm_info(Device *device, DeviceInfo *out) {
    const Vm *vm = of(device);
    *out = (DeviceInfo){.name = str_from(vm->model->device_name),
                        .sm_count = vm->model->sm_count,
                        .max_threads_per_block = VM_MAX_THREADS};
}

// The shared memory of a block. A sum that overflows becomes more than any SM
// has.
static uint32_t all_smem(const VmProgram *program, uint32_t dynamic) {
    uint64_t sum = (uint64_t)program->static_smem + dynamic;
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

static uint32_t vm_blocks_per_sm(Device *device, Str kernel,
                                 uint32_t threads_per_block,
                                 uint32_t dynamic_smem) {
    Vm *vm = of(device);
    const PtxFunc *func = vm->module ? ptx_find_func(vm->module, kernel) : NULL;
    if (!func || threads_per_block == 0 || threads_per_block > VM_MAX_THREADS)
        return 0;
    VmProgram program;
    vm_program_layout(vm, func, &program);
    vm->shape.threads = threads_per_block;
    vm->shape.smem_bytes = all_smem(&program, dynamic_smem);
    uint32_t fit = vm_sm_fit(vm);
    arena_free(&vm->run_arena);
    return fit;
}

// ---- launching -----------------------------------------------------------

static bool refuse(DeviceRun *run, Str what, const char *help) {
    run->status = RUN_REFUSED;
    run->error = (Diag){.what = what, .help = str_from(help)};
    return false;
}

static uint32_t or_one(uint32_t value) {
    return value ? value : 1;
}

static bool refuse_cluster(Vm *vm, uint64_t size) {
    Str what = str_format(vm->out, "a cluster of %llu blocks is larger than %d",
                          (unsigned long long)size, VM_MAX_CLUSTER);
    Str help = str_format(vm->out,
                          "use a cluster of at most %d blocks (%d where the "
                          "card allows it)",
                          DEVICE_PORTABLE_CLUSTER, VM_MAX_CLUSTER);
    return refuse(vm->run, what, str_cstring(vm->out, help));
}

// Sets the cluster size. The launch's and the kernel's own must agree.
static bool set_cluster(Vm *vm, const DeviceLaunch *launch,
                        const PtxFunc *kernel) {
    const uint32_t own[3] = {kernel->req_cluster.x, kernel->req_cluster.y,
                             kernel->req_cluster.z};
    bool has_own = own[0] != 0;
    if (kernel->blocks_are_clusters && (!has_own || !kernel->req_threads.x))
        return refuse(vm->run,
                      STR("the kernel says .blocksareclusters, but not how "
                          "large its clusters and blocks are"),
                      "add .reqnctapercluster and .reqntid");
    for (int i = 0; i < 3; i++) {
        uint32_t asked = or_one(launch->cluster[i]);
        vm->shape.cluster_dim[i] = has_own ? or_one(own[i]) : asked;
        if (has_own && asked != 1 && asked != vm->shape.cluster_dim[i])
            return refuse(vm->run,
                          STR("the launch asks for another cluster size than "
                              "the kernel declares"),
                          "use the size of __cluster_dims__, or none");
    }
    uint64_t size = (uint64_t)vm->shape.cluster_dim[0] *
                    vm->shape.cluster_dim[1] * vm->shape.cluster_dim[2];
    vm->shape.cluster_size = (uint32_t)size;
    vm->shape.explicit_cluster = kernel->explicit_cluster || size > 1;
    if (size > VM_MAX_CLUSTER)
        return refuse_cluster(vm, size);
    return true;
}

static bool refuse_remainder(Vm *vm, char axis, uint32_t blocks,
                             uint32_t cluster) {
    return refuse(vm->run,
                  str_format(vm->out,
                             "a cluster of %u in %c does not divide %u blocks: "
                             "the grid is no multiple of the cluster",
                             cluster, axis, blocks),
                  "round the grid up to whole clusters, or use another cluster "
                  "size");
}

static bool refuse_dimension(Vm *vm) {
    Str help = str_format(
        vm->out,
        "a block has 1 to %d threads; a grid up to %d x %d x %d blocks",
        DEVICE_MOST_THREADS, DEVICE_MOST_BLOCKS, DEVICE_MOST_BLOCKS_YZ,
        DEVICE_MOST_BLOCKS_YZ);
    return refuse(vm->run,
                  STR("a dimension of the grid or block is zero or too large"),
                  str_cstring(vm->out, help));
}

static bool set_grid(Vm *vm, const DeviceLaunch *launch,
                     const PtxFunc *kernel) {
    static const uint32_t most[3] = DEVICE_MOST_GRID;
    uint64_t threads = 1, clusters = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t blocks = launch->grid[i];
        if (kernel->blocks_are_clusters) // the grid counts clusters
            blocks *= vm->shape.cluster_dim[i];
        vm->shape.grid[i] = blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
        vm->shape.block[i] = launch->block[i];
        if (!vm->shape.grid[i] || !vm->shape.block[i] ||
            vm->shape.block[i] > VM_MAX_THREADS || vm->shape.grid[i] > most[i])
            return refuse_dimension(vm);
        threads *= vm->shape.block[i];
        if (vm->shape.grid[i] % vm->shape.cluster_dim[i])
            return refuse_remainder(vm, (char)('x' + i), vm->shape.grid[i],
                                    vm->shape.cluster_dim[i]);
        vm->shape.cluster_grid[i] =
            vm->shape.grid[i] / vm->shape.cluster_dim[i];
        clusters *= vm->shape.cluster_grid[i];
    }
    const PtxDim3 *req = &kernel->req_threads, *max = &kernel->max_threads;
    bool misfit = (req->x && (req->x != vm->shape.block[0] ||
                              or_one(req->y) != vm->shape.block[1] ||
                              or_one(req->z) != vm->shape.block[2])) ||
                  (max->x && threads > (uint64_t)max->x * or_one(max->y) *
                                           or_one(max->z));
    if (threads > VM_MAX_THREADS || misfit)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "a block of %llu threads is more than the "
                                 "kernel or the card allows",
                                 (unsigned long long)threads),
                      "look at __launch_bounds__ and __block_size__");
    if (clusters > MAX_CLUSTERS)
        return refuse(vm->run,
                      STR("the grid is too large for the virtual machine"),
                      "launch fewer blocks");
    vm->shape.threads = (uint32_t)threads;
    vm->shape.cluster_count = (uint32_t)clusters;
    vm->run->ledger.totals.grid = clusters * vm->shape.cluster_size;
    return true;
}

// What `resident` blocks need before they make any call.
static uint64_t memory_of(const Vm *vm, uint64_t resident) {
    const VmFunc *entry = vm->program->entry;
    uint64_t blocks =
        (uint64_t)vm->shape.cluster_count * vm->shape.cluster_size;
    uint64_t warps = vm_warps_of_cta(vm);
    uint64_t per_byte =
        VM_LANES + (vm_wants(vm, RULE_MEM003) ? sizeof(uint32_t) : 0);
    uint64_t local = (uint64_t)entry->local_bytes * VM_LOCAL_GROWTH * per_byte;
    return (resident < blocks ? resident : blocks) *
           (warps * (entry->frame_bytes + local) + vm->shape.smem_bytes);
}

static uint64_t memory_limit(const Vm *vm) {
    return vm->launch->memory_limit ? vm->launch->memory_limit : DEFAULT_MEMORY;
}

static bool set_memory(Vm *vm, uint64_t resident) {
    uint64_t need = memory_of(vm, resident), limit = memory_limit(vm);
    if (need > limit)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "the blocks that are resident together need "
                                 "%llu KiB for their registers, local and "
                                 "shared memory; there are %llu KiB",
                                 (unsigned long long)need >> 10,
                                 (unsigned long long)limit >> 10),
                      "use smaller local arrays, or fewer threads in a block");
    vm->use.left = limit - need;
    return true;
}

// All blocks of a cooperative grid run together, else those of a cluster.
static uint64_t blocks_together(const Vm *vm) {
    uint64_t size = vm->shape.cluster_size;
    return vm->launch->grid_workspace ? size * vm->shape.cluster_count : size;
}

// Whether the model holds what has to run together, if an SM holds `fit`
// blocks.
static bool fits_together(Vm *vm, uint32_t fit) {
    uint32_t sms = vm->model->sm_count, size = vm->shape.cluster_size;
    uint32_t all = fit * sms, whole = all / size * size;
    if (fit == 0)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "no SM of model %s holds a block of %u "
                                 "threads with %u bytes of shared memory",
                                 vm->model->name, vm->shape.threads,
                                 vm->shape.smem_bytes),
                      "use fewer threads or less shared memory");
    if (whole == 0)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "a cluster of %u blocks is too large: model "
                                 "%s holds %u of these blocks, %u on each SM",
                                 size, vm->model->name, all, fit),
                      "use a smaller cluster, a larger --gpu-model, or less "
                      "shared memory");
    if (blocks_together(vm) > whole)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "a cooperative grid of %llu blocks does not "
                                 "fit: model %s holds %u of these blocks "
                                 "together",
                                 (unsigned long long)blocks_together(vm),
                                 vm->model->name, whole),
                      "launch at most so many, or use a larger --gpu-model");
    return true;
}

// The blocks of a card's SMs may need more memory than there is, for their
// local arrays. Then fewer SMs have blocks, but as many as must run together,
// and half of the memory is left for calls.
static void spare_memory(Vm *vm, uint32_t fit) {
    uint32_t size = vm->shape.cluster_size;
    uint64_t limit = memory_limit(vm);
    if (memory_of(vm, (uint64_t)fit * vm->tuning.sm_count) <= limit)
        return;
    while (memory_of(vm, (uint64_t)fit * vm->tuning.sm_count) > limit / 2 &&
           fit * (vm->tuning.sm_count - 1) / size * size >= blocks_together(vm))
        vm->tuning.sm_count--;
}

static bool set_residency(Vm *vm) {
    uint32_t fit = vm_sm_fit(vm), size = vm->shape.cluster_size;
    if (!fits_together(vm, fit))
        return false;
    while (fit * vm->tuning.sm_count / size * size < blocks_together(vm))
        vm->tuning.sm_count++;
    spare_memory(vm, fit);
    if (!set_memory(vm, (uint64_t)fit * vm->tuning.sm_count))
        return false;
    vm->engine.sms = arena_new(&vm->run_arena, VmSm, vm->model->sm_count);
    return true;
}

static bool set_arguments(Vm *vm, const DeviceLaunch *launch,
                          const PtxFunc *kernel) {
    VmBuffer *params = &vm->memory.buffers[vm->memory.param_buffer];
    uint64_t need = ptx_param_bytes(kernel);
    if (need != launch->arg_bytes || need > DEVICE_MOST_PARAMETERS)
        return refuse(vm->run,
                      str_format(vm->out,
                                 "the kernel takes %llu bytes of parameters, "
                                 "and is given %zu",
                                 (unsigned long long)need, launch->arg_bytes),
                      "check the number and types of the arguments");
    if (need)
        memcpy(params->bytes, launch->args, need);
    params->size = need;
    return true;
}

static bool prepare(Vm *vm, const DeviceLaunch *launch) {
    const PtxFunc *kernel = ptx_find_func(vm->module, launch->kernel);
    if (!kernel || !kernel->is_entry || !kernel->has_body)
        return refuse(vm->run,
                      str_format(vm->out, "there is no kernel %.*s",
                                 STR_ARG(launch->kernel)),
                      "check the name; declare it extern \"C\" __global__");
    if (!set_cluster(vm, launch, kernel) || !set_grid(vm, launch, kernel) ||
        !set_arguments(vm, launch, kernel))
        return false;
    vm->program = vm_cached_program(vm, kernel, &vm->run->error);
    if (!vm->program) {
        vm->run->status = RUN_REFUSED;
        return false;
    }
    vm->shape.smem_bytes = all_smem(vm->program, launch->dynamic_smem);
    vm_tuning_choose(vm, &launch->schedule);
    return set_residency(vm);
}

// Zeroes every room's part of the launch.
static void begin(Vm *vm, Arena *arena, const DeviceLaunch *launch,
                  DeviceRun *run) {
    *run = (DeviceRun){0};
    vm->out = arena;
    vm->run = run;
    vm->launch = launch;
    vm->findings = (VmFindings){0};
    vm->use = (VmMemoryUse){0};
    vm->turns = (VmTurns){.slice_end = UINT64_MAX};
    vm->turns.step_limit =
        launch->step_limit ? launch->step_limit : DEFAULT_STEPS;
    vm->clc = (VmClc){0};
    vm->copies = (VmCopyRun){0};
    vm->engine = (VmEngine){0};
    vm->flow_visits = 0;
    vm_time_choose(vm);
}

// Ends the chains of the blocks that still exist if the run was stopped.
static void end_chains(Vm *vm) {
    for (size_t i = 0; i < vm->engine.resident_count; i++)
        for (uint32_t k = 0; k < vm->engine.residents[i]->cta_count; k++)
            if (!vm->engine.residents[i]->ctas[k]->exited)
                vm_ledger_end_chain(vm->engine.residents[i]->ctas[k]);
}

static bool vm_launch(Device *device, Arena *arena, const DeviceLaunch *launch,
                      DeviceRun *run) {
    Vm *vm = of(device);
    begin(vm, arena, launch, run);
    if (!vm->module || !prepare(vm, launch)) {
        arena_free(&vm->run_arena);
        return false;
    }
    vm->clc.cluster_states =
        arena_new(&vm->run_arena, uint8_t, vm->shape.cluster_count + 1u);
    vm->clc.cluster_requests =
        arena_new(&vm->run_arena, uint32_t, vm->shape.cluster_count);
    vm->clc.pending_count = vm->clc.pending_end =
        launch->only ? (uint32_t)launch->only_count : vm->shape.cluster_count;
    if (launch->keeps_variables && !vm->memory.is_kept) {
        apply_writes(vm);
        note_changed(vm);
    } else if (!vm->memory.is_kept) {
        reset_globals(vm);
    }
    vm_watches_begin(vm, launch);
    if (!vm_wants(vm, RULE_MEM003))
        vm_buffers_known(vm);
    vm_order_begin(vm);
    vm_follow_begin(vm);
    run->allow_refusals = vm->tuning.may_refuse || launch->exploration;
    if (launch->exploration)
        vm_explore_begin(vm, launch->exploration);
    vm_time_begin(vm);
    vm_trace_begin(vm);
    vm_schedule(vm);
    vm_time_end(vm);
    end_chains(vm);
    vm_clc_finish(vm);
    vm_trace_end(vm);
    vm_counters_finish(vm);
    if (vm->engine.explorer)
        vm_explore_end(vm);
    run->switches = vm->turns.switches;
    vm_order_end(vm);
    vm_lead_roots(run);
    vm_heap_end(vm);
    run->output = str_copy(arena, buf_view(&vm->output));
    vm->output.len = 0;
    vm_launch_free(vm);
    arena_free(&vm->run_arena);
    return true;
}

static void vm_close(Device *device) {
    Vm *vm = of(device);
    vm_cache_drop(vm);
    module_unload(vm);
    buf_free(&vm->output);
    heap_free(vm->persistent.time);
    vm_order_free(vm);
    heap_free(vm);
}

// ---- the memory of a program ---------------------------------------------

_Static_assert(VM_STRIDE == UINT64_C(1) << VM_BUFFER_SHIFT, "see vm.h");
_Static_assert((int)VM_MOST_NUMBERS == (int)VM_HEAP_NUMBER, "see vm.h");

void vm_number(Device *device, uint32_t first) {
    of(device)->memory.first_variable = first;
}

void vm_keep(Device *device) {
    reset_globals(of(device));
    of(device)->memory.is_kept = true;
}

VmHeapCopy *vm_save_heap(const Device *device) {
    return vm_heap_copy((const Vm *)(const void *)device);
}

void vm_restore_heap(Device *device, const VmHeapCopy *saved) {
    vm_heap_put_back(of(device), saved);
}

void vm_drop_heap(VmHeapCopy *saved) {
    vm_heap_copy_free(saved);
}

bool vm_variable(Device *device, const PtxVar *var, VmVariable *out) {
    Vm *vm = of(device);
    if (!is_memory(var))
        return false;
    uint32_t number = vm->memory.module_buffers[var->id];
    *out = (VmVariable){number, vm->memory.buffers[number].bytes, var->size};
    return true;
}

void vm_map(Device *device, uint32_t number, void *bytes, uint64_t size,
            ByteSet *written) {
    VmBuffer *buffer = buffer_at(of(device), number);
    if (buffer->bytes != bytes)
        free_bytes(buffer);
    *buffer = (VmBuffer){.bytes = bytes,
                         .size = size,
                         .written = written,
                         .is_lent = true,
                         .var = buffer->var,
                         .read_only = buffer->read_only};
}

void vm_unmap(Device *device, uint32_t number, uint64_t size) {
    *buffer_at(of(device), number) =
        (VmBuffer){.is_lent = true, .is_freed = true, .heap_size = size};
}

void vm_textures(Device *device, const VmTextures *table) {
    of(device)->textures = table;
}

bool vm_time(Device *device, const Str *settings, size_t count, Diags *diags) {
    return vm_time_set(of(device), settings, count, diags);
}

bool vm_use_isa(Device *device, Str name) {
    for (size_t i = 0; vm_isa(i); i++)
        if (str_equal(str_from(vm_isa(i)->name), name)) {
            of(device)->isa = vm_isa(i);
            return true;
        }
    return false;
}

Device *vm_open(const VmModel *model) {
    static const VmUpward upward = {.lanes_exit = vm_lanes_exit,
                                    .typed_access = vm_typed_access};
    static const DeviceOps ops = {.info = vm_info,
                                  .blocks_per_sm = vm_blocks_per_sm,
                                  .load = vm_load,
                                  .alloc = vm_alloc,
                                  .write = vm_write,
                                  .read = vm_read,
                                  .write_symbol = vm_write_symbol,
                                  .function = vm_function,
                                  .forget = vm_forget,
                                  .launch = vm_launch,
                                  .close = vm_close};
    const VmIsa *isa = vm_isa(0);
    if (!isa)
        return NULL;
    Vm *vm = heap_alloc(sizeof *vm, 1);
    vm->device.ops = &ops;
    vm->model = model;
    vm->isa = isa;
    vm->upward = &upward;
    return &vm->device;
}
