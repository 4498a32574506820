#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A grader that is ended while it works leaves nothing behind: no process, and no folder, or at the latest none after the next grade.

load common
setup() {
    common_setup
    export XDG_CACHE_HOME=$W/cache
    mkdir -p "$W/cache"
}

# For a test that fails: nothing that it started lives on.
teardown() {
    local process
    for process in /proc/[0-9]*; do
        if [[ $(readlink "$process/cwd") == "$W"/* ]]; then
            kill -KILL "${process#/proc/}" || true
        fi
    done
}

WITHOUT=${WITHOUT_BIN:-$ROOT/build/tools/without}

# start COMMAND...: as $grader, in $W, with the signals of a shell's foreground. Everything
# that it starts works below $W, and nothing else does.
start() {
    (cd "$W" && exec env --default-signal "$@") >"$W/out" 2>&1 3>&- &
    grader=$!
}

processes() { # processes: prints the numbers of those that work below $W
    find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -lname "$W*" -printf '%h ' 2>/dev/null || true
}

at_work() { # at_work: prints how many processes that is
    processes | wc -w
}

# wait_until COUNT: so many processes are at work.
wait_until() {
    until_is work_at_least "$1" || fail "only $(at_work) of $1 processes: $(cat "$W/out")"
}

work_at_least() {
    [ "$(at_work)" -ge "$1" ]
}

# wait_until_settled COUNT: so many processes are at work, the same ones for a second. Between
# two jobs a grader is alone with its folders, and nobody removes them if it is killed then.
wait_until_settled() {
    local end=$((SECONDS + PATIENCE)) since=0 before='' now
    until ((since && ${EPOCHREALTIME/./} - since > 1000000)); do
        if ((SECONDS >= end)) || is_gone "$grader"; then
            fail "never $1 processes for a second: $(cat "$W/out")"
            return
        fi
        now=$(processes)
        if [ "$now" != "$before" ] || [ "$(wc -w <<<"$now")" -lt "$1" ]; then
            since=${EPOCHREALTIME/./} before=$now
        fi
    done
}

folders() {
    find "$W/cache" "$TMPDIR" -name 'clclab-job-*'
}

# all_gone: nothing is at work any more. What would go on by itself does so for longer than
# until_is waits.
all_gone() {
    until_is nothing_works || fail "$(at_work) processes live on"
}

nothing_works() {
    [ "$(at_work)" -eq 0 ]
}

# killed SIGNAL: the grader is ended by this signal.
killed() {
    local status=0
    kill -s "$1" "$grader"
    wait "$grader" || status=$?
    [ "$status" -gt 128 ] || fail "$1: exit status $status: $(cat "$W/out")"
}

# ended SIGNAL COUNT COMMAND...: COMMAND is sent this signal when so many processes work, and
# will go on to.
ended() {
    start "${@:3}"
    wait_until_settled "$2"
    killed "$1"
    all_gone
    [ -z "$(folders)" ] || fail "$1 left $(folders)"
}

# An nvcc that waits for ever, with a child that ignores signals, one that leads a session
# of its own if it may, and one that has lost its parent.
stubborn_nvcc() {
    mkdir -p "$W/tk/bin" "$W/tk/include"
    echo '#define CUDA_VERSION 13000' >"$W/tk/include/cuda.h"
    cp "$(command -v sleep)" "$W/tk/bin/stay"
    cat >"$W/tk/bin/nvcc" <<'END'
#!/bin/sh
[ "$1" != --dryrun ] || exit 1
trap '' TERM HUP INT
here=${0%/*}
"$here/stay" 1000 &
(setsid "$here/stay" 1000 || exec "$here/stay" 1000) &
("$here/stay" 1000 &)
mkfifo wait
read -r line <wait
END
    chmod +x "$W/tk/bin/nvcc"
    export CLCLAB_TOOLKIT=$W/tk
}

has_nvcc() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
}

@test "a compiler that waits for ever ends with its grader" {
    its_turn 2
    local signal
    stubborn_nvcc
    for signal in KILL TERM HUP INT; do
        ended "$signal" 6 "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
    done
}

@test "so do its children that lead sessions of their own, where there is no seccomp" {
    stubborn_nvcc
    ended KILL 6 "$WITHOUT" seccomp "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
}

# Its first process is the grader's descendant, and the others cannot live without that.
@test "in bubblewrap it ends even if the grader and the supervisor are killed at once" {
    local signal
    needs_bubblewrap
    stubborn_nvcc
    for signal in KILL TERM; do
        ended "$signal" 7 "$WITHOUT" landlock "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
    done
    start "$WITHOUT" landlock "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
    wait_until 7
    kill -KILL "$(child_of "$grader")" "$grader"
    wait "$grader" || true
    all_gone
}

@test "a real compiler that computes for long ends with its grader" {
    its_turn 2
    cat >"$W/x.cu" <<'END'
#include "lab.h"
template <int N, int M> struct T { static constexpr int v = T<N - 1, M * 2>::v + T<N - 1, M * 2 + 1>::v; };
template <int M> struct T<0, M> { static constexpr int v = M; };
__device__ int x = T<26, 1>::v;
END
    ended KILL 3 "$CLCLAB" grade 1 "$W/x.cu" --compiler nvrtc
    has_nvcc
    ended KILL 4 "$CLCLAB" grade 1 "$W/x.cu" --compiler nvcc
    ended TERM 4 "$CLCLAB" grade 1 "$W/x.cu" --compiler nvcc
}

@test "the process that judges ends with its grader" {
    its_turn 2
    # A second of work in each of 64 schedules.
    sed 's/^extern "C" __global__.*/&\
    __shared__ volatile unsigned waste[64];\
    if (threadIdx.x == 0)\
        for (unsigned k = 0; k < 4000000; k++) waste[k % 64] = k;/' \
        solutions/03-block-clc/block_clc.cu >"$W/x.cu"
    ended KILL 3 "$CLCLAB" grade 3 "$W/x.cu"
}

@test "folders of killed graders are removed by the next grade" {
    its_turn 2
    stubborn_nvcc
    start "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
    wait_until_settled 6
    # The worst case: both at once, so that nobody is left to clean up.
    kill -KILL "$(child_of "$grader")" "$grader"
    wait "$grader" || true
    mkdir "$TMPDIR/clclab-job-abcdef"
    echo x >"$TMPDIR/clclab-job-abcdef/source.cu"
    [ "$(folders | wc -l)" -eq 2 ] || fail "not two folders: $(folders)"
    unset CLCLAB_TOOLKIT
    clclab grade 1 "$(solution 1)" --schedules 1
    [ -z "$(folders)" ] || fail "left: $(folders)"
}

@test "a grade leaves the folder of another one that is at work" {
    local before
    stubborn_nvcc
    start "$CLCLAB" grade 1 "$ROOT/$(solution 1)" --compiler nvcc
    wait_until_settled 6
    [ -n "$(folders)" ] || fail "it has no folder"
    before=$(folders)
    (unset CLCLAB_TOOLKIT && clclab grade 1 "$(solution 1)" --schedules 1)
    [ "$(folders)" = "$before" ] || fail "it was $before"
    killed KILL
    all_gone
    [ -z "$(folders)" ] || fail "left: $(folders)"
}
