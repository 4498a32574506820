#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab run: kernels that belong to no lab.

load common
setup() { common_setup; }

# own NAME: $W/NAME.cu from standard input.
own() {
    cat >"$W/$1.cu"
}

# run_own NAME OPTION...: clclab run on $W/NAME.cu; output, status, stderr.
run_own() {
    local name=$1
    shift
    run --separate-stderr clclab run "$W/$name.cu" "$@"
}

# run_json FILE OPTION...: the report in $W/r.json.
run_json() {
    local status=0
    clclab run "$@" --format json --no-time >"$W/r.json" 2>"$W/err" || status=$?
    return $status
}

words() { # words FILE: its 32-bit words, on one line
    od -An -v -tu4 "$1" | xargs
}

scale() { # x[i] = i * f for i < n
    own scale <<'END'
__global__ void scale(float *x, int n, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * f;
}
END
}

add_one() {
    own add_one <<'END'
extern "C" __global__ void add_one(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}
END
}

# Single-block CLC of one's own; $1 stands for what it does with the answer.
stealing() {
    own stealing <<END
#include <cuda/ptx>
#include <cstdint>
#if !__has_include(<cuda/__ptx/instructions/clusterlaunchcontrol.h>)
#include "lab.h" // CUDA 12.8: libcu++ has no such functions
#endif
namespace ptx = cuda::ptx;
extern "C" __global__ void stealing(unsigned *seen) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned phase = 0, block = blockIdx.x;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    while (true) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
            atomicAdd(&seen[block], 1);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, phase)) {}
        phase ^= 1;
        uint4 a = answer;
        bool ok = ptx::clusterlaunchcontrol_query_cancel_is_canceled(a);
        ${1:-if (!ok) break;}
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(a);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}
END
}

# ---- running --------------------------------------------------------------

@test "a kernel runs, and its buffer can be had" {
    scale
    run_own scale --grid 2 --block 4 --arg buf:32 --arg i32:7 --arg f32:0.5 \
        --dump 0="$W/o.bin"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "Clean: nothing found in 1 schedule"
    holds "$output" "instructions of threads"
    [ "$(od -An -v -tf4 "$W/o.bin" | xargs)" = "0 0.5 1 1.5 2 2.5 3 0" ] ||
        fail "$(od -tf4 "$W/o.bin")"
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "run needs no course" {
    scale
    cp "$CLCLAB" "$W/clclab"
    cd "$W" || return 1
    run timeout -k 5 "$PATIENCE" ./clclab run scale.cu --grid 1 --block 4 --arg buf:16 \
        --arg i32:4 --arg f32:1
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "Clean"
}

@test "a lab's solution runs as any kernel, and its steals are counted" {
    run clclab run "$(solution 3)" --grid 80 --block 128 \
        --arg buf:40000:random:7 --arg i32:10000 --schedules 9
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "80 in the grid: 8 started, 72 stolen, 0 pending"
    holds "$output" "80 requests: 8 refused, 0 of them while blocks were pending"
    holds "$output" "steals    72 blocks"
    holds "$output" "refuse-early  done"
    holds "$output" "Clean: nothing found in 9 schedules"
}

@test "a CLC kernel of one's own" {
    stealing
    run_own stealing --grid 40 --block 32 --arg buf:160 --dump 0="$W/seen" \
        --schedules 16
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [ "$(words "$W/seen" | tr ' ' '\n' | sort -u)" = 1 ] || fail "$(words "$W/seen")"
}

@test "clusters, three dimensions, dynamic shared memory" {
    own shapes <<'END'
extern "C" __global__ void shapes(unsigned *out) {
    extern __shared__ unsigned tile[];
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    tile[255] = rank;
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] =
            tile[255] + 10 * gridDim.z + 100 * blockDim.y;
}
END
    run_own shapes --grid 2,2,3 --block 4,2 --cluster 2 --dynamic-smem 1024 \
        --arg buf:48 --dump 0="$W/o"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [ "$(words "$W/o")" = "230 231 230 231 230 231 230 231 230 231 230 231" ] ||
        fail "$(words "$W/o")"
    holds "${output//$'\n'/ }" "grid 2 x 2 x 3, block 4 x 2, cluster 2, 1024 bytes"
    run_own shapes --grid 2,2,3 --block 4,2 --arg buf:48
    [ "$status" -eq 1 ] || fail "without shared memory: exit status $status"
    holds "$output" "[MEM001]"
}

