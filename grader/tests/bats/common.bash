# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the Bats files share. Each test runs in the repository's root, with a scratch
# folder $W of its own, in which $TMPDIR is an empty folder. All tests share one compile
# cache, so that headers are compiled only once in a test run.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
CLCLAB=${CLCLAB_BIN:-$ROOT/build/clclab}
JSON_GET=${JSON_GET_BIN:-$ROOT/build/tools/json-get}

# shellcheck source=grader/tests/bats/waiting.bash
source "$ROOT/grader/tests/bats/waiting.bash"

common_setup() {
    cd "$ROOT" || return 1
    W=$BATS_TEST_TMPDIR
    export TMPDIR=$W/tmp
    mkdir -p "$TMPDIR"
    export XDG_CACHE_HOME=${CLCLAB_TEST_CACHE:-$ROOT/build/test-cache}
    export XDG_STATE_HOME=$W/state
    export CLCLAB_TEST_MARK="mark-$$-$BATS_TEST_NUMBER-$RANDOM"
    unset CLCLAB_ROOT CLCLAB_TOOLKIT NO_COLOR CLICOLOR_FORCE LAB LABS HINTS CLINIC CASE FILE FROM DEVICE SEED SCHEDULES FORMAT \
        MODEL SIZE OUT_FILE CHART ALL FRESH ENGINE SHARDS PARTITION SBATCH NO_WAIT ALLOW_WEAK MAKEFLAGS MAKELEVEL MFLAGS
}

# With FULL=1 (make test FULL=1) checks take all of their cases. Otherwise those that have
# many take some, as draw.bash says.
# shellcheck source=/dev/null
source "$ROOT/grader/tools/draw.bash"
[[ -n ${FULL:-} ]] || is_quick --quick

# its_turn OF: skips the rest of the test if tests are quick, unless it is the turn of this
# one: of OF that follow each other in a file, one has its turn.
its_turn() {
    [ -z "$QUICK" ] || [ $(((BATS_TEST_NUMBER + ${PICK:-0}) % $1)) -eq 0 ] ||
        skip "not its turn: FULL=1 or another PICK"
}

# Runs clclab with a time limit, so that no test hangs.
clclab() {
    timeout -k 5 "$PATIENCE" "$CLCLAB" "$@"
}

# Hides bubblewrap for the rest of the test, behind one that does not work.
hide_bubblewrap() {
    mkdir -p "$W/bin"
    printf '#!/bin/sh\nexit 1\n' >"$W/bin/bwrap"
    chmod +x "$W/bin/bwrap"
    PATH=$W/bin:$PATH
}

needs_bubblewrap() {
    bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "no bubblewrap that works"
}

# grade_json LAB FILE [OPTION...]: writes the report to $W/r.json, messages to $W/err.
grade_json() {
    local status=0
    clclab grade "$@" --format json >"$W/r.json" 2>"$W/err" || status=$?
    return $status
}

json() { # json PATH: prints a value of the last report
    "$JSON_GET" "$W/r.json" "$1"
}

# Prints the ids of the checks that did not pass and were not skipped, on one line.
failed_checks() {
    local count i ids=
    count=$(json 'checks.#')
    for ((i = 0; i < count; i++)); do
        case $(json "checks.$i.status") in
        fail | error) ids="$ids $(json "checks.$i.id")" ;;
        esac
    done
    echo "${ids# }"
}

# Prints "CHECK CODE LINE" for each failed check, of its first cause.
every_cause() {
    local id
    for id in $(failed_checks); do
        echo "$id $(json "checks.$id.cause.code") $(json "checks.$id.cause.line")"
    done
}

# fail MESSAGE...: prints why the test fails, and returns 1.
fail() {
    printf '%s\n' "$@" >&2
    [ ! -s "$W/r.json" ] || every_cause >&2
    [ ! -s "$W/err" ] || head -n 20 "$W/err" >&2
    printf 'output: %s\n' "${output:-}" >&2
    return 1
}

holds() { # holds TEXT PART
    [[ $1 == *"$2"* ]] || fail "'$2' is not in:" "$1"
}

lacks() { # lacks TEXT PART
    [[ $1 != *"$2"* ]] || fail "'$2' should not be in:" "$1"
}

# child_of PROCESS: prints its only child's number.
child_of() {
    awk -v parent="$1" '/^Pid:/ { pid = $2 } /^PPid:/ && $2 == parent { print pid }' \
        /proc/[0-9]*/status 2>/dev/null
}

# usage_error PART ARGUMENT...: clclab must exit with 2, with PART in its message and
# nothing on standard output.
usage_error() {
    run --separate-stderr clclab "${@:2}"
    # shellcheck disable=SC2154 # run sets stderr
    [ "$status" -eq 2 ] || fail "exit status $status" "$stderr"
    holds "$stderr" "$1"
    [ -z "$output" ] || fail "it printed to standard output"
}

# Checks that no clclab process of this test is alive, and that $TMPDIR is empty. One that
# has no command line any more is about to end.
nothing_left() {
    local left process words
    while read -r process; do
        process=${process%/environ}
        [[ $(readlink "$process/exe") == */clclab ]] || continue
        words=$(tr '\0' ' ' <"$process/cmdline")
        [[ -z $words ]] || fail "still running: $words"
    done < <(grep -slzx "CLCLAB_TEST_MARK=$CLCLAB_TEST_MARK" /proc/[0-9]*/environ)
    left=$(find "$TMPDIR" -mindepth 1)
    [[ -z $left ]] || fail "left behind: $left"
}

# lab1 BODY [BELOW]: writes $W/fixed_work.cu, a submission to lab 1 whose kernel has this
# body, from line 3 on. BELOW follows the kernel.
lab1() {
    cat >"$W/fixed_work.cu" <<END
#include "lab.h"
extern "C" __global__ void fixed_work(float *data, int n) {
$1
}
${2:-}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
END
}

# lab1_right [LINES]: a right submission to lab 1, with LINES before its last line.
lab1_right() {
    lab1 "    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
${1:-}
    if (i < n) data[i] *= alpha;"
}

solution() { # solution NUMBER: prints the path of that lab's solution
    local conf folder
    conf=$(echo labs/"$(printf %02d "$1")"-*/lab.conf)
    folder=$(basename "$(dirname "$conf")")
    echo "solutions/$folder/$(sed -n 's/^file *= *\([^ #]*\).*/\1/p' "$conf")"
}

starter() { # starter NUMBER: prints the path of that lab's starter
    solution "$1" | sed 's|^solutions|labs|'
}
