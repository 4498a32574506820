// SPDX-License-Identifier: Apache-2.0
// What the trace stores for a CTA. Its state for a launch is VmTrace
// (vm/trace/trace.c).
#ifndef CLCLAB_VM_STATE_TRACE_H
#define CLCLAB_VM_STATE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct VmCtaTrace {
    uint32_t place;            // on the tape
    bool is_looked_at;         // its steps belong to the moment
    struct VmWritten *written; // is_looked_at: by warp (vm/trace/values.h)
} VmCtaTrace;

#endif