@test "headers beside the file, and compile flags" {
    mkdir "$W/more"
    echo '#define TWO 2' >"$W/two.h"
    echo '#define THREE 3' >"$W/more/three.h"
    own flags <<'END'
#include "two.h"
#include "three.h"
extern "C" __global__ void flags(int *out) { *out = TWO * THREE * FIVE; }
END
    run_own flags --grid 1 --block 1 --arg buf:4 --dump 0="$W/o" \
        --compile-flag "-I$W/more" --compile-flag -DFIVE=5 \
        --compile-flag -std=c++20
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr" "$output"
    [ "$(words "$W/o")" = 30 ] || fail "$(words "$W/o")"
    run_own flags --grid 1 --block 1 --arg buf:4 --compile-flag -arch=sm_90
    [ "$status" -eq 2 ] || fail "-arch: exit status $status"
}

@test "what the kernel prints" {
    own say <<'END'
#include <stdio.h>
extern "C" __global__ void say(int n) { printf("block %d of %d\n", blockIdx.x, n); }
END
    run_own say --grid 2 --block 1 --arg i32:-3
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "  | block 1 of -3"
}

# ---- buffers ----------------------------------------------------------------

@test "what buffers hold: zeros, 0 1 2 ..., random words, a file" {
    add_one
    local run=(add_one --grid 1 --block 4)
    run_own "${run[@]}" --arg buf:16 --arg buf:16 --dump 1="$W/a"
    [ "$(words "$W/a")" = "1 1 1 1" ] || fail "$(words "$W/a")"
    run_own "${run[@]}" --arg buf:16:iota32 --arg buf:16 --dump 1="$W/a"
    [ "$(words "$W/a")" = "1 2 3 4" ] || fail "$(words "$W/a")"
    # splitmix64 of the states 0 to 3: the upper halves
    run_own "${run[@]}" --arg buf:16:random:0 --arg buf:16 --dump 0="$W/b"
    [ "$(words "$W/b")" = "3793791033 2433363436 2539140574 487265508" ] ||
        fail "$(words "$W/b")"
    run_own "${run[@]}" --arg buf:16:file="$W/b" --arg buf:16 --dump 1="$W/a"
    [ "$(words "$W/a")" = "3793791034 2433363437 2539140575 487265509" ] ||
        fail "$(words "$W/a")"
    run_own "${run[@]}" --arg buf:18:random:1 --arg buf:16 --dump 0="$W/c"
    [ "$(od -An -v -tx1 "$W/c" | xargs)" = \
        "ec 2d 0a 91 de 35 58 97 e4 14 0b 1d 72 e3 73 6e 0c 3b" ] ||
        fail "$(od -tx1 "$W/c")"
}

@test "a buffer's size is kept to the byte" {
    add_one
    run_own add_one --grid 1 --block 4 --arg buf:16 --arg buf:15
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "add_one.cu:3:"
    holds "$output" "[MEM001]"
    holds "$output" "    out[i] = in[i] + 1;"
}

@test "a file of another size, a missing one, a directory" {
    add_one
    local f=$W/add_one.cu
    head -c 15 /dev/zero >"$W/15"
    usage_error "15 bytes" run "$f" --grid 1 --block 1 --arg "buf:16:file=$W/15" --arg buf:16
    usage_error "more than 14" run "$f" --grid 1 --block 1 --arg "buf:14:file=$W/15" --arg buf:16
    usage_error "$W/none" run "$f" --grid 1 --block 1 --arg "buf:14:file=$W/none" --arg buf:16
    usage_error "directory" run "$f" --grid 1 --block 1 --arg "buf:14:file=$W" --arg buf:16
}

@test "sizes that no machine has" {
    add_one
    for size in 99999999999999 18446744073709551616 -1 1e3 4294967296; do
        usage_error "--arg 0 (buf:$size)" run "$W/add_one.cu" --grid 1 --block 1 \
            --arg "buf:$size" --arg buf:16
    done
}

# ---- dumps ------------------------------------------------------------------

