#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # bats' run sets stderr
# Schedules: findings are made small, and the printed command shows them again;
# the bounds of PCT; exhaustive search.

load common
setup() { common_setup; }

# replay_again JSON-PATH: runs the command that is there; the report in $W/again.json.
replay_again() {
    local words
    read -ra words <<<"$(json "$1")"
    [ "${words[0]}" = clclab ] || fail "the command: ${words[*]}"
    run --separate-stderr clclab "${words[@]:1}" --format json --no-time
    [ "$status" -eq 1 ] || fail "the replay: exit status $status" "$stderr"
    printf '%s\n' "$output" >"$W/again.json"
}

# cause_of FILE PATH: the members that a replay repeats.
cause_of() {
    local member
    for member in code what expected actual help file line column replay; do
        echo "$member: $("$JSON_GET" "$1" "$2.$member")"
    done
}

schedules_cause() {
    local i count
    count=$("$JSON_GET" "$1" 'checks.#')
    for ((i = 0; i < count; i++)); do
        [ "$("$JSON_GET" "$1" "checks.$i.id")" = schedules ] && echo "checks.$i.cause"
    done
}

@test "a failing schedule of a lab is made small and replays byte for byte" {
    local file lab path count=0
    for file in solutions/03-block-clc/wrong/waits_once.cu \
        solutions/03-block-clc/wrong/indices_only_grow.cu \
        solutions/04-cluster-clc/wrong/late_clusters_give_up.cu \
        solutions/04-cluster-clc/wrong/waits_once.cu; do
        lab=${file#solutions/0}
        grade_json "${lab%%-*}" "$file" --no-time && fail "$file passed"
        path=$(schedules_cause "$W/r.json")
        holds "$(json "$path.replay")" "--switches"
        holds "$(json "$path.replay")" "--size"
        replay_again "$path.replay"
        diff <(cause_of "$W/r.json" "$path"; json "$path.context") \
            <(cause_of "$W/again.json" "$path"; "$JSON_GET" "$W/again.json" "$path.context") ||
            fail "$file: another finding"
        count=$((count + 1))
    done
    [ "$count" -eq 4 ]
}

@test "the replay of a run shows the same finding, and fewer switches do not" {
    cat >"$W/late.cu" <<'END'
extern "C" __global__ void late(int *x) {
    if (threadIdx.x == 0)
        atomicExch(x, 1);
#pragma unroll 1
    for (int i = 0; i < 200; i++)
        atomicAdd(x + 1 + blockIdx.x, i);
    if (atomicAdd(x, 0) == 0)
        __trap();
}
END
    run_json() { clclab run "$@" --format json --no-time >"$W/r.json" 2>"$W/err"; }
    run_json "$W/late.cu" --grid 2 --block 64 --arg buf:64 --schedules 40 && fail "it passed"
    [ "$(json findings.0.code)" = TRAP ] || fail "$(json findings.0.code)"
    local replay switches
    replay=$(json findings.0.replay)
    holds "$replay" "--switches"
    switches=${replay##*--switches }
    [ "$switches" -gt 0 ] || fail "$replay"
    replay_again findings.0.replay
    diff <(cause_of "$W/r.json" findings.0) <(cause_of "$W/again.json" findings.0) ||
        fail "another finding"
    read -ra words <<<"${replay% --switches *}"
    run clclab "${words[@]:1}" --switches 0
    [ "$status" -eq 0 ] || fail "without a switch: exit status $status" "$output"
}

# Leaves out a row that comes behind a later one.
only_grows() {
    sed -e 's/unsigned parity = 0;/unsigned parity = 0; int last = -1;/' \
        -e 's/if (threadIdx.x == 0)$/if (threadIdx.x == 0 \&\& row > last)/' \
        -e 's/row =$/last = row; row =/' docs/examples/row_sums.cu >"$W/k.cu"
    grep -q 'row > last' "$W/k.cu" || fail "the example has changed"
}

@test "a kernel that counts on the order of blocks is told so, and runs with --grants in-order" {
    only_grows
    launch=("$W/k.cu" --grid 40 --block 32 --arg buf:16000:iota32 --arg buf:160:same --arg i32:100
        --schedules 16)
    run clclab run "${launch[@]}"
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$output" "No schedule that was tried shows it"
    run clclab run "${launch[@]}" --grants in-order
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    run clclab run "${launch[@]}" --grants any
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    usage_error "none of any, in-order" run "${launch[@]}" --grants odd
}

@test "the bounds of PCT are printed" {
    run clclab run docs/examples/row_sums.cu --grid 40 --block 32 --arg buf:16000:iota32 \
        --arg buf:160 --arg i32:100 --schedules 20
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    holds "$output" "PCT-2: a bug of depth 2 shows in a run with a probability of at least"
    clclab run docs/examples/row_sums.cu --grid 40 --block 32 --arg buf:16000:iota32 \
        --arg buf:160 --arg i32:100 --schedules 20 --format json >"$W/r.json"
    [ "$(json schedules.10.strategy)" = PCT-2 ]
    local warps steps
    warps=$(json schedules.10.pct.warps) steps=$(json schedules.10.pct.steps)
    [ "$(json schedules.10.pct.one_in)" -eq $((warps * steps)) ]
    [ "$(json schedules.9.pct)" = null ]
    [ "$(json pct.0.depth)" = 1 ]
    grade_json 4 "$(solution 4)"
    [ "$(json schedules)" = 64 ]
    [ "$(json pct.2.depth)" = 3 ]
}

lost_update() {
    printf 'extern "C" __global__ void k(int *x) { int v = *(volatile int *)x; *(volatile int *)x = v + 1; }\n' \
        >"$W/k.cu"
}

@test "an exhaustive search says how many schedules there are" {
    lost_update
    run clclab run "$W/k.cu" --grid 2 --block 1 --arg buf:4 --check OUTPUT --exhaustive
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$output" "Exhaustive: all 4 schedules of this launch"
    holds "$output" "[OUTPUT]"
    run clclab run docs/examples/row_sums.cu --grid 2 --block 32 --arg buf:1600:iota32 \
        --arg buf:160 --arg i32:10 --exhaustive
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    holds "$output" "Exhaustive: all "
    holds "$output" "Clean: nothing found"
}

@test "an exhaustive search that is cut says so, and replays" {
    lost_update
    run clclab run "$W/k.cu" --grid 2 --block 1 --arg buf:4 --check OUTPUT --exhaustive --max-runs 1
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    holds "$output" "Incomplete: the search was stopped after 1 run"
    holds "$output" "Incomplete, so far: nothing found"
    lacks "$output" "Clean"
    clclab run "$W/k.cu" --grid 2 --block 1 --arg buf:4 --check OUTPUT --exhaustive \
        --format json --no-time >"$W/r.json" && fail "it passed"
    [ "$(json exhaustive.end)" = complete ]
    holds "$(json findings.0.replay)" "--exhaustive --max-runs"
    replay_again findings.0.replay
    diff <(cause_of "$W/r.json" findings.0) <(cause_of "$W/again.json" findings.0) ||
        fail "another finding"
}

@test "a launch that is too large to be searched is refused" {
    printf 'extern "C" __global__ void k(int *x) { for (int i = 0; i < 10000; i++) *(volatile int *)x = i; }\n' \
        >"$W/k.cu"
    run clclab run "$W/k.cu" --grid 2 --block 64 --arg buf:4 --exhaustive
    [ "$status" -eq 2 ] || fail "exit status $status" "$output"
    holds "$output" "too large to be searched"
}

@test "options of schedules that do not go together" {
    usage_error "--only-schedule" run k.cu --grid 1 --block 1 --switches 3
    usage_error "--only-schedule" grade 4 --switches 3
    usage_error "--only-schedule" grade 4 --size 300
    usage_error "at least one" grade 4 --only-schedule 3 --size 0
    usage_error "one number" grade 4 --only-schedule 3 --size 40x20
    usage_error "--exhaustive" run k.cu --grid 1 --block 1 --exhaustive --schedules 3
    usage_error "at least one" run k.cu --grid 1 --block 1 --exhaustive --max-runs 0
}

@test "same-bytes: a report that depends on the process, and one that fails, are told" {
    # shellcheck disable=SC2016 # expanded when it runs
    printf '#!/bin/sh\necho "refused: $$"\n' >"$W/other"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "$MALLOC_PERTURB_"\n' >"$W/stale"
    printf '#!/bin/sh\necho report; echo no room >&2; exit 70\n' >"$W/fails"
    printf '#!/bin/sh\necho report; exit 1\n' >"$W/same"
    chmod +x "$W"/{other,stale,fails,same}
    CLCLAB_BIN=$W/other run grader/tools/same-bytes labs/clinic/01-
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "not ok 1 - labs/clinic/01-scale"
    holds "$output" "# < refused: "
    CLCLAB_BIN=$W/stale run grader/tools/same-bytes labs/clinic/01-
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "# > 165"
    CLCLAB_BIN=$W/fails run grader/tools/same-bytes labs/clinic/01-
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "# exit status 70"
    holds "$output" "# no room"
    CLCLAB_BIN=$W/same run grader/tools/same-bytes labs/clinic/01-
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "ok 1 - labs/clinic/01-scale"
    run grader/tools/same-bytes no-such-kernel
    [ "$status" -eq 1 ] || fail "no kernel at all passes"
}

@test "same-bytes knows every file of kernels, and its sample has all kinds" {
    local file pick
    grader/tools/same-bytes --list >"$W/all"
    for file in labs/*/*.cu solutions/*/*.cu solutions/*/wrong/*.cu \
        grader/tests/kernels/{wrong,hostile}/*.cu; do
        grep -qF " $file " <(sed 's/$/ /' "$W/all") || fail "$file is missing"
    done
    [ "$(wc -l <"$W/all")" -ge 900 ] || fail "only $(wc -l <"$W/all")"
    for pick in 0 7 31 620851; do
        PICK=$pick grader/tools/same-bytes --list --quick >"$W/sample"
        [ "$(wc -l <"$W/sample")" -le 60 ] || fail "$(wc -l <"$W/sample") in the sample"
        for kind in labs/0 labs/clinic solutions/0 solutions/clinic /wrong/ /right/ \
            /hostile/ /micro/ index_lost_on_refusal; do
            grep -qF "$kind" "$W/sample" || fail "PICK=$pick: no $kind in the sample"
        done
    done
}
