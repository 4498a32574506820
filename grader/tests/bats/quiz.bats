#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab quiz and make quiz, as a learner uses them, in a copy of the course
# where answers can be written.

load common
setup() {
    common_setup
    C=$W/course
    mkdir "$C"
    cp -r labs "$C/labs"
    rm -f "$C"/labs/*/quiz-answers.txt
    mkdir -p "$C/solutions/04-cluster-clc"
    cp solutions/04-cluster-clc/quiz.txt "$C/solutions/04-cluster-clc/"
    A=labs/04-cluster-clc/quiz-answers.txt
    right_answers >"$W/right.txt"
    cp "$CLCLAB" "$C/clclab"
    CLCLAB=$C/clclab
    cd "$C" || return 1
}

quiz() { # quiz [ARGUMENT...]: of lab 4 in the copy
    run --separate-stderr clclab quiz 4 "$@"
}

right_answers() {
    sed -n 's/^\([0-9]*:[^|]*\).*/\1/p' solutions/04-cluster-clc/quiz.txt
}

@test "the first call prints the questions and writes the file for the answers" {
    quiz
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "Quiz 4: Stealing clusters"
    holds "$output" "1. Who asks (choice)"
    holds "$output" "$A"
    holds "$(cat "$A")" "# Who asks: one letter"
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "the file that was written is graded as nothing answered, and kept" {
    quiz
    quiz
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "OPEN    1  Who asks"
    holds "$output" "Points: 0/10"
    echo "# mine" >>"$A"
    quiz
    [ "$(tail -n 1 "$A")" = "# mine" ] || fail "overwritten"
}

@test "right answers get all points, wrong ones a reason and a reference" {
    cp "$W/right.txt" "$A"
    quiz
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "Points: 10/10"
    sed -i 's/^2: b/2: a/' "$A"
    quiz
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "quiz-answers.txt:2:4: wrong: 2. Which index: a is not right."
    holds "$output" "see       labs/04-cluster-clc/README.md#background"
    holds "$output" "Points: 9/10"
}

@test "another file can be graded, and the report be JSON" {
    cp "$W/right.txt" "$W/my answers.txt"
    quiz "$W/my answers.txt" --format json
    [ "$status" -eq 0 ] || fail "exit status $status"
    echo "$output" >"$W/r.json"
    [ "$(json schema) $(json points) $(json questions.9.mark)" = \
        "clclab/quiz/v1 10 right" ] || fail "another report"
    [ ! -e "$A" ] || fail "$A was written"
    quiz --format json
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ ! -e "$A" ] || fail "$A was written"
}

@test "a copy without the answers says so, and shows the questions" {
    rm -r "$C/solutions"
    sed 's/^3: c/3: x/' "$W/right.txt" >"$A"
    quiz
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "10. Scopes (choice)"
    holds "$output" 'There is no option "x"'
    lacks "$output" "Points"
    holds "$stderr" "nothing was graded"
}

@test "a file that is not there, or no text, is a mistake of the command line" {
    quiz "$W/missing.txt"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "missing.txt: No such file"
    quiz "$W"
    [ "$status" -eq 2 ] || fail "exit status $status"
    head -c 300000 /dev/zero >"$W/zeros"
    quiz "$W/zeros"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "larger than 256 KiB"
    head -c 3000 /dev/urandom >"$W/bytes"
    quiz "$W/bytes"
    [ "$status" -eq 1 ] || fail "exit status $status"
}

@test "a key or a quiz that is wrong is the course's fault, with its place" {
    cp "$W/right.txt" "$A"
    sed -i 's/^  why: Both/  wy: Both/' "$C/solutions/04-cluster-clc/quiz.txt"
    quiz
    [ "$status" -eq 70 ] || fail "exit status $status"
    holds "$stderr" "solutions/04-cluster-clc/quiz.txt:"
    sed -i 's/^- b) 17/- c) 17/' "$C/labs/04-cluster-clc/quiz.md"
    quiz
    [ "$status" -eq 70 ] || fail "exit status $status"
    holds "$stderr" "This should be option b)"
    rm "$C/labs/04-cluster-clc/quiz.md"
    quiz
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$stderr" "has no quiz"
}

@test "make quiz passes LAB, FILE and FORMAT on" {
    cd "$ROOT" || return 1
    cp "$W/right.txt" "$W/it's mine.txt"
    run --separate-stderr make --no-print-directory quiz LAB=4 \
        FILE="$W/it's mine.txt"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "Points: 10/10"
    run make --no-print-directory quiz LAB=4 FILE="$W/it's mine.txt" FORMAT=json
    echo "$output" >"$W/r.json"
    [ "$(json points)" = 10 ] || fail "no JSON"
    run make --no-print-directory quiz
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "make quiz LAB=4"
}