@test "a dump is whole or not at all, and one that fails loses nothing else" {
    add_one
    local run=(add_one --grid 1 --block 4 --arg buf:16 --arg buf:16)
    run_own "${run[@]}" --dump 0="$W/no/such/a" --dump 1="$W/b"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "$W/no/such/a"
    holds "$output" "Clean"
    [ "$(words "$W/b")" = "1 1 1 1" ] || fail "$(words "$W/b")"
    [ "$(find "$W" -name '*.??????' | grep -c '/\.')" -eq 0 ] || fail "temporary files"
    run_own "${run[@]}" --dump 0="$W"
    [ "$status" -eq 2 ] || fail "a directory: exit status $status"
    run_own "${run[@]}" --dump 0=/dev/full
    [ "$status" -eq 2 ] || fail "a device: exit status $status"
}

@test "dumps that cannot be are refused before the run" {
    add_one
    local run=("$W/add_one.cu" --grid 1 --block 4 --arg buf:16 --arg buf:16)
    usage_error "already" run "${run[@]}" --dump "0=$W/a" --dump "0=$W/b"
    usage_error "that file" run "${run[@]}" --dump "0=$W/a" --dump "1=$W/a"
    usage_error "not there" run "${run[@]}" --dump "2=$W/a"
    usage_error "K=PATH" run "${run[@]}" --dump "$W/a"
    [ ! -e "$W/a" ] || fail "it was written"
}

@test "a kernel that faults still dumps what it had done" {
    own halfway <<'END'
extern "C" __global__ void halfway(int *out) { out[0] = 5; out[1] = 6; }
END
    run_own halfway --grid 1 --block 1 --arg buf:4 --dump 0="$W/o"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ "$(words "$W/o")" = 5 ] || fail "$(words "$W/o")"
}

# ---- findings ---------------------------------------------------------------

@test "a wrong CLC kernel is found, with place, schedule and replay" {
    stealing '/* takes a refusal for a grant */ if (!ok && block == 99) break;'
    run_own stealing --grid 40 --block 32 --arg buf:160
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$output" "stealing.cu:"
    holds "$output" "CLC0"
    holds "$output" "Found: "
}

@test "output that depends on the schedule is a finding, replayed up to there" {
    stealing 'if (!ok) { atomicExch(&seen[gridDim.x], block); break; }'
    local run=(--grid 40 --block 32 --arg buf:164:same --schedules 9)
    run_own stealing "${run[@]/:same/}"
    [ "$status" -eq 0 ] || fail "an advisory: exit status $status" "$output"
    holds "$output" "[OUTPUT]"
    holds "$output" "1 advisory"
    run_own stealing "${run[@]/:same/:any}"
    [ "$status" -eq 0 ] || fail ":any: exit status $status" "$output"
    lacks "$output" "[OUTPUT]"
    run_own stealing "${run[@]/:same/}" --check OUTPUT
    [ "$status" -eq 1 ] || fail "--check OUTPUT: exit status $status" "$output"
    run_own stealing "${run[@]}"
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$output" "[OUTPUT]"
    holds "$output" "first at byte 160"
    holds "$output" "; other output"
    run_json "$W/stealing.cu" "${run[@]}" && fail "it passed"
    [ "$(json findings.0.code)" = OUTPUT ] || fail "$(json findings.0.code)"
    local replay words
    replay=$(json findings.0.replay)
    holds "$replay" "--schedules $(($(json findings.0.schedule) + 1))"
    read -ra words <<<"$replay"
    run --separate-stderr clclab "${words[@]:1}"
    [ "$status" -eq 1 ] || fail "the replay: exit status $status"
    holds "$output" "[OUTPUT]"
    run_own stealing "${run[@]}" --check CLC,MEM
    [ "$status" -eq 0 ] || fail "--check CLC,MEM: exit status $status"
}

@test "a finding of one schedule is replayed by that schedule alone" {
    run_json solutions/04-cluster-clc/wrong/waits_once.cu --grid 80 --block 128 \
        --arg buf:40000:iota32 --arg i32:10000 --schedules 12 && fail "it passed"
    [ "$(json findings.0.code)" = CLC007 ] || fail "$(json findings.0.code)"
    local replay words what
    replay=$(json findings.0.replay)
    what=$(json findings.0.what)
    holds "$replay" "--only-schedule $(json findings.0.schedule)"
    read -ra words <<<"$replay"
    run_json "${words[@]:2}" && fail "the replay passed"
    [ "$(json 'schedules.#')" = 1 ] || fail "$(json 'schedules.#') schedules"
    [ "$(json findings.0.what)" = "$what" ] || fail "another finding"
}

