# SPDX-License-Identifier: Apache-2.0
# A timeline: a row for each place that an SM has for a block, along modelled cycles.
# The .fig file has, besides kind and one line of run:
#
#   title TEXT     the text for readers who cannot see the figure
#   scale CYCLES   how many cycles the width stands for, so that figures can be
#                  compared; default: those of the whole launch
#   rows N         only the first N places

FNR != NR && /^ *\{"kind": / {
    row = value($0, "sm") " " value($0, "slot")
    if (!(row in row_of)) {
        row_of[row] = rows
        sm[rows++] = value($0, "sm")
    }
    n = spans++
    at_row[n] = row_of[row]
    kind[n] = value($0, "kind")
    from[n] = value($0, "from") + 0
    to[n] = value($0, "to") + 0
    cta[n] = value($0, "cta") + 0
    block[n] = value($0, "block") + 0
    if (to[n] > cycles)
        cycles = to[n]
}

# Another kernel arrives (--time-set arrive=...).
FNR != NR && /^ *"arrival": \{/ { in_arrival = 1 }
FNR != NR && in_arrival && /^ *"cycle": / {
    arrives = value($0, "cycle") + 0
    in_arrival = 0
}

function x_of(cycle) {
    return LEFT + cycle * (WIDTH - LEFT - 10) / limit
}

function y_of(row) {
    return TOP + row * ROW
}

function bar(n, fill, more) {
    rect(x_of(from[n]), y_of(at_row[n]), x_of(to[n]) - x_of(from[n]), BAR, fill,
        more)
}

function is_stolen(n) {
    return block[n] != cta[n]
}

function draw_span(n) {
    if (kind[n] == "launch")
        bar(n, "url(#hatch)", "")
    else if (kind[n] == "prologue")
        bar(n, colour["prologue-fill"], "")
    else if (kind[n] == "wait")
        bar(n, "#ffffff", "")
    else
        bar(n, colour[is_stolen(n) ? "stolen-fill" : "started-fill"], "")
    used[kind[n] == "work" && is_stolen(n) ? "stolen" : kind[n]] = 1
}

# Draws a frame round the spans FIRST to LAST, of one block at one place, and the block's
# number where it works longest, if there is room: within one colour.
function frame(first, last,    n, x, w, widest) {
    x = x_of(from[first])
    rect(x, y_of(at_row[first]), x_of(to[last]) - x, BAR, "none",
        "stroke=\"" INK "\" stroke-width=\"1.5\"")
    widest = first
    for (n = first; n <= last; n++)
        if (kind[n] == "work" &&
            (kind[widest] != "work" || to[n] - from[n] > to[widest] - from[widest]))
            widest = n
    w = x_of(to[widest]) - x_of(from[widest])
    if (w > length(block[first]) * 12)
        text(x_of(from[widest]) + w / 2, y_of(at_row[first]) + BAR / 2 + 6,
            block[first], "middle", "font-weight=\"bold\"")
}

function draw_frames(    i, first) {
    for (i = 0; i < spans; i++) {
        if (at_row[i] >= rows || kind[i] == "launch")
            continue
        for (first = i; i + 1 < spans && at_row[i + 1] == at_row[first] &&
            block[i + 1] == block[first] && cta[i + 1] == cta[first] &&
            kind[i + 1] != "launch"; i++)
            ;
        frame(first, i)
    }
}

function last_of(first,    r) {
    for (r = first; r + 1 < rows && sm[r + 1] == sm[first]; r++)
        ;
    return r
}

function draw_labels(    r, last) {
    for (r = 0; r < rows; r = last + 1) {
        last = last_of(r)
        text(LEFT - 12, (y_of(r) + y_of(last) + BAR) / 2 + 6, "SM " sm[r],
            "end", "font-weight=\"bold\"")
        if (r)
            line(10, y_of(r) - 3, WIDTH - 10, y_of(r) - 3,
                "stroke-width=\"0.5\"")
    }
}

# Another kernel takes each place that is free after its arrival, until a block of this
# grid is started there again, or until the end of the picture.
function draw_other_kernel(    n, r) {
    for (n = 0; n < spans; n++) {
        r = at_row[n]
        if (to[n] < arrives || r >= rows || other_to[r] || !is_left(n))
            continue
        other_from[r] = to[n]
        other_to[r] = n in later ? from[later[n]] : limit
        draw_other(r)
    }
}

# Whether the block that was started leaves its place after this span. Notes in later[]
# the span that follows there.
function is_left(n,    i) {
    for (i = n + 1; i < spans; i++) {
        if (at_row[i] != at_row[n])
            continue
        later[n] = i
        return kind[i] == "launch"
    }
    return 1
}

function draw_other(r,    x, w) {
    x = x_of(other_from[r])
    w = x_of(other_to[r]) - x
    if (w <= 1)
        return
    rect(x, y_of(r), w, BAR, colour["lost-fill"], "stroke=\"" colour["lost"] "\"")
    used["other"] = 1
    if (w > width_of("other kernel"))
        text(x + w / 2, y_of(r) + BAR / 2 + 6, "other kernel", "middle", "")
}

function draw_arrival(    x, y) {
    if (!arrives)
        return
    x = x_of(arrives)
    y = y_of(rows)
    line(x, TOP - 4, x, y + 4, "stroke-width=\"4\" stroke-dasharray=\"10 6\"")
    rect(x + 8, y + 38, width_of("another kernel arrives") + 16, 28,
        colour["lost-fill"], "rx=\"5\" stroke=\"" INK "\"")
    text(x + 16, y + 58, "another kernel arrives", "start", "")
    line(x, y + 4, x + 8, y + 38, "stroke-width=\"2\"")
}

function draw_axis(    y, step, c) {
    y = y_of(rows) + 4
    line(LEFT, y, WIDTH - 10, y, "stroke-width=\"1.5\"")
    step = nice_step(limit, 8)
    for (c = 0; c <= limit; c += step) {
        line(x_of(c), y, x_of(c), y + 7, "stroke-width=\"1.5\"")
        if (x_of(c) < WIDTH - 210)
            text(x_of(c), y + 26, c, c ? "middle" : "start", "")
    }
    text(WIDTH - 10, y + 26, "modelled cycles", "end", "font-style=\"italic\"")
}

function key(x, y, fill, words) {
    rect(x, y - 15, 28, 20, fill, "stroke=\"" INK "\"")
    text(x + 36, y + 1, words, "start", "")
    return x + 36 + 0.9 * width_of(words) + 14
}

function draw_legend(y,    x) {
    x = 20
    if (used["launch"])
        x = key(x, y, "url(#hatch)", "block is started")
    if (used["prologue"])
        x = key(x, y, colour["prologue-fill"], "prologue")
    if (used["work"])
        x = key(x, y, colour["started-fill"], "work on its own block")
    if (used["stolen"])
        x = key(x, y, colour["stolen-fill"], "work on a stolen block")
    if (used["wait"])
        x = key(x, y, "#ffffff", "waits")
    if (used["other"])
        x = key(x, y, colour["lost-fill"], "another kernel")
}

END {
    if (failed)
        exit 1
    if (spans == 0)
        die("the report has no spans of time")
    LEFT = 90; TOP = 8
    if (fig["rows"] && fig["rows"] + 0 < rows)
        rows = fig["rows"] + 0
    ROW = rows > 8 ? 30 : 50
    BAR = ROW - 6
    limit = fig["scale"] ? fig["scale"] + 0 : cycles
    if (limit < cycles)
        die("the launch took " cycles " cycles, and the scale has " limit)
    svg_begin(TOP + rows * ROW + (arrives ? 114 : 78))
    for (n = 0; n < spans; n++)
        if (at_row[n] < rows)
            draw_span(n)
    draw_frames()
    if (arrives)
        draw_other_kernel()
    draw_labels()
    draw_axis()
    draw_arrival()
    draw_legend(TOP + rows * ROW + (arrives ? 102 : 64))
    svg_end()
}
