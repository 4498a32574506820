#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab exec: what the functions of CUDA return, the driver's above all, and what is said of
# those that fail.

# shellcheck disable=SC2154 # run sets stderr

load common
load exec_programs

@test "exec: a launch whose shape the kernel does not allow fails as on a card, and says why" {
    build shapes
    run_exec "$W/shapes"
    [ "$status" -eq 0 ]
    [ "$output" = "bounds: cudaErrorInvalidValue
remainder: cudaErrorInvalidClusterSize
large: cudaErrorInvalidClusterSize
own: cudaErrorInvalidClusterSize
other: cudaErrorInvalidClusterSize
fits: cudaSuccess" ]
    holds "$stderr" "warning: Launch 1, of _Z7boundedv, is not possible: a block of 65 threads"
    holds "$stderr" "does not divide 6 blocks"
    holds "$stderr" "0 errors, 0 advisories"
    [[ $stderr != *"not everything could be run here"* ]]
}
