#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The graders for Gradescope and Autolab: what they are made of, and that they grade as
# clclab does, in folders that stand for the platforms'. A grade that failed has no score.
# shellcheck disable=SC2154 # bats' run sets stderr

load common

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || return 1
    export Z=$BATS_FILE_TMPDIR
    export LAB=1 SEED=41 TOOLKIT=no
    unset SEED_FROM FEEDBACK WEAK
    grader/tools/make-place gradescope "$Z/place.zip" || return 1
    grader/tools/make-place autolab "$Z/autolab" || return 1
    mkdir "$Z/source" && unzip -q "$Z/place.zip" -d "$Z/source"
    unset LAB SEED TOOLKIT
}

# $P is what the platform's image has: as `install` leaves it, with the program of this
# tree. It is in a folder that others may enter, as root grades by another user.
setup() {
    its_turn 2
    common_setup
    P=$(mktemp -d /tmp/clclab-place.XXXXXX)
    mkdir -p "$P/place/build" "$P/place/grader/compile" "$P/place/cache" "$P/tmp" "$W/top/submission"
    cp "$CLCLAB" "$JSON_GET" "$P/place/build/"
    cp -r grader/compile/include "$P/place/grader/compile/"
    mkdir "$P/place/labs"
    cp -r labs/01-* labs/common "$P/place/labs/"
    cp "$Z"/source/place.* "$Z/source/grade" "$P/place/"
    chmod -R go+rX "$P"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$P/place/cache"
    chmod 700 "$P/place/cache"
}

teardown() { rm -rf "$P"; }

autograder() { # grades what is in $W/top/submission; the report is $W/r.json
    rm -rf "$W/top/results"
    run --separate-stderr env TMPDIR="$P/tmp" AUTOGRADER="$W/top" CLCLAB_PLACE="$P/place" \
        timeout -k 5 "$PATIENCE" "$Z/source/run_autograder"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    cp "$W/top/results/results.json" "$W/r.json"
    [ -z "$(ls -A "$P/tmp")" ] || fail "left behind: $(ls -A "$P/tmp")"
}

