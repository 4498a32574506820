// SPDX-License-Identifier: Apache-2.0
// Tasks that several copies of the program do at the same time, each from the
// memory that the program has (share.c).
#ifndef CLCLAB_RUNTIME_SHARE_H
#define CLCLAB_RUNTIME_SHARE_H

#include "base/base.h"

typedef struct Share Share;

// Does one task in a copy, which does several, in ascending order. The result,
// which is not NULL, and all that it points to, is in the arena, or was there
// before. Whatever else the task changes is lost.
typedef void *ShareWork(void *context, Arena *arena, size_t task);

// Begins. NULL, which the others take: the program cannot be copied, or it is
// not worth it.
Share *share_begin(size_t count, size_t copies, ShareWork *work, void *context);
// The result of a task, once it is there. NULL: nobody does it, because a copy
// was ended, or found more than there is room for; the caller does it.
void *share_found(Share *share, size_t task);
// Ends the copies, done or not.
void share_end(Share *share);

#endif
