// SPDX-License-Identifier: Apache-2.0
// A launch: read launch_kernel. It is run to its end at once, by the plain
// schedule, and what it did wrong goes into the journal. What would end a
// kernel on a card ends this one, and every later call returns that error.
#include "runtime/core/launch.h"
#include "device/limits.h"
#include "result/finding.h"
#include "runtime/core/finding.h"
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedules.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LISTED = 64,           // most clusters and chains that a ledger lists
    MOST_OUTPUT = 1 << 20, // bytes that are kept before they are written
    COUNT_EACH = 1 << 22,  // thread-instructions between two counts
};
// Of the order of accesses. A copy for other schedules has less (DeviceLaunch).
#define MOST_RECORDS (UINT64_C(4) << 30)

void launch_take_attribute(const CudaLaunchAttribute *attribute,
                           LaunchShape *shape) {
    switch (attribute->id) {
    case ATTRIBUTE_COOPERATIVE:
        shape->is_cooperative = attribute->value.cooperative != 0;
        return;
    case ATTRIBUTE_CLUSTER:
        shape->cluster = attribute->value.cluster;
        return;
    default: // a wish about time, or about what runs beside it
        return;
    }
}

// ---- what fits -----------------------------------------------------------

uint32_t launch_static_shared(const CudaKernel *kernel) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < kernel->func->var_count; i++) {
        const PtxVar *var = kernel->func->vars[i];
        if (var->space == PTX_SPACE_SHARED)
            ptx_place(&bytes, var);
    }
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

uint32_t launch_most_threads(const CudaKernel *kernel) {
    const PtxFunc *func = kernel->func;
    const PtxDim3 *most =
        func->max_threads.x ? &func->max_threads : &func->req_threads;
    uint32_t threads =
        most->x * (most->y ? most->y : 1) * (most->z ? most->z : 1);
    return threads ? threads : DEVICE_MOST_THREADS;
}

uint32_t launch_fit(CudaKernel *kernel, uint32_t threads, size_t dynamic_smem) {
    Device *device = kernel->module->device;
    uint32_t smem =
        dynamic_smem < UINT32_MAX ? (uint32_t)dynamic_smem : UINT32_MAX;
    uint32_t fit =
        device->ops->blocks_per_sm(device, kernel->name, threads, smem);
    return fit == DEVICE_FIT_UNKNOWN ? 0 : fit;
}

static uint64_t volume(CudaDim3 size) {
    return (uint64_t)size.x * size.y * size.z;
}

static CudaError check_shared(const CudaKernel *kernel,
                              const LaunchShape *shape) {
    uint32_t taken = launch_static_shared(kernel);
    uint64_t most =
        taken < DEVICE_SHARED_AT_ONCE ? DEVICE_SHARED_AT_ONCE - taken : 0;
    if (kernel->most_dynamic > most)
        most = kernel->most_dynamic;
    return shape->dynamic_smem > most ? CUDA_VALUE : CUDA_OK;
}

CudaError launch_check(const Runtime *r, CudaKernel *kernel,
                       const LaunchShape *shape) {
    uint64_t threads = volume(shape->block), blocks = volume(shape->grid);
    if (threads == 0 || blocks == 0 || threads > DEVICE_MOST_THREADS ||
        shape->block.z > DEVICE_MOST_THREADS_Z ||
        shape->grid.x > DEVICE_MOST_BLOCKS ||
        shape->grid.y > DEVICE_MOST_BLOCKS_YZ ||
        shape->grid.z > DEVICE_MOST_BLOCKS_YZ)
        return CUDA_CONFIGURATION;
    if (volume(shape->cluster) > DEVICE_PORTABLE_CLUSTER &&
        !kernel->large_cluster)
        return CUDA_CLUSTER;
    CudaError error = check_shared(kernel, shape);
    if (error || !shape->is_cooperative)
        return error;
    uint64_t fit = launch_fit(kernel, (uint32_t)threads, shape->dynamic_smem);
    return blocks > fit * r->model->sm_count ? CUDA_COOPERATIVE : CUDA_OK;
}

