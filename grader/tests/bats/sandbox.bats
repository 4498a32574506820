#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What results say of the sandbox, by a filter that hides a guard, and when a grade is
# refused for the lack of one.
load common

WITHOUT=${WITHOUT_BIN:-$ROOT/build/tools/without}

setup() {
    common_setup
    fresh
    RIGHT=$(solution 1)
    [[ $BATS_TEST_DESCRIPTION == *bubblewrap* ]] || hide_bubblewrap
}

# under PREFIX... -- [OPTION...]: grades RIGHT in that mode, with JSON in $W/r.json.
under() {
    local prefix=()
    while [ "$1" != -- ]; do
        prefix+=("$1")
        shift
    done
    run --separate-stderr timeout -k 5 "$PATIENCE" "${prefix[@]}" "$CLCLAB" grade 1 "$RIGHT" --schedules 2 \
        --format json "$FRESH_FLAG" "${@:2}"
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

# fresh: what is graded from now on has not been compiled before. Results say how they were
# made, not how they would be now.
fresh() {
    FRESH_FLAG=--compile-flag=-DFRESH_$BATS_TEST_NUMBER=$RANDOM$RANDOM
}

@test "results say which guards were there when the compiler ran" {
    local whole
    under env --
    whole=$(guards compiler)
    [[ $whole == *seccomp ]] || skip "this machine has no seccomp"
    fresh
    under "$WITHOUT" landlock --
    [ "$(guards compiler) $(guards judge)" = "seccomp seccomp" ] || fail "$(guards compiler) $(guards judge)"
    # The result that is kept has not become better since.
    under env --
    [ "$(guards compiler)" = seccomp ] || fail "$(guards compiler)"
    fresh
    under "$WITHOUT" seccomp --
    [ "$(guards compiler),seccomp" = "$whole" ] || fail "$(guards compiler)"
    [ "$(json provenance.sandbox.judge)" = "[]" ] || fail "$(json provenance.sandbox.judge)"
}

@test "whoever grades reads one line about what is missing, a student none" {
    local guard
    for guard in landlock seccomp; do
        fresh
        run "$WITHOUT" "$guard" "$CLCLAB" grade 1 "$RIGHT" --schedules 2 "$FRESH_FLAG"
        [ "$status" -eq 0 ] || fail "exit status $status"
        [ "$(grep -ci "without $guard" <<<"$output")" -eq 1 ] || fail "no line, or several"
        run "$WITHOUT" "$guard" "$CLCLAB" grade 1 "$RIGHT" --schedules 2 --feedback student "$FRESH_FLAG"
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
    fresh
    under env -- --untrusted
    # shellcheck disable=SC2154 # run sets stderr
    [ "$status" -ne 69 ] || skip "${stderr#clclab: }"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a stranger's file needs the whole sandbox, before anything is compiled" {
    local guard
    whole
    [ "$(json provenance.sandbox.untrusted) $(json provenance.sandbox.weak_allowed)" = "true false" ] ||
        fail "the result does not say so"
    for guard in landlock seccomp; do
        export XDG_CACHE_HOME=$W/none
        under "$WITHOUT" "$guard" -- --untrusted
        [ "$status" -eq 69 ] || fail "$guard: exit status $status"
        holds "${stderr,,}" "this machine has no $guard"
        [ "$(json score) $(json max_score)" = "null null" ] || fail "$guard: a score: $(json score) of $(json max_score)"
        holds "$output" '"verdict": "error"'
        [ ! -e "$XDG_CACHE_HOME" ] || fail "something was compiled"
    done
}

@test "a weak sandbox may be allowed, and the result says so" {
    under "$WITHOUT" landlock -- --untrusted --allow-weak-sandbox
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(json provenance.sandbox.untrusted) $(json provenance.sandbox.weak_allowed)" = "true true" ] ||
        fail "the result does not say so"
    usage_error "goes with --untrusted" grade 1 "$RIGHT" --allow-weak-sandbox
}

@test "a result of a weak sandbox is none for a stranger's file" {
    whole
    fresh
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
    sed -i 's/"landlock [0-9]*"/"landlock 99"/' "$W/r.json"
    run "$WITHOUT" landlock "$CLCLAB" verify "$W/r.json" "$RIGHT"
    [ "$status" -eq 69 ] || fail "exit status $status"
    run "$WITHOUT" landlock "$CLCLAB" verify "$W/r.json" "$RIGHT" --allow-weak-sandbox
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "sandbox      changed: compiler landlock 99"
}

# ---- bubblewrap ----------------------------------------------------------

@test "a stranger's file is compiled in bubblewrap, which stands in for Landlock" {
    local compiler
    whole
    needs_bubblewrap
    for compiler in nvrtc nvcc; do
        fresh
        under env -- --untrusted --compiler "$compiler"
        [ "$status" -eq 0 ] || fail "$compiler: exit status $status"
        [[ $(guards compiler) == "landlock "*,seccomp,"bubblewrap "* ]] || fail "$(guards compiler)"
        fresh
        under "$WITHOUT" landlock -- --untrusted --compiler "$compiler"
        [ "$status" -eq 0 ] || fail "$compiler, without Landlock: exit status $status"
        [[ $(guards compiler) == seccomp,"bubblewrap "* ]] || fail "$(guards compiler)"
    done
    nothing_left
}

@test "one's own file is compiled in bubblewrap only without Landlock, and the same comes out" {
    needs_bubblewrap
    under env -- --no-time
    lacks "$(guards compiler)" bubblewrap
    grep -v "FRESH\|landlock\|bubblewrap\|seccomp" "$W/r.json" >"$W/first.json"
    fresh
    under "$WITHOUT" landlock -- --no-time
    holds "$(guards compiler)" bubblewrap
    grep -v "FRESH\|landlock\|bubblewrap\|seccomp" "$W/r.json" | cmp - "$W/first.json"
    run "$WITHOUT" landlock "$CLCLAB" grade 1 "$RIGHT" --schedules 2 "$FRESH_FLAG"
    lacks "$output" "graded without"
}

@test "precompiled headers are shared with compilers in bubblewrap" {
    local made
    whole
    needs_bubblewrap
    made=$(stat -c '%n %i' "$XDG_CACHE_HOME"/clclab/*.pch)
    fresh
    under env -- --untrusted
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(stat -c '%n %i' "$XDG_CACHE_HOME"/clclab/*.pch)" = "$made" ] || fail "they were made again"
}

# ---- in a container ------------------------------------------------------

# The content of the image of docs/examples/Containerfile, and the restrictions with which
# docs/security.md runs it, but for those of memory and processes.
@test "a stranger's file in the restrictions of a container, by bubblewrap" {
    local cuda file
    whole
    needs_bubblewrap
    cuda=$("$CLCLAB" doctor --color never | sed -n 's|.*toolkit *CUDA [0-9.]* in ||p')
    [ -e "$cuda/lib64" ] || skip "the toolkit is no folder of NVIDIA's installer"
    local root=()
    for file in /lib /lib64 /usr/lib /etc/ld.so.cache; do
        root+=(--ro-bind-try "$file" "$file")
    done
    for file in include lib64; do
        root+=(--ro-bind "$cuda/$file" "/usr/local/cuda/$file")
    done
    for file in labs grader/compile/include; do
        root+=(--ro-bind "$file" "/opt/clclab/$file")
    done
    run --separate-stderr bwrap "${root[@]}" --ro-bind "$CLCLAB" /opt/clclab/build/clclab \
        --ro-bind "$(dirname "$RIGHT")" /in --proc /proc --dev /dev --tmpfs /tmp --remount-ro / --unshare-all \
        --die-with-parent --cap-drop ALL --uid 65534 --gid 65534 --clearenv --setenv XDG_CACHE_HOME /tmp \
        --chdir /tmp /opt/clclab/build/clclab grade 1 /in/fixed_work.cu --untrusted --schedules 2 --format json
    printf '%s\n' "$output" >"$W/r.json"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [[ $(guards compiler) == "landlock "*,seccomp ]] || fail "$(guards compiler)"
    [ "$(json provenance.sandbox.untrusted)" = true ] || fail "it was not graded as a stranger's"
}
