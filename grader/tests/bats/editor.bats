#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# compile_commands.json, with which an editor's clang is quiet on a right file of a lab and
# loud on a wrong one.

load common
setup() { common_setup; }

files() {
    "$JSON_GET" build/compile_commands.json '*.file' || fail "not JSON"
}

# reads FILE: clang's parser reads it as an editor would.
reads() {
    local entry
    local -a words=()
    entry=$(files | grep -nx "$PWD/solutions/$1" | head -n 1)
    [ -n "$entry" ] || fail "no entry for $1"
    mapfile -t words < <("$JSON_GET" build/compile_commands.json "$((${entry%%:*} - 1)).arguments.*")
    unset 'words[-1]'
    run --separate-stderr timeout "$PATIENCE" "${words[@]}" -fsyntax-only "$2"
}

@test "clang is quiet on solutions, and loud on a name that is mistyped" {
    local file
    grader/tools/editor || skip "no CUDA toolkit"
    command -v clang++ >/dev/null || skip "no clang"
    for file in 04-cluster-clc/cluster_clc.cu 09-raw-ptx/raw_ptx.cu; do
        reads "$file" "solutions/$file"
        # shellcheck disable=SC2154 # run sets stderr
        [ "$status" -eq 0 ] && [ -z "$stderr" ] || fail "$file: $stderr"
    done
    sed 's/mbarrier_init(/mbarrier_inti(/' solutions/03-block-clc/block_clc.cu >"$W/block_clc.cu"
    reads 03-block-clc/block_clc.cu "$W/block_clc.cu"
    [ "$status" -ne 0 ] || fail "it is quiet"
    holds "$stderr" "no member named 'mbarrier_inti'"
}

@test "each kernel and each source has an entry; a folder with a blank and a quote is one" {
    local file
    grader/tools/editor || skip "no CUDA toolkit"
    files | sed "s|^$PWD/||" >"$W/listed"
    for file in labs/03-block-clc/block_clc.cu solutions/clinic/01-scale.cu grader/vm/vm.c; do
        grep -qx "$file" "$W/listed" || fail "no $file"
    done
    mkdir -p "$W/a \"b" && cp -R labs grader "$W/a \"b/"
    (cd "$W/a \"b" && grader/tools/editor) || fail "exit status $?"
    "$JSON_GET" "$W/a \"b/build/compile_commands.json" '#' >/dev/null || fail "not JSON"
}

@test "without a toolkit: exit 69, or nothing if that was asked for" {
    CUDA_HOME=$W run --separate-stderr grader/tools/editor
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$stderr" "no CUDA toolkit in $W"
    CUDA_HOME=$W run grader/tools/editor --if-possible
    [ "$status" -eq 0 ] && [ -z "$output" ] || fail "exit status $status"
}

@test "VS Code's task finds the place of a mistake in a report, and names files that are there" {
    local tasks=.vscode/tasks.json pattern at
    pattern=$("$JSON_GET" $tasks tasks.0.problemMatcher.pattern.regexp)
    [ "$("$JSON_GET" $tasks tasks.0.command)" = build/clclab ]
    [ "$("$JSON_GET" $tasks tasks.0.args.1)" = "\${fileDirnameBasename}" ]
    printf 'this is no C++\n' >"$W/x.cu"
    run clclab grade 01-fixed-work "$W/x.cu"
    at=$(grep -E "$pattern" <<<"$output" | sed -E "s/$pattern/\1 \2 \5/")
    [[ $at == "$W/x.cu 1 error"* ]] || fail "$at"
    # Of some mistakes no column is known.
    at=$(sed -E "s/$pattern/\1 \2 \5 \6/" <<<"$W/x.cu:7: error: at: a line")
    [ "$at" = "$W/x.cu 7 error at: a line" ] || fail "$at"
    "$JSON_GET" .devcontainer/devcontainer.json image >/dev/null
}