// ---- parameters ----------------------------------------------------------

bool launch_has_args(const CudaKernel *kernel, void **args) {
    for (size_t i = 0; i < kernel->func->param_count; i++)
        if (!args || !args[i])
            return false;
    return true;
}

size_t launch_lay_out(const CudaKernel *kernel, void **args, uint8_t *block) {
    const PtxFunc *func = kernel->func;
    uint64_t end = 0;
    for (size_t i = 0; i < func->param_count; i++) {
        const PtxVar *param = func->params[i];
        uint64_t at = ptx_place(&end, param);
        if (end > LAUNCH_MOST_PARAMETERS)
            return LAUNCH_MOST_PARAMETERS + 1;
        memcpy(block + at, args[i], param->size);
    }
    return end;
}

CudaError launch_unpack(const CudaKernel *kernel, void **extra, void **args) {
    enum { PACKED = 1 }; // what stands behind it is the block
    const PtxFunc *func = kernel->func;
    char *block = NULL;
    uint64_t end = 0;
    for (; *extra; extra += 2)
        if ((uintptr_t)extra[0] == PACKED)
            block = extra[1];
    if (!block || func->param_count > LAUNCH_MOST_ARGS)
        return CUDA_VALUE;
    for (size_t i = 0; i < func->param_count; i++)
        args[i] = block + ptx_place(&end, func->params[i]);
    return CUDA_OK;
}

// ---- the end of a launch -------------------------------------------------

// What a card reports of a kernel that breaks the rule and cannot go on.
static CudaError fault_of(DeviceRule rule) {
    static const struct {
        DeviceRule rule;
        CudaError error;
    } faults[] = {
        {RULE_MEM001, CUDA_ADDRESS}, {RULE_MEM004, CUDA_ADDRESS},
        {RULE_MEM005, CUDA_ADDRESS}, {RULE_MEM002, CUDA_MISALIGNED},
        {RULE_ASSERT, CUDA_ASSERT},
    };
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        if (faults[i].rule == rule)
            return faults[i].error;
    return CUDA_LAUNCH;
}

static uint32_t or_one(uint32_t value) {
    return value ? value : 1;
}

static bool divides(const PtxDim3 *cluster, CudaDim3 grid) {
    return grid.x % or_one(cluster->x) == 0 &&
           grid.y % or_one(cluster->y) == 0 && grid.z % or_one(cluster->z) == 0;
}

// Of a launch that the virtual machine has refused: what a card says to a shape
// that the kernel does not allow. CUDA_RESOURCES: it is not that.
static CudaError mistake_of(const CudaKernel *kernel,
                            const LaunchShape *shape) {
    const PtxFunc *func = kernel->func;
    CudaDim3 asked = shape->cluster, block = shape->block;
    PtxDim3 cluster = {asked.x, asked.y, asked.z};
    const PtxDim3 *own = &func->req_cluster, *exact = &func->req_threads;
    if (own->x && asked.x &&
        (asked.x != own->x || or_one(asked.y) != or_one(own->y) ||
         or_one(asked.z) != or_one(own->z)))
        return CUDA_CLUSTER;
    if (!divides(own->x ? own : &cluster, shape->grid))
        return CUDA_CLUSTER;
    if (volume(block) > launch_most_threads(kernel) ||
        (exact->x && (block.x != exact->x || block.y != or_one(exact->y) ||
                      block.z != or_one(exact->z))))
        return CUDA_VALUE;
    return CUDA_RESOURCES;
}

