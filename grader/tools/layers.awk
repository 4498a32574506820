# SPDX-License-Identifier: Apache-2.0
# Reads the table of the rooms (rooms.awk) and then C files, and prints file: error: ... for
# each line that breaks what the table, and check-layers, say. Exit 1 if there was any.
#
#   awk -f rooms.awk -f layers.awk TABLE FILE...
#
# Variables: grader, the folder of the rooms, whose files these are, in order; table_name, for
# messages; and in the environment FOLDERS, the folders of grader, one a line.

function report(where, text) {
    print where ": error: " text
    errors++
}

function table_error(line, text) {
    report(table_name ":" line, text)
}

# Folders with C files that are not part of the program; they have no row.
function is_no_room(folder) {
    return (folder "/") ~ /^(tests|bench|tools|compile\/include)\//
}

function folder_of(file) {
    return sub(/\/[^\/]*$/, "", file) ? file : "."
}

# Every room has a row, and every row a room.
function check_rooms(    count, i, folders, there, folder, last) {
    rooms_checked = 1
    if (!room_count)
        report(table_name, "it has no table of the rooms")
    count = split(ENVIRON["FOLDERS"], folders, "\n")
    for (i = 1; i <= count; i++)
        there[folders[i]] = 1
    for (i = 1; i <= room_count; i++)
        if (!(rooms[i] in there))
            report(table_name ":" row_line[rooms[i]], rooms[i] "/ has a row and is not there")
    for (i = 2; i < ARGC; i++) {
        folder = folder_of(substr(ARGV[i], length(grader) + 2))
        if (folder != last && !is_no_room(folder) && !(folder in offers))
            report(grader "/" folder "/", "an unknown room: it has no row in " table_name)
        last = folder
    }
}

# What holds for the file that begins now.
function begin_file() {
    folder = folder_of(substr(FILENAME, length(grader) + 2))
    checked = folder in offers
    base = folder ~ /^base(\/|$)/
    # base/arena.c ends the process when there is no memory left; the state of the library in
    # a program that `exec` runs is that program's.
    speaks = folder ~ /^cli(\/|$)/ || FILENAME ~ /\/(base\/arena|runtime\/core\/state)\.c$/
    gpu = folder ~ /^gpu(\/|$)/
}

function check_include(    header, owner) {
    header = $0
    sub(/^[^"]*"/, "", header)
    sub(/".*/, "", header)
    owner = folder_of(header)
    if (owner == ".")
        report(FILENAME ":" FNR, "write \"" folder "/" header "\": includes name the room")
    else if (owner != folder && index(grants[folder] " ", " " header " ") == 0 &&
             index(grants[folder] " ", " " owner "/*.h ") == 0)
        report(FILENAME ":" FNR, folder "/ may not include \"" header "\"")
}

# check_code LINE: without strings and comments.
function check_code(code) {
    if (!base && code ~ /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf) *\(/)
        report(FILENAME ":" FNR, "only base/ allocates: use an Arena, or heap_alloc")
    if (!speaks && code ~ /(^|[^A-Za-z0-9_.>])exit *\(/)
        report(FILENAME ":" FNR, "only cli/ exits")
    if (!speaks && code ~ /(^|[^A-Za-z0-9_.>])((printf|vprintf|puts|putchar|perror) *\(|stdout|stderr)/)
        report(FILENAME ":" FNR, "only cli/ prints")
    if (!gpu && code ~ /(^|[^A-Za-z0-9_.>])CU(device|context|module|stream|function|deviceptr|result)([^A-Za-z0-9_]|$)/)
        report(FILENAME ":" FNR, "only gpu/ names the driver's types")
}

!rooms_checked { check_rooms() }
FNR == 1 { begin_file() }
!checked { next }
/^ *# *include *"/ { check_include(); next }
{
    gsub(/\\./, "")
    gsub(/'[^']*'/, "")
    gsub(/"[^"]*"/, "")
    sub(/\/\/.*/, "")
    check_code($0)
}

END {
    if (!rooms_checked)
        check_rooms()
    exit errors > 0
}
