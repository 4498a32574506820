// SPDX-License-Identifier: Apache-2.0
// The child's part of a case: read case_run, at the end, first. Each step is
// recorded in the outcome before it begins, so that the parent can say what the
// child was doing when it died or ran out of time. The first error ends the
// case.
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

// SIGALRM ends the process if a call of the driver does not return. The parent
// would end it too, but only after the longest wait for the lock. 0: no limit.
static void limit_driver(double seconds) {
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    timer.it_value.tv_usec =
        (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_REAL, &timer, NULL);
}

// ---- getting ready -------------------------------------------------------

// Removes settings that a user may have made for debugging: they would make a
// launch wait for its kernel, compile it again, or write its memory to a file.
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

// A GPU that admits one process at a time is waited for like a lock.
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

static bool copy_buffers_in(Case *c) {
    const GpuCase *what = c->what;
    c->buffers = arena_new(&c->arena, CUdeviceptr, what->buffer_count + 1);
    for (size_t i = 0; i < what->buffer_count; i++) {
        const CaseBuffer *buffer = &what->buffers[i];
        size_t bytes = 2 * GUARD_BYTES + round_up(buffer->count, ALIGN);
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

// Reserves `bytes` more of the table's memory; returns their offset.
static uint64_t reserve(size_t *used, size_t bytes) {
    uint64_t at = *used;
    *used += round_up(bytes, ALIGN);
    return at;
}

// Makes one allocation for the whole table; until then its addresses are
// offsets.
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

// The lock is held until the kernel, or the measurement, has ended. A file that
// cannot be opened does not count as a lock, and a FIFO in its place is not
// waited for.
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
    if (!what->measure) // a measurement has many launches
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

// The first byte of `guard` that has changed; GUARD_BYTES: none has.
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
    return 0; // no clean-up: it could wait for a kernel that never ends
}
