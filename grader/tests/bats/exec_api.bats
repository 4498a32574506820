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

@test "exec: what is asked of kernels, libraries, pointers, managed memory and pools" {
    build_with_driver asks
    run_exec "$W/asks"
    [ "$status" -eq 0 ]
    [ "$output" = "0 wrong" ]
    holds "$stderr" "A stream waits for a value (cuStreamWaitValue) that nobody has written yet"
    [[ $stderr != *"does not have it"* ]]
}

@test "exec: a graph as a picture" {
    cat >"$W/dot.cu" <<'CODE'
__global__ void kernel_of_mine() {}
int main(int, char **argv) {
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    kernel_of_mine<<<1, 1, 0, stream>>>();
    kernel_of_mine<<<1, 1, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    return cudaGraphDebugDotPrint(graph, argv[1], 0);
}
CODE
    clclab nvcc -o "$W/dot" "$W/dot.cu"
    run_exec "$W/dot" "$W/graph.dot"
    [ "$status" -eq 0 ]
    [ "$(grep -c kernel_of_mine "$W/graph.dot")" = 2 ]
    grep -q 'n0 -> n1;' "$W/graph.dot"
}
