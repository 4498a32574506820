# SPDX-License-Identifier: Apache-2.0
# Reads the mistakes.txt of a lab and writes each submission that it describes (for
# make-mistakes, whose head has the form). `line_of` is where a text of a block begins, so
# that what does not fit is told with its place. Texts are compared as whole lines: each
# begins behind a line feed, and so does the base.

BEGIN {
    folder = ARGV[1]
    sub(/\/[^\/]*$/, "", folder)
    lab = folder
    sub(/.*\//, "", lab)
    sub(/-.*/, "", lab)
    state = "head"
}

function refuse(line, why) {
    printf "%s:%d: %s\n", FILENAME, line, why >"/dev/stderr"
    failed = 1
    exit 1
}

function contents(path,    text, line, status) {
    text = "\n"
    while ((status = (getline line <path)) > 0)
        text = text line "\n"
    close(path)
    if (status < 0)
        refuse(line_of["base"], "there is no " path)
    return text
}

# The base with the block's next text in place of the old one.
function change(    at, behind) {
    at = index(text, "\n" old)
    if (old == "" || !at)
        refuse(line_of["old"], "these lines are not in " base)
    behind = substr(text, at + length(old))
    if (index(behind, "\n" old))
        refuse(line_of["old"], "these lines are twice in " base)
    text = substr(text, 1, at) new substr(behind, 2)
    changes++
}

function finish() {
    if (name == "")
        return
    if (!changes)
        refuse(line_of["mistake"], name " changes nothing")
    if (reads !~ /^(cause|lines|misleads)$/)
        refuse(line_of["mistake"], name " has to say what it reads: cause, lines or misleads")
    if (truth == "")
        refuse(line_of["mistake"], name " has to say what is true")
    if (name in seen)
        refuse(line_of["mistake"], name " is there twice")
    seen[name]
    printf "%s", substr(text, 2) >(out "/" lab "-" name ".cu")
    close(out "/" lab "-" name ".cu")
    name = ""
}

state == "old" && $0 == "===" { state = "new"; next }
state == "old" { old = old $0 "\n"; next }
state == "new" && $0 == ">>>" { state = "head"; change(); next }
state == "new" { new = new $0 "\n"; next }

$0 == "<<<" {
    if (base == "" || name == "")
        refuse(NR, "a text before its mistake and its base")
    state = "old"
    line_of["old"] = NR + 1
    old = new = ""
    next
}
/^mistake: / {
    finish()
    name = $2
    base = reads = truth = ""
    changes = 0
    line_of["mistake"] = NR
    next
}
/^base: / { base = $2; line_of["base"] = NR; text = contents(folder "/" base); next }
/^reads: / { reads = $2; next }
/^true: / { truth = $0; next }
/^$/ { next }
{ refuse(NR, "no line of a mistake: " $0) }

END {
    if (failed)
        exit 1
    if (state != "head")
        refuse(line_of["old"], "a text without its end")
    finish()
}
