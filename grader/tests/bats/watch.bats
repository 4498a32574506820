#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab watch with the compiler, without a terminal and in tmux. test_cli_watch.c has
# what happens at a terminal: keys, the screen, and each way to save a file.

load common

# A course of its own, whose files may be changed.
setup() {
    common_setup
    mkdir -p "$W/course/grader"
    cp -r labs solutions "$W/course"
    ln -s "$ROOT/grader/compile" "$W/course/grader/compile"
    export CLCLAB_ROOT=$W/course
    cd "$W/course" || return 1
}

teardown() {
    [[ ! -S $W/tmux ]] || tmux -S "$W/tmux" kill-server 2>/dev/null || true
    [[ -z ${watch:-} ]] || kill -KILL "$watch" 2>/dev/null || true
}

# says COUNT TEXT: waits until so many lines of what it has printed hold the text.
says() {
    until_is has_said "$@" || fail "not $1 times '$2': $(cat "$W/log")"
}

has_said() {
    [[ $(grep -cF -- "$2" "$W/log") -ge $1 ]]
}

# ends SIGNAL: sends it to the watch, which has to end with 0. Without timeout(1) in
# between: where the machine is slow, timeout can take a signal before it knows its
# child, and then says 130 itself.
ends() {
    kill "-$1" "$watch"
    until_is is_gone "$watch" || fail "it runs on after $1: $(cat "$W/log")"
    wait "$watch" || fail "exit status $? after $1: $(cat "$W/log")"
    watch=
}

@test "each save is graded, and the end leaves nothing" {
    "$CLCLAB" watch 1 --schedules 2 </dev/null >"$W/log" 2>&1 &
    watch=$!
    says 1 "Score: 35/100"
    says 1 "there are no keys"
    cp solutions/01-*/fixed_work.cu labs/01-*/
    says 1 "Score: 100/100"
    says 1 "clclab quiz 1"
    says 1 "solutions/01-fixed-work/fixed_work.cu"
    echo "#error half" >labs/01-fixed-work/fixed_work.cu
    says 1 "Score: 0/100"
    rm labs/01-fixed-work/fixed_work.cu
    says 1 "No such file"
    ends TERM
    [ "$(grep -c 'Score:' "$W/log")" -eq 3 ] || fail "$(cat "$W/log")"
    lacks "$(cat "$W/log")" $'\e'
    nothing_left
}

@test "it ends in the midst of a grade, and leaves nothing" {
    cp solutions/04-*/cluster_clc.cu labs/04-*/
    "$CLCLAB" watch 4 --schedules 90000 </dev/null >"$W/log" 2>&1 &
    watch=$!
    says 1 "there are no keys" # and the grade begins
    says 1 "So far 75/100: the plain runs pass, 90000 schedules follow."
    ends INT
    lacks "$(cat "$W/log")" "Score:"
    nothing_left
}

@test "what is tried is told, unless the lab says no" {
    local conf=labs/03-block-clc/lab.conf
    cp solutions/03-*/wrong/no_fence.cu labs/03-block-clc/block_clc.cu
    "$CLCLAB" watch 3 --schedules 2 </dev/null >"$W/log" 2>&1 &
    watch=$!
    says 1 "  tried  "
    ends TERM
    echo 'advice = no' >>"$conf"
    "$CLCLAB" watch 3 --schedules 2 </dev/null >"$W/log" 2>&1 &
    watch=$!
    says 1 "Score: 5/100"
    ends TERM
    lacks "$(cat "$W/log")" "tried"
}

# shown TEXT: waits until the text is on the screen of tmux.
shown() {
    until_is is_shown "$1" || fail "no '$1': $(tmux -S "$W/tmux" capture-pane -p)"
}

is_shown() {
    tmux -S "$W/tmux" capture-pane -p | grep -qF -- "$1"
}

@test "in tmux: a save, a key, a screen of another size, and the end" {
    command -v tmux >/dev/null || skip "there is no tmux"
    env -u TMUX tmux -f /dev/null -S "$W/tmux" new-session -d -x 80 -y 24 \
        "'$CLCLAB' watch 1 --schedules 2; echo it ended with \$?; read -r _"
    shown "Lab 1  35/100"
    shown "q quit"
    cp solutions/01-*/fixed_work.cu labs/01-*/
    shown "Lab 1  100/100"
    tmux -S "$W/tmux" send-keys l
    shown "cluster-clc"
    tmux -S "$W/tmux" resize-window -x 40 -y 12
    tmux -S "$W/tmux" send-keys Enter
    shown "? keys"
    tmux -S "$W/tmux" send-keys q
    shown "it ended with 0"
    tmux -S "$W/tmux" kill-server
    nothing_left
}

# So many schedules that the score does not come before somebody has seen the screen.
@test "in tmux: that the plain runs pass is told while the schedules run" {
    command -v tmux >/dev/null || skip "there is no tmux"
    cp solutions/04-*/cluster_clc.cu labs/04-*/
    env -u TMUX tmux -f /dev/null -S "$W/tmux" new-session -d -x 80 -y 24 \
        "'$CLCLAB' watch 4 --schedules 90000; echo it ended with \$?; read -r _"
    shown "So far 75/100: the plain runs pass, 90000 schedules follow."
    holds "$(tmux -S "$W/tmux" capture-pane -p)" "Lab 4  is being graded"
    echo "#error half" >labs/04-cluster-clc/cluster_clc.cu # and that grade is given up
    shown "Lab 4  0/100"
    lacks "$(tmux -S "$W/tmux" capture-pane -p)" "So far"
    tmux -S "$W/tmux" send-keys q
    shown "it ended with 0"
    tmux -S "$W/tmux" kill-server
    nothing_left
}

@test "make watch passes the lab on" {
    cd "$ROOT" || return 1
    run timeout "$PATIENCE" make --no-print-directory watch LAB=99 </dev/null
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" 'there is no lab "99"'
}

@test "make reset: the starter is back, from the copy that each lab has" {
    local starter
    for starter in labs/[0-9]*/*.cu; do
        cmp "$starter" "${starter%/*}/starter/${starter##*/}" || fail "$starter"
    done
    cp solutions/02-*/grid_stride.cu labs/02-*/
    cd "$ROOT" || return 1
    run make --no-print-directory reset LAB=2
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "labs/02-grid-stride/grid_stride.cu.1"
    cmp "$W/course/labs/02-grid-stride/grid_stride.cu.1" solutions/02-*/grid_stride.cu
    cmp "$W/course/labs/02-grid-stride/grid_stride.cu" labs/02-*/starter/grid_stride.cu
}
