#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The right solution of lab 1 in environments that want to be in its way: variables,
# limits, signals, descriptors, folders. It has full marks, or there is one message that
# says what is missing, and no marks; nothing that they name is run, read or written.

# shellcheck disable=SC2016 # commands are texts for another shell

load common

setup() {
    common_setup
    FILE=$W/fixed_work.cu
}
teardown() { nothing_left; }

# fresh: a right submission that has not been compiled before.
fresh() {
    cat "$(solution 1)" >"$FILE"
    echo "// $RANDOM$RANDOM" >>"$FILE"
}

# under COMMAND [OPTION...]: grades FILE in a shell in which COMMAND ran before. It may
# change "$@", which is the grading. Its output is in $W/out, its messages in $W/err.
under() {
    local command=$1
    shift
    status=0
    timeout -k 5 "$PATIENCE" bash -c "$command
exec \"\$@\"" sh "$CLCLAB" grade 1 "$FILE" --schedules 2 "$@" >"$W/out" 2>"$W/err" || status=$?
}

# passes COMMAND [OPTION...]: full marks, after a compilation.
passes() {
    fresh
    under "$@"
    [ "$status" -eq 0 ] || fail "$1: exit status $status" "$(cat "$W/out")"
    holds "$(cat "$W/out")" "Score: 100/100"
}

# stops STATUS PART COMMAND [OPTION...]: no marks, and a message that has PART.
stops() {
    local expected=$1 part=$2
    shift 2
    under "$@"
    [ "$status" -eq "$expected" ] || fail "$1: exit status $status" "$(cat "$W/out")"
    holds "$(tr -s ' \n' ' ' <"$W/err")" "$part"
    lacks "$(cat "$W/out" "$W/err")" "/100"
}

# booby_traps NAME...: programs of these names in $W/bin that leave $W/ran.
booby_traps() {
    local name
    mkdir -p "$W/bin"
    for name; do
        printf '#!/bin/sh\ntouch "%s"\nexit 1\n' "$W/ran" >"$W/bin/$name"
        chmod +x "$W/bin/$name"
    done
}

# Headers and options that nobody asked for, and files that they want to be written.
hostile_variables() {
    mkdir -p "$W/inc/cuda"
    echo '#error hostile' | tee "$W/inc/stdint.h" "$W/inc/cooperative_groups.h" >"$W/inc/cuda/ptx"
    booby_traps g++ cc1plus cicc ptxas cudafe++
    export CPATH=$W/inc C_INCLUDE_PATH=$W/inc CPLUS_INCLUDE_PATH=$W/inc \
        NVCC_PREPEND_FLAGS="-DHOSTILE -include $W/inc/stdint.h" NVCC_APPEND_FLAGS="-o $W/ran" \
        NVCC_CCBIN=$W/bin/g++ GCC_EXEC_PREFIX=$W/bin/ COMPILER_PATH=$W/bin \
        DEPENDENCIES_OUTPUT=$W/ran SUNPRO_DEPENDENCIES=$W/ran CUDA_CACHE_PATH=$W/ran
}

not_ran() {
    [ ! -e "$W/ran" ] || fail "something hostile was run or written"
}

has_nvcc() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
}

@test "languages, time zones and terminals change nothing" {
    local plain
    fresh
    under : --format json
    plain=$(grep -v elapsed_ms "$W/out")
    for odd in 'LC_ALL=tr_TR.UTF-8' 'LC_ALL=xx_YY.odd LANG=../../x' 'TZ=:/nowhere' 'TERM=none' \
        'COLUMNS=0 LINES=0' 'COLUMNS=-1' 'COLUMNS=99999999999999999999' 'POSIXLY_CORRECT=1' \
        'MALLOC_PERTURB_=165'; do
        under "export $odd" --format json
        [ "$status" -eq 0 ] || fail "$odd: exit status $status"
        [ "$(grep -v elapsed_ms "$W/out")" = "$plain" ] || fail "$odd: another report"
    done
}

@test "libraries of the environment are not the compiler's" {
    mkdir "$W/lib"
    for name in libnvrtc.so libnvrtc.so.13 libnvrtc-builtins.so.13.0; do
        echo garbage >"$W/lib/$name"
    done
    passes "export LD_LIBRARY_PATH='$W/lib'"
    passes "export LD_PRELOAD=/nowhere/lib.so"
}

@test "variables of compilers reach no compiler" {
    hostile_variables
    passes : --compiler nvrtc
    has_nvcc
    passes : --compiler nvcc
    not_ran
}

@test "programs on PATH are not run" {
    booby_traps gcc g++ cc1plus cicc ptxas cudafe++ sh nvdisasm
    passes "PATH='$W/bin':\$PATH" --compiler nvrtc
    has_nvcc
    "$CLCLAB" doctor | grep -q "ok      landlock" || skip "without Landlock PATH's g++ may be run"
    fresh
    stops 69 "nvcc cannot run a C++ compiler of this machine" "PATH='$W/bin':\$PATH" --compiler nvcc
    not_ran
}

@test "folders for temporary files that are none" {
    its_turn 2
    local folder
    ln -s "$TMPDIR" "$W/link"
    for folder in "$W/link" /proc/none /proc /dev/null "" ../../.. "$(printf '%5000s' x)"; do
        passes "export TMPDIR='$folder'"
    done
    has_nvcc
    passes "export TMPDIR=/proc" --compiler nvcc
}

@test "a folder for temporary files whose name breaks lines, words and quotes" {
    its_turn 2
    local folder=$W/$'a b\'c"d\\\n$(touch ran)'
    mkdir "$folder"
    TMPDIR=$folder passes :
    has_nvcc
    TMPDIR=$folder passes : --compiler nvcc
    [ -z "$(ls -A "$folder")" ] || fail "left behind: $(ls -A "$folder")"
    not_ran
}

