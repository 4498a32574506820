#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a learner sees of each lab: the starter's report and the solution's.

load common
setup() { common_setup; }

solution_is_full_marks() {
    its_turn 2
    run --separate-stderr clclab grade "$1" "$(solution "$1")"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "100/100"
    [ -z "$stderr" ] || fail "stderr: $stderr"
    nothing_left
}

starter_says_where() {
    its_turn 2
    run --separate-stderr clclab grade "$1"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "FAIL"
    holds "$output" "$(starter "$1"):"
    holds "$output" "help"
    lacks "$output" "100/100"
    nothing_left
}

@test "lab 1: the solution gets 100/100" { solution_is_full_marks 1; }
@test "lab 2: the solution gets 100/100" { solution_is_full_marks 2; }
@test "lab 3: the solution gets 100/100" { solution_is_full_marks 3; }
@test "lab 4: the solution gets 100/100" { solution_is_full_marks 4; }
@test "lab 5: the solution gets 100/100" { solution_is_full_marks 5; }
@test "lab 6: the solution gets 100/100" { solution_is_full_marks 6; }
@test "lab 7: the solution gets 100/100" { solution_is_full_marks 7; }
@test "lab 8: the solution gets 100/100" { solution_is_full_marks 8; }
@test "lab 9: the solution gets 100/100" { solution_is_full_marks 9; }
@test "lab 10: the solution gets 100/100" { solution_is_full_marks 10; }

@test "lab 1: the starter fails and says where" { starter_says_where 1; }
@test "lab 2: the starter fails and says where" { starter_says_where 2; }
@test "lab 3: the starter fails and says where" { starter_says_where 3; }
@test "lab 4: the starter fails and says where" { starter_says_where 4; }
@test "lab 5: the starter fails and says where" { starter_says_where 5; }
@test "lab 6: the starter fails and says where" { starter_says_where 6; }
@test "lab 7: the starter fails and says where" { starter_says_where 7; }
@test "lab 8: the starter fails and says where" { starter_says_where 8; }
@test "lab 9: the starter fails and says where" { starter_says_where 9; }
@test "lab 10: the starter fails and says where" { starter_says_where 10; }

# What the report says of solutions/*/wrong/NAME.cu of a lab.
wrong_report() { # LAB NAME
    local folder
    folder=$(dirname "$(solution "$1")")
    run clclab grade "$1" "$folder/wrong/$2.cu" --schedules 8 --no-advice
    [ "$status" -eq 1 ] || fail "exit status $status"
}

@test "a grid of three dimensions: blocks and elements have their indices" {
    wrong_report 5 layer_kept
    holds "$output" "first: block (0, 0, 1)"
    holds "$output" "from (0, 0, 0) to (0, 12, 1) exactly once"
    holds "$output" "size = 1x100x2, 26 blocks of 128 threads"
    wrong_report 5 layer_of_the_first_block
    holds "$output" "out[100] (x = 0, y = 0, z = 1) = "
    holds "$output" "of block (0, 0, 1)"
    wrong_report 5 assigns
    holds "$output" "out[i] += the"
}

@test "a kernel that stores to its input fails correct" {
    wrong_report 5 input_smoothed_as_well
    holds "$output" "changed elements of in. [correct]"
    holds "$output" "store to out alone"
}

@test "rows: sizes and blocks are counted in rows, and some are empty" {
    wrong_report 10 no_rank_added
    holds "$output" "from 0 to 8 exactly once"
    holds "$output" "rows = 9, 10 blocks of 160 threads"
    wrong_report 10 stride_of_the_block
    holds "$output" ", of block 5. [correct]"
    holds "$output" "block b owns row b"
    wrong_report 10 empty_row_ends_it
    holds "$output" "DEADLOCK"
    wrong_report 10 surplus_block_reads_on
    holds "$output" "MEM001"
}

@test "who promises to do many rows at once is not balanced" {
    wrong_report 10 hoards
    holds "$output" "The work is not balanced"
    holds "$output" "at most 110%"
    holds "$(tr -s ' \n' ' ' <<<"$output")" "ended last, at cycle"
    holds "$output" "Score: 75/100"
}

