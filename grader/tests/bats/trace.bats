#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Traces: what --trace writes, read by a reader of the documented form, and what clclab
# trace and clclab debug show. test_cli_debug.c has debug at a terminal.
# shellcheck disable=SC2154 # bats' run sets stderr

load common
setup() { common_setup; }

WRONG=solutions/04-cluster-clc/wrong/insists_early.cu

# reads FILE: checks the file as the Trace Event Format asks, and prints the number of
# stays, of requests, and of what otherData says was stolen.
reads() {
    local count members=(ph pid tid name cat s ts dur id)
    count=$("$JSON_GET" "$1" 'traceEvents.#') || return 1
    # A member that an event does not have is an empty line.
    "$JSON_GET" "$1" otherData.schema otherData.one_stay_of otherData.stays otherData.stolen \
        "${members[@]/#/traceEvents.*.}" 2>/dev/null | awk -v count="$count" -v members="${members[*]}" '
        function wrong(why) { print "event " e ": " why; exit 1 }
        function of(member) { return value[member, e] }
        BEGIN { split(members, member_of) }
        NR <= 4 { about[NR] = $0; next }
        { value[member_of[int((NR - 5) / count) + 1], (NR - 5) % count] = $0 }
        END {
            if (NR != 4 + 9 * count) wrong(NR " lines for " count " events")
            if (about[1] != "clclab/trace/v1") wrong("schema " about[1])
            for (e = 0; e < count; e++)
                if (of("name") == "thread_name") threads[of("tid")]
            for (e = 0; e < count; e++) {
                if (of("pid") != "0" || !(of("tid") in threads)) wrong("of no thread")
                if (of("ph") == "M") continue
                if (of("ts") == "" || of("ts") < 0) wrong("begins at " of("ts"))
                if (of("ph") == "X") {
                    if (of("dur") == "" || of("dur") < 0) wrong("lasts " of("dur"))
                    if (of("ts") < ends[of("tid")] - 1e-6) wrong("begins before the last one ends")
                    ends[of("tid")] = of("ts") + of("dur")
                    stays++
                    stolen += of("cat") == "stolen"
                } else if (of("ph") == "b") {
                    requests += !(of("id") in begun)
                    begun[of("id")] = of("ts")
                } else if (of("ph") == "e") {
                    if (!(of("id") in begun) || begun[of("id")] > of("ts")) wrong("ends before it begins")
                } else if (of("ph") != "i" || of("s") != "t") {
                    wrong("is of kind " of("ph"))
                }
            }
            if (about[2] == 1 && (stays != about[3] || stolen != about[4]))
                wrong(stays " stays and " stolen " stolen, not " about[3] " and " about[4])
            print stays, requests, about[4]
        }'
}

@test "the trace of a grade has the blocks of the run that the report shows" {
    clclab grade 4 "$WRONG" --trace "$W/t.json" --format json --no-time >"$W/r.json" || [ $? -eq 1 ]
    [ "$(json ledger.started)" = 8 ] && [ "$(json ledger.canceled)" = 72 ]
    run reads "$W/t.json"
    [ "$status" -eq 0 ] || fail "$output"
    [ "$output" = "80 42 72" ] || fail "$output"
}

@test "a trace changes nothing in the report, and has the same bytes again" {
    for i in 1 2; do
        clclab grade 4 "$WRONG" --trace "$W/t$i.json" --no-time --format json >"$W/r$i.json" || [ $? -eq 1 ]
    done
    clclab grade 4 "$WRONG" --no-time --format json >"$W/r.json" || [ $? -eq 1 ]
    cmp "$W/t1.json" "$W/t2.json"
    cmp "$W/r1.json" "$W/r.json"
}

@test "clclab run writes a trace, in modelled time as well" {
    clclab run solutions/03-block-clc/block_clc.cu --grid 40 --block 128 --arg buf:20480 \
        --arg i32:5120 --trace "$W/t.json" --time-model >"$W/out"
    run reads "$W/t.json"
    [ "$status" -eq 0 ] || fail "$output"
    [ "$output" = "40 40 32" ] || fail "$output"
    grep -q '"clock":"modelled"' "$W/t.json"
}

@test "of a file that does not build there is a trace of nothing" {
    printf 'this is no C++\n' >"$W/x.cu"
    printf 'old' >"$W/t.json"
    clclab grade 4 "$W/x.cu" --trace "$W/t.json" >"$W/out" || [ $? -eq 1 ]
    [ "$("$JSON_GET" "$W/t.json" 'traceEvents.#')" = 0 ]
}

@test "a place where no trace can be written ends the command at once" {
    usage_error "--trace: cannot write $W/no/t.json" grade 4 --trace "$W/no/t.json"
    usage_error "--trace" run x.ptx --grid 1 --block 1 --trace "$W"
}

@test "clclab trace shows places and the steps before the mistake, in 80 columns" {
    run --separate-stderr clclab trace 4 "$WRONG"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "8 started, 72 stolen"
    holds "$output" "   3     1  ["
    holds "$output" "Before CLC001 was found at line 31:"
    [[ $output != *$'\e'* ]]
    while read -r line; do
        [ ${#line} -le 80 ] || fail "$line"
    done <<<"$output"
    run --separate-stderr clclab trace 4 "$WRONG" --color always
    [[ $output == *$'\e'* ]]
}

@test "clclab debug goes through the steps of the report's replay, by a pipe" {
    run --separate-stderr clclab debug 4 "$WRONG" --only-schedule 1 --size 10007 --switches 0 \
        <<<$'b\nbar\nslot\no\nlist\nwhere'
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "Run: n = 10007, schedule 1 (random, 0 switches)"
    holds "$output" "CLC001 is found"
    holds "$output" "asks for a block; the answer goes to result"
    holds "$output" "block 76, result: an answer is on its way, by the async proxy"
    holds "$output" "; it began here"
    holds "$output" ">    48 | "
    [[ $output != *$'\e'* ]]
    while read -r line; do
        [ ${#line} -le 80 ] || fail "$line"
    done <<<"$output"
    nothing_left
}

@test "clclab debug prints parameters by name, and registers beside the lines that wrote them" {
    run --separate-stderr clclab debug 4 "$WRONG" --only-schedule 1 --size 10007 --switches 0 <<<$'p\np n\np 0'
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" ", after step "
    holds "$output" "parameters: "
    holds "$output" "n 10007"
    holds "$output" "    %r"
    holds "$output" ", lane 0, after step "
}

@test "where nothing is wrong clclab debug prints the report" {
    run --separate-stderr clclab debug 4 --solutions <<<$'b'
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "Score: 100/100"
    holds "$output" "There are no steps to go through"
}

@test "a page shows three ways to do the same work, if their kernels are there" {
    local page=$W/page.html
    clclab grade 1 --solutions --schedules 1 --format html --no-time --out "$page"
    for part in "fixed work" "grid stride" CLC; do
        holds "$(grep -A1 "<h3>" "$page")" "<h3>$part</h3>"
    done
    # Less time than the one before it.
    run grep -oE "[0-9]+ modelled cycles" "$page"
    [ "${lines[0]%% *}" -gt "${lines[1]%% *}" ] || fail "$output"
    [ "${lines[1]%% *}" -gt "${lines[2]%% *}" ] || fail "$output"
    mkdir -p "$W/course/grader"
    cp -r labs solutions "$W/course"
    ln -s "$ROOT/grader/compile" "$W/course/grader/compile"
    clclab grade 1 --root "$W/course" --solutions --schedules 1 --format html --out "$page"
    lacks "$(cat "$page")" "Three ways"
    holds "$(cat "$page")" "100 of 100 points"
}
