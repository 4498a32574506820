#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab run: what arguments may be, and how a kernel is launched with them.

load common
setup() { common_setup; }

setup_file() {
    cat >"$BATS_FILE_TMPDIR/own.cu" <<'END'
#include <cstdio>
struct In { float *p; int n; struct { char c; double d; } q[2]; };
extern "C" __global__ void from_struct(In in, float *out) {
    int i = threadIdx.x;
    if (i < in.n) out[i] = in.p[i] * 2 + (float)in.q[1].d + in.q[0].c;
}
typedef float (*Fn)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float thrice(float x) { return 3 * x; }
__device__ Fn chosen = thrice;
__device__ Fn table[2] = {twice, thrice};
extern "C" __global__ void calls(Fn fn, float *out) { out[threadIdx.x] = fn(threadIdx.x); }
extern "C" __global__ void rows(float **rows, float *out) {
    out[threadIdx.x] = rows[threadIdx.x % 2][threadIdx.x];
}
extern "C" __global__ void adds_one(int *in, int *out, int first) {
    if (first) in[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
extern "C" __global__ void sums(double *x) { atomicAdd(x, 1.0 / (blockIdx.x + 1)); }
extern "C" __global__ void prints(int most) {
    for (int i = 0; i < most; i++)
        printf("thread %d says %d of %d, at some length\n", threadIdx.x, i, most);
}
extern "C" __global__ void small(short a, unsigned char b, int *out) { *out = a + b; }
END
}

run_own() { # run_own KERNEL OPTION...
    local name=$1
    shift
    run --separate-stderr clclab run "$BATS_FILE_TMPDIR/own.cu" --kernel "$name" "$@"
}

floats() { # floats FILE: the 32-bit floats behind a header of .npy
    od -An -v -tf4 -j128 "$1" | xargs
}

clean() {
    # shellcheck disable=SC2154 # run sets stderr
    [ "$status" -eq 0 ] || fail "exit status $status" "$output" "$stderr"
    holds "$output" "Clean"
}

@test "a structure with pointers in it, and the buffers that they lead to" {
    local struct='struct:{buf:[f32:1,2,3,4],i32:4,[struct:{i8:1,f64:2},struct:{i8:3,f64:4}]}'
    run_own from_struct --grid 1 --block 4 --arg buf:16 --arg "$struct"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "does not fit"
    run_own from_struct --grid 1 --block 4 --arg "$struct" --arg buf:16 \
        --dump 1="$W/o.npy:f32" --dump 0.0="$W/i.npy:f32"
    clean
    [ "$(floats "$W/o.npy")" = "7 9 11 13" ] || fail "$(floats "$W/o.npy")"
    [ "$(floats "$W/i.npy")" = "1 2 3 4" ] || fail "$(floats "$W/i.npy")"
    run_own from_struct --grid 1 --block 4 --arg 'struct:{buf:12,i32:4,[f64:0,0,0,0]}' --arg buf:16
    [ "$status" -eq 1 ] || fail "exit status $status" "$stderr"
    holds "$output" "past the end of the"
    holds "$output" "parameter 0 (12 bytes)"
}

@test "pointers to pointers, and functions by their names" {
    run_own rows --grid 1 --block 4 --dump 1="$W/o.npy:f32" \
        --arg 'buf:[buf:[f32:1,2,3,4],buf:16:iota:f32]' --arg buf:16
    clean
    [ "$(floats "$W/o.npy")" = "1 1 3 3" ] || fail "$(floats "$W/o.npy")"
    for pair in 'twice 0 2 4 6' 'chosen 0 3 6 9'; do
        run_own calls --grid 1 --block 4 --arg "fn:${pair%% *}" --arg buf:16 \
            --dump 1="$W/o.npy:f32"
        clean
        [ "$(floats "$W/o.npy")" = "${pair#* }" ] || fail "$(floats "$W/o.npy")"
    done
    usage_error "there is no such function" run "$BATS_FILE_TMPDIR/own.cu" --kernel calls \
        --grid 1 --block 1 --arg fn:fourfold --arg buf:4
    usage_error "CUtensorMap" run k.cu --grid 1 --block 1 --arg tensormap:x
}

@test "arguments from a JSON file, whose paths begin at its folder" {
    mkdir "$W/in"
    run_own rows --grid 1 --block 4 --arg 'buf:[buf:16,buf:16:zero:f32]' --arg buf:16 \
        --dump 0.1="$W/in/one.npy"
    clean
    printf '%s\n' '[{"struct": [{"file": "one.npy"}, {"i32": 4}, {"array": [' \
        '"struct:{i8:1,f64:2}", {"struct": [{"i8": 0}, {"f64": "5"}]}]}]},' \
        '{"buf": 16, "output": "same"}]' >"$W/in/args.json"
    run_own from_struct --grid 1 --block 4 --arg "@$W/in/args.json" --dump 1="$W/o.npy:f32"
    clean
    [ "$(floats "$W/o.npy")" = "6 6 6 6" ] || fail "$(floats "$W/o.npy")"
    usage_error "takes 2 arguments, and 3 are given" run "$BATS_FILE_TMPDIR/own.cu" \
        --kernel from_struct --grid 1 --block 4 --arg "@$W/in/args.json" --arg buf:1
}

@test "a buffer that nobody has written is not read" {
    run_own adds_one --grid 1 --block 4 --arg buf:16:poison --arg buf:16 --arg i32:0
    [ "$status" -eq 1 ] || fail "exit status $status" "$stderr"
    holds "$output" "MEM003"
    holds "$output" "parameter 0 (16 bytes) that nobody has written"
    run_own adds_one --grid 1 --block 4 --arg buf:16:poison --arg buf:16:poison --arg i32:1
    clean
    run_own adds_one --grid 1 --block 4 --arg buf:16:poison --arg buf:16 --arg i32:0 --check none
    clean
}

@test "what differs is told by the type of its elements" {
    local run=(sums --grid 8 --block 1 --schedules 9)
    run_own "${run[@]}" --arg buf:8:same:zero:f64
    [ "$status" -eq 1 ] || fail "exit status $status" "$stderr"
    holds "$output" "(f64 2.717"
    holds "$output" "1 of 1 elements differ"
    run_own "${run[@]}" --arg buf:8:close=1e-12:zero:f64
    clean
    usage_error "for floats alone" run k.cu --grid 1 --block 1 --arg buf:8:close=1:zero:i32
}

@test "numbers of one and two bytes" {
    run_own small --grid 1 --block 1 --arg i16:-2 --arg u8:255 --arg buf:4 --dump 2="$W/o.npy:i32"
    clean
    [ "$(od -An -td4 -j128 "$W/o.npy" | xargs)" = 253 ] || fail "$(od -An -td4 "$W/o.npy")"
    usage_error "from -32768" run k.cu --grid 1 --block 1 --arg i16:32768
}

@test "printf: whole calls, and it is said how much was lost" {
    run_own prints --grid 1 --block 32 --arg i32:2
    clean
    [ "$(grep -c 'says [01] of 2, at some length$' <<<"$output")" -eq 64 ] || fail "$output"
    run_own prints --grid 1 --block 32 --arg i32:100
    clean
    holds "$output" "more bytes were not kept"
    run_own prints --grid 1 --block 32 --arg i32:100 --format json --out "$W/r.json"
    [ "$(json output_lost)" -gt 50000 ] || fail "output_lost"
    [[ $(json output) == *'at some length\n' ]] || fail "a call was cut"
}

@test "a cooperative launch synchronises its grid, and fits or is refused" {
    cat >"$W/grid.cu" <<'END'
#include <cooperative_groups.h>
extern "C" __global__ void grid(int *a, int *out) {
    if (threadIdx.x == 0) a[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    int s = 0;
    for (int i = 0; i < gridDim.x; i++) s += a[i];
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
END
    local run=(run "$W/grid.cu" --block 32 --arg buf:64 --arg buf:64:same --cooperative)
    run clclab "${run[@]}" --grid 8 --schedules 12 --dump 1="$W/o"
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    [ "$(od -An -v -td4 -N8 "$W/o" | xargs)" = "36 36" ] || fail "$(od -An -td4 "$W/o")"
    usage_error "model mini holds 8 of these blocks together" "${run[@]}" --grid 9
    run clclab "${run[@]}" --grid 16 --gpu-model b200
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
    run clclab run "$W/grid.cu" --grid 8 --block 32 --arg buf:64 --arg buf:64
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$(tr -s ' \n' ' ' <<<"$output")" "grid.cu:4:5: error: The grid synchronises, and was not launched for it. [TRAP]"
    holds "$(tr -s ' \n' ' ' <<<"$output")" "found Thread 0 of block 1 executes a trap."
    holds "$(tr -s ' \n' ' ' <<<"$output")" "help A grid that synchronises has to be launched for it"
}

@test "a cluster that is too large is named as the cause" {
    local run=(run "$BATS_FILE_TMPDIR/own.cu" --kernel sums --block 32 --arg buf:8)
    usage_error "a cluster of 3 in x does not divide 8 blocks" "${run[@]}" --grid 8 --cluster 3
    usage_error "a cluster of 16 blocks is more than 8" "${run[@]}" --grid 16 --cluster 16
    usage_error "a cluster of 16 blocks is too large: model mini holds 8" "${run[@]}" \
        --grid 16 --cluster 16 --large-clusters
    usage_error "a cluster of 8 blocks is too large: model mini holds 4" "${run[@]}" --grid 8 \
        --cluster 8 --dynamic-smem 200000
}

@test "kernels that launch kernels are refused by name" {
    cat >"$W/parent.cu" <<'END'
__global__ void child(int *x) { x[threadIdx.x] = 1; }
extern "C" __global__ void parent(int *x) { child<<<1, 32>>>(x); }
END
    run clclab run "$W/parent.cu" --kernel parent --grid 1 --block 1 --arg buf:128 \
        --compile-flag -rdc=true
    [ "$status" -eq 70 ] || fail "exit status $status" "$output"
    holds "$output" "parent.cu:2"
    holds "$output" "(dynamic"
    holds "$output" "UNSUPPORTED"
    [[ $output != *clclab-job-* ]] || fail "a folder of the compiler's" "$output"
    run clclab run "$W/parent.cu" --kernel parent --grid 1 --block 1 --arg buf:128
    [ "$status" -eq 1 ] || fail "exit status $status" "$output"
    holds "$(tr -s ' \n' ' ' <<<"$output")" "A kernel cannot launch kernels here (dynamic parallelism)"
}

@test "hints are executed as hints, those for tensor maps as well" {
    cat >"$W/hints.ptx" <<'END'
.version 9.0
.target sm_100a
.address_size 64
.visible .entry hints(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.b64 %rd2, map;
    cvta.param.u64 %rd2, %rd2;
    prefetch.tensormap [%rd2];
    prefetch.param.tensormap [map];
    prefetch.global.L2 [%rd1];
    prefetch.global.L2::evict_last [%rd1];
    prefetchu.L1 [%rd1];
    createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;
    cp.async.bulk.prefetch.L2.global [%rd1], 128;
    applypriority.global.L2::evict_normal [%rd1], 128;
    discard.global.L2 [%rd1], 128;
    st.global.u32 [%rd1], 1;
    ret;
}
END
    run clclab run "$W/hints.ptx" --grid 1 --block 1 --arg "bytes:$(printf '00%.0s' {1..128})" \
        --arg buf:128
    [ "$status" -eq 0 ] || fail "exit status $status" "$output"
}
