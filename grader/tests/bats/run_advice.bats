#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Edits that clclab run tries before it tells them: what heals a launch, what is kept
# back because nobody has said what the kernel is to compute, and how to obey.

load common

setup() {
    common_setup
    WRONG=grader/tests/kernels/wrong
}

# run_json FILE [OPTION...]: writes the report to $W/r.json.
run_json() {
    local status=0
    clclab run "$@" --no-time --format json >"$W/r.json" 2>"$W/err" || status=$?
    [ "$status" -le 1 ] || fail "exit status $status"
}

advice() { # advice PATH: of the first finding
    json "findings.0.advice.$1"
}

REVERSED=(--kernel reversed --grid 2 --block 64 --arg buf:512:iota32 --schedules 8)

@test "an edit that heals is told, and with it all schedules pass" {
    run_json "$WRONG"/race001-shared.cu "${REVERSED[@]}"
    [ "$(advice status)" = heals ] || fail "$(advice status)"
    [ "$(advice edit.kind)" = barrier-block ] || fail "$(advice edit.kind)"
    [ "$(advice edit.line)" = 13 ] || fail "line $(advice edit.line)"
    [ "$(advice schedules)" = 8 ] || fail "$(advice schedules) schedules"
    holds "$(advice what)" "in front of line 13, all 8 schedules pass"
    run_json "$WRONG"/race001-shared.cu "${REVERSED[@]}" --obey 1
    [ "$(json verdict)" = clean ] || fail "$(json verdict)"
    [ "$(json obeyed.line)" = 13 ] || fail "another edit"
}

@test "the head says with which edit a launch is judged, or that none is told" {
    run clclab run "$WRONG"/race001-shared.cu "${REVERSED[@]}" --obey 1
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "with an edit that is not in the file: __syncthreads() in front of line 13"
    run clclab run "$WRONG"/race001-shared.cu "${REVERSED[@]}" --obey 2
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "as it is: its report tells no edit 2"
    usage_error "the first edit has number 1" run x.cu --grid 1 --block 1 --obey 0
}

@test "advice does not depend on the number of workers" {
    local jobs
    for jobs in 1 2 5; do
        run_json "$WRONG"/race001-shared.cu "${REVERSED[@]}" --jobs $jobs
        [ "$jobs" = 1 ] || diff "$W/first.json" "$W/r.json" || fail "$jobs workers"
        cp "$W/r.json" "$W/first.json"
    done
}

@test "a schedule that fails alone: what heals is tried under it, and then under all" {
    cat >"$W/k.cu" <<'EOF'
__device__ int turn;
extern "C" __global__ void hand_over(int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = 7;
        atomicExch(&turn, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && atomicAdd(&turn, 0) == 1) {
        __threadfence();
        out[1] = out[0];
    }
}
EOF
    run_json "$W/k.cu" --grid 2 --block 32 --arg buf:8:any --schedules 64
    [ "$(json findings.0.code)" = RACE001 ] || fail "$(json findings.0.code)"
    [ "$(json findings.0.schedule)" != 0 ] || fail "the plain schedule shows it"
    [ "$(advice status)" = heals ] || fail "$(advice status)"
    run_json "$W/k.cu" --grid 2 --block 32 --arg buf:8:any --schedules 64 --obey 1
    [ "$(json verdict)" = clean ] || fail "$(json verdict)"
}

@test "two threads that store to one element get no order: it may be the index" {
    run_json "$WRONG"/causes-in-an-index.cu --kernel steps_too_short --grid 1 --block 32 --arg buf:256
    [ "$(advice status)" = none ] || fail "$(advice what)"
    holds "$(json findings.0.help)" "check the index and its stride"
}

@test "a sum of all threads: an atomic, not an order" {
    cat >"$W/sum.cu" <<'EOF'
extern "C" __global__ void sum(int *out, const int *in) {
    out[0] += in[blockIdx.x * blockDim.x + threadIdx.x];
}
EOF
    run_json "$W/sum.cu" --grid 2 --block 64 --arg buf:4 --arg buf:512:iota32 --schedules 8
    [ "$(advice status)" = heals ] || fail "$(advice status)"
    [ "$(advice edit.kind)" = atomic ] || fail "$(advice edit.kind)"
}

# Without the condition both blocks would write, and none would read: no race, and no work.
@test "of a race no edit is told that changes who does what" {
    cat >"$W/peek.cu" <<'EOF'
extern "C" __global__ void peek(int *x, int *out) {
    if (blockIdx.x == 0)
        x[threadIdx.x] = 5;
    else
        out[threadIdx.x] = x[threadIdx.x];
}
EOF
    run_json "$W/peek.cu" --grid 2 --block 32 --arg buf:128 --arg buf:128 --schedules 8
    [ "$(json findings.0.code)" = RACE001 ] || fail "$(json findings.0.code)"
    [ "$(advice status)" = none ] || fail "$(advice what)"
}

# With a flag of its own each thread would end, and nobody would wait for anybody.
@test "an edit that changes what is computed is kept back where the kernel never ended" {
    local launch=(--kernel computes_between_polls)
    read -ra more < <(awk '/^\/\/ run:.*computes_between_polls/ { sub(/^.*computes_between_polls/, ""); print }' \
        "$WRONG"/limit-never-ends.cu)
    run_json "$WRONG"/limit-never-ends.cu "${launch[@]}" "${more[@]}" --max-steps 1000000
    [ "$(json findings.0.code)" = LIMIT ] || fail "$(json findings.0.code)"
    [ "$(json findings.0.advice.edit.kind 2>/dev/null)" != own-variable ] || fail "$(advice what)"
}

@test "no edit is tried where it is not asked for, nor in a search of all schedules" {
    run_json "$WRONG"/race001-shared.cu "${REVERSED[@]}" --no-advice
    [ "$(json findings.0.advice)" = null ] || fail "$(advice what)"
    holds "$(json findings.0.help)" "with a barrier between the two"
    cat >"$W/tiny.cu" <<'EOF'
extern "C" __global__ void tiny(volatile int *out) {
    out[0] = blockIdx.x;
}
EOF
    run_json "$W/tiny.cu" --grid 2 --block 1 --arg buf:4:same --exhaustive
    [ "$(json findings.0.level)" = error ] || fail "nothing is found"
    [ "$(json findings.0.advice)" = null ] || fail "$(advice what)"
}
