#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Edits that are tried before they are told: each mistake is graded, an edit of the kind
# that mends it is among those that heal, and with the first of these the file gets full
# marks.

load common

setup() {
    its_turn 3
    common_setup
}

# heals LAB FILE KIND: FILE is of the lab's wrong submissions.
heals() {
    local folder
    folder=$(find solutions -maxdepth 1 -name "$(printf '%02d' "$1")-*")
    heals_file "$1" "$folder/wrong/$2.cu" "$3"
}

# heals_mistake LAB NAME KIND: it is of grader/tests/mistakes.
heals_mistake() {
    local number
    number=$(printf '%02d' "$1")
    grader/tools/make-mistakes "$W/mistakes" "$number"
    heals_file "$1" "$W/mistakes/$number-$2.cu" "$3"
}

heals_file() {
    local file=$2 kinds
    ! grade_json "$1" "$file" --schedules 16 || return 1
    first_advice || return 1
    [ "$(json "$ADVICE.status")" = heals ] || return 1
    [ "$(json "$ADVICE.what")" != null ] || return 1
    kinds=" $(json "$ADVICE.edit.kind") $(json "$ADVICE.other.kind" 2>/dev/null || true) "
    echo "$file: $kinds"
    [[ $kinds == *" $3 "* ]] || return 1
    grade_json "$1" "$file" --schedules 16 --obey 1 || return 1
    [ "$(json verdict)" = pass ]
}

# Sets ADVICE to the path of the advice that the report has.
first_advice() {
    local count i
    count=$(json 'checks.#')
    for ((i = 0; i < count; i++)); do
        ADVICE=checks.$i.cause.advice
        [ "$(json "$ADVICE.status" 2>/dev/null)" = heals ] && return
    done
    return 1
}

@test "a fence that is missing, or of another kind" {
    heals 3 no_fence fence-cta
    heals 3 releases_only fence-acquiring
    heals 4 acquires_only fence-releasing
    heals 9 halves_swapped fence-releasing
}

@test "a barrier that stands in a condition" {
    heals 4 asker_meets_nobody barrier-before-condition
    heals 7 barrier_among_askers barrier-before-condition
}

@test "a wait that is not repeated, given up, or not there" {
    heals 3 waits_once wait-loop
    heals 6 waits_a_minute wait-loop
    heals 3 no_wait wait-for-answer
    heals 6 second_wait_missing wait-for-answer
}

@test "parities: never flipped, flipped twice, shared, of the other phase" {
    heals 3 phase_never_flips own-parity
    heals 6 phase_flipped_twice own-parities
    heals 3 parity_of_the_block own-variable
    heals 3 phase_starts_at_one other-parity
}

@test "what an mbarrier counts: arrivals, bytes" {
    heals 3 counts_all_threads init-count
    heals 4 announces_both_answers bytes
    heals 3 bytes_not_announced announce-request
    heals 9 expects_without_arriving announce
}

@test "another mbarrier, one of rank 0, an answer to both blocks" {
    heals 6 one_barrier other-mbarrier
    heals 6 one_barrier_initialised init-neighbour
    heals 10 slot_given_back_at_home of-rank-0
    heals 4 request_for_one multicast
}

# tells STATUS: the report has advice of this status; null: none was tried.
tells() {
    [ "$(json checks.6.id)" = rules ] || fail "another check"
    [ "$(json checks.6.status)" = fail ] || fail "rules did not fail"
    if [ "$1" = null ]; then
        [ "$(json checks.6.cause.advice)" = null ] || fail "an edit is told"
    else
        [ "$(json checks.6.cause.advice.status)" = "$1" ] || fail "no $1"
    fi
}

@test "an exam: with advice = no nothing is tried, nor obeyed, also in a batch" {
    local file=solutions/03-block-clc/wrong/no_fence.cu conf=$W/course/labs/03-block-clc/lab.conf
    mkdir -p "$W/course/grader" "$W/class"
    cp -r labs solutions "$W/course"
    ln -s "$ROOT/grader/compile" "$W/course/grader/compile"
    cp "$file" "$W/class/ana.cu"
    ! grade_json 3 "$file" --schedules 2 --root "$W/course" || fail "it passes"
    tells heals
    echo 'advice = no' >>"$conf"
    ! grade_json 3 "$file" --schedules 2 --root "$W/course" || fail "it passes"
    tells null
    ! grade_json 3 "$file" --schedules 2 --root "$W/course" --obey 1 || fail "it passes"
    [ "$(json obeyed)" = null ] || fail "an edit was made"
    clclab batch 3 "$W/class" --out "$W/out" --schedules 2 --root "$W/course" >/dev/null ||
        [ $? -eq 1 ]
    cp "$W/out/results/ana.json" "$W/r.json"
    tells null
}

@test "reports for points alone tell no edit, and none can be asked for" {
    local file=solutions/03-block-clc/wrong/no_fence.cu
    ! grade_json 3 "$file" --schedules 2 --feedback student || fail "it passes"
    tells heals
    ! grade_json 3 "$file" --schedules 2 --feedback points || fail "it passes"
    [ "$(json checks.6.cause)" = null ] || fail "$(json checks.6.cause)"
    lacks "$(cat "$W/r.json")" fence-cta
    usage_error "tells no edit" grade 3 "$file" --feedback points --obey 1
}

@test "an arrival that comes too early" {
    heals 4 early_arrival later
}

