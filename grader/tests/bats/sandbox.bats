#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What results say of the sandbox, by a filter that hides a guard, and when a grade is
# refused for the lack of one.
load common

WITHOUT=${WITHOUT_BIN:-$ROOT/build/tools/without}

setup() {
    common_setup
    RIGHT=$(solution 1)
}

# under PREFIX... -- [OPTION...]: grades RIGHT in that mode, with JSON in $W/r.json.
under() {
    local prefix=()
    while [ "$1" != -- ]; do
        prefix+=("$1")
        shift
    done
    run --separate-stderr timeout -k 5 120 "${prefix[@]}" "$CLCLAB" grade 1 "$RIGHT" --schedules 2 \
        --format json "${@:2}"
    printf '%s\n' "$output" >"$W/r.json"
}

guards() { # guards WHO: its guards, with commas between them
    local count i names=
    count=$(json "provenance.sandbox.$1.#")
    for ((i = 0; i < count; i++)); do
        names=$names,$(json "provenance.sandbox.$1.$i")
    done
    echo "${names#,}"
}

# A cache of its own: results say how they were made, not how they would be now.
own_cache() {
    export XDG_CACHE_HOME=$W/cache-$1
}

@test "results say which guards were there when the compiler ran" {
    local whole
    own_cache whole
    under env --
    whole=$(guards compiler)
    [[ $whole == *seccomp ]] || skip "this machine has no seccomp"
    own_cache weak
    under "$WITHOUT" landlock --
    [ "$(guards compiler) $(guards judge)" = "seccomp seccomp" ] || fail "$(guards compiler) $(guards judge)"
    # The result that is kept has not become better since.
    under env --
    [ "$(guards compiler)" = seccomp ] || fail "$(guards compiler)"
    own_cache quiet
    under "$WITHOUT" seccomp --
    [ "$(guards compiler),seccomp" = "$whole" ] || fail "$(guards compiler)"
    [ "$(json provenance.sandbox.judge)" = "[]" ] || fail "$(json provenance.sandbox.judge)"
}

@test "whoever grades reads one line about what is missing, a student none" {
    local guard
    for guard in landlock seccomp; do
        own_cache "$guard"
        run "$WITHOUT" "$guard" "$CLCLAB" grade 1 "$RIGHT" --schedules 2
        [ "$status" -eq 0 ] || fail "exit status $status"
        [ "$(grep -ci "without $guard" <<<"$output")" -eq 1 ] || fail "no line, or several"
        run "$WITHOUT" "$guard" "$CLCLAB" grade 1 "$RIGHT" --schedules 2 --feedback student
        lacks "$output" "graded without"
    done
}

@test "a file that reaches no compiler has had no guards" {
    : >"$W/empty.cu"
    RIGHT=$W/empty.cu
    under env --
    [ "$status $(json provenance.sandbox.compiler)" = "1 null" ] || fail "exit status $status"
}

# ---- whose file it is ----------------------------------------------------

# The machine on which these tests run has a whole sandbox, or they say that it lacks one.
whole() {
    own_cache untrusted
    under env -- --untrusted
    [ "$status" -ne 69 ] || skip "${stderr#clclab: }"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a stranger's file needs the whole sandbox, before anything is compiled" {
    local guard
    whole
    [ "$(json provenance.sandbox.untrusted) $(json provenance.sandbox.weak_allowed)" = "true false" ] ||
        fail "the result does not say so"
    for guard in landlock seccomp; do
        own_cache "$guard"
        under "$WITHOUT" "$guard" -- --untrusted
        [ "$status" -eq 69 ] || fail "$guard: exit status $status"
        holds "${stderr,,}" "this machine has no $guard"
        [ -z "$output" ] || fail "there is a report"
        [ ! -e "$XDG_CACHE_HOME" ] || fail "something was compiled"
    done
}

@test "a weak sandbox may be allowed, and the result says so" {
    own_cache weak
    under "$WITHOUT" landlock -- --untrusted --allow-weak-sandbox
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(json provenance.sandbox.untrusted) $(json provenance.sandbox.weak_allowed)" = "true true" ] ||
        fail "the result does not say so"
    usage_error "goes with --untrusted" grade 1 "$RIGHT" --allow-weak-sandbox
}

@test "a result of a weak sandbox is none for a stranger's file" {
    whole
    own_cache shared
    under "$WITHOUT" landlock --
    under env -- --untrusted
    [[ $(guards compiler) == landlock* ]] || fail "the kept result was taken"
}

@test "a stranger's file goes to no GPU" {
    under env -- --untrusted --device gpu
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$stderr" "a GPU would run it natively"
}

@test "verify grades a stranger's file as one" {
    whole
    own_cache verify
    run "$WITHOUT" landlock "$CLCLAB" verify "$W/r.json" "$RIGHT"
    [ "$status" -eq 69 ] || fail "exit status $status"
    run "$WITHOUT" landlock "$CLCLAB" verify "$W/r.json" "$RIGHT" --allow-weak-sandbox
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "sandbox      changed: compiler landlock"
}
