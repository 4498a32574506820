#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab batch --engine slurm, on a cluster of two nodes that runs here: what is killed
# meanwhile loses nothing, and the grades are those of one machine.
# shellcheck disable=SC2154 # bats' run sets stderr

load common
load slurm_cluster

setup_file() {
    local lack
    lack=$(cluster_lack)
    if [ -z "$lack" ]; then
        cluster_start "$BATS_FILE_TMPDIR/cluster" 2>/dev/null ||
            lack="a cluster does not start here: $(tail -n 1 "$CLUSTER"/slurmctld.{out,log} | tail -n 1)"
    fi
    export LACK=$lack
}

teardown_file() {
    [ -z "${CLUSTER:-}" ] || cluster_stop 2>/dev/null
}

setup() {
    its_turn 2
    common_setup
    CLASS=$W/class
    OUT_DIR=$W/grades
    mkdir "$CLASS"
}

# needs_cluster COUNT: a class of so many for it, and what one machine makes of it.
needs_cluster() {
    [ -z "$LACK" ] || skip "$LACK"
    class_of "$1"
}

class_of() { # class_of COUNT: it can be called again, with more
    local i files=(solutions/01-fixed-work/*.cu solutions/01-fixed-work/wrong/*.cu)
    for ((i = 0; i < $1; i++)); do
        cp "${files[i % ${#files[@]}]}" "$CLASS/s$i.cu"
    done
    size=$1
    rm -rf "$W/whole" "$OUT_DIR"
    batch 0
    mv "$OUT_DIR" "$W/whole"
}

COMMON=(--seed 5 --schedules 100)

batch() { # batch STATUS [OPTION...]
    local wanted=$1
    shift
    run --separate-stderr clclab batch 1 "$CLASS" --out "$OUT_DIR" "${COMMON[@]}" "$@"
    [ "$status" -eq "$wanted" ] || fail "exit status $status, not $wanted" "$stderr" "$(tail -n 5 "$OUT_DIR/batch.log")"
}

slurm() { # slurm STATUS [OPTION...]
    local wanted=$1
    shift
    batch "$wanted" --engine slurm "$@"
}

records() {
    find "$OUT_DIR/records" -name '[!.]*.json' 2>/dev/null | wc -l
}

start() { # start [OPTION...]: a batch in the background, $batch
    "$CLCLAB" batch 1 "$CLASS" --out "$OUT_DIR" "${COMMON[@]}" --engine slurm "$@" >"$W/log" 2>&1 3>&- &
    batch=$!
}

# begin [OPTION...]: one that has graded something, and not all; its tasks are stopped until
# go_on. If it is done before this test has looked, on a machine with much other work, the
# class was too small, and becomes twice as large.
begin() {
    start "$@"
    until_is has_begun || fail "it grades nothing" "$(<"$W/log")" "$(squeue)"
    all_tasks STOP
    [ "$(records)" -eq "$size" ] || return 0
    ((size < 1000)) || fail "it always ends before it can be stopped"
    all_tasks CONT
    wait "$batch" || true
    class_of $((2 * size))
    begin "$@"
}

has_begun() {
    [ "$(records)" -ge 2 ] || { cluster_mend && false; }
}

go_on() {
    all_tasks CONT
}

all_tasks() { # all_tasks SIGNAL: to the tasks on both nodes, and what they have started
    local process
    for process in $(tasks_of a) $(tasks_of b); do
        kill "-$1" "$process" 2>/dev/null || true # it may have ended by itself
    done
}

has_ended() {
    is_gone "$batch" || { cluster_mend && false; }
}

# wait_for STATUS: of that batch.
wait_for() {
    local status=0
    until_is has_ended || fail "it does not end" "$(<"$W/log")" "$(squeue)"
    wait "$batch" || status=$?
    [ "$status" -eq "$1" ] || fail "exit status $status, not $1" "$(<"$W/log")" "$(tail -n 5 "$OUT_DIR/batch.log")"
}

# same: what is there is whole, and as one machine made it.
same() {
    diff -r "$W/whole/results" "$OUT_DIR/results" || fail "other results"
    diff -r "$W/whole/reports" "$OUT_DIR/reports" || fail "other reports"
    diff "$W/whole/grades.csv" "$OUT_DIR/grades.csv" || fail "other points"
    [ "$(records)" -eq "$(find "$CLASS" -name '*.cu' | wc -l)" ] || fail "$(records) records"
    [ -z "$(find "$OUT_DIR" -mindepth 2 -name '.*')" ] || fail "$(find "$OUT_DIR" -name '.*')"
    [ ! -e "$OUT_DIR/slurm" ] || fail "left: $(find "$OUT_DIR/slurm")"
    until_is no_tasks || fail "tasks are left: $(squeue)"
    nothing_left
}

no_tasks() {
    cluster_mend
    [ -z "$(squeue --noheader)" ]
}

job() { # prints the number of the last job
    sed -n 's/.* job \([0-9]*\): .* tasks$/\1/p' "$OUT_DIR/batch.log" | tail -n 1
}

@test "the grades are those of one machine; the same command goes on, with or without waiting" {
    needs_cluster 9
    slurm 0 --shards 3 --partition main --sbatch-option --time=60
    holds "$(<"$OUT_DIR/batch.log")" "9 submissions in 3 tasks"
    holds "$output" "9 submissions: 9 graded"
    same
    slurm 0
    holds "$(tail -n 2 "$OUT_DIR/batch.log")" "begin: 9 submissions, 0 to be graded"
    rm -r "$OUT_DIR"
    slurm 75 --no-wait
    holds "$output" "of 9 are graded; job $(job): "
    [ ! -e "$OUT_DIR/grades.csv" ] || fail "there is a table of grades already"
    ln -s /etc/passwd "$CLASS/eve.cu"
    slurm 1
    [ "$(grep -c ' tasks$' "$OUT_DIR/batch.log")" -eq 1 ] || fail "two jobs" "$(<"$OUT_DIR/batch.log")"
    rm "$CLASS/eve.cu"
    slurm 0
    same
}

@test "tasks take over the shards of those that have not begun, which then find nothing to do" {
    local owners
    needs_cluster 8
    slurm 75 --no-wait --shards 8
    until_is no_tasks || fail "tasks are left: $(squeue)"
    [ "$(records)" -eq 8 ] || fail "$(records) records"
    [ "$(find "$OUT_DIR/slurm" -name '*.end' | wc -l)" -eq 8 ] || fail "$(find "$OUT_DIR/slurm")"
    owners=$(find "$OUT_DIR/slurm" -name '*.taken' -printf '%l\n' | cut -d- -f1 | sort -u | wc -l)
    [ "$owners" -le 2 ] || fail "$owners tasks on two processors" "$(find "$OUT_DIR/slurm" -name '*.taken' -printf '%f %l\n')"
    slurm 0
    same
}

@test "a node that dies: its tasks run again, and nothing is lost or different" {
    needs_cluster 16
    begin --shards 4
    cluster_kill_node a
    cluster_start_node a || fail "node a does not start again"
    go_on
    wait_for 0
    same
}

@test "a batch that is killed: the same command takes up the array" {
    needs_cluster 16
    begin --shards 4
    kill -KILL "$batch"
    wait_for 137
    go_on
    slurm 0
    same
    [ "$(grep -c ' tasks$' "$OUT_DIR/batch.log")" -eq 1 ] || fail "two jobs" "$(<"$OUT_DIR/batch.log")"
}

@test "a job that is cancelled ends the batch, and the same command grades what is missing" {
    needs_cluster 16
    begin --shards 4
    scancel "$(job)"
    wait_for 75
    holds "$(<"$W/log")" "job $(job) was cancelled: the same command grades what is missing"
    [ "$(records)" -lt "$size" ] || fail "nothing was cancelled"
    holds "$(<"$OUT_DIR/grades.csv")" '"failed",,,'
    slurm 0
    same
}

@test "a job of another command: the local engine waits for it, a changed class replaces it" {
    needs_cluster 16
    begin --shards 8
    scontrol hold "$(job)" || true # those that wait do so until they are cancelled; others have ended
    kill -KILL "$batch"
    wait_for 137
    [ -n "$(squeue --noheader --states=PENDING)" ] || fail "no task waits" "$(squeue)"
    batch 75
    holds "$stderr" "is at work in $OUT_DIR: wait for it with --engine slurm"
    cp "$CLASS/s1.cu" "$CLASS/s15.cu"
    cp "$W/whole/results/s1.json" "$W/whole/results/s15.json"
    slurm 0
    holds "$(<"$OUT_DIR/batch.log")" "is cancelled"
    [ "$(records)" -eq "$size" ] || fail "$(records) records"
    batch 0
    holds "$(tail -n 2 "$OUT_DIR/batch.log")" "begin: $size submissions, 0 to be graded"
}

@test "a disk without room is no zero, and the same command goes on" {
    needs_cluster 4
    run --separate-stderr bash -c 'ulimit -f 3; exec "$@"' bash "$CLCLAB" batch 1 "$CLASS" --out "$OUT_DIR" \
        "${COMMON[@]}" --engine slurm --shards 4
    [ "$status" -eq 75 ] || fail "exit status $status" "$stderr"
    holds "$stderr" "File too large"
    holds "$(<"$OUT_DIR/batch.log")" "4 are not graded, 0 tasks lost"
    [ "$(records)" -eq 0 ] || fail "something was kept"
    lacks "$(<"$OUT_DIR/grades.csv")" '"graded"'
    slurm 0
    same
}

@test "a node without a toolkit ends the batch with what it says" {
    needs_cluster 2
    mkdir "$W/empty"
    slurm 69 --sbatch-option "--export=ALL,CLCLAB_TOOLKIT=$W/empty"
    holds "$stderr" "No CUDA toolkit"
    [ "$(records)" -eq 0 ] || fail "something was kept"
    slurm 0
    same
}

# The driver is the fake one, whose kernels do nothing: what it gives is told, and costs no points.
@test "with GPUs a task has a card, and the points are those of the virtual machine" {
    needs_cluster 3
    export CUDA_MPS_PIPE_DIRECTORY=$W/mps CLCLAB_LIBCUDA
    CLCLAB_LIBCUDA=$(dirname "$CLCLAB")/tests/libfakecuda.so
    local uuid=$(($$ * 512 + BATS_TEST_NUMBER))
    export CLCLAB_FAKE_CUDA="uuid=$uuid;cc=9.0;prologue=right"
    slurm 69 --device gpu
    holds "$stderr" "a GPU would run it natively"
    slurm 0 --shards 3 --device gpu --allow-weak-sandbox
    holds "$("$JSON_GET" "$OUT_DIR/results/s0.json" checks.device.status)" fail
    cut -d, -f1,7 "$OUT_DIR/grades.csv" | diff - <(cut -d, -f1,7 "$W/whole/grades.csv") || fail "other points"
    rm -f "/tmp/clclab-GPU-fafafafa-fafa-fafa-fafa-fafa$(printf %08x "$uuid").lock"
}

@test "what is no cluster, and options that are refused" {
    cp "$(solution 1)" "$CLASS/ana.cu"
    mkdir "$W/bin"
    PATH=$W/bin:/usr/bin:/bin
    for name in sbatch squeue scancel; do
        printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/%s"\n' "$W" "$name" >"$W/bin/$name"
        chmod +x "$W/bin/$name"
    done
    slurm 70
    holds "$stderr" 'sbatch printed "", which is no number of a job'
    echo 'echo "17;main"' >>"$W/bin/sbatch"
    slurm 75 --no-wait --device gpu --allow-weak-sandbox --partition b200 --sbatch-option --account=cs --jobs 4
    holds "$output" "0 of 1 are graded; job 17: 0 tasks at work, 1 waiting."
    run cat "$W/sbatch"
    holds "$output" "--requeue
--cpus-per-task=4
--gres=gpu:1
--account=cs
--partition=b200
--parsable
--array=0-0
--job-name=clclab-"
    holds "$output" "--device
gpu"
    run make --no-print-directory batch LAB=1 DIR="$CLASS" OUT="$W/other" ENGINE=slurm SHARDS=1 PARTITION=cpu \
        SBATCH="--account=cs --time=60" NO_WAIT=1
    holds "$output" "0 of 1 are graded; job 17: "
    run cat "$W/sbatch"
    holds "$output" "--requeue
--account=cs
--time=60
--partition=cpu
--parsable"
    echo 'echo "No partition specified" >&2; exit 1' >>"$W/bin/sbatch"
    slurm 75
    holds "$stderr" "sbatch did not take the job: No partition specified"
    echo 'echo garbage' >>"$W/bin/squeue"
    slurm 75
    holds "$stderr" 'squeue printed "garbage"'
    slurm 2 --sbatch-option --array=0-7
    slurm 2 --sbatch-option b200
    batch 2 --partition b200
    holds "$stderr" "go with --engine slurm"
    batch 2 --task clclab-00000000
    mkdir "$W/none"
    run --separate-stderr env PATH="$W/none" "$CLCLAB" batch 1 "$CLASS" --out "$OUT_DIR" --engine slurm
    [ "$status" -eq 69 ] || fail "exit status $status" "$stderr"
    holds "$stderr" "there is no sbatch on PATH"
}

# The last one: it can leave a cluster on which nothing runs any more.
# It may even have lost the job, as it keeps its state with a delay.
@test "a controller that dies, with the batch that waits or without" {
    [ -n "${FULL:-}" ] || skip "Slurm can forget a job, or keep one for ever, when its controller is killed: FULL=1"
    needs_cluster 16
    begin --shards 4
    cluster_kill_controller
    cluster_start_controller || fail "the controller does not start again"
    go_on
    wait_for 0
    same
    rm -r "$OUT_DIR"
    begin --shards 4
    cluster_kill_controller
    kill -KILL "$batch"
    wait_for 137
    batch 75
    holds "$stderr" "Slurm's, which does not answer"
    cluster_start_controller || fail "the controller does not start again"
    go_on
    start
    wait_for 0
    same
}
