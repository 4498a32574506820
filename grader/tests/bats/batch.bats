#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab batch: a class is graded, whatever is in it and whatever happens meanwhile; the
# points are those of clclab grade, and the same however many jobs there are.
# shellcheck disable=SC2154 # bats' run sets stderr

load common

setup() {
    its_turn 2
    common_setup
    CLASS=$W/class
    OUT_DIR=$W/grades
    mkdir "$CLASS"
    cp "$(solution 1)" "$CLASS/ana.cu"
    cp "$(dirname "$(solution 1)")/wrong/no_guard.cu" "$CLASS/ben.cu"
    mkdir "$CLASS/carla"
    cp "$(dirname "$(solution 1)")/wrong/skips_last_block.cu" "$CLASS/carla/mine.cu"
    echo 'this does not compile' >"$CLASS/dan.cu"
}

batch() { # batch STATUS [OPTION...]
    local wanted=$1
    shift
    run --separate-stderr clclab batch 1 "$CLASS" --out "$OUT_DIR" --seed 5 --schedules 4 "$@"
    [ "$status" -eq "$wanted" ] || fail "exit status $status, not $wanted" "$output" "$stderr"
}

record() { # record ID PATH: a value of a record
    "$JSON_GET" "$OUT_DIR/records/$1.json" "$2"
}

@test "the points are those of clclab grade; who has none has a reason, and no zero" {
    local id
    ln -s /etc/passwd "$CLASS/eve.cu"
    mkdir "$CLASS/fay"
    echo hello >"$CLASS/fay/essay.txt"
    batch 1
    holds "$output" "6 submissions: 4 graded, 2 not gradable."
    holds "$output" "eve: eve.cu: It is a symbolic link."
    for id in ana ben dan; do
        clclab grade 1 "$CLASS/$id.cu" --seed 5 --schedules 4 --format json >"$W/r.json" || true
        [ "$(record $id score)" = "$(json score)" ] || fail "$id: $(record $id score)"
    done
    holds "$(<"$OUT_DIR/grades.csv")" '"eve","eve","",,"eve.cu","not gradable",,,'
    holds "$(<"$OUT_DIR/grades.csv")" '"ana","ana","",,"ana.cu","graded",100,100,'
    holds "$(<"$OUT_DIR/reports/ben.txt")" "ben.cu:"
    lacks "$(<"$OUT_DIR/reports/ben.txt")" "--seed 5"
    [ ! -e "$OUT_DIR/results/eve.json" ] || fail "a result of what?"
    run clclab verify "$OUT_DIR/results/carla.json" "$CLASS/carla/mine.cu"
    [ "$status" -eq 0 ] || fail "verify: $output"
    nothing_left
}

@test "what includes more than the lab's header may take long, and is graded first" {
    { echo '#include <stdint.h>' && cat "$CLASS/ana.cu"; } >"$CLASS/zoe.cu"
    batch 0 --jobs 1
    holds "$(grep -m 1 ': graded' "$OUT_DIR/batch.log")" " zoe: graded 100 of 100"
}

@test "the same command grades only what has changed; who has other points is told" {
    batch 0
    cp -r "$OUT_DIR/records" "$W/before"
    batch 0
    holds "$(tail -n 2 "$OUT_DIR/batch.log")" "begin: 4 submissions, 0 to be graded"
    diff -r "$W/before" "$OUT_DIR/records" || fail "records were written again"
    cp "$CLASS/ana.cu" "$CLASS/ben.cu"
    printf x >>"$OUT_DIR/reports/carla.txt" # not what the record says
    batch 0
    holds "$(tail -n 4 "$OUT_DIR/batch.log")" "begin: 4 submissions, 2 to be graded"
    holds "$output" "ben: "
    holds "$output" " -> 100 (the submission)"
    batch 0 # told once
    lacks "$output" "Other points than before"
    mv "$CLASS/carla/mine.cu" "$CLASS/carla/other.cu"
    echo >>"$CLASS/carla/other.cu"
    batch 0
    [ "$(ls "$OUT_DIR/submissions/carla")" = other.cu ] || fail "$(ls "$OUT_DIR/submissions/carla")"
    cp -r labs "$W/labs"
    sed -i 's/^check builds *[0-9]*/check builds 0/; s/^check signature *[0-9]*/check signature 5/' "$W"/labs/01-*/lab.conf
    batch 0 --labs "$W/labs"
    holds "$(tail -n 6 "$OUT_DIR/batch.log")" "begin: 4 submissions, 4 to be graded"
}

