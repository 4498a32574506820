#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files that are no submission: each gives one clear message and the
# documented exit status, and leaves nothing behind.

load common
setup() { common_setup; }

# refused STATUS FILE PART: grading it ends with STATUS and says PART.
refused() {
    run clclab grade 1 "$2"
    [ "$status" -eq "$1" ] || fail "exit status $status instead of $1"
    holds "$output" "$3"
    holds "$output" "$2"
    nothing_left
}

@test "a file that is not there" {
    refused 2 "$W/nothing.cu" "No such file"
}

@test "an empty file" {
    : >"$W/empty.cu"
    refused 1 "$W/empty.cu" "empty"
}

@test "a file over 1 MiB" {
    { cat "$(solution 1)"; head -c 1100000 /dev/zero | tr '\0' ' '; } >"$W/huge.cu"
    refused 1 "$W/huge.cu" "1 MiB"
}

@test "a file of exactly 1 MiB is read" {
    cp "$(solution 1)" "$W/large.cu"
    local size
    size=$(stat -c %s "$W/large.cu")
    head -c $((1048576 - size)) /dev/zero | tr '\0' ' ' >>"$W/large.cu"
    run clclab grade 1 "$W/large.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a binary file" {
    head -c 20000 "$CLCLAB" >"$W/binary.cu"
    refused 1 "$W/binary.cu" "NUL"
}

@test "a NUL byte in the text: its line is named" {
    printf 'int a;\nint b;\n\0int c;\n' >"$W/nul.cu"
    refused 1 "$W/nul.cu" "$W/nul.cu:3"
}

@test "bytes that are not UTF-8 do not break the JSON report" {
    printf '#include "lab.h"\n// \377\376\nint \377;\n' >"$W/latin.cu"
    grade_json 1 "$W/latin.cu" || [ $? -eq 1 ] || fail "status"
    json verdict
}

@test "terminal escapes in the text are not passed on" {
    printf '#include "lab.h"\nint \033[2Jx = ;\n' >"$W/escape.cu"
    run clclab grade 1 "$W/escape.cu"
    [ "$status" -eq 1 ] || fail "exit status $status"
    lacks "$output" $'\033'
}

@test "a directory" {
    mkdir "$W/folder.cu"
    refused 2 "$W/folder.cu" "There is no file in it"
}

@test "a FIFO does not make it wait" {
    mkfifo "$W/fifo.cu"
    refused 2 "$W/fifo.cu" "regular file"
}

@test "a device file" {
    refused 2 /dev/zero "regular file"
}

@test "a loop of symbolic links" {
    ln -s b.cu "$W/a.cu"
    ln -s a.cu "$W/b.cu"
    refused 2 "$W/a.cu" "symbolic links"
}

@test "a file that may not be read" {
    [ "$(id -u)" -ne 0 ] || skip "root may read every file"
    cp "$(solution 1)" "$W/secret.cu"
    chmod 000 "$W/secret.cu"
    refused 2 "$W/secret.cu" "denied"
}

@test "a lab that does not exist: the ones that do are listed" {
    run clclab grade 11
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "11"
    holds "$output" "4"
    run clclab grade nonsense
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "nonsense"
}

# ---- lab.conf ------------------------------------------------------------

# A copy of the course, with its program, whose first lab.conf the test may spoil.
spoiled_labs() {
    mkdir -p "$W/course"
    cp -r labs "$W/course/labs"
    cp "$CLCLAB" "$W/course/clclab"
    conf=$(echo "$W"/course/labs/01-*/lab.conf)
}

# conf_error PART: grading lab 1 there says lab.conf:LINE:COLUMN and PART. A broken course
# is not the user's fault, unless she named it.
conf_error() {
    run clclab grade 1 --root "$W/course"
    [ "$status" -eq 2 ] || fail "exit status $status"
    cd "$W/course" || return 1
    CLCLAB=./clclab
    run clclab grade 1
    [ "$status" -eq 70 ] || fail "exit status $status"
    [[ $output =~ lab\.conf:[0-9]+:[0-9]+ ]] || fail "no place"
    holds "$output" "$1"
}

@test "lab.conf with an unknown key" {
    spoiled_labs
    echo 'colour = blue' >>"$conf"
    conf_error "colour"
}

@test "lab.conf with a key twice" {
    spoiled_labs
    echo 'threads = 64' >>"$conf"
    conf_error "threads"
}

@test "lab.conf with a bad number" {
    spoiled_labs
    sed -i 's/^threads .*/threads = many/' "$conf"
    conf_error "many"
}

# ---- the course ----------------------------------------------------------

@test "a labs folder in or above the current folder decides no marks" {
    spoiled_labs
    sed -i '/^threads\|^kernel/d' "$conf"
    mkdir "$W/course/inner"
    for folder in "$W/course" "$W/course/inner"; do
        cd "$folder" || return 1
        run clclab grade 1 "$ROOT/labs/01-fixed-work/fixed_work.cu" --device vm
        [ "$status" -eq 1 ] || fail "exit status $status"
        lacks "$output" "lab.conf"
        run clclab list
        [ "$status" -eq 0 ] || fail "exit status $status"
    done
    run clclab grade 1 --root "$W/course"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "lab.conf"
}

@test "below its course the program says short paths" {
    cd labs/01-fixed-work || return 1
    run clclab grade 1 --device vm
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "../../labs/01-fixed-work/"
    lacks "$output" "$ROOT"
}

@test "lab.conf whose points are not 100 in all" {
    spoiled_labs
    sed -i 's/^\(check builds  *\)[0-9]*/\199/' "$conf"
    conf_error "sum to 1"
}

@test "lab.conf without a key that it needs" {
    spoiled_labs
    sed -i '/^title/d' "$conf"
    conf_error "title"
}
