#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kernels that break a rule on purpose: each mistake is found, at its line,
# before any other error. grader/tests/kernels/README.md says how they are
# written. Unless FULL=1 is set, some files of each kind have their turn.

load common
setup() {
    common_setup
    KERNELS=grader/tests/kernels
    CHECK=$KERNELS/check-wrong
    export CLCLAB_BIN=$CLCLAB JSON_GET_BIN=$JSON_GET
}

# all_found LEAST FILE...: at least LEAST kernels, and each is as it says.
all_found() {
    local least=$1 count files
    mapfile -t files < <(printf '%s\n' "${@:2}" | drawn 4)
    [ -z "$QUICK" ] || least=1
    "$CHECK" "${files[@]}" >"$W/tap" || fail "$(grep -v '^ok' "$W/tap")"
    count=$(grep -c '^ok' "$W/tap")
    [ "$count" -ge "$least" ] || fail "only $count kernels"
}

@test "broken rules of requests and answers are found: CLC" {
    all_found 92 "$KERNELS"/wrong/clc*.cu
}

@test "broken rules of mbarriers are found: BAR" {
    all_found 24 "$KERNELS"/wrong/bar*.cu
}

@test "broken rules of barriers and warps are found: SYNC, DEADLOCK" {
    all_found 33 "$KERNELS"/wrong/{sync,deadlock}*.cu
}

@test "an index that is wrong is named where it is made" {
    all_found 3 "$KERNELS"/wrong/causes*.cu
}

@test "broken rules of memory are found: MEM" {
    all_found 27 "$KERNELS"/wrong/mem*.cu
}

@test "broken rules of order are found: RACE" {
    all_found 38 "$KERNELS"/wrong/race*.cu
}

@test "traps, assertions and endless kernels are found" {
    all_found 9 "$KERNELS"/wrong/{trap,assert,limit}*.cu
}

@test "check-wrong: a right kernel, a wrong code and a wrong line fail" {
    cp "$KERNELS"/wrong/clc009-lost-work.cu "$KERNELS"/wrong/short.h "$W"
    local file=$W/clc009-lost-work.cu
    sed -i '0,/expect: CLC009/s//expect: CLC010/' "$file"
    sed -i '0,/ \/\/ <- here/s///' "$file"
    sed -i 's/^    for (int served.*/& \/\/ <- here/' "$file"
    sed -i 's/s < 2; s++/s < 3; s++/' "$file"
    run "$CHECK" "$file"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "not ok 1 - clc009-lost-work.cu at_most_three: CLC010"
    holds "$output" "not ok 3 - clc009-lost-work.cu third_slot_unread: CLC009"
    sed -i 's/expect: CLC010/expect: CLC009/' "$file"
    run "$CHECK" "$file"
    holds "$output" "not ok 1 - clc009-lost-work.cu at_most_three: CLC009"
    holds "$output" "# CLC009 at line 18, marked: 14"
    holds "$output" "ok 2 - "
}

@test "kernels built to exhaust the checker end in a finding, in 1.5 GiB" {
    its_turn 4
    ulimit -v 1572864
    all_found 13 "$KERNELS"/hostile/*.cu
}
