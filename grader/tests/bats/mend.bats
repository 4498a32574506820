#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A learner's file with one thing left out: the report names the region that it
# belongs in, which is often not the one of the line where it showed, and what
# else a learner needs to find it.

load common
setup() {
    its_turn 2
    common_setup
}

# left_out LAB SED_SCRIPT: the solution without something, as a learner's file.
left_out() {
    FILE=$W/$(basename "$(solution "$1")")
    sed -E "$2" "$(solution "$1")" >"$FILE"
    ! cmp -s "$(solution "$1")" "$FILE" || fail "the script changes nothing"
    run clclab grade "$1" "$FILE" "${@:3}"
    [ "$status" -eq 1 ] || fail "exit status $status"
    output=$(tr -s ' \n' ' ' <<<"$output")
}

# without K STATEMENT: a script that deletes it from region K.
without() {
    printf '/BEGIN TODO\\(%s\\)/,/END TODO\\(%s\\)/{/^ *[^/]*%s/{:a;/;( *\\/\\/.*)?$/!{N;ba};d}}' \
        "$1" "$1" "$2"
}

@test "no release: behind the read, not at the request" {
    left_out 3 "$(without 6 fence_proxy)"
    holds "$output" "CLC006"
    holds "$output" "mend in TODO(6): give the slot back"
    holds "$output" "releasing half of a proxy fence behind the read"
}

@test "a file that is filled in halfway says which regions have no code" {
    left_out 3 '/BEGIN TODO\((4|6)\)/,/END TODO/{/TODO/!d}'
    holds "$output" "Score: 5/100"
    holds "$output" "No code yet in TODO(4), TODO(6). The regions belong together"
    run clclab grade 3 "$(solution 3)"
    lacks "$output" "No code yet"
}

@test "no acquire: at the request" {
    left_out 3 "$(without 3 fence_proxy)"
    holds "$output" "CLC006"
    holds "$output" "region TODO(3): ask"
    holds "$output" "The acquiring half of a proxy fence, in the thread that asks."
    holds "$output" "tried with ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster) in front of line"
}

@test "no barrier behind the init: at the init" {
    left_out 3 's/thread_rank\(\) == 0\)$/thread_rank() == 96)/;'"$(without 3 __syncthreads)" --no-advice
    holds "$output" "BAR002"
    holds "$output" "mend in TODO(2)"
}

@test "a parity that never flips is the cause that is told, in block and cluster" {
    for lab in 3 4; do
        left_out "$lab" "$(without 4 'phase \^= 1')"
        holds "$output" "The wait, which was over at once."
        holds "$output" "The parity was not flipped"
        holds "$output" "flipped behind it by each thread that waits, all 64 schedules pass"
        holds "$output" "mend in TODO(4), line"
    done
}

@test "a parity that begins with 1 is mended where it is declared" {
    left_out 3 's/int phase = 0;/int phase = 1;/'
    holds "$output" "it begins with parity 1, and no phase had completed"
    holds "$output" "tried with the other parity in the wait of line"
}

@test "bytes announced in one block alone: each block that receives" {
    left_out 4 '/BEGIN TODO\(3\)/,/END TODO\(3\)/s/thread_block::thread_rank/cluster_group::thread_rank/'
    holds "$output" "DEADLOCK"
    holds "$output" "16 bytes came that nobody has announced"
    holds "$output" "mend in TODO(3): announce the bytes"
}

@test "the request was for one block: ask by multicast" {
    left_out 4 's/try_cancel_multicast/try_cancel/'
    holds "$output" "The request was not multicast"
    holds "$output" "tried with ptx::clusterlaunchcontrol_try_cancel_multicast"
    holds "$output" "mend in TODO(2)"
}

@test "a deadlock names the root, by its element, and where the others wait" {
    left_out 10 's/at\.parity \^ 1\)/at.parity)/'
    holds "$output" "Thread 0 of block 0 waits for ever for phase 0 (parity 0) of mbarrier ring.empty[0]"
    holds "$output" "319 other threads wait at an mbarrier here"
    holds "$output" "region TODO(2)"
}

