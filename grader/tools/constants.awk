# SPDX-License-Identifier: Apache-2.0
# Prints the constants with a numeric value that C files define, one a line: the
# file without "grader/", the name, the value's text. For check-constants.

function squeeze(text) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

function show(name, value) {
    value = squeeze(value)
    file = FILENAME
    sub(/^grader\//, "", file)
    if (value ~ /[0-9]/)
        print file "\t" name "\t" value
}

# Enumerators: no other upper-case name is assigned to.
function enumerators(line,    item, at) {
    while (match(line, /(^|[^A-Za-z0-9_.>])[A-Z][A-Z0-9_]+ = [^,;{}]+/)) {
        item = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/^[^A-Z]/, "", item)
        at = index(item, " = ")
        show(substr(item, 1, at - 1), substr(item, at + 3))
    }
}

# static const numbers, several of which may stand in one declaration.
function numbers(line,    parts, n, i, at) {
    sub(/.*static const [a-z0-9_]+ /, "", line)
    sub(/;.*/, "", line)
    n = split(line, parts, ",")
    for (i = 1; i <= n; i++) {
        at = index(parts[i], " = ")
        if (at && squeeze(substr(parts[i], 1, at - 1)) ~ /^[a-z_]+$/)
            show(squeeze(substr(parts[i], 1, at - 1)), substr(parts[i], at + 3))
    }
}

{
    line = $0
    sub(/\/\/.*/, "", line)
    gsub(/\/\*[^*]*\*\//, "", line)
    gsub(/"[^"]*"/, "", line)
    enumerators(line)
    if (line ~ /^#define [A-Z][A-Z0-9_]+ [^\\]+$/ && $2 !~ /_H$/) {
        name = $2
        sub(/^#define [A-Z0-9_]+ /, "", line)
        show(name, line)
    } else if (line ~ /static const (u?int[0-9a-z_]*|size_t|double|float) [a-z_]+ = /) {
        numbers(line)
    }
}
