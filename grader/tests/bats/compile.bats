#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# From .cu to PTX: the compiler's messages, its limits, the caches, and what
# happens without a toolkit.

load common
setup() { common_setup; }

@test "a syntax error: file, line, column, source line and caret" {
    printf '#include "lab.h"\nint f() {\n    return 1 +;\n}\n' >"$W/x.cu"
    run clclab grade 1 "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [[ $output =~ x\.cu:3:[0-9]+:\ error: ]] || fail "no place"
    holds "$output" "return 1 +;"
    holds "$output" "^"
    nothing_left
}

@test "a syntax error fails builds, and the rest is skipped" {
    printf '#include "lab.h"\nint x = ;\n' >"$W/x.cu"
    grade_json 1 "$W/x.cu" && fail "it passed"
    [ "$(failed_checks)" = builds ] || fail "failed: $(failed_checks)"
    [ "$(json checks.correct.status)" = skip ] || fail "correct not skipped"
    [ "$(json score)" = 0 ] || fail "score $(json score)"
    [ "$(json checks.builds.cause.line)" = 2 ] || fail "another line"
}

@test "an include that does not exist" {
    printf '#include "lab.h"\n#include <windows.h>\n' >"$W/x.cu"
    run clclab grade 1 "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "x.cu:2"
    holds "$output" "windows.h"
}

@test "a file cannot include what is not the compiler's or the lab's" {
    printf '#include "lab.h"\n#include "/etc/passwd"\n' >"$W/x.cu"
    run clclab grade 1 "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    lacks "$output" "root:"
}

@test "host headers that learners include are there" {
    lab1_right
    sed -i '1s/$/\n#include <stdint.h>\n#include <stdio.h>\n#include <assert.h>\n#include <stddef.h>\n#include <cstdint>\n#include <cstdio>/' \
        "$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "messages without end are cut off" {
    its_turn 2
    { echo '#include "lab.h"'; for i in $(seq 3000); do echo "int a$i = ;"; done; } >"$W/x.cu"
    run clclab grade 1 "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ "${#output}" -lt 100000 ] || fail "${#output} bytes"
    holds "$output" "x.cu:2"
}

@test "malformed inline PTX: the line of the PTX" {
    lab1_right '    asm volatile("mov.u32 %%r1 %%r2 foo");'
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(failed_checks)" builds
    [ "$(json checks.builds.cause.code)" = PTX ] || fail "code $(json checks.builds.cause.code)"
}

@test "a long line of malformed PTX is cut short in the message" {
    lab1_right "    asm volatile(\"mov.u32 $(head -c 100000 /dev/zero | tr '\0' x);\");"
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    [ "$(stat -c %s "$W/r.json")" -lt 20000 ] || fail "$(stat -c %s "$W/r.json") bytes"
}

@test "an unknown PTX instruction" {
    lab1_right '    asm volatile("frobnicate.u32 %%r1, %%r2;");'
    grade_json 1 "$W/fixed_work.cu" && fail "it passed"
    holds "$(json checks.builds.cause.what)" frobnicate
}

# What NVRTC copies unread, and the parser takes.
no_assembler() {
    command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ] || skip "no ptxas"
}

@test "inline asm that no assembler takes fails builds, at its line, each time" {
    no_assembler
    lab1_right '    asm volatile("pmevent 77;" ::: "memory");'
    line=$(grep -n pmevent "$W/fixed_work.cu" | cut -d: -f1)
    for _ in 1 2; do
        grade_json 1 "$W/fixed_work.cu" && fail "it passed"
        [ "$(failed_checks)" = builds ] || fail "$(failed_checks)"
        [ "$(json checks.builds.cause.code)" = PTX ] || fail "code $(json checks.builds.cause.code)"
        [ "$(json checks.builds.cause.line)" = "$line" ] || fail "line $(json checks.builds.cause.line)"
        holds "$(json checks.builds.cause.help)" "pmevent 77"
    done
}

# nvcc -ptx asks ptxas itself.
@test "inline asm that no assembler takes, under nvcc" {
    no_assembler
    its_turn 2
    lab1_right '    asm volatile("pmevent 77;" ::: "memory");'
    run clclab grade 1 "$W/fixed_work.cu" --compiler nvcc
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" pmevent
}

@test "inline asm of a rare form that the assembler takes builds, and is kept" {
    lab1_right '    asm volatile("{ .reg .b32 t; prefetch.global.L2 [%0+77]; mov.b32 t, %%envreg9; }" :: "l"(data));'
    for _ in 1 2; do
        grade_json 1 "$W/fixed_work.cu" || fail "$(failed_checks)"
    done
}

