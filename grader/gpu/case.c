// SPDX-License-Identifier: Apache-2.0
// The child's part of a case: read case_run, at the end, first. Each step notes
// itself in the outcome before it begins, so that the parent can say what was
// being done when the child died or was late. The first error ends it.
#include "gpu/case_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <time.h>

enum {
    ALIGN = 256, // of buffers (device.h: alloc)
    GUARD_VALUE = 0xa5,
    POLL_NS = 50 * 1000,
    LOCK_POLL_NS = 1000 * 1000,
    ENDS_BYTES = (1 + GPU_TABLE_SMS) * sizeof(uint64_t),
};

const char *case_stage_text(CaseStage stage) {
    static const char *const texts[] = {
#define CASE_STAGE_TEXT(id, text) text,
        CASE_STAGES(CASE_STAGE_TEXT)
#undef CASE_STAGE_TEXT
    };
    return texts[stage];
}

double case_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// ---- errors --------------------------------------------------------------

bool case_check(Case *c, CUresult error, const char *call) {
    if (error == CUDA_SUCCESS)
        return true;
    CaseOutcome *outcome = c->outcome;
    outcome->error = error;
    str_fill(outcome->call, sizeof outcome->call, str_from(call));
    str_fill(outcome->text, sizeof outcome->text,
             driver_error(&c->arena, &c->driver, error));
    return false;
}

// A driver that does not come back is ended with its process (SIGALRM). The
// parent does so as well, but only after the longest wait for the lock. 0: no
// limit.
static void limit_driver(double seconds) {
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    timer.it_value.tv_usec =
        (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_REAL, &timer, NULL);
}

// ---- getting ready -------------------------------------------------------

// What somebody set to debug a program of their own, and what would make a
// launch wait for its kernel, compile it anew, or write its memory to a file.
static void forget_settings(void) {
    static const char *const settings[] = {
        "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
        "CUDA_FORCE_PTX_JIT", "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
        "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP"};
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        unsetenv(settings[i]);
}

static bool load_driver(Case *c) {
    Diags diags = diags_new(&c->arena);
    c->outcome->stage = CASE_DRIVER;
    forget_settings();
    if (driver_load(&c->driver, &diags) == DRIVER_LOADED)
        return CALL(c, cuInit, (0));
    c->outcome->error = CUDA_ERROR_UNKNOWN;
    str_fill(c->outcome->call, sizeof c->outcome->call, STR("dlopen"));
    str_fill(c->outcome->text, sizeof c->outcome->text, diags.items[0].what);
    return false;
}

// A GPU that lets in one process at a time is waited for like a lock.
static bool retain_context(Case *c, CUcontext *context) {
    double until = case_now() + c->what->lock_s;
    CUresult result = c->driver.cuDevicePrimaryCtxRetain(context, c->device);
    while (result == CUDA_ERROR_DEVICE_UNAVAILABLE && c->what->is_exclusive &&
           case_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = LOCK_POLL_NS}, NULL);
        result = c->driver.cuDevicePrimaryCtxRetain(context, c->device);
    }
    return case_check(c, result, "cuDevicePrimaryCtxRetain");
}

static bool make_context(Case *c) {
    CUcontext context = NULL;
    int least = 0, greatest = 0;
    c->outcome->stage = CASE_CONTEXT;
    return CALL(c, cuDeviceGet, (&c->device, 0)) &&
           retain_context(c, &context) && CALL(c, cuCtxSetCurrent, (context)) &&
           CALL(c, cuCtxGetStreamPriorityRange, (&least, &greatest)) &&
           CALL(c, cuStreamCreateWithPriority,
                (&c->stream, CU_STREAM_NON_BLOCKING, least)) &&
           CALL(c, cuStreamCreateWithPriority,
                (&c->side, CU_STREAM_NON_BLOCKING, greatest)) &&
           CALL(c, cuEventCreate, (&c->from, 0)) &&
           CALL(c, cuEventCreate, (&c->to, 0));
}

static bool write_symbols(Case *c) {
    const GpuCase *what = c->what;
    for (size_t i = 0; i < what->symbol_count; i++) {
        const CaseSymbol *symbol = &what->symbols[i];
        CUdeviceptr address = 0;
        size_t bytes = 0;
        if (!CALL(c, cuModuleGetGlobal,
                  (&address, &bytes, c->module, symbol->name)) ||
            !CALL(c, cuMemcpyHtoD, (address, symbol->bytes, symbol->count)))
            return false;
    }
    return true;
}

