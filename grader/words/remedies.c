// SPDX-License-Identifier: Apache-2.0
// What an edit is called: a phrase that follows "with". {line} is the line that
// it changes, or stands in front of.
#include "words/catalogue.h"

const char *const words_remedies[REMEDY_COUNT] = {
    [REMEDY_BARRIER_WARP] = "__syncwarp() in front of line {line}",
    [REMEDY_BARRIER_BLOCK] = "__syncthreads() in front of line {line}",
    [REMEDY_BARRIER_CLUSTER] =
        "a barrier of the cluster in front of line {line}",
};
