#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The workflows for GitHub Classroom in docs/examples/classroom: the step that grades, run
# as GitHub runs it, takes the student's one file and nothing else of hers.

load common
setup() {
    common_setup
    GRADE=docs/examples/classroom/grade.yml
    CALL=docs/examples/classroom/classroom.yml
    mkdir -p "$W/course/build" "$W/course/grader/compile" "$W/student/labs/01-fixed-work"
    cp "$CLCLAB" "$W/course/build/"
    cp -r labs "$W/course/"
    cp -r grader/compile/include "$W/course/grader/compile/"
}

step() { # step NAME: the script of a step, as in the workflow
    awk -v name="      - name: $1" '
        $0 == name { here = 1; next }
        here && /^      - / { exit }
        here && /^        run: \|/ { script = 1; next }
        script && /^          / { print substr($0, 11) }' "$GRADE"
}

grade() { # grades the student's file; the result is $W/r.json
    : >"$W/output"
    step grade >"$W/step"
    run env -C "$W" LAB=1 FILE=labs/01-fixed-work/fixed_work.cu SEED=41 \
        GITHUB_OUTPUT="$W/output" timeout -k 5 "$PATIENCE" sh -e "$W/step"
    sed -n 's/^result=//p' "$W/output" | base64 -d >"$W/r.json"
}

points() { # the sum of the tests' scores
    local i sum=0
    for ((i = 0; i < $(json tests.#); i++)); do
        sum=$((sum + $(json "tests.$i.score")))
    done
    echo "$sum"
}

@test "the step grades the file by the course's lab, whatever else the student has" {
    cp "$(solution 1)" "$W/student/labs/01-fixed-work/"
    grade
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(points)" -eq 100 ] || fail "$(points) points"
    cp solutions/01-fixed-work/wrong/no_guard.cu "$W/student/labs/01-fixed-work/fixed_work.cu"
    sed '/^check /s/ [0-9][0-9]* / 0 /; s/^check builds .*/check builds 100 ok/' labs/01-fixed-work/lab.conf \
        >"$W/student/labs/01-fixed-work/lab.conf"
    mkdir -p "$W/student/labs/common" "$W/student/.github/workflows"
    echo '#error' >"$W/student/labs/common/lab.h"
    printf 'grade:\n\techo 100\n' >"$W/student/Makefile"
    grade
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(points)" -lt 100 ] || fail "the student's own lab.conf counts"
    lacks "$(<"$W/r.json")" "--seed 41"
}

@test "without a file the step fails, and there is no score" {
    grade
    [ "$status" -ne 0 ] || fail "it went on"
    [ ! -s "$W/output" ] || fail "it has a result: $(<"$W/output")"
}

@test "the workflows fit to each other, and pin what they run" {
    local name
    for name in lab file seed; do
        grep -qE "^      $name:" "$GRADE" || fail "$name is no input"
        grep -qE "^      $name: " "$CALL" || fail "$name is not given"
    done
    lacks "$(<"$GRADE")" pull_request_target
    lacks "$(<"$GRADE")" write-all
    grep -qE 'ref: .*COURSE_COMMIT' "$GRADE" || fail "the course is not pinned"
    grep -qE 'grade\.yml@[0-9a-f]{40}$' "$CALL" || fail "the workflow is not pinned"
    [ -s "labs/04-cluster-clc/$(sed -n 's|.*file: labs/04-cluster-clc/||p' "$CALL")" ] || fail "no such file"
}
