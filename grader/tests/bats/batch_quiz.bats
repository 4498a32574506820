#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab batch --quiz: a class's answers are graded as clclab quiz does, beside kernels or
# alone, and their points go into the tables that kernels' points go into.

load common

setup() {
    common_setup
    CLASS=$W/class
    OUT_DIR=$W/grades
    mkdir -p "$CLASS/ben" "$CLASS/cleo"
    grep -E '^[0-9]+:' solutions/01-fixed-work/quiz.txt | sed 's/|.*//' >"$CLASS/ana.txt"
    sed 's/:.*/:/' "$CLASS/ana.txt" >"$CLASS/ben/answers.txt" # none is answered
    sed -i '1s/:.*/: c/' "$CLASS/ben/answers.txt"
    cp "$(solution 1)" "$CLASS/ben/"
    cp "$(solution 1)" "$CLASS/cleo/"
}

quizzes() { # quizzes STATUS [OPTION...]
    local wanted=$1
    shift
    run --separate-stderr clclab batch 1 "$CLASS" --quiz --out "$OUT_DIR" "$@"
    # shellcheck disable=SC2154 # run sets stderr
    [ "$status" -eq "$wanted" ] || fail "exit status $status, not $wanted" "$stderr"
}

@test "the points are those of clclab quiz; who has no answers has a reason, and no zero" {
    local count
    count=$(grep -c : "$CLASS/ana.txt")
    quizzes 1
    holds "$(<"$OUT_DIR/grades.csv")" "\"ana\",\"ana\",\"\",,\"ana.txt\",\"graded\",$count,$count,"
    holds "$(<"$OUT_DIR/grades.csv")" '"cleo","cleo","",,"","not gradable",,,"","","No file ends in .txt'
    clclab quiz 1 "$CLASS/ben/answers.txt" --format json >"$W/r.json" || true
    holds "$(<"$OUT_DIR/grades.csv")" "\"answers.txt\",\"graded\",$(json points),$count,\"question "
    [ "$("$JSON_GET" "$OUT_DIR/results/ben.json" points)" = "$(json points)" ] || fail "another result"
    holds "$(<"$OUT_DIR/reports/ben.txt")" "OPEN"
    holds "$output" "Quiz 1: "
    quizzes 1
    holds "$(tail -n 2 "$OUT_DIR/batch.log")" "3 submissions, 0 to be graded"
    rm -r "$CLASS/cleo"
    quizzes 0 --gradebook canvas
    holds "$(<"$OUT_DIR/grades.csv")" ',"Quiz 1: '
    nothing_left
}

@test "an archive of answers; another folder for the kernels; a copy without the key" {
    type bsdtar >/dev/null || skip "no bsdtar"
    bsdtar -C "$CLASS" --format zip -cf "$W/class.zip" .
    CLASS=$W/class.zip quizzes 1
    holds "$output" "2 graded, 1 not gradable"
    run --separate-stderr clclab batch 1 "$CLASS" --out "$OUT_DIR"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "has the grades of 01-fixed-work (quiz)"
    cp -r labs "$W/labs"
    rm "$W/labs/01-fixed-work/quiz.md"
    quizzes 69 --labs "$W/labs"
    holds "$stderr" "has no quiz"
    quizzes 2 --engine slurm
    holds "$stderr" "neither a cluster nor a GPU"
}

@test "points of a quiz are added to those of the kernels, as a column" {
    quizzes 1
    run --separate-stderr clclab batch 1 "$CLASS" --out "$W/kernels" --seed 5 --schedules 2 \
        --points "$OUT_DIR/grades.csv"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$(<"$W/kernels/grades.csv")" ",extra,total,note"
    grep -q '^"ben",.*,100,100,.*"",[0-9][0-9]*,10[0-9]*,' "$W/kernels/grades.csv" ||
        fail "$(<"$W/kernels/grades.csv")"
    grep -q '^"cleo",.*,,100,' "$W/kernels/grades.csv" || fail "$(<"$W/kernels/grades.csv")"
}
