# SPDX-License-Identifier: Apache-2.0
# Run by `make help` with the makefiles: prints each target that has a `## text`, with the
# text, under the last heading, `##@ heading`, above its rule. A heading may stand in several
# places. Targets that `first` names, with blanks between, come first, in that order.
#
#   awk -v first='grade watch' -f help.awk MAKEFILE...

function print_target(target) {
    printf "%-22s%s\n", "  make " target, text[target]
}

BEGIN { count = split(first, order, " ") }

/^##@ / {
    heading = substr($0, 5)
    if (!(heading in members))
        headings[++groups] = heading
    members[heading] = members[heading]
}

/^[a-z-]+:[^#]*## / {
    target = substr($0, 1, index($0, ":") - 1)
    text[target] = substr($0, index($0, "## ") + 3)
    if (index(" " first " ", " " target " ") == 0)
        members[heading] = members[heading] " " target
}

END {
    print "To begin with"
    for (i = 1; i <= count; i++)
        if (order[i] in text)
            print_target(order[i])
    for (i = 1; i <= groups; i++) {
        size = split(members[headings[i]], names, " ")
        if (size > 0)
            print "\n" headings[i]
        for (j = 1; j <= size; j++)
            print_target(names[j])
    }
}