@test "every form that is taken for known is taken by ptxas" {
    no_assembler
    grader/tools/known-asm --check "${ASM_FORMS_BIN:-$ROOT/build/tools/asm-forms}" || fail "see above"
}

@test "clclab ptx prints PTX for compute_100a" {
    run --separate-stderr clclab ptx "$(solution 4)"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" ".target sm_100a"
    holds "$output" "clusterlaunchcontrol.try_cancel"
    holds "$output" ".loc"
}

@test "clclab ptx of a file that does not compile" {
    printf 'int x = ;\n' >"$W/x.cu"
    run clclab ptx "$W/x.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "x.cu:1"
}

@test "nvcc on request gives the same verdict" {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
    run clclab grade 4 "$(solution 4)" --compiler nvcc
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "100/100"
}

@test "generic lambdas compile, with both compilers; functions that are not marked do not" {
    its_turn 2
    sed -e 's|^extern "C"|template <class F> __device__ void each(F f) { f(0); f(1.5f); }\n&|' \
        -e 's|^\( *\)float alpha = .*|&\n\1each([\&](auto x) { alpha += 0 * x; });|' \
        "$(solution 4)" >"$W/cluster_clc.cu"
    run grep -c 'auto x' "$W/cluster_clc.cu"
    [ "$output" = 1 ] || fail "no lambda in the file"
    run clclab grade 4 "$W/cluster_clc.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
    if [ -x /usr/local/cuda/bin/nvcc ]; then
        run clclab grade 4 "$W/cluster_clc.cu" --compiler nvcc
        [ "$status" -eq 0 ] || fail "exit status $status with nvcc"
    fi
    printf 'int helper(int x) { return x; }\n' >>"$W/cluster_clc.cu"
    run clclab grade 4 "$W/cluster_clc.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "int helper(int x)"
    holds "$output" "write __device__"
}

@test "without integers of 128 bits labs 3, 4 and 9 are graded as with them" {
    its_turn 2
    for lab in 3 4 9; do
        run clclab grade $lab "$(solution $lab)" --compile-flag -DCCCL_DISABLE_INT128_SUPPORT
        [ "$status" -eq 0 ] || fail "lab $lab: exit status $status"
        holds "$output" "100/100"
    done
    # The flag is no word that nobody reads: the library's own loop needs them.
    run clclab grade 3 grader/tests/kernels/right/lab3-for-each-canceled.cu \
        --compile-flag -DCCCL_DISABLE_INT128_SUPPORT
    [ "$status" -eq 1 ] || fail "the loop of the library: exit status $status"
}

@test "with an empty cache and with a full one: the same report" {
    export XDG_CACHE_HOME=$W/cache
    clclab grade 1 "$(solution 1)" --seed 5 --format json --no-time >"$W/cold"
    clclab grade 1 "$(solution 1)" --seed 5 --format json --no-time >"$W/warm"
    cmp "$W/cold" "$W/warm"
}

@test "a cache that cannot be written does not matter" {
    : >"$W/file"
    XDG_CACHE_HOME=$W/file run clclab grade 1 "$(solution 1)"
    [ "$status" -eq 0 ] || fail "exit status $status"
    XDG_CACHE_HOME=/proc/nowhere run clclab grade 1 "$(solution 1)"
    [ "$status" -eq 0 ] || fail "exit status $status"
    nothing_left
}

@test "a spoiled cache entry is not believed" {
    its_turn 2
    export XDG_CACHE_HOME=$W/cache
    clclab grade 1 "$(solution 1)" >"$W/first"
    find "$W/cache" -type f -size -2000k | while read -r file; do
        echo garbage >"$file"
    done
    run clclab grade 1 "$(solution 1)"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a truncated precompiled header is not believed" {
    its_turn 2
    export XDG_CACHE_HOME=$W/cache
    clclab grade 1 "$(solution 1)" >"$W/first"
    find "$W/cache" -type f -size +2000k | while read -r file; do
        truncate -s 100000 "$file"
    done
    lab1_right
    run clclab grade 1 "$W/fixed_work.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "two at once share the cache without harm" {
    export XDG_CACHE_HOME=$W/cache
    clclab grade 1 "$(solution 1)" >"$W/a" & one=$!
    clclab grade 1 "$(solution 1)" >"$W/b" & two=$!
    wait $one
    wait $two
    nothing_left
}

@test "without a toolkit: what was looked for, and exit 69, never a zero" {
    export XDG_CACHE_HOME=$W/cache
    CLCLAB_TOOLKIT=$W/none run clclab grade 1 "$(solution 1)"
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "CUDA"
    holds "$output" "12.8"
    holds "$output" "$W/none"
    lacks "$output" "0/100"
    nothing_left
}

