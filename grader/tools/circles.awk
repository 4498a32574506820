# SPDX-License-Identifier: Apache-2.0
# Reads `nm -A` of object files below the folder `root`. Prints a line for each
# call into a room that the caller's room may not call, for each circle of
# files that call each other or use each other's data, and for each name that two
# files define.
#
#   check/a.c -> check/b.c (b_find) -> check/a.c (a_name)
#
# means that a.c uses b_find of b.c, which uses a_name of a.c. The table of the rooms comes
# first: awk -v root=FOLDER -f rooms.awk -f circles.awk TABLE -. A file that is compiled
# several times, name.v2.o and name.v3.o, is one file.
#
# To find circles, files without calls or without callers are removed until none
# are left. The shortest circle among the rest is printed and its calls are
# removed, and so on until there is none.

function table_error(line, text) {} # layers.awk has told

{
    colon = index($0, ".o:")
    file = substr($0, length(root) + 1, colon - length(root) - 1)
    sub(/\.(v[0-9]+|base)$/, "", file)
    if (!(file in numbers)) {
        numbers[file] = ++files
        names[files] = file
    }
    kind = $(NF - 1)
    if (kind == "U")
        uses[++use_count] = numbers[file] " " $NF
    else if (kind ~ /^[TDRBVW]$/) {
        # Within an archive the linker takes either, and says nothing.
        if (kind != "W" && $NF in home && home[$NF] != numbers[file])
            printf "%s.c defines %s, and so does %s.c: give one another name\n", file,
                $NF, names[home[$NF]]
        home[$NF] = numbers[file]
    }
}

function room(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

function add_call(from, to, symbol,    pair) {
    pair = from SUBSEP to
    if (from == to || pair in calls)
        return
    calls[pair] = symbol
    callees[from, ++callee_count[from]] = to
    if (!((room(names[from]), room(names[to])) in callable))
        printf "%s.c calls %s of %s.c: %s/ may not call %s/\n", names[from],
            symbol, names[to], room(names[from]), room(names[to])
}

# Removes the files without calls or without callers, which are in no circle. Returns
# 1 if there were any.
function prune(    from, i, to, has_callee, has_caller, removed) {
    for (from = 1; from <= files; from++)
        for (i = 1; i <= callee_count[from]; i++) {
            to = callees[from, i]
            if (!gone[from] && !gone[to] && (from, to) in calls)
                has_callee[from] = has_caller[to] = 1
        }
    for (from = 1; from <= files; from++)
        if (!gone[from] && !(has_callee[from] && has_caller[from]))
            gone[from] = removed = 1
    return removed
}

# Finds the shortest circle through `start`, of at most `most` files, and stores it in
# best[1..]. Returns its length, or 0 if there is none.
function find_circle(start, most,    queue, head, tail, before, depth, at, i, to) {
    queue[tail = 1] = start
    depth[start] = 0
    for (head = 1; head <= tail; head++) {
        at = queue[head]
        if (depth[at] >= most)
            return 0
        for (i = 1; i <= callee_count[at]; i++) {
            to = callees[at, i]
            if (gone[to] || !((at, to) in calls))
                continue
            if (to == start)
                return keep_circle(at, before, depth[at] + 1)
            if (to in depth)
                continue
            depth[to] = depth[at] + 1
            before[to] = at
            queue[++tail] = to
        }
    }
    return 0
}

function keep_circle(last, before, size,    i) {
    for (i = size; i >= 1; i--) {
        best[i] = last
        last = before[last]
    }
    return size
}

function print_circle(size,    i, from, to, line) {
    line = names[best[1]] ".c"
    for (i = 1; i <= size; i++) {
        from = best[i]
        to = best[i % size + 1]
        line = line " -> " names[to] ".c (" calls[from, to] ")"
        delete calls[from, to]
    }
    print line
}

END {
    for (i = 1; i <= use_count; i++) {
        split(uses[i], use, " ")
        if (use[2] in home)
            add_call(use[1], home[use[2]], use[2])
    }
    for (;;) {
        while (prune())
            continue
        size = 0
        for (start = 1; start <= files; start++)
            if (!gone[start] && (found = find_circle(start, size ? size - 1 : files)))
                size = found
        if (!size)
            break
        print_circle(size)
    }
}