@test "points of an oral question are added, and a slip in their table stops the batch first" {
    printf 'id,points,note\nana,-4,late in the room\nben,x\n' >"$W/oral.csv"
    batch 2 --points "$W/oral.csv"
    holds "$stderr" "oral.csv:3:1: error: \"x\" is no number of points."
    [ ! -e "$OUT_DIR/grades.csv" ] || fail "it has graded"
    printf 'id,points,note\nana,-4,late in the room\nzoe,9,\ndan,2.5,\n' >"$W/oral.csv"
    batch 0 --points "$W/oral.csv"
    holds "$output" "Points of the table, but no submission"
    holds "$output" "  zoe"
    head -n 1 "$OUT_DIR/grades.csv" | grep -q ',why,extra,total,note$' || fail "$(head -n 1 "$OUT_DIR/grades.csv")"
    holds "$(<"$OUT_DIR/grades.csv")" ',-4,96,"late in the room"'
    holds "$(grep '^"dan"' "$OUT_DIR/grades.csv")" ',2.500,2.500,""'
    holds "$(grep '^"ben"' "$OUT_DIR/grades.csv")" ',,35,""'
    holds "$(<"$OUT_DIR/summary.html")" "100 &minus; 4"
    batch 0 --points "$W/oral.csv" --gradebook moodle --column Lab
    holds "$(<"$OUT_DIR/grades.csv")" '"ana",96'
    holds "$(tail -n 2 "$OUT_DIR/batch.log")" "4 submissions, 0 to be graded"
    batch 0
    lacks "$(<"$OUT_DIR/grades.csv")" "total"
}

# A class for lab 3 in which two have the same, with other names and comments, and in
# which others have what all have: the starter, the solution.
alike_class() {
    local right=grader/tests/kernels/right
    cp "$(solution 3)" "$CLASS/sol.cu"
    cp labs/03-*/starter/*.cu "$CLASS/start.cu"
    cp labs/03-*/starter/*.cu "$CLASS/start2.cu"
    cp "$right/lab3-asks-no-more.cu" "$CLASS/orig.cu"
    sed -e 's/\<bx\>/mine/g; s/\<bar\>/mb/g; s/alpha/factor/g; s|^ *//.*||' \
        -e 's|^\( *\)\(if .*\)|\1// my own idea <script>\n\1\2|' "$CLASS/orig.cu" >"$CLASS/copy.cu"
    cp "$right/lab3-cuda-barrier.cu" "$CLASS/other.cu"
}

