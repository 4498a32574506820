# SPDX-License-Identifier: Apache-2.0
# What the figures share: reading a .fig file and the lines of a report, and writing
# SVG. awk reads it before the program of a kind of figure, such as timeline.awk.
#
# A report of `clclab run --format json` has each span and each event on a line of its
# own; value() takes a member out of such a line. The first file is the .fig. The value
# of a word is in fig[word]; if the word is repeated, fig has its last value, and
# list[word, 0 ...] has all count[word] of them.
#
# Colours are those of a report as HTML, grader/report/page.css, so that one legend holds
# for the whole course. In each pair the fill is light and the line dark, and no meaning
# depends on colour alone:
#
#   started   a block that was started; the generic proxy
#   stolen    a block that was stolen; what is over, or right
#   prologue  what each started block has to do first
#   lost      the async proxy; as a fill, another kernel
#   wrong     what is wrong
#   white     waiting;  hatched: a block is being started
#
# A figure is 1200 units wide, and its text is 18 units high: more than 16 pixels on a
# slide of 1280 by 720.

BEGIN {
    pairs = split(colours, pair, " ")
    for (i = 1; i < pairs; i += 2)
        colour[pair[i]] = pair[i + 1]
    if (!("stolen-fill" in colour))
        die("there are no colours in grader/report/page.css")
    GREY = "#BBBBBB"; INK = "#1a1a1a"
    WIDTH = 1200; TEXT = 18
}

FNR == NR {
    sub(/[ \t]*#.*/, "")
    if ($1 == "")
        next
    word = $1
    rest = $0
    sub(/^[ \t]*[^ \t]+[ \t]*/, "", rest)
    fig[word] = rest
    list[word, count[word]++] = rest
    next
}

function die(why) {
    print FILENAME ": error: " why >"/dev/stderr"
    failed = 1
    exit 1
}

# Returns the member NAME of the object on this line, without quotes; "" if there is
# none.
function value(line, name,    found) {
    if (!match(line, "\"" name "\": [^,}]*"))
        return ""
    found = substr(line, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
    gsub(/"/, "", found)
    return found
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

# Formats a number without trailing zeros, so that equal figures are equal bytes.
function num(x,    s) {
    s = sprintf("%.1f", x)
    sub(/\.0$/, "", s)
    return s
}

function svg_begin(height) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"" \
        " width=\"%d\" height=\"%d\" font-family=\"'DejaVu Sans'," \
        " Verdana, sans-serif\" font-size=\"%d\" fill=\"%s\"" \
        " role=\"img\">\n", WIDTH, height, WIDTH, height, TEXT, INK
    printf "<title>%s</title>\n", escaped(fig["title"])
    print "<!-- Drawn from a run of the virtual machine; see slides/figures. -->"
    printf "<defs><pattern id=\"hatch\" width=\"8\" height=\"8\"" \
        " patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">" \
        "<rect width=\"8\" height=\"8\" fill=\"#eeeeee\"/>" \
        "<rect width=\"3\" height=\"8\" fill=\"%s\"/></pattern>\n", GREY
    printf "<marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\"" \
        " markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\">" \
        "<path d=\"M0 0L10 5L0 10z\" fill=\"%s\"/></marker></defs>\n", INK
}

function svg_end() {
    print "</svg>"
}

function rect(x, y, w, h, fill, more) {
    printf "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"%s/>\n",
        num(x), num(y), num(w), num(h), fill, more ? " " more : ""
}

function line(x1, y1, x2, y2, more) {
    printf "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"%s/>\n",
        num(x1), num(y1), num(x2), num(y2), INK, more ? " " more : ""
}

# ANCHOR is start, middle or end; y is the y of the base line.
function text(x, y, words, anchor, more) {
    printf "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>\n",
        num(x), num(y), anchor, more ? " " more : "", escaped(words)
}

# The approximate width of these words, in units.
function width_of(words) {
    return length(words) * TEXT * 0.6
}

# Returns 1, 2 or 5 times a power of ten, such that about WANTED of them make LIMIT.
function nice_step(limit, wanted,    step) {
    step = 1
    while (limit / step > wanted * 10)
        step *= 10
    if (limit / step > wanted * 5)
        return step * 10
    if (limit / step > wanted * 2)
        return step * 5
    return limit / step > wanted ? step * 2 : step
}
