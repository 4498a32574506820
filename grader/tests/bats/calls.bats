#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports name what to write in the words of the submission: calls of cuda::ptx,
# or instructions (WORDS_TERMS of grader/words/words.h, which is held against the
# PTX that a compiler makes of the calls).

load common
setup() { common_setup; }

# told LAB FILE: the report, in one line.
told() {
    run clclab grade "$1" "$2"
    [ "$status" -eq 1 ] || fail "exit status $status"
    output=$(tr -s ' \n' ' ' <<<"$output")
}

# What each call of the table is called with, where it has no arguments there.
arguments() {
    case $1 in
    *_init) echo "(&bar, 1)" ;;
    *expect_tx) echo "(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 16)" ;;
    *no_complete) echo "(&bar, 1)" ;;
    *parity) echo "(&bar, 0)" ;;
    *is_canceled) echo "(slot) ? __trap() : (void)0" ;; # what nobody uses is left out
    *try_cancel*) echo "(&slot, &bar)" ;;
    *cluster_arrive | *cluster_wait) echo "()" ;;
    *) echo "(&bar)" ;;
    esac
}

@test "every call of the table compiles, alone, to the instruction it stands for" {
    local rows instruction call
    rows=$(sed -n '/define WORDS_TERMS/,/clang-format on/p' grader/words/words.h | tr '\n\134' '  ' |
        grep -oE 'X\([A-Z_]+, *"[^"]*", *"[^"]*", *"[^"]*"' |
        sed -E 's/^X\([A-Z_]+, *"[^"]*", *"([^"]*)", *"([^"]*)"/\1|\2/')
    rows+=$'\n''clusterlaunchcontrol.try_cancel|ptx::clusterlaunchcontrol_try_cancel' # check/ledger.c
    [ "$(wc -l <<<"$rows")" -ge 14 ] || fail "rows: $rows"
    while IFS='|' read -r instruction call; do
        case $call in
        *"("*) ;; # as it is printed
        *) call+=$(arguments "$call") ;;
        esac
        printf '%s\n' '#include "lab.h"' 'namespace ptx = cuda::ptx;' \
            'extern "C" __global__ void kernel() {' \
            '    __shared__ uint4 slot; __shared__ uint64_t bar;' \
            "    $call;" '}' >"$W/call.cu"
        clclab ptx "$W/call.cu" >"$W/call.ptx" || fail "$call does not compile"
        grep -vE '\.file|\.global' "$W/call.ptx" | grep -qF -- "$instruction" ||
            fail "$call makes no $instruction"
    done <<<"$rows"
}

@test "lab 3 reads the call of the fence, lab 9 the instruction" {
    told 3 solutions/03-block-clc/wrong/no_fence.cu
    holds "$output" "tried with ptx::fence_proxy_async(ptx::space_shared) in front of line 24"
    lacks "$output" "fence.proxy.async"
    told 9 solutions/09-raw-ptx/wrong/membar.cu
    holds "$output" "tried with fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster in front of line 21"
    lacks "$output" "ptx::"
}

@test "what happened and what was missing name calls, too" {
    told 7 solutions/07-batch-clc/wrong/one_arrival.cu
    holds "$output" "tried with 4 as the count of ptx::mbarrier_init in line 26, all 64 schedules pass."
    told 4 solutions/04-cluster-clc/wrong/relaxed_start.cu
    holds "$output" "nothing orders after the ptx::mbarrier_init of block 1"
    holds "$output" "missing A fence (ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)) in front of the relaxed barrier of the cluster."
    lacks "$output" "mbarrier.init"
}