# The folder of cuda.h that the compiler itself uses: an nvcc on PATH may be a
# script that stands elsewhere.
toolkit_headers() {
    local header
    printf '#include <cuda.h>\n' >"$W/where.cu"
    header=$(nvcc -M "$W/where.cu" 2>/dev/null ||
        /usr/local/cuda/bin/nvcc -M "$W/where.cu") || return 1
    dirname "$(grep -o '[^ ]*/cuda\.h' <<<"$header" | head -n 1)"
}

@test "nvcc without a C++ compiler of the machine: 69, not a zero" {
    mkdir -p "$W/tk/bin"
    ln -s "$(toolkit_headers)" "$W/tk/include"
    printf '#!/bin/sh\necho "nvcc fatal   : Failed to preprocess host compiler properties." >&2\nexit 1\n' >"$W/tk/bin/nvcc"
    chmod +x "$W/tk/bin/nvcc"
    CLCLAB_TOOLKIT=$W/tk run clclab grade 4 "$(solution 4)" --compiler nvcc
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "apt-get install g++"
    lacks "$output" "Score"
    nothing_left
}

# A toolkit like CUDA 12.8's, as far as CLC is concerned: libcu++ has no function
# for it. The headers are copies, since the compiler may read its toolkit alone.
old_toolkit() {
    local headers
    headers=$(toolkit_headers) && [ -e "$headers/../lib/libnvrtc.so" ] || return 1
    mkdir -p "$W/tk"
    cp -rL "$headers" "$W/tk/include"
    ln -s "$(readlink -f "$headers/../lib")" "$W/tk/lib64"
    find "$W/tk/include" \( -name clusterlaunchcontrol.h -o -name work_stealing \
        -o -name for_each_canceled.h \) -delete
    find "$W/tk/include" -path '*/cuda/ptx' \
        -exec sed -i '/clusterlaunchcontrol\.h/d' {} +
    ! grep -rq 'clusterlaunchcontrol' "$W/tk/include"
}

@test "where libcu++ has no functions for CLC, lab.h has them" {
    its_turn 2
    local lab
    old_toolkit || skip "no toolkit with NVRTC beside its headers"
    export XDG_CACHE_HOME=$W/cache CLCLAB_TOOLKIT=$W/tk
    for lab in 3 4 9; do
        run clclab grade $lab "$(solution $lab)"
        [ "$status" -eq 0 ] || fail "lab $lab: exit status $status: $output"
        holds "$output" "100/100"
    done
}

@test "PTX of version 8.7, as CUDA 12.8 makes it, runs" {
    clclab ptx "$(solution 4)" >"$W/new.ptx"
    sed 's/^\.version .*/.version 8.7/' "$W/new.ptx" >"$W/old.ptx"
    grep -q '^\.version 8\.7' "$W/old.ptx" || fail "$(head -n 12 "$W/new.ptx")"
    run clclab run "$W/old.ptx" --kernel cluster_clc --grid 64 --block 128 \
        --arg buf:32768:iota32 --arg i32:8192
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
}

# One mistake a line: what the two compilers say of it, and where.
@test "CLC's usual mistakes have a help of their own, whichever compiler says them" {
    cat >"$W/x.cu" <<'END'
#include "lab.h"
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ void fixed_work(float *data, int n) {
    __shared__ uint4 slot;
    __shared__ uint64_t bars[2];
    int k = 0, m = 1;
    cg::invoke_one(cg::coalesced_threads(), [k]() {
        ptx::clusterlaunchcontrol_try_cancel(&slot, &bars[k + m]);
    });
    int x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(slot);
    ptx::clusterlaunchcontrol_trycancel(&slot, &bars[0]);
    ptx::mbarrier_init(1, &bars[0]);
    mbarrier_init(&bars[0], 1);
    coalesced_threads();
}
END
    local compiler
    for compiler in nvrtc nvcc; do
        [ "$compiler" = nvrtc ] || [ -x /usr/local/cuda/bin/nvcc ] || continue
        run clclab grade 1 "$W/x.cu" --compiler "$compiler"
        [ "$status" -eq 1 ] || fail "exit status $status"
        output=$(tr -s ' \n' ' ' <<<"$output")
        holds "$output" "does not capture m: write [&]"
        holds "$output" "ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(...)"
        holds "$output" "Did you mean ptx::clusterlaunchcontrol_try_cancel?"
        holds "$output" "It takes (uint64_t* addr, const uint32_t& count)."
        holds "$output" "Write ptx::mbarrier_init:"
        lacks "$output" "Correct this line first"
    done
}