@test "the dumps of two schedules can be compared" {
    own order <<'END'
extern "C" __global__ void order(unsigned *next, unsigned *who) {
    who[atomicAdd(next, 1)] = blockIdx.x;
}
END
    local run=(order --grid 20 --block 1 --arg buf:4 --arg buf:80:same)
    run_own "${run[@]}" --dump 1="$W/a"
    run_own "${run[@]}" --only-schedule 0 --dump 1="$W/b"
    cmp "$W/a" "$W/b" || fail "schedule 0 is not the plain one"
    run_own "${run[@]}" --only-schedule 1 --dump 1="$W/b"
    ! cmp -s "$W/a" "$W/b" || fail "schedule 1 is the plain one"
    run_own "${run[@]}" --schedules 2 --dump 1="$W/c"
    [ "$status" -eq 1 ] || fail "exit status $status"
    cmp "$W/a" "$W/c" || fail "the dump is not of the first schedule"
}

@test "--check none finds nothing but what ends a run" {
    add_one
    stealing '/* a granted block is dropped */ break;'
    run_own stealing --grid 40 --block 32 --arg buf:160
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "[CLC009]"
    holds "$output" "8 lost"
    run_own stealing --grid 40 --block 32 --arg buf:160 --check CLC004,MEM
    lacks "$output" "[CLC009]"
    run_own stealing --grid 40 --block 32 --arg buf:160 --check CLC
    holds "$output" "[CLC009]"
    run_own stealing --grid 40 --block 32 --arg buf:160 --check none
    [ "$status" -eq 0 ] || fail "--check none: exit status $status"
    run_own add_one --grid 1 --block 4 --arg buf:16 --arg buf:15 --check none
    [ "$status" -eq 1 ] || fail "a fault: exit status $status"
}

@test "a finding says who, what was before, what is missing, and where more is" {
    own pair <<'END'
#include "lab.h"
using namespace cuda::ptx;
__global__ void __cluster_dims__(2) pair(int *p) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 37) {
        mbarrier_init(&bar, 1);
        clusterlaunchcontrol_try_cancel(&answer, &bar);
        p[blockIdx.x] = answer.x;
    }
}
END
    run_own pair --grid 2 --block 64 --arg buf:8
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "  who       block 0, rank 0 of its cluster of 2, warp 1, lane 5"
    holds "$output" "pair.cu:8: The request was issued here."
    holds "$output" "     8 |         clusterlaunchcontrol_try_cancel(&answer, &bar);"
    holds "$output" "  missing   A completed wait for the answer's phase"
    holds "$output" "  more      clclab explain CLC007"
    run_json "$W/pair.cu" --grid 2 --block 64 --arg buf:8 && fail "it passed"
    holds "$(json findings.0.who)" "warp 1, lane 5"
    holds "$(json findings.0.missing)" "A completed wait"
    [ "$(json findings.0.explain)" = "clclab explain CLC007" ]
}

@test "a lost block: how far its answer came" {
    own lost <<'END'
#include "lab.h"
using namespace cuda::ptx;
__global__ void lost(int *p) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    mbarrier_init(&bar, 1);
    clusterlaunchcontrol_try_cancel(&answer, &bar);
    mbarrier_arrive_expect_tx(sem_relaxed, scope_cta, space_shared, &bar, 16);
    while (!mbarrier_try_wait_parity(&bar, 0)) {
    }
    if (*p)
        return;
    p[1] = clusterlaunchcontrol_query_cancel_is_canceled(answer);
}
END
    run_own lost --grid 20 --block 1 --arg buf:8 --check CLC
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "[CLC009]"
    holds "$output" "is_canceled said yes, and get_first_ctaid was not asked"
    holds "$output" "lost.cu:13: The grant was seen here."
    printf '\1\0\0\0\0\0\0\0' >"$W/one"
    run_own lost --grid 20 --block 1 --arg "buf:8:file=$W/one" --check CLC
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "the answer was not looked at"
}

@test "a rule that does not exist is guessed" {
    add_one
    usage_error "did you mean CLC001?" run "$W/add_one.cu" --grid 1 --block 1 \
        --arg buf:4 --arg buf:4 --check CLC01
    usage_error "did you mean SYNC?" run "$W/add_one.cu" --grid 1 --block 1 \
        --arg buf:4 --arg buf:4 --check SYNK
}

