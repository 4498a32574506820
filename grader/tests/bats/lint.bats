#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# make lint in a small tree with git: what it finds, what it need not look at again, and what
# CHANGED=1 looks at.

# shellcheck disable=SC2016 # backquotes of Markdown
load common

setup() {
    common_setup
    command -v gcc >/dev/null || skip "no gcc"
    command -v git >/dev/null || skip "no git"
    TREE=$W/tree
    mkdir -p "$TREE"/{.ci,docs,labs,grader/{base,vm/code,tools,make},build/obj/grader/base} "$W/bin"
    cp Makefile .clang-format "$TREE/"
    cp .ci/steps "$TREE/.ci/"
    cp grader/make/* "$TREE/grader/make/"
    cp grader/tools/{lint,clang-many,setup,check-layers,check-constants} grader/tools/*.awk "$TREE/grader/tools/"
    printf '%s\n' '| room | its headers | may include | never |' '|---|---|---|---|' \
        '| base/ | base.h | libc | |' '| vm/code/ | *.h | base | |' >"$TREE/docs/CONTRIBUTING.md"
    local spdx='// SPDX-License-Identifier: Apache-2.0'
    printf '%s\n' "$spdx" '#pragma once' 'int base_one(void);' >"$TREE/grader/base/base.h"
    printf '%s\n' "$spdx" '#include "base/base.h"' '' 'int base_one(void) {' '    return 1;' '}' >"$TREE/grader/base/one.c"
    printf '%s\n' "$spdx" 'int base_two(void);' 'int base_two(void) {' '    return 2;' '}' >"$TREE/grader/base/two.c"
    # An instruction with a view, and who looks into it.
    printf '%s\n' "$spdx" '//   view     of      used by vm/...' '//   compare  setp    code/look.h' \
        'enum { MOST = 8 };' >"$TREE/grader/vm/code/instr.h"
    printf '%s\n' '| `MOST` | `8` | vm/code/instr.h | why |' >"$TREE/docs/constants.md"
    printf '%s\n' "$spdx" '#define LOOK in->compare' >"$TREE/grader/vm/code/look.h"
    printf '#!/bin/sh\n# %s\nset -u\n' "${spdx#// }" >"$TREE/grader/tools/say"
    printf '#!/bin/sh\necho "$*" >>"%s/log"\nexec "%s" "$@"\n' "$W" "$(type -aP gcc | grep -v ccache | head -n 1)" >"$W/bin/gcc"
    chmod +x "$W/bin/gcc"
    cd "$TREE" || return
    make_objects
    git init -q . && git add Makefile .clang-format .ci docs grader && commit first || return
}

commit() {
    git -c user.name=x -c user.email=x@example.org commit -qam "$1"
}

make_objects() { # as the build does; there is no program to link here
    local name
    for name in one two; do
        gcc -c -MMD -MP -Igrader -o "build/obj/grader/base/$name.o" "grader/base/$name.c"
    done
}

lint() { # lint STATUS [OPTION]: a gcc that is called says so in $W/log
    rm -f "$W/log"
    PATH=$W/bin:$PATH run grader/tools/lint "${@:2}" build/obj/grader
    [ "$status" -eq "$1" ] || fail "exit status $status, not $1"
}

# compiled FILE...: these, and no others.
compiled() {
    local files=''
    [ ! -e "$W/log" ] || files=$(sed -n 's/.*-fsyntax-only.* //p' "$W/log" | sort | tr '\n' ' ')
    [ "$files" = "${*:+$* }" ] || fail "compiled: $files"
}

@test "a file without a warning is not compiled again before it or a header changes" {
    lint 0
    compiled grader/base/one.c grader/base/two.c
    lint 0
    compiled
    holds "$output" "ok       warnings of gcc"
    echo 'static inline int base_four(void) { int unused; return 4; }' >>grader/base/base.h
    lint 1
    compiled grader/base/one.c
    holds "$output" "unused"
    holds "$output" "FAIL     warnings of gcc"
    lint 1
    compiled grader/base/one.c
    if command -v clang >/dev/null; then
        holds "$output" "base.h:4:41: error: unused variable 'unused' [-Werror,-Wunused-variable]"
        holds "$output" "FAIL     warnings of clang"
    fi
    git checkout -q grader/base/base.h
    lint 0
    compiled grader/base/one.c
}

@test "CHANGED=1 looks at what is not as in the main branch, and at who uses such a header" {
    lint 0 --changed
    compiled
    holds "$output" "changed: 0 files with a format, 0 scripts; 0 files to compile"
    git branch -f main && git checkout -qb other
    echo 'int base_three(void);' >>grader/base/base.h
    commit second
    lint 0 --changed
    compiled grader/base/one.c
    echo '' >>grader/base/two.c
    printf '// SPDX-License-Identifier: Apache-2.0\nint base_three(void);\nint base_three(void) { int unused; return 3; }\n' \
        >grader/base/three.c
    echo 'unused=1' >>grader/tools/say
    lint 1 --changed
    holds "$output" "three.c:3:28: error: unused variable"
    holds "$output" "three.c: error: it is not compiled"
    if command -v shellcheck >/dev/null; then
        holds "$output" "FAIL     shellcheck"
    fi
    if command -v clang-format >/dev/null; then
        holds "$output" "FAIL     format"
    fi
    git checkout -q grader/tools/say grader/base/two.c
    rm grader/base/three.c
    lint 0 --changed
    compiled
}

@test "a comment that names a file which is gone is found" {
    sed -i '1a // As base/two.c, two.c and base.h have it, of build/gen/x.c and <sys/wait.h>.' grader/base/one.c
    lint 0
    sed -i '1a // See base/three.c.' grader/base/one.c
    echo 'Read four.c.' >>docs/CONTRIBUTING.md
    lint 1
    holds "$output" "grader/base/one.c:2: error: there is no file base/three.c"
    holds "$output" "docs/CONTRIBUTING.md:5: error: there is no file four.c"
    holds "$output" "FAIL     files that comments name"
}

@test "a file without a licence, a long one, and one at the top level are found" {
    sed -i 1d grader/base/two.c
    : >grader/base/empty.c
    gcc -c -o build/obj/grader/base/empty.o grader/base/empty.c
    lint 1
    holds "$output" "grader/base/two.c:1: error: no SPDX line"
    holds "$output" "grader/base/empty.c:1: error: no SPDX line"
    holds "$output" "FAIL     licence lines"
    holds "$output" "ok       sizes"
    git checkout -q grader/base/two.c
    rm grader/base/empty.c
    for _ in {1..900}; do echo >>grader/base/two.c; done
    touch stray && git add stray
    lint 1
    holds "$output" "grader/base/two.c: error: 905 lines; at most 800"
    holds "$output" "stray:1: error: at the top level"
}

@test "a constant and its row on the page are the same" {
    local check=grader/tools/check-constants
    run "$check"
    [ "$status" -eq 0 ] || fail "exit status $status"
    echo 'enum { MOST = 9, LEAST = 2 };' >grader/vm/code/instr.h
    run "$check"
    [ "$status" -eq 1 ]
    holds "$output" "grader/vm/code/instr.h: MOST = 9 is not in the page"
    holds "$output" "grader/vm/code/instr.h: LEAST = 2 is not in the page"
    holds "$output" "the page has MOST = 8, which grader/vm/code/instr.h has not"
    printf '%s\n' '## What measures nothing' '| files | constants | what |' \
        '| vm/code/* | `LEAST` `MOST` `GONE` | why |' >docs/constants.md
    run "$check"
    holds "$output" "the page leaves out GONE of vm/code/*, where it is not"
    holds "$output" "the page has no rows"
}
