// SPDX-License-Identifier: Apache-2.0
// What the time model stores for a CTA. Its state for a launch is VmTime
// (time.h).
#ifndef CLCLAB_VM_STATE_TIME_H
#define CLCLAB_VM_STATE_TIME_H

#include <stdint.h>

typedef struct VmCtaTime {
    uint32_t place;
    uint64_t exit; // cycle at which the latest lane so far exited
} VmCtaTime;

#endif