@test "an endless kernel ends at --max-steps, an interrupt ends it at once" {
    own spin <<'END'
extern "C" __global__ void spin(volatile int *p) { while (!*p && p[1] != 7) p[1] = p[1] * 3 + 2; }
END
    run_own spin --grid 1 --block 1 --arg buf:8 --max-steps 100000 --schedules 5
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "[LIMIT]"
    holds "$output" "the other 4 were not tried"
    "$CLCLAB" run "$W/spin.cu" --grid 1 --block 1 --arg buf:8 --max-steps 0 \
        --dump 0="$W/o" >"$W/out" 2>&1 &
    local child=$!
    until_is has_worked "$child" || fail "it does nothing"
    kill -INT $child || fail "it had ended: $(cat "$W/out")"
    kill -TERM $child 2>/dev/null || true # bash starts it with INT ignored
    wait $child && fail "it ended by itself"
    [ ! -e "$W/o" ] || fail "it wrote a dump"
    nothing_left
}

# ---- names and arguments ----------------------------------------------------

@test "C++ names: the plain one is enough where it is the only one" {
    own names <<'END'
template <typename T> __global__ void fill(T *x) { *x = 7; }
template __global__ void fill<int>(int *);
template __global__ void fill<float>(float *);
namespace deep { __global__ void one(int *x) { *x = 1; } }
extern "C" __global__ void two(int *x) { *x = 2; }
END
    run_own names --grid 1 --block 1 --kernel one --arg buf:4 --dump 0="$W/o"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [ "$(words "$W/o")" = 1 ] || fail "$(words "$W/o")"
    run_own names --grid 1 --block 1 --kernel _Z4fillIiEvPT_ --arg buf:4 --dump 0="$W/o"
    [ "$(words "$W/o")" = 7 ] || fail "$(words "$W/o")"
    usage_error "fill<int>, fill<float>" run "$W/names.cu" --grid 1 --block 1 --kernel fill --arg buf:4
    usage_error "did you mean two?" run "$W/names.cu" --grid 1 --block 1 --kernel too --arg buf:4
    usage_error "deep::one" run "$W/names.cu" --grid 1 --block 1 --kernel nothing --arg buf:4
    usage_error "say which kernel" run "$W/names.cu" --grid 1 --block 1 --arg buf:4
}

@test "every kind of argument arrives" {
    own kinds <<'END'
struct P { int a; float b; char c; };
extern "C" __global__ void kinds(double *out, int i, bool b, signed char c,
    unsigned short s, P p, double d, long long l, unsigned u, float f) {
    out[0] = i; out[1] = b; out[2] = c; out[3] = s; out[4] = p.a;
    out[5] = p.b; out[6] = p.c; out[7] = d; out[8] = (double)l; out[9] = u; out[10] = f;
}
END
    run_own kinds --grid 1 --block 1 --arg buf:88 --arg i32:-2 --arg u32:1 --arg i32:-3 \
        --arg u32:65535 --arg bytes:040000000000a03f05000000 --arg f64:-0.125 \
        --arg i64:-9 --arg u32:0xffffffff --arg f32:0f3fc00000 --dump 0="$W/o"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [ "$(od -An -v -tf8 "$W/o" | xargs)" = \
        "-2 1 -3 65535 4 1.25 5 -0.125 -9 4294967295 1.5" ] || fail "$(od -tf8 "$W/o")"
}

@test "arguments of another number, size or kind" {
    scale
    local run=("$W/scale.cu" --grid 1 --block 1)
    usage_error "takes 3 arguments, and 2 are given; it may be --arg buf:BYTES --arg i32:V --arg f32:V" run \
        "${run[@]}" --arg buf:4 --arg i32:1
    usage_error "--arg 1 (f32:1) does not fit" run "${run[@]}" --arg buf:4 --arg f32:1 --arg f32:1
    usage_error "--arg 1 (i64:1) does not fit" run "${run[@]}" --arg buf:4 --arg i64:1 --arg f32:1
    usage_error "--arg 0 (i32:4) does not fit" run "${run[@]}" --arg i32:4 --arg i32:1 --arg f32:1
    usage_error "2147483647" run "${run[@]}" --arg buf:4 --arg i32:2147483648 --arg f32:1
    usage_error "a float" run "${run[@]}" --arg buf:4 --arg i32:1 --arg f32:1e99
    usage_error "i32:V, u32:V" run "${run[@]}" --arg buf:4 --arg int:1 --arg f32:1
}