static bool load_module(Case *c) {
    const GpuCase *what = c->what;
    c->outcome->stage = CASE_LOAD;
    if (!CALL(c, cuModuleLoadDataEx,
              (&c->module, what->image.ptr, 0, NULL, NULL)) ||
        !CALL(c, cuModuleGetFunction, (&c->function, c->module, what->kernel)))
        return false;
    return write_symbols(c);
}

// ---- memory --------------------------------------------------------------

static size_t round_up(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

bool case_allocate(Case *c, size_t bytes, CUdeviceptr *address) {
    size_t available = 0, total = 0;
    c->outcome->has_free_memory =
        c->driver.cuMemGetInfo(&available, &total) == CUDA_SUCCESS;
    c->outcome->free_memory = available;
    return CALL(c, cuMemAlloc, (address, bytes));
}

static bool copy_buffers_in(Case *c) {
    const GpuCase *what = c->what;
    c->buffers = arena_new(&c->arena, CUdeviceptr, what->buffer_count + 1);
    for (size_t i = 0; i < what->buffer_count; i++) {
        const CaseBuffer *buffer = &what->buffers[i];
        size_t bytes = 2 * GUARD_BYTES + round_up(buffer->count);
        if (!case_allocate(c, bytes, &c->buffers[i]) ||
            !CALL(c, cuMemsetD8, (c->buffers[i], GUARD_VALUE, bytes)))
            return false;
        if (buffer->count &&
            !CALL(c, cuMemcpyHtoD,
                  (c->buffers[i] + GUARD_BYTES, buffer->bytes, buffer->count)))
            return false;
    }
    return true;
}

// Room for `bytes` more of the table's memory; gives where it begins.
static uint64_t reserve(size_t *used, size_t bytes) {
    uint64_t at = *used;
    *used += round_up(bytes);
    return at;
}

// One allocation; addresses are offsets until it is made.
static bool make_table(Case *c) {
    const GpuCase *what = c->what;
    const Ledgers *ledgers = &what->ledgers;
    GpuTable *table = &c->table;
    size_t used = 0, clusters = ledgers->clusters * sizeof(uint32_t);
    table->control = reserve(&used, sizeof(GpuControl));
    if (what->has_claims)
        table->claims = reserve(&used, clusters);
    if (what->has_ledger) {
        table->orders = reserve(&used, clusters);
        table->taken = reserve(&used, clusters);
        table->starts = reserve(&used, ledgers->blocks * sizeof(GpuStart));
        table->calls = reserve(&used, ledgers->calls_bytes);
        table->ends = reserve(&used, ENDS_BYTES);
    }
    CUdeviceptr base = 0;
    if (!case_allocate(c, used, &base) || !CALL(c, cuMemsetD8, (base, 0, used)))
        return false;
    table->control += base;
    table->claims += what->has_claims ? base : 0;
    if (what->has_ledger) {
        table->orders += base;
        table->taken += base;
        table->starts += base;
        table->ends += base;
        table->calls = ledgers->calls_bytes ? table->calls + base : 0;
    }
    return true;
}

bool case_reset_table(Case *c) {
    const GpuCase *what = c->what;
    size_t clusters = what->ledgers.clusters * sizeof(uint32_t);
    GpuControl control = {.refuse_first = what->refuse_first,
                          .refuse_every = what->refuse_every};
    if (what->has_claims &&
        !CALL(c, cuMemsetD8, (c->table.claims, 0, clusters)))
        return false;
    return !what->has_table ||
           CALL(c, cuMemcpyHtoD, (c->table.control, &control, sizeof control));
}

static bool copy_table_in(Case *c) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (!c->what->has_table)
        return true;
    return make_table(c) && case_reset_table(c) &&
           CALL(c, cuModuleGetGlobal,
                (&address, &bytes, c->module, GPU_TABLE_NAME)) &&
           CALL(c, cuMemcpyHtoD, (address, &c->table, sizeof c->table));
}

static bool copy_in(Case *c) {
    c->outcome->stage = CASE_COPY_IN;
    // The kernel's stream does not wait for the one that fills memory.
    return copy_buffers_in(c) && copy_table_in(c) &&
           CALL(c, cuCtxSynchronize, ());
}

// ---- the launch ----------------------------------------------------------

// The device address that stands for `word`; itself, where it is none of ours.
static uint64_t true_address(const Case *c, uint64_t word) {
    const GpuCase *what = c->what;
    uint64_t offset = word & ((UINT64_C(1) << CASE_ADDRESS_BITS) - 1);
    uint64_t index = (word ^ CASE_ADDRESS_TAG) >> CASE_ADDRESS_BITS;
    if (index == 0 || index > what->buffer_count ||
        offset > what->buffers[index - 1].count)
        return word;
    return c->buffers[index - 1] + GUARD_BYTES + offset;
}