// What the machine lacks is an error of ours, and a wrong shape the program's,
// which the call that returned its error tells too.
static CudaError refuse(Runtime *r, const CudaKernel *kernel,
                        const LaunchShape *shape, const DeviceRun *run) {
    Arena scratch = {0};
    CudaError error = mistake_of(kernel, shape);
    bool is_ours = error == CUDA_RESOURCES;
    Str what = str_format(
        &scratch, "Launch %llu, of %.*s, is not possible%s: %.*s",
        (unsigned long long)r->totals.launches, STR_ARG(kernel->name),
        is_ours ? " here" : "", STR_ARG(run->error.what));
    runtime_message(r, is_ours ? DIAG_ERROR : DIAG_WARNING,
                    str_cstring(&scratch, what),
                    str_cstring(&scratch, run->error.help));
    arena_free(&scratch);
    return error;
}

static CudaError end_of(Runtime *r, const CudaKernel *kernel,
                        const LaunchShape *shape, const DeviceRun *run) {
    switch (run->status) {
    case RUN_DONE:
        return CUDA_OK;
    case RUN_FAULT:
        r->fault = run->finding_count
                       ? fault_of(run->findings[run->finding_count - 1].rule)
                       : CUDA_LAUNCH;
        break;
    case RUN_DEADLOCK:
    case RUN_LIMIT:
        r->fault = CUDA_TIMEOUT;
        break;
    case RUN_UNSUPPORTED:
        r->fault = CUDA_NOT_SUPPORTED;
        break;
    case RUN_REFUSED:
        return refuse(r, kernel, shape, run);
    }
    r->is_fresh = true; // a launch is not waited for: the next call tells it
    return CUDA_OK;
}

static bool has_error(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (finding_is_error(&run->findings[i]))
            return true;
    return false;
}

static void stop(Runtime *r) {
    runtime_flush(r);
    runtime_message(r, DIAG_NOTE,
                    "The program was ended after its first launch with an "
                    "error.",
                    "Without --stop-at-first it goes on.");
    runtime_end(r);
    _exit(0);
}

// ---- a launch ------------------------------------------------------------

static bool is_checked(const Runtime *r, const CudaKernel *kernel) {
    const RuntimeOptions *options = &r->options;
    if (r->totals.launches < options->first ||
        r->totals.launches > options->last)
        return false;
    if (!r->kernels)
        return true;
    Arena scratch = {0};
    bool fits = regexec(r->kernels, str_cstring(&scratch, kernel->name), 0,
                        NULL, 0) == 0;
    arena_free(&scratch);
    return fits;
}

static void keep_output(Runtime *r, Str output) {
    buf_str(&r->output, output);
    if (r->output.len > MOST_OUTPUT)
        runtime_flush(r);
}

// As many bytes as a GPU keeps by default (cudaLimitPrintfFifoSize).
static void tell_lost(Runtime *r, const CudaKernel *kernel, uint64_t bytes) {
    Arena scratch = {0};
    Str what =
        str_format(&scratch,
                   "Launch %llu, of %.*s, printed %llu bytes more than are "
                   "kept, 1 MiB: they are lost.",
                   (unsigned long long)r->totals.launches,
                   STR_ARG(kernel->name), (unsigned long long)bytes);
    runtime_message(r, DIAG_NOTE, str_cstring(&scratch, what), "");
    arena_free(&scratch);
}

static DeviceLaunch make_launch(const Runtime *r, const CudaKernel *kernel,
                                const LaunchShape *shape) {
    return (DeviceLaunch){
        .kernel = kernel->name,
        .grid = {shape->grid.x, shape->grid.y, shape->grid.z},
        .block = {shape->block.x, shape->block.y, shape->block.z},
        .cluster = {or_one(shape->cluster.x), or_one(shape->cluster.y),
                    or_one(shape->cluster.z)},
        .dynamic_smem = (uint32_t)shape->dynamic_smem,
        .step_limit = r->options.steps ? r->options.steps : UINT64_MAX,
        .unchecked = is_checked(r, kernel) ? r->options.unchecked : UINT64_MAX,
        .schedule = {.one_by_one = true},
        .unwritten_is_error = r->options.unwritten == UNWRITTEN_ERROR,
        .heap_bytes = r->limits[LIMIT_HEAP],
        .stack_bytes = r->limits[LIMIT_STACK],
        .ledger_most = LISTED,
        .keeps_variables = true,
        .output_most = MOST_OUTPUT,
        .records_most = r->options.schedules > 1 ? 0 : MOST_RECORDS,
    };
}