@test "grids, blocks and clusters that cannot be" {
    scale
    local rest=(--arg buf:4 --arg i32:1 --arg f32:1)
    usage_error "--grid" run "$W/scale.cu" --grid 0 --block 1 "${rest[@]}"
    usage_error "1024" run "$W/scale.cu" --grid 1 --block 1025 "${rest[@]}"
    usage_error "1024" run "$W/scale.cu" --grid 1 --block 64,32 "${rest[@]}"
    usage_error "multiple of the cluster" run "$W/scale.cu" --grid 3 --block 1 --cluster 2 "${rest[@]}"
    usage_error "needed" run "$W/scale.cu" --block 1 "${rest[@]}"
    usage_error "shared memory" run "$W/scale.cu" --grid 1 --block 1 --dynamic-smem 300000 "${rest[@]}"
    own pair <<'END'
extern "C" __global__ void __cluster_dims__(2) pair() {}
END
    run_own pair --grid 4 --block 1
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "cluster 2"
    usage_error "another cluster size" run "$W/pair.cu" --grid 4 --block 1 --cluster 4
}

# ---- files ------------------------------------------------------------------

@test "PTX of one's own build: lines of the .cu with -lineinfo, else of the PTX" {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
    local nvcc
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    scale
    "$nvcc" -ptx -arch=sm_100a -lineinfo "$W/scale.cu" -o "$W/lines.ptx"
    "$nvcc" -ptx -arch=sm_100a "$W/scale.cu" -o "$W/plain.ptx"
    run --separate-stderr clclab run "$W/lines.ptx" --grid 1 --block 4 \
        --arg buf:12 --arg i32:4 --arg f32:1
    [ "$status" -eq 1 ] || fail "exit status $status" "$stderr"
    holds "$output" "scale.cu:3:"
    run --separate-stderr clclab run "$W/plain.ptx" --grid 1 --block 4 \
        --arg buf:12 --arg i32:4 --arg f32:1
    [ "$status" -eq 1 ] || fail "exit status $status" "$stderr"
    holds "$output" "plain.ptx:"
    holds "$output" "st.global"
}

@test "PTX needs neither compiler nor course" {
    clclab ptx "$(solution 3)" >"$W/k.ptx"
    cp "$CLCLAB" "$W/clclab"
    cd "$W" || return 1
    CLCLAB_TOOLKIT=$W/none run timeout -k 5 "$PATIENCE" ./clclab run k.ptx --kernel block_clc \
        --grid 80 --block 128 --arg buf:40000 --arg i32:10000
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "72 stolen"
}

@test "a file that does not compile, PTX that does not parse" {
    own wrong <<<'extern "C" __global__ void wrong(int *p) { p = 3; }'
    run_own wrong --grid 1 --block 1 --arg buf:4
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "wrong.cu:1:46: error:"
    holds "$output" "^"
    echo 'hello' >"$W/wrong.ptx"
    run clclab run "$W/wrong.ptx" --grid 1 --block 1
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "wrong.ptx:1:1: error:"
    for file in grader/tests/ptx/bad_*.ptx; do
        run clclab run "$file" --grid 1 --block 1
        [ "$status" -eq 1 ] || fail "$file: exit status $status"
    done
}

@test "what is no file of ours" {
    usage_error "No such file" run "$W/none.cu" --grid 1 --block 1
    mkdir "$W/folder.cu"
    usage_error "directory" run "$W/folder.cu" --grid 1 --block 1
    echo >"$W/k.txt"
    usage_error "neither a .cu nor a .ptx" run "$W/k.txt" --grid 1 --block 1
    own nothing <<<'__device__ int x;'
    usage_error "no kernel" run "$W/nothing.cu" --grid 1 --block 1
}

@test "an instruction that the virtual machine lacks: exit 70, its line" {
    own lacks <<'END'
extern "C" __global__ void lacks() {
    asm volatile("tcgen05.fence::before_thread_sync;");
}
END
    run_own lacks --grid 1 --block 1
    [ "$status" -eq 70 ] || fail "exit status $status" "$output"
    holds "$output" "lacks.cu:2:"
    holds "$output" "not supported"
}

