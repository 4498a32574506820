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
    sed 's/[\\]//g' "$W/r.json" | grep -qF -- "$says" || echo "$file: the report does not say: $says"
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

# ---- what is not the student's fault -------------------------------------

# machine STATUS PART COMMAND: the right solution of lab 1, graded with an empty cache by a
# shell in which COMMAND ran before, ends with STATUS, PART in its message and no points.
machine() {
    XDG_CACHE_HOME=$W/cache-$RANDOM run timeout -k 5 60 \
        bash -c "$3; exec '$CLCLAB' grade 1 '$(solution 1)' $4"
    [ "$status" -eq "$1" ] || fail "$3: exit status $status"
    # Messages are wrapped.
    holds "$(tr -s ' \n' ' ' <<<"$output")" "$2"
    lacks "$output" "/100"
    nothing_left
}

@test "a shell's limits that are too small for NVRTC" {
    machine 69 "memory (ulimit -v)" "ulimit -v 100000"
    machine 69 "size of a file (ulimit -f)" "ulimit -f 100"
    machine 75 "File too large" "ulimit -f 1"
    machine 75 "Too many open files" "ulimit -n 8"
}

@test "a shell's limits that are too small for nvcc" {
    has_nvcc
    machine 69 "stack (ulimit -s)" "ulimit -s 64" "--compiler nvcc"
    machine 69 "size of a file (ulimit -f)" "ulimit -f 100" "--compiler nvcc"
    machine 75 "temporary files" "ulimit -f 1" "--compiler nvcc"
    machine 75 "Too many open files" "ulimit -n 8" "--compiler nvcc"
}

@test "an nvcc that cannot run is not the file's fault" {
    mkdir -p "$W/tk/bin" "$W/tk/include"
    echo '#define CUDA_VERSION 13000' >"$W/tk/include/cuda.h"
    printf '#!/bin/sh\nexec /nowhere/nvcc "$@"\n' >"$W/tk/bin/nvcc"
    chmod +x "$W/tk/bin/nvcc"
    machine 69 "even on a file that holds nothing" "export CLCLAB_TOOLKIT=$W/tk" "--compiler nvcc"
}

@test "a file's name may hold a quote or a backslash" {
    local name compiler
    for name in "a'b" 'a"b' 'a\b' 'a b'; do
        cp "$(solution 1)" "$W/$name.cu"
        for compiler in nvrtc nvcc; do
            run clclab grade 1 "$W/$name.cu" --compiler "$compiler" --schedules 2
            [ "$status" -eq 0 ] || fail "$name, $compiler: exit status $status"
        done
    done
}

@test "a course's tree that is not whole" {
    mkdir "$W/course"
    cp -r labs "$W/course/labs"
    machine 69 "even on a file that holds nothing: Command-line error: cannot open source file" : "--root $W/course"
    echo 'colour = blue' >>"$W"/course/labs/01-*/lab.conf
    machine 2 'There is no key "colour"' : "--root $W/course"
}

# ---- whose file it is ----------------------------------------------------

@test "a symbolic link is no submission, unless it is to be followed" {
    echo "int HOSTILE_SECRET = nonsense;" >"$W/secret.cu"
    ln -s "$W/secret.cu" "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "it is a symbolic link"
    lacks "$output" HOSTILE_SECRET
    ln -s "$ROOT/$(solution 1)" "$W/right.cu"
    run clclab grade 1 "$W/right.cu" --follow --schedules 2
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "nothing is taken from a cache that others can write to" {
    local right before
    export XDG_CACHE_HOME=$W/cache
    clclab grade 1 "$(solution 1)" --schedules 2 >"$W/first"
    right=$(echo "$W"/cache/clclab/*.result)
    chmod 666 "$right"
    before=$(stat -c %i "$right")
    run clclab grade 1 "$(solution 1)" --schedules 2
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(stat -c %i "$right")" != "$before" ] || fail "it was not written again"
    [ "$(stat -c %a "$right")" = 600 ] || fail "others can still write to it"
    chmod 777 "$W/cache/clclab"
    rm "$right"
    run clclab grade 1 "$(solution 1)" --schedules 2
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ ! -e "$right" ] || fail "a folder that others can write to was used"
}