@test "a block that leaves early: its last line, in the lab's last region" {
    left_out 10 "$(without 6 sync)"
    holds "$output" "MEM004"
    holds "$output" "mend in TODO(6): leave together"
}

@test "who left, and from where" {
    left_out 4 's/^( *)bx \+= cg/\1if (cg::cluster_group::block_rank() == 1) break;\n&/'
    holds "$output" "CLC003"
    holds "$output" "That block left the kernel from here."
    holds "$output" "mend in TODO(5), line"
}

@test "a race of functions that are ready: the region between their calls" {
    left_out 5 "$(without 2 __syncthreads)"
    holds "$output" "RACE001"
    holds "$output" "called $FILE:"
    holds "$output" "TODO(2)"
}

@test "two lanes of a warp race first, then other warps: a barrier of the block" {
    left_out 5 's|^( *)__syncthreads\(\); // the tile is complete.*|\1|' --no-advice
    holds "$output" "RACE001"
    holds "$output" "Put a barrier (__syncthreads()) between the two"
    lacks "$output" "__syncwarp"
}

@test "a mistake in a function shows the call, and the region of the call" {
    left_out 8 's/asking = false;/ask(\&result, \&bar);/'
    holds "$output" "CLC001"
    holds "$output" "called $FILE:"
    holds "$output" "region TODO(2): what to do when a request was refused."
}

@test "threads of several rows, each with threadIdx.x == 0" {
    left_out 5 '/BEGIN TODO\(2\)/,/END TODO\(2\)/s/thread == 0/threadIdx.x == 0/' --no-advice
    holds "$output" "threadIdx.x == 0 holds in each row"
}

@test "the chain of a block says where it stored instead" {
    left_out 4 '/bx \+= cg::cluster_group::block_index/d'
    holds "$output" "exactly_once"
    [[ $output =~ block\ 1:\ 1\ -\>\ ([0-9]+)\ \(stored\ to\ ([0-9]+)\) ]] || fail "$output"
    [ "${BASH_REMATCH[2]}" -eq $((BASH_REMATCH[1] - 1)) ]
}

@test "a block index that was taken and then lost: the region that decodes it" {
    left_out 4 '/bx \+= cg::cluster_group::block_index/d'
    holds "$output" "mend in TODO(5)"
    left_out 5 's/get_first_ctaid_y</get_first_ctaid_x</'
    holds "$output" "exactly_once"
    holds "$output" "TODO(4)"
}

@test "no request at all: the region that asks" {
    run clclab grade 3
    output=$(tr -s ' \n' ' ' <<<"$output")
    holds "$output" "Ask for a pending block with ptx::clusterlaunchcontrol_try_cancel before"
    holds "$output" "mend in TODO(3): ask for a pending block"
    run clclab grade 4
    output=$(tr -s ' \n' ' ' <<<"$output")
    holds "$output" "for all blocks of yours (ptx::clusterlaunchcontrol_try_cancel_multicast), before"
    holds "$output" "mend in TODO(2)"
    run clclab grade 9
    output=$(tr -s ' \n' ' ' <<<"$output")
    holds "$output" "Ask for a pending block with clusterlaunchcontrol.try_cancel before"
    holds "$output" "mend in TODO(2)"
}

@test "a lab that steals nothing: launch_plan's region, or the work's" {
    left_out 1 's/ - 1\) \/ q\.threads_per_block/) \/ q.threads_per_block/'
    holds "$output" "launch_plan chose"
    holds "$output" "mend in TODO(1)"
    left_out 2 's/int stride = gridDim\.x \* /int stride = /'
    holds "$output" "exactly_once"
    holds "$output" "region TODO(2)"
}

@test "a line that does not compile names its region" {
    left_out 3 's/phase \^= 1;/phase ^= one;/'
    holds "$output" "region TODO(4)"
}

