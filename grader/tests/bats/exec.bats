#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab exec: whole CUDA programs, built with nvcc, whose kernels run on the virtual
# machine. The programs are in grader/tests/exec/.

# shellcheck disable=SC2154 # run sets stderr

load common
load exec_programs

@test "exec: a right program has its results and no findings" {
    build add
    run_exec "$W/add"
    [ "$status" -eq 0 ]
    [ "$output" = "0 wrong, no error" ]
    [[ $stderr != *"NVIDIA's libraries"* ]]
    [[ $stderr == *"add on vm:b200: 2 launches; exit status 0"* ]]
    [[ $stderr == *"clclab exec: 0 errors, 0 advisories"* ]]
}

@test "exec: a race is found, with kernel, launches and line" {
    build race
    run_exec "$W/race" more words
    [ "$status" -eq 3 ]
    [ "$output" = "it ended" ]
    [[ $stderr == *"race.cu:6:"*"error: "*"what parameter 0 points to"*"[RACE001]"* ]]
    [[ $stderr == *"*sum += in[threadIdx.x];"* ]]
    [[ $stderr == *"total"*", launch 1, grid 1, block 256, and 2 more"* ]]
    [[ $stderr == *"3 launches; exit status 3"* ]]
    [[ $stderr == *"replay clclab exec --launches 1 "*"/race more words"* ]]
}

@test "exec: blocks start one by one, unless they wait for each other" {
    local launches
    build one_by_one
    for launches in 1-4 4; do
        run_exec --launches $launches --max-steps 300000000 "$W/one_by_one"
        [ "$status" -eq 0 ]
        [ "$output" = " 0.1-0 1.1-1 2.1-2 3.1-3 4.1-4 5.1-5 6.1-6 7.1-7
no error" ]
        [[ $stderr == *"clclab exec: 0 errors"* ]]
    done
}

@test "exec: --error-exitcode, and the program's status without errors" {
    build race
    build add -arch=sm_80
    run_exec --error-exitcode 9 "$W/race"
    [ "$status" -eq 9 ]
    run_exec --error-exitcode 9 "$W/add"
    [ "$status" -eq 0 ]
}

@test "exec: every kind of memory" {
    build memory
    run_exec "$W/memory"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 12 ]
    [[ $output != *WRONG* ]]
    [[ $stderr == *"cudaMemcpy: cudaErrorInvalidValue"* ]]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
}

@test "exec: arrays, textures and surfaces" {
    build texture
    run_exec "$W/texture"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 9 ]
    [[ $output != *WRONG* ]]
    [[ $stderr == *"cudaCreateTextureObject: cudaErrorInvalidFilterSetting"* ]]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
    run_exec "$W/texture" outside
    [[ $stderr == *"texture.cu:30:"*"reads 4 bytes at byte 32 of row 0 of a surface"*"[MEM001]"* ]]
    [[ $stderr == *"clclab exec: 1 error"* ]]
}

@test "exec: products of matrices" {
    build tensor -std=c++17
    run_exec "$W/tensor"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 9 ]
    [[ $output != *WRONG* ]]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
}

@test "exec: cooperative grids, and a heap that is kept" {
    build grid
    run_exec "$W/grid"
    [ "$output" = $'16 right\ncudaErrorCooperativeLaunchTooLarge\n12 kept' ]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
}

@test "exec: the driver's API" {
    build driver -lcuda "-L$(dirname "$NVCC")/../lib64/stubs"
    run_exec "$W/driver"
    [ "$output" = $'load 0\nfunction 0\nlaunch 0\npacked 0\nvalue 132\nentry 0\nbatch 0 132 rows 1010101 7 7 0 0 1\nmissing CUDA_ERROR_NOT_FOUND\nno error 1 1' ]
    [[ $stderr == *": 2 launches; exit status 0"* ]]
}

