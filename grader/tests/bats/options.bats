#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Arguments, exit statuses, and the machine-readable report.

load common
setup() { common_setup; }

@test "--help prints the commands and exits 0" {
    run --separate-stderr clclab --help
    [ "$status" -eq 0 ] || fail "exit status $status"
    for word in grade ptx hint explain list version --seed --schedules --format; do
        holds "$output" "$word"
    done
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "help of a command" {
    run clclab grade --help
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "--gpu-model"
}

@test "version" {
    run clclab version
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "clclab"
}

@test "list names the labs" {
    run clclab list
    [ "$status" -eq 0 ] || fail "exit status $status"
    for folder in labs/*-*; do
        holds "$output" "${folder#labs/??-}"
    done
}

@test "hint shows one rung at a time, and how to see the next" {
    run clclab hint 4
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "TODO(1), hint 1 of 3"
    holds "$output" "clclab hint 4 1 2"
    run clclab hint 4 1 3
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "hint 3 of 3"
}

@test "explain: a page for each code, without the course's folder" {
    cp "$CLCLAB" "$W/clclab"
    cd "$W" || return 1
    run --separate-stderr ./clclab explain
    [ "$status" -eq 0 ] || fail "exit status $status"
    for code in CLC001 BAR004 MEM003 RACE001 SYNC002 DEADLOCK UNSUPPORTED; do
        holds "$output" "$code"
    done
    run --separate-stderr ./clclab explain clc006
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "CLC006: slot reuse is ordered by a proxy fence"
    holds "$output" "    using namespace cuda::ptx;"
    lacks "$output" '```'
}

@test "a code that does not exist" {
    usage_error "there are RACE001, RACE002" explain race7
    usage_error "did you mean UNSUPPORTED?" explain unsuported
}

@test "a hint that does not exist" { usage_error "99" hint 4 99; }
@test "a mistyped command is guessed" { usage_error "did you mean grade" graed 1; }
@test "a mistyped option is guessed" { usage_error "did you mean --seed" grade 1 --sede 1; }
@test "an option given twice" { usage_error "twice" grade 1 --seed 1 --seed 2; }

@test "the course is found from a folder below it" {
    local lab
    lab=$(dirname "$(starter 1)")
    cd "$lab" || return 1
    run clclab list
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a root that is no course is named" {
    run clclab list --root "$W"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "$W"
}

@test "an unknown command" { usage_error "frobnicate" frobnicate; }
@test "an unknown option" { usage_error "--frobnicate" grade 1 --frobnicate; }
@test "an option without its value" { usage_error "--seed" grade 1 --seed; }
@test "a seed that is no number" { usage_error "many" grade 1 --seed many; }
@test "a negative seed" { usage_error "-1" grade 1 --seed -1; }
@test "a seed that does not fit" {
    usage_error "99999999999999999999999" grade 1 --seed 99999999999999999999999
}
@test "schedules that are no number" { usage_error "x" grade 1 --schedules x; }
@test "an unknown format" { usage_error "docx" grade 1 --format docx; }
@test "an unknown model" { usage_error "h100" grade 1 --gpu-model h100; }
@test "an unknown device" { usage_error "tpu" grade 1 --device tpu; }
@test "two files" { usage_error "two.cu" grade 1 "$(solution 1)" two.cu; }

@test "a GPU on request where there is none: exit 69, never a zero" {
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    run clclab grade 1 "$(solution 1)" --device gpu
    [ "$status" -eq 69 ] || fail "exit status $status"
    lacks "$output" "0/100"
}

@test "--device auto without a GPU grades on the virtual machine" {
    run clclab grade 1 "$(solution 1)" --device auto
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "the JSON report is JSON, with every member of the schema" {
    grade_json 4 "$(solution 4)" --seed 3
    [ "$(json schema)" = clclab/result/v1 ]
    [ "$(json lab)" = 4 ]
    [ "$(json file)" = "$(solution 4)" ]
    [ "$(json seed)" = 3 ]
    [ "$(json score)" = 100 ]
    [ "$(json max_score)" = 100 ]
    [ "$(json verdict)" = pass ]
    [ "$(json schedules)" -ge 16 ]
    for member in title device gpu_model elapsed_ms ledger environment \
        advisories ledger.grid ledger.started ledger.canceled ledger.refused \
        ledger.lost; do
        json "$member" >/dev/null || fail "no $member"
    done
    for member in id title points max_points status cause; do
        json "checks.0.$member" >/dev/null || fail "no check's $member"
    done
    [ "$(json ledger.grid)" -eq $(($(json ledger.started) + $(json ledger.canceled))) ]
}

@test "the checks come in the documented order" {
    grade_json 1 "$(solution 1)"
    local ids i
    ids=$(for ((i = 0; i < $(json 'checks.#'); i++)); do json "checks.$i.id"; done |
        tr '\n' ' ')
    [ "$ids" = "builds signature launch_plan correct exactly_once technique prologue rules schedules " ] ||
        fail "$ids"
}

@test "the points of the checks add up to the score" {
    grade_json 2 || true
    local sum=0 i
    for ((i = 0; i < $(json 'checks.#'); i++)); do
        sum=$((sum + $(json "checks.$i.points")))
    done
    [ "$sum" = "$(json score)" ] || fail "$sum, but score $(json score)"
}

@test "the JSON report of a failure has a cause with every member" {
    grade_json 4 && fail "the starter passed"
    local id
    id=$(failed_checks)
    id=${id%% *}
    for member in code what expected actual help file line column related replay; do
        json "checks.$id.cause.$member" >/dev/null || fail "no cause.$member"
    done
}

@test "the same seed gives the same bytes" {
    for lab in 3 4; do
        for try in a b; do
            clclab grade $lab --seed 11 --format json --no-time >"$W/$try" ||
                [ $? -eq 1 ]
            clclab grade $lab --seed 11 >"$W/$try.text" || [ $? -eq 1 ]
        done
        cmp "$W/a" "$W/b"
        cmp "$W/a.text" "$W/b.text"
    done
}

@test "the replay command shows the same failure again" {
    grade_json 4 && fail "the starter passed"
    local id what replay
    id=$(failed_checks)
    id=${id%% *}
    what=$(json "checks.$id.cause.what")
    replay=$(json "checks.$id.cause.replay")
    read -ra words <<<"$replay"
    [ "${words[0]}" = clclab ] || fail "$replay"
    clclab "${words[@]:1}" --format json >"$W/r.json" && fail "it passed"
    [ "$(json "checks.$id.cause.what")" = "$what" ] || fail "another failure"
}

@test "no schedules" { usage_error "at least one" grade 1 --schedules 0; }

@test "schedules can be more or fewer" {
    for count in 1 40; do
        grade_json 3 "$(solution 3)" --schedules $count
        [ "$(json schedules)" = $count ] || fail "$(json schedules)"
    done
}

@test "--out writes the report to a file, whole or not at all" {
    run clclab grade 1 "$(solution 1)" --format json --out "$W/r.json"
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(json score)" = 100 ]
    [ "$(find "$W" -name 'r.json*' | wc -l)" -eq 1 ] || fail "a temporary file"
    run clclab grade 1 "$(solution 1)" --format json --out "$W/no/such/r.json"
    [ "$status" -ne 0 ] || fail "exit status $status"
    holds "$output" "$W/no/such/r.json"
}

@test "no colours in a pipe; --color, NO_COLOR, CLICOLOR_FORCE decide" {
    run clclab grade 1
    lacks "$output" $'\033'
    CLICOLOR_FORCE=1 run clclab grade 1
    holds "$output" $'\033'
    CLICOLOR_FORCE=1 NO_COLOR=1 run clclab grade 1
    lacks "$output" $'\033'
}

@test "a closed standard output is no crash" {
    run bash -c '"$0" grade 1 >&-' "$CLCLAB"
    [ "$status" -lt 128 ] || fail "exit status $status"
    run bash -c '"$0" grade 1 >/dev/full' "$CLCLAB"
    [ "$status" -ne 0 ] || fail "exit status $status"
    [ "$status" -lt 128 ] || fail "exit status $status"
}

@test "an interrupt leaves nothing behind" {
    lab1 "    volatile int *p = (volatile int *)data;
    while (*p != 12345)
        ;"
    "$CLCLAB" grade 1 "$W/fixed_work.cu" >/dev/null 2>&1 &
    local child=$!
    until_is has_worked "$child" || fail "it does nothing"
    kill -INT $child 2>/dev/null || true
    kill -TERM $child 2>/dev/null || true
    wait $child || true
    nothing_left
}

@test "a compile flag that the compiler does not have, or that the lab fixes" {
    local flag
    for flag in -O0 -D --gpu-architecture=compute_90 -Dcompute_scalar=x --define-macro=clclab_secret=y; do
        run clclab grade 1 "$(solution 1)" --compile-flag "$flag"
        [ "$status" -eq 2 ] || fail "$flag: exit status $status"
        lacks "$output" "Score"
    done
    run clclab grade 1 "$(solution 1)" --compile-flag -DMINE=1
    [ "$status" -eq 0 ] || fail "exit status $status"
}
