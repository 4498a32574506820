# SPDX-License-Identifier: Apache-2.0
# The table of the rooms in a Markdown file, which is the first file that awk reads: what each
# room offers, and what it may include and call. For layers.awk and circles.awk, which come
# after it (-f rooms.awk -f layers.awk TABLE ...).
#
#   rooms[1..room_count]   their names, in the table's order: "base", "vm/order"
#   offers[ROOM]           the headers that others may include, with a blank before each; a
#                          room that is no index of it has no row
#   grants[ROOM]           the headers of others that it may include, " a/a.h b/*.h"
#   callable[ROOM, OTHER]  the rooms that it may call: itself, those that its row names, and
#                          those that these may call
#
# A row that names what it may not calls table_error(LINE, TEXT).

function may_include(room, other, headers,    i, reached) {
    grants[room] = grants[room] " " headers
    callable[room, other] = 1
    for (i = 1; i <= room_count; i++) {
        reached = rooms[i]
        if ((other, reached) in callable)
            callable[room, reached] = 1
    }
}

# One word of a row: a room above, one header of such a room, or `all` rooms above; `libc`
# needs no permission.
function take_word(room, word,    other, i) {
    other = word
    if (word ~ /\.h$/)
        sub(/\/[^\/]*$/, "", other)
    if (word == "all") {
        for (i = 1; i <= room_count; i++)
            may_include(room, rooms[i], offers[rooms[i]])
    } else if (word == "libc") {
        return
    } else if (!(other in offers)) {
        table_error(FNR, room "/ names " other ", which has no row above it")
    } else {
        may_include(room, other, word ~ /\.h$/ ? word : offers[other])
    }
}

# take_row ROOM HEADERS WORDS: a row of the table; the lists have commas between.
function take_row(room, headers, list,    words, count, i) {
    grants[room] = ""
    callable[room, room] = 1
    count = split(list, words, ",")
    for (i = 1; i <= count; i++)
        take_word(room, words[i])
    gsub(/,/, " " room "/", headers)
    offers[room] = headers == "" ? "" : " " room "/" headers
    rooms[++room_count] = room
}

FNR == 1 { reads_table = FILENAME == ARGV[1] }

reads_table && /^\| *room *\|/ { inside = 1; next }
reads_table && !/^\|/ { inside = 0 }
reads_table && inside && !/^\|-/ {
    split($0, cells, "|")
    for (i = 2; i <= 4; i++)
        gsub(/[ `]/, "", cells[i])
    sub(/\/$/, "", cells[2])
    take_row(cells[2], cells[3], cells[4])
    row_line[cells[2]] = FNR
}
reads_table { next }
