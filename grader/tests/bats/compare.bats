#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab compare and make compare: modelled figures, their formats, and that the
# kernels which are compared are right by our own checker.
# shellcheck disable=SC2154 # bats' run sets stderr

load common
setup() {
    its_turn 2
    common_setup
    KERNELS=grader/compare/compare.cu
}

# word N: a little-endian 32-bit word in hexadecimal
word() {
    printf '%08x' "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/'
}

# check_kernel KERNEL GRID N UNEVEN OPTION...: the launch that compare makes
check_kernel() {
    local kernel=$1 grid=$2 n=$3 uneven=$4
    shift 4
    run --separate-stderr clclab run "$KERNELS" --kernel "$kernel" \
        --grid "$grid" --block 64 --arg "buf:$((n * 4)):iota32" \
        --arg "bytes:$(word "$n")$(word 2)$(word "$uneven")" "$@"
    [ "$status" -eq 0 ] || fail "$kernel: exit status $status" "$stderr"
    holds "$output" "Clean: nothing found"
    lacks "$output" advisory
}

# search KERNEL GRID N OPTION...: every schedule, blocks of a warp
search() {
    local kernel=$1 grid=$2 n=$3
    shift 3
    run --separate-stderr clclab run "$KERNELS" --kernel "$kernel" \
        --grid "$grid" --block 32 --arg "buf:$((n * 4))" \
        --arg "bytes:$(word "$n")$(word 1)$(word 1)" --exhaustive "$@"
    [ "$status" -eq 0 ] || fail "$kernel: exit status $status" "$stderr"
    holds "$output" "Exhaustive: all "
    holds "$output" "Clean: nothing found"
}

compare() { # compare OPTION...
    run --separate-stderr clclab compare "$@"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "the kernels are right under many schedules, with no advisory" {
    local uneven
    for uneven in 0 1; do
        check_kernel compare_fixed 24 1500 $uneven --schedules 20
        check_kernel compare_stride 8 1500 $uneven --schedules 20
        check_kernel compare_clc 24 1500 $uneven --schedules 200
        check_kernel compare_cluster 24 1500 $uneven --schedules 200
    done
}

@test "the stealing kernels are right under every schedule of a tiny launch" {
    search compare_clc 3 96
    search compare_clc 2 64 --dynamic-smem 131072
    search compare_cluster 4 128
}

@test "the four kernels leave the same data" {
    local kernel grid
    for kernel in fixed stride clc cluster; do
        grid=24
        [ $kernel != stride ] || grid=8
        check_kernel compare_$kernel $grid 1500 1 --dump "0=$W/$kernel"
        cmp "$W/fixed" "$W/$kernel" || fail "$kernel differs"
    done
}

@test "the four kernels call one function for the work of a block index" {
    [ "$(grep -c '^ *process(data, work, .*, alpha);$' "$KERNELS")" = 4 ]
    [ "$(grep -c 'data\[' "$KERNELS")" = 1 ]
}

# readme-transcripts compares the table; here so that one file tells all.
@test "the modelled figures of mini are those of docs/compare.md" {
    compare
    sed -n '/^\$ build.clclab compare$/,/^```$/p' docs/compare.md |
        sed '1d;$d' >"$W/stored"
    [ -s "$W/stored" ] || fail "no table in docs/compare.md"
    diff "$W/stored" <(printf '%s\n' "$output") ||
        fail "grader/tools/readme-transcripts --update stores it anew"
}

@test "the figure of docs/compare.md is the chart of mini" {
    compare --format svg
    cmp docs/figures/compare.svg <(printf '%s\n' "$output") ||
        fail "clclab compare --chart docs/figures/compare.svg"
}

@test "the times of docs/compare.md under other assumptions are true" {
    local setting row
    compare
    holds "$output" "load balancing         yes  1.02      no  1.21"
    for setting in global=400 launch=0 request=2000 cluster=20; do
        compare --time-set $setting --format csv
        row=$(awk -F, '$6 == "even" && $7 == "light" {
            printf " %.2f us |", $11 }' <<<"$output")
        grep -q "^| .$setting.: [^|]*|$row\$" docs/compare.md ||
            fail "$setting: $row"
    done
    compare --time-set overlap=1
    [ "$(grep -c '^  load balancing .* no ' <<<"$output")" = 1 ]
    compare --time-set global=2000
    [ "$(grep -c '^  load balancing .* no ' <<<"$output")" = 0 ]
}

@test "the same command gives the same bytes, in each format" {
    local format
    for format in text csv svg json; do
        compare --format $format --size 3000
        printf '%s\n' "$output" >"$W/first"
        compare --format $format --size 3000
        cmp "$W/first" <(printf '%s\n' "$output") || fail "$format differs"
    done
}

@test "CSV has a header, a line for each case, and empty fields" {
    compare --format csv
    [ "${#lines[@]}" = 17 ]
    awk -F, 'NF != 17 { exit 1 }' <<<"$output" || fail "not 17 fields"
    # What is not known is not there: quartiles, the share of a copy.
    awk -F, 'NR > 1 && ($12 != "" || $13 != "" || $15 != "") { exit 1 }' \
        <<<"$output" || fail "a figure that nobody knows"
    awk -F, 'NR > 1 && ($1 != "modelled" || $11 <= 0 || $14 < 1) { exit 1 }' \
        <<<"$output" || fail "a figure is missing"
    # A prologue a started block; all blocks but of grid stride and of CLC.
    awk -F, 'NR > 1 && ($9 != $10 || ($8 == "fixed work") != ($9 == $5)) {
        exit 1 }' <<<"$output" || fail "blocks and prologues"
    # Grid stride gives no place back before its end.
    awk -F, 'NR > 1 && ($8 == "grid stride") != ($17 > $11 / 3) { exit 1 }' \
        <<<"$output" || fail "who gives places back"
}

