#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab doctor: what it finds, what it misses, and its exit status. GPUs are
# those of the fake driver (grader/tests/fakecuda/options.h).

load common

setup() {
    common_setup
    export CUDA_MPS_PIPE_DIRECTORY=$W/mps
    export CLCLAB_LIBCUDA=$W/no-libcuda.so
}

# doctor_json STATUS [OPTION...]: the report in $W/r.json.
doctor_json() {
    local expected=$1 status=0
    shift
    clclab doctor --format json "$@" >"$W/r.json" 2>"$W/err" || status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status"
}

# fake_gpu OPTIONS: the report with such a GPU; its driver is newer than any
# toolkit, where they do not say otherwise.
fake_gpu() {
    CLCLAB_LIBCUDA=$(dirname "$CLCLAB")/tests/libfakecuda.so \
        CLCLAB_FAKE_CUDA="$1;driver=99000" doctor_json 0
}

# is NAME STATE PART: of the line NAME; PART of what was found, or of the help.
is() {
    [ "$(json "lines.$1.state")" = "$2" ] || fail "$1 is $(json "lines.$1.state")"
    holds "$(json "lines.$1.found") $(json "lines.$1.help")" "$3"
}

@test "without a GPU the labs can be graded: exit 0" {
    doctor_json 0
    [ "$(json vm_ready)" = true ] || fail "not ready"
    [ "$(json gpu_ready)" = false ] || fail "a GPU?"
    is course fine "10 labs in labs"
    is toolkit fine "CUDA 1"
    is compiler fine "has compiled a kernel"
    is cache fine "$XDG_CACHE_HOME/clclab"
    is driver absent "cannot be loaded: $W/no-libcuda.so"
    is gpu absent "None can be seen without a driver."
    is mps fine "No daemon runs"
    is make fine "/make"
    nothing_left
}

@test "the text says the same, and --out writes it" {
    run clclab doctor
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "  ok      course      10 labs in labs"
    holds "$output" "  no      driver      The CUDA driver cannot be loaded"
    holds "$output" "                      help  The library comes with NVIDIA's driver"
    holds "$output" "The labs can be graded on the virtual machine."
    clclab doctor --out "$W/report"
    holds "$(cat "$W/report")" "They cannot be run on a GPU here."
}

@test "without a toolkit: what is needed, exit 69" {
    CLCLAB_TOOLKIT=$W/none doctor_json 69
    is toolkit needed "$W/none (no cuda.h)"
    is compiler needed "It comes with the toolkit."
    is nvcc absent "The toolkit has none."
    is assembler absent "$W/none (neither libnvJitLink.so nor bin/ptxas)"
    [ "$(json vm_ready)" = false ] || fail "ready for what?"
}

@test "a compiler that fails: its message, exit 69" {
    mkdir -p "$W/tk/include" "$W/tk/lib64"
    printf '#define CUDA_VERSION 13000\n' >"$W/tk/include/cuda.h"
    printf 'no library' >"$W/tk/lib64/libnvrtc.so.13"
    CLCLAB_TOOLKIT=$W/tk doctor_json 69
    is toolkit fine "$W/tk"
    is compiler needed "Cannot load NVRTC"
}

@test "outside of a course: exit 69, and where it is looked for" {
    cp "$CLCLAB" "$W/clclab"
    cd "$W"
    CLCLAB=$W/clclab
    doctor_json 69
    is course needed "CLCLAB_ROOT"
    is compiler fine "has compiled a kernel"
    CLCLAB_ROOT=$ROOT doctor_json 0
}

@test "a cache that cannot be written is told, and stops nobody" {
    XDG_CACHE_HOME=/dev/null/x doctor_json 0
    is cache odd "/dev/null/x/clclab: 0 files, 0 MiB. It cannot be written to."
    XDG_CACHE_HOME='' HOME='' doctor_json 0
    is cache odd "neither XDG_CACHE_HOME nor HOME"
}

@test "programs that are not on PATH" {
    mkdir "$W/bin"
    ln -s "$(command -v timeout)" "$W/bin/timeout"
    PATH=$W/bin doctor_json 0
    is bats absent "Install the package bats"
    is pandoc absent "It is not on PATH."
    is compiler fine "has compiled a kernel"
}

@test "Hopper and Blackwell: how the labs run on them" {
    fake_gpu "cc=9.0;name=NVIDIA H200;sms=132;memory=143771"
    is gpu fine "NVIDIA H200, compute capability 9.0, 132 SMs, 143771 MiB"
    holds "$(json lines.gpu.enables)" "Cluster Launch Control emulated"
    is assembler fine "sm_90a"
    [ "$(json gpu_ready)" = true ] || fail "not ready"
    fake_gpu "cc=10.0;sms=148;name=NVIDIA B200 MIG 1g.23gb;devices=8"
    is gpu fine "148 SMs, 1024 MiB, the first of several, a MIG slice"
    holds "$(json lines.gpu.enables)" "with its own Cluster Launch Control"
    is assembler fine "sm_100a"
    [ "$(json gpu_ready)" = true ] || fail "not ready"
}

# not_ready OPTIONS NAME STATE PART: grading goes on, but not on this GPU.
not_ready() {
    fake_gpu "$1"
    is "$2" "$3" "$4"
    [ "$(json gpu_ready)" = false ] || fail "ready, with $1"
}

@test "a GPU or a driver that will not do, each with its reason" {
    not_ready "cc=8.6" gpu odd "The virtual machine does without a GPU."
    holds "$(json lines.gpu.enables)" "labs 1 and 2 (from 7.5 on); the others use clusters, from 9.0 on"
    not_ready "mode=2" gpu odd "nvidia-smi -c 0"
    not_ready "devices=0" gpu absent "CUDA_ERROR_NO_DEVICE"
    not_ready "driver=11080" driver odd "knows CUDA 11.8. The toolkit is 1"
    not_ready "fail=cuInit:999" driver odd "cuInit gives CUDA_ERROR_UNKNOWN (999)"
    not_ready "fail=cuInit:34" driver absent "LD_LIBRARY_PATH"
    not_ready "crash=cuInit" driver odd "was ended by signal 11"
    nothing_left
}

@test "a library that is no driver" {
    CLCLAB_LIBCUDA=libm.so.6 doctor_json 0
    is driver odd "libm.so.6 has no cuInit."
}

@test "a running MPS daemon is told, with how to stop it" {
    mkdir "$W/mps"
    mkfifo "$W/mps/control"
    fake_gpu "cc=9.0"
    is mps fine "No daemon runs" # a leftover: nobody reads from it
    exec 7<>"$W/mps/control"
    not_ready "cc=9.0" mps odd "echo quit | nvidia-cuda-mps-control"
    exec 7>&-
}

@test "no arguments, and no options of grading" {
    run clclab doctor 4
    [ "$status" -eq 2 ] || fail "exit status $status"
    run clclab doctor --seed 4
    [ "$status" -eq 2 ] || fail "exit status $status"
}
