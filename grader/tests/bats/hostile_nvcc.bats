#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The hostile files under nvcc, in each mode of the sandbox: a suite of its own, as nvcc
# takes several times as long as NVRTC. What a file of bombs/, judge/ or marks/ wants comes
# after compilation or is the same in each compiler: they are not graded here. Of the
# others each mode takes a fifth, and beside the usual mode one has its turn, unless FULL=1 is set.

load common
setup() {
    common_setup
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
}

every() { # every MODE: judges the files in that mode
    run grader/tools/hostile ${QUICK:+"$QUICK"} "$1"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "hostile files under nvcc" {
    every nvcc
}

@test "hostile files under nvcc, without Landlock" {
    its_turn 3
    every nvcc-without-landlock
}

@test "hostile files under nvcc, without seccomp" {
    its_turn 3
    every nvcc-without-seccomp
}

@test "hostile files under nvcc, in bubblewrap alone" {
    its_turn 3
    needs_bubblewrap
    every nvcc-bubblewrap-alone
}
