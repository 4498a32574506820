#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --device gpu: first with the fake driver (grader/tests/fakecuda/options.h),
# whose kernels do nothing; then, where clclab doctor finds a GPU that can be
# used, on that.

load common

setup() {
    its_turn 2
    common_setup
    export CUDA_MPS_PIPE_DIRECTORY=$W/mps
    UUID=$(($$ * 512 + BATS_TEST_NUMBER)) # no test waits for another's kernel
}

teardown() {
    rm -f "$(lock_of_gpu)"
}

lock_of_gpu() {
    printf '/tmp/clclab-GPU-fafafafa-fafa-fafa-fafa-fafa%08x.lock' "$UUID"
}

# fake OPTIONS COMMAND...: clclab on a GPU of the fake driver.
fake() {
    local options=$1 driver
    shift
    # By a name of its own, since clclab remembers what a driver said of its GPU.
    driver=$W/$(cksum <<<"$options" | tr ' ' -).so
    ln -sf "$(realpath "$(dirname "$CLCLAB")")/tests/libfakecuda.so" "$driver"
    CLCLAB_LIBCUDA=$driver \
        CLCLAB_FAKE_CUDA="uuid=$UUID;$options" clclab "$@"
}

KERNEL=(grader/tests/gpu/mixed.cu --kernel right --grid 4 --block 32
    --arg buf:400 --arg i32:100 --device gpu)
STEALING=(solutions/03-block-clc/block_clc.cu --kernel block_clc --grid 4
    --block 128 --arg buf:400 --arg i32:100 --device gpu)

# run_ends STATUS OPTIONS PART [OPTION...]: clclab run of KERNEL ends so, and
# PART is in what it says.
run_ends() {
    local expected=$1 options=$2 part=$3
    shift 3
    run fake "$options" run "${KERNEL[@]}" "$@"
    [ "$status" -eq "$expected" ] || fail "$options: exit status $status"
    output=$(echo "$output" | tr -s ' \n' ' ')
    holds "$output" "$part"
}

# grade_ends STATUS OPTIONS LAB [OPTION...]: the report in $W/r.json.
grade_ends() {
    local expected=$1 options=$2 lab=$3 status=0
    shift 3
    fake "$options" grade "$lab" --solutions --schedules 2 --format json --no-time \
        "$@" >"$W/r.json" 2>"$W/err" || status=$?
    [ "$status" -eq "$expected" ] || fail "$options: exit status $status"
}

# device STATUS PART: of the check `device`; PART of its cause.
device() {
    [ "$(json checks.device.status)" = "$1" ] ||
        fail "device is $(json checks.device.status)"
    [ "$(json checks.device.max_points)" = 0 ] || fail "it has points"
    [ "$1" = pass ] ||
        holds "$(json checks.device.cause.what) $(json checks.device.cause.help)" "$2"
}

# ---- nothing to run on: 69 ---------------------------------------------------

@test "without a driver or a GPU: exit 69, and why" {
    local command
    for command in "run ${KERNEL[*]}" "grade 1 --device gpu" "compare --device gpu"; do
        # shellcheck disable=SC2086 # words
        CLCLAB_LIBCUDA=$W/no-libcuda.so run clclab $command
        [ "$status" -eq 69 ] || fail "$command: exit status $status"
        holds "$output" "The CUDA driver cannot be loaded"
        # shellcheck disable=SC2086
        run fake "devices=0" $command
        [ "$status" -eq 69 ] || fail "$command: exit status $status"
        holds "$output" "CUDA_ERROR_NO_DEVICE"
        holds "$output" "help "
        holds "$output" "--device vm does without one"
    done
    nothing_left
}

@test "a GPU that lets nobody in, and one that MPS shares: exit 69, and what to do" {
    run_ends 69 "mode=2" "nvidia-smi -c DEFAULT"
    mkdir "$W/mps"
    mkfifo "$W/mps/control"
    exec 7<>"$W/mps/control"
    run_ends 69 "" "quit | nvidia-cuda-mps-control"
    run fake "" grade 1 --device gpu
    [ "$status" -eq 69 ] || fail "exit status $status"
    exec 7>&-
    run_ends 0 "apply=table" "Clean: nothing found"
}

@test "a driver that crashes before there is a GPU, and one that is too old: exit 69" {
    run_ends 69 "crash=cuInit" "was ended by signal 11"
    run_ends 69 "fail=cuModuleLoadDataEx:222" "The driver is older than the toolkit"
}

@test "a GPU without Cluster Launch Control: exit 69, and which labs run on it" {
    run fake "cc=8.6" run "${STEALING[@]}"
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "Labs 1 and 2 run on any GPU of compute capability 7.5 or more"
    run_ends 0 "cc=8.6;apply=table" "compute capability 8.6, without CLC"
    run fake "cc=8.6" compare --device gpu
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "Labs 1 and 2 run on"
    # A grade is of the virtual machine, and only the check is skipped.
    grade_ends 0 "cc=8.6" 3 --device gpu
    device skip "Labs 1 and 2 run on any GPU"
    [ "$(json verdict)" = pass ] || fail "$(json verdict)"
}

