#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab run --time-model: modelled time, its figures and its timeline.
# shellcheck disable=SC2154 # bats' run sets stderr

load common
setup() {
    common_setup
    cat >"$W/k.ptx" <<'END'
.version 9.0
.target sm_100a
.address_size 64
.func _Z4warmv() { .reg .b32 %r<3>;
    mov.u32 %r1, 1; add.s32 %r1, %r1, %r1; ret; }
.func _ZN1a4warmEv() { ret; }
.func _Z4coldv() { ret; }
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %l<3>;
    call _Z4warmv, ();
    call _Z4coldv, ();
    ld.param.u64 %l1, [out];
    ld.global.u32 %r1, [%l1];
    ret;
}
END
}

timed() { # timed OPTION...: the kernel above; output, status, stderr
    run --separate-stderr clclab run "$W/k.ptx" --grid 20 --block 64 \
        --arg buf:64 "$@"
}

json_of() { # json_of OPTION...: the report in $W/r.json
    clclab run "$W/k.ptx" --grid 20 --block 64 --arg buf:64 --format json \
        --no-time "$@" >"$W/r.json"
}

cannot_be_timed() { # cannot_be_timed PART OPTION...
    usage_error "$1" run "$W/k.ptx" --grid 20 --block 64 --arg buf:64 "${@:2}"
}

@test "nothing is timed unless it is asked for" {
    timed
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [[ $output != *model* && $output != *cycles* ]] || fail "$output"
    json_of
    [ "$(json time_model)" = null ]
    [ "$(json schedules.0.cycles)" = null ]
}

@test "--time-model prints figures, a picture, and that it is a model" {
    timed --time-model
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "Time (a model), plain schedule:"
    holds "$output" "us at 1000 MHz"
    holds "$output" "of the issue slots of 4 SMs of 4 schedulers"
    holds "$output" "   SM slot"
    holds "$output" "    3    1 llll"
    holds "$output" "  l launch, w work"
    holds "$output" "no card takes"
    [[ $output != *prologue* ]] || fail "a prologue that nobody named"
    awk 'length > 80 { exit 1 }' <<<"$output" || fail "a line is too long"
}

@test "what is found and counted is the same with and without" {
    timed --schedules 4
    local plain=$output
    timed --schedules 4 --time-model
    diff <(sed '/^Schedules/,$d' <<<"$plain") \
        <(sed '/^Time/,$d' <<<"$output") || fail "they differ"
    diff <(sed -n '/^Schedules/,$p' <<<"$plain") \
        <(sed -n '/^Schedules/,$s/ *[0-9]* cycles  / /p' <<<"$output") &&
        fail "no cycles"
    [ "$(grep -c ' cycles  20 blocks started' <<<"$output")" = 4 ]
}

@test "--time-set changes a figure, and times the launch" {
    json_of --time-set launch=5000 --time-set clock=500
    [ "$(json time_model.clock_mhz)" = 500 ]
    [ "$(json time_model.spans.0.kind)" = launch ]
    [ "$(json time_model.spans.0.to)" = 5000 ]
    [ "$(json time_model.spans_left_out)" = 0 ]
    [ "$(json 'time_model.sms.#')" = 4 ]
    [ "$(json time_model.cycles)" = "$(json schedules.0.cycles)" ]
    [ "$(json time_model.cycles)" -gt 15000 ]
}

@test "--time-set says what is wrong with a setting" {
    cannot_be_timed "--time-set: the time model's setting lunch=1 names no figure" \
        --time-set lunch=1
    cannot_be_timed "has no =" --time-set launch
    cannot_be_timed "no whole number" --time-set launch=x
    cannot_be_timed "divides nothing" --time-set overlap=0
    cannot_be_timed "more than 1000000" --time-set launch=1 --time-set global=1000001
    cannot_be_timed "--time-set needs a value" --time-set
}

@test "--prologue names a function, as in the PTX or plainly" {
    timed --prologue cold
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "prologue"
    timed --prologue _Z4warmv
    holds "$output" "P prologue"
    cannot_be_timed 'several functions are named "warm"' --prologue warm
    cannot_be_timed 'there is no function "k"' --prologue k
    cannot_be_timed "an empty name" --prologue=
    json_of --prologue _Z4warmv
    grep -q '"kind": "prologue"' "$W/r.json" || fail "no span"
}

@test "the same command gives the same time" {
    timed --time-model --schedules 9
    local first=$output
    timed --time-model --schedules 9
    [ "$output" = "$first" ] || fail "it differs"
    timed --time-model --gpu-model b200
    holds "$output" "us at 1850 MHz"
    holds "$output" "and 4 more"
}

# cycles_of FILE OPTION...: of the plain schedule, and how it ended.
cycles_of() {
    clclab run "$@" --time-model --schedules 1 --format json --no-time \
        >"$W/r.json" 2>"$W/err" || [ $? -eq 1 ] || fail "$*" "$(cat "$W/err")"
    echo "$(json schedules.0.status) $(json schedules.0.cycles)"
}

# work N ROUNDS UNEVEN: compare.cu's structure, as bytes.
work() {
    local number
    for number; do
        printf '%02x%02x0000' $((number % 256)) $((number / 256))
    done
}

@test "modelled time does not depend on what is checked" {
    its_turn 3
    local kernel name words all none count=0
    for kernel in fixed stride clc cluster; do
        all=$(cycles_of grader/compare/compare.cu --kernel "compare_$kernel" --grid 40 \
            --block 256 --arg buf:40960 --arg "bytes:$(work 10240 8 1)" --check all)
        none=$(cycles_of grader/compare/compare.cu --kernel "compare_$kernel" --grid 40 \
            --block 256 --arg buf:40960 --arg "bytes:$(work 10240 8 1)" --check none)
        [[ $all == "done "[1-9]* ]] || fail "compare_$kernel: $all"
        [ "$all" = "$none" ] || fail "compare_$kernel: $all, unchecked $none"
    done
    while read -r name words; do
        read -ra words <<<"${words% --schedules *}"
        all=$(cycles_of "${words[@]:1}" --check all)
        none=$(cycles_of "${words[@]:1}" --check none)
        [[ $all == "done "[1-9]* ]] || fail "$name: $all"
        [ "$all" = "$none" ] || fail "$name: $all, unchecked $none"
        count=$((count + 1))
    done < <(grader/tools/same-bytes --list tests/kernels/right/clc_ | awk 'NR % 3 == 0')
    [ "$count" -ge 20 ] || fail "only $count kernels"
}

@test "a block of a cluster may end where its turn does, before its neighbour" {
    local adds
    for adds in {8..24}; do
        {
            printf '.version 9.0\n.target sm_100a\n.address_size 64\n'
            printf '.visible .entry k() { .reg .b32 %%r<3>; .reg .pred %%p;\n'
            printf 'mov.u32 %%r1, %%cluster_ctarank; setp.eq.u32 %%p, %%r1, 0;\n'
            printf '@%%p bra quick; mov.u32 %%r2, 0;\n'
            printf 'again: add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, 200;\n'
            printf '@%%p bra again; ret; quick:\n'
            printf 'add.u32 %%r1, %%r1, 1;\n%.0s' $(seq "$adds")
            printf 'ret; }\n'
        } >"$W/ends.ptx"
        [[ $(cycles_of "$W/ends.ptx" --grid 8 --block 64 --cluster 2) == "done "* ]] ||
            fail "$adds instructions"
    done
}
