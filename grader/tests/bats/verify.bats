#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab verify: results that would be the same today, those that would not, and files that
# are no results.
load common

setup() {
    common_setup
    RESULT=$W/result.json
    WRONG=solutions/03-block-clc/wrong/prologue_per_index.cu
}

# kept [OPTION...]: the result of a grade of WRONG.
kept() {
    run clclab grade 3 "$WRONG" --format json --out "$RESULT" "$@"
    [ "$status" -eq 1 ] || fail "exit status $status"
}

# verified STATUS PART...: verify of RESULT and WRONG, what it says.
verified() {
    run clclab verify "$RESULT" "$WRONG"
    [ "$status" -eq "$1" ] || fail "exit status $status"
    local part
    for part in "${@:2}"; do
        holds "$output" "$part"
    done
}

@test "a result that would be the same" {
    kept --seed 77 --schedules 16 --compile-flag=-DX=1
    verified 0 "seed 77" "file         the same" "grader       the same" "the same: 60 of 100 points"
}

@test "another file" {
    kept
    WRONG=solutions/03-block-clc/block_clc.cu
    verified 1 "file         changed: " "This is not the file that was graded."
}

@test "a result whose score, checks or compiler are not today's" {
    kept
    sed -i 's/"score": 60/"score": 100/; s/"compiler": "[^"]*"/"compiler": "NVRTC 12.8"/' "$RESULT"
    sed -i '0,/"status": "fail"/s//"status": "pass"/' "$RESULT"
    verified 1 "compiler     changed: NVRTC 12.8 then, NVRTC " 'prologue: "pass" then, "fail" now' \
        "score: 100 then, 60 now"
}

@test "another lab.conf" {
    mkdir "$W/labs"
    cp -r labs/03-block-clc labs/common "$W/labs/"
    kept --labs "$W/labs"
    [ "$(json_of provenance.course)" = "$W/labs" ] || fail "no course"
    verified 0 "lab.conf     the same"
    echo '# another' >>"$W/labs/03-block-clc/lab.conf"
    kept --labs "$W/labs"
    verified 0 "lab.conf     changed: "
}

@test "a result of another sandbox" {
    kept
    sed -i 's/"seccomp"/"landlock 1"/' "$RESULT"
    verified 0 "sandbox      changed: compiler " "; judge landlock 1 then, compiler "
    sed -i 's/"sandbox": {/"other": {/' "$RESULT"
    verified 0 "sandbox      changed: unknown then, compiler "
}

json_of() {
    "$JSON_GET" "$RESULT" "$1"
}

@test "files that are no results" {
    echo '{"schema": "clclab/result/v1"' >"$RESULT"
    verified 2 "byte 30: not JSON: a '}' is missing"
    echo '{"schema": "clclab/run/v1"}' >"$RESULT"
    verified 2 "no result of clclab grade"
    echo '{"schema": "clclab/result/v1"}' >"$RESULT"
    verified 2 "does not say what it was made of"
    rm "$RESULT"
    verified 2 "No such file"
    kept
    sed -i 's/"lab": 3/"lab": "3"/' "$RESULT"
    verified 2 "are no such numbers"
    kept
    sed -i 's/"lab": 3/"lab": 77/' "$RESULT"
    verified 2 "there is no lab"
    kept
    sed -i 's/"gpu_model": "mini"/"gpu_model": "maxi"/' "$RESULT"
    verified 2 'there is no model "maxi"'
    kept
    sed -i 's/"compile_flags": \[\]/"compile_flags": [7]/' "$RESULT"
    verified 2 "compile_flags are no texts"
}

@test "a result that was made for a student has no seed" {
    kept --feedback student
    verified 2 "its seed was left out"
}

@test "one schedule alone is no grade" {
    run clclab grade 3 solutions/03-block-clc/block_clc.cu --only-schedule 2 --format json --out "$RESULT"
    [ "$status" -eq 0 ] || fail "exit status $status"
    verified 2 "one schedule alone"
}

@test "a forged result shows nothing that a terminal obeys, and takes no time" {
    kept
    sed -i 's/"lab_h_sha256": "[^"]*"/"lab_h_sha256": "\\u001b[2J\\u0007"/; s/"score": 60/"score": "\\u202e"/' "$RESULT"
    verified 1 'lab.h        changed: \x1b[2J\x07 then, ' 'score: "\u202e" then, 60 now'
    lacks "$output" $'\e'
    awk '/^      "compiler": \[/ && !done {
            done = 1
            at = index($0, "[")
            printf "%s", substr($0, 1, at)
            for (i = 0; i < 300000; i++)
                printf "\"a\", "
            $0 = substr($0, at + 1)
        }
        { print }' "$RESULT" >"$W/many"
    grep -q '"a", "a"' "$W/many" || fail "the result has no guards"
    RESULT=$W/many
    verified 1 "sandbox      changed: compiler a, a, a, a, a, a, a, a; judge"
}