@test "exec: the heap of malloc and the stack are as large as the program says" {
    build limits
    run_exec "$W/limits"
    [ "$status" -eq 0 ]
    [ "$output" = "7 MiB: given
40 MiB: refused
40 MiB: given
70 MiB: refused
64 MiB: cudaSuccess
cudaErrorUnsupportedLimit
sum 500500" ]
    holds "$stderr" "0 errors, 0 advisories"
}

@test "exec: memory that is mapped, and PTX that is linked" {
    build mapped -lcuda "-L$(dirname "$NVCC")/../lib64/stubs"
    run_exec "$W/mapped"
    [ "$status" -eq 0 ]
    [ "$output" = "reserve 0
odd 1
create 0
map 0
again 0
beyond 1
access 0
link 0
load 0
launch 0
other address 42
too early 1
closed 1
elsewhere 42
peer 0 cudaErrorPeerAccessUnsupported
link 0
load 0
unmapped 700" ]
    [[ $stderr == *"which is no memory of this kernel"*"[MEM001]"* ]]
    [[ $stderr == *": 2 launches; exit status 0"*"1 error, 0 advisories"* ]]
}

@test "exec: several files, several threads, and a child" {
    clclab nvcc -o "$W/parts" "$ROOT"/grader/tests/exec/parts{,_more}.cu
    run_exec "$W/parts"
    [ "$output" = $'files: 17\nthreads: 4\nchild: cudaErrorInitializationError' ]
    [[ $stderr == *"its child uses"*": 202 launches; "*"0 errors"* ]]
}

@test "exec: device code in several objects" {
    clclab nvcc -rdc=true -o "$W/linked" "$ROOT"/grader/tests/exec/linked{,_more}.cu
    run_exec "$W/linked"
    [ "$output" = $'80\n40 no error' ]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
}

@test "exec: what a program of CUDA 12 sees" {
    gcc -o "$W/cuda12" "$ROOT/grader/tests/exec/cuda12.c" -L"$ROOT/build/runtime" -l:libcudart.so.12
    run_exec "$W/cuda12"
    [ "${lines[0]}" = "version 12080, SMs 148, clusters 1, pointer 2" ]
    [ "${lines[1]}" = "beyond 1 1" ]
    [ "${lines[2]}" = "batch 0 77" ]
}

@test "exec: graphs, captured and made by hand" {
    build graphs -rdc=true -lcudadevrt
    run_exec "$W/graphs"
    [ "$status" -eq 0 ]
    diff <(cat <<<"$output") - <<'END'
4 nodes
nothing has run: 0 cudaSuccess
host: captured
host: captured
captured: 10 cudaSuccess
update 0
host: captured
updated: 14 cudaSuccess
cycle 1
by hand: 169090630 169090630 169090630 169090630 169090630 169090630 169090630 169090630 30 cudaSuccess
changed: 1690906340 1690906340 1690906340 1690906340 1690906340 1690906340 1690906340 1690906340 340 cudaSuccess
memory: 6 cudaSuccess
freed: cudaErrorInvalidValue
counted down: 0 cudaSuccess
its own graph: cudaSuccess
to a graph: 3 cudaSuccess
no graph: cudaErrorInvalidValue
malloc: cudaErrorStreamCaptureUnsupported
end: cudaErrorStreamCaptureInvalidated
wait: cudaErrorStreamCaptureUnsupported
other stream: cudaErrorStreamCaptureUnmatched
not joined: cudaErrorStreamCaptureUnjoined
default stream: cudaErrorStreamCaptureImplicit
afterwards: 0 cudaErrorStreamCaptureImplicit
END
    [[ $stderr == *": 23 launches; exit status 0"*"0 errors, 0 advisories"* ]]
}

@test "exec: kernels that NVRTC compiles while the program runs" {
    local lib
    lib=$(dirname "$NVCC")/../lib64
    [ -e "$lib/libnvrtc.so" ] || skip "no libnvrtc"
    build nvrtc -lnvrtc -lcuda "-L$lib" "-L$lib/stubs"
    # NVRTC looks for its second library on the loader's path alone.
    LD_LIBRARY_PATH=$lib run_exec "$W/nvrtc"
    [ "$output" = $'compile 0\nload 0\nsync 700' ]
    [[ $stderr == *"made.cu:2:"*"[MEM001]"* ]]
    [[ $stderr != *"Calls that returned an error"* ]]
}

@test "exec: what faults on a card fails all later calls" {
    build fault
    run_exec "$W/fault"
    [ "${lines[0]}" = "launched: cudaSuccess" ]
    [ "${lines[1]}" = "waited: cudaErrorIllegalAddress" ]
    [ "${lines[2]}" = "again: cudaErrorIllegalAddress" ]
    [[ $stderr == *"fault.cu:9:"*"[MEM001]"* ]]
}

@test "exec: a kernel that gets a pointer of the host is told what it is" {
    build fault
    run_exec "$W/fault" host
    [ "$status" -eq 0 ]
    holds "$output" "waited: cudaErrorIllegalAddress"
    holds "$stderr" "goes through a pointer to memory of the host, which the kernel does not have. [MEM001]"
    holds "$stderr" "which is no memory of this kernel."
    holds "$stderr" "help This is memory of the host"
}

@test "exec: memory that was freed is called so, also by a module that is loaded later" {
    build fault
    run_exec "$W/fault" freed
    [ "$status" -eq 0 ]
    holds "$output" "waited: cudaErrorIllegalAddress"
    holds "$stderr" "writes 4 bytes of memory that was freed (124 bytes). [MEM001]"
}

@test "exec: kernels print when they are waited for" {
    build print
    run_exec "$W/print"
    [ "$output" = $'before\nkernel 1\nkernel 2\nafter' ]
}

@test "exec: what is not supported is named, and wrong launches fail" {
    build missing
    run_exec "$W/missing"
    [ "$status" -eq 70 ] # a card has room for the large one
    [ "${lines[0]}" = "large: cudaErrorMemoryAllocation" ]
    [ "${lines[1]}" = "ipc: cudaErrorNotSupported" ]
    [ "${lines[2]}" = "block: cudaErrorInvalidConfiguration" ]
    [ "${lines[3]}" = "shared: cudaErrorInvalidValue" ]
    [ "${lines[4]}" = "asked: cudaSuccess" ]
    [[ $stderr == *"The program allocates more memory than"* ]]
    [[ $stderr == *"cudaIpcGetMemHandle: cudaErrorNotSupported: clclab exec does not have it"* ]]
}

@test "exec: a program with the runtime linked into it says how to build it" {
    echo '__attribute__((used)) static const char hint[] = "wants libcudart.so.13";' >"$W/hint.h"
    "$NVCC" -arch=sm_100a -include "$W/hint.h" -o "$W/add" "$ROOT/grader/tests/exec/add.cu"
    run_exec "$W/add"
    [ "$status" -eq 69 ]
    [[ $stderr == *"clclab nvcc"* ]]
}

@test "exec: a script whose programs have the runtime linked into them is told so" {
    "$NVCC" -arch=sm_100a -o "$W/add" "$ROOT/grader/tests/exec/add.cu"
    run_exec sh -c "$W/add; true"
    [ "$status" -eq 70 ]
    holds "$stderr" "error: The program, or a library of it, has CUDA's runtime linked into it"
    holds "$stderr" "Build it with clclab nvcc"
}

@test "exec: clclab nvcc takes what only compute_100a has" {
    cat >"$W/own.cu" <<'END'
__global__ void __launch_bounds__(128, 1) own() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }
int main() { own<<<1, 128>>>(); return cudaDeviceSynchronize(); }
END
    clclab nvcc -o "$W/own" "$W/own.cu"
    run_exec "$W/own"
    [ "$status" -eq 0 ]
    holds "$stderr" ": 1 launch; exit status 0"
}

@test "exec: machine code without PTX says how to build it" {
    "$NVCC" -cudart shared -gencode arch=compute_90,code=sm_90 -o "$W/add" "$ROOT/grader/tests/exec/add.cu"
    run_exec "$W/add"
    [ "$status" -eq 70 ]
    [[ $stderr == *"embeds PTX"* ]]
}

@test "exec: launches and kernels that are left out are not checked" {
    build race
    run_exec --launches 2-3 "$W/race"
    [[ $stderr == *", launch 2,"* ]]
    [[ $stderr == *"3 launches, 1 of them unchecked"* ]]
    run_exec --kernels 'other|another' "$W/race"
    [[ $stderr == *"3 launches, 3 of them unchecked"* ]]
    [[ $stderr == *"0 errors"* ]]
    run_exec --check MEM "$W/race"
    [[ $stderr == *"0 errors"* ]]
}

build_unwritten() {
    build unwritten -lcuda "-L$(dirname "$NVCC")/../lib64/stubs"
}

# found LEVEL WORD OPTION...: the program unwritten, asked for WORD, gets one finding of that level at the
# line whose comment says WORD, and goes on.
found() {
    local level=$1 word=$2
    shift 2
    run_exec "$@" "$W/unwritten" "$word"
    [ "$status" -eq 0 ]
    [ "$output" = "no error" ]
    local line
    line=$(grep -n "// .*\b$word\b" "$ROOT/grader/tests/exec/unwritten.cu" | tail -n1)
    holds "$stderr" "unwritten.cu:${line%%:*}:"
    [[ $stderr =~ ": $level: Thread "[0-9]+" of block 0 reads 4 bytes of the buffer of parameter 0 (256 bytes) that nobody has written" ]]
    [ "$(grep -o 'MEM003\]' <<<"$stderr" | wc -l)" -eq 1 ]
}

@test "exec: global memory is unwritten until somebody writes it, in whatever way" {
    local ways way
    build_unwritten
    run_exec "$W/unwritten" all -1
    [ "$status" -eq 0 ]
    holds "$stderr" "clclab exec: 0 errors, 0 advisories"
    ways=${output%% *}
    [ "$ways" -eq 19 ]
    for ((way = 0; way < ways; way++)); do
        run_exec --format json "$W/unwritten" all $way
        [ "$(grep -o '"code": "MEM003"' <<<"$stderr" | wc -l)" -eq 1 ] || fail "way $way" "$stderr"
    done
}

@test "exec: an unwritten value must decide nothing; computing with it is an advisory" {
    build_unwritten
    found advisory sum
    found advisory count
    found advisory lock
    found error branch
    found error compare
    found error sum --unwritten error
    holds "$stderr" "replay clclab exec --launches 1 --unwritten error "
    found error count --unwritten error
    for what in "--unwritten off" "--check RACE,MEM001" "--check none"; do
        # shellcheck disable=SC2086 # options are words
        run_exec $what "$W/unwritten" branch
        lacks "$stderr" MEM003
        holds "$stderr" "0 errors, 0 advisories"
    done
    usage_error "none of tell, error, off" exec --unwritten odd "$W/unwritten"
}

@test "exec: freed memory is unwritten again, and copies on the device carry what is" {
    build_unwritten
    run_exec "$W/unwritten" again
    holds "$stderr" "(64 times in this run). [MEM003]"
    run_exec "$W/unwritten" copied
    holds "$stderr" "(32 times in this run). [MEM003]"
    for what in pitched managed; do
        run_exec --unwritten error "$W/unwritten" $what
        holds "$stderr" "0 errors, 0 advisories"
    done
}

@test "exec: right programs that read what nobody has written get no word" {
    local option
    for option in -O3 -G; do
        build padded $option
        run_exec --unwritten error "$W/padded"
        [ "$output" = "no error" ]
        holds "$stderr" "15 launches; exit status 0"
        holds "$stderr" "clclab exec: 0 errors, 0 advisories"
    done
}

@test "exec: launches that are not checked write too, and schedules start from what was written" {
    build_unwritten
    run_exec --launches 3 "$W/unwritten" later
    holds "$stderr" "(32 times in this run). [MEM003]"
    holds "$stderr" "3 launches, 2 of them unchecked"
    run_exec --format json --gpu-model mini --schedules 8 "$W/unwritten" schedules
    [ "$(grep -o '"code": "MEM003"' <<<"$stderr" | wc -l)" -eq 1 ]
}

@test "exec: --stop-at-first ends the program" {
    build race
    run_exec --stop-at-first "$W/race"
    [ "$output" = "" ]
    [[ $stderr == *": 1 launch; "* ]]
    [[ $stderr == *"The program was ended after its first launch with an error."* ]]
}

@test "exec: each launch under several schedules, from the same memory" {
    build order
    run_exec "$W/order"
    plain=$output
    [[ $stderr == *"0 errors, 0 advisories"* ]]
    run_exec --schedules 6 "$W/order"
    [ "$status" -eq 0 ]
    [ "$output" = "$plain" ] # the program goes on with the plain one
    [[ "$(tr ' ' '\n' <<<"$output" | sort -n | xargs)" == "0 1 2 3 4 "*" 22 23" ]]
    [[ $stderr == *"advisory: What the launch leaves in"*"in schedule 1 (random) than in the plain one. [OUTPUT]"* ]]
    [[ $stderr == *"each under"* ]]
    # The replay runs two of the six, and finds the same.
    [[ $stderr == *"replay clclab exec --launches 1 --seed 1 --only-schedule 1 "* ]]
    run_exec --launches 1 --seed 1 --only-schedule 1 "$W/order"
    [[ $stderr == *"advisory: What the launch leaves in"*"in schedule 1 (random) than in the plain one. [OUTPUT]"* ]]
    run_exec --launches 1 --only-schedule 0 "$W/order"
    [[ $stderr == *"0 errors, 0 advisories"* ]]
}

build_shares() {
    build shares -lcuda "-L$(dirname "$NVCC")/../lib64/stubs"
}

# same_at_any_jobs COPIES WORD OPTION... -- WORD...: what the program shares prints, and the
# report, are the same with 1, 2 and 4 schedules at a time; with 4, it saw so many copies of
# itself. The report holds WORD.
same_at_any_jobs() {
    local copies=$1 word=$2 jobs
    local -a options=(--gpu-model mini --schedules 64 --no-time)
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for jobs in 1 2 4; do
        COPIES=1 clclab exec "${options[@]}" --jobs $jobs --format json --out "$W/report.$jobs" \
            "$W/shares" "$@" >"$W/all.$jobs" 2>&1 || [ $? -eq 70 ]
        grep -v '^copies: ' "$W/all.$jobs" >"$W/said.$jobs"
        cmp "$W/said.1" "$W/said.$jobs"
        cmp "$W/report.1" "$W/report.$jobs"
    done
    grep -qx "copies: 0" "$W/all.1"
    grep -qx "copies: $copies" "$W/all.4" || fail "other copies" "$(<"$W/all.4")"
    holds "$(<"$W/report.1")" "$word"
}

@test "exec: the report is the same bytes, however many schedules are run at a time" {
    build_shares
    same_at_any_jobs 4 '"OUTPUT"' --
    same_at_any_jobs 4 '"DEADLOCK"' -- hang
    same_at_any_jobs 4 '"LIMIT"' --max-steps 1000000 -- counting
    same_at_any_jobs 4 '"DEADLOCK"' --seed 9 -- hang heap
    usage_error "at least one" exec --jobs 0 "$W/shares"
}

@test "exec: a program whose schedules are shared out notices nothing" {
    build_shares
    same_at_any_jobs 4 '"OUTPUT"' -- child
    [ "$(<"$W/said.4")" = "in a buffer, printed by the kernel
printed by the kernel
8 0 1 2 3 4 5 6 7 
SIGCHLD: 0, reaped: 1
exit of the program" ] || fail "other output" "$(<"$W/said.4")"
}

@test "exec: a copy that is killed loses nothing" {
    build_shares
    same_at_any_jobs 4 '"DEADLOCK"' -- hang
    cp "$W/report.4" "$W/whole"
    same_at_any_jobs 4 '"DEADLOCK"' -- kill hang
    diff <(sed 's/ kill hang/ hang/g' "$W/report.4") "$W/whole"
}

@test "exec: a program that is killed has told what was found, and takes its copies with it" {
    build_shares
    local status=0
    clclab exec --gpu-model mini --schedules 100000 --jobs 4 "$W/shares" ends >"$W/said" 2>&1 || status=$?
    [ "$status" -eq 137 ] || fail "exit status $status"
    holds "$(<"$W/said")" "[OUTPUT]"
    holds "$(<"$W/said")" "A process was ended before it could sum up"
    until_is no_copies || fail "copies live on"
}

no_copies() {
    ! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -qF "$W/shares ends"
}

@test "exec: the heap of malloc is put back between schedules" {
    build_shares
    same_at_any_jobs 4 '"OUTPUT"' -- heap # it leaks 3 MiB of 8, in many of the schedules
    lacks "$(<"$W/report.1")" '"MEM001"'
}

@test "exec: a program of several threads, or with memory that copies would share, is not copied" {
    build_shares
    same_at_any_jobs 0 '"OUTPUT"' -- thread
    same_at_any_jobs 0 '"OUTPUT"' -- mapped
    same_at_any_jobs 0 '"OUTPUT"' -- file
}

@test "exec: what only shows out of order says so, and --grants in-order keeps it" {
    build in_turn
    run_exec --gpu-model mini --schedules 8 --error-exitcode 9 "$W/in_turn"
    [ "$status" -eq 9 ]
    [ "$output" = 64 ]
    [[ $stderr == *"[DEADLOCK]"*"No schedule that was tried shows it when blocks are launched and granted in the order"* ]]
    run_exec --gpu-model mini --schedules 8 --error-exitcode 9 --grants in-order "$W/in_turn"
    [ "$status" -eq 0 ]
    [[ $stderr == *"0 errors, 0 advisories"* ]]
    clclab exec --gpu-model mini --schedules 8 --format json --out "$W/r.json" "$W/in_turn"
    [[ $(<"$W/r.json") == *"that order is no promise"* ]]
    usage_error "none of any, in-order" exec --grants odd "$W/in_turn"
}

@test "exec: a race that shows in order as well is not blamed on the order" {
    build race
    run_exec --schedules 4 "$W/race"
    [[ $stderr == *"[RACE001]"* ]]
    [[ $stderr != *"No schedule that was tried"* ]]
}

@test "exec: a kernel that is not run to its end is no mistake of the program" {
    build race
    run_exec --max-steps 500 --error-exitcode 9 "$W/race"
    [ "$status" -eq 70 ]
    [[ $stderr == *"not run here: "*"[LIMIT]"*"clclab exec: 1 error, 1 advisory; not everything could be run here" ]]
}

@test "exec: formats for programs" {
    build race
    run_exec --format json --no-time --out "$W/r.json" "$W/race"
    [ "$stderr" = "" ]
    [ "$(json schema)" = clclab/exec/v1 ]
    [ "$(json findings.0.code)" = RACE001 ]
    [ "$(json findings.0.launches)" = 3 ]
    [ "$(json exit_code)" = 3 ]
    run_exec --format sarif "$W/race"
    [[ $stderr == *'"ruleId": "RACE001"'* ]]
    run_exec --format junit "$W/race"
    [[ $stderr == *'<failure '* ]]
}

@test "exec: programs that do what one had better not" {
    build rude -ldl
    run_exec "$W/rude" often
    [ "$status" -eq 0 ]
    [ "$output" = "10000 launches" ]
    run_exec "$W/rude" opened
    [ "$status" -eq 0 ]
    [ "$output" = "opened: 0" ]
    run_exec "$W/rude" leaves
    [ "$status" -eq 6 ]
    [[ $stderr == *": 1 launch; exit status 6"* ]]
    [[ $stderr != *"before it could sum up"* ]]
    run_exec "$W/rude" crashes
    [ "$status" -eq 139 ]
    [[ $stderr == *": 1 launch; ended by signal 11"* ]]
}

@test "exec: a program that closes all files loses no finding, and no record gets into its own file" {
    build rude -ldl
    run_exec "$W/rude" closes "$W/own"
    [ "$status" -eq 0 ]
    [ "$(cat "$W/own")" = own ]
    holds "$stderr" "past the end of the buffer of parameter 0 (4 bytes). [MEM001]"
    holds "$stderr" ": 2 launches; exit status 0"
}

@test "exec: memory that the system does not give is an error of cudaMalloc" {
    build rude -ldl
    ulimit -v 16000000 # KiB
    run_exec "$W/rude" fills
    [ "$status" -eq 0 ]
    [ "$output" = "cudaErrorMemoryAllocation
cudaSuccess" ]
    holds "$stderr" "cudaMalloc: cudaErrorMemoryAllocation"
}

@test "exec: a program that has NVIDIA's libraries is told that they run nothing here" {
    build add
    echo 'int cublas_stand_in;' | gcc -shared -x c -o "$W/libcublas.so.13" -
    LD_PRELOAD=$W/libcublas.so.13 run_exec "$W/add"
    [ "$status" -eq 0 ]
    [ "$output" = "0 wrong, no error" ]
    [[ $stderr == *"warning: The program uses libcublas.so.13."*"none of it runs here"* ]]
}

@test "exec: our library is found before the folders in a program" {
    build add -Xlinker "-rpath=$(dirname "$NVCC")/../lib64" -Xlinker --disable-new-dtags
    run_exec "$W/add"
    [ "$status" -eq 0 ]
    [ "$output" = "0 wrong, no error" ]
}

@test "exec: texture fetches give what a card gave, bit for bit" {
    build textures
    run_exec "$W/textures"
    [ "$status" -eq 0 ]
    diff <(echo "$output") "$ROOT/grader/tests/exec/textures.out"
}

@test "exec: a device that is reset has all its memory and its first values again" {
    build reset
    run_exec "$W/reset"
    [ "$status" -eq 0 ]
    [ "$output" = "first: 3, count 8, shared 6, cudaSuccess
again: 4, count 9, shared 7, cudaSuccess
free as at first: 0
reset: cudaSuccess
free as at first: 1
free again: cudaErrorInvalidValue
after: 3, count 8, shared 6, cudaSuccess
cudaErrorECCUncorrectable, uncorrectable ECC error" ]
    [[ $stderr == *"clclab exec: 0 errors"* ]]
}

@test "exec: mistakes in the command line" {
    run_exec
    [ "$status" -eq 2 ]
    run_exec "$W/there-is-none"
    [ "$status" -eq 2 ]
    [[ $stderr == *"there is no program"* ]]
    run_exec --launches 5-3 /bin/true
    [ "$status" -eq 2 ]
    run_exec --kernels '(' /bin/true
    [ "$status" -eq 2 ]
    run_exec --gpu-model none /bin/true
    [ "$status" -eq 2 ]
    run_exec --check NONE001 /bin/true
    [ "$status" -eq 2 ]
    [[ $stderr == *"exec: --check: there is no rule"* ]]
}

@test "exec: a program without CUDA, and options of the program's own" {
    # shellcheck disable=SC2016 # the program expands it
    printf '#!/bin/sh\necho "$*"\nexit 7\n' >"$W/other"
    chmod +x "$W/other"
    run_exec "$W/other" --help --seed
    [ "$status" -eq 7 ]
    [ "$output" = "--help --seed" ]
    [[ $stderr == *"did not use a device"* ]]
    printf '#!/bin/sh\nkill -SEGV $$\n' >"$W/other"
    run_exec "$W/other"
    [ "$status" -eq 139 ]
    [[ $stderr == *"ended by signal 11"* ]]
    [ -z "$(ls "$TMPDIR")" ]
}
