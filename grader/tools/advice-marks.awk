# SPDX-License-Identifier: Apache-2.0
# Puts the BEGIN and END lines of a solution into a submission that lacks them,
# and lists what the submission changes. Reads the two as diff shows them, each
# line behind a sign: "-" the solution's alone, "+" the submission's alone, " "
# both. Comments and empty lines have been left out, but for the BEGIN and END
# lines, which are the solution's alone.
#
# Writes the submission to `marked`, and to `changes` a line each:
#   line 12     of `marked`: it is of a statement that is new, or stands next to
#               one that is gone
#   region 3    part of it is new, or gone

function is_mark(line) {
    return line ~ /(BEGIN|END) TODO\(/
}

# Whether a statement goes on in the next line.
function goes_on(line) {
    return line !~ /[;{}]$/ && !is_mark(line)
}

function put(line) {
    print line >marked
    lines[++row] = line
    region = 0
    if (match(line, /BEGIN TODO\([0-9]+/))
        region = substr(line, RSTART + 11, RLENGTH - 11) + 0
    else if (!is_mark(line))
        region = of_line[row - 1]
    of_line[row] = region
}

# New lines number `from` to `to` of this hunk.
function put_new(from, to,    i) {
    for (i = from; i <= to; i++) {
        put(added[i])
        is_changed[row] = 1
        has_change[region] = 1
    }
}

# How many of the new lines stand before a mark: as far down as it stood among
# those that they replace. What is only inserted is inserted in the region.
function lines_before(mark, gone_before) {
    if (gone > 0)
        return int(gone_before * adds / gone + 0.5)
    return mark ~ /END/ ? adds : 0
}

# What is inserted where one region ends and the next begins is in both: a
# learner may write it in either.
function is_seam() {
    return gone == 0 && adds > 0 && removed[1] ~ /END/ && removed[2] ~ /BEGIN/
}

function put_marks(    i, gone_before, done, upto) {
    if (is_seam() && match(removed[2], /TODO\([0-9]+/))
        has_change[substr(removed[2], RSTART + 5, RLENGTH - 5) + 0] = 1
    for (i = 1; i <= lost; i++) {
        if (!is_mark(removed[i])) {
            has_change[region] = 1
            gone_before++
            continue
        }
        upto = lines_before(removed[i], gone_before)
        put_new(done + 1, upto)
        done = upto > done ? upto : done
        put(removed[i])
    }
    put_new(done + 1, adds)
}

# Where only lines are gone, the lines that they stood next to are changed, but
# for those on the other side of a mark.
function put_hunk(    is_gone, last) {
    is_gone = gone > 0 && adds == 0
    if (is_gone && !is_mark(removed[1]))
        is_changed[row] = 1
    last = removed[lost]
    put_marks()
    if (is_gone && !is_mark(last))
        is_changed[row + 1] = 1
    lost = gone = adds = 0
}

/^-/ {
    removed[++lost] = substr($0, 2)
    gone += !is_mark($0)
}
/^\+/ {
    added[++adds] = substr($0, 2)
}
/^ / {
    put_hunk()
    put(substr($0, 2))
}
END {
    put_hunk()
    for (i = row; i > 1; i--)
        if (is_changed[i] && goes_on(lines[i - 1]))
            is_changed[i - 1] = 1
    for (i = 1; i < row; i++)
        if (is_changed[i] && goes_on(lines[i]))
            is_changed[i + 1] = 1
    for (i = 1; i <= row; i++)
        if (is_changed[i])
            print "line", i >changes
    for (i in has_change)
        if (i > 0)
            print "region", i >changes
}
