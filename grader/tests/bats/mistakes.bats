#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tool that writes the mistakes of learners which grader/tests/mistakes describes: each
# becomes a file that differs from its base in what the block says, and a block that does
# not fit is refused with its place.

load common
setup() {
    common_setup
    MISTAKES=$W/mistakes
    export MISTAKES
    mkdir -p "$MISTAKES/07-other"
    printf 'one\ntwo\nthree\ntwo\nlast\n' >"$MISTAKES/07-other/right.cu"
}

# A block that has these lines replaced; empty lines in it belong to the texts.
block() { # block NAME OLD NEW
    printf 'mistake: %s\nbase: right.cu\nreads: cause\ntrue: It is wrong.\n<<<\n%b===\n%b>>>\n\n' \
        "$1" "$2" "$3" >>"$MISTAKES/07-other/mistakes.txt"
}

make_mistakes() {
    run grader/tools/make-mistakes "$W/out" "$@"
}

refused() { # refused LINE TEXT
    make_mistakes
    [ "$status" -eq 1 ]
    [[ $output == *"07-other/mistakes.txt:$1: $2"* ]] || fail "says: $output"
}

@test "a block becomes a file: lines replaced, removed, at the end, in two places" {
    block replaced 'three\n' 'drei\n\nvier\n'
    block removed 'three\ntwo\n' ''
    block at_the_ends 'one\n' ''
    sed -i '$d' "$MISTAKES/07-other/mistakes.txt"
    printf '<<<\nlast\n===\n>>>\n' >>"$MISTAKES/07-other/mistakes.txt"
    make_mistakes 07
    [ "$status" -eq 0 ] || fail "$output"
    [ "$(tr '\n' ' ' <"$W/out/07-replaced.cu")" = "one two drei  vier two last " ]
    [ "$(tr '\n' ' ' <"$W/out/07-removed.cu")" = "one two last " ]
    [ "$(tr '\n' ' ' <"$W/out/07-at_the_ends.cu")" = "two three two " ]
}

@test "the table of what the reports give is that of the handbook" {
    unset MISTAKES
    run grader/tools/make-mistakes --reads
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 12 ] || fail "$output"
    holds "$(<docs/CONTRIBUTING.md)" "$output"
}

@test "a text that is not there once is refused where it stands" {
    block first 'one\n' 'ein\n'
    block half_a_line 'thr\n' 'x\n'
    refused 16 "these lines are not in right.cu"
    rm "$MISTAKES/07-other/mistakes.txt"
    block often 'two\n' 'x\n'
    refused 6 "these lines are twice in right.cu"
}

@test "a block that lacks something is refused" {
    block twice 'one\n' ''
    block twice 'last\n' ''
    refused 10 "twice is there twice"
    printf 'mistake: idle\nbase: right.cu\nreads: cause\ntrue: So.\n' >"$MISTAKES/07-other/mistakes.txt"
    refused 1 "idle changes nothing"
    printf '<<<\none\n===\n>>>\n' | sed '1i mistake: odd\nbase: right.cu\nreads: so so\ntrue: So.' \
        >"$MISTAKES/07-other/mistakes.txt"
    refused 1 "odd has to say what it reads"
    printf 'mistake: open\nbase: right.cu\nreads: cause\ntrue: So.\n<<<\none\n' >"$MISTAKES/07-other/mistakes.txt"
    refused 6 "a text without its end"
    run grader/tools/make-mistakes "$W/out" 08
    [ "$status" -eq 1 ]
}

@test "the right submissions there have full marks, and each list can be made" {
    unset MISTAKES
    grader/tools/make-mistakes "$W/out"
    for folder in grader/tests/mistakes/*/; do
        lab=$(basename "$folder")
        for file in "$folder"*.cu; do
            run clclab grade "$((10#${lab%%-*}))" "$file" --schedules 16
            [ "$status" -eq 0 ] || fail "$file: $output"
        done
        [ "$(find "$W/out" -name "${lab%%-*}-*.cu" | wc -l)" -ge 10 ] || fail "few mistakes: $lab"
    done
}