@test "who holds many grants gives the device back late" {
    wrong_report 8 hoards
    holds "$output" "at most 470%"
    holds "$(tr -s ' \n' ' ' <<<"$output")" "left last. After the arrival it finished 18 more block indices"
    holds "$output" "Score: 75/100"
}

@test "bars in modelled time are the same for every model" {
    its_turn 3
    local model figure models
    mapfile -t models < <(printf '%s\n' b200 rtx5090 | drawn 2)
    for model in "${models[@]}"; do
        for lab in 8 10; do
            figure=$(clclab grade "$lab" "$(solution "$lab")" --schedules 1 \
                --gpu-model "$model" | grep -o '[a-z]* [0-9]*% (at most [0-9]*%)')
            [ "$figure" = "$(clclab grade "$lab" "$(solution "$lab")" --schedules 1 |
                grep -o '[a-z]* [0-9]*% (at most [0-9]*%)')" ] || fail "$model, lab $lab: $figure"
            [ -n "$figure" ] || fail "$model, lab $lab: no figure"
            run clclab grade "$lab" "$(echo solutions/*"$lab"-*/wrong/hoards.cu)" \
                --schedules 1 --gpu-model "$model"
            holds "$output" "Score: 75/100"
        done
    done
}

@test "a replay names the size of a box, and --size takes it" {
    wrong_report 5 waits_once
    holds "$output" "--size 80x40x3"
    clclab grade 5 "$(solution 5)" --only-schedule 2 --size 40x20x3
    run clclab grade 5 "$(solution 5)" --only-schedule 2 --size 40x20x
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "40x20x3"
}

@test "every model grades the solutions the same" {
    its_turn 3
    for model in mini b200 rtx5090; do
        run clclab grade 4 "$(solution 4)" --gpu-model "$model"
        [ "$status" -eq 0 ] || fail "$model: exit status $status"
    done
}

@test "a lab is found by its number with a leading zero" {
    run clclab grade 04 "$(solution 4)"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a file is named in the report as the learner gave it" {
    cp "$(starter 1)" "$W/with blank.cu"
    run clclab grade 1 "$W/with blank.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "$W/with blank.cu"
}

# The two kernels of the CUDA guide's chapter are NVIDIA's and not shipped here.
# Put them, renamed, extern "C" and behind #include "lab.h", in a folder.
@test "the guide's two CLC kernels get full marks" {
    [ -n "${CLCLAB_GUIDE:-}" ] ||
        skip "CLCLAB_GUIDE names no folder with block_clc.cu and cluster_clc.cu"
    run clclab grade 3 "$CLCLAB_GUIDE/block_clc.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
    run clclab grade 4 "$CLCLAB_GUIDE/cluster_clc.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a request that names no space is told what its operands are" {
    grade_json 9 solutions/09-raw-ptx/wrong/generic_request.cu || true
    [ "$(json checks.rules.cause.code)" = CLC005 ]
    holds "$(json checks.rules.cause.help)" "try_cancel.async.shared::cta"
}

@test "too few requests at once: technique says how many there were" {
    grade_json 7 solutions/07-batch-clc/wrong/two_at_a_time.cu || true
    [ "$(failed_checks)" = technique ]
    [ "$(json checks.technique.cause.actual)" = 2 ]
}

# The machine sees the sleep: the same text in front of the refusal is none of its business.
@test "lab 8: a sleep after the refusal is an advisory" {
    local kernel=solutions/08-preemption/preemption.cu
    sed 's/^\( *\)asking = false;/&\n\1__nanosleep(100);/' "$kernel" >"$W/late.cu"
    grade_json 8 "$W/late.cu" --schedules 2
    [ "$(json score)" = 100 ]
    [ "$(json 'advisories.#')" = 1 ]
    holds "$(json advisories.0.what)" "sleeps after it has read a refusal"
    sed 's/^    ask(&result, &bar);/    __nanosleep(100);\n&/' "$kernel" >"$W/early.cu"
    grep -q nanosleep "$W/early.cu"
    grade_json 8 "$W/early.cu" --schedules 2
    [ "$(json 'advisories.#')" = 1 ] # that it is written outside the regions
    lacks "$(json advisories.0.what)" "sleeps"
}
