#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files and machines that want marks, files or time that are not theirs. Each has one
# exact outcome, in each mode of the sandbox that this machine has.
#
# grader/tests/hostile/*.cu are submissions to lab 1. Their first lines say what comes out:
#
#   // expect: STATUS [CHECK]   the exit status, and the check that fails
#   // says: TEXT               what the report must hold
#
# @SECRET@ and @SOLUTION@ stand for the path of a file that may not be read. A right kernel
# is appended to each file, so that it would pass if its trick were not noticed.

load common
setup() { common_setup; }

WITHOUT=${WITHOUT_BIN:-$ROOT/build/tools/without}

# submission FILE: writes it to $W/fixed_work.cu, with the kernel.
submission() {
    sed -e "s|@SECRET@|$W/secret.h|" -e "s|@SOLUTION@|$ROOT/$(solution 1)|" "$1"
    lab1_right
    sed '1d' "$W/fixed_work.cu"
}

# judge FILE MODE...: grades it in that mode; says on standard output what is wrong.
judge() {
    local file=$1 expect says status=0
    shift
    expect=$(sed -n 's|^// expect: ||p' "$file")
    says=$(sed -n 's|^// says: ||p' "$file")
    submission "$file" >"$W/text"
    mv "$W/text" "$W/fixed_work.cu"
    timeout -k 5 60 "$@" --format json --schedules 2 >"$W/r.json" 2>"$W/err" || status=$?
    [[ "$status $(failed_checks 2>/dev/null)" == "$expect"?( ) ]] ||
        echo "$file: $status $(failed_checks 2>&1) instead of $expect"
    tr -d '\\' <"$W/r.json" | grep -qF -- "$says" || echo "$file: the report does not say: $says"
    ! grep -q "HOSTILE_SECRET\|root:x:" "$W/r.json" "$W/err" || echo "$file: it shows a secret"
}

# every MODE...: judges every file in that mode.
every() {
    local file
    shopt -s extglob
    echo '#define HOSTILE_SECRET int HOSTILE_SECRET;' >"$W/secret.h"
    for file in grader/tests/hostile/*.cu; do
        judge "$file" "$@"
    done >"$W/wrong"
    [ ! -s "$W/wrong" ] || fail "$(cat "$W/wrong")"
    nothing_left
}

grade_with() { # grade_with COMPILER PREFIX...
    local compiler=$1
    shift
    every "$@" "$CLCLAB" grade 1 "$W/fixed_work.cu" --compiler "$compiler"
}

has_nvcc() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
}

@test "hostile files under NVRTC" {
    grade_with nvrtc env
}

@test "hostile files under NVRTC, without Landlock" {
    grade_with nvrtc "$WITHOUT" landlock
}

@test "hostile files under NVRTC, without seccomp" {
    grade_with nvrtc "$WITHOUT" seccomp
}

@test "hostile files under nvcc" {
    has_nvcc
    grade_with nvcc env
}

@test "hostile files under nvcc, without Landlock" {
    has_nvcc
    grade_with nvcc "$WITHOUT" landlock
}

@test "nvcc reads no other file, even of a user who includes it" {
    has_nvcc
    "$CLCLAB" doctor | grep -q "Landlock.*not\|no Landlock" && skip "no Landlock here"
    echo 'int HOSTILE_SECRET = nonsense;' >"$W/secret.h"
    printf '#define F "%s"\n#include F\n' "$W/secret.h" >"$W/own.cu"
    run clclab run "$W/own.cu" --kernel k --grid 1 --block 1 --compiler nvcc
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "Permission denied"
    lacks "$output" HOSTILE_SECRET
}
