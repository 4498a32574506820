// SPDX-License-Identifier: Apache-2.0
// Tasks that others do ahead, and whose results the caller takes in its own
// order. What nobody has done, the caller does.
#include "trials/share.h"

void *share_begin_worker(const ShareWork *work, size_t number) {
    return work->worker ? work->worker(work->context, number) : work->context;
}

void *share_found(Share *share, size_t task) {
    return share ? share->found(share, task) : NULL;
}

void share_end(Share *share) {
    if (share)
        share->end(share);
}
