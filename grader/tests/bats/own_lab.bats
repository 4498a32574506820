#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A lab of one's own: made, built, graded; and what follows when its files change.

load common

# A copy of the tree as it is built, with a new lab.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || return 1
    [ -e build/obj/grader/cli/main.o ] || return 0
    export TREE=$BATS_FILE_TMPDIR/tree
    mkdir -p "$TREE/build"
    cp -a Makefile grader labs solutions docs "$TREE/"
    cp -a build/{obj,gen,clclab,libclclab.a,flags,objects} "$TREE/build/"
    cd "$TREE" || return
    grader/tools/new-lab 77-my-lab "A lab of my own" && own_make
}

setup() {
    [ -n "${TREE:-}" ] || skip "nothing is built in build/"
    common_setup
    export CLCLAB_BIN=$TREE/build/clclab JSON_GET_BIN=$JSON_GET
    # shellcheck disable=SC2034 # common.bash runs it
    CLCLAB=$CLCLAB_BIN
    cd "$TREE" || return
}

# make, as at a user's: not as part of the make that runs the tests.
own_make() {
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory
}

@test "a new lab is whole: starter, solution and wrong files do as they should" {
    run grader/tools/check-labs 77-
    [ "$status" -eq 0 ] || fail "$output"
    holds "$output" "77-my-lab: the solution passes"
    holds "$output" "wrong/no_guard.cu fails as it says"
    run clclab list
    holds "$output" "77-my-lab            A lab of my own"
}

@test "a lab that is there, or has no name, is not made" {
    local name
    for name in 77-my-lab 77-another 03-block-clc; do
        run grader/tools/new-lab "$name"
        [ "$status" -eq 2 ] || fail "$name: exit status $status"
        holds "$output" "is there already"
    done
    for name in "" 8-x x 11-My 11-a/b "11-a b" 11-; do
        run grader/tools/new-lab "$name"
        [ "$status" -eq 2 ] || fail "$name: exit status $status"
        holds "$output" "name it by two digits and words"
    done
    run grader/tools/new-lab 78-x 'a|b'
    [ "$status" -eq 2 ] || fail "exit status $status"
    [ ! -e labs/78-x ] || fail "it was made"
}

@test "points that change in lab.conf go into the README's table, and nothing else does" {
    run grader/tools/readme-points
    [ "$output" = "" ] || fail "something was to do: $output"
    cp labs/77-my-lab/README.md "$W/before.md"
    sed -i -e 's/^check correct  .*20 /check correct       17 /' \
        -e 's/^check rules   .*15 /check rules         18 /' labs/77-my-lab/lab.conf
    run grader/tools/check-labs 77-
    [ "$status" -ne 0 ] || fail "nobody has noticed"
    run grader/tools/readme-points
    holds "$output" "labs/77-my-lab/README.md: its points are those of lab.conf now"
    [ "$(diff "$W/before.md" labs/77-my-lab/README.md | grep -c '^>')" -eq 2 ] || fail "not two lines"
    holds "$(<labs/77-my-lab/README.md)" "and several sizes. | 17 |"
    holds "$(<labs/77-my-lab/README.md)" "no broken rule. | 18 |"
}

@test "a reference that has changed since the build is never what grades are made of" {
    local command
    sed -i 's/ + 1;/ + 2;/' labs/77-my-lab/reference.c
    mkdir "$W/class"
    cp solutions/77-my-lab/my_lab.cu "$W/class/ana.cu"
    for command in "grade 77 $W/class/ana.cu" "batch 77 $W/class --out $W/grades"; do
        # shellcheck disable=SC2086
        run clclab $command
        [ "$status" -eq 69 ] || fail "$command: exit status $status"
        holds "$output" "labs/77-my-lab/reference.c is not the one that this clclab was built with: run make"
    done
    run clclab list
    [ "$status" -eq 0 ] || fail "list: exit status $status"
    run own_make
    [ "$status" -eq 0 ] || fail "$output"
    run clclab grade 77 "$W/class/ana.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "FAIL     0/17  correct"
}
