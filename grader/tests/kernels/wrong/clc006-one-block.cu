// SPDX-License-Identifier: Apache-2.0
// A slot is used again, and the earlier reads of it are not ordered before the
// asynchronous proxy writes to it: all that happens in one block.
#include "short.h"

#define SET_UP                               \
    __shared__ uint4 answer;                 \
    __shared__ uint64_t bar;                 \
    unsigned parity = 0, block = blockIdx.x; \
    if (threadIdx.x == 0)                    \
        init(&bar);                          \
    __syncthreads();                         \
    (void)block;

// A barrier alone: it orders the readers before the issuer, in one proxy.
// expect: CLC006
// run: --kernel no_fence --grid 20 --block 64 --arg buf:80
extern "C" __global__ void no_fence(unsigned *out) {
    SET_UP
    do {
        __syncthreads();
        if (threadIdx.x == 0) {
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// One thread a block: even its own reads need the fence.
// expect: CLC006
// run: --kernel alone_and_no_fence --grid 20 --block 1 --arg buf:80
extern "C" __global__ void alone_and_no_fence(unsigned *out) {
    SET_UP
    do {
        // here:
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;\n\t"
            "clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                shared_address(&answer)),
            "r"(shared_address(&bar))
            : "memory");
        out[block] += 1;
    } while (next_block(&answer, &bar, parity, block));
}

// The strongest fence of the memory model is no proxy fence.
// expect: CLC006
// run: --kernel fence_of_memory --grid 20 --block 64 --arg buf:80
extern "C" __global__ void fence_of_memory(unsigned *out) {
    SET_UP
    do {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence_system();
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// fence.proxy.alias is about two addresses of one memory.
// expect: CLC006
// run: --kernel fence_of_aliases --grid 20 --block 64 --arg buf:80
extern "C" __global__ void fence_of_aliases(unsigned *out) {
    SET_UP
    do {
        ptx::fence_proxy_alias();
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_alias();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// A proxy fence for global memory; the slot is shared memory.
// expect: CLC006
// run: --kernel fence_of_global --grid 20 --block 64 --arg buf:80
extern "C" __global__ void fence_of_global(unsigned *out) {
    SET_UP
    do {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_global);
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// The releasing half without the acquiring one.
// expect: CLC006
// run: --kernel release_only --grid 20 --block 64 --arg buf:80
extern "C" __global__ void release_only(unsigned *out) {
    SET_UP
    do {
        release_reads();
        __syncthreads();
        if (threadIdx.x == 0) {
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// The acquiring half without the releasing one.
// expect: CLC006
// run: --kernel acquire_only --grid 20 --block 64 --arg buf:80
extern "C" __global__ void acquire_only(unsigned *out) {
    SET_UP
    do {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_reads();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// Both halves, and the releasing one in thread 0 alone: all threads read.
// expect: CLC006
// run: --kernel one_releases --grid 20 --block 64 --arg buf:80
extern "C" __global__ void one_releases(unsigned *out) {
    SET_UP
    do {
        if (threadIdx.x == 0)
            release_reads();
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_reads();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// The readers' half stands behind the barrier.
// expect: CLC006
// run: --kernel release_behind --grid 20 --block 64 --arg buf:80
extern "C" __global__ void release_behind(unsigned *out) {
    SET_UP
    do {
        __syncthreads();
        if (threadIdx.x != 0)
            release_reads();
        if (threadIdx.x == 0) {
            acquire_reads();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// The two halves are exchanged.
// expect: CLC006
// run: --kernel exchanged --grid 20 --block 64 --arg buf:80
extern "C" __global__ void exchanged(unsigned *out) {
    SET_UP
    do {
        acquire_reads();
        __syncthreads();
        if (threadIdx.x == 0) {
            release_reads();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// The fence is there, and the barrier is not: other warps may still read.
// expect: CLC006|CLC007
// run: --kernel no_barrier --grid 20 --block 64 --arg buf:80
extern "C" __global__ void no_barrier(unsigned *out) {
    SET_UP
    do {
        fence_async();
        if (threadIdx.x == 0) {
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block)); // <- here
}

// The issuer fences first and takes part in the barrier afterwards.
// expect: CLC006
// run: --kernel fence_before_barrier --grid 20 --block 64 --arg buf:80
extern "C" __global__ void fence_before_barrier(unsigned *out) {
    SET_UP
    do {
        if (threadIdx.x == 0)
            fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
    } while (next_block(&answer, &bar, parity, block));
}

// A ring of three slots: the first reuse comes in the fourth round.
// expect: CLC006
// run: --kernel ring_of_three --grid 60 --block 64 --arg buf:240
extern "C" __global__ void ring_of_three(unsigned *out) {
    __shared__ uint4 slot[3];
    __shared__ uint64_t bar[3];
    unsigned block = blockIdx.x;
    if (threadIdx.x < 3)
        init(&bar[threadIdx.x]);
    for (unsigned i = 0;; i++) {
        unsigned s = i % 3, parity = i / 3 & 1;
        __syncthreads();
        if (threadIdx.x == 32) {
            ask(&slot[s], &bar[s]); // <- here
            announce(&bar[s]);
            out[block] += 1;
        }
        if (!next_block(&slot[s], &bar[s], parity, block))
            break;
    }
}
