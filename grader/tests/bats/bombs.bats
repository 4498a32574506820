#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Sources that eat time, memory or disk at compile time. Each is stopped at a
# limit of processor time or bytes, which takes some seconds.

load common
setup() {
    common_setup
    its_turn 3
}

# bomb PART...: compiling $W/x.cu ends as the submission's fault.
bomb() {
    run clclab grade 1 "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "$1"
    nothing_left
}

@test "a compile that eats time is stopped" {
    cat >"$W/x.cu" <<'END'
#include "lab.h"
template <int N, int M> struct T { static constexpr int v = T<N - 1, M * 2>::v + T<N - 1, M * 2 + 1>::v; };
template <int M> struct T<0, M> { static constexpr int v = M; };
__device__ int x = T<26, 1>::v;
END
    bomb "x.cu"
}

@test "a compile that eats memory is stopped" {
    cat >"$W/x.cu" <<'END'
#include "lab.h"
template <int... I> struct Seq {};
template <int N, int... I> struct Make : Make<N - 1, N - 1, I...> {};
template <int... I> struct Make<0, I...> { typedef Seq<I...> type; };
constexpr long f(int n) { long s = 0; for (int i = 0; i < n; i++) s += i; return s; }
template <int N> __device__ int g() { return g<N - 1>() + sizeof(typename Make<N>::type); }
template <> __device__ int g<0>() { return 0; }
__device__ int x() { return g<800>(); }
END
    bomb "x.cu"
}

@test "a compile that writes without end is stopped" {
    its_turn 3
    cat >"$W/x.cu" <<'END'
#include "lab.h"
__device__ unsigned char big[2][23 << 20] = {"x", "y"};
END
    bomb "x.cu"
    [ "${#output}" -lt 10000 ] || fail "${#output} bytes"
}

@test "an include of itself without end" {
    printf '#include "x.cu"\n' >"$W/x.cu"
    bomb "x.cu"
}
