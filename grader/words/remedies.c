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
    [REMEDY_INIT_COUNT] = "{count} as the count of {init} in line {line}",
    [REMEDY_BYTES] = "{bytes} bytes announced in line {line}",
    [REMEDY_ANNOUNCE] = "{arrive_expect_tx} of 16 bytes in line {line}",
    [REMEDY_ANNOUNCE_REQUEST] =
        "{arrive_expect_tx} of 16 bytes behind the request of line {line}",
    [REMEDY_ANNOUNCE_IN_EACH] =
        "{arrive_expect_tx} of 16 bytes by thread 0 of each block, in front of "
        "the condition of line {number}",
    [REMEDY_ARRIVAL_LESS] = "no arrival in line {line}",
    [REMEDY_INIT_LESS] = "no {init} in line {line}",
    [REMEDY_REQUEST_LESS] = "no request in line {line}",
    [REMEDY_OTHER_MBARRIER] = "{name} as the mbarrier of line {line}",
    [REMEDY_OTHER_ARRAY] =
        "the mbarrier that line {number} initialises as that of line {line}",
    [REMEDY_OTHER_SLOT] = "{name} as the slot of line {line}",
    [REMEDY_OF_RANK_0] =
        "the mbarrier of rank 0 (mapa) for the arrival in line "
        "{line}",
    [REMEDY_WAIT_LOOP] =
        "a loop round the wait of line {line}, until it is true",
    [REMEDY_WAIT_LIKE] = "a wait as in line {number} in front of line {line}",
    [REMEDY_OTHER_PARITY] = "the other parity in the wait of line {line}",
    [REMEDY_OWN_PARITY] =
        "a parity for the wait of line {line} that is {parity} at first, and "
        "flipped behind it by each thread that waits",
    [REMEDY_FLIP_LESS] = "no flip of the parity in line {line}",
    [REMEDY_OWN_VARIABLE] =
        "{name} as a variable of each thread (int {name} = {count}), not "
        "__shared__",
    [REMEDY_OWN_PARITIES] =
        "a parity for each wait that is {parity} at first, and flipped behind "
        "it (line {line})",
    [REMEDY_WAIT_FOR_ANSWER] =
        "a wait for {name}, its parity flipped behind it, in front of line "
        "{line}",
    [REMEDY_ORDERED] = "release or acquire in place of relaxed in line {line}",
    [REMEDY_ORDERED_ALL] =
        "release and acquire in place of relaxed and volatile, in line {line} "
        "and wherever else the kernel has these",
    [REMEDY_SCOPE_OF_CLUSTER] = "the scope of the cluster in line {line}",
    [REMEDY_SCOPE_OF_GRID] = "the scope of the device (gpu) in line {line}",
    [REMEDY_MULTICAST] = "{multicast} in line {line}",
    [REMEDY_UNICAST] = "a request without multicast, {try_cancel}, in line "
                       "{line}",
    [REMEDY_LATER] = "what line {line} does behind line {number}",
    [REMEDY_EARLIER] = "what line {line} does in front of line {number}",
    [REMEDY_REQUEST_MOVED] =
        "the request of line {line}, with its condition, in front of line "
        "{number}",
    [REMEDY_INIT_NEIGHBOUR] =
        "{init} of {name}, too, with the same count, behind line {line}",
    [REMEDY_FOR_ONE] =
        "a condition for {for_whom} alone round what line {line} does",
    [REMEDY_OTHER_CONDITION] =
        "a condition for {for_whom} in line {line}, in place of the one there",
    [REMEDY_WITHIN_BOUND] =
        "a condition that the index is less than the {nth} parameter of the "
        "kernel, as in if (i < n), round what line {line} does",
    [REMEDY_GO_ON] =
        "the threads that leave in line {line} going on at line {number}",
    [REMEDY_STAY] = "no way out in line {line}: all go on",
    [REMEDY_FOR_ALL] =
        "no condition in line {line}, so that what it lets through is always "
        "done",
    [REMEDY_OTHER_WAY] = "the condition of line {line} the other way round",
    [REMEDY_OTHER_BOUND] = "the bound of the comparison in line {line} moved "
                           "by one (< for <=, or the reverse)",
    [REMEDY_ALL_LANES] = "0xffffffff in place of __activemask() in line {line}",
    [REMEDY_ATOMIC] = "atomicAdd in place of the sum and the store of line "
                      "{line}",
    [REMEDY_ADD_RANK] = "the rank of the block in its cluster added to the "
                        "index that line {line} takes",
    [REMEDY_OTHER_AXIS] = "the index along {name} taken in line {line}",
    [REMEDY_ALL_THREADS] =
        "blockDim.x * gridDim.x in place of {name} in line {line}",
    [REMEDY_OTHER_OPERATION] = "{change} in line {line}",
    [REMEDY_TERM_LESS] = "no {left_out} in line {line}",
    [REMEDY_UPDATE] = "{change} in line {line}",
    [REMEDY_STORE_LESS] = "no store in line {line}",
    [REMEDY_OTHER_INDEX] = "{text} in place of {name} in line {line}",
    [REMEDY_RING_PARITY] =
        "a parity for the wait of line {line} that is {parity} at first, and "
        "flipped each {count} waits, when the ring has been gone round",
    [REMEDY_RING_PARITIES] =
        "a parity for each wait that goes round a ring, flipped each {count} "
        "waits, when the ring has been gone round: {parity} at first in line "
        "{line}, and the other one elsewhere",
    [REMEDY_FACTOR_LESS] = "no constant factor in line {line}",
    [REMEDY_CONDITION_LESS] = "no {left_out} in line {line}",
    [REMEDY_BARRIER_OF_BLOCK] =
        "__syncthreads() in place of __syncwarp() in line {line}",
    [REMEDY_BARRIER_OF_CLUSTER] =
        "a barrier of the cluster in place of that of the block in line {line}",
    [REMEDY_CALL_BEFORE] =
        "{name}() called once, in front of the loop, and not in line {line}",
    [REMEDY_CALL_LESS] =
        "the value that {name}() gave in line {number}, in place of the call "
        "in line {line}",
    [REMEDY_LEAVE] =
        "a way out at line {line} where nothing was granted ({is_canceled} is "
        "false)",
    [REMEDY_ASK_NO_MORE] =
        "a flag that is cleared on a refusal, and where it is clear neither "
        "the request of line {line} nor a wait for its answer",
    [REMEDY_TAKE_GRANTED] =
        "the granted index along {text}, decoded behind line {line}, in place "
        "of blockIdx in all that follows",
    [REMEDY_BEGIN_WITH_OWN] =
        "what follows line {line} done for blockIdx first, in front of the "
        "loop",
};
