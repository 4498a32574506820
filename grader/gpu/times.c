// SPDX-License-Identifier: Apache-2.0
// gpu_measure: measures a launch and sorts its times.
#include "gpu/internal.h"
#include "result/finding.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// Times in microseconds, sorted, from which the times on an idle GPU are
// subtracted.
static void take_times(const float *ms, const float *idle, uint32_t count,
                       double *us) {
    for (uint32_t i = 0; i < count; i++) {
        double time = ((double)ms[i] - (idle ? (double)idle[i] : 0)) * 1e3;
        us[i] = time > 0 ? time : 0;
    }
    qsort(us, count, sizeof *us, compare_doubles);
}

static void add_reason(const DeviceRun *run, Diags *diags) {
    Diag *diag = diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "%.*s",
                          STR_ARG(run->error.what));
    diag->code = run->error.code;
    diag->help = str_copy(diags->arena, run->error.help);
}

bool gpu_measure(Device *device, Arena *arena, const DeviceLaunch *launch,
                 const GpuMeasure *wanted, GpuTimes *times, Diags *diags) {
    DeviceRun run = {.error = {.code = STR("BUSY"),
                               .what = STR("There is no memory for the times."),
                               .help = STR("Try again later.")}};
    CaseMeasure *m = device_share(sizeof *m);
    bool told = false;
    *times = (GpuTimes){0};
    if (m) {
        m->repeats = wanted->repeats;
        m->visits = wanted->visits;
        m->bytes = wanted->copy_bytes;
        told = device_run((GpuDevice *)device, arena, launch, m, &run) &&
               run.status == RUN_DONE;
    }
    if (told) {
        take_times(m->alone, NULL, m->repeats, times->alone);
        take_times(m->copies, NULL, m->repeats, times->copies);
        take_times(m->first, m->idle_first, m->visits, times->first);
        take_times(m->all, m->idle_all, m->visits, times->all);
    } else if (run.finding_count) {
        times->fault = &run.findings[0];
    } else {
        add_reason(&run, diags);
    }
    device_unshare(m, sizeof *m);
    return told;
}
