# SPDX-License-Identifier: Apache-2.0
# Holds the views of an instruction to the table above VmInstr: a row says which files
# may look into a view, and `any` that others may if a bit says that it is valid. In
# each file it looks at `in->VIEW`, and likewise at what else is declared as a VmInstr
# there.
#
#   awk -f views.awk GRADER/vm/code/instr.h FILES
#
# FILES are sources below GRADER/vm. Prints file:line: error: ... for each violation;
# exit 1 if any.

function report(place, what) {
    print place ": error: " what
    errors++
}

# Of a row, or of a line that goes on with one: the files, and `any(...)`.
function take_users(view, text, words, number, i) {
    if (text ~ /any\(/)
        open[view] = 1
    number = split(text, words, " ")
    for (i = 1; i <= number; i++)
        if (words[i] ~ /\.[ch]$/)
            may[view, words[i]] = 1
}

function look_at(name, view, file) {
    if (!(view in views) || !((FILENAME, name) in instrs || name == "in"))
        return
    used[view] = 1
    file = FILENAME
    sub(/.*\/vm\//, "", file) # as rows name it
    if (!open[view] && !((view, file) in may))
        report(FILENAME ":" FNR, "the view " view " of an instruction is not for this file")
}

NR == FNR && /^\/\/   view +of / { inside = 1; next }
NR == FNR && inside && !/^\/\/   / { inside = 0 }
NR == FNR && inside && /^\/\/   [a-z]/ { view = $2; views[view] = FILENAME ":" FNR; count++ }
NR == FNR && inside { take_users(view, $0) }
NR == FNR { next }

match($0, /VmInstr \*?[a-z_]+[ ;,)=]/) {
    name = substr($0, RSTART, RLENGTH - 1)
    sub(/VmInstr \*?/, "", name)
    instrs[FILENAME, name] = 1
}

/->|[a-z]\./ {
    sub(/\/\/.*/, "")
    while (match($0, /[a-z_0-9]+(->|\.)[a-z_0-9]+/)) {
        split(substr($0, RSTART, RLENGTH), part, /->|\./)
        look_at(part[1], part[2])
        $0 = substr($0, RSTART + length(part[1]) + 1)
    }
}

END {
    if (!count)
        report("views.awk", "there is no table of views")
    for (view in views)
        if (!(view in used))
            report(views[view], "nothing uses the view " view)
    exit errors > 0
}
