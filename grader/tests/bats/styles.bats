#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Right kernels in many styles get full marks, without a word against them. Unless
# FULL=1 is set, some have their turn.

load common
setup() { common_setup; }

@test "right kernels in many styles get full marks on 32 schedules" {
    local file lab count=0
    while read -r file; do
        lab=${file##*/lab}
        grade_json "${lab%%-*}" "$file" --schedules 32 ||
            fail "$file: exit status $?, fails: $(failed_checks)"
        [ "$(json score)" = 100 ] || fail "$file: $(json score) points"
        [ "$(json 'advisories.#')" = 0 ] || fail "$file: an advisory"
        count=$((count + 1))
    done < <(printf '%s\n' grader/tests/kernels/right/lab*.cu | drawn 10)
    [ "$count" -ge 5 ] || fail "only $count kernels"
}
