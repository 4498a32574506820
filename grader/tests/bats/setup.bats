#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a machine lacks: grader/tools/setup, and that make has it done before it compiles.
# (grader/tools/bare-machine tries the same with a machine that has nothing.)

load common
setup() {
    its_turn 2
    common_setup
}

# A PATH with the basics but not the commands named.
path_without() {
    mkdir -p "$W/bin"
    local tool
    for tool in sh grep id sed cat env gcc g++ clang bats pandoc nvcc shellcheck \
        clang-format zip unzip; do
        case " $* " in *" $tool "*) continue ;; esac
        if command -v "$tool" >/dev/null; then
            ln -sf "$(command -v "$tool")" "$W/bin/$tool"
        fi
    done
}

# stub NAME BODY: a command of our own in that PATH, in place of a link to the machine's.
stub() {
    rm -f "$W/bin/$1" # it may be a link to the machine's own
    printf '#!/bin/sh\n%s\n' "$2" >"$W/bin/$1"
    chmod +x "$W/bin/$1"
}

@test "setup is silent when nothing is missing" {
    run grader/tools/setup --quiet test
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ -z "$output" ] || fail "output"
}

@test "setup installs as root, and says first what and why" {
    path_without bats apt-get dpkg id
    stub id 'echo 0'
    stub apt-get "echo \"apt-get \$*\" >>$W/log"
    PATH=$W/bin run grader/tools/setup test
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "bats: runs the tests"
    holds "$(cat "$W/log")" "update"
    holds "$(tail -n 1 "$W/log")" "install -y --no-install-recommends bats"
}

@test "setup first ends an installation that was interrupted" {
    path_without bats apt-get dpkg id
    stub id 'echo 0'
    stub apt-get "echo \"apt-get \$*\" >>$W/log"
    stub dpkg "echo \"dpkg \$*\" >>$W/log"
    PATH=$W/bin run grader/tools/setup test
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "$(head -n 1 "$W/log")" = "dpkg --configure -a" ] || fail "$(cat "$W/log")"
}

@test "setup prints the one command for others, and exits 69" {
    path_without bats id
    stub id 'echo 1000'
    stub apt-get "echo \"apt-get \$*\" >>$W/log"
    PATH=$W/bin run grader/tools/setup test
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends bats'"
    [ ! -e "$W/log" ] || fail "it ran apt-get"
}

@test "setup says so when apt-get fails" {
    path_without bats dpkg id
    stub id 'echo 0'
    stub apt-get 'exit 100'
    PATH=$W/bin run grader/tools/setup test
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "could not install: bats"
}

@test "setup without apt-get names the packages" {
    path_without bats
    PATH=$W/bin run grader/tools/setup test
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "package manager: bats"
}

# toolkit FOLDER VERSION: what setup takes for a CUDA toolkit.
toolkit() {
    mkdir -p "$1/include" "$1/bin"
    echo "#define CUDA_VERSION $2" >"$1/include/cuda.h"
    : >"$1/bin/nvcc"
}

without_toolkit() {
    path_without nvcc
    env -u CUDA_HOME -u CUDA_PATH PATH="$W/bin" CLCLAB_CUDA_ROOT="$W/usr" "$@"
}

@test "setup without a toolkit: exit 69 and what was looked for" {
    run without_toolkit grader/tools/setup grade
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "no CUDA toolkit 12.8"
    holds "$output" "CUDA_HOME"
}

@test "setup finds a toolkit by CUDA_HOME, and the newest of /usr/local" {
    toolkit "$W/home" 12080
    run without_toolkit env CUDA_HOME="$W/home" grader/tools/setup grade
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "12.8"
    toolkit "$W/usr/cuda-12.4" 12040
    toolkit "$W/usr/cuda-13.1" 13010
    run without_toolkit grader/tools/setup grade
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "13.1"
}

@test "setup says which toolkit is too old" {
    toolkit "$W/usr/cuda-12.4" 12040
    run without_toolkit grader/tools/setup grade
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "cuda-12.4 has CUDA 12.4, which is too old"
}

# ---- make on a machine that has no compiler ------------------------------

