// SPDX-License-Identifier: Apache-2.0
// What the model of time keeps of a CTA; of a launch: VmTime (time.h).
#ifndef CLCLAB_VM_STATE_TIME_H
#define CLCLAB_VM_STATE_TIME_H

#include <stdint.h>

typedef struct VmCtaTime {
    uint32_t place;
    uint64_t exit; // cycle at which the last lane so far exited
} VmCtaTime;

#endif