@test "what a GPU gets assembles for each that the labs' first two run on" {
    its_turn 3
    local lab cc
    for lab in 1 2; do
        for cc in 7.5 8.0 8.6 8.9 9.0 10.0 12.0; do
            grade_ends 1 "cc=$cc;prologue=right" "$lab" --device gpu
            device fail "On the GPU, "
            lacks "$(json checks.device.cause.code)" PTX
            lacks "$(json checks.device.cause.what)" assembler
        done
    done
}

# ---- another time: 75 --------------------------------------------------------

@test "a GPU whose memory others have: exit 75" {
    run_ends 75 "memory=0" "The GPU has 0 MiB free"
    grade_ends 75 "memory=0" 1 --device gpu
    device error "The GPU has 0 MiB free"
    [ "$(json checks.device.cause.code)" = BUSY ] || fail "another code"
    [ "$(json score)" = 100 ] || fail "score $(json score)"
    run fake "memory=600" compare --device gpu
    [ "$status" -eq 75 ] || fail "exit status $status"
    holds "$output" "MiB free: end what else uses it"
}

# ---- the kernel's faults: 1 --------------------------------------------------

@test "a kernel that a GPU ends is a finding: exit 1, and how to see it again" {
    run_ends 1 "fault=700" "[MEM001]"
    holds "$output" "--device vm"
    holds "$output" "--arg i32:100 --device gpu"
    run_ends 1 "fault=716" "[MEM002]"
    run_ends 1 "fault=710" "[ASSERT]"
    run_ends 1 "fail=cuStreamQuery:719" "[FAULT]"
    run_ends 0 "poke=0:4096" "Clean" # data, no guard
    run_ends 1 "poke=0:4500" "beyond the end of buffer 0: at byte 404 of 400"
    nothing_left
}

@test "a kernel that does not end is ended at its deadline, and the card is free for the next" {
    run_ends 1 "hang=query;control=32:3" "The kernel did not end within 1 s" --deadline 1
    holds "$output" "3 of 4 blocks had started"
    holds "$output" "--device gpu --deadline 1"
    run_ends 0 "apply=table" "Clean: nothing found"
    nothing_left
}

@test "a launch that a GPU refuses is the command's: exit 2" {
    run_ends 2 "fail=cuLaunchKernelEx:701" "a block must fit on an SM"
}

# ---- the driver's faults: 70 -------------------------------------------------

@test "a driver that crashes, stops or fails: exit 70, and not the kernel's fault" {
    run_ends 70 "crash=cuLaunchKernelEx" "while launching the kernel: was ended by signal 11"
    run_ends 70 "exit=cuMemcpyDtoH_v2:4" "ended with exit code 4"
    run_ends 70 "fault=999" "This is not the kernel's fault"
    run fake "crash=cuLaunchKernelEx" compare --device gpu
    [ "$status" -eq 70 ] || fail "exit status $status"
    grade_ends 70 "crash=cuLaunchKernelEx" 1 --device gpu
    device error "was ended by signal 11"
    [ "$(json verdict)" = error ] || fail "$(json verdict)"
    [ "$(json score)" = 100 ] || fail "score $(json score)"
    nothing_left
}

@test "what a fake kernel leaves is no figure: compare says which data is wrong" {
    run fake "memory=4096" compare --device gpu --size 4096
    [ "$status" -eq 70 ] || fail "exit status $status"
    holds "$output" "elements are wrong"
}

# ---- a row of cases ----------------------------------------------------------

@test "twenty commands with faults among them: none is lost" {
    local -i i
    for ((i = 0; i < 2; i++)); do
        run_ends 0 "apply=table" "Clean"
        run_ends 1 "fault=700" "[MEM001]"
        run_ends 0 "apply=table" "Clean"
        run_ends 70 "crash=cuLaunchKernelEx" "signal 11"
        run_ends 1 "hang=query" "[TIMEOUT]" --deadline 1
        run_ends 0 "apply=table" "Clean"
        run_ends 75 "fail=cuMemAlloc_v2:2@2" "MiB free"
        run_ends 1 "fault=719" "[FAULT]"
        run_ends 69 "fail=cuModuleLoadDataEx:209" "older than the toolkit"
        run_ends 0 "apply=table" "Clean"
    done
    nothing_left
}

@test "schedules of one command are cases of their own" {
    local i
    fake "apply=table;apply=double" run "${KERNEL[@]}" --schedules 20 --format json \
        --no-time >"$W/r.json" 2>"$W/err" || fail "exit status $?"
    [ "$(json schedules.#)" = 20 ] || fail "$(json schedules.#) schedules"
    for ((i = 0; i < 20; i++)); do
        [ "$(json "schedules.$i.status")" = "done" ] || fail "schedule $i"
        [ "$(json "schedules.$i.started")" = 4 ] || fail "schedule $i"
    done
}

