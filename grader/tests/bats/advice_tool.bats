#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tool that obeys what reports tell (make advice measures all of it): what it counts as
# healed, helped and worse, where it fails, and whether the place of a mistake is touched.

load common

setup() {
    common_setup
    export CLCLAB_BIN=$CLCLAB JSON_GET_BIN=$JSON_GET
    export MUTANTS_BIN=${MUTANTS_BIN:-$ROOT/build/mutants}
    ONE=09-raw-ptx/wrong/takes_y
}

advice() {
    timeout -k 5 "$PATIENCE" grader/tools/advice --draw 0 --schedules 4 "$@"
}

# counts NO_RUN HEALED HELPED NONE WORSE: of the one program that was asked for.
counts() {
    grep -qE "^all +1 +$1 +$2 +$3 +$4 +$5 " <<<"$output" || fail "$output"
}

# report FILE ID CODE LINE SCORE [ADVICE [MORE_CODE MORE_LINE]]: writes a grade in which one
# check fails.
report() {
    local advice=null more=
    [ -z "${6:-}" ] || advice="{\"status\": \"$6\", \"what\": \"Tried.\",
\"edit\": {
\"number\": 1, \"kind\": \"later\", \"file\": \"x.cu\", \"line\": 4}}"
    [ -z "${8:-}" ] || more=", \"more_causes\": [{\"code\": \"$7\", \"line\": $8}]"
    cat >"$1" <<JSON
{"schema": "clclab/result/v1", "verdict": "fail", "score": $5,
"checks": [{"id": "builds", "status": "pass", "cause": null},
{"id": "$2", "status": "fail", "cause": {"code": ${3:+\"}${3:-null}${3:+\"}, "line": $4, "called": [],
"region": "TODO(1): declare", "mend": null, "related": [{"line": 2}],
"advice": $advice}$more}]}
JSON
}

# pretend: a grader that prints $W/before, and $W/after where an edit is obeyed.
pretend() {
    printf '#!/bin/sh\ncase "$*" in\n*--obey*) cat "%s/after" ;;\n*) cat "%s/before" ;;\nesac\nexit 1\n' \
        "$W" "$W" >"$W/pretends"
    chmod +x "$W/pretends"
    export CLCLAB_BIN=$W/pretends
    run advice --only "$ONE" "$@"
}

@test "an edit that heals, of a lab and of a launch" {
    run advice --only 03-block-clc/wrong/no_fence.
    [ "$status" -eq 0 ] || fail "$output"
    counts 0 1 0 0 0
    grep -qE '^CLC006 +1 +0 +1 ' <<<"$output" || fail "$output"
    holds "$output" "100.0% of 1 mistakes are healed or helped"
    run advice --only "race001-shared.cu --kernel reversed "
    counts 0 1 0 0 0
    grep -qE '^no lab +1 +0 +1 ' <<<"$output" || fail "$output"
}

@test "the mistakes of learners are made, and obeyed" {
    its_turn 3
    run advice --only mistakes/03- --share 20
    [ "$status" -eq 0 ] || fail "$output"
    grep -qE '^lab 3 +[1-9]' <<<"$output" || fail "$output"
}

@test "nothing that is told is no advice; what does not build has no run" {
    run advice --only "01-fixed-work/wrong/blocks_reversed."
    counts 0 0 0 1 0
    holds "$output" "0.0% of 1 mistakes"
    run advice --only "01-fixed-work/wrong/other_name."
    counts 1 0 0 0 0
    [ "$status" -eq 1 ] || fail "a measure of nothing passes"
}

@test "helped: another failure, no fewer points, that was there or has what heals it" {
    report "$W/before" rules CLC006 9 10 helps CLC001 12
    report "$W/after" rules CLC001 12 10
    pretend
    counts 0 0 1 0 0
    report "$W/before" rules CLC006 9 10 helps
    report "$W/after" correct "" 12 20 heals
    pretend
    counts 0 0 1 0 0
}

@test "worse: the failure stays, an earlier check fails, points are lost, or one is new" {
    report "$W/before" correct X1 9 10 heals CLC001 12
    report "$W/after" correct X1 9 10
    pretend
    counts 0 0 0 0 1
    holds "$output" "worse: solutions/$ONE"
    report "$W/after" rules CLC001 12 10
    pretend
    counts 0 0 0 0 1
    report "$W/after" correct CLC001 12 9
    pretend
    counts 0 0 0 0 1
    report "$W/after" schedules RACE001 14 40
    pretend
    counts 0 0 0 0 1
}

@test "a program that gives no report is no figure: the tool fails" {
    printf '#!/bin/sh\necho "no course" >&2\nexit 2\n' >"$W/pretends"
    chmod +x "$W/pretends"
    CLCLAB_BIN=$W/pretends run advice --only "$ONE"
    [ "$status" -eq 1 ] || fail "$output"
    holds "$output" "takes_y.cu: no report: no course"
}

@test "it fails beyond the bars" {
    report "$W/before" correct X1 9 10 heals
    report "$W/after" correct X1 9 10
    pretend --worse 100
    [ "$status" -eq 0 ] || fail "$output"
    pretend --worse 0
    [ "$status" -eq 1 ] || fail "$output"
    pretend --least 100
    [ "$status" -eq 1 ] || fail "$output"
    run advice --only no-such-file
    [ "$status" -eq 1 ] || fail "a measure of nothing passes"
}

@test "of a share, programs are drawn by PICK" {
    its_turn 3
    local first second
    first=$(PICK=0 advice --only 03-block-clc/wrong/no_ --share 4)
    second=$(PICK=1 advice --only 03-block-clc/wrong/no_ --share 4)
    [ "$first" != "$second" ] || fail "$first"
}

@test "mutants are drawn by the seed, from what the learner writes" {
    its_turn 3
    run timeout -k 5 "$PATIENCE" grader/tools/advice --only block_clc/drop-fence --draw 2 --seed 1 \
        --schedules 4
    grep -qE '^lab 3 +2 ' <<<"$output" || fail "$output"
    holds "$output" "of 2 mistakes"
}

@test "whether the place of the mistake is touched: by a line, a region, or not" {
    run advice --only "$ONE."
    grep -qE '^all .* 100%$' <<<"$output" || fail "$output"
    report "$W/before" rules CLC006 1 10
    sed -i 's/TODO(1)/TODO(99)/' "$W/before"
    pretend
    grep -qE '^all .* 0%$' <<<"$output" || fail "$output"
}

# touches FILE...: of lab NN-name/wrong/FILE each report names the place.
touches() {
    local file
    for file; do
        run advice --only "$file."
        grep -qE '^all +1 .* 100%$' <<<"$output" || fail "$file: $output"
    done
}

@test "the region where a block decides what to hold, when to leave, when to ask is named" {
    its_turn 3
    touches 08-preemption/wrong/{hoards,checks_only_at_home,own_block_first_out} \
        05-tile-clc/wrong/steals_once
}

@test "the call that asked last is told of a block that asked no more" {
    its_turn 3
    touches 08-preemption/wrong/steals_up_to_four
    run "$CLCLAB" grade 8 solutions/08-preemption/wrong/steals_up_to_four.cu
    grep -qE 'called at line [0-9]+\): Block [0-9]+, the last that' \
        <<<"$(tr -s ' \n' ' ' <<<"$output")" || fail "$output"
}

@test "a type that cuts an index, and what was stored to shared memory, are named" {
    its_turn 3
    touches 03-block-clc/wrong/block_in_a_byte \
        05-tile-clc/wrong/{layer_in_a_byte,row_in_a_byte,zero_beyond_the_border}
}

@test "the tables go into a file between its marks, and nothing else of it changes" {
    printf 'before\n<!-- measured by make advice -->\nyesterday\n<!-- end of what is measured -->\nafter\n' \
        >"$W/page.md"
    run advice --only 03-block-clc/wrong/no_fence. --write "$W/page.md"
    [ "$(head -n 2 "$W/page.md" | paste -sd ' ')" = "before <!-- measured by make advice -->" ]
    [ "$(tail -n 2 "$W/page.md" | paste -sd ' ')" = "<!-- end of what is measured --> after" ]
    grep -qE '^    CLC006 +1 +0 +1 ' "$W/page.md" || fail "$(cat "$W/page.md")"
    lacks "$(cat "$W/page.md")" yesterday
    [ "$(grep -c 'mistakes are healed' "$W/page.md")" -eq 1 ]
}
