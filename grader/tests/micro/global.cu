// SPDX-License-Identifier: Apache-2.0
// Races in global memory, between blocks and between the warps of one: flags,
// fences and scopes, the last block, locks. README.md explains the lines above
// each kernel.
#include "micro.cuh"

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO block_reads_block(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        out[threadIdx.x] = in[threadIdx.x] + 1; // <- here
    else
        out[threadIdx.x + 32] = out[threadIdx.x]; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 4 32
MICRO blocks_write_one_element(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + blockIdx.x; // <- here
}

// label: clean
// run: 4 32
MICRO blocks_write_their_own(int *out, int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

// The last element of a block is the first of the next.
// label: RACE001
// also: OUTPUT
// run: 2 33
MICRO blocks_overlap_by_one(int *out, int *in, int n) {
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x]; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 4 32
MICRO sum_of_blocks_plain(int *out, int *in, int n) {
    if (threadIdx.x == 0)
        out[0] += in[blockIdx.x]; // <- here
}

// label: clean
// run: 4 32
MICRO sum_of_blocks_atomic(int *out, int *in, int n) {
    atomicAdd(&out[0], in[blockIdx.x * 32 + threadIdx.x]);
}

// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO warps_through_global_no_barrier(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + 1;        // <- here
    out[threadIdx.x + 64] = out[63 - threadIdx.x]; // <- here
}

// label: clean
// run: 1 64
MICRO warps_through_global_barrier(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
    __syncthreads();
    out[threadIdx.x + 64] = out[63 - threadIdx.x];
}

// __syncthreads waits for the own block, not for the other.
// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO barrier_across_blocks(int *out, int *in, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] + 1; // <- here
    __syncthreads();
    out[64 + i] = out[63 - i]; // <- here
}

// ---- a flag between two blocks ------------------------------------------------

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_no_fence(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_fence_of_the_writer_only(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_fence_of_the_reader_only(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[2] = out[0]; // <- here
    }
}

// label: clean
// run: 2 1
MICRO flag_both_fences(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[2] = out[0];
    }
}

// The fence stands behind the flag.
// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_fence_too_late(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        *flag = 1;
        __threadfence();
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_fences_of_a_block(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence_block();
        out[2] = out[0]; // <- here
    }
}

// In one block the narrow fences do.
// label: clean
// run: 1 64
MICRO flag_within_a_block(int *out, int *in, int n) {
    volatile int *flag = &out[1];
    if (threadIdx.x == 0) {
        out[0] = in[7];
        __threadfence_block();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0)
            ;
        __threadfence_block();
        out[2] = out[0];
    }
}

// Flag and data are plain: looked at once, and luck decides.
// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO flag_plain(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        __threadfence();
        out[1] = 1; // <- here
    } else {
        int seen = out[1]; // <- here
        __threadfence();
        out[2] = seen ? out[0] : -1; // <- here
    }
}

// ---- release and acquire ------------------------------------------------------

// label: clean
// run: 2 1
MICRO release_acquire(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7];
        store_release(&out[1], 1);
    } else {
        while (load_acquire(&out[1]) == 0)
            ;
        out[2] = out[0];
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO relaxed_both(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        store_relaxed(&out[1], 1);
    } else {
        while (load_relaxed(&out[1]) == 0)
            ;
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO release_and_relaxed(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        store_release(&out[1], 1);
    } else {
        while (load_relaxed(&out[1]) == 0)
            ;
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO release_of_a_block(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7];                // <- here
        store_release_cta(&out[1], 1); // <- here
    } else {
        while (load_acquire(&out[1]) == 0) // <- here
            ;
        out[2] = out[0]; // <- here
    }
}

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO acquire_of_a_block(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7];            // <- here
        store_release(&out[1], 1); // <- here
    } else {
        while (load_acquire_cta(&out[1]) == 0) // <- here
            ;
        out[2] = out[0]; // <- here
    }
}

// label: clean
// run: 1 64
MICRO release_within_a_block(int *out, int *in, int n) {
    if (threadIdx.x == 0) {
        out[0] = in[7];
        store_release_cta(&out[1], 1);
    } else if (threadIdx.x == 32) {
        while (load_acquire_cta(&out[1]) == 0)
            ;
        out[2] = out[0];
    }
}

