# SPDX-License-Identifier: Apache-2.0
# A table of what came of edits, of "GROUP NUMBER PLACE RULE OUTCOME ..." lines: a row for
# each name that fields `from` to `to` make, in the order in which they come, and one of all.
# A share is of what has a run; `place` of what has a place.

function add(name) {
    if (!(name in mistakes))
        names[++rows] = name
    mistakes[name]++
    count[name, $5]++
    places[name] += $3 != "-"
    named[name] += $3 == "named"
}

function share(part, whole) {
    return whole ? sprintf("%.0f%%", 100 * part / whole) : "-"
}

function put(name,    runs) {
    runs = mistakes[name] - count[name, "no-run"]
    printf "%-12s %8d %7d %7d %7d %7d %7d %6s %7s %6s\n", name, mistakes[name],
        count[name, "no-run"], count[name, "healed"], count[name, "helped"],
        count[name, "none"], count[name, "worse"],
        share(count[name, "healed"] + count[name, "helped"], runs),
        share(count[name, "worse"], runs), share(named[name], places[name])
}

{
    name = $from
    for (i = from + 1; i <= to; i++)
        name = name " " $i
    add(name)
    add("all")
}

END {
    printf "%-12s %8s %7s %7s %7s %7s %7s %6s %7s %6s\n", heading, "mistakes", "no run",
        "healed", "helped", "none", "worse", "good", "worse", "place"
    for (i = 1; i <= rows; i++)
        if (names[i] != "all")
            put(names[i])
    if (rows)
        put("all")
}
