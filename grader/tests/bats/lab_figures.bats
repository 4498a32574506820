#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tables of figures in the READMEs of labs 6, 7 and 9 are what their
# commands print for the solutions. Whoever changes the order of the plain
# schedule or the model of time brings them up to date.

load common
setup() {
    common_setup
}

# figures FILE OPTION...: the READMEs' command; the report in $W/r.json.
figures() {
    local file=$1
    shift
    clclab run "solutions/$file" --block 128 --arg buf:204800:iota32 \
        --arg i32:51200 --format json "$@" >"$W/r.json"
    if [[ $(json environment.compiler) != "NVRTC 13.0" ]]; then
        skip "the figures are those of NVRTC 13.0"
    fi
}

indices() { # "3", or "2 to 5"
    local least most
    least=$(json ledger.least_blocks)
    most=$(json ledger.most_blocks)
    if ((least == most)); then
        echo "$least"
    else
        echo "$least to $most"
    fi
}

has_row() { # has_row LAB ROW
    grep -qxF "$2" labs/"$1"-*/README.md && return
    echo "labs/$1: no row: $2"
    return 1
}

@test "lab 6: barriers and cycles" {
    local barriers
    figures 03-block-clc/block_clc.cu --grid 400 --time-model
    barriers=$(json counters.cta_barriers)
    has_row 06 "| lab 3, the same command with its file | $barriers |\
 $(json time_model.cycles) |"
    figures 06-pipelined-clc/pipelined_clc.cu --grid 400 --time-model
    barriers=$(json counters.cta_barriers)
    has_row 06 "| lab 6 | $barriers | $(json time_model.cycles) |"
}

batch_row() { # batch_row GRID WORK OPTION...
    local grid=$1 work=$2 row balance
    shift 2
    figures 03-block-clc/block_clc.cu --grid "$grid" "$@"
    row="| $grid | $work | $(indices) | $(json time_model.cycles) |"
    figures 07-batch-clc/batch_clc.cu --grid "$grid" "$@"
    balance=$(clclab run solutions/07-batch-clc/batch_clc.cu --grid "$grid" \
        --block 128 --arg buf:204800:iota32 --arg i32:51200 "$@" |
        sed -n 's/.*last place ends at \(.*%\) of.*/\1/p')
    has_row 07 "$row $(indices) | $(json time_model.cycles) | $balance |"
}

@test "lab 7: short and long work in small and large grids" {
    batch_row 24 short --time-model
    batch_row 400 short --time-model
    batch_row 24 long --time-set global=10000
    batch_row 400 long --time-set global=10000
}

@test "lab 9: lab 3, PTX and one call, side by side" {
    local instructions='' barriers='' loaded='' cycles='' run
    for run in 03-block-clc/block_clc.cu "09-raw-ptx/raw_ptx.cu --kernel raw_ptx" \
        "09-raw-ptx/raw_ptx.cu --kernel one_call"; do
        # shellcheck disable=SC2086 # a file, and perhaps an option
        figures $run --grid 400 --time-model
        instructions+=" $(json counters.thread_instructions) |"
        barriers+=" $(json counters.cta_barriers) |"
        loaded+=" $(json counters.bytes_loaded.shared) |"
        cycles+=" $(json time_model.cycles) |"
    done
    has_row 09 "| instructions of threads, in the PTX |$instructions"
    has_row 09 "| barriers of the block |$barriers"
    has_row 09 "| bytes loaded from shared memory |$loaded"
    has_row 09 "| cycles (a model) |$cycles"
}
