#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tool that measures whether reports name the place of a mistake (make
# causes measures all of them): a few that do, and that it notices when one does
# not.

load common
setup() {
    common_setup
    export CLCLAB_BIN=$CLCLAB JSON_GET_BIN=$JSON_GET
    export MUTANTS_BIN=${MUTANTS_BIN:-$ROOT/build/mutants}
    ONE=09-raw-ptx/wrong/takes_y
}

causes() {
    timeout -k 5 "$PATIENCE" grader/tools/causes "$@"
}

# A grader whose report of any file is this, at a line.
pretend() { # pretend LINE REGION RELATED
    cat >"$W/json" <<JSON
{"checks": [{"id": "rules", "status": "fail", "cause": {"code": "CLC006",
"line": $1, "called": [], "region": "$2", "mend": null,
"related": [{"line": $3}], "what": "It is wrong."}}]}
JSON
    printf '#!/bin/sh\ncat "%s"\nexit 1\n' "$W/json" >"$W/pretends"
    chmod +x "$W/pretends"
    export CLCLAB_BIN=$W/pretends
}

@test "the region of the change is named, though a wrong file has no BEGIN lines" {
    run causes --draw 0 --only "$ONE"
    [ "$status" -eq 0 ] || fail "$output"
    holds "$output" "the place is named in 100.0% of 1 reports"
}

@test "a report that names another place misses, and is listed" {
    pretend 1 'TODO(1): declare' 2
    run causes --draw 0 --only "$ONE"
    [ "$status" -eq 1 ] || fail "$output"
    holds "$output" "takes_y.cu: lab 9 missed CLC006 1 It is wrong."
    holds "$output" "0.0% of 1 reports"
    run causes --draw 0 --only "$ONE" --least 0
    [ "$status" -eq 0 ] || fail "$output"
}

@test "what is measured of nothing is a failure" {
    its_turn 2
    run causes --draw 1 --only no-such-file
    [ "$status" -eq 1 ] || fail "$output"
}

@test "mutants are drawn by the seed, from what the learner writes" {
    its_turn 2
    run causes --only block_clc/drop-fence --draw 2 --seed 1
    holds "$output" "of 2 reports"
    [[ $output != *"no lab"* ]] || fail "$output"
}

@test "the region where a block decides what to hold, when to leave, when to ask is named" {
    local file
    for file in 08-preemption/wrong/{hoards,checks_only_at_home,own_block_first_out} \
        05-tile-clc/wrong/steals_once; do
        run causes --draw 0 --only "$file."
        grep -qE '^lab [58] +1 +0 +1 +0 +0 +100%' <<<"$output" || fail "$file: $output"
    done
}

@test "the call that asked last is told of a block that asked no more" {
    run causes --draw 0 --only 08-preemption/wrong/steals_up_to_four.
    grep -qE '^lab 8 +1 +0 +0 +1 +0 +100%' <<<"$output" || fail "$output"
    run "$CLCLAB" grade 8 solutions/08-preemption/wrong/steals_up_to_four.cu
    grep -qE 'called at line [0-9]+\): Block [0-9]+, the last that' \
        <<<"$(tr -s ' \n' ' ' <<<"$output")" || fail "$output"
}

@test "a type that cuts an index, and what was stored to shared memory, are named" {
    local file
    for file in 03-block-clc/wrong/block_in_a_byte \
        05-tile-clc/wrong/{layer_in_a_byte,row_in_a_byte,zero_beyond_the_border}; do
        run causes --draw 0 --only "$file."
        grep -qE '^lab [35] +1 +0 +0 +1 +0 +100%' <<<"$output" || fail "$file: $output"
    done
}