static uint8_t *make_args(Case *c) {
    size_t count = c->what->arg_bytes;
    uint8_t *args = arena_alloc(&c->arena, 1, 16, count + 1);
    if (count)
        memcpy(args, c->what->args, count);
    for (size_t at = 0; at + sizeof(uint64_t) <= count;
         at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, args + at, sizeof word);
        word = true_address(c, word);
        memcpy(args + at, &word, sizeof word);
    }
    return args;
}

static bool allow_dynamic_smem(Case *c) {
    return c->what->dynamic_smem == 0 ||
           CALL(c, cuFuncSetAttribute,
                (c->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                 (int)c->what->dynamic_smem));
}

static bool count_resident(Case *c, const CUlaunchConfig *config) {
    const GpuCase *what = c->what;
    const uint32_t *block = what->block, *cluster = what->cluster;
    uint64_t *resident = &c->outcome->resident;
    int count = 0;
    if (config->numAttrs) {
        if (!CALL(c, cuOccupancyMaxActiveClusters,
                  (&count, c->function, config)))
            return false;
        *resident = (uint64_t)count * cluster[0] * cluster[1] * cluster[2];
        return true;
    }
    if (!CALL(c, cuOccupancyMaxActiveBlocksPerMultiprocessor,
              (&count, c->function, (int)(block[0] * block[1] * block[2]),
               what->dynamic_smem)))
        return false;
    *resident = (uint64_t)count * what->sms;
    return true;
}

static bool has_cluster(const GpuCase *what) {
    return what->cluster[0] * what->cluster[1] * what->cluster[2] > 1;
}

static CUlaunchAttribute cluster_attribute(const GpuCase *what) {
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim.x = what->cluster[0];
    cluster.value.clusterDim.y = what->cluster[1];
    cluster.value.clusterDim.z = what->cluster[2];
    return cluster;
}

bool case_launch(Case *c) {
    // cuda.h: CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE, _END
    void *const POINTER = (void *)1, *const SIZE = (void *)2, *const END = NULL;
    const GpuCase *what = c->what;
    size_t arg_bytes = what->arg_bytes;
    void *extra[] = {POINTER, make_args(c), SIZE, &arg_bytes, END};
    CUlaunchAttribute cluster = cluster_attribute(what);
    CUlaunchConfig config = {.gridDimX = what->grid[0],
                             .gridDimY = what->grid[1],
                             .gridDimZ = what->grid[2],
                             .blockDimX = what->block[0],
                             .blockDimY = what->block[1],
                             .blockDimZ = what->block[2],
                             .sharedMemBytes = what->dynamic_smem,
                             .hStream = c->stream,
                             .attrs = &cluster,
                             .numAttrs = has_cluster(what)};
    if (c->outcome->stage < CASE_LAUNCH) {
        c->outcome->stage = CASE_LAUNCH;
        if (!allow_dynamic_smem(c) || !count_resident(c, &config))
            return false;
    }
    if (what->is_asking)
        return true;
    return CALL(c, cuEventRecord, (c->from, c->stream)) &&
           CALL(c, cuLaunchKernelEx, (&config, c->function, NULL, extra)) &&
           CALL(c, cuEventRecord, (c->to, c->stream));
}

static CUresult wait_until(Case *c, CUstream stream, double until) {
    CUresult result = c->driver.cuStreamQuery(stream);
    while (result == CUDA_ERROR_NOT_READY && case_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
        result = c->driver.cuStreamQuery(stream);
    }
    return result;
}

// How far a kernel came that does not end.
static void look_at_control(Case *c) {
    CaseOutcome *outcome = c->outcome;
    GpuControl *control = &outcome->control;
    if (!c->what->has_ledger ||
        c->driver.cuMemcpyDtoHAsync(control, c->table.control, sizeof *control,
                                    c->side) != CUDA_SUCCESS)
        return;
    outcome->has_control =
        wait_until(c, c->side, case_now() + 0.5) == CUDA_SUCCESS;
}

bool case_wait(Case *c, CUstream stream) {
    CUresult result = wait_until(c, stream, case_now() + c->what->deadline_s);
    if (result == CUDA_ERROR_NOT_READY) {
        c->outcome->is_late = true;
        look_at_control(c);
        return false;
    }
    return case_check(c, result, "cuStreamQuery");
}