@test "what follows from the failure that an edit mends gets no help of its own" {
    local file=solutions/04-cluster-clc/wrong/asker_meets_nobody.cu
    clclab grade 4 "$file" --schedules 4 >"$W/with" || true
    clclab grade 4 "$file" --schedules 4 --no-advice >"$W/without" || true
    [ "$(grep -c '^  help ' "$W/without")" -eq 2 ]
    [ "$(grep -c '^  tried ' "$W/with")" -eq 1 ]
    [ "$(grep '^  help ' "$W/with")" = "  help      What was tried for the first failure mends this as well." ]
}

@test "an edit that no report tells is not obeyed, and the head says so" {
    run clclab grade 3 solutions/03-block-clc/wrong/counts_all_threads.cu --schedules 1 --obey 1
    holds "$output" "with an edit that is not in the file"
    run clclab grade 3 "$(solution 3)" --schedules 1 --obey 2
    [ "$status" -eq 0 ]
    holds "$output" "as it is: its report tells no edit 2"
    grade_json 3 "$(solution 3)" --schedules 1 --obey 2
    [ "$(json obeyed)" = null ]
}

@test "a bound, an operation, a store that are not those that are meant" {
    heals 1 guard_off_by_one other-bound
    heals 1 last_element other-bound
    heals 1 no_guard within-bound
    heals 1 assigns update
    heals 1 adds other-operation
    heals 1 multiplies_twice term-less
    heals 2 one_too_far other-bound
    heals 2 reads_back store-less
    heals 4 no_rank_added add-rank
}

@test "who does something: one thread of a block, of a cluster, of each warp" {
    heals 4 both_blocks_ask for-one-thread
    heals 5 each_row_asks other-condition
    heals 7 all_lanes_arrive for-one-thread
}

@test "threads and blocks that leave too early, or are left out" {
    heals 1 skips_last_block stay
    heals 3 last_block_leaves go-on
    heals 3 alpha_in_one_thread for-all-threads
    heals 4 surplus_block_leaves stay
    heals 9 loops_while_complete other-way-round
}

@test "the prologue, called again and again" {
    heals 1 prologue_twice call-less
    heals 2 prologue_in_loop call-before-loop
    heals 10 prologue_per_row call-before-loop
}

@test "an answer: no way out on a refusal, asked again, its index not taken" {
    heals 3 any_index_will_do leave
    heals 5 index_before_the_decision leave
    heals 8 asks_again leave
    heals 3 index_computed_once take-granted
    heals 5 layer_kept take-granted
    heals 3 own_block_forgotten begin-with-own
}

# follows SED_SCRIPT KIND CODE LAST: a file without the fence that has a second mistake. What
# mends the first failure is told, CODE follows, and of that the edit that heals is LAST.
follows() {
    local first=checks.6.cause.advice
    sed -E "$1" solutions/03-block-clc/wrong/no_fence.cu >"$W/two.cu"
    ! cmp -s solutions/03-block-clc/wrong/no_fence.cu "$W/two.cu" || fail "no second mistake"
    ! grade_json 3 "$W/two.cu" --schedules 8 || fail "it passes"
    [ "$(json $first.status)" = helps ] || fail "$(json $first.status)"
    [ "$(json $first.edit.kind)" = "$2" ] || fail "$(json $first.edit.kind)"
    holds "$(json $first.what)" "this is mended, and $3 follows."
    ! grade_json 3 "$W/two.cu" --schedules 8 --obey 1 || fail "it passes"
    holds "$(every_cause)" " $3 "
    holds "$(cat "$W/r.json")" "\"kind\": \"$4\""
}

@test "two mistakes, the first of which ends the run: the other shows behind its edit" {
    follows 's/sizeof\(uint4\)/sizeof(uint4 *)/' bytes CLC006 fence-cta
    follows 's/mbarrier_init\(&bar, 1/mbarrier_init(\&bar, 2/' init-count CLC006 fence-cta
}

@test "two mistakes, the second of which a later check or place shows" {
    follows 's/while (\(!ptx::mbarrier_try_wait)/if \1/' fence-cta CLC007 wait-loop
    follows '/^        phase \^= 1/d' fence-cta CLC007 own-parity
}

# The barrier could stand in front of the access, in a condition that not all threads enter:
# what then follows comes of it.
@test "what follows from an edit itself is no second mistake" {
    sed -E 's|^( *)__syncthreads\(\); // the tile is complete.*|\1|' "$(solution 5)" >"$W/tile.cu"
    ! cmp -s "$(solution 5)" "$W/tile.cu" || fail "the barrier is there"
    ! grade_json 5 "$W/tile.cu" --schedules 8 || fail "it passes"
    [ "$(json checks.6.cause.code)" = RACE001 ] || fail "another cause"
    lacks "$(json checks.6.cause.help)" SYNC002
}

@test "what heals both failures is told, though only the second led to it" {
    heals 5 barrier_of_the_warp barrier-of-block
    heals 6 second_request_by_another_warp barrier-block
}

@test "another index or size, a factor, a condition too much" {
    heals_mistake 1 times_the_grid other-index
    heals_mistake 1 first_thread_only condition-less
    heals_mistake 4 own_index_added other-index
    heals_mistake 4 index_doubled factor-less
    heals 3 asker_does_not_work condition-less
}

@test "a ring's parities; a barrier of more threads, or outside of a condition" {
    heals 10 parity_never_flips ring-parities
    heals 10 leaves_early barrier-cluster
    heals 5 no_barrier_behind_load barrier-block
    heals_mistake 3 parity_of_the_round ring-parity
    heals_mistake 10 barrier_of_the_block_at_the_end barrier-of-cluster
}
