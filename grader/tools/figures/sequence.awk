# SPDX-License-Identifier: Apache-2.0
# A sequence diagram of what happened to mbarriers and slots; time runs downwards. Each
# participant has a column, and each cycle at which something happened has a row. The
# .fig file has, besides kind and one line of run:
#
#   title TEXT               the text for readers who cannot see the figure
#   column warp CTA WARP NAME
#   column mbarrier CTA BYTE NAME   what the barrier misses, and its phase
#   column slot CTA BYTE NAME       who may touch it: a proxy, or nobody yet
#   column proxy - - NAME           the async proxy, for the CTAs that have a column
#   skip N                   rows at the beginning that are left out
#   rows N                   rows that are shown (default: 14)
#   leave KINDS              kinds of events that are left out
#   code KIND TEXT           the line of the source that does such an event is the one with
#                            this text, and not that of source_text()
#
# What happens in a row is a group of class "row", so that a deck can show one row after the
# other; in it is a group of class "code", which nothing shows but a deck, with the row's
# lines of the source.
#
# CTA is the block that was launched, BYTE a place in its shared memory.

FNR != NR && /^ *\{"at": / {
    n = events++
    at[n] = value($0, "at") + 0
    what[n] = value($0, "kind")
    cta[n] = value($0, "cta")
    warp[n] = value($0, "warp")
    byte[n] = value($0, "shared")
    block[n] = value($0, "block")
    number[n] = value($0, "value") + 0
}

# ---- columns -------------------------------------------------------------

function read_columns(    i, words, n, k) {
    columns = count["column"]
    for (i = 0; i < columns; i++) {
        n = split(list["column", i], words, " ")
        if (n < 4)
            die("column: its kind, CTA, place and name are needed")
        id[i] = words[1] " " words[2] " " words[3]
        role[i] = words[1]
        if (words[1] != "proxy")
            has_cta[words[2]] = 1
        if (words[1] == "mbarrier")
            has_mbarrier = 1
        column_of[id[i]] = i
        name[i] = words[4]
        for (k = 5; k <= n; k++)
            name[i] = name[i] " " words[k]
        column_x[i] = 110 + (WIDTH - 120) * (i + 0.5) / columns
    }
    span = (WIDTH - 120) / columns
}

function find(column) {
    return column in column_of ? column_of[column] : -1
}

function own_column(n) {
    return warp[n] == "null" ? find("proxy - -") \
                             : find("warp " cta[n] " " warp[n])
}

# ---- what is shown -------------------------------------------------------

function is_left_out(n) {
    return index(" " fig["leave"] " ", " " what[n] " ") > 0
}

# Whether, in a figure with columns of mbarriers, the event is about an mbarrier that
# has no column, or was caused by a thread of another block.
function is_elsewhere(n) {
    if (!has_mbarrier || what[n] !~ /^(init|expect|arrive|wait)$/)
        return 0
    return warp[n] == "null" || find("mbarrier " cta[n] " " byte[n]) < 0
}

function takes_part(n) {
    if (!(cta[n] in has_cta) || is_left_out(n) || is_elsewhere(n))
        return 0
    if (what[n] ~ /^(bytes|phase)$/)
        return find("mbarrier " cta[n] " " byte[n]) >= 0
    if (what[n] == "answer")
        return find("slot " cta[n] " " byte[n]) >= 0 || find("proxy - -") >= 0
    return own_column(n) >= 0
}

# Whether the event is the arrival of an instruction whose announcement of bytes was the
# event shown last.
function is_same_instruction(n) {
    return what[n] == "arrive" && n > 0 && last_shown >= 0 &&
        what[last_shown] == "expect" && at[last_shown] == at[n] &&
        cta[last_shown] == cta[n] && warp[last_shown] == warp[n] &&
        byte[last_shown] == byte[n]
}

function place_rows(    n, row, skipped, last_at) {
    row = -1
    skipped = fig["skip"] + 0
    last_shown = -1
    last_at = -1
    for (n = 0; n < events; n++) {
        row_of[n] = -1
        if (!takes_part(n))
            continue
        if (at[n] != last_at)
            row++
        last_at = at[n]
        row_of[n] = row - skipped
        if (is_same_instruction(n))
            joined[last_shown] = n
        last_shown = n
    }
    shown = fig["rows"] ? fig["rows"] + 0 : 14
    if (row + 1 - skipped < shown)
        shown = row + 1 - skipped
    if (shown <= 0)
        die("nothing of the report is shown")
}

# ---- drawing -------------------------------------------------------------

function y_of(row) {
    return HEAD + row * ROW + ROW / 2
}

function box(column, row, words, fill, more,    w) {
    w = width_of(words) + 16
    if (w > span - 6)
        w = span - 6
    rect(column_x[column] - w / 2, y_of(row) - 14, w, 28, fill,
        "rx=\"5\" stroke=\"" INK "\"" (more ? " " more : ""))
    text(column_x[column], y_of(row) + 6, words, "middle", "")
}

function arrow(from, to, row,    x1, x2, side) {
    if (from < 0 || to < 0 || from == to)
        return
    side = from < to ? 1 : -1
    x1 = column_x[from] + side * half[from, row]
    x2 = column_x[to] - side * half[to, row]
    line(x1, y_of(row), x2, y_of(row), "stroke-width=\"2\"" \
        " marker-end=\"url(#head)\"")
}

function set_half(column, row, words,    w) {
    w = width_of(words) / 2 + 8
    if (w > span / 2 - 3)
        w = span / 2 - 3
    if (w > half[column, row])
        half[column, row] = w
}

function label_of(n) {
    if (what[n] == "init")
        return "init(" number[n] ")"
    if (what[n] == "expect")
        return n in joined ? "arrive.expect_tx(" number[n] ")" \
                           : "expect_tx(" number[n] ")"
    if (what[n] == "arrive")
        return "arrive"
    if (what[n] == "request")
        return "try_cancel"
    if (what[n] == "wait")
        return "sees phase " number[n] " over"
    if (what[n] == "read")
        return "reads the answer"
    if (what[n] == "release")
        return "fence: release"
    if (what[n] == "acquire")
        return "fence: acquire"
    if (what[n] == "fence")
        return "proxy fence"
    if (what[n] == "sync")
        return "__syncthreads()"
    if (what[n] == "cluster_sync")
        return "cluster.sync()"
    return what[n]
}

function answer_of(n) {
    return block[n] == "null" ? "refusal" : "grant: block " block[n]
}

# What the mbarrier lacks; with an ellipsis if events that are not shown came between.
function lacks(bar, n,    dots) {
    dots = what[n] == "arrive" && told[bar] - missing[bar] > number[n] ? "... " : ""
    told[bar] = missing[bar]
    return dots lacks_now(bar)
}

function lacks_now(bar,    arrivals) {
    if (missing[bar] == 0)
        return "lacks " bytes[bar] + 0 " bytes"
    arrivals = missing[bar] " arrival" (missing[bar] == 1 ? "" : "s")
    if (bytes[bar] == 0)
        return "lacks " arrivals
    return "lacks " missing[bar] " arr., " bytes[bar] " bytes"
}

# Counts what an mbarrier lacks after this event. It is counted here because the figure
# is in the order of modelled time, in which the machine may not have executed.
function count_event(n, bar) {
    if (what[n] == "init")
        missing[bar] = full[bar] = number[n]
    else if (what[n] == "expect")
        bytes[bar] += number[n]
    else if (what[n] == "bytes")
        bytes[bar] -= number[n]
    else if (what[n] == "arrive")
        missing[bar] -= number[n]
    else if (what[n] == "phase") {
        missing[bar] = full[bar]
        bytes[bar] = 0
    }
}

function note_answer(n) {
    if ((row_of[n], number[n]) in counted)
        return # multicast: it is another copy
    counted[row_of[n], number[n]] = 1
    answers[row_of[n]]++
    answer[row_of[n]] = answers[row_of[n]] > 1 ? answers[row_of[n]] " answers" \
                                               : answer_of(n)
}

# Notes the state that each mbarrier has after the last event of a row.
function note_states(    n, bar, c, r) {
    for (n = 0; n < events; n++)
        if (row_of[n] >= 0)
            row_at[at[n]] = row_of[n]
    for (n = 0; n < events; n++) {
        bar = "mbarrier " cta[n] " " byte[n]
        if (what[n] ~ /^(init|expect|arrive|bytes|phase)$/)
            count_event(n, bar)
        r = at[n] in row_at ? row_at[at[n]] : -1
        c = find(bar)
        if (r < 0 || r >= shown)
            continue
        if (c >= 0 && what[n] ~ /^(init|expect|arrive|bytes|phase)$/) {
            state[c, r] = what[n] == "phase" ? "phase " number[n] " complete" \
                                             : lacks(bar, n)
            is_phase[c, r] = what[n] == "phase"
        }
        if (what[n] == "answer" && row_of[n] >= 0 && find("proxy - -") >= 0)
            note_answer(n)
    }
}

# Draws the band in a slot's column that shows, from row to row, who may touch it.
function draw_slot(c, only,    n, row, owner, from, key) {
    from = 0
    owner = "generic"
    for (n = 0; n < events; n++) {
        key = "slot " cta[n] " " byte[n]
        if (key != id[c] || (what[n] != "request" && what[n] != "answer"))
            if (!(what[n] == "request" && is_multicast_to(n, c)))
                continue
        if (row_of[n] >= shown)
            break
        if (row_of[n] < 0 && at[n] >= first_cycle())
            continue
        row = row_of[n] < 0 ? 0 : row_of[n] + 0.5
        band(c, from, row, owner, only)
        owner = what[n] == "request" ? "async" : "generic"
        from = row
    }
    band(c, from, shown, owner, only)
}

# Whether this is a request of another CTA of the figure whose answer is also written to
# this slot.
function is_multicast_to(n, c,    words) {
    split(id[c], words, " ")
    return fig["multicast"] && byte[n] == words[3] && cta[n] in has_cta
}

function first_cycle(    n) {
    for (n = 0; n < events; n++)
        if (row_of[n] == 0)
            return at[n]
    return 0
}

# Draws what is in row ONLY of a band; its text is in the last row that it touches, as what a
# later row draws would hide it.
function band(c, from, to, owner, only,    first, last, middle) {
    first = from > only ? from : only
    last = to < only + 1 ? to : only + 1
    if (last <= first)
        return
    rect(column_x[c] - span / 2 + 8, HEAD + first * ROW, span - 16, (last - first) * ROW,
        colour[owner == "async" ? "lost-fill" : "started-fill"], "")
    middle = (from + to) / 2
    if (to - from >= 1 && int(middle + 0.3) == only)
        text(column_x[c], HEAD + middle * ROW + 6, owner == "async" ? "async proxy's" \
            : "generic proxy's", "middle", "font-style=\"italic\"")
}

function draw_heads(    i) {
    for (i = 0; i < columns; i++) {
        rect(column_x[i] - span / 2 + 4, 4, span - 8, 34, "#e8e8e8",
            "rx=\"5\"")
        text(column_x[i], 27, name[i], "middle", "font-weight=\"bold\"")
        if (role[i] != "slot")
            line(column_x[i], 40, column_x[i], HEAD + shown * ROW,
                "stroke-dasharray=\"3 5\"")
    }
    text(88, 27, "cycle", "end", "font-style=\"italic\"")
}

function draw_cycle(r,    n) {
    for (n = 0; n < events; n++)
        if (row_of[n] == r) {
            text(88, y_of(r) + 6, at[n], "end", "")
            return
        }
}

function each_event(drawing, r,    n, c, to) {
    for (n = 0; n < events; n++) {
        if (row_of[n] != r)
            continue
        if (n > 0 && joined[n - 1] == n && what[n] == "arrive")
            continue
        c = own_column(n)
        if (what[n] ~ /^(bytes|phase)$/) {
            if (drawing == "arrows" && what[n] == "phase")
                arrow(find("proxy - -"), find("mbarrier " cta[n] " " byte[n]), r)
            continue
        }
        if (what[n] == "answer") {
            c = find("proxy - -")
            if (drawing == "arrows")
                arrow(c, find("slot " cta[n] " " byte[n]), r)
            continue
        }
        if (c < 0)
            continue
        if (drawing == "boxes")
            box(c, r, label_of(n), colour_of(n), "")
        else if (drawing == "halves")
            set_half(c, r, label_of(n))
        else
            draw_arrow_of(n, c, r)
    }
}

function colour_of(n) {
    return what[n] ~ /^(release|acquire|fence)$/ ? colour["prologue-fill"] : "#ffffff"
}

function draw_arrow_of(n, c, r) {
    if (what[n] == "request")
        arrow(c, find("proxy - -"), r)
    else if (what[n] == "wait")
        arrow(find("mbarrier " cta[n] " " byte[n]), c, r)
    else if (what[n] == "read")
        arrow(find("slot " cta[n] " " byte[n]), c, r)
    else if (what[n] ~ /^(init|expect|arrive)$/)
        arrow(c, find("mbarrier " cta[n] " " byte[n]), r)
}

function draw_states(drawing, r,    i) {
    for (i = 0; i < columns; i++) {
        if (!((i, r) in state))
            continue
        if (drawing == "boxes")
            box(i, r, state[i, r], is_phase[i, r] ? colour["stolen-fill"] : "#ffffff", "")
        else
            set_half(i, r, state[i, r])
    }
    i = find("proxy - -")
    if (i < 0 || !(r in answer))
        return
    if (drawing == "boxes")
        box(i, r, answer[r], colour["lost-fill"], "")
    else
        set_half(i, r, answer[r])
}

# ---- the source ----------------------------------------------------------

function read_source(    words, i, read) {
    split(fig["run"], words, " ")
    source = words[1]
    while ((getline read <source) > 0)
        code[++lines] = read
    for (i = 0; i < count["code"]; i++) {
        split(list["code", i], words, " ")
        given[words[1]] = substr(list["code", i], length(words[1]) + 2)
    }
    sub(/.*\//, "", source)
}

# The text that a line of the source has which does such an event; "" if none does.
function source_text(kind) {
    if (kind in given)
        return given[kind]
    if (kind == "init")
        return "mbarrier_init("
    if (kind == "expect")
        return "mbarrier_arrive_expect_tx("
    if (kind == "arrive")
        return "mbarrier_arrive("
    if (kind == "request")
        return "clusterlaunchcontrol_try_cancel"
    if (kind == "wait")
        return "mbarrier_try_wait_parity("
    if (kind == "read")
        return "query_cancel_is_canceled("
    if (kind == "release" || kind == "acquire")
        return "sem_" kind ", ptx::space_"
    if (kind == "sync")
        return "__syncthreads()"
    return kind == "cluster_sync" ? "cluster_group::sync()" : ""
}

function trimmed(line_read) {
    sub(/^ */, "", line_read)
    return line_read
}

# "block_clc.cu:48  ptx::..."; other lines that do the same are numbers. Of a call that is
# broken behind its bracket both lines, with "\n" between them.
function source_of(kind,    n, found, where) {
    if (source_text(kind) == "")
        return ""
    for (n = 1; n <= lines; n++) {
        if (!index(code[n], source_text(kind)) || code[n] ~ /^ *\/\//)
            continue
        n -= code[n - 1] ~ /\($/
        where = where == "" ? n : where ", " n
        if (found == "")
            found = trimmed(code[n]) (code[n] ~ /\($/ ? "\n" trimmed(code[n + 1]) : "")
        n += code[n] ~ /\($/
    }
    return found == "" ? "" : source ":" where "   " found
}

function draw_code(r,    n, says, y, seen, part, parts, i) {
    y = HEAD + shown * ROW + 22
    print "<g class=\"code\" display=\"none\">"
    for (n = 0; n < events; n++) {
        says = row_of[n] == r && warp[n] != "null" ? source_of(what[n]) : ""
        if (says == "" || says in seen)
            continue
        seen[says] = 1
        parts = split(says, part, "\n")
        for (i = 1; i <= parts; i++) {
            text(i == 1 ? 20 : 240, y, part[i], "start",
                "font-family=\"'DejaVu Sans Mono', monospace\"")
            y += 24
        }
    }
    if (r in answer)
        text(20, y, "the hardware answers, and its bytes are counted", "start", "")
    print "</g>"
}

function draw_row(r,    i) {
    print "<g class=\"row\">"
    for (i = 0; i < columns; i++)
        if (role[i] == "slot")
            draw_slot(i, r)
    draw_cycle(r)
    each_event("arrows", r)
    each_event("boxes", r)
    draw_states("boxes", r)
    draw_code(r)
    print "</g>"
}

END {
    if (failed)
        exit 1
    HEAD = 46; ROW = 37
    read_columns()
    place_rows()
    note_states()
    read_source()
    svg_begin(HEAD + shown * ROW + 56)
    draw_heads()
    for (row = 0; row < shown; row++) {
        each_event("halves", row)
        draw_states("halves", row)
    }
    for (row = 0; row < shown; row++)
        draw_row(row)
    svg_end()
}
