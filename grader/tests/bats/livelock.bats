#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab run: launches that do something for ever and come nowhere.

load common
setup() { common_setup; }

@test "a launch that comes nowhere is told within seconds" {
    cat >"$W/spins.cu" <<'END'
extern "C" __global__ void counts(volatile int *flag, unsigned *polls) {
    while (*flag == 0) atomicAdd(polls, 1);
}
extern "C" __global__ void gives_back(int *a, int *b) { // b is never free
    for (;;) {
        while (atomicCAS(a, 0, 1)) {}
        if (atomicCAS(b, 1, 2) == 1) break;
        atomicExch(a, 0);
    }
}
extern "C" __global__ void together(volatile int *flag, int *unused) {
    __shared__ int go;
    do {
        if (threadIdx.x == 0) go = *flag;
        __syncthreads();
        int g = go;
        __syncthreads();
        if (g) break;
    } while (true);
}
extern "C" __global__ void sleeps(int *lock, int *unused) {
    unsigned ns = 8;
    while (atomicCAS(lock, 1, 2) != 1) {
        __nanosleep(ns);
        if (ns < 256) ns *= 2;
    }
}
END
    local kernel says
    clclab ptx "$W/spins.cu" --target sm_100a >"$W/spins.ptx"
    for kernel in counts gives_back together sleeps; do
        run timeout "$PATIENCE" "$CLCLAB" run "$W/spins.ptx" --kernel "$kernel" --grid 4 --block 64 \
            --arg buf:4 --arg buf:4
        [ "$status" -eq 1 ] || fail "$kernel: exit status $status" "$output"
        says="[DEADLOCK]"
        [ "$kernel" != together ] || says="loop that never ends"
        [[ $output == *"$says"* ]] || fail "$kernel" "$output"
    done
}

@test "so is one whose threads go on to arrive at an mbarrier, in every kind of schedule, trace and model of time" {
    cat >"$W/arrives.cu" <<'END'
#include <stdint.h>
extern "C" __global__ void arrives(int *out) { // lanes 1 to 31 may fall behind
    __shared__ alignas(8) uint64_t bar;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&bar), phase = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(p) : "memory");
    __syncthreads();
    while (*(volatile int *)out != 7) {
        if (threadIdx.x == 0)
            asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(p) : "memory");
        for (uint32_t ok = 0; !ok;)
            asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                         : "=r"(ok) : "r"(p), "r"(phase) : "memory");
        phase ^= 1;
    }
}
END
    local options
    clclab ptx "$W/arrives.cu" --target sm_100a >"$W/arrives.ptx"
    for options in "" "--schedules 20" "--time-model" "--trace $W/trace.json"; do
        # shellcheck disable=SC2086 # none, or several words
        run timeout "$PATIENCE" "$CLCLAB" run "$W/arrives.ptx" --grid 2 --block 32 --arg buf:4 $options
        [ "$status" -eq 1 ] || fail "$options: exit status $status" "$output"
        [[ $output == *"[DEADLOCK]"* ]] || fail "$options" "$output"
    done
}

@test "who comes nearer to an end by mbarriers alone is not told so" {
    its_turn 3
    cat >"$W/counts.cu" <<'END'
#include <stdint.h>
extern "C" __global__ void counts(volatile int *out) { // 100,000 phases, and block 1 waits for block 0's
    __shared__ alignas(8) uint64_t bar;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&bar), phase = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(p) : "memory");
    __syncthreads();
    for (int i = 0; blockIdx.x ? !__shfl_sync(~0u, *out, 0) : i < 100000; i++) {
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(p) : "memory");
        for (uint32_t ok = 0; !ok;)
            asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                         : "=r"(ok) : "r"(p), "r"(phase) : "memory");
        phase ^= 1;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *out = 1;
}
END
    local options
    clclab ptx "$W/counts.cu" --target sm_100a >"$W/counts.ptx"
    for options in "" "--schedules 12" "--time-model"; do
        # shellcheck disable=SC2086 # none, or several words
        run timeout "$PATIENCE" "$CLCLAB" run "$W/counts.ptx" --grid 2 --block 32 --arg buf:4 $options
        [ "$status" -eq 0 ] || fail "$options: exit status $status" "$output"
    done
}

@test "functions are followed into and out of, built for a debugger or not" {
    its_turn 3
    cat >"$W/calls.cu" <<'EOF'
#define FUNCTION __noinline__ __device__
FUNCTION bool is_at(int *p, int me) { return atomicAdd(p, 0) == me; }
FUNCTION int turn(int *p, int v, int n) { atomicExch(p, v); return n + 1; }
FUNCTION void bump(int *n) { *n = *n + 1; }
FUNCTION bool come_to(int n, int most) { return n >= most; }
FUNCTION unsigned sum_to(unsigned n) { return n ? n + sum_to(n - 1) : 0; }
struct Lock {
    int *p;
    FUNCTION bool take() { return atomicCAS(p, 0, 1) == 0; }
    FUNCTION void give() { atomicExch(p, 0); }
};
extern "C" __global__ void toggles(int *out, int most) { // counts what nobody looks at
    int me = blockIdx.x, turns = 0;
    while (!is_at(out + 1, 5))
        if (is_at(out, me)) turns = turn(out, 1 - me, turns);
    out[2 + me] = turns;
}
extern "C" __global__ void starves(int *out, int most) {
    Lock lock{out};
    for (bool done = false; !done; ) {
        if (!lock.take()) continue;
        done = is_at(out + 1, 5);
        lock.give();
    }
}
extern "C" __global__ void recurses(int *out, int most) {
    unsigned n = 0;
    while (!is_at(out + 1, 5)) {
        n = sum_to(3 + (n & 3)) & 7;
        atomicExch(out, n);
    }
}
extern "C" __global__ void ends(int *out, int most) { // counts by reference
    int n = 0;
    while (!come_to(n, most)) {
        if (is_at(out, blockIdx.x)) turn(out, 1 - blockIdx.x, n);
        bump(&n);
    }
    out[2 + blockIdx.x] = n;
}
EOF
    local flag kernel verdict
    for flag in -lineinfo -G; do
        for kernel in toggles starves recurses ends; do
            run timeout "$PATIENCE" "$CLCLAB" run "$W/calls.cu" --compile-flag $flag --kernel $kernel \
                --grid 2 --block 1 --arg buf:64 --arg i32:400000 --dump 0="$W/out"
            verdict=1
            [ $kernel != ends ] || verdict=0
            [ "$status" -eq $verdict ] || fail "$kernel $flag: exit status $status" "$output"
            [ $verdict -eq 0 ] || [[ $output == *"[DEADLOCK]"* || $output == *"loop that never ends"* ]] ||
                fail "$kernel $flag" "$output"
        done
        [ "$(od -An -td4 -j8 -N8 "$W/out" | tr -s ' ')" = " 400000 400000" ] || fail "ends $flag" "$(od -td4 "$W/out")"
    done
}
