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
    [ "$status" -eq 70 ] # a text of PTX is mistaken
    [ "$output" = "0 wrong" ]
    holds "$stderr" "A stream waits for a value (cuStreamWaitValue) that nobody has written yet"
    holds "$stderr" "The program uses a stream that it has destroyed."
    holds "$stderr" "The program uses an event that it has destroyed."
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

@test "exec: a program whose requests were never granted is told so" {
    build steals
    run_exec "$W/steals"
    [ "$output" = "0 wrong" ]
    holds "$stderr" "note: No request to cancel a block was granted"
    holds "$stderr" "0 errors, 0 advisories"
    run_exec --gpu-model mini "$W/steals"
    [ "$output" = "0 wrong" ]
    [[ $stderr != *"was granted"* ]]
    run_exec --schedules 3 "$W/steals"
    [[ $stderr != *"was granted"* ]]
}

@test "exec: a plug-in may be closed and loaded again" {
    build plugin -Xcompiler -fPIC -shared
    cat >"$W/main.c" <<'CODE'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(argv[argc - 1], RTLD_NOW);
        int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : NULL;
        printf("%d\n", run ? run() : -2);
        if (library)
            dlclose(library);
    }
}
CODE
    cc -o "$W/main" "$W/main.c" -ldl
    run_exec "$W/main" "$W/plugin"
    [ "$output" = $'1\n1\n1' ]
    [[ $stderr == *"main on vm:b200: 3 launches; exit status 0"* ]]
}

@test "exec: the command of a replay can be typed, and has what the schedule depends on" {
    local folder=$W/$'a\nb' command
    mkdir "$folder"
    build in_turn
    mv "$W/in_turn" "$folder/in turn"
    clclab exec --gpu-model mini --schedules 8 --grants in-order --max-steps 2000 --format json \
        --out "$W/r.json" "$folder/in turn" $'it\'s\n' || true
    command=$(printf '%b' "$(json findings.0.replay)")
    [[ $command == *"--grants in-order"* ]]
    [[ $command == *"\$'it\\'s\\n'"* ]]
    [ "$(eval "set -- $command"; echo "${*: -2}")" = "$folder/in turn"$' it\'s' ]
}

@test "exec: a folder is no program" {
    run_exec "$W"
    [ "$status" -eq 2 ]
    holds "$stderr" "there is no program $W that can be run"
}

@test "exec: the driver's own nodes of graphs, and copies of rows of arrays" {
    build_with_driver nodes
    run_exec "$W/nodes"
    [ "$status" -eq 0 ]
    [ "$output" = "0 wrong" ]
    holds "$stderr" "0 errors, 0 advisories"
}

@test "exec: what was built for another device says with which model it runs" {
    build add -arch=sm_120
    run_exec "$W/add"
    [ "$status" -eq 70 ]
    holds "$stderr" "What was built for sm_120 runs with --gpu-model rtx5090."
    run_exec --gpu-model rtx5090 "$W/add"
    [ "$output" = "0 wrong, no error" ]
}
