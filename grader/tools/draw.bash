# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Which of its cases a check takes if it is quick: one of so many. PICK says which, and
# continuous integration takes it from the commit, so that over time each has its turn.
# What is quick is always a part of the whole.

# part OF [SHIFT]: keeps every OF-th line of standard input, or all if they are fewer. SHIFT
# makes different parts of several uses.
part() {
    awk -v of="$1" -v from=$(((${PICK:-0} + ${2:-0}) % $1)) '
        { line[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++)
                if (NR < of || (i - 1) % of == from) print line[i]
        }'
}

QUICK='' # or --quick

# is_quick WORD: whether this is --quick. If so, the check is.
is_quick() {
    [[ $1 == --quick ]] && QUICK=$1
}

# drawn OF [SHIFT]: a part if the check is quick, else all.
drawn() {
    if [[ -n $QUICK ]]; then part "$@"; else cat; fi
}
