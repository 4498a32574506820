#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kernels that do something wrong: the check that fails, its code, the line.

load common
setup() { common_setup; }

# fails_with CHECK CODE LINE [LAB FILE]: CHECK fails with CODE at LINE, and
# its cause has all that a cause must have.
fails_with() {
    grade_json "${4:-1}" "${5:-$W/fixed_work.cu}" && fail "it passed"
    [ "$(json verdict)" = fail ] || fail "verdict $(json verdict)"
    [ "$(json "checks.$1.status")" = fail ] || fail "$1 did not fail"
    [ "$(json "checks.$1.cause.code")" = "$2" ] || fail "another code"
    [ "$(json "checks.$1.cause.line")" = "$3" ] || fail "another line"
    [ -n "$(json "checks.$1.cause.what")" ] || fail "no what"
    [ -n "$(json "checks.$1.cause.help")" ] || fail "no help"
    holds "$(json "checks.$1.cause.replay")" "clclab grade ${4:-1}"
    nothing_left
}

@test "the right kernel of these tests passes" {
    lab1_right
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "another kernel name: says which names there are" {
    lab1_right
    sed -i 's/void fixed_work(/void fixed_wrok(/' "$W/fixed_work.cu"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    [ "$(failed_checks)" = signature ] || fail "failed: $(failed_checks)"
    holds "$(json checks.signature.cause.what)$(json checks.signature.cause.actual)" "fixed_wrok"
}

@test "a kernel without extern \"C\": says so" {
    lab1_right
    sed -i 's/^extern "C" //' "$W/fixed_work.cu"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    [ "$(failed_checks)" = signature ] || fail "failed: $(failed_checks)"
    holds "$(json checks.signature.cause.help)" 'extern'
}

@test "other parameters" {
    lab1_right
    sed -i 's/float \*data, int n)/float *data, long n, int extra)/' "$W/fixed_work.cu"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    [ "$(failed_checks)" = signature ] || fail "failed: $(failed_checks)"
    [ "$(json checks.correct.status)" = skip ] || fail "correct not skipped"
}

@test "another cluster size than the lab's" {
    sed 's/__cluster_dims__(2, *1, *1)/__cluster_dims__(4, 1, 1)/' \
        "$(solution 4)" >"$W/cluster_clc.cu"
    ! cmp -s "$(solution 4)" "$W/cluster_clc.cu" || fail "nothing replaced"
    grade_json 4 "$W/cluster_clc.cu" && fail "it passed"
    [ "$(failed_checks)" = signature ] || fail "failed: $(failed_checks)"
    holds "$(json checks.signature.cause.expected)" "2"
    holds "$(json checks.signature.cause.actual)" "4"
}

@test "a kernel that never ends: says where it spins" {
    lab1 "    volatile int *p = (volatile int *)data;
    if (n > 0)
        while (*p != 12345)
            ;"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    local causes
    causes=$(every_cause)
    holds "$causes" "DEADLOCK"
    [[ $causes =~ DEADLOCK\ [56] ]] || fail "$causes"
    nothing_left
}

@test "a deadlock: says which barrier" {
    lab1 "    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 2);
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_arrive(&bar);
    while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= compute_scalar();"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(every_cause)" "DEADLOCK 9"
    nothing_left
}

@test "threads that wait for a barrier the others never reach" {
    lab1 "    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x >= 32)
        __syncthreads();
    else
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
            ;
    if (i < n) data[i] *= compute_scalar();"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(every_cause)" "DEADLOCK"
    nothing_left
}

@test "a write out of bounds: its line" {
    lab1 "    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float alpha = compute_scalar();
    data[i + 100000000] = alpha;"
    fails_with rules MEM001 5
}

@test "one element too far: its line" {
    lab1 "    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float alpha = compute_scalar();
    if (i <= n)
        data[i] *= alpha;"
    fails_with rules MEM001 6
}

@test "a null pointer" {
    lab1_right "    if (i == 3) *(volatile int *)nullptr = 1;"
    fails_with rules MEM001 5
}

@test "a misaligned access" {
    lab1_right "    if (i < n) *(volatile int *)((char *)data + 1) = 1;"
    fails_with rules MEM002 5
}

@test "shared memory out of bounds" {
    lab1_right "    __shared__ int s[4];
    if (n > 0) ((volatile int *)s)[threadIdx.x * 100000] = 1;"
    fails_with rules MEM001 6
}

@test "a trap" {
    lab1_right "    if (i == 5) __trap();"
    fails_with rules TRAP 5
}

@test "an assertion: its text and its line" {
    lab1_right "    assert(i != 5);"
    sed -i '1s/$/\n#include <assert.h>/' "$W/fixed_work.cu"
    fails_with rules ASSERT 6
    holds "$(json checks.rules.cause.what)" "i != 5"
}

@test "an instruction that the virtual machine lacks: named, and never a zero" {
    lab1_right '    asm volatile("tcgen05.fence::before_thread_sync;");'
    local status=0
    grade_json 1 "$W/fixed_work.cu" || status=$?
    [ "$status" -eq 70 ] || fail "exit status $status"
    [ "$(json verdict)" = error ] || fail "verdict $(json verdict)"
    [ "$(json checks.rules.status)" = error ] || fail "$(json checks.rules.status)"
    [ "$(json checks.rules.cause.code)" = UNSUPPORTED ] || fail "another code"
    [ "$(json checks.rules.cause.line)" = 5 ] || fail "another line"
    holds "$(json checks.rules.cause.what)" "tcgen05.fence"
}

@test "what a kernel prints is shown" {
    lab1_right '    if (i == 0) printf("seen %d %s\n", 42, "twice");'
    sed -i '1s/$/\n#include <stdio.h>/' "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "seen 42 twice"
}

@test "what only a larger run printed is shown with the smaller one that tells most" {
    lab1_right '    if (blockIdx.x == 1 && threadIdx.x == 0) printf("from block 1\n"); if (i == 0) data[i] = 7;'
    sed -i '1s/$/\n#include <stdio.h>/' "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "n = 127, 1 block"
    holds "$output" "from block 1"
}

@test "printf: flags, widths, lengths, strings; a huge width is cut" {
    lab1_right '    if (i == 0) printf("%-5d|%05d|%+.2e|%#x|%lld|%c|%s|%%|%.3s|%1000000000d|%q\n", 7, 7, 1234.5, 255u, 1ll << 40, 65, "str", "abcdef", 3);'
    sed -i '1s/$/\n#include <stdio.h>/' "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "7    |00007|+1.23e+03|0xff|1099511627776|A|str|%|abc|"
    holds "$output" "|%q"
    [ "${#output}" -lt 10000 ] || fail "${#output} bytes"
}

@test "endless printing is cut off" {
    its_turn 5
    lab1_right '    for (int k = 0; k < 100000; k++) printf("%d line\n", k);'
    sed -i '1s/$/\n#include <stdio.h>/' "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -le 1 ] || fail "exit status $status"
    [ "${#output}" -lt 200000 ] || fail "${#output} bytes of output"
}

@test "a kernel that does nothing fails its data, not the grader" {
    lab1 ""
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(failed_checks)" "correct"
}

@test "NaN is never right" {
    lab1 "    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = compute_scalar() * __int_as_float(0x7fffffff);"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(failed_checks)" "correct"
}

@test "blocks processed twice are named" {
    lab1 "    float alpha = compute_scalar();
    for (int k = 0; k < (blockIdx.x == 0 ? 2 : 1); k++) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) data[i] *= alpha;
    }"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(failed_checks)" "exactly_once"
    holds "$(json checks.exactly_once.cause.what)" "0"
}

@test "a place in the cluster that was left out is named as the cause" {
    grade_json 4 solutions/04-cluster-clc/wrong/no_rank_added.cu &&
        fail "it passed"
    holds "$(json checks.exactly_once.cause.related)" \
        "its place in the cluster (1) was not added"
    holds "$(json checks.exactly_once.cause.related)" \
        "which took block 9 from that answer and left its place"
}

@test "a refusal taken for the end of the queue, and asked again: CLC001" {
    local wrong
    wrong=$(grep -l '^// expect: rules CLC001' solutions/03-*/wrong/*.cu | head -n 1)
    [ -n "$wrong" ] || skip "lab 3 has no wrong file for CLC001"
    grade_json 3 "$wrong" && fail "it passed"
    [ "$(json checks.rules.cause.code)" = CLC001 ] || fail "another code"
}

@test "a report says where an index is computed, not where a pointer is converted" {
    run clclab grade 1 labs/01-fixed-work/fixed_work.cu
    holds "$output" "fixed_work.cu:20: The address is computed from"
    lacks "$output" "fixed_work.cu:17: The address is computed from"
}
