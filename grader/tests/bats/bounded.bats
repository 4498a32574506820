#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A grade costs at most 60 s of processor time and 2 GiB, whatever is submitted.
# Each of these kernels tries to make it cost more. None passes, none is an
# error of the grader, and each is told what it was ended for. To reach a limit takes long:
# unless FULL=1 is set, one of four has its turn.

load common
setup() {
    common_setup
    COST=${COST_BIN:-$ROOT/build/tools/cost}
    its_turn 4
}

# kernel DECLARATIONS BODY: a submission for lab 3 in $W/x.cu.
kernel() {
    cat >"$W/x.cu" <<END
#include "lab.h"
#include <stdio.h>
namespace ptx = cuda::ptx;
$1
extern "C" __global__ void block_clc(float *data, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    $2
    if (i < n) data[i] *= compute_scalar();
}
END
}

# grades CHECK TEXT [WORD STATUS]: $W/x.cu fails this check as LIMIT, with this
# text, and the grade keeps its bounds. WORD and STATUS: it does not fail it.
grades() {
    local status=0 seconds mib word=${3:-FAIL} expected=${4:-1}
    "$COST" "$W/cost" "$CLCLAB" grade 3 "$W/x.cu" >"$W/out" 2>"$W/err" ||
        status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status: $(cat "$W/err" "$W/out")"
    read -r seconds mib <"$W/cost"
    [ "$seconds" -le 60 ] || fail "$seconds s"
    [ "$mib" -le 2200 ] || fail "$mib MiB"
    tr -s ' \n' ' ' <"$W/out" >"$W/line"
    grep -qE "$word +0/[0-9]+ +$1 " "$W/out" || fail "$(cat "$W/out")"
    holds "$(cat "$W/line")" "$2"
    holds "$(cat "$W/line")" "[LIMIT]"
    nothing_left
}

@test "a flood of printf" {
    kernel "" 'for (int k = 0;; k++) printf("%999d %s\n", k, "a text of this kernel");'
    grades rules "% of them went into printf"
}

@test "a storm of malloc" {
    kernel "" 'while (true) { void *p = malloc(4000000); free(p); }'
    grades rules "% of them went into allocating and clearing memory"
}

@test "memory from malloc that is kept" {
    its_turn 3
    kernel "" 'while (true) { volatile char *p = (volatile char *)malloc(16); if (p) *p = 1; }'
    # The heap has 8 MiB, as on a card. Then malloc gives NULL, and the loop goes on.
    grades rules "The kernel did not end within"
}

@test "calls with large local arrays" {
    kernel '__device__ __noinline__ void f(unsigned k) {
        volatile char big[100000]; big[k % 1000] = 1; }' \
        'for (unsigned k = 0;; k++) f(k);'
    grades rules "% of them went into allocating and clearing memory"
}

@test "a storm of atomics, from which threads learn of each other" {
    kernel '__device__ unsigned words[65536];' \
        'for (unsigned x = i * 7919 + 1;;) { x = x * 1664525 + 1013904223;
        asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;"
                     : "=r"(x) : "l"(&words[(x >> 8) % 65536]) : "memory"); }'
    grades rules "% of them went into keeping track of"
}

@test "many mbarriers and many warps" {
    its_turn 3
    kernel '__device__ unsigned at(void *p) { return (unsigned)__cvta_generic_to_shared(p); }' \
        '__shared__ uint64_t bars[4000];
        for (int k = threadIdx.x; k < 4000; k += blockDim.x) ptx::mbarrier_init(&bars[k], 1000);
        __syncthreads();
        for (unsigned x = i * 7919 + 1;;) { x = x * 1664525 + 1013904223;
            asm volatile("{.reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0];}"
                         :: "r"(at(&bars[(x >> 8) % 4000])) : "memory");
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [%0], 1;}"
                         :: "r"(at(&bars[(x >> 4) % 4000])) : "memory"); }'
    grades rules "% of them went into keeping track of"
}

@test "bulk stores of a whole block's memory" {
    kernel "" '__shared__ __align__(8) char big[48000];
        if (threadIdx.x == 0) for (;;)
            asm volatile("st.bulk.weak.shared::cta [%0], 48000, 0;"
                         :: "r"((unsigned)__cvta_generic_to_shared(big)) : "memory");'
    grades rules "% of them went into allocating and clearing memory"
}

@test "an array of 4 GB of which every page is touched" {
    kernel '__device__ char used[4000ul * 1000 * 1000];' \
        'for (size_t k = 4096ul * i; k < sizeof used; k += 4096ul * blockDim.x * gridDim.x) used[k] = 1;'
    grades rules "took more than 2048 MiB of memory, and was ended in the plain runs"
}

@test "an array of 4 GB that is not used costs nothing" {
    kernel '__device__ float unused[1000 * 1000 * 1000];' \
        'if (n < 0) data[0] = unused[-n];'
    run "$COST" "$W/cost" "$CLCLAB" grade 3 "$W/x.cu" --format json
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "No block index was stolen"
    read -r seconds mib <"$W/cost"
    [ "$seconds" -le 20 ] && [ "$mib" -le 500 ] || fail "$seconds s, $mib MiB"
}

@test "a kernel that is right and wastes time in each schedule is ended after 30 s: an error, no fail" {
    sed 's/^extern "C" __global__.*/&\
    __shared__ volatile unsigned waste[64];\
    if (threadIdx.x == 0)\
        for (unsigned k = 0; k < 4000000; k++) waste[k % 64] = k;/' \
        solutions/03-block-clc/block_clc.cu >"$W/x.cu"
    # Which runs it was at depends on the processor's speed.
    grades "(rules|schedules)" "took more than 30 s of processor time, and was ended" ERROR 70
    grep -q "PASS    10/10  correct" "$W/out" || fail "$(cat "$W/out")"
}