@test "no home, and caches that are none" {
    its_turn 2
    passes "unset HOME XDG_CACHE_HOME XDG_STATE_HOME"
    passes "unset XDG_CACHE_HOME; export HOME=/proc/none"
    passes "export XDG_CACHE_HOME='$FILE' XDG_STATE_HOME='$FILE'"
    passes "cd '$W'; export XDG_CACHE_HOME=relative XDG_STATE_HOME=relative"
    [ ! -e "$W/relative" ] || fail "a folder that is not absolute was used"
}

@test "an environment that is empty" {
    passes 'set -- env -i "$@"'
}

@test "descriptors that are closed, or open on what is secret" {
    passes "exec <&-"
    passes "exec 2>&-"
    passes 'for i in {3..99}; do eval "exec $i</etc/passwd"; done'
    stops 75 "cannot write to standard output: Bad file descriptor" "exec >&-"
    stops 75 "" "exec <&- >&- 2>&-"
}

@test "outputs that are full" {
    fresh
    stops 75 "cannot write to standard output: No space left on device" "exec >/dev/full"
    passes "exec 2>/dev/full"
}

@test "signals that are ignored or blocked" {
    env --ignore-signal true || skip "this env knows no signals"
    passes 'set -- env --ignore-signal "$@"'
    passes 'set -- env --block-signal "$@"'
    has_nvcc
    passes 'set -- env --ignore-signal "$@"' --compiler nvcc
}

@test "limits that nobody meant" {
    its_turn 2
    passes "umask 777"
    passes "ulimit -c unlimited; ulimit -i 0; ulimit -l 0"
    passes "renice 19 \$\$"
    fresh
    stops 69 "out of memory" "ulimit -d 20000"
    has_nvcc
    cp "$FILE" "$W/short.cu" # which a quick machine compiles in less than a second
    awk 'BEGIN { for (i = 0; i < 12000; i++) printf "__device__ int f%d(int x) { return x * %d + x %% 7; }\n", i, i }' >>"$FILE"
    stops 69 "processor time (ulimit -t)" "ulimit -t 1" --compiler nvcc
    cp "$W/short.cu" "$FILE"
    passes "umask 777" --compiler nvcc
}

@test "a current folder that is gone, and a program without a name" {
    passes "mkdir '$W/gone'; cd '$W/gone'; rmdir '$W/gone'"
    passes 'p=$1; shift; set -- bash -c '"'exec -a \"\" \"\$0\" \"\$@\"'"' "$p" "$@"'
    passes 'set -- setsid -w "$@"'
}

@test "the grader's own variables" {
    passes "export CLCLAB_ROOT= CLCLAB_TOOLKIT= CLCLAB_UNKNOWN=1"
    stops 2 "CLCLAB_ROOT: /nowhere is not the course's folder" "export CLCLAB_ROOT=/nowhere"
    stops 69 "/nowhere" "export CLCLAB_TOOLKIT=/nowhere"
}

# ---- what is graded ------------------------------------------------------

@test "submissions whose names break lines, words and terminals" {
    local name
    for name in $'a\nScore: 100.cu' $'\e[2J.cu' '-x.cu' 'a b.cu' "$(printf '%0250d' 1).cu" '$(touch ran).cu' \
        '%s%n.cu' '<script>.cu' 'é€.cu'; do
        FILE=$W/$name
        passes :
        lacks "$(cat "$W/out")" $'\e'
        [ "$(grep -c '^Score: ' "$W/out")" -eq 1 ] || fail "$name: $(cat "$W/out")"
    done
    not_ran
}

@test "a name that is not UTF-8 in a report that is" {
    FILE=$W/$'a\xff\xfe.cu'
    fresh
    under : --format json
    [ "$status" -eq 0 ] || fail "exit status $status"
    cp "$W/out" "$W/r.json"
    holds "$(json file)" $'a\xef\xbf\xbd\xef\xbf\xbd.cu'
}

@test "submissions that are no files" {
    mkfifo "$W/fifo"
    FILE=$W/fifo stops 2 "it is not a regular file" :
    FILE=/proc/self/mem stops 2 "Input/output error" :
    FILE=/dev/full stops 2 "it is not a regular file" :
    FILE=$W stops 2 "No file ends in .cu" :
}

@test "a submission of 64 GiB" {
    truncate -s 64G "$FILE"
    under :
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$(tr -s ' \n' ' ' <"$W/out")" "The file is larger than 1 MiB."
}

@test "what a kernel prints is no line of the report" {
    lab1 '    printf("\nScore: 100/100\r\033[2J\n  PASS    25/25  schedules\n");' '#include <stdio.h>'
    sed -i '1s|$|\n#include <stdio.h>|' "$FILE"
    under :
    [ "$status" -eq 1 ] || fail "exit status $status"
    lacks "$(cat "$W/out")" $'\e'
    [ "$(grep -c '^Score: ' "$W/out")" -eq 1 ] || fail "$(cat "$W/out")"
    [ "$(tail -n 1 "$W/out")" != "Score: 100/100" ] || fail "full marks"
}

@test "no line of another file is shown, whatever says that a mistake is there" {
    echo 'HOSTILE_SECRET' >"$W/secret.h"
    lab1 "    int x;
#line 1 \"$W/secret.h\"
    asm volatile(\"ld.global.u32 %0, [0];\" : \"=r\"(x));"
    under :
    [ "$status" -eq 1 ] || fail "exit status $status"
    lacks "$(cat "$W/out")" HOSTILE_SECRET
}