@test "a GPU on request: exit 69" {
    scale
    export CLCLAB_LIBCUDA=$W/no-libcuda.so # as if there were none
    run_own scale --grid 1 --block 1 --device gpu --arg buf:4 --arg i32:1 --arg f32:1
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$stderr" "GPU"
}

# ---- reports ----------------------------------------------------------------

@test "the JSON report has every member" {
    stealing
    run_json "$W/stealing.cu" --grid 40 --block 32 --arg buf:160 --schedules 3 --seed 5
    [ "$(json schema)" = clclab/run/v1 ]
    [ "$(json kernel)" = stealing ]
    [ "$(json grid.0)" = 40 ]
    [ "$(json seed)" = 5 ]
    [ "$(json verdict)" = clean ]
    [ "$(json elapsed_ms)" = 0 ]
    [ "$(json 'schedules.#')" = 3 ]
    [ "$(json schedules.1.strategy)" = random ]
    [ "$(json schedules.1.outputs)" = same ]
    [ "$(json ledger.started)" = 8 ]
    [ "$(json ledger.canceled)" = 32 ]
    [ "$(json ledger.pending)" = 0 ]
    [ "$(json counters.steals)" = 32 ]
    [ "$(json counters.thread_instructions)" -gt 1000 ]
    for member in file device gpu_model block cluster dynamic_smem errors \
        advisories findings schedules_asked ledger.requests ledger.refused_pending \
        ledger.lost ledger.chains time_model environment output messages; do
        json "$member" >/dev/null || fail "no $member"
    done
}

@test "the JSON report of a finding has every member" {
    add_one
    run_json "$W/add_one.cu" --grid 1 --block 4 --arg buf:16 --arg buf:15 && fail "it passed"
    [ "$(json verdict)" = findings ]
    [ "$(json errors)" = 1 ]
    [ "$(json findings.0.level)" = error ]
    [ "$(json findings.0.code)" = MEM001 ]
    [ "$(json findings.0.line)" = 3 ]
    [ "$(json schedules.0.status)" = fault ]
    for member in what help file column schedule schedules replay context; do
        json "findings.0.$member" >/dev/null || fail "no $member"
    done
}

@test "the same command gives the same bytes" {
    for try in a b; do
        clclab run "$(solution 4)" --grid 80 --block 128 --arg buf:40000:random:1 \
            --arg i32:9999 --schedules 10 --format json --no-time >"$W/$try"
        clclab run "$(solution 4)" --grid 80 --block 128 --arg buf:40000:random:1 \
            --arg i32:9999 --schedules 10 >"$W/$try.text"
    done
    cmp "$W/a" "$W/b"
    cmp "$W/a.text" "$W/b.text"
}

@test "--out writes the report to a file" {
    scale
    run_own scale --grid 1 --block 4 --arg buf:16 --arg i32:4 --arg f32:1 --out "$W/r.txt"
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ -z "$output" ] || fail "it printed"
    holds "$(cat "$W/r.txt")" "Clean"
}

@test "help says how arguments are written" {
    run clclab run --help
    [ "$status" -eq 0 ] || fail "exit status $status"
    for word in --kernel --grid --block --cluster --dynamic-smem --arg --dump --check \
        --time-model --time-set --prologue \
        --schedules --only-schedule --max-steps --seed buf:BYTES bytes:HEX OUTPUT; do
        holds "$output" "$word"
    done
    run clclab help
    holds "$output" "clclab COMMAND --help"
    holds "$output" "Run and check a kernel of your own"
}

@test "a mistyped option of run is guessed" {
    usage_error "did you mean --schedules?" run k.cu --schedule 3 --grid 1 --block 1
    usage_error "twice" run k.cu --grid 1 --grid 2 --block 1
}

# Under some schedules it hangs (counting, if COUNTS is defined); under others it only
# leaves another order.
first_come() {
    own first_come <<'END'
extern "C" __global__ void first_come(volatile unsigned *p, unsigned *order) {
    unsigned ticket = atomicAdd(order, 1u);
    if (blockIdx.x == 0 && ticket > 5)
        while (!p[0])
            COUNTS;
    order[blockIdx.x + 1] = ticket;
}
END
}