// A cooperative grid synchronises in 8 bytes that its driver gives it: their
// own size, and zeros.
static CudaError give_workspace(Runtime *r, DeviceLaunch *launch) {
    enum { WORKSPACE = 8 };
    void *address;
    uint64_t offset;
    if (!r->workspace) {
        CudaError error = memory_new(r, SLOT_DEVICE, WORKSPACE, &address);
        if (error)
            return error;
        r->workspace = memory_slot(r, address, &offset)->bytes;
        r->workspace_at = (uintptr_t)address;
    }
    memset(r->workspace, 0, WORKSPACE);
    memory_written(r, (const void *)(uintptr_t)r->workspace_at, WORKSPACE);
    r->workspace[0] = WORKSPACE;
    launch->grid_workspace = r->workspace_at;
    return CUDA_OK;
}

static CudaError run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                     DeviceLaunch *launch) {
    Device *device = kernel->module->device;
    Arena arena = {0};
    DeviceRun run = {0};
    bool varies = r->options.schedules > 1 && launch->unchecked != UINT64_MAX;
    Snapshot *before = varies ? schedules_keep(r, device) : NULL;
    uint64_t begun = before ? schedules_now() : 0;
    device->ops->launch(device, &arena, launch, &run);
    PlainCost cost = {run.steps, before ? schedules_now() - begun : 0};
    finding_tell(r, kernel, shape, &run);
    keep_output(r, run.output);
    if (run.output_lost)
        tell_lost(r, kernel, run.output_lost);
    r->totals.instructions += run.counters.thread_instructions;
    r->requests += run.ledger.totals.requests;
    r->granted += run.ledger.totals.granted;
    if (r->totals.instructions - r->counted.instructions > COUNT_EACH)
        runtime_count(r);
    if (before)
        schedules_run(r, kernel, shape, launch, before, cost);
    CudaError error = end_of(r, kernel, shape, &run);
    if (r->options.stops && has_error(&run))
        stop(r);
    arena_free(&arena);
    return error;
}

// Tells the first, second, fourth, ...: a program that is ended later has told
// at least half of them, and the one that it was ended in if that is the first.
static void count_launch(Runtime *r) {
    uint64_t launches = ++r->totals.launches;
    if ((launches & (launches - 1)) == 0)
        runtime_count(r);
}

CudaError launch_block(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                       const uint8_t *block, size_t bytes) {
    CudaError error = r->is_forked ? CUDA_INITIALIZATION : r->fault;
    if (error)
        return error;
    count_launch(r);
    DeviceLaunch launch = make_launch(r, kernel, shape);
    r->totals.unchecked += launch.unchecked == UINT64_MAX;
    launch.args = block;
    launch.arg_bytes = bytes;
    if (shape->is_cooperative)
        error = give_workspace(r, &launch);
    return error ? error : run(r, kernel, shape, &launch);
}

CudaError launch_kernel(Runtime *r, CudaKernel *kernel,
                        const LaunchShape *shape, void **args) {
    uint8_t block[LAUNCH_MOST_PARAMETERS];
    CudaError error = r->is_forked ? CUDA_INITIALIZATION : r->fault;
    if (!error)
        error = launch_check(r, kernel, shape);
    if (!error && !launch_has_args(kernel, args))
        error = CUDA_VALUE;
    if (error)
        return error;
    return launch_block(r, kernel, shape, block,
                        launch_lay_out(kernel, args, block));
}
