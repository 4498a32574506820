#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Continuous integration: .ci/nightly runs all that .ci/run does, and more of it; what is
# quick is a part of the whole; a step that fails is noticed.

load common
setup() { common_setup; }

@test "each step of .ci/run is one of .ci/nightly, in full" {
    local count name rest
    run .ci/run --list
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "${#lines[@]}" -ge 8 ] || fail "only ${#lines[@]} steps"
    .ci/nightly --list >"$W/nightly" || fail "nightly"
    # Variables of a quick step say how it is quick; nightly has none of these.
    while read -r count name rest; do
        grep -qE "^$count $name ${rest%% *}( |\$)" "$W/nightly" || fail "not in it: $count $name $rest"
    done <<<"$output"
    while read -r name; do
        holds "$output" "$name"
    done < <(printf '%s\n' "make test" "make lint" "make slides" "make check-slides" \
        "make unit SAN=1" "make hostile SAN=1" "make fuzz-smoke")
    ! grep -qE 'SOME=|RANDOM_PROGRAMS=|PICK=' "$W/nightly" || fail "nightly is quick"
    grep -q 'make test FULL=1$' "$W/nightly" || fail "tests are not full"
}

# suites VARIABLE...: what `make test` would run, without the options that make it quick.
suites() {
    make --no-print-directory -n test "$@" 2>/dev/null | sed -n '/run-tests/,$p' |
        tr -d "\\\\\n" | sed 's/ --quick//g' | tr -s ' ' '\n' | tr -d "'"
}

@test "make test runs the same suites, quick and in full" {
    suites >"$W/quick"
    suites FULL=1 >"$W/full"
    [ "$(grep -c '\.bats$' "$W/full")" -ge 30 ] || fail "$(cat "$W/full")"
    diff "$W/quick" "$W/full" || fail "they differ"
    make --no-print-directory -n test FULL=1 2>/dev/null >"$W/full"
    lacks "$(cat "$W/full")" "--quick"
}

@test "the parts of a draw make up the whole, and a short list is one part" {
    local pick
    seq 100 >"$W/whole"
    for pick in 3 11 2 0 26 6 700001; do # with all remainders of 7
        PICK=$pick part 7 <"$W/whole" >"$W/part"
        [ "$(wc -l <"$W/part")" -le 15 ] || fail "part $pick is too large"
        cat "$W/part" >>"$W/parts"
    done
    diff <(sort -n "$W/parts") "$W/whole" || fail "they are not the whole"
    diff <(PICK=1 part 7 <"$W/whole") <(PICK=0 part 7 1 <"$W/whole") || fail "SHIFT"
    [ "$(seq 6 | PICK=5 part 7 | wc -l)" -eq 6 ] || fail "a short list"
}

@test "what is quick is a part of what is full" {
    local tool pick
    for tool in "hostile nvrtc-bubblewrap" "hostile nvcc" "hostile nvcc-without-landlock" \
        same-bytes; do
        # shellcheck disable=SC2086 # a tool and its argument
        set -- $tool
        grader/tools/"$1" --list ${2:+"$2"} | sort >"$W/whole"
        for pick in 0 7; do
            PICK=$pick grader/tools/"$1" --quick --list ${2:+"$2"} | sort >"$W/quick-$pick"
            [ -s "$W/quick-$pick" ] || fail "$tool: nothing"
            [ -z "$(comm -23 "$W/quick-$pick" "$W/whole")" ] || fail "$tool: more than the whole"
            [ "$(wc -l <"$W/quick-$pick")" -lt "$(wc -l <"$W/whole")" ] || fail "$tool: not less"
        done
        ! cmp -s "$W/quick-0" "$W/quick-7" || fail "$tool: PICK changes nothing"
    done
}

@test "the unit tests of eight parts are all, and the parts are alike" {
    local pick whole
    units() { make --no-print-directory -n unit "$@" 2>/dev/null | grep -o "'build/tests/test_[^']*'" | sort; }
    units >"$W/whole"
    whole=$(wc -l <"$W/whole")
    [ "$whole" -ge 80 ] || fail "$whole suites"
    for pick in 0 1 2 3 4 5 6 7; do
        units SOME=1 PICK=$pick >"$W/$pick"
        [ "$(wc -l <"$W/$pick")" -ge $((whole / 8)) ] || fail "$(wc -l <"$W/$pick") suites"
    done
    diff <(sort "$W"/[0-7]) "$W/whole" || fail "they are not the whole"
}

@test "each fixture is in a suite, and a rule's are found by its name" {
    its_turn 2
    local file name group
    make --no-print-directory -n unit ONLY=fixtures |
        grep -o "'build/tests/test_vm_fixtures [^']*'" | sed "s/.* //; s/-'$//" >"$W/groups"
    [ "$(wc -l <"$W/groups")" -ge 30 ] || fail "$(cat "$W/groups")"
    for file in grader/tests/vm/*.ptx; do # as test_vm_fixtures.c says
        name=${file##*/} name=${name%.ptx}
        group=${name#right-}
        group=${group%%-*}
        compgen -G "grader/tests/vm/$group-*.ptx" >/dev/null || group=others
        grep -qx "$group" "$W/groups" || fail "$name is in no suite"
    done
    [ "$(make --no-print-directory -n unit ONLY=CLC006 | grep -o "'build/tests/[^']*'")" \
        = "'build/tests/test_vm_fixtures clc006-'" ] || fail "CLC006"
}

@test "mutate-grader takes every room that has code" {
    diff <(grader/tools/mutate-grader --rooms | tr ' ' '\n' | sort) \
        <(find grader -mindepth 2 -name '*.c' -printf '%P\n' | cut -d / -f 1 |
            grep -vxE 'tests|tools|bench' | sort -u) || fail "rooms are missing"
}

@test "a step that fails, or dies without a count, fails; the last line counts all" {
    printf '#!/bin/sh\necho "4 passed, 0 failed, 1 skipped"\n' >"$W/good"
    printf '#!/bin/sh\necho "4 passed, 2 failed"\nexit 1\n' >"$W/bad"
    printf '#!/bin/sh\necho "1 passed, 0 failed"\nexit 3\n' >"$W/late"
    printf '#!/bin/sh\nexit 0\n' >"$W/mute"
    chmod +x "$W"/{good,bad,late,mute}
    steps() { # steps STEP...: runs these
        run bash -c 'source .ci/steps; optional_tools() { :; }; STEPS=("$@"); run_steps quick' - "$@"
    }
    steps "counted | $W/good |" "plain | true | false" "plain | | false"
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "${lines[-1]}" = "5 passed, 0 failed, 1 skipped" ] || fail "${lines[-1]}"
    steps "plain | false |" "counted | $W/bad |" "counted | $W/late |" "counted | $W/mute |" \
        "counted | $W/good |"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ "${lines[-1]}" = "9 passed, 5 failed, 1 skipped" ] || fail "${lines[-1]}"
    steps "plain | true |"
    [ "${lines[-1]}" = "1 passed, 0 failed" ] || fail "${lines[-1]}"
}
