#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the compiler warns of, or the file itself shows, is the first cause of a
# failure that touches it, and of no other.

load common
setup() { common_setup; }

# The solution of lab 3 with a change, graded; $output in one line.
changed() { # SED-EXPRESSION
    sed -E "$1" "$(solution 3)" >"$W/block_clc.cu"
    cmp -s "$(solution 3)" "$W/block_clc.cu" && fail "nothing changed"
    run clclab grade 3 "$W/block_clc.cu" --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
}

# The first error's sentence.
first_is() {
    local first=${output#*: error: }
    [[ $first == "$1"* ]] || fail "the first is: ${first:0:200}"
}

@test "a phase that nobody set: where it is declared, then what the run showed" {
    changed 's/int phase = 0;/int phase;/'
    first_is "phase is declared without a value"
    holds "$output" "int phase;"
    holds "$output" "uses a value that nobody has set"
}

@test "a variable that a branch may have set is not called unset" {
    changed 's/int phase = 0;/int phase; if (n < -1) asm volatile("mov.s32 %0, 0;" : "=r"(phase));/'
    holds "$output" "uses a value that nobody has set"
    lacks "$output" "is declared without a value"
}

@test "an answer that was never loaded: the compiler's own warning, said once" {
    changed 's/^( *)if \(!ptx::(.*is_canceled)\(result\)\)/\1uint4 got;\n\1if (!ptx::\2(got))/'
    first_is "The compiler warns of this: variable \"got\" is used before its value is set"
    [ "$(grep -o 'variable "got" is used' <<<"$output" | wc -l)" -eq 1 ] || fail "said twice: $output"
}

@test "an innocent warning stays below what the run showed" {
    changed 's/int phase = 0;/int phase = 1; int spare; spare = n; n == 3;/'
    lacks "$output" "The compiler warns of this"
    holds "$output" "warning: "
}

@test "a slot, or an mbarrier, without __shared__ is told at its declaration" {
    changed 's/__shared__ uint4 result/uint4 result/'
    first_is "result is declared without __shared__"
    holds "$output" "[CLC005]"
    changed 's/__shared__ uint64_t bar/uint64_t bar/'
    first_is "bar is declared without __shared__"
    holds "$output" "[MEM001]"
}

@test "shared memory that is used by a wrong address is not called unshared" {
    changed 's/try_cancel\(&result, &bar\)/try_cancel(\&bar, \&bar + 40000)/'
    lacks "$output" "without __shared__"
}

@test "the index of a slot, or an address in a register, is not called unshared" {
    run clclab grade 7 "$ROOT/solutions/07-batch-clc/wrong/three_slots.cu" --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    first_is "Thread 96 of block 0 requests a cancellation into a slot outside result, which has 48 bytes"
    sed -E 's/: "r"\(bar\), "r"\(parity\)/: "r"(parity), "r"(bar)/' "$(solution 9)" >"$W/raw_ptx.cu"
    run clclab grade 9 "$W/raw_ptx.cu" --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    first_is "Thread 0 of block 0 gives 0 in place of an mbarrier's address"
    holds "$output" "[MEM001]"
}

# Lab 1 with this line where the element is multiplied; $output in one line.
lab1() { # LINE
    sed -E "/BEGIN TO""DO\\(2\\)/,/END TO""DO\\(2\\)/c\\    $1" "$(solution 1)" >"$W/fixed_work.cu"
    run clclab grade 1 "$W/fixed_work.cu" --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    holds "$output" "FAIL 0/15 correct"
}

@test "a loop that never ends and left no code is the first cause" {
    lab1 'int i = blockIdx.x * blockDim.x + threadIdx.x; while (i < n) data[i] *= alpha;'
    [[ $output =~ Line\ [0-9]+\ left\ no\ code:\ a\ loop\ that\ never\ ends ]] || fail "$output"
}

@test "a store that is wrong, overwritten, split over lines or in a branch left code" {
    local head='int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;' body
    for body in 'data[i] = 0; data[i] += alpha;' 'data[i]\n = data[i] \n + alpha;' \
        'if (i % 2) data[i] = alpha; else data[i] = 2 * alpha;' \
        'for (int k = 0; k < 2; k++)\n data[i] += alpha;' \
        'float kept[4];\n kept[i % 4] = alpha;\n data[i] += kept[i % 4];'; do
        lab1 "$head\\n$body"
        lacks "$output" "left no code"
        lacks "$output" "kept no code"
    done
}

@test "a variable that hides the one that was meant is told before what nobody decoded" {
    changed 's/^( *)bx = (ptx::.*first_ctaid_x.*)/\1int bx = \2/'
    first_is "bx is declared a second time in line "
    holds "$output" "[CLC009]"
    lacks "$output" "never referenced"
    # Two blocks with a variable of one name: neither hides the other.
    changed 's/^( *)phase \^= 1;/\1{ int spare = 1; (void)spare; }\n\1{ int spare; }/'
    lacks "$output" "declared a second time"
}

@test "an index that is overwritten before anything reads it, and one that nothing reads" {
    changed 's/^( *)bx = (ptx::.*)/\1int next = \2/; s/^( *)\/\/ END TODO\(5\)/\1next = n;\n\1bx += next;/'
    first_is "next takes the index of the answer in line "
    holds "$output" "before anything reads it. [CLC009]"
    changed 's/^( *)bx = (ptx::.*)/\1int next = \2/; s/^( *)\/\/ END TODO\(5\)/\1(void)next;/'
    first_is "Line "
    holds "$output" "left no code: nothing uses what next gets there. [CLC009]"
    # Set again where nothing was granted, which is right.
    changed 's/^( *)bx = (ptx::.*)/\1int next; if (n > 0) next = \2/; s/^( *)\/\/ END TODO\(5\)/\1else next = 0;\n\1bx = next;/'
    holds "$output" "Score: 100/100"
}

@test "an expression without effect is told where the failure names its variable" {
    changed 's/^( *)phase \^= 1;/\1phase ^ 1;/'
    first_is "The compiler warns of this: expression has no effect."
    holds "$output" "The parity was not flipped"
}

@test "an axis of the grid whose index nobody takes from the answer" {
    sed 's/get_first_ctaid_z</get_first_ctaid_y</' "$(solution 5)" >"$W/tile_clc.cu"
    run clclab grade 5 "$W/tile_clc.cu" --schedules 8 --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    first_is "No answer's index along z is used"
    # Another mistake in a kernel that takes all three.
    sed 's/x < width && y < height/x <= width \&\& y < height/' "$(solution 5)" >"$W/tile_clc.cu"
    run clclab grade 5 "$W/tile_clc.cu" --schedules 8 --no-advice
    [ "$status" -eq 1 ]
    lacks "$output" "No answer's index"
}

@test "a loop that no refusal leaves is told before what its threads come to" {
    local loop='/query_cancel_is_canceled/{N; s/break/bx = blockIdx.x/}'
    sed -E "$loop; s/if \\(x < width/if (x <= width/" "$(solution 5)" >"$W/tile_clc.cu"
    run clclab grade 5 "$W/tile_clc.cu" --schedules 8 --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    first_is "No thread can leave the kernel"
    # Asked again after a refusal: that is told as what it is.
    changed '/query_cancel_is_canceled/{N; s/break/continue/}'
    holds "$output" "[CLC001]"
    lacks "$output" "can leave the kernel"
    # A loop that ends otherwise.
    changed 's/while \(true\) \{/for (int k = 0; k < n; k++) {/; s/phase = 0;/phase = 1;/'
    lacks "$output" "can leave the kernel"
}
