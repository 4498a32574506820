// SPDX-License-Identifier: Apache-2.0
// What the two ways to share tasks out have in common: each begins with this.
#ifndef CLCLAB_TRIALS_SHARE_H
#define CLCLAB_TRIALS_SHARE_H

#include "trials/trials.h"

struct Share {
    void *(*found)(Share *share, size_t task);
    void (*end)(Share *share);
};

// The context that the worker's tasks are done with.
void *share_begin_worker(const ShareWork *work, size_t number);

#endif
