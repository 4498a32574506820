#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The functions of CUDA that clclab exec has: the rows of grader/runtime/api/*.functions, and
# what grader/tools/gen-runtime makes of them.

# shellcheck disable=SC2154 # run sets lines

load common

setup() {
    common_setup
    GEN=$ROOT/grader/tools/gen-runtime
    TABLES=("$ROOT"/grader/runtime/api/*.functions)
}

# room NAME FUNCTION...: $W/NAME/all.o, which defines the functions.
room() {
    local name
    mkdir -p "$W/$1"
    for name in "${@:2}"; do
        echo "int $name(void); int $name(void) { return 0; }"
    done | gcc -c -x c -o "$W/$1/all.o" -
}

# rows LINE...: $W/table
rows() {
    printf '%s\n' "$@" >"$W/table"
}

# check: the table against the rooms.
check() {
    run "$GEN" check "$W"/*/all.o -- "$W/table"
}

@test "functions: each row is exported, with its form for threads, and nothing else is" {
    local library
    [ -e "$ROOT/build/runtime/libcudart.so.12" ] || skip "the libraries are not built"
    "$GEN" versions node "${TABLES[@]}" | sed -n 's/^    \(.*\);/\1/p' | grep -v '^\*' | LC_ALL=C sort >"$W/rows"
    [ "$(wc -l <"$W/rows")" -gt 1000 ]
    for library in libcudart.so.12 libcudart.so.13; do
        nm -D --defined-only "$ROOT/build/runtime/$library" | sed -n "s/.* [TW] \(.*\)@@$library/\1/p" |
            LC_ALL=C sort >"$W/exported"
        diff "$W/rows" "$W/exported"
    done
}

@test "functions: rows that agree with the rooms are in order" {
    room api cudaA cudaB
    room graphs cudaG
    rows '# of a test' 'cudaA - api' 'cudaB ptsz api' 'cudaG - graphs' 'cuA - =cudaA' \
        'cudaN - OK' 'cudaM - NOT_SUPPORTED'
    check
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "functions: a room that lacks a function, or has one without a row, is named" {
    room api cudaA cudaB cudaC
    rows 'cudaA - graphs' 'cudaC - NOT_SUPPORTED' 'cudaD - api'
    check
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "error: cudaA is not in graphs/, where its row says it is" ]
    [ "${lines[1]}" = "error: cudaB, of api/, has no row" ]
    [ "${lines[2]}" = "error: cudaC is in api/, and its row says NOT_SUPPORTED" ]
    [ "${lines[3]}" = "error: cudaD is not in api/, where its row says it is" ]
    [ "${#lines[@]}" -eq 4 ]
}

@test "functions: a row that is damaged, comes twice or leads nowhere is named" {
    room api cudaA
    rows 'cudaA - api' 'cudaA - api' 'cuA - =cudaX' 'cuB - =cuA' 'cudaP pt api' 'cudaQ api'
    check
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "error: cuA is said to be cudaX, which has no row of its own" ]
    [ "${lines[1]}" = "error: cuB is said to be cuA, which has no row of its own" ]
    [ "${lines[2]}" = "error: cudaA has two rows" ]
    [ "${lines[3]}" = "error: this is no row: cudaP pt api" ]
    [ "${lines[4]}" = "error: this is no row: cudaQ api" ]
    [ "${#lines[@]}" -eq 5 ]
}

@test "functions: what is missing is answered with its error, what does nothing with success" {
    rows 'cudaM - NOT_SUPPORTED' 'cudaN ptds OK' 'cuN - =cudaN' 'cudaA ptsz api'
    run "$GEN" answers "$W/table"
    [ "${lines[2]}" = "MISSING(cudaM, CUDA_NOT_SUPPORTED)" ]
    [ "${lines[3]}" = "NOTHING(cudaN)" ]
    [ "${#lines[@]}" -eq 4 ]
    run "$GEN" names "$W/table"
    [ "$output" = "cudaN_ptds = cudaN;
cuN = cudaN;
cudaA_ptsz = cudaA;" ]
}