# A tree of make's rules and of a few empty sources, in which to compile takes no time, and
# a PATH with all programs of this machine but those that are packages. The packages' are
# stand-ins in $W/packages, which a stand-in for apt-get installs, slowly: it lets make do
# all that it can do meanwhile. What is compiled by a stand-in can be run, and says so.
bare_machine() {
    local source
    mkdir -p "$W/bin" "$W/packages" "$W/tree/grader/tests/bats" "$W"/tree/{labs,docs/rules}
    ln -s /usr/bin/* "$W/bin/"
    rm -f "$W"/bin/{*gcc*,*g++*,*clang*,cc,c++,c99,c89,ar,nm,bats,zip,unzip,pandoc,dpkg,apt-get,id}
    stub id "echo \$(cat '$W/user')"
    echo 0 >"$W/user"
    stub apt-get "echo \"apt-get \$*\" >>'$W/log'
[ \"\$1\" = install ] || exit 0
'$W/wait-for-make' || exit 1
echo installed >>'$W/log'
cp --remove-destination '$W'/packages/* '$W/bin/'"
    wait_for_make
    for source in gcc g++ clang; do
        package "$source" "echo \"$source \$*\" >>'$W/log'
while [ \$# -gt 1 ] && [ \"\$1\" != -o ]; do shift; done
[ \$# -lt 2 ] || { printf '#!/bin/sh\necho 1..1\necho \"ok 1 - \${0##*/} \$*\"\n' >\"\$2\" && chmod +x \"\$2\"; }"
    done
    package ar "echo \"ar \$*\" >>'$W/log'; : >\"\$2\""
    package nm :
    package zip :
    package unzip :
    package bats "echo \"bats \$*\" >>'$W/log'; echo 1..1; echo ok 1 - bats"
    toolkit "$W/toolkit" 13000

    cp -a Makefile "$W/tree/"
    cp -a grader/make grader/tools "$W/tree/grader/"
    for source in grader/{cli/main,vm/program/isa,vm/exec/bits,runtime/api/nvrtc,runtime/core/state}.c \
        grader/tests/unit/test_{one,vm_fixtures}.c grader/tests/{fakecuda,fakenvrtc,mutants}/all.c \
        grader/report/page.{css,js} grader/runtime/api/all.functions grader/compile/known_asm.txt \
        docs/page.md; do
        mkdir -p "$W/tree/${source%/*}"
        : >"$W/tree/$source"
    done
    : >"$W/tree/grader/tests/bats/some.bats"
    echo 'cudaMalloc - NOT_SUPPORTED' >"$W/tree/grader/runtime/api/all.functions"
    cp -r labs/common labs/01-* "$W/tree/labs/"
    cp docs/rules/CLC001.md "$W/tree/docs/rules/"
}

package() { # package NAME BODY: a command that apt-get will install
    stub "$1" "$2"
    mv "$W/bin/$1" "$W/packages/"
}

# $W/wait-for-make: ends when the make that it descends from sleeps and has no other child
# than the one that leads to it, twice: all that make wanted to do meanwhile is done.
wait_for_make() {
    cat >"$W/wait-for-make" <<'END'
#!/usr/bin/env bash
parent_of() { awk '/^PPid:/ { print $2 }' "/proc/$1/status"; }
make=$PPID
until [[ $(<"/proc/$make/comm") == make ]]; do
    make=$(parent_of "$make")
    ((make > 1)) || exit 1
done
quiet=0
until ((quiet == 2)); do
    ((quiet += 1))
    [[ $(<"/proc/$make/stat") == *") S "* ]] || quiet=0
    [[ $(awk -v make="$make" '/^PPid:/ && $2 == make' /proc/[0-9]*/status 2>/dev/null |
        wc -l) -eq 1 ]] || quiet=0
done
END
    chmod +x "$W/wait-for-make"
}

bare_make() { # bare_make GOAL...: in the tree of bare_machine
    env -u CUDA_HOME -u CUDA_PATH PATH="$W/bin" CLCLAB_CUDA_ROOT="$W/none" CUDA_HOME="$W/toolkit" \
        timeout -k 5 "$PATIENCE" make --no-print-directory -C "$W/tree" "$@"
}