no_score() { # no_score TEXT: the report has no score, and TEXT in it
    local value
    value=$(json tests.#)
    [ "$value" -ge 0 ] || fail "it is not valid"
    ! json score >/dev/null 2>&1 || fail "it has a score"
    ! json tests.0.score >/dev/null 2>&1 || fail "a test has a score"
    holds "$(<"$W/r.json")" "$1"
}

# A grader that is killed when it has written half of a report.
break_grader() {
    rm "$P/place/build/clclab" # which may be running still
    # shellcheck disable=SC2016 # it is the script's own id
    printf '#!/bin/sh\nprintf "{\\"score\\": 1"\nkill -KILL $$\n' >"$P/place/build/clclab"
    chmod 755 "$P/place/build/clclab"
}

@test "what goes to a platform has this lab alone, and neither solutions nor answers" {
    local list
    list=$(tar -tzf "$Z/source/course.tar.gz")
    holds "$list" /labs/01-fixed-work/lab.conf
    holds "$list" /labs/01-fixed-work/reference.c
    lacks "$list" /labs/02-
    lacks "$list" /solutions
    lacks "$list" quiz.txt
    lacks "$list" hints.md
    [ -x "$Z/source/setup.sh" ] || fail "setup.sh cannot be run"
    holds "$(<"$Z/source/place.conf")" SEED=41
    [ ! -e "$Z/source/toolkit.tar" ] || fail "TOOLKIT=no has no toolkit"
}

@test "Gradescope: the points are those of clclab grade; in a folder, too" {
    local file
    for file in "$(solution 1)" solutions/01-fixed-work/wrong/no_guard.cu; do
        rm -rf "$W/top/submission"
        mkdir -p "$W/top/submission/work"
        cp "$file" "$W/top/submission/work/mine.cu"
        chmod 700 "$W/top/submission"
        autograder
        cp "$W/r.json" "$W/there.json"
        grade_json 1 "$file" --seed 41 || true
        [ "$("$JSON_GET" "$W/there.json" score)" = "$(json score)" ] || fail "$file: $(<"$W/there.json")"
        lacks "$(<"$W/there.json")" "--seed 41"
    done
}

@test "Gradescope: what cannot be graded has a reason, and no zero" {
    autograder
    no_score "There is no file in it."
    echo hello >"$W/top/submission/essay.txt"
    autograder
    no_score "No file ends in .cu: there is essay.txt."
    ln -s /etc/passwd "$W/top/submission/a.cu"
    autograder
    no_score "a.cu: It is a symbolic link."
    cp "$(solution 1)" "$W/top/submission/b.cu"
    autograder
    no_score "2 sources (a.cu, b.cu), and none is called"
    cp "$(solution 1)" "$W/top/submission/"
    autograder
    [ "$(json score)" = 100 ] || fail "the file with the lab's name counts"
}

@test "Gradescope: a grader that is killed or missing leaves a report without a score" {
    cp "$(solution 1)" "$W/top/submission/"
    break_grader
    autograder
    no_score "This is no zero"
    rm -r "$P/place"
    autograder
    no_score "This is no zero"
}

@test "each student has a seed of her own: that of clclab batch for the same id" {
    local own
    cp "$(solution 1)" "$W/top/submission/"
    echo '{"id": 9, "users": [{"id": 4711, "email": "ana@example.org"}]}' >"$W/top/submission_metadata.json"
    sed -i 's/^SEED_FROM=.*/SEED_FROM=autumn/; s/^FEEDBACK=.*/FEEDBACK=full/' "$P/place/place.conf"
    # shellcheck disable=SC2016 # it is the script's own arguments
    printf '#!/bin/sh\necho "$@"\n' >"$P/place/build/clclab"
    autograder
    holds "$(<"$W/r.json")" "--feedback full --seed-from autumn --student 4711 -- 1 submission"
    clclab grade 1 "$(solution 1)" --seed-from autumn --student 4711 --schedules 2 --format json >"$W/r.json"
    own=$(json seed)
    mkdir "$W/class"
    cp "$(solution 1)" "$W/class/4711.cu"
    clclab batch 1 "$W/class" --out "$W/grades" --seed-from autumn --schedules 2 >/dev/null
    [ "$("$JSON_GET" "$W/grades/records/4711.json" runs.0.seed)" = "$own" ] || fail "not $own"
    usage_error "go together" grade 1 --seed-from autumn
    usage_error "exclude each other" grade 1 --seed-from autumn --student 1 --seed 4
}

autolab() { # what Autolab does in $W/job; what is printed is $output
    mkdir -p "$W/job"
    cp "$Z/autolab/clclab01/autograde.tar" "$W/job/"
    cp "$Z/autolab/clclab01/autograde-Makefile" "$W/job/Makefile"
    run env TMPDIR="$P/tmp" CLCLAB_PLACE="$P/place" timeout -k 5 "$PATIENCE" \
        make --no-print-directory -C "$W/job"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "Autolab: the last line has the score of each check; none where the grader failed" {
    tar -C "$W" -xf "$Z/autolab/clclab01/autograde.tar" clclab-autograde/place.id
    cp "$W/clclab-autograde/place.id" "$P/place/"
    autolab
    holds "$output" "There is no file fixed_work.cu."
    [ "${lines[-1]}" = '{"scores": {}}' ] || fail "${lines[-1]}"
    mkdir -p "$W/job"
    cp "$(solution 1)" "$W/job/"
    autolab
    printf '%s\n' "${lines[-1]}" >"$W/r.json"
    [ "$(json scores.schedules)" -gt 0 ] || fail "no score"
    [ "$(json scoreboard.0)" = 100 ] || fail "not all points"
    break_grader
    autolab
    [ "${lines[-1]}" = '{"scores": {}}' ] || fail "${lines[-1]}"
    holds "$output" "This is no zero"
}

@test "Autolab: the assessment has the lab's checks as problems, its file and its handout" {
    local id points yml
    tar -C "$W" -xf "$Z/autolab/clclab01.tar"
    yml=$(<"$W/clclab01/clclab01.yml")
    while read -r _ id points _; do
        holds "$yml" "- name: $id"
        holds "$yml" "max_score: $points"
    done < <(grep '^check ' labs/01-*/lab.conf)
    holds "$yml" "handin_filename: fixed_work.cu"
    holds "$(<"$W/clclab01/clclab01.rb")" "module Clclab01"
    tar -tzf "$W/clclab01/clclab01-handout.tar.gz" >"$W/list"
    grep -q /labs/01-fixed-work/README.md "$W/list" || fail "no handout"
    ! grep -q solutions/ "$W/list" || fail "solutions"
}

@test "what is asked for wrongly is refused" {
    local words
    for words in LAB= LAB=77 LAB=x "LAB=1 SEED=x" "LAB=1 SEED_FROM=a/b" "LAB=1 SEED=1 SEED_FROM=a" \
        "LAB=1 FEEDBACK=none" "LAB=1 WEAK=1" "LAB=1 TOOLKIT=1"; do
        # shellcheck disable=SC2086 # variables
        run env $words grader/tools/make-place gradescope "$W/x.zip"
        [ "$status" -eq 2 ] || fail "$words: exit status $status"
        holds "$output" "make gradescope: "
        [ ! -e "$W/x.zip" ] || fail "$words: made all the same"
    done
}

@test "setup.sh builds it from nothing but the zip (FULL=1)" {
    [ -z "$QUICK" ] || skip "a build of its own: FULL=1"
    LAB=1 SEED=41 grader/tools/make-place gradescope "$W/place.zip" || fail "make-place"
    mkdir "$W/source"
    unzip -q "$W/place.zip" -d "$W/source"
    rm -r "$P/place"
    env -u CUDA_HOME -u CUDA_PATH CLCLAB_PLACE="$P/place" TMPDIR="$P/tmp" "$W/source/setup.sh" >"$W/log" 2>&1 ||
        fail "$(tail "$W/log")"
    [ ! -e "$P/place/src" ] || fail "sources are left"
    cp "$(solution 1)" "$W/top/submission/"
    autograder
    [ "$(json score)" = 100 ] || fail "$(<"$W/r.json")"
}
