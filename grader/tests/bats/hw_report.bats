#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# make hw-report: its probes, and the report under a driver without a GPU
# (grader/tests/fakecuda/options.h). That one runs no kernel, so every grading
# on it fails; where a verdict of a card is needed, a stand-in for clclab makes
# one of that failure.
# shellcheck disable=SC2154 # bats' run sets stderr

load common

setup() {
    common_setup
    export HW_REPORT_DIR=$W/kept OUT_FILE=$W/report.md LAB=1
    export CLCLAB_BIN=$CLCLAB JSON_GET_BIN=$JSON_GET
    export CUDA_MPS_PIPE_DIRECTORY=$W/mps
    CLCLAB_LIBCUDA=$(dirname "$CLCLAB")/tests/libfakecuda.so
    export CLCLAB_LIBCUDA CLCLAB_FAKE_CUDA="cc=9.0;driver=99000;name=NVIDIA Fake"
}

hw_report() { # hw_report STATUS: standard error is in $stderr
    run --separate-stderr timeout -k 5 "$PATIENCE" grader/tools/hw-report
    [ "$status" -eq "$1" ] || fail "exit status $status" "$stderr"
    [ -z "$output" ] || fail "it printed to standard output"
}

# card_says STATUS: from now on the card's verdict of each file.
card_says() {
    cat >"$W/clclab" <<END
#!/bin/sh
"$CLCLAB" "\$@" >"$W/stdout"
status=\$?
sed '/"id": "device"/,/"status"/s/"error"/"$1"/' "$W/stdout"
case \$1,\$status in grade,70) exit 1 ;; *) exit \$status ;; esac
END
    chmod +x "$W/clclab"
    export CLCLAB_BIN=$W/clclab
}

# words PROBE BLOCKS: what the lines of standard input come to.
words() {
    awk -v probe="$1" -v blocks="$2" -f grader/tools/hw-report.awk | tr '\t' ':'
}

# ---- the probes ----------------------------------------------------------

# clean GRID KERNEL ARGUMENT...: under many schedules. That what they note
# depends on the schedule is what they are for.
clean() {
    local grid=$1 kernel=$2 value arguments=()
    shift 2
    for value; do
        arguments+=(--arg "$value")
    done
    run clclab run grader/hardware/probes.cu --kernel "$kernel" --device vm \
        --grid "$grid" --block 1 --schedules 40 "${arguments[@]}" \
        --check CLC,BAR,MEM,RACE,SYNC
    [ "$status" -eq 0 ] || fail "$kernel: exit status $status"
    holds "$output" "Clean: nothing found in 40 schedules"
    lacks "$output" advisory
}

@test "the probes are right under 40 schedules, with no advisory" {
    clean 60 probe_order buf:8 buf:240 buf:240
    clean 60 probe_refusal buf:8 buf:240 buf:240
    clean 15,2,2 probe_answer buf:8 buf:960 buf:960 buf:960
    clean 60 probe_request buf:12 buf:1920 u32:1
    clean 60 probe_request buf:12 buf:1920 u32:60
}

