#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A sample of the mutants (make mutants judges all of them), and that the tool
# which judges them can fail.

load common
setup() {
    common_setup
    MUTANTS=${MUTANTS_BIN:-$ROOT/build/mutants}
    LISTED=grader/tests/mutants/survivors.txt
    KERNEL=solutions/03-block-clc/block_clc.cu
}

mutants() {
    timeout -k 5 "$PATIENCE" "$MUTANTS" "$@"
}

@test "of a part of the mutants, what is a mistake is caught, what is none is not" {
    local kernels every=8
    [ -z "$QUICK" ] || every=48
    read -ra kernels <<<"${MUTATED:-solutions/[0-9]*/*.cu}"
    run mutants --sample "$every" --part "${PICK:-0}" --survivors "$LISTED" "${kernels[@]}"
    [ "$status" -eq 0 ] || fail "$output"
    [[ $output =~ caught:.*\ of\ ([0-9]+)\ mutants ]] || fail "$output"
    [ "${BASH_REMATCH[1]}" -ge 60 ] || fail "only ${BASH_REMATCH[1]} mutants"
}

@test "what stands behind the release that it belongs before is caught" {
    local right=grader/tests/kernels/right kernels least=18
    kernels=("$right/lab3-count-of-readers.cu" "$right/lab4-words-for-both.cu"
        "$right/lab6-stop-word.cu" "$right/lab10-words-in-a-ring.cu")
    [ -z "$QUICK" ] || { kernels=("${kernels[2]}") && least=7; }
    run mutants --only behind-release --survivors "$LISTED" "${kernels[@]}"
    [ "$status" -eq 0 ] || fail "$output"
    [[ $output =~ caught:.*\ of\ ([0-9]+)\ mutants ]] || fail "$output"
    [ "${BASH_REMATCH[1]}" -ge "$least" ] || fail "only ${BASH_REMATCH[1]} mutants"
}

@test "a survivor that is not listed is a failure" {
    run mutants --only block_clc/multicast "$KERNEL"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "survived: block_clc/multicast/43"
    run mutants --only block_clc/multicast --survivors "$LISTED" "$KERNEL"
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
}

@test "a mutant that is listed and caught, or not there, is a failure" {
    echo "compiler $(grep '^compiler' "$LISTED" | cut -d' ' -f2-)" >"$W/list"
    echo "block_clc/drop-wait/62 never needed" >>"$W/list"
    run mutants --only block_clc/drop-wait --survivors "$W/list" "$KERNEL"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "listed as a survivor, but not at full marks"
    echo "block_clc/drop-wait/99 not there" >>"$W/list"
    run mutants --sample 1000000 --survivors "$W/list" "$KERNEL"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "listed, but no mutant: block_clc/drop-wait/99"
}

@test "a line of the list without a reason is an error" {
    echo "block_clc/drop-wait/62" >"$W/list"
    run mutants --survivors "$W/list" "$KERNEL"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "list:1: no reason"
}
