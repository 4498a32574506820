// SPDX-License-Identifier: Apache-2.0
// What an edit is called: a phrase that follows "with". {line} is the line that
// it changes, or stands in front of.
#include "words/catalogue.h"

const char *const words_remedies[REMEDY_COUNT] = {
    [REMEDY_BARRIER_WARP] = "__syncwarp() in front of line {line}",
    [REMEDY_BARRIER_BLOCK] = "__syncthreads() in front of line {line}",
    [REMEDY_BARRIER_CLUSTER] =
        "a barrier of the cluster in front of line {line}",
    [REMEDY_FENCE_CTA] = "{cta_fence} in front of line {line}",
    [REMEDY_FENCE_SLOTS] = "{cluster_fence} in front of line {line}",
    [REMEDY_FENCE_PROXY] = "{proxy_fence} in front of line {line}",
    [REMEDY_FENCE_RELEASING] = "{releasing_fence} in front of line {line}",
    [REMEDY_FENCE_ACQUIRING] = "{acquiring_fence} in front of line {line}",
    [REMEDY_FENCE_INIT] = "{init_fence} in front of line {line}",
    [REMEDY_FENCE_BLOCK] = "__threadfence_block() in front of line {line}",
    [REMEDY_FENCE_CLUSTER] =
        "a memory fence of the cluster (fence.acq_rel.cluster) in front of "
        "line {line}",
    [REMEDY_FENCE_GRID] = "__threadfence() in front of line {line}",
    [REMEDY_BARRIER_BEFORE] =
        "the barrier of line {line} in front of the condition of line {number}",
    [REMEDY_BARRIER_BEHIND] =
        "the barrier of line {line} behind what the condition of line {number} "
        "decides",
    [REMEDY_BARRIER_THREADS] =
        "a barrier of {count} threads at line {line} (bar.sync {number}, "
        "{count})",
    [REMEDY_BARRIER_ALL] =
        "a barrier of all threads of the block, __syncthreads(), at line "
        "{line}",
    [REMEDY_BARRIER_LESS] = "no barrier at line {line}",
};