@test "submissions that are alike are listed, those that have what all have are not" {
    command -v sim_c++ >/dev/null || skip "no sim_c++ (similarity-tester)"
    rm -r "${CLASS:?}"/*
    alike_class
    run --separate-stderr clclab batch 3 "$CLASS" --out "$OUT_DIR" --seed 5 --schedules 2
    [ "$status" -eq 0 ] || fail "exit status $status" "$output" "$stderr"
    [ "$(sed -n '/^Alike/,/^$/p' <<<"$output" | grep -c '%')" -eq 1 ] || fail "$output"
    holds "$output" "  copy and orig: 100% ("
    holds "$(<"$OUT_DIR/summary.html")" "<summary>copy and orig: 100%"
    holds "$(<"$OUT_DIR/summary.html")" "<mark>"
    lacks "$(<"$OUT_DIR/summary.html")" "idea <script>"
    lacks "$(cat "$OUT_DIR"/reports/*.txt "$OUT_DIR"/grades.csv)" "lines"
    run clclab batch 3 "$CLASS" --out "$OUT_DIR" --schedules 2 --similarity 0
    lacks "$output" "Alike"
    lacks "$(<"$OUT_DIR/summary.html")" "Alike"
}

@test "where what compares them is not there, or fails, the grades are there all the same" {
    mkdir "$W/bin"
    printf '#!/bin/sh\necho broken >&2\nexit 3\n' >"$W/bin/sim_c++"
    chmod +x "$W/bin/sim_c++"
    PATH=$W/bin:$PATH batch 0
    holds "$output" "Not looked for: sim_c++ ended with 3: broken."
    printf '#!/bin/sh\necho "0: line 1-9999|1: line 7-2 [3]"\necho "77: line 1-2|k0: line 1-2"\necho "x|y["\n' >"$W/bin/sim_c++"
    PATH=$W/bin:$PATH batch 0
    holds "$output" "4 submissions: 4 graded."
    lacks "$output" "Alike"
}

# extras COUNT FILE: the class has so many more files, like FILE.
extras() {
    local i
    count=$1
    for ((i = 1; i <= count; i++)); do cp "$CLASS/$2.cu" "$CLASS/extra$i.cu"; done
}

records() { # how many there are
    find "$OUT_DIR/records" -name '[!.]*.json' 2>/dev/null | wc -l
}

regraded() { # how many are not as in $W/before
    diff -rq "$W/before" "$OUT_DIR/records" | wc -l
}

# kill_midway DONE COUNT [OPTION...]: a batch is killed when DONE prints at least COUNT, and
# before it prints the number of all. 1: that was missed, on a machine with much other work,
# and the batch is at its end: the class was too small.
kill_midway() {
    local pid
    "$CLCLAB" batch 1 "$CLASS" --out "$OUT_DIR" --seed 5 --schedules 4 "${@:3}" >"$W/log" 2>&1 &
    pid=$!
    until_is done_or_gone "$pid" "$1" "$2" || fail "it does nothing" "$(<"$W/log")"
    kill -STOP "$pid" 2>/dev/null || true
    if [ "$("$1")" -lt "$(find "$CLASS" -name '*.cu' | wc -l)" ]; then
        kill -KILL "$pid" || fail "it ended by itself" "$(<"$W/log")"
        wait "$pid" || true
        return
    fi
    kill -CONT "$pid" 2>/dev/null || true
    wait "$pid" || true
    ((count < 500)) || fail "it always ends before it can be killed"
    return 1
}

done_or_gone() { # done_or_gone PROCESS DONE COUNT
    is_gone "$1" || [ "$("$2")" -ge "$3" ]
}

@test "killed in the middle, it loses nothing and doubles nothing; at any number of jobs" {
    local i
    extras 6 ana
    for i in 1 2 3; do
        until kill_midway records $((i * 2)) --jobs 3; do extras $((2 * count)) ana; done
    done
    touch "$OUT_DIR"/{results,reports,records,submissions/ana}/.begun.Cu7J0z
    printf x >>"$OUT_DIR/results/ana.json"
    batch 0 --jobs 3
    nothing_left
    [ -z "$(find "$OUT_DIR" -mindepth 2 -name '.*')" ] || fail "$(find "$OUT_DIR" -name '.*')"
    mv "$OUT_DIR" "$W/killed"
    batch 0 --jobs 1
    diff -r "$OUT_DIR/results" "$W/killed/results" || fail "other results"
    diff -r "$OUT_DIR/reports" "$W/killed/reports" || fail "other reports"
    diff "$OUT_DIR/grades.csv" "$W/killed/grades.csv" || fail "other points"
}

# Points change for all; the batch that finds that is killed when it has graded some. Who
# comes after it has to tell the changes that it found and never told.
@test "a batch that is killed while it grades anew, and gone on with, tells every change" {
    local i
    cp -r labs "$W/labs"
    sed -i 's/^check builds *[0-9]*/check builds 7/; s/^check schedules *[0-9]*/check schedules 0/' "$W"/labs/01-*/lab.conf
    for ((i = 6; ; i *= 2)); do
        extras "$i" ben
        rm -rf "$OUT_DIR" "$W/before"
        batch 0
        cp -r "$OUT_DIR/records" "$W/before"
        ! kill_midway regraded 2 --jobs 1 --labs "$W/labs" || break
    done
    batch 0 --labs "$W/labs"
    for ((i = 1; i <= count; i++)); do
        holds "$(sed -n '/^Other points than before/,/^$/p' <<<"$output")" "  extra$i: 35 -> 40 (lab.conf)"
    done
    batch 0 --labs "$W/labs"
    lacks "$output" "Other points than before"
}

@test "two at once in a folder, another lab's folder, nothing to grade" {
    "$CLCLAB" batch 1 "$CLASS" --out "$OUT_DIR" --seed 5 --schedules 4 >"$W/log" 2>&1 3>&- &
    local first=$!
    until [ -s "$OUT_DIR/batch.log" ]; do kill -0 "$first" || fail "it ended" "$(<"$W/log")"; done
    kill -STOP "$first"
    batch 75
    holds "$stderr" "another batch is at work"
    kill -KILL "$first" # the lock goes with it, whatever its children do
    wait "$first" || true
    batch 0
    run --separate-stderr clclab batch 2 "$CLASS" --out "$OUT_DIR"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "has the grades of 01-fixed-work"
    run --separate-stderr clclab batch 1 "$CLASS" --out "$CLASS/grades"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "lies in the folder of submissions"
    [ -z "$(find "$CLASS/grades" -type f)" ] || fail "it wrote something"
    mkdir "$W/none"
    run --separate-stderr clclab batch 1 "$W/none" --out "$W/other"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "there is no submission in it"
}

