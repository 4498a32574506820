#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab clinic and make clinic, as a learner uses them, in a copy of the course
# where cases can be mended.

load common
setup() {
    common_setup
    C=$W/course
    mkdir "$C"
    cp -r labs "$C/labs"
    mkdir -p "$C/grader/compile" # what kernels are compiled with
    cp -r grader/compile/include "$C/grader/compile/"
    rm -rf "$C/labs/clinic/mine"
    MINE=labs/clinic/mine/14-write-back.cu
    MENDED=$ROOT/solutions/clinic/14-write-back.cu
    cp "$CLCLAB" "$C/clclab"
    CLCLAB=$C/clclab
    cd "$C" || return 1
}

clinic() {
    run --separate-stderr clclab clinic "$@" --schedules 8
}

@test "a new patient tells its story, and a copy is made" {
    clinic 14
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "Case 14: The courier was quicker"
    holds "$output" "With printf in it, they are right."
    holds "$output" "$MINE"
    lacks "$output" "RACE002"
    diff "$MINE" labs/clinic/14-write-back.cu || fail "not a copy"
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "a case is healed by the rule's name and the mended line, and counted" {
    clinic 14
    clinic 14
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "OPEN  diagnosis"
    holds "$output" "kept back until the diagnosis is right"
    lacks "$output" "RACE002"
    sed -i 's/^\/\/ DIAGNOSIS: ?/\/\/ DIAGNOSIS: RACE001/' "$MINE"
    clinic 14
    holds "$output" "ILL   diagnosis  RACE001"
    lacks "$output" "RACE002"
    sed -i 's/RACE001/race002/' "$MINE"
    clinic 14
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "WELL  diagnosis  RACE002"
    holds "$output" "[RACE002]"
    lacks "$output" "tried" # what mends it is for the learner to find
    holds "$output" "Not healed yet."
    cp "$MENDED" "$MINE"
    clinic 14
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "Healed."
    clinic
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "HEALED  14  The courier was quicker: RACE002"
    holds "$output" "1 of $(find labs/clinic -maxdepth 1 -name "[0-9]*.cu" | wc -l) healed"
}

@test "a kernel that is written anew without its technique is not healed" {
    clinic 14
    cat >"$MINE" <<'END'
// DIAGNOSIS: RACE002
extern "C" __global__ void write_back(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * in[i];
}
END
    clinic 14
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "WELL  rules"
    holds "$output" "WELL  output"
    holds "$output" "ILL   technique  It copies nothing asynchronously"
}

@test "a copy that costs too much is ended" {
    its_turn 2
    clinic 14
    cat >"$MINE" <<'END'
// DIAGNOSIS: RACE002
__device__ char used[4000ul * 1000 * 1000];
extern "C" __global__ void write_back(const unsigned *in, unsigned *out) {
    for (size_t k = 4096ul * threadIdx.x; k < sizeof used; k += 4096ul * blockDim.x) used[k] = 1;
}
END
    clinic 14
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$stderr" "took more than 2048 MiB of memory"
    holds "$stderr" "explain LIMIT"
    [ -z "$output" ] || fail "there is a report"
}

@test "a copy that does not compile, or gives something else, is ill" {
    its_turn 2
    clinic 14 "$MENDED"
    [ "$status" -eq 0 ] || fail "exit status $status"
    sed 's/in\[i\] \* in\[i\]/in[i] + 1/' "$MENDED" >"$W/other.cu"
    clinic 14 "$W/other.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "ILL   output"
    sed 's/__syncthreads();/__syncthreads()/' "$MENDED" >"$W/broken.cu"
    clinic 14 "$W/broken.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "it does not build"
    holds "$output" "broken.cu:"
    echo '// DIAGNOSIS: ?' >"$W/none.cu"
    clinic 14 "$W/none.cu"
    [ "$status" -eq 2 ] || fail "exit status $status"
    clinic 14 "$W/missing.cu"
    [ "$status" -eq 2 ] || fail "exit status $status"
    clinic 14 "$MENDED" --format json
    echo "$output" >"$W/r.json"
    [ "$(json schema) $(json cases.0.state)" = "clclab/clinic/v1 healed" ] ||
        fail "$(json cases.0.state)"
}

@test "a case that was mended in its place is brought back first" {
    sed -i 's/^\/\/ DIAGNOSIS: ?/\/\/ DIAGNOSIS: RACE002/' \
        labs/clinic/14-write-back.cu
    clinic 14
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "leave it as it is"
    clinic 99
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "there is no case"
    rm -r labs/clinic
    clinic
    [ "$status" -eq 69 ] || fail "exit status $status"
}

@test "make clinic passes CASE, FILE and SCHEDULES on" {
    cd "$ROOT" || return 1
    run make --no-print-directory clinic CASE=14 FILE="$MENDED" SCHEDULES=2 \
        FORMAT=json
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" '"healed": 1'
    run make --no-print-directory clinic FILE=x.cu
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "which case"
}