@test "a heavy prologue costs fixed work most" {
    compare --format csv
    awk -F, '{ time[$6 $7 $8] = $11 }
        END {
            fixed = time["evenheavyfixed work"] - time["evenlightfixed work"]
            clc = time["evenheavyCLC"] - time["evenlightCLC"]
            exit !(clc > 0 && fixed > 10 * clc)
        }' <<<"$output" || fail "it does not"
}

@test "SVG is well-formed, and says that it is modelled" {
    compare --format svg
    holds "$output" "four techniques: modelled</text>"
    holds "$output" "no card takes this time"
    if command -v xmllint >/dev/null; then
        xmllint --noout - <<<"$output" || fail "not well-formed"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.stdin)' <<<"$output" || fail "not well-formed"
    else
        skip "neither xmllint nor python3 is installed"
    fi
}

@test "JSON has the cases, and null for what is not known" {
    clclab compare --format json >"$W/r.json"
    [ "$(json schema)" = clclab/compare/v1 ]
    [ "$(json kind)" = modelled ]
    [ "$(json 'cases.#')" = 16 ]
    [ "$(json cases.0.technique)" = "fixed work" ]
    [ "$(json cases.0.time_q1_us)" = null ]
    [ "$(json copy_gb_s)" = null ]
    [ "$(json cases.1.started)" = 8 ]
    [ "$(json 'guide.#')" = 3 ]
}

@test "--out, --size and --time-set" {
    compare --size 640 --format csv --out "$W/c.csv"
    [ -z "$output" ]
    grep -q ',640,64,10,even,light,CLC,' "$W/c.csv" || fail "$(cat "$W/c.csv")"
    compare --size 640 --time-set launch=5000 --format csv
    diff <(printf '%s\n' "$output") "$W/c.csv" >/dev/null &&
        fail "the figure changes nothing"
    compare --size 1
    holds "$output" "1 element, 1 block index of 64 threads"
}

@test "--chart is the SVG of the figures that are printed" {
    compare --size 640 --format svg
    printf '%s\n' "$output" >"$W/svg"
    compare --size 640 --format csv
    printf '%s\n' "$output" >"$W/csv"
    compare --size 640 --format csv --chart "$W/chart.svg"
    cmp "$W/csv" <(printf '%s\n' "$output") || fail "the table changed"
    cmp "$W/svg" "$W/chart.svg" || fail "another chart"
    run --separate-stderr clclab compare --size 640 --format csv \
        --chart "$W/no/chart.svg"
    [ "$status" -eq 2 ] || fail "exit status $status" "$stderr"
    holds "$stderr" "--chart: cannot write $W/no/chart.svg"
    cmp "$W/csv" <(printf '%s\n' "$output") || fail "the figures are lost"
}

@test "other models: as many blocks on an SM" {
    compare --gpu-model rtx5090 --size 40000
    holds "$output" "On vm:rtx5090. Modelled"
    holds "$output" "170 SMs, which hold 340 blocks at once."
    awk 'length > 80 { exit 1 }' <<<"$output" || fail "a line is too long"
}

@test "what is wrong with an option is said" {
    usage_error "at least one element" compare --size 0
    usage_error "not a whole number" compare --size 2000000000
    usage_error "is none of text, csv, svg, json" compare --format html
    usage_error "names no figure" compare --time-set lunch=1
    usage_error "there is no model" compare --gpu-model h100
    usage_error "unexpected argument" compare 4
    CLCLAB_LIBCUDA=$W/no-libcuda.so run --separate-stderr clclab compare --device gpu
    [ "$status" -eq 69 ]
}

@test "without the kernels it says why they are not there" {
    mkdir -p "$W/course/labs/common"
    cp labs/common/lab.h "$W/course/labs/common/"
    run --separate-stderr clclab compare --root "$W/course"
    [ "$status" -eq 69 ] || fail "exit status $status" "$stderr"
    holds "$stderr" "grader/compare/compare.cu is not there"
}

@test "make compare hands its variables on" {
    run --separate-stderr make --no-print-directory compare SIZE=640 \
        FORMAT=csv CHART="$W/chart.svg"
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    grep -q '<svg' "$W/chart.svg" || fail "no chart"
    holds "$output" ',640,64,10,even,light,CLC,'
}
