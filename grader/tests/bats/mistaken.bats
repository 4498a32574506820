#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mistakes of learners, and the sentence that their report begins with: the
# cause, not what came of it.

load common
setup() { common_setup; }

# The mistake of grader/tests/mistakes, graded; $output in one line.
mistaken() { # NN-NAME
    local number=${1%%-*}
    [[ -d $W/all ]] || grader/tools/make-mistakes "$W/all" "$number"
    run clclab grade "$((10#$number))" "$W/all/$1.cu" --schedules 8 --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
}

# The first error's sentence, without who did it.
begins() { # TEXT
    local first=${output#*: error: }
    [[ ${first:0:120} == *"$1"* ]] || fail "the first is: ${first:0:200}"
}

@test "lab 7: an index out of the slots, a warp that does not arrive" {
    mistaken 07-slot_of_the_thread
    begins "requests a cancellation into a slot outside answers, which has 64 bytes"
    mistaken 07-one_too_many
    holds "$output" "Check the index that is used here against the size of answers"
    lacks "$output" "TODO(1)"
    mistaken 07-old_index_stays
    begins "Blocks process an index at one place, and the same one again at another"
    mistaken 07-break_leaves_the_for
    begins "Nothing leads out of the loop that asks"
    mistaken 07-three_ask
    begins "1 warp never arrives at mbarrier all_there"
    mistaken 07-last_answer_speaks
    begins "Of the answers that came together one is a refusal and another a grant"
    mistaken 07-three_ask
    holds "$output" "The others arrive, and thread 96 of block 0 does not: that is decided here."
}

@test "lab 8: an index below 0, an element that was not written, and their conditions" {
    mistaken 08-leaves_below_zero
    begins "in front of its local memory: an index is below 0"
    holds "$output" "did not lead away: \`count < 0\`"
    mistaken 08-one_held_too_many
    begins "reads an element of its local array that it has not written"
    holds "$output" "let it through: \`k <= count\`"
    mistaken 08-held_forgotten
    begins "Blocks take indices that they have not processed when they leave"
}

@test "lab 9: a number for an address, readers that have left, 0 for none" {
    mistaken 09-operands_swapped
    begins "gives 0 in place of an mbarrier's address"
    mistaken 09-thread_0_decodes
    begins "has left the kernel, and other threads of its block go on"
    mistaken 09-zero_for_none
    begins "A refusal leaves 0 behind, and 0 lets the block go on"
    mistaken 09-nobody_arrives
    lacks "$output" "leaves 0 behind"
}

@test "lab 10: waits and arrivals that miss each other" {
    mistaken 10-waits_at_full
    begins "arrives at an mbarrier behind its read, and no thread waits at that one"
    holds "$output" "at mbarrier ring.empty[0], where no thread waits"
    mistaken 10-gives_back_stage_0
    begins "Arrivals for several slots come to the mbarrier of one of them"
    mistaken 10-answer_of_the_parity
    begins "waits for the answer of one slot, and reads that of another"
    holds "$output" "it waited here, at mbarrier ring.full[1]"
    mistaken 10-last_stage_left_out
    begins "Mbarrier ring.empty[2] is used and not initialised, though others beside it are"
    mistaken 10-adds_the_block_index
    begins "The block's own blockIdx is added to the index of an answer, where its rank"
}