@test "order: ascending or not, the lowest or not, once or not" {
    printf '%s\n' "counts 00000002 00000004" "started 00000000 00000001" \
        "granted 00000002 00000003 00000004 00000005" >"$W/fine"
    output=$(words order 6 <"$W/fine")
    holds "$output" "blocks:-:2 of 6 started, 4 were granted"
    holds "$output" "indices that start:lowest:the lowest ones"
    holds "$output" "starts, as they were noted:ascending:"
    holds "$output" "grants, as they were noted:ascending:ascending (4 indices)"
    holds "$output" "granted:once:exactly once"
    output=$(sed 's/granted .*/granted 0000000a 00000003 00000002 00000002/;
        s/started .*/started 00000001 00000000/' "$W/fine" | words order 12)
    holds "$output" "starts, as they were noted:not ascending:"
    holds "$output" "not ascending: 2 of 3 steps go back, by up to 7"
    holds "$output" "granted:not once:7 never, 1 more than once"
    output=$(sed 's/started .*/started 00000003 00000000/' "$W/fine" | words order 6)
    holds "$output" "not lowest:not the lowest ones: 1 are higher"
}

@test "refusals: of the whole grid, or of less" {
    output=$(printf '%s\n' "counts 00000004 00000002" "given 00000004 00000004" \
        "owners 00000001 00000001 00000001 00000001" | words refusal 4)
    holds "$output" "given away at a refusal:all:the whole grid"
    holds "$output" "granted:once:exactly once"
    output=$(printf '%s\n' "counts 00000004 00000002" "given 00000003 00000004" \
        "owners 00000001 00000000 00000002 00000001" | words refusal 4)
    holds "$output" "less than the whole grid at 1 of them, at least 3 of 4"
    holds "$output" "not once:1 never, 1 more than once"
}

@test "answers: constants, indices, halves of words" {
    output=$(printf '%s\n' "counts 00000002 00000002" \
        "granted 00000005 00070006 00010000 0000abcd" \
        "granted 00000008 00020009 00010003 0001abcd" \
        "index 00000005 00000006 00000007 00000000" \
        "index 00000008 00000009 00000002 00000000" \
        "refused 00000000 00000000 00000000 80000000" \
        "refused 00000000 00000000 00000000 80000000" | words answer 4)
    output=${output//\`/\'}
    holds "$output" "grant:x, y and z, varies and '0001', 'abcd' and varies:x,"
    holds "$output" "a grant:-:'00000005 00070006 00010000 0000abcd' is block (5, 6, 7)"
    holds "$output" "refusal:'00000000', '00000000', '00000000', '80000000':"
}

@test "times: median and quartiles of grants and of refusals" {
    output=$(printf '%s\n' "counts 00000004 00000000" \
        "requests 00000064 00000001 00000001 00000005" \
        "requests 0000000a 00000002 00000001 00000006" \
        "requests 00000014 00000001 00000001 00000007" \
        "requests 00000200 00000001 00000000 00000000" | words request 8)
    holds "$output" "requests:-:4 from 2 SMs"
    holds "$output" "to a grant:-:median 20 cycles, quartiles 10 and 100, least 10, most 100 (3"
    holds "$output" "to a refusal:-:median 512 cycles"
}

@test "a kernel that counted nothing has written nothing" {
    local probe
    for probe in order refusal answer request; do
        output=$(echo "counts 00000000 00000000" | words $probe 8)
        [ "$output" = "run:nothing:no block wrote anything" ] || fail "$probe"
    done
}

# ---- the report ----------------------------------------------------------

@test "kernels that fault: a complete report, and each case that could not be run" {
    its_turn 3
    CLCLAB_FAKE_CUDA+=";fault=700" hw_report 1
    holds "$stderr" "[14/14] probe among on the GPU"
    holds "$stderr" "4 cases could not be run"
    output=$(<"$OUT_FILE")
    holds "$output" "it was emulated.**"
    holds "$output" "| gpu | fine | NVIDIA Fake, compute capability 9.0"
    holds "$output" "| 01-fixed-work/fixed_work.cu | passes | could not be run |"
    holds "$output" "wrong/no_guard.cu | fails rules, MEM001 | could not be run | - |"
    lacks "$output" "| MEM001 |"
    holds "$output" "- \`solutions/01-fixed-work/wrong/no_guard.cu\`: On the GPU, rules: The GPU stopped"
    holds "$output" "| indices that start | the lowest ones | - | - |"
    [ "$(grep -c '^| run | - | stopped: .* | differs |$' "$OUT_FILE")" -eq 5 ] ||
        fail "which probes were stopped?"
    holds "$output" "- Refusals, run: on the virtual machine: -; on the GPU: stopped: The GPU"
    nothing_left
}

@test "a driver that crashes in the probes: they could not be run" {
    its_turn 3
    card_says pass
    CLCLAB_FAKE_CUDA+=";crash=cuLaunchKernelEx" hw_report 1
    output=$(<"$OUT_FILE")
    holds "$output" "- Refusals on the GPU: "
    holds "$output" "| run | - | could not be run | - |"
    holds "$stderr" "3 differences, 5 cases could not be run"
}

@test "what a card lets pass is luck; what it fails otherwise is told" {
    its_turn 3
    card_says pass
    hw_report 0
    output=$(<"$OUT_FILE")
    holds "$output" "| 01-fixed-work/fixed_work.cu | passes | passes |"
    holds "$output" "| fails rules, MEM001 | passes | luck on hardware |"
    holds "$output" "| MEM001 | 1 | 0 | 01: \`no_guard\` |"
    holds "$output" "| exactly_once | 1 | 0 | 01: \`skips_last_block\` |"
    holds "$output" "no_guard.cu\`: fails rules, MEM001 on the virtual machine; luck on the GPU"
    holds "$output" "Nothing: each case has its result."
    lacks "$output" "fixed_work.cu\`: "
    card_says fail
    FRESH=1 hw_report 0
    output=$(<"$OUT_FILE")
    holds "$output" "| fails rules, MEM001 | fails rules | fails otherwise |"
    holds "$output" "| MEM001 | 0 | 1 | - |"
    holds "$output" "fixed_work.cu\`: passes on the virtual machine; on the GPU: fails rules"
}

@test "a GPU of its own kind is not called emulated" {
    its_turn 3
    card_says pass
    CLCLAB_FAKE_CUDA="cc=10.0;driver=99000;name=NVIDIA Fake" hw_report 0
    lacks "$(<"$OUT_FILE")" "emulated"
}

@test "interrupted, it goes on where it was; another GPU begins anew" {
    its_turn 3
    local pid
    card_says pass
    grader/tools/hw-report 2>"$W/first" &
    pid=$!
    until [ -s "$HW_REPORT_DIR/01-fixed-work-fixed_work.json" ]; do
        kill -0 "$pid" || fail "it ended at once"
        moment
    done
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 130 ] || fail "exit status $status" "$(<"$W/first")"
    holds "$(<"$W/first")" "interrupted; what is done is kept"
    nothing_left
    hw_report 0
    holds "$stderr" "solutions/01-fixed-work/fixed_work.cu: kept"
    [ "$(grep -c 'written: ' <<<"$stderr")" -eq 1 ] || fail "no report"
    hw_report 0
    [ "$(grep -c ': kept$' <<<"$stderr")" -eq 14 ] || fail "$stderr"
    CLCLAB_FAKE_CUDA="cc=9.0;driver=99000;name=Other" hw_report 0
    holds "$stderr" "the machine or the grader has changed"
    lacks "$stderr" ": kept"
}

@test "what could not be run is tried again" {
    its_turn 3
    CLCLAB_FAKE_CUDA+=";fault=700" hw_report 1
    card_says pass
    hw_report 0
    lacks "$stderr" "could not be run: "
    lacks "$(<"$OUT_FILE")" "| could not be run"
}

@test "without a GPU: exit 69, and what is missing" {
    CLCLAB_LIBCUDA=$W/none.so hw_report 69
    holds "$stderr" "there is no GPU here that can run the labs"
    holds "$stderr" "driver: The CUDA driver cannot be loaded"
    [ ! -e "$OUT_FILE" ] || fail "a report of what?"
    CLCLAB_FAKE_CUDA="cc=8.6;driver=99000" hw_report 69
    holds "$stderr" "compute capability 8.6"
}

@test "a lab that is not there, a file that cannot be written: exit 2" {
    LAB=99 hw_report 2
    holds "$stderr" 'there is no lab "99"'
    OUT_FILE=$W/no/report.md hw_report 2
    holds "$stderr" "$W/no/report.md cannot be written"
    HW_REPORT_DIR=/dev/null/x hw_report 2
}

@test "one at a time in a folder: exit 75" {
    mkdir "$HW_REPORT_DIR"
    exec 7>"$HW_REPORT_DIR/lock"
    flock 7
    hw_report 75
    exec 7>&-
    holds "$stderr" "another hw-report is at work"
}

@test "each wrong kernel of the sample is there" {
    local sample=() name
    eval "$(sed -n '/^sample=(/,/^)/p' grader/tools/hw-report)"
    [ "${#sample[@]}" -gt 30 ] || fail "${#sample[@]} in the sample"
    for name in "${sample[@]}"; do
        [ -f "solutions/${name%/*}/wrong/${name#*/}.cu" ] || fail "no $name"
    done
}

# Rows are as the report's table "By rule" has them, with links.
@test "docs/luck-on-hardware.md: kernels that are there, under the code they expect" {
    local rule passed labs lab count sum=0 name file
    while IFS='|' read -r _ rule passed _ labs _; do
        rule=${rule#*[\[\`]}
        rule=${rule%%[!A-Za-z_0-9]*}
        count=0
        while read -r lab name; do
            file=$(echo "solutions/$lab"-*/"wrong/$name.cu")
            [ -f "$file" ] || fail "$lab $name is not there"
            [[ " $(head -n 1 "$file") " == *" $rule "* ]] ||
                fail "$name: $rule" "$(head -n 1 "$file")"
            count=$((count + 1))
        done < <(tr ';' '\n' <<<"$labs" | tr -d ' `' |
            awk -F'[:,]' '{ for (i = 2; i <= NF; i++) print $1, $i }')
        [ "$count" -eq "$passed" ] || fail "$rule: $count of $passed names"
        sum=$((sum + count))
    done < <(grep -E '^\| (\[|`).* \| [0-9]+ \| [0-9]+ \|' docs/luck-on-hardware.md)
    grep -q "\*\*$sum passed\.\*\*" docs/luck-on-hardware.md || fail "$sum passed"
}

@test "make hw-report passes its variables on" {
    CLCLAB_LIBCUDA=$W/none.so run --separate-stderr timeout -k 5 "$PATIENCE" \
        make --no-print-directory hw-report OUT_FILE="$W/mine.md" LAB=99
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" 'there is no lab "99"'
}