# ---- grading -----------------------------------------------------------------

@test "grade adds the check device, which costs nothing" {
    grade_ends 1 "prologue=right;fault=700" 3 --device gpu
    device fail "On the GPU, rules: "
    [ "$(json checks.device.cause.code)" = MEM001 ] || fail "another code"
    [ "$(json score)" = 100 ] || fail "score $(json score)"
    [ "$(json max_score)" = 100 ] || fail "of $(json max_score)"
    [ "$(json verdict)" = fail ] || fail "$(json verdict)"
    [ "$(json device)" = vm ] || fail "on $(json device)"
    holds "$(json checks.device.cause.replay)" "clclab grade 3 "
    holds "$(json checks.device.cause.replay)" " --device gpu "
    holds "$(json checks.device.title)" "Fake GPU (compute capability 9.0, CLC emulated)"
    [ "$(json checks.rules.status)" = pass ] || fail "the model's own check"
}

@test "CLC emulated is said of kernels that ask for something, and of no others" {
    grade_ends 1 "prologue=right" 1 --device gpu
    holds "$(json checks.device.title)" "Fake GPU (compute capability 9.0)."
    run_ends 0 "apply=table" "on gpu:Fake GPU (compute capability 9.0), grid"
    run fake "apply=table" run "${STEALING[@]}" --format json
    printf '%s' "$output" >"$W/r.json"
    [ "$(json gpu_model)" = "Fake GPU (compute capability 9.0, CLC emulated)" ] ||
        fail "on $(json gpu_model)"
}

@test "a kernel that changes nothing on the GPU fails device, and not correct" {
    grade_ends 1 "prologue=right;apply=table" 3 --device gpu
    device fail "On the GPU, correct: The kernel changed no element of data."
    [ "$(json checks.correct.status)" = pass ] || fail "the model's own check"
}

@test "a lab's kernel that does not end on the GPU: TIMEOUT, with its deadline" {
    grade_ends 1 "prologue=right;hang=query" 3 --device gpu --deadline 1
    device fail "On the GPU, rules: "
    [ "$(json checks.device.cause.code)" = TIMEOUT ] || fail "another code"
    holds "$(json checks.device.cause.replay)" " --device gpu --deadline 1 "
    nothing_left
}

@test "--device auto uses a GPU that has Cluster Launch Control, and no other" {
    grade_ends 0 "cc=9.0;crash=cuLaunchKernelEx" 1
    [ -z "$(json checks.device.status 2>"$W/none")" ] || fail "a check of Hopper"
    grade_ends 0 "cc=10.0;crash=cuLaunchKernelEx" 1 --device vm
    [ -z "$(json checks.device.status 2>"$W/none")" ] || fail "though --device vm"
    grade_ends 1 "cc=10.0;prologue=right" 1
    device fail "On the GPU, "
    holds "$(json checks.device.title)" "(compute capability 10.0)"
    CLCLAB_LIBCUDA=$W/no-libcuda.so clclab grade 1 --solutions --schedules 2 \
        >"$W/out" || fail "exit status $? without a GPU"
    lacks "$(cat "$W/out")" device
}

@test "a file that does not build is not run on the GPU" {
    lab1 '    no such words'
    fake "crash=cuLaunchKernelEx" grade 1 "$W/fixed_work.cu" --device gpu --format json \
        >"$W/r.json" 2>"$W/err" && fail "it passes"
    device skip "because the file does not build"
}

@test "options that a GPU cannot follow are said at once: exit 2" {
    local option
    for option in --exhaustive "--only-schedule 3 --switches 4" "--grants in-order" \
        --time-model; do
        # shellcheck disable=SC2086 # words
        run fake "" run "${KERNEL[@]}" $option
        [ "$status" -eq 2 ] || fail "$option: exit status $status"
        holds "$output" "need --device vm"
    done
    run fake "" compare --device gpu --time-set hold=3
    [ "$status" -eq 2 ] || fail "exit status $status"
}

# ---- on a real GPU -----------------------------------------------------------

needs_gpu() {
    unset CLCLAB_LIBCUDA CUDA_MPS_PIPE_DIRECTORY
    clclab doctor --format json >"$W/r.json" 2>"$W/err" || true
    [ "$(json gpu_ready)" = true ] ||
        skip "no GPU that can be used: $(json lines.driver.found) $(json lines.gpu.found)"
}

@test "on a real GPU: every solution passes" {
    local lab
    needs_gpu
    for lab in 1 2 3 4 5 6 7 8 9 10; do
        grade_json "$lab" --solutions --schedules 2 --device gpu ||
            fail "lab $lab: exit status $?"
        device pass
    done
    nothing_left
}

@test "on a real GPU: faults in a row, a hang, the labs' bits as on the virtual machine" {
    needs_gpu
    run grader/tools/check-gpu 20
    echo "$output"
    [ "$status" -eq 0 ] || fail "exit status $status"
    [[ $output == *"ok 3 - "* ]] || fail "it tested nothing"
}
