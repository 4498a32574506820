// SPDX-License-Identifier: Apache-2.0
// The child's part of a measurement, after the launch whose data is kept: the
// kernel alone, a copy, and the kernel with a visitor. Times come from the
// driver's events, whose time stamps the GPU itself takes.
//
// A visitor is a kernel of higher priority that arrives after half of the
// kernel's time. Each of its blocks runs until as many blocks as were asked for
// are running at the same time. If requests are emulated, the visitor first
// sets the flag that makes them fail, as the hardware would do by itself.
#include "gpu/case_parts.h"

#include <stdlib.h>
#include <string.h>

static const char VISITOR[] = "clclab_visit";

typedef struct Visitor {
    CUfunction function;
    CUdeviceptr arrived; // u32: blocks that have started
    uint32_t places;     // blocks of the kernel's size that fit at once
    CUevent from, to;
} Visitor;

// ---- the kernel alone ----------------------------------------------------

static bool time_kernel(Case *c, float *ms) {
    return case_reset_table(c) && CALL(c, cuCtxSynchronize, ()) &&
           case_launch(c) && case_wait(c, c->stream) &&
           CALL(c, cuEventElapsedTime, (ms, c->from, c->to));
}

static bool time_copy(Case *c, CUdeviceptr from, CUdeviceptr to, float *ms) {
    uint64_t bytes = c->what->measure->bytes;
    return CALL(c, cuEventRecord, (c->from, c->stream)) &&
           CALL(c, cuMemcpyDtoDAsync, (to, from, bytes, c->stream)) &&
           CALL(c, cuEventRecord, (c->to, c->stream)) &&
           case_wait(c, c->stream) &&
           CALL(c, cuEventElapsedTime, (ms, c->from, c->to));
}

static bool time_copies(Case *c) {
    CaseMeasure *measure = c->what->measure;
    CUdeviceptr from = 0, to = 0;
    if (measure->bytes == 0)
        return true;
    if (!case_allocate(c, measure->bytes, &from) ||
        !case_allocate(c, measure->bytes, &to))
        return false;
    for (uint32_t i = 0; i < measure->repeats; i++)
        if (!time_copy(c, from, to, &measure->copies[i]))
            return false;
    return CALL(c, cuMemFree, (from)) && CALL(c, cuMemFree, (to));
}

// ---- visitors ------------------------------------------------------------

// A visitor's blocks have as many threads as the kernel's, in one dimension.
static uint32_t threads_of(const Case *c) {
    const uint32_t *block = c->what->block;
    return block[0] * block[1] * block[2];
}

static bool load_visitor(Case *c, Visitor *visitor) {
    CUmodule module = NULL;
    int fit = 0, sms = 0;
    if (!CALL(c, cuModuleLoadDataEx,
              (&module, c->what->visitor.ptr, 0, NULL, NULL)) ||
        !CALL(c, cuModuleGetFunction, (&visitor->function, module, VISITOR)) ||
        !case_allocate(c, sizeof(uint32_t), &visitor->arrived) ||
        !CALL(c, cuEventCreate, (&visitor->from, 0)) ||
        !CALL(c, cuEventCreate, (&visitor->to, 0)) ||
        !CALL(c, cuDeviceGetAttribute,
              (&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, c->device)) ||
        !CALL(c, cuOccupancyMaxActiveBlocksPerMultiprocessor,
              (&fit, visitor->function, (int)threads_of(c), 0)))
        return false;
    visitor->places = (uint32_t)(fit * sms);
    return true;
}

// Makes emulated requests fail from now on.
static bool refuse_requests(Case *c) {
    static const uint32_t all = 1;
    CUdeviceptr flag = c->table.control + offsetof(GpuControl, refuse_every);
    return !c->what->has_table ||
           CALL(c, cuMemcpyHtoDAsync, (flag, &all, sizeof all, c->side));
}

static bool send_visitor(Case *c, const Visitor *visitor, uint32_t blocks) {
    CUdeviceptr arrived = visitor->arrived;
    void *parameters[] = {&arrived, &blocks};
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads_of(c),
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = c->side};
    return CALL(c, cuEventRecord, (visitor->from, c->side)) &&
           refuse_requests(c) &&
           CALL(c, cuLaunchKernelEx,
                (&config, visitor->function, parameters, NULL)) &&
           CALL(c, cuEventRecord, (visitor->to, c->side));
}

static void spin_for(double seconds) {
    double until = case_now() + seconds;
    while (case_now() < until)
        continue;
}

// after_s: 0 for an idle GPU; otherwise the kernel runs, and the visitor
// arrives after so many seconds.
static bool time_visit(Case *c, const Visitor *visitor, uint32_t blocks,
                       double after_s, float *ms) {
    if (!case_reset_table(c) ||
        !CALL(c, cuMemsetD8, (visitor->arrived, 0, sizeof(uint32_t))) ||
        !CALL(c, cuCtxSynchronize, ()))
        return false;
    if (after_s > 0 && !case_launch(c))
        return false;
    spin_for(after_s);
    return send_visitor(c, visitor, blocks) && case_wait(c, c->side) &&
           case_wait(c, c->stream) &&
           CALL(c, cuEventElapsedTime, (ms, visitor->from, visitor->to));
}

static int compare_floats(const void *a, const void *b) {
    const float *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static float median(const float *values, uint32_t count) {
    float sorted[GPU_MOST_REPEATS];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_floats);
    return sorted[count / 2];
}

static bool time_visits(Case *c) {
    CaseMeasure *measure = c->what->measure;
    Visitor visitor = {0};
    if (measure->visits == 0)
        return true;
    if (!load_visitor(c, &visitor))
        return false;
    double half = (double)median(measure->alone, measure->repeats) / 2e3;
    for (uint32_t i = 0; i < measure->visits; i++)
        if (!time_visit(c, &visitor, 1, 0, &measure->idle_first[i]) ||
            !time_visit(c, &visitor, visitor.places, 0,
                        &measure->idle_all[i]) ||
            !time_visit(c, &visitor, 1, half, &measure->first[i]) ||
            !time_visit(c, &visitor, visitor.places, half, &measure->all[i]))
            return false;
    return true;
}

bool case_measure(Case *c) {
    CaseMeasure *measure = c->what->measure;
    float warm;
    c->outcome->stage = CASE_MEASURE;
    for (uint32_t i = 0; i < 3; i++)
        if (!time_kernel(c, &warm))
            return false;
    for (uint32_t i = 0; i < measure->repeats; i++)
        if (!time_kernel(c, &measure->alone[i]))
            return false;
    return time_copies(c) && time_visits(c);
}
