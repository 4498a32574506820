#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The labelled kernels of grader/tests/micro: each wrong one is found at its
# line and by its code, and nothing is said of a right one.

load common
setup() { common_setup; }

MICRO=grader/tests/micro

holds_labels() { # holds_labels NAME: of $MICRO/NAME.cu
    run "$MICRO/hold-labels" "$CLCLAB" "$MICRO/$1.cu"
    [ "$status" -eq 0 ] || fail "labels that do not hold"
}

@test "races in shared memory" { holds_labels shared; }
@test "races in a warp" { holds_labels warps; }
@test "races in global memory" { holds_labels global; }
@test "atomics" { holds_labels atomics; }
@test "out of bounds, after free, misaligned" { holds_labels bounds; }
@test "memory that nobody has written" { holds_labels uninitialised; }
@test "clusters" { holds_labels clusters; }
@test "barriers" { holds_labels barriers; }
@test "mbarriers" { holds_labels mbarriers; }
@test "asynchronous copies" { holds_labels copies; }

@test "every file of labelled kernels is held, and there are enough of them" {
    local file wrong right
    while read -r file; do
        grep -q "holds_labels $(basename "$file" .cu);" \
            "$BATS_TEST_FILENAME" || fail "$file is held by no test"
    done < <(grep -l '^// label:' "$MICRO"/*.cu)
    wrong=$(cat "$MICRO"/*.cu | grep '^// label:' | grep -vc clean)
    right=$(cat "$MICRO"/*.cu | grep -c '^// label: clean')
    [ "$wrong" -ge 100 ] || fail "only $wrong wrong ones"
    [ "$right" -ge 60 ] || fail "only $right right ones"
}

@test "docs/compute-sanitizer.md is what the recording and the labels give" {
    "$MICRO/compare" >"$W/page.md" 2>"$W/err" || fail "compare fails"
    diff "$W/page.md" docs/compute-sanitizer.md >&2 ||
        fail "grader/tests/micro/compare >docs/compute-sanitizer.md"
}

# label_fails LABEL LINE: the kernel of $W/k.cu, an access out of bounds in
# line 6, does not hold this label with this line marked.
label_fails() {
    cp "$MICRO/micro.cuh" "$W"
    {
        echo '#include "micro.cuh"'
        echo "// label: $1"
        echo '// run: 1 32'
        echo 'MICRO wrong(int *out, int *in, int n) {'
        echo "    out[threadIdx.x] = in[threadIdx.x];"
        echo "    out[n + threadIdx.x] = 1;"
        echo "}"
    } | sed "$2s|\$| // <- here|" >"$W/k.cu"
    run "$MICRO/hold-labels" "$CLCLAB" "$W/k.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "k.cu: wrong: "
}

@test "labels that do not hold are said so" {
    label_fails clean 1
    holds "$output" "error MEM001 at line 6 is not in its label"
    label_fails RACE001 6
    holds "$output" "no error RACE001 at line 6"
    label_fails MEM001 5
    holds "$output" "no error MEM001 at line 5"
    label_fails "advisory MEM001" 6
    holds "$output" "no advisory MEM001"
    run "$MICRO/hold-labels" "$CLCLAB" "$MICRO/no-such-file.cu"
    [ "$status" -ne 0 ] || fail "a file that is not there holds"
}
