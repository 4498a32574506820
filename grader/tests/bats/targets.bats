#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154  # Bats sets stderr
# clclab ptx --target: what a GPU would get. The text itself is tested in
# tests/unit/test_gpu_rewrite.c, what it does in test_gpu_run.c.

load common
setup() { common_setup; }

@test "for another target only the target differs" {
    clclab ptx "$(solution 3)" --target sm_100a >"$W/a"
    clclab ptx "$(solution 3)" --target sm_121f >"$W/b.ptx"
    run diff "$W/a" "$W/b.ptx"
    [ "${#lines[@]}" -eq 4 ] || fail "more than a line differs"
    holds "$output" "< .target sm_100a"
    holds "$output" "> .target sm_121f"
    clclab ptx "$W/b.ptx" --target sm_100a | cmp - "$W/a"
}

@test "emulate: no Cluster Launch Control is left, and it is the same each time" {
    clclab ptx "$(solution 4)" --target emulate >"$W/a"
    clclab ptx "$(solution 4)" --target emulate >"$W/b"
    cmp "$W/a" "$W/b"
    run grep -c -E '^[^.]*(try_cancel|query_cancel)\.' "$W/a"
    [ "$output" = 0 ] || fail "some is left"
    grep -q '^\.target sm_90a$' "$W/a"
    grep -q 'st.async.*complete_tx' "$W/a"
    grep -q '\.loc 2 ' "$W/a"
}

@test "--ledger adds to what is there" {
    clclab ptx "$(solution 4)" --target sm_100a --ledger >"$W/a"
    grep -q 'clclab_gpu\[64\]' "$W/a"
    grep -q 'try_cancel.*multicast::cluster::all' "$W/a"
    grep -q '%smid' "$W/a"
}

@test "a multicast request for a target without an a or f is refused at its line" {
    run clclab ptx "$(solution 9)" --target sm_100
    [ "$status" -eq 0 ] || fail "a single-block request needs none"
    cat >"$W/k.cu" <<'END'
extern "C" __global__ void k(unsigned slot) {
    asm volatile("clusterlaunchcontrol.try_cancel.async"
                 ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%0];" ::"l"((long)slot));
}
END
    run --separate-stderr clclab ptx "$W/k.cu" --target sm_100
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ -z "$output" ] || fail "it printed PTX"
    holds "$stderr" "k.cu:3:"
    holds "$stderr" "clusterlaunchcontrol.try_cancel.multicast::cluster::all. [TARGET]"
    holds "$stderr" "sm_100a or sm_120f"
    clclab ptx "$W/k.cu" --target sm_100f >"$W/ptx"
}

@test "Cluster Launch Control for Hopper is refused, and the emulation named" {
    run --separate-stderr clclab ptx "$(solution 3)" --target sm_90
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$stderr" "block_clc.cu:$(grep -n 'try_cancel(' "$(solution 3)" | cut -d: -f1):"
    holds "$stderr" "sm_90 has no"
    holds "$stderr" "clusterlaunchcontrol.try_cancel. [TARGET]"
    holds "$stderr" "On Hopper it can be emulated:"
    run --separate-stderr clclab ptx "$(solution 1)" --target sm_80
    [ "$status" -eq 0 ] || fail "lab 1 needs none: exit status $status"
}

@test "a target that there is not: the nearest one, or all" {
    run clclab ptx "$(solution 3)" --target sm_110b
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" 'no target "sm_110b"; did you mean sm_110?'
    run clclab ptx "$(solution 3)" --target emulated
    holds "$output" 'did you mean emulate?'
    run clclab ptx "$(solution 3)" --target blackwell
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "there are emulate, sm_75, "
}

@test "--ledger alone, and a name that is taken" {
    run clclab ptx "$(solution 3)" --ledger
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "add --target"
    clclab ptx "$(solution 3)" --target emulate >"$W/e.ptx"
    run clclab ptx "$W/e.ptx" --target emulate
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "The name clclab_gpu is taken."
}

@test "assembling is skipped without ptxas, and a fault of it is told" {
    PTXAS=/nowhere run grader/tools/check-targets --quick
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "# SKIP there is no ptxas"
    # Right kernels for none; for others wrong ones.
    printf '#!/bin/sh\ncase $* in --version*) ;; *) echo "no good"; exit 1 ;; esac\n' >"$W/ptxas"
    chmod +x "$W/ptxas"
    PTXAS=$W/ptxas run grader/tools/check-targets --quick "$(solution 1)"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "# no good"
}