@test "what the machine lacks is no zero, and ends the batch" {
    mkdir "$W/empty"
    CLCLAB_TOOLKIT=$W/empty batch 69
    [ -z "$(find "$OUT_DIR" -name '*.json' 2>/dev/null)" ] || fail "something was kept"
    batch 0
}

@test "a compile flag that is refused ends the batch before anything is written" {
    local flag
    for flag in -DCLCLAB_X=1 --no-such-flag; do
        batch 2 --compile-flag "$flag"
        holds "$stderr" "$flag"
        [ ! -e "$OUT_DIR" ] || fail "$flag: it made $(find "$OUT_DIR")"
    done
}

@test "a folder whose students packed what they hand in" {
    local course=$W/her/course/labs/01-fixed-work
    command -v bsdtar >/dev/null || skip "no libarchive-tools"
    bsdtar -C "$CLASS" -a -cf "$CLASS/gina.zip" ana.cu
    mkdir -p "$course/starter" "$CLASS/hugo"
    cp "$CLASS/ana.cu" "$course/fixed_work.cu"
    cp labs/01-*/starter/*.cu "$course/starter/"
    bsdtar -C "$W/her" -czf "$CLASS/hugo/all.tar.gz" course
    echo 'no archive' >"$CLASS/ina.zip"
    mkdir "$W/empty"
    bsdtar -C "$W/empty" -a -cf "$CLASS/jo.zip" .
    (cd "$W/her" && bsdtar -cPf "$CLASS/kim.tar" -s '|^course/.*/|../../up/|' course/labs/01-fixed-work/fixed_work.cu)
    rm "$CLASS"/{ben,dan}.cu
    batch 1
    holds "$output" "7 submissions: 4 graded, 3 not gradable."
    [ "$(record gina score)/$(record hugo score)" = 100/100 ] || fail "$output"
    [ "$(record hugo file)" = fixed_work.cu ] || fail "$(record hugo file)"
    holds "$output" "ina: ina.zip: It cannot be read: "
    holds "$output" "jo: jo.zip: It has no files."
    holds "$output" "kim: fixed_work.cu: Its path leads out of the archive."
    [ ! -e "$W/up" ] || fail "it was unpacked"
    bsdtar -C "$CLASS" -a -cf "$W/class.zip" gina.zip hugo ana.cu
    rm -r "${CLASS:?}" "$OUT_DIR"
    CLASS=$W/class.zip
    batch 0
    holds "$output" "3 submissions: 3 graded."
}

@test "a zip, with several seeds of which the worst counts" {
    command -v bsdtar >/dev/null || skip "no libarchive-tools"
    cp -r labs "$W/labs"
    echo 'seeds = 2 worst' >"$W/head"
    cat "$W/head" labs/01-fixed-work/lab.conf >"$W/labs/01-fixed-work/lab.conf"
    bsdtar -C "$CLASS" -a -cf "$W/class.zip" ana.cu ben.cu
    CLASS=$W/class.zip
    batch 0 --labs "$W/labs" --gradebook moodle
    [ -s "$OUT_DIR/results-2/ana.json" ] || fail "no second result"
    [ "$(record ana 'runs.#')" -eq 2 ] || fail "$(record ana runs)"
    holds "$(<"$OUT_DIR/grades.csv")" 'Identifier,Full name,"Lab 1'
}

@test "make batch passes its variables on" {
    run make --no-print-directory batch
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "make batch LAB=4 DIR=submissions OUT=grades"
    rm "$CLASS"/[bd]*.cu
    run make --no-print-directory batch LAB=1 DIR="$CLASS" OUT="$OUT_DIR" SCHEDULES=4 \
        SEED_FROM=autumn JOBS=2 GRADEBOOK=canvas COLUMN="Lab one"
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    holds "$(<"$OUT_DIR/grades.csv")" 'Section,"Lab one"'
    [ "$(record ana runs.0.seed)" != "$(record carla runs.0.seed)" ] || fail "one seed for all"
}
