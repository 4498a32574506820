# SPDX-License-Identifier: Apache-2.0
# What came of an edit: reads what failed before and after it, as failures_of (advice) prints
# it, and prints "RULE OUTCOME". The second file is empty if no edit is told. Prints nothing
# if nothing failed before.

BEGIN {
    count = split("builds signature launch_plan run rules correct exactly_once technique " \
        "prologue schedules device", names, " ")
    for (i = 1; i <= count; i++)
        order[names[i]] = i
}

FNR == 1 { side++ }

$1 == "=" {
    score[side] = $3 + 0
    is_over[side] = $2 == "pass" || $2 == "clean"
    next
}

{
    rule = $2 == "null" ? $1 : $2
    if (side == 1)
        was[rule, $3] = 1
    if (!(side in first) || order[$1] < order[first[side]]) {
        first[side] = $1
        what[side] = rule
        line[side] = $3
        advice[side] = $4
    }
}

function outcome() {
    if (first[1] == "builds" || first[1] == "signature")
        return "no-run"
    if (!(2 in score))
        return "none"
    if (is_over[2])
        return "healed"
    if ((what[1] == what[2] && line[1] == line[2]) || score[2] < score[1] ||
        order[first[2]] < order[first[1]])
        return "worse"
    return ((what[2], line[2]) in was) || advice[2] == "heals" ? "helped" : "worse"
}

END {
    if (1 in first)
        print what[1], outcome()
}
