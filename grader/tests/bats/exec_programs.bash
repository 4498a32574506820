# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the suites of clclab exec share: programs of grader/tests/exec/ are built with
# nvcc, each of them for seconds, and run.

# shellcheck disable=SC2154 # run sets stderr

setup_file() {
    local at
    NVCC=$(command -v nvcc) || for at in /usr/local/cuda*/bin/nvcc; do
        [ ! -x "$at" ] || NVCC=$at
    done
    export NVCC
}

setup() {
    common_setup
    [ -n "$NVCC" ] || skip "no nvcc"
    ((BATS_TEST_NUMBER <= 2)) || its_turn 6 # each builds programs, for seconds
}

# build NAME [OPTION...]: $W/NAME from grader/tests/exec/NAME.cu.
build() {
    local name=$1
    shift
    clclab nvcc "$@" -o "$W/$name" "$ROOT/grader/tests/exec/$name.cu"
}

# build_with_driver NAME [OPTION...]: the same, of a program that calls the driver too.
build_with_driver() {
    build "$@" -lcuda "-L$(dirname "$NVCC")/../lib64/stubs"
}

# run_exec OPTION...: output, status, stderr. That is one line, since where a report's lines
# are broken depends on the length of this folder's name.
run_exec() {
    run --separate-stderr clclab exec "$@"
    stderr=$(tr -s ' \n' ' ' <<<"$stderr")
    stderr=${stderr% }
    stderr=${stderr//\\ /} # where a command was broken
}