# installs_first PACKAGES COMMAND GOAL...: make, on a bare machine, installs these packages,
# then runs COMMAND, and nothing of a compiler before. Then the machine is bare again.
installs_first() {
    run bare_make "${@:3}"
    [ "$status" -eq 0 ] || fail "exit status $status of make ${*:3}"
    lacks "$output" "not found"
    [ "$(grep -c '^apt-get' "$W/log")" -eq 2 ] || fail "apt-get: $(cat "$W/log")"
    [ "$(sed -n 2p "$W/log")" = "apt-get install -y --no-install-recommends $1" ] ||
        fail "installed: $(cat "$W/log")"
    [ "$(sed -n 3p "$W/log")" = installed ] || fail "before that: $(cat "$W/log")"
    sed 1,3d "$W/log" | grep -q "^$2" || fail "no $2: $(cat "$W/log")"
    (cd "$W/packages" && for package in *; do rm "$W/bin/$package"; done)
    rm -rf "$W/tree/build" "$W/log"
}

@test "make on a machine without a compiler compiles nothing before apt-get has ended" {
    local jobs
    bare_machine
    for jobs in 1 8; do
        installs_first "gcc libc6-dev" "gcc .*-o build/clclab" "-j$jobs" grade LAB=4
        holds "$output" "ok 1 - clclab grade 4"
        installs_first "gcc libc6-dev" "gcc .*-o build/clclab" "-j$jobs"
        installs_first "gcc libc6-dev" "gcc .*-o build/tests/test_one" "-j$jobs" unit
        holds "$output" "2 passed, 0 failed"
        installs_first "gcc libc6-dev bats g++ zip unzip" "bats --tap grader/tests/bats/some.bats" \
            "-j$jobs" test ONLY=some
        holds "$output" "1 passed, 0 failed"
        installs_first "gcc libc6-dev" "gcc .*-c -o build/obj/gen/labs.o" "-j$jobs" build/obj/gen/labs.o
    done
    installs_first "clang libc6-dev" "clang .*-o build/clang/clclab" -j8 CC=clang
}

@test "goals that compile nothing, and make -n, install nothing" {
    local goal
    bare_machine
    for goal in help clean points -n -q "-n grade LAB=4" "-j4 -n unit"; do
        # shellcheck disable=SC2086 # options and goals
        run bare_make $goal
        [ "$status" -lt 2 ] || fail "exit status $status of make $goal"
        [ ! -e "$W/log" ] || fail "make $goal: $(cat "$W/log")"
    done
}

@test "make by a user who may not install prints one command, and makes nothing" {
    local goals
    bare_machine
    echo 1000 >"$W/user"
    for goals in "grade LAB=4" "" unit test "-j8 test lint"; do
        # shellcheck disable=SC2086 # options and goals
        run bare_make $goals
        [ "$status" -eq 2 ] || fail "exit status $status of make $goals"
        [ "$(grep -c "sudo sh -c 'apt-get update && apt-get install .* gcc libc6-dev" <<<"$output")" -eq 1 ] ||
            fail "not one command"
        [ "$(grep -c apt-get <<<"$output")" -eq 1 ] || fail "more commands"
        holds "${lines[-1]}" "setup ended with 69"
        [ ! -e "$W/log" ] || fail "it ran something: $(cat "$W/log")"
        [ ! -e "$W/tree/build" ] || fail "a tree that is half built"
    done
}

@test "what is given to make on its command line, setup gets as well" {
    bare_machine
    cp --remove-destination "$W"/packages/* "$W/bin/"
    run env -u CUDA_HOME -u CUDA_PATH PATH="$W/bin" CLCLAB_CUDA_ROOT="$W/none" make -C "$W/tree" grade LAB=1
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "no CUDA toolkit 12.8"
    run env -u CUDA_HOME -u CUDA_PATH PATH="$W/bin" CLCLAB_CUDA_ROOT="$W/none" make -C "$W/tree" grade LAB=1 \
        CUDA_HOME="$W/toolkit"
    [ "$status" -eq 0 ] || fail "exit status $status"
}
