// SPDX-License-Identifier: Apache-2.0
// What a case and its measurement both do in the child: call the driver,
// allocate memory, launch, and wait. case.c and case_measure.c decide the
// order.
#include "gpu/case_parts.h"

#include <string.h>
#include <time.h>

enum { POLL_NS = 50 * 1000 };

double case_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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

// ---- memory --------------------------------------------------------------

bool case_allocate(Case *c, size_t bytes, CUdeviceptr *address) {
    size_t available = 0, total = 0;
    c->outcome->has_free_memory =
        c->driver.cuMemGetInfo(&available, &total) == CUDA_SUCCESS;
    c->outcome->free_memory = available;
    return CALL(c, cuMemAlloc, (address, bytes));
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

// ---- the launch ----------------------------------------------------------

// The device address for `word`, or `word` itself if it is no CASE_ADDRESS.
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

// A place on an SM is a block's until its last thread has left; but what its
// other warps had, registers and room for threads, is free for other blocks
// before that. So an SM can come to hold as many as if each had one warp: what
// bounds them is their number, shared memory, and one warp's registers. Not
// every driver may tell it for a kernel with a fixed number of threads: then
// nothing is known beyond `resident`.
static void count_resident_later(Case *c) {
    const GpuCase *what = c->what;
    enum { WARP = 32 };
    int count = 0;
    if (c->driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &count, c->function, WARP, what->dynamic_smem) == CUDA_SUCCESS)
        c->outcome->resident_later = (uint64_t)count * what->sms;
}

static bool count_resident(Case *c, const CUlaunchConfig *config) {
    const GpuCase *what = c->what;
    const uint32_t *block = what->block, *cluster = what->cluster;
    uint64_t *resident = &c->outcome->resident;
    int count = 0;
    count_resident_later(c);
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

// ---- waiting -------------------------------------------------------------

static CUresult wait_until(Case *c, CUstream stream, double until) {
    CUresult result = c->driver.cuStreamQuery(stream);
    while (result == CUDA_ERROR_NOT_READY && case_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
        result = c->driver.cuStreamQuery(stream);
    }
    return result;
}

// Reads how far a kernel got that does not end.
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
