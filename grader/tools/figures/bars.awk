# SPDX-License-Identifier: Apache-2.0
# Bars: one for each run, as long as its launch took in the time model, and divided by
# what the places for blocks did meanwhile. The .fig file has, besides kind and one or
# more lines of run:
#
#   title TEXT   the text for readers who cannot see the figure
#   name TEXT    the name of a bar, in the order of the runs

FNR != NR && /"schema": "clclab\/run\/v1"/ {
    run = runs++
}

FNR != NR && /^ *\{"kind": / {
    length_of = value($0, "to") - value($0, "from")
    what = value($0, "kind")
    if (what == "work" && value($0, "cta") != value($0, "block"))
        what = "stolen"
    took[run, what] += length_of
    used[what] = 1
    place = run " " value($0, "sm") " " value($0, "slot")
    if (!(place in seen)) {
        seen[place] = 1
        places[run]++
    }
    if (value($0, "to") + 0 > cycles[run])
        cycles[run] = value($0, "to") + 0
    if (cycles[run] > longest)
        longest = cycles[run]
}

function draw_bar(run,    x, y, w, k, whole) {
    y = TOP + run * ROW
    text(LEFT - 14, y + 32, list["name", run], "end", "font-weight=\"bold\"")
    whole = cycles[run] * (WIDTH - LEFT - RIGHT) / longest
    x = LEFT
    for (k = 0; k < kinds; k++) {
        w = whole * took[run, kind[k]] / (places[run] * cycles[run])
        if (w > 0)
            rect(x, y, w, ROW - 22, fill[kind[k]], "stroke=\"" INK "\"")
        x += w
    }
    if (LEFT + whole - x > 0.5) {
        rect(x, y, LEFT + whole - x, ROW - 22, "#ffffff",
            "stroke=\"" INK "\" stroke-dasharray=\"4 4\"")
        used["idle"] = 1
    }
    text(LEFT + whole + 12, y + 32, cycles[run], "start", "")
}

function draw_legend(y,    k, x) {
    x = 20
    for (k = 0; k <= kinds; k++) {
        if (!used[kind[k]])
            continue
        rect(x, y - 15, 28, 20, fill[kind[k]], "stroke=\"" INK "\"" \
            (kind[k] == "idle" ? " stroke-dasharray=\"4 4\"" : ""))
        text(x + 36, y + 1, words[kind[k]], "start", "")
        x += 36 + width_of(words[kind[k]]) + 14
    }
}

function add_kind(name, its_fill, says) {
    kind[kinds++] = name
    fill[name] = its_fill
    words[name] = says
}

END {
    if (failed)
        exit 1
    if (runs == 0 || runs != count["name"])
        die("there are " runs + 0 " runs and " count["name"] + 0 " names")
    LEFT = 330; RIGHT = 90; TOP = 8; ROW = 74
    add_kind("launch", "url(#hatch)", "start")
    add_kind("prologue", colour["prologue-fill"], "prologue")
    add_kind("work", colour["started-fill"], "own work")
    add_kind("stolen", colour["stolen-fill"], "stolen work")
    add_kind("wait", "#ffffff", "waits")
    add_kind("idle", "#ffffff", "place is empty")
    kinds--
    svg_begin(TOP + runs * ROW + 58)
    for (run = 0; run < runs; run++)
        draw_bar(run)
    line(LEFT, TOP - 4, LEFT, TOP + runs * ROW - 14, "stroke-width=\"2\"")
    draw_legend(TOP + runs * ROW + 36)
    text(WIDTH - 10, TOP + runs * ROW + 2, "modelled cycles", "end",
        "font-style=\"italic\"")
    svg_end()
}
