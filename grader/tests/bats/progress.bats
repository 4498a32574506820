#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How far a learner has come: what clclab alone, next, list and grade without a lab make
# of her grades. test_cli_progress.c has what happens to the file.

load common

# A course of its own, whose files may be changed.
setup() {
    common_setup
    mkdir -p "$W/course/grader"
    cp -r labs solutions "$W/course"
    ln -s "$ROOT/grader/compile" "$W/course/grader/compile"
    export CLCLAB_ROOT=$W/course
    cd "$W/course" || return 1
}

# solve LAB: its own file becomes its solution.
solve() {
    cp "$(ls "solutions/$1"-*/*.cu)" "$(ls -d "labs/$1"-*)/"
}

@test "clclab alone: how far, what is next, and how to go on" {
    run clclab
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "0 of 10 labs have full marks"
    holds "$output" "Lab 1: One element per thread"
    holds "$output" "edit   $CLCLAB_ROOT/labs/01-fixed-work/fixed_work.cu"
    solve 01
    clclab grade 1 --schedules 2
    run clclab
    holds "$output" "1 of 10 labs have full marks"
    holds "$output" "Lab 2: "
}

@test "what is to be typed can be typed: by the path that was" {
    mkdir build
    ln -s "$CLCLAB" build/clclab
    run build/clclab
    holds "$output" "For clclab type build/clclab, from this folder."
    run clclab # by its whole path
    lacks "$output" "For clclab type"
}

@test "outside of a course: how to use it" {
    cp "$CLCLAB" "$W/clclab"
    cd "$W" || return 1
    run env -u CLCLAB_ROOT ./clclab
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "usage: clclab COMMAND"
}

@test "grade without a lab: the one graded last, until it has full marks" {
    run clclab grade
    holds "$output" "Lab 1: "
    clclab grade 2 --schedules 2 || [ $? -eq 1 ]
    run clclab grade
    holds "$output" "Lab 2: "
    run clclab next
    holds "$output" "Lab 2: A fixed number of blocks (your best: 35/100)"
    solve 02
    clclab grade 2 --schedules 2
    run clclab next
    holds "$output" "Lab 1: "
    holds "$output" "(your best: 35/100)"
}

@test "make grade without LAB does the same" {
    cd "$ROOT" || return 1
    run make grade SCHEDULES=2
    holds "$output" "Lab 1: "
}

@test "list has the points, once there are any" {
    run clclab list
    lacks "$output" "/100"
    solve 03
    clclab grade 3 --schedules 2
    clclab grade 1 --schedules 2 || [ $? -eq 1 ]
    run clclab list
    [ "${lines[0]}" = "  1  01-fixed-work          35/100  One element per thread" ] || fail "${lines[0]}"
    [ "${lines[2]}" = "  3  03-block-clc          100/100  Stealing blocks" ] || fail "${lines[2]}"
    [ "${lines[3]}" = "  4  04-cluster-clc                 Stealing clusters" ] || fail "${lines[3]}"
}

@test "only whole grades of the lab's own file count" {
    solve 01
    clclab grade 1 --solutions --schedules 2
    clclab grade 1 solutions/01-*/*.cu --schedules 2
    clclab grade 1 --only-schedule 2
    clclab grade 1 --untrusted --allow-weak-sandbox --schedules 2
    CLCLAB_TOOLKIT=$W run clclab grade 1
    [ "$status" -eq 69 ] || fail "exit status $status"
    [ ! -e "$XDG_STATE_HOME" ] || fail "noted: $(cat "$XDG_STATE_HOME/clclab/progress")"
}

@test "quizzes and cases of the clinic count, if the learner's own files are judged" {
    cp solutions/01-fixed-work/quiz.txt "$W/quiz.txt"
    sed -nE 's/^([0-9]+: *[a-z0-9]+).*/\1/p' "$W/quiz.txt" >"$W/answers.txt"
    clclab quiz 1 "$W/answers.txt" || true
    clclab clinic 1 solutions/clinic/01-*.cu --schedules 2 || true
    [ ! -e "$XDG_STATE_HOME" ] || fail "noted: $(cat "$XDG_STATE_HOME/clclab/progress")"
    cp "$W/answers.txt" labs/01-fixed-work/quiz-answers.txt
    run clclab quiz 1
    holds "$(cat "$XDG_STATE_HOME/clclab/progress")" "01-fixed-work/quiz"
    clclab clinic 1 --schedules 2 || true
    lacks "$(cat "$XDG_STATE_HOME/clclab/progress")" "clinic/"
    cp solutions/clinic/01-*.cu labs/clinic/mine/
    run clclab clinic 1
    [ "$status" -eq 0 ] || fail "exit status $status"
    run clclab
    holds "$output" "0 of 10 labs have full marks"
    holds "$output" "Healed in the clinic: 1."
    cp solutions/clinic/02-*.cu labs/clinic/mine/
    clclab clinic --schedules 8 || [ $? -eq 1 ] # all of her copies
    run clclab
    holds "$output" "Healed in the clinic: 2."
    run clclab list
    holds "$output" "clinic: 2 healed"
    holds "${lines[0]}" "quiz "
}

@test "all labs at full marks" {
    local folder
    mkdir -p "$XDG_STATE_HOME/clclab"
    {
        echo "clclab progress 1"
        for folder in labs/[0-9]*; do
            printf '%s\t100\t100\t100\t1\t1800000000\t%s\n' "${folder#labs/}" "$(realpath .)"
        done
    } >"$XDG_STATE_HOME/clclab/progress"
    run clclab next
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "All labs have full marks"
    usage_error "which lab?" grade
}

@test "a file of a later version stays, and that is said" {
    mkdir -p "$XDG_STATE_HOME/clclab"
    echo "clclab progress 9" >"$XDG_STATE_HOME/clclab/progress"
    local command
    for command in "" list next "grade 1 --schedules 2"; do
        # shellcheck disable=SC2086 # its words
        run clclab $command
        holds "$output" "progress is of a later version of clclab"
    done
    [ "$(cat "$XDG_STATE_HOME/clclab/progress")" = "clclab progress 9" ] || fail "it was changed"
}

@test "a damaged file costs nothing but what it held" {
    mkdir -p "$XDG_STATE_HOME/clclab"
    echo nonsense >"$XDG_STATE_HOME/clclab/progress"
    run clclab list
    [ "$status" -eq 0 ] || fail "exit status $status"
    solve 01
    run clclab grade 1 --schedules 2
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "was damaged"
    [ "$(cat "$XDG_STATE_HOME/clclab/progress.damaged")" = nonsense ] || fail "it was not kept"
}
