#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files and machines that want marks, files or time that are not theirs. Each has one
# exact outcome, in each mode of the sandbox that this machine has. The files are in
# grader/tests/hostile/, and grader/tools/hostile says how they are written and graded;
# hostile_nvcc.bats has the modes of the other compiler. Unless FULL=1 is set, each mode
# takes a part of the files.

load common
setup() { common_setup; }

every() { # every MODE: judges the files in that mode
    run grader/tools/hostile ${QUICK:+"$QUICK"} "$1"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

has_nvcc() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
}

@test "hostile files under NVRTC" {
    every nvrtc
}

@test "hostile files under NVRTC, without Landlock" {
    every nvrtc-without-landlock
}

@test "hostile files under NVRTC, without seccomp" {
    every nvrtc-without-seccomp
}

@test "hostile files under NVRTC, in bubblewrap" {
    needs_bubblewrap
    every nvrtc-bubblewrap
}

@test "hostile files under NVRTC, in bubblewrap alone" {
    needs_bubblewrap
    every nvrtc-bubblewrap-alone
}

@test "nvcc reads no other file, even of a user who includes it" {
    has_nvcc
    "$CLCLAB" doctor | grep -q "ok      landlock" || skip "no Landlock here"
    local elsewhere=$BATS_FILE_TMPDIR/elsewhere # headers beside the file are the user's own
    mkdir -p "$elsewhere"
    echo 'int HOSTILE_SECRET = nonsense;' >"$elsewhere/secret.h"
    printf '#define F "%s"\n#include F\n' "$elsewhere/secret.h" >"$W/own.cu"
    run clclab run "$W/own.cu" --kernel k --grid 1 --block 1 --compiler nvcc
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "Permission denied"
    lacks "$output" HOSTILE_SECRET
}

# ---- what is not the student's fault -------------------------------------

# machine STATUS PART COMMAND: the right solution of lab 1, graded with an empty cache by a
# shell in which COMMAND ran before, ends with STATUS, PART in its message and no points.
machine() {
    XDG_CACHE_HOME=$W/cache-$RANDOM run timeout -k 5 "$PATIENCE" \
        bash -c "$3; exec '$CLCLAB' grade 1 '$(solution 1)' $4"
    [ "$status" -eq "$1" ] || fail "$3: exit status $status"
    # Messages are wrapped.
    holds "$(tr -s ' \n' ' ' <<<"$output")" "$2"
    lacks "$output" "/100"
    nothing_left
}

@test "a shell's limits that are too small for NVRTC" {
    its_turn 3
    machine 69 "memory (ulimit -v)" "ulimit -v 100000"
    machine 69 "size of a file (ulimit -f)" "ulimit -f 100"
    machine 75 "File too large" "ulimit -f 1"
    machine 75 "Too many open files" "ulimit -n 8"
}

@test "a shell's limits that are too small for nvcc" {
    its_turn 3
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
    its_turn 3
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