@test "a call that fits no function lists those that there are, and says what the likest takes" {
    left_out 3 's/, sizeof\(uint4\)\);//;s/&bar,$/\&bar, 7u, sizeof(uint4));/;s/^ *sizeof\(uint4\)\);$//;s/mbarrier_init\(&bar, 1/mbarrier_init(1/'
    holds "$output" "no instance of overloaded function"
    holds "$output" "mbarrier_arrive_expect_tx(sem_relaxed_t, scope_t<_Scope>, space_shared_t, uint64_t *, const uint32_t &)"
    lacks "$output" "__4::"
    holds "$output" "It takes (uint64_t* addr, const uint32_t& count)."
    lacks "$output" "Correct this line first"
}

@test "the first of many messages is to be corrected first, and no message that is alone" {
    left_out 3 's/phase \^= 1;/phase ^= one;/'
    lacks "$output" "Correct this line first"
    left_out 3 's/phase \^= 1;/phase ^= one + two + three;/'
    [ "$(grep -o "Correct this line first" <<<"$output" | wc -l)" -eq 1 ] || fail "helps: $output"
}

@test "a bar in modelled time shows its figure where it is kept" {
    run clclab grade 8 "$(solution 8)"
    [[ $(tr -s ' \n' ' ' <<<"$output") =~ yield\ [0-9]+%\ \(at\ most\ 470%\) ]] || fail "no figure: $output"
}

@test "a look that nothing orders before the request: send it earlier, and not leave earlier" {
    FILE=solutions/06-pipelined-clc/wrong/second_request_by_another_warp.cu
    run clclab grade 6 "$FILE" --no-advice
    output=$(tr -s ' \n' ' ' <<<"$output")
    holds "$output" "CLC001"
    holds "$output" "The thread that asks could not know: another one looked in between."
    lacks "$output" "leave the loop"
}

@test "a request behind several looks: to leave is the last one's region" {
    left_out 6 's/if \(!first \|\| !second\)/if (!second)/' --no-advice
    holds "$output" "CLC001"
    holds "$output" "One refusal ends the asking, whatever the other answers say"
    holds "$output" "mend in TODO(5), line"
}

@test "a parity that two waits share flips once a phase" {
    left_out 6 's/^( *)bool first =/\1phase ^= 1;\n&/'
    holds "$output" "DEADLOCK"
    holds "$output" "The parity of this wait is one phase ahead of mbarrier bar[1]"
    holds "$output" "tried with a parity for each wait that is 0 at first, and flipped behind it (line 83), all 64 schedules pass."
}

@test "PTX: a wait for a parity that does not say so" {
    left_out 9 's/try_wait\.parity/try_wait/'
    holds "$output" "Operand 3 of 'mbarrier.try_wait' takes 64 bits: "
    holds "$output" "With .parity behind its name it takes a parity, in 32 bits"
    lacks "$output" "grader error"
}

@test "PTX: half a fence with the other half's space, as the assembler has it" {
    left_out 9 's/::shared::cta\.cluster;/::shared::cluster.cluster;/'
    holds "$output" "goes with '.acquire' alone"
    holds "$output" "To release: .sync_restrict::shared::cta."
}

@test "PTX: a request with its operands swapped is mended at the request" {
    left_out 9 's/request\(slot, bar\);/request(bar, slot);/'
    holds "$output" "CLC005"
    holds "$output" "with an mbarrier in place of the answer's slot"
    holds "$output" "The address of the slot comes first"
    lacks "$output" "mend in"
}

@test "PTX: an address without its space is no null pointer" {
    left_out 9 's/ld\.shared(::cta)?\.b128/ld.b128/'
    holds "$output" "MEM001"
    holds "$output" "name its space (.shared::cta)"
    left_out 9 's/mbarrier\.init\.shared(::cta)?\.b64/mbarrier.init.b64/'
    holds "$output" "name the space of the mbarrier (.shared::cta)"
}

@test "PTX: a missing semicolon is one error, at its line, with the parser's advice" {
    left_out 9 's/16;/16/'
    holds "$output" "Put a ';' behind the instruction. Inline assembly"
    lacks "$output" "No label"
}