// Held until the kernel, or the measurement, has ended. A file that cannot be
// opened is nobody's lock; a FIFO that somebody put there is not waited for.
static bool wait_for_lock(Case *c) {
    double until = case_now() + c->what->lock_s;
    int lock =
        open(c->what->lock, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    c->lock = lock;
    c->outcome->stage = CASE_LOCK;
    while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true;
        if (case_now() > until)
            return case_check(c, CUDA_ERROR_LAUNCH_TIMEOUT, "flock");
        nanosleep(&(struct timespec){.tv_nsec = LOCK_POLL_NS}, NULL);
    }
    return true;
}

static bool take_lock(Case *c) {
    const GpuCase *what = c->what;
    limit_driver(0);
    bool taken = wait_for_lock(c);
    if (!what->measure) // which is many launches
        limit_driver(what->deadline_s + what->driver_s);
    return taken;
}

static bool release_lock(Case *c) {
    if (c->lock >= 0)
        flock(c->lock, LOCK_UN);
    return true;
}

static bool run_kernel(Case *c) {
    if (!case_launch(c))
        return false;
    c->outcome->stage = CASE_RUN;
    return case_wait(c, c->stream) &&
           CALL(c, cuEventElapsedTime, (&c->outcome->ms, c->from, c->to));
}

// ---- the results ---------------------------------------------------------

// The first byte of `guard` that is not what it was; GUARD_BYTES: none.
static size_t find_damage(const uint8_t *guard) {
    size_t i = 0;
    while (i < GUARD_BYTES && guard[i] == GUARD_VALUE)
        i++;
    return i;
}

static bool check_guard(Case *c, size_t buffer, bool is_after) {
    uint8_t guard[GUARD_BYTES];
    CaseOutcome *outcome = c->outcome;
    uint64_t count = c->what->buffers[buffer].count;
    uint64_t at = is_after ? GUARD_BYTES + count : 0;
    if (!CALL(c, cuMemcpyDtoH, (guard, c->buffers[buffer] + at, GUARD_BYTES)))
        return false;
    size_t damage = find_damage(guard);
    if (damage < GUARD_BYTES && !outcome->is_damaged) {
        outcome->is_damaged = true;
        outcome->damaged = (uint32_t)buffer;
        outcome->damage = (int64_t)damage +
                          (is_after ? (int64_t)count : -(int64_t)GUARD_BYTES);
    }
    return true;
}

static bool copy_buffers_out(Case *c) {
    for (size_t i = 0; i < c->what->buffer_count; i++) {
        const CaseBuffer *buffer = &c->what->buffers[i];
        if (!check_guard(c, i, false) || !check_guard(c, i, true))
            return false;
        if (buffer->count &&
            !CALL(c, cuMemcpyDtoH,
                  (buffer->bytes, c->buffers[i] + GUARD_BYTES, buffer->count)))
            return false;
    }
    return true;
}

static bool copy_ledger_out(Case *c) {
    const Ledgers *ledgers = &c->what->ledgers;
    const GpuTable *table = &c->table;
    size_t clusters = ledgers->clusters * sizeof(uint32_t);
    const struct {
        void *to;
        CUdeviceptr from;
        size_t bytes;
    } parts[] = {
        {&c->outcome->control, table->control, sizeof(GpuControl)},
        {ledgers->claims, table->claims, clusters},
        {ledgers->orders, table->orders, clusters},
        {ledgers->taken, table->taken, clusters},
        {ledgers->starts, table->starts, ledgers->blocks * sizeof(GpuStart)},
        {ledgers->calls, table->calls, ledgers->calls_bytes},
        {ledgers->ends, table->ends, ENDS_BYTES},
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].bytes &&
            !CALL(c, cuMemcpyDtoH,
                  (parts[i].to, parts[i].from, parts[i].bytes)))
            return false;
    c->outcome->has_control = true;
    return true;
}

static bool copy_out(Case *c) {
    c->outcome->stage = CASE_COPY_OUT;
    return copy_buffers_out(c) && (!c->what->has_ledger || copy_ledger_out(c));
}

// ---- the whole -----------------------------------------------------------

int case_run(void *gpu_case, int out) {
    const GpuCase *what = gpu_case;
    Case c = {.what = what, .outcome = what->outcome};
    (void)out;
    limit_driver(what->driver_s + (what->is_exclusive ? what->lock_s : 0));
    bool done = load_driver(&c) && make_context(&c) && load_module(&c);
    if (done && what->is_asking)
        done = case_launch(&c);
    else
        done = done && copy_in(&c) && take_lock(&c) && run_kernel(&c) &&
               (what->measure || release_lock(&c)) && copy_out(&c) &&
               (!what->measure || case_measure(&c));
    if (done)
        c.outcome->stage = CASE_DONE;
    return 0; // without a tidy end: it could wait for a kernel that never ends
}