// One thread hears of it, tells the others by a barrier: the order is handed on.
// label: clean
// run: 2 64
MICRO acquire_then_barrier(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            store_release(&out[100], 1);
    } else {
        if (threadIdx.x == 0)
            while (load_acquire(&out[100]) == 0)
                ;
        __syncthreads();
        out[200 + threadIdx.x] = out[threadIdx.x];
    }
}

// The same without the first barrier: thread 0 tells for itself alone.
// label: RACE001
// also: OUTPUT
// run: 2 64
MICRO release_before_the_others_wrote(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x]; // <- here
        if (threadIdx.x == 0)
            store_release(&out[100], 1);
    } else {
        if (threadIdx.x == 0)
            while (load_acquire(&out[100]) == 0)
                ;
        __syncthreads();
        out[200 + threadIdx.x] = out[threadIdx.x]; // <- here
    }
}

// ---- the last block -----------------------------------------------------------

// label: RACE001
// also: OUTPUT
// run: 4 32
MICRO last_block_no_fence(int *out, int *in, int n) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x] + 1; // <- here
        if (atomicAdd(&out[100], 1) == gridDim.x - 1)
            out[200] = out[0] + out[1] + out[2] + out[3]; // <- here
    }
}

// label: clean
// run: 4 32
MICRO last_block_fences(int *out, int *in, int n) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x] + 1;
        __threadfence();
        if (atomicAdd(&out[100], 1) == gridDim.x - 1) {
            __threadfence();
            out[200] = out[0] + out[1] + out[2] + out[3];
        }
    }
}

// label: RACE001
// also: OUTPUT
// run: 4 32
MICRO last_block_first_fence_only(int *out, int *in, int n) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x] + 1; // <- here
        __threadfence();
        if (atomicAdd(&out[100], 1) == gridDim.x - 1)
            out[200] = out[0] + out[1] + out[2] + out[3]; // <- here
    }
}

// All threads write, thread 0 counts: a barrier must stand between.
// label: RACE001
// also: OUTPUT
// run: 4 64
MICRO last_block_no_barrier(int *out, int *in, int n) {
    __shared__ int last;
    out[64 * blockIdx.x + threadIdx.x] = in[threadIdx.x] + 1; // <- here
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&out[300], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        out[400 + threadIdx.x] = out[threadIdx.x ^ 32]; // <- here
}

// label: clean
// run: 4 64
MICRO last_block_barriers(int *out, int *in, int n) {
    __shared__ int last;
    out[64 * blockIdx.x + threadIdx.x] = in[threadIdx.x] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&out[300], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        out[400 + threadIdx.x] = out[threadIdx.x ^ 32];
}

// ---- a lock; a barrier of the grid --------------------------------------------

// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO lock_no_fence(int *out, int *in, int n) {
    while (atomicCAS(&out[1], 0, 1) != 0)
        ;
    out[0] += in[blockIdx.x] + 1; // <- here
    atomicExch(&out[1], 0);
}

// label: clean
// run: 2 1
MICRO lock_fences(int *out, int *in, int n) {
    while (atomicCAS(&out[1], 0, 1) != 0)
        ;
    __threadfence();
    out[0] += in[blockIdx.x] + 1;
    __threadfence();
    atomicExch(&out[1], 0);
}

// Given back by a plain store.
// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO lock_plain_unlock(int *out, int *in, int n) {
    while (atomicCAS(&out[1], 0, 1) != 0) // <- here
        ;
    __threadfence();
    out[0] += in[blockIdx.x] + 1; // <- here
    __threadfence();
    out[1] = 0; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO grid_barrier_no_fence(int *out, int *in, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] + 1; // <- here
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&out[100], 1);
        while (load_relaxed(&out[100]) != 2)
            ;
    }
    __syncthreads();
    out[200 + i] = out[63 - i]; // <- here
}

// label: clean
// run: 2 32
MICRO grid_barrier_fences(int *out, int *in, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&out[100], 1);
        while (load_relaxed(&out[100]) != 2)
            ;
        __threadfence();
    }
    __syncthreads();
    out[200 + i] = out[63 - i];
}