# same_at_any_jobs WORD EXIT OPTION...: the reports of 1, 2 and 4 workers are the same, and
# hold WORD.
same_at_any_jobs() {
    local word=$1 expected=$2 format jobs status
    shift 2
    for format in text json; do
        for jobs in 1 2 4; do
            status=0
            clclab run "$@" --no-time --format $format --jobs $jobs >"$W/$format.$jobs" || status=$?
            [ "$status" -eq "$expected" ] || fail "exit status $status"
        done
        holds "$(<"$W/$format.1")" "$word"
        cmp "$W/$format.1" "$W/$format.2"
        cmp "$W/$format.1" "$W/$format.4"
    done
}

@test "the report is the same bytes, however many schedules are run at a time" {
    first_come
    local launch=("$W/first_come.cu" --grid 8 --block 1 --arg buf:8 --arg buf:36:same --schedules 40)
    same_at_any_jobs OUTPUT 1 "${launch[@]}" --compile-flag "-DCOUNTS="
    same_at_any_jobs DEADLOCK 1 "${launch[@]}" --compile-flag "-DCOUNTS=" --seed 7
    same_at_any_jobs LIMIT 1 "${launch[@]}" --compile-flag "-DCOUNTS=p[1]+=p[1]*2+2" --max-steps 2000
    same_at_any_jobs cycles 1 "${launch[@]}" --compile-flag "-DCOUNTS=" --time-set launch=5000
    add_one
    same_at_any_jobs schedules 0 "$W/add_one.cu" --grid 4 --block 64 --arg buf:1024 --arg buf:1024:poison \
        --schedules 33 --dump "1=$W/o"
    usage_error "at least one" run "$W/add_one.cu" --grid 1 --block 1 --jobs 0
}

# most_threads PID: the most threads that the process is seen with.
most_threads() {
    local most=0 now
    while now=$(awk '$1 == "Threads:" { print $2 }' "/proc/$1/status" 2>/dev/null) && [ -n "$now" ]; do
        ((now > most)) && most=$now
        [ "$most" -lt 4 ] || break
        moment
    done
    echo "$most"
}

@test "where the machine gives few addresses, schedules are run by one" {
    add_one
    local few=$((12 << 20)) threads
    (ulimit -v "$few" && exec "$CLCLAB" run "$W/add_one.cu" --grid 400 --block 64 --arg buf:102400 \
        --arg buf:102400 --schedules 2000 --jobs 4 --no-time >"$W/few") &
    local child=$!
    threads=$(most_threads $child)
    wait $child
    [ "$threads" -eq 1 ] || fail "$threads threads"
    "$CLCLAB" run "$W/add_one.cu" --grid 400 --block 64 --arg buf:102400 --arg buf:102400 \
        --schedules 2000 --jobs 4 --no-time >"$W/many" &
    child=$!
    threads=$(most_threads $child)
    wait $child
    [ "$threads" -eq 4 ] || fail "$threads threads"
    cmp "$W/few" "$W/many"
}

@test "run: for a debugger, what a library copies from an unset array is no use of it" {
    cat >"$W/copy.cuh" <<'EOF'
#pragma once
template <class T> __noinline__ __device__ void copy_one(T *to, const T &from) { *to = from; }
EOF
    cat >"$W/array.cu" <<'EOF'
#include "copy.cuh"
__device__ int at(const int (&items)[4], int i) { return items[i]; }
extern "C" __global__ void array(int *out, int own) {
    __shared__ int tile[4];
    int items[4];
    for (int i = 0; i < 3; i++) items[i] = i + 1; // and not the last
    for (int i = 0; i < 4; i++) {
        if (own) tile[i] = at(items, i);
        else copy_one(&tile[i], items[i]);
    }
    for (int i = 0; i < 3; i++) out[i] = tile[i];
}
EOF
    run clclab run "$W/array.cu" --kernel array --grid 1 --block 1 --arg buf:12 --arg i32:0 \
        --compile-flag -G --dump 0="$W/out"
    [ "$status" -eq 0 ]
    [ "$(od -An -td4 "$W/out" | tr -s ' ')" = " 1 2 3" ]
    run clclab run "$W/array.cu" --kernel array --grid 1 --block 1 --arg buf:12 --arg i32:1 --compile-flag -G
    [ "$status" -eq 1 ]
    [[ $output == *"array.cu:2:"*"[MEM003]"* ]]
}
